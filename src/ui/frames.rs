//! When frames are drawn: only when asked for, asked-for ones together, none while idle.

use std::time::{Duration, Instant};

/// Between two frames that nobody waits for with a finger on a key; 30 a second. Text that streams is
/// read, not watched, and each frame costs the same whether a word is new in it or three.
const CALM: Duration = Duration::from_micros(33_300);

/// Between two frames that answer keys; 120 a second.
const PROMPT: Duration = Duration::from_micros(8_334);

/// Why a frame is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Something came in or time went on.
    News,
    /// The person did something.
    Person,
}

#[derive(Debug, Default)]
pub struct Frames {
    wanted: Option<Cause>,
    last: Option<(Instant, Cause)>,
}

impl Frames {
    pub fn request(&mut self, cause: Cause) {
        self.wanted = self.wanted.max(Some(cause));
    }

    /// When the next frame is to be drawn. A key does not wait for the pause after a frame of news.
    pub fn due(&self) -> Option<Instant> {
        let cause = self.wanted?;
        let (last, before) = match self.last {
            Some(last) => last,
            None => return Some(Instant::now()),
        };
        Some(match (cause, before) {
            (Cause::Person, Cause::News) => last,
            (Cause::Person, Cause::Person) => last + PROMPT,
            (Cause::News, _) => last + CALM,
        })
    }

    pub fn drawn(&mut self, at: Instant) {
        if let Some(cause) = self.wanted.take() {
            self.last = Some((at, cause));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_unasked() {
        let mut frames = Frames::default();
        assert_eq!(frames.due(), None);
        frames.request(Cause::News);
        assert!(frames.due().is_some());
        frames.drawn(Instant::now());
        assert_eq!(frames.due(), None);
    }

    #[test]
    fn requests_come_together_and_keys_do_not_wait_for_news() {
        let start = Instant::now();
        let mut frames = Frames::default();
        frames.request(Cause::News);
        frames.drawn(start);
        for _ in 0..1000 {
            frames.request(Cause::News);
        }
        assert_eq!(frames.due(), Some(start + CALM));
        frames.request(Cause::Person);
        assert_eq!(frames.due(), Some(start), "at once");
        frames.drawn(start);
        frames.request(Cause::Person);
        assert_eq!(frames.due(), Some(start + PROMPT));
    }

    #[test]
    fn a_second_has_at_most_120_frames() {
        let start = Instant::now();
        let mut now = start;
        let mut frames = Frames::default();
        let mut drawn = 0;
        // Somebody leans on a key while a model streams.
        while now < start + Duration::from_secs(1) {
            frames.request(Cause::Person);
            frames.request(Cause::News);
            if frames.last.is_none() || frames.due().is_some_and(|due| due <= now) {
                frames.drawn(now);
                drawn += 1;
            }
            now += Duration::from_micros(500);
        }
        assert!(drawn <= 120, "{drawn}");
        assert!(drawn >= 100, "{drawn}");
    }
}
