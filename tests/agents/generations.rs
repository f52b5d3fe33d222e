//! A job over several generations, each in a session of its own.

use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::World;
use serde_json::{Value, json};

use crate::{ARCHIVE, DOCUMENT, document, each, names, prompts, with_window};

/// Two rotations. The first session reaches for a tool when it should write.
fn three_generations() -> Script {
    Script::of([
        Reply::runs("echo one >one").seeing(100_000),
        // Cut at a message boundary, all calls of the answer run to their end.
        Reply::runs_all(&["echo more >more", "sleep 0.5; echo slow >slow"]).seeing(151_000),
        Reply::runs("echo denied >denied").seeing(152_000),
        document(1).seeing(152_100),
        Reply::runs("echo two").seeing(30_000),
        Reply::runs("echo two more").seeing(155_000),
        document(2).seeing(155_100),
        Reply::runs("echo three").seeing(30_000),
        Reply::says("All is done.").seeing(31_000),
    ])
}

#[test]
fn three_generations_finish_a_job() {
    let Some(world) = World::new(&three_generations()) else { return };
    let ran = world.handoff_loop(&with_window(&["do three parts"])).end();
    ran.came_to(0, "All is done.\n").said("the handoff is in .handoff/notes/交接-work.md");
    assert_eq!(
        world.asked(),
        "task result handoff result successor result handoff successor result"
    );
    // What was called at the line was done; what the handoff turn called was not.
    assert_eq!(names(&world, ""), [".handoff", "more", "one", "slow"]);
    the_handoff_turn_keeps_the_cache(&world.endpoint.requests());
    the_documents_are_where_they_belong(&world);
    the_ledger_is_right(&world);
}

fn the_handoff_turn_keeps_the_cache(requests: &[Value]) {
    let (work, handoff) = (&requests[1], &requests[2]);
    assert_eq!(work["session"], handoff["session"]);
    assert!(work["body"]["tools"].as_array().unwrap().len() > 5);
    assert_eq!(work["body"]["tools"], handoff["body"]["tools"]);
    assert_eq!(work["body"]["model"], handoff["body"]["model"]);
    // A session of a million tokens stays one, which a bare resume does not see to.
    for request in [work, handoff] {
        assert!(request["beta"].as_str().unwrap().contains("context-1m"), "{}", request["beta"]);
    }
    // It goes on from what was said: the call at the line has its result there.
    let (work, handoff) = (&work["body"]["messages"], &handoff["body"]["messages"]);
    assert!(handoff.as_array().unwrap().len() > work.as_array().unwrap().len());
    assert!(handoff.to_string().contains("echo more >more"));
    let denial = requests[3]["last_user"].as_str().unwrap();
    assert!(denial.contains("write the handoff document as your answer"), "{denial}");
}

fn the_documents_are_where_they_belong(world: &World) {
    let archived = names(world, ARCHIVE);
    assert_eq!(archived.len(), 1, "{archived:?}");
    let earlier = world.read(&format!("{ARCHIVE}/{}", archived[0]));
    assert!(earlier.contains("Part 1 is done.") && earlier.contains("The quick way 1."));
    let current = world.read(DOCUMENT);
    assert!(current.contains("Part 2 is done.") && !current.contains("Part 1"));
    let run = format!(".handoff/runs/{}", world.row()["run"].as_str().unwrap());
    assert_eq!(names(world, &run), ["work.1.md", "work.2.md"]);
    let prompts = prompts(world);
    for (given, prompt) in [("work.1.md", &prompts[4]), ("work.2.md", &prompts[7])] {
        let given = world.read(&format!("{run}/{given}"));
        assert!(prompt.contains(given.trim()), "{prompt}\n-- is not --\n{given}");
    }
}

fn the_ledger_is_right(world: &World) {
    let sessions: Vec<_> =
        [0, 4, 7].map(|at| world.endpoint.requests()[at]["session"].clone()).into();
    assert!(sessions[0] != sessions[1] && sessions[1] != sessions[2]);
    assert_eq!(world.rows().len(), 1);
    let row = world.row();
    assert_eq!(row["attempts"], 1);
    assert_eq!(row["retired"], json!(sessions[..2]));
    assert_eq!(row["session_id"], sessions[2]);
    assert_eq!((&row["ok"], &row["errors"]), (&json!(true), &json!([])));
    assert_eq!(json!(each(&row, "session_id")), json!(sessions));
    assert_eq!(json!(each(&row, "context")), json!([151_000, 155_000, 31_000]));
    assert_eq!(json!(each(&row, "degraded")), json!([false, false, null]));
    assert_eq!(json!(each(&row, "state")), json!(["delivered", "delivered", "delivered"]));
    assert_eq!((&row["context"], &row["window"]), (&json!(31_000), &json!(200_000)));
    // Each session's cost is that of its own requests, the handoff turn included.
    let costs =
        [&[100_000, 151_000, 152_000, 152_100][..], &[30_000, 155_000, 155_100], &[30_000, 31_000]];
    for (told, contexts) in each(&row, "cost_usd").iter().zip(costs) {
        near(told, contexts.iter().map(|&context| price(context)).sum());
    }
    near(&row["cost_usd"], costs.concat().into_iter().map(price).sum());
    let turns: Vec<u64> = each(&row, "num_turns").iter().map(|t| t.as_u64().unwrap()).collect();
    assert_eq!(row["num_turns"], turns.iter().sum::<u64>());
    assert!(turns.iter().all(|&turns| turns >= 2), "{turns:?}");
}

/// What one answer of the scripts costs in the CLI's default model, in US dollars:
/// 10 tokens fresh, 5 of output, the rest cached.
fn price(context: u32) -> f64 {
    (10.0 * 5.0 + 5.0 * 25.0 + f64::from(context - 10) * 0.5) / 1e6
}

#[track_caller]
fn near(told: &Value, expected: f64) {
    let told = told.as_f64().unwrap();
    assert!((told - expected).abs() < 1e-6, "{told} is not {expected}");
}

#[test]
fn events_tell_of_each_phase_once() {
    let script = Script::of([
        Reply::runs("echo one").seeing(131_000),
        Reply::runs("echo one").seeing(140_000),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        Reply::runs("echo two").seeing(135_000),
        Reply::says("Done.").seeing(136_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let options = with_window(&["--events", "events.jsonl", "work"]);
    world.handoff_loop(&options).end().came_to(0, "Done.\n").said("context 131.0K/200K");
    let events = world.read("events.jsonl");
    let events: Vec<Value> = events.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let near = |context| {
        json!({"v": 1, "phase": "near", "step": "work", "context": context, "window": 200_000,
               "at": 150_000})
    };
    let done = json!({
        "v": 1, "phase": "done", "step": "work", "context": 151_000, "window": 200_000,
        "degraded": false, "path": DOCUMENT, "session_id": world.row()["session_id"], "generation": 1,
        "sections": {"doing": "Part 1 is done.", "decided": "", "deadends": "The quick way 1.",
                     "next": "Do part 2.", "scene": ""}
    });
    let writing = json!({"v": 1, "phase": "writing", "step": "work", "context": 151_000,
                         "window": 200_000});
    assert_eq!(events, [near(131_000), writing, done, near(135_000)]);
}

#[test]
fn without_a_document_on_disk_the_ledger_is_whole() {
    let Some(world) = World::new(&three_generations()) else { return };
    let ran = world.handoff_loop(&with_window(&["--no-document", "do three parts"])).end();
    ran.came_to(0, "All is done.\n");
    assert!(!ran.stderr.contains("the handoff is in"), "{}", ran.stderr);
    let prompts = prompts(&world);
    assert!(prompts[4].contains("Part 1 is done.") && prompts[7].contains("Part 2 is done."));
    the_ledger_is_right(&world);
    let notes = names(&world, ".handoff/notes");
    assert!(notes.iter().all(|name| name == "archive"), "{notes:?}");
    assert_eq!(names(&world, ARCHIVE), [""; 0]);
    let run = format!(".handoff/runs/{}", world.row()["run"].as_str().unwrap());
    assert_eq!(names(&world, &run), [""; 0]);
}

/// With its compaction off, Claude Code refuses requests from 177,000 of 200,000
/// tokens on by itself; the handoff turn of a session above that must get through.
#[test]
fn a_session_beyond_the_clis_own_wall_writes_its_document() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo two").seeing(190_000),
        document(1).seeing(191_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let model = ["--agent-arg=--model", "--agent-arg=claude-sonnet-4-5", "work"];
    world.handoff_loop(&with_window(&model)).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result handoff successor");
    assert!(world.read(DOCUMENT).contains("Part 1 is done."));
    assert_eq!(json!(each(&world.row(), "degraded")), json!([false, null]));
    // The wall stands where it is not moved.
    let script = Script::of([Reply::says("Big.").seeing(190_000), Reply::says("More.")]);
    let world = World::new(&script).unwrap();
    let model = ["--agent-arg=--model", "--agent-arg=claude-sonnet-4-5"];
    let session = "11111111-1111-4111-8111-111111111111";
    let start = [&["start", "-q", "--session", session], &model[..]].concat();
    world.tool("agent-run", &start, "work").end().came_to(0, "Big.\n");
    let resume = [&["resume", session, "-q"], &model[..]].concat();
    let ran = world.tool("agent-run", &resume, "more").end();
    ran.came_to(1, "").said("overflow: Prompt is too long");
    assert_eq!(world.asked(), "task");
}

/// What a tool has just brought counts, though no answer has seen it yet.
#[test]
fn a_large_tool_result_is_judged_before_it_is_sent() {
    let script = Script::of([
        Reply::runs("seq 1 5000").seeing(144_000),
        document(1).seeing(154_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    world.handoff_loop(&with_window(&["work"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task handoff successor");
    assert_eq!(json!(each(&world.row(), "context")), json!([144_000, 20_000]));
    // Judged by what was seen, the same session goes on.
    let script = Script::of([
        Reply::runs("seq 1 5000").seeing(144_000),
        Reply::says("Done.").seeing(154_000),
    ]);
    let world = World::new(&script).unwrap();
    world.handoff_loop(&with_window(&["--judge", "context", "work"])).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result");
}

#[test]
fn the_words_are_the_persons_language() {
    let written =
        "## 现在在做什么\n第一段写完了。\n\n## 走不通的路\n快路。\n\n## 下一步\n写第二段。\n";
    let script = Script::of([
        Reply::runs("echo one").seeing(151_000),
        Reply::says(written).seeing(151_100),
        Reply::says("写完了。").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let world = world.speaking("zh");
    let ran = world.handoff_loop(&with_window(&["写两段"])).end();
    ran.came_to(0, "写完了。\n").said("写交接准备换代").said("交接写在").said("新会话接手");
    let prompts = prompts(&world);
    assert!(prompts[1].contains("你的上下文快满了") && prompts[2].contains("快路。"));
    assert!(world.read(DOCUMENT).starts_with("# 交接书(work)\n"));
}
