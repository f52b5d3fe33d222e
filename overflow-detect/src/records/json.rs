//! A line as JSON.

use memchr::memmem;
use serde_json::Value;

/// Whether a line seems to be a record of JSON.
pub(super) fn looks_like(line: &[u8]) -> bool {
    matches!(body(line).first(), Some(b'{' | b'['))
}

/// The JSON objects and lists on a line, behind a BOM, NULs or the `data:` of an
/// event stream; more than one where a writer lost a line end. None: it is text.
/// A record that is torn is no text, since nobody can tell whose words it holds,
/// unless it bears the mark of an error.
pub(super) fn parse(line: &[u8]) -> Option<Vec<Value>> {
    let body = body(line);
    if !matches!(body.first(), Some(b'{' | b'[')) {
        return None;
    }
    let repaired;
    let body = match std::str::from_utf8(body) {
        Ok(text) => text,
        // A bad byte blinds neither the reader nor the record.
        Err(_) => {
            repaired = String::from_utf8_lossy(body);
            &repaired
        }
    };
    let mut values = Vec::new();
    let mut stream = serde_json::Deserializer::from_str(body).into_iter::<Value>();
    let complete = loop {
        match stream.next() {
            Some(Ok(value)) => values.push(value),
            Some(Err(_)) => break false,
            None => break true,
        }
    };
    values.retain(is_record);
    let torn = !complete && body.starts_with("{\"") && !has_error_mark(body.as_bytes());
    (!values.is_empty() || torn).then_some(values)
}

/// An object, or a list of them; a colour or a time in brackets is none.
fn is_record(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(Value::is_object),
        _ => false,
    }
}

fn body(line: &[u8]) -> &[u8] {
    let nuls = line.iter().take_while(|&&byte| byte == 0).count();
    let line = line[nuls..].trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.strip_prefix(b"data:").unwrap_or(line).trim_ascii()
}

/// Marks of an error-shaped record, in the head of a line too long to parse.
pub(super) fn has_error_mark(line: &[u8]) -> bool {
    let head = &line[..line.len().min(16 << 10)];
    let marks: [&[u8]; 7] = [
        b"\"isApiErrorMessage\":true",
        b"\"type\":\"error\"",
        b"\"type\":\"turn.failed\"",
        b"\"is_error\":true",
        b"\"error\":{",
        b"\"error\":\"",
        b"\"level\":\"error\"",
    ];
    let user: [&[u8]; 2] = [b"\"type\":\"user\"", b"\"role\":\"user\""];
    marks.iter().any(|mark| memmem::find(head, mark).is_some())
        && !user.iter().any(|mark| memmem::find(head, mark).is_some())
}
