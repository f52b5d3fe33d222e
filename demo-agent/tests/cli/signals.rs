//! SIGINT, SIGTERM, and agents that say nothing.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::room::{ID, Room};

fn start(room: &Room) -> Child {
    let arguments = ["-p", "x", "--session-id", ID, "--output-format", "json"];
    room.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(10), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
}

/// Sends a signal and returns exit code, stdout and stderr.
fn end(mut child: Child, name: &str) -> (Option<i32>, String, String) {
    signal(&child, name);
    let started = Instant::now();
    let status = child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(2), "it took its time");
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (status.code(), stdout, stderr)
}

fn in_a_tool() -> (Room, Child) {
    let call =
        json!([{"name": "Bash", "input": {"command": "touch begun; sleep 60; touch finished"}}]);
    let room = Room::with(
        &json!({"sessions": [{"steps": [{"text": "a", "tools": call}, {"text": "b"}]}]}),
    );
    let child = start(&room);
    wait_for("the tool runs", || room.work().join("begun").metadata().is_ok());
    (room, child)
}

#[test]
fn an_interrupt_in_a_tool_is_reported() {
    let (room, child) = in_a_tool();
    let (code, stdout, stderr) = end(child, "INT");
    let result: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, stderr.as_str()), (Some(1), ""));
    assert_eq!(result["subtype"], "error_during_execution");
    assert_eq!(result["terminal_reason"], "aborted_tools");
    assert_eq!((&result["is_error"], &result["num_turns"]), (&json!(true), &json!(3)));
    let lines = room.transcript();
    let text = "[Request interrupted by user for tool use]";
    assert!(lines.iter().any(|line| line["message"]["content"][0]["text"] == text));
    assert!(room.work().join("finished").metadata().is_err());
    assert_eq!(room.resume("go on", &[]).result()["result"], "b");
}

#[test]
fn a_termination_says_nothing_and_tears_nothing() {
    let (room, child) = in_a_tool();
    assert_eq!(end(child, "TERM"), (Some(143), String::new(), String::new()));
    let lines = room.transcript();
    assert_eq!(lines.last().unwrap()["type"], "last-prompt");
    let blocks = |kind: &str| {
        lines.iter().filter(|line| line["message"]["content"][0]["type"] == kind).count()
    };
    assert_eq!((blocks("tool_use"), blocks("tool_result")), (1, 0));
}

#[test]
fn the_session_s_end_is_told_to_hooks_when_it_is_terminated() {
    let room = Room::with(&json!({"sessions": [{"steps": [{"hang": true}]}]}));
    let settings = room.hook("SessionEnd", "sleep 0.05; touch ended");
    let arguments = ["-p", "x", "--session-id", ID, "--settings", &settings];
    let child =
        room.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("the session begins", || room.transcript_path(ID).metadata().is_ok());
    assert_eq!(end(child, "TERM").0, Some(143));
    assert!(room.work().join("ended").metadata().is_ok());
}

#[test]
fn a_hang_ends_by_a_signal_alone_and_is_not_repeated() {
    // While the model is awaited, an interrupt ends the real CLI with 0 and no result.
    for (name, code) in [("TERM", 143), ("INT", 0)] {
        let room =
            Room::with(&json!({"sessions": [{"steps": [{"hang": true}, {"text": "awake"}]}]}));
        let mut child = start(&room);
        wait_for("the session begins", || {
            fs_err::read_to_string(room.transcript_path(ID))
                .is_ok_and(|text| text.contains("promptSource"))
        });
        thread::sleep(Duration::from_millis(50));
        assert!(child.try_wait().unwrap().is_none(), "it hangs");
        assert_eq!(end(child, name), (Some(code), String::new(), String::new()), "{name}");
        assert_eq!(room.resume("go on", &[]).result()["result"], "awake");
    }
}

#[test]
fn a_silent_agent_writes_and_prints_nothing_at_all() {
    let room = Room::with(&json!({"sessions": [{"steps": [{"silent": true}]}]}));
    let mut child = start(&room);
    wait_for("the script is read", || room.folder().join("scenario.json.state").metadata().is_ok());
    thread::sleep(Duration::from_millis(50));
    assert!(child.try_wait().unwrap().is_none(), "it waits");
    assert!(room.transcript_path(ID).metadata().is_err());
    assert_eq!(end(child, "TERM"), (Some(143), String::new(), String::new()));
}

#[test]
fn a_pause_is_as_long_as_told() {
    let room = Room::with(&json!({"sessions": [{"steps": [{"text": "a", "delay_ms": 150}]}]}));
    let started = Instant::now();
    room.start(&[]);
    let took = started.elapsed();
    assert!((Duration::from_millis(150)..Duration::from_secs(5)).contains(&took), "{took:?}");
}
