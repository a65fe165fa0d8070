//! The question about what the project would run. It is never in the way of a turn.

use std::sync::Arc;

use super::{Actor, Report};
use crate::proto::{Answer, Ask, AskId, AskKind, Body};
use crate::session::trust_desk::Looked;

impl Actor {
    /// Looks at the project beside the task.
    pub(super) fn look_at_trust(&self) {
        let Some(desk) = self.setup.trust.clone() else { return };
        let (report, person) = (self.report.clone(), self.setup.person);
        tokio::task::spawn_blocking(move || {
            let looked = desk.look(person);
            desk.gate.looked();
            let _ = report.send(Report::Trust(looked));
        });
    }

    pub(super) fn trust_looked(&mut self, looked: Looked) {
        match looked {
            Looked::Nothing => {}
            Looked::Decided(bodies) => self.trust_said(bodies),
            Looked::Ask(found) => {
                // The content changed while the question about it was open: the new one counts.
                if let Some((ask, _)) = self.trust_ask.take() {
                    self.rec.emit(Body::Answered { ask, answer: Answer::No });
                }
                let id = self.new_ask();
                let kind = AskKind::Trust {
                    folder: found.folder.clone(),
                    items: found.items.clone(),
                    content_hash: found.content_hash.clone(),
                };
                self.rec.cell(Body::Asked(Ask { id, kind }));
                self.trust_ask = Some((id, found));
            }
        }
    }

    /// True when it was the question about the project.
    pub(super) fn trust_answered(&mut self, ask: AskId, answer: &Answer) -> bool {
        let Some((_, found)) = self.trust_ask.take_if(|(id, _)| *id == ask) else { return false };
        let yes = answer.agrees();
        self.rec.emit(Body::Answered { ask, answer: if yes { Answer::Yes } else { Answer::No } });
        if let Some(desk) = self.setup.trust.clone() {
            let bodies = desk.answer(&found, yes, self.rec.now());
            self.trust_said(bodies);
        }
        true
    }

    fn trust_said(&mut self, bodies: Vec<Body>) {
        for body in bodies {
            self.rec.cell(body);
        }
        // What may run now joins the surface.
        let tools = Arc::clone(&self.servers.tools);
        tokio::spawn(async move { tools.refresh().await });
    }
}
