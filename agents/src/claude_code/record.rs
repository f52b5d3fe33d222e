//! One line of a session, with the keys that matter here. The content of a
//! message stays raw JSON until somebody asks: the meter seldom does.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::scalar::{Count, Text};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record<'l> {
    #[serde(rename = "type", borrow, default)]
    pub(super) kind: Text<'l>,
    #[serde(borrow)]
    pub(super) subtype: Option<Text<'l>>,
    pub(super) is_sidechain: Option<bool>,
    /// What marks a sub-agent's records in the events of a headless run.
    #[serde(rename = "parent_tool_use_id", borrow)]
    pub(super) parent_tool_use_id: Option<Text<'l>>,
    pub(super) is_api_error_message: Option<bool>,
    pub(super) is_compact_summary: Option<bool>,
    pub(super) is_visible_in_transcript_only: Option<bool>,
    #[serde(borrow)]
    pub(super) timestamp: Option<Text<'l>>,
    #[serde(borrow)]
    pub(super) message: Option<Message<'l>>,
    #[serde(borrow)]
    pub(super) attachment: Option<&'l RawValue>,
    pub(super) compact_metadata: Option<CompactMetadata>,
    #[serde(borrow)]
    pub(super) error_details: Option<Text<'l>>,
}

#[derive(Deserialize)]
pub(super) struct Message<'l> {
    #[serde(borrow)]
    pub(super) id: Option<Text<'l>>,
    #[serde(borrow)]
    pub(super) model: Option<Text<'l>>,
    pub(super) usage: Option<Usage>,
    #[serde(borrow)]
    pub(super) content: Option<&'l RawValue>,
}

#[derive(Deserialize, Default)]
pub(super) struct Usage {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    cache_read_input_tokens: Count,
    #[serde(default)]
    cache_creation_input_tokens: Count,
    #[serde(default)]
    output_tokens: Count,
}

impl Usage {
    /// What the model saw; the three counts exclude each other. `None` where one
    /// of them is unknown, or all are 0.
    pub(super) fn context(&self) -> Option<u64> {
        let sum = self.input_tokens.known()?
            + self.cache_read_input_tokens.known()?
            + self.cache_creation_input_tokens.known()?;
        Some(sum).filter(|&sum| sum > 0)
    }

    pub(super) fn output(&self) -> u64 {
        self.output_tokens.or_zero()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompactMetadata {
    /// The conversation that is left, without system prompt and tools.
    pub(super) post_tokens: Option<Count>,
}
