//! The agent CLIs that can be put into a world: where their program comes from, what
//! leads them to the scripted endpoint, and what lets them use a shell.

use std::path::Path;

use serde_json::json;

/// One agent CLI.
#[derive(Debug)]
pub struct Cli {
    /// Its name for agent-run, which is its program's.
    pub name: &'static str,
    /// Arguments of its own that let it use a shell.
    pub permissions: &'static [&'static str],
    /// Writes what it reads below its home.
    configure: fn(home: &Path, url: &str),
    /// Variables of its own.
    environment: fn(home: &Path, url: &str) -> Vec<(&'static str, String)>,
}

impl Cli {
    pub(crate) fn configure(&self, home: &Path, url: &str) {
        (self.configure)(home, url);
    }

    pub(crate) fn environment(&self, home: &Path, url: &str) -> Vec<(&'static str, String)> {
        (self.environment)(home, url)
    }
}

/// Claude Code. Its settings lie where a person's would.
pub const CLAUDE: Cli = Cli {
    name: "claude",
    permissions: &["--allowedTools", "Bash"],
    configure: |_, _| {},
    environment: |home, url| {
        vec![
            ("CLAUDE_CONFIG_DIR", in_home(home, ".claude")),
            ("ANTHROPIC_BASE_URL", url.to_owned()),
            ("ANTHROPIC_API_KEY", "dummy".to_owned()),
            ("DISABLE_TELEMETRY", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("CLAUDE_CODE_MAX_RETRIES", "1".to_owned()),
        ]
    },
};

/// Codex.
pub const CODEX: Cli = Cli {
    name: "codex",
    permissions: &["-s", "danger-full-access"],
    configure: |home, url| {
        let config = format!(
            "model = \"gpt-5.2-codex\"\nmodel_provider = \"scripted\"\n\
             [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{url}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\n\
             request_max_retries = 0\nstream_max_retries = 0\n"
        );
        write(&home.join(".codex/config.toml"), &config);
    },
    environment: |_, _| vec![("SCRIPTED_KEY", "dummy".to_owned())],
};

/// Gemini CLI.
pub const GEMINI: Cli = Cli {
    name: "gemini",
    permissions: &["--approval-mode", "yolo", "--skip-trust"],
    configure: |home, _| {
        let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
        write(&home.join(".gemini/settings.json"), &settings.to_string());
    },
    environment: |_, url| {
        vec![
            ("GEMINI_API_KEY", "dummy".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
            // One of its own choosing is chosen by a request on the side.
            ("GEMINI_MODEL", "gemini-2.5-pro".to_owned()),
        ]
    },
};

/// Qwen Code.
pub const QWEN: Cli = Cli {
    name: "qwen",
    permissions: &["--yolo"],
    configure: |home, _| {
        let settings = json!({
            "security": {"auth": {"selectedType": "openai"}},
            // A request of its own behind each prompt, with tools of its own.
            "memory": {"enableManagedAutoMemory": false},
        });
        write(&home.join(".qwen/settings.json"), &settings.to_string());
    },
    environment: |_, url| {
        vec![
            ("OPENAI_API_KEY", "dummy".to_owned()),
            ("OPENAI_BASE_URL", format!("{url}/v1")),
            ("OPENAI_MODEL", "scripted".to_owned()),
        ]
    },
};

/// OpenCode.
pub const OPENCODE: Cli = Cli {
    name: "opencode",
    permissions: &[],
    configure: |home, url| {
        let config = json!({
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "autoupdate": false,
            "share": "disabled",
            "provider": {"scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": format!("{url}/v1"), "apiKey": "dummy"},
                "models": {"scripted": {
                    "name": "scripted", "limit": {"context": 200_000, "output": 8_192}}},
            }},
        });
        write(&home.join(".config/opencode/opencode.json"), &config.to_string());
    },
    // Before its first plugin it installs a package of its own, and tries for a minute
    // where there is no network.
    environment: |_, _| {
        vec![
            ("npm_config_offline", "true".to_owned()),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
        ]
    },
};

/// pi.
pub const PI: Cli = Cli {
    name: "pi",
    permissions: &[],
    configure: |home, url| {
        let models = json!({"providers": {"scripted": {
            "baseUrl": format!("{url}/v1"),
            "api": "openai-completions",
            "apiKey": "dummy",
            "models": [{"id": "scripted", "name": "scripted", "contextWindow": 200_000,
                "maxTokens": 8_192}],
        }}});
        write(&home.join(".pi/agent/models.json"), &models.to_string());
        let settings = json!({"defaultProvider": "scripted", "defaultModel": "scripted"});
        write(&home.join(".pi/agent/settings.json"), &settings.to_string());
    },
    environment: |_, _| vec![("PI_OFFLINE", "1".to_owned())],
};

/// GitHub Copilot CLI.
pub const COPILOT: Cli = Cli {
    name: "copilot",
    permissions: &["--allow-all-tools"],
    configure: |_, _| {},
    environment: |_, url| {
        vec![
            ("COPILOT_OFFLINE", "true".to_owned()),
            ("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1")),
            ("COPILOT_PROVIDER_API_KEY", "dummy".to_owned()),
            ("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "200000".to_owned()),
            ("COPILOT_MODEL", "scripted".to_owned()),
        ]
    },
};

fn in_home(home: &Path, name: &str) -> String {
    home.join(name).to_str().unwrap().to_owned()
}

fn write(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}
