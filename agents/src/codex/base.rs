//! Threads that go on from another's: a fork records what is new alone, and where
//! in its parent's rollout the rest ends.

use std::io;

use serde::Deserialize;

use super::{facts, sessions};
use crate::See;
use crate::lines;
use crate::source::Source;

/// Longer chains are damage, or a circle.
const MOST: usize = 100;

#[derive(Deserialize)]
struct Meta {
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    history_base: Option<Base>,
}

#[derive(Deserialize)]
struct Base {
    thread_id: String,
    end_byte_offset: u64,
}

/// What a rollout goes on from, up to where it counts. `None`: from nothing, or its
/// parent is no longer there.
fn base_of(source: &Source) -> io::Result<Option<Source>> {
    let Some(line) = lines::first(source)? else { return Ok(None) };
    let meta = serde_json::from_slice::<Meta>(&line).ok();
    let Some(base) = meta.and_then(|meta| meta.payload.history_base) else { return Ok(None) };
    let Some(path) = sessions::by_id(&base.thread_id)?.pop() else { return Ok(None) };
    match Source::open(&path) {
        Ok(parent) => Ok(Some(parent.up_to(base.end_byte_offset))),
        // Removed since it was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Shows the facts of a thread, newest first, and only then looks for its parents.
pub(super) fn newest_first(source: &Source, see: See<'_>) -> io::Result<()> {
    let mut parent = None;
    for _ in 0..MOST {
        let part = parent.as_ref().unwrap_or(source);
        let mut is_over = false;
        lines::newest_first(&mut facts::Lines::new(true), part, &mut |fact| {
            let flow = see(fact);
            is_over = flow.is_break();
            flow
        })?;
        parent = if is_over { None } else { base_of(part)? };
        if parent.is_none() {
            break;
        }
    }
    Ok(())
}

/// Shows the facts of a thread, oldest first, its parents' in front.
pub(super) fn oldest_first(source: &Source, see: See<'_>) -> io::Result<()> {
    let mut parents: Vec<Source> = Vec::new();
    while let Some(parent) = base_of(parents.last().unwrap_or(source))? {
        parents.push(parent);
        if parents.len() == MOST {
            break;
        }
    }
    // One reader, so that figures told twice are one answer across the fork too.
    let mut format = facts::Lines::new(false);
    let mut is_over = false;
    for part in parents.iter().rev().chain([source]) {
        if is_over {
            break;
        }
        lines::oldest_first(&mut format, part, &mut |fact| {
            let flow = see(fact);
            is_over = flow.is_break();
            flow
        })?;
    }
    Ok(())
}
