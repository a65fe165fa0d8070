//! The scripts of a capability, run while the session goes on.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use tokio_util::sync::CancellationToken;

use super::Wares;
use crate::tap::Tap;
use crate::tap::deps::{LIMIT, Running, find, run};

impl Wares {
    /// Runs scripts of a tap one after another; `tell` hears which runs and what it says.
    ///
    /// # Errors
    /// Why one of them did not do what it should: one sentence, then its last lines.
    pub async fn run_scripts(
        &self,
        tap: &Arc<Tap>,
        names: &[String],
        tell: impl Fn(&str, Option<String>) + Send + Sync,
        cancel: &CancellationToken,
    ) -> Result<(), String> {
        let env: BTreeMap<String, String> = {
            let env = self.parts.env.read().unwrap_or_else(PoisonError::into_inner);
            env.from_files().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        for name in names {
            tell(name, None);
            let (tap, wanted) = (Arc::clone(tap), name.clone());
            let found = tokio::task::spawn_blocking(move || find(&tap, &wanted)).await;
            let script = found.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
            let running = Running { workdir: &self.parts.workdir, env: &env, limit: LIMIT };
            run(&script, running, |line| tell(name, Some(line)), cancel).await.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
