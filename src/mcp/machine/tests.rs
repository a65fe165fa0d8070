use proptest::prelude::*;

use super::*;

fn machine() -> Machine {
    Machine::new(vec![Duration::from_secs(1), Duration::from_secs(4)])
}

fn trouble(verdict: Verdict) -> Trouble {
    Trouble::new(verdict, "it exited with code 1", "look")
}

fn reports(effects: &[Effect]) -> usize {
    effects.iter().filter(|effect| matches!(effect, Effect::Report { .. })).count()
}

#[test]
fn a_server_that_never_starts_is_given_up_after_three_tries_and_reported_once() {
    let mut machine = machine();
    let mut told = reports(&machine.step(Input::Start, 0));
    let mut connects = 1;
    let mut now = 0;
    loop {
        told += reports(&machine.step(Input::NotConnected(trouble(Verdict::Retry)), now));
        let Some(at) = machine.retry_at() else { break };
        now = at;
        connects += machine.step(Input::RetryDue, now).iter().filter(|effect| **effect == Effect::Connect).count();
    }
    assert!(matches!(machine.state, ServerState::Failed { .. }));
    assert_eq!((connects, told, now), (3, 1, 5_000));
}

#[test]
fn what_cannot_get_better_is_not_tried_again() {
    for (verdict, failed) in [(Verdict::Final, true), (Verdict::SignIn, false)] {
        let mut machine = machine();
        machine.step(Input::Start, 0);
        machine.step(Input::NotConnected(trouble(verdict)), 1);
        assert_eq!(matches!(machine.state, ServerState::Failed { .. }), failed);
        assert_eq!(machine.retry_at(), None);
    }
}

#[test]
fn what_waits_for_an_answer_is_no_failure_and_is_not_reported() {
    let mut machine = machine();
    for _ in 0..5 {
        machine.step(Input::Start, 0);
        let effects = machine.step(Input::NotConnected(trouble(Verdict::Held)), 1);
        assert!(machine.state.is_held() && machine.retry_at().is_none(), "{:?}", machine.state);
        assert_eq!(reports(&effects), 0);
    }
    machine.step(Input::Start, 2);
    machine.step(Input::Connected, 3);
    assert_eq!(machine.state, ServerState::Ready { since: 3 });
}

#[test]
fn a_minute_of_work_forgives_earlier_failures() {
    for (held, expected) in [(59_999, 3), (60_000, 2)] {
        let mut machine = machine();
        machine.step(Input::Start, 0);
        machine.step(Input::NotConnected(trouble(Verdict::Retry)), 0);
        machine.step(Input::RetryDue, 1_000);
        machine.step(Input::Connected, 1_000);
        machine.step(Input::Lost(trouble(Verdict::Retry)), 1_000 + held);
        let ServerState::Waiting { attempt, .. } = machine.state else { panic!("{:?}", machine.state) };
        assert_eq!(attempt, expected);
    }
}

#[test]
fn a_crash_is_told_at_once_with_what_happens_next() {
    let mut machine = machine();
    machine.step(Input::Start, 0);
    machine.step(Input::Connected, 10);
    let effects = machine.step(Input::Lost(trouble(Verdict::Retry)), 20);
    assert!(
        effects.iter().any(|effect| matches!(effect, Effect::Report { next: Next::Retry { after_ms: 1_000 }, .. })),
        "{effects:?}"
    );
}

#[test]
fn nothing_starts_during_or_after_shutdown() {
    let mut machine = machine();
    machine.step(Input::Start, 0);
    machine.step(Input::NotConnected(trouble(Verdict::Retry)), 0);
    machine.step(Input::Shutdown, 10);
    for input in [Input::RetryDue, Input::Connected, Input::NotConnected(trouble(Verdict::Retry))] {
        assert_eq!(machine.step(input, 20), Vec::new());
    }
    assert_eq!(machine.state, ServerState::Stopped);
}

#[test]
fn the_person_can_start_a_failed_or_disabled_server_afresh() {
    let mut machine = machine();
    machine.step(Input::Start, 0);
    machine.step(Input::NotConnected(trouble(Verdict::Final)), 0);
    assert!(machine.step(Input::Start, 1).contains(&Effect::Connect));
    machine.step(Input::Disable { by: "person".into() }, 2);
    assert_eq!(machine.step(Input::RetryDue, 3), Vec::new());
    machine.step(Input::Start, 4);
    assert_eq!(machine.state, ServerState::Starting { since: 4, attempt: 1 });
}

fn any_input() -> impl Strategy<Value = Input> {
    prop_oneof![
        Just(Input::Start),
        Just(Input::Connected),
        Just(Input::NotConnected(trouble(Verdict::Retry))),
        Just(Input::NotConnected(trouble(Verdict::Final))),
        Just(Input::Lost(trouble(Verdict::Retry))),
        Just(Input::RetryDue),
        Just(Input::Disable { by: "person".into() }),
        Just(Input::Shutdown),
    ]
}

proptest! {
    /// Between two inputs of a person at most three connections are begun, unless one held long.
    #[test]
    fn connections_are_bounded(inputs in proptest::collection::vec(any_input(), 0..60)) {
        let mut machine = machine();
        let mut connects = 0;
        for (now, input) in inputs.into_iter().enumerate() {
            if matches!(input, Input::Start) {
                connects = 0;
            }
            let effects = machine.step(input, now as u64);
            connects += effects.iter().filter(|effect| **effect == Effect::Connect).count();
            prop_assert!(connects <= MAX_TRIES as usize);
            // Whoever leaves Starting or Ready lets go of the connection.
            if effects.contains(&Effect::Connect) {
                let starting = matches!(machine.state, ServerState::Starting { .. });
                prop_assert!(starting);
            }
        }
    }
}
