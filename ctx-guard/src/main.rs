//! ctx-guard

fn main() {}
