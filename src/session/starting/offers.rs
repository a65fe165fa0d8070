//! The catalogue of a session: read when it is first needed, kept up to date, asked for skills.

use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::config::{Env, Paths, Problem};
use crate::proto::SkillTrace;
use crate::tap::catalogue::{Change, Live, Places, Shelf};
use crate::tap::git::{Bounds, Progress, Work};
use crate::tap::registry::{Background, HOST_VARIABLE, Refreshed, Taps, Told as TapTold, Which};
use crate::tap::skill::judge::{Likeness, Machine, Scene, judge};
use crate::tap::{Catalogue, Skill, Tap};

/// What the taps and folders of one session offer. All of it may read the disk: not for an async
/// thread, unless it says otherwise.
pub struct Offers {
    taps: Taps,
    workdir: PathBuf,
    user: Option<PathBuf>,
    env: Arc<RwLock<Env>>,
    refresh_after: Duration,
    live: OnceLock<Result<Live, Shelf>>,
    listener: Arc<Mutex<Option<UnboundedSender<Change>>>>,
    refreshing: Mutex<Option<Background>>,
    /// The taps that were connected when the catalogue was read.
    connected: Mutex<Vec<Arc<Tap>>>,
}

impl std::fmt::Debug for Offers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Offers").field("taps", &self.taps).finish_non_exhaustive()
    }
}

impl Offers {
    /// Touches nothing.
    pub fn new(paths: &Paths, env: &Arc<RwLock<Env>>, workdir: PathBuf, refresh_after: Duration) -> Self {
        let (host, home) = {
            let env = env.read().unwrap_or_else(PoisonError::into_inner);
            (env.get(HOST_VARIABLE).map(str::to_owned), env.get("HOME").map(PathBuf::from))
        };
        Self {
            taps: Taps::open(paths).hosted_at(host.as_deref()),
            workdir,
            user: home.map(|home| home.join(".config").join("agents")),
            env: Arc::clone(env),
            refresh_after,
            live: OnceLock::new(),
            listener: Arc::default(),
            refreshing: Mutex::default(),
            connected: Mutex::default(),
        }
    }

    fn places(&self) -> Places {
        let taps = self.taps.effective().into_iter().map(Arc::new).collect();
        Places { taps, workdir: self.workdir.clone(), user: self.user.clone(), generated: None }
    }

    /// Who is told of every change from now on, and of what there is now.
    pub fn listen(&self, listener: UnboundedSender<Change>) {
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(listener.clone());
        // Nobody listens when the session is over already.
        let _ = listener.send(Change::Rebuilt(self.catalogue()));
    }

    /// What is wrong with the list of connected taps itself.
    pub fn problems(&self) -> Vec<Problem> {
        self.taps.listing(SystemTime::now()).problems
    }

    fn live(&self) -> &Result<Live, Shelf> {
        self.live.get_or_init(|| {
            let listener = Arc::clone(&self.listener);
            let places = self.places();
            (*self.connected.lock().unwrap_or_else(PoisonError::into_inner)).clone_from(&places.taps);
            let tell = move |change| {
                if let Some(listener) = &*listener.lock().unwrap_or_else(PoisonError::into_inner) {
                    let _ = listener.send(change);
                }
            };
            // Without a thread to watch, what there is now is as good as it gets.
            Live::open(places.clone(), tell).map_err(|_| Shelf::new(crate::tap::catalogue::build(&places)))
        })
    }

    /// What there is; read at the first call.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        match self.live() {
            Ok(live) => live.current(),
            Err(shelf) => shelf.current(),
        }
    }

    /// The same without waiting: `None` when nothing was read yet.
    pub fn at_hand(&self) -> Option<Arc<Catalogue>> {
        Some(match self.live.get()? {
            Ok(live) => live.current(),
            Err(shelf) => shelf.current(),
        })
    }

    /// Why the last change could not be read, if so.
    pub fn stale(&self) -> Option<String> {
        let shelf = match self.live.get()? {
            Ok(live) => live.shelf(),
            Err(shelf) => shelf,
        };
        shelf.stale().map(|why| (*why).clone())
    }

    /// Fetches taps that are due, beside everything else. Returns at once.
    pub fn refresh(self: &Arc<Self>, told: impl Fn(&Refreshed) + Send + Sync + 'static) {
        if !self.taps.is_due(self.refresh_after, SystemTime::now()) {
            return;
        }
        let offers = Arc::downgrade(self);
        let tell = move |change| {
            let TapTold::Done(refreshed) = change else { return };
            told(&refreshed);
            if let Some(offers) = offers.upgrade() {
                drop(offers.look_again());
            }
        };
        let begun = self.taps.refresh_in_background(Which::Due(self.refresh_after), Bounds::default(), tell);
        // What cannot be refreshed now is as old as it is.
        *self.refreshing.lock().unwrap_or_else(PoisonError::into_inner) = begun.ok();
    }

    /// Reads everything again when another process connected a tap, or took one away. The folders of those
    /// that were known are watched; who is connected is not.
    /// Whether that was so; it is read by then.
    pub fn look_if_connected(&self) -> bool {
        if self.live.get().is_none() {
            return false;
        }
        let taps = self.places().taps;
        let before =
            std::mem::replace(&mut *self.connected.lock().unwrap_or_else(PoisonError::into_inner), taps.clone());
        if before == taps {
            return false;
        }
        if let Some(read) = self.look_again() {
            // The thread that reads is gone only when the session is.
            let _ = read.recv();
        }
        true
    }

    /// Hears when everything was read.
    fn look_again(&self) -> Option<Receiver<()>> {
        let Ok(live) = self.live.get()? else { return None };
        Some(live.replace(self.places()))
    }

    /// Names of the taps that are connected and were never fetched.
    pub fn never_fetched(&self) -> Vec<String> {
        let taps = self.taps.listing(SystemTime::now()).taps;
        let never = |standing: &&crate::tap::registry::Standing| {
            standing.tap.unavailable.is_some() && standing.record.checked.is_none() && standing.record.failed.is_none()
        };
        taps.iter().filter(never).map(|standing| standing.tap.name.clone()).collect()
    }

    /// Fetches these taps and reads what came.
    pub fn fetch(&self, names: &[String], stop: &CancellationToken, progress: &(dyn Fn(&str, Progress) + Sync)) {
        for name in names {
            let work = Work { bounds: Bounds::default(), stop, progress };
            // A failure is in the tap's record, which the catalogue names.
            let _ = self.taps.refresh(&Which::One(name.clone()), work);
        }
    }

    /// What there is on disk this moment, whatever was seen to change.
    pub fn read_again(&self) -> Arc<Catalogue> {
        drop(self.look_again());
        Arc::new(crate::tap::catalogue::build(&self.places()))
    }

    /// The rules of every skill in reach of the domain that is not active, judged for a message.
    pub fn judge(
        &self,
        message: &str,
        domain: &str,
        session: &str,
        active: &[String],
        likeness: &dyn Likeness,
    ) -> Vec<SkillTrace> {
        let catalogue = self.catalogue();
        let inactive = catalogue.skills.iter().filter(|skill| !active.contains(&skill.name));
        let skills: Vec<&Skill> = inactive.map(Arc::as_ref).collect();
        let env = self.env.read().unwrap_or_else(PoisonError::into_inner).clone();
        let scene = Scene { message, domain, workdir: &self.workdir, session, env: &env };
        let machine = Machine::new(&self.workdir, &env);
        judge(&skills, &scene, &machine, likeness)
    }

    /// Skills that `OCTOMIND_SKILLS` asks for. Reads nothing.
    pub fn preloaded(&self) -> Vec<String> {
        let env = self.env.read().unwrap_or_else(PoisonError::into_inner);
        let names = env.get("OCTOMIND_SKILLS").unwrap_or_default().split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}
