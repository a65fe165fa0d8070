//! Keys of the supervisor: switches, the plan, the wire.

use super::*;
use crate::proto::{
    Decision, Mechanic, PhaseView, PlanView, Purpose, RequestId, SwitchState, SwitchView, Switched, SwitchedHow,
};
use crate::ui::state::{Part, Reader, Table, Tabled};

fn switch(key: &str, on: bool, state: SwitchState) -> SwitchView {
    let (key, doc, origin) = (key.to_owned(), "what it does".to_owned(), "built in".to_owned());
    SwitchView { key, on, doc, origin, saved: None, state }
}

fn switches() -> Body {
    Body::SwitchesChanged(Arc::new(vec![
        switch("sandbox", true, SwitchState::ReadOnly { why: "it is set at the start".to_owned() }),
        switch("auto_capabilities", false, SwitchState::Live),
        switch("supervisor.gate.enabled", true, SwitchState::Live),
        switch("supervisor.plan.enabled", true, SwitchState::Pending { on: false }),
    ]))
}

fn flips(key: &str, on: bool) -> Command {
    Command::Switch { key: key.to_owned(), on }
}

fn toast(bench: &Bench) -> &str {
    &bench.state.toasts.last().expect("a toast").text
}

#[test]
fn space_flips_the_marked_switch_and_w_saves_it() {
    for (name, opens) in [("default", "esc s"), ("default", "f9"), ("vim", "esc esc space s"), ("emacs", "ctrl-x s")] {
        let mut bench = Bench::with_keymap(name);
        bench.event(switches()).keys(opens).keys("space w");
        let gate = "supervisor.gate.enabled";
        assert_eq!(bench.sent(), [flips(gate, false), Command::SaveSwitch { key: gate.to_owned() }], "{name} {opens}");
        // What is pending goes back, what is off goes on.
        bench.keys("j space j space");
        assert_eq!(bench.sent(), [flips("supervisor.plan.enabled", true), flips("auto_capabilities", true)]);
        bench.keys("j space");
        assert_eq!(bench.sent(), []);
        assert_eq!(toast(&bench), "sandbox stays as it is: it is set at the start");
        bench.keys("q");
        assert!(bench.state.layers.is_empty());
    }
}

#[test]
fn a_switch_can_be_flipped_where_it_is_read() {
    let mut bench = Bench::new();
    bench.event(switches()).keys("f9 enter space w");
    let gate = "supervisor.gate.enabled";
    assert!(matches!(bench.state.layers.last(), Some(Layer::Reader(Reader { subject: Subject::Switch(_), .. }))));
    assert_eq!(bench.sent(), [flips(gate, false), Command::SaveSwitch { key: gate.to_owned() }]);
    bench.keys("esc");
    assert!(matches!(bench.state.layers.last(), Some(Layer::Table(Table { of: Tabled::Switches, .. }))));
}

#[test]
fn what_came_of_a_flip_is_told() {
    let mut bench = Bench::new();
    let mut came = |what| {
        let key = "supervisor.gate.enabled".to_owned();
        let switched = Switched { key, from: true, to: false, by: "you".to_owned(), what };
        bench.event(Body::Decided(Decision::Switched(Box::new(switched))));
        bench.state.toasts.pop().map(|toast| toast.text)
    };
    assert_eq!(came(SwitchedHow::Flipped), None);
    let saved = came(SwitchedHow::Saved { file: "config.toml".to_owned() });
    assert_eq!(saved.as_deref(), Some("gate off is saved in config.toml"));
    let refused = came(SwitchedHow::Refused { why: "evolution needs it".to_owned() });
    assert_eq!(refused.as_deref(), Some("gate stays as it is: evolution needs it"));
}

#[test]
fn letters_and_spaces_are_still_typed_into_filters() {
    let mut bench = Bench::new();
    bench.event(switches()).keys("ctrl-p").types("w s x");
    assert!(matches!(bench.state.layers.last(), Some(Layer::Picker(picker)) if picker.filter == "w s x"));
    assert_eq!(bench.sent(), []);
}

#[test]
fn the_command_alone_opens_the_switches() {
    let mut bench = Bench::new();
    bench.types("/supervisor").keys("esc enter");
    assert!(matches!(bench.state.layers.last(), Some(Layer::Table(Table { of: Tabled::Switches, .. }))));
    assert_eq!(bench.sent(), []);
    bench.keys("esc").event(switches()).types("/supervisor ga");
    let offered = bench.state.composer.completion.as_ref().map(|open| open.candidates.len());
    assert_eq!(offered, Some(1), "`gate` is known");
    bench.keys("tab").types(" off").keys("enter");
    assert_eq!(bench.sent(), [submit("/supervisor gate off", SubmitMode::Steer)]);
}

#[test]
fn the_plan_has_its_pane() {
    let mut bench = Bench::new();
    bench.keys("esc 4 enter");
    assert_eq!(bench.state.focus, Pane::Plan);
    assert!(bench.state.layers.is_empty(), "there is no plan to read");
    let phase = |title: &str| PhaseView { title: title.to_owned(), ..PhaseView::default() };
    let plan = PlanView { revision: 1, phases: vec![phase("one"), phase("two")], ..PlanView::default() };
    bench.event(Body::PlanChanged(Arc::new(plan))).keys("j j");
    assert_eq!(bench.state.plan.selected, 1);
    bench.keys("enter");
    assert!(matches!(bench.state.layers.last(), Some(Layer::Reader(Reader { subject: Subject::Plan, .. }))));
    bench.keys("y");
    let copied = bench.done();
    assert!(matches!(&copied[..], [Effect::Copy { text, .. }] if text.contains("one") && text.contains("two")));
}

fn call(bench: &mut Bench, request: u32, purpose: Purpose) {
    bench.event(Body::RequestStarted {
        request: RequestId(request),
        purpose,
        model: "a:b".to_owned(),
        estimated_tokens: 1,
        bytes: 1,
        tools: 0,
        prefix: String::new(),
    });
}

#[test]
fn a_call_is_asked_for_shown_turned_and_copied() {
    let mut bench = Bench::new();
    call(&mut bench, 1, Purpose::Main);
    call(&mut bench, 2, Purpose::Supervisor(Mechanic::Gate));
    bench.keys("f12 enter");
    let request = RequestId(2);
    assert_eq!(bench.sent(), [Command::Wire { request }], "the latest is the first");
    bench.keys("y");
    assert_eq!(toast(&bench), "there is nothing to copy yet");
    let (sent, received) = ("{\n  \"a\": 1\n}".to_owned(), "an answer".to_owned());
    bench.event(Body::Wire { request, sent: sent.clone(), received: received.clone() });
    bench.done();
    bench.keys("y tab y j left");
    let copy = |text: &str, what| Effect::Copy { text: text.to_owned(), what };
    assert_eq!(bench.done(), [copy(&received, "what was received"), copy(&sent, "what was sent")]);
    let top = bench.state.layers.last().unwrap();
    let subject = Subject::Wire(request, Part::Received);
    assert_eq!(*top, Layer::Reader(Reader { subject, offset: 0 }), "the other side begins at its beginning");
    bench.keys("esc j enter");
    assert_eq!(bench.sent(), [Command::Wire { request: RequestId(1) }]);
    assert!(bench.state.wire.is_none(), "another call's bodies are not shown for it");
}
