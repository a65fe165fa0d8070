//! The folder of all sessions, for whoever asks this one about it.

use super::{Actor, Report};
use crate::proto::{Body, ShelfAnswer, ShelfCommand};
use crate::session::shelf::Shelf;

impl Actor {
    /// Works beside the task; answered by events.
    pub(super) fn shelf(&mut self, command: ShelfCommand) {
        // What is about this session goes through its own journal.
        if let ShelfCommand::Rename { name, title } = &command
            && *name == self.name
            && self.read_only.is_none()
        {
            let title = crate::text::sanitize_line(title.trim()).into_owned();
            self.rec.emit(Body::TitleChanged { title: title.clone() });
            let name = name.clone();
            return self.rec.emit(Body::Shelf(ShelfAnswer::Renamed { name, title }));
        }
        let shelf = Shelf::new(self.setup.sessions.clone(), Some(self.name.clone()));
        let (report, now) = (self.report.clone(), self.rec.now());
        tokio::task::spawn_blocking(move || {
            // The session may be over; then nobody wants to know.
            shelf.answer(command, now, &mut |answer| report.send(Report::Shelf(answer)).is_ok());
        });
    }
}
