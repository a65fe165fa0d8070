//! What leaves the workbench or is drawn by the terminal itself: addresses for the browser, images.

use std::path::Path;

use base64::Engine as _;
use ratatui::layout::Rect;

use super::perform::Wake;
use super::run::Workbench;
use super::state::{Layer, Picture, Reader, Subject};
use super::store;
use super::term::editor::Scratch;
use super::term::picture::{self, MOST};
use super::term::{self, screen};
use super::update::Outcome;
use super::view::Layout;
use crate::proto::Content;
use crate::text;

/// An image that the terminal drew, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Drawn {
    picture: Picture,
    room: Rect,
}

impl Workbench {
    pub(super) fn open_address(&self, address: String) {
        let Some(words) = term::browser(|name| std::env::var(name).ok(), self.around) else {
            // The person's own machine can open it.
            return self.copy(address, "the address: nothing here would open it");
        };
        let wake = self.wake.clone();
        drop(tokio::spawn(async move {
            let outcome = match term::open(&words, &address).await {
                Ok(()) => Outcome::Saved(format!("opened {}", text::truncate(&address, 60))),
                Err(why) => Outcome::Failed(why),
            };
            let _ = wake.send(Wake::Outcome(outcome));
        }));
    }

    /// The image in a file of its own that lasts as long as the workbench, in the system's viewer.
    pub(super) fn open_picture(&mut self, picture: Picture) -> Option<Outcome> {
        let failed = |words: &str| Some(Outcome::Failed(words.to_owned()));
        let Some((media_type, base64)) = self.bytes_of(picture) else {
            return failed("the image is not kept any more");
        };
        let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(base64.trim()) else {
            return failed("the image is damaged");
        };
        let Some(words) = term::viewer(self.around) else {
            return failed("no viewer of images can be reached from here: over ssh it would open on the other screen");
        };
        let ending = match media_type.as_str() {
            "image/png" => "png",
            "image/jpeg" => "jpg",
            "image/gif" => "gif",
            "image/webp" => "webp",
            "image/bmp" => "bmp",
            _ => return failed("images of this type are not handed to other programs"),
        };
        let scratch = match Scratch::of_bytes(&format!("image.{ending}"), &bytes) {
            Ok(scratch) => scratch,
            Err(error) => return Some(Outcome::Failed(format!("no file for the viewer could be made: {error}"))),
        };
        let (wake, path) = (self.wake.clone(), scratch.path().to_path_buf());
        self.shown.push(scratch);
        drop(tokio::spawn(async move {
            if let Err(why) = term::open(&words, &path).await {
                let _ = wake.send(Wake::Outcome(Outcome::Failed(why)));
            }
        }));
        None
    }

    fn bytes_of(&self, picture: Picture) -> Option<(String, String)> {
        match self.state.picture(picture)?.0 {
            Content::Media { media_type, base64 } => Some((media_type.clone(), base64.clone())),
            Content::Blob { hash, .. } => {
                store::media(&Path::new(&self.state.snapshot.session.folder).join("blobs"), hash)
            }
            Content::Text(_) | Content::Parts(_) => None,
        }
    }

    /// The image that the open box wants, and its room there.
    fn wanted(&self, layout: &Layout) -> Option<Drawn> {
        let Some(Layer::Reader(Reader { subject: Subject::Picture(picture), .. })) = self.state.layers.last() else {
            return None;
        };
        let inner = layout.over.as_ref()?.inner();
        // Below the words that tell what it is.
        let room = Rect { y: inner.y + 2, height: inner.height.checked_sub(2).filter(|rows| *rows > 0)?, ..inner };
        self.state.draws(*picture).then_some(Drawn { picture: *picture, room })
    }

    /// Before a frame: an image that does not belong there any more goes.
    pub(super) fn clear_picture(&mut self, layout: &Layout) {
        if self.drawn.is_some() && self.wanted(layout) != self.drawn {
            let _ = self.screen.send(picture::clear(self.state.terminal.images));
            self.screen.invalidate();
            self.drawn = None;
        }
    }

    /// After a frame: an image that is wanted is drawn, once.
    pub(super) fn draw_picture(&mut self, layout: &Layout) {
        let Some(wanted) = self.wanted(layout).filter(|wanted| self.drawn != Some(*wanted)) else { return };
        self.drawn = Some(wanted);
        let Some((_, base64)) = self.bytes_of(wanted.picture).filter(|(_, base64)| base64.len() <= MOST) else {
            return;
        };
        let room = wanted.room;
        let pixels = text::picture::dimensions(&base64).unwrap_or((usize::MAX, usize::MAX));
        let size = picture::fit(pixels, screen::cell_size(), (room.width, room.height));
        let bytes = picture::draw(self.state.terminal.images, &base64, (room.x, room.y), size);
        let _ = self.screen.send(&bytes);
    }
}
