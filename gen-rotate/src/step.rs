//! The name of a step, and what it is called in file names.
//!
//! A clean name is used as it is. An odd one (characters that some file system
//! forbids, control characters, a device name of Windows, too long) loses what
//! is odd and gets a short hash of the whole, so that distinct steps stay
//! distinct and every file name is valid on Linux, macOS and Windows. The name
//! itself stands in the ledger.

/// Longest name that is kept, in bytes: with the longest prefix and suffix a
/// file name stays below 255.
const LONGEST: usize = 180;

/// A step of somebody's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    name: String,
    stem: String,
}

impl Step {
    /// The step of this name; the empty name means `step`.
    pub fn named(name: &str) -> Step {
        let name = if name.is_empty() { "step" } else { name };
        let stem = if is_clean(name) { name.to_owned() } else { cleaned(name) };
        Step { name: name.to_owned(), stem }
    }

    /// The name as given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name as it stands in file names.
    pub fn stem(&self) -> &str {
        &self.stem
    }
}

fn is_clean(name: &str) -> bool {
    name.len() <= LONGEST
        && name.chars().all(is_allowed)
        && name.trim() == name
        && !name.ends_with('.')
        && !is_reserved(name)
        && !has_hash(name)
}

fn cleaned(name: &str) -> String {
    let kept: String = name.chars().filter(|&c| is_allowed(c)).collect();
    let kept = kept.trim().trim_end_matches('.');
    let mut end = kept.len().min(LONGEST - 9);
    while !kept.is_char_boundary(end) {
        end -= 1;
    }
    let kept = kept[..end].trim_end();
    let kept = if kept.is_empty() || is_reserved(kept) { "step" } else { kept };
    format!("{kept}~{:08x}", hash(name))
}

/// Combining marks and conjoining jamo count as odd: macOS takes the composed
/// and the decomposed spelling of a name for one file.
fn is_allowed(c: char) -> bool {
    let forbidden = matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let combines =
        matches!(c, '\u{300}'..='\u{36f}' | '\u{1100}'..='\u{11ff}' | '\u{3099}' | '\u{309a}');
    let unseen = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    !(c.is_control() || forbidden || combines || unseen)
}

/// Names that lead elsewhere, and names of devices, which Windows knows with any
/// extension and in any case.
fn is_reserved(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |device| {
        base.strip_prefix(device).is_some_and(|number: &str| {
            matches!(number, "¹" | "²" | "³")
                || (number.len() == 1 && number.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    matches!(name, "." | "..")
        || matches!(base.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$")
        || numbered("COM")
        || numbered("LPT")
}

/// A name that ends the way a cleaned one does could be taken for one.
fn has_hash(name: &str) -> bool {
    name.rsplit_once('~')
        .is_some_and(|(_, end)| end.len() == 8 && end.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// FNV-1a, folded to 32 bits; the standard hasher may change between versions.
fn hash(name: &str) -> u32 {
    let folded = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    ((folded >> 32) ^ (folded & 0xffff_ffff)) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn clean_names_are_kept() {
        let most = "가".repeat(60);
        for name in
            ["work", "HT-002", "干活", ".x", "-x", "a b", "v1.2", "deploy~2026", "café", &most]
        {
            assert_eq!(Step::named(name).stem(), name);
        }
        assert_eq!(Step::named(""), Step::named("step"));
    }

    #[test]
    fn odd_names_are_cleaned_and_stay_distinct() {
        let (long, longer) = ("x".repeat(200), "x".repeat(201));
        let odd = [
            "a/b",
            "a\\b",
            "a:b",
            "../ab",
            "ab ",
            " ab",
            "ab.",
            "ab..",
            "a\nb",
            "a\0b",
            "a\u{85}b",
            "a\u{200b}b",
            "CON",
            "con.log",
            "com1",
            "LPT9.x",
            "COM¹",
            ".",
            "..",
            "///",
            "???",
            &long,
            &longer,
            "cafe\u{301}",
            "x~0a1b2c3d",
        ];
        let mut stems = HashMap::new();
        for name in odd {
            let stem = Step::named(name).stem().to_owned();
            assert_ne!(stem, name);
            assert!(stem.len() <= LONGEST && stem.chars().all(is_allowed), "{stem}");
            assert!(!is_reserved(&stem) && has_hash(&stem), "{stem}");
            assert_eq!(stems.insert(stem.to_lowercase(), name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_name_gives_a_plain_file_name(name in any::<String>()) {
            let step = Step::named(&name);
            prop_assert!(step.stem().chars().all(is_allowed) && !step.stem().is_empty());
            prop_assert!(step.stem().len() <= LONGEST);
            prop_assert!(!is_reserved(step.stem()));
            prop_assert_eq!(Step::named(step.name()), step);
        }
    }
}
