//! The prompt was cut to fit, and the request went through.

use super::Family;
use super::Strength::Alone;
use crate::Class::Silent;

pub(super) static FAMILIES: &[Family] = &[
    Family {
        id: "ollama-truncating",
        provider: "ollama",
        class: Silent,
        strength: Alone,
        anchors: &["truncating input"],
        patterns: &[
            "truncating input prompt limit={limit} prompt={used}",
            "truncating input (?:prompt|message)",
        ],
        example: r#"level=WARN source=runner.go:130 msg="truncating input prompt" limit=2048 prompt=91541 keep=5 new=2048"#,
        source: "ollama/ollama#9452",
    },
    Family {
        id: "transformers-sequence",
        provider: "huggingface",
        class: Silent,
        strength: Alone,
        anchors: &["token indices sequence length is longer"],
        patterns: &[
            "token indices sequence length is longer than the specified maximum sequence length for this model [(]{used} > {limit}[)]",
            "token indices sequence length is longer",
        ],
        example: "Token indices sequence length is longer than the specified maximum sequence length for this model (2107 > 1024).",
        source: "langchain-ai/langchain",
    },
    Family {
        id: "sglang-truncating",
        provider: "sglang",
        class: Silent,
        strength: Alone,
        anchors: &[
            "truncating the input",
            "truncated the input",
            "input has been truncated",
            "prompt was truncated",
        ],
        patterns: &[],
        example: "Input length (9121 tokens) exceeds the maximum allowed length (8192 tokens). Truncating the input.",
        source: "sglang 0.5",
    },
    Family {
        id: "librechat-count",
        provider: "librechat",
        class: Silent,
        strength: Alone,
        anchors: &["token count exceeds max token count"],
        patterns: &[
            "token count exceeds max token count [(]{used} ?/ ?{limit}[)]",
            "token count exceeds max token count",
        ],
        example: "warn: Prompt token count exceeds max token count (5910 / 4095).",
        source: "danny-avila/LibreChat#5004",
    },
];
