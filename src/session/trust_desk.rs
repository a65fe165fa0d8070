//! The policy of [`super::trust`] applied to one session's folder.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::seams::Person;
use super::trust::{Audience, Found, Gate, Store, StoredAnswer, TrustFlag, Verdict, decide, scan};
use crate::proto::{Body, Decision, Level, Timestamp};

/// Decides, remembers, and opens or shuts the gate in front of local tools.
#[derive(Debug)]
pub struct TrustDesk {
    pub gate: Arc<Gate>,
    workdir: PathBuf,
    flag: TrustFlag,
    /// Opened at the first look: reading it may take a moment.
    store: Mutex<Option<Store>>,
    file: PathBuf,
    /// The content that was looked at last; it is spoken of once.
    looked_at: Mutex<Option<String>>,
}

/// What looking at the project gave.
#[derive(Debug)]
pub enum Looked {
    Nothing,
    /// Settled without a question; what to say about it.
    Decided(Vec<Body>),
    Ask(Found),
}

impl TrustDesk {
    pub fn new(workdir: PathBuf, file: PathBuf, flag: TrustFlag) -> Self {
        Self {
            gate: Gate::new(workdir.clone(), file.with_file_name("accepted")),
            workdir,
            flag,
            store: Mutex::default(),
            file,
            looked_at: Mutex::default(),
        }
    }

    /// What is there now, when it is not what was there at the last look. Reads the disk, unchanged
    /// files only by their metadata; not for an async thread.
    pub fn look(&self, person: Person) -> Looked {
        let mut looked_at = self.looked_at.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.gate.content_hash();
        if *looked_at == now {
            return Looked::Nothing;
        }
        let found = scan(&self.workdir);
        *looked_at = found.as_ref().map(|found| found.content_hash.clone());
        let Some(found) = found else { return Looked::Nothing };
        let (store, problems) = Store::open(&self.file);
        let audience = match person {
            Person::Present => Audience::Person,
            Person::Absent => Audience::Nobody,
        };
        let verdict = decide(Some(&found), &store, audience, self.flag);
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = Some(store);
        let mut bodies: Vec<Body> = problems.into_iter().map(|text| notice(text, None)).collect();
        match verdict {
            Verdict::Nothing => {}
            Verdict::Trusted { by } => {
                self.gate.accept(&found.content_hash);
                bodies.push(decided(&found, true, by));
            }
            Verdict::Ask => return Looked::Ask(found),
            Verdict::Denied { why } => {
                self.gate.deny(&found.content_hash, &why);
                bodies.push(decided(&found, false, "policy"));
                bodies.push(notice(why, None));
            }
        }
        Looked::Decided(bodies)
    }

    /// The person's answer, remembered for this content.
    pub fn answer(&self, found: &Found, accepted: bool, at: Timestamp) -> Vec<Body> {
        let answer = if accepted { StoredAnswer::Accepted } else { StoredAnswer::Declined };
        if accepted {
            self.gate.accept(&found.content_hash);
        } else {
            self.gate.deny(&found.content_hash, "The person declined the scripts under .agents.");
        }
        let mut bodies = vec![decided(found, accepted, "the person")];
        if let Some(store) = self.store.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
            && let Err(error) = store.remember(&found.content_hash, answer, &found.folder, at)
        {
            let text = format!("The answer holds for this session only: {} ({error}).", self.file.display());
            bodies.push(notice(text, Some("You will be asked again next time.".to_owned())));
        }
        bodies
    }
}

fn decided(found: &Found, trusted: bool, by: &str) -> Body {
    Body::Decided(Decision::Trust {
        folder: found.folder.clone(),
        content_hash: found.content_hash.clone(),
        trusted,
        by: by.to_owned(),
    })
}

fn notice(text: String, hint: Option<String>) -> Body {
    Body::Notice { level: Level::Warning, source: "trust".to_owned(), text, hint }
}
