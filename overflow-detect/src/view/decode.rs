//! One character of the original at a time: what becomes of it in the view.

/// What a character, an escape or an entity is to the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// It stays, as this character.
    Keep(char),
    /// A line ends.
    LineEnd,
    /// Words end.
    Blank,
    /// It never was there.
    Drop,
}

/// In [`PLAIN`]: a byte that needs a closer look.
const LOOK: u8 = 0;
/// In [`PLAIN`]: a blank.
pub(super) const BLANK: u8 = 1;

/// What most bytes become, without a closer look: themselves, in lower case.
pub(super) const PLAIN: [u8; 256] = plain_bytes();

const fn plain_bytes() -> [u8; 256] {
    let mut table = [LOOK; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        table[byte as usize] = match byte {
            b' ' => BLANK,
            b'-' | b'_' | b'"' | b'\'' | b'`' | b'|' | b'\\' | b'&' | b'[' => LOOK,
            _ => byte.to_ascii_lowercase(),
        };
        byte += 1;
    }
    table
}

/// The step at `at`, and how many bytes of the original it takes (at least 1).
pub(super) fn step(raw: &[u8], at: usize) -> (Step, usize) {
    let byte = raw[at];
    match byte {
        b' ' | b'\t' | 0x0b | 0x0c => (Step::Blank, 1),
        b'\n' => (Step::LineEnd, 1),
        // A minus is part of a number, a hyphen is not part of a word.
        b'-' if is_minus(raw, at) => (Step::Keep('-'), 1),
        b'-' | b'_' | b'"' | b'\'' | b'`' => (Step::Drop, 1),
        b'|' => (Step::Blank, 1),
        b'\\' => escape(raw, at),
        b'&' => entity(raw, at),
        b'[' => match colour(raw, at) {
            0 => (Step::Keep('['), 1),
            width => (Step::Drop, width),
        },
        0x1b => (Step::Drop, 1 + control_sequence(raw, at + 1)),
        b'!'..=b'~' => (Step::Keep(char::from(byte.to_ascii_lowercase())), 1),
        0..=0x7f => (Step::Drop, 1),
        _ => wide(raw, at),
    }
}

/// Whether a digit follows, on this line or on the next.
fn is_minus(raw: &[u8], at: usize) -> bool {
    let skip = usize::from(raw.get(at + 1) == Some(&b'\n'));
    raw.get(at + 1 + skip).is_some_and(u8::is_ascii_digit)
}

/// A character beyond ASCII: letters stay, punctuation of full width becomes
/// plain, all the rest (box drawing, bullets, emoji, dashes) separates words.
fn wide(raw: &[u8], at: usize) -> (Step, usize) {
    let Some((c, width)) = first_char(&raw[at..]) else { return (Step::Drop, 1) };
    (folded(c), width)
}

fn folded(c: char) -> Step {
    match c {
        '‘' | '’' | '“' | '”' | '«' | '»' | '「' | '」' | '『' | '』' | '´' => {
            Step::Drop
        }
        '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{2060}' | '\u{ad}' => Step::Drop,
        '。' => Step::Keep('.'),
        '、' => Step::Keep(','),
        '≤' | '≦' => Step::Keep('<'),
        '≥' | '≧' => Step::Keep('>'),
        '！'..='～' => {
            let plain = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
            if matches!(plain, '"' | '\'' | '`' | '_' | '-') {
                Step::Drop
            } else {
                Step::Keep(plain.to_ascii_lowercase())
            }
        }
        _ if c.is_alphanumeric() => Step::Keep(c.to_lowercase().next().unwrap_or(c)),
        _ => Step::Blank,
    }
}

fn first_char(raw: &[u8]) -> Option<(char, usize)> {
    let bytes = &raw[..raw.len().min(4)];
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?,
    };
    text.chars().next().map(|c| (c, c.len_utf8()))
}

/// A run of backslashes, as many as three rounds of escaping make, and the
/// character it escapes.
fn escape(raw: &[u8], at: usize) -> (Step, usize) {
    let mut end = at;
    while raw.get(end) == Some(&b'\\') {
        end += 1;
    }
    // A hard wrap may fall between the backslash and its letter.
    if raw.get(end) == Some(&b'\n') && raw.get(end + 1).is_some_and(u8::is_ascii_alphabetic) {
        end += 1;
    }
    let run = end - at;
    match raw.get(end) {
        Some(b'n' | b'r') => (Step::LineEnd, run + 1),
        Some(b't') => (Step::Blank, run + 1),
        Some(b'u') => match hex(raw, end + 1, 4) {
            Some(0x1b) => (Step::Drop, run + 5 + control_sequence(raw, end + 5)),
            Some(code) => (char::from_u32(code).map_or(Step::Drop, plain), run + 5),
            None => (Step::Drop, run),
        },
        Some(b'x') if hex(raw, end + 1, 2) == Some(0x1b) => {
            (Step::Drop, run + 3 + control_sequence(raw, end + 3))
        }
        Some(b'0') if raw[end..].starts_with(b"033[") => {
            (Step::Drop, run + 3 + control_sequence(raw, end + 3))
        }
        Some(b'e') if raw.get(end + 1) == Some(&b'[') => {
            (Step::Drop, run + 1 + control_sequence(raw, end + 1))
        }
        _ => (Step::Drop, run),
    }
}

fn hex(raw: &[u8], at: usize, digits: usize) -> Option<u32> {
    let digits = raw.get(at..at + digits)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// What a decoded character is to the view.
fn plain(c: char) -> Step {
    if !c.is_ascii() {
        return folded(c);
    }
    let byte = c as u8;
    // Standing alone it can begin no further escape or entity.
    match byte {
        b'\\' | b'&' | 0x1b => Step::Drop,
        _ => step(&[byte], 0).0,
    }
}

/// `&gt;`, `&#39;`, `&#x27;`, and `&amp;gt;` where encoding was done twice.
fn entity(raw: &[u8], at: usize) -> (Step, usize) {
    let mut end = at + 1;
    while raw[end..].starts_with(b"amp;") {
        end += 4;
    }
    for (name, c) in [("gt;", '>'), ("lt;", '<'), ("quot;", '"'), ("apos;", '\''), ("nbsp;", ' ')] {
        if raw[end..].starts_with(name.as_bytes()) {
            return (plain(c), end + name.len() - at);
        }
    }
    if let Some((c, width)) = numeric(&raw[end..]) {
        return (plain(c), end + width - at);
    }
    (Step::Keep('&'), end - at)
}

/// `#39;` or `#x27;`.
fn numeric(raw: &[u8]) -> Option<(char, usize)> {
    let end = raw.iter().take(9).position(|&byte| byte == b';')?;
    let digits = std::str::from_utf8(raw.get(1..end)?).ok()?;
    if raw.first() != Some(&b'#') {
        return None;
    }
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some((char::from_u32(code)?, end + 1))
}

/// The length of a colour whose introducer was stripped by a log: `[31m`.
fn colour(raw: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while raw.get(end).is_some_and(|byte| byte.is_ascii_digit() || *byte == b';') {
        end += 1;
    }
    let width = end - at;
    // A model's name may end in `[1m]`.
    let closed = raw.get(end + 1) == Some(&b']');
    if (2..=9).contains(&width) && raw.get(end) == Some(&b'm') && !closed { width + 1 } else { 0 }
}

/// The length of what follows an escape character.
fn control_sequence(raw: &[u8], at: usize) -> usize {
    let rest = &raw[at.min(raw.len())..];
    match rest.first() {
        Some(b'[') => {
            let end = rest[1..].iter().position(|byte| (0x40..=0x7e).contains(byte));
            end.map_or(rest.len(), |end| end + 2)
        }
        // A title: up to BEL or ESC \, and bounded, since the end may be missing.
        Some(b']') => {
            let rest = &rest[..rest.len().min(512)];
            rest.iter().position(|&byte| byte == 7 || byte == 0x1b).map_or(1, |end| end + 1)
        }
        Some(_) => 1,
        None => 0,
    }
}
