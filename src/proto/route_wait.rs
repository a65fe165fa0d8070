//! How long a comparison was waited for, in words.

use super::RouteWait;

impl RouteWait {
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// `waited 1.2 s for triggers`; nothing when there was no wait.
    pub fn words(&self) -> Option<String> {
        let seconds = |ms: &u64| format!("{:.1} s", *ms as f64 / 1000.0);
        match self {
            Self::None => None,
            Self::Waited { ms } => Some(format!("it waited {} until it could be compared", seconds(ms))),
            Self::Overdue { ms } => Some(format!("not all was read after {}", seconds(ms))),
            Self::WentOn { ms } => Some(format!("you went on after {} without the rest of the triggers", seconds(ms))),
            Self::Again => Some("compared again, now that the triggers are read".to_owned()),
        }
    }
}
