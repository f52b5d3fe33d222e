//! The real OpenCode: its sessions lie in a database, so that its stream alone tells what
//! an answer saw while it runs.

use ctxutils_tests::cli::OPENCODE;
use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::World;
use serde_json::{Value, json};

use crate::interruption::ends_in_mid_tool;
use crate::with_window;

/// The line lies between what the answer saw and what the next request would carry.
#[test]
fn a_large_result_of_opencode_is_judged_before_it_is_sent() {
    let large = "head -c 60000 /dev/zero | tr '\\0' x";
    let script = Script::of([
        Reply::runs(large).seeing(140_000),
        Reply::says("cut off").seeing(158_000).after(5_000),
    ]);
    let Some(world) = World::of(&[&OPENCODE], &script) else { return };
    let options = ["--agent", "opencode", "--outcome", "outcome.json", "start"];
    let limits = ["--window", "200000", "--stop-at", "due"];
    world.tool("agent-run", &[&options[..], &limits].concat(), "look").end().came_to(0, "");
    let outcome: Value = serde_json::from_str(&world.read("outcome.json")).unwrap();
    assert_eq!((&outcome["verdict"], &outcome["context"]), (&json!("stopped"), &json!(140_000)));
    assert!(outcome["projected"].as_u64() > Some(150_000), "{outcome}");
    assert!(outcome["session_id"].as_str().unwrap().starts_with("ses_"));
}

#[test]
fn refused_credentials_of_opencode_end_the_step() {
    let script = Script::of([Reply::refuses(401, "Incorrect API key provided: dummy.").times(-1)]);
    let Some(world) = World::of(&[&OPENCODE], &script) else { return };
    world.handoff_loop(&with_window(&["mend it"])).end().came_to(77, "");
}

/// OpenCode tries again for ever, without a word.
#[test]
fn a_rate_limit_that_opencode_waits_for_in_silence_is_a_hang() {
    let script = Script::of([Reply::refuses(429, "Rate limit reached for requests").times(-1)]);
    let Some(world) = World::of(&[&OPENCODE], &script) else { return };
    world.handoff_loop(&with_window(&["--timeout", "30", "mend it"])).end().came_to(124, "");
    assert!(world.asked().starts_with("task"), "it did not come to ask: {}", world.asked());
}

/// OpenCode dies of the signal at once; the call that ran is told of as interrupted.
#[test]
fn an_interrupted_session_of_opencode_goes_on() {
    let Some(worlds) = ends_in_mid_tool(&OPENCODE, false) else { return };
    for world in worlds {
        let messages = world.endpoint.requests()[1]["body"]["messages"].to_string();
        assert!(messages.contains("[Tool execution was interrupted]"), "{messages}");
    }
}
