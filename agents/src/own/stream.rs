//! What an agent of the person's own prints: events, one JSON object a line, by their
//! `event`. Fields that an event has and that are not known are passed over, and so are
//! events that are not; a line without one is a text.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::lines::without_lone_surrogates;
use crate::run::{EndKind, Ended, Event};

/// Shows what a line says; `false` where it is no event.
pub(super) fn line(line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
    let whole = without_lone_surrogates(line);
    let Ok(record) = serde_json::from_str::<Value>(&whole) else { return false };
    let text = |key: &str| record[key].as_str();
    match record["event"].as_str() {
        Some("begun") => see(Event::Begun {
            session_id: text("session_id").map(Cow::Borrowed),
            model: text("model").map(Cow::Borrowed),
        }),
        Some("words") => {
            if let Some(words) = text("text").filter(|words| !words.trim().is_empty()) {
                see(Event::Words(Cow::Borrowed(words)));
            }
        }
        Some("tool") => see(Event::Tool(
            Cow::Borrowed(text("name").unwrap_or("tool")),
            text("purpose").unwrap_or_default().to_owned(),
        )),
        Some("tool_ended") => see(Event::ToolEnded),
        Some("context") => {
            if let Some(pending) = record["pending"].as_u64() {
                see(Event::Pending(pending));
            }
            if let Some(tokens) = record["tokens"].as_u64() {
                see(Event::Context(tokens));
            }
        }
        Some("retry") => see(Event::Retry(text("text").unwrap_or_default().to_owned())),
        Some("ended") => see(Event::Ended(Box::new(ended(&record, &whole)))),
        Some(_) => {}
        None => return false,
    }
    true
}

fn ended(record: &Value, line: &str) -> Ended {
    let kind = match record["kind"].as_str() {
        Some("answered") => EndKind::Answered,
        Some("blocked") => EndKind::PromptBlocked,
        Some("limit") => EndKind::LimitReached,
        _ => EndKind::Failed,
    };
    let text = record["text"].as_str();
    let told = match kind {
        // The form in which services tell of errors, so that it is judged as one.
        EndKind::Failed => json!({"error": {"message": text}}).to_string(),
        _ => line.to_owned(),
    };
    Ended {
        text: text.unwrap_or_default().to_owned(),
        was_said: kind == EndKind::Answered && text.is_none(),
        kind,
        cost_usd: record["cost_usd"].as_f64(),
        num_turns: record["num_turns"].as_u64(),
        model: record["model"].as_str().map(str::to_owned),
        record: told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_what_is_none() {
        let mut seen = Vec::new();
        for text in [
            r#"{"event":"begun","session_id":"s","model":"m","more":1}"#,
            r#"{"event":"words","text":"hello"}"#,
            r#"{"event":"tool","name":"shell","purpose":"ls"}"#,
            r#"{"event":"tool_ended"}"#,
            r#"{"event":"context","tokens":90,"pending":5}"#,
            r#"{"event":"of a later version"}"#,
            r#"{"event":"ended","kind":"answered"}"#,
        ] {
            assert!(line(text, &mut |event| seen.push(format!("{event:?}"))), "{text}");
        }
        assert_eq!(
            seen[..6],
            [
                r#"Begun { session_id: Some("s"), model: Some("m") }"#,
                r#"Words("hello")"#,
                r#"Tool("shell", "ls")"#,
                "ToolEnded",
                "Pending(5)",
                "Context(90)",
            ]
        );
        assert!(seen[6].contains("was_said: true, kind: Answered"), "{}", seen[6]);
        for none in ["", "text", "[]", "{}", r#"{"event":1}"#] {
            assert!(!line(none, &mut |_| {}), "{none}");
        }
    }
}
