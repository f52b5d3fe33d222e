//! What every agent CLI that can be driven must do, and what README's table says of it:
//! each test notes what it has seen, and fails where the table says something else.

use ctxutils_tests::cli::{self, Cli};
use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::table::note;
use ctxutils_tests::world::{ASK, TAKING_OVER, World};
use serde_json::{Value, json};

use crate::{DOCUMENT, document, each, prompts, with_window};

macro_rules! every {
    ($($name:ident $cli:ident)*) => {$(
        mod $name {
            use ctxutils_tests::cli::$cli;

            #[test]
            fn a_job_crosses_the_line_and_a_fresh_session_finishes_it() {
                super::crosses_the_line(&$cli);
            }

            #[test]
            fn an_overflow_does_not_fail_the_step() {
                super::survives_an_overflow(&$cli);
            }

            #[test]
            fn a_job_that_a_person_interrupted_goes_on() {
                super::goes_on_after_an_interrupt(&$cli);
            }

            #[test]
            fn a_job_that_crashed_goes_on() {
                super::goes_on_after_a_crash(&$cli);
            }

            #[test]
            fn a_final_answer_is_an_answer_wherever_it_stands() {
                super::answers_above_the_line(&$cli);
            }
        }
    )*};
}

every! { claude CLAUDE codex CODEX copilot COPILOT gemini GEMINI opencode OPENCODE pi PI qwen QWEN }

/// Two tools, after the second of which the line is crossed; a turn in which the
/// session writes its document, and first reaches for a tool; a fresh session.
fn crosses_the_line(cli: &'static Cli) {
    let script = Script::of([
        Reply::runs("echo one >one").seeing(100_000),
        Reply::runs("printf result-%s 42").seeing(151_000),
        Reply::runs("echo three >three").seeing(30_000),
        Reply::says("All is done.").seeing(31_000),
    ]);
    let script = script
        .when(
            &json!({"ever": ASK}),
            [Reply::runs("echo no >no").seeing(151_800), document(1).seeing(152_000)],
        )
        .when(&json!({"results": 2}), [cut_off()]);
    let Some(world) = World::of(&[cli], &script) else { return };
    world.handoff_loop(&with_window(&["do three parts"])).end().came_to(0, "All is done.\n");

    assert!(world.read(DOCUMENT).contains("Part 1 is done."));
    let given = |prompt: &String| prompt.contains(TAKING_OVER) && prompt.contains("Part 1 is done");
    assert!(prompts(&world).iter().any(given), "{:?}", prompts(&world));
    for (file, is_there) in [("one", true), ("three", true), ("no", false)] {
        assert_eq!(fs_err::exists(world.path(file)).unwrap(), is_there, "{file}");
    }
    // The stop costs no result, least of all that of a quick tool.
    let requests = world.endpoint.requests();
    let asks = |request: &&Value| request["last_user"].as_str().unwrap().contains(ASK);
    let ask = requests.iter().find(asks).unwrap();
    assert!(ask["body"].to_string().contains("result-42"), "the result was lost");
    // Another list would throw the cache of the prompt away.
    let mut lists = requests.iter().map(|request| &request["body"]["tools"]);
    assert!(lists.all(|list| *list == requests[0]["body"]["tools"]), "other tools");
    let row = world.row();
    assert_eq!(json!(each(&row, "context")), json!([151_000, 31_000]));
    assert_eq!(json!(each(&row, "degraded")), json!([false, null]));
    assert_eq!((&row["ok"], &row["attempts"]), (&json!(true), &json!(1)));

    let (stop, guard) = ways(&world, cli);
    let asked = world.asked();
    let expected = "task result handoff result successor result";
    // When an interrupt comes, the next request may have been made already.
    let lost = asked == "task result result handoff result successor result";
    assert!(asked == expected || lost && stop == "after a tool", "{asked}");
    for (session, context) in each(&row, "session_id").into_iter().zip(["152000\n", "31000\n"]) {
        world.tool("ctx-meter", &[session.as_str().unwrap()], "").end().came_to(0, context);
    }
    note(cli.name, "meter", "yes");
    note(cli.name, "stop", stop);
    note(cli.name, "handoff", "yes");
    note(cli.name, "guard", guard);
}

fn survives_an_overflow(cli: &'static Cli) {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::overflows(),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::of(&[cli], &script) else { return };
    world.handoff_loop(&with_window(&["mend the fence"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result successor");
    assert!(world.read(DOCUMENT).contains("[降级:交接没写成]"));
    assert_eq!(json!(each(&world.row(), "degraded")), json!([true, null]));
    note(cli.name, "overflow", "survived");
}

/// The line was crossed by the final answer: there is nothing to hand over.
fn answers_above_the_line(cli: &'static Cli) {
    let script = Script::of([Reply::says("Done at once.").seeing(190_000)]);
    let Some(world) = World::of(&[cli], &script) else { return };
    world.handoff_loop(&with_window(&["mend it"])).end().came_to(0, "Done at once.\n");
    assert_eq!(world.asked(), "task");
}

/// In the middle of a tool, by what Ctrl-C sends to the script.
fn goes_on_after_an_interrupt(cli: &'static Cli) {
    let script = Script::of([
        Reply::runs("echo one >one").seeing(20_000),
        Reply::runs("echo two >two; sleep 5").seeing(21_000),
        Reply::says("Done.").seeing(22_000).times(-1),
    ]);
    let Some(world) = World::of(&[cli], &script) else { return };
    let running = world.handoff_loop(&with_window(&["mend the fence"]));
    world.wait_until("the second tool", || fs_err::exists(world.path("two")).unwrap());
    running.signal("INT");
    running.end().came_to(130, "").said("go on with: handoff-loop --resume");
    world.handoff_loop(&with_window(&["--resume"])).end().came_to(0, "Done.\n");
    // The same session, which knows what was done.
    let last = world.endpoint.requests().pop().unwrap();
    assert!(last["body"].to_string().contains("mend the fence"), "{last}");
    assert!(last["body"].to_string().contains("echo one"), "{last}");
    assert_eq!(json!(each(&world.row(), "degraded")), json!([null]));
}

/// In the middle of a tool, as where the machine goes down: whoever chose the session's
/// id, it is found again. What is in a process group of its own is not in the crash, and
/// must not get company.
fn goes_on_after_a_crash(cli: &'static Cli) {
    let script = Script::of([
        Reply::runs("echo one >one").seeing(20_000),
        Reply::runs("echo two >two; sleep 20").seeing(21_000),
        Reply::says("Done.").seeing(22_000),
    ]);
    let Some(world) = World::of(&[cli], &script) else { return };
    let running = world.handoff_loop(&with_window(&["mend the fence"]));
    world.wait_until("the second tool", || fs_err::exists(world.path("two")).unwrap());
    running.crash();
    let mut ran = world.handoff_loop(&with_window(&["--resume"])).end();
    if ran.code == 75 {
        let (_, end) = ran.stderr.split_once("or end it with '").unwrap();
        world.shell(end.split('\'').next().unwrap()).end().came_to(0, "");
        world.wait_until("the end of what was left", || {
            ran = world.handoff_loop(&with_window(&["--resume"])).end();
            ran.code != 75
        });
    }
    ran.came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result on");
    assert_eq!(json!(each(&world.row(), "degraded")), json!([null]));
}

/// What a request that was made before an interrupt came would be answered counts for
/// nothing.
fn cut_off() -> Reply {
    Reply::says("cut off").seeing(152_000).after(5_000).times(-1)
}

/// How agent-run says that a CLI is stopped, and kept from acting while it writes.
fn ways(world: &World, cli: &Cli) -> (&'static str, &'static str) {
    let ran = world.tool("agent-run", &["agents"], "").end();
    let line = ran.stdout.lines().find(|line| line.split('\t').next() == Some(cli.name));
    match line.unwrap().split('\t').skip(1).collect::<Vec<_>>()[..] {
        ["hook", "hook"] => ("at a message boundary", "hook"),
        ["interrupt", "hook"] => ("after a tool", "hook"),
        ["interrupt", "command-line"] => ("after a tool", "command line"),
        ref other => panic!("unknown ways {other:?}"),
    }
}

/// A job that is begun in one CLI and finished in another, by the tools alone.
fn hands_over(from: &'static Cli, to: &'static Cli) {
    let script = Script::of([
        Reply::runs("echo one >one").seeing(100_000),
        Reply::runs("echo two").seeing(151_000),
        Reply::runs("echo three >three").seeing(30_000),
        Reply::says("All is done.").seeing(31_000),
    ]);
    let script = script
        .when(&json!({"user": ASK}), [document(1).seeing(152_000)])
        .when(&json!({"results": 2}), [cut_off()]);
    let Some(world) = World::of(&[from, to], &script) else { return };
    let words = |cli: &Cli| {
        let passed = cli.permissions.iter().map(|word| format!(" --agent-arg={word}"));
        format!("agent-run --agent {}{}", cli.name, passed.collect::<String>())
    };
    let (from, to) = (words(from), words(to));
    let chain = format!(
        "set -e
         echo do three parts |
             {from} start --stop-at due --window 200000 --shell outcome
         . ./outcome
         [ \"$run_verdict\" = stopped ] || exit
         handoff-fmt ask --used \"$run_context\" --window \"$run_window\" |
             {from} resume \"$run_session_id\" --turn handoff | handoff-fmt >document
         gen-rotate --step work --retired \"$run_session_id\" document -- {to} start --session '{{session}}'
         gen-rotate --step work record end --ok"
    );
    let ran = world.shell(&chain).end();
    ran.came_to(0, "All is done.\n");
    let successor = |prompt: &String| prompt.contains(TAKING_OVER) && prompt.contains("Part 1");
    assert!(prompts(&world).iter().any(successor), "{:?}", prompts(&world));
    assert!(fs_err::exists(world.path("one")).unwrap());
    assert!(fs_err::exists(world.path("three")).unwrap());
}

#[test]
fn what_claude_began_codex_finishes() {
    hands_over(&cli::CLAUDE, &cli::CODEX);
}

#[test]
fn what_codex_began_gemini_finishes() {
    hands_over(&cli::CODEX, &cli::GEMINI);
}

#[test]
fn what_gemini_began_opencode_finishes() {
    hands_over(&cli::GEMINI, &cli::OPENCODE);
}

#[test]
fn what_pi_began_copilot_finishes() {
    hands_over(&cli::PI, &cli::COPILOT);
}

#[test]
fn what_qwen_began_claude_finishes() {
    hands_over(&cli::QWEN, &cli::CLAUDE);
}
