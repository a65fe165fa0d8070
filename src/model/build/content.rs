use super::{Blobs, Part, Repairs};
use crate::proto::{Attachment, Content, RepairKind};

/// Image types that every vision provider takes.
const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Bytes of one image, decoded; Anthropic's limit, the lowest of the providers'.
const LARGEST_IMAGE: u64 = 5 * 1024 * 1024;

pub(super) struct Media<'a> {
    pub(super) blobs: Blobs<'a>,
    /// Whether the model takes images.
    pub(super) images: bool,
}

impl Media<'_> {
    /// A user message: empty when there is nothing in it.
    pub(super) fn user(&self, content: &Content, attachments: &[Attachment], repairs: &mut Repairs) -> Vec<Part> {
        let mut parts = Vec::new();
        self.collect(content, &mut parts, repairs);
        for attachment in attachments {
            let mut inner = Vec::new();
            self.collect(&attachment.content, &mut inner, repairs);
            let name = attachment.name.replace(['"', '\n', '\r'], "_");
            for part in inner {
                match part {
                    Part::Text(text) => parts.push(Part::Text(format!("<file name=\"{name}\">\n{text}\n</file>"))),
                    media @ Part::Media { .. } => parts.extend([Part::Text(format!("[file: {name}]")), media]),
                }
            }
        }
        parts
    }

    /// A tool result: never empty.
    pub(super) fn result(&self, content: &Content, repairs: &mut Repairs) -> Vec<Part> {
        let mut parts = Vec::new();
        self.collect(content, &mut parts, repairs);
        if parts.is_empty() {
            parts.push(Part::Text("(no output)".to_owned()));
        }
        parts
    }

    fn collect(&self, content: &Content, into: &mut Vec<Part>, repairs: &mut Repairs) {
        match content {
            Content::Text(text) => push_text(text.clone(), into),
            Content::Blob { hash, bytes, preview } => match (self.blobs)(hash) {
                // A blob never refers to another one.
                Some(Content::Text(text)) => push_text(text, into),
                Some(Content::Media { media_type, base64 }) => into.push(self.media(&media_type, &base64, repairs)),
                Some(Content::Blob { .. } | Content::Parts(_)) | None => {
                    repairs.add(RepairKind::UnsupportedContent, "used the preview of a body that is gone");
                    push_text(format!("{preview}\n[the rest of {bytes} bytes is gone]"), into);
                }
            },
            Content::Media { media_type, base64 } => into.push(self.media(media_type, base64, repairs)),
            Content::Parts(parts) => parts.iter().for_each(|part| self.collect(part, into, repairs)),
        }
    }

    fn media(&self, media_type: &str, base64: &str, repairs: &mut Repairs) -> Part {
        let bytes = base64.len() as u64 / 4 * 3;
        let refused = if !IMAGE_TYPES.contains(&media_type) {
            Some("models are not given this type")
        } else if !self.images {
            Some("this model does not take images")
        } else if bytes > LARGEST_IMAGE {
            Some("it is larger than 5 MiB")
        } else if base64.is_empty() {
            Some("it is empty")
        } else {
            None
        };
        match refused {
            None => Part::Media { media_type: media_type.to_owned(), base64: base64.to_owned() },
            Some(why) => {
                repairs.add(RepairKind::UnsupportedContent, "put a note where media cannot be sent");
                Part::Text(format!("[{media_type}, {bytes} bytes, left out: {why}]"))
            }
        }
    }
}

fn push_text(text: String, into: &mut Vec<Part>) {
    if !text.trim().is_empty() {
        into.push(Part::Text(text));
    }
}
