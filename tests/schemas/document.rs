//! `handoff-fmt --to json`.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::place::Place;
use crate::schema::Schema;

pub(crate) const WHOLE: &str = "Here it is.\n\n## Doing now\n\nThe parser.\n\n## Dead ends\n\nA \
     regex.\n\n## Next step\n\nTest it.\n";

pub(crate) static PRINTED: LazyLock<Vec<Value>> = LazyLock::new(print);

fn print() -> Vec<Value> {
    let place = Place::new();
    let format = |arguments: &[&str]| place.tool("handoff-fmt", arguments);
    let degraded = format(&["degraded", "--step", "s", "--why", "w", "the task"]).ends(&[0]);
    let degraded = String::from_utf8(degraded.stdout).unwrap();
    let mut printed = Vec::new();
    for (text, code) in [
        (WHOLE, 0),
        (&degraded, 0),
        ("## 现在在做什么\n\n解析器\n", 1),
        ("no document\u{0}\u{1b}[1m", 1),
        ("", 1),
    ] {
        printed.extend(format(&["--to", "json"]).input(text).prints(&[code]));
        let named = format(&["--to", "json", "--step", "a \"b\"\n"]);
        printed.extend(named.input(text).prints(&[code]));
    }
    printed
}

#[test]
fn every_line_is_as_described() {
    let schema = Schema::named("handoff-fmt");
    let printed = &*PRINTED;
    assert_eq!(printed.len(), 10);
    printed.iter().for_each(|line| schema.check(line));
    for field in ["complete", "degraded"] {
        let seen = |value| printed.iter().any(|line| line[field] == value);
        assert!(seen(true) && seen(false), "{field} is always the same");
    }
    assert!(printed.iter().any(|line| line["missing"] == json!(["doing", "next"])));
}
