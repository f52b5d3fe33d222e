//! What stops a loop of futile generations.

use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::World;
use serde_json::json;

use crate::{document, each, with_window};

#[test]
fn so_many_generations_and_no_more() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        Reply::runs("echo two").seeing(100_000),
        Reply::runs("echo two").seeing(152_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let ran = world.handoff_loop(&with_window(&["--max-generations", "1", "work"])).end();
    ran.came_to(3, "")
        .said("--max-generations allows more")
        .said("raise --window, or --no-handoff");
    // The second document is not even asked for.
    assert_eq!(world.asked(), "task result handoff successor result");
    let row = world.row();
    assert_eq!(row["retired"].as_array().unwrap().len(), 1);
    assert_eq!((&row["ok"], &row["attempts"]), (&json!(false), &json!(1)));
    assert_eq!(json!(each(&row, "context")), json!([151_000, 152_000]));
}

#[test]
fn a_successor_that_starts_at_the_line() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        Reply::runs("echo two").seeing(150_500),
    ]);
    let Some(world) = World::new(&script) else { return };
    let ran = world.handoff_loop(&with_window(&["work"])).end();
    ran.came_to(3, "").said("startup floor").said("raise --window, or --no-handoff");
    assert_eq!(world.asked(), "task result handoff successor");
    assert_eq!(world.row()["ok"], false);
}

/// The first session of a run may start above the line: a resumed one does.
#[test]
fn a_line_crossed_at_once_by_the_first_session_is_no_floor() {
    let script = Script::of([
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    world.handoff_loop(&with_window(&["work"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task handoff successor");
}

#[test]
fn a_line_crossed_by_the_final_answer_is_done() {
    let script =
        Script::of([Reply::runs("true").seeing(100_000), Reply::says("Done.").seeing(199_000)]);
    let Some(world) = World::new(&script) else { return };
    world.handoff_loop(&with_window(&["work"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result");
    assert_eq!(world.row()["retired"], json!([]));
}
