//! Gemini, Vertex AI and gemini-cli.

use super::Family;
use super::Strength::{Alone, InError};
use crate::Class::{Credentials, Network, Overflow};

pub(super) static FAMILIES: &[Family] = &[
    Family {
        id: "gemini-token-count",
        provider: "google",
        class: Overflow,
        strength: Alone,
        anchors: &["input token count", "token count"],
        patterns: &[
            "input token count [(]{used}[)] exceeds the maximum number of tokens allowed [(]?{limit}",
            "input token count exceeds the maximum number of tokens allowed [(]?{limit}",
            "token count (?:of )?{used} exceeds the maximum number of tokens allowed(?: [(]{limit})?",
            "exceeds the maximum number of tokens allowed",
        ],
        example: "The input token count (4417490) exceeds the maximum number of tokens allowed (1048576).",
        source: "google-gemini/gemini-cli#8132",
    },
    Family {
        id: "gemini-supports-up-to",
        provider: "google",
        class: Overflow,
        strength: Alone,
        anchors: &["input token count is"],
        patterns: &["input token count is {used} but (?:the )?model only supports up to {limit}"],
        example: "Unable to submit request because the input token count is 1251952 but model only supports up to 1048576.",
        source: "google-gemini/gemini-cli#19727",
    },
    Family {
        id: "gemini-cannot-truncate",
        provider: "google",
        class: Overflow,
        strength: Alone,
        anchors: &["cannot truncate to"],
        patterns: &["cannot truncate to {limit},? required {used}"],
        example: "Cannot truncate to 200000, required 250112",
        source: "warpdotdev/warp",
    },
    Family {
        id: "gemini-cli-might-exceed",
        provider: "gemini-cli",
        class: Overflow,
        strength: Alone,
        anchors: &["sending this message ("],
        patterns: &[
            "sending this message [(]{used} tokens[)] might exceed the (?:remaining )?context window limit",
        ],
        example: "Sending this message (1203344 tokens) might exceed the context window limit (847,221 tokens left).",
        source: "gemini-cli",
    },
    Family {
        id: "gemini-cli-will-overflow",
        provider: "gemini-cli",
        class: Overflow,
        strength: Alone,
        anchors: &["context window will overflow"],
        patterns: &[
            "context window will overflow [(]estimated: {used}",
            "context window will overflow",
        ],
        example: "Context window will overflow (estimated: 1203344, remaining: 847221)",
        source: "gemini-cli",
    },
    Family {
        id: "google-refused",
        provider: "google",
        class: Credentials,
        strength: InError,
        anchors: &["status: permission_denied"],
        patterns: &[],
        example: r#"{"error":{"code":403,"message":"Your project has been denied access.","status":"PERMISSION_DENIED"}}"#,
        source: "Gemini CLI 0.61.0",
    },
    Family {
        id: "gemini-cli-no-key",
        provider: "gemini-cli",
        class: Credentials,
        strength: Alone,
        anchors: &["you must specify the gemini_api_key", "please set an auth method in your"],
        patterns: &[],
        example: "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.",
        source: "Gemini CLI 0.61.0",
    },
    Family {
        id: "google-fault",
        provider: "google",
        class: Network,
        strength: InError,
        anchors: &["status: internal", "status: unavailable", "status: deadline_exceeded"],
        patterns: &[],
        example: r#"{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}"#,
        source: "Gemini CLI 0.61.0",
    },
];
