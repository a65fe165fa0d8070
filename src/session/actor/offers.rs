//! What taps and folders offer, told to front ends.

use std::sync::Arc;

use tokio::sync::mpsc::unbounded_channel;

use super::skills::lost;
use super::{Actor, Report};
use crate::proto::{Body, CatalogueView, Level};
use crate::session::encoder::phrases;
use crate::tap::catalogue::{Change, view};
use crate::tap::registry::{Name, Outcome, Refreshed};
use crate::tap::{Catalogue, Plugin};

/// What was made of a change, off the session's task.
pub(super) enum Offered {
    /// With the phrases of a new catalogue.
    View(Arc<CatalogueView>, Option<Vec<String>>),
    /// What is said of skills that lost.
    Lost(Vec<String>),
    Unwatched(String),
    /// Servers that plugins bring along and that are not started.
    Idle(String),
    Refreshed(Refreshed),
}

impl Actor {
    /// Reads the catalogue beside the task, follows its changes and refreshes what is due. Without a
    /// person nobody looks at it: it is read when it is needed.
    pub(super) fn look_at_offers(&self) {
        let Some(offers) = self.setup.offers.clone().filter(|_| self.person()) else { return };
        let (sender, mut changes) = unbounded_channel();
        let (report, told) = (self.report.clone(), self.report.clone());
        tokio::task::spawn_blocking(move || {
            offers.listen(sender);
            offers.refresh(move |refreshed| drop(told.send(Report::Offered(Offered::Refreshed(refreshed.clone())))));
        });
        tokio::spawn(async move {
            let (mut last, mut said) = (Arc::default(), None);
            while let Some(change) = changes.recv().await {
                let offered = match change {
                    Change::Rebuilt(catalogue) => {
                        last = catalogue;
                        let idle = idle_servers(&last);
                        if let Some(text) = idle.clone().filter(|_| idle != said) {
                            let _ = report.send(Report::Offered(Offered::Idle(text)));
                        }
                        said = idle;
                        let _ = report.send(Report::Offered(Offered::Lost(lost(&last))));
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
                self.phrases = phrases.or(self.phrases.take());
                self.want_phrases();
            }
            Offered::Lost(lost) => self.tell_lost(lost),
            Offered::Unwatched(why) => {
                let text = format!("Changes of taps and skills on disk are not seen by themselves: {why}.");
                self.rec.emit(notice(Level::Warning, text));
            }
            Offered::Idle(text) => {
                self.rec.emit(notice(Level::Info, text));
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

/// What a person who trusted a plugin may wait for in vain.
fn idle_servers(catalogue: &Catalogue) -> Option<String> {
    let of = |plugin: &Arc<Plugin>| {
        let names: Vec<&str> = plugin.servers.iter().map(|server| server.name.as_str()).collect();
        (!names.is_empty()).then(|| format!("{} of {}", names.join(", "), plugin.name))
    };
    let all: Vec<String> = catalogue.plugins.iter().filter_map(of).collect();
    let text = "This version starts no servers of plugins, trusted or not; their skills are used. Not started";
    (!all.is_empty()).then(|| format!("{text}: {}.", all.join("; ")))
}

fn notice(level: Level, text: String) -> Body {
    Body::Notice { level, source: "tap".to_owned(), text, hint: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_plugins_that_are_not_started_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let plugin = |name: &str, servers: &str| {
            let folder = dir.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let head = format!(
                "{{\"$schema\":\"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json\",\"name\":\"{name}\",\
                 \"version\":\"1.0.0\",\"description\":\"A plugin.\"}}"
            );
            std::fs::write(folder.join("plugin.json"), head).unwrap();
            if !servers.is_empty() {
                let schema = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";
                let text = format!("{{\"$schema\":\"{schema}\",\"mcpServers\":{servers}}}");
                std::fs::write(folder.join("mcp.json"), text).unwrap();
            }
        };
        let read = || Catalogue {
            plugins: crate::tap::plugin::read(dir.path()).0.into_iter().map(Arc::new).collect(),
            ..Catalogue::default()
        };
        plugin("plain", "");
        assert_eq!(idle_servers(&read()), None);
        plugin("good", "{\"echoer\":{\"type\":\"stdio\",\"command\":\"echo\"}}");
        let said = idle_servers(&read()).unwrap();
        assert!(said.ends_with("Not started: echoer of good."), "{said}");
    }
}
