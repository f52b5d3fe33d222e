//! From the literals found to one verdict.
//!
//! Each literal leads to a finding: a wording of the catalogue, or a sentence
//! the grammar understood. Findings that are quoted somewhere, or that need an
//! error around them and have none, are dropped; a near miss close by silences
//! the grammar. Of what is left in one error, the most specific wording speaks;
//! of several errors (attempts of a retry, entries of a log), the last.

mod error_shape;

use crate::anchors::{self, Anchor};
use crate::catalogue::{Family, Strength};
use crate::grammar::{self, Word};
use crate::pattern::{self, Figures};
use crate::quotation;
use crate::verdict::{Class, Confidence, Verdict};
use crate::view::View;

/// How far behind a literal its pattern may reach, in bytes of the view.
const AFTER: usize = 500;

/// How far from a sentence of the grammar a near miss still speaks of it.
const VETO: usize = 120;

/// Rank, numbers, place.
type Weight = (u8, usize, usize);

/// A wording found in a view.
#[derive(Clone, Copy)]
struct Finding {
    /// None: the grammar's.
    family: Option<&'static Family>,
    class: Class,
    start: usize,
    end: usize,
    /// What stands beside this may show that the wording is quoted.
    spoken: (usize, usize),
    figures: Figures,
    /// Its numbers show that it is no rule about what may not be.
    measured: bool,
    strength: Strength,
}

impl Finding {
    /// The more it says, the higher it ranks within one error.
    fn rank(&self) -> u8 {
        use Class::{Credentials, Network, Other, Payload, Silent};
        let class = self.class;
        match (self.family, self.strength) {
            // That the prompt was cut settles it, whatever made it necessary.
            _ if class == Silent => 8,
            (None, _) => 3,
            (Some(_), Strength::Alone) if class.counts_as_overflow() => 7,
            // A request called too large may be one whose prompt is.
            (Some(_), Strength::Alone) if class == Payload => 4,
            // Many a wrapper names the connection before it says what came over it.
            (Some(_), Strength::Alone) if matches!(class, Network | Credentials) => 2,
            (Some(_), Strength::Alone) => 6,
            (Some(_), Strength::InError) if class.counts_as_overflow() => 5,
            (Some(_), Strength::InError) => u8::from(class != Other),
        }
    }

    /// What decides between two findings of one error: rank, then numbers, then
    /// the later.
    fn weight(&self) -> Weight {
        let Figures { used, limit, output, over } = self.figures;
        let numbers = [used, limit, output, over].iter().flatten().count();
        (self.rank(), numbers, self.start)
    }

    /// Whether it shows that a sentence close by is about another limit.
    fn vetoes(&self) -> bool {
        use Class::{LongContextGate, Other, OutputCap, Payload, Rate, Silent};
        match self.class {
            LongContextGate | OutputCap | Payload | Rate | Silent => true,
            Other => self.strength == Strength::Alone,
            _ => false,
        }
    }
}

/// Judges the text of one error. None: nothing in it is recognised.
#[must_use]
pub fn classify(text: &str) -> Option<Verdict> {
    classify_bytes(text.as_bytes())
}

/// [`classify`] for text that may hold bytes that are no UTF-8.
#[must_use]
pub fn classify_bytes(raw: &[u8]) -> Option<Verdict> {
    let view = View::of(raw);
    let findings = findings(&view);
    let starts = error_shape::attempts(&view);
    let attempt = |finding: &Finding| starts.iter().filter(|&&at| at <= finding.start).count();
    let chosen = findings.iter().max_by_key(|finding| (attempt(finding), finding.weight()))?;
    Some(verdict(&view, chosen))
}

/// All wordings in a view that are said, not quoted, in the order of the text.
fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut listed: Vec<Finding> = Vec::new();
    let mut excesses = Vec::new();
    let mut limits = Vec::new();
    anchors::scan(&view.text, |anchor, start, end| match anchor {
        // The same wording found again by another literal of it.
        Anchor::Family(family)
            if listed.last().is_some_and(|last| last.end >= end && same(last, family)) => {}
        Anchor::Family(family) => listed.extend(listed_at(view, family, start, end)),
        Anchor::Excess => excesses.push(Word { start, end, limiting: false }),
        Anchor::Limiting => limits.push(Word { start, end, limiting: true }),
    });
    limits.extend(comparisons(view));
    let (mut listed, quoted): (Vec<Finding>, Vec<Finding>) =
        listed.into_iter().partition(|finding| !is_quoted(view, finding));
    listed.retain(|finding| fails(view, finding) && !is_of_other(view, finding));
    let mut understood: Vec<Finding> = Vec::new();
    for word in excesses.into_iter().chain(limits) {
        let covered = |finding: &Finding| finding.start <= word.start && word.end <= finding.end;
        if listed.iter().chain(&quoted).chain(&understood).any(covered) {
            continue;
        }
        let Some(finding) = understood_at(view, word) else { continue };
        let near = |other: &Finding| {
            other.vetoes() && other.start < finding.end + VETO && finding.start < other.end + VETO
        };
        if !listed.iter().any(near) && !is_quoted(view, &finding) && fails(view, &finding) {
            understood.push(finding);
        }
    }
    listed.extend(understood);
    listed.sort_by_key(|finding| finding.start);
    listed
}

/// The places where a number may be said to be larger than another.
fn comparisons(view: &View<'_>) -> impl Iterator<Item = Word> {
    memchr::memchr_iter(b'>', view.text.as_bytes())
        .filter(|&at| {
            let (start, end) = view.original(at, at + 1);
            let beside = |at: usize| {
                view.raw
                    .get(at)
                    .is_none_or(|&byte| byte == b' ' || byte.is_ascii_digit() || byte == b')')
            };
            beside(start.wrapping_sub(1)) && beside(end)
        })
        .map(|at| Word { start: at, end: at + 1, limiting: true })
}

/// Whether a short wording of an overflow stands in a sentence about another thing.
fn is_of_other(view: &View<'_>, finding: &Finding) -> bool {
    finding.strength == Strength::InError
        && finding.class == Class::Overflow
        && grammar::is_of_other(view, finding.start, finding.end)
}

fn understood_at(view: &View<'_>, word: Word) -> Option<Finding> {
    let sentence = grammar::read(view, word)?;
    Some(Finding {
        family: None,
        class: sentence.class,
        start: sentence.start,
        end: sentence.end,
        spoken: (word.start, word.end),
        figures: sentence.figures,
        measured: sentence.measured,
        strength: if sentence.short { Strength::InError } else { Strength::Alone },
    })
}

fn same(finding: &Finding, family: &Family) -> bool {
    finding.family.is_some_and(|other| other.id == family.id)
}

fn listed_at(
    view: &View<'_>,
    family: &'static Family,
    start: usize,
    end: usize,
) -> Option<Finding> {
    let strength = family.strength;
    let found = Finding {
        family: Some(family),
        class: family.class,
        start,
        end,
        spoken: (start, end),
        figures: Figures::default(),
        measured: false,
        strength,
    };
    if family.patterns.is_empty() {
        return Some(found);
    }
    let reach = view.floor(end.saturating_add(AFTER));
    let (end, figures) =
        family.patterns.iter().find_map(|&source| pattern::find(source, view, start, reach))?;
    // Numbers under their names leave no doubt.
    let strength = if figures == Figures::default() { strength } else { Strength::Alone };
    Some(Finding { end, spoken: (start, end), figures, strength, ..found })
}

/// Whether somebody quotes a finding, or it is but part of a longer word.
fn is_quoted(view: &View<'_>, finding: &Finding) -> bool {
    let (start, end) = view.original(finding.spoken.0, finding.spoken.1);
    finding.family.is_some() && !view.is_word_edge(finding.start)
        || quotation::is_quoted(view.raw, start, end, finding.measured)
}

/// Whether a finding says by itself, or by what is around it, that something failed.
fn fails(view: &View<'_>, finding: &Finding) -> bool {
    finding.strength == Strength::Alone
        || error_shape::surrounds(view, finding.start, finding.end)
        || error_shape::begins_line(view, finding.start)
}

/// What a stretch of log says last.
pub(crate) enum Stretch {
    /// No failure.
    Nothing,
    /// An error, at this offset, that is not recognised.
    Other(usize),
    /// This.
    Known(Verdict),
}

/// The last failure in a text of several entries; `heads` are the offsets where
/// an entry begins with an error.
pub(crate) fn last_of(raw: &[u8], heads: &[usize]) -> Stretch {
    let view = View::of(raw);
    let attempts = error_shape::attempts(&view);
    let mut best: Option<((usize, usize, Weight), Verdict)> = None;
    for finding in findings(&view) {
        let verdict = verdict(&view, &finding);
        // A wording may begin in front of the head that its sentence holds.
        let entry = heads.iter().filter(|&&at| at < verdict.end).count();
        let attempt = attempts.iter().filter(|&&at| at <= finding.start).count();
        let key = (entry, attempt, finding.weight());
        if best.as_ref().is_none_or(|(other, _)| *other <= key) {
            best = Some((key, verdict));
        }
    }
    match (best, heads.last()) {
        (Some(((entry, ..), verdict)), _) if entry == heads.len() => Stretch::Known(verdict),
        (_, Some(&at)) => Stretch::Other(at),
        (Some((_, verdict)), None) => Stretch::Known(verdict),
        (None, None) => Stretch::Nothing,
    }
}

fn verdict(view: &View<'_>, finding: &Finding) -> Verdict {
    let (start, end) = view.original(finding.start, finding.end);
    let figures = finding.figures;
    let certain = finding.family.is_some() && finding.strength == Strength::Alone;
    Verdict {
        overflow: finding.class.counts_as_overflow(),
        class: finding.class,
        family: finding.family.map_or("grammar", |family| family.id),
        provider: finding.family.map_or("unknown", |family| family.provider),
        confidence: if certain { Confidence::Certain } else { Confidence::Likely },
        used: figures.used,
        limit: figures.limit,
        output: figures.output,
        over: figures.over,
        reservation: figures.reservation(),
        start,
        end,
    }
}
