//! A mark stays on what it marks: what happens in the session moves rows, and a key pressed just then
//! must not hit another one.

use super::{Item, Layer, Pane, State, Table, Tabled, items};
use crate::proto::{RequestId, Seq, Snapshot};

/// What the marked row of the focused pane stands for, by a name that outlives its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    Surface(Marked),
    /// A model call in the open list of them.
    Call(RequestId),
    /// The event that a note is made of.
    Note(Seq),
    /// Title of a phase.
    Phase(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marked {
    Server(String),
    Tool(String, String),
    /// Wherever it stands: a skill's may become the person's.
    Capability(String),
    Skill(String),
    Child(String),
    Absent,
}

fn named(snapshot: &Snapshot, item: Item) -> Option<Marked> {
    let surface = &snapshot.surface;
    Some(match item {
        Item::Server(at) => Marked::Server(snapshot.servers.get(at)?.name.clone()),
        Item::Tool { server, tool } => {
            let server = snapshot.servers.get(server)?;
            Marked::Tool(server.name.clone(), server.tools.get(tool)?.name.clone())
        }
        Item::Fixed(at) => Marked::Capability(surface.fixed.get(at)?.name.clone()),
        Item::Dynamic(at) => Marked::Capability(surface.dynamic.get(at)?.name.clone()),
        Item::Held(at) => Marked::Capability(surface.held.get(at)?.name.clone()),
        Item::Skill(at) => Marked::Skill(snapshot.skills.get(at)?.name.clone()),
        Item::Child(at) => Marked::Child(snapshot.children.get(at)?.id.clone()),
        Item::Absent => Marked::Absent,
    })
}

impl State {
    /// What is marked in the list on top, else in the focused pane.
    pub fn mark(&self) -> Option<Mark> {
        let snapshot = &self.snapshot;
        if let Some(Layer::Table(Table { of: Tabled::Calls, selected, .. })) = self.layers.last() {
            return self.model_calls().nth(*selected).map(|call| Mark::Call(call.request));
        }
        match self.focus {
            Pane::Surface => named(snapshot, self.marked_item()?).map(Mark::Surface),
            Pane::Notes => {
                let at = self.notes.selected.min(snapshot.notes.len().checked_sub(1)?);
                Some(Mark::Note(snapshot.notes[at].seq))
            }
            Pane::Plan => {
                let phases = &snapshot.supervisor.plan.phases;
                let at = self.plan.selected.min(phases.len().checked_sub(1)?);
                Some(Mark::Phase(phases[at].title.clone()))
            }
            // The scores of another message begin afresh.
            Pane::Scores | Pane::Transcript | Pane::Composer => None,
        }
    }

    /// Puts the mark where that stands now; where it is gone, the place stays.
    pub fn mark_again(&mut self, mark: &Mark) {
        let snapshot = &self.snapshot;
        match mark {
            Mark::Surface(marked) => {
                let mut rows = items(snapshot).into_iter();
                if let Some(at) = rows.position(|item| named(snapshot, item).as_ref() == Some(marked)) {
                    self.surface.selected = at;
                }
            }
            Mark::Call(request) => {
                let at = self.model_calls().position(|call| call.request == *request);
                if let (Some(Layer::Table(table)), Some(at)) = (self.layers.last_mut(), at) {
                    table.selected = at;
                }
            }
            Mark::Note(seq) => {
                let notes = &snapshot.notes;
                // Several may be made of one event.
                let stays = notes.get(self.notes.selected).is_some_and(|note| note.seq == *seq);
                if let Some(at) = notes.iter().position(|note| note.seq == *seq).filter(|_| !stays) {
                    self.notes.selected = at;
                }
            }
            Mark::Phase(title) => {
                if let Some(at) = snapshot.supervisor.plan.phases.iter().position(|phase| phase.title == *title) {
                    self.plan.selected = at;
                }
            }
        }
    }
}
