//! agent-run with programs that play Copilot CLI: one launches the other and passes no
//! signal on, and that one writes its session later than it tells of it.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// It dies of an interrupt at once, while what it launched takes its time; a shell, where
/// there is nothing better, waits for that.
const LAUNCHER: &str = r#"#!/bin/sh
launch='import signal, subprocess
signal.signal(signal.SIGINT, signal.SIG_DFL)
subprocess.Popen(["copilot-itself"], stdin=subprocess.DEVNULL).wait()'
command -v python3 >/dev/null && exec python3 -c "$launch"
copilot-itself
"#;

const ITSELF: &str = r#"#!/bin/sh
trap 'sleep 1; echo cut >cut; exit 130' INT
session="$HOME/.copilot/session-state/made"
mkdir -p "$session"
write() {
    sleep 0.05
    printf '%s\n%s\n' '{"type":"session.start","data":{"sessionId":"made"},"timestamp":"t"}' \
        '{"type":"session.usage_record","data":{"usage":{"inputTokens":90000,"maxPromptTokens":200000}},"timestamp":"t"}'
}
write >"$session/events.jsonl" &
echo '{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"ls"}}}'
echo '{"type":"tool.execution_complete","data":{"success":true}}'
for _ in 1 2 3 4 5 6 7 8 9; do sleep 0.2; sleep 0.2; sleep 0.2; done
echo '{"type":"assistant.message","data":{"content":"late"}}'
echo '{"type":"result","exitCode":0}'
"#;

/// Says all it has to say at once, and is gone.
const AT_ONCE: &str = r#"#!/bin/sh
mkdir -p "$HOME/.copilot/session-state/made"
echo '{"type":"session.start","data":{"sessionId":"made"},"timestamp":"t"}' >"$HOME/.copilot/session-state/made/events.jsonl"
for tool in 1 2 3 4 5; do
    echo '{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"ls"}}}'
    echo '{"type":"tool.execution_complete","data":{"success":true}}'
done
echo '{"type":"assistant.message","data":{"content":"Done."}}'
echo '{"type":"result","exitCode":0}'
"#;

/// Runs a program as `copilot`: what it printed, and the outcome.
fn run(place: &Path, itself: &str) -> (String, Value) {
    fs_err::create_dir(place.join("bin")).unwrap();
    program(&place.join("bin/copilot"), LAUNCHER);
    program(&place.join("bin/copilot-itself"), itself);
    let mut command = Command::new(cargo_bin!("agent-run"));
    command.env_clear().env("HOME", place).env("LC_ALL", "C").current_dir(place);
    command.env("PATH", format!("{}:/usr/bin:/bin", place.join("bin").display()));
    command.args(["--agent", "copilot", "--outcome", "outcome", "--stop-at", "80000"]);
    command.args(["start", "--session", "made"]).write_stdin("do it");
    let output = command.assert().success().get_output().stdout.clone();
    let outcome = serde_json::from_slice(&fs_err::read(place.join("outcome")).unwrap()).unwrap();
    (String::from_utf8(output).unwrap(), outcome)
}

#[test]
fn a_run_behind_a_launcher_is_interrupted_by_what_its_session_says_late() {
    let place = tempfile::tempdir().unwrap();
    let (answer, outcome) = run(place.path(), ITSELF);
    assert_eq!(answer, "");
    assert_eq!((&outcome["verdict"], &outcome["context"]), (&"stopped".into(), &90_000.into()));
    assert!(fs_err::exists(place.path().join("cut")).unwrap());
}

/// Its session is waited for while the lines behind are not heard yet.
#[test]
fn what_was_said_before_the_end_is_heard_however_long_that_takes() {
    let place = tempfile::tempdir().unwrap();
    let (answer, outcome) = run(place.path(), AT_ONCE);
    assert_eq!((answer.as_str(), &outcome["verdict"]), ("Done.\n", &"done".into()));
}

fn program(path: &Path, script: &str) {
    fs_err::write(path, script).unwrap();
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
