//! `ctx-meter --json`.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::place::{Place, files, fixtures};
use crate::schema::Schema;

/// Whether a session is there to be measured, 65 says that its usage is not.
const MEASURED: [i32; 2] = [0, 65];

/// Every recorded session in windows of several sizes, and what no recording has.
pub(crate) static PRINTED: LazyLock<Vec<Value>> = LazyLock::new(print);

fn print() -> Vec<Value> {
    let place = Place::new();
    let mut sessions = files(&fixtures(), ".jsonl");
    sessions.retain(|path| !path.to_string_lossy().contains("hook_payloads"));
    let mut printed = Vec::new();
    for options in [&[][..], &["--window", "70000"], &["--window", "1", "--headroom", "auto"]] {
        for one in &sessions {
            let mut call: Vec<_> = options.iter().map(Into::into).collect();
            call.extend(["--json".into(), one.clone().into_os_string()]);
            printed.extend(place.tool("ctx-meter", call).prints(&MEASURED));
        }
        let call = ["--json"].iter().chain(options).map(Into::into);
        let call = call.chain(sessions.iter().map(|path| path.clone().into_os_string()));
        let together = place.tool("ctx-meter", call).prints(&[65]);
        assert_eq!(together.len(), sessions.len());
        printed.extend(together);
    }
    printed.extend(windows(&place));
    printed
}

/// Each rule that gives a window.
fn windows(place: &Place) -> Vec<Value> {
    let answer = json!({ "type": "assistant", "sessionId": "s", "uuid": "u", "parentUuid": null,
        "isSidechain": false, "cwd": "/x", "version": "2", "timestamp": "2026-01-01T00:00:00Z",
        "message": { "id": "m", "role": "assistant", "model": "claude-opus-4-8",
            "content": [{ "type": "text", "text": "x" }],
            "usage": { "input_tokens": 7, "output_tokens": 3 } } });
    let session = format!("{answer}\n");
    let nameless = session.replace("\"model\":\"claude-opus-4-8\",", "");
    let uncounted = session.replace(":7,", ":0,").replace(":3}", ":0}").replace("\"m\"", "\"n\"");
    let meter = || place.tool("ctx-meter", ["--json", "-"]);
    let mut printed = meter().input(&session).prints(&[0]);
    printed.extend(meter().input(&format!("{session}{uncounted}")).prints(&[0]));
    printed.extend(meter().input(&nameless).prints(&[0]));
    printed.extend(meter().with("HANDOFF_WINDOW", "200k").input(&session).prints(&[0]));
    let overflow = json!({ "overflow": true, "class": "overflow", "limit": 200_000 }).to_string();
    place.tool("ctx-meter", ["learn", "--session", "s"]).input(&overflow).ends(&[0]);
    printed.extend(meter().input(&session).prints(&[0]));
    let codex = [
        r#"{"type":"session_meta","payload":{"id":"c","cwd":"/x","originator":"codex","cli_version":"1"}}"#,
        r#"{"type":"event_msg","payload":{"type":"task_started","model_context_window":0}}"#,
    ];
    printed.extend(meter().input(&(codex.join("\n") + "\n")).prints(&[65]));
    assert_eq!(printed.len(), 6);
    assert!(printed.iter().all(|line| line["path"].is_null()), "read from stdin");
    printed
}

#[test]
fn every_line_is_as_described() {
    let schema = Schema::named("ctx-meter");
    let printed = &*PRINTED;
    printed.iter().for_each(|line| schema.check(line));
    for field in ["state", "state_projected", "window_source"] {
        schema.was_exhausted(field, printed);
    }
    for field in ["compacted", "stale", "sub_agent", "window_too_small"] {
        let seen = |value| printed.iter().any(|line| line[field] == value);
        assert!(seen(true) && seen(false), "{field} is always the same");
    }
}
