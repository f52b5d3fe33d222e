//! A person at a terminal.

use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::{io, ptr, thread};

use serde_json::json;

use crate::place::Place;
use crate::scenario::{DONE, WINDOW, answer, crossing, ending, session, sessions, tool, waiting};
use crate::shell::shells;

/// What a person types on, and what the script takes for its terminal.
fn terminal() -> (fs_err::File, OwnedFd) {
    let (mut outer, mut inner) = (-1, -1);
    // SAFETY: both numbers are live; no name, mode or size is asked for.
    let failed = unsafe {
        libc::openpty(
            &raw mut outer,
            &raw mut inner,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    assert_eq!(failed, 0, "{}", io::Error::last_os_error());
    // SAFETY: openpty has just opened both, and nobody else has them.
    let (outer, inner) = unsafe { (OwnedFd::from_raw_fd(outer), OwnedFd::from_raw_fd(inner)) };
    (fs_err::File::from_parts(outer.into(), "terminal"), inner)
}

/// Starts a script as the foreground job of a terminal, with stdout elsewhere.
fn start(mut command: Command, terminal: &OwnedFd) -> Child {
    command.stdin(terminal.try_clone().unwrap()).stderr(terminal.try_clone().unwrap());
    command.stdout(Stdio::piped());
    // SAFETY: both calls are safe after fork and touch no memory.
    unsafe {
        command.pre_exec(|| {
            if libc::setsid() < 0 || libc::ioctl(0, libc::TIOCSCTTY, 0) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
    command.spawn().unwrap()
}

/// Its exit code and stdout; what the terminal shows is read away meanwhile.
fn end(mut child: Child, mut terminal: fs_err::File) -> (Option<i32>, String) {
    thread::spawn(move || terminal.read_to_end(&mut Vec::new()));
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    (child.wait().unwrap().code(), stdout)
}

#[test]
fn ctrl_c_ends_everything_once() {
    for shell in shells() {
        let second = session(&[tool(40_000, "true"), waiting(), answer()]);
        let place = Place::new(&sessions(&[crossing("good"), second]));
        let call = place.handoff_loop(WINDOW).arguments(["t"]).under(shell);
        let (mut person, inner) = terminal();
        let child = start(call.command(), &inner);
        drop(inner);
        place.wait_for("reached");
        person.write_all(b"\x03").unwrap();
        assert_eq!(end(child, person), (Some(130), String::new()), "{shell:?}");
        place.assert_clean();
        let row = place.row();
        assert_eq!(
            (&row["ok"], row["errors"].as_array().unwrap().last().unwrap()),
            (&json!(false), &json!("interrupted"))
        );
        fs_err::write(place.path("work/go"), "").unwrap();
        place.handoff_loop(["--resume"]).under(shell).run().ends(0, DONE);
    }
}

#[test]
fn a_task_is_not_waited_for_at_a_terminal() {
    let place = Place::new(&sessions(&[ending()]));
    let (person, inner) = terminal();
    let child = start(place.handoff_loop(WINDOW).command(), &inner);
    drop(inner);
    assert_eq!(end(child, person), (Some(2), String::new()));
    assert!(place.work().is_empty());
}

#[test]
fn a_person_edits_the_document_before_it_is_handed_over() {
    for (script, code) in [("echo 'mind the gap' >>\"$1\"", 0), ("exit 1", 1)] {
        let place = Place::new(&sessions(&[crossing("good")]));
        let editor = place.path("the editor");
        fs_err::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs_err::set_permissions(&editor, PermissionsExt::from_mode(0o755)).unwrap();
        let call = place.handoff_loop(WINDOW).arguments(["--edit", "t"]);
        let call = call.with("EDITOR", format!("'{}'", editor.display()));
        let (person, inner) = terminal();
        let child = start(call.command(), &inner);
        drop(inner);
        let (ended, stdout) = end(child, person);
        assert_eq!((ended, stdout.as_str()), (Some(code), if code == 0 { DONE } else { "" }));
        place.assert_clean();
        let heard = place.prompts().iter().any(|prompt| prompt.contains("mind the gap"));
        assert_eq!(heard, code == 0);
        assert_ne!(place.row()["ended_at"], json!(null));
    }
    // Where nobody is there to edit, nobody is asked.
    let place = Place::new(&sessions(&[crossing("good")]));
    let call = place.handoff_loop(WINDOW).arguments(["--edit", "t"]).with("EDITOR", "false");
    call.run().ends(0, DONE);
}
