//! Any order of calls: after each, the ledger and the documents agree.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod place;

use std::collections::BTreeSet;

use place::{Place, document};
use proptest::prelude::*;
use serde_json::Value;

const CURRENT: &str = ".handoff/notes/交接-s.md";

#[derive(Clone, Copy, Debug)]
enum Call {
    /// A document, and no successor.
    Publish,
    /// A document, and a successor that ends well.
    Rotate,
    /// The same, of a session whose id is told.
    Retire,
    /// A document, and a successor that cannot be launched.
    Fail,
    /// A document, and a successor that ends without a word.
    Silent,
    Resume,
    Again,
    Start,
    End,
    Figures,
    /// Of the archived documents the newest two stay.
    Prune,
    /// A person edits the current document.
    Edit,
}

fn any_call() -> impl Strategy<Value = Call> {
    use Call::{
        Again, Edit, End, Fail, Figures, Prune, Publish, Resume, Retire, Rotate, Silent, Start,
    };
    prop::sample::select(vec![
        Publish, Rotate, Rotate, Retire, Retire, Fail, Silent, Resume, Resume, Again, Start, End,
        Figures, Edit, Prune,
    ])
}

/// What was published, and what of it is current.
struct Walk {
    place: Place,
    published: u32,
    current: Option<String>,
    archived: Vec<String>,
}

impl Walk {
    fn new() -> Walk {
        let place = Place::new();
        place.program("broken", "");
        fs_err::write(place.path("bin/broken"), "#!/nonexistent\n").unwrap();
        Walk { place, published: 0, current: None, archived: Vec::new() }
    }

    fn make(&mut self, call: Call) {
        match call {
            Call::Publish => self.publish("", &[0]),
            Call::Rotate => self.publish("-- true {session}", &[0]),
            Call::Retire => {
                let options = format!("--retired told-{} -- true", self.published);
                self.publish(&options, &[0]);
            }
            Call::Fail => self.publish("-- broken", &[127]),
            Call::Silent => self.publish("-- false", &[1]),
            Call::Resume => self.call("--step s --resume -- true", &[0, 1]),
            Call::Again => self.call("--step s --again -- true", &[0, 66]),
            Call::Start => self.call("record start --step s", &[0]),
            Call::End => self.call("record end --step s --ok", &[0, 65]),
            Call::Figures => {
                let session = format!("reported-{}", self.published);
                let words = format!("record generation --step s --session {session} --cost 0.1");
                self.call(&words, &[0, 65]);
            }
            Call::Prune => {
                self.call("prune --step s --keep 2", &[0]);
                let going = self.archived.len().saturating_sub(2);
                self.archived.drain(..going);
            }
            Call::Edit => {
                if let Some(current) = &mut self.current {
                    current.push_str("edited\n");
                    self.place.write(CURRENT, current);
                }
            }
        }
    }

    fn publish(&mut self, options: &str, codes: &[i32]) {
        self.published += 1;
        let text = document(1000 + self.published);
        self.place.write("next.md", &text);
        self.call(&format!("next.md --step s --max-generations 99 {options}"), codes);
        self.archived.extend(self.current.replace(text));
    }

    fn call(&self, words: &str, codes: &[i32]) {
        let output = self.place.tool().args(words.split_whitespace()).output().unwrap();
        let code = output.status.code().unwrap();
        assert!(codes.contains(&code), "{words}: {output:?}");
    }

    fn check(&self) {
        if self.place.files().is_empty() {
            return;
        }
        let ledger = self.place.ledger();
        let mut known = BTreeSet::from(["runs/manifest.json".to_owned()]);
        for row in ledger.as_array().unwrap() {
            check_row(row, &mut known);
        }
        let current = fs_err::read_to_string(self.place.path(CURRENT)).ok();
        assert_eq!(current, self.current);
        known.extend(current.map(|_| "notes/交接-s.md".to_owned()));
        let archived = known.iter().filter(|path| path.starts_with("notes/archive"));
        let mut archived: Vec<_> =
            archived.map(|path| self.place.read(format!(".handoff/{path}"))).collect();
        archived.sort();
        let mut wanted = self.archived.clone();
        wanted.sort();
        assert_eq!(archived, wanted, "{ledger:#}");
        assert_eq!(self.place.exact_files(), known.into_iter().collect::<Vec<_>>());
        self.call("fsck", &[0]);
    }
}

/// One row's promises; the paths that it names are collected, each once.
fn check_row(row: &Value, known: &mut BTreeSet<String>) {
    assert!(row.get("intent").is_none());
    let generations = row["generations"].as_array().unwrap();
    let last = generations.last().unwrap();
    assert_eq!(row["session_id"], last["session_id"], "{row:#}");
    let retired = row["retired"].as_array().unwrap();
    assert!(!retired.contains(&row["session_id"]), "{row:#}");
    let unique: BTreeSet<_> = retired.iter().map(Value::to_string).collect();
    assert_eq!(unique.len(), retired.len(), "{row:#}");
    for (index, generation) in generations.iter().enumerate() {
        let is_last = index == generations.len() - 1;
        assert!(is_last || generation["state"] != "pending", "{row:#}");
        assert!(generation["state"] != "launched" || generation.get("given").is_none(), "{row:#}");
        let mut before = generations[..index].iter();
        let writer = before.rfind(|one| !one["degraded"].is_null());
        let is_pruned = |one: Option<&Value>| {
            one.is_some_and(|one| one.get("pruned").or(one.get("missing")).is_some())
        };
        for (key, gone) in [("archive", is_pruned(Some(generation))), ("given", is_pruned(writer))]
        {
            if let Some(path) = generation.get(key).and_then(Value::as_str).filter(|_| !gone) {
                assert!(known.insert(path.to_owned()), "{path} twice: {row:#}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]
    #[test]
    fn ledger_and_documents_agree(calls in prop::collection::vec(any_call(), 1..14)) {
        let mut walk = Walk::new();
        for call in calls {
            walk.make(call);
            walk.check();
        }
    }
}
