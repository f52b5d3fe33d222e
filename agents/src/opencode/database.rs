//! A session out of the CLI's own database, by the CLI's own means: `opencode db`
//! runs a query, and is quicker than an export of the whole.

use std::io;
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::source::Source;

/// The programs whose databases have this form.
const PROGRAMS: [&str; 2] = ["opencode", "kilo"];

/// The session as `opencode export` prints it, but for what is not read.
const QUERY: &str = "\
SELECT json_object(
  'info', json_object('id', s.id, 'directory', s.directory, 'projectID', s.project_id,
    'parentID', s.parent_id),
  'messages', (SELECT json_group_array(json_object(
      'info', json_set(m.data, '$.id', m.id),
      'parts', json((SELECT json_group_array(json(p.data))
        FROM (SELECT data FROM part WHERE message_id = m.id ORDER BY id) p))))
    FROM (SELECT * FROM message WHERE session_id = s.id ORDER BY time_created, id) m)
  ) AS document
FROM session s WHERE s.id = ";

#[derive(Deserialize)]
struct Row {
    document: String,
}

/// The session with this id; `None` where no CLI that is there has it.
///
/// # Errors
/// A CLI is there and cannot be run.
pub(super) fn session(id: &str) -> io::Result<Option<Source>> {
    // The id is part of the query.
    if !id.starts_with("ses_") || !id.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
        return Ok(None);
    }
    let query = format!("{QUERY}'{id}'");
    for program in PROGRAMS {
        let mut command = Command::new(program);
        command.args(["db", &query, "--format", "json"]).stdin(Stdio::null()).stderr(Stdio::null());
        match command.output() {
            Ok(output) => {
                let rows = serde_json::from_slice::<Vec<Row>>(&output.stdout).unwrap_or_default();
                if let Some(row) = rows.into_iter().next() {
                    return Source::stream(row.document.as_bytes()).map(Some);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
