//! The command line as data.

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::config::ConfigArguments;
use super::exit::Exit;
use super::explain::ExplainArguments;
use super::keys::KeysArguments;
use super::notes::NotesArguments;
use super::routing::Routing;
use super::sessions::SessionsCommand;
use super::tap::TapArguments;
use super::taps::TapsCommand;
use super::what_if::WhatIfArguments;

#[derive(Debug, Parser)]
#[command(
    name = "octomind",
    version,
    about = "A terminal workbench for LLM agents",
    args_conflicts_with_subcommands = true,
    after_help = exit_codes()
)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Option<Subcommands>,
    #[command(flatten)]
    pub run: RunOptions,
}

#[derive(Debug, Subcommand)]
pub enum Subcommands {
    /// Open the workbench, or answer what comes on standard input
    Run {
        /// Agent or role to start, as in developer:general
        #[arg(value_parser = tag)]
        tag: Option<String>,
        #[command(flatten)]
        options: RunOptions,
    },
    /// Show, check or locate the configuration
    Config(ConfigArguments),
    /// Servers that come with the program
    Mcp {
        #[command(subcommand)]
        server: Bundled,
    },
    /// Look around with a scripted model; needs no key
    Tour {
        /// Hold writing to this folder, for child processes too
        #[arg(long)]
        sandbox: bool,
    },
    /// List the sessions, newest first, or change one
    Sessions {
        #[command(subcommand)]
        command: Option<SessionsCommand>,
    },
    /// List what can be started: agents of taps and roles of the configuration
    Agents(Listed),
    /// List capabilities: tool servers with the phrases that ask for them
    Capabilities(Listed),
    /// List taps, or connect one: agents, capabilities and skills from a repository or a folder
    Tap(TapArguments),
    /// Disconnect a tap
    Untap {
        /// Name of the tap
        #[arg(value_name = "USER/REPO")]
        tap: String,
    },
    /// Say why a tool, capability or skill is or is not in a session
    Explain(ExplainArguments),
    /// List what the supervisor saw, asked and decided in a session
    Notes(NotesArguments),
    /// Say which capability a message would bring in; nothing is changed
    WhatIf(WhatIfArguments),
    /// Measure and check how messages find their capabilities
    Routing {
        #[command(subcommand)]
        command: Routing,
    },
    /// Check what this machine and its configuration offer
    Doctor {
        /// One JSON object instead of lines
        #[arg(long)]
        json: bool,
    },
    /// List the keys of the workbench, or check a keymap file
    Keys(KeysArguments),
    /// Look after taps
    Taps {
        #[command(subcommand)]
        command: TapsCommand,
    },
    /// List the placeholders that prompts may use
    Vars {
        /// Show the first lines of each value
        #[arg(short, long, conflicts_with = "expand")]
        preview: bool,
        /// Show each value whole
        #[arg(short, long)]
        expand: bool,
    },
}

/// What a listing of the catalogue shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Listed {
    /// Only those of one domain
    #[arg(short, long)]
    pub domain: Option<String>,
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct RunOptions {
    /// Output of a run without a person: text, or one JSON object a line
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Model to use, as in anthropic:claude-sonnet-5
    #[arg(short, long, value_name = "PROVIDER:MODEL")]
    pub model: Option<String>,
    /// Name of the session; taken up when it exists
    #[arg(short, long, conflicts_with_all = ["resume", "resume_recent"])]
    pub name: Option<String>,
    /// Take up a session; without NAME the newest one of this folder
    #[arg(short, long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with = "resume_recent")]
    pub resume: Option<String>,
    /// Take up the newest session of this folder
    #[arg(long)]
    pub resume_recent: bool,
    /// Set a configuration value for this run; may be repeated
    #[arg(short = 'c', value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<String>,
    /// Trust what the project brings along to run, without asking
    #[arg(long)]
    pub trust: bool,
    /// Hold writing to this folder, for child processes too
    #[arg(long)]
    pub sandbox: bool,
    /// Plain lines one after the other instead of the full screen, as for a screen reader
    #[arg(long)]
    pub linear: bool,
    /// JSON Schema (an object) that every answer has to fit
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Plain,
    Jsonl,
}

#[derive(Debug, PartialEq, Subcommand)]
pub enum Bundled {
    /// Serve files and a shell over standard input and output
    Files,
}

/// `domain:spec`, a role, a bare domain. Anything with a space in it was meant as a message.
fn tag(word: &str) -> Result<String, String> {
    let fits = |letter: char| letter.is_alphanumeric() || matches!(letter, ':' | '-' | '_' | '.' | '@' | '/');
    if word.is_empty() {
        return Err("a tag cannot be empty".to_owned());
    }
    if word.contains(char::is_whitespace) || !word.chars().all(fits) {
        return Err(format!("this names an agent or role and cannot be a message\n\n  hint: {MESSAGE_HINT}"));
    }
    Ok(word.to_owned())
}

const MESSAGE_HINT: &str = "a message is read from standard input: echo 'your message' | octomind run";

fn assignment(word: &str) -> Result<String, String> {
    match word.split_once('=') {
        Some((key, _)) if !key.trim().is_empty() => Ok(word.to_owned()),
        _ => Err("write it as key=value, for example model.reasoning_effort=high".to_owned()),
    }
}

fn exit_codes() -> String {
    let mut table = "Exit codes:".to_owned();
    for exit in Exit::ALL {
        table.push_str(&format!("\n  {:>3}  {}", exit.code(), exit.meaning()));
    }
    table
}

/// Why there is nothing to run: help and version texts, and errors.
#[derive(Debug, PartialEq)]
pub enum Refusal {
    /// For standard output; not an error.
    Help(String),
    Usage(String),
}

/// Reads a command line, its first word being the program's name.
pub fn parse<Word: Into<std::ffi::OsString> + Clone>(
    words: impl IntoIterator<Item = Word>,
) -> Result<CommandLine, Refusal> {
    CommandLine::try_parse_from(words).map_err(|error| {
        let text = error.render().to_string();
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Refusal::Help(text),
            ErrorKind::UnknownArgument if is_message(&error) => {
                Refusal::Usage(format!("{text}\nhint: {MESSAGE_HINT}\n"))
            }
            ErrorKind::ArgumentConflict if is_before_subcommand(&error) => {
                let hint = "options stand behind the subcommand: octomind run TAG -m PROVIDER:MODEL -c KEY=VALUE";
                Refusal::Usage(format!("{text}\nhint: {hint}\n"))
            }
            _ => Refusal::Usage(text),
        }
    })
}

/// An option of a plain start in front of a subcommand.
fn is_before_subcommand(error: &clap::Error) -> bool {
    error.get(ContextKind::InvalidSubcommand).is_some()
}

/// A further word after the tag, or a word that is no subcommand.
fn is_message(error: &clap::Error) -> bool {
    matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(word)) if !word.starts_with('-'))
}

#[cfg(test)]
mod tests;
