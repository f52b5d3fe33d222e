//! Learning windows from JSON that CLIs print: Claude Code's results (of `json`
//! and `stream-json` runs) and status line, and `overflow-detect --json`.

use std::io;

use serde_json::Value;

use crate::learned::{Key, Origin, keep};

/// What is known beside the JSON.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The session.
    pub session: Option<String>,
    /// The base URL that requests go to.
    pub endpoint: Option<String>,
    /// The model as asked for.
    pub model: Option<String>,
}

/// A figure that a piece of JSON tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Of what.
    pub key: Key,
    /// The window, in tokens.
    pub window: u64,
    /// Where it comes from.
    pub origin: Origin,
}

/// What one JSON object teaches; nothing where it is of another kind.
pub fn lessons(json: &Value, about: &About) -> Vec<Lesson> {
    if let Some(usage) = json["modelUsage"].as_object() {
        let models = usage.iter().filter_map(|(model, figures)| {
            Some((model.as_str(), figures["contextWindow"].as_u64()?, tokens(figures)))
        });
        return reported(json, models.collect(), about);
    }
    if let Some(window) = json["context_window"]["context_window_size"].as_u64() {
        let model = json["model"]["id"].as_str().unwrap_or_default();
        return reported(json, vec![(model, window, 1)], about);
    }
    if json["overflow"] == true
        && let Some(window) = json["limit"].as_u64()
        // Bytes are no tokens, and what does not fit beside an output
        // reservation says nothing of the input's room.
        && json["class"] == "overflow"
        && json["reservation"] != true
    {
        return keys(about.session.clone(), about.model.clone(), about)
            .map(|key| Lesson { key, window, origin: Origin::Overflow })
            .collect();
    }
    Vec::new()
}

/// The models of one report with their windows, and tokens to tell the session's
/// main model from those of side requests.
fn reported(json: &Value, models: Vec<(&str, u64, u64)>, about: &About) -> Vec<Lesson> {
    let session = about.session.clone().or_else(|| json["session_id"].as_str().map(str::to_owned));
    let asked = |name: &str| about.model.as_deref() == Some(name);
    let main = models.iter().max_by_key(|(name, _, tokens)| (asked(name), *tokens)).copied();
    let mut lessons = Vec::new();
    for (name, window, _) in &models {
        let is_main = main.is_some_and(|(main, _, _)| main == *name);
        // The name that was asked for may be an alias of the one reported.
        let aliases = [Some(*name), about.model.as_deref().filter(|_| is_main)];
        let mut names: Vec<&str> =
            aliases.into_iter().flatten().filter(|n| !n.is_empty()).collect();
        names.dedup();
        let session = session.clone().filter(|_| is_main);
        for key in
            session.map(Key::Session).into_iter().chain(names.into_iter().map(|model| Key::Model {
                endpoint: about.endpoint.clone(),
                model: model.to_owned(),
            }))
        {
            lessons.push(Lesson { key, window: *window, origin: Origin::Reported });
        }
    }
    lessons
}

fn keys(
    session: Option<String>,
    model: Option<String>,
    about: &About,
) -> impl Iterator<Item = Key> {
    let endpoint = about.endpoint.clone();
    let model = model.map(|model| Key::Model { endpoint, model });
    session.map(Key::Session).into_iter().chain(model)
}

fn tokens(figures: &Value) -> u64 {
    ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens"]
        .iter()
        .filter_map(|key| figures[key].as_u64())
        .fold(0, u64::saturating_add)
}

/// Keeps lessons; returns how many were kept.
///
/// # Errors
/// The state folder cannot be written.
pub fn learn(lessons: &[Lesson]) -> io::Result<usize> {
    let mut kept = 0;
    for lesson in lessons {
        kept += usize::from(keep(&lesson.key, lesson.window, lesson.origin)?);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_teaches_its_session_and_models() {
        let result = json!({"type": "result", "session_id": "s", "modelUsage": {
            "claude-haiku-4-5": {"inputTokens": 5, "contextWindow": 200_000},
            "claude-opus-4-8[1m]": {"inputTokens": 900, "contextWindow": 1_000_000},
        }});
        let about = About { model: Some("opus".into()), ..About::default() };
        let lessons = lessons(&result, &about);
        let of = |key: &Key| lessons.iter().find(|l| l.key == *key).map(|l| l.window);
        let model = |name: &str| Key::Model { endpoint: None, model: name.into() };
        assert_eq!(of(&Key::Session("s".into())), Some(1_000_000));
        assert_eq!(of(&model("claude-opus-4-8[1m]")), Some(1_000_000));
        assert_eq!(of(&model("opus")), Some(1_000_000));
        assert_eq!(of(&model("claude-haiku-4-5")), Some(200_000));
    }

    #[test]
    fn an_overflow_teaches_where_its_limit_is_a_window() {
        let about = About { session: Some("s".into()), ..About::default() };
        let overflow = json!({"overflow": true, "class": "overflow", "limit": 200_000});
        assert_eq!(lessons(&overflow, &about).len(), 1);
        for other in [
            json!({"overflow": true, "class": "payload_text", "limit": 16_000_000}),
            json!({"overflow": true, "class": "overflow", "limit": 200_000, "reservation": true}),
            json!({"overflow": false, "class": "rate", "limit": 30_000}),
            json!({"type": "assistant"}),
            json!([1]),
        ] {
            assert_eq!(lessons(&other, &about), [], "{other}");
        }
    }
}
