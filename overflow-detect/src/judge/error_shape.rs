//! What an error looks like from outside.

use memchr::memmem;

use crate::view::View;

/// How far from a wording its error may announce itself, in bytes of the view.
const BEFORE: usize = 120;
const AFTER: usize = 80;

/// Words of an error, as a view has them.
const SIGNS: [&str; 26] = [
    "error",
    "exception",
    "failed",
    "failure",
    "fatal",
    "badrequest",
    "refused",
    "rejected",
    "stopreason",
    "finishreason",
    "code:",
    "status",
    "400",
    "413",
    "429",
    "错误",
    "失败",
    "异常",
    "오류",
    "실패",
    "에러",
    "エラー",
    "失敗",
    "fehler",
    "erreur",
    "ошибк",
];

/// Whether an error is announced near `start..end` of the view.
pub(super) fn surrounds(view: &View<'_>, start: usize, end: usize) -> bool {
    let before = &view.text[view.floor(start.saturating_sub(BEFORE))..start];
    let after = &view.text[end..view.floor(end.saturating_add(AFTER))];
    SIGNS.iter().any(|sign| {
        [before, after].iter().any(|text| memmem::find(text.as_bytes(), sign.as_bytes()).is_some())
    })
}

/// Whether nothing but bullets, brackets and colours stands before `start` of the
/// view in its line.
pub(super) fn begins_line(view: &View<'_>, start: usize) -> bool {
    let (at, _) = view.original(start, start + 1);
    let line = memchr::memrchr(b'\n', &view.raw[..at]).map_or(0, |end| end + 1);
    view.text[..start]
        .char_indices()
        .rev()
        .take_while(|&(at, _)| view.original(at, at + 1).0 >= line)
        .all(|(_, c)| !c.is_alphanumeric())
}

/// Where in the view another attempt begins: what it says outweighs what
/// earlier ones said.
pub(super) fn attempts(view: &View<'_>) -> Vec<usize> {
    let text = view.text.as_bytes();
    let mut starts = Vec::new();
    for mark in ["lasterror:", "attempt", "finalerror:", "retry"] {
        starts.extend(memmem::find_iter(text, mark).filter(|&at| {
            let after = text.get(at + mark.len());
            mark.ends_with(':') || after.is_some_and(u8::is_ascii_digit)
        }));
    }
    starts
}
