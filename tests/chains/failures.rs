//! Runs that fail, and those that are worth another attempt.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::Place;
use crate::scenario::{DONE, WINDOW, answer, crossing, error, session, sessions, tool};
use crate::shell::shells;

#[test]
fn limits_and_a_failing_network_are_tried_again_in_the_same_session() {
    for (kind, verdict) in [
        ("rate_limit", "rate"),
        ("overloaded", "network"),
        ("server", "network"),
        ("bad_gateway", "network"),
        ("connection_refused", "network"),
        ("connection_closed", "network"),
    ] {
        let script = session(&[tool(40_000, "true"), error(kind), error(kind), answer()]);
        let place = Place::new(&sessions(&[script]));
        let ran = place.handoff_loop(WINDOW).arguments(["t"]).run().ends(0, DONE);
        ran.says(&[
            &format!("# {verdict}, attempt 2 of 3 in 0 s\n"),
            &format!("# {verdict}, attempt 3 of 3 in 0 s\n"),
        ]);
        let row = place.row();
        assert_eq!((&row["ok"], &row["attempts"]), (&json!(true), &json!(3)), "{kind}");
        assert_eq!(row["errors"].as_array().unwrap().len(), 2, "{kind}: {row:#}");
        assert_eq!(row["generations"].as_array().unwrap().len(), 1, "{kind}");
    }
}

#[test]
fn it_gives_up_after_so_many_attempts() {
    for shell in shells() {
        let script = session(&[json!({ "error": "rate_limit", "times": 9 })]);
        let place = Place::new(&sessions(&[script]));
        let call = place.handoff_loop(WINDOW).arguments(["--max-attempts", "2", "t"]).under(shell);
        call.run().ends(75, "").says(&["# rate, attempt 2 of 2 in 0 s\n"]);
        let row = place.row();
        assert_eq!((&row["ok"], &row["attempts"]), (&json!(false), &json!(2)));
        assert_ne!(row["ended_at"], json!(null));
    }
}

#[test]
fn it_waits_as_long_as_it_is_told() {
    let limited = json!({ "error": "rate_limit", "retry_after": 1,
        "message": "This request would exceed your rate limit. Please try again in 1 second." });
    let place = Place::new(&sessions(&[session(&[limited, answer()])]));
    let begun = Instant::now();
    let call = place.handoff_loop(WINDOW).arguments(["t"]).with("HANDOFF_PAUSE", "40");
    call.run().ends(0, DONE).says(&["attempt 2 of 3 in 1 s\n"]);
    assert!((1..30).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[test]
fn the_pauses_grow() {
    let script = session(&[error("overloaded"), error("overloaded"), answer()]);
    let place = Place::new(&sessions(&[script]));
    let begun = Instant::now();
    let call = place.handoff_loop(WINDOW).arguments(["t"]).with("HANDOFF_PAUSE", "1");
    call.run().ends(0, DONE).says(&["attempt 2 of 3 in 1 s\n", "attempt 3 of 3 in 2 s\n"]);
    assert!(begun.elapsed() >= Duration::from_secs(3));
}

#[test]
fn attempts_of_all_generations_count_together() {
    let limited = |steps: &[Value]| session(steps);
    let first = limited(&[tool(40_000, "true"), error("rate_limit"), tool(160_000, "true")]);
    let second =
        limited(&[tool(40_000, "true"), error("rate_limit"), error("rate_limit"), answer()]);
    let place = Place::new(&sessions(&[first, second]));
    place.handoff_loop(WINDOW).arguments(["t"]).run().ends(75, "");
    assert_eq!(place.row()["attempts"], 3);
}

#[test]
fn what_no_attempt_can_mend_ends_the_run() {
    for (kind, code) in [("authentication", 77), ("credit_balance", 77), ("model_not_found", 77)] {
        let place = Place::new(&sessions(&[session(&[tool(40_000, "true"), error(kind)])]));
        place.handoff_loop(WINDOW).arguments(["t"]).run().ends(code, "").says(&["agent-run: "]);
        let row = place.row();
        assert_eq!((&row["ok"], &row["attempts"]), (&json!(false), &json!(1)), "{kind}");
        assert_eq!(row["errors"].as_array().unwrap().len(), 1, "{kind}");
    }
}

#[test]
fn an_agent_that_fails_fails_the_step() {
    for (step, words) in [
        (json!({ "exit": 5, "message": "it broke" }), "it broke"),
        (json!({ "exit": 0 }), "empty"),
        (json!({ "text": "", "context": 40_000 }), "empty"),
    ] {
        let place = Place::new(&sessions(&[session(&[tool(40_000, "true"), step.clone()])]));
        place.handoff_loop(WINDOW).arguments(["t"]).run().ends(1, "");
        let row = place.row();
        assert_eq!(row["ok"], false, "{step}");
        assert!(row["errors"][0].as_str().unwrap().contains(words), "{step}: {row:#}");
    }
}

#[test]
fn a_run_from_which_nothing_comes_is_ended() {
    for steps in
        [vec![tool(40_000, "true"), json!({ "hang": true })], vec![json!({ "silent": true })]]
    {
        let place = Place::new(&sessions(&[session(&steps)]));
        let begun = Instant::now();
        place.handoff_loop(WINDOW).arguments(["--timeout", "0.5", "t"]).run().ends(124, "");
        assert!(begun.elapsed() < Duration::from_secs(20));
        let row = place.row();
        assert_eq!((&row["ok"], &row["errors"]), (&json!(false), &json!(["hung"])));
    }
}

#[test]
fn a_successor_or_a_writing_turn_that_hangs_is_ended_too() {
    let place = Place::new(&sessions(&[crossing("good"), session(&[json!({ "silent": true })])]));
    place.handoff_loop(WINDOW).arguments(["--timeout", "0.5", "t"]).run().ends(124, "");
    assert_eq!(place.row()["ok"], false);
    let place = Place::new(&sessions(&[crossing("hang")]));
    place.handoff_loop(WINDOW).arguments(["--timeout", "0.5", "t"]).run().ends(0, DONE);
    assert_eq!(
        place.row()["errors"],
        json!(["交接降级(hung: nothing came from the agent for 0.5 s)"])
    );
}

#[test]
fn a_successor_that_fails_ends_the_run_as_the_first_session_would() {
    for (kind, code) in [("authentication", 77), ("rate_limit", 75)] {
        let failing = session(&[json!({ "error": kind, "times": 9 })]);
        let place = Place::new(&sessions(&[crossing("good"), failing]));
        place.handoff_loop(WINDOW).arguments(["t"]).run().ends(code, "");
        let row = place.row();
        assert_eq!((&row["ok"], row["generations"].as_array().unwrap().len()), (&json!(false), 2));
        assert_ne!(row["ended_at"], json!(null));
    }
}

#[test]
fn a_document_that_cannot_be_published_is_kept() {
    let in_the_way = "mkdir -p .handoff/notes/交接-work.md";
    let steps = [tool(40_000, "true"), tool(160_000, in_the_way)];
    let place = Place::new(&sessions(&[json!({ "steps": steps, "handoff": "good" })]));
    let ran = place.handoff_loop(WINDOW).arguments(["t"]).run().fails(&[73]);
    ran.says(&["the document is kept in '.handoff/notes/交接-work.md.unpublished'"]);
    assert!(place.read(".handoff/notes/交接-work.md.unpublished").contains("## Next step"));
    assert_eq!(place.row()["ok"], false);
}

#[test]
fn listeners_that_cannot_be_told_are_noticed_before_anything_is_paid_for() {
    let place = Place::new(&sessions(&[crossing("good")]));
    let run = place.handoff_loop(["--events", "/nonexistent/events", "t"]).run();
    run.ends(73, "").says(&["handoff-loop: cannot write '/nonexistent/events'"]);
    assert!(place.prompts().is_empty());
}
