//! ctx-meter
