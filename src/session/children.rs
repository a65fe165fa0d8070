//! Sessions that are started to work for another one, out of the same parts.

use std::sync::Arc;

use super::encoder::Sentences;
use super::seams::{Assignment, Children};
use super::start::{Start, read, setup};
use super::starting::Parts;
use super::trust::TrustFlag;
use super::{Handle, actor};
use crate::proto::Body;
use crate::sandbox::Holding;

/// What a child is made from. It gets no right that its parent has not.
#[derive(Debug)]
pub(super) struct RealChildren {
    pub parts: Parts,
    /// That was asked for at the start; wins over everything a role says.
    pub model: Option<String>,
    pub trust: TrustFlag,
    /// What the process is held to, and all that it starts.
    pub holding: Holding,
    pub sentences: Arc<Sentences>,
}

/// The name by which a model is looked for.
const AUTO: &str = "auto";

impl Children for RealChildren {
    fn start(&self, assignment: Assignment) -> Handle {
        let Assignment { role, workdir, pick, model, limits, descent } = assignment;
        let config = &self.parts.loaded.config;
        // What was found for the other one need not be looked for again.
        let found = model.filter(|_| config.model.name == AUTO && !config.taps.contains_key(&role));
        let start = Start {
            loaded: Arc::clone(&self.parts.loaded),
            paths: self.parts.paths.clone(),
            env: read(&self.parts.env).clone(),
            // What was said of one folder is not said of another.
            trust: self.trust == TrustFlag::Given && workdir == self.parts.workdir,
            role: Some(role),
            model: self.model.clone().or(found),
            pick,
            person: false,
            schema: None,
            holding: self.holding.onward(&workdir, false),
            workdir,
        };
        let mut setup = setup(start, Arc::new(self.sentences.for_another()));
        (setup.limits, setup.descent) = (limits, Some(descent));
        // What is wrong in the configuration was said where a person reads it.
        setup.opening.retain(|body| matches!(body, Body::Sandbox(_)));
        actor::launch(setup, std::future::ready(()))
    }
}
