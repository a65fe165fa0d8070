use crate::proto::DetectionAction;

/// When a detector speaks again while its count grows. After the first note 1, 2, 4, 8 … more have to
/// be counted until the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Backoff {
    /// The count of the next note; 0 = the threshold.
    due: u32,
    interval: u32,
    /// That it waits was recorded.
    waits: bool,
    /// Why it was held back, as recorded.
    held: Option<&'static str>,
}

impl Backoff {
    /// What follows from this count; nothing when that was recorded already. A count below the
    /// threshold begins anew.
    pub fn action(
        &mut self,
        count: u32,
        threshold: u32,
        held: Option<&'static str>,
        text: String,
    ) -> Option<DetectionAction> {
        if count < threshold {
            *self = Self::default();
            return None;
        }
        if count < self.due {
            let new = !std::mem::replace(&mut self.waits, true);
            return new.then_some(DetectionAction::BackedOff { rounds: self.due - count });
        }
        if let Some(why) = held {
            let new = self.held.replace(why) != Some(why);
            return new.then(|| DetectionAction::Suppressed { why: why.to_owned() });
        }
        self.interval = if self.interval == 0 { 1 } else { self.interval.saturating_mul(2) };
        self.due = count.saturating_add(self.interval);
        (self.waits, self.held) = (false, None);
        Some(DetectionAction::Noted { text })
    }
}
