//! Where Gemini CLI compacts by itself: at a share of the model's window that its
//! settings name, half of it by default. A share of 1 or more never comes; 0 counts as
//! none given. No option, and no variable, says so for one run.

use std::path::{Path, PathBuf};

use json_comments::StripComments;
use serde_json::Value;

use crate::agent::set;

/// The window that the CLI assumes of all but a few small models.
const WINDOW: f64 = 1_048_576.0;
const DEFAULT: f64 = 0.5;

/// In tokens of context, for a run in that folder; `None` where it never comes.
pub(super) fn comes_at(folder: &Path) -> Option<u64> {
    let found = settings(folder).into_iter().find_map(|path| threshold(&path));
    at(found.unwrap_or(DEFAULT))
}

/// As the CLI looks at them, the strongest first.
fn settings(folder: &Path) -> Vec<PathBuf> {
    let system = set("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
        .unwrap_or_else(|| "/etc/gemini-cli/settings.json".into());
    let home = set("GEMINI_CLI_HOME").or_else(|| set("HOME"));
    let own = Path::new(".gemini/settings.json");
    let mut settings = vec![system, folder.join(own)];
    settings.extend(home.map(|home| home.join(own)));
    settings
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
fn at(share: f64) -> Option<u64> {
    let share = if share > 0.0 { share } else { DEFAULT };
    (share < 1.0).then_some((share * WINDOW) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_window() {
        assert_eq!(at(0.5), Some(524_288));
        assert_eq!(at(0.0), Some(524_288));
        assert_eq!(at(0.7), Some(734_003));
        assert_eq!((at(1.0), at(2.0)), (None, None));
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
