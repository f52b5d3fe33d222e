//! Interrupted runs go on, and later wakes join the last successor.

use std::thread;
use std::time::Duration;

use ctxutils_tests::cli::Cli;
use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::running::Running;
use ctxutils_tests::world::World;
use serde_json::{Value, json};

use crate::{DOCUMENT, document, prompts, with_window};

/// Waits until the session's `sleep` runs, which says so in a file.
fn asleep(world: &World) {
    world.wait_until("the sleeping tool", || fs_err::exists(world.path("asleep")).unwrap());
}

fn interrupted(world: &World, running: Running, signal: &str, code: i32) {
    asleep(world);
    fs_err::remove_file(world.path("asleep")).unwrap();
    running.signal(signal);
    let ran = running.end();
    ran.came_to(code, "").said("go on with: handoff-loop --resume --step 'work' --home '.handoff'");
    let row = world.row();
    assert_eq!((&row["ok"], &row["attempts"]), (&json!(false), &json!(1)));
    assert_eq!(row["errors"], json!(["interrupted"]));
}

/// Long enough to be interrupted, short enough to be left behind by a crash.
fn sleeps() -> Reply {
    Reply::runs("touch asleep; sleep 20")
}

#[test]
fn a_session_that_was_interrupted_goes_on() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let script = Script::of([
            Reply::runs("echo one").seeing(20_000),
            sleeps().seeing(30_000),
            Reply::says("Done.").seeing(40_000),
        ]);
        let Some(world) = World::new(&script) else { return };
        interrupted(&world, world.handoff_loop(&with_window(&["work"])), signal, code);
        let session = world.row()["session_id"].clone();

        world.handoff_loop(&with_window(&["--resume"])).end().came_to(0, "Done.\n");
        let requests = world.endpoint.requests();
        assert!(requests.iter().all(|request| request["session"] == session));
        assert_eq!(world.asked(), "task result on");
        assert_eq!((&world.row()["ok"], &world.row()["session_id"]), (&json!(true), &session));
    }
}

#[test]
fn a_session_that_was_interrupted_before_its_first_answer_goes_on() {
    let script =
        Script::of([Reply::says("Late.").after(60_000), Reply::says("Done.").seeing(20_000)]);
    let Some(world) = World::new(&script) else { return };
    let running = world.handoff_loop(&with_window(&["mend the fence"]));
    world.wait_for_requests(1);
    running.signal("INT");
    running.end().came_to(130, "").said("go on with: handoff-loop --resume");
    world.handoff_loop(&with_window(&["--resume"])).end().came_to(0, "Done.\n");
    assert!(
        world.endpoint.requests()[1]["body"]["messages"].to_string().contains("mend the fence")
    );
}

/// The CLI was ended before it had made a session, so none can be resumed.
#[test]
fn a_session_that_never_came_to_be_starts() {
    let script = Script::of([Reply::says("Done.").seeing(20_000)]);
    let Some(world) = World::new(&script) else { return };
    let running = world.handoff_loop(&with_window(&["mend the fence"]));
    world.wait_until("the ledger", || {
        fs_err::exists(world.path(".handoff/runs/manifest.json")).unwrap()
    });
    running.signal("TERM");
    running.end().came_to(143, "");
    assert_eq!(world.asked(), "");
    let session = world.row()["session_id"].clone();
    world.handoff_loop(&with_window(&["--resume"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task");
    assert!(prompts(&world)[0].contains("mend the fence"));
    assert_eq!(world.endpoint.requests()[0]["session"], session);
    assert_eq!((&world.row()["ok"], &world.row()["session_id"]), (&json!(true), &session));
}

#[test]
fn a_successor_that_was_interrupted_goes_on() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        sleeps().seeing(30_000),
        Reply::runs("echo two").seeing(40_000),
        Reply::says("Done.").seeing(41_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    interrupted(&world, world.handoff_loop(&with_window(&["work"])), "INT", 130);
    let requests = world.endpoint.requests();
    let (first, second) = (&requests[0]["session"], &requests[3]["session"]);
    assert_eq!((&world.row()["session_id"], &world.row()["retired"]), (second, &json!([first])));

    world.handoff_loop(&with_window(&["--resume"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result handoff successor on result");
    // The retired session is never joined again.
    assert!(world.endpoint.requests()[4..].iter().all(|request| request["session"] == *second));
}

#[test]
fn a_handoff_turn_that_was_interrupted_is_made_again() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100).after(60_000),
        // The session goes on, is still beyond its line, and writes once more.
        Reply::runs("echo two").seeing(152_000),
        document(2).seeing(152_100),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let running = world.handoff_loop(&with_window(&["work"]));
    world.wait_for_requests(3);
    running.signal("INT");
    running.end().came_to(130, "").said("go on with: handoff-loop --resume");
    assert!(!fs_err::exists(world.path(DOCUMENT)).unwrap(), "nothing was written");
    assert_eq!(world.row()["retired"], json!([]));

    world.handoff_loop(&with_window(&["--resume"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result handoff on handoff successor");
    assert!(world.read(DOCUMENT).contains("Part 2 is done."));
}

#[test]
fn the_next_wake_of_a_finished_run_joins_its_last_successor() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        Reply::says("Done.").seeing(20_000),
        Reply::says("Done more.").seeing(21_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    world.handoff_loop(&with_window(&["work"])).end().came_to(0, "Done.\n");
    let session = world.row()["session_id"].clone();

    let options = with_window(&["--resume", "now paint it"]);
    world.handoff_loop(&options).end().came_to(0, "Done more.\n");
    let requests = world.endpoint.requests();
    assert_eq!(requests[4]["session"], session);
    assert!(prompts(&world)[4].contains("now paint it"));
    // A wake is a run of its own, whose breakers count anew.
    let rows = world.rows();
    assert_eq!(rows.len(), 2);
    assert_eq!((&rows[1]["session_id"], &rows[1]["retired"]), (&session, &json!([])));
    assert_eq!((&rows[0]["ok"], &rows[1]["ok"]), (&json!(true), &json!(true)));
}

#[test]
fn there_is_nothing_to_resume_where_nothing_ran() {
    let Some(world) = World::new(&Script::of([])) else { return };
    world.handoff_loop(&["--resume"]).end().came_to(1, "").said("nothing to resume");
}

#[test]
fn a_session_goes_on_after_a_crash() {
    let script = Script::of([
        Reply::runs("echo one").seeing(20_000),
        sleeps().seeing(30_000),
        Reply::says("Done.").seeing(40_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let running = world.handoff_loop(&with_window(&["work"]));
    asleep(&world);
    running.crash();
    world.handoff_loop(&with_window(&["--resume"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result on");
    let row = world.row();
    assert_eq!(
        (&row["ok"], &row["session_id"]),
        (&json!(true), &world.endpoint.requests()[0]["session"])
    );
    assert_eq!(world.rows().len(), 1);
}

#[test]
fn a_successor_goes_on_after_a_crash() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        sleeps().seeing(30_000),
        Reply::says("Done.").seeing(41_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let running = world.handoff_loop(&with_window(&["work"]));
    asleep(&world);
    running.crash();
    let ran = world.handoff_loop(&with_window(&["--resume"])).end();
    ran.came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result handoff successor on");
    let requests = world.endpoint.requests();
    assert_eq!(requests[3]["session"], requests[4]["session"]);
    let row = world.row();
    assert_eq!((&row["ok"], &row["session_id"]), (&json!(true), &requests[4]["session"]));
    assert_eq!(row["retired"], json!([requests[0]["session"]]));
}

/// Only the loop is gone: its agent works on, and must not get company.
#[test]
fn a_session_that_still_runs_is_not_joined() {
    let script = Script::of([
        Reply::runs("touch asleep; sleep 3").seeing(30_000),
        Reply::says("Half.").seeing(40_000),
        Reply::says("Done.").seeing(41_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let running = world.handoff_loop(&with_window(&["work"]));
    asleep(&world);
    running.kill();
    let ran = world.handoff_loop(&with_window(&["--resume"])).end();
    ran.came_to(75, "").said("still runs");
    assert_eq!(world.asked(), "task");
    world.wait_for_requests(2);
    world.wait_until("the end of the agent that was left", || {
        let ran = world.handoff_loop(&with_window(&["--resume"])).end();
        assert!(ran.code == 75 || ran.stdout == "Done.\n", "{ran:#?}");
        ran.code == 0
    });
    assert_eq!(world.asked(), "task result on");
}

/// A run of any CLI that a signal ends while its tool runs, and its session, which goes on;
/// the worlds in which that was. Whether the tool dies with it is the CLI's.
pub(crate) fn ends_in_mid_tool(cli: &'static Cli, its_tool_dies: bool) -> Option<[World; 2]> {
    let [interrupt, terminate] = [("INT", 130), ("TERM", 143)].map(|(signal, code)| {
        let script = Script::of([
            Reply::runs("touch asleep; sleep 3; touch awake").seeing(30_000),
            Reply::says("Done.").seeing(40_000),
        ]);
        let world = World::of(&[cli], &script)?;
        let passed: Vec<_> =
            cli.permissions.iter().map(|word| format!("--agent-arg={word}")).collect();
        let mut words = vec!["--agent", cli.name, "--outcome", "outcome"];
        words.extend(passed.iter().map(String::as_str));
        let running = world.tool("agent-run", &[&words[..], &["start"]].concat(), "begin");
        asleep(&world);
        running.signal(signal);
        let ran = running.end();
        ran.came_to(code, "");
        let outcome: Value = serde_json::from_str(&world.read("outcome")).unwrap();
        assert_eq!(outcome["verdict"], "interrupted");
        if its_tool_dies {
            thread::sleep(Duration::from_secs(4));
            assert!(!fs_err::exists(world.path("awake")).unwrap(), "the tool ran on");
        } else {
            ran.said("what it had started runs on: process ");
        }
        let resume = [&words[..], &["resume", outcome["session_id"].as_str().unwrap()]].concat();
        world.tool("agent-run", &resume, "Go on.").end().came_to(0, "Done.\n");
        assert_eq!(world.asked(), "task on");
        Some(world)
    });
    Some([interrupt?, terminate?])
}
