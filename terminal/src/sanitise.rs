//! Text from elsewhere, made safe to show on a terminal.

use std::borrow::Cow;

/// The text without the characters a terminal would act on: C0 and C1 controls
/// (newline and tab stay), DEL, and the marks that reverse the reading order.
/// An escape sequence loses its introducer and so becomes plain letters.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_safe) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|&c| is_safe(c)).collect())
}

fn is_safe(c: char) -> bool {
    let reorders = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    matches!(c, '\n' | '\t') || !(c.is_control() || reorders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_bytes_go_and_text_stays() {
        assert_eq!(sanitise("a\u{1b}[31mred\u{7}\n\t\u{9b}2Jz"), "a[31mred\n\t2Jz");
        assert_eq!(sanitise("abc\u{202e}fed"), "abcfed");
        assert!(matches!(sanitise("交接 · ok"), Cow::Borrowed(_)));
    }
}
