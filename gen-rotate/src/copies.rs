//! Which successors were given which document.
//!
//! Those that follow its writer, up to the next one that wrote: in its own run, and
//! in the runs after it that began with the document that was there.

use crate::generation::Generation;
use crate::row::Row;

/// The generations that were given the document that lies in the archive for
/// generation `number` of the row at `index`, of the rows of one step, oldest first.
/// Of a superseded one it is that one itself.
pub(crate) fn given_that_of<'r>(
    rows: &[&'r Row],
    index: usize,
    number: usize,
) -> Vec<&'r Generation> {
    let wrote = |generation: &Generation| generation.degraded.is_some();
    let Some(writer) = rows[index].generations.get(number) else { return Vec::new() };
    if !wrote(writer) {
        return vec![writer];
    }
    let own = rows[index].generations[number + 1..].iter();
    let later = rows[index + 1..].iter().flat_map(|row| &row.generations);
    let mut given = Vec::new();
    for generation in own.chain(later) {
        given.push(generation);
        if wrote(generation) {
            break;
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(generations: &[(&str, bool)]) -> Row {
        let generation = |&(id, wrote): &(&str, bool)| Generation {
            session_id: Some(id.to_owned()),
            degraded: wrote.then_some(false),
            ..Generation::default()
        };
        Row { generations: generations.iter().map(generation).collect(), ..Row::default() }
    }

    #[test]
    fn those_up_to_the_next_that_wrote() {
        let first = row(&[("a", true), ("b", true), ("c", false)]);
        let (second, third) = (row(&[("d", false)]), row(&[("e", true), ("f", false)]));
        let rows = [&first, &second, &third];
        let given = |index, number| -> Vec<_> {
            given_that_of(&rows, index, number)
                .iter()
                .map(|one| one.session_id.as_deref().unwrap())
                .collect()
        };
        assert_eq!(given(0, 0), ["b"]);
        assert_eq!(given(0, 1), ["c", "d", "e"]);
        assert_eq!(given(0, 2), ["c"], "what would have been its own");
        assert_eq!(given(2, 0), ["f"]);
    }
}
