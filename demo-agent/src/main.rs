//! demo-agent

fn main() {}
