//! The triggers of every capability as vectors, found once for an index and a book.

use std::sync::Arc;

use super::Book;
use crate::embed::{Index, Vector};

#[derive(Debug, Default)]
pub struct Vectors {
    of: Option<(Arc<Index>, Arc<Book>)>,
    /// In the order of the book's offers; empty while not all of them are there.
    phrases: Vec<Vec<Vector>>,
}

impl Vectors {
    /// Looks them up unless they are those of this index and book already.
    pub fn bring(&mut self, index: &Arc<Index>, book: &Arc<Book>) {
        let same = |(known, of): &(Arc<Index>, Arc<Book>)| Arc::ptr_eq(known, index) && Arc::ptr_eq(of, book);
        if self.of.as_ref().is_some_and(same) {
            return;
        }
        let all = |offer: &crate::surface::Offer| {
            let triggers = &offer.capability.triggers;
            let found = index.all(triggers.iter().map(String::as_str));
            if found.len() == triggers.len() { found } else { Vec::new() }
        };
        self.phrases = book.offers.iter().map(all).collect();
        self.of = Some((Arc::clone(index), Arc::clone(book)));
    }

    /// One for each trigger; empty while one is missing.
    pub fn of(&self, place: usize) -> &[Vector] {
        self.phrases.get(place).map(Vec::as_slice).unwrap_or_default()
    }
}
