//! What of a snapshot a journal keeps. Nothing else of it is seen from here on.

use std::sync::Arc;

use crate::proto::{Past, SkillView, Snapshot, SurfaceEvent, SurfaceView, Timestamp, ToolGone};

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
        }
    }

    /// What is the matter with a server, without its subject.
    pub fn trouble(&self, server: &str) -> Option<(String, Option<String>)> {
        let known = self.surface.references.iter().find(|known| known.server == server)?;
        let trouble = known.trouble.as_ref()?;
        let since = trouble.since.map(|at| format!(" since {}; requests go on without it", self.turn_at(at)));
        Some((format!("{}{}", trouble.what, since.unwrap_or_default()), trouble.advice.clone()))
    }

    /// `t9`, the turn that ran at a time.
    pub fn turn_at(&self, at: Timestamp) -> String {
        let begun = self.past.turn_at(at).0;
        let event = self.surface_events.iter().rev().find(|event| event.at <= at).map_or(0, |event| event.turn.0);
        format!("t{}", begun.max(event))
    }
}
