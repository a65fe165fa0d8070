//! The slash commands: each answers with text laid out for a terminal.

mod approvals;
mod context;
mod layout;
mod plan;
mod report;
mod skill;
mod supervisor;

#[cfg(test)]
mod tests;

pub(super) use layout::table;

use super::{Actor, ModelSlot};
use crate::proto::{Body, Effort, slash};

/// Efforts in the order of their strength, by the word a person types.
const EFFORTS: &[(&str, Effort)] = &[
    ("none", Effort::None),
    ("low", Effort::Low),
    ("medium", Effort::Medium),
    ("high", Effort::High),
    ("xhigh", Effort::Xhigh),
    ("max", Effort::Max),
];

impl Actor {
    pub(super) async fn slash(&mut self, command: &slash::Slash, line: &str, arguments: &str) {
        let output = match command.name {
            "help" => report::help(),
            "model" => self.slash_model(arguments),
            "effort" => self.slash_effort(arguments),
            "role" => self.slash_role(arguments),
            "new" => return self.begin_new(arguments).await,
            "clear" => return self.rec.emit(Body::ViewCleared),
            // The front end holds the clipboard.
            "copy" => return,
            "context" => self.slash_context(arguments),
            "info" => report::info(&self.rec.hub.snapshot(), &self.setup.limits),
            "skill" => self.slash_skill(arguments).await,
            "capability" => self.slash_capability(arguments).await,
            "mcp" => report::servers(&self.rec.hub.snapshot(), arguments),
            "plan" => self.slash_plan(),
            "approvals" => self.slash_approvals(arguments),
            "tap" => self.slash_tap(arguments),
            "supervisor" => self.slash_supervisor(arguments).await,
            "rewind" => match self.slash_rewind(arguments) {
                output if output.is_empty() => return,
                output => output,
            },
            "session" => "The workbench lists the sessions; without it, `octomind sessions` does.".to_owned(),
            "theme" => "Colours are the workbench's; `theme` under [ui] in the configuration sets them.".to_owned(),
            "exit" => {
                self.leaving = true;
                return;
            }
            other => format!("/{other} is not built yet."),
        };
        self.rec.cell(Body::CommandOutput { line: line.trim().to_owned(), output });
    }

    fn slash_model(&mut self, name: &str) -> String {
        if name.is_empty() {
            let snapshot = self.rec.hub.snapshot();
            return report::model(&snapshot.session, self.effort);
        }
        self.change_model(name).unwrap_or_else(|error| format!("The model stays as it is. {}", sentence(&error)))
    }

    fn slash_effort(&mut self, word: &str) -> String {
        let words = EFFORTS.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        if word.is_empty() {
            return format!("effort  {}\none of  {words}", effort_word(self.effort));
        }
        match EFFORTS.iter().find(|(known, _)| *known == word) {
            Some((word, effort)) => {
                self.change_effort(*effort);
                match &self.model {
                    ModelSlot::Ready(model) if !model.takes_effort() => format!(
                        "the effort is now {word}; it is not known whether {} takes one, so it is not sent (for an \
                         endpoint of your own, reasoning = true under its [providers] table sends it)",
                        model.info().name
                    ),
                    _ => format!("the effort is now {word}"),
                }
            }
            None => format!("The effort stays {}. One of {words} can be set.", effort_word(self.effort)),
        }
    }

    fn slash_role(&mut self, name: &str) -> String {
        if name.is_empty() {
            return report::roles(&self.role.name, &self.setup.roles.names());
        }
        if self.turn.is_some() {
            return "The role can be changed when no turn is running; Esc stops the running one.".to_owned();
        }
        self.change_role(name)
            .unwrap_or_else(|error| format!("The role stays {}. {}", self.role.name, sentence(&error)))
    }

    fn slash_context(&mut self, filter: &str) -> String {
        self.measure();
        let blobs = self.rec.journal.blobs().clone();
        context::context(&self.rec.hub.snapshot(), self.rec.history.items(), &|name| blobs.get(name), filter)
    }
}

/// With a capital at its beginning and a stop at its end.
fn sentence(text: &str) -> String {
    let mut letters = text.trim().chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let text: String = first.chain(letters).collect();
    if text.ends_with(['.', '!', '?', '…']) { text } else { format!("{text}.") }
}

pub(super) fn effort_word(effort: Effort) -> &'static str {
    EFFORTS.iter().find(|(_, known)| *known == effort).map_or("medium", |(word, _)| word)
}
