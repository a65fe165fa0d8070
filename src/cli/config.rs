//! `octomind config`: where the configuration is, whether it is right, and where each value comes from.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::config::{Env, Loaded, Origin, Paths, Sources, join_path, load, looks_secret, open, references};

/// Exit code for a configuration with problems (EX_CONFIG of sysexits).
pub const BAD_CONFIGURATION: u8 = 78;

/// What `octomind config` was asked for. Without a flag: path, state and how to go on.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ConfigArguments {
    /// Print every value with its origin
    #[arg(long, conflicts_with_all = ["validate", "path"])]
    pub show: bool,
    /// Check the files and print every problem
    #[arg(long, conflicts_with = "path")]
    pub validate: bool,
    /// Print the path of the configuration file
    #[arg(long)]
    pub path: bool,
    /// Set a value for this run, as in `-c model.temperature=0.2`
    #[arg(short = 'c', value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// Runs the command for this process: its environment and its folder.
///
/// # Errors
/// When the current folder is gone, or the output cannot be written.
pub fn run(arguments: &ConfigArguments, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode> {
    let workdir = std::env::current_dir()?;
    run_in(arguments, Env::from_process(), &workdir, out, err)
}

/// The same for a given environment and folder.
///
/// # Errors
/// When the output cannot be written.
pub fn run_in(
    arguments: &ConfigArguments,
    env: Env,
    workdir: &Path,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<ExitCode> {
    let paths = Paths::from_env(&env);
    if arguments.path {
        writeln!(out, "{}", paths.config_file.display())?;
        return Ok(ExitCode::SUCCESS);
    }
    let (env, lines) = env.with_files(&paths, workdir);
    let overrides = arguments.overrides.clone();
    // Looking must not create anything; only the bare command is a first run.
    let mut loaded = match arguments.show || arguments.validate {
        true => load(&Sources::read(&paths, workdir, overrides)),
        false => open(&paths, workdir, overrides),
    };
    if arguments.validate {
        let (problems, notices) = references(&loaded.config, &loaded.origins);
        loaded.problems.extend(problems);
        loaded.notices.extend(notices);
    }
    let mut report = Vec::new();
    for problem in loaded.problems.iter().chain(&lines) {
        writeln!(report, "{problem}\n")?;
    }
    for notice in &loaded.notices {
        writeln!(report, "note: {notice}")?;
    }
    err.write_all(env.mask_secrets(&String::from_utf8_lossy(&report)).as_bytes())?;
    if arguments.show {
        show(&loaded, &env, out)?;
    } else {
        summary(&loaded, &paths, out)?;
    }
    Ok(if loaded.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(BAD_CONFIGURATION) })
}

fn summary(loaded: &Loaded, paths: &Paths, out: &mut dyn Write) -> io::Result<()> {
    let files = loaded.sources.files.iter().chain(&loaded.sources.project);
    let read: Vec<&str> = files.map(|source| source.label.as_str()).collect();
    let from = match read.as_slice() {
        [] if paths.config_file.symlink_metadata().is_ok() => {
            format!("{} was not read; the built-in defaults are in force", paths.config_file.display())
        }
        [] => format!("{} is not there; the built-in defaults are in force", paths.config_file.display()),
        read => format!("read {}", read.join(", ")),
    };
    match loaded.problems.len() {
        0 => writeln!(out, "{from}: no problems"),
        1 => writeln!(out, "{from}: 1 problem"),
        many => writeln!(out, "{from}: {many} problems"),
    }
}

/// Every value on a line of its own: `path = value  # origin`.
fn show(loaded: &Loaded, env: &Env, out: &mut dyn Write) -> Result<()> {
    let mut lines = Vec::new();
    flatten(&serde_json::to_value(&loaded.config)?, "", &mut lines);
    let widest = lines.iter().map(|(path, value)| crate::text::width(path) + crate::text::width(value) + 3);
    let column = widest.max().unwrap_or(0).min(60);
    for (path, value) in lines {
        let value = env.mask_secrets(&value).into_owned();
        let line = format!("{path} = {value}");
        let origin = match loaded.origins.of(&path) {
            Origin::CommandLine { .. } => "command line".to_owned(),
            origin => origin.to_string(),
        };
        let pad = column.saturating_sub(crate::text::width(&line));
        writeln!(out, "{line}{:pad$}  # {origin}", "")?;
    }
    Ok(())
}

/// A value may take so many characters of a line.
const VALUE_WIDTH: usize = 72;

fn flatten(value: &serde_json::Value, path: &str, lines: &mut Vec<(String, String)>) {
    use serde_json::Value;
    match value {
        Value::Null => {}
        Value::Object(object) => {
            for (name, value) in object {
                flatten(value, &join_path(path, name), lines);
            }
        }
        Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_object) => {
            for entry in list {
                let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
                flatten(entry, &join_path(path, name), lines);
            }
        }
        Value::String(_) if literal_secret(path, value) => {
            lines.push((path.to_owned(), "\"[masked]\"".to_owned()));
        }
        other => {
            let shown = other.to_string();
            let shown = crate::text::sanitize_line(&shown);
            lines.push((path.to_owned(), crate::text::truncate(&shown, VALUE_WIDTH).into_owned()));
        }
    }
}

/// A key written straight into the file, rather than the name of a variable that holds it.
fn literal_secret(path: &str, value: &serde_json::Value) -> bool {
    let name = path.rsplit('.').next().unwrap_or_default().trim_matches('"');
    let holder = path.contains(".env.") || path.contains(".headers.");
    let refers = value.as_str().is_some_and(|text| text.contains("${") || text.contains("{{ENV:"));
    holder && looks_secret(name) && !refers
}

#[cfg(test)]
mod tests;
