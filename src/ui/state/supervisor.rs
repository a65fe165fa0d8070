use super::{ContextSide, Layer, Listing, Picker, Reader, State, Subject, Table, Tabled};
use crate::proto::{
    Decision, ModelCall, Note, RequestId, Seq, SupervisorRecord, SwitchState, SwitchView, Switched, SwitchedHow,
};
use crate::text;
use crate::ui::composer::Offered;

/// The bodies of one model call, as they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wire {
    pub request: RequestId,
    pub sent: String,
    pub received: String,
}

/// A side of a model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    Received,
    Sent,
}

impl Part {
    pub const ALL: [Self; 2] = [Self::Received, Self::Sent];

    pub fn other(self) -> Self {
        match self {
            Self::Received => Self::Sent,
            Self::Sent => Self::Received,
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Received => "Received",
            Self::Sent => "Sent",
        }
    }
}

impl Wire {
    pub fn part(&self, part: Part) -> &str {
        match part {
            Part::Received => &self.received,
            Part::Sent => &self.sent,
        }
    }
}

/// Where a switch stands in the overlay: what can be flipped first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SwitchGroup {
    Supervisor,
    Automatic,
    Fixed,
    NotBuilt,
}

impl SwitchGroup {
    pub fn of(switch: &SwitchView) -> Self {
        match switch.state {
            SwitchState::NotBuilt => Self::NotBuilt,
            SwitchState::ReadOnly { .. } => Self::Fixed,
            _ if switch.key.starts_with("supervisor.") => Self::Supervisor,
            _ => Self::Automatic,
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Supervisor => "Watches the session",
            Self::Automatic => "Comes by itself",
            Self::Fixed => "Set when the session starts",
            Self::NotBuilt => "Not built in this version",
        }
    }
}

/// `gate` of `supervisor.gate.enabled`: what tells a switch apart from the others.
pub fn short_name(key: &str) -> &str {
    match key.strip_prefix("supervisor.").unwrap_or(key) {
        "enabled" => "supervisor",
        rest => rest.strip_suffix(".enabled").unwrap_or(rest),
    }
}

/// The switches as the overlay lists them: by group, else in the session's order.
pub fn switch_order(switches: &[SwitchView]) -> Vec<&SwitchView> {
    let mut rows: Vec<&SwitchView> = switches.iter().collect();
    rows.sort_by_key(|switch| SwitchGroup::of(switch));
    rows
}

impl State {
    /// Takes up what `/supervisor` can be completed to.
    pub fn know_switches(&mut self) {
        let switches = &self.snapshot.supervisor.switches;
        let clean = |words: &str| text::sanitize_line(words).into_owned();
        let offered = |one: &SwitchView| Offered { name: clean(short_name(&one.key)), title: clean(&one.doc) };
        self.composer.switches = switches.iter().map(offered).collect();
    }

    pub fn switch(&self, key: &str) -> Option<&SwitchView> {
        self.snapshot.supervisor.switches.iter().find(|switch| switch.key == key)
    }

    /// The switch that is read about or marked.
    pub fn switch_in_question(&self) -> Option<&SwitchView> {
        match self.layers.last() {
            Some(Layer::Reader(Reader { subject: Subject::Switch(key), .. })) => self.switch(key),
            Some(Layer::Table(Table { of: Tabled::Switches, selected, .. })) => {
                let rows = switch_order(&self.snapshot.supervisor.switches);
                rows.get((*selected).min(rows.len().saturating_sub(1))).copied()
            }
            _ => None,
        }
    }

    /// What was done with a switch in this session, the latest last.
    pub fn switched<'a>(
        &'a self,
        key: &'a str,
    ) -> impl DoubleEndedIterator<Item = (&'a SupervisorRecord, &'a Switched)> {
        self.snapshot.supervisor.records.iter().filter_map(move |record| match &record.decision {
            Decision::Switched(switched) if switched.key == key => Some((&**record, &**switched)),
            _ => None,
        })
    }

    /// Why the last thing that was asked of the switch was refused, if it was.
    pub fn refusal<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        match &self.switched(key).next_back()?.1.what {
            SwitchedHow::Refused { why } => Some(why),
            SwitchedHow::Flipped | SwitchedHow::Saved { .. } => None,
        }
    }

    /// Model calls of all purposes, the latest first.
    pub fn model_calls(&self) -> impl Iterator<Item = &ModelCall> {
        self.snapshot.supervisor.calls.iter().rev()
    }

    pub fn model_call(&self, request: RequestId) -> Option<&ModelCall> {
        self.model_calls().find(|call| call.request == request)
    }

    /// Rows that a list without a filter has.
    pub fn table_len(&self, of: Tabled) -> usize {
        match of {
            Tabled::Switches => self.snapshot.supervisor.switches.len(),
            Tabled::Calls | Tabled::Context(ContextSide::Requests) => self.snapshot.supervisor.calls.len(),
            Tabled::Context(ContextSide::Parts) => self.fill_rows().len(),
            Tabled::Servers => self.snapshot.servers.len(),
            Tabled::Time => self.time.total(),
            Tabled::Log(_) => self.log_rows().len(),
            Tabled::Themes => self.themes.rows.len(),
            Tabled::Rewind => self.rewind_rows().len(),
            Tabled::Sessions => self.shelf.shown().len(),
        }
    }

    /// The server that is read about or marked in the overlay.
    pub fn server_in_question(&self) -> Option<&str> {
        match self.layers.last()? {
            Layer::Reader(Reader { subject: Subject::Server(name) | Subject::Tool { server: name, .. }, .. }) => {
                Some(name)
            }
            Layer::Table(Table { of: Tabled::Servers, selected, .. }) => {
                let servers = &self.snapshot.servers;
                servers.get((*selected).min(servers.len().saturating_sub(1))).map(|server| server.name.as_str())
            }
            _ => None,
        }
    }

    pub fn note(&self, seq: Seq) -> Option<&Note> {
        self.snapshot.notes.iter().rev().find(|note| note.seq == seq)
    }

    /// Whether the topmost overlay has more than one list or text.
    pub fn has_sections(&self) -> bool {
        matches!(
            self.layers.last(),
            Some(
                Layer::Picker(Picker { of: Listing::Catalogue(_), .. })
                    | Layer::Reader(Reader { subject: Subject::Wire(..), .. })
                    | Layer::Table(Table { of: Tabled::Context(_) | Tabled::Log(_), .. })
            )
        )
    }
}
