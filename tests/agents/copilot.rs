//! The real GitHub Copilot CLI: npm's program launches another one and passes no signal
//! on; its compaction has no switch.

use ctxutils_tests::cli::COPILOT;
use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::World;
use serde_json::{Value, json};

use crate::prompts;

/// Runs it with these words of agent-run; the exit code and the outcome.
fn run(world: &World, words: &[&str]) -> (i32, Value) {
    let common = ["--agent", "copilot", "--outcome", "outcome", "--window", "200000"];
    let ran = world.tool("agent-run", &[&common[..], words].concat(), "mend it").end();
    (ran.code, serde_json::from_str(&world.read("outcome")).unwrap())
}

#[test]
fn what_went_wrong_with_copilot_is_told() {
    for (reply, code, verdict) in [
        (Reply::refuses(401, "Incorrect API key provided: dummy."), 77, "credentials"),
        (Reply::refuses(404, "no such model"), 77, "model"),
        (Reply::refuses(400, "bad thing"), 1, "failed"),
        (Reply::says(""), 1, "empty"),
    ] {
        let Some(world) = World::of(&[&COPILOT], &Script::of([reply.times(-1)])) else { return };
        let (exit, outcome) = run(&world, &["start"]);
        assert_eq!((exit, &outcome["verdict"]), (code, &json!(verdict)), "{outcome}");
    }
}

/// One that hangs is ended together with what it launched, and the session goes on.
#[test]
fn a_silent_run_of_copilot_is_ended_and_goes_on() {
    let script = Script::of([
        Reply::runs("echo one").seeing(20_000),
        Reply::says("late").after(60_000),
        Reply::says("Done.").seeing(21_000),
    ]);
    let Some(world) = World::of(&[&COPILOT], &script) else { return };
    let (exit, outcome) =
        run(&world, &["start", "--timeout", "20", "--agent-arg=--allow-all-tools"]);
    assert_eq!((exit, &outcome["verdict"]), (124, &json!("hung")), "{outcome}");
    let id = outcome["session_id"].as_str().unwrap();
    let (exit, outcome) = run(&world, &["resume", id]);
    assert_eq!((exit, &outcome["verdict"]), (0, &json!("done")), "{outcome}");
    assert_eq!((&outcome["context"], &outcome["num_turns"]), (&json!(21_000), &json!(1)));
    let last = world.endpoint.requests().pop().unwrap();
    let roles = last["body"]["messages"].as_array().unwrap().iter().map(|said| &said["role"]);
    assert_eq!(json!(roles.collect::<Vec<_>>())[3], "tool", "the tool's result is lost");
}

/// What it has said and seen, as it counts, outgrows a window of 16,000 tokens.
#[test]
fn copilot_does_not_compact_unless_it_is_to() {
    for (compact, is_compacted) in [("off", false), ("auto", true)] {
        let mut replies = vec![Reply::runs("seq 1 900").seeing(14_000); 4];
        replies.push(Reply::says("Done.").seeing(14_000).times(-1));
        let Some(world) = World::of(&[&COPILOT], &Script::of(replies)) else { return };
        let words = "echo mend it | agent-run --agent copilot --agent-arg=--allow-all-tools";
        let window = "COPILOT_PROVIDER_MAX_PROMPT_TOKENS=16000";
        let run = format!("export {window}; {words} --compact {compact} start");
        world.shell(&run).end().came_to(0, "Done.\n");
        let sums_up = |prompt: &String| prompt.contains("history is being compacted");
        assert_eq!(prompts(&world).iter().any(sums_up), is_compacted, "{compact}");
    }
}

#[test]
fn a_prompt_that_a_hook_of_copilot_refused_is_blocked() {
    let Some(world) = World::of(&[&COPILOT], &Script::of([Reply::says("never")])) else { return };
    let answer = json!({"decision": "block", "reason": "not now"}).to_string();
    let hook = json!({"type": "command", "bash": format!("echo '{answer}'")});
    let hooks = json!({"version": 1, "hooks": {"userPromptSubmitted": [hook]}});
    world.write("plugin/plugin.json", &json!({"name": "own", "hooks": "hooks.json"}).to_string());
    world.write("plugin/hooks.json", &hooks.to_string());
    let (exit, outcome) = run(&world, &["start", "--agent-arg=--plugin-dir=plugin"]);
    assert_eq!((exit, &outcome["verdict"]), (1, &json!("blocked")), "{outcome}");
    assert_eq!(outcome["error"], "not now");
    assert_eq!(world.asked(), "");
}
