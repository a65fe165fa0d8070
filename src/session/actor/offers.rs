//! What taps and folders offer, told to front ends.

use std::sync::Arc;

use tokio::sync::mpsc::unbounded_channel;

use super::lost::{Lost, lost};
use super::{Actor, Report};
use crate::proto::{Body, CatalogueView, Level};
use crate::session::encoder::{Phrases, phrases};
use crate::tap::catalogue::{Change, view};
use crate::tap::registry::{Name, Outcome, Refreshed};

/// What was made of a change, off the session's task.
pub(super) enum Offered {
    /// With the phrases of a new catalogue.
    View(Arc<CatalogueView>, Option<Phrases>),
    /// What is written and not used.
    Lost(Vec<Lost>),
    Unwatched(String),
    Refreshed(Refreshed),
}

impl Actor {
    /// Reads the catalogue beside the task, follows its changes and refreshes what is due. Without a
    /// person nobody looks at it: it is read when it is needed.
    pub(super) fn look_at_offers(&self) {
        let Some(offers) = self.setup.offers.clone().filter(|_| self.person()) else { return };
        let (sender, mut changes) = unbounded_channel();
        let (report, told) = (self.report.clone(), self.report.clone());
        // It tells of changes as long as it lives, so whoever listens must not keep it alive.
        let asked = Arc::downgrade(&offers);
        tokio::task::spawn_blocking(move || {
            offers.listen(sender);
            offers.refresh(move |refreshed| drop(told.send(Report::Offered(Offered::Refreshed(refreshed.clone())))));
        });
        tokio::spawn(async move {
            let mut last = Arc::default();
            while let Some(change) = changes.recv().await {
                let offered = match change {
                    Change::Rebuilt(catalogue) => {
                        last = catalogue;
                        let (asked, catalogue) = (asked.clone(), Arc::clone(&last));
                        let unlisted = move || asked.upgrade().map(|offers| offers.problems()).unwrap_or_default();
                        let lost = tokio::task::spawn_blocking(move || lost(&catalogue, &unlisted())).await;
                        let _ = report.send(Report::Offered(Offered::Lost(lost.unwrap_or_default())));
                        Offered::View(Arc::new(view(&last, None)), Some(phrases(&last)))
                    }
                    Change::Stale(why) => Offered::View(Arc::new(view(&last, Some(&why))), None),
                    Change::Unwatched(why) => Offered::Unwatched(why),
                };
                if report.send(Report::Offered(offered)).is_err() {
                    return;
                }
            }
        });
    }

    pub(super) fn offered(&mut self, offered: Offered) {
        match offered {
            Offered::View(view, phrases) => {
                self.rec.emit(Body::CatalogueChanged(view));
                if phrases.is_some() {
                    self.open_book();
                }
                self.phrases = phrases.or(self.phrases.take());
                self.want_phrases();
            }
            Offered::Lost(lost) => self.tell_lost(lost),
            Offered::Unwatched(why) => {
                let text = format!("Changes of taps and skills on disk are not seen by themselves: {why}.");
                self.rec.emit(notice(Level::Warning, text));
            }
            Offered::Refreshed(Refreshed { name, outcome }) => match outcome {
                Outcome::Updated { .. } => self.rec.emit(notice(Level::Info, format!("{name} is up to date now."))),
                Outcome::Unchanged => {}
                // The catalogue says why; without a network it would be said at every start.
                Outcome::Failed(_) if name == Name::built_in().to_string() => {}
                Outcome::Failed(fault) => {
                    let text = format!("{name} could not be fetched: {fault}");
                    self.rec.emit(notice(Level::Warning, text));
                }
            },
        }
    }
}

fn notice(level: Level, text: String) -> Body {
    Body::Notice { level, source: "tap".to_owned(), text, hint: None }
}
