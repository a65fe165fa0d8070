//! Says what went wrong with servers, once, and several that failed for one cause together.

use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::timeout;

use super::machine::Next;
use super::trouble::{Trouble, Verdict};
use crate::proto::{Body, Level, clause};

/// One server's trouble, to be told.
#[derive(Debug)]
pub struct Report {
    pub server: String,
    pub trouble: Trouble,
    pub next: Next,
}

/// Collects reports and sends notices until the last sender is gone.
pub async fn run(mut reports: UnboundedReceiver<Report>, events: UnboundedSender<Body>, window: Duration) {
    while let Some(first) = reports.recv().await {
        let mut waiting = vec![first];
        while let Ok(Some(report)) = timeout(window, reports.recv()).await {
            waiting.push(report);
        }
        for notice in notices(waiting) {
            if events.send(notice).is_err() {
                return;
            }
        }
    }
}

/// One notice for each cause. Pure.
pub fn notices(reports: Vec<Report>) -> Vec<Body> {
    let mut groups: Vec<(Report, Vec<String>)> = Vec::new();
    for report in reports {
        let same = |other: &Report| other.trouble.cause == report.trouble.cause && same_kind(other.next, report.next);
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, servers)) => servers.push(report.server),
            None => groups.push((report, Vec::new())),
        }
    }
    groups.into_iter().map(|(first, others)| notice(first, others)).collect()
}

fn same_kind(a: Next, b: Next) -> bool {
    matches!(a, Next::GivenUp) == matches!(b, Next::GivenUp)
}

fn notice(first: Report, others: Vec<String>) -> Body {
    let reason = clause(&first.trouble.reason);
    let text = match (first.next, others.len()) {
        (Next::Retry { after_ms }, 0) => {
            format!("{} went down: {reason}; trying again in {} s", first.server, after_ms as f32 / 1000.0)
        }
        (Next::Retry { .. }, more) => {
            format!("{} servers went down ({}): {reason}; trying again", more + 1, names(&first.server, &others))
        }
        (Next::GivenUp, 0) => format!("{} does not work: {reason}.", first.server),
        (Next::GivenUp, more) => {
            format!("{} servers do not work ({}): {reason}.", more + 1, names(&first.server, &others))
        }
    };
    let level = match (first.next, first.trouble.verdict) {
        (Next::GivenUp, Verdict::Retry | Verdict::Final) => Level::Error,
        _ => Level::Warning,
    };
    let hint = matches!(first.next, Next::GivenUp).then_some(first.trouble.advice);
    let source = if others.is_empty() { first.server } else { "mcp".to_owned() };
    Body::Notice { level, source, text, hint }
}

fn names(first: &str, others: &[String]) -> String {
    let mut names: Vec<&str> = std::iter::once(first).chain(others.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(server: &str, cause: &str) -> Report {
        let trouble = Trouble {
            verdict: Verdict::Retry,
            reason: format!("{server}.example cannot be reached"),
            advice: "check the network".into(),
            cause: cause.into(),
            wordless: false,
        };
        Report { server: server.into(), trouble, next: Next::GivenUp }
    }

    #[test]
    fn one_cause_gives_one_notice_with_advice_that_fits() {
        let all = ["e", "a", "b", "c", "d"].map(|server| report(server, "unreachable"));
        let notices = notices(all.into_iter().chain([report("x", "other")]).collect());
        assert_eq!(notices.len(), 2);
        let Body::Notice { text, hint, .. } = &notices[0] else { panic!() };
        assert_eq!(text, "5 servers do not work (a, b, c, d, e): e.example cannot be reached.");
        assert_eq!(hint.as_deref(), Some("check the network"));
    }
}
