//! What a person sees of a run while it lasts, on stderr.

use std::io::{self, IsTerminal, Write};

use agents::Event;
use ctx_meter::limits::Limits;
use ctx_meter::phrase;
use terminal::{Language, sanitise};

/// Words longer than this are cut: a view is no record.
const LONGEST: usize = 2_000;

/// Shows a run's events; says once when the handoff line is near.
#[derive(Debug)]
pub struct View {
    /// Whether anything is shown.
    shows: bool,
    language: Language,
    is_terminal: bool,
}

impl View {
    /// A view that shows, or keeps quiet.
    pub fn new(shows: bool) -> View {
        let is_terminal = io::stderr().is_terminal();
        View { shows, language: Language::from_env(), is_terminal }
    }

    /// Shows what the agent says and does.
    pub fn event(&self, event: &Event<'_>) {
        match event {
            Event::Words(words) => self.show(words.trim_end()),
            Event::Tool(name, purpose) => {
                let purpose = purpose.lines().next().unwrap_or_default();
                self.show(&format!("  {name}  {purpose}"));
            }
            Event::Retry(why) => self.show(&format!("# {why}")),
            _ => {}
        }
    }

    /// Shows that the handoff line is near.
    pub fn near(&self, context: u64, limits: &Limits) {
        self.show(&format!("# {}", phrase::line(Some(context), limits, self.language)));
    }

    /// Passes the agent's own stderr on.
    pub fn noise(&self, noise: &[u8]) {
        if self.is_terminal {
            let text = String::from_utf8_lossy(noise);
            let _ = io::stderr().lock().write_all(sanitise(&text).as_bytes());
        } else {
            let _ = io::stderr().lock().write_all(noise);
        }
    }

    fn show(&self, text: &str) {
        if !self.shows {
            return;
        }
        let mut text = sanitise(text).into_owned();
        if let Some((cut, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(cut);
            text.push_str(" …");
        }
        text.push('\n');
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}
