//! The scripted agent of this project, `demo-agent`. It speaks Claude Code's
//! command line and writes its sessions; only the program differs.

use std::io;

use crate::claude_code::{command, stream};
use crate::run::{Driver, Event, Invocation, Run};

pub(crate) struct Demo;

impl Driver for Demo {
    fn invocation(&self, run: &Run) -> io::Result<Invocation> {
        command::invocation("demo-agent", run)
    }

    fn line(&self, line: &str, see: &mut dyn FnMut(Event<'_>)) -> bool {
        stream::line(line, see)
    }
}
