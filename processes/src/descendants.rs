//! What a process has started, and that in turn, wherever it has gone: into a group or a
//! session of its own, where no signal to the first reaches it.

use std::collections::BTreeMap;

use crate::Running;

/// The processes below one, as long as those between them live.
pub fn descendants(ancestor: u32) -> Vec<Running> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, parent) in parents() {
        children.entry(parent).or_default().push(number);
    }
    let mut found = Vec::new();
    let mut below = vec![ancestor];
    while let Some(parent) = below.pop() {
        for number in children.remove(&parent).unwrap_or_default() {
            found.extend(Running::of(number, false));
            below.push(number);
        }
    }
    found
}

/// What a process was called with; `None` where nothing tells.
pub fn command_line(number: u32) -> Option<String> {
    let line = command_line_of(number)?;
    let words = line.split('\0').filter(|word| !word.is_empty());
    Some(words.collect::<Vec<_>>().join(" ")).filter(|line| !line.is_empty())
}

/// Every process with its parent.
#[cfg(target_os = "linux")]
fn parents() -> Vec<(u32, u32)> {
    let entries = fs_err::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(|number| Some((number, parent(number)?))).collect()
}

#[cfg(target_os = "linux")]
fn parent(number: u32) -> Option<u32> {
    let stat = fs_err::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // Field 4, behind the name, which may hold anything, and the state.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
fn command_line_of(number: u32) -> Option<String> {
    let bytes = fs_err::read(format!("/proc/{number}/cmdline")).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(not(target_os = "linux"))]
fn parents() -> Vec<(u32, u32)> {
    let told = std::process::Command::new("/bin/ps").args(["-A", "-o", "pid=,ppid="]).output();
    let told = told.map(|told| told.stdout).unwrap_or_default();
    let pair = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    String::from_utf8_lossy(&told).lines().filter_map(pair).collect()
}

#[cfg(not(target_os = "linux"))]
fn command_line_of(number: u32) -> Option<String> {
    let number = number.to_string();
    let told = std::process::Command::new("/bin/ps").args(["-o", "args=", "-p", &number]).output();
    Some(String::from_utf8_lossy(&told.ok()?.stdout).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_a_process_started_is_found() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sh -c 'cat; true'; true"]).stdin(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let is_cat = |running: &Running| command_line(running.number).as_deref() == Some("cat");
        let started = std::time::Instant::now();
        let cat = loop {
            if let Some(cat) = descendants(child.id()).into_iter().find(is_cat) {
                break cat;
            }
            assert!(started.elapsed().as_secs() < 10, "there is no cat");
        };
        assert!(descendants(std::process::id()).contains(&cat));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!cat.lives() && command_line(cat.number).is_none());
    }
}
