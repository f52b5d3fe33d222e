//! What a look at a session costs, in figures that repeat on a noisy machine:
//! instructions (callgrind), bytes read and system calls (strace). The programs
//! are the release ones in the folder `CTXUTILS_RELEASE`, as `make check-budgets`
//! builds them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by a panic")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SESSION: &str = "5a5a989e-e425-41db-a56c-3c03933e7ecd";

/// A tool's call with the file it looks at.
struct Look<'a> {
    tool: &'a str,
    transcript: &'a Path,
    /// Where its scratch files go.
    scratch: &'a Path,
}

impl Look<'_> {
    /// The call below another program, in an environment of its own.
    fn below(&self, wrapper: &[&str]) -> Command {
        let release = std::env::var_os("CTXUTILS_RELEASE")
            .unwrap_or_else(|| panic!("CTXUTILS_RELEASE is not set: run make check-budgets"));
        let program = Path::new(&release).join(self.tool);
        let mut command = Command::new("env");
        command.args(["-i", "PATH=/usr/bin:/bin", "LC_ALL=C"]);
        command.arg(format!("HOME={}", self.scratch.display()));
        if self.tool == "ctx-guard" {
            command.arg(format!("CTX_GUARD_SESSION={SESSION}")).arg("CTX_GUARD_STOP_AT=due");
            let payload = self.scratch.join("payload.json");
            fs_err::write(&payload, self.payload()).unwrap();
            command.args(wrapper).arg(program);
            command.stdin(fs_err::File::open(payload).unwrap().into_file());
        } else {
            command.args(wrapper).arg(program).arg(self.transcript).stdin(Stdio::null());
        }
        command
    }

    fn payload(&self) -> String {
        serde_json::json!({
            "session_id": SESSION, "transcript_path": self.transcript, "cwd": "/home/dev/proj",
            "hook_event_name": "PostToolBatch", "permission_mode": "default",
            "tool_calls": [{"tool_name": "Bash", "tool_input": {"command": "make"},
                            "tool_use_id": "toolu_last", "tool_response": "x".repeat(1_000)}],
        })
        .to_string()
    }

    fn instructions(&self) -> u64 {
        let out = self.scratch.join("callgrind.out");
        let file = format!("--callgrind-out-file={}", out.display());
        let output = self.below(&["valgrind", "--tool=callgrind", &file]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let collected = told.lines().find_map(|line| line.split("Collected : ").nth(1));
        collected.unwrap_or_else(|| panic!("no count from valgrind: {told}")).parse().unwrap()
    }

    /// System calls in all, and bytes read from the transcript.
    fn calls(&self) -> (usize, u64) {
        let log = self.scratch.join("strace.log");
        let wrapper = ["strace", "-qq", "-y", "-o", log.to_str().unwrap()];
        assert!(self.below(&wrapper).stdout(Stdio::null()).status().unwrap().success());
        let log = fs_err::read_to_string(log).unwrap();
        let mark = format!("<{}>", fs_err::canonicalize(self.transcript).unwrap().display());
        let reads =
            log.lines().filter(|line| line.starts_with("read") || line.starts_with("pread"));
        let bytes = reads
            .filter(|line| line.contains(&mark))
            .filter_map(|line| line.rsplit(" = ").next()?.parse::<u64>().ok())
            .sum();
        (log.lines().count(), bytes)
    }
}

/// A transcript of that size: lines at both ends, a hole of the file system's
/// between, which a look that reads too much would stumble into.
fn transcript(path: &Path, size: u64) {
    let result = |id: &str| {
        let text = "a line of output\n".repeat(60);
        serde_json::json!({"parentUuid": "u1", "isSidechain": false, "type": "user", "sessionId": SESSION,
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]},
            "uuid": "u2", "timestamp": "2026-11-30T18:03:35.108Z", "toolUseResult": {"stdout": text}})
    };
    let answer = |id: &str| {
        serde_json::json!({"parentUuid": "u2", "isSidechain": false, "type": "assistant", "sessionId": SESSION,
            "message": {"id": id, "role": "assistant", "model": "claude-opus-4-8", "stop_reason": "tool_use",
                "content": [{"type": "tool_use", "id": "toolu_last", "name": "Bash", "input": {"command": "make"}}],
                "usage": {"input_tokens": 5, "cache_read_input_tokens": 100_000,
                    "cache_creation_input_tokens": 2_000, "output_tokens": 30}},
            "uuid": "u3", "timestamp": "2026-11-30T18:03:36.108Z", "cwd": "/home/dev/proj", "version": "2.1.197"})
    };
    let mut lines = String::new();
    for turn in 0..40 {
        writeln!(lines, "{}", answer(&format!("msg_{turn}"))).unwrap();
        writeln!(lines, "{}", result(if turn == 39 { "toolu_last" } else { "toolu_earlier" }))
            .unwrap();
    }
    fs_err::write(path, &lines).unwrap();
    let file = fs_err::OpenOptions::new().write(true).open(path).unwrap();
    let at = size.saturating_sub(lines.len() as u64);
    std::os::unix::fs::FileExt::write_all_at(file.file(), format!("\n{lines}").as_bytes(), at)
        .unwrap();
}

fn sizes(scratch: &Path) -> [PathBuf; 2] {
    [(1 << 20, "1-MB.jsonl"), (300 << 20, "300-MB.jsonl")].map(|(size, name)| {
        let path = scratch.join(name);
        transcript(&path, size);
        path
    })
}

#[test]
fn a_look_costs_the_same_on_any_size_and_stays_within_its_budget() {
    let scratch = tempfile::tempdir().unwrap();
    let [small, large] = sizes(scratch.path());
    let mut table = String::new();
    let mut failed = Vec::new();
    for (tool, budget, most_calls) in [("ctx-meter", 600_000, 80), ("ctx-guard", 700_000, 80)] {
        let costs = [&small, &large].map(|transcript| {
            let look = Look { tool, transcript, scratch: scratch.path() };
            let (calls, bytes) = look.calls();
            let cost = (look.instructions(), calls, bytes);
            let name = transcript.file_name().unwrap().display();
            writeln!(table, "{tool:<10} {name:<13} {:>8} instructions, {calls:>3} system calls, {bytes:>6} bytes read", cost.0).unwrap();
            cost
        });
        let [(less, ..), (more, ..)] = costs;
        if more.abs_diff(less) * 100 > less * 5 {
            failed.push(format!("{tool}: the cost depends on the size"));
        }
        for (instructions, calls, bytes) in costs {
            // The guard looks twice: whether the transcript has caught up, and how full it is.
            let most_bytes =
                if tool == "ctx-guard" { 2 * (64 << 10) + (4 << 10) } else { 68 << 10 };
            if instructions > budget || calls > most_calls || bytes > most_bytes {
                failed.push(format!("{tool}: over budget"));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}\n{table}");
    #[allow(clippy::disallowed_macros, reason = "the figures are what the target is run for")]
    {
        println!("{table}");
    }
}

#[test]
fn a_huge_last_line_takes_constant_memory() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("huge.jsonl");
    transcript(&path, 1 << 20);
    let mut bytes = fs_err::read(&path).unwrap();
    bytes
        .extend_from_slice(b"{\"isSidechain\":false,\"type\":\"user\",\"message\":{\"content\":\"");
    bytes.resize(bytes.len() + (60 << 20), b'x');
    bytes.extend_from_slice(b"\"}}\n");
    fs_err::write(&path, bytes).unwrap();
    let look = Look { tool: "ctx-meter", transcript: &path, scratch: scratch.path() };
    // 32 MiB of address space, program and libraries included.
    let output = look.below(&["sh", "-c", "ulimit -v 32768; exec \"$@\"", "sh"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "102005\n");
}
