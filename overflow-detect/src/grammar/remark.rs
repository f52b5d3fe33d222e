//! Remarks about a length, which no program makes: `too long for my taste`, `too
//! long to be funny`, `is it too long?`, `I think it is too long`.

use crate::view::View;

use super::pairs::has;
use super::words;

/// Whether the sentence at `range`, whose word of excess ends at `end`, is one.
pub(super) fn is_remark(view: &View<'_>, range: (usize, usize), end: usize) -> bool {
    let rest = &view.text[end..range.1];
    let follows = |word: &str| {
        rest.strip_prefix(word)
            .filter(|_| view.is_word_edge(end) && view.is_word_edge(end + word.len()))
    };
    let purpose = follows("for").is_some_and(|taker| {
        ![words::OURS, words::MODEL, words::CAP, words::TAKER].iter().any(|words| has(taker, words))
    });
    let task = follows("to")
        .is_some_and(|task| !words::each(words::TASK).any(|word| task.starts_with(word)));
    let spoken = speaks(view, (range.0, end)) && !has(view.text(range), words::APOLOGIES);
    purpose
        || task
        || spoken
        || has(rest, words::OPINIONS)
        || follows("andtoo").is_some()
        || view.text[range.1..].starts_with('?')
}

/// Whether a person speaks in the sentence. A word at the break of a line may be
/// half of another that was cut there: `Prompt i` `s too long`.
fn speaks(view: &View<'_>, (start, end): (usize, usize)) -> bool {
    let text = view.text((start, end));
    words::each(words::SPEAKERS).any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let edges = [start + at, start + at + word.len()];
            edges.iter().all(|&edge| view.is_word_edge(edge) && !view.is_line_break(edge))
        })
    })
}
