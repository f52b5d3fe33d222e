//! Signals in every phase, and death without one.

use serde_json::json;

use crate::place::{Place, wait_until};
use crate::scenario::{
    BOOK, DONE, WINDOW, answer, crossing, error, is_request, session, sessions, tool, waiting,
};
use crate::shell::shells;

const SIGNALS: [(i32, i32); 3] = [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)];

const GO_ON: &str = "handoff-loop: go on with: handoff-loop --resume --step 'work' --home '.handoff' --agent='demo'";

/// The row of the interrupted run is ended, and the session can be gone on with.
fn check_interrupted(place: &Place) {
    let row = place.row();
    assert_eq!(row["ok"], false, "{row:#}");
    assert_ne!(row["ended_at"], json!(null), "{row:#}");
    assert_eq!(row["errors"].as_array().unwrap().last(), Some(&json!("interrupted")));
}

#[test]
fn a_signal_ends_the_agent_and_the_run_and_resume_ends_the_job() {
    for shell in shells() {
        for (signal, code) in SIGNALS {
            let script = session(&[tool(40_000, "true"), waiting(), answer()]);
            let place = Place::new(&sessions(&[script]));
            let running = place.handoff_loop(WINDOW).arguments(["t"]).under(shell).start();
            place.wait_for("reached");
            running.signal(signal);
            let ran = running.wait();
            // A hang-up is too sudden for the agent to end its tools.
            fs_err::write(place.path("work/go"), "").unwrap();
            ran.ends(code, "").says(&[GO_ON]);
            check_interrupted(&place);
            place.handoff_loop(["--resume"]).under(shell).run().ends(0, DONE);
            let ledger = place.ledger();
            let last = ledger.as_array().unwrap().last().unwrap();
            assert_eq!(last["ok"], true);
            assert_eq!(last["session_id"], ledger[0]["session_id"]);
        }
    }
}

#[test]
fn a_signal_reaches_a_successor() {
    for (signal, code) in SIGNALS {
        let second = session(&[tool(40_000, "true"), waiting(), answer()]);
        let place = Place::new(&sessions(&[crossing("good"), second]));
        let running = place.handoff_loop(WINDOW).arguments(["t"]).start();
        place.wait_for("reached");
        running.signal(signal);
        let ran = running.wait();
        fs_err::write(place.path("work/go"), "").unwrap();
        ran.ends(code, "").says(&[GO_ON]);
        check_interrupted(&place);
        place.handoff_loop(["--resume"]).run().ends(0, DONE);
        assert_eq!(place.ledger()[0]["retired"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_signal_ends_the_turn_that_writes_the_document() {
    for (signal, code) in SIGNALS {
        let place = Place::new(&sessions(&[crossing("hang")]));
        let running = place.handoff_loop(WINDOW).arguments(["t"]).start();
        running.wait_for("writing the handoff document");
        // It is then asked for a moment later.
        let asked = || place.prompts().iter().any(|prompt| is_request(prompt));
        wait_until("the handoff turn", asked);
        running.signal(signal);
        running.wait().ends(code, "").says(&[GO_ON]);
        check_interrupted(&place);
        assert_eq!(place.row()["retired"], json!([]));
        assert_eq!(place.row()["generations"][0]["document"], json!(null));
    }
}

#[test]
fn a_signal_ends_the_pause_before_an_attempt() {
    for shell in shells() {
        for (signal, code) in SIGNALS {
            let script = session(&[error("overloaded"), answer()]);
            let place = Place::new(&sessions(&[script]));
            let call = place.handoff_loop(WINDOW).arguments(["t"]).under(shell);
            let running = call.with("HANDOFF_PAUSE", "50").start();
            running.wait_for("attempt 2 of 3 in 50 s");
            running.signal(signal);
            running.wait().ends(code, "").says(&[GO_ON]);
            check_interrupted(&place);
            place.handoff_loop(["--resume"]).under(shell).run().ends(0, DONE);
        }
    }
}

#[test]
fn a_signal_at_any_moment_is_heard() {
    // The delays walk through all phases of a run over three generations.
    for delay in (0..24).map(|n| n * 45) {
        let place =
            Place::new(&sessions(&[crossing("good"), crossing("good"), session(&[waiting()])]));
        let running = place.handoff_loop(WINDOW).arguments(["t"]).start();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        running.signal(libc::SIGTERM);
        let ran = running.wait().ends(143, "");
        if let Ok(bytes) = fs_err::read(place.handoff_home().join("runs/manifest.json")) {
            let ledger: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            assert_ne!(ledger[0]["ended_at"], json!(null), "after {delay} ms: {}", ran.stderr);
        }
    }
}

#[test]
fn after_a_power_cut_resume_ends_the_job() {
    let first = session(&[tool(40_000, "true"), waiting(), answer()]);
    let place = Place::new(&sessions(std::slice::from_ref(&first)));
    let running = place.handoff_loop(WINDOW).arguments(["t"]).start();
    place.wait_for("reached");
    place.kill_all();
    running.wait();
    place.sweep();
    assert_eq!(place.row()["ended_at"], json!(null));
    fs_err::write(place.path("work/go"), "").unwrap();
    place.handoff_loop(["--resume"]).run().ends(0, DONE);
    let row = place.row();
    assert_eq!((&row["ok"], row["generations"].as_array().unwrap().len()), (&json!(true), 1));

    let place = Place::new(&sessions(&[crossing("good"), first]));
    let running = place.handoff_loop(WINDOW).arguments(["t"]).start();
    place.wait_for("reached");
    place.kill_all();
    running.wait();
    place.sweep();
    fs_err::write(place.path("work/go"), "").unwrap();
    place.handoff_loop(["--resume"]).run().ends(0, DONE);
    assert_eq!(place.ledger()[0]["retired"].as_array().unwrap().len(), 1);
}

#[test]
fn a_session_whose_loop_was_killed_is_not_joined_while_it_lives() {
    let script = session(&[tool(40_000, "true"), waiting(), answer()]);
    let place = Place::new(&sessions(&[script]));
    let running = place.handoff_loop(WINDOW).arguments(["t"]).start();
    place.wait_for("reached");
    running.signal(libc::SIGKILL);
    let refused = place.handoff_loop(["--resume"]).run();
    assert_eq!(place.row()["ended_at"], json!(null), "the row of somebody else was ended");
    fs_err::write(place.path("work/go"), "").unwrap();
    running.wait();
    place.sweep();
    refused.ends(75, "").says(&["still runs"]);
    place.handoff_loop(["--resume"]).run().ends(0, DONE);
    assert_eq!(place.row()["ok"], true);
}

#[test]
fn a_power_cut_at_any_moment_costs_no_more_than_what_was_in_hand() {
    // The delays walk through a job of three generations.
    for delay in (0..16).map(|n| n * 40) {
        let place = Place::new(&json!({ "job": {} }));
        let running = place.handoff_loop(WINDOW).arguments(["write the book"]).start();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        place.kill_all();
        running.wait();
        place.sweep();
        let mut ran = place.handoff_loop(WINDOW).arguments(["--resume"]).run();
        if ran.stderr.contains("nothing to resume") {
            ran.ends(1, "");
            ran = place.handoff_loop(WINDOW).arguments(["write the book"]).run();
        }
        ran.ends(0, BOOK);
        let ledger = place.ledger();
        let rows = ledger.as_array().unwrap();
        assert_eq!(rows.last().unwrap()["ok"], true, "after {delay} ms: {ledger:#}");
        let retired: Vec<_> =
            rows.iter().flat_map(|row| row["retired"].as_array().unwrap()).collect();
        for (number, id) in retired.iter().enumerate() {
            assert!(!retired[..number].contains(id), "after {delay} ms: retired twice: {ledger:#}");
        }
    }
}
