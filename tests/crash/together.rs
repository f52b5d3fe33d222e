//! Sixteen rotators of one step at once, and a reader that never stops.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use crate::fixture::{Place, STEP, document};

const ROTATORS: u32 = 16;

/// A HOME with document 1 current, and documents 101 to 116 in files beside it.
fn place() -> Place {
    let place = Place::new(1);
    for number in 101..=100 + ROTATORS {
        fs_err::write(place.path(&format!("{number}.md")), document(number)).unwrap();
    }
    place
}

/// Starts them all, reads all the while, and returns how each ended.
fn race(place: &Place, options: &[&str], successor: &[&str]) -> Vec<(u32, Output)> {
    let start = |number: u32| -> (u32, Child) {
        let mut arguments: Vec<OsString> =
            vec!["--step".into(), STEP.into(), "--home".into(), place.home().into()];
        arguments.extend(options.iter().map(OsString::from));
        arguments.push(place.path(&format!("{number}.md")).into());
        arguments.extend(successor.iter().map(OsString::from));
        let mut command = place.command(&arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        (number, command.spawn().unwrap())
    };
    let done = AtomicBool::new(false);
    let whole: BTreeSet<_> = (101..=100 + ROTATORS).chain([1]).map(document).collect();
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reads = 0_u32;
            while !done.load(Ordering::SeqCst) {
                let text = place.current().expect("no current document");
                assert!(whole.contains(&text), "a torn document of {} bytes", text.len());
                reads += 1;
            }
            reads
        });
        let children: Vec<_> = (101..=100 + ROTATORS).map(start).collect();
        let ends = children
            .into_iter()
            .map(|(number, child)| (number, child.wait_with_output().unwrap()))
            .collect();
        done.store(true, Ordering::SeqCst);
        assert!(reader.join().unwrap() > 100, "the reader hardly read");
        ends
    })
}

fn codes(ends: &[(u32, Output)], code: i32) -> BTreeSet<u32> {
    let ended = ends.iter().filter(|(_, output)| output.status.code() == Some(code));
    ended.map(|(number, _)| *number).collect()
}

/// Exactly these documents, and document 1, are current or archived.
fn check(place: &Place, published: &BTreeSet<u32>) -> Value {
    let archive = place.home().join("notes/archive/交接");
    let archived = fs_err::read_dir(archive).unwrap();
    let mut found: Vec<_> =
        archived.map(|entry| fs_err::read_to_string(entry.unwrap().path()).unwrap()).collect();
    found.extend(place.current());
    found.sort_unstable();
    let mut wanted: Vec<_> = published.iter().chain([&1]).map(|&n| document(n)).collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
    let ledger = fs_err::read(place.home().join("runs/manifest.json")).unwrap();
    let ledger: Value = serde_json::from_slice(&ledger).unwrap();
    let generations = ledger[0]["generations"].as_array().unwrap();
    assert_eq!(generations.len(), published.len() + 2);
    ledger
}

#[test]
fn those_that_wait_all_publish_in_turn() {
    let place = place();
    let ends = race(&place, &["--lock-timeout", "60"], &[]);
    let published = codes(&ends, 0);
    assert_eq!(published.len(), 16, "{ends:?}");
    check(&place, &published);
}

#[test]
fn those_that_do_not_wait_are_told() {
    let place = place();
    let ends = race(&place, &["--lock-timeout", "0"], &[]);
    let (published, losers) = (codes(&ends, 0), codes(&ends, 75));
    assert!(!published.is_empty());
    assert_eq!(published.len() + losers.len(), 16, "{ends:?}");
    check(&place, &published);
}

#[test]
fn one_successor_runs_at_a_time() {
    let place = place();
    let script = "mkdir running || exit 9; cat >/dev/null; sleep 0.02; rmdir running; echo";
    let options = ["--lock-timeout", "60", "--max-generations", "99"];
    let ends = race(&place, &options, &["--", "/bin/sh", "-c", script]);
    let launched = codes(&ends, 0);
    assert_eq!(launched.len(), 16, "{ends:?}");
    let ledger = check(&place, &launched);
    let generations = ledger[0]["generations"].as_array().unwrap().iter().skip(1);
    assert!(generations.clone().all(|one| one["state"] == "delivered"), "{ledger}");
    assert_eq!(ledger[0]["retired"].as_array().unwrap().len(), 16);
}
