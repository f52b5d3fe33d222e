//! The title of our own documents and the two lines under it: written by us,
//! recognised in every language, never content.

use terminal::Language;

const NAMES: &[&str] = &["handoff", "交接书", "交接書", "인계서", "引き継ぎ書", "引継ぎ書"];

/// The title of a step's document, without its `#`.
pub(crate) fn title(step: &str, language: Language) -> String {
    let name = match language {
        Language::En => "Handoff",
        Language::Zh => "交接书",
        Language::Ko => "인계서",
        Language::Ja => "引き継ぎ書",
    };
    let step: String =
        step.chars().map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c }).collect();
    match (step.trim(), language) {
        ("", _) => name.to_owned(),
        (step, Language::En) => format!("{name} ({step})"),
        (step, _) => format!("{name}({step})"),
    }
}

/// What the file is, and that it may be edited.
pub(crate) fn notes(language: Language) -> [&'static str; 2] {
    match language {
        Language::En => [
            "> Written by a session whose context was nearly full, for the session that takes over.",
            "> The successor reads this very file: correct anything here, at any time before it starts.",
        ],
        Language::Zh => [
            "> 上一个会话在上下文快满时写下的,给接手的会话看。",
            "> 接手的会话读的就是这个文件:哪里不对,在它启动之前随时可以改。",
        ],
        Language::Ko => [
            "> 컨텍스트가 거의 찬 세션이 다음 세션에 넘기려고 쓴 문서입니다.",
            "> 넘겨받는 세션은 바로 이 파일을 읽습니다. 시작하기 전이라면 언제든 고쳐도 됩니다.",
        ],
        Language::Ja => [
            "> コンテキストがほぼ埋まったセッションが、次のセッションのために書いた文書です。",
            "> 引き継ぐセッションはこのファイルをそのまま読みます。始まる前なら、いつ直してもかまいません。",
        ],
    }
}

/// Whether the words of a heading are a title of ours, whatever the step.
pub(crate) fn is_title(words: &str) -> bool {
    let lower = |name: &&&str| {
        words.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let Some(step) = NAMES.iter().find(lower).and_then(|name| words.get(name.len()..)) else {
        return false;
    };
    let step = step.trim();
    step.is_empty() || (step.starts_with(['(', '（']) && step.ends_with([')', '）']))
}

/// Whether a line is one of ours under a title.
pub(crate) fn is_note(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('>') && Language::ALL.iter().any(|&language| notes(language).contains(&line))
}
