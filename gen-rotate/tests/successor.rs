//! Successors: what they are given, how they are watched, how they are launched
//! once more.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod place;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fs_err::File;
use place::{Place, document};
use serde_json::json;

const RESUMES: &str = "the document is published and pending; --resume delivers it";

#[test]
fn what_a_successor_is_given() {
    let place = Place::new();
    place.program("show", "for word do printf '[%s]' \"$word\"; done; cat");
    let prompt = place.run("--step s 1.md -- show");
    assert!(prompt.contains("document 1") && !prompt.contains("## Dead ends"), "{prompt}");
    assert_eq!(place.read(format!(".handoff/{}", place.last()["given"].as_str().unwrap())), prompt);
    assert_eq!(place.run("--step s --raw 2.md -- show"), document(2));
    assert_eq!(
        place.run("--step s --raw --max-generations 20 3.md -- show a{prompt}b"),
        format!("[a{}b]", document(3))
    );
    let file = place.run("--step s --max-generations 20 4.md -- show {file} {step}");
    let file = file.strip_suffix("][s]").unwrap().strip_prefix('[').unwrap();
    assert!(file.starts_with('/') && place.read(file).contains("document 4"), "{file}");
    let session = place.run("--step s --max-generations 20 --raw 5.md -- show --id={session}");
    let session = session.split(']').next().unwrap().strip_prefix("[--id=").unwrap().to_owned();
    assert_eq!(place.row()["session_id"], session);
    assert_eq!(session.len(), 36);
    let mut korean = place.tool();
    korean.env("HANDOFF_LANG", "ko").args(["--step", "t", "1.md", "--", "cat"]);
    let prompt = korean.output().unwrap().stdout;
    assert!(String::from_utf8(prompt).unwrap().contains("다음 스텝"));
}

#[test]
fn a_long_document_goes_by_stdin_and_by_file() {
    let place = Place::new();
    let long = document(1) + &"-x 'y' \"z\" $HOME `w`\n".repeat(10_000);
    place.write("long.md", &long);
    assert_eq!(place.run("--step s --raw long.md -- cat"), long);
    assert_eq!(place.run("--step s --raw long.md -- cat {file}"), long);
    assert_eq!(place.run("--step s --no-document --raw long.md -- cat"), long);
    let hint = "the prompt is too long for an argument; take stdin or {file}";
    place.check(
        "--step s --raw long.md -- echo {prompt}",
        126,
        "",
        &format!("gen-rotate: cannot run 'echo': argument list too long\n{hint}; {RESUMES}\n"),
    );
    assert_eq!(place.last()["state"], "pending");
    assert_eq!(place.run("--step s --raw --resume -- cat"), long);
}

#[test]
fn its_end_is_passed_through_and_recorded() {
    let place = Place::new();
    for (script, code, stdout, stderr, entry) in [
        ("cat >/dev/null", 0, "", "", json!(["delivered", 0, null])),
        ("echo a; echo b >&2; exit 0", 0, "a\n", "b\n", json!(["delivered", 0, null])),
        (
            "printf '\\0\\377'; exit 7",
            7,
            "\0\u{fffd}",
            "gen-rotate: successor 'sh' exited with status 7\n",
            json!(["delivered", 7, null]),
        ),
        (
            "exit 7",
            7,
            "",
            "gen-rotate: successor 'sh' exited with status 7\n",
            json!(["failed", 7, null]),
        ),
        (
            "echo none >&2; exit 127",
            127,
            "",
            "none\ngen-rotate: successor 'sh' exited with status 127\n",
            json!(["failed", 127, null]),
        ),
        (
            "echo x; kill -9 $$",
            137,
            "x\n",
            "gen-rotate: successor 'sh' was ended by signal 9\n",
            json!(["delivered", null, 9]),
        ),
    ] {
        let words = ["--step", "s", "--max-generations", "20", "1.md", "--", "sh", "-c", script];
        place.check_words(&words, code, stdout, stderr);
        let last = place.last();
        let empty = json!(null);
        let signal = last.get("signal").unwrap_or(&empty);
        let status = last.get("exit_status").unwrap_or(&empty);
        assert_eq!(json!([last["state"], status, signal]), entry, "{script}");
        assert!(last["ended_at"].is_string());
        assert_eq!(place.row()["ended_at"], json!(null), "a successor's end is not the row's");
    }
}

/// A job in the background, and a daemon that left the terminal behind and is deaf
/// to being asked to end. Both keep all that they inherited open.
#[test]
fn what_it_leaves_running_holds_nobody_up() {
    let daemon = "$(command -v setsid) sh -c 'trap \"\" HUP TERM; echo $$ >pid; exec sleep 60' & \
                  while [ ! -s pid ]; do sleep 0.01; done";
    for leave in ["sleep 60 & echo $! >pid", daemon] {
        let place = Place::new();
        let script = format!("{leave}; echo started");
        let started = Instant::now();
        place.check_words(&["--step", "s", "1.md", "--", "sh", "-c", &script], 0, "started\n", "");
        assert!(started.elapsed() < Duration::from_secs(20));
        place.check("--step s --lock-timeout 0 2.md -- true", 0, "", "");
        let pid: i32 = place.read("pid").trim().parse().unwrap();
        // SAFETY: no memory is involved; the process is the one that the test left.
        let still_ran = unsafe { libc::kill(pid, libc::SIGKILL) } == 0;
        assert!(still_ran, "{leave}");
    }
}

#[test]
fn a_silent_one_is_ended_in_time() {
    let place = Place::new();
    let ended = "gen-rotate: successor 'sleep' gave no sign of life in time and was ended\n";
    place.check("--step s --start-timeout 0.2 1.md -- sleep 60", 124, "", ended);
    let last = place.last();
    assert_eq!(
        json!([last["state"], last["why"], last["signal"]]),
        json!(["failed", "start-timeout", 15])
    );
    // One byte is enough, on either stream; a growing transcript as well.
    for script in ["echo x; sleep 1.3", "echo x >&2; sleep 1.3"] {
        let words = ["--step", "s", "--start-timeout", "1", "--again", "--", "sh", "-c", script];
        let output = place.tool().args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let words = [
        "--step",
        "s",
        "--start-timeout",
        "1",
        "--transcript",
        "{session}.jsonl",
        "2.md",
        "--",
        "sh",
        "-c",
        "echo x >$0.jsonl; sleep 1.6",
        "{session}",
    ];
    place.check_words(&words, 0, "", "");
    assert_eq!(place.last()["state"], "delivered");
}

#[test]
fn a_launch_that_fails_leaves_the_document_pending_and_it_is_delivered_once() {
    let place = Place::new();
    place.program("agent", "exit 0");
    fs_err::write(place.path("bin/agent"), "#!/nonexistent\n").unwrap();
    place.check(
        "--step s --retired A 1.md -- agent {session}",
        127,
        "",
        &format!("gen-rotate: cannot run 'agent': no such file or directory\n{RESUMES}\n"),
    );
    assert_eq!(place.each("state"), ["delivered", "pending"]);
    place.check("session --step s", 1, "", "");
    assert_eq!(place.run("--step s --resume --raw -- cat"), document(1));
    assert_eq!(place.each("state"), ["delivered", "delivered"]);
    let nothing = "gen-rotate: nothing to deliver for step 's'\n\
                   --again starts another successor from the current document\n";
    place.check("--step s --resume -- cat", 1, "", nothing);
    place.check("--step other --resume -- cat", 1, "", nothing.replace("'s'", "'other'").as_str());
    assert_eq!(place.row()["retired"], json!(["A"]));
}

#[test]
fn a_resume_in_a_new_run_starts_it() {
    let place = Place::new();
    place.run("--step s --retired A 1.md");
    place.run("record end --step s --failed");
    place.run("record start --step s");
    assert_eq!(place.run("--step s --resume --raw -- cat"), document(1));
    let rows = place.ledger();
    assert_eq!(rows[0]["generations"][1]["state"], "superseded");
    let why = format!("resumed in {}", rows[1]["run"].as_str().unwrap());
    assert_eq!(rows[0]["generations"][1]["why"], why);
    assert_eq!(place.each("state"), ["delivered"]);
    assert_eq!((&rows[1]["retired"], &rows[1]["attempts"]), (&json!([]), &json!(1)));
    // Without an open run one is opened.
    place.run("--step s --retired B 2.md");
    place.run("record end --step s --failed");
    assert_eq!(place.run("--step s --resume --raw -- cat"), document(2));
    assert_eq!(place.ledger().as_array().unwrap().len(), 3);
}

#[test]
fn another_successor_starts_from_the_edited_document() {
    let place = Place::new();
    let missing = "gen-rotate: cannot read '.handoff/notes/交接-s.md': no such file or directory\n";
    place.check("--step s --again -- cat", 66, "", missing);
    assert!(place.files().is_empty());
    place.run("--step s --retired A 1.md -- true");
    place.write(".handoff/notes/交接-s.md", &document(8));
    assert_eq!(place.run("--step s --again --raw -- cat"), document(8));
    assert_eq!(place.each("state"), ["delivered", "superseded", "delivered"]);
    assert_eq!(place.row()["retired"], json!(["A"]));
    assert_eq!(place.row()["session_id"], place.last()["session_id"]);
    place.write(".handoff/notes/交接-s.md", "torn");
    let output = place.tool().args(["--step", "s", "--again", "--", "cat"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    // A document that a person wrote needs no ledger.
    let place = Place::new();
    fs_err::create_dir_all(place.path(".handoff/notes")).unwrap();
    place.write(".handoff/notes/交接-s.md", &document(9));
    assert_eq!(place.run("--step s --again --raw -- cat"), document(9));
    assert_eq!(place.each("state"), ["delivered"]);
}

#[test]
fn a_detached_command_delivers_or_does_not() {
    let place = Place::new();
    place.program("queue", "cat >queued; echo job 7");
    assert_eq!(place.run("--step s --detach --raw 1.md -- queue {session}"), "job 7\n");
    assert_eq!(place.read("queued"), document(1));
    assert_eq!(place.last()["state"], "delivered");
    assert_eq!(place.last().get("ended_at"), None);
    place.check(
        "--step s --detach 2.md -- false",
        1,
        "",
        &format!("gen-rotate: successor 'false' exited with status 1\ngen-rotate: {RESUMES}\n"),
    );
    assert_eq!(place.last()["state"], "pending");
    assert_eq!(place.run("--step s --resume --detach --raw -- cat"), document(2));
}

/// gen-rotate with a successor that has said `ready`, and goes on.
fn running(place: &Place, script: &str) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("gen-rotate"));
    command.args(["--step", "s", "1.md", "--", "sh", "-c", script]).current_dir(place.path(""));
    command.env_clear().env("PATH", "/usr/bin:/bin");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut byte = [0];
    while !line.ends_with('\n') {
        child.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
        line.push(byte[0].into());
    }
    assert_eq!(line, "ready\n");
    while place.last()["state"] != "delivered" {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn send(child: &Child, signal: i32) {
    // SAFETY: no memory is involved; the child is not yet waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
}

#[test]
fn signals_are_passed_on() {
    for (signal, name) in [(libc::SIGINT, "INT"), (libc::SIGTERM, "TERM"), (libc::SIGHUP, "HUP")] {
        let place = Place::new();
        let script =
            format!("trap 'echo got; exit 5' {name}; echo ready; while :; do sleep 0.05; done");
        let mut child = running(&place, &script);
        send(&child, signal);
        let mut rest = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(rest.next().unwrap().unwrap(), "got", "{name}");
        assert_eq!(child.wait().unwrap().code(), Some(5));
        assert_eq!(place.last()["exit_status"], 5);
        let mut child = running(&place, "echo ready; exec sleep 60");
        send(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(128 + signal));
        assert_eq!(place.last()["signal"], signal);
    }
}

/// A shell starts its background jobs deaf to interrupts, and passes its own on.
#[test]
fn an_interrupt_reaches_the_successor_of_a_background_job() {
    let place = Place::new();
    let script = "\"$0\" --step s 1.md -- sh -c 'trap \"exit 5\" INT; echo >ready; \
                  while :; do sleep 0.05; done' 2>/dev/null & \
                  while [ ! -e ready ]; do sleep 0.05; done; kill -INT $!; wait $!; echo $?";
    let mut shell = Command::new("/bin/sh");
    shell.env_clear().env("PATH", "/usr/bin:/bin").args(["-c", script]);
    shell.arg(assert_cmd::cargo::cargo_bin!("gen-rotate")).current_dir(place.path(""));
    let output = shell.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "5\n");
    assert_eq!(place.last()["exit_status"], 5);
}

#[test]
fn nothing_starts_beside_one_that_runs_or_joins_it() {
    let place = Place::new();
    let mut child = running(&place, "echo ready; exec sleep 60");
    let busy = "gen-rotate: a successor of step 's' still runs\ntry again when it has ended\n";
    for words in [
        "--step s --lock-timeout 0.2 2.md -- true",
        "--step s --lock-timeout 0.1 --resume -- true",
        "--step s --lock-timeout 0.2 --again -- true",
        "record start --step s",
        "session --step s",
    ] {
        place.check(words, 75, "", busy);
    }
    assert_eq!(place.each("state"), ["delivered", "delivered"]);
    place.check("state --step s", 0, "running\n", "");
    // Another step is another matter, and so is a document without a successor.
    place.run("--step other 2.md -- true");
    place.run("record generation --step s --context 5");
    place.run("--step s 3.md");
    send(&child, libc::SIGTERM);
    child.wait().unwrap();
    assert_eq!(place.run("--step s --resume --raw -- cat"), document(3));
}

#[test]
fn a_supervisor_that_is_gone_is_no_proof_of_life() {
    let place = Place::new();
    // It never spoke, as far as the ledger knows.
    let mut child = running(&place, "sleep 60 & echo $! >pid; echo ready; wait");
    send(&child, libc::SIGKILL);
    child.wait().unwrap();
    let mut ledger = place.ledger();
    ledger[0]["generations"][1]["state"] = json!("launched");
    place.write(".handoff/runs/manifest.json", &ledger.to_string());
    let said = "gen-rotate: successor 1 of step 's' was launched, and its supervisor is gone; \
                delivering again\n";
    place.check("--step s --lock-timeout 0 --resume --raw -- cat", 0, &document(1), said);
    assert_eq!(place.each("state"), ["delivered", "failed", "delivered"]);
    assert_eq!(place.each("why")[1], "supervisor gone");
    let pid: i32 = place.read("pid").trim().parse().unwrap();
    // SAFETY: no memory is involved; the process is the one that the test left.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

#[test]
fn a_reader_that_goes_away_is_no_error_and_a_full_disk_is() {
    let place = Place::new();
    let tool = assert_cmd::cargo::cargo_bin!("gen-rotate");
    let script = "\"$0\" --step s 1.md -- sh -c 'while echo y; do :; done' | head -1 >out";
    let mut shell = Command::new("/bin/sh");
    shell.env_clear().env("PATH", "/usr/bin:/bin").args(["-c", script]).arg(tool);
    let output = shell.current_dir(place.path("")).output().unwrap();
    assert_eq!(place.read("out"), "y\n");
    // The successor ended as it would have in the pipe itself.
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "gen-rotate: successor 'sh' was ended by signal 13\n");
    let mut full = Command::new(tool);
    full.env_clear().args(["--step", "s", "2.md", "--", "/bin/echo", "x"]);
    full.stdout(File::options().write(true).open("/dev/full").unwrap().into_parts().0);
    let output = full.current_dir(place.path("")).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "gen-rotate: cannot pass on what '/bin/echo' said: no space left on device\n");
}

/// gen-rotate under `ulimit -f`, with a successor that writes more than it allows.
fn limited(place: &Place, blocks: &str) -> (Option<i32>, String) {
    let script = "ulimit -f \"$1\"; exec \"$0\" --step s 1.md -- \
                  /bin/sh -c 'exec head -c 100000 /dev/zero >large'";
    let mut shell = Command::new("/bin/sh");
    shell.env_clear().env("PATH", "/usr/bin:/bin").args(["-c", script]);
    shell.arg(assert_cmd::cargo::cargo_bin!("gen-rotate")).arg(blocks);
    let output = shell.current_dir(place.path("")).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_limit_on_files_is_an_error_to_us_and_ends_a_successor_as_ever() {
    let place = Place::new();
    let said = "gen-rotate: cannot write '.handoff/notes/.交接-s.new-2': file too large\n";
    assert_eq!(limited(&place, "0"), (Some(74), said.to_owned()));
    let said = format!("gen-rotate: successor '/bin/sh' was ended by signal {}\n", libc::SIGXFSZ);
    assert_eq!(limited(&place, "40"), (Some(128 + libc::SIGXFSZ), said));
    assert_eq!(place.last()["signal"], libc::SIGXFSZ);
}
