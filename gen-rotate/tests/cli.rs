//! Rotations at the command line: what is published, archived, launched, refused.

mod place;

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use fs_err::File;
use place::{DEGRADED, Place, document};
use serde_json::json;

const CURRENT: &str = ".handoff/notes/交接-s.md";

#[test]
fn what_is_published_is_the_document_byte_for_byte() {
    let place = Place::new();
    let odd = b"\xef\xbb\xbf## Doing now\r\n\r\na \xff\0\r\n\r\n## Next step\r\nb".to_vec();
    fs_err::write(place.path("odd.md"), &odd).unwrap();
    place.check("--step s odd.md", 0, "", "");
    assert_eq!(fs_err::read(place.path(CURRENT)).unwrap(), odd);
    let output = place.tool().args(["--step", "s", "-"]).write_stdin(document(1)).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(place.read(CURRENT), document(1));
    place.tool().args(["--step", "s"]).write_stdin(document(2)).assert().success();
    assert_eq!(place.read(CURRENT), document(2));
}

#[test]
fn an_incomplete_document_is_refused_before_anything_is_written() {
    let place = Place::new();
    for (text, missing) in [
        ("", "doing, next"),
        ("hello", "doing, next"),
        ("## Doing now\n\na\n", "next"),
        ("## Next step\n\nb\n", "doing"),
        ("## Doing now\n\n(空)\n\n## Next step\n\nb\n", "doing"),
    ] {
        place.write("bad.md", text);
        let stderr = format!(
            "gen-rotate: the document is not complete: missing {missing}\n\
             a session that cannot write one gets 'handoff-fmt degraded'\n"
        );
        place.check("--step s bad.md -- cat", 1, "", &stderr);
    }
    assert!(place.files().is_empty());
}

#[test]
fn earlier_documents_are_archived_and_never_overwritten() {
    let place = Place::new();
    for number in 1..=4 {
        place.run(&format!("--step s {number}.md"));
    }
    let archive = place.path(".handoff/notes/archive/交接");
    let mut archived: Vec<_> = fs_err::read_dir(archive)
        .unwrap()
        .map(|entry| fs_err::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    archived.sort();
    assert_eq!(archived, [document(1), document(2), document(3)]);
    assert_eq!(place.read(CURRENT), document(4));
    let entry = |number: u32| place.row()["generations"][number as usize].clone();
    // The first session wrote all four, and nobody was launched for three.
    let states = ["delivered", "superseded", "superseded", "superseded", "pending"];
    assert_eq!(place.each("state"), states);
    for number in 1..=3 {
        let path = entry(number)["archive"].as_str().unwrap().to_owned();
        assert_eq!(place.read(format!(".handoff/{path}")), document(number));
    }
}

#[test]
fn an_edited_document_is_archived_as_it_is_and_given_as_it_is() {
    let place = Place::new();
    place.run("--step s 1.md");
    let edited = document(1) + "\nmind the gap\n";
    place.write(CURRENT, &edited);
    let prompt = place.run("--step s --resume -- cat");
    assert!(prompt.contains("mind the gap") && prompt.contains("taking over"), "{prompt}");
    place.run("--step s 2.md -- true");
    let archived = place.row()["generations"][0]["archive"].as_str().unwrap().to_owned();
    assert_eq!(place.read(format!(".handoff/{archived}")), edited);
}

#[test]
fn a_document_of_a_person_is_archived_too() {
    let place = Place::new();
    fs_err::create_dir_all(place.path(".handoff/notes")).unwrap();
    place.write(CURRENT, "by hand");
    place.run("--step s 1.md -- true");
    let wanted = [
        "notes/archive/交接/s-STAMP.md",
        "notes/交接-s.md",
        "runs/RUN/s.1.md",
        "runs/manifest.json",
    ];
    assert_eq!(place.files(), wanted);
}

const NO_REGULAR_FILE: &str = "gen-rotate: '.handoff/notes/交接-s.md' is no regular file\n\
                               move it away: a rotation would replace it\n";

#[test]
fn what_is_no_regular_file_is_not_replaced() {
    let place = Place::new();
    fs_err::create_dir_all(place.path(".handoff/notes")).unwrap();
    std::os::unix::fs::symlink("/nonexistent", place.path(CURRENT)).unwrap();
    place.check("--step s 1.md", 73, "", NO_REGULAR_FILE);
    fs_err::remove_file(place.path(CURRENT)).unwrap();
    fs_err::create_dir(place.path(CURRENT)).unwrap();
    place.check("--step s 1.md", 73, "", NO_REGULAR_FILE);
}

/// A reader of a FIFO waits until somebody writes, and would keep the lock.
#[test]
fn a_fifo_in_the_place_of_a_file_holds_nobody_up() {
    let place = Place::new();
    place.run("--step s 1.md -- true");
    let fifo = |path: &str| {
        let _ = fs_err::remove_file(place.path(path));
        let made = std::process::Command::new("mkfifo").arg(place.path(path)).status().unwrap();
        assert!(made.success());
    };
    fifo(CURRENT);
    let stderr = format!("gen-rotate: cannot read '{CURRENT}': not a regular file\n");
    place.check("--step s --again -- true", 66, "", &stderr);
    place.check("--step s 2.md", 73, "", NO_REGULAR_FILE);
    fifo(".handoff/runs/manifest.json");
    let stderr = "gen-rotate: cannot read '.handoff/runs/manifest.json': not a regular file\n";
    place.check("--step s 2.md", 65, "", stderr);
    place.check("log", 65, "", stderr);
}

#[test]
fn a_ledger_behind_a_link_is_not_cut_off() {
    let place = Place::new();
    place.run("--step s 1.md -- true");
    let manifest = place.path(".handoff/runs/manifest.json");
    fs_err::rename(&manifest, place.path("ledger.json")).unwrap();
    std::os::unix::fs::symlink(place.path("ledger.json"), &manifest).unwrap();
    let stderr = "gen-rotate: '.handoff/runs/manifest.json' is a symbolic link\n\
                  a ledger is replaced whole: link its folder instead\n";
    place.check("--step s 2.md", 65, "", stderr);
    assert!(fs_err::symlink_metadata(&manifest).unwrap().is_symlink());
    fs_err::remove_file(&manifest).unwrap();
    fs_err::create_dir(place.path("elsewhere")).unwrap();
    fs_err::rename(place.path("ledger.json"), place.path("elsewhere/manifest.json")).unwrap();
    fs_err::remove_dir_all(place.path(".handoff/runs")).unwrap();
    std::os::unix::fs::symlink(place.path("elsewhere"), place.path(".handoff/runs")).unwrap();
    place.run("--step s 2.md -- true");
    assert_eq!(place.row()["generations"].as_array().unwrap().len(), 3);
}

/// The folder of notes cannot be used: nothing changes, and a document that came
/// by a pipe is put down where it can be.
#[test]
fn a_document_that_cannot_be_published_is_kept() {
    let place = Place::new();
    place.run("--step s 1.md -- true");
    // A root of these tests may write to a folder of any mode.
    fs_err::rename(place.path(".handoff/notes"), place.path("notes")).unwrap();
    place.write(".handoff/notes", "in the way");
    let ledger = place.ledger();
    let output = place.tool().args(["--step", "s"]).write_stdin(document(2)).output().unwrap();
    assert_eq!(output.status.code(), Some(66), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("gen-rotate: cannot read '.handoff/notes"), "{said}");
    let kept = said.split('\'').nth_back(1).unwrap();
    assert!(said.contains("the document is kept in") && kept.contains("/ctxutils/unpublished/s-"));
    assert_eq!(place.read(kept), document(2));
    assert_eq!(place.ledger(), ledger);
    let mut tool = place.tool();
    tool.env_remove("HOME").env("TMPDIR", place.path("bin")).args(["--step", "s", "--", "none"]);
    fs_err::create_dir_all(place.path("bin")).unwrap();
    let output = tool.write_stdin(document(3)).output().unwrap();
    assert_eq!(output.status.code(), Some(127), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(place.read(said.split('\'').nth_back(1).unwrap()), document(3));
}

#[test]
fn documents_are_their_owners_unless_the_folder_is_a_groups() {
    use std::os::unix::fs::PermissionsExt;
    for (mode, wanted) in [(0o755, 0o600), (0o2770, 0o660)] {
        let place = Place::new();
        fs_err::create_dir(place.path(".handoff")).unwrap();
        let permissions = std::fs::Permissions::from_mode(mode);
        fs_err::set_permissions(place.path(".handoff"), permissions).unwrap();
        place.run("--step s 1.md -- true");
        place.run("--step s 2.md -- true");
        for path in place.exact_files().iter().map(String::as_str).chain(["runs/.lock"]) {
            let found = fs_err::metadata(place.path(".handoff").join(path)).unwrap();
            assert_eq!(found.permissions().mode() & 0o777, wanted, "{path}");
        }
    }
}

#[test]
fn a_row_has_every_figure() {
    let place = Place::new();
    place.run("record start --step s --session A --window 200000");
    place.run(
        "--step s --retired A --context 152000 --window 200000 --cost 1.25 --turns 12 1.md -- true",
    );
    place.run("record generation --step s --context 90000 --cost 0.5 --turns 3");
    let row = place.row();
    assert_eq!(
        json!([
            row["step"],
            row["retired"],
            row["attempts"],
            row["context"],
            row["window"],
            row["cost_usd"],
            row["num_turns"],
            row["errors"],
            row["ok"],
            row["ended_at"],
        ]),
        json!(["s", ["A"], 1, 90000, 200000, 1.75, 15, [], null, null])
    );
    assert_eq!(row["session_id"], row["generations"][1]["session_id"]);
    let mut first = row["generations"][0].clone();
    assert!(first["started_at"].take().is_string());
    assert_eq!(
        first,
        json!({
            "session_id": "A", "context": 152000, "window": 200000, "cost_usd": 1.25,
            "num_turns": 12, "degraded": false, "why": null, "document": "notes/交接-s.md",
            "archive": null, "state": "delivered", "session_source": "reported",
            "started_at": null,
        })
    );
}

#[test]
fn a_degraded_document_leaves_its_reason() {
    let place = Place::new();
    place.check_words(
        &["--step", "s", "--why", "缺下一步", "degraded.md", "--", "true"],
        0,
        "",
        "",
    );
    place.run("--step s 1.md -- true");
    place.run("--step s degraded.md -- true");
    assert_eq!(place.row()["errors"], json!(["交接降级(缺下一步)", "交接降级(unknown)"]));
    assert_eq!(place.each("degraded"), [json!(true), json!(false), json!(true), json!(null)]);
    assert_eq!(place.each("why")[0], "缺下一步");
    assert_eq!(place.read(CURRENT), DEGRADED);
}

#[test]
fn a_missing_program_is_told_before_anything_is_written() {
    let place = Place::new();
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    place.check(
        "--step s 1.md -- claude -p",
        127,
        "",
        &format!("gen-rotate: cannot find 'claude'\nPATH is '{path}'; nothing was written\n"),
    );
    place.check(
        "--step s 1.md -- ./claude",
        127,
        "",
        "gen-rotate: cannot run './claude': no such file or directory\nnothing was written\n",
    );
    place.check(
        "--step s 1.md -- ./1.md",
        126,
        "",
        "gen-rotate: cannot run './1.md': permission denied\nnothing was written\n",
    );
    assert!(place.files().is_empty());
}

#[test]
fn a_manifest_that_is_no_ledger_stops_everything_and_stays() {
    for text in ["", "[{\"run\":", "{}", "[1,2]", "[{\"run\":\"r\"}]", "\u{0}"] {
        let place = Place::new();
        fs_err::create_dir_all(place.path(".handoff/runs")).unwrap();
        place.write(".handoff/runs/manifest.json", text);
        for words in [
            "--step s 1.md",
            "--step s --resume -- true",
            "record start --step s",
            "record end --step s --ok",
            "check --step s",
            "session --step s",
            "log",
            "event near --step s --context 1 --window 2 --events e",
        ] {
            let output = place.tool().args(words.split(' ')).output().unwrap();
            assert_eq!(output.status.code(), Some(65), "{words} on {text:?}: {output:?}");
            assert!(output.stdout.is_empty(), "{words}");
        }
        assert_eq!(place.read(".handoff/runs/manifest.json"), text);
        assert_eq!(place.files(), ["runs/manifest.json"]);
    }
}

#[test]
fn a_manifest_that_cannot_be_opened_is_as_bad() {
    let place = Place::new();
    fs_err::create_dir_all(place.path(".handoff/runs/manifest.json")).unwrap();
    let stderr = "gen-rotate: cannot read '.handoff/runs/manifest.json': is a directory\n";
    place.check("--step s 1.md", 65, "", stderr);
    place.check("check --step s", 65, "", stderr);
}

#[test]
fn an_archive_on_another_file_system_gets_copies() {
    let place = Place::new();
    let device = |path: &std::path::Path| fs_err::metadata(path).map(|found| found.dev()).ok();
    let elsewhere = tempfile::tempdir_in("/dev/shm").ok();
    let elsewhere = elsewhere.filter(|folder| device(folder.path()) != device(&place.path("")));
    let Some(elsewhere) = elsewhere else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no second file system at /dev/shm");
        return;
    };
    fs_err::create_dir_all(place.path(".handoff/notes")).unwrap();
    let archive = place.path(".handoff/notes/archive");
    fs_err::os::unix::fs::symlink(elsewhere.path(), archive).unwrap();
    for number in 1..=3 {
        place.run(&format!("--step s {number}.md -- true"));
    }
    let copies = fs_err::read_dir(elsewhere.path().join("交接")).unwrap();
    let mut copies: Vec<_> =
        copies.map(|copy| fs_err::read_to_string(copy.unwrap().path()).unwrap()).collect();
    copies.sort();
    assert_eq!(copies, [document(1), document(2)]);
}

#[test]
fn what_a_person_wrote_into_the_ledger_stays() {
    let place = Place::new();
    place.run("--step s 1.md");
    let mut ledger = place.ledger();
    ledger[0]["note"] = json!({ "mine": [1, 2.5] });
    ledger[0]["generations"][1]["tag"] = json!("keep");
    place.write(".handoff/runs/manifest.json", &format!("\u{feff}{ledger}"));
    place.run("--step s --resume -- true");
    assert_eq!(place.row()["note"], json!({ "mine": [1, 2.5] }));
    assert_eq!(place.last()["tag"], "keep");
}

/// Distinct, and valid wherever HOME may be copied to.
#[test]
fn odd_steps_have_files_of_their_own_and_keep_their_names() {
    let place = Place::new();
    let (long, longer) = ("x".repeat(600), "가".repeat(200));
    let steps = [
        "a/b",
        "ab",
        "a:b",
        "../x",
        "..",
        "CON",
        "con.txt",
        "a\nb",
        " ",
        "-x",
        "-rf",
        "e\u{301}",
        "\u{e9}",
        "🙂",
        "👩\u{200d}👧",
        "ab ",
        "ab.",
        &long,
        &longer,
    ];
    for step in steps {
        let step = format!("--step={step}");
        place.check_words(&[&step, "1.md", "--", "true"], 0, "", "");
    }
    let current = fs_err::read_dir(place.path(".handoff/notes")).unwrap();
    assert_eq!(current.count(), steps.len() + 1, "a document each, and the archive");
    for path in place.exact_files() {
        for name in path.split('/') {
            let stem = name.split('.').next().unwrap().to_ascii_uppercase();
            assert!(name.len() < 256, "{name}");
            assert!(!name.contains(['\\', ':', '*', '?', '"', '<', '>', '|', '\n']), "{name}");
            assert!(!name.ends_with(['.', ' ']) && stem != "CON", "{name}");
        }
    }
    let log = place.run("log --json");
    let logged: Vec<_> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["step"].clone())
        .collect();
    assert_eq!(logged, steps);
    place.check_words(&["log", "--step", &long], 0, &place.run(&format!("log --step {long}")), "");
    assert!(fs_err::metadata(place.path("x")).is_err());
    let dashes = ["--home", "-h", "--step", "-x", "--why", "- no room", "--retired", "-A", "1.md"];
    place.check_words(&dashes, 0, "", "");
    assert!(place.read("-h/runs/manifest.json").contains("交接降级(- no room)"));
    place.check_words(&["path", "keep", "--step", "s"], 0, ".handoff/notes/keep-s.md\n", "");
    place.check_words(&["path", "task", "--step", "s"], 0, ".handoff/task-s.md\n", "");
    place.check_words(&["path", "document", "--step", ""], 0, ".handoff/notes/交接-step.md\n", "");
}

/// A file system on which case does not matter has one file for both names.
#[test]
fn steps_whose_names_are_one_here_do_not_take_each_others_documents() {
    let place = Place::new();
    place.run("--step work 1.md -- true");
    place.run("--step Work 2.md -- true");
    place.run("--step Work 3.md -- true");
    let [work, other] = ["work", "Work"].map(|step| format!(".handoff/notes/交接-{step}.md"));
    fs_err::remove_file(place.path(&other)).unwrap();
    fs_err::hard_link(place.path(&work), place.path(&other)).unwrap();
    let stderr = "gen-rotate: the documents of steps 'Work' and 'work' are one file here\n\
                  give one of the steps another name\n";
    place.check("--step Work 4.md -- true", 73, "", stderr);
    assert_eq!(place.read(&work), document(1));
}

#[test]
fn without_a_document_on_disk_only_the_ledger_is() {
    let place = Place::new();
    let prompt = place.run("--step s --no-document 1.md -- cat");
    assert!(prompt.contains("document 1"), "{prompt}");
    assert_eq!(place.files(), ["runs/manifest.json"]);
    assert_eq!(place.each("state"), ["delivered", "delivered"]);
    place.run("--step s --no-document --raw 2.md -- true {prompt}");
    place.check(
        "--step s --no-document 1.md",
        2,
        "",
        "gen-rotate: --no-document needs a successor: the document would be lost\n",
    );
    place.check(
        "--step s --no-document 1.md -- cat {file}",
        2,
        "",
        "gen-rotate: {file} needs the document on disk, and --no-document keeps it off\n",
    );
    // What could not be left pending changes nothing.
    let before = place.ledger();
    let words = "--step s --no-document --max-generations 1 3.md -- true";
    let output = place.tool().args(words.split(' ')).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(place.ledger(), before);
    assert_eq!(place.files(), ["runs/manifest.json"]);
}

#[test]
fn a_document_that_was_not_kept_is_not_pending() {
    let place = Place::new();
    place.run("record start --step s --session A");
    let words = "--step s --no-document --retired A --raw 1.md -- false";
    let output = place.tool().args(words.split(' ')).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(place.each("state"), ["delivered", "failed"]);
    // The next wake would else resume what nobody has.
    place.check("state --step s", 0, "unfinished\n", "");
    place.check("session --step s", 1, "", "");
    let stderr = "gen-rotate: the document of step 's' was not kept (--no-document)\n";
    let output = place.tool().args(["--step", "s", "--resume", "--", "true"]).output().unwrap();
    assert_eq!(output.status.code(), Some(66));
    assert!(String::from_utf8(output.stderr).unwrap().contains(stderr.trim_end()));
}

#[test]
fn a_decided_rotation_is_carried_out_whatever_was_removed_meanwhile() {
    let place = Place::new();
    place.run("--step s 1.md -- true");
    place.run("--step s 2.md -- true");
    let mut ledger = place.ledger();
    let archived = ledger[0]["generations"][0]["archive"].as_str().unwrap().to_owned();
    let name = archived.rsplit('/').next().unwrap();
    ledger[0]["intent"] = json!({ "temporary": ".交接-s.new-3", "archive": name });
    // A stranger took the name, and the new document still waits.
    place.write(".handoff/notes/.交接-s.new-3", &document(3));
    place.write(".handoff/runs/manifest.json", &ledger.to_string());
    place.run("record attempt --step s");
    assert_eq!(place.read(CURRENT), document(3));
    let moved = place.row()["generations"][0]["archive"].as_str().unwrap().to_owned();
    assert_ne!(moved, archived);
    assert_eq!(place.read(format!(".handoff/{moved}")), document(2));
    assert_eq!(place.read(format!(".handoff/{archived}")), document(1));
    assert!(place.row().get("intent").is_none());
    // All documents are gone: there is nothing to move, and the ledger goes on.
    place.write(".handoff/runs/manifest.json", &ledger.to_string());
    fs_err::remove_dir_all(place.path(".handoff/notes")).unwrap();
    place.run("record attempt --step s");
    assert!(place.row().get("intent").is_none());
    // The new document is there, the current one is not.
    place.write(".handoff/notes/.交接-s.new-3", &document(3));
    place.write(".handoff/runs/manifest.json", &ledger.to_string());
    place.run("record attempt --step s");
    assert_eq!(place.read(CURRENT), document(3));
    assert_eq!(place.row()["generations"][0]["archive"], json!(null));
}

#[test]
fn paths_are_bytes() {
    let place = Place::new();
    let home = place.path(OsStr::from_bytes(b"h\xff o\nme"));
    let handoff = place.path(OsStr::from_bytes(b"d\xfe.md"));
    fs_err::write(&handoff, document(1)).unwrap();
    let mut tool = place.tool();
    tool.args(["--step", "s", "--raw"]).arg("--home").arg(&home).arg(&handoff);
    tool.args(["--", "cat", "{file}"]).assert().success().stdout(document(1)).stderr("");
    assert!(fs_err::metadata(home.join("notes/交接-s.md")).is_ok());
    place.tool().env("HANDOFF_HOME", &home).args(["log"]).assert().success().stderr("");
}

#[test]
fn mistakes_in_the_command_line_are_usage() {
    let place = Place::new();
    for words in [
        "",
        "1.md",
        "--step",
        "--step s --cost nan 1.md",
        "--step s --cost -1 1.md",
        "--step s --cost inf 1.md",
        "--step s --cost 1e300 1.md",
        "--step s --context -5 1.md",
        "--step s --context 1.5 1.md",
        "--step s --context 99999999999999 1.md",
        "--step s --window 0 1.md",
        "--step s --turns x 1.md",
        "--step s --max-generations -1 1.md",
        "--step s --lock-timeout -1 1.md",
        "--step s --lock-timeout nan 1.md",
        "--step s --start-timeout 0 1.md -- true",
        "--step s --retired= 1.md",
        "--step s --resume",
        "--step s --again",
        "--step s --resume --again -- true",
        "--step s --resume 1.md -- true",
        "--step s 1.md 2.md",
        "--step s --nonsense 1.md",
        "--step s --retired A record start",
        "--step s --context 5 record generation",
        "--step s --raw log",
        "--step s 1.md log",
        "record",
        "record --step s",
        "record start",
        "record end --step s --ok --failed",
        "record generation --step s --cost -0.1",
        "event near --step s --context 1 --events e",
        "event --step s",
        "session",
        "check",
        "path --step s",
    ] {
        let words: Vec<_> = words.split(' ').filter(|word| !word.is_empty()).collect();
        let output = place.tool().args(&words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(output.stdout.is_empty(), "{words:?}");
        assert!(said.starts_with("gen-rotate: ") && said.lines().count() <= 2, "{words:?}: {said}");
    }
    assert!(place.files().is_empty());
}

#[test]
fn inputs_and_outputs_that_fail_are_told() {
    let place = Place::new();
    place.check(
        "--step s none.md",
        66,
        "",
        "gen-rotate: cannot read 'none.md': no such file or directory\n",
    );
    place.check("--step s .", 66, "", "gen-rotate: cannot read '.': is a directory\n");
    place.check(
        "--step s --home 1.md/x 2.md",
        73,
        "",
        "gen-rotate: cannot write '1.md/x/runs': not a directory\n",
    );
    place.check(
        "--step s --home 1.md 2.md",
        73,
        "",
        "gen-rotate: cannot write '1.md/runs': not a directory\n",
    );
    place.check(
        "--step s --events none/e 1.md",
        73,
        "",
        "gen-rotate: cannot write 'none/e': no such file or directory\n",
    );
    assert!(place.files().is_empty());
    let full = File::options().write(true).open("/dev/full").unwrap().into_parts().0;
    let mut tool = std::process::Command::new(assert_cmd::cargo::cargo_bin!("gen-rotate"));
    tool.args(["record", "start", "--step", "s"]).current_dir(place.path("")).stdout(full);
    let output = tool.output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "gen-rotate: cannot write to stdout: no space left on device\n");
}

#[test]
fn names_of_subcommands_win_over_files() {
    let place = Place::new();
    place.write("check", &document(1));
    place.check("--step s check", 0, "", "");
    assert!(place.files().is_empty());
    place.check("--step s ./check", 0, "", "");
    place.check("--step s --home .handoff session", 1, "", "");
    let run = place.run("record --home .handoff start --step t --lock-timeout 1 --session A");
    assert_eq!(place.row()["run"], run.trim_end());
}

#[test]
fn help_fits_a_terminal() {
    let place = Place::new();
    for words in ["-h", "record -h", "record generation -h", "check -h", "event near -h"] {
        let help = place.run(words);
        let long: Vec<_> = help.lines().filter(|line| line.chars().count() > 82).collect();
        assert!(long.is_empty(), "{words}: {long:#?}");
    }
    assert!(place.run("--help").contains("{session}"));
    assert!(place.run("--version").starts_with("gen-rotate "));
}

#[test]
fn it_works_with_nothing_in_the_environment() {
    let place = Place::new();
    let script = "\"$0\" --step s 1.md -- cat <&- >out 2>err; echo $? >code";
    let tool = assert_cmd::cargo::cargo_bin!("gen-rotate");
    let mut shell = std::process::Command::new("/bin/sh");
    shell.env_clear().args(["-c", script]).arg(tool).current_dir(place.path(""));
    assert!(shell.status().unwrap().success());
    assert_eq!((place.read("code").as_str(), place.read("err").as_str()), ("0\n", ""));
    assert!(place.read("out").contains("document 1"));
}

/// The lock belongs to the open file, so a script keeps it after the call.
#[test]
fn a_step_is_held_as_long_as_the_file_is_open() {
    let place = Place::new();
    fs_err::create_dir_all(place.path(".handoff/runs")).unwrap();
    let open = || {
        let path = place.path(".handoff/runs/.held-s");
        fs_err::OpenOptions::new().create(true).append(true).open(path).unwrap().into_file()
    };
    let hold = |file: std::fs::File| {
        // assert_cmd feeds stdin by a pipe, and this is about the open file.
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("gen-rotate"));
        command.env_clear().current_dir(place.path("")).args(["hold", "--step", "s"]);
        let output = command.stdin(file).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    place.check("path lock --step s", 0, ".handoff/runs/.held-s\n", "");
    let held = open();
    assert_eq!(hold(held.try_clone().unwrap()), (Some(0), String::new()));
    let busy = "gen-rotate: step 's' in '.handoff' is being worked at\n\
                try again when that has ended\n";
    assert_eq!(hold(open()), (Some(75), busy.to_owned()));
    // Whoever holds it may say so again.
    assert_eq!(hold(held.try_clone().unwrap()), (Some(0), String::new()));
    drop(held);
    assert_eq!(hold(open()), (Some(0), String::new()));
    let other = File::create(place.path("other")).unwrap().into_file();
    let (code, why) = hold(other);
    assert_eq!(
        (code, why.lines().next()),
        (Some(2), Some("gen-rotate: stdin is not '.handoff/runs/.held-s'"))
    );
}
