//! The names of archived documents: `<step>-<UTC timestamp>.md`, and `-2`, `-3`
//! and so on behind the timestamp within one second.

use crate::Step;

/// When a document was archived. Orders as time does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Archived {
    stamp: String,
    /// Within the second, from 1 on.
    number: u32,
}

impl Archived {
    /// The first within a second, which a timestamp for names tells.
    pub(crate) fn at(stamp: String) -> Archived {
        Archived { stamp, number: 1 }
    }

    /// The next one within the second.
    pub(crate) fn next(self) -> Archived {
        Archived { number: self.number + 1, ..self }
    }

    /// The name for a document of the step.
    pub(crate) fn name(&self, step: &Step) -> String {
        match self.number {
            1 => format!("{}-{}.md", step.stem(), self.stamp),
            number => format!("{}-{}-{number}.md", step.stem(), self.stamp),
        }
    }

    /// Takes a name apart: the step as it stands in file names, and when. `None`:
    /// it is none of ours.
    pub(crate) fn parse(name: &str) -> Option<(&str, Archived)> {
        let name = name.strip_suffix(".md")?;
        let (front, last) = name.rsplit_once('-')?;
        if is_stamp(last) {
            return Some((front, Archived::at(last.to_owned())));
        }
        let number = last.parse().ok().filter(|&n| n > 1 && !last.starts_with(['0', '+']))?;
        let (stem, stamp) = front.rsplit_once('-')?;
        is_stamp(stamp).then(|| (stem, Archived { stamp: stamp.to_owned(), number }))
    }
}

/// `20261130T200704Z`.
fn is_stamp(text: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = text.strip_suffix('Z').and_then(|text| text.split_once('T'));
    parts
        .is_some_and(|(day, time)| day.len() == 8 && time.len() == 6 && digits(day) && digits(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_in_order() {
        let first = Archived::at("20261130T200704Z".to_owned());
        for step in ["s", "a-b", "a-20261130T200704Z", "a-20261130T200704Z-2", "가", "x~0a1b2c3d"]
        {
            let step = Step::named(step);
            let mut archived = first.clone();
            for _ in 0..12 {
                assert_eq!(
                    Archived::parse(&archived.name(&step)),
                    Some((step.stem(), archived.clone()))
                );
                let next = archived.clone().next();
                assert!(archived < next);
                archived = next;
            }
            assert!(archived < Archived::at("20261130T200705Z".to_owned()));
        }
        assert_eq!(first.name(&Step::named("s")), "s-20261130T200704Z.md");
        for name in [
            "s.md",
            "s-20261130T200704Z",
            "s-2026.md",
            "20261130T200704Z.md",
            "s-20261130T200704Z-1.md",
            "s-20261130T200704Z-02.md",
            "s-20261130T200704Z-x.md",
            ".md",
            "s-2.md",
        ] {
            assert_eq!(Archived::parse(name), None, "{name}");
        }
    }
}
