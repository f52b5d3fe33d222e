//! From the literals found to one verdict.

use std::sync::OnceLock;

use crate::anchors::Anchors;
use crate::catalogue::{self, Family, Strength};
use crate::pattern::{Figures, Pattern};
use crate::verdict::{Confidence, Verdict};
use crate::view::View;

/// How far around a literal its pattern may reach, in bytes of the view.
const BEFORE: usize = 200;
const AFTER: usize = 500;

/// The catalogue made ready for one process.
struct Index {
    anchors: Anchors,
    families: Vec<(&'static Family, Vec<Pattern>)>,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| Index {
        anchors: Anchors::of(catalogue::families()),
        families: catalogue::families()
            .map(|family| (family, family.patterns.iter().map(|&p| Pattern::new(p)).collect()))
            .collect(),
    })
}

/// A wording found in a view.
struct Finding {
    family: &'static Family,
    start: usize,
    end: usize,
    figures: Figures,
}

/// Judges the text of one error. None: nothing in it is recognised.
#[must_use]
pub fn classify(text: &str) -> Option<Verdict> {
    let raw = text.as_bytes();
    let view = View::of(raw);
    let mut findings = Vec::new();
    let index = index();
    index.anchors.scan(&view.text, |number, start, end| {
        let (family, patterns) = &index.families[number];
        if patterns.is_empty() {
            findings.push(Finding { family, start, end, figures: Figures::default() });
            return;
        }
        let range =
            (view.floor(start.saturating_sub(BEFORE)), view.floor(end.saturating_add(AFTER)));
        for pattern in patterns {
            if let Some((start, end, figures)) = pattern.find(&view, raw, range) {
                findings.push(Finding { family, start, end, figures });
                return;
            }
        }
    });
    findings.retain(|finding| view.is_word_edge(raw, finding.start));
    let last = findings
        .into_iter()
        .max_by_key(|finding| (finding.family.class.counts_as_overflow(), finding.start))?;
    Some(verdict(&view, &last))
}

fn verdict(view: &View, finding: &Finding) -> Verdict {
    let (start, end) = view.original(finding.start, finding.end);
    let figures = finding.figures;
    Verdict {
        overflow: finding.family.class.counts_as_overflow(),
        class: finding.family.class,
        family: finding.family.id,
        provider: finding.family.provider,
        confidence: match finding.family.strength {
            Strength::Alone => Confidence::Certain,
            Strength::InError => Confidence::Likely,
        },
        used: figures.used,
        limit: figures.limit,
        output: figures.output,
        over: figures.over,
        reservation: figures.reservation(),
        start,
        end,
    }
}
