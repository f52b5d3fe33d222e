//! That the schemas refuse what is wrong: real lines, each time with one fault.

use serde_json::{Map, Value, json};

use crate::chain::LEFT;
use crate::schema::Schema;
use crate::{document, meter, outcome, overflow};

/// Fields that a generation of the ledger may lack.
const OF_A_GENERATION: [&str; 9] = [
    "session_source",
    "first_context",
    "at",
    "near",
    "given",
    "started_at",
    "ended_at",
    "exit_status",
    "signal",
];

/// Whether the field there may be absent.
fn is_optional(place: &str) -> bool {
    let field = place.rsplit('/').next().unwrap();
    place == "/file" || place.contains("/generations/") && OF_A_GENERATION.contains(&field)
}

/// Of no field's type: an array whose only entry is an empty object.
fn wrong() -> Value {
    json!([{}])
}

/// Where each field of a value stands, as a JSON pointer.
fn fields(value: &Value, at: &str, found: &mut Vec<String>) {
    let entries: Vec<(String, &Value)> = match value {
        Value::Object(object) => {
            object.iter().map(|(key, part)| (format!("{at}/{key}"), part)).collect()
        }
        Value::Array(parts) => {
            parts.iter().enumerate().map(|(index, part)| (format!("{at}/{index}"), part)).collect()
        }
        _ => Vec::new(),
    };
    for (place, part) in entries {
        if value.is_object() {
            found.push(place.clone());
        }
        fields(part, &place, found);
    }
}

fn object_of<'v>(value: &'v mut Value, place: &str) -> (&'v mut Map<String, Value>, String) {
    let (object, field) = place.rsplit_once('/').unwrap();
    (value.pointer_mut(object).unwrap().as_object_mut().unwrap(), field.to_owned())
}

#[test]
fn a_missing_field_and_a_wrong_type_are_refused() {
    let of_phase =
        |phase: &str| LEFT.events.iter().find(|event| event["phase"] == phase).cloned().unwrap();
    for (name, line) in [
        ("agent-run-outcome", outcome::PRINTED[0].clone()),
        ("ctx-meter", meter::PRINTED[0].clone()),
        ("event", of_phase("near")),
        ("event", of_phase("writing")),
        ("event", of_phase("done")),
        ("gen-rotate-ledger", LEFT.ledgers[0].clone()),
        ("gen-rotate-log", LEFT.logs[0].clone()),
        ("handoff-fmt", document::PRINTED[0].clone()),
        ("overflow-detect", overflow::PRINTED[0].clone()),
    ] {
        let schema = Schema::named(name);
        schema.check(&line);
        let mut places = Vec::new();
        fields(&line, "", &mut places);
        assert!(places.len() > 4, "{name}: {line}");
        for place in places {
            let mut lacking = line.clone();
            let (object, field) = object_of(&mut lacking, &place);
            object.remove(&field);
            assert_eq!(schema.accepts(&lacking), is_optional(&place), "{name} without {place}");

            let mut spoilt = line.clone();
            let (object, field) = object_of(&mut spoilt, &place);
            object.insert(field, wrong());
            assert!(!schema.accepts(&spoilt), "{name} with {} at {place}", wrong());
        }
    }
}

#[test]
fn what_cannot_be_is_refused_and_what_is_added_is_not() {
    let meter = meter::PRINTED[0].clone();
    let outcome = outcome::PRINTED[0].clone();
    let row = LEFT.logs[0].clone();
    for (name, line, field, value, accepted) in [
        ("ctx-meter", &meter, "v", json!(2), false),
        ("ctx-meter", &meter, "context", json!(-1), false),
        ("ctx-meter", &meter, "context", json!(1.5), false),
        ("ctx-meter", &meter, "context", json!("1"), false),
        ("ctx-meter", &meter, "window", json!(0), false),
        ("ctx-meter", &meter, "window", json!(null), false),
        ("ctx-meter", &meter, "state", json!("half"), false),
        ("ctx-meter", &meter, "measured_at", json!("yesterday"), false),
        ("ctx-meter", &meter, "context", json!(null), true),
        ("ctx-meter", &meter, "added_later", json!({}), true),
        ("agent-run-outcome", &outcome, "verdict", json!("fine"), false),
        ("agent-run-outcome", &outcome, "exit_status", json!(256), false),
        ("agent-run-outcome", &outcome, "near", json!(null), false),
        ("agent-run-outcome", &outcome, "added_later", json!(1), true),
        ("gen-rotate-log", &row, "started_at", json!("2026-11-30 20:07"), false),
        ("gen-rotate-log", &row, "cost_usd", json!(-0.1), false),
        ("gen-rotate-log", &row, "retired", json!([null]), false),
        ("gen-rotate-log", &row, "note", json!("a person's"), true),
    ] {
        let mut changed = line.clone();
        changed[field] = value;
        assert_eq!(Schema::named(name).accepts(&changed), accepted, "{name}: {}", changed[field]);
    }
}
