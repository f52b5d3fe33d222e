//! What the figures are.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use predicates::prelude::*;
use serde_json::Value;

use crate::place::{Place, answer, base, fixture, fixtures, user};

#[test]
fn every_saved_session_gives_its_number() {
    let place = Place::new();
    let table = fs_err::read_to_string(fixtures().join("expected-context.tsv")).unwrap();
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .collect();
    assert!(rows.len() >= 120);
    let mut told = BTreeMap::new();
    let mut wrong = Vec::new();
    for (file, expected) in rows {
        let output = place.command().arg("--json").arg(fixture(file)).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let context = match (output.status.code(), answer["context"].as_u64()) {
            (Some(65), None) => "-".to_owned(),
            (Some(0), Some(context)) => context.to_string(),
            ends => format!("{ends:?}"),
        };
        // A wrong guess of the CLI cannot hide.
        let agent = file.split('/').next().unwrap();
        let is_right = context == expected && answer["agent"] == agent;
        if !is_right {
            wrong.push(format!("{file}: {context} of {}, not {expected}", answer["agent"]));
        }
        let counts: &mut [u32; 2] = told.entry(agent.to_owned()).or_default();
        counts[usize::from(is_right)] += 1;
        let run = place.meter().arg(fixture(file)).assert();
        if expected == "-" {
            run.code(65).stdout("").stderr(predicate::str::contains("no usage recorded"));
        } else {
            run.success().stdout(format!("{expected}\n")).stderr("");
        }
    }
    let mut table = "\nCLI            right  wrong\n".to_owned();
    for (agent, [wrong, right]) in &told {
        writeln!(table, "{agent:<13} {right:>6} {wrong:>6}").unwrap();
    }
    std::io::stderr().write_all(table.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{table}{wrong:#?}");
    assert_eq!(told.len(), 8, "{table}");
}

#[test]
fn the_cases_on_which_meters_fail() {
    let sidechain =
        answer("s1", 5, 3_000, 0, 9).replace("\"isSidechain\":false", "\"isSidechain\":true");
    let synthetic = answer("e1", 0, 0, 0, 0)
        .replace("claude-opus-4-6", "<synthetic>")
        .replace("\"isSidechain\"", "\"isApiErrorMessage\":true,\"isSidechain\"");
    let unflagged = synthetic.replace("\"isApiErrorMessage\":true", "\"isApiErrorMessage\":false");
    let zeroed = answer("g1", 0, 0, 0, 900);
    let boundary = r#"{"type":"system","subtype":"compact_boundary","isSidechain":false,"compactMetadata":{"trigger":"manual","preTokens":102005}}"#
        .to_owned() + "\n" + r#"{"type":"user","isSidechain":false,"isCompactSummary":true,"message":{"role":"user","content":"summary"}}"# + "\n";
    let side_boundary = boundary.replace("\"isSidechain\":false", "\"isSidechain\":true");
    let older = answer("m2", 5, 40_000, 0, 9).replace("2026-11-30T12", "2026-11-30T11");
    let split = base() + &answer("m1", 5, 100_000, 2_000, 30).repeat(2);
    let latin: Vec<u8> = [
        &b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"caf\xe9\"}}\n"[..],
        base().as_bytes(),
    ]
    .concat();
    let bad_answer: Vec<u8> = base()
        .replace("words", "w\u{1}rds")
        .into_bytes()
        .iter()
        .map(|&b| if b == 1 { 0xe9 } else { b })
        .collect();
    let surrogate = base().replace("words", "cut \\ud83d");
    let table: Vec<(&str, Vec<u8>, Option<&str>)> = vec![
        ("plain", base().into(), Some("102005")),
        ("crlf", base().replace('\n', "\r\n").into(), Some("102005")),
        ("bom", ("\u{feff}".to_owned() + &base()).into(), Some("102005")),
        ("spaces after colons", base().replace("\":", "\": ").into(), Some("102005")),
        ("torn last line", (base() + "{\"type\":\"assistant\",\"mess").into(), Some("102005")),
        ("no newline at the end", base().trim_end().into(), Some("102005")),
        ("sidechain last", (base() + &sidechain).into(), Some("102005")),
        (
            "a headless run's events, a sub-agent last",
            (base()
                + &answer("s1", 5, 3_000, 0, 9)
                    .replace("{\"type\"", "{\"parent_tool_use_id\":\"t\",\"type\""))
                .into(),
            Some("102005"),
        ),
        (
            "no word of sidechains but in the sub-agent's line",
            (base().replace("\"isSidechain\":false,", "") + &sidechain).into(),
            Some("102005"),
        ),
        (
            "an old main file that begins with a sidechain",
            (sidechain.clone() + &base()).into(),
            Some("102005"),
        ),
        (
            "an absurd count after a sound one",
            (base() + &answer("m2", 5, 1 << 40, 0, 1)).into(),
            Some("102005"),
        ),
        (
            "a negative count",
            (base() + &answer("m2", 5, 77, 0, 1).replace("77", "-77")).into(),
            Some("102005"),
        ),
        ("only absurd counts", answer("m2", 5, 1 << 40, 0, 1).into(), None),
        ("error answer last", (base() + &synthetic).into(), Some("102005")),
        ("synthetic without its flag", (base() + &unflagged).into(), Some("102005")),
        ("zeroed by a gateway", (base() + &zeroed).into(), Some("102005")),
        ("compacted", (base() + &boundary).into(), Some("0")),
        ("prompt after a compaction", (base() + &boundary + &user("next")).into(), Some("0")),
        ("a sub-agent's compaction", (base() + &side_boundary).into(), Some("102005")),
        ("older timestamp last", (base() + &older).into(), Some("40005")),
        (
            "the last value is lower",
            (base() + &answer("m2", 0, 30_000, 0, 1)).into(),
            Some("30000"),
        ),
        ("one answer on three lines", split.into(), Some("102005")),
        ("bytes that are no text", latin, Some("102005")),
        ("such a byte in the answer", bad_answer, Some("102005")),
        ("half a character in the answer", surrogate.into(), Some("102005")),
        ("U+2028 in the answer", base().replace("words", "a\u{2028}b").into(), Some("102005")),
        ("null cache counts", base().replace("2000", "null").into(), Some("100005")),
        (
            "3 MB of input since",
            (base() + &user(&"x".repeat(1 << 20)).repeat(3)).into(),
            Some("102005"),
        ),
        ("only zeroes", (user("go") + &zeroed).into(), None),
        ("only a prompt", user("go").into(), None),
        ("only a torn line", b"{\"type\":\"user\",\"message\":{\"ro".to_vec(), None),
        ("no transcript", b"just a text\n".to_vec(), None),
        ("another JSON", b"{\"name\":\"x\",\"version\":1}\n".to_vec(), None),
        ("NULs", vec![0; 70_000], None),
        ("empty", Vec::new(), None),
        ("deeply nested", [vec![b'['; 100_000], vec![b'\n']].concat(), None),
    ];
    let place = Place::new();
    for (name, bytes, expected) in table {
        let file = place.file("session.jsonl", &bytes);
        let run = place.meter().arg(&file).assert();
        match expected {
            Some(number) => run.success().stdout(format!("{number}\n")).stderr(""),
            None => run.code(65).stdout("").stderr(predicate::str::starts_with("ctx-meter: ")),
        };
        let run = place.meter().arg("-").write_stdin(bytes).assert();
        assert_eq!(
            run.get_output().status.code(),
            Some(if expected.is_some() { 0 } else { 65 }),
            "{name}"
        );
    }
}

#[test]
fn json_tells_all() {
    let place = Place::new();
    let file = place.file("s.jsonl", base() + &user("abcdef") + &answer("g1", 0, 0, 0, 7));
    let json = place.json(&file);
    for (key, value) in [
        ("v", "1"),
        ("agent", "\"claude-code\""),
        ("session_id", "\"93db0fa4-fc44-4328-b146-939868f3acf3\""),
        ("model", "\"claude-opus-4-6\""),
        ("context", "102005"),
        ("output", "37"),
        ("pending", "2"),
        ("projected", "102044"),
        ("window", "1000000"),
        ("window_source", "\"model\""),
        ("window_too_small", "false"),
        ("headroom", "50000"),
        ("warn_at", "930000"),
        ("at", "950000"),
        ("state", "\"ok\""),
        ("state_projected", "\"ok\""),
        ("compacted", "false"),
        ("stale", "true"),
        ("sub_agent", "false"),
    ] {
        assert_eq!(json[key].to_string(), value, "{key}");
    }
    assert!(json["measured_at"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn an_unknown_figure_is_null_and_65() {
    let place = Place::new();
    let file = place.file("s.jsonl", user("go"));
    let run = place.meter().arg("--json").arg(&file).assert().code(65).stderr("");
    let json: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    for key in ["context", "projected", "output", "pending", "model"] {
        assert!(json[key].is_null(), "{key}");
    }
    assert_eq!(json["state"], "unknown");
}

#[test]
fn a_recorded_overflow_is_full() {
    let place = Place::new();
    for file in [
        "claude-code/api-errors/too-long-multi-turn-DISABLE_AUTO_COMPACT.jsonl",
        "claude-code/api-errors/local-block-DISABLE_AUTO_COMPACT.jsonl",
        "codex/overflow_http400_after_200k.jsonl",
        "codex/v0118_overflow.jsonl",
    ] {
        assert_eq!(place.json(&fixture(file))["state"], "full", "{file}");
        place.meter().arg("--due").arg(fixture(file)).assert().success().stdout("").stderr("");
    }
    for file in [
        "claude-code/api-errors/e_529.jsonl",
        "claude-code/api-errors/too-long-multi-turn-none.jsonl",
        "claude-code/synthetic-traps/quoted-transcript-in-user-text.jsonl",
    ] {
        let run = place.meter().arg("--json").arg(fixture(file)).assert();
        let json: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        assert_ne!(json["state"], "full", "{file}");
    }
}
