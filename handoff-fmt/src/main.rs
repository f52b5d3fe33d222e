//! handoff-fmt: the arguments, the printing and the exit code.
//!
//! Exit 0 complete, 1 not complete, 2 usage, 66 no input, 74 a failed read or
//! write.

mod input;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use handoff_fmt::{Document, Section, ask, degraded, parse};
use terminal::{Exit, Failure, Language, print, sanitise, warn};

const TOOL: &str = "handoff-fmt";

/// Render the five-section handoff document that a session wrote.
#[derive(Debug, Parser)]
#[command(name = TOOL, version, disable_help_subcommand = true)]
struct Arguments {
    /// Language of headings and prompts: en, zh, ko or ja [default: from the environment]
    #[arg(long, value_name = "LANG", global = true, value_parser = language)]
    lang: Option<Language>,
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    render: Render,
}

#[derive(Debug, Args)]
struct Render {
    /// Form of the output [default: md]
    #[arg(long, value_name = "FORM")]
    to: Option<Form>,
    /// Name of the step, for the title
    #[arg(long)]
    step: Option<String>,
    /// Text that holds the document; '-' or none is stdin
    file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what is missing, and which lines look like headings and are none
    Check {
        /// Text that holds the document; '-' or none is stdin
        file: Option<PathBuf>,
    },
    /// Print the prompt that makes the current session write the document
    Ask {
        /// Tokens in the context now
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        used: u64,
        /// Tokens that fit
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        window: u64,
        /// What must not be lost: a file if there is one of that name, else the text itself
        #[arg(long, value_name = "TEXT|FILE", allow_hyphen_values = true)]
        keep: Option<PathBuf>,
    },
    /// Print a stand-in for a document that could not be written
    Degraded {
        /// Name of the step
        #[arg(long)]
        step: String,
        /// Why there is no document
        #[arg(long, default_value = "", hide_default_value = true, allow_hyphen_values = true)]
        why: String,
        /// The task: a file if there is one of that name, else the text itself; '-' or none is stdin
        task: Option<PathBuf>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Md,
    Prompt,
    Json,
    Term,
}

fn language(name: &str) -> Result<Language, String> {
    Language::named(name).ok_or_else(|| "expected en, zh, ko or ja".to_owned())
}

fn main() -> ExitCode {
    terminal::run(TOOL, || {
        let arguments: Arguments = terminal::parse()?;
        let language = arguments.lang.unwrap_or_else(Language::from_env);
        let Render { to, step, file } = &arguments.render;
        if arguments.command.is_some() && (to.is_some() || step.is_some() || file.is_some()) {
            return Err(Failure::usage("only --lang may stand in front of a subcommand"));
        }
        match arguments.command {
            None => render(&arguments.render, language),
            Some(Command::Check { file }) => check(file, language),
            Some(Command::Ask { used, window, keep }) => {
                let keep = keep.map(input::text_or_file).transpose()?;
                show(&ask(used, window, keep.as_deref(), language))
            }
            Some(Command::Degraded { step, why, task }) => {
                let task = match task {
                    Some(task) => input::text_or_file(task)?,
                    None => input::read(None)?,
                };
                show(&degraded(&step, &why, &task, language).to_markdown(&step, language))
            }
        }
    })
}

fn render(options: &Render, language: Language) -> Result<Exit, Failure> {
    let mut document = parse(&input::read(options.file.clone())?);
    let step = options.step.as_deref().unwrap_or_default();
    let form = options.to.unwrap_or(Form::Md);
    if form == Form::Json {
        print(document.to_json(step) + "\n")?;
    }
    if !document.complete() {
        return Err(Failure::new(Exit::No, missing(&document, language)));
    }
    if form != Form::Json && !document.titled && !document.preamble.is_empty() {
        let lines = document.preamble.lines().count();
        let plural = if lines == 1 { "" } else { "s" };
        warn(TOOL, &format!("left out {lines} line{plural} outside of the document"));
        document.preamble.clear();
    }
    match form {
        Form::Md => show(&document.to_markdown(step, language)),
        Form::Prompt => show(&document.to_prompt(language)),
        Form::Json => Ok(Exit::Ok),
        Form::Term => {
            let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let colour = io::stdout().is_terminal() && !no_colour;
            print(document.to_term(step, language, colour))?;
            Ok(Exit::Ok)
        }
    }
}

fn missing(document: &Document, language: Language) -> String {
    let names: Vec<_> = document.missing().into_iter().map(|s| named(s, language)).collect();
    format!("the document is not complete: missing {}", names.join(", "))
}

fn named(section: Section, language: Language) -> String {
    format!("{} ('{}')", section.field(), section.label(language))
}

fn check(file: Option<PathBuf>, language: Language) -> Result<Exit, Failure> {
    let document = parse(&input::read(file)?);
    let mut report = String::new();
    for section in document.missing() {
        report.push_str(&format!("missing: {}\n", named(section, language)));
    }
    for heading in &document.refused {
        let why = heading.why.words();
        report.push_str(&format!("line {}: no heading, {why}: {}\n", heading.line, heading.text));
    }
    show(&report)?;
    Ok(if document.complete() { Exit::Ok } else { Exit::No })
}

/// Prints text that somebody else wrote: as it is, but harmless on a terminal.
fn show(text: &str) -> Result<Exit, Failure> {
    if io::stdout().is_terminal() {
        print(sanitise(text).as_bytes())?;
    } else {
        print(text)?;
    }
    Ok(Exit::Ok)
}
