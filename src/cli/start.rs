//! What a run needs before a session can begin: the message, the mode, the configuration.

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::args::RunOptions;
use super::exit::Exit;
use super::mode::{Input, Mode, Screen, decide};
use crate::config::{Env, Loaded, Paths, Problem, open};
use crate::session::Pick;

/// Most bytes of a message on standard input.
const MAX_MESSAGE: u64 = 10 * 1024 * 1024;

/// Everything a session is started with, and how its front end talks.
#[derive(Debug)]
pub struct Start {
    pub mode: Mode,
    /// What came on standard input; for the workbench what stands in the composer at first.
    pub message: String,
    pub paths: Paths,
    pub env: Env,
    pub loaded: Loaded,
    /// Lines of `.env` files that could not be used.
    pub ignored: Vec<Problem>,
    pub workdir: PathBuf,
    pub role: Option<String>,
    pub model: Option<String>,
    pub pick: Pick,
    pub trust: bool,
    pub schema: Option<Value>,
}

/// Why a run does not begin.
#[derive(Debug, PartialEq)]
pub struct Refused {
    pub exit: Exit,
    /// For standard error; ends with a newline.
    pub text: String,
}

impl Refused {
    fn usage(text: impl std::fmt::Display) -> Self {
        Self { exit: Exit::Usage, text: format!("octomind: {text}\n") }
    }
}

/// Reads standard input to its end unless it is a terminal.
pub fn read_input(input: &mut (impl Read + IsTerminal)) -> Result<(Input, String), Refused> {
    if input.is_terminal() {
        return Ok((Input::Terminal, String::new()));
    }
    read_message(input)
}

fn read_message(input: &mut impl Read) -> Result<(Input, String), Refused> {
    let mut bytes = Vec::new();
    let read = input.take(MAX_MESSAGE + 1).read_to_end(&mut bytes);
    if let Err(error) = read {
        return Err(Refused::usage(format_args!("standard input cannot be read: {error}")));
    }
    if bytes.len() as u64 > MAX_MESSAGE {
        let most = crate::text::human::bytes(MAX_MESSAGE);
        return Err(Refused::usage(format_args!(
            "the message on standard input is larger than {most}.\nhint: put it into a file and name the file in the message"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Refused::usage(format_args!(
            "standard input is not UTF-8 text (byte {at}).\nhint: put binary data into a file and name the file in the message"
        ))
    })?;
    let input = if text.trim().is_empty() { Input::Empty } else { Input::Text };
    Ok((input, text))
}

/// Puts together what a run needs. Reads files, writes the configuration template on a first run.
pub fn prepare(
    role: Option<String>,
    mut options: RunOptions,
    (input, message): (Input, String),
    screen: Screen,
    process: Env,
    workdir: &Path,
) -> Result<Start, Refused> {
    let mode = decide(input, screen, options.format).map_err(Refused::usage)?;
    let schema = options.schema.as_deref().map(read_schema).transpose()?;
    let paths = Paths::from_env(&process);
    let (env, ignored) = process.with_files(&paths, workdir);
    if options.sandbox {
        options.set.push("sandbox=true".to_owned());
    }
    let loaded = open(&paths, workdir, options.set);
    if matches!(mode, Mode::Headless(_)) && !loaded.problems.is_empty() {
        return Err(bad_configuration(&loaded, &env));
    }
    let pick = match (options.resume.as_deref(), options.resume_recent, options.name) {
        (Some(""), _, _) | (None, true, _) => Pick::ResumeRecent,
        (Some(name), _, _) => Pick::Resume { name: name.to_owned() },
        (None, false, name) => Pick::New { name },
    };
    Ok(Start {
        mode,
        message,
        paths,
        env,
        loaded,
        ignored,
        workdir: workdir.to_path_buf(),
        role,
        model: options.model,
        pick,
        trust: options.trust,
        schema,
    })
}

/// Without a person there is nobody to see that the built-in defaults stand in.
fn bad_configuration(loaded: &Loaded, env: &Env) -> Refused {
    let mut text = String::new();
    for problem in &loaded.problems {
        text.push_str(&format!("{problem}\n\n"));
    }
    let count = match loaded.problems.len() {
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    };
    text.push_str(&format!("octomind: the configuration has {count}; nothing was sent\n"));
    Refused { exit: Exit::Config, text: env.mask_secrets(&text).into_owned() }
}

fn read_schema(file: &Path) -> Result<Value, Refused> {
    let about = |what: &dyn std::fmt::Display| Refused::usage(format_args!("--schema {}: {what}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error: io::Error| about(&error))?;
    let schema: Value = serde_json::from_str(&text).map_err(|error| about(&error))?;
    if schema.is_object() { Ok(schema) } else { Err(about(&"the schema has to be a JSON object")) }
}

#[cfg(test)]
mod tests;
