//! Where Gemini CLI compacts by itself: at a share of the model's window that its
//! settings name, half of it by default. A share of 1 or more never comes; 0 counts as
//! none given. No option, and no variable, says so for one run.
//!
//! A session is resumed for its document, and to a resumed one the CLI (0.61.0) gives each
//! result of a tool twice: its records hold it twice, within the call and as a message. It
//! compacts in front of the first request if that, by its own estimate, is too much. Most
//! of a context may be results, and so half of that share, or of the window, can be filled.

use std::path::{Path, PathBuf};

use json_comments::StripComments;
use serde_json::Value;

use crate::agent::set;

/// The window that the CLI assumes of all but a few small models.
const WINDOW: f64 = 1_048_576.0;
const DEFAULT: f64 = 0.5;

/// How far a session in that folder can be filled, in tokens of context.
pub(super) fn room(folder: &Path) -> u64 {
    // The folder's own settings count only where it is trusted by what stands elsewhere;
    // `--skip-trust` comes too late for them.
    let [system, project, home, defaults] = settings(folder).map(|path| threshold(&path?));
    let trusted = system.or(project).or(home).or(defaults);
    let others = system.or(home).or(defaults);
    let within = |share: Option<f64>| within(share.unwrap_or(DEFAULT));
    within(trusted).min(within(others))
}

/// As the CLI looks at them, the strongest first.
fn settings(folder: &Path) -> [Option<PathBuf>; 4] {
    let system = set("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
        .unwrap_or_else(|| "/etc/gemini-cli/settings.json".into());
    let defaults = set("GEMINI_CLI_SYSTEM_DEFAULTS_PATH")
        .unwrap_or_else(|| system.with_file_name("system-defaults.json"));
    let own = Path::new(".gemini/settings.json");
    let home = set("GEMINI_CLI_HOME").or_else(|| set("HOME")).map(|home| home.join(own));
    [Some(system), Some(folder.join(own)), home, Some(defaults)]
}

/// One that cannot be read says nothing, to the CLI as well. It may have comments.
fn threshold(path: &Path) -> Option<f64> {
    let text = fs_err::read(path).ok()?;
    let settings: Value = serde_json::from_reader(StripComments::new(text.as_slice())).ok()?;
    settings["model"]["compressionThreshold"].as_f64()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of the window is a number of tokens"
)]
fn within(share: f64) -> u64 {
    let share = if share > 0.0 { share.min(1.0) } else { DEFAULT };
    (share * WINDOW / 2.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_window() {
        assert_eq!(within(0.5), 262_144);
        assert_eq!(within(0.0), 262_144);
        assert_eq!(within(0.7), 367_001);
        assert_eq!((within(1.0), within(2.0)), (524_288, 524_288));
    }

    #[test]
    fn settings_that_name_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        for (text, share) in [
            (r#"{"model":{"compressionThreshold":0.7}}"#, Some(0.7)),
            (r#"{"model":{}}"#, None),
            ("{ // lower\n\"model\":{\"compressionThreshold\":0.3 /* \" */}}", Some(0.3)),
            ("{ // a comment", None),
        ] {
            fs_err::write(&path, text).unwrap();
            assert_eq!(threshold(&path), share, "{text}");
        }
        assert_eq!(threshold(&folder.path().join("none")), None);
    }
}
