//! A long session on disk, written through the journal as a session writes it.

use std::fs;
use std::path::Path;

use octomind::proto::{
    Body, CallId, Content, Event, Order, Origin, RequestId, Seq, StopReason, ToolCall, ToolOutcome, TurnId, TurnOutcome,
};
use octomind::session::journal::{JOURNAL, Journal, Lock, Locked};

/// Stands in the last message.
pub const LAST: &str = "This was the last answer.";

/// Lines of one turn, as they are in what was said, found and answered.
const TURN_LINES: usize = 30;

struct Writer {
    journal: Journal,
    seq: u64,
    result: String,
}

impl Writer {
    fn event(&mut self, (turn, round, slot): (u32, u32, u32), body: Body) {
        self.seq += 1;
        let order = Some(Order { turn, round, slot });
        let event = Event { seq: Seq(self.seq), at: 1_800_000_000_000 + self.seq * 20, order, body };
        self.journal.record(&event).expect("the disk has room");
    }

    fn turn(&mut self, turn: u32, last: bool) {
        self.event((turn, 0, 0), Body::TurnStarted { turn: TurnId(turn) });
        let content = Content::Text(format!("question {turn}: what does the function in module {turn} do?"));
        self.event((turn, 0, 1), Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person });
        let call = CallId(format!("call-{turn}"));
        let arguments = serde_json::json!({"path": format!("src/module_{turn}.rs")});
        let asked = ToolCall {
            id: call.clone(),
            provider_id: format!("call_{turn}"),
            wire_name: "view".to_owned(),
            arguments: arguments.clone(),
            malformed: None,
            signature: None,
        };
        self.event((turn, 1, 1), message(turn * 2, "I look at it.".to_owned(), vec![asked]));
        let (server, tool) = ("files".to_owned(), "view".to_owned());
        self.event((turn, 1, 2), Body::ToolStarted { call: call.clone(), server, tool, arguments });
        let output = self.result.clone();
        let full_bytes = output.len() as u64;
        let (outcome, content) = (ToolOutcome::Ok, Content::Text(output));
        self.event(
            (turn, 1, 2),
            Body::ToolFinished { call, outcome, content, full_bytes, spill: None, elapsed_ms: 12 },
        );
        let end = if last { LAST } else { "That is all." };
        let answer = format!(
            "Module **{turn}** adds up what it is given. It does so in one pass, which is as fast as it gets, and it \
             never allocates.\n\n## Details\n\n- takes a slice of `u64`\n- returns the sum\n- wraps on overflow in \
             release builds, which may surprise\n\n```rust\nfn compute(values: &[u64]) -> u64 {{\n    // run {turn}\n    \
             values.iter().sum()\n}}\n```\n\nCall it with anything that derefs to a slice; an empty one gives zero. \
             There is no state, so it may run on any thread.\n\n> Sums of large values overflow silently.\n\n{end}\n"
        );
        self.event((turn, 2, 1), message(turn * 2 + 1, answer, Vec::new()));
        let outcome = TurnOutcome::Done;
        self.event((turn, 2, 1), Body::TurnEnded { turn: TurnId(turn), outcome, elapsed_ms: 900 });
    }
}

fn message(request: u32, text: String, calls: Vec<ToolCall>) -> Body {
    let stop = if calls.is_empty() { StopReason::End } else { StopReason::ToolCalls };
    Body::AssistantMessage {
        request: RequestId(request),
        text,
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls,
        stop,
        scripted: false,
        model: "test:model".to_owned(),
    }
}

/// Writes a session of about so many lines, each tool result so many times nine lines; how many lines
/// it shows, and the bytes of its journal.
pub fn write(folder: &Path, workdir: &Path, lines: usize, nines: usize) -> (usize, u64) {
    fs::create_dir_all(folder).expect("a folder for the session");
    let Ok(Locked::Mine(lock)) = Lock::take(folder) else { unreachable!("the folder is new") };
    let result = "fn compute(values: &[u64]) -> u64 {\n    values.iter().sum()\n}\n".repeat(3 * nines);
    let journal = Journal::open(folder, 0, lock).expect("a journal");
    let mut writer = Writer { journal, seq: 0, result };
    writer.event(
        (0, 0, 0),
        Body::SessionStarted {
            name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            role: "assistant".to_owned(),
            workdir: workdir.display().to_string(),
            folder: folder.display().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    );
    let turns = lines.div_ceil(TURN_LINES);
    for turn in 1..=turns {
        writer.turn(turn as u32, turn == turns);
    }
    let bytes = fs::metadata(folder.join(JOURNAL)).map_or(0, |about| about.len());
    (turns * TURN_LINES, bytes)
}
