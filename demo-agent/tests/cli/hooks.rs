//! What hooks answer, and what comes of it.

use serde_json::{Value, json};

use crate::room::{ID, Room, fixture};

fn one_call() -> Value {
    json!({"sessions": [{"steps": [
        {"text": "Running.", "context": 250_000, "output": 60,
            "tools": [{"name": "Bash", "input": {"command": "touch ran; echo hi"}}]},
        {"text": "Done.", "context": 251_000, "output": 20},
        {"text": "Done again."}]}]})
}

/// What the model was told of its first call.
fn told(room: &Room) -> Option<String> {
    let lines = room.transcript();
    let line = lines.iter().find(|l| l["message"]["content"][0]["type"] == "tool_result")?;
    line["message"]["content"][0]["content"].as_str().map(str::to_owned)
}

fn attachments(room: &Room) -> Vec<String> {
    let lines = room.transcript();
    let kinds = lines.iter().filter(|l| l["type"] == "attachment");
    kinds.map(|l| l["attachment"]["type"].as_str().unwrap().to_owned()).collect()
}

fn ran_tool(room: &Room) -> bool {
    room.work().join("ran").metadata().is_ok()
}

#[test]
fn a_denied_tool_does_not_run_and_the_model_hears_why() {
    let deny = |decision: &str| {
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision,
            "permissionDecisionReason": "WHY"}})
    };
    for (command, told_of) in [
        (format!("echo '{}'", deny("deny")), "WHY"),
        (format!("echo '{}'", deny("ask")), "WHY"),
        (r#"echo '{"decision":"block","reason":"[rule 3] WHY"}'"#.to_owned(), "[rule 3] WHY"),
        (r#"echo '{"decision":"block","reason":"WHY"}'"#.to_owned(), "WHY"),
        (
            "echo WHY >&2; exit 2".to_owned(),
            "PreToolUse:Bash hook error: [echo WHY >&2; exit 2]: WHY\n",
        ),
    ] {
        let room = Room::with(&one_call());
        let ran = room.start(&["--settings", &room.hook("PreToolUse", &command)]);
        assert_eq!(told(&room).unwrap(), told_of, "{command}");
        assert!(!ran_tool(&room), "{command}");
        assert_eq!((ran.code, &ran.result()["result"]), (0, &json!("Done.")));
        let denials = &ran.result()["permission_denials"];
        assert_eq!(denials[0]["tool_name"], "Bash");
        assert_eq!(denials.as_array().unwrap().len(), 1);
    }
}

#[test]
fn whatever_else_a_hook_does_lets_the_call_through() {
    for (command, trace) in [
        ("true", None),
        ("exit 1", Some("hook_non_blocking_error")),
        ("kill -SEGV $$", Some("hook_non_blocking_error")),
        ("/nonexistent/hook", Some("hook_non_blocking_error")),
        ("echo not json", Some("hook_success")),
        ("echo grumble >&2", Some("hook_success")),
        (r#"echo '{"decision":"nope"}'"#, Some("hook_non_blocking_error")),
        (
            r#"echo '{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}'"#,
            Some("hook_non_blocking_error"),
        ),
        (
            r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#,
            Some("hook_success"),
        ),
    ] {
        let room = Room::with(&one_call());
        let ran = room.start(&["--settings", &room.hook("PreToolUse", command)]);
        assert!(ran_tool(&room), "{command}");
        assert_eq!(ran.result()["result"], "Done.", "{command}");
        assert_eq!(attachments(&room), trace.into_iter().collect::<Vec<_>>(), "{command}");
        assert_eq!(ran.result()["permission_denials"], json!([]));
    }
}

#[test]
fn a_slow_hook_is_left_behind() {
    let room = Room::with(&one_call());
    let hook = json!([{"hooks": [{"type": "command", "command": "sleep 60", "timeout": 0.05}]}]);
    room.start(&["--settings", &json!({"hooks": {"PreToolUse": hook}}).to_string()]);
    assert!(ran_tool(&room));
    assert_eq!(attachments(&room), ["hook_cancelled"]);
}

#[test]
fn a_run_is_stopped_at_the_message_boundary_and_can_be_resumed() {
    let real: Value =
        serde_json::from_slice(&fs_err::read(fixture("results/stopped-by-hook.json")).unwrap())
            .unwrap();
    let stop = r#"echo '{"continue":false,"stopReason":"line"}'"#;
    for (event, command) in [
        ("PreToolUse", stop),
        ("PostToolUse", stop),
        ("PostToolBatch", stop),
        ("PostToolBatch", r#"echo '{"decision":"block","reason":"line"}'"#),
    ] {
        let room = Room::with(&one_call());
        let ran = room.start(&["--settings", &room.hook(event, command)]);
        assert_eq!(ran.code, 0, "{event}");
        for key in ["subtype", "is_error", "result", "stop_reason", "terminal_reason", "num_turns"]
        {
            assert_eq!(ran.result()[key], real[key], "{event} {key}");
        }
        assert!(ran_tool(&room), "the call itself is finished");
        assert_eq!(attachments(&room).last().unwrap(), "hook_stopped_continuation");
        assert_eq!(room.resume("go on", &[]).result()["result"], "Done.");
    }
}

#[test]
fn what_comes_after_a_tool_reaches_the_transcript() {
    let context = |event: &str| {
        let answer =
            json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": "CTX"}});
        format!("echo '{answer}'")
    };
    for (event, command, kind) in [
        ("PostToolUse", context("PostToolUse"), "hook_additional_context"),
        ("PostToolBatch", context("PostToolBatch"), "hook_additional_context"),
        ("PreToolUse", context("PreToolUse"), "hook_additional_context"),
        ("UserPromptSubmit", context("UserPromptSubmit"), "hook_additional_context"),
        ("PostToolUse", "echo no >&2; exit 2".to_owned(), "hook_blocking_error"),
        ("PostToolUse", r#"echo '{"systemMessage":"hello"}'"#.to_owned(), "hook_system_message"),
    ] {
        let room = Room::with(&one_call());
        let ran = room.start(&["--settings", &room.hook(event, &command)]);
        assert!(attachments(&room).contains(&kind.to_owned()), "{event}: {:?}", attachments(&room));
        assert_eq!(ran.result()["result"], "Done.");
    }
}

#[test]
fn a_refused_prompt_reaches_no_model() {
    let blocked = "UserPromptSubmit operation blocked by hook:\nWHY\n\nOriginal prompt: do it";
    for (command, said, kept) in [
        (r#"echo '{"decision":"block","reason":"WHY"}'"#, blocked, false),
        (
            "echo WHY >&2; exit 2",
            "UserPromptSubmit operation blocked by hook:\n[echo WHY >&2; exit 2]: WHY\n\n\nOriginal prompt: do it",
            false,
        ),
        (r#"echo '{"continue":false,"stopReason":"WHY"}'"#, "Operation stopped by hook: WHY", true),
    ] {
        let room = Room::with(&one_call());
        let ran = room.start(&["--settings", &room.hook("UserPromptSubmit", command)]);
        let result = ran.result();
        assert_eq!((ran.code, &result["result"]), (0, &json!(said)), "{command}");
        assert_eq!((&result["is_error"], &result["num_turns"]), (&json!(false), &json!(0)));
        assert!(
            result.get("terminal_reason").is_none() && result.get("api_error_status").is_none()
        );
        let lines = room.transcript();
        assert_eq!(lines.iter().any(|line| line["type"] == "user"), kept);
        assert!(lines.iter().all(|line| line["type"] != "assistant"));
        // The script has not moved.
        assert_eq!(room.resume("x", &[]).result()["result"], "Done.");
    }
}

#[test]
fn a_stop_hook_can_send_the_agent_on() {
    let room = Room::with(&one_call());
    let command =
        r#"grep -q '"stop_hook_active":true' || echo '{"decision":"block","reason":"not yet"}'"#;
    let ran = room.start(&["--settings", &room.hook("Stop", command)]);
    assert_eq!(ran.result()["result"], "Done again.");
    let lines = room.transcript();
    let line = lines.iter().find(|l| l["isMeta"] == true).unwrap();
    assert_eq!(line["message"]["content"], "Stop hook feedback:\nnot yet");
    let room = Room::with(&one_call());
    let command = r#"echo '{"continue":false,"stopReason":"enough"}'"#;
    let ran = room.start(&["--settings", &room.hook("Stop", command)]);
    assert_eq!(ran.result()["terminal_reason"], "stop_hook_prevented");
    assert_eq!((ran.code, &ran.result()["result"]), (0, &json!("Done.")));
}

#[test]
fn hooks_have_the_environment_of_real_ones() {
    let room = Room::with(&one_call());
    let script = room.folder().join("hook.sh");
    let body = "#!/bin/sh\necho \"$1|$CLAUDE_PROJECT_DIR|$CLAUDE_CODE_SESSION_ID|$CLAUDECODE|$CLAUDE_CODE_ENTRYPOINT\" > env\n";
    fs_err::write(&script, body).unwrap();
    let hook = json!({"type": "command", "command": "/bin/sh", "args": [script, "a b; c"]});
    let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
    // The file of the project counts as well as the option.
    fs_err::create_dir(room.work().join(".claude")).unwrap();
    fs_err::write(room.work().join(".claude/settings.json"), settings.to_string()).unwrap();
    room.start(&[]);
    let said = fs_err::read_to_string(room.work().join("env")).unwrap();
    assert_eq!(said, format!("a b; c|{}|{ID}|1|sdk-cli\n", room.work().display()));
}

#[test]
fn before_a_tool_the_transcript_lags_and_after_the_batch_it_does_not() {
    for (event, seen) in
        [("UserPromptSubmit", "missing"), ("PreToolUse", "0"), ("PostToolBatch", "2")]
    {
        let room = Room::with(&one_call());
        let path = room.transcript_path(ID);
        let count = format!(
            "test -e seen || {{ grep -c '\"type\":\"assistant\"' {0} || test -e {0} || echo missing; }} > seen",
            path.display()
        );
        room.start(&["--settings", &room.hook(event, &count)]);
        let said = fs_err::read_to_string(room.work().join("seen")).unwrap();
        assert_eq!(said.trim(), seen, "{event}");
    }
}

#[test]
fn an_agent_type_is_told_and_lost_as_in_the_real_cli() {
    let mut room = Room::with(&one_call());
    room.set("LOG", room.folder().join("log").to_str().unwrap());
    let settings = room.hook(
        "UserPromptSubmit",
        "grep -o '\"agent_type\":\"[^\"]*\"' >> $LOG || echo none >> $LOG",
    );
    let agents = r#"{"worker-1":{"description":"d","prompt":"p"}}"#;
    room.start(&["--settings", &settings, "--agent", "worker-1", "--agents", agents]);
    room.resume("x", &["--settings", &settings, "--agents", agents]);
    room.resume("x", &["--settings", &settings]);
    let log = fs_err::read_to_string(room.folder().join("log")).unwrap();
    assert_eq!(log, "\"agent_type\":\"worker-1\"\n\"agent_type\":\"worker-1\"\nnone\n");
    assert_eq!(room.transcript()[0]["agentSetting"], "worker-1");
}
