//! The slash commands, as data: help, completion and dispatch read this one table.

/// One slash command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slash {
    pub name: &'static str,
    /// Arguments as a person reads them, empty when there are none.
    pub arguments: &'static str,
    pub doc: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
}

pub const COMMANDS: &[Slash] = &[
    Slash { name: "help", arguments: "", doc: "what one can do here", aliases: &[] },
    Slash {
        name: "model",
        arguments: "[provider:model]",
        doc: "show or change the model of this session",
        aliases: &[],
    },
    Slash {
        name: "effort",
        arguments: "[none|low|medium|high|xhigh|max]",
        doc: "show or change how hard the model thinks",
        aliases: &[],
    },
    Slash { name: "role", arguments: "[role]", doc: "show or change the role", aliases: &[] },
    Slash { name: "skill", arguments: "[name|page|pattern]", doc: "list skills, switch one on or off", aliases: &[] },
    Slash { name: "new", arguments: "[title]", doc: "start a fresh session", aliases: &[] },
    Slash { name: "clear", arguments: "", doc: "clear the transcript; the conversation goes on", aliases: &[] },
    Slash { name: "copy", arguments: "[all]", doc: "copy the last answer, or everything", aliases: &[] },
    Slash {
        name: "context",
        arguments: "[all|assistant|user|tool|system|large]",
        doc: "what the next request will hold",
        aliases: &[],
    },
    Slash { name: "info", arguments: "", doc: "tokens, cost, servers of this session", aliases: &[] },
    Slash { name: "mcp", arguments: "[list|full]", doc: "servers, their state and tools", aliases: &[] },
    Slash {
        name: "capability",
        arguments: "[name|discover …|pin …]",
        doc: "list sets of tools, switch one on or off",
        aliases: &[],
    },
    Slash {
        name: "tap",
        arguments: "[stop [id]]",
        doc: "work that was handed to other agents: list it, stop it",
        aliases: &[],
    },
    Slash { name: "plan", arguments: "", doc: "the plan of the task, if there is one", aliases: &[] },
    Slash {
        name: "supervisor",
        arguments: "[name [on|off|save]]",
        doc: "what watches the session: show it, switch it",
        aliases: &[],
    },
    Slash {
        name: "approvals",
        arguments: "[off|writes|all|forget …]",
        doc: "which tool calls wait for your yes, and what is remembered",
        aliases: &[],
    },
    Slash {
        name: "rewind",
        arguments: "[turn|undo] [conversation|files|both] [all]",
        doc: "go back to an earlier prompt: the conversation, the files, or both",
        aliases: &[],
    },
    Slash { name: "session", arguments: "[name]", doc: "go to another session", aliases: &["sessions", "resume"] },
    Slash { name: "theme", arguments: "[name]", doc: "choose the colours", aliases: &[] },
    Slash { name: "exit", arguments: "", doc: "leave", aliases: &["quit"] },
];

/// The command a line calls, and the rest of the line.
///
/// `None` when the line is no known command: it is then ordinary input.
pub fn parse(line: &str) -> Option<(&'static Slash, &str)> {
    let rest = line.strip_prefix('/')?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let command = COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name))?;
    Some((command, arguments.trim()))
}
