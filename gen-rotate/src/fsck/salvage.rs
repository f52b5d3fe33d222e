//! The rows that can still be read of a ledger that is none any more: one that was
//! cut off, or that an editor or a disk spoilt in the middle.

use crate::row::Row;

/// What begins a row where gen-rotate wrote it.
const BEGINNING: &[u8] = b"\n  {";

/// Every whole row, in order.
pub(super) fn rows(bytes: &[u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut at = bytes.iter().position(|&byte| byte == b'{').unwrap_or(bytes.len());
    while at < bytes.len() {
        let mut stream = serde_json::Deserializer::from_slice(&bytes[at..]).into_iter::<Row>();
        match stream.next() {
            Some(Ok(row)) if row.fault().is_none() => {
                rows.push(row);
                at += stream.byte_offset();
                // To the next row, whoever wrote it.
                at += bytes[at..].iter().position(|&byte| byte == b'{').unwrap_or(bytes.len());
            }
            _ => {
                let next = memchr::memmem::find(&bytes[at..], BEGINNING);
                at = next.map_or(bytes.len(), |next| at + next + BEGINNING.len() - 1);
            }
        }
    }
    rows
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
