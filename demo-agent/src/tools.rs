//! The tools, which really run: the working directory fills with what a
//! scenario's agent "did".

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::child;
use crate::place::Place;
use crate::scenario::ToolCall;

/// What a tool call came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// What the model is told.
    pub(crate) content: Value,
    /// What the transcript keeps beside it.
    pub(crate) detail: Value,
    /// It failed: `true`; a command that did not: `false`. The other tools do
    /// not say.
    pub(crate) is_error: Option<bool>,
}

impl Outcome {
    /// Whether the call failed.
    pub(crate) fn failed(&self) -> bool {
        self.is_error == Some(true)
    }

    /// The block that the model is told.
    pub(crate) fn block(&self, id: &str) -> Value {
        let mut block = json!({"tool_use_id": id, "type": "tool_result", "content": self.content});
        if let Some(is_error) = self.is_error {
            block["is_error"] = json!(is_error);
        }
        json!([block])
    }

    /// A failure in the CLI's words.
    pub(crate) fn failure(text: &str) -> Outcome {
        Outcome {
            content: json!(text),
            detail: json!(format!("Error: {text}")),
            is_error: Some(true),
        }
    }

    fn success(content: String, detail: Value) -> Outcome {
        Outcome { content: json!(content), detail, is_error: None }
    }
}

/// How long a command may take where the call does not say.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs a tool call.
pub(crate) fn run(call: &ToolCall, place: &Place, session: &str) -> Outcome {
    let text = |key: &str| call.input[key].as_str().unwrap_or_default();
    let path = place.resolve(text("file_path"));
    match call.name.as_str() {
        "Bash" => bash(text("command"), call.input["timeout"].as_u64(), place, session),
        "Read" => read(&path, place),
        "Write" => write(&path, text("content")),
        "Edit" => edit(&path, text("old_string"), text("new_string")),
        other => Outcome::failure(&format!(
            "<tool_use_error>Error: No such tool available: {other}</tool_use_error>"
        )),
    }
}

fn bash(command: &str, limit: Option<u64>, place: &Place, session: &str) -> Outcome {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).current_dir(&place.cwd);
    shell.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
    let limit = limit.map_or(LIMIT, Duration::from_millis);
    match child::run(shell, b"", limit) {
        Err(error) => Outcome::failure(&error.to_string()),
        Ok(ended) if ended.timed_out => {
            Outcome::failure(&format!("Command timed out after {}s", limit.as_secs()))
        }
        Ok(ended) => {
            let (stdout, stderr) = (ended.stdout.trim_end(), ended.stderr.trim_end());
            let parts = [stdout, stderr].into_iter().filter(|part| !part.is_empty());
            let said = parts.collect::<Vec<_>>().join("\n");
            if ended.code != 0 {
                let text = format!("Exit code {}\n{said}", ended.code);
                return Outcome::failure(text.trim_end());
            }
            let content =
                if said.is_empty() { "(Bash completed with no output)".to_owned() } else { said };
            let detail = json!({
                "stdout": stdout, "stderr": stderr, "interrupted": false, "isImage": false,
                "noOutputExpected": false,
            });
            Outcome { is_error: Some(false), ..Outcome::success(content, detail) }
        }
    }
}

fn read(path: &Path, place: &Place) -> Outcome {
    let Ok(bytes) = fs_err::read(path) else {
        return Outcome::failure(&format!(
            "File does not exist. Note: your current working directory is {}.",
            place.cwd.display()
        ));
    };
    let content = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = content.split('\n').collect();
    let numbered: Vec<String> =
        lines.iter().enumerate().map(|(n, line)| format!("{}\t{line}", n + 1)).collect();
    let file = json!({
        "filePath": path.to_string_lossy(), "content": content, "numLines": lines.len(),
        "startLine": 1, "totalLines": lines.len(),
    });
    Outcome::success(numbered.join("\n"), json!({"type": "text", "file": file}))
}

fn write(path: &Path, content: &str) -> Outcome {
    let original = fs_err::read_to_string(path).ok();
    let folder = path.parent().unwrap_or(Path::new("."));
    if let Err(error) = fs_err::create_dir_all(folder).and_then(|()| fs_err::write(path, content)) {
        return Outcome::failure(&format!("<tool_use_error>{error}</tool_use_error>"));
    }
    let note = "(file state is current in your context — no need to Read it back)";
    let (kind, said) = match original {
        None => ("create", format!("File created successfully at: {} {note}", path.display())),
        Some(_) => {
            ("update", format!("The file {} has been updated successfully. {note}", path.display()))
        }
    };
    let detail = json!({
        "type": kind, "filePath": path.to_string_lossy(), "content": content,
        "structuredPatch": [], "originalFile": original, "userModified": false,
    });
    Outcome::success(said, detail)
}

fn edit(path: &Path, old: &str, new: &str) -> Outcome {
    let Ok(original) = fs_err::read_to_string(path) else {
        return Outcome::failure("<tool_use_error>File does not exist.</tool_use_error>");
    };
    if old.is_empty() || !original.contains(old) {
        return Outcome::failure(
            "<tool_use_error>String to replace not found in file.</tool_use_error>",
        );
    }
    if let Err(error) = fs_err::write(path, original.replacen(old, new, 1)) {
        return Outcome::failure(&format!("<tool_use_error>{error}</tool_use_error>"));
    }
    let said = format!("The file {} has been updated successfully.", path.display());
    let detail = json!({
        "filePath": path.to_string_lossy(), "oldString": old, "newString": new,
        "originalFile": original, "structuredPatch": [], "userModified": false,
        "replaceAll": false,
    });
    Outcome::success(said, detail)
}
