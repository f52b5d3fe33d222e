//! gen-rotate

fn main() {}
