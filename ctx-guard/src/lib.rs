//! ctx-guard
