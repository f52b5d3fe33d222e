//! The real Gemini CLI: no hook can be registered for one run, so that it is watched
//! from outside; and a resume of a session may cost it the transcript.

use std::path::PathBuf;

use ctxutils_tests::cli::GEMINI;
use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::World;
use serde_json::json;

use crate::with_window;

const OF_ITS_OWN: [&str; 3] =
    ["--agent-arg=--approval-mode", "--agent-arg=yolo", "--agent-arg=--skip-trust"];
const ID: &str = "5f0c3a52-8c1e-4f0e-9d5b-7f3f5f1f2a10";

fn run(world: &World, session: &[&str]) -> ctxutils_tests::running::Ran {
    let words = [&["--agent", "gemini"][..], &OF_ITS_OWN, session].concat();
    world.tool("agent-run", &words, "go on").end()
}

/// The files of the session, as the CLI keeps them.
fn files(world: &World) -> Vec<PathBuf> {
    let tmp = world.path("../home/.gemini/tmp");
    let projects = fs_err::read_dir(tmp).unwrap().map(|project| project.unwrap().path());
    let chats = projects.filter_map(|project| fs_err::read_dir(project.join("chats")).ok());
    let files = chats.flatten().map(|file| file.unwrap().path());
    files.filter(|path| path.to_str().unwrap().ends_with("-5f0c3a52.jsonl")).collect()
}

/// The CLI deletes all files of a session of which one holds nothing, and a resume in
/// a later minute leaves such a one.
#[test]
fn a_resumed_session_of_gemini_outlives_the_next_start() {
    let script = Script::of([
        Reply::runs("echo one").seeing(20_000),
        Reply::says("Begun.").seeing(20_100),
        Reply::says("Gone on.").seeing(20_200),
        Reply::says("Another.").seeing(10_000),
        Reply::says("Gone on again.").seeing(20_300),
    ]);
    let Some(world) = World::of(&[&GEMINI], &script) else { return };
    run(&world, &["start", "--session", ID]).came_to(0, "Begun.\n");
    // As if an hour had passed.
    let begun = files(&world).remove(0);
    fs_err::rename(&begun, begun.with_file_name("session-2026-11-30T01-01-5f0c3a52.jsonl"))
        .unwrap();
    run(&world, &["resume", ID]).came_to(0, "Gone on.\n");
    assert_eq!(files(&world).len(), 1, "a file that holds nothing was left");
    run(&world, &["start"]).came_to(0, "Another.\n");
    assert_eq!(files(&world).len(), 1, "the transcript was deleted");
    run(&world, &["resume", ID]).came_to(0, "Gone on again.\n");
    world.tool("ctx-meter", &[ID], "").end().came_to(0, "20300\n");
    // What was there before the last resume.
    let kept = world.path("../home/.local/state/ctxutils/transcripts");
    let session = fs_err::read_dir(kept).unwrap().next().unwrap().unwrap().path();
    let copy = session.join("session-2026-11-30T01-01-5f0c3a52.jsonl");
    assert!(fs_err::read_to_string(copy).unwrap().contains("Gone on."));
}

/// A request that the CLI itself finds too large is not made: it ends with success,
/// and says nothing.
#[test]
fn a_silent_overflow_of_gemini_is_one() {
    let script = Script::of([
        Reply::runs("seq 1 3000").seeing(1_048_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::of(&[&GEMINI], &script) else { return };
    let ran = world.handoff_loop(&["mend it"]).end();
    ran.came_to(0, "Done.\n").said("its context is full");
    assert_eq!(world.asked(), "task successor");
    assert_eq!(world.row()["generations"][0]["degraded"], true);
}

/// The person's own settings, with a share of the window at which it compacts.
fn compacts_at(world: &World, share: f64) {
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "model": {"compressionThreshold": share},
    });
    world.write("../home/.gemini/settings.json", &settings.to_string());
}

/// It would compact at half of its window, and only its own settings say otherwise; what
/// it resumes may be twice as much. The folder's settings are those of a stranger.
#[test]
fn gemini_hands_over_before_it_compacts() {
    for (own, folders, at) in [
        (0.5, None, 212_144),
        (1.0, None, 474_288),
        (0.5, Some(1.0), 212_144),
        (1.0, Some(0.25), 81_072),
    ] {
        let script = Script::of([Reply::says("Done.").seeing(20_000)]);
        let Some(world) = World::of(&[&GEMINI], &script) else { return };
        compacts_at(&world, own);
        if let Some(share) = folders {
            let settings = json!({"model": {"compressionThreshold": share}});
            world.write(".gemini/settings.json", &settings.to_string());
        }
        let words = ["start", "--stop-at", "due", "--outcome", "outcome.json"];
        run(&world, &words).came_to(0, "Done.\n");
        let outcome: serde_json::Value = serde_json::from_str(&world.read("outcome.json")).unwrap();
        assert_eq!(outcome["at"], at, "{own} {folders:?}");
    }
}

/// A resumed session carries each result of its tools twice. What stands in front of its
/// last prompt is compacted if that is too much.
#[test]
fn gemini_does_not_compact_what_it_resumes_for_the_document() {
    let long = |number: u64| {
        let command = format!("echo result-{number}; seq 1000 6500");
        Reply::runs(&command).seeing(8_000 * number)
    };
    let begun = [long(1), Reply::says("Begun.").seeing(9_000)];
    let script = Script::of(begun.into_iter().chain((2..7).map(long)))
        .when(&json!({"ever": "write it down"}), [crate::document(1).seeing(50_000)]);
    let Some(world) = World::of(&[&GEMINI], &script) else { return };
    // At 52,428 tokens.
    compacts_at(&world, 0.05);
    run(&world, &["start", "--session", ID]).came_to(0, "Begun.\n");
    let stopped = run(&world, &["resume", ID, "--stop-at", "due", "--headroom", "6000"]);
    let words =
        ["--agent", "gemini", "--agent-arg=--skip-trust", "resume", ID, "--turn", "handoff"];
    assert_eq!(world.tool("agent-run", &words, "write it down").end().code, 0);
    let body = world.endpoint.requests().pop().unwrap()["body"].to_string();
    assert!(body.contains("write it down") && body.contains("result-1"), "it was compacted");
    stopped.came_to(0, "").said("no more than 26214 tokens of the window are used");
}

/// What a sub-agent does is no tool of the main session's: the run goes on until it has
/// ended.
#[test]
fn a_sub_agent_of_gemini_is_not_cut_off() {
    let delegate = json!({"agent_name": "generalist", "prompt": "go and look"});
    let finish = json!({"result": {"response": "looked"}});
    let script = Script::of([
        Reply::uses("invoke_agent", &delegate).seeing(151_000),
        Reply::runs("echo sub >sub; sleep 1; echo more >more").seeing(10_000),
        Reply::uses("complete_task", &finish).seeing(10_100),
        Reply::says("cut off").seeing(151_500).after(5_000),
    ]);
    let script = script
        .when(&json!({"ever": ctxutils_tests::world::ASK}), [crate::document(1).seeing(152_000)]);
    let script =
        script.when(&json!({"ever": ctxutils_tests::world::TAKING_OVER}), [Reply::says("Done.")]);
    let Some(world) = World::of(&[&GEMINI], &script) else { return };
    world.handoff_loop(&with_window(&["look around"])).end().came_to(0, "Done.\n");
    assert!(fs_err::exists(world.path("more")).unwrap());
    assert_eq!(world.row()["generations"][0]["degraded"], false);
}

#[test]
fn refused_credentials_of_gemini_end_the_step() {
    let script =
        Script::of([Reply::refuses(400, "API key not valid. Please pass a valid API key.")]);
    let Some(world) = World::of(&[&GEMINI], &script) else { return };
    world.handoff_loop(&with_window(&["mend it"])).end().came_to(77, "");
}

/// As a child of its own it would neither hear that, nor end.
#[test]
fn a_session_of_gemini_goes_on_after_it_was_interrupted_or_hung() {
    let script = Script::of([
        Reply::says("too late").after(60_000),
        Reply::says("too late").after(60_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::of(&[&GEMINI], &script) else { return };
    let start = ["start", "--session", ID];
    let words = [&["--agent", "gemini"][..], &OF_ITS_OWN, &start].concat();
    let running = world.tool("agent-run", &words, "mend it");
    world.wait_for_requests(1);
    running.signal("TERM");
    running.end().came_to(143, "");
    run(&world, &["resume", ID, "--timeout", "20"]).came_to(124, "");
    run(&world, &["resume", ID]).came_to(0, "Done.\n");
}
