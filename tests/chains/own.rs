//! An agent of the person's own: the template of docs/AGENT.md, with a program that
//! plays its model.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use ctxutils_tests::missing;
use serde_json::{Value, json};

use crate::call::tools;
use crate::place::Place;
use crate::scenario::{WINDOW, answer};

/// Answers by what the conversation holds: the document where it is asked for, the end
/// to a successor, else a command for each result.
const MODEL: &str = r#"#!/usr/bin/env python3
import json, sys
said = json.load(sys.stdin)
asked = [message["content"] for message in said if message["role"] == "user"]
results = sum(message["role"] == "tool" for message in said)
if asked[0].startswith("too long") and len(said) > 2:
    sys.exit("This model's maximum context length is 200000 tokens. However, your messages resulted in 205000 tokens.")
if "[ctxutils:write-the-handoff-document]" in asked[-1]:
    if said[-1]["role"] == "user":
        answer = {"text": "Let me look.", "command": "touch no", "tokens": 161000}
    else:
        answer = {"text": "Here.\n## Doing now\nHalf.\n\n## Next step\nThe rest.\n", "tokens": 162000}
elif "You are taking over" in asked[0] or "is incomplete" in asked[0]:
    answer = {"text": "Done.", "tokens": 30000}
elif asked[0].startswith("quick"):
    answer = {"text": "Quick.", "tokens": 190000}
else:
    answer = {"text": "Working.", "command": "echo %d >>ran" % results, "tokens": 40000 + results * 120000}
json.dump(answer, sys.stdout)
"#;

/// None without the language of the template.
fn place() -> Option<Place> {
    if Command::new("python3").arg("--version").output().is_err() {
        missing("python3");
        return None;
    }
    let place = Place::new(&json!({ "sessions": [answer()] }));
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/AGENT.md");
    let guide = fs_err::read_to_string(guide).unwrap();
    let template = guide.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    for (name, text) in [("mine", template), ("llm", MODEL)] {
        let path = place.path("home").join(name);
        fs_err::write(&path, text).unwrap();
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    Some(place)
}

fn run(place: &Place, arguments: &[&str], stdout: &str) -> Value {
    let mut path = tools().into_os_string();
    path.push(":/usr/bin:/bin:");
    path.push(place.path("home"));
    let call = place.script("handoff-loop").with("PATH", path).arguments(WINDOW);
    call.arguments(["--agent", "../home/mine"]).arguments(arguments).run().ends(0, stdout);
    place.ledger().as_array().unwrap().last().unwrap().clone()
}

#[test]
fn the_template_of_an_own_agent_crosses_the_line_and_hands_over() {
    let Some(place) = place() else { return };
    let row = run(&place, &["do it"], "Done.\n");
    assert_eq!(place.read("ran"), "0\n1\n");
    assert!(!fs_err::exists(place.path("work/no")).unwrap(), "a tool ran in the handoff turn");
    assert!(place.read(".handoff/notes/交接-work.md").contains("Half."));
    let each = |key: &str| [0, 1].map(|at| row["generations"][at][key].clone());
    assert_eq!(each("context"), [json!(160_000), json!(30_000)]);
    assert_eq!(each("degraded"), [json!(false), json!(null)]);
    assert_ne!(row["generations"][0]["session_id"], row["generations"][1]["session_id"]);
    // The next wake joins the last successor, which nobody but the agent knows.
    run(&place, &["--resume", "and the rest"], "Done.\n");
}

/// What has ended is not interrupted.
#[test]
fn a_final_answer_of_an_own_agent_is_an_answer_wherever_it_stands() {
    let Some(place) = place() else { return };
    let row = run(&place, &["quick"], "Quick.\n");
    assert_eq!((&row["context"], &row["retired"]), (&json!(190_000), &json!([])));
}

#[test]
fn an_overflow_of_an_own_agent_is_read_out_of_its_words() {
    let Some(place) = place() else { return };
    let row = run(&place, &["too long a task"], "Done.\n");
    assert_eq!(row["generations"][0]["degraded"], true);
}
