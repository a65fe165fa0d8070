use crate::proto::Decision;

/// Dollars; 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    pub session: f64,
    pub request: f64,
}

/// What a session has cost, and from where the session's limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    pub session: f64,
    /// Of the session, when the running turn began.
    pub at_turn: f64,
    /// Of the session, when the person last agreed to go on.
    pub at_yes: f64,
}

/// What a limit says before the next request.
#[derive(Debug, Clone, PartialEq)]
pub enum Allowed {
    Yes,
    /// Stop unless a person says otherwise.
    Ask(Decision),
    Stop(Decision),
}

impl Limits {
    pub fn check(&self, spent: Spent) -> Allowed {
        let over = |used: f64, limit: f64| limit > 0.0 && used >= limit;
        let decision =
            |spent, limit, scope: &str| Decision::Spending { spent, limit, scope: scope.to_owned(), stopped: true };
        let turn = spent.session - spent.at_turn;
        let since_yes = spent.session - spent.at_yes;
        if over(turn, self.request) {
            Allowed::Stop(decision(turn, self.request, "request"))
        } else if over(since_yes, self.session) {
            Allowed::Ask(decision(since_yes, self.session, "session"))
        } else {
            Allowed::Yes
        }
    }
}
