//! The tools under test, built once for each test process.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

static BUILT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The path of a tool of this workspace, freshly built in the profile of the
/// running test. A test package does not make cargo build the tools of others.
///
/// # Panics
/// The tool does not build.
pub fn program(name: &str) -> PathBuf {
    programs(&[name]).join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// The folder that holds these tools, built likewise.
///
/// # Panics
/// A tool does not build.
pub fn programs(names: &[&str]) -> PathBuf {
    let mut built = BUILT.lock().unwrap();
    let folder = target_folder();
    let missing: Vec<&str> =
        names.iter().copied().filter(|name| !built.iter().any(|known| known == name)).collect();
    if !missing.is_empty() {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["build", "--quiet"]);
        // Told outright: a relative CARGO_TARGET_DIR is another folder from here.
        command.arg("--target-dir").arg(folder.parent().unwrap());
        for name in &missing {
            command.args(["--package", name, "--bin", name]);
        }
        if let Some(profile) = folder.file_name().filter(|profile| *profile != "debug") {
            command.arg("--profile").arg(profile);
        }
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let status = command.arg("--manifest-path").arg(manifest).status().unwrap();
        assert!(status.success(), "{missing:?} do not build");
        built.extend(missing.into_iter().map(str::to_owned));
    }
    folder
}

/// `target/debug`, above the `deps` in which tests lie.
fn target_folder() -> PathBuf {
    let test = env::current_exe().unwrap();
    let folder = test.parent().unwrap();
    if folder.ends_with("deps") { folder.parent().unwrap() } else { folder }.to_owned()
}
