//! Lines without the colours of a terminal, where the line itself is looked at.

use std::borrow::Cow;

/// The text without escape sequences.
pub(crate) fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |at| at + 1);
        plain.push_str(&part[end..]);
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go() {
        assert_eq!(without_colours("\u{1b}[1;31merror:\u{1b}[0m it broke"), "error: it broke");
        assert_eq!(without_colours("plain [31m"), "plain [31m");
    }
}
