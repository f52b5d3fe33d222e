//! ctx-meter

fn main() {}
