//! The command line of handoff-loop.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use serde_json::json;

use crate::place::Place;
use crate::scenario::{DONE, WINDOW, crossing, ending, sessions};
use crate::shell::shells;

#[test]
fn a_wrong_call_is_refused_in_one_line_and_nothing_is_written() {
    let wrong: [(&[&str], i32, &str); 17] = [
        (&["--bogus", "t"], 2, "unexpected argument '--bogus'"),
        (&["-x", "t"], 2, "unexpected argument '-x'"),
        (&["--bogus=1", "t"], 2, "unexpected argument '--bogus'"),
        (&["--window"], 2, "a value is required for '--window'"),
        (&["t", "--window"], 0, ""),
        (&["-C"], 2, "a value is required for '-C'"),
        (&["--edit=yes", "t"], 2, "unexpected value for '--edit'"),
        (&["--max-attempts", "0", "t"], 2, "'0' is not a number of attempts"),
        (&["--max-attempts", "many", "t"], 2, "'many' is not a number of attempts"),
        (&["--max-attempts=", "t"], 2, "'' is not a number of attempts"),
        (&["--compact", "on", "t"], 2, "unknown '--compact on'"),
        (&["-C", "nowhere", "t"], 66, "cannot work in 'nowhere'"),
        (&["--window", "much", "t"], 2, "--window"),
        (&["--headroom", "much", "t"], 2, "--headroom"),
        (&["--judge", "me", "t"], 2, "--judge"),
        (&["--agent", "nobody", "t"], 2, "unknown agent 'nobody'"),
        (&["--max-generations", "-1", "t"], 2, "'-1' is not a number of generations"),
    ];
    for shell in shells() {
        let place = Place::new(&sessions(&[ending()]));
        for (arguments, code, words) in wrong.iter().filter(|(_, code, _)| *code != 0) {
            let ran = place.handoff_loop(*arguments).under(shell).run();
            let ran = ran.ends(*code, "").says(&[words]);
            let lines = ran.stderr.lines().filter(|line| !line.starts_with(' ')).count();
            assert!(lines <= 2, "{arguments:?}: {}", ran.stderr);
            assert!(!ran.stderr.contains("sh:"), "the shell itself complains: {}", ran.stderr);
            assert!(place.work().is_empty(), "{arguments:?} wrote {:?}", place.work());
        }
    }
}

#[test]
fn a_task_must_be_there() {
    let place = Place::new(&sessions(&[ending()]));
    for task in ["", " \n\t\n"] {
        let from_stdin = place.handoff_loop(WINDOW).input(task);
        let argument = place.handoff_loop(WINDOW).arguments([task]);
        let of_a_wake = place.handoff_loop(["--resume", task]);
        for call in [from_stdin, argument, of_a_wake] {
            call.run().ends(2, "").says_only("handoff-loop: the task is empty\n");
        }
    }
    assert!(place.work().is_empty());
}

#[test]
fn help_fits_a_terminal_and_names_every_option() {
    let place = Place::new(&json!({}));
    for shell in shells() {
        for flag in ["-h", "--help"] {
            let output = place.script("handoff-loop").arguments([flag]).under(shell).command();
            let output = { output }.output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            let help = String::from_utf8(output.stdout).unwrap();
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "too wide: {line}");
            }
            for option in [
                "--agent",
                "--step",
                "-C",
                "--home",
                "--window",
                "--headroom",
                "--judge",
                "--max-generations",
                "--max-attempts",
                "--compact",
                "--no-handoff",
                "--no-document",
                "--keep",
                "--edit",
                "--resume",
                "--timeout",
                "--events",
                "--agent-arg",
                "-v",
                "--help",
                "HANDOFF_PAUSE",
                "Exit codes",
            ] {
                assert!(help.contains(option), "{option} is not in the help");
            }
        }
    }
    place.assert_clean();
}

#[test]
fn an_option_and_its_value_may_be_one_word() {
    for shell in shells() {
        let place = Place::new(&sessions(&[crossing("good")]));
        let ran = place.script("handoff-loop").under(shell).arguments([
            "--agent=demo",
            "--step=a=b c",
            "--home=its home",
            "--window=200000",
            "--headroom=25%",
            "--judge=context",
            "--max-generations=3",
            "--max-attempts=2",
            "--keep=not = lost",
            "--timeout=50",
            "--events=e=1",
            "--agent-arg=--model=x=y",
            "t",
        ]);
        ran.run().ends(0, DONE);
        let ledger = fs_err::read(place.path("work/its home/runs/manifest.json")).unwrap();
        let ledger: serde_json::Value = serde_json::from_slice(&ledger).unwrap();
        assert_eq!(ledger[0]["step"], "a=b c");
        assert_eq!(ledger[0]["generations"][0]["at"], 150_000);
        assert!(place.prompts().iter().any(|prompt| prompt.contains("not = lost")));
        assert!(place.read("e=1").contains("\"phase\":\"done\""));
    }
}

#[test]
fn the_task_arrives_as_it_was_given() {
    let long = "a long task \"with\" 'quotes' $HOME `x` \\n\n".repeat(5000);
    let tasks = [
        "plain",
        "it's \"quoted\" $HOME `id` \\n %s ${x} !!",
        "two\nlines\n\n  and a third",
        "-n",
        "--window",
        "-e \\101",
        "交接 인계 引き継ぎ",
        "{session} {prompt}",
    ];
    for shell in shells() {
        for task in tasks {
            let place = Place::new(&sessions(&[ending()]));
            place.handoff_loop(WINDOW).arguments(["--", task]).under(shell).run().ends(0, DONE);
            assert_eq!(place.prompts(), [format!("{task}\n")], "{shell:?}");
            assert_eq!(place.read(".handoff/task-work.md"), format!("{task}\n"));
        }
        let place = Place::new(&sessions(&[ending()]));
        place.handoff_loop(WINDOW).input(long.clone()).under(shell).run().ends(0, DONE);
        assert_eq!(place.prompts(), [long.as_str()]);
        assert_eq!(place.read(".handoff/task-work.md"), long);
    }
    // An argument cannot be longer than 128 KiB on Linux; several can.
    let place = Place::new(&sessions(&[ending()]));
    let words: Vec<&str> = long.trim_end().split(' ').collect();
    place.handoff_loop(WINDOW).arguments(["--"]).arguments(&words).run().ends(0, DONE);
    assert_eq!(place.prompts(), [words.join(" ") + "\n"]);
}

#[test]
fn bytes_that_are_no_text_do_not_stop_a_task() {
    let place = Place::new(&sessions(&[ending()]));
    let task = OsString::from_vec(b"caf\xe9 and more".to_vec());
    place.handoff_loop(WINDOW).arguments([task]).run().ends(0, DONE);
    assert!(place.prompts()[0].contains("and more"));
}

#[test]
fn the_agent_gets_its_own_arguments_whole() {
    for shell in shells() {
        let place = Place::new(&sessions(&[crossing("good")]));
        let odd = "it's \"a b\"\n  $HOME `x` \\";
        let arguments = [
            "--agent-arg",
            "--append-system-prompt",
            "--agent-arg",
            odd,
            "--agent-arg",
            "--model",
            "--agent-arg=odd model's",
            "t",
        ];
        place.handoff_loop(WINDOW).arguments(arguments).under(shell).run().ends(0, DONE);
        let transcripts = crate::place::files(&place.path("home/.claude/projects"));
        assert_eq!(transcripts.len(), 2);
        for transcript in transcripts {
            let text = fs_err::read_to_string(transcript).unwrap();
            assert!(text.contains("\"model\":\"odd model's\""), "{text}");
        }
    }
}
