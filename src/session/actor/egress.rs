//! Says when a turn that read a secret reaches outside.

use serde_json::Value;

use super::Actor;
use crate::proto::Level;

impl Actor {
    /// Before a call runs.
    pub(super) fn watch_egress(&mut self, tool: &str, arguments: &Value) {
        let said = self.turn.as_mut().and_then(|turn| turn.egress.before(tool, arguments));
        let Some(text) = said else { return };
        let hint = "What it sends is not known here. Esc stops it; [supervisor.authorizer] has calls looked at first.";
        self.rec.notice(Level::Warning, "secrets", text, Some(hint.to_owned()));
    }

    /// After a call ended well. `masked` is whether something in its result was.
    pub(super) fn read_secret(&mut self, tool: &str, arguments: &Value, masked: bool) {
        let Some(turn) = &mut self.turn else { return };
        turn.egress.ended(arguments);
        if masked {
            turn.egress.masked(tool);
        }
    }
}
