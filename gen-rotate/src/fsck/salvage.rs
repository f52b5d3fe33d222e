//! The rows that can still be read of a ledger that is none any more: one that was
//! cut off, or that an editor or a disk spoilt in the middle.

use crate::row::Row;

/// Every whole row, in order, in whatever layout. An intent that is none is left out:
/// the row is worth more.
pub(super) fn rows(bytes: &[u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'{') {
        at += found;
        let mut stream = serde_json::Deserializer::from_slice(&bytes[at..]).into_iter::<Row>();
        match stream.next() {
            Some(Ok(mut row)) if is_begun(&bytes[..at]) => {
                row.intent = row.intent.take().filter(|intent| intent.is_of(&row.step));
                at += stream.byte_offset();
                if row.fault().is_none() {
                    rows.push(row);
                }
            }
            // Not a row, though one may be within its reach.
            _ => at += 1,
        }
    }
    rows
}

/// Whether an entry of a list may begin here. What stands in a text is escaped, and
/// no row; a generation is none either, since it names no run.
fn is_begun(before: &[u8]) -> bool {
    let last = before.iter().rfind(|byte| !byte.is_ascii_whitespace());
    matches!(last, None | Some(b'[' | b',' | b'}' | 0xbf))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(runs: &[&str]) -> String {
        let row = |run: &&str| Row { run: (*run).to_owned(), ..Row::open("s", Some("{ }")) };
        serde_json::to_string_pretty(&runs.iter().map(row).collect::<Vec<_>>()).unwrap()
    }

    fn runs(bytes: &[u8]) -> Vec<String> {
        rows(bytes).into_iter().map(|row| row.run).collect()
    }

    #[test]
    fn whole_rows_are_found_wherever_it_was_cut() {
        let text = ledger(&["a", "b", "c"]);
        let ends: Vec<_> = text.match_indices("\n  }").map(|(at, end)| at + end.len()).collect();
        for cut in 0..=text.len() {
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            assert_eq!(runs(&text.as_bytes()[..cut]), ["a", "b", "c"][..whole], "cut at {cut}");
        }
    }

    #[test]
    fn what_is_spoilt_in_the_middle_costs_one_row() {
        let mut bytes = ledger(&["a", "b", "c"]).into_bytes();
        for layout in [serde_json::to_string, serde_json::to_string_pretty] {
            let rows: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            let text = layout(&rows).unwrap().replace("\"run\":\"a\"", "\"run\":7");
            assert!(runs(text.replace("\"run\": \"a\"", "\"run\": 7").as_bytes()) == ["b", "c"]);
        }
        let at = memchr::memmem::find(&bytes, b"\"b\"").unwrap();
        bytes[at..at + 3].fill(0);
        assert_eq!(runs(&bytes), ["a", "c"]);
        assert_eq!(
            runs(b"{\"run\":\"a\",\"step\":\"s\"} {\"run\":\"b\",\"step\":\"s\"}"),
            ["a", "b"]
        );
        for none in [&b""[..], b"{}", b"null", b"[1,2]", b"[{\"run\":\"r\"}]", b"{{{{"] {
            assert!(rows(none).is_empty());
        }
    }
}
