//! How large the window is.

use predicates::prelude::*;

use crate::place::{Place, answer, base, fixture};

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
    // Lines that are no JSON do not hide those that are.
    let event = r#"{"modelUsage":{"claude-opus-4-7":{"contextWindow":300000}}}"#;
    learn(&[], &format!("starting\n{event}\ndone\n"));
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

    for nothing in ["{}", "nonsense", ""] {
        place
            .meter()
            .arg("learn")
            .write_stdin(nothing)
            .assert()
            .code(65)
            .stdout("")
            .stderr("ctx-meter: no window is told on stdin\n");
    }
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
    place
        .meter()
        .env("HANDOFF_WINDOW", "lots")
        .arg("--statusline")
        .write_stdin("{}")
        .assert()
        .success()
        .stdout("context ?/1M\n")
        .stderr("ctx-meter: HANDOFF_WINDOW: 'lots' is not a number of tokens\n");
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
