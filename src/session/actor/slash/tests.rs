use super::*;
use crate::proto::slash_takes::{Takes, takes};
use crate::session::actor::rewind::words;

/// What can be typed after a command's words, to the end; names stand for what only a session knows.
fn lines(command: &str, given: &[&str], found: &mut Vec<String>) {
    for next in takes(command, given).iter().flat_map(|takes| examples(*takes)) {
        let all: Vec<&str> = given.iter().copied().chain([next]).collect();
        found.push(all.join(" "));
        lines(command, &all, found);
    }
}

fn examples(takes: Takes) -> Vec<&'static str> {
    match takes {
        Takes::Words(words) => words.iter().filter(|word| !word.more).map(|word| word.word).collect(),
        Takes::Model => vec!["ollama:qwen3", "auto"],
        Takes::Role => vec!["developer:chief"],
        Takes::Skill => vec!["careful-migrations"],
        Takes::Capability => vec!["database-postgres"],
        Takes::Switch => crate::supervisor::switch::SWITCHES
            .iter()
            .map(|known| crate::supervisor::switch::short(known.key))
            .collect(),
        Takes::Turn => vec!["3"],
        Takes::Theme => vec!["light"],
        Takes::Session => vec!["brisk-otter"],
    }
}

/// What is wrong with it, as the command's own reader says.
fn refused(command: &str, arguments: &str) -> Option<String> {
    match command {
        "rewind" => words::parse(arguments).err(),
        "supervisor" => supervisor::parse(arguments).err(),
        "effort" => (!EFFORTS.iter().any(|(word, _)| *word == arguments)).then(|| "no effort".to_owned()),
        "model" if arguments != "auto" => {
            let config = crate::config::Config::template();
            crate::model::open(arguments, &config, &crate::config::Env::default()).err().map(|fault| fault.message)
        }
        _ => None,
    }
}

#[test]
fn every_model_that_is_named_in_full_can_be_opened() {
    let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY", "MINIMAX_API_KEY"];
    let env = crate::config::Env::from_pairs(keys.map(|key| (key, "a-key-of-some-length")));
    let config = crate::config::Config::template();
    let names = crate::model::named(&config, &env);
    assert!(names.len() > keys.len(), "{names:?}");
    for name in names.iter().filter(|name| *name != "auto") {
        assert!(crate::model::open(name, &config, &env).is_ok(), "{name}");
    }
}

#[test]
fn everything_that_is_offered_is_understood() {
    let mut tried = 0;
    for command in slash::COMMANDS {
        let mut found = Vec::new();
        lines(command.name, &[], &mut found);
        tried += found.len();
        for arguments in found {
            let line = format!("/{} {arguments}", command.name);
            assert_eq!(slash::parse(&line).map(|(known, rest)| (known.name, rest)), Some((command.name, &*arguments)));
            assert_eq!(refused(command.name, &arguments), None, "{line}");
        }
    }
    assert!(tried > 60, "{tried}");
}
