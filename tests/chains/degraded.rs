//! A session that cannot write its document.

use serde_json::{Value, json};

use crate::place::Place;
use crate::scenario::{DONE, WINDOW, crossing, overflowing, session, sessions, tool};
use crate::shell::shells;

const NO_ROOM: &str = "the context is full, no turn is left to write the handoff";

#[test]
fn an_overflow_is_survived_under_every_shell() {
    for shell in shells() {
        let place = Place::new(&sessions(&[overflowing()]));
        let ran = place.handoff_loop(WINDOW).arguments(["the task's \"text\""]).under(shell).run();
        ran.ends(0, DONE).says(&[&format!(
            "# the handoff could not be written, going on without ({NO_ROOM})\n"
        )]);
        let row = place.row();
        assert_eq!((&row["ok"], &row["attempts"]), (&json!(true), &json!(1)));
        assert_eq!(row["errors"], json!([format!("交接降级({NO_ROOM})")]));
        assert_eq!(row["generations"][0]["degraded"], true);
        let document = place.read(".handoff/notes/交接-work.md");
        for words in ["[降级:交接没写成]", NO_ROOM, "the task's \"text\""] {
            assert!(document.contains(words), "{words} is not in {document}");
        }
        assert!(place.prompts().last().unwrap().contains("the task's \"text\""));
    }
}

#[test]
fn a_document_that_is_none_is_replaced_and_the_reason_kept() {
    for (handoff, why) in
        [("no_next", "missing next"), ("empty", "empty"), ("error", "network: API Error: 500")]
    {
        let mut script = crossing(handoff);
        if handoff == "error" {
            script["handoff_error"] = "server".into();
        }
        let place = Place::new(&sessions(&[script]));
        let ran = place.handoff_loop(WINDOW).arguments(["t"]).run().ends(0, DONE);
        ran.says(&["going on without", why]);
        let row = place.row();
        let errors = row["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{handoff}: {errors:?}");
        let told = errors[0].as_str().unwrap();
        assert!(told.starts_with(&format!("交接降级({why}")), "{handoff}: {told}");
        assert_eq!(row["generations"][0]["degraded"], true, "{handoff}");
        assert_eq!((&row["ok"], &row["attempts"]), (&json!(true), &json!(1)), "{handoff}");
        // What the session saw at its line is told of it, not what writing added.
        assert_eq!(row["generations"][0]["context"], 160_000, "{handoff}");
    }
}

#[test]
fn an_overflow_of_the_writing_turn_is_for_want_of_room() {
    let session = json!({ "steps": [tool(40_000, "true"), tool(160_000, "true")],
        "handoff": "error", "handoff_error": "prompt_too_long" });
    let place = Place::new(&sessions(&[session]));
    place.handoff_loop(WINDOW).arguments(["t"]).run().ends(0, DONE);
    assert_eq!(place.row()["errors"], json!([format!("交接降级({NO_ROOM})")]));
}

#[test]
fn talk_around_the_document_and_tools_before_it_do_not_degrade_it() {
    for handoff in ["prose", "tool_first"] {
        let place = Place::new(&sessions(&[crossing(handoff)]));
        place.handoff_loop(WINDOW).arguments(["t"]).run().ends(0, DONE);
        assert_eq!(place.row()["errors"], json!([]), "{handoff}");
        assert_eq!(place.row()["generations"][0]["degraded"], false, "{handoff}");
    }
}

#[test]
fn two_in_a_row_stop_the_run_and_say_what_to_turn() {
    let place = Place::new(&sessions(&[overflowing(), crossing("empty"), crossing("good")]));
    let ran = place.handoff_loop(WINDOW).arguments(["t"]).run().ends(3, "");
    ran.says(&[
        "two documents in a row are degraded",
        "the window is 200000",
        "lower --window or raise --headroom, or --no-handoff",
    ]);
    let row = place.row();
    assert_eq!(row["ok"], false);
    assert_ne!(row["ended_at"], json!(null));
    let degraded: Vec<&Value> =
        row["generations"].as_array().unwrap().iter().map(|g| &g["degraded"]).collect();
    assert_eq!(degraded[..2], [&json!(true), &json!(true)], "{row:#}");
    assert!(degraded.len() == 2 || row["generations"][2]["state"] == "pending", "{row:#}");
    assert!(place.read(".handoff/notes/交接-work.md").contains("[降级:交接没写成]"));
}

#[test]
fn one_good_document_between_two_others_is_enough() {
    let scripts = [overflowing(), crossing("good"), overflowing()];
    let place = Place::new(&sessions(&scripts));
    place.handoff_loop(WINDOW).arguments(["t"]).run().ends(0, DONE);
    assert_eq!(place.row()["retired"].as_array().unwrap().len(), 3);
}

#[test]
fn want_of_room_raises_the_headroom() {
    // In a window of 400,000 the line is at 350,000, after an overflow at 300,000.
    let script = session(&[tool(40_000, "true"), tool(320_000, "true")]);
    let place = Place::new(&sessions(&[overflowing(), script]));
    place.handoff_loop(["--window", "400000", "t"]).run().ends(0, DONE);
    let row = place.row();
    let at: Vec<&Value> = row["generations"].as_array().unwrap().iter().map(|g| &g["at"]).collect();
    assert_eq!(at[..2], [&json!(350_000), &json!(300_000)], "{row:#}");
    assert_eq!(row["retired"].as_array().unwrap().len(), 2);
}

#[test]
fn a_reserved_output_that_does_not_fit_is_no_reason_to_hand_over() {
    let words = "input length and `max_tokens` exceed context limit: 20000 + 190000 > 200000";
    let script = session(&[tool(40_000, "true"), json!({ "exit": 1, "message": words })]);
    let place = Place::new(&sessions(&[script]));
    let ran = place.handoff_loop(WINDOW).arguments(["t"]).run().ends(1, "");
    ran.says(&["handoff-loop: the reserved output does not fit: lower max_tokens; a handoff would not help\n"]);
    let row = place.row();
    assert_eq!((&row["ok"], &row["retired"]), (&json!(false), &json!([])));
}

#[test]
fn the_window_that_an_overflow_proves_holds_from_then_on() {
    let words = "prompt is too long: 210000 tokens > 200000 maximum";
    let full = json!({ "error": "prompt_too_long", "message": words });
    let place = Place::new(&sessions(&[session(&[tool(40_000, "true"), full])]));
    let ran = place.handoff_loop(["--window", "400000", "t"]).run().ends(0, DONE);
    ran.says(&["# window 200000\n"]);
    let windows = place.row()["generations"].as_array().unwrap().clone();
    assert_eq!((&windows[1]["window"], &windows[1]["at"]), (&json!(200_000), &json!(150_000)));
}
