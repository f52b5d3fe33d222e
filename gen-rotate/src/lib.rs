//! The change of generation: a session whose context is nearly full hands its
//! document over, and a successor starts from exactly the file on disk.
//!
//! Promises: at every instant, a kill and a power cut included, a reader finds a
//! whole current document; earlier ones are archived and never overwritten; a
//! change that was decided is carried to its end by the next run, one that was
//! not leaves nothing. The ledger says `launched` before anything is launched.
//! One successor of a step runs at a time, and nothing joins one that runs or
//! resumes one that retired.
//!
//! Refuses: a document without its required sections, before anything is
//! written; a manifest that is no ledger, which is never overwritten; the next
//! change where a breaker holds, since a loop of futile changes burns money and
//! nothing else would end it.
//!
//! Where: documents and ledger lie in a HOME ([`Home`]); `docs/PROTOCOL.md` is
//! the specification of the order of things ([`rotate`], [`relaunch`]).

mod archived;
mod breaker;
mod copies;
mod deliver;
mod document;
mod events;
mod fate;
pub mod figures;
mod fsck;
mod generation;
mod history;
mod hold;
mod home;
mod ledger;
mod locked;
mod log;
mod prune;
mod publish;
mod pump;
mod record;
mod recover;
mod rescue;
mod resume;
mod rotate;
mod row;
mod stamp;
mod step;
mod successor;
mod supervise;
mod wake;

pub use breaker::Limits;
pub use deliver::{Ended, Launch};
pub use events::{Events, writing};
pub use figures::Figures;
pub use fsck::{Finding, Kind, Report, Standing, fsck};
pub use generation::{Generation, Source, State};
pub use history::History;
pub use hold::hold;
pub use home::Home;
pub use ledger::Ledger;
pub use log::{Log, describe, log};
pub use prune::{Prune, prune};
pub use record::{Record, announce_near, check, record};
pub use rescue::put_aside;
pub use resume::relaunch;
pub use rotate::{Handoff, Order, rotate};
pub use row::{Intent, Row};
pub use step::Step;
pub use successor::Successor;
pub use wake::{Progress, progress, session};
