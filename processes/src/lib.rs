//! What tools that run other programs share: finding a program, the signals that
//! are passed on to it while it runs, and limits that it has as we do.

mod program;
mod signals;
mod size_limit;

pub use program::find;
pub use signals::{Caught, Signals, catch};
pub use size_limit::report_size_limit;
