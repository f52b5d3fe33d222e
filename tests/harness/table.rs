//! The table of agent CLIs in the README, which says nothing that no test has seen.

use std::env;
use std::io::Write;
use std::path::Path;

use fs_err::{File, OpenOptions};

/// Notes what was seen of a CLI. What README's table says in that place must be it;
/// with `CTXUTILS_BLESS` set it is written there instead. A file that
/// `CTXUTILS_RAN` names gets a line for each note, which shows what ran.
///
/// # Panics
/// The table says something else.
pub fn note(cli: &str, column: &str, value: &str) {
    if let Some(path) = env::var_os("CTXUTILS_RAN") {
        let mut file = OpenOptions::new().create(true).append(true).open(Path::new(&path)).unwrap();
        file.write_all(format!("{cli}\t{column}\t{value}\n").as_bytes()).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let blesses = env::var_os("CTXUTILS_BLESS").is_some();
    // Tests run side by side.
    let lock = File::open(&path).unwrap();
    if blesses {
        lock.file().lock().unwrap();
    }
    let readme = fs_err::read_to_string(&path).unwrap();
    let (row, cells, at) = place(&readme, cli, column);
    if blesses && cells[at] != value {
        let mut cells = cells.clone();
        cells[at] = value;
        let changed = readme.replace(row, &format!("| {} |", cells.join(" | ")));
        fs_err::write(&path, changed).unwrap();
    } else {
        assert_eq!(
            cells[at], value,
            "README's table, {cli}, {column} (CTXUTILS_BLESS=1 writes what was seen)"
        );
    }
}

/// The row of a CLI, its cells, and which of them is in the column.
fn place<'r>(readme: &'r str, cli: &str, column: &str) -> (&'r str, Vec<&'r str>, usize) {
    let mut rows = readme.lines().skip_while(|line| !line.starts_with("| `--agent` |"));
    let head = cells(rows.next().expect("README has no table of agent CLIs"));
    let at = head.iter().position(|cell| *cell == column).expect("an unknown column");
    let row = rows.find(|row| cells(row).first() == Some(&&*format!("`{cli}`")));
    let row = row.unwrap_or_else(|| panic!("README's table has no row for {cli}"));
    (row, cells(row), at)
}

fn cells(row: &str) -> Vec<&str> {
    row.trim().trim_matches('|').split('|').map(str::trim).collect()
}
