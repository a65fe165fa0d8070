use super::{Deed, Listing, Picker, State, Subject};
use crate::text;

impl State {
    /// How many rows a picker has under its filter.
    pub fn picker_len(&self, picker: &Picker) -> usize {
        let filter = &picker.filter;
        match picker.of {
            Listing::Help => self.help_rows(filter).len(),
            Listing::Palette => self.palette_rows(filter).len(),
            Listing::History => self.history_rows(filter).len(),
            Listing::Prompts => self.prompt_rows(filter).len(),
            Listing::Waiting => self.waiting_rows(filter).len(),
            Listing::Code => self.code_rows(filter).len(),
            Listing::Leads => self.lead_rows(filter).len(),
            Listing::Agents => self.agent_rows(filter).len(),
            Listing::Catalogue(shelf) => self.shelf_rows(shelf, filter).len(),
            Listing::Why(reach) => self.why_rows(reach, filter).len(),
        }
    }

    /// What the marked row does.
    pub fn picked(&self, picker: &Picker) -> Option<Deed> {
        let (filter, at) = (&picker.filter, picker.selected);
        match picker.of {
            Listing::Help => self.help_rows(filter).get(at).map(|row| row.deed.clone()),
            Listing::Palette => self.palette_rows(filter).get(at).map(|row| row.deed.clone()),
            Listing::History => self.history_rows(filter).get(at).map(|entry| Deed::TakeUp((*entry).to_owned())),
            Listing::Prompts => self.prompt_rows(filter).get(at).map(|row| Deed::Jump(row.order)),
            Listing::Waiting => self.waiting_rows(filter).get(at).map(|queued| Deed::EditWaiting(queued.id)),
            Listing::Code => self.code_rows(filter).into_iter().nth(at).map(|block| Deed::CopyCode(block.text)),
            Listing::Leads => self.lead_rows(filter).into_iter().nth(at).map(|row| Deed::Follow(row.lead)),
            Listing::Agents => {
                self.agent_rows(filter).get(at).map(|row| Deed::Role(text::sanitize_line(row.tag).into_owned()))
            }
            Listing::Catalogue(shelf) => self.shelf_rows(shelf, filter).get(at).map(|row| Deed::Read(row.subject())),
            Listing::Why(reach) => self
                .why_rows(reach, filter)
                .get(at)
                .map(|row| Deed::Read(Subject::Why(row.noun, row.subject.to_owned()))),
        }
    }
}
