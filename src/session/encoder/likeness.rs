//! How like a message is to the phrases of skills' rules.

use std::sync::Arc;
use std::time::Duration;

use super::Sentences;
use super::phrases::{in_question, phrases};
use crate::embed::{Beside, Unready};
use crate::proto::EncoderState;
use crate::session::seams::Person;
use crate::session::starting::Offers;
use crate::surface::intent;
use crate::tap::skill::judge::Likeness;
use crate::text;

/// How long a message waits at most.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// For its vector, once the model is loaded.
    pub message: Duration,
    /// For a model that is being loaded, when no person is behind it: it is then the only message there
    /// is. The time in which a model has to be ready.
    pub loading: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        Self { message: Duration::from_millis(150), loading: Duration::from_secs(1) }
    }
}

/// How long a message waits for a model that is being loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    Now,
    WhileLoading,
}

impl From<Person> for Patience {
    fn from(person: Person) -> Self {
        match person {
            Person::Present => Self::Now,
            Person::Absent => Self::WhileLoading,
        }
    }
}

/// A message as rules are judged for it.
pub enum Likened {
    Beside(Beside),
    /// Why it cannot be likened to anything.
    Not(String),
}

impl Likeness for Likened {
    fn cosine(&self, phrase: &str) -> Result<f32, String> {
        match self {
            Self::Beside(beside) => beside.likeness(phrase).ok_or_else(|| match beside.index.is_complete() {
                true => "the model has no vector for this phrase".to_owned(),
                false => "model not ready: this phrase is not read yet".to_owned(),
            }),
            Self::Not(why) => Err(why.clone()),
        }
    }
}

fn not_ready(why: &str) -> Likened {
    Likened::Not(format!("model not ready: {why}"))
}

/// Likens the message to the phrases, if a rule in reach asks for it. Reads the catalogue if nothing
/// did; the message gets its vector once, whatever the number of rules.
pub async fn liken(
    sentences: Option<&Sentences>,
    offers: &Arc<Offers>,
    message: &str,
    (domain, active): (&str, &[String]),
    patience: Patience,
) -> Likened {
    let message = intent::clean(message);
    let Some(sentences) = sentences.filter(|_| text::has_intent(&message)) else {
        return Likened::Not("model not ready".to_owned());
    };
    let (offers, domain, active) = (Arc::clone(offers), domain.to_owned(), active.to_vec());
    let usage = sentences.usage();
    let asked = tokio::task::spawn_blocking(move || {
        let catalogue = offers.catalogue();
        let asked = in_question(&catalogue, &domain, &active);
        match patience {
            _ if asked.is_empty() => asked,
            Patience::Now => phrases(&catalogue).near(&domain).in_order(&usage.latest()),
            // What no message will be likened to is not waited for.
            Patience::WhileLoading => asked,
        }
    });
    let asked = asked.await.unwrap_or_default();
    if asked.is_empty() {
        return not_ready("nothing asks for it");
    }
    match patience {
        Patience::Now => sentences.want(asked),
        Patience::WhileLoading => sentences.want_at_least(asked),
    }
    let waits = sentences.process.waits;
    settled(sentences, patience).await;
    match tokio::time::timeout(waits.message, sentences.beside(&message)).await {
        Ok(Ok((beside, _))) => Likened::Beside(beside),
        Ok(Err(unready)) => not_ready(&unready.to_string()),
        Err(_) => not_ready(&format!("the message had no vector after {} ms", waits.message.as_millis())),
    }
}

/// Waits for a model that is being loaded, if the message is worth it.
async fn settled(sentences: &Sentences, patience: Patience) {
    if patience == Patience::WhileLoading {
        let mut state = sentences.state();
        let over = |state: &EncoderState| matches!(state, EncoderState::Ready { .. } | EncoderState::Failed { .. });
        // What is not there by then is told by the state.
        drop(tokio::time::timeout(sentences.process.waits.loading, state.wait_for(over)).await);
    }
}

/// A message, cleaned already, beside the phrases that are there, with the microseconds of its vector.
///
/// # Errors
/// What the encoder is doing instead.
pub async fn compare(
    sentences: Option<&Sentences>,
    intent: &str,
    patience: Patience,
) -> Result<(Beside, u64), EncoderState> {
    let Some(sentences) = sentences else { return Err(EncoderState::Idle) };
    sentences.service().start();
    settled(sentences, patience).await;
    let state = || sentences.state().borrow().clone();
    match tokio::time::timeout(sentences.process.waits.message, sentences.beside(intent)).await {
        Ok(Ok(compared)) => Ok(compared),
        Ok(Err(Unready::NotReady(state))) => Err(state),
        Ok(Err(Unready::Busy | Unready::Failed(_))) | Err(_) => Err(state()),
    }
}
