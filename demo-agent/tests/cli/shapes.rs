//! The tools must not be able to tell the difference: every line has the keys,
//! and the kinds of value, of a real one.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::room::{ID, Room, fixture, lines_of};

/// `path kind` for every value inside, arrays merged.
fn shape(value: &Value) -> BTreeSet<String> {
    fn walk(value: &Value, path: &str, into: &mut BTreeSet<String>) {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        into.insert(format!("{path} {kind}"));
        match value {
            Value::Array(list) => list.iter().for_each(|v| walk(v, &format!("{path}[]"), into)),
            // Inputs of tools and names of models are anybody's.
            Value::Object(map) if path.ends_with(".modelUsage") => {
                map.values().for_each(|v| walk(v, &format!("{path}.*"), into));
            }
            Value::Object(_) if path.ends_with("input") => {}
            Value::Object(map) => {
                map.iter().for_each(|(k, v)| walk(v, &format!("{path}.{k}"), into))
            }
            _ => {}
        }
    }
    let mut into = BTreeSet::new();
    walk(value, "", &mut into);
    into
}

fn same_shape(ours: &Value, real: &Value, except: &[&str]) {
    let kept = |shape: BTreeSet<String>| -> BTreeSet<String> {
        shape.into_iter().filter(|line| !except.iter().any(|key| line.contains(key))).collect()
    };
    let (mine, theirs) = (kept(shape(ours)), kept(shape(real)));
    let missing: Vec<_> = theirs.difference(&mine).collect();
    let extra: Vec<_> = mine.difference(&theirs).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "missing {missing:?}\nextra {extra:?}\nours {ours}\nreal {real}"
    );
}

fn read(name: &str) -> Value {
    serde_json::from_slice(&fs_err::read(fixture(name)).unwrap()).unwrap()
}

/// Three calls in one answer, as in the real session of the fixtures.
fn three_tools() -> Value {
    json!({"sessions": [{"steps": [
        {"thinking": "several", "text": "three", "context": 15906, "output": 321, "tools": [
            {"name": "Bash", "input": {"command": "echo one"}},
            {"name": "Bash", "input": {"command": "echo two"}},
            {"name": "Read", "input": {"file_path": "README.md"}},
        ]},
        {"text": "All three are done.", "context": 16608, "output": 55},
    ]}]})
}

#[test]
fn transcript_lines_are_those_of_a_real_session() {
    let room = Room::with(&three_tools());
    fs_err::write(room.work().join("README.md"), "# demo\n").unwrap();
    room.start(&[]);
    let ours = room.transcript();
    let real = lines_of(&fixture("session.jsonl"));
    // The real CLI starts tools while the answer is still coming in; it also
    // lists agents and skills, which we have not.
    let kind = |line: &Value| {
        let block = &line["message"]["content"][0];
        format!("{} {} {} {}", line["type"], line["operation"], block["type"], block["name"])
    };
    let sorted = |lines: &[Value]| {
        let mut kinds: Vec<(String, Value)> = lines
            .iter()
            .filter(|line| line["type"] != "attachment")
            .map(|line| (kind(line), line.clone()))
            .collect();
        kinds.sort_by(|a, b| a.0.cmp(&b.0));
        kinds
    };
    let (ours, real) = (sorted(&ours), sorted(&real));
    let kinds = |lines: &[(String, Value)]| lines.iter().map(|l| l.0.clone()).collect::<Vec<_>>();
    assert_eq!(kinds(&ours), kinds(&real));
    for ((_, ours), (_, real)) in ours.iter().zip(&real) {
        same_shape(ours, real, &["parentUuid", ".toolUseResult"]);
    }
}

#[test]
fn a_sub_agent_s_lines_are_those_of_a_real_one() {
    let room = Room::with(&json!({"sessions": [{"steps": [
        {"sub_agent": {"context": 400_000}, "context": 20_000}]}]}));
    room.start(&[]);
    let folder = room.transcript_path(ID).with_extension("").join("subagents");
    let names: Vec<_> =
        fs_err::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let file = names.iter().find(|name| name.extension().unwrap() == "jsonl").unwrap();
    let ours = lines_of(file);
    let real = lines_of(&fixture("sub-agent.jsonl"));
    let of = |lines: &[Value], kind: &str| {
        lines.iter().filter(|line| line["type"] == kind).cloned().collect::<Vec<_>>()
    };
    for kind in ["user", "assistant"] {
        let (ours, real) = (of(&ours, kind), of(&real, kind));
        same_shape(ours.first().unwrap(), real.first().unwrap(), &["parentUuid", ".content[]"]);
        same_shape(ours.last().unwrap(), real.last().unwrap(), &["parentUuid"]);
    }
}

#[test]
fn errors_and_refused_prompts_leave_the_lines_of_real_ones() {
    let step = json!({"text": "a", "context": 100_000, "tools": [{"name": "Bash", "input": {"command": "true"}}]});
    let mut room = Room::with(&json!({"model": "claude-sonnet-4-5", "sessions": [{"steps": [
        step, {"error": "prompt_too_long"}]}]}));
    room.set("DISABLE_AUTO_COMPACT", "1");
    room.start(&[]);
    let synthetic = |lines: Vec<Value>| {
        lines.into_iter().find(|line| line["message"]["model"] == "<synthetic>").unwrap()
    };
    same_shape(
        &synthetic(room.transcript()),
        &synthetic(lines_of(&fixture("overflowed.jsonl"))),
        &[],
    );
    let room = Room::with(&json!({}));
    room.start(&["--settings", &room.hook("UserPromptSubmit", "exit 2")]);
    let real = lines_of(&fixture("prompt-blocked.jsonl"));
    let ours = room.transcript();
    assert_eq!(ours.len(), real.len());
    for (ours, real) in ours.iter().zip(&real) {
        same_shape(ours, real, &[]);
    }
}

#[test]
fn a_compaction_is_written_as_a_real_one() {
    let step = json!({"text": "a", "context": 150_000, "tools": [{"name": "Bash", "input": {"command": "true"}}]});
    let room = Room::with(&json!({"sessions": [{"steps": [step, {"compact": true}]}]}));
    room.start(&[]);
    let real = lines_of(&fixture("compacted.jsonl"));
    let of = |lines: &[Value], key: &str| {
        lines.iter().find(|line| line["subtype"] == key || line[key] == true).unwrap().clone()
    };
    for key in ["compact_boundary", "isCompactSummary"] {
        same_shape(&of(&room.transcript(), key), &of(&real, key), &[".slug"]);
    }
}

#[test]
fn events_are_those_of_a_real_stream() {
    let room = Room::with(&json!({"sessions": [{"steps": [
        {"text": "Write.", "context": 21_005, "output": 60, "tools": [
            {"name": "Write", "input": {"file_path": "a.md", "content": "one\n"}}]},
        {"text": "Bash fail.", "context": 22_005, "output": 60, "tools": [
            {"name": "Bash", "input": {"command": "echo out; exit 3"}},
            {"name": "Read", "input": {"file_path": "nope"}}]},
        {"text": "Done.", "context": 22_307, "output": 20},
    ]}]}));
    let ours = room.start(&[]).events;
    let real = lines_of(&fixture("stream.jsonl"));
    let kinds = |lines: &[Value]| -> Vec<String> {
        let mut kinds: Vec<_> = lines
            .iter()
            .map(|l| format!("{} {}", l["type"], l["message"]["content"][0]["type"]))
            .collect();
        kinds[3..].sort();
        kinds
    };
    assert_eq!(kinds(&ours), kinds(&real));
    for index in [0, 1, 2, 3, 4, 10] {
        // Timings of the API, and skills, of which there are none here.
        let except = ["ttft_stream_ms", "time_to_request_ms", ".skills"];
        same_shape(&ours[index], &real[index], &except);
    }
}

#[test]
fn hook_payloads_are_the_real_ones() {
    let room = Room::with(&json!({"sessions": [{"steps": [
        {"text": "a", "context": 100_000, "tools": [
            {"name": "Bash", "input": {"command": "echo one"}},
            {"name": "Bash", "input": {"command": "exit 3"}},
            {"name": "Read", "input": {"file_path": "README.md"}},
        ]},
        {"sub_agent": {}},
        {"compact": true},
    ]}]}));
    fs_err::write(room.work().join("README.md"), "# demo\n").unwrap();
    let log = room.folder().join("payloads");
    let command = format!("cat >> {0}; echo >> {0}", log.display());
    let hooks: serde_json::Map<String, Value> = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "Stop",
        "SessionEnd",
    ]
    .iter()
    .map(|event| {
        let hook = json!([{"hooks": [{"type": "command", "command": command}]}]);
        ((*event).to_owned(), hook)
    })
    .collect();
    room.start(&["--settings", &json!({"hooks": hooks}).to_string()]);
    let payloads = lines_of(&log);
    let find = |name: &str, tool: Option<&str>, sub: bool| {
        payloads
            .iter()
            .find(|p| {
                p["hook_event_name"] == name
                    && (tool.is_none() || p["tool_name"].as_str() == tool)
                    && p["agent_id"].is_string() == sub
            })
            .unwrap_or_else(|| panic!("{name} {tool:?} {sub}"))
    };
    for (file, name, tool, sub) in [
        ("SessionStart", "SessionStart", None, false),
        ("UserPromptSubmit", "UserPromptSubmit", None, false),
        ("PreToolUse-Bash", "PreToolUse", Some("Bash"), false),
        ("PostToolUse-Bash", "PostToolUse", Some("Bash"), false),
        ("PostToolUse-Read", "PostToolUse", Some("Read"), false),
        ("PostToolUseFailure-Bash", "PostToolUseFailure", Some("Bash"), false),
        ("PostToolBatch", "PostToolBatch", None, false),
        ("PreToolUse-Bash-sub", "PreToolUse", Some("Bash"), true),
        ("PostToolUse-Bash-sub", "PostToolUse", Some("Bash"), true),
        ("PostToolBatch-sub", "PostToolBatch", None, true),
        ("SubagentStart-sub", "SubagentStart", None, true),
        ("SubagentStop-sub", "SubagentStop", None, true),
        ("PreCompact", "PreCompact", None, false),
        ("Stop", "Stop", None, false),
        ("SessionEnd", "SessionEnd", None, false),
    ] {
        let real = read(&format!("hooks/{file}.json"));
        same_shape(find(name, tool, sub), &real, &[]);
    }
}
