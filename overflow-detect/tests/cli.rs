//! The command line of overflow-detect.

#![allow(clippy::unwrap_used, reason = "a test")]

use assert_cmd::Command;
use predicates::prelude::*;
use tempfile::TempDir;

const OVERFLOW: &str = "API Error: 400 prompt is too long: 210883 tokens > 199999 maximum";
const RATE: &str = "API Error: Request rejected (429) · please slow down";

fn tool() -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("overflow-detect");
    command.env_clear().env("TZ", "UTC").env("LC_ALL", "C");
    command
}

/// stdout, stderr and the exit code.
fn run(arguments: &[&str], stdin: &str) -> (String, String, i32) {
    let output = tool().args(arguments).write_stdin(stdin).output().unwrap();
    (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
        output.status.code().unwrap(),
    )
}

#[test]
fn greps_law() {
    for (arguments, stdin, stdout, code) in [
        (&[][..], OVERFLOW, format!("{OVERFLOW}\n"), 0),
        (&[], "all is well\n", String::new(), 1),
        (&[], "", String::new(), 1),
        (&["-"], OVERFLOW, format!("{OVERFLOW}\n"), 0),
        (&["-q"], OVERFLOW, String::new(), 0),
        (&["-q"], RATE, String::new(), 1),
        (&["-e", OVERFLOW], "", format!("{OVERFLOW}\n"), 0),
        (&["-e", RATE, "-e", OVERFLOW], "", format!("{OVERFLOW}\n"), 0),
        (&["-e", RATE], "", String::new(), 1),
        (&["--also", "rate", "-e", RATE], "", format!("{RATE}\n"), 0),
        (&["--also", "network,rate", "-e", RATE], "", format!("{RATE}\n"), 0),
        (&["--also", "output-cap", "-e", RATE], "", String::new(), 1),
        // Only the lines the wording stands in are printed.
        (&[], &format!("first\n{OVERFLOW}\nlast\n"), format!("{OVERFLOW}\n"), 0),
    ] {
        let (out, err, status) = run(arguments, stdin);
        assert_eq!((out, err.as_str(), status), (stdout, "", code), "{arguments:?} {stdin:?}");
    }
}

#[test]
fn json_says_why() {
    let (out, err, status) = run(&["--json", "-e", OVERFLOW], "");
    assert_eq!((err.as_str(), status), ("", 0));
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        value,
        serde_json::json!({
            "v": 1, "overflow": true, "class": "overflow", "family": "anthropic-prompt-too-long",
            "provider": "anthropic", "confidence": "certain", "used": 210_883, "limit": 199_999,
            "output": null, "over": null, "reservation": false, "start": 15, "end": 65
        })
    );
    assert!(out.starts_with("{\"v\":1,\"overflow\":true,") && out.ends_with("}\n"));
    for (text, class, status) in [
        (RATE, serde_json::json!("rate"), 1),
        ("all is well", serde_json::Value::Null, 1),
        (
            "Error: max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens",
            serde_json::json!("output_cap"),
            1,
        ),
        (
            "API Error: Extra usage is required for 1M context",
            serde_json::json!("long_context_gate"),
            1,
        ),
    ] {
        let (out, _, code) = run(&["--json", "-e", text], "");
        let value: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(
            (&value["class"], &value["overflow"], code),
            (&class, &serde_json::json!(false), status),
            "{text}"
        );
    }
}

#[test]
fn what_does_not_fit_may_be_the_output() {
    for (text, reservation) in [
        ("input length and `max_tokens` exceed context limit: 86888 + 119866 > 204648", true),
        ("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000", false),
        (
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output).",
            true,
        ),
    ] {
        let (out, _, code) = run(&["--json", "-e", text], "");
        let value: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&value["reservation"], code), (&serde_json::json!(reservation), 0), "{text}");
    }
}

#[test]
fn several_files_are_named() {
    let home = TempDir::new().unwrap();
    fs_err::write(home.path().join("a log"), format!("{OVERFLOW}\n")).unwrap();
    fs_err::write(home.path().join("b"), "fine\n").unwrap();
    tool()
        .current_dir(&home)
        .args(["a log", "b"])
        .assert()
        .code(0)
        .stdout(format!("a log:{OVERFLOW}\n"))
        .stderr("");
    // A missing file is said, the rest is done, the trouble is kept.
    tool()
        .current_dir(&home)
        .args(["gone", "a log"])
        .assert()
        .code(66)
        .stdout(format!("a log:{OVERFLOW}\n"))
        .stderr("overflow-detect: cannot read 'gone': no such file or directory\n");
    tool()
        .current_dir(&home)
        .args(["."])
        .assert()
        .code(66)
        .stdout("")
        .stderr("overflow-detect: cannot read '.': is a directory\n");
    // As in grep, -q is content with what it found.
    tool().current_dir(&home).args(["-q", "gone", "a log"]).assert().code(0).stdout("");
}

#[test]
fn mistakes_are_usage_errors() {
    for arguments in [&["--also", "nonsense"][..], &["--frobnicate"], &["--also"]] {
        tool()
            .args(arguments)
            .assert()
            .code(2)
            .stdout("")
            .stderr(predicate::str::starts_with("overflow-detect: "));
    }
}

#[test]
fn a_full_disk_is_trouble_and_a_closed_stdin_is_empty() {
    let full = std::process::Stdio::from(
        fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap().into_file(),
    );
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("overflow-detect"))
        .args(["-e", OVERFLOW])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(74));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "overflow-detect: cannot write to stdout: no space left on device\n"
    );
    let mut shell = Command::new("sh");
    let tool = assert_cmd::cargo::cargo_bin!("overflow-detect");
    shell.arg("-c").arg("\"$0\" <&-").arg(tool).assert().code(1).stdout("").stderr("");
}

#[test]
fn binary_input_is_fine() {
    let mut bytes = vec![0u8, 255, 254, 10, 200];
    bytes.extend_from_slice(format!("\n{OVERFLOW}\n").as_bytes());
    tool().write_stdin(bytes).assert().code(0).stdout(format!("{OVERFLOW}\n"));
}
