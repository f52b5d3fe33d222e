//! Settings: the user's, the project's, and those of the command line.

use std::path::Path;

use serde_json::Value;

use crate::Refusal;
use crate::hooks::Rule;
use crate::place::Place;

/// What the settings say, as far as it matters here.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// All hooks, of all files.
    pub(crate) hooks: Vec<Rule>,
    /// `autoCompactEnabled` is false.
    pub(crate) no_auto_compact: bool,
    /// The model.
    pub(crate) model: Option<String>,
}

impl Settings {
    /// Reads the user's file, the project's two, and `given`, which is JSON or
    /// names a file.
    ///
    /// # Errors
    /// `given` is neither. A file that is no JSON has no effect, as in the real CLI.
    pub(crate) fn load(
        place: &Place,
        given: Option<&std::ffi::OsStr>,
    ) -> Result<Settings, Refusal> {
        let mut settings = Settings::default();
        let mut sources = vec![
            place.config.join("settings.json"),
            place.cwd.join(".claude/settings.json"),
            place.cwd.join(".claude/settings.local.json"),
        ];
        let mut disabled = false;
        if let Some(given) = given {
            let text = given.to_string_lossy();
            match serde_json::from_str::<Value>(&text) {
                Ok(value) if value.is_object() => disabled |= settings.take(&value),
                _ => {
                    let path = place.cwd.join(Path::new(given));
                    if fs_err::metadata(&path).is_err() {
                        return Err(Refusal::error(format!("Settings file not found: {text}")));
                    }
                    sources.push(path);
                }
            }
        }
        for path in sources {
            let read = fs_err::read(path).ok();
            let value = read.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
            if let Some(value) = value {
                disabled |= settings.take(&value);
            }
        }
        if disabled {
            settings.hooks.clear();
        }
        Ok(settings)
    }

    /// Takes in one file; says whether it disables all hooks.
    fn take(&mut self, value: &Value) -> bool {
        for (event, groups) in value["hooks"].as_object().into_iter().flatten() {
            for group in groups.as_array().into_iter().flatten() {
                let matcher = group["matcher"].as_str();
                for hook in group["hooks"].as_array().into_iter().flatten() {
                    self.hooks.extend(Rule::of(event, matcher, hook));
                }
            }
        }
        self.no_auto_compact |= value["autoCompactEnabled"] == false;
        if let Some(model) = value["model"].as_str() {
            self.model = Some(model.to_owned());
        }
        value["disableAllHooks"] == true
    }
}
