//! handoff-fmt
