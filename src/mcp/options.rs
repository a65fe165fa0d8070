use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Moved, OpenLocal, Unlisted};
use crate::config::{Env, Mask, expand};

/// Fills `{{ENV:KEY}}` and `${VAR}` in a text. The error is one sentence that names what is missing.
pub type Expand = Arc<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// Whether the server of this name may run as it is now, and what of it runs from elsewhere. Asked on a blocking thread before each start,
/// and whenever tools on disk are looked at again.
pub type Admit = Arc<dyn Fn(&str) -> Result<Moved, Unlisted> + Send + Sync>;

/// Filling in from a snapshot of the environment.
pub fn expand_with(env: Arc<Env>) -> Expand {
    Arc::new(move |text| expand::expand(text, &env).map_err(|error| error.to_string()))
}

/// What all servers of a session share.
#[derive(Clone)]
pub struct Options {
    /// Where servers are started, unless their configuration says otherwise.
    pub workdir: PathBuf,
    pub expand: Expand,
    /// Folder for the servers' error output; none is written without it.
    pub logs: Option<PathBuf>,
    /// Where it is kept what tools said of themselves; a change from session to session is not seen without it.
    pub described: Option<PathBuf>,
    /// Of what servers write beside the protocol; what they are given as secret is added.
    pub mask: Mask,
    /// The octomind binary, for `octomind mcp <name>`.
    pub program: PathBuf,
    /// Told to servers.
    pub version: String,
    pub open_local: Option<OpenLocal>,
    /// Names on the wire that no dynamic tool gets.
    pub reserved: Vec<String>,
    /// `None` = every server may run.
    pub admit: Option<Admit>,
    pub policy: Policy,
}

/// Times the client keeps to.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Between a failure and the next try, by number of failures; the last one repeats.
    pub delays: Vec<Duration>,
    /// For the handshake and the first tool list. A first start may download packages.
    pub connect: Duration,
    /// For a server to end by itself before it is killed.
    pub grace: Duration,
    /// After `list_changed`, before the list is read again.
    pub debounce: Duration,
    /// Failures that come within this time of each other are reported together.
    pub group: Duration,
    /// How long a call waits for a server that is just being connected.
    pub patience: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            delays: vec![Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(16)],
            connect: Duration::from_secs(60),
            grace: Duration::from_secs(2),
            debounce: Duration::from_millis(200),
            group: Duration::from_millis(400),
            patience: Duration::from_secs(10),
        }
    }
}

impl Policy {
    /// Nothing waits longer before it is tried again.
    pub fn longest_delay(&self) -> Duration {
        self.delays.iter().max().copied().unwrap_or_default()
    }
}

impl Options {
    /// Options with the usual times, no log folder and no local tools.
    pub fn new(workdir: PathBuf, expand: Expand) -> Self {
        Self {
            workdir,
            expand,
            logs: None,
            described: None,
            mask: Mask::default(),
            program: std::env::current_exe().unwrap_or_else(|_| "octomind".into()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            open_local: None,
            reserved: Vec::new(),
            admit: None,
            policy: Policy::default(),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("workdir", &self.workdir).field("policy", &self.policy).finish_non_exhaustive()
    }
}
