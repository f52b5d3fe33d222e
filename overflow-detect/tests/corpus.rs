//! The classifier against labelled error texts from public bug reports and
//! programs. Prints precision and recall by vendor; run with `--nocapture`.

#![allow(clippy::unwrap_used, clippy::disallowed_macros, clippy::print_stdout, reason = "a test")]

use std::collections::BTreeMap;

use overflow_detect::classify;
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    id: String,
    group: String,
    overflow: bool,
    #[serde(default)]
    debatable: bool,
    text: String,
}

#[derive(Default)]
struct Score {
    hits: u32,
    false_alarms: u32,
    misses: u32,
}

impl Score {
    fn precision(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.false_alarms).max(1))
    }

    fn recall(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.misses).max(1))
    }
}

fn scores(file: &str) -> BTreeMap<String, Score> {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for line in file.lines() {
        let row: Row = serde_json::from_str(line).unwrap();
        if row.debatable {
            continue;
        }
        let verdict = classify(&row.text);
        let said = verdict.as_ref().is_some_and(|verdict| verdict.overflow);
        let score = scores.entry(row.group).or_default();
        match (row.overflow, said) {
            (true, true) => score.hits += 1,
            (true, false) => score.misses += 1,
            (false, true) => score.false_alarms += 1,
            (false, false) => {}
        }
        if said != row.overflow {
            println!(
                "{} {}: {:.300?} {:.200?}",
                row.id,
                if said { "FALSE ALARM" } else { "missed" },
                row.text,
                verdict
            );
        }
    }
    scores
}

fn print(scores: &BTreeMap<String, Score>) {
    for (group, score) in scores {
        println!(
            "{group:12} {} of {} found, {} false alarms: precision {:.3} recall {:.3}",
            score.hits,
            score.hits + score.misses,
            score.false_alarms,
            score.precision(),
            score.recall()
        );
    }
}

#[test]
fn public_texts() {
    let scores = scores(include_str!("fixtures/corpus.jsonl"));
    print(&scores);
    for (group, score) in &scores {
        assert_eq!((score.misses, score.false_alarms), (0, 0), "{group}");
    }
    let found: u32 = scores.values().map(|score| score.hits).sum();
    assert_eq!(found, 160);
}

#[test]
fn unlisted_wordings_and_quotations() {
    let scores = scores(include_str!("fixtures/unlisted.jsonl"));
    print(&scores);
    let score = &scores["unlisted"];
    assert_eq!((score.misses, score.false_alarms), (0, 0));
}
