use super::*;
use crate::cli::args::Format;
use crate::cli::headless::Printer;
use crate::proto::{Authorized, CallId, Content, Decision, Fault, FaultKind, Seq, ServerKind, StopReason, TurnId};

fn event(body: Body) -> Event {
    Event { seq: Seq(1), at: 0, order: None, body }
}

fn ending(code: u8, reason: &str) -> Ending<'_> {
    Ending { code, reason, warning: None, gate: None }
}

fn delta(request: u32, offset: u64, text: &str) -> Body {
    Body::TextDelta { request: RequestId(request), offset, text: text.to_owned() }
}

fn message(request: u32, text: &str) -> Body {
    Body::AssistantMessage {
        request: RequestId(request),
        text: text.to_owned(),
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls: Vec::new(),
        stop: StopReason::End,
        scripted: false,
        model: String::new(),
    }
}

fn written(terminal: bool, bodies: Vec<Body>) -> Output {
    let mut plain = Printer::new(Format::Plain, terminal);
    let mut output = Output::default();
    for body in bodies {
        plain.event(&event(body), &Snapshot::default(), &mut output);
    }
    output
}

#[test]
fn the_answer_is_written_once_whatever_was_delivered() {
    let cases: Vec<(&str, Vec<Body>, &str)> = vec![
        ("streamed", vec![delta(1, 0, "Hel"), delta(1, 3, "lo"), message(1, "Hello")], "Hello\n"),
        ("no deltas", vec![message(1, "Hello\n")], "Hello\n"),
        ("a lost delta", vec![delta(1, 0, "He"), delta(1, 3, "lo"), message(1, "Hello")], "Hello\n"),
        ("a repeated delta", vec![delta(1, 0, "He"), delta(1, 0, "He"), message(1, "Hello")], "Hello\n"),
        ("two messages", vec![delta(1, 0, "One"), message(1, "One"), message(2, "Two")], "One\nTwo\n"),
        ("a cut try", vec![delta(1, 0, "On"), delta(2, 0, "One"), message(2, "One")], "On\nOne\n"),
        ("no text", vec![message(1, "")], ""),
    ];
    for (name, bodies, out) in cases {
        assert_eq!(written(false, bodies).out, out, "{name}");
    }
}

#[test]
fn text_streams_before_its_line_is_complete() {
    let mut plain = Printer::new(Format::Plain, true);
    let mut output = Output::default();
    plain.event(&event(delta(1, 0, "word by wo")), &Snapshot::default(), &mut output);
    assert_eq!(output.out, "word by wo");
}

#[test]
fn a_terminal_gets_clean_text_and_a_file_the_text_itself() {
    let bodies = || vec![delta(1, 0, "a\x1b"), delta(1, 2, "[2Jb\tc\n"), message(1, "a\x1b[2Jb\tc\n")];
    assert_eq!(written(true, bodies()).out, "ab   c\n");
    assert_eq!(written(false, bodies()).out, "a\x1b[2Jb\tc\n");
}

#[test]
fn everything_else_is_a_short_line_on_standard_error() {
    let call = CallId("c1".to_owned());
    let arguments = serde_json::json!({ "path": "src" });
    let refused = Fault::new(FaultKind::WrongKey, "The provider refused the key.", "Check the key.");
    let bodies = vec![
        Body::ToolStarted { call: call.clone(), server: "files".to_owned(), tool: "list".to_owned(), arguments },
        Body::ToolFinished {
            call: call.clone(),
            outcome: ToolOutcome::Ok,
            content: Content::Text("a\nb".to_owned()),
            full_bytes: 4200,
            spill: None,
            elapsed_ms: 12,
        },
        Body::ToolFinished {
            call,
            outcome: ToolOutcome::Error,
            content: Content::Text("no such \x1b[1mfile\nmore".to_owned()),
            full_bytes: 20,
            spill: None,
            elapsed_ms: 3,
        },
        Body::Notice {
            level: Level::Warning,
            source: "mcp".to_owned(),
            text: "a line\nand another".to_owned(),
            hint: Some("do this".to_owned()),
        },
        Body::Decided(Decision::Retry {
            attempt: 1,
            of: 3,
            wait_ms: 1500,
            reason: "overloaded".to_owned(),
            asked_by_provider: false,
        }),
        Body::Decided(Decision::ModelChosen { chosen: "a:b".to_owned(), candidates: Vec::new() }),
        Body::RequestFailed { request: RequestId(1), purpose: Purpose::Main, fault: refused },
        Body::TurnEnded { turn: TurnId(1), outcome: TurnOutcome::Stopped("$1 spent".to_owned()), elapsed_ms: 1 },
    ];
    let output = written(true, bodies);
    assert_eq!(output.out, "");
    insta::assert_snapshot!(output.err, @r##"
tool: files.list {"path":"src"}
tool: done: 4.1 KB, 12 ms
tool: failed: no such file (20 B, 3 ms)
warning: a line
  and another
hint: do this
retry: overloaded; try 1 of 3 in 1.5 s
error: The provider refused the key.
hint: Check the key.
stopped: $1 spent
"##);
}

#[test]
fn an_error_is_said_once_whole_and_with_the_words_of_its_provider() {
    let names: Vec<String> = (0..40).map(|n| format!("provider{n}")).collect();
    let mut fault = Fault::new(
        FaultKind::UnknownModel,
        "There is no provider x.",
        format!("Known: {}, or choose another model with /model.", names.join(", ")),
    );
    fault.detail = Some("model x is retired".to_owned());
    let notice = Body::Notice {
        level: Level::Error,
        source: "model".to_owned(),
        text: fault.message.clone(),
        hint: Some(fault.advice.clone()),
    };
    let failed = Body::RequestFailed { request: RequestId(1), purpose: Purpose::Main, fault };
    let (mut plain, mut output) = (Plain::new(false), Output::default());
    let warning =
        |n: u32| Body::Notice { level: Level::Warning, source: "x".to_owned(), text: format!("{n}"), hint: None };
    for body in [notice, warning(1), warning(2), warning(3), failed] {
        plain.event(&Event { seq: Seq(1), at: 0, order: None, body }, &mut output);
    }
    plain.end(&ending(69, "There is no provider x."), &Snapshot::default(), &mut output);
    assert_eq!(output.err.matches("There is no provider x.").count(), 1, "{}", output.err);
    assert!(output.err.contains("provider39, or choose another model with --model."), "{}", output.err);
    assert!(output.err.contains("detail: model x is retired\n"), "{}", output.err);
    assert!(!output.err.contains("session:"), "nothing was sent: {}", output.err);
}

#[test]
fn a_script_of_a_tap_says_that_it_runs_what_it_says_and_how_long_it_took() {
    let step = |state, detail: &str, elapsed_ms| Body::StartStep {
        step: StepView { step: StartStep::Deps, state, detail: detail.to_owned(), elapsed_ms, output: Vec::new() },
    };
    let line = |line: &str| Body::StartOutput { step: StartStep::Deps, line: line.to_owned() };
    let bodies = vec![
        step(StepState::Running, "", 0),
        step(StepState::Running, "org/tool", 1),
        line("fetching"),
        line("fetching"),
        step(StepState::Done, "org/tool", 2000),
    ];
    let said = written(false, bodies).err;
    let took = human::duration_ms(2000);
    assert_eq!(
        said,
        format!("script: org/tool runs\n  | fetching\n  | fetching\nscript: org/tool done after {took}\n")
    );
    assert_eq!(written(false, vec![step(StepState::Skipped, "none", 0)]).err, "");
}

#[test]
fn each_line_of_a_note_is_a_line() {
    let (mut plain, mut output) = (Plain::new(false), Output::default());
    plain.note(
        "error",
        "no such agent; there are:\n  a:b \u{2014} B\n\n  a:c \u{2014} C\u{1b}[31m\nIt may be elsewhere.",
        &mut output,
    );
    plain.note("tool", "files.view one\ntwo", &mut output);
    let told = "error: no such agent; there are:\n  a:b \u{2014} B\n  a:c \u{2014} C\n  It may be elsewhere.\ntool: files.view one two\n";
    assert_eq!(output.err, told);
}

#[test]
fn a_server_that_does_not_work_is_told_of_once() {
    let failed = || Body::ServerChanged {
        server: "octofs".to_owned(),
        kind: ServerKind::Stdio,
        state: ServerState::Failed { reason: "there is no program".to_owned(), advice: "install it".to_owned() },
        command: String::new(),
        stderr: Vec::new(),
    };
    let text = "octofs does not work: there is no program.".to_owned();
    let hint = Some("Install it.".to_owned());
    let notice = Body::Notice { level: Level::Error, source: "octofs".to_owned(), text, hint };
    let told = written(false, vec![failed(), notice]).err;
    assert_eq!(told, "error: octofs does not work: there is no program.\nhint: Install it.\n");
    // The run may end before the notice comes.
    let mut plain = Printer::new(Format::Plain, false);
    let mut output = Output::default();
    plain.event(&event(failed()), &Snapshot::default(), &mut output);
    plain.end(&ending(0, ""), &Snapshot::default(), &mut output);
    assert_eq!(output.err, "octofs: there is no program install it\n");
}

#[test]
fn calls_that_ran_unlooked_at_are_warned_of() {
    let authorized = |unavailable: Option<&str>, dropped: &[&str]| {
        Body::Decided(Decision::Authorized(Box::new(Authorized {
            checked: 1,
            blocked: Vec::new(),
            unconfirmed: Vec::new(),
            dropped: dropped.iter().map(|words| (*words).to_owned()).collect(),
            cached: false,
            unavailable: unavailable.map(str::to_owned),
            requests: Vec::new(),
        })))
    };
    let of = |body| written(false, vec![body]).err;
    assert_eq!(
        of(authorized(Some("the answer is not JSON"), &[])),
        "warning: authorizer: no usable answer, so 1 call ran: the answer is not JSON\n"
    );
    assert_eq!(
        of(authorized(None, &["shell: its quote does not stand in user:0"])),
        "warning: authorizer: 1 call ran; an objection was not counted: shell: its quote does not stand in user:0\n"
    );
    assert_eq!(of(authorized(None, &[])), "");
}
