//! One step over several sessions, as it goes when nothing goes wrong.

use serde_json::{Value, json};

use crate::place::{Place, files};
use crate::scenario::{
    BOOK, DONE, WINDOW, answer, crossing, ending, error, is_request, session, sessions, tool,
};
use crate::shell::shells;

#[test]
fn three_generations_do_a_job_under_every_shell() {
    for shell in shells() {
        let place = Place::new(&json!({ "job": {} }));
        let ran = place.handoff_loop(WINDOW).arguments(["write the book"]).under(shell).run();
        ran.ends(0, BOOK).says(&[
            "# context 142.0K/200K · about 8K to the handoff\n",
            "past the handoff line — writing the handoff document\n",
            "<- the handoff is in .handoff/notes/交接-work.md\n<- a fresh session takes over\n",
        ]);
        check_book(&place);
    }
}

fn check_book(place: &Place) {
    assert_eq!(files(&place.path("work/chapters")).len(), 12);
    let row = place.row();
    assert_eq!(row["ok"], true);
    assert_eq!(row["step"], "work");
    assert_eq!(row["attempts"], 1);
    assert_eq!(row["errors"], json!([]));
    assert_eq!((&row["context"], &row["window"]), (&json!(58_000), &json!(200_000)));
    let generations = row["generations"].as_array().unwrap();
    let ids: Vec<&Value> = generations.iter().map(|g| &g["session_id"]).collect();
    assert_eq!(row["retired"], json!(ids[..2]));
    assert_eq!(&row["session_id"], ids[2]);
    let each = |key: &str| generations.iter().map(|g| g[key].clone()).collect::<Vec<_>>();
    assert_eq!(each("state"), ["delivered", "delivered", "delivered"]);
    assert_eq!(each("context"), [170_000, 170_000, 58_000]);
    assert_eq!(each("first_context"), [30_000, 30_000, 30_000]);
    assert_eq!(each("degraded"), [json!(false), json!(false), json!(null)]);
    let sum = |key: &str| each(key).iter().map(|n| n.as_f64().unwrap()).sum::<f64>();
    assert!((sum("cost_usd") - row["cost_usd"].as_f64().unwrap()).abs() < 1e-9);
    assert!((sum("num_turns") - row["num_turns"].as_f64().unwrap()).abs() < 1e-9);
    assert!(row["started_at"].as_str() <= row["ended_at"].as_str());
    assert!(place.read(".handoff/notes/交接-work.md").contains("11 of 12 units are written"));
    let archive = files(&place.handoff_home().join("notes/archive/交接"));
    assert_eq!(archive.len(), 1);
    let archived = fs_err::read_to_string(&archive[0]).unwrap();
    assert!(archived.contains("5 of 12 units are written"));
    assert_eq!(place.read(".handoff/task-work.md"), "write the book\n");
    // A dead end is tried once, by the session that nobody could tell.
    let tried = |text: &String| text.contains("`cat outline.md`: Exit code 1");
    assert_eq!(place.prompts().iter().filter(|prompt| tried(prompt)).count(), 2);
}

#[test]
fn an_answer_past_the_line_is_final() {
    let last = json!({ "text": "Done.", "context": 190_000 });
    let place = Place::new(&sessions(&[session(&[tool(40_000, "true"), last])]));
    place.handoff_loop(WINDOW).arguments(["t"]).run().ends(0, DONE);
    assert_eq!(place.row()["retired"], json!([]));
    assert_eq!(place.row()["context"], 190_000);
}

#[test]
fn so_many_sessions_may_retire() {
    let place = Place::new(&sessions(&[crossing("good"), crossing("good")]));
    let call = place.handoff_loop(WINDOW).arguments(["--max-generations", "1", "t"]);
    call.run().ends(3, "").says(&[
        "1 sessions of this run are retired",
        "raise --window, or --no-handoff; --max-generations allows more\n",
    ]);
    let row = place.row();
    assert_eq!((&row["ok"], row["retired"].as_array().unwrap().len()), (&json!(false), 1));
    let asked = place.prompts().iter().filter(|prompt| is_request(prompt)).count();
    assert_eq!(asked, 1, "the second document was asked for, and not to be used");
}

#[test]
fn a_successor_that_starts_at_the_line_stops_the_run() {
    let floor = json!({ "steps": [tool(160_000, "true"), tool(161_000, "true")] });
    let place = Place::new(&sessions(&[crossing("good"), floor]));
    let ran = place.handoff_loop(WINDOW).arguments(["t"]).run().ends(3, "");
    ran.says(&["the first answer of generation 1 already saw 160000 tokens", "raise --window"]);
}

#[test]
fn without_handoff_a_session_goes_past_the_line_and_fails_where_it_overflows() {
    let past = session(&[tool(40_000, "true"), tool(160_000, "true"), answer()]);
    let full = session(&[tool(40_000, "true"), error("prompt_too_long")]);
    for (script, code, stdout) in [(past, 0, DONE), (full, 1, "")] {
        let place = Place::new(&json!({ "sessions": [script], "auto_compact": "off" }));
        let ran = place.handoff_loop(WINDOW).arguments(["--no-handoff", "t"]).run();
        ran.ends(code, stdout);
        let row = place.row();
        assert_eq!(row["retired"], json!([]));
        assert_eq!(row["errors"].as_array().unwrap().len(), usize::from(code == 1), "{row:#}");
        assert!(files(&place.handoff_home().join("notes")).is_empty());
    }
}

#[test]
fn the_document_can_be_kept_off_the_disk() {
    let place = Place::new(&sessions(&[crossing("good")]));
    place.handoff_loop(WINDOW).arguments(["--no-document", "t"]).run().ends(0, DONE);
    let left: Vec<_> = files(&place.handoff_home()).into_iter().collect();
    assert!(
        left.iter().all(|path| path.extension().is_none_or(|kind| kind != "md")
            || path.ends_with("task-work.md")),
        "{left:?}"
    );
    assert!(place.prompts().last().unwrap().contains("Go on with the task as given."));
    assert_eq!(place.row()["generations"][0]["document"], json!(null));
}

#[test]
fn whoever_writes_the_document_hears_what_a_person_wants_kept() {
    let place = Place::new(&sessions(&[crossing("good")]));
    fs_err::create_dir_all(place.handoff_home().join("notes")).unwrap();
    let note = place.handoff_home().join("notes/keep-work.md");
    fs_err::write(note, "the port is 8443, it's fixed\n").unwrap();
    let call =
        place.handoff_loop(WINDOW).arguments(["--keep", "the \"licence\" table\n$HOME", "t"]);
    call.run().ends(0, DONE);
    let asked = place.prompts().into_iter().find(|prompt| is_request(prompt)).unwrap();
    for kept in ["the port is 8443, it's fixed", "the \"licence\" table", "$HOME", "## Next step"] {
        assert!(asked.contains(kept), "{kept} is not in {asked}");
    }
}

#[test]
fn events_are_json_lines() {
    let near = json!({ "steps": [
        tool(40_000, "true"), tool(135_000, "true"), tool(160_000, "true"),
    ] });
    let place = Place::new(&sessions(&[near, crossing("empty")]));
    let events = place.path("work/events of the run");
    let call = place.handoff_loop(WINDOW).arguments(["--step", "a b", "--events"]);
    call.arguments([&events]).arguments(["t"]).run().ends(0, DONE);
    let text = fs_err::read_to_string(events).unwrap();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |event: &Value| {
        assert_eq!(event["step"], "a b");
        (event["phase"].as_str().unwrap().to_owned(), event["context"].as_u64().unwrap())
    };
    let told: Vec<_> = events.iter().map(told).collect();
    let told: Vec<_> = told.iter().map(|(phase, context)| (phase.as_str(), *context)).collect();
    assert_eq!(
        told,
        [
            ("near", 135_000),
            ("writing", 160_000),
            ("done", 160_000),
            ("near", 160_000),
            ("writing", 160_000),
            ("done", 160_000),
        ]
    );
    assert_eq!((&events[2]["degraded"], &events[5]["degraded"]), (&json!(false), &json!(true)));
    assert_eq!(events[5]["session_id"], place.row()["session_id"]);
}

#[test]
fn either_number_can_be_judged() {
    let large = session(&[tool(140_000, "head -c 60000 /dev/zero | tr '\\0' x"), answer()]);
    for (judge, retired) in [("projected", 1), ("context", 0)] {
        let place = Place::new(&sessions(std::slice::from_ref(&large)));
        place.handoff_loop(WINDOW).arguments(["--judge", judge, "t"]).run().ends(0, DONE);
        assert_eq!(place.row()["retired"].as_array().unwrap().len(), retired, "{judge}");
    }
}

#[test]
fn the_phases_are_told_in_the_language_of_the_environment() {
    for (language, words) in [
        ("zh_CN.UTF-8", ["写交接准备换代", "<- 新会话接手"]),
        ("ko_KR.UTF-8", ["인계서를 쓰고 교체 준비", "<- 새 세션이 이어받음"]),
        ("ja_JP.UTF-8", ["引き継ぎ書を書いて交代の準備", "<- 新しいセッションが引き継ぐ"]),
    ] {
        let place = Place::new(&sessions(&[crossing("good")]));
        let call = place.handoff_loop(WINDOW).arguments(["t"]);
        call.with("HANDOFF_LANG", language).run().ends(0, DONE).says(&words);
    }
}

#[test]
fn what_will_be_used_is_shown_with_the_token_masked() {
    let place = Place::new(&sessions(&[ending()]));
    let call = place.handoff_loop(WINDOW).arguments(["-v", "t"]);
    let call = call.with("ANTHROPIC_BASE_URL", "https://gateway.example");
    let call = call.with("ANTHROPIC_AUTH_TOKEN", "sk-a\nsecret'$HOME").with("ANTHROPIC_MODEL", "m");
    let ran = call.run().ends(0, DONE);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    let ran =
        ran.says(&["endpoint  https://gateway.example\n", "model     m\n", "window    200000"]);
    ran.says(&["token     sk-a…\n"]);
    for (token, shown) in [
        ("sk-1234567", "token     sk-1…\n"),
        ("", "token     none\n"),
        ("abcd", "token     abcd…\n"),
    ] {
        let call = place.handoff_loop(["-v", "t"]).with("ANTHROPIC_API_KEY", token);
        let ran = call.run().ends(0, DONE).says(&[shown]);
        assert!(!ran.stderr.contains("4567"));
    }
}

#[test]
fn the_agents_own_compaction_is_off_unless_it_is_wanted() {
    let wanted: [(&[&str], bool); 3] =
        [(&[], false), (&["--compact", "auto"], true), (&["--no-handoff"], true)];
    for (options, compacts) in wanted {
        let compact = json!({ "compact": true });
        let place = Place::new(&sessions(&[session(&[tool(40_000, "true"), compact, answer()])]));
        place.handoff_loop(WINDOW).arguments(options).arguments(["t"]).run().ends(0, DONE);
        let transcript = &files(&place.path("home/.claude/projects"))[0];
        let text = fs_err::read_to_string(transcript).unwrap();
        assert_eq!(text.contains("compact_boundary"), compacts, "{options:?}");
    }
}
