//! The question that comes before all else: whether to go on without the sandbox that was asked for.

use crate::port::Hub;
use crate::proto::{Answer, Ask, AskId, AskKind, Body, Event, Order, Seq, Snapshot};
use crate::session::seams::{Person, Setup};

use super::inbox::Inbox;
use super::start::Why;

/// Before the questions of the session itself, which count from one.
const FIRST: AskId = AskId(0);

pub(super) enum Word {
    GoOn,
    Stop(Why),
    /// Nobody wants the session any more.
    Left,
}

/// Waits for the answer. Nothing was opened or started yet, so the question is no part of any journal;
/// what was answered is said when there is one.
pub(super) async fn ask(setup: &Setup, why: String, hub: &Hub, commands: &mut Inbox) -> Word {
    let refusal = format!("The sandbox was asked for and cannot be had: {why}. Nothing was started.");
    let hint = "octomind doctor tells more. To work without it: octomind -c sandbox=false.";
    let stop = Word::Stop(("sandbox", refusal, Some(hint.to_owned())));
    if setup.person == Person::Absent {
        return stop;
    }
    let body = Body::Asked(Ask { id: FIRST, kind: AskKind::Unheld { why } });
    hub.publish(Event { seq: Seq(1), at: (setup.clock)(), order: Some(Order::default()), body });
    let answer = commands.answer(FIRST).await;
    // The session begins from nothing, its numbers with it.
    hub.replace(Snapshot::default());
    match answer {
        None => Word::Left,
        Some(Answer::Yes) => Word::GoOn,
        Some(Answer::No | Answer::Session | Answer::Never | Answer::Text(_)) => stop,
    }
}
