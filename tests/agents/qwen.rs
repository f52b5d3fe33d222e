//! The real Qwen Code: no hook of its can end a run, so that it is watched from outside
//! and interrupted at its line; what it calls a success need be none.

use ctxutils_tests::cli::QWEN;
use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::{ASK, World};
use serde_json::{Value, json};

use crate::interruption::ends_in_mid_tool;
use crate::{document, each, with_window};

const RUN: [&str; 5] = ["--agent", "qwen", "--agent-arg=--yolo", "--outcome", "outcome"];

fn outcome(world: &World) -> Value {
    serde_json::from_str(&world.read("outcome")).unwrap()
}

/// What a request brings of results of tools.
fn results(request: &Value) -> Vec<&str> {
    let messages = request["body"]["messages"].as_array().unwrap();
    let tools = messages.iter().filter(|message| message["role"] == "tool");
    tools.map(|message| message["content"][0]["text"].as_str().unwrap()).collect()
}

/// Its tools run one after the other, and the line is crossed in front of the first.
#[test]
fn qwen_is_stopped_when_all_tools_of_an_answer_have_ended() {
    let late = Reply::says("cut off").after(5_000).times(-1);
    let script = Script::of([
        Reply::runs_all(&["sleep 0.5; echo one >one", "echo two >two"]).seeing(151_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    let script = script
        .when(&json!({"user": ASK}), [document(1).seeing(152_000)])
        .when(&json!({"results": 2}), [late]);
    let Some(world) = World::of(&[&QWEN], &script) else { return };
    world.handoff_loop(&with_window(&["mend the fence"])).end().came_to(0, "Done.\n");
    let asked = world.asked().replace("task result handoff", "task handoff");
    assert_eq!(asked, "task handoff successor");
    let requests = world.endpoint.requests();
    let handoff = requests.iter().find(|request| request["last_user"].to_string().contains(ASK));
    assert_eq!(results(handoff.unwrap()).len(), 2);
    assert!(fs_err::exists(world.path("two")).unwrap());
    assert_eq!(json!(each(&world.row(), "context")), json!([151_000, 20_000]));
}

/// A tool that changes nothing is denied by the hook.
#[test]
fn the_guard_is_heard_in_the_turn_of_qwen_that_writes() {
    let script =
        Script::of([Reply::says("begun"), Reply::uses("todo_write", &json!({"todos": []}))]);
    let script = script.when(&json!({"results": 1}), [Reply::says("The document.")]);
    let Some(world) = World::of(&[&QWEN], &script) else { return };
    world.tool("agent-run", &[&RUN[..], &["start"]].concat(), "begin").end().came_to(0, "begun\n");
    let id = outcome(&world)["session_id"].as_str().unwrap().to_owned();
    let resume = [&RUN[..], &["resume", &id, "--turn", "handoff"]].concat();
    world.tool("agent-run", &resume, "write").end().came_to(0, "The document.\n");
    let requests = world.endpoint.requests();
    let denied = results(requests.last().unwrap());
    assert!(denied[0].contains("No tools in this turn"), "{denied:?}");
}

/// It passes over hooks of the system where the person and the project both have some.
#[test]
fn the_turn_of_qwen_that_writes_changes_nothing_though_hooks_are_passed_over() {
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]},
        "security": {"auth": {"selectedType": "openai"}},
        "memory": {"enableManagedAutoMemory": false}});
    let write = json!({"file_path": "/tmp/no", "content": "no"});
    let script = Script::of([
        Reply::says("begun"),
        Reply::runs("echo no >no"),
        Reply::uses("write_file", &write),
    ]);
    let script = script.when(&json!({"results": 2}), [Reply::says("The document.")]);
    let Some(world) = World::of(&[&QWEN], &script) else { return };
    world.write(".qwen/settings.json", &hooks.to_string());
    world.shell("cp .qwen/settings.json ~/.qwen/settings.json").end().came_to(0, "");
    world.tool("agent-run", &[&RUN[..], &["start"]].concat(), "begin").end().came_to(0, "begun\n");
    let id = outcome(&world)["session_id"].as_str().unwrap().to_owned();
    let resume = [&RUN[..], &["resume", &id, "--turn", "handoff"]].concat();
    world.tool("agent-run", &resume, "write").end().came_to(0, "The document.\n");
    assert!(!fs_err::exists(world.path("no")).unwrap(), "the handoff turn wrote a file");
    let requests = world.endpoint.requests();
    let denied = results(requests.last().unwrap());
    assert!(
        denied.iter().all(|result| result.contains("denied by permission rules")),
        "{denied:?}"
    );
    assert_eq!(requests[0]["body"]["tools"], requests[1]["body"]["tools"]);
}

/// By itself it starts a child, which outlives an interrupt.
#[test]
fn an_interrupted_session_of_qwen_goes_on_and_its_tool_does_not() {
    ends_in_mid_tool(&QWEN, true);
}

#[test]
fn a_hanging_qwen_is_ended_and_its_session_goes_on() {
    let script = Script::of([
        Reply::runs("echo one").seeing(30_000),
        Reply::says("too late").after(60_000),
        Reply::says("Done.").seeing(40_000),
    ]);
    let Some(world) = World::of(&[&QWEN], &script) else { return };
    let start = [&RUN[..], &["--timeout", "20", "start"]].concat();
    world.tool("agent-run", &start, "begin").end().came_to(124, "");
    let outcome = outcome(&world);
    assert_eq!(outcome["verdict"], "hung");
    let resume = [&RUN[..], &["resume", outcome["session_id"].as_str().unwrap()]].concat();
    world.tool("agent-run", &resume, "Go on.").end().came_to(0, "Done.\n");
    assert_eq!(results(world.endpoint.requests().last().unwrap()).len(), 1);
}

/// Each of these is a success with exit 0 to it.
#[test]
fn what_qwen_calls_a_success_is_judged_by_its_words() {
    for (reply, verdict, code) in [
        (Reply::refuses(401, "Incorrect API key provided: dummy."), "credentials", 77),
        (
            Reply::refuses(
                404,
                "The model `scripted` does not exist or you do not have access to it.",
            ),
            "model",
            77,
        ),
        (Reply::drops(), "network", 75),
        (Reply::overflows(), "overflow", 1),
    ] {
        let Some(world) = World::of(&[&QWEN], &Script::of([reply])) else { return };
        world.tool("agent-run", &[&RUN[..], &["start"]].concat(), "do it").end().came_to(code, "");
        assert_eq!(outcome(&world)["verdict"], verdict);
    }
}

#[test]
fn a_prompt_that_a_hook_of_qwen_refuses_is_no_success() {
    let hooks = json!({"hooks": {"UserPromptSubmit": [{"hooks": [
        {"type": "command", "command": "echo no >&2; exit 2"}]}]}});
    let Some(world) = World::of(&[&QWEN], &Script::of([])) else { return };
    world.write(".qwen/settings.json", &hooks.to_string());
    world.tool("agent-run", &[&RUN[..], &["start"]].concat(), "do it").end().came_to(1, "");
    assert_eq!(outcome(&world)["verdict"], "blocked");
    assert_eq!(world.asked(), "");
}
