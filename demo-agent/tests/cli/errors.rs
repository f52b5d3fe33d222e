//! Errors of the API: result, exit code and transcript of the real ones.

use serde_json::{Value, json};

use crate::room::{ID, Room, fixture};

fn real(name: &str) -> Value {
    serde_json::from_slice(&fs_err::read(fixture(&format!("results/{name}.json"))).unwrap())
        .unwrap()
}

/// The keys of a result that a verdict may rest on.
fn verdict(result: &Value) -> Value {
    let keys = [
        "subtype",
        "is_error",
        "api_error_status",
        "num_turns",
        "result",
        "stop_reason",
        "terminal_reason",
        "errors",
    ];
    keys.iter().map(|key| ((*key).to_owned(), result[*key].clone())).collect()
}

#[test]
fn each_error_ends_as_the_real_one() {
    for (error, fixture, word) in [
        ("authentication", "auth-401", "authentication_failed"),
        ("bad_gateway", "bad-gateway-502-html", "server_error"),
        ("connection_refused", "connection-refused", "server_error"),
        ("connection_closed", "connection-closed-mid-stream", "server_error"),
        ("credit_balance", "credit-balance", "billing_error"),
        ("max_tokens_exceed", "input-plus-max-tokens-exceed", "invalid_request"),
        ("context_window_exceeded", "model-context-window-exceeded", "max_output_tokens"),
        ("model_not_found", "model-not-found-404", "model_not_found"),
        ("overloaded", "overloaded-529", "server_error"),
        ("rate_limit", "rate-limit-429", "rate_limit"),
        ("request_too_large", "request-too-large-413", "invalid_request"),
        ("server", "server-500", "server_error"),
        ("stream_error", "stream-error-event", "unknown"),
    ] {
        let room = Room::with(&json!({"sessions": [{"steps": [{"error": error}]}]}));
        let ran = room.start(&[]);
        assert_eq!(ran.code, 1, "{error}");
        assert_eq!(verdict(ran.result()), verdict(&real(fixture)), "{error}");
        let lines = room.transcript();
        let line = lines.iter().find(|line| line["isApiErrorMessage"] == true).unwrap();
        assert_eq!(line["error"], word, "{error}");
        assert_eq!(line["message"]["model"], "<synthetic>");
        assert_eq!(line["message"]["content"][0]["text"], ran.result()["result"]);
    }
}

#[test]
fn text_mode_says_the_same_and_nothing_on_stderr() {
    let room = Room::with(&json!({"sessions": [{"steps": [{"error": "overloaded"}]}]}));
    let output = room.output(&["-p", "x"]);
    let said = real("overloaded-529")["result"].as_str().unwrap().to_owned();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{said}\n"));
    assert_eq!((output.status.code(), output.stderr), (Some(1), Vec::new()));
}

#[test]
fn an_overflow_after_some_answers_is_the_real_one() {
    let call = json!([{"name": "Bash", "input": {"command": "true"}}]);
    let mut room = Room::with(&json!({"model": "claude-sonnet-4-5", "sessions": [{"steps": [
        {"text": "1", "context": 101_005, "tools": call},
        {"text": "2", "context": 130_505, "tools": call},
        {"error": "prompt_too_long"},
    ]}]}));
    room.set("DISABLE_AUTO_COMPACT", "1");
    let ran = room.start(&[]);
    assert_eq!(ran.code, 1);
    assert_eq!(verdict(ran.result()), verdict(&real("prompt-too-long-multi-turn-no-autocompact")));
    let details =
        room.transcript().iter().find_map(|l| l["errorDetails"].as_str().map(str::to_owned));
    let details = details.unwrap();
    assert!(details.contains("prompt is too long: 205000 tokens > 200000 maximum"), "{details}");
    // The session is still too long for the turn that asks for a document.
    let ran = room.resume("write your handoff document", &[]);
    assert_eq!(ran.result()["terminal_reason"], "prompt_too_long");
}

#[test]
fn a_first_exchange_that_is_too_long_says_so_at_length() {
    let room = Room::with(
        &json!({"window": 200_000, "sessions": [{"steps": [{"error": "prompt_too_long"}]}]}),
    );
    let ran = room.start(&[]);
    let text = ran.result()["result"].as_str().unwrap();
    assert!(text.starts_with("Prompt is too long · the request is ~205000 tokens (limit 200000)"));
    assert_eq!((ran.code, &ran.result()["terminal_reason"]), (1, &json!("prompt_too_long")));
}

#[test]
fn a_retried_session_gets_past_its_errors() {
    let room = Room::with(&json!({"sessions": [{"steps": [
        {"error": "rate_limit", "times": 2, "retry_after": 7, "message": "Slow down."},
        {"text": "At last."},
    ]}]}));
    let first = room.start(&[]);
    let retry = first.events.iter().find(|event| event["subtype"] == "api_retry").unwrap();
    assert_eq!(retry["retry_delay_ms"], 7000.0);
    assert_eq!(retry["error_status"], 429);
    assert_eq!(first.result()["result"], "API Error: Request rejected (429) · Slow down.");
    assert_eq!(room.resume("go on", &[]).code, 1);
    let third = room.resume("go on", &[]);
    assert_eq!((third.code, &third.result()["result"]), (0, &json!("At last.")));
}

#[test]
fn an_early_exit_leaves_neither_result_nor_a_torn_line() {
    let room = Room::with(&json!({"sessions": [{"steps": [
        {"text": "a", "tools": [{"name": "Bash", "input": {"command": "true"}}]},
        {"exit": 9, "message": "out of memory"},
    ]}]}));
    let output = room.output(&["-p", "x", "--session-id", ID, "--output-format", "json"]);
    assert_eq!((output.status.code(), output.stdout), (Some(9), Vec::new()));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "demo-agent: out of memory\n");
    assert!(room.transcript().iter().all(|line| line["type"] != "last-prompt"));
}

#[test]
fn too_many_turns_is_the_real_end() {
    let step = json!({"text": "a", "context": 15_906, "output": 321, "tools": [{"name": "Bash", "input": {"command": "true"}}]});
    let scenario = json!({"sessions": [{"steps": [step, step]}]});
    let ran = Room::with(&scenario).start(&["--max-turns", "1"]);
    assert_eq!(ran.code, 1);
    assert_eq!(verdict(ran.result()), verdict(&real("max-turns")));
    let output = Room::with(&scenario).output(&["-p", "x", "--max-turns", "1"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "Error: Reached max turns (1)");
}
