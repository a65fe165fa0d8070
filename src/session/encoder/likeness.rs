//! How like a message is to the phrases of skills' rules.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::Sentences;
use super::phrases::{in_question, phrases};
use crate::embed::{Beside, Unready};
use crate::proto::{EncoderState, RouteWait};
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
    /// For the model and for phrases that are being read, before a fresh message is compared.
    pub reading: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        Self { message: Duration::from_millis(150), loading: Duration::from_secs(1), reading: Duration::from_secs(5) }
    }
}

/// How the reason begins why a phrase was not likened to a message though it may be later.
pub const NOT_READY: &str = "model not ready";

/// What the reason says then where the message itself was late.
pub const LATE: &str = "the message had no vector after";

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
                false => format!("{NOT_READY}: this phrase is not read yet"),
            }),
            Self::Not(why) => Err(why.clone()),
        }
    }
}

fn not_ready(why: &str) -> Likened {
    Likened::Not(format!("{NOT_READY}: {why}"))
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
        return Likened::Not(NOT_READY.to_owned());
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
        Err(_) => not_ready(&format!("{LATE} {} ms", waits.message.as_millis())),
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

/// What a fresh message stands beside, and whether it waited for that.
pub type Heard = (Result<(Beside, u64), EncoderState>, RouteWait);

/// As [`compare`], once these phrases are read, or the longest wait is over, or `stop` says so.
pub async fn compare_when_read(
    sentences: Option<&Sentences>,
    intent: &str,
    phrases: Vec<String>,
    patience: Patience,
    stop: &CancellationToken,
) -> Heard {
    let Some(sentences) = sentences else { return (Err(EncoderState::Idle), RouteWait::None) };
    let begun = Instant::now();
    sentences.service().start();
    sentences.want_also(&phrases);
    let waits = sentences.process.waits;
    let wait = if sentences.are_read(&phrases) {
        RouteWait::None
    } else {
        let over = tokio::select! {
            biased;
            over = tokio::time::timeout(waits.reading, sentences.read(phrases)) => Some(over.is_ok()),
            () = stop.cancelled() => None,
        };
        let ms = since(begun);
        match over {
            Some(true) => RouteWait::Waited { ms },
            Some(false) => return (compare(Some(sentences), intent, patience).await, RouteWait::Overdue { ms }),
            None => return (compare(Some(sentences), intent, patience).await, RouteWait::WentOn { ms }),
        }
    };
    settled(sentences, patience).await;
    // A busy machine takes its time for the message too: what is left of the longest wait is for it.
    let left = waits.reading.saturating_sub(begun.elapsed()).max(waits.message);
    let compared = tokio::select! {
        biased;
        compared = beside_within(sentences, intent, left) => Some(compared),
        () = stop.cancelled() => None,
    };
    let ms = since(begun);
    match compared {
        Some(Ok(compared)) if u128::from(ms) > waits.message.as_millis() => (Ok(compared), RouteWait::Waited { ms }),
        Some(Err(EncoderState::Ready { .. })) => (Err(sentences.state().borrow().clone()), RouteWait::Overdue { ms }),
        Some(compared) => (compared, wait),
        None => (Err(sentences.state().borrow().clone()), RouteWait::WentOn { ms }),
    }
}

fn since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
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
    beside_within(sentences, intent, sentences.process.waits.message).await
}

async fn beside_within(sentences: &Sentences, intent: &str, longest: Duration) -> Result<(Beside, u64), EncoderState> {
    let state = || sentences.state().borrow().clone();
    match tokio::time::timeout(longest, sentences.beside(intent)).await {
        Ok(Ok(compared)) => Ok(compared),
        Ok(Err(Unready::NotReady(state))) => Err(state),
        Ok(Err(Unready::Busy | Unready::Failed(_))) | Err(_) => Err(state()),
    }
}
