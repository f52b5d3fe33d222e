//! What counts as an attempt, and what ends a run at once.

use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::World;
use serde_json::json;

use crate::{document, with_window};

/// More often than the CLI itself tries again.
fn overloaded() -> Reply {
    Reply::refuses(529, "Overloaded").times(2)
}

#[test]
fn errors_of_the_service_are_attempts_and_rotations_are_none() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        overloaded(),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        Reply::runs("echo two").seeing(20_000),
        // The CLI then asks twice more, for an answer in one piece.
        Reply::drops().times(3),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let ran = world.handoff_loop(&with_window(&["work"])).end();
    ran.came_to(0, "Done.\n").said("attempt 2 of 3").said("attempt 3 of 3");
    assert_eq!(world.asked(), "task result result on handoff successor result result result on");
    let row = world.row();
    assert_eq!((&row["attempts"], &row["ok"]), (&json!(3), &json!(true)));
    assert_eq!(row["retired"].as_array().unwrap().len(), 1);
    // The same session went on.
    let requests = world.endpoint.requests();
    assert_eq!(requests[0]["session"], requests[3]["session"]);
}

#[test]
fn attempts_run_out() {
    let script = Script::of([overloaded().times(-1)]);
    let Some(world) = World::new(&script) else { return };
    let ran = world.handoff_loop(&with_window(&["--max-attempts", "2", "work"])).end();
    ran.came_to(75, "").said("attempt 2 of 2");
    let row = world.row();
    assert_eq!((&row["attempts"], &row["ok"]), (&json!(2), &json!(false)));
    assert!(row["errors"].to_string().contains("529"), "{row}");
}

#[test]
fn a_key_that_is_refused_stops_at_once() {
    let script = Script::of([Reply::refuses(401, "invalid x-api-key").times(-1)]);
    let Some(world) = World::new(&script) else { return };
    let ran = world.handoff_loop(&with_window(&["work"])).end();
    ran.came_to(77, "").said("credentials: ");
    let row = world.row();
    assert_eq!((&row["attempts"], &row["ok"]), (&json!(1), &json!(false)));
}

#[test]
fn a_model_that_is_refused_stops_at_once() {
    let script = Script::of([Reply::refuses(404, "model: claude-none").times(-1)]);
    let Some(world) = World::new(&script) else { return };
    let options = ["--agent-arg=--model", "--agent-arg=claude-none", "work"];
    world.handoff_loop(&with_window(&options)).end().came_to(77, "").said("model: ");
    assert_eq!(world.row()["attempts"], 1);
}

/// The CLI exits with 0 and says success.
#[test]
fn a_prompt_that_a_hook_refuses_is_a_failure() {
    let Some(world) = World::new(&Script::of([])) else { return };
    world.settings(&json!({"hooks": {"UserPromptSubmit": [{"hooks": [
        {"type": "command", "command": "echo 'not on Sundays' >&2; exit 2"}]}]}}));
    let ran = world.handoff_loop(&with_window(&["work"])).end();
    ran.came_to(1, "").said("not on Sundays");
    assert_eq!(world.asked(), "");
    let row = world.row();
    assert_eq!(row["ok"], false);
    let error = row["errors"][0].as_str().unwrap();
    assert!(error.starts_with("blocked: ") && error.contains("not on Sundays"), "{error}");
}

#[test]
fn a_rate_limit_says_how_long_to_wait() {
    let script = Script::of([
        Reply::refuses(429, "Too many tokens, please try again in 1s.").times(2),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let ran = world.handoff_loop(&with_window(&["work"])).end();
    ran.came_to(0, "Done.\n").said("# rate, attempt 2 of 3 in 1 s");
    assert_eq!(world.row()["attempts"], 2);
}

#[test]
fn a_service_that_never_answers() {
    let script = Script::of([Reply::says("Late.").after(60_000)]);
    let Some(world) = World::new(&script) else { return };
    world.handoff_loop(&with_window(&["--timeout", "2", "work"])).end().came_to(124, "");
    let row = world.row();
    assert_eq!((&row["ok"], &row["errors"]), (&json!(false), &json!(["hung"])));
}
