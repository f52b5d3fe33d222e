//! How full is an agent session?
//!
//! Promises: `context` is what the main thread's last answer really saw, in
//! tokens, taken from the session's own record and never from a sum; `projected`
//! is what the next request will carry, estimated from what was recorded after
//! that answer; an unknown figure is no figure, never 0; the cost does not depend
//! on the size of the transcript.
//!
//! Refuses to pass a guess off as knowledge: the window of a session is what was
//! told, recorded or learned, or else a guess from the model's name, and
//! `window_source` says which. Nothing here prints.

pub mod find;
pub mod gauge;
pub mod learn;
pub mod learned;
pub mod limits;
pub mod measure;
pub mod phrase;
pub mod report;
pub mod statusline;
pub mod turns;
pub mod wait;
pub mod window;

pub use limits::{Headroom, Limits, State};
pub use measure::{Measure, measure};
pub use report::Report;
pub use window::{Window, WindowSource};
