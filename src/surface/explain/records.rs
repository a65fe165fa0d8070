//! What of a snapshot a journal keeps. Nothing else of it is seen from here on.

use std::sync::Arc;

use crate::proto::{Matching, Past, SkillView, Snapshot, SurfaceEvent, SurfaceView, Timestamp, ToolGone};

/// Servers, catalogue and encoder as they are now are missing on purpose: no record tells of them later. So is the
/// transcript: it may be cleared, and not everything has a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Records<'a> {
    pub role: &'a str,
    pub surface: &'a SurfaceView,
    pub surface_events: &'a [Arc<SurfaceEvent>],
    pub tools_gone: &'a [ToolGone],
    pub past: &'a Past,
    pub skills: &'a [SkillView],
    /// Which agents tasks went to, and when.
    pub matchings: &'a [(Timestamp, Arc<Matching>)],
}

impl<'a> Records<'a> {
    pub fn of(snapshot: &'a Snapshot) -> Self {
        Self {
            role: &snapshot.session.role,
            surface: &snapshot.surface,
            surface_events: &snapshot.surface_events,
            tools_gone: &snapshot.tools_gone,
            past: &snapshot.past,
            skills: &snapshot.skills,
            matchings: &snapshot.matchings,
        }
    }

    /// What is the matter with a server, without its subject.
    pub fn trouble(&self, server: &str) -> Option<(String, Option<String>)> {
        let known = self.surface.references.iter().find(|known| known.server == server)?;
        let trouble = known.trouble.as_ref()?;
        let since = trouble.since.map(|at| format!(" since {}", self.turn_at(at)));
        Some((format!("{}{}", trouble.what, since.unwrap_or_default()), trouble.advice.clone()))
    }

    /// Whether a server was on its way when that was last told.
    pub fn is_starting(&self, server: &str) -> bool {
        let known = self.surface.references.iter().find(|known| known.server == server);
        known.and_then(|known| known.trouble.as_ref()).is_some_and(|trouble| trouble.since.is_some())
    }

    /// `t9`, the turn that ran at a time.
    pub fn turn_at(&self, at: Timestamp) -> String {
        let begun = self.past.turn_at(at).0;
        let event = self.surface_events.iter().rev().find(|event| event.at <= at).map_or(0, |event| event.turn.0);
        format!("t{}", begun.max(event))
    }
}
