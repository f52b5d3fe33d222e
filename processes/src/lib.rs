//! What tools that run other programs share: finding a program, the signals that are
//! passed on to it while it runs, and whether it, or what it
//! started, still does.

mod descendants;
mod program;
mod running;
mod signals;

pub use descendants::{command_line, descendants};
pub use program::find;
pub use running::Running;
pub use signals::{Caught, Signals, catch};
