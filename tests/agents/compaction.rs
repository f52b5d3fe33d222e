//! The CLI's own compaction: off where handoffs are made, else left alone.

use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::World;
use serde_json::json;

use crate::with_window;

/// What a session finds in its environment, run with these options.
fn environment(options: &[&str]) -> Option<(String, String)> {
    let script = Script::of([Reply::runs("env >environment").seeing(20_000), Reply::says("Done.")]);
    let world = World::new(&script)?;
    let ran = world.handoff_loop(&with_window(&[options, &["work"]].concat())).end();
    ran.came_to(0, "Done.\n");
    Some((world.read("environment"), ran.stderr))
}

#[test]
fn it_is_off_where_handoffs_are_made() {
    let Some((environment, stderr)) = environment(&[]) else { return };
    assert!(environment.contains("\nDISABLE_AUTO_COMPACT=1\n"), "{environment}");
    assert!(!stderr.contains("compact"), "{stderr}");
}

#[test]
fn it_may_stay_on_which_is_warned_of() {
    let Some((environment, stderr)) = environment(&["--compact", "auto"]) else { return };
    assert!(!environment.contains("COMPACT"), "{environment}");
    assert!(stderr.contains("agent-run: the agent may compact by itself"), "{stderr}");
}

#[test]
fn without_handoffs_it_is_left_alone() {
    let Some((environment, stderr)) = environment(&["--no-handoff"]) else { return };
    for ours in ["COMPACT", "CTX_GUARD", "BLOCKING_LIMIT"] {
        assert!(!environment.contains(ours), "{ours} in {environment}");
    }
    assert!(!stderr.contains("compact"), "{stderr}");
}

#[test]
fn without_handoffs_the_cli_compacts_and_goes_on() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo one").seeing(160_000),
        Reply::refuses(400, "prompt is too long: 205000 tokens > 200000 maximum"),
        Reply::says("<summary>The fence is half done.</summary>").seeing(100_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    world.handoff_loop(&with_window(&["--no-handoff", "work"])).end().came_to(0, "Done.\n");
    let row = world.row();
    assert_eq!((&row["retired"], &row["ok"]), (&json!([]), &json!(true)));
    let requests = world.endpoint.requests();
    assert!(requests.iter().all(|request| request["session"] == row["session_id"]));
    assert!(requests[4]["body"].to_string().contains("The fence is half done."));
}

#[test]
fn without_handoffs_an_overflow_fails_the_step() {
    let too_long = "prompt is too long: 205000 tokens > 200000 maximum";
    let script = Script::of([Reply::refuses(400, too_long).times(-1)]);
    let Some(world) = World::new(&script) else { return };
    world.handoff_loop(&with_window(&["--no-handoff", "work"])).end().came_to(1, "");
    let row = world.row();
    assert_eq!((&row["retired"], &row["ok"]), (&json!([]), &json!(false)));
    assert!(row["errors"][0].as_str().unwrap().starts_with("overflow: "), "{row}");
}
