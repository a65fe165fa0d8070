use std::sync::Arc;

use super::{Layer, Listing, Pane, Picker, Scroll, State, Table, Tabled};
use crate::proto::{ApprovalRequest, AskKind, EntryKind, RunState};
use crate::ui::composer::{Extent, Mode};
use crate::ui::keys::{Context, Facts, Found, Node};

/// How long a prefix waits before which-key shows what may follow, milliseconds.
pub const WHICH_KEY_MS: u64 = 350;

impl State {
    /// Where keys are looked up now, in order.
    pub fn contexts(&self) -> Vec<Context> {
        if !self.layers.is_empty() {
            return vec![Context::Overlay, Context::Global];
        }
        if self.question.is_some() {
            return vec![Context::Question, Context::Global];
        }
        self.base_contexts()
    }

    /// The contexts under any overlay or question.
    pub fn base_contexts(&self) -> Vec<Context> {
        let mut contexts = Vec::new();
        match self.focus {
            Pane::Composer => {
                if self.composer.modal.is_normal() {
                    contexts.push(Context::Normal);
                } else if self.composer.completion.is_some() {
                    contexts.push(Context::Popup);
                }
                contexts.push(Context::Composer);
            }
            Pane::Transcript if self.search_editing() => contexts.push(Context::Search),
            Pane::Transcript => contexts.extend([Context::Transcript, Context::Pane]),
            Pane::Surface => contexts.extend([Context::Surface, Context::Pane]),
            Pane::Scores => contexts.extend([Context::Scores, Context::Pane]),
            Pane::Plan => contexts.extend([Context::Plan, Context::Pane]),
            Pane::Notes => contexts.extend([Context::Notes, Context::Pane]),
        }
        contexts.push(Context::Global);
        contexts
    }

    /// What conditions of keymap rows are evaluated on.
    pub fn facts(&self) -> Facts {
        let (first_row, last_row) = self.composer.at_edge();
        Facts {
            composing: self.composing(),
            composer_empty: self.composer.is_empty(),
            first_row,
            last_row,
            on_chip: self.composer.chip_at_caret().is_some() || self.composer.opened_at_caret().is_some(),
            popup: self.composer.completion.is_some(),
            overlay: !self.layers.is_empty(),
            reading: matches!(self.layers.last(), Some(Layer::Reader(_))),
            sections: self.has_sections(),
            listing: self.listing(),
            typing: matches!(self.layers.last(), Some(Layer::Table(Table { typing: Some(_), .. }))),
            server: self.server_in_question().is_some(),
            time: matches!(self.layers.last(), Some(Layer::Table(Table { of: Tabled::Time, .. }))),
            log: matches!(self.layers.last(), Some(Layer::Table(Table { of: Tabled::Log(_), typing: None, .. }))),
            session: matches!(self.layers.last(), Some(Layer::Table(Table { of: Tabled::Sessions, typing: None, .. }))),
            filling: matches!(self.layers.last(), Some(Layer::Table(Table { of: Tabled::Context(_), .. }))),
            rewinding: matches!(self.layers.last(), Some(Layer::Table(Table { of: Tabled::Rewind, .. }))),
            switch: self.switch_in_question().is_some(),
            sourced: self.has_sources(),
            turn_running: self.snapshot.run.busy(),
            starting: self.stoppable_start(),
            offered: self.offer().is_some(),
            interrupting: self.interrupting == Some(self.snapshot.turn) && self.snapshot.run.busy(),
            retrying: matches!(self.snapshot.run, RunState::Retrying { .. }),
            queued: !self.snapshot.queue.is_empty(),
            shell_running: self.snapshot.shell.is_some(),
            capability: self.capability_in_question().is_some(),
            asking: !self.snapshot.asks.is_empty(),
            asking_text: self.question_takes_text(),
            asking_call: self.approval_in_question().is_some(),
            selection: self.transcript.selected.is_some(),
            searching: self.transcript.search.is_some(),
            search_editing: self.search_editing(),
            zoomed: self.zoom,
            tour: self.composer.is_empty() && self.tour_is_open(),
            normal: self.composer.modal.is_normal(),
            visual: self.composer.modal.is_visual(),
            operator: self.composer.modal.operating(),
            counting: self.pending.count.is_some(),
            themes: self.lists_themes(),
            following: self.transcript.scroll == Scroll::Follow,
        }
    }

    /// Letters are keys of a list.
    fn listing(&self) -> bool {
        match self.layers.last() {
            Some(Layer::Table(Table { of, typing, .. })) => typing.is_none() && *of != Tabled::Time,
            _ => false,
        }
    }

    /// Whether the transcript holds nothing but what start-up had to tell.
    pub fn nothing_said(&self) -> bool {
        use EntryKind::{Asked, Decision, Fault, Notice, Skill, StartUp};
        let told = |kind: &EntryKind| {
            matches!(kind, Decision(_) | Notice { .. } | Fault(_) | Asked { .. } | StartUp { .. } | Skill { .. })
        };
        self.snapshot.turn.0 == 0 && self.snapshot.transcript.entries().iter().all(|entry| told(&entry.kind))
    }

    /// Whether the model is the tour and it has not begun.
    pub fn tour_is_open(&self) -> bool {
        let session = &self.snapshot.session;
        session.model.name == "script:tour" && session.read_only.is_none() && self.nothing_said()
    }

    /// Whether typed characters go to the composer.
    pub fn composing(&self) -> bool {
        self.focus == Pane::Composer && self.layers.is_empty() && self.question.is_none()
    }

    pub fn search_editing(&self) -> bool {
        self.transcript.search.as_ref().is_some_and(|search| search.editing)
    }

    /// Whether the question in focus wants a typed value.
    pub fn question_takes_text(&self) -> bool {
        matches!(self.asked_in_focus(), Some(AskKind::Secret { .. }))
    }

    fn asked_in_focus(&self) -> Option<&AskKind> {
        let question = self.question.as_ref()?;
        let ask = self.snapshot.asks.iter().find(|(ask, _)| ask.id == question.ask);
        ask.map(|(ask, _)| &ask.kind)
    }

    /// The call that the question in focus is about.
    pub fn approval_in_question(&self) -> Option<&Arc<ApprovalRequest>> {
        match self.asked_in_focus() {
            Some(AskKind::Approval(request)) => Some(request),
            _ => None,
        }
    }

    /// The word of the status line: who gets the keys.
    pub fn mode(&self) -> &'static str {
        match (self.layers.last(), &self.question, self.focus) {
            (Some(Layer::Picker(Picker { of, .. })), ..) => match of {
                Listing::Help => "HELP",
                Listing::Palette => "PALETTE",
                Listing::History => "HISTORY",
                Listing::Prompts => "MESSAGES",
                Listing::Waiting => "WAITING",
                Listing::Code => "CODE",
                Listing::Leads => "OPEN",
                Listing::Agents => "AGENTS",
                Listing::Catalogue(_) => "CATALOGUE",
                Listing::Why(_) => "WHY",
            },
            (Some(Layer::Reader(_)), ..) => "READ",
            (Some(Layer::WhatIf(_)), ..) => "WHAT IF",
            (Some(Layer::Table(Table { of, .. })), ..) => match of {
                Tabled::Switches => "SWITCHES",
                Tabled::Calls => "WIRE",
                Tabled::Context(_) => "CONTEXT",
                Tabled::Servers => "SERVERS",
                Tabled::Sessions => "SESSIONS",
                Tabled::Time => "THE PAST",
                Tabled::Log(_) => "LOG",
                Tabled::Themes => "THEMES",
                Tabled::Rewind => "REWIND",
            },
            (None, Some(_), _) => "QUESTION",
            (None, None, Pane::Composer) if self.composer.modal.is_normal() => match self.composer.modal.mode() {
                Mode::Visual(Extent::Letters) => "VISUAL",
                Mode::Visual(Extent::Lines) => "V-LINE",
                Mode::Normal | Mode::Insert => "NORMAL",
            },
            (None, None, Pane::Composer) if self.keymap.is_modal() => "INSERT",
            (None, None, Pane::Composer) => "TYPE",
            (None, None, Pane::Transcript) if self.search_editing() => "SEARCH",
            // Where the composer has a normal mode, that word is the composer's.
            (None, None, _) if self.keymap.is_modal() => "PANE",
            (None, None, _) => "NORMAL",
        }
    }

    /// What was typed of a command that is not complete: a count, an operator, the first keys.
    pub fn unfinished(&self) -> String {
        let mut typed = self.composer.modal.typed();
        if let Some(count) = self.pending.count {
            typed.push_str(&count.to_string());
        }
        typed
    }

    /// The node the pending keys lead to, once they have waited long enough to be asked about.
    pub fn which_key(&self) -> Option<&Node> {
        if self.pending.keys.is_empty() || self.now < self.pending.since + WHICH_KEY_MS {
            return None;
        }
        match self.keymap.find(&self.contexts(), &self.pending.keys, &self.facts()) {
            Found::Prefix(node) => Some(node),
            Found::Nothing | Found::Call(_) | Found::Noop => None,
        }
    }
}
