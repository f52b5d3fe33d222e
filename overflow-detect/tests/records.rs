//! Transcripts, results and logs: the last error-shaped record decides.

#![allow(clippy::unwrap_used, reason = "a test")]

use overflow_detect::Class::{self, Credentials, Network, Overflow, Payload, PayloadText, Rate};
use overflow_detect::records::last_failure;

fn class(text: &str) -> Option<Class> {
    last_failure(text.as_bytes()).unwrap()?.verdict.map(|verdict| verdict.class)
}

fn file(name: &str) -> String {
    let path = format!("{}/../tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    fs_err::read_to_string(path).unwrap()
}

#[test]
fn what_real_runs_came_to() {
    for (name, expected) in [
        ("claude-code/results/auth-401.rc1.json", Some(Credentials)),
        ("claude-code/results/bad-gateway-502-html.rc1.json", Some(Network)),
        ("claude-code/results/connection-closed-mid-stream.rc1.json", Some(Network)),
        ("claude-code/results/connection-refused.rc1.json", Some(Network)),
        ("claude-code/results/credit-balance.rc1.json", Some(Credentials)),
        ("claude-code/results/input-plus-max-tokens-exceed.rc1.json", Some(Overflow)),
        ("claude-code/results/local-blocking-limit.rc1.json", Some(Overflow)),
        ("claude-code/results/model-context-window-exceeded.rc1.json", Some(Overflow)),
        ("claude-code/results/model-not-found-404.rc1.json", Some(Credentials)),
        ("claude-code/results/notification-blocked-by-hook.rc0.json", None),
        ("claude-code/results/ok-with-tools.rc0.json", None),
        ("claude-code/results/overloaded-529.rc1.json", Some(Network)),
        ("claude-code/results/prompt-blocked-by-hook.rc0.json", None),
        ("claude-code/results/prompt-too-long-multi-turn-no-autocompact.rc1.json", Some(Overflow)),
        ("claude-code/results/prompt-too-long-multi-turn.rc1.txt", Some(Overflow)),
        ("claude-code/results/prompt-too-long-recovered-by-reactive-compact.rc0.json", None),
        ("claude-code/results/prompt-too-long-single-exchange.rc1.json", Some(Overflow)),
        ("claude-code/results/prompt-too-long-single-exchange.rc1.txt", Some(Overflow)),
        ("claude-code/results/rate-limit-429.rc1.json", Some(Rate)),
        ("claude-code/results/request-too-large-413.rc1.json", Some(Payload)),
        ("claude-code/results/server-500.rc1.json", Some(Network)),
        ("claude-code/results/stopped-by-hook.rc0.json", None),
        ("claude-code/results/stream-error-event.rc1.json", Some(Network)),
        ("claude-code/results/too-many-total-text-bytes.rc1.json", Some(PayloadText)),
        ("claude-code/api-errors/e_ctx.jsonl", Some(Overflow)),
        ("claude-code/api-errors/e_long.jsonl", Some(Overflow)),
        ("claude-code/api-errors/e_429.jsonl", Some(Rate)),
        ("claude-code/api-errors/too-long-multi-turn-DISABLE_AUTO_COMPACT.jsonl", Some(Overflow)),
        // It compacted and went on.
        ("claude-code/api-errors/too-long-multi-turn-none.jsonl", None),
        ("codex/error_auth_401.stderr.txt", Some(Credentials)),
        ("codex/error_http500.stderr.txt", Some(Network)),
        ("codex/error_rate_limit_429.stderr.txt", Some(Rate)),
        ("codex/error_rate_limit_response_failed.stderr.txt", Some(Rate)),
        ("codex/error_usage_limit_reached_rate_limit_only_token_count.stderr.txt", Some(Rate)),
        ("codex/overflow_http400_after_200k.stderr.txt", Some(Overflow)),
        ("codex/overflow_invalid_prompt_code.stderr.txt", Some(Overflow)),
        ("codex/overflow_other_provider_http400.stderr.txt", Some(Overflow)),
        ("codex/overflow_first_call_info_null_json.stdout.txt", Some(Overflow)),
        ("codex/stream_error_event_not_recognised.stderr.txt", Some(Network)),
        ("gemini/overflow-stream.txt", Some(Overflow)),
    ] {
        assert_eq!(class(&file(name)), expected, "{name}");
    }
}

#[test]
fn numbers_are_those_of_the_record() {
    let failure =
        last_failure(file("claude-code/api-errors/e_ctx.jsonl").as_bytes()).unwrap().unwrap();
    let verdict = failure.verdict.unwrap();
    assert_eq!(
        (verdict.used, verdict.limit, verdict.output),
        (Some(190_000), Some(200_000), Some(64_000))
    );
    let wording = String::from_utf8_lossy(&failure.record[verdict.start..verdict.end]).into_owned();
    assert!(wording.starts_with("input length and"), "{wording}");
    assert!(wording.ends_with("200000"), "{wording}");
}

#[test]
fn a_refused_model_is_told_from_a_refused_key() {
    for (name, model) in [("model-not-found-404.rc1.json", true), ("auth-401.rc1.json", false)] {
        let text = file(&format!("claude-code/results/{name}"));
        let verdict = last_failure(text.as_bytes()).unwrap().unwrap().verdict.unwrap();
        assert_eq!(verdict.refuses_model(), model, "{name}");
    }
}

const TOO_LONG: &str = r#"{"type":"assistant","isApiErrorMessage":true,"error":"invalid_request","message":{"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"Prompt is too long"}]}}"#;
const ANSWER: &str = r#"{"type":"assistant","message":{"model":"claude-opus-4-8","role":"assistant","content":[{"type":"text","text":"Prompt is too long: that error means the window is full."}]}}"#;
const TOOL: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","is_error":true,"content":"Error: prompt is too long: 210000 tokens > 200000 maximum"}]}}"#;
const LOGIN: &str = r#"{"type":"assistant","isApiErrorMessage":true,"error":"authentication_failed","message":{"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"Invalid API key · Fix external API key"}]}}"#;
const UNKNOWN: &str = r#"{"type":"assistant","isApiErrorMessage":true,"error":"unknown","message":{"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"API Error: 418 teapot"}]}}"#;

#[test]
fn the_last_one_decides() {
    for (lines, expected) in [
        (vec![TOO_LONG], Some(Overflow)),
        (vec![ANSWER, TOOL], None),
        (vec![TOO_LONG, ANSWER], None),
        (vec![TOO_LONG, TOOL], Some(Overflow)),
        (vec![ANSWER, TOO_LONG, LOGIN], Some(Credentials)),
        (vec![TOO_LONG, UNKNOWN], None),
        (vec![LOGIN, TOO_LONG], Some(Overflow)),
    ] {
        assert_eq!(class(&lines.join("\n")), expected, "{lines:#?}");
    }
}

#[test]
fn an_old_overflow_does_not_colour_a_log() {
    let overflow =
        "2026-03-01T10:00:00Z ERROR agent: prompt is too long: 210000 tokens > 200000 maximum\n";
    let later = [
        "2026-03-01T10:05:00Z ERROR agent: ENOSPC: no space left on device\n",
        "2026-03-01T10:06:00Z ERROR agent: cannot open notes.md\n",
        "Error: connect ECONNREFUSED 127.0.0.1:443\n",
        "{\"level\":\"error\",\"msg\":\"worker 3 lost its lease\"}\n",
        "TypeError: x is not a function\n",
    ];
    assert_eq!(class(overflow), Some(Overflow));
    for line in later {
        assert_ne!(class(&format!("{overflow}{line}")), Some(Overflow), "{line}");
        assert_eq!(class(&format!("{line}{overflow}")), Some(Overflow), "{line}");
    }
    // A program's last words are no failure of their own.
    for echo in [
        "An unexpected critical error occurred: [object Object]\n",
        "error: process exited with code 1\n",
        "    at Client.send (client.js:4:2)\n  status: 400\n}\n",
        "tokens used\n0\n",
    ] {
        assert_eq!(class(&format!("{overflow}{echo}")), Some(Overflow), "{echo}");
    }
}

#[test]
fn shapes_of_other_programs() {
    let overflow = "Your input exceeds the context window of this model. Please adjust your input and try again.";
    for record in [
        format!(r#"{{"type":"turn.failed","error":{{"message":"{overflow}"}}}}"#),
        format!(r#"{{"type":"event_msg","payload":{{"type":"error","message":"{overflow}"}}}}"#),
        format!(r#"{{"type":"event_msg","payload":{{"type":"task_complete","last_agent_message":null,"error":{{"message":"{overflow}","codex_error_info":"invalid_prompt"}}}}}}"#),
        r#"{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null,"error":{"message":"no","codex_error_info":"context_window_exceeded"}}}"#.to_owned(),
        r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":0,"output_tokens":0,"total_tokens":258400},"model_context_window":258400}}}"#.to_owned(),
        format!(r#"{{"type":"error","sessionID":"s","error":{{"name":"ContextOverflowError","data":{{"message":"{overflow}"}}}}}}"#),
        format!(r#"{{"type":"message","message":{{"role":"assistant","content":[],"stopReason":"error","errorMessage":"400 {overflow}"}}}}"#),
        format!(r#"{{"type":"session.error","data":{{"errorType":"query","message":"400 {overflow}","statusCode":400}}}}"#),
        format!(r#"{{"level":50,"time":1,"msg":"{overflow}"}}"#),
        format!(r#"{{"statusCode":400,"detail":"{overflow}"}}"#),
        format!(r#"[{{"type":"system"}},{{"type":"result","is_error":true,"result":"{overflow}"}}]"#),
        format!("event: error\ndata: {{\"type\":\"error\",\"error\":{{\"message\":\"{overflow}\"}}}}\n"),
        format!("{{\n  \"error\": {{\n    \"message\": \"{overflow}\",\n    \"code\": 400\n  }}\n}}\n"),
        r#"{"type":"result","subtype":"success","is_error":true,"result":"","terminal_reason":"rapid_refill_breaker"}"#.to_owned(),
        r#"{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}"#.to_owned(),
    ] {
        assert_eq!(class(&record), Some(Overflow), "{record}");
        let torn = &record[..record.len() / 2];
        let _ = class(torn);
    }
}

#[test]
fn words_of_people_models_and_tools_are_no_errors() {
    let quote = "error: prompt is too long: 210000 tokens > 200000 maximum";
    for record in [
        format!(r#"{{"type":"user","message":{{"role":"user","content":"{quote}"}}}}"#),
        format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call_output","output":"{quote}"}}}}"#
        ),
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"agent_message","message":"{quote}"}}}}"#
        ),
        format!(
            r#"{{"type":"item.completed","item":{{"type":"agent_message","text":"{quote}"}}}}"#
        ),
        format!(r#"{{"role":"assistant","content":"{quote}"}}"#),
        format!(r#"{{"level":"info","msg":"{quote}"}}"#),
        format!(r#"{{"type":"result","is_error":false,"result":"It failed with {quote}"}}"#),
        // Torn, so nobody can tell whose words these are.
        format!(r#"{{"type":"user","message":{{"role":"user","content":"{quote}"#),
    ] {
        assert_eq!(class(&record), None, "{record}");
    }
}

#[test]
fn bad_bytes_and_long_lines() {
    let mut text = b"\xef\xbb\xbf\0\0".to_vec();
    text.extend_from_slice(TOO_LONG.replace("Prompt", "\u{fffd}Prompt").as_bytes());
    text.extend_from_slice(b"\r\n\xff\xfe half a record {\"type\":");
    let found = last_failure(text.as_slice()).unwrap().unwrap();
    assert_eq!(found.verdict.map(|verdict| verdict.class), Some(Overflow));

    // A wording across the edges of blocks, in a line too long to hold.
    let wording = "API Error: prompt is too long: 210000 tokens > 200000 maximum";
    for lead in [65_530, 69_600, 5 << 20] {
        let text = format!("{} {wording} {}", "x ".repeat(lead / 2), "y".repeat(200_000));
        assert_eq!(class(&text), Some(Overflow), "{lead}");
    }
}
