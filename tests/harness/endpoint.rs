//! The scripted endpoint: what it is to answer, and what it was asked.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// One answer of the endpoint.
#[derive(Clone, Debug)]
pub struct Reply(Value);

impl Reply {
    /// Words, and with them the end of the turn.
    pub fn says(text: &str) -> Reply {
        Reply(json!({"text": text, "usage": {}}))
    }

    /// A call of the Bash tool.
    pub fn runs(command: &str) -> Reply {
        Reply::runs_all(&[command])
    }

    /// Calls of the Bash tool in one answer.
    pub fn runs_all(commands: &[&str]) -> Reply {
        let call = |command: &&str| json!({"name": "Bash", "input": {"command": command, "description": "x"}});
        let calls: Vec<Value> = commands.iter().map(call).collect();
        Reply(json!({"text": "Working.", "tool_use": calls, "usage": {}}))
    }

    /// A call of any tool.
    pub fn uses(tool: &str, input: &Value) -> Reply {
        Reply(json!({"text": "Working.", "tool_use": {"name": tool, "input": input}, "usage": {}}))
    }

    /// An API error.
    pub fn refuses(status: u16, message: &str) -> Reply {
        Reply(json!({"error": {"status": status, "message": message}}))
    }

    /// The same error by its code, where the API has one.
    pub fn coded(mut self, code: &str) -> Reply {
        self.0["error"]["code"] = json!(code);
        self
    }

    /// The error that says that the prompt does not fit.
    pub fn overflows() -> Reply {
        Reply(json!({"overflow": true}))
    }

    /// A connection that ends in mid-answer.
    pub fn drops() -> Reply {
        Reply(json!({"text": "Half", "drop": true, "usage": {}}))
    }

    /// With so many tokens of context seen, of which all but ten were cached.
    pub fn seeing(mut self, context: u64) -> Reply {
        self.0["usage"]["cache_read_input_tokens"] = json!(context - 10);
        self
    }

    /// With so many tokens of output.
    pub fn long(mut self, output: u64) -> Reply {
        self.0["usage"]["output_tokens"] = json!(output);
        self
    }

    /// After so many milliseconds.
    pub fn after(mut self, milliseconds: u64) -> Reply {
        self.0["delay_ms"] = json!(milliseconds);
        self
    }

    /// So many times; -1 is for ever.
    pub fn times(mut self, times: i64) -> Reply {
        self.0["times"] = json!(times);
        self
    }
}

/// What the endpoint answers: the replies in order, but for requests whose system
/// prompt holds the words of a route.
#[derive(Clone, Debug, Default)]
pub struct Script {
    replies: Vec<Value>,
    routes: Vec<Value>,
}

impl Script {
    /// A script of these replies.
    pub fn of(replies: impl IntoIterator<Item = Reply>) -> Script {
        Script { replies: replies.into_iter().map(|reply| reply.0).collect(), routes: Vec::new() }
    }

    /// With replies of their own for requests whose system prompt holds these words.
    pub fn route(self, system: &str, replies: impl IntoIterator<Item = Reply>) -> Script {
        self.when(&json!({"system": system}), replies)
    }

    /// With replies of their own for a kind of requests, as the endpoint has them.
    pub fn when(mut self, kind: &Value, replies: impl IntoIterator<Item = Reply>) -> Script {
        let replies: Vec<Value> = replies.into_iter().map(|reply| reply.0).collect();
        self.routes.push(json!({"when": kind, "replies": replies}));
        self
    }
}

/// A running endpoint; it ends with its value.
#[derive(Debug)]
pub struct Endpoint {
    child: Child,
    url: String,
    log: PathBuf,
}

impl Endpoint {
    /// Starts one that keeps its files in the folder.
    ///
    /// # Panics
    /// It does not start: python3 is missing, say.
    pub fn start(folder: &Path, script: &Script) -> Endpoint {
        let (file, log) = (folder.join("script.json"), folder.join("requests.jsonl"));
        let script = json!({"replies": script.replies, "routes": script.routes});
        fs_err::write(&file, script.to_string()).unwrap();
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("endpoint/endpoint.py");
        let mut command = Command::new("python3");
        command.arg(program).arg(file).arg("--log").arg(&log);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the scripted endpoint needs python3");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("PORT ").expect("the endpoint did not start");
        Endpoint { child, url: format!("http://127.0.0.1:{port}"), log }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// All requests until now, oldest first.
    pub fn requests(&self) -> Vec<Value> {
        let log = fs_err::read_to_string(&self.log).unwrap();
        // The last line may be half written.
        let whole = log.rfind('\n').map_or("", |end| &log[..end]);
        whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
