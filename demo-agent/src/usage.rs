//! Token counts of an answer, their sums and their price.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::model::Model;

/// Tokens of one answer, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Usage {
    /// Input that came from no cache.
    pub(crate) input_tokens: u64,
    /// Input written to the cache.
    pub(crate) cache_creation_input_tokens: u64,
    /// Input read from the cache.
    pub(crate) cache_read_input_tokens: u64,
    /// Output.
    pub(crate) output_tokens: u64,
}

impl Usage {
    /// An answer that saw `context` tokens, of which `known` were in the last
    /// one already and so come from the cache.
    pub(crate) fn of(context: u64, known: u64, output: u64) -> Usage {
        let input = context.min(6);
        let read = known.min(context - input);
        Usage {
            input_tokens: input,
            cache_creation_input_tokens: context - input - read,
            cache_read_input_tokens: read,
            output_tokens: output,
        }
    }

    /// What the answer saw: everything but the output.
    pub(crate) fn context(&self) -> u64 {
        self.input_tokens + self.cache_creation_input_tokens + self.cache_read_input_tokens
    }

    /// Adds another's counts.
    pub(crate) fn add(&mut self, other: &Usage) {
        self.input_tokens += other.input_tokens;
        self.cache_creation_input_tokens += other.cache_creation_input_tokens;
        self.cache_read_input_tokens += other.cache_read_input_tokens;
        self.output_tokens += other.output_tokens;
    }

    /// US dollars.
    pub(crate) fn cost(&self, model: &Model) -> f64 {
        let counts = [
            self.input_tokens,
            self.cache_creation_input_tokens,
            self.cache_read_input_tokens,
            self.output_tokens,
        ];
        #[allow(clippy::cast_precision_loss, reason = "no count comes near 2^52")]
        let sum: f64 = counts.iter().zip(model.price()).map(|(n, price)| *n as f64 * price).sum();
        sum / 1e6
    }

    /// As transcripts and results have it.
    pub(crate) fn to_json(self) -> Value {
        json!({
            "input_tokens": self.input_tokens,
            "cache_creation_input_tokens": self.cache_creation_input_tokens,
            "cache_read_input_tokens": self.cache_read_input_tokens,
            "output_tokens": self.output_tokens,
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
            "inference_geo": "", "iterations": [], "speed": "standard",
        })
    }

    /// As an event has it that is printed before the answer is complete.
    pub(crate) fn to_started_json(self) -> Value {
        json!({
            "input_tokens": self.input_tokens,
            "cache_creation_input_tokens": self.cache_creation_input_tokens,
            "cache_read_input_tokens": self.cache_read_input_tokens,
            "output_tokens": 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_is_that_of_a_real_result() {
        let usage = Usage {
            input_tokens: 15,
            cache_creation_input_tokens: 47_000,
            cache_read_input_tokens: 410_000,
            output_tokens: 180,
        };
        let cost = usage.cost(&Model::named(Some("claude-sonnet-4-5"), None));
        assert!((cost - 0.301_995).abs() < 1e-9, "{cost}");
    }

    #[test]
    fn the_parts_add_up_to_the_context() {
        for (context, known) in [(0, 0), (3, 50), (40_000, 0), (40_000, 39_000), (9_000, 50_000)] {
            assert_eq!(Usage::of(context, known, 1).context(), context);
        }
    }
}
