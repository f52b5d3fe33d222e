//! A process that may outlive whoever started it, told from a later one that has got
//! its number.

use std::fmt;
use std::str::FromStr;

/// A process, or the group that it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// Its number, which is its group's as well where it leads one.
    pub number: u32,
    /// Whether it leads a group of its own, all of which counts.
    pub is_group: bool,
    /// When it started, as the system tells it.
    started: String,
}

impl Running {
    /// A process that runs now; `None` where it does not, or nothing tells.
    pub fn of(number: u32, is_group: bool) -> Option<Running> {
        Some(Running { number, is_group, started: started(number)? })
    }

    /// Whether it still runs. Of a group something may, though its leader has ended: its
    /// number is nobody else's then.
    pub fn lives(&self) -> bool {
        match started(self.number) {
            Some(started) => started == self.started,
            None => self.is_group && group_lives(self.number),
        }
    }
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_group { "group" } else { "process" };
        write!(f, "{kind} {} {}", self.number, self.started)
    }
}

impl FromStr for Running {
    type Err = ();

    fn from_str(text: &str) -> Result<Running, ()> {
        let mut words = text.trim_end().splitn(3, ' ');
        let mut next = || words.next().ok_or(());
        let is_group = match next()? {
            "group" => true,
            "process" => false,
            _ => return Err(()),
        };
        let number = next()?.parse().map_err(|_| ())?;
        Ok(Running { number, is_group, started: next()?.to_owned() })
    }
}

/// When a process started that has not ended. A zombie has.
#[cfg(target_os = "linux")]
fn started(number: u32) -> Option<String> {
    let stat = fs_err::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name, in parentheses, may hold anything. Field 3 is the state, field 22 the
    // time, in ticks since the system started (proc_pid_stat(5)).
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn started(number: u32) -> Option<String> {
    let number = number.to_string();
    let mut ps = std::process::Command::new("/bin/ps");
    let told = ps.env("LC_ALL", "C").args(["-o", "state=,lstart=", "-p", &number]).output().ok()?;
    let told = String::from_utf8_lossy(&told.stdout);
    let (state, started) = told.trim().split_once(' ')?;
    (!state.starts_with('Z')).then(|| started.trim().to_owned())
}

fn group_lives(number: u32) -> bool {
    let Ok(leader) = libc::pid_t::try_from(number) else { return false };
    // SAFETY: signal 0 is sent to nobody.
    unsafe { libc::kill(-leader, 0) == 0 }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_told_from_a_later_one_with_its_number() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let running = Running::of(child.id(), false).unwrap();
        assert!(running.lives());
        let kept: Running = format!("{running}\n").parse().unwrap();
        assert_eq!(kept, running);
        let later = Running { started: "1".to_owned(), ..running.clone() };
        assert!(!later.lives());
        drop(child.stdin.take());
        // Not waited for yet, it is a zombie.
        while running.lives() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!running.lives() && Running::of(child.id(), false).is_none());
        for none in ["", "group", "group x 1", "other 1 1", "process 1"] {
            assert!(none.parse::<Running>().is_err(), "{none}");
        }
    }
}
