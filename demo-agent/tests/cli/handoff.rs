//! The handoff turn, and a job that goes through generations.

use handoff_fmt::{ask, parse};
use serde_json::{Value, json};
use terminal::Language;

use crate::room::{ID, Ran, Room};

fn job(handoff: &Value) -> Value {
    json!({"model": "claude-sonnet-4-5", "job": {"units": 5}, "sessions": [handoff], "more": {}})
}

/// Two units, then a final answer, so that there is something to hand over.
fn half_done(mut handoff: Value) -> Room {
    handoff["steps"] = json!([{"units": 2}, {"text": "That is all for now."}]);
    let room = Room::with(&job(&handoff));
    let ran = room.start(&[]);
    assert_eq!(ran.result()["result"], "That is all for now.");
    room
}

fn asked(room: &Room, language: Language) -> Ran {
    room.resume(&ask(150_000, 200_000, None, language), &[])
}

#[test]
fn the_document_is_complete_and_true_in_every_language() {
    for language in Language::ALL {
        let room = half_done(json!({}));
        let ran = asked(&room, language);
        let document = parse(ran.result()["result"].as_str().unwrap());
        assert!(document.missing().is_empty(), "{document:?}");
        let text = ran.result()["result"].as_str().unwrap();
        for fact in ["cat outline.md", "chapters/chapter-03.md", "2", "5"] {
            assert!(text.contains(fact), "{fact}: {text}");
        }
        assert_eq!(ran.code, 0);
        // Afterwards the script is where it was.
        assert!(room.resume("go on", &[]).result()["result"].as_str().unwrap().contains("All 5"));
    }
}

#[test]
fn a_handoff_turn_goes_as_the_scenario_says() {
    let complete = |text: &str| parse(text).missing().is_empty();
    let room = half_done(json!({"handoff": "no_next"}));
    let ran = asked(&room, Language::En);
    assert!(!complete(ran.result()["result"].as_str().unwrap()));
    let room = half_done(json!({"handoff": "empty"}));
    assert_eq!(asked(&room, Language::En).result()["result"], "");
    let room = half_done(json!({"handoff": "prose"}));
    let text = asked(&room, Language::En).result()["result"].as_str().unwrap().to_owned();
    assert!(text.starts_with("Certainly!") && complete(&text), "{text}");
    let room = half_done(json!({"handoff": "error", "handoff_error": "overloaded"}));
    let ran = asked(&room, Language::En);
    assert_eq!((ran.code, &ran.result()["api_error_status"]), (1, &json!(529)));
    let room = half_done(json!({"handoff": "tool_first"}));
    let ran = asked(&room, Language::En);
    assert!(complete(ran.result()["result"].as_str().unwrap()));
    assert_eq!(ran.result()["num_turns"], 2);
    let room = half_done(json!({"handoff_text": "my own words"}));
    assert_eq!(asked(&room, Language::En).result()["result"], "my own words");
}

#[test]
fn a_denied_tool_does_not_keep_the_document_back() {
    let room = half_done(json!({"handoff": "tool_first"}));
    let settings = room.hook("PreToolUse", "echo write the document >&2; exit 2");
    let request = ask(150_000, 200_000, None, Language::En);
    let ran = room.resume(&request, &["--settings", &settings]);
    assert!(parse(ran.result()["result"].as_str().unwrap()).missing().is_empty());
    assert_eq!(ran.result()["permission_denials"].as_array().unwrap().len(), 1);
}

#[test]
fn requests_are_told_from_other_prompts() {
    let long = format!("{} about the handoff doc", "words ".repeat(60));
    for (text, is_request) in [
        ("/handoff", true),
        ("Please write your handoff document now", true),
        ("写交接", true),
        ("핸드오프 문서를 써라", true),
        ("引き継ぎ書を書いて", true),
        ("go on", false),
        (long.as_str(), false),
    ] {
        let room = half_done(json!({}));
        let ran = room.resume(text, &[]);
        let written = parse(ran.result()["result"].as_str().unwrap()).missing().is_empty();
        assert_eq!(written, is_request, "{text}");
    }
}

#[test]
fn generations_follow_from_the_window_and_end() {
    let mut room = Room::new();
    room.set("DISABLE_AUTO_COMPACT", "1");
    // What a guard does: stop the run once its transcript is long enough.
    let path = room.folder().join("stop.sh");
    fs_err::write(&path, "#!/bin/sh\nt=$(sed 's/.*\"transcript_path\":\"\\([^\"]*\\)\".*/\\1/')\n\
        test $(grep -c '\"type\":\"assistant\"' \"$t\") -lt 10 || echo '{\"continue\":false,\"stopReason\":\"line\"}'\n").unwrap();
    let settings = room.hook("PostToolBatch", &format!("sh '{}'", path.display()));
    let mut task = "Write the book.".to_owned();
    let mut dead_ends = 0;
    for generation in 1..=4 {
        let id = format!("11111111-2222-4333-8444-00000000000{generation}");
        let ran = room.run(&[&task, "--session-id", &id, "--settings", &settings]);
        dead_ends += ran
            .events
            .iter()
            .filter(|e| e["message"]["content"][0]["input"]["command"] == "cat outline.md")
            .count();
        if ran.result()["terminal_reason"] == "completed" {
            assert_eq!(generation, 3);
            assert!(ran.result()["result"].as_str().unwrap().starts_with("All 12 units are done"));
            assert_eq!(fs_err::read_dir(room.work().join("chapters")).unwrap().count(), 12);
            assert_eq!(dead_ends, 1, "the document saves the successors the attempt");
            return;
        }
        assert_eq!(ran.result()["terminal_reason"], "hook_stopped");
        let request = ask(150_000, 200_000, None, Language::Ko);
        let ran = room.run(&[&request, "--resume", &id]);
        let document = parse(ran.result()["result"].as_str().unwrap());
        assert!(document.missing().is_empty(), "{document:?}");
        task = document.to_prompt(Language::Ko);
    }
    panic!("the job does not end");
}

#[test]
fn without_a_request_nothing_is_handed_over() {
    let room = Room::with(&job(&json!({})));
    // A successor's prompt has the same headings and starts a session.
    let document = parse(
        "## Doing now\n\nx\n\n## Decided\n\nx\n\n## Dead ends\n\n- `cat outline.md`: no\n\n## Next step\n\ny\n\n## Scene\n\nz\n",
    );
    let ran = room.run(&[&document.to_prompt(Language::En), "--session-id", ID]);
    assert!(ran.result()["result"].as_str().unwrap().starts_with("All 5 units are done"));
    let calls =
        room.transcript().iter().filter(|l| l["message"]["content"][0]["name"] == "Bash").count();
    assert_eq!(calls, 0);
}
