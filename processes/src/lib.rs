//! What tools that run other programs share: finding a program, and the signals
//! that are passed on to it while it runs.

mod program;
mod signals;

pub use program::find;
pub use signals::{Caught, Signals, catch};
