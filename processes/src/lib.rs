//! What tools that run other programs share: finding a program, the signals that are
//! passed on to it while it runs, and whether it still does.

mod program;
mod running;
mod signals;

pub use program::find;
pub use running::Running;
pub use signals::{Caught, Signals, catch};
