//! The real Codex: no hook can be registered for one run, so that it is watched from
//! outside, and interrupted at its line when a tool has ended.

use ctxutils_tests::cli::CODEX;
use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::{ASK, TAKING_OVER, World};
use serde_json::{Value, json};

use crate::{DOCUMENT, document, each, prompts, with_window};

/// Sessions of two tools each, after the second of which the line is crossed. When
/// the interrupt comes, the next request may have been made already: what it would
/// be answered counts for nothing.
fn crossing(replies: impl IntoIterator<Item = Reply>, documents: Vec<Reply>) -> Script {
    let cut_off = Reply::says("cut off").seeing(152_000).after(5_000).times(-1);
    Script::of(replies)
        .when(&json!({"user": ASK}), documents)
        .when(&json!({"results": 2}), [cut_off])
}

/// What was asked, but for the request that was cut off if it was made.
fn asked(world: &World) -> String {
    world.asked().replace("result result handoff", "result handoff")
}

#[test]
fn three_generations_of_codex_finish_a_job() {
    let script = crossing(
        [
            Reply::runs("echo one").seeing(100_000),
            Reply::runs("echo two").seeing(151_000),
            Reply::runs("echo three").seeing(30_000),
            Reply::runs("echo four").seeing(155_000),
            Reply::says("All is done.").seeing(31_000),
        ],
        vec![document(1).seeing(152_000), document(2).seeing(156_000)],
    );
    let Some(world) = World::of(&[&CODEX], &script) else { return };
    let ran = world.handoff_loop(&with_window(&["do three parts"])).end();
    ran.came_to(0, "All is done.\n").said("the handoff is in .handoff/notes/交接-work.md");
    assert_eq!(asked(&world), "task result handoff successor result handoff successor");
    assert!(world.read(DOCUMENT).contains("Part 2 is done."));
    let row = world.row();
    assert_eq!(json!(each(&row, "context")), json!([151_000, 155_000, 31_000]));
    assert_eq!(json!(each(&row, "degraded")), json!([false, false, null]));
    assert_eq!((&row["ok"], &row["attempts"]), (&json!(true), &json!(1)));
    // Three threads, each by the id that Codex chose for it.
    let sessions: std::collections::BTreeSet<_> =
        each(&row, "session_id").into_iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(sessions.len(), 3);
    let figure = world.tool("ctx-meter", &[sessions.first().unwrap()], "").end();
    figure.came_to(0, "152000\n");
    let prompts = prompts(&world);
    let given = |words: &str| {
        prompts.iter().any(|prompt| prompt.contains(TAKING_OVER) && prompt.contains(words))
    };
    assert!(given("Part 1 is done.") && given("Part 2 is done."));
}

/// Of a command that the sandbox does not let write, the stream says nothing.
#[test]
fn denied_commands_of_codex_do_not_carry_it_over_its_line() {
    let script = Script::of([
        Reply::runs("touch one").seeing(100_000),
        Reply::runs("touch two").seeing(151_000),
    ]);
    let script = script.when(
        &json!({"results": 2}),
        [Reply::says("Beyond the line.").seeing(152_000).after(5_000).times(-1)],
    );
    let Some(world) = World::of(&[&CODEX], &script) else { return };
    let words =
        ["--agent", "codex", "--agent-arg=-s", "--agent-arg=read-only", "--outcome", "outcome"];
    let words = [&words[..], &["--window", "200000", "--stop-at", "due", "start"]].concat();
    world.tool("agent-run", &words, "touch two files").end().came_to(0, "");
    let outcome: Value = serde_json::from_str(&world.read("outcome")).unwrap();
    assert_eq!((&outcome["verdict"], &outcome["context"]), (&json!("stopped"), &json!(151_000)));
    assert!(!fs_err::exists(world.path("one")).unwrap());
}

#[test]
fn refused_credentials_of_codex_end_the_step() {
    let script = Script::of([Reply::refuses(401, "Incorrect API key provided: dummy.").times(-1)]);
    let Some(world) = World::of(&[&CODEX], &script) else { return };
    world.handoff_loop(&with_window(&["mend it"])).end().came_to(77, "");
}
