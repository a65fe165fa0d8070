//! Taps and catalogues made by tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalogue::{Places, build};
use super::{Agent, Capability, Catalogue, Provider, Tag, Tap, TapKind};
use crate::config::schema::{Server, ServerType};

pub fn tap(name: &str, kind: TapKind, root: &Path) -> Arc<Tap> {
    Arc::new(Tap { name: name.to_owned(), kind, root: root.to_path_buf(), unavailable: None })
}

pub fn linked(name: &str, root: &Path) -> Arc<Tap> {
    tap(name, TapKind::Linked, root)
}

/// `mine/tap`, `acme/tap`, the built-in one and the starter tap, in this order, without files.
pub fn four_taps() -> Vec<Arc<Tap>> {
    let nowhere = Path::new("/nowhere");
    vec![
        linked("mine/tap", nowhere),
        tap("acme/tap", TapKind::Clone { url: "https://example.org/acme/octomind-tap".to_owned() }, nowhere),
        tap("muvon/tap", TapKind::BuiltIn { url: "https://example.org/muvon/octomind-tap".to_owned() }, nowhere),
        tap("octomind/starter", TapKind::Starter, nowhere),
    ]
}

pub fn agent(tap: &Arc<Tap>, tag: &str) -> Arc<Agent> {
    Arc::new(Agent {
        tag: Tag::parse(tag).unwrap(),
        title: format!("Title of {tag}"),
        description: String::new(),
        uses: Vec::new(),
        capabilities: Vec::new(),
        tap: tap.clone(),
        file: PathBuf::from(format!("/nowhere/{tag}.toml")),
    })
}

pub fn stdio(name: &str) -> Server {
    Server {
        name: name.to_owned(),
        kind: ServerType::Stdio,
        timeout_seconds: 30,
        tools: Vec::new(),
        auto_bind: Vec::new(),
        url: None,
        headers: Default::default(),
        command: Some(name.to_owned()),
        args: Vec::new(),
        env: Default::default(),
        cwd: None,
    }
}

/// A provider with one server that is called as it is, all of whose tools are allowed.
pub fn provider(name: &str) -> Provider {
    Provider {
        name: name.to_owned(),
        links_to: None,
        file: PathBuf::from(format!("/nowhere/{name}.toml")),
        title: String::new(),
        description: String::new(),
        deps: vec![format!("org/{name}")],
        server_refs: vec![name.to_owned()],
        allowed_tools: vec![format!("{name}:*")],
        servers: vec![stdio(name)],
        environment: Vec::new(),
    }
}

/// A capability whose first provider is also its default.
pub fn capability(tap: &Arc<Tap>, name: &str, providers: &[Provider]) -> Arc<Capability> {
    let default =
        Provider { name: "default".to_owned(), links_to: Some(providers[0].name.clone()), ..providers[0].clone() };
    Arc::new(Capability {
        name: name.to_owned(),
        tap: tap.clone(),
        folder: PathBuf::from(format!("/nowhere/{name}")),
        triggers: Vec::new(),
        domains: Vec::new(),
        providers: std::iter::once(default).chain(providers.iter().cloned()).collect(),
    })
}

/// Sorted as the catalogue has them.
pub fn catalogue(taps: &[Arc<Tap>], mut agents: Vec<Arc<Agent>>, mut capabilities: Vec<Arc<Capability>>) -> Catalogue {
    agents.sort_by(|one, other| one.tag.cmp(&other.tag));
    capabilities.sort_by(|one, other| one.name.cmp(&other.name));
    Catalogue { taps: taps.to_vec(), agents, capabilities, ..Catalogue::default() }
}

pub fn write(root: &Path, file: &str, text: &str) {
    let file = root.join(file);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// A manifest with these capabilities.
pub fn manifest(title: &str, capabilities: &str) -> String {
    format!(
        "# Title: {title}\n# Description: Does what {title} does\n\ncapabilities = [{capabilities}]\n\n[[roles]]\n\
         system = \"You are {title}.\"\nwelcome = \"Hello\"\n"
    )
}

pub const TRIGGERS: &str = "triggers = [\"read a file\", \"show a file\"]\n";

/// A provider file with one server and one dep.
pub fn provider_text(server: &str) -> String {
    format!(
        "# Title: Provider {server}\n# Description: Gives {server}\n[deps]\nrequire = [\"org/{server}\"]\n\
         [roles.mcp]\nserver_refs = [\"{server}\"]\nallowed_tools = [\"{server}:*\"]\n\
         [[mcp.servers]]\nname = \"{server}\"\ntype = \"stdio\"\ncommand = \"{server}\"\nargs = []\n"
    )
}

/// The catalogue of these taps alone.
pub fn read(taps: Vec<Arc<Tap>>) -> Catalogue {
    let workdir = tempfile::tempdir().unwrap();
    build(&Places { taps, workdir: workdir.path().to_path_buf(), user: None, generated: None })
}
