//! `octomind routing`: how good routing is on labelled messages, and what in a tap keeps it from
//! being better.
//!
//! Owns: the two commands, their tables and their JSON, reading a tap into what is compared.
//!
//! Does not own: the figures and findings (`embed::eval`, `embed::lint`), the encoder.
//!
//! Invariant: the encoder that is measured is the one that was asked for, or the command fails.

pub(super) mod encode;
mod eval;
mod lint;
mod show_eval;
mod show_lint;
mod source;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use super::exit::Exit;
use super::table::Look;
use crate::config::{Env, Paths, Sources, load};
use crate::embed::eval::Floors;
use crate::embed::{Options, Service};

pub(super) use encode::EncoderShown;
pub(super) use source::{Named, Phrase};

#[derive(Debug, PartialEq, Subcommand)]
pub enum Routing {
    /// Measure routing on labelled messages
    #[command(after_help = EVAL_HELP)]
    Eval(EvalArguments),
    /// Check the triggers of a tap: collisions, strays, triggers that say too little
    #[command(after_help = LINT_HELP)]
    Lint(LintArguments),
}

#[derive(Debug, PartialEq, Args)]
pub struct EvalArguments {
    /// One JSON object a line: {"intent": "…", "label": "docker" or null, "kind": "…", "needs": ["…"]}
    pub file: PathBuf,
    /// Floors that must hold, or the command ends with 1; names: top1, right, precision, two, wrong, null
    #[arg(long, value_name = "NAME=NUMBER,…", value_parser = floors)]
    pub floor: Option<Floors>,
    /// Folder of the tap; without it all connected taps
    #[arg(long, value_name = "DIR")]
    pub tap: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, PartialEq, Args)]
pub struct LintArguments {
    /// Folder of the tap; without it all connected taps
    pub dir: Option<PathBuf>,
    /// End with 1 on warnings too
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, PartialEq, Args)]
pub struct Common {
    /// Encoder to use: embedded, a hub repository, or a folder; default as configured
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// One JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Compare the `semantic(…)` phrases of skills too, each skill as if it were a capability
    #[arg(long, value_enum, num_args = 0..=1, default_value = "auto", default_missing_value = "with", require_equals = true, value_name = "WHEN")]
    pub skills: Skills,
}

/// Whether skills are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Skills {
    /// When a label of the file is a skill's name
    Auto,
    With,
    Without,
}

const EVAL_HELP: &str = "\
Exit codes: 0 measured, every floor holds; 1 a floor does not hold, or the encoder cannot be used;
65 the file or the tap cannot be used. Bad rows and unknown labels are named and left out.

JSON: version, file, encoder {model, backend, hash}, candidates {capabilities, skills, triggers},
bad_rows [{line, why}], unknown_labels [{label, rows, line, similar}], notes, floors_missed
[{floor, limit, measured}], report {rule, counts, rates, margins, gold_scores, null_scores, kinds,
confusions, thresholds, margin_curve}. Rates are 0 to 1, null where no row measures them.";

const LINT_HELP: &str = "\
Exit codes: 0 nothing found (warnings do not count without --strict); 1 something was found, or the
encoder cannot be used; 65 the tap cannot be used.

JSON: version, encoder {model, backend, hash}, notes, triggers, capabilities [{capability, triggers,
activate, median_score, nearest, median_lead}], findings [{kind, gravity, capability, trigger {text,
place}, other, other_trigger, numbers [{what, value}], message, advice}].";

fn floors(text: &str) -> Result<Floors, String> {
    text.parse().map_err(|error: crate::embed::eval::BadFloors| error.to_string())
}

/// What a command works with. Tests bring their own encoder and look.
pub(super) struct Work<'a> {
    pub paths: &'a Paths,
    pub env: &'a Env,
    pub workdir: &'a Path,
    pub service: Service,
    /// The encoder that was asked for.
    pub model: String,
    pub look: Look,
    pub out: &'a mut dyn Write,
    pub err: &'a mut dyn Write,
    /// Whether somebody watches the progress.
    pub progress: encode::Progress,
}

impl<'w> Work<'w> {
    /// With the encoder that `model` names, not loaded yet.
    pub(super) fn new(
        model: String,
        paths: &'w Paths,
        env: &'w Env,
        workdir: &'w Path,
        out: &'w mut dyn Write,
        err: &'w mut dyn Write,
    ) -> Self {
        let service = Service::new(Options::new(&model, paths, env));
        let (look, progress) = (Look::of_stdout(env), encode::Progress::of_stderr());
        Self { service, model, look, progress, paths, env, workdir, out, err }
    }
}

/// Why a command ends without a result.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("{0}")]
    Input(String),
    #[error("{0}")]
    Encoder(String),
    #[error(transparent)]
    Output(#[from] std::io::Error),
}

/// Runs the command for this process.
pub fn run(command: &Routing, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let env = Env::from_process();
    let paths = Paths::from_env(&env);
    let workdir = super::workdir()?;
    let (env, _) = env.with_files(&paths, &workdir);
    let common = match command {
        Routing::Eval(arguments) => &arguments.common,
        Routing::Lint(arguments) => &arguments.common,
    };
    let configured = || load(&Sources::read(&paths, &workdir, Vec::new())).config.encoder.model;
    let model = common.model.clone().unwrap_or_else(configured);
    run_in(command, Work::new(model, &paths, &env, &workdir, out, err))
}

fn run_in(command: &Routing, mut work: Work<'_>) -> anyhow::Result<ExitCode> {
    let runtime = super::runtime()?;
    let ended = match command {
        Routing::Eval(arguments) => runtime.block_on(eval::run(arguments, &mut work)),
        Routing::Lint(arguments) => runtime.block_on(lint::run(arguments, &mut work)),
    };
    Ok(said(ended, work.err)?.into())
}

/// A failure in words, and how the process ends.
pub(super) fn said(ended: Result<Exit, Fault>, err: &mut dyn Write) -> anyhow::Result<Exit> {
    match ended {
        Ok(exit) => Ok(exit),
        Err(Fault::Output(error)) => Err(error.into()),
        Err(fault) => {
            writeln!(err, "octomind: {fault}")?;
            Ok(if matches!(fault, Fault::Input(_)) { Exit::BadInput } else { Exit::Failed })
        }
    }
}

#[cfg(test)]
mod tests;
