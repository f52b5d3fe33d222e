//! From the words of a heading to the section they name.
//!
//! The *whole* text must be a name: "Next we should rest" begins with one and is
//! prose. What may surround a name is decoration: numbering, emoji, emphasis,
//! brackets, a colon, a remark such as `(required)`; a second name of the same
//! section, as in `Next step / 下一步` or `Dead ends & failed attempts`. In
//! English, case, plurals and small words do not count: "The next steps".

use crate::{Section, placeholder};

/// Longer texts cost nothing: no name comes near.
const LONGEST: usize = 160;

/// How many small words a text may have around a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// A heading by its mark: `What I'm doing now` is a name.
    Loose,
    /// A line whose text goes on after the colon: only the names themselves.
    Exact,
}

/// The section that a text names, if that is all it does.
pub(crate) fn section_named(text: &str, fit: Fit) -> Option<Section> {
    if text.len() > LONGEST {
        return None;
    }
    let text = undecorated(text);
    if text.is_empty() {
        return None;
    }
    name(text, fit).or_else(|| with_remark(text, fit))
}

/// `Name (remark)`, the remark being a placeholder, a word on whether it must be
/// filled in, or another name of the section.
fn with_remark(text: &str, fit: Fit) -> Option<Section> {
    let open = text.rfind(['(', '（', '['])?;
    let (outer, remark) = (text.get(..open)?, text.get(open..)?);
    let section = name(undecorated(outer), fit)?;
    let remark = undecorated(remark);
    let harmless = placeholder::is_placeholder(remark)
        || REMARKS.iter().any(|known| remark.eq_ignore_ascii_case(known))
        || name(remark, Fit::Loose) == Some(section);
    harmless.then_some(section)
}

const REMARKS: &[&str] = &[
    "required", "optional", "if any", "with why", "and why", "must", "必填", "选填", "可选",
    "必需", "필수", "선택", "必須", "任意",
];

/// Decoration taken off: whatever is no letter or digit at both ends, and
/// numbering in front.
fn undecorated(text: &str) -> &str {
    let bare = |c: char| !c.is_alphanumeric();
    let text = text.trim_matches(bare);
    unnumbered(text).map_or(text, |rest| rest.trim_matches(bare))
}

/// What follows `2.` `2)` `2、` `二、` `②` or a keycap.
pub(crate) fn unnumbered(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    if matches!(first, '①'..='⑳' | '❶'..='❿' | '⓪') {
        return text.get(first.len_utf8()..);
    }
    let digit = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c);
    let rest = text.trim_start_matches(digit);
    let rest = if rest.len() == text.len() {
        text.trim_start_matches(|c| "一二三四五六七八九十".contains(c))
    } else {
        rest.strip_prefix("\u{fe0f}\u{20e3}").unwrap_or(rest)
    };
    if rest.len() == text.len() {
        return None;
    }
    let keycap = text.get(..text.len() - rest.len()).is_some_and(|n| n.ends_with('\u{20e3}'));
    let mark = rest.chars().next()?;
    if matches!(mark, '.' | ')' | '、' | '．' | '）' | ':' | '：') {
        rest.get(mark.len_utf8()..)
    } else {
        keycap.then_some(rest)
    }
}

fn name(text: &str, fit: Fit) -> Option<Section> {
    if text.is_ascii() {
        return english(text, fit);
    }
    let mut found = None;
    for part in text.split(['/', '／', '|', '｜', '&', '＆', '・', '·']) {
        let section = one_name(part, fit)?;
        if *found.get_or_insert(section) != section {
            return None;
        }
    }
    found
}

/// One name, or an English and another one side by side.
fn one_name(text: &str, fit: Fit) -> Option<Section> {
    let text = undecorated(text);
    let compact: String = text.chars().filter(|c| c.is_alphanumeric()).map(narrow).collect();
    let known = |key: &str| {
        EASTERN.iter().find(|(_, keys)| keys.contains(&key)).map(|&(section, _)| section)
    };
    if let Some(section) = known(&compact) {
        return Some(section);
    }
    let foreign = |c: char| c.is_alphanumeric() && !c.is_ascii();
    let Some(start) = text.find(foreign) else { return english(text, fit) };
    let end = text.rfind(foreign)?;
    let (before, rest) = text.split_at(start);
    let (middle, after) =
        rest.split_at(end - start + rest.get(end - start..)?.chars().next()?.len_utf8());
    let outer = if before.trim().is_empty() { after } else { before };
    let compact: String = middle.chars().filter(|c| c.is_alphanumeric()).map(narrow).collect();
    known(&compact).filter(|&section| english(outer, fit) == Some(section))
}

/// Full-width letters and digits in their plain form.
fn narrow(c: char) -> char {
    match c {
        '！'..='～' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c).to_ascii_lowercase(),
        _ => c.to_ascii_lowercase(),
    }
}

/// Small words that do not change what a heading names.
const SMALL: &[&str] = &[
    "a", "already", "am", "an", "are", "been", "far", "has", "have", "here", "i", "i'm", "im",
    "is", "it", "my", "now", "our", "reason", "right", "so", "still", "that", "the", "this", "to",
    "was", "we", "we're", "were", "what", "what's", "whats", "which", "why", "with", "you", "your",
];

fn english(text: &str, fit: Fit) -> Option<Section> {
    let text = text.replace('’', "'").to_ascii_lowercase();
    let mut found = None;
    let joined = text.replace(['&', '/', '+', ',', '|', ';'], " and ");
    for part in joined.split_whitespace().collect::<Vec<_>>().split(|word| *word == "and") {
        let words = words(part);
        let kept = words.iter().filter(|word| !SMALL.contains(&word.as_str()));
        let kept: Vec<&str> = kept.map(String::as_str).collect();
        if kept.is_empty() {
            continue;
        }
        let trivial = |word: &String| matches!(word.as_str(), "the" | "now" | "my" | "our");
        if fit == Fit::Exact && words.iter().any(|w| !kept.contains(&w.as_str()) && !trivial(w)) {
            return None;
        }
        let key = kept.join(" ");
        let (section, _) = ENGLISH.iter().find(|(_, keys)| keys.contains(&key.as_str()))?;
        if *found.get_or_insert(*section) != *section {
            return None;
        }
    }
    found
}

/// Words in the singular, without what is neither letter nor apostrophe.
fn words(part: &[&str]) -> Vec<String> {
    part.iter()
        .flat_map(|word| word.split(|c: char| !c.is_alphanumeric() && c != '\''))
        .filter(|word| !word.is_empty())
        .map(|word| {
            let plural = word.len() > 3
                && word.ends_with('s')
                && !(word.ends_with("ss") || word.ends_with("us") || word.ends_with("'s"));
            word.get(..word.len() - usize::from(plural)).unwrap_or(word).to_owned()
        })
        .collect()
}

/// Keys in the form that [`english`] gives them: singular, without small words.
const ENGLISH: &[(Section, &[&str])] = &[
    (
        Section::Doing,
        &[
            "doing",
            "current",
            "current work",
            "current state",
            "current statu",
            "current status",
            "current task",
            "current progress",
            "currently doing",
            "in progress",
            "work in progress",
            "progress",
            "working on",
            "status",
            "where",
            "where stand",
            "where thing stand",
        ],
    ),
    (
        Section::Decided,
        &[
            "decided",
            "decision",
            "decision made",
            "decision taken",
            "settled",
            "key decision",
            "already decided",
            "decided thing",
            "thing decided",
        ],
    ),
    (
        Section::Deadends,
        &[
            "dead end",
            "deadend",
            "dead-end",
            "tried",
            "failed",
            "tried failed",
            "tried but failed",
            "tried didn't work",
            "failed attempt",
            "failed approach",
            "failed approache",
            "approach tried",
            "didn't work",
            "did not work",
            "does not work",
            "doesn't work",
            "ruled out",
            "blocked path",
        ],
    ),
    (
        Section::Next,
        &[
            "next",
            "next step",
            "next action",
            "next up",
            "do next",
            "next thing",
            "immediate next step",
        ],
    ),
    (
        Section::Scene,
        &[
            "scene",
            "file",
            "key file",
            "file path",
            "path",
            "important file",
            "relevant file",
            "artifact",
            "file artifact",
            "pointer",
        ],
    ),
];

/// Keys without spaces and punctuation, Latin letters in lower case.
const EASTERN: &[(Section, &[&str])] = &[
    (
        Section::Doing,
        &[
            "现在在做什么",
            "现在在做",
            "我现在在做什么",
            "现在正在做",
            "现在正在做什么",
            "正在做",
            "正在做什么",
            "在做什么",
            "当前进度",
            "进度",
            "当前工作",
            "当前状态",
            "当前任务",
            "进行中",
            "現在在做什麼",
            "現在在做",
            "我現在在做什麼",
            "正在做什麼",
            "在做什麼",
            "當前進度",
            "目前進度",
            "進度",
            "當前工作",
            "目前工作",
            "當前狀態",
            "目前狀態",
            "進行中",
            "지금무엇을하고있는가",
            "지금무엇을하고있나",
            "지금하는일",
            "지금하고있는일",
            "지금하고있는것",
            "현재하는일",
            "현재하고있는일",
            "현재작업",
            "현재상태",
            "현재진행상황",
            "진행상황",
            "진행중",
            "진행중인작업",
            "지금작업",
            "今やっていること",
            "いまやっていること",
            "今していること",
            "現在の作業",
            "現在の状態",
            "現在の状況",
            "現在の進捗",
            "作業中",
            "進捗",
            "進行中の作業",
            "今の作業",
        ],
    ),
    (
        Section::Decided,
        &[
            "已经定下的",
            "已经定下的事",
            "已定的事",
            "已定",
            "已定的",
            "决策",
            "决定",
            "已经决定的",
            "已经决定的事",
            "已决定",
            "已决定的事",
            "已作决定",
            "關鍵決策",
            "关键决策",
            "已經定下的",
            "已經定下的事",
            "已定下的",
            "已定下的事",
            "決策",
            "決定",
            "已經決定的",
            "已經決定的事",
            "已決定",
            "이미정해진것",
            "이미정한것",
            "이미결정된것",
            "정해진것",
            "결정",
            "결정사항",
            "결정된것",
            "결정한것",
            "결정된사항",
            "決まったこと",
            "すでに決まったこと",
            "既に決まったこと",
            "決まっていること",
            "決定事項",
            "決めたこと",
            "決定したこと",
        ],
    ),
    (
        Section::Deadends,
        &[
            "走不通的路",
            "走不通的",
            "走不通",
            "试过不行的",
            "试过但不行的",
            "试过但失败的",
            "试过失败的",
            "排除的路",
            "已排除的路",
            "死路",
            "死胡同",
            "失败的尝试",
            "走不通的方法",
            "此路不通",
            "試過不行的",
            "試過但不行的",
            "排除的路線",
            "失敗的嘗試",
            "막힌길",
            "막다른길",
            "안된것",
            "안되는것",
            "안됐던것",
            "실패한것",
            "실패한시도",
            "시도했지만안된것",
            "시도했으나안된것",
            "시도했으나실패한것",
            "해봤지만안된것",
            "해봤는데안된것",
            "行き止まり",
            "行き詰まり",
            "試してだめだったこと",
            "試して駄目だったこと",
            "試してダメだったこと",
            "試したがだめだったこと",
            "試したがダメだったこと",
            "だめだったこと",
            "ダメだったこと",
            "失敗したこと",
            "失敗した試み",
            "うまくいかなかったこと",
        ],
    ),
    (
        Section::Next,
        &[
            "下一步",
            "下一步做什么",
            "下一步要做什么",
            "下一步要做的",
            "下一步要做的事",
            "下一步计划",
            "下一步行动",
            "接下来",
            "接下来做什么",
            "下一步做什麼",
            "下一步計劃",
            "下一步行動",
            "接下來",
            "接下來做什麼",
            "다음스텝",
            "다음단계",
            "다음할일",
            "다음에할일",
            "다음작업",
            "다음",
            "다음걸음",
            "이제할일",
            "次のステップ",
            "次の一手",
            "次の一歩",
            "次にやること",
            "次にすること",
            "次の作業",
            "次の手順",
            "次",
            "次の行動",
        ],
    ),
    (
        Section::Scene,
        &[
            "现场",
            "文件",
            "现场文件",
            "关键文件",
            "相关文件",
            "文件路径",
            "現場",
            "檔案",
            "關鍵檔案",
            "相關檔案",
            "檔案路徑",
            "関連ファイル",
            "關鍵文件",
            "相關文件",
            "현장",
            "파일",
            "관련파일",
            "핵심파일",
            "주요파일",
            "파일경로",
            "파일들",
            "ファイル",
            "現場ファイル",
            "主なファイル",
            "重要なファイル",
            "ファイルパス",
        ],
    ),
];
