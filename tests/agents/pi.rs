//! The real pi: an extension, loaded for one run, lets the guard stop it and deny its
//! tools, and keeps it from compacting.

use ctxutils_tests::cli::PI;
use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::{ASK, World};
use serde_json::{Value, json};

use crate::interruption::ends_in_mid_tool;
use crate::{document, each, with_window};

/// The roles of what a request brings, the system's aside.
fn roles(request: &Value) -> Vec<&str> {
    let messages = request["body"]["messages"].as_array().unwrap();
    let roles = messages.iter().map(|message| message["role"].as_str().unwrap());
    roles.filter(|role| !matches!(*role, "system" | "developer")).collect()
}

/// All tools of the answer at the line have their results, and the end that was made
/// leaves nothing between them and the prompt.
#[test]
fn pi_stops_when_all_tools_of_an_answer_have_ended() {
    let script = Script::of([
        Reply::runs_all(&["sleep 0.5; echo one >one", "echo two >two"]).seeing(151_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    let script = script.when(&json!({"user": ASK}), [document(1).seeing(152_000)]);
    let Some(world) = World::of(&[&PI], &script) else { return };
    world.handoff_loop(&with_window(&["mend the fence"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task handoff successor");
    assert_eq!(roles(&world.endpoint.requests()[1]), ["user", "assistant", "tool", "tool", "user"]);
    assert!(
        fs_err::exists(world.path("one")).unwrap() && fs_err::exists(world.path("two")).unwrap()
    );
    assert_eq!(json!(each(&world.row(), "context")), json!([151_000, 20_000]));
}

/// By itself pi dies of an interrupt and leaves its tool running.
#[test]
fn an_interrupted_session_of_pi_goes_on_and_its_tool_does_not() {
    ends_in_mid_tool(&PI, true);
}

/// pi ends well, and without a word, when it has compacted after an overflow.
#[test]
fn without_handoffs_an_overflow_of_pi_fails_the_step() {
    let script =
        Script::of([Reply::runs("echo one").seeing(100_000), Reply::overflows().times(-1)]);
    let Some(world) = World::of(&[&PI], &script) else { return };
    world.handoff_loop(&with_window(&["--no-handoff", "work"])).end().came_to(1, "");
    let row = world.row();
    assert!(row["errors"][0].as_str().unwrap().starts_with("overflow: "), "{row}");
}

#[test]
fn refused_credentials_of_pi_end_the_step() {
    let script = Script::of([Reply::refuses(401, "Incorrect API key provided: dummy.").times(-1)]);
    let Some(world) = World::of(&[&PI], &script) else { return };
    world.handoff_loop(&with_window(&["mend it"])).end().came_to(77, "");
}

/// The session goes on under the id that pi chose for it.
#[test]
fn a_resume_of_pi_names_the_model_again() {
    let script = Script::of([Reply::says("One.").seeing(500), Reply::says("Two.").seeing(600)]);
    let Some(world) = World::of(&[&PI], &script) else { return };
    let words = ["--agent", "pi", "--outcome", "outcome"];
    let start = ["start", "--agent-arg=--model", "--agent-arg=scripted/other"];
    world.tool("agent-run", &[&words[..], &start].concat(), "begin").end().came_to(0, "One.\n");
    let outcome: Value = serde_json::from_str(&world.read("outcome")).unwrap();
    let id = outcome["session_id"].as_str().unwrap();
    let resume = [&words[..], &["resume", id]].concat();
    world.tool("agent-run", &resume, "go on").end().came_to(0, "Two.\n");
    let again: Value = serde_json::from_str(&world.read("outcome")).unwrap();
    for outcome in [&outcome, &again] {
        assert_eq!(outcome["session_id"], id);
        assert_eq!(
            (&outcome["model"], &outcome["num_turns"]),
            (&json!("scripted/other"), &json!(1))
        );
    }
    let requests = world.endpoint.requests();
    assert!(requests.iter().all(|request| request["body"]["model"] == "other"));
    assert_eq!(roles(&requests[1]), ["user", "assistant", "user"]);
}
