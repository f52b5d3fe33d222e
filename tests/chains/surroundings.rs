//! Machines that lack something.

use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::call::tools;
use crate::place::{Place, TOOLS, files};
use crate::scenario::{DONE, WINDOW, crossing, ending, sessions};
use crate::shell::shells;

/// What handoff-loop calls beside the tools.
const COMMANDS: [&str; 14] = [
    "sh", "cat", "cp", "cut", "dirname", "find", "grep", "mkdir", "mktemp", "paste", "rm", "sed",
    "sleep", "tr",
];

/// A folder with these programs and no others.
fn only(place: &Place, programs: impl IntoIterator<Item = PathBuf>) -> OsString {
    let folder = place.path("programs");
    fs_err::create_dir_all(&folder).unwrap();
    for program in programs {
        symlink(&program, folder.join(program.file_name().unwrap())).unwrap();
    }
    folder.into()
}

fn commands() -> impl Iterator<Item = PathBuf> {
    let find = |name: &str| {
        let folders = ["/usr/bin", "/bin"].map(|folder| PathBuf::from(folder).join(name));
        folders.into_iter().find(|path| path.try_exists().unwrap()).unwrap()
    };
    COMMANDS.into_iter().map(find)
}

#[test]
fn an_empty_environment_is_enough() {
    for shell in shells() {
        let place = Place::new(&sessions(&[crossing("good")]));
        let call = place.handoff_loop(WINDOW).arguments(["--home", "h", "t"]).under(shell);
        let call = ["TMPDIR", "HANDOFF_PAUSE", "LC_ALL", "TZ"]
            .into_iter()
            .fold(call, |call, name| call.without(name));
        call.run().ends(0, DONE);
    }
}

#[test]
fn without_a_home_the_run_still_ends() {
    let place = Place::new(&sessions(&[crossing("good")]));
    // The agent needs a place for its transcripts; the tools need none.
    let call = place.handoff_loop(WINDOW).arguments(["t"]).without("HOME");
    let call = call.with("CLAUDE_CONFIG_DIR", place.path("home/.claude"));
    call.run().ends(0, DONE);
    assert_eq!(place.row()["retired"].as_array().unwrap().len(), 1);
}

#[test]
fn no_command_beyond_a_few_is_needed() {
    let place = Place::new(&sessions(&[crossing("good")]));
    let path = only(&place, commands().chain(TOOLS.map(|tool| tools().join(tool))));
    place.handoff_loop(WINDOW).arguments(["t"]).with("PATH", path).run().ends(0, DONE);
}

#[test]
fn a_missing_tool_is_named_before_anything_is_written() {
    for missing in ["agent-run", "gen-rotate", "handoff-fmt", "ctx-meter"] {
        let place = Place::new(&sessions(&[crossing("good")]));
        let rest = TOOLS.into_iter().filter(|tool| *tool != missing);
        let path = only(&place, commands().chain(rest.map(|tool| tools().join(tool))));
        let script = place.path("programs/handoff-loop");
        fs_err::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/handoff-loop"), &script)
            .unwrap();
        let call =
            place.handoff_loop(WINDOW).arguments(["-v", "t"]).with("PATH", path).script(script);
        let ran = call.run().ends(127, "");
        ran.says_only(&format!("handoff-loop: cannot find '{missing}'\n"));
        assert!(place.work().is_empty());
    }
}

#[test]
fn a_missing_agent_is_named() {
    let place = Place::new(&sessions(&[crossing("good")]));
    let path = only(&place, commands().chain(TOOLS.map(|tool| tools().join(tool))));
    let call = place.handoff_loop(["--agent", "claude", "t"]).with("PATH", path);
    call.run().ends(127, "").says(&["agent-run: cannot find 'claude'\n"]);
    assert!(place.work().is_empty());
}

#[test]
fn a_closed_or_empty_stdin_is_no_obstacle() {
    for shell in shells() {
        for (input, with_task) in [("<&-", true), ("</dev/null", true), ("<&-", false)] {
            let place = Place::new(&sessions(&[crossing("good")]));
            let call =
                place.handoff_loop(WINDOW).arguments(["t"].iter().take(usize::from(with_task)));
            let inner = call.under(shell).command();
            let mut command = Command::new("sh");
            command.args(["-c", &format!("exec \"$@\" {input}"), "sh"]);
            command.arg(inner.get_program()).args(inner.get_args());
            command.env_clear().current_dir(place.path("work")).stdin(Stdio::null());
            command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
            let output = command.output().unwrap();
            let (code, stdout) = if with_task { (0, DONE) } else { (74, "") };
            assert_eq!(output.status.code(), Some(code), "{input} {output:?}");
            assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
            place.assert_clean();
        }
    }
}

#[test]
fn an_answer_that_cannot_be_printed_is_an_error() {
    let place = Place::new(&sessions(&[ending()]));
    let mut command = place.handoff_loop(WINDOW).arguments(["t"]).command();
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap();
    command.stdin(Stdio::null()).stdout(full.into_parts().0).stderr(Stdio::piped());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(74), "{output:?}");
    place.assert_clean();
    assert_ne!(place.row()["ended_at"], json!(null));
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let place = Place::new(&sessions(&[ending()]));
    // To root every folder is open but those of the kernel.
    let folder = PathBuf::from("/proc/self");
    let folder = if folder.try_exists().unwrap() { folder } else { closed(&place) };
    let ran = place.handoff_loop(WINDOW).arguments(["t"]).in_folder(folder.clone()).run();
    let ran = ran.ends(73, "");
    assert!(ran.stderr.contains(".handoff"), "{}", ran.stderr);
    // Documents elsewhere, and it can be worked in.
    let call = place.handoff_loop(["--home"]).arguments([place.path("documents")]);
    call.arguments(WINDOW).arguments(["t"]).in_folder(folder).run().ends(0, DONE);
}

fn closed(place: &Place) -> PathBuf {
    let folder = place.path("closed");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::set_permissions(&folder, PermissionsExt::from_mode(0o555)).unwrap();
    folder
}

#[test]
fn a_ledger_that_is_none_stops_everything_and_stays_as_it_is() {
    let torn = "[{\"run\":\"20260101T000000Z-aaaaaa\",\"step\":\"wo";
    for manifest in [torn, "", "{}", "[1]", "no json\n"] {
        let place = Place::new(&sessions(&[crossing("good")]));
        let path = place.handoff_home().join("runs/manifest.json");
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, manifest).unwrap();
        for resume in [&["t"][..], &["--resume"]] {
            let ran = place.handoff_loop(WINDOW).arguments(resume).run().ends(65, "");
            ran.says(&["manifest.json", "it is left as it is"]);
            assert_eq!(fs_err::read_to_string(&path).unwrap(), manifest);
            assert!(files(&place.path("home")).is_empty(), "an agent was started");
        }
    }
}

#[test]
fn a_ledger_that_cannot_be_read_stops_everything() {
    let place = Place::new(&sessions(&[crossing("good")]));
    // A folder is closed to root, too.
    fs_err::create_dir_all(place.handoff_home().join("runs/manifest.json")).unwrap();
    place.handoff_loop(WINDOW).arguments(["t"]).run().ends(65, "").says(&["manifest.json"]);
    assert!(files(&place.path("home")).is_empty(), "an agent was started");
}

#[test]
fn a_full_disk_loses_nothing() {
    let place = Place::new(&sessions(&[crossing("good"), crossing("good")]));
    let disk = place.path("disk");
    fs_err::create_dir_all(&disk).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(&disk)
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        ctxutils_tests::skipped("a full disk needs root, to mount a small one; it is NOT shown");
        return;
    }
    let call = place.handoff_loop(WINDOW).arguments(["--home"]).arguments([disk.join("h")]);
    call.arguments(["t"]).run().ends(0, DONE);
    let before = fs_err::read(disk.join("h/notes/交接-work.md")).unwrap();
    let ledger = fs_err::read(disk.join("h/runs/manifest.json")).unwrap();
    let filler = Command::new("sh")
        .args(["-c", "cat /dev/zero >filler 2>/dev/null; exit 0"])
        .current_dir(&disk)
        .status();
    let ran = filler.map(|_| {
        let call = place.handoff_loop(WINDOW).arguments(["--home"]).arguments([disk.join("h")]);
        call.arguments(["another task"]).run()
    });
    let document = fs_err::read(disk.join("h/notes/交接-work.md")).unwrap();
    let after = fs_err::read(disk.join("h/runs/manifest.json")).unwrap();
    let unmounted = Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    let ran = ran.unwrap();
    assert!(
        ran.stderr.contains("No space left") || ran.stderr.contains("no space left"),
        "{}",
        ran.stderr
    );
    assert_eq!((document, after), (before, ledger));
    ran.fails(&[73, 74]);
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let place = Place::new(&sessions(&[ending()]));
    let mut command = place.handoff_loop(WINDOW).arguments(["t"]).command();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    place.assert_clean();
    assert_eq!(place.row()["ok"], true);
}

#[test]
fn a_script_that_is_a_link_finds_its_tools() {
    let place = Place::new(&sessions(&[ending()]));
    let installed = place.path("installed");
    fs_err::create_dir_all(&installed).unwrap();
    for tool in TOOLS {
        symlink(tools().join(tool), installed.join(tool)).unwrap();
    }
    let script = installed.join("handoff-loop");
    let ours = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/handoff-loop");
    fs_err::copy(ours, &script).unwrap();
    let link = place.path("link-to-it");
    symlink("installed/handoff-loop", &link).unwrap();
    let call = place.handoff_loop(["t"]).script(link).with("PATH", "/usr/bin:/bin");
    call.run().ends(0, DONE);
}
