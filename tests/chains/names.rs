//! Names of steps and folders that a shell could stumble over.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use crate::place::{Place, files};
use crate::scenario::{DONE, WINDOW, crossing, sessions};
use crate::shell::{SYSTEM, Shell, shells};

#[test]
fn a_step_may_have_any_name() {
    let long = "x".repeat(600);
    let chinese = "写一本书".repeat(40);
    let odd = ["two\nlines", "-x", "it's $(id) \\n", "a/b"];
    for shell in shells() {
        check_steps(shell, &odd);
    }
    check_steps(SYSTEM, &["two words", "--step", "第一步", "..", &long, &chinese]);
}

/// One home, in which each of these steps is worked at in turn.
fn check_steps(shell: Shell, names: &[&str]) {
    let place = Place::new(&json!({}));
    for name in names {
        place.play(&sessions(&[crossing("good")]));
        let call = place.handoff_loop(WINDOW).arguments(["--step", name, "t"]).under(shell);
        call.run().ends(0, DONE);
        let ledger = place.ledger();
        let row = ledger.as_array().unwrap().last().unwrap();
        assert_eq!(row["step"], *name);
        assert_eq!(row["retired"].as_array().unwrap().len(), 1);
        place.handoff_loop(["--resume", "--step", name, "more"]).under(shell).run().ends(0, DONE);
    }
    let documents = fs_err::read_dir(place.handoff_home().join("notes")).unwrap().count();
    assert_eq!(documents, names.len() + 1, "a document a step, and the archive");
    assert_eq!(place.ledger().as_array().unwrap().len(), 2 * names.len());
}

#[test]
fn folders_may_have_any_name() {
    let names = ["two words", "it's \"a\" $HOME `id` \\n", "two\nlines\n", "-x"];
    for shell in shells() {
        for name in names {
            let place = Place::called(name.as_ref(), &sessions(&[crossing("good")]));
            let home = place.path("documents of it's own\n");
            let call = place.handoff_loop(WINDOW).arguments(["--home".as_ref(), home.as_os_str()]);
            let ran = call.arguments(["t"]).under(shell).run().ends(0, DONE);
            assert!(!ran.stderr.contains("sh:"), "{}", ran.stderr);
            assert_eq!(files(&home.join("notes")).len(), 1, "{name:?}");
            assert!(place.work().is_empty(), "{:?}", place.work());
        }
        // The agent's own files lie elsewhere: JSON cannot name such a folder.
        let place = Place::new(&sessions(&[crossing("good")]));
        let folder = place.path("work").join(OsStr::from_bytes(b"caf\xe9"));
        fs_err::create_dir(&folder).unwrap();
        let call = place.handoff_loop(["-C".as_ref(), folder.as_os_str()]).arguments(WINDOW);
        call.arguments(["t"]).under(shell).run().ends(0, DONE);
        assert_eq!(files(&folder.join(".handoff/notes")).len(), 1);
    }
}

#[test]
fn it_works_in_the_folder_it_is_told() {
    let place = Place::new(&sessions(&[crossing("good")]));
    fs_err::create_dir_all(place.path("work/-odd 'folder'")).unwrap();
    let elsewhere = place.path("tmp");
    for given in ["-odd 'folder'", "../work/-odd 'folder'"] {
        let call = place.handoff_loop(["-C", given, "--home", ".h"]).arguments(WINDOW);
        call.arguments(["t"]).run().ends(0, DONE);
    }
    let absolute = place.path("work/-odd 'folder'");
    let call = place.handoff_loop(["-C"]).arguments([&absolute]).arguments(["--home", ".h", "t"]);
    call.in_folder(elsewhere).run().ends(0, DONE);
    let ledger = fs_err::read(absolute.join(".h/runs/manifest.json")).unwrap();
    let ledger: serde_json::Value = serde_json::from_slice(&ledger).unwrap();
    assert_eq!(ledger.as_array().unwrap().len(), 3);
    assert_eq!(ledger[2]["ok"], json!(true));
}

#[test]
fn a_folder_named_by_a_variable_of_the_shell_is_not_followed() {
    let place = Place::new(&sessions(&[crossing("good")]));
    fs_err::create_dir_all(place.path("elsewhere/sub")).unwrap();
    fs_err::create_dir_all(place.path("work/sub")).unwrap();
    let call = place.handoff_loop(["-C", "sub"]).arguments(WINDOW).arguments(["t"]);
    call.with("CDPATH", place.path("elsewhere")).run().ends(0, DONE);
    assert!(files(&place.path("elsewhere")).is_empty());
    assert!(!files(&place.path("work/sub/.handoff")).is_empty());
}
