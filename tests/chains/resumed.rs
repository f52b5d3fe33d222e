//! The next wake.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::call::tools;
use crate::place::Place;
use crate::scenario::{
    DONE, WINDOW, answer, crossing, ending, is_request, session, sessions, tool,
};
use crate::shell::shells;

#[test]
fn there_must_be_something_to_resume() {
    let place = Place::new(&sessions(&[ending()]));
    let ran = place.handoff_loop(["--resume"]).run().ends(1, "");
    ran.says(&["handoff-loop: there is nothing to resume of step 'work' in '.handoff'\n"]);
    let other = place.handoff_loop(["--step", "other", "t"]).run();
    other.ends(0, DONE);
    place.handoff_loop(["--resume"]).run().ends(1, "").says(&["nothing to resume"]);
}

#[test]
fn the_next_wake_joins_the_last_successor() {
    let more = json!({ "steps": [answer(), { "text": "More.", "context": 42_000 }] });
    let place = Place::new(&sessions(&[crossing("good"), more]));
    place.handoff_loop(WINDOW).arguments(["t"]).run().ends(0, DONE);
    place.handoff_loop(["--resume", "and now", "this"]).run().ends(0, "More.\n");
    let ledger = place.ledger();
    assert_eq!(ledger.as_array().unwrap().len(), 2, "a new wake is a new run");
    assert_eq!(ledger[1]["session_id"], ledger[0]["session_id"]);
    assert_eq!((&ledger[1]["ok"], &ledger[1]["retired"]), (&json!(true), &json!([])));
    assert_eq!(place.prompts().last().unwrap(), "and now this\n");
}

#[test]
fn a_task_of_the_next_wake_is_not_read_from_stdin() {
    let more = json!({ "steps": [answer(), { "text": "More.", "context": 42_000 }] });
    let place = Place::new(&sessions(&[more]));
    place.handoff_loop(["t"]).run().ends(0, DONE);
    place.handoff_loop(["--resume"]).input("ignored").run().ends(0, "More.\n");
    assert_eq!(place.prompts().last().unwrap(), "Go on.\n");
}

#[test]
fn a_document_that_reached_nobody_is_delivered_once() {
    let place = Place::new(&sessions(&[crossing("good"), ending()]));
    // The agent is gone when its successor is to be started.
    let path = with_claude(&place, "[ ! -e \"$HOME/gone\" ] || exit 127");
    let as_claude = |arguments: &[&str]| {
        place.handoff_loop(["--agent", "claude"]).arguments(arguments).with("PATH", &path)
    };
    let running = as_claude(&["--window", "200000", "--events", "events", "t"]).start();
    running.wait_for("writing the handoff document");
    crate::place::wait_until("the document", || {
        place.prompts().iter().any(|prompt| is_request(prompt))
    });
    fs_err::write(place.path("home/gone"), "").unwrap();
    running.wait().ends(1, "");
    assert_eq!(place.row()["ok"], false);
    fs_err::remove_file(place.path("home/gone")).unwrap();
    as_claude(&["--resume"]).run().ends(0, DONE);
    assert!(place.prompts().last().unwrap().contains("Go on with the task as given."));
    let (ledger, work) = (place.ledger(), place.prompts().len());
    let last = ledger.as_array().unwrap().last().unwrap();
    assert_eq!(last["ok"], true, "{ledger:#}");
    as_claude(&["--resume"]).run();
    assert_eq!(place.prompts().last().unwrap(), "Go on.\n", "delivered twice");
    assert_eq!(place.prompts().len(), work + 1);
}

#[test]
fn a_run_in_progress_is_left_alone() {
    let second = session(&[crate::scenario::waiting(), answer()]);
    let place = Place::new(&sessions(&[crossing("good"), second]));
    // In the first session as in a later one.
    let first = Place::new(&sessions(&[session(&[crate::scenario::waiting(), answer()])]));
    let one = first.handoff_loop(["t"]).start();
    first.wait_for("reached");
    let another = first.handoff_loop(["another task"]).start().wait();
    fs_err::write(first.path("work/go"), "").unwrap();
    one.wait().ends(0, DONE);
    another.ends(75, "");
    assert_eq!(first.ledger().as_array().unwrap().len(), 1);

    let running = place.handoff_loop(WINDOW).arguments(["t"]).start();
    place.wait_for("reached");
    let other = place.handoff_loop(["--resume"]).start().wait();
    let third = place.handoff_loop(["another task"]).start().wait();
    fs_err::write(place.path("work/go"), "").unwrap();
    running.wait().ends(0, DONE);
    let place_is_busy = "step 'work' in '.handoff' is being worked at";
    other.ends(75, "").says(&[place_is_busy]);
    third.ends(75, "").says(&[place_is_busy]);
    assert_eq!(place.ledger().as_array().unwrap().len(), 1);
    assert_eq!(place.read(".handoff/task-work.md"), "t\n");
}

#[test]
fn a_session_that_never_began_is_begun_again() {
    let silent = session(&[json!({ "silent": true })]);
    let place = Place::new(&sessions(&[silent]));
    place.handoff_loop(["--timeout", "0.3", "the task"]).run().ends(124, "");
    place.handoff_loop(["--resume"]).run().ends(0, DONE);
    let ledger = place.ledger();
    assert_eq!(ledger[1]["session_id"], ledger[0]["session_id"]);
    assert_eq!(place.prompts(), ["the task\n"]);
}

#[test]
fn a_successor_that_never_began_is_begun_again_from_the_document() {
    let silent = session(&[json!({ "silent": true })]);
    let place = Place::new(&sessions(&[crossing("good"), silent.clone()]));
    let call = place.handoff_loop(WINDOW).arguments(["--timeout", "0.3", "the task"]);
    call.run().ends(124, "");
    place.handoff_loop(["--resume"]).run().ends(0, DONE);
    assert!(place.prompts().last().unwrap().contains("Go on with the task as given."));
    // The same where it gave a sign of life before.
    place.play(&sessions(&[crossing("good"), silent.clone()]));
    let path = with_claude(&place, "echo 'a warning' >&2");
    let call = place.handoff_loop(["--agent", "claude", "--timeout", "0.3"]).arguments(WINDOW);
    call.arguments(["the task"]).with("PATH", &path).run().ends(124, "");
    let call = place.handoff_loop(["--agent", "claude", "--resume"]).with("PATH", &path);
    call.run().ends(0, DONE);
    assert!(place.prompts().last().unwrap().contains("Go on with the task as given."));
    // Another task is not mistaken for the one of that document.
    place.play(&sessions(&[silent]));
    place.handoff_loop(["--timeout", "0.3", "another task"]).run().ends(124, "");
    place.handoff_loop(["--resume"]).run().ends(0, DONE);
    assert_eq!(place.prompts().last().unwrap(), "another task\n");
}

/// What was told to people can be followed to the letter, from anywhere.
#[test]
fn the_words_that_go_on_name_every_option() {
    for shell in shells() {
        let place = Place::new(&sessions(&[session(&[json!({ "silent": true })])]));
        let options =
            ["-C", "work", "--timeout", "0.3", "--keep", "it's\n\"kept\"", "--no-document"];
        let call = place.handoff_loop(options).arguments(["the task"]).under(shell);
        let ran = call.in_folder(place.path("")).run().ends(124, "");
        let (_, words) = ran.stderr.split_once("handoff-loop: go on with: ").unwrap();
        assert!(words.contains(" --keep='it'\\''s\n\"kept\"' --no-document\n"), "{words}");
        place.play(&sessions(&[session(&[answer()])]));
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts");
        let script = format!("PATH='{}':$PATH\n{words}", scripts.display());
        fs_err::write(place.path("go-on"), script).unwrap();
        let call = place.script("handoff-loop").script(place.path("go-on"));
        call.under(shell).in_folder(place.path("home")).run().ends(0, DONE);
        assert_eq!(place.ledger()[1]["session_id"], place.ledger()[0]["session_id"]);
    }
}

/// A session can be joined by the CLI alone that began it.
#[test]
fn a_session_of_another_agent_is_not_joined() {
    let steps = [tool(40_000, "true"), json!({ "silent": true })];
    let place = Place::new(&sessions(&[session(&steps)]));
    place.handoff_loop(["--timeout", "1", "the task"]).run().ends(124, "");
    let path = with_agent(&place, "codex", "exit 1");
    let call = place.handoff_loop(["--agent", "codex", "--resume"]).with("PATH", &path);
    call.run().ends(2, "").says(&["is none of 'codex': give the --agent again that began it\n"]);
    assert_eq!(place.ledger().as_array().unwrap().len(), 1);
    place.play(&sessions(&[session(&[answer()])]));
    place.handoff_loop(["--resume"]).run().ends(0, DONE);
}

/// A PATH on which the agent, as `claude`, does this first.
fn with_claude(place: &Place, first: &str) -> OsString {
    with_agent(place, "claude", first)
}

fn with_agent(place: &Place, name: &str, first: &str) -> OsString {
    let folder = place.path("agent");
    fs_err::create_dir_all(&folder).unwrap();
    let script = format!("#!/bin/sh\n{first}\nexec demo-agent \"$@\"\n");
    fs_err::write(folder.join(name), script).unwrap();
    fs_err::set_permissions(folder.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    let mut path = folder.into_os_string();
    path.push(":");
    path.push(tools());
    path.push(":/usr/bin:/bin");
    path
}
