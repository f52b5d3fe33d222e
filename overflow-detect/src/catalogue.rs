//! The wordings that are known, as data: one file a vendor.
//!
//! A new wording is one more [`Family`] with a real example and its public
//! source; the crate's tests run every example through the classifier and check
//! the numbers it claims.

mod account;
mod anthropic;
mod caps;
mod codex;
mod conditions;
mod google;
mod openai;
mod rate;
mod servers;
mod service;
mod silent;
mod vendors;

use crate::Class;

/// One wording.
pub(crate) struct Family {
    /// A name that stays the same: `vendor-what`.
    pub(crate) id: &'static str,
    /// Who words it like that.
    pub(crate) provider: &'static str,
    /// What it means.
    pub(crate) class: Class,
    /// Whether the words alone will do.
    pub(crate) strength: Strength,
    /// One of these begins the wording. Without a pattern, it is all of it.
    pub(crate) anchors: &'static [&'static str],
    /// Tried in turn where a literal is found, the one with most numbers first.
    pub(crate) patterns: &'static [&'static str],
    /// A text as it was seen.
    #[cfg_attr(not(test), expect(dead_code, reason = "documentation, checked by the tests"))]
    pub(crate) example: &'static str,
    /// Where: a public repository's issue or file, or the program itself.
    #[cfg_attr(not(test), expect(dead_code, reason = "documentation, checked by the tests"))]
    pub(crate) source: &'static str,
}

/// Whether the words alone say that something failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// They do.
    Alone,
    /// They need an error around them, or nothing before them.
    InError,
}

/// The families of every vendor.
pub(crate) static FAMILIES: &[&[Family]] = &[
    anthropic::FAMILIES,
    openai::FAMILIES,
    codex::FAMILIES,
    google::FAMILIES,
    servers::FAMILIES,
    vendors::FAMILIES,
    caps::FAMILIES,
    rate::FAMILIES,
    service::FAMILIES,
    account::FAMILIES,
    silent::FAMILIES,
    conditions::FAMILIES,
];

#[cfg(test)]
mod tests {
    use super::FAMILIES;
    use crate::classify;

    #[test]
    fn every_example_is_recognised_as_its_family() {
        let wrong: Vec<String> = FAMILIES
            .iter()
            .copied()
            .flatten()
            .filter(|family| !family.source.is_empty())
            .map(|family| (family, classify(family.example)))
            .filter(|(family, verdict)| {
                verdict.as_ref().map(|verdict| (verdict.family, verdict.class))
                    != Some((family.id, family.class))
            })
            .map(|(family, verdict)| format!("{} {:?}: {verdict:?}", family.id, family.example))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_example_has_the_numbers_its_best_pattern_names() {
        for family in FAMILIES.iter().copied().flatten() {
            let Some(best) = family.patterns.first() else { continue };
            let verdict = classify(family.example).unwrap();
            for (name, number) in
                [("{used}", verdict.used), ("{limit}", verdict.limit), ("{over}", verdict.over)]
            {
                if best.contains(name) && family.patterns.len() == 1 {
                    assert!(number.is_some(), "{}: {name} is not read", family.id);
                }
            }
        }
    }
}
