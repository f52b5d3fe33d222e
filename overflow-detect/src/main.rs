//! overflow-detect

fn main() {}
