//! One line of a rollout, with the keys that matter here.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::scalar::{Count, Text};

#[derive(Deserialize)]
pub(super) struct Record<'l> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Text<'l>,
    #[serde(borrow)]
    pub(super) timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    pub(super) payload: Payload<'l>,
}

#[derive(Deserialize)]
pub(super) struct Payload<'l> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Text<'l>,
    #[serde(borrow)]
    pub(super) role: Option<Text<'l>>,
    /// Of a message.
    #[serde(borrow)]
    pub(super) content: Option<&'l RawValue>,
    /// Of a tool's result: a text, or a list of parts.
    #[serde(borrow)]
    pub(super) output: Option<&'l RawValue>,
    #[serde(borrow)]
    pub(super) name: Option<Text<'l>>,
    #[serde(borrow)]
    pub(super) arguments: Option<Text<'l>>,
    #[serde(borrow)]
    pub(super) model: Option<Text<'l>>,
    pub(super) model_context_window: Option<Count>,
    pub(super) info: Option<Info>,
    pub(super) usage: Option<Usage>,
    #[serde(borrow)]
    pub(super) error: Option<&'l RawValue>,
    #[serde(borrow)]
    pub(super) message: Option<&'l RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Info {
    #[serde(default)]
    pub(super) total_token_usage: Usage,
    #[serde(default)]
    pub(super) last_token_usage: Usage,
    pub(super) model_context_window: Option<Count>,
}

#[derive(Clone, Copy, Deserialize, Default, PartialEq)]
pub(super) struct Usage {
    #[serde(default)]
    pub(super) input_tokens: Count,
    #[serde(default)]
    pub(super) output_tokens: Count,
    #[serde(default)]
    pub(super) total_tokens: Count,
}
