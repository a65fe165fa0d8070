//! What each slash command can be given, word by word: completion offers it, and the parsers take it.

/// What a command can be given at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// One of these.
    Words(&'static [Word]),
    /// `provider:model`.
    Model,
    Role,
    Skill,
    Capability,
    /// A switch of the supervisor.
    Switch,
    /// A turn of the conversation.
    Turn,
    Theme,
    /// A session on this machine.
    Session,
}

/// A word of a command's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    pub word: &'static str,
    pub doc: &'static str,
    /// Means nothing without what follows.
    pub more: bool,
}

const fn word(word: &'static str, doc: &'static str) -> Word {
    Word { word, doc, more: false }
}

const fn more(word: &'static str, doc: &'static str) -> Word {
    Word { word, doc, more: true }
}

const EFFORTS: &[Word] =
    &[word("none", ""), word("low", ""), word("medium", ""), word("high", ""), word("xhigh", ""), word("max", "")];

const CONTEXTS: &[Word] = &[
    word("all", "every message"),
    word("assistant", "what the model said"),
    word("user", "what was said to it"),
    word("tool", "what tools returned"),
    word("system", "the shares alone"),
    word("large", "long messages only"),
];

const SERVERS: &[Word] = &[word("list", "a line each"), word("full", "with every tool")];

const COPIED: &[Word] = &[word("all", "the whole transcript")];

const CAPABILITY: &[Word] = &[
    more("discover", "which one fits a task"),
    more("pin", "never evict it in this session"),
    more("unpin", "it may be evicted again"),
];

const WISHES: &[Word] = &[word("on", ""), word("off", ""), word("save", "writes it to the configuration")];

const ALL_SWITCHES: &[Word] =
    &[word("on", "the whole supervisor"), word("off", "the whole supervisor"), word("save", "what was flipped here")];

const UNDO: &[Word] = &[word("undo", "takes the last rewind back")];

const REWOUND: &[Word] = &[
    word("conversation", "files stay as they are"),
    word("files", "the conversation stays as it is"),
    word("both", ""),
];

const BY_HAND: &[Word] = &[word("all", "files changed by hand too")];

const APPROVALS: &[Word] = &[
    word("off", "nothing waits"),
    word("writes", "what changes something waits"),
    word("all", "every call waits"),
    more("forget", "an answer that is remembered"),
];

const HANDED_ON: &[Word] = &[word("stop", "ends what was handed on")];

const EACH: &[Word] = &[word("all", "everything that runs")];

/// What can follow the words that a command, by its own name, was given already.
pub fn takes(command: &str, given: &[&str]) -> &'static [Takes] {
    match (command, given) {
        ("model", []) => &[Takes::Model],
        ("effort", []) => &[Takes::Words(EFFORTS)],
        ("role", []) => &[Takes::Role],
        ("skill", []) => &[Takes::Skill],
        ("copy", []) => &[Takes::Words(COPIED)],
        ("context", []) => &[Takes::Words(CONTEXTS)],
        ("mcp", []) => &[Takes::Words(SERVERS)],
        ("capability", []) => &[Takes::Words(CAPABILITY), Takes::Capability],
        ("capability", ["pin" | "unpin"]) => &[Takes::Capability],
        ("supervisor", []) => &[Takes::Switch, Takes::Words(ALL_SWITCHES)],
        ("supervisor", [first]) if !WISHES.iter().any(|wish| wish.word == *first) => &[Takes::Words(WISHES)],
        ("rewind", []) => &[Takes::Turn, Takes::Words(UNDO)],
        ("rewind", ["undo"]) => &[Takes::Words(BY_HAND)],
        ("rewind", [_]) => &[Takes::Words(REWOUND), Takes::Words(BY_HAND)],
        ("rewind", [_, what]) if *what != "all" => &[Takes::Words(BY_HAND)],
        ("approvals", []) => &[Takes::Words(APPROVALS)],
        ("tap", []) => &[Takes::Words(HANDED_ON)],
        ("tap", ["stop"]) => &[Takes::Words(EACH)],
        ("theme", []) => &[Takes::Theme],
        ("session", []) => &[Takes::Session],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::slash;

    /// A command whose row tells of arguments is completed, and no other.
    #[test]
    fn what_the_table_tells_of_arguments_is_what_can_be_given() {
        for command in slash::COMMANDS {
            // A title is nobody's to guess.
            let told = !command.arguments.is_empty() && command.name != "new";
            assert_eq!(!takes(command.name, &[]).is_empty(), told, "/{}", command.name);
        }
        for command in ["effort", "context", "mcp", "copy"] {
            let (known, _) = slash::parse(&format!("/{command}")).unwrap();
            let own = takes(command, &[]).iter().flat_map(|takes| match takes {
                Takes::Words(words) => *words,
                _ => &[],
            });
            let own: Vec<&str> = own.map(|word| word.word).collect();
            assert_eq!(known.arguments.trim_matches(['[', ']']), own.join("|"), "/{command}");
        }
    }
}
