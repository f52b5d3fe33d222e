//! ctx-meter at the command line.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by a panic")]

mod place;

use predicates::prelude::*;

use place::{Place, answer, fixture, fixtures, user};

/// The base of the small cases: one prompt, one answer that saw 102,005 tokens.
fn base() -> String {
    user("go") + &answer("m1", 5, 100_000, 2_000, 30)
}

#[test]
fn every_saved_session_gives_its_number() {
    let place = Place::new();
    let table = fs_err::read_to_string(fixtures().join("expected-context.tsv")).unwrap();
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .collect();
    assert!(rows.len() >= 75);
    for (file, expected) in rows {
        let run = place.meter().arg(fixture(file)).assert();
        if expected == "-" {
            run.code(65).stdout("").stderr(predicate::str::contains("no usage recorded"));
        } else {
            run.success().stdout(format!("{expected}\n")).stderr("");
        }
    }
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

#[test]
fn projected_follows_real_sessions() {
    let place = Place::new();
    let table = fs_err::read_to_string(fixtures().join("projection.tsv")).unwrap();
    let mut errors = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let n: Vec<u64> = line.split('\t').skip(1).map(|n| n.parse().unwrap()).collect();
        let [context, output, characters, _, next] = n[..] else { panic!("{line}") };
        let text = "x".repeat(usize::try_from(characters).unwrap());
        let file = place.file("s.jsonl", answer("m1", context, 0, 0, output) + &user(&text));
        let projected = place.json(&file)["projected"].as_u64().unwrap();
        errors.push(u32::try_from(projected.abs_diff(next) * 10_000 / next).unwrap());
    }
    errors.sort_unstable();
    assert_eq!(errors.len(), 100);
    let (ninetieth, most) = (errors[90], errors[99]);
    assert!(ninetieth <= 150, "{ninetieth}");
    assert!(most <= 600, "{most}");
}

#[test]
fn what_came_after_the_answer_is_pending() {
    let tool = |content: &str| {
        format!(
            "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":{content}}}]}},\"toolUseResult\":{{\"stdout\":\"{}\"}}}}\n",
            "copy".repeat(1000)
        )
    };
    let image = format!(
        "[{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"data\":\"{}\"}}}}]",
        "A".repeat(90_000)
    );
    let between = answer("m1", 5, 100_000, 2_000, 30)
        + &tool("\"aaaaaa\"")
        + &answer("m1", 5, 100_000, 2_000, 30)
        + &tool("\"bbb\"");
    let place = Place::new();
    for (name, text, pending) in [
        ("nothing", base(), 0),
        ("a tool's result, not its copy", base() + &tool("\"0123456789\""), 4),
        ("a list of texts", base() + &tool("[{\"type\":\"text\",\"text\":\"012345678\"}]"), 3),
        ("an image costs a flat sum", base() + &tool(&image), 1_600),
        ("Korean is not underrated", base() + &user(&"컨텍스트".repeat(30)), 120),
        ("a result between the records of the answer", between, 3),
        ("a result before the answer", user("x") + &tool("\"0123456789\"") + &base(), 0),
        (
            "a notification",
            base()
                + "{\"type\":\"attachment\",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"abc\"}}\n",
            1,
        ),
        (
            "what a hook said to the person",
            base()
                + "{\"type\":\"attachment\",\"attachment\":{\"type\":\"hook_success\",\"stdout\":\"abcdef\"}}\n",
            0,
        ),
        (
            "a sidechain",
            base() + &user("abcdef").replace("{\"type\"", "{\"isSidechain\":true,\"type\""),
            0,
        ),
    ] {
        let json = place.json(&place.file("s.jsonl", text));
        assert_eq!(json["pending"], pending, "{name}");
        assert_eq!(json["projected"], 102_005 + 30 + pending, "{name}");
    }
}

#[test]
fn a_huge_line_is_an_image_or_a_text() {
    let place = Place::new();
    let big = "A".repeat(6 << 20);
    let image = format!(
        "{{\"isSidechain\":false,\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"content\":[{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"data\":\"{big}\"}}}}]}}]}}}}\n"
    );
    assert_eq!(place.json(&place.file("s.jsonl", base() + &image))["pending"], 1_600);
    let copied = format!(
        "{{\"isSidechain\":false,\"type\":\"user\",\"message\":{{\"content\":\"abc\"}},\"toolUseResult\":{{\"originalFile\":\"{big}\"}}}}\n"
    );
    let pending = place.json(&place.file("s.jsonl", base() + &copied))["pending"].as_u64().unwrap();
    assert!(pending < 100, "{pending}");
}

#[test]
fn windows_by_their_rules() {
    let place = Place::new();
    let opus = place.file("opus.jsonl", base());
    let haiku =
        place.file("haiku.jsonl", base().replace("claude-opus-4-6", "claude-haiku-4-5-20251001"));
    let codex = fixture("codex/plain_turn.jsonl");
    type Row<'r> = (&'r std::path::Path, &'r [(&'r str, &'r str)], &'r [&'r str], u64, &'r str);
    let table: &[Row] = &[
        (&opus, &[], &[], 1_000_000, "model"),
        (&haiku, &[], &[], 200_000, "model"),
        (&haiku, &[("ANTHROPIC_MODEL", "claude-opus-5[1m]")], &[], 200_000, "model"),
        (&haiku, &[("ANTHROPIC_MODEL", "claude-haiku-4-5[1m]")], &[], 1_000_000, "model"),
        (&haiku, &[("ANTHROPIC_DEFAULT_OPUS_MODEL", "opus[1m]")], &[], 200_000, "model"),
        (&opus, &[("ANTHROPIC_MODEL", ""), ("HANDOFF_WINDOW", "")], &[], 1_000_000, "model"),
        (&opus, &[("HANDOFF_WINDOW", "300k")], &[], 300_000, "environment"),
        (&opus, &[("HANDOFF_WINDOW", "300k")], &["--window", "400000"], 400_000, "flag"),
        (&codex, &[("ANTHROPIC_MODEL", "claude-haiku")], &[], 258_400, "session"),
        (&codex, &[], &["--window", "100k"], 100_000, "flag"),
    ];
    for (file, env, options, window, source) in table {
        let mut meter = place.meter();
        meter.envs(env.iter().copied()).args(*options).arg("--json").arg(file);
        let json: serde_json::Value =
            serde_json::from_slice(&meter.assert().success().get_output().stdout).unwrap();
        assert_eq!(
            (json["window"].as_u64(), json["window_source"].as_str()),
            (Some(*window), Some(*source)),
            "{env:?} {options:?}"
        );
    }
    place
        .meter()
        .env("HANDOFF_WINDOW", "lots")
        .arg(&opus)
        .assert()
        .code(2)
        .stdout("")
        .stderr("ctx-meter: HANDOFF_WINDOW: 'lots' is not a number of tokens\n");
}

#[test]
fn a_window_that_is_too_small_is_reported() {
    let place = Place::new();
    let file = place.file("s.jsonl", answer("m1", 302_000, 0, 0, 1));
    place
        .meter()
        .args(["--window", "200000"])
        .arg(&file)
        .assert()
        .success()
        .stdout("302000\n")
        .stderr(
            "ctx-meter: 302000 tokens are in a window of 200000: the window is set too small\n",
        );
}

#[test]
fn predicates_answer_by_their_exit_code() {
    let place = Place::new();
    let at = |tokens| place.file(&format!("{tokens}.jsonl"), answer("m1", tokens, 0, 0, 10_000));
    for (tokens, mode, options, code) in [
        (129_999, "--near", &[][..], 1),
        (130_000, "--near", &[], 0),
        (150_000, "--near", &[], 0),
        (149_999, "--due", &[], 1),
        (150_000, "--due", &[], 0),
        (145_000, "--due", &["--projected"], 0),
        (100_000, "--due", &["--headroom", "50%"], 0),
        (99_999, "--due", &["--headroom", "50%"], 1),
    ] {
        place
            .meter()
            .args(["--window", "200000", mode])
            .args(options)
            .arg(at(tokens))
            .assert()
            .code(code)
            .stdout("")
            .stderr("");
    }
    let unknown = place.file("unknown.jsonl", user("go"));
    place
        .meter()
        .arg("--due")
        .arg(&unknown)
        .assert()
        .code(65)
        .stdout("")
        .stderr(predicate::str::starts_with("ctx-meter: no usage recorded in"));
    place
        .meter()
        .arg("--due")
        .args([at(1), at(2)])
        .assert()
        .code(2)
        .stdout("")
        .stderr("ctx-meter: one session at a time can be asked about\n");
}

#[test]
fn several_sessions_go_on_past_an_unknown_one() {
    let place = Place::new();
    let (a, b) = (place.file("a.jsonl", base()), place.file("b.jsonl", user("go")));
    let (a, b) = (a.display().to_string(), b.display().to_string());
    place.meter().args([&a, &b, "/nonexistent", &a]).assert().code(65)
        .stdout(format!(" 102005 {a}\n 102005 {a}\n"))
        .stderr(format!("ctx-meter: no usage recorded in '{b}'\nctx-meter: no such file or session '/nonexistent'\n"));
}

#[test]
fn for_people() {
    let place = Place::new();
    let file = place.file("s.jsonl", answer("m1", 130_000, 0, 0, 1));
    for (lang, line) in [
        ("", "context 130.0K/200K · about 20K to the handoff\n"),
        ("fr", "context 130.0K/200K · about 20K to the handoff\n"),
        ("zh_CN.UTF-8", "上下文 130.0K/200K · 还有约 20K 到换代\n"),
        ("ko", "컨텍스트 130.0K/200K · 핸드오프까지 약 20K\n"),
        ("ja_JP", "コンテキスト 130.0K/200K · 引き継ぎまで約 20K\n"),
    ] {
        place
            .meter()
            .env("HANDOFF_LANG", lang)
            .args(["-H", "--window", "200k"])
            .arg(&file)
            .assert()
            .success()
            .stdout(line)
            .stderr("");
    }
    place
        .meter()
        .args(["--gauge", "--window", "200k"])
        .arg(&file)
        .assert()
        .success()
        .stderr("")
        .stdout(
            "0======================================|-----|--------------|\n\
             \x20                                   130K  150K           200K\n\
             \x20                                   near handoff       window\n",
        );
}

#[test]
fn turns_are_one_line_an_answer() {
    let place = Place::new();
    place
        .meter()
        .arg("--turns")
        .arg(fixture("claude-code/compact-auto.jsonl"))
        .assert()
        .success()
        .stderr("")
        .stdout(
            "1\t2026-11-30T18:07:46.476Z\t101005\t60\t-\n\
         2\t2026-11-30T18:07:46.547Z\t166005\t60\t-\n\
         3\t2026-11-30T18:07:46.589Z\t190005\t60\t-\n\
         4\t2026-11-30T18:07:46.737Z\t19009\t33\tcompacted\n\
         5\t2026-11-30T18:07:46.817Z\t19307\t20\t-\n",
        );
    let unknown = place.file("s.jsonl", user("go"));
    place
        .meter()
        .arg("--turns")
        .arg(&unknown)
        .assert()
        .code(65)
        .stdout("")
        .stderr(predicate::str::contains("no usage recorded"));
}

#[test]
fn bad_input_is_told_in_one_line() {
    let place = Place::new();
    let fifo = place.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let folder = place.path("folder");
    fs_err::create_dir(&folder).unwrap();
    for (operands, code, message) in [
        (
            vec!["/nonexistent/x.jsonl".into()],
            66,
            "no such file or session '/nonexistent/x.jsonl'".into(),
        ),
        (vec![fifo.clone()], 66, format!("cannot read '{}': not a regular file", fifo.display())),
        (vec![folder.clone()], 66, format!("cannot read '{}': is a directory", folder.display())),
        (vec!["/dev/null".into()], 66, "cannot read '/dev/null': not a regular file".into()),
        (
            vec!["--agent".into(), "nobody".into()],
            2,
            "unknown agent 'nobody'\nknown: codex, claude-code".into(),
        ),
        (
            vec!["--window".into(), "0".into()],
            2,
            "invalid value '0' for '--window <N>': a window of 0 tokens holds nothing".into(),
        ),
        (
            vec!["--headroom".into(), "120%".into()],
            2,
            "invalid value '120%' for '--headroom <N|N%|auto>': '120%' is not between 0% and 100%"
                .into(),
        ),
    ] {
        place
            .meter()
            .args(&operands)
            .assert()
            .code(code)
            .stdout("")
            .stderr(format!("ctx-meter: {message}\n"));
    }
    place
        .meter()
        .assert()
        .code(66)
        .stdout("")
        .stderr(predicate::str::contains("no session was started in"));
    place
        .meter()
        .arg("--nosuch")
        .assert()
        .code(2)
        .stdout("")
        .stderr(predicate::str::starts_with("ctx-meter: unexpected argument '--nosuch' found\n"));
}

#[test]
fn sessions_are_found_by_id_and_by_directory() {
    let place = Place::new();
    let project = place.path("a.b_c 한글/sub");
    fs_err::create_dir_all(&project).unwrap();
    let above = project.parent().unwrap().canonicalize().unwrap();
    let key = above
        .to_string_lossy()
        .encode_utf16()
        .map(|u| {
            if u < 128 && u8::try_from(u).unwrap().is_ascii_alphanumeric() {
                char::from(u8::try_from(u).unwrap())
            } else {
                '-'
            }
        })
        .collect::<String>();
    let id = "93db0fa4-fc44-4328-b146-939868f3acf3";
    let store = format!(".claude/projects/{key}");
    place.file(&format!("{store}/{id}.jsonl"), base());
    // Neither a sub-agent of older versions nor a folder of the session's is offered.
    place.file(&format!("{store}/agent-a78cf66b.jsonl"), answer("m1", 7, 0, 0, 1));
    place.file(&format!("{store}/{id}/subagents/agent-1.jsonl"), answer("m1", 7, 0, 0, 1));
    for run in [
        place.meter().arg(id),
        place.meter().arg("-C").arg(&above),
        place.meter().current_dir(&above),
        place.meter().current_dir(&project),
        place.meter().args(["--agent", "claude-code", id]),
    ] {
        run.assert().success().stdout("102005\n").stderr("");
    }
    place
        .meter()
        .args(["--agent", "codex", id])
        .assert()
        .code(66)
        .stdout("")
        .stderr(format!("ctx-meter: no such file or session '{id}'\n"));
    place
        .meter()
        .arg("")
        .assert()
        .code(66)
        .stdout("")
        .stderr("ctx-meter: no such file or session ''\n");
    place
        .meter()
        .arg("-v")
        .arg(id)
        .assert()
        .success()
        .stdout("102005\n")
        .stderr(predicate::str::is_match("^ctx-meter: measuring '.*/93db0fa4.*'\n$").unwrap());

    let rollout = fs_err::read_to_string(fixture("codex/plain_turn.jsonl")).unwrap();
    let rollout = rollout.replace("/home/dev/proj", &above.to_string_lossy());
    let thread = "01a22d8c-59e1-7280-a232-291f04971f23";
    let codex = place.file(
        &format!(".codex/sessions/2026/11/30/rollout-2026-11-30T17-41-42-{thread}.jsonl"),
        rollout,
    );
    place.meter().arg(thread).assert().success().stdout("12000\n").stderr("");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    fs_err::OpenOptions::new()
        .append(true)
        .open(&codex)
        .unwrap()
        .file()
        .set_modified(later)
        .unwrap();
    place.meter().current_dir(&above).assert().success().stdout("12000\n").stderr("");
}

#[test]
fn waiting() {
    let place = Place::new();
    let due = place.file("due.jsonl", answer("m1", 150_000, 0, 0, 1));
    let ok = place.file("ok.jsonl", answer("m1", 1_000, 0, 0, 1));
    let wait = |what: &str| {
        let mut meter = place.meter();
        meter.args(["--window", "200k", "--wait", what]);
        meter
    };
    wait("due").arg(&due).assert().success().stdout("").stderr("");
    wait("due").args(["--timeout", "0.1"]).arg(&ok).assert().code(124).stdout("").stderr("");
    wait("near")
        .args(["--timeout", "0.1"])
        .arg(place.path("not-there"))
        .assert()
        .code(124)
        .stdout("")
        .stderr("");
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    wait("due")
        .args(["--pid", &ended.id().to_string()])
        .arg(&ok)
        .assert()
        .code(1)
        .stdout("")
        .stderr("");
    ended.wait().unwrap();

    let later = place.path("later.jsonl");
    let writer = std::thread::spawn({
        let later = later.clone();
        move || {
            std::thread::sleep(std::time::Duration::from_millis(300));
            fs_err::write(&later, answer("m1", 160_000, 0, 0, 1)).unwrap();
        }
    });
    wait("due").args(["--timeout", "20"]).arg(&later).assert().success().stdout("").stderr("");
    writer.join().unwrap();
}

#[test]
fn windows_are_learned() {
    let place = Place::new();
    let learn = |options: &[&str], json: &str| {
        place
            .meter()
            .arg("learn")
            .args(options)
            .write_stdin(json)
            .assert()
            .success()
            .stdout("")
            .stderr("");
    };
    let window = |model: &str| {
        let file = place.file("w.jsonl", base());
        let mut meter = place.meter();
        meter.env("ANTHROPIC_MODEL", model).arg("--json").arg(&file);
        let json: serde_json::Value =
            serde_json::from_slice(&meter.assert().success().get_output().stdout).unwrap();
        (json["window"].as_u64().unwrap(), json["window_source"].as_str().unwrap().to_owned())
    };
    let learned = |window| (window, "learned".to_owned());
    // An overflow proves a limit of the model at its endpoint.
    learn(
        &["--model", "claude-opus-4-6[1m]"],
        r#"{"overflow":true,"class":"overflow","limit":200000}"#,
    );
    assert_eq!(window("claude-opus-4-6[1m]"), learned(200_000));
    // What the CLI reports is stronger, whichever comes last.
    learn(
        &[],
        r#"{"type":"result","modelUsage":{"claude-opus-4-6[1m]":{"contextWindow":400000}}}"#,
    );
    learn(
        &["--model", "claude-opus-4-6[1m]"],
        r#"{"overflow":true,"class":"overflow","limit":200000}"#,
    );
    assert_eq!(window("claude-opus-4-6[1m]"), learned(400_000));
    // Another name is another model.
    assert_eq!(window(""), (1_000_000, "model".to_owned()));
    // Absurd limits are not kept.
    learn(&["--model", "claude-opus-4-6"], r#"{"overflow":true,"class":"overflow","limit":4000}"#);
    assert_eq!(window(""), (1_000_000, "model".to_owned()));
    // The session's own figure is the strongest learned one.
    let result =
        fs_err::read_to_string(fixture("claude-code/results/local-blocking-limit.rc1.json"))
            .unwrap();
    learn(&["--session", "93db0fa4-fc44-4328-b146-939868f3acf3"], &result);
    assert_eq!(window(""), learned(200_000));

    place
        .meter()
        .arg("learn")
        .write_stdin("{}")
        .assert()
        .code(65)
        .stdout("")
        .stderr("ctx-meter: no window is told on stdin\n");
    place
        .meter()
        .arg("learn")
        .write_stdin("nonsense")
        .assert()
        .code(65)
        .stdout("")
        .stderr(predicate::str::starts_with("ctx-meter: stdin is not JSON"));
    place
        .meter()
        .env_remove("HOME")
        .arg("learn")
        .write_stdin(result)
        .assert()
        .code(73)
        .stdout("")
        .stderr(predicate::str::starts_with("ctx-meter: there is no state folder"));
}

#[test]
fn status_lines_always_say_something() {
    let place = Place::new();
    for (file, line) in [
        ("1.json", "context ?/1M\n"),
        ("10.json", "context ?/1M\n"),
        ("with-agent.json", "context 210.3K/1M · about 740K to the handoff\n"),
    ] {
        let json = fs_err::read(fixture("claude-code/statusline").join(file)).unwrap();
        place
            .meter()
            .arg("--statusline")
            .write_stdin(json)
            .assert()
            .success()
            .stdout(line)
            .stderr("");
    }
    for json in ["", "{}", "garbage", "null"] {
        place
            .meter()
            .arg("--statusline")
            .write_stdin(json)
            .assert()
            .success()
            .stdout("context ?/1M\n")
            .stderr("");
    }
    // The window it was told is kept.
    let file = place.file(
        "s.jsonl",
        base().replace(
            "93db0fa4-fc44-4328-b146-939868f3acf3",
            "5d06e2c2-0000-4000-8000-000000000001",
        ),
    );
    place.meter().arg("--statusline")
        .write_stdin(r#"{"session_id":"5d06e2c2-0000-4000-8000-000000000001","context_window":{"context_window_size":200000}}"#)
        .assert().success().stdout("context ?/200K\n").stderr("");
    assert_eq!(place.json(&file)["window_source"], "learned");
}

#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_none() {
    let place = Place::new();
    let file = place.file("s.jsonl", base());
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place.command().arg(&file).stdout(full.into_file()).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "ctx-meter: cannot write to stdout: no space left on device\n"
    );
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = place.command().arg(&file).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}
