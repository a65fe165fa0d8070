//! What a result becomes before it is written down.

use crate::proto::{CallId, Content, Decision, Level};
use crate::session::actor::Actor;
use crate::session::journal::{create_private_folder, write_private};
use crate::session::rules::{cut, timeless};
use crate::text::tokens;

impl Actor {
    /// The result cut to the limit, and the file that holds the whole.
    pub(in crate::session::actor) fn fitted(
        &mut self,
        call: &CallId,
        content: Content,
    ) -> (Content, Option<(String, Decision)>) {
        let limit = self.setup.result_limit;
        let whole = all_text(&content);
        let folder = self.rec.folder().join("spill");
        let path = folder.join(format!("{call}.txt"));
        let file = path.display().to_string();
        let calibration = self.calibration;
        let Some(cut) = cut(&whole, limit, &file, |text| calibration.apply(tokens::estimate(text))) else {
            return (content, None);
        };
        if let Err(error) = create_private_folder(&folder).and_then(|()| write_private(&path, whole.as_bytes())) {
            let text = format!("The whole of a long result could not be kept in {file}: {error}.");
            self.rec.notice(Level::Warning, "cut", text, None);
        }
        let decision = Decision::ResultCut {
            call: call.to_string(),
            tokens: cut.tokens,
            limit,
            kept_head: cut.kept_head,
            kept_tail: cut.kept_tail,
            spill: file.clone(),
        };
        (with_text(content, cut.text), Some((file, decision)))
    }
}

/// What makes two results the same.
pub(super) fn result_key(content: &Content) -> String {
    match content {
        Content::Parts(parts) => parts.iter().map(result_key).collect::<Vec<_>>().join("\n"),
        Content::Text(text) => timeless(text),
        media => format!("{media:?}"),
    }
}

fn all_text(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Parts(parts) => {
            parts.iter().map(all_text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Content::Blob { .. } | Content::Media { .. } => String::new(),
    }
}

/// The content with all its text replaced by one; media stay.
fn with_text(content: Content, text: String) -> Content {
    match content {
        Content::Parts(parts) => {
            let media = parts.into_iter().filter(|part| !matches!(part, Content::Text(_)));
            Content::Parts(std::iter::once(Content::Text(text)).chain(media).collect())
        }
        _ => Content::Text(text),
    }
}
