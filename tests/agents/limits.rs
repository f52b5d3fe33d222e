//! What the line does not hold for, and limits that are not ours.

use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::World;
use serde_json::json;

use crate::{DOCUMENT, document, each, with_window};

const SESSION: &str = "22222222-2222-4222-8222-222222222222";

#[test]
fn sub_agents_do_not_retire_the_main_session() {
    let task =
        json!({"description": "look", "prompt": "look around", "subagent_type": "general-purpose"});
    let script = Script::of([
        Reply::uses("Agent", &task).seeing(50_000),
        Reply::runs("echo main").seeing(60_000),
        Reply::says("Done.").seeing(61_000),
    ])
    .route(
        "You are an agent for Claude Code",
        [
            Reply::runs("echo sub").seeing(170_000),
            Reply::runs("echo sub").seeing(190_000),
            Reply::says("Seen.").seeing(195_000),
        ],
    );
    let Some(world) = World::new(&script) else { return };
    let options =
        with_window(&["--agent-arg=--allowedTools=Agent,Bash", "--events", "events.jsonl", "work"]);
    world.handoff_loop(&options).end().came_to(0, "Done.\n");
    let requests = world.endpoint.requests();
    assert_eq!(requests.iter().filter(|request| request["agent"].is_string()).count(), 3);
    let row = world.row();
    assert_eq!((&row["retired"], &row["context"]), (&json!([]), &json!(61_000)));
    assert!(!fs_err::exists(world.path("events.jsonl")).unwrap(), "the line was never near");
}

/// Nothing then stops a run at its line, which must not pass in silence.
#[test]
fn hooks_that_a_person_turned_off_are_told_of() {
    let script = Script::of([
        Reply::runs("echo one").seeing(151_000),
        Reply::runs("echo two").seeing(152_000),
        Reply::says("Done.").seeing(153_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    world.settings(&json!({"disableAllHooks": true}));
    let ran = world.handoff_loop(&with_window(&["work"])).end();
    ran.came_to(0, "Done.\n").said("agent-run: the agent went on beyond its line");
    // Settings of the command line are stronger than the person's.
    let script = Script::of([
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(152_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    let world = World::new(&script).unwrap();
    world.settings(&json!({"disableAllHooks": true}));
    let on = ["--agent-arg=--settings", "--agent-arg={\"disableAllHooks\":false}", "work"];
    let ran = world.handoff_loop(&with_window(&on)).end();
    ran.came_to(0, "Done.\n");
    assert!(!ran.stderr.contains("beyond its line"), "{}", ran.stderr);
    assert_eq!(world.asked(), "task handoff successor");
}

/// A sub-agent that works while the line is crossed comes to its end first.
#[test]
fn a_session_is_not_cut_while_its_sub_agent_works() {
    let task = json!({"description": "look", "prompt": "look", "subagent_type": "general-purpose"});
    let script = Script::of([
        Reply::runs("echo main").seeing(100_000),
        Reply::uses("Agent", &task).seeing(151_000),
        document(1).seeing(152_000),
        Reply::says("Done.").seeing(20_000),
    ])
    .route(
        "You are an agent for Claude Code",
        [Reply::runs("echo sub >sub").seeing(9_000), Reply::says("Seen.").seeing(9_500)],
    );
    let Some(world) = World::new(&script) else { return };
    let options = with_window(&["--agent-arg=--allowedTools=Agent,Bash", "work"]);
    world.handoff_loop(&options).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result handoff successor");
    assert_eq!(world.read("sub"), "sub\n");
    // What it found is in the session that writes the document.
    assert!(world.endpoint.requests()[4]["body"]["messages"].to_string().contains("Seen."));
}

/// The budget is enough for the work and not for the document, which the person
/// who set it did not think of.
#[test]
fn a_budget_does_not_starve_the_handoff_turn() {
    let script = Script::of([
        Reply::runs("echo one").seeing(20_000),
        Reply::runs("echo one").seeing(151_000),
        // Half a dollar.
        Reply::runs("echo denied").seeing(151_100).long(20_000),
        document(1).seeing(151_200),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let options = [
        "--agent-arg=--max-budget-usd",
        "--agent-arg=0.2",
        "--agent-arg=--max-turns",
        "--agent-arg=5",
    ];
    world
        .handoff_loop(&with_window(&[&options[..], &["work"]].concat()))
        .end()
        .came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result handoff result successor");
    assert!(world.read(DOCUMENT).contains("Part 1 is done."));
    assert_eq!(json!(each(&world.row(), "degraded")), json!([false, null]));
}

#[test]
fn a_budget_holds_for_the_work() {
    let script = Script::of([
        Reply::runs("echo one").seeing(20_000).long(20_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let options = ["--agent-arg=--max-budget-usd", "--agent-arg=0.2", "work"];
    world.handoff_loop(&with_window(&options)).end().came_to(1, "");
    let row = world.row();
    assert_eq!((&row["ok"], &row["retired"]), (&json!(false), &json!([])));
    assert!(row["errors"][0].as_str().unwrap().starts_with("failed: "), "{row}");
}

#[test]
fn agent_run_stops_at_a_number_and_tells_it() {
    let script = Script::of([
        Reply::runs("echo one").seeing(30_000),
        Reply::runs("echo two").seeing(40_000),
        Reply::says("More.").seeing(41_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let options = [
        "start",
        "--session",
        SESSION,
        "--stop-at",
        "40000",
        "--outcome",
        "outcome.json",
        "--agent-arg=--allowedTools",
        "--agent-arg=Bash",
    ];
    world.tool("agent-run", &options, "work").end().came_to(0, "");
    let outcome: serde_json::Value = serde_json::from_str(&world.read("outcome.json")).unwrap();
    for (field, value) in [
        ("verdict", json!("stopped")),
        ("session_id", json!(SESSION)),
        ("context", json!(40_000)),
        ("first_context", json!(30_000)),
        // The CLI's own word on its model, which no transcript has.
        ("window", json!(1_000_000)),
        ("error", json!(null)),
    ] {
        assert_eq!(outcome[field], value, "{field} in {outcome}");
    }
    let (context, projected) = (outcome["context"].as_u64(), outcome["projected"].as_u64());
    assert!(projected > context, "{outcome}");
    // The session is whole and goes on.
    let resume = ["resume", SESSION, "-q"];
    world.tool("agent-run", &resume, "Go on.").end().came_to(0, "More.\n");
    assert_eq!(world.asked(), "task result on");
}
