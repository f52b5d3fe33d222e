//! Where the tools keep what they learn between runs.

use std::env;
use std::path::PathBuf;

/// `$CTXUTILS_STATE`, else `$XDG_STATE_HOME/ctxutils`, else
/// `~/.local/state/ctxutils`; an empty variable counts as unset. `None` without
/// any of them: the tools then work without a memory. The folder may not exist.
pub fn state_folder() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CTXUTILS_STATE")
        .or_else(|| set("XDG_STATE_HOME").map(|folder| folder.join("ctxutils")))
        .or_else(|| set("HOME").map(|home| home.join(".local/state/ctxutils")))
}
