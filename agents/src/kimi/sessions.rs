//! Where Kimi CLI keeps its sessions.

use std::io;
use std::path::{Path, PathBuf};

use md5::{Digest, Md5};

use crate::agent::{Session, sessions_below, set};

const CONTEXT: &str = "context.jsonl";

pub(super) fn by_id(id: &str) -> io::Result<Vec<PathBuf>> {
    let is_id = !id.is_empty() && id.bytes().all(|b| b == b'-' || b.is_ascii_alphanumeric());
    let Some(sessions) = sessions().filter(|_| is_id) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    // Folders, their sessions, the files of each.
    sessions_below(&sessions, 2, &|name| name == CONTEXT, &mut found)?;
    let is_his =
        |path: &PathBuf| path.parent().and_then(Path::file_name).is_some_and(|name| name == id);
    Ok(found.into_iter().map(|session| session.path).filter(is_his).collect())
}

pub(super) fn by_folder(folder: &Path) -> io::Result<Vec<Session>> {
    let Some(sessions) = sessions() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    sessions_below(&sessions.join(key(folder)), 1, &|name| name == CONTEXT, &mut found)?;
    Ok(found)
}

/// The key of a folder.
fn key(folder: &Path) -> String {
    let hash = Md5::digest(folder.as_os_str().as_encoded_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sessions() -> Option<PathBuf> {
    let share = set("KIMI_SHARE_DIR").or_else(|| Some(set("HOME")?.join(".kimi")))?;
    Some(share.join("sessions"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_the_hash_of_the_path() {
        assert_eq!(key(Path::new("")), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(key(Path::new("/home/dev/proj")).len(), 32);
    }
}
