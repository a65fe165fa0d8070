use super::{Layer, Noun, Pane, Reader, State, Subject};
use crate::proto::{
    DynamicCapability, Ineligible, ServerView, Snapshot, Stage, SurfaceView, Timestamp, ToolInfo, by_score,
};

/// What a row of the Surface pane that can be marked stands for: indices into the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    Server(usize),
    /// A tool that is kept off.
    Tool {
        server: usize,
        tool: usize,
    },
    /// A capability of the role that has no server of its own.
    Fixed(usize),
    /// A capability that came while the session ran.
    Dynamic(usize),
    /// A capability that a skill holds.
    Held(usize),
    Skill(usize),
    /// Work that was handed to another agent.
    Child(usize),
    /// All that is known and not here.
    Absent,
}

/// Whether the surface has more than the role's servers: before that there is nothing to tell.
pub fn is_alive(snapshot: &Snapshot) -> bool {
    *snapshot.surface != SurfaceView::default()
}

/// Whether a capability that came at run time, or that a skill holds, asks for the server.
fn claimed(surface: &SurfaceView, server: &str) -> bool {
    let mut came = surface.dynamic.iter().chain(&surface.held);
    !surface.fixed_servers.iter().any(|name| name == server)
        && came.any(|one| one.servers.iter().any(|(name, _)| name == server))
}

/// The role's servers, and those that nobody claims.
pub fn static_servers(snapshot: &Snapshot) -> impl Iterator<Item = (usize, &ServerView)> {
    let claimed = |name: &str| claimed(&snapshot.surface, name);
    snapshot.servers.iter().enumerate().filter(move |(_, server)| !claimed(&server.name))
}

/// Indices of the dynamic capabilities, the one used last first.
pub fn dynamic_order(surface: &SurfaceView) -> impl Iterator<Item = usize> {
    (0..surface.dynamic.len()).rev()
}

/// Runs that are over and still shown.
const OVER: usize = 3;

/// Indices of what was handed to other agents and is shown: what runs, then what was over last.
pub fn children_shown(snapshot: &Snapshot) -> Vec<usize> {
    let all = snapshot.children.iter().enumerate();
    let (running, mut over): (Vec<_>, Vec<_>) = all.partition(|(_, child)| child.state.is_running());
    over.sort_by_key(|(_, child)| std::cmp::Reverse(child.ended));
    running.into_iter().chain(over.into_iter().take(OVER)).map(|(index, _)| index).collect()
}

/// The items in the order they are shown.
pub fn items(snapshot: &Snapshot) -> Vec<Item> {
    let surface = &snapshot.surface;
    let mut items = Vec::new();
    for (index, server) in static_servers(snapshot) {
        items.push(Item::Server(index));
        items.extend(kept_off(index, server));
    }
    let bare = surface.fixed.iter().enumerate().filter(|(_, one)| one.servers.is_empty());
    items.extend(bare.map(|(index, _)| Item::Fixed(index)));
    for index in dynamic_order(surface) {
        items.push(Item::Dynamic(index));
        items.extend(kept_off_of(snapshot, &surface.dynamic[index]));
    }
    for (index, held) in surface.held.iter().enumerate() {
        items.push(Item::Held(index));
        items.extend(kept_off_of(snapshot, held));
    }
    items.extend((0..snapshot.skills.len()).map(Item::Skill));
    items.extend(children_shown(snapshot).into_iter().map(Item::Child));
    if is_alive(snapshot) {
        items.push(Item::Absent);
    }
    items
}

fn kept_off(index: usize, server: &ServerView) -> impl Iterator<Item = Item> {
    let tools = server.tools.iter().enumerate().filter(|(_, tool)| tool.quarantine.is_some());
    tools.map(move |(tool, _)| Item::Tool { server: index, tool })
}

/// Tools that are kept off of servers that only this capability brought.
fn kept_off_of<'a>(snapshot: &'a Snapshot, capability: &'a DynamicCapability) -> impl Iterator<Item = Item> + 'a {
    own_servers(snapshot, capability).flat_map(|(index, server)| kept_off(index, server))
}

/// Servers that are here for no reason but run-time capabilities, and that this one asks for.
pub fn own_servers<'a>(
    snapshot: &'a Snapshot,
    capability: &'a DynamicCapability,
) -> impl Iterator<Item = (usize, &'a ServerView)> {
    let asks = |name: &str| capability.servers.iter().any(|(server, _)| server == name);
    let servers = snapshot.servers.iter().enumerate();
    servers.filter(move |(_, server)| asks(&server.name) && claimed(&snapshot.surface, &server.name))
}

/// The tools on the wire that a capability asks for.
pub fn brought<'a>(snapshot: &'a Snapshot, capability: &'a DynamicCapability) -> Vec<&'a ToolInfo> {
    let mut tools = Vec::new();
    for (name, patterns) in &capability.servers {
        let Some(server) = snapshot.servers.iter().find(|server| server.name == *name) else { continue };
        let asked = |tool: &&ToolInfo| patterns.is_empty() || patterns.iter().any(|one| fits(one, &tool.name));
        tools.extend(server.tools.iter().filter(|tool| tool.exposed()).filter(asked));
    }
    tools
}

/// A pattern is a name, `prefix_*` or `*`.
fn fits(pattern: &str, tool: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == tool, |prefix| tool.starts_with(prefix))
}

/// Capabilities that were not compared, what one can do something about first.
pub fn not_compared(ineligible: &[Ineligible]) -> Vec<&Ineligible> {
    let mut sorted: Vec<&Ineligible> = ineligible.iter().collect();
    sorted.sort_by(|left, right| rank(&left.stage).cmp(&rank(&right.stage)).then_with(|| by_score(left, right)));
    sorted
}

fn rank(stage: &Stage) -> u8 {
    match stage {
        Stage::Active => 0,
        Stage::EnvironmentUnready { .. } => 1,
        Stage::Unresolved { .. } => 2,
        Stage::PhrasesUnready => 3,
        Stage::NoTriggers => 4,
        Stage::OutOfDomain { .. } => 5,
    }
}

/// How a capability stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The role names it.
    Fixed,
    Dynamic {
        pinned: bool,
    },
    Held,
    Absent,
}

impl State {
    /// How the capability stands; `None` when there is none of that name.
    pub fn standing(&self, name: &str) -> Option<Standing> {
        let surface = &self.snapshot.surface;
        if surface.fixed.iter().any(|one| one.name == name) {
            return Some(Standing::Fixed);
        }
        if let Some(one) = surface.dynamic.iter().find(|one| one.name == name) {
            return Some(Standing::Dynamic { pinned: one.pinned });
        }
        if surface.held.iter().any(|one| one.name == name) {
            return Some(Standing::Held);
        }
        let scored = self.snapshot.last_routing().is_some_and(|routing| {
            routing.scores.iter().any(|one| one.capability == name)
                || routing.ineligible.iter().any(|one| one.capability == name)
        });
        let listed = || self.snapshot.catalogue.capabilities.iter().any(|one| one.name == name);
        (scored || listed()).then_some(Standing::Absent)
    }

    /// The item of the marked row.
    pub fn marked_item(&self) -> Option<Item> {
        let items = items(&self.snapshot);
        items.get(self.surface.selected.min(items.len().saturating_sub(1))).copied()
    }

    /// The capability of the marked row of the Scores pane.
    pub fn marked_score(&self) -> Option<&str> {
        let routing = self.snapshot.last_routing()?;
        let count = routing.scores.len() + routing.ineligible.len();
        let at = self.scores.selected.min(count.saturating_sub(1));
        match routing.scores.get(at) {
            Some(score) => Some(&score.capability),
            None => Some(&not_compared(&routing.ineligible).get(at - routing.scores.len())?.capability),
        }
    }

    /// The capability that is read about, else that of the marked row.
    pub fn capability_in_question(&self) -> Option<String> {
        let surface = &self.snapshot.surface;
        match (self.layers.last(), self.focus) {
            (Some(Layer::Reader(Reader { subject: Subject::Why(Noun::Capability, name), .. })), _) => {
                self.standing(name).map(|_| name.clone())
            }
            (Some(_), _) => None,
            (None, Pane::Surface) => match self.marked_item()? {
                Item::Fixed(index) => Some(surface.fixed.get(index)?.name.clone()),
                Item::Dynamic(index) => Some(surface.dynamic.get(index)?.name.clone()),
                Item::Held(index) => Some(surface.held.get(index)?.name.clone()),
                Item::Server(_) | Item::Tool { .. } | Item::Skill(_) | Item::Child(_) | Item::Absent => None,
            },
            (None, Pane::Scores) => self.marked_score().map(str::to_owned),
            (None, Pane::Transcript | Pane::Plan | Pane::Notes | Pane::Composer) => None,
        }
    }

    /// The turn that something happened in, as far as it is known.
    pub fn turn_at(&self, at: Timestamp) -> Option<u32> {
        let entries = self.snapshot.transcript.entries();
        let behind = entries.partition_point(|entry| entry.at <= at);
        let told = behind.checked_sub(1).and_then(|index| entries.get(index)).map(|entry| entry.order.turn);
        told.or_else(|| {
            let events = self.snapshot.surface_events.iter().rev();
            events.into_iter().find(|event| event.at <= at).map(|event| event.turn.0)
        })
    }
}
