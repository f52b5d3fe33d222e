//! The command line: what goes to stdout, what to stderr, and the exit codes.
#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of tests for no tests")]

use std::path::Path;

use assert_cmd::Command;
use handoff_fmt::{ASK_MARKER, DEGRADED_MARKER};
use predicates::prelude::*;
use predicates::str::contains;

const DOCUMENT: &str = "## Doing now\n\na\n\n## Next step\n\nb\n";

fn tool(home: &Path) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("handoff-fmt");
    command
        .env_clear()
        .env("HOME", home)
        .env("TZ", "UTC")
        .env("LC_ALL", "C")
        .env("PATH", "/usr/bin:/bin")
        .current_dir(home);
    command
}

struct Case<'a> {
    arguments: &'a [&'a str],
    stdin: &'a str,
    code: i32,
    stdout: &'a str,
    stderr: &'a str,
}

fn check(cases: &[Case<'_>]) {
    let home = tempfile::tempdir().unwrap();
    for case in cases {
        let output = tool(home.path()).args(case.arguments).write_stdin(case.stdin).output();
        let output = output.unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        assert_eq!(
            (output.status.code(), text(&output.stdout).as_str(), text(&output.stderr).as_str()),
            (Some(case.code), case.stdout, case.stderr),
            "{:?}",
            case.arguments
        );
    }
}

const RENDERED: &str = "\
# Handoff (s)

> Written by a session whose context was nearly full, for the session that takes over.
> The successor reads this very file: correct anything here, at any time before it starts.

## Doing now

a

## Decided

(空)

## Dead ends

(空)

## Next step

b

## Scene

(空)
";

const LACKING: &str =
    "handoff-fmt: the document is not complete: missing doing ('Doing now'), next ('Next step')\n";

#[test]
fn it_renders_what_a_model_wrote() {
    let json = "{\"v\":1,\"step\":\"s\",\"sections\":{\"doing\":\"a\",\"decided\":\"\",\"deadends\":\"\",\
                \"next\":\"b\",\"scene\":\"\"},\"preamble\":\"Sure!\",\"missing\":[],\"complete\":true,\
                \"degraded\":false}\n";
    let chatter = format!("Sure!\n\n{DOCUMENT}");
    let note = "handoff-fmt: left out 1 line outside of the document\n";
    let term = "Handoff (s)\n\nDoing now\n  a\n\nDecided\n  (空)\n\nDead ends\n  (空)\n\nNext step\n  b\n\n\
                Scene\n  (空)\n";
    let escape = DOCUMENT.replace('a', "\u{1b}[31ma\u{7}");
    let term_escape = term.replace("  a", "  [31ma");
    check(&[
        Case {
            arguments: &["--step", "s"],
            stdin: DOCUMENT,
            code: 0,
            stdout: RENDERED,
            stderr: "",
        },
        Case {
            arguments: &["--step=s", "-"],
            stdin: &chatter,
            code: 0,
            stdout: RENDERED,
            stderr: note,
        },
        Case {
            arguments: &["--step", "s"],
            stdin: RENDERED,
            code: 0,
            stdout: RENDERED,
            stderr: "",
        },
        Case {
            arguments: &["--to", "json", "--step", "s"],
            stdin: &chatter,
            code: 0,
            stdout: json,
            stderr: "",
        },
        Case {
            arguments: &["--to", "term", "--step", "s"],
            stdin: &escape,
            code: 0,
            stdout: &term_escape,
            stderr: "",
        },
    ]);
}

#[test]
fn what_a_person_wrote_in_a_file_stays() {
    let edited = RENDERED.replace("\n## Doing", "\nMind the gap.\n\n## Doing");
    check(&[Case {
        arguments: &["--step", "s"],
        stdin: &edited,
        code: 0,
        stdout: &edited,
        stderr: "",
    }]);
}

#[test]
fn an_incomplete_document_is_refused_by_name() {
    let json = "{\"v\":1,\"step\":\"\",\"sections\":{\"doing\":\"\",\"decided\":\"x\",\"deadends\":\"\",\
                \"next\":\"\",\"scene\":\"\"},\"preamble\":\"\",\"missing\":[\"doing\",\"next\"],\
                \"complete\":false,\"degraded\":false}\n";
    let korean = "handoff-fmt: the document is not complete: missing next ('다음 스텝')\n";
    check(&[
        Case { arguments: &[], stdin: "", code: 1, stdout: "", stderr: LACKING },
        Case {
            arguments: &["--to", "prompt"],
            stdin: "hello",
            code: 1,
            stdout: "",
            stderr: LACKING,
        },
        Case {
            arguments: &["--to", "json"],
            stdin: "## Decided\nx",
            code: 1,
            stdout: json,
            stderr: LACKING,
        },
        Case {
            arguments: &["--lang", "ko"],
            stdin: "## 지금 하는 일\n빌드\n## 다음 스텝\n(空)",
            code: 1,
            stdout: "",
            stderr: korean,
        },
    ]);
}

#[test]
fn check_names_what_is_missing_and_what_it_refused() {
    let text = "## Doing now\n\na\n\n> ## Next step\n\n```\n## Next step\n```\n\nNext step\n";
    let report = "missing: next ('Next step')\n\
                  line 5: no heading, inside a quotation: > ## Next step\n\
                  line 8: no heading, inside a code fence: ## Next step\n\
                  line 11: no heading, no heading mark (#, bold, underline or colon): Next step\n";
    check(&[
        Case { arguments: &["check"], stdin: DOCUMENT, code: 0, stdout: "", stderr: "" },
        Case { arguments: &["check", "-"], stdin: text, code: 1, stdout: report, stderr: "" },
        Case {
            arguments: &["check", "--lang", "zh"],
            stdin: "",
            code: 1,
            stdout: "missing: doing ('现在在做什么')\nmissing: next ('下一步')\n",
            stderr: "",
        },
    ]);
}

#[test]
fn the_command_line_is_checked() {
    let ask_usage = "usage: handoff-fmt ask --used <N> --window <N>";
    check(&[
        Case {
            arguments: &["--to", "md", "check"],
            stdin: "",
            code: 2,
            stdout: "",
            stderr: "handoff-fmt: only --lang may stand in front of a subcommand\n",
        },
        Case {
            arguments: &["file.md", "check"],
            stdin: "",
            code: 2,
            stdout: "",
            stderr: "handoff-fmt: only --lang may stand in front of a subcommand\n",
        },
        Case {
            arguments: &["--to", "html"],
            stdin: "",
            code: 2,
            stdout: "",
            stderr: "handoff-fmt: invalid value 'html' for '--to <FORM>' [possible values: md, prompt, json, term]\n",
        },
        Case {
            arguments: &["--lang", "fr"],
            stdin: "",
            code: 2,
            stdout: "",
            stderr: "handoff-fmt: invalid value 'fr' for '--lang <LANG>': expected en, zh, ko or ja\n",
        },
        Case {
            arguments: &["ask", "--used", "0", "--window", "1"],
            stdin: "",
            code: 2,
            stdout: "",
            stderr: "handoff-fmt: invalid value '0' for '--used <N>': 0 is not in 1..18446744073709551615\n",
        },
        Case {
            arguments: &["ask", "--used", "1"],
            stdin: "",
            code: 2,
            stdout: "",
            stderr: &format!(
                "handoff-fmt: the following required arguments were not provided: --window <N>\n{ask_usage}\n"
            ),
        },
        Case {
            arguments: &["no-such-file.md"],
            stdin: "",
            code: 66,
            stdout: "",
            stderr: "handoff-fmt: cannot read 'no-such-file.md': no such file or directory\n",
        },
        Case {
            arguments: &["/"],
            stdin: "",
            code: 66,
            stdout: "",
            stderr: "handoff-fmt: cannot read '/': is a directory\n",
        },
    ]);
}

#[test]
fn subcommand_names_win_over_files() {
    let home = tempfile::tempdir().unwrap();
    fs_err::write(home.path().join("check"), DOCUMENT).unwrap();
    fs_err::write(home.path().join("-x"), DOCUMENT).unwrap();
    tool(home.path()).arg("check").write_stdin("").assert().code(1).stdout(contains("missing"));
    for arguments in [&["--step", "s", "./check"][..], &["--step", "s", "--", "-x"]] {
        tool(home.path()).args(arguments).assert().code(0).stdout(RENDERED).stderr("");
    }
}

#[cfg(unix)]
#[test]
fn file_names_are_bytes_and_bad_bytes_are_replaced() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let home = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"a \n\xff.md");
    fs_err::write(home.path().join(name), b"## Doing now\na\xff\n## Next step\nb\n").unwrap();
    tool(home.path())
        .args(["--step", "s"])
        .arg(name)
        .assert()
        .code(0)
        .stdout(RENDERED.replace("\na\n", "\na\u{fffd}\n"))
        .stderr(contains("is not all UTF-8").and(contains("\n").count(1)));
}

#[test]
fn ask_prints_the_prompt() {
    let home = tempfile::tempdir().unwrap();
    fs_err::write(home.path().join("keep.md"), "the port is 8080\nnot 80\n").unwrap();
    let ask = ["ask", "--used", "152000", "--window", "200000"];
    for (lang, label) in
        [("en", "Dead ends"), ("zh", "走不通的路"), ("ko", "막힌 길"), ("ja", "行き止まり")]
    {
        tool(home.path())
            .env("HANDOFF_LANG", lang)
            .args(ask)
            .assert()
            .code(0)
            .stdout(contains(ASK_MARKER).and(contains("152.0K/200K")).and(contains(label)))
            .stderr("");
    }
    for (keep, expected, said) in [
        ("keep.md", "\n\n> the port is 8080\n> not 80\n", ""),
        ("the port", "\n\n> the port\n", ""),
        (
            "notes/keep.md",
            "\n\n> notes/keep.md\n",
            "handoff-fmt: no file 'notes/keep.md': taken as the text itself\n",
        ),
        ("-", "\n\n> piped\n", ""),
        ("- a\n- b", "\n\n> - a\n> - b\n", ""),
    ] {
        tool(home.path())
            .args(ask)
            .args(["--keep", keep])
            .write_stdin("piped")
            .assert()
            .code(0)
            .stdout(predicates::str::ends_with(expected))
            .stderr(said);
    }
    tool(home.path())
        .args(ask)
        .args(["--keep", &"long ".repeat(1000)])
        .assert()
        .code(0)
        .stdout(contains("long long"))
        .stderr("");
}

#[test]
fn a_stand_in_goes_through_the_tool_itself() {
    let home = tempfile::tempdir().unwrap();
    fs_err::write(home.path().join("task.md"), "## Next step\n\n```\nbuild it").unwrap();
    for (task, stdin, expected) in [
        (Some("task.md"), "", "## Next step\n\n```\nbuild it"),
        (Some("build it"), "", "build it"),
        (Some("-"), " piped ", "piped"),
        (None, "piped", "piped"),
    ] {
        let output = tool(home.path())
            .args(["degraded", "--step", "work", "--why", "no room"])
            .args(task)
            .write_stdin(stdin)
            .assert()
            .code(0)
            .stderr("")
            .get_output()
            .stdout
            .clone();
        let json = tool(home.path())
            .args(["--to", "json"])
            .write_stdin(output.clone())
            .assert()
            .code(0)
            .stderr("");
        let json: serde_json::Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
        assert_eq!(json["degraded"], true);
        assert_eq!(json["preamble"], "");
        let doing = json["sections"]["doing"].as_str().unwrap();
        assert!(doing.starts_with(DEGRADED_MARKER) && doing.contains("no room"), "{doing}");
        assert!(json["sections"]["next"].as_str().unwrap().starts_with("Look at the scene first"));
        assert!(json["sections"]["scene"].as_str().unwrap().contains(expected), "{json}");
        tool(home.path())
            .args(["--to", "prompt"])
            .write_stdin(output)
            .assert()
            .code(0)
            .stdout(contains("incomplete").and(contains("Look at the scene first")))
            .stderr("");
    }
}

#[test]
fn a_prompt_leaves_empty_sections_out() {
    let home = tempfile::tempdir().unwrap();
    for (lang, first, last, absent) in [
        ("en", "You are taking over", "Go on from the next step, now.\n", "Dead ends"),
        ("zh", "你正在接手", "现在就从「下一步」接着做。\n", "## 走不通的路"),
        ("ko", "당신은", "이제 \"다음 스텝\"부터 이어서 하세요.\n", "## 막힌 길"),
        ("ja", "あなたは", "では「次のステップ」から続けてください。\n", "## 行き止まり"),
    ] {
        tool(home.path())
            .args(["--to", "prompt", "--lang", lang])
            .write_stdin(DOCUMENT)
            .assert()
            .code(0)
            .stdout(
                predicates::str::starts_with(first)
                    .and(predicates::str::ends_with(last))
                    .and(contains(absent).not())
                    .and(contains("(空)").not()),
            )
            .stderr("");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_a_closed_pipe_is_not() {
    use std::process::Stdio;

    let home = tempfile::tempdir().unwrap();
    let program = assert_cmd::cargo::cargo_bin!("handoff-fmt");
    let document = home.path().join("document.md");
    fs_err::write(&document, DOCUMENT).unwrap();
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(program)
        .arg(&document)
        .env_clear()
        .stdout(full.into_file())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(74));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "handoff-fmt: cannot write to stdout: no space left on device\n");

    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = std::process::Command::new(program)
        .arg(&document)
        .env_clear()
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[cfg(unix)]
#[test]
fn a_closed_stdin_is_an_empty_one() {
    let home = tempfile::tempdir().unwrap();
    let program = assert_cmd::cargo::cargo_bin!("handoff-fmt");
    Command::new("/bin/sh")
        .env_clear()
        .current_dir(home.path())
        .args(["-c", "exec \"$0\" <&-"])
        .arg(program)
        .assert()
        .code(1)
        .stdout("")
        .stderr(LACKING);
}
