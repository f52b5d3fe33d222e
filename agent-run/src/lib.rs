//! agent-run
