//! A hermetic place to run ctx-meter in, and transcripts made to measure.

use std::path::{Path, PathBuf};

use assert_cmd::cargo::cargo_bin;

pub(crate) struct Place {
    home: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { home: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, contents).unwrap();
        path
    }

    pub(crate) fn command(&self) -> std::process::Command {
        let mut command = std::process::Command::new(cargo_bin!("ctx-meter"));
        command.env_clear().env("HOME", self.home.path()).env("LC_ALL", "C").env("TZ", "UTC");
        command.current_dir(self.home.path());
        command
    }

    pub(crate) fn meter(&self) -> assert_cmd::Command {
        assert_cmd::Command::from_std(self.command())
    }

    pub(crate) fn json(&self, file: &Path) -> serde_json::Value {
        let run = self.meter().arg("--json").arg(file).assert().success().stderr("");
        serde_json::from_slice(&run.get_output().stdout).unwrap()
    }
}

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures")
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    fixtures().join(name)
}

pub(crate) fn user(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":{text}}}}}\n")
}

pub(crate) fn answer(id: &str, input: u64, read: u64, creation: u64, output: u64) -> String {
    format!(
        "{{\"type\":\"assistant\",\"isSidechain\":false,\"timestamp\":\"2026-11-30T12:00:00Z\",\
         \"sessionId\":\"93db0fa4-fc44-4328-b146-939868f3acf3\",\
         \"message\":{{\"id\":\"{id}\",\"role\":\"assistant\",\"model\":\"claude-opus-4-6\",\
         \"content\":[{{\"type\":\"text\",\"text\":\"words\"}}],\
         \"usage\":{{\"input_tokens\":{input},\"cache_read_input_tokens\":{read},\
         \"cache_creation_input_tokens\":{creation},\"output_tokens\":{output}}}}}}}\n"
    )
}

/// The base of the small cases: one prompt, one answer that saw 102,005 tokens.
pub(crate) fn base() -> String {
    user("go") + &answer("m1", 5, 100_000, 2_000, 30)
}
