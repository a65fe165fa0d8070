//! Calls that wait for the person before they run.
//!
//! Owns: asking one call after the other, what is shown of it, what is remembered in this session.
//!
//! Does not own: which calls need a yes ([`crate::approval`]), running them (`batch`).
//!
//! Invariant: a call that needs a yes runs after one and never before; while it waits the others go on, and
//! nothing is looked after that only the person can change. What was allowed is not taken over from an
//! earlier process: the journal is a file that tools may reach.

mod answer;
mod words;

use std::collections::VecDeque;
use std::sync::Arc;

use super::batch::{Batch, Runnable, finished};
use super::turn::Phase;
use super::{Actor, Report};
use crate::approval::{Call, Judgement, Origin, Verdict, judge};
use crate::mcp::bundled::files::{self, Preview};
use crate::proto::{
    Answer, Approval, ApprovalAbout, ApprovalMode, ApprovalOutcome, ApprovalSays, ApprovalStanding, Ask, AskId,
    AskKind, Body, Content, Decision, Level, Order, ServerKind, Timestamp, ToolOutcome,
};
use crate::session::checkpoint::Since;
use crate::session::seams;
use crate::session::server_specs::RUNTIME;
pub(super) use words::unanswered;

/// What is asked about in this session, and what was said.
pub(super) struct Approving {
    standing: ApprovalStanding,
    /// Rules so far; numbers them.
    rules: u32,
    /// How a run without a person is allowed more has been said.
    said_how: bool,
}

impl Approving {
    pub fn new(configured: &seams::Approval) -> Self {
        let seams::Approval { mode, origin } = configured.clone();
        Self { standing: ApprovalStanding { mode, origin, rules: Vec::new() }, rules: 0, said_how: false }
    }
}

/// Calls of a batch that wait for the person.
#[derive(Default)]
pub(super) struct Held {
    waiting: VecDeque<Runnable>,
    open: Option<Open>,
    asked: u32,
    of: u32,
}

impl Held {
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.open.is_none()
    }
}

/// The call that is asked about now.
struct Open {
    call: Runnable,
    judged: Judgement,
    preview: Option<Seen>,
    stage: Stage,
    number: u32,
    of: u32,
}

/// What a call would make of a file, or why it would fail.
pub(super) type Seen = Result<Preview, String>;

enum Stage {
    /// The file is looked at.
    Looking {
        again: bool,
    },
    Asked(Question),
    /// There was a yes; the file is looked at once more.
    Checking(Question, Answer),
}

#[derive(Clone, Copy)]
struct Question {
    ask: AskId,
    order: Order,
    since: Timestamp,
}

/// What is to be said of a decision.
struct Said {
    outcome: ApprovalOutcome,
    remembered: Vec<String>,
    waited_ms: u64,
    /// Where it stands in the transcript; nowhere when it is worth no line.
    order: Option<Order>,
}

impl Said {
    fn quietly(outcome: ApprovalOutcome) -> Self {
        Self { outcome, remembered: Vec::new(), waited_ms: 0, order: None }
    }
}

impl Actor {
    /// Whether any call can need a yes, or be refused for what was said.
    pub(super) fn approves(&self) -> bool {
        let standing = &self.approving.standing;
        standing.mode != ApprovalMode::Off || standing.rules.iter().any(|rule| rule.says == ApprovalSays::Refuse)
    }

    /// Sorts the calls of a batch: what needs a yes is held, what may not run is refused.
    pub(super) fn ask_about(&mut self, batch: &mut Batch) {
        if !self.approves() {
            return;
        }
        for call in std::mem::take(&mut batch.waiting) {
            let judged = self.judge_call(&call);
            match judged.verdict {
                Verdict::Asks if self.person() => {
                    batch.held.of += 1;
                    batch.held.waiting.push_back(call);
                }
                Verdict::Runs | Verdict::Allowed => {
                    self.say_free(&call, &judged);
                    batch.waiting.push_back(call);
                }
                Verdict::Asks => {
                    self.say_how_to_allow();
                    self.refuse_unapproved(batch, call, &judged, ApprovalOutcome::NobodyThere);
                }
                Verdict::Refused => self.refuse_unapproved(batch, call, &judged, ApprovalOutcome::RefusedByRule),
            }
        }
    }

    fn say_free(&mut self, call: &Runnable, judged: &Judgement) {
        let free = judged.verdict == Verdict::Runs;
        let outcome = if free { ApprovalOutcome::Free } else { ApprovalOutcome::ByRule };
        self.say_approval(call, judged, Said::quietly(outcome));
    }

    fn judge_call(&self, call: &Runnable) -> Judgement {
        let origin = self.origin_of(&call.tool.server);
        let file = (origin == Origin::Bundled)
            .then(|| files::target(&self.setup.workdir, &call.tool.name, &call.arguments))
            .flatten()
            .map(|path| path.display().to_string());
        let asked = Call {
            origin,
            server: &call.tool.server,
            tool: &call.tool.name,
            read_only: call.tool.read_only,
            arguments: &call.arguments,
            file: file.as_deref(),
            fingerprint: &words::fingerprint(&call.tool),
        };
        judge(&asked, self.approving.standing.mode, &self.approving.standing.rules)
    }

    /// By what the server is, never by what it is called.
    fn origin_of(&self, server: &str) -> Origin {
        let snapshot = self.rec.hub.snapshot();
        let ours = snapshot.servers.iter().any(|view| view.name == server && view.kind == ServerKind::Builtin);
        match (ours, server) {
            (true, RUNTIME) => Origin::Session,
            (true, _) => Origin::Bundled,
            (false, _) => Origin::Other,
        }
    }

    /// Asks about the next call that is held, unless one is open. What was said meanwhile counts.
    pub(super) fn ask_next(&mut self) {
        loop {
            let Some(Phase::Tools(batch)) = self.turn.as_mut().map(|turn| &mut turn.phase) else { return };
            if batch.held.open.is_some() {
                return;
            }
            let Some(call) = batch.held.waiting.pop_front() else { return };
            batch.held.asked += 1;
            let (number, of) = (batch.held.asked, batch.held.of);
            let judged = self.judge_call(&call);
            match judged.verdict {
                Verdict::Runs | Verdict::Allowed => {
                    self.say_free(&call, &judged);
                    self.admit(call);
                }
                Verdict::Refused => self.refuse_held(call, &judged, ApprovalOutcome::RefusedByRule, None),
                Verdict::Asks => return self.open_question(call, judged, (number, of)),
            }
        }
    }

    fn open_question(&mut self, call: Runnable, judged: Judgement, (number, of): (u32, u32)) {
        let changes_file = judged.session.iter().any(|about| matches!(about, ApprovalAbout::File { .. }));
        if changes_file {
            self.look_at_file(&call);
        }
        let open = Open { call, judged, preview: None, stage: Stage::Looking { again: false }, number, of };
        self.hold(open);
        if !changes_file {
            self.ask_person();
        }
    }

    fn hold(&mut self, open: Open) {
        if let Some(Phase::Tools(batch)) = self.turn.as_mut().map(|turn| &mut turn.phase) {
            batch.held.open = Some(open);
        }
    }

    fn take_open(&mut self) -> Option<Open> {
        match self.turn.as_mut().map(|turn| &mut turn.phase) {
            Some(Phase::Tools(batch)) => batch.held.open.take(),
            _ => None,
        }
    }

    /// Beside the task: a file may be large or on a slow disk.
    fn look_at_file(&self, call: &Runnable) {
        let (report, root, id) = (self.report.clone(), self.setup.workdir.clone(), call.id.clone());
        let (tool, arguments) = (call.tool.name.clone(), call.arguments.clone());
        tokio::task::spawn_blocking(move || {
            let seen = files::preview(&root, &tool, &arguments);
            // The session may be over.
            let _ = report.send(Report::Previewed(id, seen));
        });
    }

    /// Puts the question about the call that is open.
    fn ask_person(&mut self) {
        let Some(mut open) = self.take_open() else { return };
        let Stage::Looking { again } = open.stage else { return self.hold(open) };
        let id = self.new_ask();
        let request = words::request(&open, again);
        let order = self.place_of(&open.call);
        let since = self.rec.now();
        let kind = AskKind::Approval(Arc::new(request));
        self.rec.emit_at(Some(order), Body::Asked(Ask { id, kind }));
        open.stage = Stage::Asked(Question { ask: id, order, since });
        self.hold(open);
    }

    /// What is said of a call stands before it, unless nothing was kept free there.
    fn place_of(&mut self, call: &Runnable) -> Order {
        let spaced = match self.turn.as_ref().map(|turn| &turn.phase) {
            Some(Phase::Tools(batch)) => batch.spaced,
            _ => false,
        };
        match call.order.before().filter(|_| spaced) {
            Some(before) => before,
            None => self.rec.reserve(1),
        }
    }

    /// The call may run: as soon as what it may change was looked at.
    fn admit(&mut self, call: Runnable) {
        let (pending, class) = (call.pending(), call.class());
        let Some(Phase::Tools(mut batch)) = self.take_phase() else { return };
        match &mut batch.guarded {
            Some(guarded) => self.guard_also(guarded, &pending, class),
            None => batch.guarded = self.guard(&[(pending, class)], Since::PersonAnswered),
        }
        batch.waiting.push_back(call);
        self.set_phase(Phase::Tools(batch));
    }

    fn refuse_held(&mut self, call: Runnable, judged: &Judgement, outcome: ApprovalOutcome, said: Option<Said>) {
        let Some(Phase::Tools(mut batch)) = self.take_phase() else { return };
        self.turn_down(&mut batch, call, judged, said.unwrap_or_else(|| Said::quietly(outcome)));
        self.set_phase(Phase::Tools(batch));
    }

    fn refuse_unapproved(&mut self, batch: &mut Batch, call: Runnable, judged: &Judgement, outcome: ApprovalOutcome) {
        self.turn_down(batch, call, judged, Said::quietly(outcome));
    }

    /// The model gets to know what it can do instead.
    fn turn_down(&mut self, batch: &mut Batch, call: Runnable, judged: &Judgement, said: Said) {
        let reason = words::reason(judged, said.outcome);
        let order = said.order.or_else(|| call.order.before().filter(|_| batch.spaced));
        let order = order.unwrap_or_else(|| self.rec.reserve(1));
        self.say_approval(&call, judged, Said { order: Some(order), ..said });
        batch.refused(&call.id, &call.tool.info.wire_name, &call.arguments, ToolOutcome::Refused);
        self.end.refused += 1;
        self.not_run(call, ToolOutcome::Refused, reason);
    }

    fn not_run(&mut self, call: Runnable, outcome: ToolOutcome, reason: String) {
        let Runnable { id, order, tool, arguments } = call;
        let started = Body::ToolStarted { call: id.clone(), server: tool.server, tool: tool.info.name, arguments };
        self.rec.emit_at(Some(order), started);
        self.rec.emit_at(Some(order), finished(id, outcome, Content::Text(reason), 0));
    }

    fn say_approval(&mut self, call: &Runnable, judged: &Judgement, said: Said) {
        let approval = Approval {
            call: call.id.clone(),
            server: call.tool.server.clone(),
            tool: call.tool.name.clone(),
            about: judged.about.clone(),
            mode: self.approving.standing.mode,
            parts: judged.parts.clone(),
            why: judged.why.clone(),
            outcome: said.outcome,
            remembered: said.remembered,
            waited_ms: said.waited_ms,
        };
        self.rec.emit_at(said.order, Body::Decided(Decision::Approval(Box::new(approval))));
    }

    /// For whoever reads what a run without a person says; once.
    fn say_how_to_allow(&mut self) {
        if std::mem::replace(&mut self.approving.said_how, true) {
            return;
        }
        let ApprovalStanding { mode, origin, .. } = &self.approving.standing;
        let (mode, origin) = (mode.word(), origin.clone());
        let text = format!(
            "Calls that need a yes are refused, as nobody is here to ask ([ui] approval = {mode:?}, {origin})."
        );
        let hint = "To let them run: -c ui.approval=off; then guardrails, trust and the sandbox are the policy.";
        self.rec.notice(Level::Warning, "approval", text, Some(hint.to_owned()));
    }

    /// The turn was stopped while these waited.
    pub(super) fn cancel_held(&mut self, held: Held) {
        let Held { waiting, open, .. } = held;
        if let Some(open) = open {
            let question = match &open.stage {
                Stage::Looking { .. } => None,
                Stage::Asked(question) => {
                    self.rec.emit(Body::Answered { ask: question.ask, answer: Answer::No });
                    Some(*question)
                }
                Stage::Checking(question, _) => Some(*question),
            };
            if let Some(question) = question {
                let waited_ms = self.rec.now().saturating_sub(question.since);
                let (outcome, order) = (ApprovalOutcome::Interrupted, Some(question.order));
                let said = Said { outcome, remembered: Vec::new(), waited_ms, order };
                self.say_approval(&open.call, &open.judged, said);
            }
            self.stopped_unanswered(open.call);
        }
        for call in waiting {
            self.stopped_unanswered(call);
        }
    }

    fn stopped_unanswered(&mut self, call: Runnable) {
        let reason = "Not run: it waited for the person's approval, and they stopped the turn.".to_owned();
        self.not_run(call, ToolOutcome::Cancelled, reason);
    }
}
