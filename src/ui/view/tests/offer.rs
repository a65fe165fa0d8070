//! What taps offer: starting, choosing an agent, the catalogue, skills, and the questions they ask.

use super::fixture::{Fixture, NOW};
use super::*;
use crate::ui::state::{Reader, Shelf, Subject};

fn each_size(name: &str, mut make: impl FnMut() -> Fixture) {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let shown = make().styled(width, height);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown);
    }
}

fn step(step: StartStep, state: StepState, detail: &str, elapsed_ms: u64) -> StepView {
    StepView { step, state, detail: detail.to_owned(), elapsed_ms, output: Vec::new() }
}

/// The steps of a start up to its scripts, which run.
fn preparing() -> Fixture {
    let mut fixture = Fixture::with_model();
    let steps = [
        step(StartStep::Tag, StepState::Done, "developer:general", 1),
        step(StartStep::Tap, StepState::Done, "muvon/tap", 4),
        step(StartStep::Manifest, StepState::Done, "agents/developer/general.toml · in the cache", 3),
        step(StartStep::Capabilities, StepState::Done, "14 capabilities", 25),
        step(StartStep::Placeholders, StepState::Doubtful, "CWD, DATE; README is empty: there is none", 2),
        step(StartStep::Deps, StepState::Running, "codesearch-graph: install the indexer", 0),
    ];
    for step in steps {
        fixture.at((0, 0, 1), Body::StartStep { step });
    }
    for line in ["Downloading indexer 2.4.1", "\u{1b}[32m 38 %\r 71 %\u{1b}[0m"] {
        fixture.at((0, 0, 1), Body::StartOutput { step: StartStep::Deps, line: line.to_owned() });
    }
    fixture.state.find_start();
    fixture.state.now = NOW + 12_345;
    fixture
}

/// The same start when it is over.
fn started(deps: StepState, detail: &str) -> Fixture {
    let mut fixture = preparing();
    let placeholders = step(StartStep::Placeholders, StepState::Done, "5 placeholders", 2);
    let output = vec!["npm: command not found".to_owned(), "the indexer needs Node.js 20".to_owned()];
    let output = if deps == StepState::Failed { output } else { Vec::new() };
    let deps = StepView { output, ..step(StartStep::Deps, deps, detail, 900) };
    let servers = step(StartStep::Servers, StepState::Done, "11 tools · 3 servers", 265);
    for step in [placeholders, deps, servers] {
        fixture.at((0, 0, 1), Body::StartStep { step });
    }
    fixture
}

fn item(name: &str, title: &str, tap: &str) -> CatalogueItem {
    CatalogueItem {
        name: name.to_owned(),
        title: title.to_owned(),
        description: format!("{title}. It reads the project first, plans in small steps and checks what it did."),
        domains: name.split_once(':').map(|(domain, _)| domain.to_owned()).into_iter().collect(),
        tap: tap.to_owned(),
        file: format!("/home/ada/.local/share/octomind/taps/{tap}/agents/{}.toml", name.replace(':', "/")),
        detail: "filesystem-read · shell · codesearch-graph".to_owned(),
        problems: Vec::new(),
    }
}

fn problem(error: bool, place: &str, message: &str, hint: Option<&str>) -> CatalogueProblem {
    CatalogueProblem {
        error,
        note: false,
        place: place.to_owned(),
        message: message.to_owned(),
        hint: hint.map(str::to_owned),
    }
}

fn catalogue() -> CatalogueView {
    let (public, own) = ("muvon/tap", "ada/tools");
    let mut broken = item("developer:rust", "Rust engineering", own);
    let unknown = "the capability `codesearch-grpah` is in no tap";
    broken.problems = vec![
        problem(false, &format!("{}:3:1", broken.file), "the title is longer than 60 characters", None),
        problem(true, &format!("{}:14:19", broken.file), unknown, Some("did you mean `codesearch-graph`?")),
    ];
    let mut postgres = item("database-postgres", "PostgreSQL", public);
    "2 providers: psql, mcp · 9 triggers".clone_into(&mut postgres.detail);
    postgres.problems = vec![problem(
        false,
        "/taps/muvon/tap/capabilities/database-postgres/config.toml:8:1",
        "a trigger is there twice",
        None,
    )];
    let mut tap = item(public, "", "");
    tap.description.clear();
    tap.domains.clear();
    "priority 2 · 137 agents · fetched 3 h ago".clone_into(&mut tap.detail);
    let mut mine = item(own, "", "");
    mine.description.clear();
    "priority 1 · 2 agents · linked to /home/ada/tools".clone_into(&mut mine.detail);
    let mut skill = item("rust-review", "Review of Rust code", own);
    "3 lines of rules".clone_into(&mut skill.detail);
    CatalogueView {
        taps: vec![mine, tap],
        agents: vec![
            item("assistant:chief", "Everyday assistant", public),
            item("developer:chief", "Leads a piece of work", public),
            item("developer:general", "General development", public),
            broken,
            item("developer:python", "Python \u{1b}[31mengineering\u{202e}", public),
            item("lawyer:contracts", "Contracts and what is wrong with them", public),
            item("lawyer:chief", "Legal questions of every kind", public),
        ],
        capabilities: vec![item("codesearch-graph", "Graph of the code", public), postgres],
        skills: vec![skill],
        plugins: Vec::new(),
        problems: vec![problem(true, "/home/ada/.agents/plugins/old/plugin.json:1:1", "the file is no JSON", None)],
    }
}

fn offered() -> Fixture {
    let mut fixture = Fixture::working();
    fixture.state.composer.names.roles = vec!["developer:chief".to_owned(), "tester".to_owned()];
    fixture.live(Body::CatalogueChanged(Arc::new(catalogue())));
    fixture
}

fn picking(of: Listing, filter: &str, selected: usize) -> Fixture {
    let mut fixture = offered();
    fixture.state.layers.push(Layer::Picker(Picker { of, filter: filter.to_owned(), selected, offset: 0 }));
    fixture
}

fn asked(kind: AskKind, text: &str) -> Fixture {
    let mut fixture = Fixture::working();
    fixture.at((0, 0, 1), Body::Asked(Ask { id: AskId(1), kind }));
    fixture.state.question = Some(Question { ask: AskId(1), text: text.to_owned(), offset: 0 });
    fixture
}

fn other_provider() -> AskKind {
    AskKind::OtherProvider {
        capability: "codesearch-graph".to_owned(),
        failed: "indexer of muvon/tap".to_owned(),
        reason: "its script ended with code 127\nnpm: command not found".to_owned(),
        offered: "builtin".to_owned(),
        offered_by: "octomind/starter".to_owned(),
    }
}

fn secret() -> AskKind {
    AskKind::Secret {
        key: "DATABASE_URL".to_owned(),
        wanted_by: "capability database-postgres of muvon/tap".to_owned(),
        kept_in: "/home/ada/.local/share/octomind/config/inputs.toml".to_owned(),
    }
}

#[test]
fn a_start_under_way() {
    each_size("starting", preparing);
}

#[test]
fn a_start_without_trouble_is_one_line() {
    each_size("started", || started(StepState::Done, "codesearch-graph is there"));
}

#[test]
fn a_start_with_trouble_keeps_it_in_sight() {
    each_size("start_trouble", || {
        let mut fixture = started(StepState::Failed, "codesearch-graph: its script ended with code 127");
        fixture.at((0, 0, 9), Body::Asked(Ask { id: AskId(1), kind: other_provider() }));
        fixture
    });
}

#[test]
fn the_agents_by_domain() {
    each_size("agents", || picking(Listing::Agents, "", 3));
}

#[test]
fn the_agents_under_a_filter() {
    each_size("agents_filtered", || picking(Listing::Agents, "rust", 0));
}

#[test]
fn the_catalogue() {
    each_size("catalogue", || picking(Listing::Catalogue(Shelf::Agents), "", 0));
    each_size("catalogue_taps", || picking(Listing::Catalogue(Shelf::Taps), "", 1));
    each_size("catalogue_problems", || picking(Listing::Catalogue(Shelf::Problems), "", 1));
}

#[test]
fn a_part_in_full() {
    each_size("part", || {
        let mut fixture = offered();
        let rust = catalogue().agents.swap_remove(3);
        let subject = Subject::Part { shelf: Shelf::Agents, name: rust.name, file: rust.file };
        fixture.state.layers.push(Layer::Reader(Reader { subject, offset: 0 }));
        fixture
    });
}

#[test]
fn a_question_for_a_secret() {
    each_size("secret", || asked(secret(), "postgres://ada:hunter2@db/shop"));
}

#[test]
fn a_question_for_another_provider() {
    each_size("other_provider", || asked(other_provider(), ""));
}

#[test]
fn toasts_keep_off_an_open_question() {
    let open = || {
        let mut fixture = Fixture::working();
        fixture.user((1, 0, 1), "hello");
        fixture.at((1, 0, 2), Body::Asked(Ask { id: AskId(1), kind: other_provider() }));
        fixture
    };
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut fixture = open();
        let bare = fixture.text(width, height);
        fixture.state.announce(AskId(1), "another provider is offered".to_owned());
        assert_eq!(fixture.text(width, height), bare, "what is in sight is not announced");
    }
    let mut fixture = open();
    let question = |shown: &str| shown.contains("Use that?") && shown.contains("could not be prepared with");
    assert!(question(&fixture.text(80, 24)));
    fixture.state.toast(crate::proto::Level::Info, "copied, and said in so many words that they take several rows");
    let shown = fixture.text(80, 24);
    assert!(question(&shown) && shown.contains("copied, and said"), "{shown}");
    let mut fixture = open();
    fixture.state.focus = Pane::Surface;
    fixture.state.announce(AskId(1), "another provider is offered".to_owned());
    let shown = fixture.text(40, 12);
    assert!(shown.contains("another provider is offered"), "the transcript is not in sight: {shown}");
}

#[test]
fn the_role_stays_in_the_header() {
    let mut fixture = Fixture::working();
    fixture.live(Body::RoleChanged { role: "lawyer:contracts".to_owned() });
    for width in [40, 60, 80, 120] {
        let shown = fixture.text(width, 24);
        let header = shown.lines().next().unwrap_or_default().to_owned();
        assert!(header.contains("lawyer:contracts") && header.contains("ctx 23 %"), "{header}");
    }
}

fn skilled() -> Fixture {
    let mut fixture = Fixture::working();
    let skill = |name: &str, cause, tokens| SkillView {
        name: name.to_owned(),
        description: "How code is looked through before it goes out.".to_owned(),
        cause,
        source: "muvon/tap".to_owned(),
        file: format!("/taps/muvon/tap/skills/{name}/SKILL.md"),
        tokens,
    };
    fixture.user((1, 0, 1), "is this unsafe block sound?");
    let text = || Content::Text(String::new());
    fixture.at((1, 0, 2), Body::SkillActivated { skill: skill("docker", SkillCause::Person, 310), text: text() });
    let trace = |skill: &str, activated, reason: Option<&str>, lines| SkillTrace {
        skill: skill.to_owned(),
        activated,
        reason: reason.map(str::to_owned),
        lines,
    };
    let check = |check: &str, held, evidence: &str, cosine| CheckTrace {
        check: check.to_owned(),
        held,
        evidence: evidence.to_owned(),
        cosine,
    };
    let line = |checks: Vec<CheckTrace>| RuleTrace { held: checks.iter().all(|check| check.held), checks };
    let skills = vec![
        trace(
            "kubernetes",
            false,
            Some("no line held"),
            vec![line(vec![check("file(*.helm)", false, "none of 214 files", None)])],
        ),
        trace(
            "rust-review",
            true,
            None,
            vec![
                line(vec![check("semantic(review of code)", false, "needs 0.65", Some(0.41))]),
                line(vec![
                    check("content(unsafe)", true, "`unsafe` at 8", None),
                    check("file(*.rs)", true, "src/lib.rs", None),
                ]),
            ],
        ),
    ];
    fixture.at((1, 0, 3), Body::Decided(Decision::SkillRules { domain: "developer".to_owned(), skills }));
    let by_rule = skill("rust-review", SkillCause::Rule { line: 1 }, 1240);
    fixture.at((1, 0, 4), Body::SkillActivated { skill: by_rule, text: text() });
    fixture.at((1, 0, 5), Body::SkillForgotten { name: "docker".to_owned() });
    fixture.at((1, 0, 6), Body::SkillActivated { skill: skill("docker", SkillCause::Environment, 310), text: text() });
    fixture.idle();
    let phrases = EncoderState::Loading { model: "minilm".to_owned(), phrases_done: 120, phrases: 541 };
    fixture.live(Body::EncoderChanged(phrases));
    fixture.state.transcript.toggled.insert(Order::from((1, 0, 3)));
    fixture
}

#[test]
fn skills_and_the_encoder() {
    each_size("skills", skilled);
}

#[test]
fn the_encoder_is_quiet_when_it_is_there_and_says_when_it_is_not() {
    let mut fixture = skilled();
    let (model, backend) = ("minilm".to_owned(), "ort".to_owned());
    fixture.live(Body::EncoderChanged(EncoderState::Ready { model, backend, load_ms: 90, note: None }));
    assert!(!fixture.text(120, 40).contains("encoder"));
    let (why, advice) = ("the file is cut short".to_owned(), "fetch it again: octomind models fetch".to_owned());
    fixture.live(Body::EncoderChanged(EncoderState::Failed { why, advice }));
    let shown = fixture.text(120, 40);
    assert!(shown.contains("! no sentence encoder  see the notes"), "{shown}");
    assert!(!shown.contains("cut short"), "one row is enough: {shown}");
    assert!(fixture.text(80, 24).contains("! no sentence encoder"));
}

#[test]
fn a_greeting_is_said_by_the_role_and_is_no_note() {
    let mut fixture = skilled();
    let text = "What has **to run**?".to_owned();
    let greeting = Body::Notice { level: Level::Info, source: WELCOME.to_owned(), text, hint: None };
    fixture.at((1, 0, 7), greeting);
    let shown = fixture.text(120, 40);
    let row = shown.lines().find(|line| line.contains("What has")).unwrap();
    assert!(row.starts_with("│ What has to run?"), "as all that it says: {row}");
    assert!(fixture.state.snapshot.notes.iter().all(|note| !note.text.contains("What has")));
}

#[test]
fn what_a_welcome_says_of_the_machine_is_not_shown() {
    let mut fixture = skilled();
    let origin = Origin::System { kind: CONTEXT.to_owned(), label: WELCOME.to_owned() };
    let content = Content::Text("Folder: /somewhere/else".to_owned());
    fixture.at((1, 0, 8), Body::UserMessage { content, attachments: Vec::new(), origin });
    assert!(!fixture.text(120, 40).contains("/somewhere/else"));
}

#[test]
fn a_narrow_list_of_agents_names_the_tap_of_the_marked_one_and_how_to_close() {
    let mut fixture = picking(Listing::Agents, "", 1);
    let tap = {
        let rows = fixture.state.agent_rows("");
        rows[1].item.unwrap().tap.clone()
    };
    let shown = fixture.text(40, 12);
    assert!(shown.contains(&format!("Agents · {tap}")), "{shown}");
    assert!(shown.contains("esc close"), "{shown}");
}

#[test]
fn a_skill_of_the_surface_is_an_item_and_opens() {
    let mut fixture = skilled();
    let items = items(&fixture.state.snapshot);
    assert_eq!(items, [Item::Server(0), Item::Server(1), Item::Skill(0), Item::Skill(1)]);
    fixture.state.layers.push(Layer::Reader(Reader { subject: Subject::Skill("docker".to_owned()), offset: 0 }));
    let shown = fixture.text(80, 24);
    for words in ["Skill docker", "OCTOMIND_SKILLS", "310 tok per turn", "skills/docker/SKILL.md"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn time_runs_while_a_step_runs_and_stands_afterwards() {
    let mut fixture = preparing();
    assert!(fixture.text(120, 40).contains("12 s"));
    fixture.state.now += 5_000;
    assert!(fixture.text(120, 40).contains("17 s"));
    assert!(fixture.state.next_wake().is_some(), "frames come by themselves");
    fixture.state.settings.motion = false;
    assert!(fixture.text(120, 40).contains("… deps"), "a still mark: {}", fixture.text(120, 40));
    let mut fixture = started(StepState::Done, "codesearch-graph is there");
    assert_eq!(fixture.state.next_wake(), None, "idle draws nothing");
    assert!(fixture.text(120, 40).contains("developer:general ready · muvon/tap"));
}

#[test]
fn the_key_that_stops_a_start_is_the_one_that_would() {
    let mut fixture = preparing();
    assert!(fixture.text(120, 40).contains("esc stops"));
    fixture.state.layers.push(Layer::picker(Listing::Help));
    fixture.state.layers.clear();
    let running = step(StartStep::Deps, StepState::Done, "", 1);
    fixture.at((0, 0, 1), Body::StartStep { step: running });
    let servers = step(StartStep::Servers, StepState::Running, "3 servers", 1);
    fixture.at((0, 0, 1), Body::StartStep { step: servers });
    assert!(!fixture.text(120, 40).contains("esc stops"), "servers start beside everything else");
}

#[test]
fn a_server_of_local_files_waits_for_the_answer() {
    let mut fixture = Fixture::working();
    let server = "local".to_owned();
    let state = ServerState::Starting { since: NOW, attempt: 1 };
    let (command, stderr) = (".agents/tools".to_owned(), Vec::new());
    fixture.live(Body::ServerChanged { server, kind: ServerKind::Local, state, command, stderr });
    assert!(fixture.text(120, 40).contains("starting 0 s"));
    let kind = AskKind::Trust { folder: "/shop".to_owned(), items: Vec::new(), content_hash: "0".to_owned() };
    fixture.at((0, 0, 1), Body::Asked(Ask { id: AskId(1), kind }));
    let shown = fixture.text(120, 40);
    assert!(shown.contains("waits until you say") && !shown.contains("starting 0 s"), "{shown}");
}

#[test]
fn nothing_of_a_tap_steers_the_terminal() {
    let evil = "a\u{7}\u{1b}]52;c;UA==\u{7}\u{202e}b\u{9b}2J\nc";
    let evil = || evil.to_owned();
    let trouble = CatalogueProblem { error: true, note: false, place: evil(), message: evil(), hint: Some(evil()) };
    let part = || CatalogueItem {
        name: evil(),
        title: evil(),
        description: evil(),
        domains: vec![evil()],
        tap: evil(),
        file: evil(),
        detail: evil(),
        problems: vec![trouble.clone()],
    };
    let all = || vec![part()];
    let view = CatalogueView {
        taps: all(),
        agents: all(),
        capabilities: all(),
        skills: all(),
        plugins: all(),
        problems: vec![trouble.clone()],
    };
    let mut fixture = Fixture::working();
    fixture.live(Body::CatalogueChanged(Arc::new(view)));
    let output = vec![evil()];
    for state in [StepState::Running, StepState::Failed] {
        let step = StepView { step: StartStep::Deps, state, detail: evil(), elapsed_ms: 9, output: output.clone() };
        fixture.at((0, 0, 1), Body::StartStep { step });
        for kind in [
            AskKind::Secret { key: evil(), wanted_by: evil(), kept_in: evil() },
            AskKind::Unheld { why: evil() },
            AskKind::OtherProvider {
                capability: evil(),
                failed: evil(),
                reason: evil(),
                offered: evil(),
                offered_by: evil(),
            },
        ] {
            fixture.at((0, 0, 2), Body::Asked(Ask { id: AskId(1), kind }));
            fixture.state.question = Some(Question { ask: AskId(1), text: evil(), offset: 0 });
            clean(&mut fixture);
        }
    }
    let skill = SkillView {
        name: evil(),
        description: evil(),
        cause: SkillCause::Model,
        source: evil(),
        file: evil(),
        tokens: 1,
    };
    fixture.at((0, 0, 3), Body::SkillActivated { skill, text: Content::default() });
    fixture.live(Body::EncoderChanged(EncoderState::Failed { why: evil(), advice: evil() }));
    fixture.state.transcript.unfold_all = true;
    fixture.state.question = None;
    clean(&mut fixture);
    for shelf in Shelf::ALL {
        fixture.state.layers = vec![Layer::picker(Listing::Catalogue(*shelf))];
        clean(&mut fixture);
    }
    let of_part = Subject::Part { shelf: Shelf::Agents, name: evil(), file: evil() };
    for subject in [of_part, Subject::Skill(evil()), Subject::Finding { place: evil(), message: evil() }] {
        fixture.state.layers = vec![Layer::Reader(Reader { subject, offset: 0 })];
        clean(&mut fixture);
    }
    fixture.state.layers = vec![Layer::picker(Listing::Agents)];
    clean(&mut fixture);
}

fn clean(fixture: &mut Fixture) {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let shown = fixture.text(width, height);
        let bad = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!shown.chars().any(bad), "{shown:?}");
        assert!(!shown.contains("UA=="), "{shown}");
        assert_eq!(shown.lines().count(), usize::from(height), "{shown}");
    }
}

#[test]
fn the_mouse_marks_a_row_and_not_what_stands_beside_it() {
    let mut fixture = picking(Listing::Agents, "", 0);
    let layout = fixture.layout(120, 40);
    let panel = layout.over.as_ref().unwrap();
    let (inner, side) = (panel.inner(), panel.side.as_ref().unwrap().outline);
    assert_eq!(layout.hit(inner.x, inner.y + 3), Hit::Over(Some(0)));
    assert_eq!(layout.hit(side.x + 3, inner.y + 3), Hit::Over(None));
}
