//! Which language documents, prompts and phase lines are written in.
//!
//! `HANDOFF_LANG` comes before the locale, whose order is that of POSIX:
//! `LC_ALL`, `LC_MESSAGES`, `LANG`. The first that is set and not empty decides;
//! C, POSIX and languages without a translation mean English. Errors and help
//! are English everywhere.

use std::env;

/// A language the tools speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
    /// Korean.
    Ko,
    /// Japanese.
    Ja,
}

impl Language {
    /// All of them, for tables and tests.
    pub const ALL: [Language; 4] = [Language::En, Language::Zh, Language::Ko, Language::Ja];

    /// The language of the environment.
    pub fn from_env() -> Language {
        ["HANDOFF_LANG", "LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .filter_map(env::var_os)
            .find(|value| !value.is_empty())
            .and_then(|value| Language::named(&value.to_string_lossy()))
            .unwrap_or_default()
    }

    /// The language of a name such as `ko`, `zh_TW.UTF-8` or `ja-JP`; `None`
    /// where there is no translation.
    pub fn named(name: &str) -> Option<Language> {
        let code = name.split(['_', '-', '.', '@']).next().unwrap_or_default();
        match code.to_ascii_lowercase().as_str() {
            "en" | "c" | "posix" => Some(Language::En),
            "zh" => Some(Language::Zh),
            "ko" => Some(Language::Ko),
            "ja" => Some(Language::Ja),
            _ => None,
        }
    }

    /// The code that [`Language::named`] understands.
    pub fn code(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Zh => "zh",
            Language::Ko => "ko",
            Language::Ja => "ja",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_locales_are_understood() {
        for (name, language) in [
            ("ko", Some(Language::Ko)),
            ("ko_KR.UTF-8", Some(Language::Ko)),
            ("zh-Hant-TW", Some(Language::Zh)),
            ("JA", Some(Language::Ja)),
            ("C.UTF-8", Some(Language::En)),
            ("POSIX", Some(Language::En)),
            ("fr_FR", None),
            ("", None),
        ] {
            assert_eq!(Language::named(name), language, "{name}");
        }
    }
}
