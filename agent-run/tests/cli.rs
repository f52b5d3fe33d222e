//! agent-run at the command line, with programs that play the agent.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::*;
use serde_json::Value;

const SESSION: &str = "93db0fa4-fc44-4328-b146-939868f3acf3";

struct Place {
    home: tempfile::TempDir,
}

impl Place {
    /// A place in which `claude` is this shell script.
    fn new(claude: &str) -> Place {
        let place = Place { home: tempfile::tempdir().unwrap() };
        place.program("claude", claude);
        // How an agent ends well.
        place.program("ok", r#"echo '{"type":"result","subtype":"success","result":"ok"}'"#);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs_err::create_dir_all(self.path("bin")).unwrap();
        fs_err::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn agent_run(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(cargo_bin!("agent-run"));
        command.env_clear().env("HOME", self.home.path()).env("LC_ALL", "C").env("TZ", "UTC");
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        command.current_dir(self.home.path()).args(arguments);
        command.args(["--outcome", "outcome.json"]).write_stdin("do it");
        command
    }

    /// Ends what the agent left running, whose number it wrote down.
    fn kill_child(&self) {
        let child = fs_err::read_to_string(self.path("child")).unwrap();
        assert!(std::process::Command::new("kill").arg(child.trim()).status().unwrap().success());
    }

    fn outcome(&self) -> Value {
        serde_json::from_slice(&fs_err::read(self.path("outcome.json")).unwrap()).unwrap()
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures")
}

#[test]
fn every_saved_run_comes_to_its_verdict() {
    let table = fs_err::read_to_string(fixtures().join("expected-verdicts.tsv")).unwrap();
    let rows: Vec<_> = table.lines().filter_map(|line| line.split_once('\t')).collect();
    let rows: Vec<_> = rows.into_iter().filter(|(file, _)| !file.starts_with('#')).collect();
    assert_eq!(rows.len(), 25);
    for (file, expected) in rows {
        let exit = file.split(".rc").nth(1).unwrap().split('.').next().unwrap();
        let place = Place::new(&format!(
            "cat >prompt; cat '{}'; exit {exit}",
            fixtures().join(file).display()
        ));
        let code = match expected {
            "done" | "stopped" => 0,
            "rate" | "network" => 75,
            "credentials" | "model" => 77,
            _ => 1,
        };
        place.agent_run(&["start", "-q"]).assert().code(code);
        let outcome = place.outcome();
        assert_eq!(outcome["verdict"], expected, "{file}");
        assert_eq!(outcome["v"], 1);
        assert_eq!(fs_err::read_to_string(place.path("prompt")).unwrap(), "do it");
    }
}

#[test]
fn the_command_line_is_the_agents() {
    let place =
        Place::new("cat >/dev/null; printf '%s\\n' \"$@\" >arguments; env >environment; ok");
    place
        .agent_run(&[
            "start",
            "-q",
            "--session",
            SESSION,
            "--agent-arg",
            "--allowedTools",
            "--agent-arg=Bash Read",
        ])
        .env("CTX_GUARD_TURN", "handoff")
        .env("CTX_GUARD_STOP_AT", "1")
        .assert()
        .success()
        .stdout("ok\n")
        .stderr("");
    let read = |name| fs_err::read_to_string(place.path(name)).unwrap();
    assert_eq!(
        read("arguments"),
        format!(
            "-p\n--output-format\nstream-json\n--verbose\n--session-id\n{SESSION}\n--allowedTools\nBash Read\n"
        )
    );
    let environment = read("environment");
    assert!(environment.contains("DISABLE_AUTO_COMPACT=1\n"));
    // The orders of a run around this one do not hold for it.
    assert!(!environment.contains("CTX_GUARD_"));
    assert_eq!(place.outcome()["verdict"], "done");
    assert_eq!(place.outcome()["session_id"], SESSION);

    place.program("ctx-guard", "exit 0");
    place.agent_run(&["start", "-q", "--compact", "auto"]).assert().success().stderr("");
    assert!(!read("environment").contains("DISABLE_AUTO_COMPACT"));
    let both = ["start", "-q", "--compact", "auto", "--stop-at", "due"];
    place.agent_run(&both).assert().success()
        .stderr("agent-run: the agent may compact by itself: a fall of its context can then no longer be explained\n");
    assert!(!read("environment").contains("DISABLE_AUTO_COMPACT"));
}

#[test]
fn a_guarded_run_gives_the_guard_its_orders() {
    let place =
        Place::new("cat >/dev/null; printf '%s\\n' \"$@\" >arguments; env >environment; ok");
    place.program("ctx-guard", "exit 0");
    let read = |name| fs_err::read_to_string(place.path(name)).unwrap();
    place
        .agent_run(&[
            "start",
            "-q",
            "--session",
            SESSION,
            "--stop-at",
            "due",
            "--window",
            "200k",
            "--headroom",
            "auto",
        ])
        .assert()
        .success();
    for line in [
        format!("CTX_GUARD_SESSION={SESSION}"),
        "CTX_GUARD_STOP_AT=due".into(),
        "CTX_GUARD_HEADROOM=auto".into(),
        "CTX_GUARD_JUDGE=projected".into(),
        "CTX_GUARD_WINDOW=200000".into(),
    ] {
        assert!(read("environment").lines().any(|found| found == line), "{line}");
    }
    assert!(read("arguments").contains("PostToolBatch"));
    assert!(!read("arguments").contains("PreToolUse"));

    place
        .agent_run(&[
            "resume",
            SESSION,
            "--turn",
            "handoff",
            "--stop-at",
            "5",
            "--agent-arg=--max-budget-usd",
            "--agent-arg=1",
        ])
        .assert()
        .success()
        .stderr("");
    let environment = read("environment");
    assert!(environment.contains("CTX_GUARD_TURN=handoff\n"));
    assert!(!environment.contains("CTX_GUARD_STOP_AT"));
    assert!(environment.contains("CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE="));
    assert!(read("arguments").contains("PreToolUse"));
    assert!(!read("arguments").contains("--max-budget-usd"));
}

#[test]
fn a_resume_goes_on_with_model_and_folder() {
    let init = format!(
        "{{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"{SESSION}\",\"model\":\"claude-opus-4-8[1m]\"}}"
    );
    let place = Place::new(&format!(
        "cat >/dev/null; pwd >>folders; printf '%s\\n' \"$@\" >\"$HOME/arguments\"; echo '{init}'; echo '{{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"ok\"}}'"
    ));
    place
        .agent_run(&["start", "-q", "--session", SESSION])
        .assert()
        .success()
        .stdout("ok\n")
        .stderr("");
    let elsewhere = place.path("elsewhere");
    fs_err::create_dir(&elsewhere).unwrap();
    place.agent_run(&["resume", SESSION, "-q"]).current_dir(&elsewhere).assert().success();
    let arguments = fs_err::read_to_string(place.path("arguments")).unwrap();
    assert!(arguments.contains("--model\nclaude-opus-4-8[1m]\n"), "{arguments}");
    assert_eq!(fs_err::read_to_string(place.path("folders")).unwrap().lines().count(), 2);
}

#[test]
fn no_verdict_rests_on_an_exit_code_alone() {
    for (script, verdict, code) in [
        (
            "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"fine\"}'; exit 1",
            "done",
            0,
        ),
        (
            "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"no\"}'; exit 0",
            "failed",
            1,
        ),
        ("exit 0", "empty", 1),
        ("exit 1", "failed", 1),
        ("echo '{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"\"}'", "empty", 1),
        ("echo 'prompt is too long: 205000 tokens > 200000 maximum' >&2; exit 1", "overflow", 1),
        // A stream that was cut, a stray line, a number that is none: no result.
        ("echo '{\"type\":\"resu'; exit 0", "failed", 1),
        ("echo 'Update available!'; exit 0", "failed", 1),
        (
            "echo '{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"x\",\"total_cost_usd\":1e999}'",
            "failed",
            1,
        ),
        ("echo 'Update available!'; ok", "done", 0),
        ("kill -9 $$", "failed", 1),
    ] {
        let place = Place::new(&format!("cat >/dev/null; {script}"));
        place.agent_run(&["start", "-q"]).assert().code(code);
        assert_eq!(place.outcome()["verdict"], verdict, "{script}");
    }
}

#[test]
fn a_silent_agent_is_ended() {
    let place = Place::new("exec sleep 600");
    let started = std::time::Instant::now();
    place
        .agent_run(&["start", "-q", "--timeout", "0.3"])
        .assert()
        .code(124)
        .stdout("")
        .stderr("agent-run: hung: nothing came from the agent for 0.3 s\n");
    assert!(started.elapsed().as_secs() < 30);
    assert_eq!(place.outcome()["verdict"], "hung");
    // One that ended while a child of its keeps the streams open has ended.
    let place = Place::new("sleep 600 & echo $! >child; ok; exit 0");
    place.agent_run(&["start", "-q"]).assert().success().stdout("ok\n");
    assert!(started.elapsed().as_secs() < 30);
    place.kill_child();
}

/// A server that the agent left running talks for as long as it likes.
#[test]
fn a_child_that_goes_on_talking_does_not_hold_the_run() {
    let noisy = "(while :; do echo noise >&2; sleep 0.05; done) & echo $! >child; ok";
    let place = Place::new(noisy);
    let started = std::time::Instant::now();
    let mut run = place.agent_run(&["start", "-q"]);
    run.timeout(std::time::Duration::from_secs(20)).assert().success().stdout("ok\n");
    assert!(started.elapsed().as_secs() < 10);
    place.kill_child();
}

#[test]
fn a_folder_that_is_gone_is_named() {
    let init = format!(
        "{{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"{SESSION}\",\"model\":\"m\"}}"
    );
    let place = Place::new(&format!("cat >/dev/null; echo '{init}'; ok"));
    let folder = place.path("project");
    fs_err::create_dir(&folder).unwrap();
    place.agent_run(&["start", "-q", "--session", SESSION]).current_dir(&folder).assert().success();
    fs_err::remove_dir_all(&folder).unwrap();
    place.agent_run(&["resume", SESSION]).assert().code(66).stdout("").stderr(format!(
        "agent-run: cannot read '{}': no such file or directory\nthe session was started there\n",
        fs_err::canonicalize(place.path("")).unwrap().join("project").display()
    ));
}

#[test]
fn signals_reach_the_agent() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let place = Place::new(
            "trap 'echo got >\"$HOME/got\"; exit 1' INT TERM HUP; echo $$ >\"$HOME/running\"; while :; do sleep 0.05; done",
        );
        let mut run = std::process::Command::new(cargo_bin!("agent-run"));
        run.env_clear()
            .env("HOME", place.home.path())
            .current_dir(place.home.path())
            .env("PATH", format!("{}:/usr/bin:/bin", place.path("bin").display()))
            .args(["start", "-q", "--outcome", "outcome.json"])
            .stdin(fs_err::File::open(place.path("bin/claude")).unwrap().into_file());
        let mut child = run.spawn().unwrap();
        while !fs_err::exists(place.path("running")).unwrap() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let sent = std::process::Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        assert!(fs_err::exists(place.path("got")).unwrap());
        assert_eq!(place.outcome()["verdict"], "interrupted");
    }
}

#[test]
fn a_session_that_runs_is_not_joined() {
    let place = Place::new("echo >running; while [ ! -e over ]; do sleep 0.02; done; ok");
    let mut run = std::process::Command::new(cargo_bin!("agent-run"));
    run.env_clear()
        .env("HOME", place.home.path())
        .env("PATH", format!("{}:/usr/bin:/bin", place.path("bin").display()))
        .current_dir(place.home.path())
        .args(["start", "-q", "--session", SESSION, "--text", "first"])
        .stdin(fs_err::File::open(place.path("bin/claude")).unwrap().into_file());
    let mut child = run.spawn().unwrap();
    while !fs_err::exists(place.path("running")).unwrap() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let still = format!("agent-run: session '{SESSION}' still runs\ntry again when it has ended\n");
    place.agent_run(&["resume", SESSION, "-q"]).assert().code(75).stdout("").stderr(still);
    assert!(!fs_err::exists(place.path("outcome.json")).unwrap());
    fs_err::write(place.path("over"), "").unwrap();
    assert!(child.wait().unwrap().success());
    place.agent_run(&["resume", SESSION, "-q"]).assert().success().stdout("ok\n");
}

#[test]
fn words_and_tools_are_shown_and_the_near_line_once() {
    let answer = |context: u64, block: &str| {
        format!(
            "{{\"type\":\"assistant\",\"parent_tool_use_id\":null,\"message\":{{\"model\":\"claude-haiku-4-5\",\"usage\":{{\"input_tokens\":{context}}},\"content\":[{block}]}}}}"
        )
    };
    let lines = [
        answer(1_000, r#"{"type":"text","text":"Let me \u001b[31mlook."}"#),
        answer(131_000, r#"{"type":"tool_use","name":"Bash","input":{"command":"ls -la\nsecond"}}"#),
        answer(132_000, r#"{"type":"text","text":"Found."}"#),
        r#"{"type":"assistant","parent_tool_use_id":"t","message":{"usage":{"input_tokens":900000},"content":[{"type":"text","text":"a sub-agent"}]}}"#.to_owned(),
        r#"{"type":"result","subtype":"success","result":"All done.","total_cost_usd":0.5,"num_turns":3}"#.to_owned(),
    ];
    let place = Place::new(&format!("cat >/dev/null; cat <<'EOF'\n{}\nEOF", lines.join("\n")));
    place.agent_run(&["start", "--window", "200000"]).assert().success().stdout("All done.\n").stderr(
        "Let me [31mlook.\n# context 131.0K/200K · about 19K to the handoff\n  Bash  ls -la\nFound.\n",
    );
    let outcome = place.outcome();
    for (key, value) in [
        ("near", "true"),
        ("first_context", "1000"),
        ("context", "132000"),
        ("cost_usd", "0.5"),
        ("num_turns", "3"),
        ("window", "200000"),
        ("at", "150000"),
    ] {
        assert_eq!(outcome[key].to_string(), value, "{key}");
    }
    place.agent_run(&["start", "-q"]).assert().success().stdout("All done.\n").stderr("");
    // To be stopped, and not: only where another answer followed.
    place.program("ctx-guard", "exit 0");
    for (line, warned) in [("131000", true), ("131001", false), ("due", false)] {
        let ran =
            place.agent_run(&["start", "-q", "--window", "200000", "--stop-at", line]).assert();
        let stderr = String::from_utf8_lossy(&ran.success().get_output().stderr).into_owned();
        let expected = "agent-run: the agent went on beyond its line";
        assert_eq!((stderr.starts_with(expected), stderr.lines().count()), (warned, warned.into()));
    }
}

#[test]
fn one_step_across_both_lines_is_told_as_near() {
    // The answer saw 120,000; a stop means that the next request was judged.
    let lines = [
        r#"{"type":"assistant","message":{"usage":{"input_tokens":120000},"content":[]}}"#,
        r#"{"type":"result","subtype":"success","result":"","terminal_reason":"hook_stopped"}"#,
    ];
    let place = Place::new(&format!("cat >/dev/null; cat <<'EOF'\n{}\nEOF", lines.join("\n")));
    place
        .agent_run(&["start", "--window", "200000"])
        .assert()
        .success()
        .stdout("")
        .stderr("# context 120.0K/200K · about 30K to the handoff\n");
    assert_eq!(place.outcome()["near"], true);
}

#[test]
fn mistakes_are_told_in_one_line() {
    let place = Place::new("exit 0");
    for (arguments, stdin, code, message) in [
        (
            &["start", "--agent", "nobody"][..],
            "x",
            2,
            "unknown agent 'nobody'\n'agent-run agents' lists them; the path of one of your own has a slash in it",
        ),
        (
            &["start", "--stop-at", "soon"],
            "x",
            2,
            "invalid value 'soon' for '--stop-at <N|due>': 'soon' is not a number of tokens",
        ),
        (
            &["start", "--headroom", "much"],
            "x",
            2,
            "invalid value for '--headroom': 'much' is not a number of tokens",
        ),
        (&["start"], " \n", 2, "the prompt on stdin is empty"),
        (
            &["start", "--agent-arg=--settings", "--agent-arg=/nonexistent", "--stop-at", "1"],
            "x",
            2,
            "cannot use the agent's settings: no such file or directory",
        ),
    ] {
        place.program("ctx-guard", "exit 0");
        place
            .agent_run(arguments)
            .write_stdin(stdin)
            .assert()
            .code(code)
            .stdout("")
            .stderr(format!("agent-run: {message}\n"));
    }
    place
        .agent_run(&["start"])
        .env("HANDOFF_WINDOW", "lots")
        .assert()
        .code(2)
        .stdout("")
        .stderr("agent-run: HANDOFF_WINDOW: 'lots' is not a number of tokens\n");
    fs_err::remove_file(place.path("bin/claude")).unwrap();
    place
        .agent_run(&["start"])
        .assert()
        .code(127)
        .stdout("")
        .stderr(predicate::str::starts_with("agent-run: cannot find 'claude'\nPATH is "));
    place.program("claude", "echo >ran; ok");
    place
        .agent_run(&["start", "-q", "--shell", "/nonexistent/x"])
        .assert()
        .code(73)
        .stdout("")
        .stderr("agent-run: cannot write '/nonexistent/x': no such file or directory\n");
}

#[test]
fn whether_a_run_could_start_is_known_beforehand() {
    let place = Place::new("touch ran");
    let check = |arguments: &[&str]| {
        let mut command = place.agent_run(arguments);
        command.arg("check").write_stdin("").assert().stdout("")
    };
    check(&["--window", "200000", "--headroom", "25%"]).success().stderr("");
    check(&["--agent", "nobody"]).code(2).stderr(predicate::str::contains("unknown agent"));
    check(&["--headroom", "much"]).code(2).stderr(predicate::str::contains("--headroom"));
    check(&["--window", "much"]).code(2).stderr(predicate::str::contains("--window"));
    fs_err::remove_file(place.path("bin/claude")).unwrap();
    check(&[]).code(127).stderr(predicate::str::contains("cannot find 'claude'"));
    assert!(!fs_err::exists(place.path("ran")).unwrap());
    assert!(!fs_err::exists(place.path("outcome.json")).unwrap());
    // Nothing was run, and paid for, in vain.
    assert!(!fs_err::exists(place.path("ran")).unwrap());
    for option in ["--continue", "-r", "--resume=x", "--session-id", "--fork-session"] {
        place
            .agent_run(&["start", "-q", &format!("--agent-arg={option}")])
            .assert()
            .code(2)
            .stdout("")
            .stderr(format!(
                "agent-run: '{option}' would choose the session\nagent-run chooses it\n"
            ));
    }
}

#[test]
fn what_went_wrong_is_always_said() {
    for (script, code, said) in [
        ("exit 42", 1, "failed: the agent exited with status 42"),
        ("exit 0", 1, "empty: the agent ended without an answer"),
        ("kill -9 $$", 1, "failed: the agent was ended by signal 9"),
        (
            "echo '{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"is_error\":true}'; exit 1",
            1,
            "failed: error max turns",
        ),
        ("echo 'half a line'", 1, "failed: the agent ended without a result, after 'half a line'"),
    ] {
        let place = Place::new(&format!("cat >/dev/null; {script}"));
        let run = place.agent_run(&["start", "-q"]).assert().code(code).stdout("");
        run.stderr(format!("agent-run: {said}\n"));
    }
    let place = Place::new("cat >/dev/null; ok");
    place
        .agent_run(&["start", "-q"])
        .env_remove("HOME")
        .assert()
        .success()
        .stdout("ok\n")
        .stderr("agent-run: there is no state folder (HOME is not set): nothing is remembered\n");
}

/// The error stands at the end of what an agent prints that talks much.
#[test]
fn what_went_wrong_is_short() {
    let place = Place::new("cat >/dev/null; seq 100000; echo 'out of paper'; exit 1");
    let run = place.agent_run(&["start", "-q"]).assert().code(1).stdout("");
    let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(told.len() < 20_000 && told.ends_with("out of paper\n"), "{told}");
}

#[test]
fn an_answer_is_printed_even_if_the_outcome_cannot_be_kept() {
    let place = Place::new("cat >/dev/null; rm -rf told; ok");
    fs_err::create_dir(place.path("told")).unwrap();
    place.agent_run(&["start", "-q", "--shell", "told/outcome"]).assert().code(73).stdout("ok\n");
}

/// Without `--window` the guard must judge by what the CLI once reported of the
/// model by its full name, which the transcript does not carry.
#[test]
fn the_window_of_the_full_name_reaches_the_session() {
    let init = format!(
        "{{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"{SESSION}\",\"model\":\"claude-opus-4-8[1m]\"}}"
    );
    let usage = r#"{"claude-opus-4-8[1m]":{"contextWindow":200000}}"#;
    let result = format!(
        "{{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"x\",\"modelUsage\":{usage}}}"
    );
    let place = Place::new(&format!("cat >/dev/null; echo '{init}'; echo '{result}'"));
    place.agent_run(&["start", "-q"]).assert().success();
    // Another session of the model, of which only the beginning is known.
    let other = "00000000-0000-4000-8000-000000000001";
    let init = init.replace(SESSION, other);
    place.program("claude", &format!("cat >/dev/null; echo '{init}'; exit 1"));
    place.agent_run(&["start", "-q", "--session", other]).assert().code(1);
    assert_eq!(place.outcome()["window"], 200_000);
    let entries = fs_err::read_dir(place.path(".local/state/ctxutils/windows")).unwrap();
    let names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().any(|name| name.starts_with(&format!("session-{other}"))), "{names:?}");
}

#[test]
fn the_clis_that_can_be_run_are_listed() {
    let output = Command::new(cargo_bin!("agent-run")).arg("agents").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("claude\thook\thook\n") && text.contains("codex\tinterrupt\tcommand-line\n")
    );
    assert!(output.status.success() && output.stderr.is_empty());
}
