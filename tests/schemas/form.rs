//! The schemas themselves.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::schema::{NAMES, folder, read};

#[test]
fn every_schema_is_one_and_says_what_it_is() {
    for name in NAMES {
        let schema = read(name);
        jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        for field in ["title", "description"] {
            assert!(schema[field].is_string(), "{name}: no {field}");
        }
        check_fields(name, &schema);
    }
}

/// Each field has a description and a type; what is required is described; and
/// nothing forbids the fields that later versions add.
fn check_fields(place: &str, schema: &Value) {
    match schema {
        Value::Object(fields) => {
            for closing in ["additionalProperties", "unevaluatedProperties"] {
                assert!(!fields.contains_key(closing), "{place}: {closing}");
            }
            let properties = schema["properties"].as_object().into_iter().flatten();
            for (name, field) in properties {
                assert!(field["description"].is_string(), "{place}/{name}: no description");
                let mut types = ["type", "const", "enum", "$ref"].iter();
                let typed = types.any(|&key| field.get(key).is_some());
                assert!(typed, "{place}/{name}: no type");
            }
            for required in schema["required"].as_array().into_iter().flatten() {
                let name = required.as_str().unwrap();
                assert!(
                    schema["properties"].get(name).is_some(),
                    "{place}: {name} is not described"
                );
            }
            for (key, part) in fields {
                check_fields(&format!("{place}/{key}"), part);
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| check_fields(place, part)),
        _ => {}
    }
}

#[test]
fn the_folder_holds_these_schemas_and_its_readme_names_each() {
    let readme = fs_err::read_to_string(folder().join("README.md")).unwrap();
    let expected: BTreeSet<_> = NAMES.iter().map(|name| format!("{name}.schema.json")).collect();
    let found = fs_err::read_dir(folder()).unwrap();
    let found: BTreeSet<_> = found
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    assert_eq!(found, expected);
    for name in expected {
        assert!(readme.contains(&format!("({name})")), "the README does not name {name}");
    }
}
