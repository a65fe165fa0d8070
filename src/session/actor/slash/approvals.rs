use super::layout::{row, table};
use crate::proto::{ApprovalMode, ApprovalOutcome, ApprovalView};
use crate::session::actor::Actor;
use crate::text;

const USE: &str = "/approvals off, writes or all; forget NUMBER takes one answer back, forget all takes back every one";

/// Decisions that are listed.
const LISTED: usize = 10;

/// What a person asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    List,
    Mode(ApprovalMode),
    Forget(u32),
    ForgetAll,
}

impl Actor {
    pub(super) fn slash_approvals(&mut self, words: &str) -> String {
        match parse(words) {
            Ok(Asked::List) => listing(&self.rec.hub.snapshot().approval),
            Ok(Asked::Mode(mode)) => self.set_approval(mode),
            Ok(Asked::Forget(rule)) => self.forget_approval(rule),
            Ok(Asked::ForgetAll) => self.forget_approvals(),
            Err(why) => why,
        }
    }
}

fn parse(words: &str) -> Result<Asked, String> {
    let lower = words.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    match words.as_slice() {
        [] | ["list"] => Ok(Asked::List),
        ["forget", "all"] => Ok(Asked::ForgetAll),
        ["forget", number] => {
            number.parse().map(Asked::Forget).map_err(|_| format!("{number:?} is no number of the list. {USE}."))
        }
        [word] => ApprovalMode::parse(word)
            .map(Asked::Mode)
            .ok_or_else(|| format!("{word:?} is none of off, writes and all. {USE}.")),
        _ => Err(format!("That is not understood. {USE}.")),
    }
}

/// How asking stands, what is remembered, and the last decisions, the newest first.
fn listing(view: &ApprovalView) -> String {
    let standing = &view.standing;
    let origin = if standing.origin.is_empty() { "built in" } else { &standing.origin };
    let mut parts = vec![table(&[row(["approval", standing.mode.word(), origin])])];
    if standing.rules.is_empty() {
        parts.push("Nothing is remembered in this session.".to_owned());
    } else {
        let rows = standing
            .rules
            .iter()
            .map(|rule| row([&rule.id.to_string(), rule.says.word(), &text::sanitize_line(&rule.about.words())]));
        parts.push(format!("remembered for this session:\n{}", table(&rows.collect::<Vec<_>>())));
    }
    let told = view.recent.iter().rev().filter(|(_, one)| one.outcome != ApprovalOutcome::Free);
    let rows: Vec<_> = told
        .take(LISTED)
        .map(|(_, one)| row([&text::sanitize_line(&format!("{} {}", one.tool, one.about)), one.outcome.words()]))
        .collect();
    if !rows.is_empty() {
        parts.push(format!("the last decisions:\n{}", table(&rows)));
    }
    parts.push(USE.to_owned());
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{Approval, ApprovalAbout, ApprovalRule, ApprovalSays, ApprovalStanding, CallId};

    #[test]
    fn words_set_a_mode_or_take_an_answer_back() {
        for (words, wanted) in [
            ("", Asked::List),
            (" list ", Asked::List),
            ("off", Asked::Mode(ApprovalMode::Off)),
            ("WRITES", Asked::Mode(ApprovalMode::Writes)),
            ("all", Asked::Mode(ApprovalMode::All)),
            ("forget 3", Asked::Forget(3)),
            ("forget all", Asked::ForgetAll),
        ] {
            assert_eq!(parse(words), Ok(wanted), "{words}");
        }
        assert!(parse("on").unwrap_err().contains("none of off, writes and all"));
        assert!(parse("forget x").unwrap_err().contains("no number"));
        assert!(parse("forget 1 2").is_err());
    }

    #[test]
    fn the_list_shows_what_is_remembered_and_what_was_decided() {
        let rule = |id, says, about| ApprovalRule { id, says, about, at: 0 };
        let words = vec!["cargo".to_owned(), "test".to_owned()];
        let program = ApprovalAbout::Program { tool: "files.shell".into(), words, place: None };
        let rules = vec![
            rule(1, ApprovalSays::Allow, program),
            rule(2, ApprovalSays::Refuse, ApprovalAbout::File { path: "/shop/a.rs".into() }),
        ];
        let decided = |about: &str, outcome| {
            let approval = Approval {
                call: CallId("c".into()),
                server: "files".into(),
                tool: "shell".into(),
                about: about.into(),
                mode: ApprovalMode::Writes,
                parts: Vec::new(),
                why: String::new(),
                outcome,
                remembered: Vec::new(),
                waited_ms: 0,
            };
            (0, approval)
        };
        let recent = [
            decided("cargo test", ApprovalOutcome::Session),
            decided("ls", ApprovalOutcome::Free),
            decided("cargo test --doc", ApprovalOutcome::ByRule),
        ];
        let standing = ApprovalStanding { mode: ApprovalMode::Writes, origin: "config.toml:9".into(), rules };
        let view = ApprovalView { standing, recent: recent.into() };
        insta::assert_snapshot!(listing(&view), @r"
        approval  writes  config.toml:9

        remembered for this session:
        1  allowed  `cargo test` with any arguments
        2  refused  edits and writes of /shop/a.rs

        the last decisions:
        shell cargo test --doc  allowed by what you said in this session
        shell cargo test        allowed for this session by you

        /approvals off, writes or all; forget NUMBER takes one answer back, forget all takes back every one
        ");
    }
}
