//! What the CLI makes of an error of the API: the words, the status, the line in
//! the transcript and the reason in the result, as observed.

use std::env;

use serde::Deserialize;
use serde_json::json;

/// An error that ends a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorKind {
    /// 400, the prompt is over the window.
    #[default]
    PromptTooLong,
    /// 400, the prompt and `max_tokens` together are over the window.
    MaxTokensExceed,
    /// 400, too many bytes of text.
    TextBytes,
    /// The answer stopped because the window was full.
    ContextWindowExceeded,
    /// 413.
    RequestTooLarge,
    /// 401.
    Authentication,
    /// 400, no credit.
    CreditBalance,
    /// 404.
    ModelNotFound,
    /// 429.
    RateLimit,
    /// 500.
    Server,
    /// 502 with a page of HTML.
    BadGateway,
    /// 529.
    Overloaded,
    /// An error event in the middle of an answer.
    StreamError,
    /// The connection is cut in the middle of an answer.
    ConnectionClosed,
    /// No connection.
    ConnectionRefused,
    /// No request is sent: the CLI's own wall.
    BlockingLimit,
}

/// An error as the CLI reports it.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    /// The result's text.
    pub(crate) text: String,
    /// The HTTP status.
    pub(crate) status: Option<u16>,
    /// The transcript's word for it.
    pub(crate) word: &'static str,
    /// The API's body.
    pub(crate) details: Option<String>,
    /// The result's `terminal_reason`.
    pub(crate) terminal_reason: &'static str,
    /// Part of an answer had come.
    pub(crate) partial: bool,
    /// A request was sent and an answer's head came back.
    pub(crate) has_request_id: bool,
    /// It was tried again first.
    pub(crate) retried: bool,
}

/// What the words depend on.
#[derive(Debug)]
pub(crate) struct Circumstances<'a> {
    /// The model as asked for.
    pub(crate) model: &'a str,
    /// Tokens of the request.
    pub(crate) used: u64,
    /// The window.
    pub(crate) window: u64,
    /// Tokens of the conversation alone, if there was no answer yet.
    pub(crate) first_exchange: Option<u64>,
    /// The API's own words, instead of the usual ones.
    pub(crate) message: Option<&'a str>,
}

impl ErrorKind {
    /// The error as reported.
    pub(crate) fn report(self, given: &Circumstances) -> ApiError {
        let (status, kind, word) = self.names();
        let message = given.message.map_or_else(|| self.message(given), str::to_owned);
        let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_demo"});
        let (text, terminal_reason) = self.wording(given, &message);
        let partial = matches!(
            self,
            ErrorKind::StreamError | ErrorKind::ConnectionClosed | ErrorKind::ContextWindowExceeded
        );
        ApiError {
            text,
            status,
            word,
            details: match self {
                ErrorKind::PromptTooLong | ErrorKind::MaxTokensExceed => {
                    Some(format!("400 {body}"))
                }
                ErrorKind::RequestTooLarge => Some(format!("request_too_large: 413 {body}")),
                _ => None,
            },
            terminal_reason,
            partial,
            has_request_id: status.is_some() || self == ErrorKind::StreamError,
            retried: status.is_some_and(|status| status == 429 || status >= 500)
                || self == ErrorKind::ConnectionRefused,
        }
    }

    /// Status, the API's type, the transcript's word.
    fn names(self) -> (Option<u16>, &'static str, &'static str) {
        match self {
            ErrorKind::PromptTooLong | ErrorKind::MaxTokensExceed => {
                (Some(400), "invalid_request_error", "invalid_request")
            }
            ErrorKind::TextBytes => (Some(400), "invalid_request_error", "unknown"),
            ErrorKind::ContextWindowExceeded => (None, "", "max_output_tokens"),
            ErrorKind::RequestTooLarge => (Some(413), "request_too_large", "invalid_request"),
            ErrorKind::Authentication => {
                (Some(401), "authentication_error", "authentication_failed")
            }
            ErrorKind::CreditBalance => (Some(400), "invalid_request_error", "billing_error"),
            ErrorKind::ModelNotFound => (Some(404), "not_found_error", "model_not_found"),
            ErrorKind::RateLimit => (Some(429), "rate_limit_error", "rate_limit"),
            ErrorKind::Server => (Some(500), "api_error", "server_error"),
            ErrorKind::BadGateway => (Some(502), "api_error", "server_error"),
            ErrorKind::Overloaded => (Some(529), "overloaded_error", "server_error"),
            ErrorKind::StreamError => (None, "overloaded_error", "unknown"),
            ErrorKind::ConnectionClosed | ErrorKind::ConnectionRefused => {
                (None, "", "server_error")
            }
            ErrorKind::BlockingLimit => (None, "", "invalid_request"),
        }
    }

    /// The API's usual words.
    fn message(self, given: &Circumstances) -> String {
        let (used, window) = (given.used, given.window);
        match self {
            ErrorKind::PromptTooLong => {
                format!("prompt is too long: {used} tokens > {window} maximum")
            }
            ErrorKind::MaxTokensExceed => format!(
                "input length and `max_tokens` exceed context limit: {used} + 64000 > {window}, decrease input length or `max_tokens` and try again"
            ),
            ErrorKind::TextBytes => {
                "messages: too many total text bytes: 9000001 > 9000000".to_owned()
            }
            ErrorKind::RequestTooLarge => "Request exceeds the maximum size".to_owned(),
            ErrorKind::RateLimit => {
                "This request would exceed your account rate limit. Please try again later."
                    .to_owned()
            }
            ErrorKind::Server => "Internal server error".to_owned(),
            ErrorKind::BadGateway => "Bad Gateway".to_owned(),
            _ => "Overloaded".to_owned(),
        }
    }

    /// The CLI's words and the reason in the result.
    fn wording(self, given: &Circumstances, message: &str) -> (String, &'static str) {
        let status = self.names().0.unwrap_or(0);
        match self {
            ErrorKind::PromptTooLong => (too_long(given), "prompt_too_long"),
            ErrorKind::MaxTokensExceed => (
                "Prompt is too long · this conversation is a single exchange and cannot be compacted — the request size comes mostly from system prompt, tool definitions, or attachments.".to_owned(),
                "prompt_too_long",
            ),
            ErrorKind::BlockingLimit => ("Prompt is too long".to_owned(), "blocking_limit"),
            ErrorKind::TextBytes => (format!("API Error: 400 {message}"), "completed"),
            ErrorKind::ContextWindowExceeded => {
                ("API Error: The model has reached its context window limit.".to_owned(), "completed")
            }
            ErrorKind::RequestTooLarge => (
                "Request too large (max 32MB). Try with a smaller file.".to_owned(),
                "image_error",
            ),
            ErrorKind::Authentication => {
                ("Invalid API key · Fix external API key".to_owned(), "completed")
            }
            ErrorKind::CreditBalance => ("Credit balance is too low".to_owned(), "completed"),
            ErrorKind::ModelNotFound => (
                format!("There's an issue with the selected model ({}). It may not exist or you may not have access to it. Run --model to pick a different model.", given.model),
                "completed",
            ),
            ErrorKind::RateLimit => {
                (format!("API Error: Request rejected (429) · {message}"), "completed")
            }
            ErrorKind::Server | ErrorKind::BadGateway | ErrorKind::Overloaded => (
                format!("API Error: {status} {message}. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway ({}).", gateway()),
                "completed",
            ),
            ErrorKind::StreamError => (format!("API Error: {message}"), "completed"),
            ErrorKind::ConnectionClosed => (
                "API Error: Connection closed mid-response. The response above may be incomplete.".to_owned(),
                "completed",
            ),
            ErrorKind::ConnectionRefused => {
                ("API Error: Unable to connect to API (ConnectionRefused)".to_owned(), "completed")
            }
        }
    }
}

fn too_long(given: &Circumstances) -> String {
    match given.first_exchange {
        None => "Prompt is too long".to_owned(),
        Some(own) => format!(
            "Prompt is too long · the request is ~{} tokens (limit {}) but this conversation is only ~{own} tokens — the rest is system prompt, tool definitions, and attachment content. A single-exchange conversation cannot be compacted; reduce attached files/tools or start with less context.",
            given.used, given.window
        ),
    }
}

/// The host that requests would go to.
fn gateway() -> String {
    let url = env::var("ANTHROPIC_BASE_URL").unwrap_or_default();
    let host = url.split("://").last().unwrap_or_default().split('/').next().unwrap_or_default();
    if host.is_empty() { "127.0.0.1:8080".to_owned() } else { host.to_owned() }
}
