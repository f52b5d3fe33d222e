//! What a session remembers: read from its transcript when it is resumed, kept
//! up as it goes on.

use serde_json::Value;

/// Bytes of text that make a token, by the CLI's own estimate.
const BYTES_PER_TOKEN: u64 = 4;

/// What a session remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conversation {
    /// What the last answer saw, in tokens; `None` before the first one and
    /// after a compaction.
    pub(crate) context: Option<u64>,
    /// The last answer's output tokens.
    pub(crate) output: u64,
    /// Bytes of text recorded after the last answer.
    pending: u64,
    /// Answers given.
    pub(crate) answers: u64,
    /// The model of the last answer.
    pub(crate) model: Option<String>,
    /// The last line of the conversation: the parent of the next.
    pub(crate) leaf: Option<String>,
    /// The API has said that the conversation is too long, and nothing made it
    /// shorter since.
    pub(crate) overflowed: bool,
    /// The agent type that the session started with.
    pub(crate) agent: Option<String>,
    /// Everything that was said to the agent, and the commands it ran.
    heard: String,
    /// Commands that failed, and what they said.
    pub(crate) failures: Vec<(String, String)>,
    /// Tool calls that failed one after the other: the last one's words.
    refused: (u32, String),
    /// The command of the last call, whose failure is yet to come.
    last_command: String,
    /// The ids of its lines, newest last.
    pub(crate) uuids: Vec<String>,
    /// Tokens that compactions have dropped so far.
    pub(crate) dropped: u64,
}

impl Conversation {
    /// Takes in one line of the transcript.
    pub(crate) fn take(&mut self, line: &Value) {
        if line["isSidechain"] == true {
            return;
        }
        if let Some(uuid) = line["uuid"].as_str() {
            self.leaf = Some(uuid.to_owned());
            self.uuids.push(uuid.to_owned());
        }
        match line["type"].as_str() {
            Some("assistant") => self.take_answer(line),
            Some("user") => self.take_user(line),
            Some("system") if line["subtype"] == "compact_boundary" => {
                self.context = None;
                self.overflowed = false;
                self.pending = 0;
                self.dropped =
                    line["compactMetadata"]["cumulativeDroppedTokens"].as_u64().unwrap_or(0);
            }
            Some("agent-setting") => {
                self.agent = line["agentSetting"].as_str().map(str::to_owned);
            }
            _ => {}
        }
    }

    fn take_answer(&mut self, line: &Value) {
        let message = &line["message"];
        if message["model"] == "<synthetic>" {
            let text = message["content"][0]["text"].as_str().unwrap_or_default();
            self.overflowed |= text.starts_with("Prompt is too long");
            return;
        }
        let count = |key: &str| message["usage"][key].as_u64().unwrap_or(0);
        self.context = Some(
            count("input_tokens")
                + count("cache_creation_input_tokens")
                + count("cache_read_input_tokens"),
        );
        self.output = count("output_tokens");
        self.model = message["model"].as_str().map(str::to_owned);
        self.pending = 0;
        self.answers += 1;
        self.overflowed = false;
        if let Some(command) = message["content"][0]["input"]["command"].as_str() {
            self.last_command = command.to_owned();
            self.heard += command;
            self.heard.push('\n');
        }
    }

    fn take_user(&mut self, line: &Value) {
        let content = &line["message"]["content"];
        if let Some(text) = content.as_str() {
            self.pending += text.len() as u64;
            self.heard += text;
            self.heard.push('\n');
            return;
        }
        for block in content.as_array().into_iter().flatten() {
            let said = block["content"].as_str().or(block["text"].as_str()).unwrap_or_default();
            self.pending += said.len() as u64;
            if block["is_error"] == true {
                self.refused = (self.refused.0 + 1, said.to_owned());
                if said.starts_with("Exit code") {
                    let failure = (self.last_command.clone(), said.to_owned());
                    self.failures.push(failure);
                }
            } else {
                self.refused = (0, String::new());
            }
        }
    }

    /// What the next answer will see, by an estimate of what was recorded since
    /// the last one.
    pub(crate) fn projected(&self) -> u64 {
        self.context.unwrap_or(0) + self.output + self.pending / BYTES_PER_TOKEN
    }

    /// Whether the agent was told of something, or did it itself.
    pub(crate) fn mentions(&self, text: &str) -> bool {
        self.heard.contains(text)
    }

    /// Everything that was said to the agent.
    pub(crate) fn heard(&self) -> &str {
        &self.heard
    }

    /// Two tool calls in a row came to nothing: what the last one was told. A
    /// model gives up here too.
    pub(crate) fn refused_twice(&self) -> Option<&str> {
        (self.refused.0 >= 2).then_some(self.refused.1.as_str())
    }
}
