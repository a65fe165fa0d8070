//! The tool surface of this session: what is decided (`crate::surface`) is told and done here.
//!
//! Owns: which message is compared and when, what follows from a change, who waits for what was just
//! started, the person's and the model's ways to it.
//!
//! Does not own: stages, gate, LRU and references (`crate::surface`), what a capability comes to
//! ([`crate::session::surface`]).
//!
//! Invariant: each change is a record before anything of it is done, and the view is told after it. Only a
//! request waits, and only for what it or its message brought.

mod ask;
mod asked;
mod begin;
mod cells;
mod effects;
mod hearing;
mod pending;
mod route;
mod tool;
mod what_if;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio_util::task::AbortOnDropHandle;

use super::turn::Phase;
use super::{Actor, Report};
use crate::config::schema::Server;
use crate::mcp::ServerSpec;
use crate::proto::{
    Body, CallId, Level, Offered, ServerReferences, ServerTrouble, Snapshot, SurfaceTool, SurfaceView, Timestamp,
    ToolInfo, TurnId,
};
use crate::session::encoder::phrases;
use crate::session::seams::{Role, Switch};
use crate::session::server_specs::{ORCHESTRATION, RUNTIME, brings};
use crate::session::surface::{Book, Readiness, Vectors};
use crate::surface::built_in::NOT_BUILT;
use crate::surface::{Change, Offer, RoleSurface, Surface, domain_of};
use crate::tap::resolve::RESERVED;
use pending::Pending;

pub(super) use route::Compared;
pub(super) use tool::{CAPABILITY, definition, failed, ok};
pub(super) use what_if::Supposed;

/// The surface, and what belongs to it.
#[derive(Default)]
pub(super) struct Live {
    pub state: Surface,
    book: Option<Arc<Book>>,
    /// Counts the books that were asked for, so that a late one is not taken; and which came last.
    books: u32,
    book_came: u32,
    vectors: Vectors,
    pending: Vec<Pending>,
    /// Counts how often it was looked whether taps were connected, and which look is over.
    looks: u32,
    looked: u32,
    /// Capabilities that a request waits for.
    awaited: BTreeSet<String>,
    /// The environment was heard, and what there was is back.
    begun: bool,
    /// Servers that did not work when the session that is taken up was last heard of.
    troubled: BTreeSet<String>,
    /// Skills whose capabilities were asked for.
    heard: BTreeSet<String>,
    /// The servers of capabilities that were asked for.
    servers: BTreeMap<String, Vec<Server>>,
    /// Servers that run for capabilities.
    added: BTreeMap<String, ServerSpec>,
    /// Servers that are there beside the role's: of scripts of the project, of plugins.
    beside: BTreeSet<String>,
    /// What servers listed when they ran last.
    seen: BTreeMap<String, Vec<ToolInfo>>,
    told: Told,
    /// When something of it happened last, so that no two things happened at the same time.
    stamp: Timestamp,
    /// The message that is being compared.
    hearing: Option<hearing::Hearing>,
    owed: hearing::Owed,
    what_if: Option<AbortOnDropHandle<()>>,
    /// A question that waits for the book.
    early: Option<(u64, String)>,
}

/// Whether the view was told as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Told {
    #[default]
    Yes,
    /// Tools were used; told when the calls that run are over.
    Later,
    No,
}

/// What work beside the task brings back.
pub(super) enum SurfaceReport {
    Book(u32, Arc<Book>),
    Compared(Compared),
    /// An intent of the agent's.
    Pushed(asked::Pushed),
    /// Whether other taps are connected than before.
    Looked(u32, bool),
    /// The message of this turn has waited for a moment.
    Reading(TurnId),
    /// A script of a capability runs, or says something.
    Script(String, String, Option<String>),
    Scripts(String, Result<(), String>),
    /// A call has waited long enough for a capability.
    Late(CallId),
    Discovered(CallId, String),
    Supposed(Supposed),
}

impl Live {
    pub fn new(role: &Role) -> Self {
        Self { state: Surface::new(role_surface(role, &BTreeSet::new())), ..Self::default() }
    }

    /// What a session that is taken up had, as it had it.
    pub fn resume(&mut self, snapshot: &Snapshot) {
        self.state.resume(snapshot);
        let references = snapshot.surface.references.iter();
        let troubled = references.filter(|reference| reference.trouble.is_some());
        self.troubled = troubled.map(|reference| reference.server.clone()).collect();
        // Whatever the clock says: what happens now is later.
        self.stamp = self.state.latest();
    }

    pub fn offers(&self) -> &[Offer] {
        self.book.as_ref().map(|book| book.offers.as_slice()).unwrap_or_default()
    }

    fn changed(&mut self) {
        self.told = Told::No;
    }
}

/// Servers of the role's capabilities that do not run: this version has not got them, or they cannot be had
/// as they are configured.
fn not_there(view: &SurfaceView) -> Vec<ServerReferences> {
    let mut found: Vec<ServerReferences> = Vec::new();
    for server in view.fixed.iter().flat_map(|one| &one.servers) {
        if view.references.iter().chain(&found).any(|known| known.server == *server) {
            continue;
        }
        let built = !RESERVED.contains(&server.as_str()) || brings(server);
        let (what, advice) = match built {
            false => (NOT_BUILT, None),
            true => ("cannot be had as it is configured", Some("see what was said of it in the notes".to_owned())),
        };
        let trouble = Some(ServerTrouble { what: what.to_owned(), advice, since: None });
        found.push(ServerReferences { server: server.clone(), by: vec!["role".to_owned()], trouble });
    }
    found
}

fn role_surface(role: &Role, beside: &BTreeSet<String>) -> RoleSurface {
    let specs = role.servers.iter().map(|spec| (spec.name.clone(), spec.filter.clone()));
    let own = [(RUNTIME, &role.runtime), (ORCHESTRATION, &role.orchestration)];
    let own = own.into_iter().filter_map(|(name, filter)| Some((name.to_owned(), filter.clone()?)));
    let mut servers: Vec<(String, Vec<String>)> = specs.chain(own).collect();
    for name in beside {
        if !servers.iter().any(|(known, _)| known == name) {
            servers.push((name.clone(), Vec::new()));
        }
    }
    RoleSurface {
        role: role.name.clone(),
        domain: domain_of(&role.name).to_owned(),
        capabilities: role.capabilities.clone(),
        servers,
    }
}

impl Actor {
    /// Whether capabilities come and go in this session at all.
    pub(super) fn has_surface(&self) -> bool {
        self.setup.wares.is_some() && self.read_only.is_none()
    }

    /// The time of a change: later than that of the one before.
    fn stamp(&mut self) -> Timestamp {
        self.live.stamp = self.rec.now().max(self.live.stamp + 1);
        self.live.stamp
    }

    fn readiness(&self) -> Option<Readiness> {
        self.setup.wares.as_ref().map(|wares| wares.readiness())
    }

    /// Whether the first role of the session is still being made ready.
    fn is_beginning(&self) -> bool {
        self.starting.as_ref().is_some_and(super::starting::Starting::is_first)
    }

    /// Reads what there is for the present role, beside the task.
    pub(super) fn open_book(&mut self) {
        let Some(wares) = self.setup.wares.clone().filter(|_| !self.is_beginning()) else { return };
        self.live.books += 1;
        let (number, role, report) = (self.live.books, self.role.name.clone(), self.report.clone());
        tokio::spawn(async move {
            let book = tokio::task::spawn_blocking(move || wares.book(&role)).await;
            // Without one there is nothing to activate, and the session goes on.
            let book = Arc::new(book.unwrap_or_default());
            let _ = report.send(Report::Surface(SurfaceReport::Book(number, book)));
        });
    }

    fn book_came(&mut self, number: u32, book: Arc<Book>) {
        if number != self.live.books {
            return;
        }
        // With a person, all of it is wanted when the catalogue is shown.
        if let Some(encoder) = self.setup.encoder.as_ref().filter(|_| !self.person() && self.compares()) {
            encoder.want(phrases(book.catalogue()).near(domain_of(&self.role.name)));
        }
        (self.live.book, self.live.book_came) = (Some(book), number);
        self.live.changed();
        if self.has_surface() {
            self.begin_surface();
        }
        if let Some((id, text)) = self.live.early.take() {
            self.suppose(id, text);
        }
        self.go_on_if_ready();
    }

    fn compares(&self) -> bool {
        self.setup.auto_capabilities == Switch::On
    }

    /// The role changed and its servers are being started: what may stay of the surface is started with
    /// them.
    pub(super) fn surface_of_role(&mut self) {
        if self.setup.wares.is_none() {
            return;
        }
        self.live.beside.clear();
        let change = self.set_surface_role();
        self.live.changed();
        self.move_servers(change);
        self.open_book();
    }

    /// A new session begins with the same role: only what the role brings is left.
    pub(super) fn clear_surface(&mut self) {
        for (server, _) in std::mem::take(&mut self.live.added) {
            self.servers.tools.retire(&server);
        }
        for spec in &self.role.servers {
            self.servers.tools.show(&spec.name, None);
        }
        self.hear_servers();
        let fresh = Live::new(&self.role);
        let old = std::mem::replace(&mut self.live, fresh);
        (self.live.book, self.live.books, self.live.book_came) = (old.book, old.books, old.book_came);
        (self.live.seen, self.live.beside) = (old.seen, old.beside);
        (self.live.looks, self.live.looked) = (old.looks, old.looked);
        drop(self.set_surface_role());
    }

    /// After a new session was announced.
    pub(super) fn surface_anew(&mut self) {
        self.live.changed();
        if self.has_surface() && self.live.book.is_some() {
            self.begin_surface();
        }
    }

    /// A server that nobody asked for is the role's too: every role has the project's scripts, and what
    /// plugins bring along.
    pub(super) fn server_seen(&mut self, server: &str) {
        self.live.changed();
        if self.live.state.filter(server).is_some() {
            return;
        }
        self.live.beside.insert(server.to_owned());
        drop(self.set_surface_role());
    }

    pub(super) fn server_gone(&mut self, server: &str) {
        self.live.changed();
        if self.live.beside.remove(server) {
            drop(self.set_surface_role());
        }
    }

    /// Says who owns which server; what follows from it where something has to be done.
    fn set_surface_role(&mut self) -> Change {
        let Some(ready) = self.readiness() else { return Change::default() };
        let role = role_surface(&self.role, &self.live.beside);
        let (book, now) = (self.live.book.clone(), self.rec.now());
        let offers = book.as_ref().map(|book| book.offers.as_slice()).unwrap_or_default();
        self.live.state.set_role(role, offers, &|key| ready.has(key), now)
    }

    pub(super) fn tools_seen(&mut self, server: &str, tools: &[ToolInfo]) {
        self.live.seen.insert(server.to_owned(), tools.to_vec());
        self.live.changed();
    }

    pub(super) fn surface_reported(&mut self, report: SurfaceReport) {
        match report {
            SurfaceReport::Book(number, book) => self.book_came(number, book),
            SurfaceReport::Compared(compared) => self.compared(compared),
            SurfaceReport::Pushed(pushed) => self.intent_compared(pushed),
            SurfaceReport::Looked(number, changed) => self.looked_for_taps(number, changed),
            SurfaceReport::Reading(turn) => self.hearing_is_long(turn),
            SurfaceReport::Script(capability, script, line) => self.script_says(&capability, &script, line),
            SurfaceReport::Scripts(capability, outcome) => self.scripts_over(&capability, outcome),
            SurfaceReport::Late(call) => self.call_is_late(&call),
            SurfaceReport::Discovered(call, text) => self.call_ended(&call, tool::ok(text)),
            SurfaceReport::Supposed(supposed) => self.supposed(supposed),
        }
    }

    /// What the next request needs of the surface is there.
    pub(super) fn surface_is_ready(&self) -> bool {
        let read = self.live.book_came == self.live.books && self.knows_taps();
        self.setup.wares.is_none() || (read && self.live.awaited.is_empty())
    }

    /// Tells the view if it is another than was told.
    pub(super) fn tell_surface(&mut self) {
        let in_calls = matches!(self.turn.as_ref().map(|turn| &turn.phase), Some(Phase::Tools(_)));
        let due = match self.live.told {
            Told::Yes => false,
            Told::Later => !in_calls,
            Told::No => true,
        };
        if !due || !self.has_surface() {
            return;
        }
        self.live.told = Told::Yes;
        let snapshot = self.rec.hub.snapshot();
        let view = self.live.state.view(self.live.offers(), self.shown_tools(&snapshot));
        let mut view = view.with_troubles(&snapshot.servers);
        view.references.extend(not_there(&view));
        view.offered = self.could_come(&snapshot);
        if let Some(view) = view.since(&snapshot.surface) {
            self.rec.emit(Body::SurfaceChanged(Arc::new(view)));
        }
    }

    /// What could come; as it was told last while nothing is known.
    fn could_come(&self, snapshot: &Snapshot) -> Option<Arc<Offered>> {
        let (Some(ready), Some(book)) = (self.readiness(), &self.live.book) else {
            return snapshot.surface.offered.clone();
        };
        Some(Arc::new(book.offered(&self.live.state, &|key| ready.has(key))))
    }

    /// Everything that the servers of the surface offer, in the order of the wire.
    fn shown_tools(&self, snapshot: &Snapshot) -> Vec<SurfaceTool> {
        let catalog = self.catalog();
        let place = |server: &str, tool: &ToolInfo| {
            let on_wire =
                |known: &crate::mcp::ToolDefinition| known.server == server && known.info.wire_name == tool.wire_name;
            catalog.iter().position(on_wire).unwrap_or(usize::MAX)
        };
        let mut tools: Vec<(usize, SurfaceTool)> = Vec::new();
        for view in &snapshot.servers {
            for tool in &view.tools {
                let quarantine = tool.quarantine.as_ref().map(|quarantine| quarantine.reason.clone());
                let filtered = || tool.filtered_by.as_ref().map(|by| format!("left out by {by}"));
                let shown = SurfaceTool {
                    server: view.name.clone(),
                    tool: tool.name.clone(),
                    wire_name: tool.wire_name.clone(),
                    tokens: tool.tokens,
                    left_out: quarantine.or_else(filtered),
                    by: Vec::new(),
                };
                tools.push((place(&view.name, tool), shown));
            }
        }
        tools.sort_by_key(|(place, _)| *place);
        tools.into_iter().map(|(_, tool)| tool).collect()
    }

    /// A tool did what it should.
    pub(super) fn tool_used(&mut self, server: &str, tool: &str) {
        let now = self.stamp();
        if self.live.state.used(server, tool, now).is_some() {
            self.live.told = self.live.told.max(Told::Later);
        }
    }

    fn say_of_surface(&mut self, level: Level, text: String, hint: Option<String>) {
        self.rec.notice(level, "surface", text, hint);
    }
}
