//! What is begun before there is a message.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::Sentences;
use super::phrases::in_question;
use crate::session::starting::Offers;

/// Wants what the rules in reach will ask for, while the rest of the session starts: without a person
/// there is one message, and it waits for the model. Reads the catalogue, which its rules do in any case.
pub fn want_early(sentences: &Arc<Sentences>, offers: &Arc<Offers>, domain: &str) -> JoinHandle<()> {
    let (sentences, offers, domain) = (Arc::clone(sentences), Arc::clone(offers), domain.to_owned());
    tokio::task::spawn_blocking(move || sentences.want(in_question(&offers.catalogue(), &domain, &[])))
}
