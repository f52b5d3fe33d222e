//! Sixty-four rotators at once, of one step and of two steps of one HOME, and a
//! reader of each step that never stops.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use crate::fixture::{Place, STEP, document};

/// The documents that they publish, by number.
const NUMBERS: std::ops::RangeInclusive<u32> = 101..=164;

/// The steps, and the rotators of each by the numbers of their documents.
const ONE: [&str; 1] = [STEP];
const TWO: [&str; 2] = [STEP, "other"];

/// A HOME with document 1 current for each step, and the rest in files beside it.
fn place(steps: &[&str]) -> Place {
    let place = Place::new(0);
    for number in NUMBERS {
        fs_err::write(place.path(&format!("{number}.md")), document(number)).unwrap();
    }
    for step in steps {
        let output = place.command(&rotation(&place, step, 1, &[])).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    place
}

fn rotation(place: &Place, step: &str, number: u32, options: &[&str]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        vec!["--step".into(), step.into(), "--home".into(), place.home().into()];
    arguments.push(place.path(&format!("{number}.md")).into());
    arguments.extend(options.iter().map(OsString::from));
    arguments
}

fn step_of<'a>(steps: &[&'a str], number: u32) -> &'a str {
    steps[number as usize % steps.len()]
}

/// The numbers of a step's rotators.
fn of<'a>(steps: &'a [&'a str], step: &'a str) -> impl Iterator<Item = u32> + 'a {
    NUMBERS.filter(move |&number| step_of(steps, number) == step)
}

/// Starts them all, reads all the while, and returns how each ended.
fn race(place: &Place, steps: &[&str], options: &[&str]) -> Vec<(u32, Output)> {
    let start = |number: u32| -> (u32, Child) {
        let mut command = place.command(&rotation(place, step_of(steps, number), number, options));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        (number, command.spawn().unwrap())
    };
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let readers: Vec<_> = steps
            .iter()
            .map(|step| {
                let whole: BTreeSet<_> = of(steps, step).chain([1]).map(document).collect();
                let done = &done;
                scope.spawn(move || {
                    let mut reads = 0_u32;
                    // One that is seldom given the processor goes on until it has.
                    while reads < 100 || !done.load(Ordering::SeqCst) {
                        let text = place.current_of(step).expect("no current document");
                        assert!(whole.contains(&text), "a torn document of {} bytes", text.len());
                        reads += 1;
                    }
                })
            })
            .collect();
        let end = End(&done);
        let children: Vec<_> = NUMBERS.map(start).collect();
        let ends = children
            .into_iter()
            .map(|(number, child)| (number, child.wait_with_output().unwrap()))
            .collect();
        drop(end);
        for reader in readers {
            reader.join().unwrap();
        }
        ends
    })
}

/// The race is over, by a panic too.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn codes(ends: &[(u32, Output)], code: i32) -> BTreeSet<u32> {
    let ended = ends.iter().filter(|(_, output)| output.status.code() == Some(code));
    ended.map(|(number, _)| *number).collect()
}

/// Exactly these documents, and document 1, are current or archived, each once;
/// the ledger has a generation for each. Returns the step's row.
fn check(place: &Place, step: &str, published: &BTreeSet<u32>) -> Value {
    let archive = fs_err::read_dir(place.home().join("notes/archive/交接")).unwrap();
    let of_step = archive.map(|entry| entry.unwrap().path()).filter(|path| {
        path.file_name().unwrap().to_str().unwrap().starts_with(&format!("{step}-"))
    });
    let mut found: Vec<_> = of_step.map(|path| fs_err::read_to_string(path).unwrap()).collect();
    found.extend(place.current_of(step));
    found.sort_unstable();
    let mut wanted: Vec<_> = published.iter().chain([&1]).map(|&n| document(n)).collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
    assert_eq!(place.check_agreement(), Ok(()));
    let ledger = fs_err::read(place.home().join("runs/manifest.json")).unwrap();
    let ledger: Vec<Value> = serde_json::from_slice(&ledger).unwrap();
    let mut rows: Vec<_> = ledger.into_iter().filter(|row| row["step"] == step).collect();
    assert_eq!(rows.len(), 1);
    let row = rows.remove(0);
    assert_eq!(row["generations"].as_array().unwrap().len(), published.len() + 2);
    row
}

fn all_publish_in_turn(steps: &[&str]) {
    let place = place(steps);
    let ends = race(&place, steps, &["--lock-timeout", "120"]);
    let published = codes(&ends, 0);
    assert_eq!(published, NUMBERS.collect(), "{ends:?}");
    for step in steps {
        check(&place, step, &of(steps, step).collect());
    }
}

fn losers_are_told(steps: &[&str]) {
    let place = place(steps);
    let ends = race(&place, steps, &["--lock-timeout", "0"]);
    let (published, losers) = (codes(&ends, 0), codes(&ends, 75));
    assert!(!published.is_empty());
    assert_eq!(published.len() + losers.len(), NUMBERS.count(), "{ends:?}");
    for step in steps {
        check(&place, step, &of(steps, step).filter(|number| published.contains(number)).collect());
    }
}

#[test]
fn those_that_wait_all_publish_in_turn() {
    all_publish_in_turn(&ONE);
}

#[test]
fn those_of_two_steps_that_wait_all_publish_in_turn() {
    all_publish_in_turn(&TWO);
}

#[test]
fn those_that_do_not_wait_are_told() {
    losers_are_told(&ONE);
}

#[test]
fn those_of_two_steps_that_do_not_wait_are_told() {
    losers_are_told(&TWO);
}

#[test]
fn one_successor_of_a_step_runs_at_a_time() {
    let place = place(&TWO);
    let script = "mkdir running-$0 || exit 9; cat >/dev/null; sleep 0.02; rmdir running-$0; echo";
    let options = ["--lock-timeout", "120", "--max-generations", "99"];
    let successor = ["--", "/bin/sh", "-c", script, "{step}"];
    let ends = race(&place, &TWO, &[&options[..], &successor].concat());
    assert_eq!(codes(&ends, 0), NUMBERS.collect(), "{ends:?}");
    for step in TWO {
        let row = check(&place, step, &of(&TWO, step).collect());
        let generations = row["generations"].as_array().unwrap().iter().skip(1);
        let states: BTreeSet<_> = generations.map(|one| one["state"].to_string()).collect();
        // The one that waits is that of the first document.
        assert!(states.is_subset(&["\"delivered\"", "\"superseded\""].map(str::to_owned).into()));
        // Nobody told the id of the session that wrote the first two.
        assert_eq!(row["retired"].as_array().unwrap().len(), 31);
    }
}
