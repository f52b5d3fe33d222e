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
    let mut built = BUILT.lock().unwrap();
    let folder = target_folder();
    if !built.iter().any(|known| known == name) {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["build", "--quiet", "--package", name, "--bin", name]);
        if folder.file_name().is_some_and(|profile| profile != "debug") {
            command.arg("--profile").arg(folder.file_name().unwrap());
        }
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let status = command.arg("--manifest-path").arg(manifest).status().unwrap();
        assert!(status.success(), "{name} does not build");
        built.push(name.to_owned());
    }
    folder.join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// `target/debug`, above the `deps` in which tests lie.
fn target_folder() -> PathBuf {
    let test = env::current_exe().unwrap();
    let folder = test.parent().unwrap();
    if folder.ends_with("deps") { folder.parent().unwrap() } else { folder }.to_owned()
}
