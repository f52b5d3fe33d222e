//! agent-run

fn main() {}
