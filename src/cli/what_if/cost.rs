//! What the tools of a surface cost, from the sessions in which their servers ran.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

use crate::config::allows;
use crate::proto::{Snapshot, SurfaceTool};
use crate::session::journal::{self, JOURNAL};
use crate::session::store;
use crate::surface::Surface;

/// Sessions that are read at most, and their bytes together.
const MOST_SESSIONS: usize = 16;
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Prompt tokens of every request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Cost {
    pub now: u64,
    pub after: u64,
    /// Tools that are counted in `after`.
    pub tools: usize,
    /// Servers of the surface after that no session has a record of: they are not counted.
    pub unknown: Vec<String>,
}

type Known = BTreeMap<String, Vec<SurfaceTool>>;

impl Cost {
    pub fn of(before: &Surface, after: &Surface, sessions: &Path) -> Self {
        let wanted: BTreeSet<String> = [before, after].into_iter().flat_map(servers).collect();
        let known = recorded(&wanted, sessions);
        let (now, _) = count(before, &known);
        let (tokens, tools) = count(after, &known);
        let unknown = servers(after).into_iter().filter(|name| !known.contains_key(name)).collect();
        Self { now, after: tokens, tools, unknown }
    }
}

fn servers(surface: &Surface) -> Vec<String> {
    surface.view(&[], Vec::new()).references.into_iter().map(|reference| reference.server).collect()
}

fn count(surface: &Surface, known: &Known) -> (u64, usize) {
    let names = servers(surface);
    let shown = names.iter().filter_map(|name| Some((name, surface.filter(name)?.unwrap_or_default())));
    let tools = shown.flat_map(|(name, filter)| {
        let listed = known.get(name).into_iter().flatten();
        listed.filter(move |tool| allows(&filter, &tool.tool)).map(|tool| u64::from(tool.tokens))
    });
    tools.fold((0, 0), |(tokens, count), tool| (tokens + tool, count + 1))
}

/// What each server listed when it ran last. A session that cannot be read has no word in it.
fn recorded(wanted: &BTreeSet<String>, sessions: &Path) -> Known {
    let mut known = Known::new();
    let mut bytes = 0;
    for session in store::list(sessions).unwrap_or_default().into_iter().take(MOST_SESSIONS) {
        bytes += session.bytes;
        if bytes > MOST_BYTES || wanted.iter().all(|name| known.contains_key(name)) {
            break;
        }
        let mut snapshot = Snapshot::default();
        let read = journal::read(&session.folder.join(JOURNAL), |event| snapshot.apply(&event));
        if read.is_ok() {
            take(&snapshot, wanted, &mut known);
        }
    }
    known
}

fn take(snapshot: &Snapshot, wanted: &BTreeSet<String>, known: &mut Known) {
    let now = snapshot.surface.tools.iter();
    let gone = snapshot.tools_gone.iter().map(|gone| &gone.tool);
    let mut found = Known::new();
    for tool in now.chain(gone).filter(|tool| wanted.contains(&tool.server) && !known.contains_key(&tool.server)) {
        let listed = found.entry(tool.server.clone()).or_default();
        // What is kept off for another reason than a filter costs nothing under any.
        let kept_off = tool.left_out.as_ref().is_some_and(|why| !why.starts_with("left out by"));
        if !kept_off && listed.iter().all(|one| one.tool != tool.tool) {
            listed.push(tool.clone());
        }
    }
    known.extend(found);
}
