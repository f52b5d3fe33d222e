//! Whether the locks of a HOME hold beyond this host.
//!
//! The kernel grants flock(2) everywhere, but on some mounts of shared folders by
//! itself alone, so that two hosts may each hold "the" lock. Nothing fails then;
//! only the mount's options tell.

use super::{Finding, Kind, Scene, Standing};

pub(super) fn look(scene: &mut Scene<'_>) {
    // Only Linux has the list; without it there is nothing to say.
    let Ok(mounts) = fs_err::read_to_string("/proc/self/mountinfo") else { return };
    let Ok(home) = fs_err::canonicalize(scene.home.root()) else { return };
    if let Some(mount) = mount_of(&mounts, &home.to_string_lossy()).filter(Mount::locks_alone) {
        let message = format!(
            "HOME lies on {}, mounted so that its locks hold on this host only: no other host may \
             use it at the same time",
            mount.kind
        );
        scene.find(Finding::new(Kind::LocksLocal, Standing::Note, message));
    }
}

/// One line of the list of mounts.
struct Mount<'a> {
    kind: &'a str,
    options: Vec<&'a str>,
}

impl Mount<'_> {
    fn locks_alone(&self) -> bool {
        let has = |wanted: &[&str]| self.options.iter().any(|option| wanted.contains(option));
        match self.kind {
            "nfs" | "nfs4" => has(&["nolock", "local_lock=all", "local_lock=flock"]),
            "cifs" | "smb3" => has(&["nobrl"]),
            "lustre" => has(&["localflock"]),
            "9p" => true,
            // The kernel answers for a server that does not.
            kind => kind.starts_with("fuse."),
        }
    }
}

/// The mount that a path lies on: the last of those with the longest point.
fn mount_of<'a>(mounts: &'a str, path: &str) -> Option<Mount<'a>> {
    let mut best: Option<(String, Mount<'a>)> = None;
    for line in mounts.lines() {
        let Some((front, back)) = line.split_once(" - ") else { continue };
        let (mut front, mut back) = (front.split(' '), back.split(' '));
        let (Some(point), Some(kind)) = (front.nth(4), back.next()) else { continue };
        let point = unescaped(point);
        let is_on = point == "/"
            || path
                .strip_prefix(&point)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if is_on && best.as_ref().is_none_or(|(longest, _)| point.len() >= longest.len()) {
            let options = front.next().into_iter().chain(back.nth(1));
            let options = options.flat_map(|options| options.split(',')).collect();
            best = Some((point, Mount { kind, options }));
        }
    }
    best.map(|(_, mount)| mount)
}

/// Blank, tab, newline and backslash are written in octal.
fn unescaped(point: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(point.to_owned(), |point, (escape, character)| point.replace(escape, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:25 / /net rw,relatime shared:2 - nfs4 host:/all rw,vers=4.2,local_lock=none
31 22 0:26 / /net/old rw,relatime - nfs host:/old rw,vers=3,local_lock=all
32 22 0:27 / /my\\040files rw - fuse.sshfs me@host: rw,user_id=0
33 22 0:28 / /smb rw - cifs //host/s rw,nobrl
34 22 0:29 / /net/old/disk rw - ext4 /dev/sdb rw
torn line
";

    #[test]
    fn the_mount_tells_whether_locks_hold_between_hosts() {
        for (path, alone) in [
            ("/home/me/.handoff", false),
            ("/net/project", false),
            ("/net/old/project", true),
            ("/net/older", false),
            ("/net/old/disk/x", false),
            ("/my files/x", true),
            ("/smb", true),
        ] {
            assert_eq!(mount_of(MOUNTS, path).unwrap().locks_alone(), alone, "{path}");
        }
        assert!(mount_of("", "/x").is_none());
    }
}
