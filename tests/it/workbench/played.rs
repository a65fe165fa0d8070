//! A session that is played, so that the workbench can be seen without an engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use octomind::port::Hub;
use octomind::proto::{
    Body, CatalogueItem, CatalogueView, Command, Content, Event, Level, Order, Origin, Purpose, RequestId, Seq,
    Snapshot, StartStep, StepState, StepView, StopReason, TurnId, TurnOutcome, Usage,
};
use octomind::ui::{self, Options, Reason};

struct Stage {
    hub: Arc<Hub>,
    seq: u64,
    order: Order,
}

impl Stage {
    fn publish(&mut self, body: Body) {
        self.seq += 1;
        self.hub.publish(Event { seq: Seq(self.seq), at: 1_700_000_000_000, order: Some(self.order), body });
    }

    fn place(&mut self) {
        self.order.slot += 1;
    }
}

/// Runs the workbench on a played session, and prints its last words.
pub fn play(kind: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let kind = kind.to_owned();
    let exit = runtime.block_on(async move {
        let mut snapshot = Snapshot::default();
        snapshot.session.name = "brisk-otter".to_owned();
        let (hub, mut commands) = Hub::new(snapshot);
        let hub = Arc::new(hub);
        let port = hub.connect();
        let (panic_now, panics) = tokio::sync::oneshot::channel::<()>();
        tokio::spawn(async move {
            let mut stage = Stage { hub, seq: 0, order: Order { turn: 1, round: 0, slot: 0 } };
            if kind == "taps" {
                started(&mut stage);
            }
            let mut panic_now = Some(panic_now);
            while let Some(command) = commands.recv().await {
                match command {
                    Command::Submit { text, .. } if kind == "panic" && text == "boom" => {
                        let _ = panic_now.take().unwrap().send(());
                    }
                    Command::Submit { .. } if kind == "task-panic" => {
                        tokio::spawn(async { panic!("a task's panic") });
                    }
                    Command::Submit { text, .. } => turn(&mut stage, &kind, &text).await,
                    Command::Quit => return,
                    _ => {}
                }
            }
        });
        let home = PathBuf::from(std::env::var("OCTOMIND_TEST_HOME").unwrap());
        let options = Options {
            settings: octomind::config::schema::Ui::default(),
            configuration: None,
            config_folder: None,
            data_folder: home.clone(),
            workdir: home,
            draft: String::new(),
            log: octomind::ui::LogTail::default(),
            mask: octomind::config::Mask::default(),
            painted: Arc::default(),
            names: octomind::ui::composer::Names::default(),
        };
        tokio::select! {
            exit = ui::run(port, options) => exit.unwrap(),
            Ok(()) = panics => panic!("a panic on purpose"),
        }
    });
    println!("{}", exit.farewell().unwrap_or_else(|| format!("session {}", exit.session)));
    assert!(!matches!(exit.reason, Reason::SessionOver));
}

/// A session that was started from a tap with three agents.
fn started(stage: &mut Stage) {
    let file = PathBuf::from(std::env::var("OCTOMIND_TEST_HOME").unwrap()).join("rust.toml");
    std::fs::write(&file, "title").unwrap();
    let agent = |name: &str, title: &str| CatalogueItem {
        name: name.to_owned(),
        title: title.to_owned(),
        tap: "muvon/tap".to_owned(),
        file: file.display().to_string(),
        ..CatalogueItem::default()
    };
    let agents = vec![
        agent("assistant:chief", "Everyday assistant"),
        agent("developer:general", "General development"),
        agent("developer:rust", "Rust engineering"),
    ];
    stage.order = Order { turn: 0, round: 0, slot: 1 };
    stage.publish(Body::CatalogueChanged(Arc::new(CatalogueView { agents, ..CatalogueView::default() })));
    for (step, detail) in [(StartStep::Tag, "developer:general"), (StartStep::Servers, "11 tools")] {
        let (state, detail) = (StepState::Done, detail.to_owned());
        stage.publish(Body::StartStep { step: StepView { step, state, detail, elapsed_ms: 600, output: Vec::new() } });
    }
    stage.order = Order { turn: 1, round: 0, slot: 0 };
}

async fn turn(stage: &mut Stage, kind: &str, text: &str) {
    let request = RequestId(1);
    stage.publish(Body::TurnStarted { turn: TurnId(1) });
    stage.place();
    let content = Content::Text(text.to_owned());
    stage.publish(Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person });
    stage.place();
    stage.publish(Body::RequestStarted {
        request,
        purpose: Purpose::Main,
        model: "played:model".to_owned(),
        estimated_tokens: 1,
        bytes: 1,
        tools: 0,
        prefix: String::new(),
    });
    let mut reply = String::new();
    let chunks = if kind == "stream" { 500 } else { 1 };
    for chunk in 0..chunks {
        let text = if chunks == 1 { format!("echo: {} bytes", text.len()) } else { format!("chunk {chunk}\n\n") };
        stage.publish(Body::TextDelta { request, offset: reply.len() as u64, text: text.clone() });
        reply.push_str(&text);
        if chunks > 1 {
            tokio::time::sleep(Duration::from_millis(4)).await;
        }
    }
    stage.publish(Body::AssistantMessage {
        request,
        text: reply,
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls: Vec::new(),
        stop: StopReason::End,
        scripted: true,
        model: "played:model".to_owned(),
    });
    let usage = Usage::default();
    stage.publish(Body::RequestFinished { request, purpose: Purpose::Main, usage, first_token_ms: 1, elapsed_ms: 2 });
    stage.place();
    stage.publish(Body::TurnEnded { turn: TurnId(1), outcome: TurnOutcome::Done, elapsed_ms: 2 });
    let source = "play".to_owned();
    stage.publish(Body::Notice { level: Level::Info, source, text: "the turn is over".to_owned(), hint: None });
}
