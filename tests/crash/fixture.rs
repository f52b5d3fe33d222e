//! A HOME in a known state, runs of gen-rotate on it, and what must hold after.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The step of all these tests; its name needs no cleaning.
pub(crate) const STEP: &str = "work";

/// Calls that fail each time, and how.
pub(crate) type Lacks = &'static [(&'static str, &'static str)];

pub(crate) const NOTHING: Lacks = &[];
/// No hard links.
pub(crate) const LINKS: Lacks = &[("linkat", "EPERM")];
/// Nor renames that take no name from another file.
pub(crate) const LINKS_AND_EXCLUSIVE: Lacks = &[("linkat", "EPERM"), ("renameat2", "EINVAL")];

/// A complete document, told from any other by its number.
pub(crate) fn document(number: u32) -> String {
    let filler = format!("line of {number}\n").repeat(40);
    format!("## Doing now\n\ndocument {number}\n{filler}\n## Next step\n\ngo on {number}\n")
}

/// A folder with a HOME and the documents 1 to 3 in it.
pub(crate) struct Place {
    folder: TempDir,
    home: PathBuf,
    tool: PathBuf,
    /// What the file system does not have, under strace.
    pub(crate) lacks: Lacks,
    /// Under strace, these syncs say that they were made and are not: `3`, the
    /// third, or `1+`, all.
    pub(crate) lost_syncs: Option<String>,
}

impl Place {
    /// With a HOME on which `rotations` rotations were made: of document 1, and
    /// so on.
    pub(crate) fn new(rotations: u32) -> Place {
        let folder = folder();
        let home = folder.path().join("home");
        Place::of(folder, home, rotations)
    }

    /// The same with its HOME at another place, where one may lie already.
    pub(crate) fn at(home: PathBuf, rotations: u32) -> Place {
        Place::of(folder(), home, rotations)
    }

    fn of(folder: TempDir, home: PathBuf, rotations: u32) -> Place {
        let place = Place { folder, home, tool: tool(), lacks: NOTHING, lost_syncs: None };
        for number in 1..=3 {
            fs_err::write(place.path(&format!("{number}.md")), document(number)).unwrap();
        }
        for number in 1..=rotations {
            let output = place.command(&place.rotation(number)).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
        fs_err::write(place.path("launched"), "").unwrap();
        place
    }

    /// The same once more, in a folder of its own.
    pub(crate) fn again(&self) -> Place {
        let (folder, tool) = (folder(), self.tool.clone());
        copy(self.folder.path(), folder.path());
        let home = folder.path().join("home");
        Place { folder, home, tool, lacks: self.lacks, lost_syncs: self.lost_syncs.clone() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.home.clone()
    }

    /// The arguments of a rotation. Its successor keeps what the ledger said when
    /// it started, what it was given, and speaks.
    pub(crate) fn rotation(&self, number: u32) -> Vec<OsString> {
        let mut arguments = self.common();
        arguments.push(self.path(&format!("{number}.md")).into());
        arguments.extend(self.successor());
        arguments
    }

    pub(crate) fn resume(&self) -> Vec<OsString> {
        let mut arguments = self.common();
        arguments.push("--resume".into());
        arguments.extend(self.successor());
        arguments
    }

    fn common(&self) -> Vec<OsString> {
        let home = self.home();
        ["--step".into(), STEP.into(), "--home".into(), home.into(), "--raw".into()].into()
    }

    fn successor(&self) -> Vec<OsString> {
        // A limit on our files is none on what it keeps for us.
        let script = r#"ulimit -S -f unlimited; cp "$1/runs/manifest.json" "$2"; cat >"$2.given"; echo here"#;
        let (home, launched) = (self.home(), self.path("launched"));
        let words: [OsString; 8] = [
            "--".into(),
            "/bin/sh".into(),
            "-c".into(),
            script.into(),
            "successor".into(),
            home.into(),
            launched.into(),
            "{session}".into(),
        ];
        words.into()
    }

    /// gen-rotate with these arguments, alone in the world.
    pub(crate) fn command(&self, arguments: &[OsString]) -> Command {
        let mut command = Command::new(&self.tool);
        command.args(arguments);
        self.isolate(&mut command);
        command
    }

    pub(crate) fn tool(&self) -> &Path {
        &self.tool
    }

    pub(crate) fn isolate(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
    }

    /// The ledger as the last successor found it; `None` if none was launched
    /// since the HOME was made.
    pub(crate) fn launched(&self) -> Option<Value> {
        let bytes = fs_err::read(self.path("launched")).unwrap();
        (!bytes.is_empty()).then(|| serde_json::from_slice(&bytes).expect("a torn ledger"))
    }

    /// The current document, if there is one.
    pub(crate) fn current(&self) -> Option<String> {
        self.current_of(STEP)
    }

    pub(crate) fn current_of(&self, step: &str) -> Option<String> {
        fs_err::read_to_string(self.home().join(format!("notes/交接-{step}.md"))).ok()
    }

    /// What a reader may see while document `new` takes the place of the one
    /// before.
    pub(crate) fn check_reader(&self, new: u32) -> Result<(), String> {
        match self.current() {
            None if new == 1 => Ok(()),
            Some(text) if text == document(new) => Ok(()),
            Some(text) if new > 1 && text == document(new - 1) => Ok(()),
            other => Err(format!("a reader sees {:?}", other.map(|text| text.len()))),
        }
    }

    /// No successor may run before the ledger says so.
    pub(crate) fn check_launched(&self, new: u32) -> Result<(), String> {
        let Some(ledger) = self.launched() else { return Ok(()) };
        let last = ledger[0]["generations"].as_array().and_then(|all| all.last()).cloned();
        let last = last.ok_or("a successor without a generation")?;
        ensure(last["state"] == "launched", || format!("launched while the ledger said {last}"))?;
        ensure(self.current() == Some(document(new)), || "launched before published".to_owned())
    }

    /// Once a successor was launched, the ledger on disk knows, and what it was given
    /// lasts; once it ended, its end does.
    pub(crate) fn check_ledger(&self, new: u32, ended: bool) -> Result<(), String> {
        ensure(self.current() == Some(document(new)), || "launched, not published".to_owned())?;
        let ledger = fs_err::read(self.home.join("runs/manifest.json"));
        let ledger = ledger.map_err(|error| error.to_string())?;
        let ledger: Value = serde_json::from_slice(&ledger).map_err(|error| error.to_string())?;
        let last = ledger[0]["generations"].as_array().and_then(|all| all.last()).cloned();
        let last = last.ok_or("no generation")?;
        let state = last["state"].as_str().unwrap_or_default();
        let known =
            if ended { state == "delivered" } else { matches!(state, "launched" | "delivered") };
        ensure(known, || format!("the ledger says {state} of a successor that runs"))?;
        ensure(!ended || last["exit_status"] == 0, || "the end is lost".to_owned())?;
        let given = self.home.join(last["given"].as_str().ok_or("nothing given")?);
        let given = fs_err::read_to_string(given).map_err(|error| error.to_string())?;
        ensure(given == document(new), || "the copy of what was given is torn".to_owned())
    }

    /// Lets the next runs clear up: what was decided is delivered once, then
    /// document 3 takes over. Everything must then be in its place.
    pub(crate) fn check_next_runs(&self, new: u32) -> Result<(), String> {
        let resumed = self.command(&self.resume()).output().unwrap();
        let decided = match resumed.status.code() {
            Some(0) => {
                let given = fs_err::read_to_string(self.path("launched.given")).unwrap();
                ensure(given == document(new), || "resumed with another document".to_owned())?;
                true
            }
            Some(1) => self.current() == Some(document(new)),
            _ => return Err(format!("the next run fails: {}", words(&resumed))),
        };
        let output = self.command(&self.rotation(3)).output().unwrap();
        ensure(output.status.success(), || format!("the run after fails: {}", words(&output)))?;
        let mut documents: Vec<u32> = (1..new).collect();
        documents.extend(decided.then_some(new));
        self.check_archive(&documents)?;
        self.check_agreement()
    }

    /// Ledger and documents agree, as the tool itself sees it.
    pub(crate) fn check_agreement(&self) -> Result<(), String> {
        let output =
            self.command(&["fsck".into(), "--home".into(), self.home().into()]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        ensure(output.status.success(), || format!("fsck: {told}{}", words(&output)))
    }

    /// The current document is 3, and the archive holds exactly the others, each
    /// where the ledger says.
    fn check_archive(&self, others: &[u32]) -> Result<(), String> {
        ensure(self.current() == Some(document(3)), || "document 3 is not current".to_owned())?;
        let home = self.home();
        let ledger = fs_err::read(home.join("runs/manifest.json")).unwrap();
        let ledger: Value = serde_json::from_slice(&ledger).map_err(|error| error.to_string())?;
        ensure(ledger.as_array().is_some_and(|rows| rows.len() == 1), || "rows".to_owned())?;
        ensure(ledger[0].get("intent").is_none(), || "an intent is left".to_owned())?;
        let generations = ledger[0]["generations"].as_array().unwrap();
        let mut known = BTreeSet::from([
            PathBuf::from(format!("notes/交接-{STEP}.md")),
            "runs/manifest.json".into(),
            "runs/.lock".into(),
            format!("runs/.alive-{STEP}").into(),
        ]);
        let mut archived = Vec::new();
        for generation in generations {
            if let Some(path) = generation["archive"].as_str() {
                let text = fs_err::read_to_string(home.join(path)).map_err(|e| e.to_string())?;
                archived.push(text);
                known.insert(path.into());
            }
            if let Some(path) = generation["given"].as_str() {
                known.insert(path.into());
            }
        }
        let wanted: Vec<_> = others.iter().map(|&number| document(number)).collect();
        ensure(archived == wanted, || format!("archived are {} of {others:?}", archived.len()))?;
        let retired = ledger[0]["retired"].as_array().map_or(0, Vec::len);
        ensure(retired >= others.len(), || format!("only {retired} retired"))?;
        let found = files(&home, Path::new(""));
        ensure(found == known, || {
            format!("left or lost: {:?}", found.symmetric_difference(&known).collect::<Vec<_>>())
        })
    }
}

pub(crate) fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

/// What a run said, for a report.
pub(crate) fn words(output: &Output) -> String {
    format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())
}

/// In memory where there is such a place: thousands of real syncs would take
/// minutes and show no more.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    for entry in fs_err::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs_err::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs_err::copy(entry.path(), &target).unwrap();
        }
    }
}

fn files(root: &Path, below: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs_err::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(root, &path));
        } else {
            found.insert(path);
        }
    }
    found
}

fn tool() -> PathBuf {
    ctxutils_tests::program("gen-rotate")
}
