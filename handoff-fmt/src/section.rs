//! The five sections and the names they go by.

use terminal::Language;

/// A section of the document. Each blocks one mistake of whoever takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// Not knowing where one stands. Required.
    Doing,
    /// Arguing again what is settled.
    Decided,
    /// Walking again into what failed: the dearest to find out anew, and the
    /// one its writer is the most likely to leave out.
    Deadends,
    /// Spending the first half hour on what to do. Required.
    Next,
    /// Looking for the files. Paths, not contents.
    Scene,
}

impl Section {
    /// All of them, in the order of the document.
    pub const ALL: [Section; 5] =
        [Section::Doing, Section::Decided, Section::Deadends, Section::Next, Section::Scene];

    /// Those without which a document is not complete. Demanding more, dead ends
    /// above all, would invite invention.
    pub const REQUIRED: [Section; 2] = [Section::Doing, Section::Next];

    /// The name in JSON and in messages.
    pub fn field(self) -> &'static str {
        match self {
            Section::Doing => "doing",
            Section::Decided => "decided",
            Section::Deadends => "deadends",
            Section::Next => "next",
            Section::Scene => "scene",
        }
    }

    /// The canonical heading in a language.
    pub fn label(self, language: Language) -> &'static str {
        let [en, zh, ko, ja] = match self {
            Section::Doing => {
                ["Doing now", "现在在做什么", "지금 무엇을 하고 있는가", "今やっていること"]
            }
            Section::Decided => ["Decided", "已经定下的", "이미 정해진 것", "決まったこと"],
            Section::Deadends => ["Dead ends", "走不通的路", "막힌 길", "行き止まり"],
            Section::Next => ["Next step", "下一步", "다음 스텝", "次のステップ"],
            Section::Scene => ["Scene", "现场", "현장", "現場"],
        };
        match language {
            Language::En => en,
            Language::Zh => zh,
            Language::Ko => ko,
            Language::Ja => ja,
        }
    }

    pub(crate) fn index(self) -> usize {
        match self {
            Section::Doing => 0,
            Section::Decided => 1,
            Section::Deadends => 2,
            Section::Next => 3,
            Section::Scene => 4,
        }
    }
}
