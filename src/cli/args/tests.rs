use super::*;

fn read(line: &str) -> Result<CommandLine, Refusal> {
    parse(std::iter::once("octomind").chain(line.split('|').filter(|word| !word.is_empty())))
}

fn run(line: &str) -> (Option<String>, RunOptions) {
    match read(line).unwrap() {
        CommandLine { command: Some(Subcommands::Run { tag, options }), .. } => (tag, options),
        CommandLine { command: None, run } => (None, run),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_definitions_hold_together() {
    use clap::CommandFactory;
    CommandLine::command().debug_assert();
}

#[test]
fn running() {
    assert_eq!(run(""), (None, RunOptions::default()));
    assert_eq!(run("run"), (None, RunOptions::default()));
    assert_eq!(run("run|developer:general").0.as_deref(), Some("developer:general"));
    assert_eq!(run("-m|script:tour").1.model.as_deref(), Some("script:tour"));
    assert_eq!(run("run|--format|jsonl").1.format, Some(Format::Jsonl));
    assert_eq!(run("run|-r").1.resume.as_deref(), Some(""));
    assert_eq!(run("run|-r|mine").1.resume.as_deref(), Some("mine"));
    assert!(run("--resume-recent").1.resume_recent);
    assert_eq!(run("run|-c|a.b=1|-c|c=x=y").1.set, ["a.b=1", "c=x=y"]);
    assert_eq!(run("run|dev:rust|-n|x|--trust|--schema|s.json").1.schema, Some("s.json".into()));
}

#[test]
fn subcommands() {
    assert!(matches!(read("tour").unwrap().command, Some(Subcommands::Tour { sandbox: false })));
    assert!(matches!(read("tour|--sandbox").unwrap().command, Some(Subcommands::Tour { sandbox: true })));
    let bundled = read("mcp|files").unwrap().command;
    assert!(matches!(bundled, Some(Subcommands::Mcp { server: Bundled::Files })));
    let vars = read("vars|-p").unwrap().command;
    assert!(matches!(vars, Some(Subcommands::Vars { preview: true, expand: false })));
    let Some(Subcommands::Config(config)) = read("config|--validate").unwrap().command else { panic!() };
    assert!(config.validate && !config.show && !config.path);
}

#[test]
fn a_message_for_a_tag_is_told_where_messages_go() {
    for line in ["run|fix the bug", "run|fix|the|bug", "run|What?"] {
        let Err(Refusal::Usage(text)) = read(line) else { panic!("{line}") };
        assert!(text.contains("standard input: echo"), "{line}: {text}");
    }
}

#[test]
fn what_cannot_be_used() {
    let cases = [
        ("run|--format|xml", "possible values: plain, jsonl"),
        ("run|-c|novalue", "key=value"),
        ("run|-c|=1", "key=value"),
        ("run|-n|a|-r|b", "cannot be used with"),
        ("run|-r|b|--resume-recent", "cannot be used with"),
        ("config|--show|--path", "cannot be used with"),
        ("confg", "config"),
        ("run|--modle|x", "--model"),
    ];
    for (line, said) in cases {
        let Err(Refusal::Usage(text)) = read(line) else { panic!("{line}") };
        assert!(text.contains(said), "{line}: {text}");
    }
}

#[test]
fn help_lists_the_exit_codes() {
    let Err(Refusal::Help(text)) = read("--help") else { panic!() };
    for exit in Exit::ALL {
        assert!(text.contains(&format!("{:>3}  {}", exit.code(), exit.meaning())), "{text}");
    }
    assert!(matches!(read("--version"), Err(Refusal::Help(text)) if text.contains(env!("CARGO_PKG_VERSION"))));
}

#[test]
fn an_option_in_front_of_a_subcommand_is_told_where_it_belongs() {
    let Err(Refusal::Usage(text)) = parse(["octomind", "-m", "a:b", "run", "nc:r"]) else { panic!() };
    assert!(text.contains("hint: options stand behind the subcommand: octomind run TAG -m PROVIDER:MODEL"), "{text}");
}
