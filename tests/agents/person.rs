//! What a person writes reaches those it is meant for.

use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::world::World;
use serde_json::json;

use crate::{DOCUMENT, document, names, prompts, with_window};

fn one_rotation() -> Script {
    Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        Reply::says("Done.").seeing(20_000),
        Reply::says("Done as edited.").seeing(20_000),
    ])
}

#[test]
fn the_edited_file_is_what_the_successor_gets() {
    let Some(world) = World::new(&one_rotation()) else { return };
    world.handoff_loop(&with_window(&["work"])).end().came_to(0, "Done.\n");
    let edited = world
        .read(DOCUMENT)
        .replace("# Handoff (work)\n", "# Handoff (work)\n\nRead this first: the fence is red.\n")
        .replace("Do part 2.", "Do part 2, but slowly.\n\n### Tools\nThe hammer lies in the barn.");
    world.write(DOCUMENT, &edited);
    let again =
        ["--step", "work", "--again", "--", "agent-run", "start", "-q", "--session", "{session}"];
    world.tool("gen-rotate", &again, "").end().came_to(0, "Done as edited.\n");
    let prompts = prompts(&world);
    let given = prompts.last().unwrap();
    for words in [
        "Read this first: the fence is red.",
        "Part 1 is done.",
        "The quick way 1.",
        "Do part 2, but slowly.",
        "### Tools\nThe hammer lies in the barn.",
    ] {
        assert!(given.contains(words), "{words} is not in\n{given}");
    }
    let requests = world.endpoint.requests();
    assert_eq!(world.row()["session_id"], requests.last().unwrap()["session"]);
}

#[test]
fn what_is_to_be_kept_is_told_to_the_writer() {
    let Some(world) = World::new(&one_rotation()) else { return };
    world.write(".handoff/notes/keep-work.md", "The gate's measure: 3.2 m\n");
    let options = with_window(&["--keep", "the neighbour's number", "work"]);
    world.handoff_loop(&options).end().came_to(0, "Done.\n");
    let asked = &prompts(&world)[2];
    for words in ["The gate's measure: 3.2 m", "the neighbour's number", "151.0K/200K"] {
        assert!(asked.contains(words), "{words} is not in\n{asked}");
    }
    // It is the person's file and stays.
    assert_eq!(world.read(".handoff/notes/keep-work.md"), "The gate's measure: 3.2 m\n");
}

#[test]
fn settings_and_hooks_of_the_persons_stay_in_force() {
    let own = json!({
        "env": {"FROM_SETTINGS": "yes"},
        "hooks": {
            "PostToolBatch": [{"hooks": [{"type": "command", "command": "echo batch >>batches"}]}],
            "PreToolUse": [{"matcher": "Bash",
                            "hooks": [{"type": "command", "command": "echo call >>calls"}]}]
        }
    });
    let script = Script::of([
        Reply::runs("echo \"$FROM_SETTINGS\" >setting").seeing(100_000),
        Reply::runs("echo one").seeing(151_000),
        document(1).seeing(151_100),
        Reply::runs("echo two").seeing(20_000),
        Reply::says("Done.").seeing(20_000),
    ]);
    for as_file in [false, true] {
        let Some(world) = World::new(&script) else { return };
        let mut settings = own.to_string();
        if as_file {
            world.write("own.json", &settings);
            settings = "own.json".to_owned();
        }
        let argument = format!("--agent-arg={settings}");
        let options = with_window(&["--agent-arg=--settings", &argument, "work"]);
        world.handoff_loop(&options).end().came_to(0, "Done.\n");
        assert_eq!(world.asked(), "task result handoff successor result");
        assert_eq!(world.read("setting"), "yes\n");
        assert_eq!(world.read("calls"), "call\n".repeat(3));
        assert_eq!(world.read("batches"), "batch\n".repeat(3));
        assert!(
            !names(&world, "").contains(&".claude".to_owned()),
            "a file of the project is touched"
        );
    }
}
