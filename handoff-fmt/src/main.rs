//! handoff-fmt

fn main() {}
