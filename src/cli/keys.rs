//! `octomind keys`: the keys of the workbench from the table that the workbench itself reads, and what is
//! wrong in keymap files.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

/// What to list, or what to check.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct KeysArguments {
    #[command(subcommand)]
    pub command: Option<KeysCommand>,
    /// Name of the keymap; without it the one of the configuration
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, clap::Subcommand)]
pub enum KeysCommand {
    /// Find what is wrong in a keymap; ends with 1 when something is
    Check(CheckArguments),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct CheckArguments {
    /// A keymap file; without it the keymap in force and every file of yours
    pub file: Option<PathBuf>,
    /// One JSON object with all findings
    #[arg(long)]
    pub json: bool,
}

/// Runs the command for this process.
///
/// # Errors
/// When the current folder is gone, or the output cannot be written.
#[cfg(feature = "tui")]
pub fn run(arguments: &KeysArguments, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode> {
    let workdir = super::workdir()?;
    listing::run_in(arguments, crate::config::Env::from_process(), &workdir, out, err).map(ExitCode::from)
}

/// Without a workbench there are no keys.
///
/// # Errors
/// When the output cannot be written.
#[cfg(not(feature = "tui"))]
pub fn run(_: &KeysArguments, _: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode> {
    let words = "this octomind is built without the workbench (feature tui), so it has no keys";
    writeln!(err, "octomind: {words}\nhint: build it with --features tui")?;
    Ok(super::exit::Exit::Usage.into())
}

#[cfg(feature = "tui")]
mod listing;

#[cfg(feature = "tui")]
pub use listing::run_in;
