use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use super::{CheckArguments, KeysArguments, KeysCommand};
use crate::cli::exit::Exit;
use crate::cli::table::columns;
use crate::config::{Env, Paths, Sources, load};
use crate::text::sanitize_line;
use crate::ui::keys::{self, Context, HelpRow, Keymap};
use crate::ui::problem::Problem;

/// The same for a given environment and folder.
///
/// # Errors
/// When the output cannot be written.
pub fn run_in(
    arguments: &KeysArguments,
    env: Env,
    workdir: &Path,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Exit> {
    let paths = Paths::from_env(&env);
    let folder = paths.config_folder.join("keymaps");
    let configured = || {
        let (_, _) = env.clone().with_files(&paths, workdir);
        load(&Sources::read(&paths, workdir, Vec::new())).config.ui.keymap
    };
    match &arguments.command {
        Some(KeysCommand::Check(asked)) => check(asked, &folder, configured, out, err),
        None => {
            let name = arguments.keymap.clone().unwrap_or_else(configured);
            list(&name, &folder, arguments.json, out, err)
        }
    }
}

fn list(name: &str, folder: &Path, as_json: bool, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit> {
    let loaded = keys::load(name, Some(folder));
    for problem in &loaded.problems {
        writeln!(err, "{}\n", problem.detailed())?;
    }
    let Some(keymap) = loaded.keymap else { return Ok(Exit::Failed) };
    match as_json {
        true => writeln!(out, "{:#}", rows_as_json(&keymap))?,
        false => write_rows(&keymap, out)?,
    }
    Ok(Exit::Done)
}

/// A table for each place, in the order of the keymap's contexts.
fn write_rows(keymap: &Keymap, out: &mut dyn Write) -> Result<()> {
    let rows = keymap.rows();
    for (index, context) in
        Context::ALL.iter().filter(|context| rows.iter().any(|row| row.context == **context)).enumerate()
    {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "[{}]", context.name())?;
        let here: Vec<[String; 3]> = rows.iter().filter(|row| row.context == *context).map(cells).collect();
        columns(["keys", "what they do", "when"], &here, out)?;
    }
    Ok(())
}

fn cells(row: &HelpRow) -> [String; 3] {
    [&row.keys, &row.words, &row.when].map(|cell| sanitize_line(cell).into_owned())
}

fn rows_as_json(keymap: &Keymap) -> serde_json::Value {
    let rows = keymap.rows();
    let rows = rows.iter().map(|row| {
        json!({
            "context": row.context.name(),
            "keys": row.keys,
            "action": row.call.action.id(),
            "arguments": row.call.arguments,
            "words": row.words,
            "when": row.when,
        })
    });
    json!({ "keymap": keymap.name, "rows": rows.collect::<Vec<_>>() })
}

fn check(
    asked: &CheckArguments,
    folder: &Path,
    configured: impl Fn() -> String,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Exit> {
    let mut checked: Vec<(String, PathBuf)> = Vec::new();
    match &asked.file {
        Some(file) => match (file.is_file(), file.file_stem(), file.extension()) {
            (true, Some(stem), Some(extension)) if extension == "toml" => {
                let parent = file.parent().unwrap_or(Path::new(""));
                checked.push((stem.to_string_lossy().into_owned(), parent.to_path_buf()));
            }
            _ => {
                let shown = file.display().to_string();
                writeln!(err, "octomind: {} is no keymap; give a file that ends in .toml", sanitize_line(&shown))?;
                return Ok(Exit::Usage);
            }
        },
        None => {
            let own = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
            let own = own.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
            let names: BTreeSet<String> = own
                .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
                .chain([configured()])
                .collect();
            checked.extend(names.into_iter().map(|name| (name, folder.to_path_buf())));
        }
    }
    let mut found: Vec<Problem> = Vec::new();
    for (name, folder) in &checked {
        for problem in keys::load(name, Some(folder)).problems {
            // Two keymaps may inherit the same file.
            if !found.contains(&problem) {
                found.push(problem);
            }
        }
    }
    let names: Vec<&str> = checked.iter().map(|(name, _)| name.as_str()).collect();
    match asked.json {
        true => writeln!(out, "{:#}", findings_as_json(&names, &found))?,
        false => {
            for problem in &found {
                writeln!(out, "{}\n", problem.detailed())?;
            }
            let count = match found.len() {
                0 => "no problems".to_owned(),
                1 => "1 problem".to_owned(),
                many => format!("{many} problems"),
            };
            writeln!(out, "checked {}: {count}", sanitize_line(&names.join(", ")))?;
        }
    }
    Ok(if found.is_empty() { Exit::Done } else { Exit::Failed })
}

fn findings_as_json(names: &[&str], found: &[Problem]) -> serde_json::Value {
    let findings = found.iter().map(|problem| {
        json!({
            "file": problem.file,
            "line": problem.place.as_ref().map(|place| place.line),
            "column": problem.place.as_ref().map(|place| place.column),
            "message": problem.message,
            "hint": problem.hint,
        })
    });
    json!({ "checked": names, "findings": findings.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests;
