//! OpenAI: chat, Responses and Azure, and the many servers that answer in their words.

use super::Family;
use super::Strength::{Alone, InError};
use crate::Class::{Overflow, PayloadText};

pub(super) static FAMILIES: &[Family] = &[
    Family {
        id: "openai-context-length",
        provider: "openai",
        class: Overflow,
        strength: Alone,
        anchors: &["maximum context length"],
        patterns: &[
            "maximum context length is {limit} tokens[.,] ?however,? (?:you requested|your request has)(?: about)? {total} tokens [(] ?{used} (?:in|of)[^0-9)]*{output} (?:in|for)",
            "maximum context length is {limit} tokens[.,] ?however,? you requested {output} output tokens and your prompt contains at least {n} input tokens",
            "maximum context length is {limit} tokens[.,] ?however,? you requested (?:about )?{used} tokens",
            "maximum context length is {limit} tokens[.,] ?however,? (?:your messages resulted in|your request has|you passed) {used} (?:input )?tokens",
            "maximum context length is {limit} tokens",
            "maximum context length (?:has been |is )?exceeded",
        ],
        example: "This model's maximum context length is 4097 tokens. However, your messages resulted in 13393 tokens. Please reduce the length of the messages.",
        source: "mckaywrigley/repo-chat#15",
    },
    Family {
        id: "openai-configured-limit",
        provider: "openai",
        class: Overflow,
        strength: Alone,
        anchors: &["input tokens exceed the configured limit of"],
        patterns: &[
            "input tokens exceed the configured limit of {limit} tokens[.] your messages resulted in {used} tokens",
            "input tokens exceed the configured limit of {limit} tokens",
        ],
        example: "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 281144 tokens.",
        source: "cline/cline#5474",
    },
    Family {
        id: "openai-input-exceeds-window",
        provider: "openai",
        class: Overflow,
        strength: Alone,
        anchors: &[
            "exceeds the context window of this model",
            "exceeds context window of this model",
        ],
        patterns: &[],
        example: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        source: "openai/codex#2921",
    },
    Family {
        id: "openai-code",
        provider: "openai",
        class: Overflow,
        strength: InError,
        anchors: &["context_length_exceeded"],
        patterns: &[],
        example: r#"{"error":{"message":"too much","code":"context_length_exceeded"}}"#,
        source: "the OpenAI API reference",
    },
    Family {
        id: "openai-string-too-long",
        provider: "openai",
        class: PayloadText,
        strength: Alone,
        anchors: &["string too long. expected a string with maximum length"],
        patterns: &["string too long[.] expected a string with maximum length [0-9\u{1}]{6,}"],
        example: "Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 62114761 instead.",
        source: "VectorlyApp/bluebox#31",
    },
];
