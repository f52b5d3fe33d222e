//! Models: the name a run asks for, the name an answer bears, window and price.
//!
//! The requested name may end in `[1m]`; what the transcript records never does.

/// A model as a run has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model {
    /// As asked for: `claude-opus-4-8[1m]`. Named by the init event and by
    /// `modelUsage`.
    pub(crate) asked: String,
    /// Window in tokens.
    pub(crate) window: u64,
}

const DEFAULT: &str = "claude-opus-4-8[1m]";

impl Model {
    /// The model of a name or an alias; `None` is the default model. `window`
    /// overrules what the name says.
    pub(crate) fn named(name: Option<&str>, window: Option<u64>) -> Model {
        let asked = match name.unwrap_or(DEFAULT) {
            "opus" => DEFAULT,
            "sonnet" => "claude-sonnet-5",
            "haiku" => "claude-haiku-4-5-20251001",
            other => other,
        };
        let by_name = if asked.ends_with("[1m]") { 1_000_000 } else { 200_000 };
        Model { asked: asked.to_owned(), window: window.unwrap_or(by_name) }
    }

    /// As an answer and the transcript name it.
    pub(crate) fn recorded(&self) -> &str {
        self.asked.trim_end_matches("[1m]")
    }

    /// Most output tokens of one answer.
    pub(crate) fn max_output(&self) -> u64 {
        if self.asked.contains("opus") { 64_000 } else { 32_000 }
    }

    /// US dollars per million tokens: input, cache written, cache read, output.
    pub(crate) fn price(&self) -> [f64; 4] {
        let input = if self.asked.contains("haiku") {
            1.0
        } else if self.asked.contains("sonnet") {
            3.0
        } else {
            5.0
        };
        [input, input * 1.25, input / 10.0, input * 5.0]
    }

    /// From here on a CLI whose automatic compaction is off refuses a request
    /// itself: the window without room for an answer and a margin.
    pub(crate) fn blocking_limit(&self) -> u64 {
        self.window.saturating_sub(23_000)
    }

    /// From here on a CLI whose compaction is not only reactive compacts.
    pub(crate) fn compaction_line(&self) -> u64 {
        self.window.saturating_sub(33_000)
    }
}
