//! What is refused, in the real CLI's words, and how the prompt is found.

use std::io::Write;
use std::process::Stdio;

use predicates::prelude::*;
use serde_json::json;

use crate::room::{ID, Room};

const OTHER: &str = "11111111-2222-4333-8444-555555555556";

#[test]
fn refusals_read_and_exit_as_the_real_ones() {
    let room = Room::with(&json!({}));
    room.start(&[]);
    let unknown = format!("No conversation found with session ID: {OTHER}\n");
    let in_use = format!("Error: Session ID {ID} is already in use.\n");
    let no_input = "Error: Input must be provided either through stdin or as a prompt argument when using --print\n";
    let table: &[(&[&str], &str)] = &[
        (&["-p"], no_input),
        (&["-p", ""], no_input),
        (
            &["-p", "x", "--output-format", "stream-json"],
            "Error: When using --print, --output-format=stream-json requires --verbose\n",
        ),
        (
            &["-p", "x", "--output-format", "xml"],
            "error: option '--output-format <format>' argument 'xml' is invalid. Allowed choices are text, json, stream-json.\n",
        ),
        (&["-p", "x", "--bogus"], "error: unknown option '--bogus'\n"),
        (&["-p", "x", "--session-id", ID], &in_use),
        (
            &["-p", "x", "--session-id", "nope"],
            "Error: Invalid session ID. Must be a valid UUID.\n",
        ),
        (&["-p", "x", "--resume", OTHER], &unknown),
        (
            &["-p", "x", "--resume", "nope"],
            "Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>. Provided value \"nope\" is not a UUID and does not match any session title.\n",
        ),
        (
            &["-p", "x", "--resume", ID, "--session-id", OTHER],
            "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.\n",
        ),
        (&["-p", "x", "--settings", "no.json"], "Error: Settings file not found: no.json\n"),
        (&["-p", "x", "--settings", "{\"bad"], "Error: Settings file not found: {\"bad\n"),
        (
            &["-p", "x", "--agent", "nobody"],
            "--agent 'nobody' not found. Available agents: claude, Explore, general-purpose, Plan, statusline-setup\n",
        ),
        (&["x"], "Error: demo-agent has no interactive mode: use -p (--print)\n"),
    ];
    for (arguments, stderr) in table {
        let output = room.output(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), *stderr, "{arguments:?}");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
    }
    // Nothing of all this reached the session.
    let prompts = room.transcript().iter().filter(|line| line["operation"] == "enqueue").count();
    assert_eq!(prompts, 1);
}

#[test]
fn a_session_is_looked_up_in_its_own_directory() {
    let room = Room::with(&json!({}));
    room.start(&[]);
    let elsewhere = room.folder().join("elsewhere");
    fs_err::create_dir(&elsewhere).unwrap();
    let mut command = room.command(&["-p", "x", "--resume", ID]);
    let output = command.current_dir(&elsewhere).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, format!("No conversation found with session ID: {ID}\n"));
}

#[test]
fn the_prompt_is_the_argument_and_stdin() {
    for (argument, stdin, prompt) in
        [(Some("a"), "", "a"), (None, "b\n", "b\n"), (Some("a"), "b", "a\nb")]
    {
        let room = Room::with(&json!({}));
        let mut arguments = vec!["-p", "--session-id", ID];
        arguments.extend(argument);
        let mut command = room.command(&arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "Done.\n");
        assert_eq!(output.stderr, b"");
        assert_eq!(room.transcript()[2]["message"]["content"], prompt);
    }
}

#[test]
fn a_bad_scenario_is_said_in_the_house_s_form() {
    for (scenario, message) in [
        (json!({"sesions": []}), "unknown field `sesions`"),
        (
            json!({"sessions": [{"steps": [{"text": "a", "hang": true}]}]}),
            "session 1: step 1 is several things at once",
        ),
        (json!({"more": {"steps": [{"context": 5}]}}), "more: step 1 has numbers but says nothing"),
        (json!({"sessions": [{"steps": [{"error": "nonsense"}]}]}), "unknown variant `nonsense`"),
        (json!({"more": {"steps": [{"units": 0}]}}), "more: step 1 has 0 units"),
    ] {
        let output = Room::with(&scenario).output(&["-p", "x"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("demo-agent: '"), "{stderr}");
        assert!(predicate::str::contains(message).eval(&stderr), "{message}: {stderr}");
        assert_eq!((output.status.code(), output.stdout), (Some(65), Vec::new()));
    }
    let mut room = Room::new();
    room.set("DEMO_AGENT_SCENARIO", "/nonexistent.json");
    assert_eq!(room.output(&["-p", "x"]).status.code(), Some(66));
}

#[test]
fn of_an_option_given_twice_the_last_counts() {
    let room = Room::with(&json!({}));
    let ran = room.start(&["--model", "haiku", "--model", "sonnet"]);
    assert_eq!(ran.events[0]["model"], "claude-sonnet-5");
}

#[test]
fn options_without_effect_are_accepted() {
    for arguments in [
        &["-p", "x", "--allowedTools", "Bash,Read"][..],
        &["--allowedTools", "Bash", "Read(*)", "-p", "x"],
        &["-p", "x", "--allowed-tools=Bash", "--permission-mode", "acceptEdits"],
        &["-p", "x", "--disallowedTools", "WebFetch", "--add-dir", "/tmp", "--effort", "high"],
        &["-p", "x", "--append-system-prompt", "be brief", "--max-budget-usd", "2"],
    ] {
        let output = Room::with(&json!({})).output(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.stdout, b"Done.\n", "{arguments:?}");
    }
}

#[test]
fn the_version_is_the_real_one_s() {
    let output = Room::new().output(&["--version"]);
    assert_eq!(output.stdout, b"2.1.197 (Claude Code)\n");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn help_tells_of_the_scenario() {
    let output = Room::new().output(&["--help"]);
    let help = String::from_utf8(output.stdout).unwrap();
    for word in ["DEMO_AGENT_SCENARIO", "DEMO_AGENT_STATE", "chapter-{unit}.md", "--resume"] {
        let found = help.contains(word);
        assert!(found, "{word}: {help}");
    }
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
}

#[test]
fn a_full_disk_on_stdout_is_no_success() {
    let room = Room::with(&json!({}));
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = room.command(&["-p", "x"]);
    let output = command.stdout(Stdio::from(full.into_parts().0)).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
}
