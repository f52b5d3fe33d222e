//! Transcripts that are trees: every record names the one before it, and the newest
//! record ends the branch that goes on. Branches that were left stay in the file.
//!
//! A record that is lost to damage breaks the chain. Where it does, all records
//! count, as if there were no branches: rarely there are.

use std::collections::HashSet;

/// Which records count.
pub(crate) enum Branch {
    /// The newest record, then each that the one after it names; from the end.
    Chain(Wanted),
    /// Those of this branch.
    Members(HashSet<String>),
    /// All of them.
    Whole,
}

/// The record that is looked for.
pub(crate) enum Wanted {
    Newest,
    Id(String),
    /// The branch began with the record met last.
    NoMore,
}

impl Branch {
    /// From the end.
    pub(crate) fn newest() -> Branch {
        Branch::Chain(Wanted::Newest)
    }

    /// Whether a record with this id and that record before it counts. One without
    /// an id belongs to no branch, and so to all.
    pub(crate) fn has(&mut self, id: Option<&str>, parent: Option<&str>) -> bool {
        let Some(id) = id else { return true };
        match self {
            Branch::Whole => true,
            Branch::Members(members) => members.contains(id),
            Branch::Chain(wanted) => {
                let is_wanted = match wanted {
                    Wanted::Newest => true,
                    Wanted::Id(wanted) => wanted == id,
                    Wanted::NoMore => false,
                };
                if is_wanted {
                    *wanted = parent.map_or(Wanted::NoMore, |id| Wanted::Id(id.to_owned()));
                }
                is_wanted
            }
        }
    }

    /// Whether the chain was followed to its beginning; before that, nothing can be
    /// said of what was not found.
    pub(crate) fn is_complete(&self) -> bool {
        matches!(self, Branch::Chain(Wanted::NoMore))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_branch_counts() {
        let records = [("a", None), ("b", Some("a")), ("c", Some("b")), ("d", Some("b"))];
        let mut branch = Branch::newest();
        let mut taken = Vec::new();
        for (id, parent) in records.into_iter().rev() {
            assert!(!branch.is_complete());
            if branch.has(Some(id), parent) {
                taken.push(id);
            }
        }
        assert_eq!(taken, ["d", "b", "a"]);
        assert!(branch.is_complete());
        assert!(!branch.has(Some("older"), None));
        assert!(branch.has(None, None));
    }
}
