//! The schemas, as they lie in docs/schema.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jsonschema::{Registry, Validator};
use serde_json::{Value, json};

/// All of them, by their files' names.
pub(crate) const NAMES: [&str; 8] = [
    "agent-run-outcome",
    "ctx-meter",
    "event",
    "gen-rotate-fsck",
    "gen-rotate-ledger",
    "gen-rotate-log",
    "handoff-fmt",
    "overflow-detect",
];

static OPEN: LazyLock<Registry<'static>> = LazyLock::new(|| registry(read));
static CLOSED: LazyLock<Registry<'static>> = LazyLock::new(|| {
    registry(|name| {
        let mut schema = read(name);
        close(&mut schema);
        schema
    })
});

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema")
}

pub(crate) fn read(name: &str) -> Value {
    let text = fs_err::read(folder().join(format!("{name}.schema.json"))).unwrap();
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Where a schema lies, so that one finds another beside it.
fn address(name: &str) -> String {
    format!("file:///docs/schema/{name}.schema.json")
}

fn registry(read: impl Fn(&str) -> Value) -> Registry<'static> {
    let schemas = NAMES.map(|name| (address(name), read(name)));
    Registry::new().extend(schemas).unwrap().prepare().unwrap()
}

/// Forbids every field that is not described.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if fields.contains_key("properties") && fields.get("type") == Some(&json!("object")) {
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(close),
        _ => {}
    }
}

fn validator(name: &str, registry: &'static Registry<'static>) -> Validator {
    jsonschema::draft202012::options()
        .with_registry(registry)
        .should_validate_formats(true)
        .build(&json!({ "$ref": address(name) }))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(crate) struct Schema {
    name: &'static str,
    open: Validator,
    closed: Validator,
}

impl Schema {
    pub(crate) fn named(name: &'static str) -> Schema {
        // A line of the log is a row with one field more, which the row, closed,
        // would forbid: its other fields are those of the ledger.
        let closed = if name == "gen-rotate-log" { "gen-rotate-ledger" } else { name };
        Schema { name, open: validator(name, &OPEN), closed: validator(closed, &CLOSED) }
    }

    pub(crate) fn accepts(&self, value: &Value) -> bool {
        self.open.is_valid(value)
    }

    /// Asserts that a value is as the schema says, and holds nothing else.
    #[track_caller]
    pub(crate) fn check(&self, value: &Value) {
        faultless(&self.open, self.name, value);
        if self.name == "gen-rotate-log" {
            let mut row = value.clone();
            row.as_object_mut().unwrap().remove("v");
            faultless(&self.closed, self.name, &json!([row]));
        } else {
            faultless(&self.closed, self.name, value);
        }
    }

    /// Asserts that of each enumeration of a field every word was printed.
    #[track_caller]
    pub(crate) fn was_exhausted(&self, field: &str, printed: &[Value]) {
        let schema = read(self.name);
        let mut listed = BTreeSet::new();
        enumerated(&schema, &schema, field, &mut listed);
        let mut seen = BTreeSet::new();
        printed.iter().for_each(|value| found(value, field, &mut seen));
        assert!(!listed.is_empty(), "{}: {field} is no enumeration", self.name);
        assert_eq!(seen, listed, "{}: printed, and listed: {field}", self.name);
    }
}

#[track_caller]
fn faultless(validator: &Validator, name: &str, value: &Value) {
    let faults: Vec<String> = validator
        .iter_errors(value)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{name}:\n{}\n{value:#}", faults.join("\n"));
}

/// The words of the field's enumeration, wherever it is described.
fn enumerated(root: &Value, schema: &Value, field: &str, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(description) = schema.pointer(&format!("/properties/{field}")) {
                let reference = description["$ref"].as_str().and_then(|at| at.strip_prefix('#'));
                let description = reference.map_or(description, |at| root.pointer(at).unwrap());
                let listed = description["enum"].as_array().into_iter().flatten();
                words.extend(listed.map(Value::to_string));
            }
            fields.values().for_each(|part| enumerated(root, part, field, words));
        }
        Value::Array(parts) => parts.iter().for_each(|part| enumerated(root, part, field, words)),
        _ => {}
    }
}

/// All values that a field has.
fn found(value: &Value, field: &str, words: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            words.extend(fields.get(field).map(Value::to_string));
            fields.values().for_each(|part| found(part, field, words));
        }
        Value::Array(parts) => parts.iter().for_each(|part| found(part, field, words)),
        _ => {}
    }
}
