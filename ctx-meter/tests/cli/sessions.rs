//! Which session is measured, and what cannot be.

use predicates::prelude::*;

use crate::place::{Place, answer, base, fixture};

#[test]
fn bad_input_is_told_in_one_line() {
    let place = Place::new();
    let fifo = place.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let folder = place.path("folder");
    fs_err::create_dir(&folder).unwrap();
    for (operands, code, message) in [
        (
            vec!["/nonexistent/x.jsonl".into()],
            66,
            "no such file or session '/nonexistent/x.jsonl'".into(),
        ),
        (vec![fifo.clone()], 66, format!("cannot read '{}': not a regular file", fifo.display())),
        (vec![folder.clone()], 66, format!("cannot read '{}': is a directory", folder.display())),
        (vec!["/dev/null".into()], 66, "cannot read '/dev/null': not a regular file".into()),
        (
            vec!["--agent".into(), "nobody".into()],
            2,
            "unknown agent 'nobody'\nknown: codex, pi, gemini, qwen, copilot, kimi, opencode, cline, claude-code".into(),
        ),
        (
            vec!["--window".into(), "0".into()],
            2,
            "invalid value '0' for '--window <N>': a window of 0 tokens holds nothing".into(),
        ),
        (
            vec!["--headroom".into(), "120%".into()],
            2,
            "invalid value '120%' for '--headroom <N|N%|auto>': '120%' is not between 0% and 100%"
                .into(),
        ),
    ] {
        place
            .meter()
            .args(&operands)
            .assert()
            .code(code)
            .stdout("")
            .stderr(format!("ctx-meter: {message}\n"));
    }
    place
        .meter()
        .assert()
        .code(66)
        .stdout("")
        .stderr(predicate::str::contains("no session was started in"));
    place
        .meter()
        .arg("--nosuch")
        .assert()
        .code(2)
        .stdout("")
        .stderr(predicate::str::starts_with("ctx-meter: unexpected argument '--nosuch' found\n"));
}

#[test]
fn sessions_are_found_by_id_and_by_directory() {
    let place = Place::new();
    let project = place.path("a.b_c 한글/sub");
    fs_err::create_dir_all(&project).unwrap();
    let above = project.parent().unwrap().canonicalize().unwrap();
    let key = above
        .to_string_lossy()
        .encode_utf16()
        .map(|u| {
            if u < 128 && u8::try_from(u).unwrap().is_ascii_alphanumeric() {
                char::from(u8::try_from(u).unwrap())
            } else {
                '-'
            }
        })
        .collect::<String>();
    let id = "93db0fa4-fc44-4328-b146-939868f3acf3";
    let store = format!(".claude/projects/{key}");
    place.file(&format!("{store}/{id}.jsonl"), base());
    // Neither a sub-agent of older versions nor a folder of the session's is offered.
    place.file(&format!("{store}/agent-a78cf66b.jsonl"), answer("m1", 7, 0, 0, 1));
    place.file(&format!("{store}/{id}/subagents/agent-1.jsonl"), answer("m1", 7, 0, 0, 1));
    // A store may be a link, and so may a project in it.
    let moved = place.path("moved");
    fs_err::rename(place.path(&store), &moved).unwrap();
    std::os::unix::fs::symlink(&moved, place.path(&store)).unwrap();
    for run in [
        place.meter().arg(id),
        place.meter().arg("-C").arg(&above),
        place.meter().current_dir(&above),
        place.meter().current_dir(&project),
        place.meter().args(["--agent", "claude-code", id]),
    ] {
        run.assert().success().stdout("102005\n").stderr("");
    }
    place
        .meter()
        .args(["--agent", "codex", id])
        .assert()
        .code(66)
        .stdout("")
        .stderr(format!("ctx-meter: no such file or session '{id}'\n"));
    place
        .meter()
        .arg("")
        .assert()
        .code(66)
        .stdout("")
        .stderr("ctx-meter: no such file or session ''\n");
    place
        .meter()
        .arg("-v")
        .arg(id)
        .assert()
        .success()
        .stdout("102005\n")
        .stderr(predicate::str::is_match("^ctx-meter: measuring '.*/93db0fa4.*'\n$").unwrap());

    let rollout = fs_err::read_to_string(fixture("codex/plain_turn.jsonl")).unwrap();
    let rollout = rollout.replace("/home/dev/proj", &above.to_string_lossy());
    let thread = "01a22d8c-59e1-7280-a232-291f04971f23";
    let codex = place.file(
        &format!(".codex/sessions/2026/11/30/rollout-2026-11-30T17-41-42-{thread}.jsonl"),
        rollout,
    );
    place.meter().arg(thread).assert().success().stdout("12000\n").stderr("");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    fs_err::OpenOptions::new()
        .append(true)
        .open(&codex)
        .unwrap()
        .file()
        .set_modified(later)
        .unwrap();
    place.meter().current_dir(&above).assert().success().stdout("12000\n").stderr("");
}

#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_none() {
    let place = Place::new();
    let file = place.file("s.jsonl", base());
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place.command().arg(&file).stdout(full.into_file()).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "ctx-meter: cannot write to stdout: no space left on device\n"
    );
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = place.command().arg(&file).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}
