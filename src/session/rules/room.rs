//! Whether a request still fits, before it is sent.

/// What a request may not outgrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// `max_session_tokens_threshold`; 0 = no limit.
    pub threshold: u64,
    /// The model's context window, when it is known.
    pub window: Option<u64>,
}

/// The limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    Threshold(u64),
    Window(u64),
}

impl Room {
    /// The lower of the two limits counts, and the setting when both are the same.
    pub fn check(self, tokens: u64) -> Option<Full> {
        let threshold = Some(self.threshold).filter(|limit| *limit > 0 && tokens >= *limit);
        let window = self.window.filter(|limit| *limit > 0 && tokens >= *limit);
        match (threshold, window) {
            (Some(threshold), Some(window)) if window < threshold => Some(Full::Window(window)),
            (Some(threshold), _) => Some(Full::Threshold(threshold)),
            (None, window) => window.map(Full::Window),
        }
    }
}
