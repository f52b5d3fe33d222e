//! What is said about an error text.

use std::fmt;

use serde::Serialize;

/// The kind of failure a text reports. The first three mean "it no longer
/// fits": a fresh session with less in it is the cure. The others look alike
/// and need another cure, which is why they have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The prompt, alone or with the reserved output, exceeds the context window.
    Overflow,
    /// The compaction that should have made room failed for want of room.
    CompactionFailed,
    /// Text alone exceeds a cap in bytes or characters far above any window.
    PayloadText,
    /// A cap in bytes on the request as a whole, mostly hit by images.
    Payload,
    /// The window is there, but this account may not use its upper part.
    LongContextGate,
    /// The requested or written output exceeds what the model may write.
    OutputCap,
    /// Too many requests or tokens in a span of time, or a plan's quota.
    Rate,
    /// The service or the way to it is down; the same request may work later.
    Network,
    /// The key, the account's credit or the choice of model is refused.
    Credentials,
    /// The request was cut to fit and went through.
    Silent,
    /// Another failure that is known by name.
    Other,
}

impl Class {
    /// All classes, in the order of the manual.
    pub const ALL: [Class; 11] = [
        Class::Overflow,
        Class::CompactionFailed,
        Class::PayloadText,
        Class::Payload,
        Class::LongContextGate,
        Class::OutputCap,
        Class::Rate,
        Class::Network,
        Class::Credentials,
        Class::Silent,
        Class::Other,
    ];

    /// Whether the class means that the context no longer fits.
    pub fn counts_as_overflow(self) -> bool {
        matches!(self, Class::Overflow | Class::CompactionFailed | Class::PayloadText)
    }

    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Class::Overflow => "overflow",
            Class::CompactionFailed => "compaction_failed",
            Class::PayloadText => "payload_text",
            Class::Payload => "payload",
            Class::LongContextGate => "long_context_gate",
            Class::OutputCap => "output_cap",
            Class::Rate => "rate",
            Class::Network => "network",
            Class::Credentials => "credentials",
            Class::Silent => "silent",
            Class::Other => "other",
        }
    }

    /// The class of a name as [`Class::name`] gives it; `-` may stand for `_`.
    pub fn named(name: &str) -> Option<Class> {
        let name = name.replace('-', "_");
        Class::ALL.into_iter().find(|class| class.name() == name)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A wording of the catalogue.
    Certain,
    /// A wording nobody listed that the grammar understood, or a short one of
    /// the catalogue that owes its meaning to the error around it.
    Likely,
}

/// What a text says. Token counts are as the text has them; what it does not
/// say is `None`, never 0, and a bound ("at least"), a number of bytes or an
/// error code is not a token count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether the class counts as overflow.
    pub overflow: bool,
    /// The kind of failure.
    pub class: Class,
    /// The wording recognised, as the catalogue names it; `grammar` where
    /// nobody listed it.
    pub family: &'static str,
    /// Who words it like that: `anthropic`, `openai`, ...; `unknown` for the grammar.
    pub provider: &'static str,
    /// How sure this is.
    pub confidence: Confidence,
    /// Tokens of the prompt.
    pub used: Option<u64>,
    /// Tokens that would have fitted.
    pub limit: Option<u64>,
    /// Tokens reserved for the output, where the request named them.
    pub output: Option<u64>,
    /// Tokens above the limit, where the text gives the difference only.
    pub over: Option<u64>,
    /// What does not fit is the reservation for the output (the prompt takes less
    /// than half of the limit): a fresh session would not help, a smaller
    /// `max_tokens` would.
    pub reservation: bool,
    /// Byte offset of the wording in the text.
    pub start: usize,
    /// Byte offset of its end.
    pub end: usize,
}

impl Verdict {
    /// Whether the choice of model, not the key or the account, was refused.
    pub fn refuses_model(&self) -> bool {
        self.class == Class::Credentials && self.family.starts_with("model-")
    }
}
