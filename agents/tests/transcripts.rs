//! Both ways of reading a transcript, on sessions that real CLIs wrote and on
//! damaged copies of them.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use agents::{Fact, Size, Source, Transcript};
use proptest::prelude::*;

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(folder);
    let mut found: Vec<PathBuf> = fs_err::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl" || e == "json"))
        .filter(|path| path.file_name().is_some_and(|name| name != "session_meta.json"))
        .filter(|path| !path.file_name().unwrap().to_str().unwrap().starts_with("hook_"))
        .collect();
    found.sort();
    found
}

/// Contexts and models of the records of answers, and where a compaction came.
fn story(transcript: &Transcript, newest_first: bool) -> Vec<String> {
    let mut story = Vec::new();
    let mut see = |fact: Fact<'_>| {
        match fact {
            Fact::Answer(answer) => story.push(format!("{:?} {:?}", answer.context, answer.id)),
            Fact::Compaction(compaction) => story.push(format!("{compaction:?}")),
            Fact::Error(error) => story.push(error.text.into_owned()),
            _ => {}
        }
        ControlFlow::Continue(())
    };
    if newest_first {
        transcript.newest_first(&mut see).unwrap();
        story.reverse();
    } else {
        transcript.oldest_first(&mut see).unwrap();
    }
    story
}

#[test]
fn both_directions_tell_the_same_story() {
    let mut told = 0;
    for folder in [
        "claude-code",
        "claude-code/api-errors",
        "claude-code/synthetic-traps",
        "pi",
        "qwen",
        "copilot",
        "opencode",
        "cline",
    ] {
        for path in fixtures(folder) {
            let transcript = Transcript::open(&path).unwrap();
            let (there, back) = (story(&transcript, false), story(&transcript, true));
            assert_eq!(there, back, "{}", path.display());
            told += there.len();
        }
    }
    assert!(told > 100);
}

#[test]
fn what_a_session_says_of_itself() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    for (file, agent, id, sub_agent) in [
        (
            "claude-code/plain-turn.jsonl",
            "claude-code",
            "93db0fa4-fc44-4328-b146-939868f3acf3",
            false,
        ),
        (
            "claude-code/subagent/main.jsonl",
            "claude-code",
            "ce782055-3043-4ecf-85ea-3b21b8a4a8c0",
            false,
        ),
        (
            "claude-code/subagent/subagents/agent-a78cf66b3f1c1db95.jsonl",
            "claude-code",
            "ce782055-3043-4ecf-85ea-3b21b8a4a8c0",
            true,
        ),
        ("codex/plain_turn.jsonl", "codex", "01a22d8c-59e1-7280-a232-291f04971f23", false),
        ("codex/subagent_child.jsonl", "codex", "01a22d8f-aac2-7ec2-b0e7-79d60b0bb29b", true),
    ] {
        let transcript = Transcript::open(&root.join(file)).unwrap();
        assert_eq!(transcript.agent().name(), agent, "{file}");
        assert_eq!(transcript.identity().session_id.as_deref(), Some(id), "{file}");
        assert_eq!(transcript.identity().sub_agent, sub_agent, "{file}");
    }
}

/// A line may hold tens of thousands of levels, which is no reason to go down
/// all of them.
#[test]
fn results_within_results_cost_neither_the_stack_nor_the_square() {
    let levels = 50_000;
    let mut line = r#"{"type":"user","sessionId":"s","message":{"content":"#.to_owned();
    line += &r#"[{"type":"tool_result","tool_use_id":"t","content":"#.repeat(levels);
    line += "\"deep\"";
    line += &"}]".repeat(levels);
    line += "}}\n";
    let session = format!("{line}{}\n", r#"{"type":"user","message":{"content":"after"}}"#);
    let transcript =
        Transcript::recognise(Source::stream(session.as_bytes()).unwrap(), None).unwrap();
    for newest_first in [false, true] {
        let mut inputs = Vec::new();
        let mut see = |fact: Fact<'_>| {
            if let Fact::Input(input) = fact {
                inputs.push((input.tool_use_id.map(Cow::into_owned), input.size));
            }
            ControlFlow::Continue(())
        };
        if newest_first {
            transcript.newest_first(&mut see).unwrap();
        } else {
            transcript.oldest_first(&mut see).unwrap();
        }
        let answered: Vec<_> = inputs.iter().filter_map(|(id, _)| id.as_deref()).collect();
        assert_eq!(answered, ["t"]);
        assert!(inputs.contains(&(None, Size::Text(5))));
    }
}

/// A piece of a real session, damaged as crashes, encodings and editors do.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let sessions: Vec<Vec<u8>> = ["claude-code", "codex"]
        .into_iter()
        .flat_map(fixtures)
        .map(|path| fs_err::read(path).unwrap())
        .filter(|bytes| bytes.len() < 40_000)
        .collect();
    let edits =
        proptest::collection::vec((any::<prop::sample::Index>(), 0..7u8, any::<u8>()), 0..12);
    (prop::sample::select(sessions), edits).prop_map(|(mut bytes, edits)| {
        for (index, kind, byte) in edits {
            let at = index.index(bytes.len().max(1)).min(bytes.len());
            match kind {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, byte),
                2 if at < bytes.len() => bytes[at] = byte,
                3 => drop(bytes.splice(at..at, [0; 40])),
                4 => drop(bytes.splice(at..at, b"}{".iter().copied())),
                5 => drop(bytes.splice(at..at, b"\n\\ud83d\"".iter().copied())),
                6 => bytes.rotate_left(at),
                _ => {}
            }
        }
        bytes
    })
}

proptest! {
    #[test]
    fn no_damage_panics_or_tells_two_stories(bytes in damaged()) {
        let source = Source::stream(&bytes[..]).unwrap();
        if let Ok(transcript) = Transcript::recognise(source, None) {
            let (there, back) = (story(&transcript, false), story(&transcript, true));
            if transcript.agent().name() == "claude-code" {
                prop_assert_eq!(there, back);
            }
        }
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..4_000)) {
        let source = Source::stream(&bytes[..]).unwrap();
        if let Ok(transcript) = Transcript::recognise(source, None) {
            story(&transcript, true);
        }
    }
}
