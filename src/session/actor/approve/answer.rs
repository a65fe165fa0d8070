//! What the person says, and what is remembered of it.

use std::sync::Arc;

use super::{Open, Question, Said, Seen, Stage};
use crate::proto::{
    Answer, ApprovalAbout, ApprovalCommand, ApprovalMode, ApprovalOutcome, ApprovalRule, ApprovalSays,
    ApprovalStanding, AskId, Body, CallId, Level, counted,
};
use crate::session::actor::Actor;

/// Where a mode comes from that was set while the session runs.
const SESSION: &str = "this session";

impl Actor {
    /// True when it was the question about a call.
    pub(in crate::session::actor) fn approval_answered(&mut self, ask: AskId, answer: &Answer) -> bool {
        let Some(mut open) = self.take_open() else { return false };
        let question = match open.stage {
            Stage::Asked(question) if question.ask == ask => question,
            _ => {
                self.hold(open);
                return false;
            }
        };
        // A text is no answer to this.
        let answer = match answer {
            Answer::Text(_) => Answer::No,
            other => other.clone(),
        };
        self.rec.emit(Body::Answered { ask, answer: answer.clone() });
        if answer.agrees() && open.preview.is_some() {
            self.look_at_file(&open.call);
            open.stage = Stage::Checking(question, answer);
            self.hold(open);
        } else {
            self.settle_question(open, question, &answer);
        }
        true
    }

    /// The file was looked at, before the question or after its answer.
    pub(in crate::session::actor) fn previewed(&mut self, call: &CallId, seen: Seen) {
        let Some(mut open) = self.take_open() else { return };
        if open.call.id != *call {
            return self.hold(open);
        }
        match std::mem::replace(&mut open.stage, Stage::Looking { again: false }) {
            Stage::Looking { again } => {
                open.stage = Stage::Looking { again };
                open.preview = Some(seen);
                self.hold(open);
                self.ask_person();
            }
            Stage::Checking(question, answer) if open.preview.as_ref() == Some(&seen) => {
                self.settle_question(open, question, &answer);
            }
            // What was agreed to is not what would happen.
            Stage::Checking(question, _) => {
                let said = self.said(ApprovalOutcome::Outdated, question, Vec::new());
                self.say_approval(&open.call, &open.judged, said);
                open.preview = Some(seen);
                open.stage = Stage::Looking { again: true };
                self.hold(open);
                self.ask_person();
            }
            asked @ Stage::Asked(_) => {
                open.stage = asked;
                self.hold(open);
            }
        }
    }

    fn said(&self, outcome: ApprovalOutcome, question: Question, remembered: Vec<String>) -> Said {
        let waited_ms = self.rec.now().saturating_sub(question.since);
        Said { outcome, remembered, waited_ms, order: Some(question.order) }
    }

    fn settle_question(&mut self, open: Open, question: Question, answer: &Answer) {
        let Open { call, judged, .. } = open;
        let (outcome, remembers) = match answer {
            Answer::Yes | Answer::Text(_) => (ApprovalOutcome::Once, None),
            Answer::Session => (ApprovalOutcome::Session, Some((ApprovalSays::Allow, &judged.session))),
            Answer::No => (ApprovalOutcome::Refused, None),
            Answer::Never => (ApprovalOutcome::Never, Some((ApprovalSays::Refuse, &judged.never))),
        };
        let remembered = match remembers {
            Some((says, abouts)) => self.remember(says, abouts),
            None => Vec::new(),
        };
        let said = self.said(outcome, question, remembered);
        if outcome.runs() {
            self.say_approval(&call, &judged, said);
            self.admit(call);
        } else {
            self.refuse_held(call, &judged, outcome, Some(said));
        }
        self.ask_next();
        self.advance_batch();
    }

    fn remember(&mut self, says: ApprovalSays, abouts: &[ApprovalAbout]) -> Vec<String> {
        let at = self.rec.now();
        for about in abouts {
            self.approving.rules += 1;
            let rule = ApprovalRule { id: self.approving.rules, says, about: about.clone(), at };
            self.approving.standing.rules.push(rule);
        }
        self.show_approvals();
        abouts.iter().map(ApprovalAbout::words).collect()
    }

    fn show_approvals(&mut self) {
        let standing = Arc::new(self.approving.standing.clone());
        self.rec.emit(Body::Approvals(standing));
    }

    /// The session begins, or is taken up.
    pub(in crate::session::actor) fn say_approvals(&mut self) {
        let shown = self.rec.hub.snapshot().approval.standing.clone();
        let own = &self.approving.standing;
        let plain = ApprovalStanding { origin: own.origin.clone(), ..ApprovalStanding::default() };
        let known = shown == *own || (*own == plain && shown == ApprovalStanding::default());
        if !known && self.read_only.is_none() {
            self.show_approvals();
        }
    }

    /// Goes on in a session that is taken up: no less is asked than was then or is configured now, and what
    /// was allowed is asked about again.
    pub(in crate::session::actor) fn approve_again(&mut self, before: &ApprovalStanding) {
        let standing = &mut self.approving.standing;
        if before.mode > standing.mode {
            (standing.mode, standing.origin) = (before.mode, SESSION.to_owned());
        }
        let kept = before.rules.iter().filter(|rule| rule.says == ApprovalSays::Refuse);
        standing.rules = kept.cloned().collect();
        self.approving.rules = before.rules.iter().map(|rule| rule.id).max().unwrap_or_default();
    }

    pub(in crate::session::actor) fn approval_command(&mut self, command: ApprovalCommand) {
        let said = match command {
            ApprovalCommand::Mode(mode) => self.set_approval(mode),
            ApprovalCommand::Forget { rule } => self.forget_approval(rule),
            ApprovalCommand::ForgetAll => self.forget_approvals(),
        };
        self.rec.notice(Level::Info, "approval", said, None);
    }

    pub(in crate::session::actor) fn set_approval(&mut self, mode: ApprovalMode) -> String {
        if let Some(holder) = &self.read_only {
            return format!("Not changed: this session is open elsewhere ({holder}) and can only be read here.");
        }
        let standing = &mut self.approving.standing;
        if standing.mode != mode {
            (standing.mode, standing.origin) = (mode, SESSION.to_owned());
            self.show_approvals();
        }
        let meaning = match mode {
            ApprovalMode::Off => "no call waits for your yes; guardrails, trust and the sandbox are the policy",
            ApprovalMode::Writes => "calls that may change something wait for your yes",
            ApprovalMode::All => "every call waits for your yes",
        };
        format!("Approval is {}, from the next call on: {meaning}.", mode.word())
    }

    pub(in crate::session::actor) fn forget_approval(&mut self, id: u32) -> String {
        let rules = &mut self.approving.standing.rules;
        let Some(at) = rules.iter().position(|rule| rule.id == id) else {
            return format!("Nothing is remembered under {id}; /approvals lists what is.");
        };
        let rule = rules.remove(at);
        self.show_approvals();
        format!("Taken back: {} is not {} any more.", rule.about.words(), rule.says.word())
    }

    pub(in crate::session::actor) fn forget_approvals(&mut self) -> String {
        let count = self.approving.standing.rules.len();
        if count == 0 {
            return "Nothing is remembered in this session.".to_owned();
        }
        self.approving.standing.rules.clear();
        self.show_approvals();
        format!("Taken back: {}.", counted(count, "answer"))
    }
}
