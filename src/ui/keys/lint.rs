use std::collections::BTreeMap;
use std::ops::Range;

use super::{Context, Key, Row, sequence};
use crate::ui::files::Document;
use crate::ui::problem::Problem;

/// What one file bound, to find what it says twice, hides, or no terminal can send.
#[derive(Debug, Default)]
pub(super) struct Seen {
    leaves: BTreeMap<(Context, Vec<Key>), Range<usize>>,
    prefixes: BTreeMap<(Context, Vec<Key>), Range<usize>>,
    found: Vec<(Range<usize>, String)>,
}

impl Seen {
    pub(super) fn prefix(&mut self, context: Context, keys: &[Key], span: Range<usize>) {
        self.sendable(keys, &span);
        self.prefixes.insert((context, keys.to_vec()), span);
    }

    pub(super) fn leaf(&mut self, context: Context, keys: &[Key], rows: &[Row], span: Range<usize>) {
        if rows.iter().any(|row| row.call.is_some()) {
            self.sendable(keys, &span);
        }
        let reached = rows.iter().position(|row| row.when.is_always()).map_or(rows.len(), |at| at + 1);
        if reached < rows.len() {
            let message = format!("rows of `{}` after the one without `when` are never reached", sequence(keys));
            self.found.push((span.clone(), message));
        }
        if self.leaves.insert((context, keys.to_vec()), span.clone()).is_some() {
            let message = format!("`{}` is bound twice in [{}]", sequence(keys), context.name());
            self.found.push((span, message));
        }
    }

    fn sendable(&mut self, keys: &[Key], span: &Range<usize>) {
        for key in keys {
            if let Some(reason) = key.unsendable() {
                self.found.push((span.clone(), format!("`{key}` may never arrive: {reason}")));
            }
        }
    }

    pub(super) fn problems(mut self, document: &Document) -> Vec<Problem> {
        for ((context, keys), span) in &self.leaves {
            let longer = |(other, others): &(Context, Vec<Key>)| {
                other == context && others.len() > keys.len() && others.starts_with(keys)
            };
            let followed = self.leaves.keys().chain(self.prefixes.keys()).find(|bound| longer(bound));
            if followed.is_some() || self.prefixes.contains_key(&(*context, keys.clone())) {
                let message =
                    format!("`{}` is bound and also begins longer sequences in [{}]", sequence(keys), context.name());
                self.found.push((span.clone(), message));
            }
        }
        self.found
            .into_iter()
            .map(|(span, message)| Problem::at(&document.file, &document.source, span, message))
            .collect()
    }
}
