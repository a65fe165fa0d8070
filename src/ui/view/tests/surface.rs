//! The tool surface on the screen: the pane, the scores, the cells, Why and What-if.

use super::fixture::{Fixture, NOW};
use super::*;
use crate::surface::explain::{ExplainedStage, Explanation, Kind, Passed};
use crate::ui::state::{Answered, Noun, Reach, Reader, Subject, WhatIf};

fn each_size(name: &str, mut make: impl FnMut() -> Fixture) {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let shown = make().styled(width, height);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown);
    }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn score(capability: &str, score: f32, top: [(&str, f32); 3]) -> CapabilityScore {
    let top = top.iter().map(|(trigger, cosine)| TriggerScore { trigger: (*trigger).into(), cosine: *cosine });
    CapabilityScore { capability: capability.into(), tap: "muvon/tap".into(), score, top: top.collect() }
}

fn left_out(capability: &str, stage: Stage) -> Ineligible {
    Ineligible { capability: capability.to_owned(), tap: "muvon/tap".to_owned(), stage, score: None }
}

fn stages() -> Vec<Ineligible> {
    let domains = |names: &[&str]| Stage::OutOfDomain { domain: "developer".to_owned(), domains: texts(names) };
    vec![
        left_out("contracts-uk", domains(&["lawyer"])),
        left_out("case-search", domains(&["lawyer", "research"])),
        left_out("github-api", Stage::EnvironmentUnready { missing: texts(&["GITHUB_TOKEN"]) }),
        left_out("docker", Stage::Active),
        left_out("toolbox", Stage::NoTriggers),
        left_out("jira", Stage::Unresolved { why: "no provider has all of its keys".to_owned() }),
    ]
}

fn routing(scores: Vec<CapabilityScore>, margin: f32, outcome: RouteOutcome) -> Routing {
    Routing {
        turn: TurnId(9),
        source: IntentSource::Message,
        message_hash: "0123456789abcdef".to_owned(),
        excerpt: "explain why this postgres query is slow".to_owned(),
        domain: "developer".to_owned(),
        model: "minilm-l6-onnx".to_owned(),
        backend: "onnx".to_owned(),
        threshold: 0.65,
        needed_margin: 0.06,
        scores,
        margin,
        ineligible: stages(),
        outcome,
        encoding_us: 3_120,
        deciding_us: 85,
        wait: RouteWait::None,
    }
}

fn scores(best: f32, second: f32) -> Vec<CapabilityScore> {
    vec![
        score(
            "database-postgres",
            best,
            [("explain a slow postgres query", 0.78), ("optimise an SQL query", 0.70), ("why is my query slow", 0.65)],
        ),
        score(
            "database-sqlite",
            second,
            [("query a sqlite file", 0.64), ("open a database file", 0.60), ("why is sqlite locked", 0.56)],
        ),
        score(
            "codesearch-graph",
            0.31,
            [("find who calls a function", 0.34), ("explain this code", 0.33), ("call graph", 0.26)],
        ),
        score("browser", -0.04, [("open a web page", 0.01), ("click a button", -0.03), ("take a picture", -0.1)]),
    ]
}

fn passed() -> Routing {
    let outcome = RouteOutcome::Activated { capability: "database-postgres".to_owned() };
    routing(scores(0.71, 0.60), 0.11, outcome)
}

fn dynamic(name: &str, cause: Cause, score: Option<f32>, servers: &[(&str, &[&str])]) -> DynamicCapability {
    DynamicCapability {
        name: name.to_owned(),
        title: format!("All about {name}"),
        tap: "muvon/tap".to_owned(),
        provider: "mcp".to_owned(),
        cause,
        score,
        margin: score.map(|_| 0.11),
        activated: NOW - 60_000,
        used: None,
        pinned: false,
        servers: servers.iter().map(|(name, tools)| ((*name).to_owned(), texts(tools))).collect(),
        deps: Vec::new(),
    }
}

fn fixed(name: &str, servers: &[&str]) -> FixedCapability {
    FixedCapability {
        name: name.to_owned(),
        tap: "muvon/tap".to_owned(),
        provider: "mcp".to_owned(),
        servers: texts(servers),
    }
}

fn view() -> SurfaceView {
    let mut docker = dynamic("docker", Cause::Person, None, &[("docker", &[])]);
    docker.used = Some(NOW - 30_000);
    let mut postgres = dynamic("database-postgres", Cause::Auto, Some(0.71), &[("postgres", &[])]);
    postgres.used = Some(NOW);
    let mut edit = dynamic("notebook", Cause::Model, None, &[("filesystem", &["edit", "vi*"])]);
    edit.pinned = true;
    let mut rust = dynamic("rust-toolchain", Cause::Skill { skill: "rust-review".to_owned() }, None, &[]);
    rust.deps = texts(&["muvon/rustup"]);
    let references =
        |server: &str, by: &[&str]| ServerReferences { server: server.to_owned(), by: texts(by), trouble: None };
    SurfaceView {
        domain: "developer".to_owned(),
        fixed: vec![fixed("filesystem-read", &["filesystem"]), fixed("shell", &["filesystem"]), fixed("node", &[])],
        fixed_servers: texts(&["filesystem", "orchestration"]),
        dynamic: vec![docker, edit, postgres],
        held: vec![rust],
        references: vec![
            references("filesystem", &["filesystem-read", "shell", "notebook"]),
            references("postgres", &["database-postgres"]),
        ],
        tools: Vec::new(),
        absent: 70,
        offered: None,
    }
}

/// Turns 3 and 9, in which tools of docker and postgres were used.
fn talk(fixture: &mut Fixture) {
    let now = fixture.state.now;
    fixture.state.now = NOW - 31_000;
    fixture.user((3, 0, 1), "which containers run?");
    fixture.state.now = NOW - 1_000;
    fixture.user((9, 0, 1), "explain why this postgres query is slow");
    fixture.state.now = now;
}

pub fn session() -> Fixture {
    let mut fixture = Fixture::working();
    talk(&mut fixture);
    fixture.server("postgres", ServerState::Ready { since: NOW - 900 }, &["query"], 310);
    fixture.server("docker", ServerState::Starting { since: NOW - 3_000, attempt: 1 }, &[], 0);
    fixture.live(Body::SurfaceChanged(Arc::new(view())));
    fixture.at((9, 0, 2), Body::Decided(Decision::Routed(Arc::new(passed()))));
    fixture.at((9, 0, 3), Body::Decided(Decision::CapabilityActivated(Box::new(activation()))));
    fixture.idle();
    fixture
}

fn activation() -> Activation {
    let step = |server: &str, action: ServerAction, tools: &[&str]| ServerStep {
        server: server.to_owned(),
        action,
        tools: texts(tools),
    };
    Activation {
        capability: "database-postgres".to_owned(),
        title: "PostgreSQL".to_owned(),
        tap: "muvon/tap".to_owned(),
        provider: "mcp".to_owned(),
        cause: Cause::Auto,
        score: Some(0.71),
        margin: Some(0.11),
        servers: vec![
            step("postgres", ServerAction::Started, &[]),
            step("filesystem", ServerAction::Extended, &["view", "edit"]),
        ],
        deps: texts(&["muvon/psql"]),
        back_for: None,
        evicted: Some("github-api".to_owned()),
    }
}

fn evicted() -> Deactivation {
    let place = |capability: &str, used: Option<u64>, pinned| LruPlace {
        capability: capability.to_owned(),
        used: used.map(|ago| NOW - ago),
        activated: NOW - 754_000,
        pinned,
    };
    Deactivation {
        capability: "github-api".to_owned(),
        why: Departure::Evicted {
            newcomer: "database-postgres".to_owned(),
            order: vec![
                place("github-api", None, false),
                place("docker", Some(30_000), false),
                place("notebook", Some(184_000), true),
                place("browser", Some(2_000), false),
            ],
        },
        servers: vec![
            ServerStep { server: "github".to_owned(), action: ServerAction::Stopped, tools: Vec::new() },
            ServerStep {
                server: "node".to_owned(),
                action: ServerAction::Kept { by: texts(&["browser"]) },
                tools: Vec::new(),
            },
        ],
    }
}

fn refused(why: RefusalReason) -> Refusal {
    Refusal { capability: "github-api".to_owned(), cause: Cause::Person, why }
}

#[test]
fn surface_and_scores() {
    each_size("surface", || {
        let mut fixture = session();
        fixture.state.focus = Pane::Surface;
        fixture.state.surface.selected = 4;
        fixture
    });
}

/// The first leads by too little, and most could not even be compared.
#[test]
fn scores_of_one_that_passed_and_stays_off() {
    let mut fixture = session();
    let name = passed().scores[0].capability.to_string();
    let shown = |fixture: &mut Fixture| fixture.text(120, 40);
    fixture.live(Body::Decided(Decision::Routed(Arc::new(passed()))));
    let screen = shown(&mut fixture);
    assert!(screen.contains("✔ passes") && !screen.contains("✔ came"), "{screen}");
    let why = RefusalReason::AllPinned { pinned: vec!["docker".to_owned()] };
    let refusal = Refusal { capability: name, ..refused(why) };
    fixture.live(Body::Decided(Decision::CapabilityRefused(Box::new(refusal))));
    let screen = shown(&mut fixture);
    assert!(screen.contains("✘ stays off") && screen.contains("are pinned") && !screen.contains("✔ came"), "{screen}");
}

#[test]
fn scores_of_an_abstention() {
    each_size("abstention", || {
        let mut fixture = session();
        let close = routing(scores(0.6501, 0.6499), 0.0002, RouteOutcome::NarrowMargin);
        fixture.at((9, 0, 4), Body::Decided(Decision::Routed(Arc::new(close))));
        fixture.state.focus = Pane::Scores;
        fixture.state.scores.selected = 5;
        fixture
    });
}

/// One that lacks a value would have fitted better than the one that came.
fn missed() -> Routing {
    let mut routing = passed();
    for (name, score) in [("github-api", 0.812), ("jira", 0.3), ("docker", 0.6499)] {
        let one = routing.ineligible.iter_mut().find(|one| one.capability == name).unwrap();
        one.score = Some(score);
    }
    routing
}

#[test]
fn scores_of_a_near_miss() {
    each_size("near_miss", || {
        let mut fixture = session();
        fixture.at((9, 0, 4), Body::Decided(Decision::Routed(Arc::new(missed()))));
        fixture.state.focus = Pane::Scores;
        fixture
    });
    let routing = Arc::new(Routing { source: IntentSource::Question, ..missed() });
    let shown = tried("explain", Some(Answered { routing, ..answer() })).text(120, 40);
    let words = "◇ github-api would fit best, but needs GITHUB_TOKEN, which is not set  0.81 ≥ 0.65";
    assert!(shown.contains(words) && shown.contains("0.6499 is on the surface already"), "{shown}");
}

/// The tools of a shared server stand in both rows, and it is said that they count once.
#[test]
fn what_shares_a_server_says_so() {
    let mut fixture = session();
    let mut view = view();
    view.dynamic.insert(0, dynamic("reports", Cause::Person, None, &[("postgres", &[])]));
    fixture.live(Body::SurfaceChanged(Arc::new(view)));
    fixture.state.focus = Pane::Surface;
    let shown = fixture.text(160, 50);
    for words in ["shares postgres with database-postgres, counted once", "shares postgres with reports, counted once"]
    {
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn scores_without_a_comparison() {
    let outcome = RouteOutcome::Skipped(Skip::TooShort { characters: 5 });
    let mut short = routing(Vec::new(), 0.0, outcome);
    short.model.clear();
    let mut fixture = session();
    assert!(fixture.text(120, 40).contains("✔ database-postgres  0.71 ≥ 0.65 · Δ 0.11 ≥ 0.06"));
    fixture.at((9, 0, 4), Body::Decided(Decision::Routed(Arc::new(short))));
    let shown = fixture.text(140, 40);
    assert!(shown.contains("· not compared: 5 of 8 characters, too little to compare"), "{shown}");
    assert!(!shown.contains("minilm"), "no encoder spoke: {shown}");
    let mut fresh = Fixture::working();
    assert!(fresh.text(120, 40).contains("no message was compared yet"));
}

fn decided(fixture: &mut Fixture, slot: u32, decision: Decision) {
    fixture.at((9, 1, slot), Body::Decided(decision));
}

fn cells(open: bool) -> Fixture {
    let mut fixture = Fixture::working();
    talk(&mut fixture);
    decided(&mut fixture, 1, Decision::Routed(Arc::new(passed())));
    decided(&mut fixture, 2, Decision::CapabilityDeactivated(Box::new(evicted())));
    decided(&mut fixture, 3, Decision::CapabilityActivated(Box::new(activation())));
    let missing = Stage::EnvironmentUnready { missing: texts(&["GITHUB_TOKEN"]) };
    decided(&mut fixture, 4, Decision::CapabilityRefused(Box::new(refused(RefusalReason::Stage(missing)))));
    fixture.state.transcript.unfold_all = open;
    fixture.idle();
    fixture
}

#[test]
fn decision_cells_folded() {
    each_size("cells_folded", || cells(false));
}

#[test]
fn decision_cells_open() {
    each_size("cells_open", || cells(true));
    let mut fixture = cells(true);
    fixture.state.focus = Pane::Transcript;
    fixture.state.zoom = true;
    insta::assert_snapshot!("cells_open_whole", fixture.styled(120, 60));
}

#[test]
fn every_refusal_is_a_sentence() {
    let cases = [
        (RefusalReason::Unknown { nearest: texts(&["github"]) }, "refused  github-api stays off · no tap has it"),
        (RefusalReason::Stage(Stage::NoTriggers), "github-api has no triggers"),
        (RefusalReason::AllPinned { pinned: texts(&["a", "b", "c", "d"]) }, "stays off · all four places are pinned"),
        (
            RefusalReason::Failed { why: "docker is not there".to_owned(), advice: String::new() },
            "stays off · docker is not there",
        ),
        (RefusalReason::NotDynamic { owned_by_role: true }, "stays on · it is of the role"),
        (RefusalReason::NotDynamic { owned_by_role: false }, "is not turned off · it is not on"),
        (RefusalReason::HeldBySkill { skills: texts(&["rust-review"]) }, "stays on · held by rust-review"),
    ];
    for (why, words) in cases {
        let mut fixture = Fixture::working();
        fixture.user((9, 0, 1), "x");
        decided(&mut fixture, 1, Decision::CapabilityRefused(Box::new(refused(why))));
        fixture.state.zoom = true;
        fixture.state.focus = Pane::Transcript;
        let shown = fixture.text(120, 40);
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

fn explained(stage: &str, passed: Passed, evidence: &[&str]) -> ExplainedStage {
    ExplainedStage { stage: stage.to_owned(), passed, evidence: texts(evidence) }
}

fn explanation() -> Explanation {
    Explanation {
        subject: "github-api".to_owned(),
        kind: Kind::Capability,
        headline: "github-api is not on".to_owned(),
        stages: vec![
            explained("tap", Passed::Yes, &["muvon/tap, the first of 2 taps that have it"]),
            explained("manifest", Passed::Yes, &["9 triggers"]),
            explained("domain", Passed::Yes, &["developer is one of developer, devops"]),
            explained(
                "environment",
                Passed::No,
                &["GITHUB_TOKEN is not set or empty", "GITHUB_HOST is set: it is looked at by the server github only"],
            ),
            explained("gate", Passed::NotReached, &[]),
            explained("activation", Passed::NotReached, &[]),
            explained("recency", Passed::Unknown, &[]),
        ],
        answer: "It needs GITHUB_TOKEN, which is not set.".to_owned(),
        fix: Some("set GITHUB_TOKEN in the environment or in a .env file, then say /reload".to_owned()),
        nearest: Vec::new(),
        also: Vec::new(),
    }
}

#[test]
fn why_shows_the_chain() {
    for width in [96, 52, 34] {
        let rows = over::why_rows(&explanation(), usize::from(width));
        insta::assert_snapshot!(format!("why_{width}"), dump::rows(&rows, width));
    }
    let unknown = Explanation {
        kind: Kind::Unknown,
        stages: Vec::new(),
        fix: None,
        nearest: texts(&["github-api", "git"]),
        also: Vec::new(),
        answer: "no tap has it, and no server offers it".to_owned(),
        headline: "githab".to_owned(),
        subject: "githab".to_owned(),
    };
    insta::assert_snapshot!("why_unknown", dump::rows(&over::why_rows(&unknown, 60), 60));
}

#[test]
fn why_opens_over_the_screen() {
    let mut fixture = session();
    fixture
        .state
        .layers
        .push(Layer::Reader(Reader { subject: Subject::Why(Noun::Capability, "docker".to_owned()), offset: 0 }));
    let shown = fixture.text(120, 40);
    assert!(shown.contains("Why docker") && shown.contains("- turn off") && shown.contains("p pin"), "{shown}");
}

/// From the records of the session, over the screen it was asked on.
#[test]
fn why_it_came_and_why_it_did_not() {
    let cases = [
        ("why_here", Noun::Capability, "database-postgres"),
        ("why_absent", Noun::Capability, "github-api"),
        ("why_tool", Noun::Tool, "query"),
    ];
    for (name, noun, subject) in cases {
        each_size(name, || {
            let mut fixture = catalogued();
            fixture
                .state
                .layers
                .push(Layer::Reader(Reader { subject: Subject::Why(noun, subject.to_owned()), offset: 0 }));
            fixture
        });
    }
}

#[test]
fn everything_that_can_be_asked_about() {
    each_size("why_list", || {
        let mut fixture = catalogued();
        let mut picker = Picker { of: Listing::Why(Reach::Everything), filter: String::new(), selected: 0, offset: 0 };
        picker.selected = 2;
        fixture.state.layers.push(Layer::Picker(picker));
        fixture
    });
}

fn catalogued() -> Fixture {
    let mut fixture = session();
    let item = |name: &str, domains: &[&str]| CatalogueItem {
        name: name.to_owned(),
        title: format!("All about {name}"),
        domains: texts(domains),
        tap: "muvon/tap".to_owned(),
        file: format!("/taps/{name}/config.toml"),
        ..CatalogueItem::default()
    };
    let capabilities = vec![
        item("contracts-uk", &["lawyer"]),
        item("database-postgres", &["developer"]),
        item("database-sqlite", &["developer"]),
        item("codesearch-graph", &["developer"]),
        item("github-api", &[]),
        item("weather", &[]),
    ];
    let skills = vec![item("rust-review", &["developer"])];
    let catalogue = CatalogueView { capabilities, skills, ..CatalogueView::default() };
    let recorded = recorded(&catalogue);
    fixture.live(Body::CatalogueChanged(Arc::new(catalogue)));
    fixture.live(Body::SurfaceChanged(Arc::new(recorded)));
    fixture
}

/// What the records keep of the catalogue and of what the servers offer.
fn recorded(catalogue: &CatalogueView) -> SurfaceView {
    let capability = |item: &CatalogueItem| OfferedCapability {
        name: item.name.clone(),
        tap: item.tap.clone(),
        title: item.title.clone(),
        stage: (item.name == "github-api")
            .then(|| Stage::EnvironmentUnready { missing: vec!["GITHUB_TOKEN".to_owned()] }),
    };
    let offered = Offered { capabilities: catalogue.capabilities.iter().map(capability).collect(), ..<_>::default() };
    let query = SurfaceTool {
        server: "postgres".to_owned(),
        tool: "query".to_owned(),
        wire_name: "query".to_owned(),
        tokens: 310,
        by: texts(&["database-postgres"]),
        ..<_>::default()
    };
    SurfaceView { tools: vec![query], offered: Some(Arc::new(offered)), ..view() }
}

#[test]
fn what_is_absent_is_listed_with_its_score_or_stage() {
    let mut fixture = catalogued();
    let layer = Layer::picker(Listing::Why(Reach::Absent));
    fixture.state.layers.push(layer);
    let small = fixture.styled(40, 12);
    insta::assert_snapshot!("absent_40x12", small);
    let names: Vec<&str> = fixture.state.why_rows(Reach::Absent, "").iter().map(|row| row.subject).collect();
    assert_eq!(names, ["database-sqlite", "codesearch-graph", "github-api", "weather", "contracts-uk"]);
    let everything: Vec<String> = fixture
        .state
        .why_rows(Reach::Everything, "")
        .iter()
        .map(|row| format!("{}{} {}", if row.here { "+" } else { "-" }, row.noun.word(), row.subject))
        .collect();
    assert_eq!(
        everything[..9],
        [
            "+capability database-postgres",
            "+capability notebook",
            "+capability docker",
            "+capability rust-toolchain",
            "+capability filesystem-read",
            "+capability shell",
            "+capability node",
            "+tool view",
            "+tool edit",
        ]
    );
    assert!(everything.contains(&"-skill rust-review".to_owned()));
}

pub fn tried(text: &str, answer: Option<Answered>) -> Fixture {
    let mut fixture = session();
    let mut tried = WhatIf::new(text.to_owned(), 0);
    tried.ask(NOW);
    if let Some(answer) = answer {
        tried.answered(answer);
    }
    fixture.state.layers.push(Layer::WhatIf(tried));
    fixture
}

pub fn answer() -> Answered {
    let line = |held| RuleTrace { held, checks: Vec::new() };
    Answered {
        id: 1,
        routing: Arc::new(Routing { source: IntentSource::Question, ..passed() }),
        would_evict: Some("docker".to_owned()),
        tokens_after: Some(2_469),
        skills: vec![
            SkillTrace {
                skill: "rust-review".to_owned(),
                activated: true,
                reason: None,
                lines: vec![line(false), line(true)],
            },
            SkillTrace { skill: "kubernetes".to_owned(), activated: false, reason: None, lines: vec![line(false)] },
        ],
        would_hold: Vec::new(),
        refused: None,
    }
}

#[test]
fn what_if_tells_what_would_come_and_go() {
    each_size("what_if", || tried("explain why this postgres query is slow", Some(answer())));
}

#[test]
fn what_if_says_what_would_stay_off_and_what_skills_would_bring() {
    let refused = Some("docker stays off: a, b, c, d are pinned and there are no more places".to_owned());
    let (would_evict, would_hold) = (None, vec!["submarine".to_owned()]);
    let shown = tried("explain", Some(Answered { refused, would_evict, would_hold, ..answer() })).text(120, 40);
    for words in ["nobody would come: docker stays off: a, b, c, d are pinned", "goes    nobody", "with submarine"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains("a place is free"), "{shown}");
}

#[test]
fn what_if_before_and_between_answers() {
    let mut fixture = tried("", None);
    assert!(fixture.text(80, 24).contains("what it would bring stands here as you type"));
    let mut fixture = tried("explain", None);
    assert!(fixture.text(80, 24).contains("comparing…"));
    let mut fixture = tried("explain", Some(answer()));
    assert!(!fixture.text(80, 24).contains("≥ 0.06 …"));
    let Some(Layer::WhatIf(open)) = fixture.state.layers.last_mut() else { panic!("it is open") };
    open.text.push_str(" the plan");
    assert!(fixture.text(80, 24).contains("≥ 0.06 …"), "the answer is of an earlier text");
    let abstains = Answered {
        routing: Arc::new(routing(scores(0.5, 0.4), 0.1, RouteOutcome::BelowThreshold)),
        would_evict: None,
        tokens_after: None,
        skills: Vec::new(),
        ..answer()
    };
    let shown = tried("explain", Some(abstains)).text(80, 24);
    for words in ["nobody came: database-postgres 0.50 < 0.65", "tok/turn, as now", "no rule would hold"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn the_mouse_finds_rows_of_the_surface_and_the_scores() {
    let mut fixture = session();
    let layout = fixture.layout(120, 60);
    let row = |words: &str, fixture: &mut Fixture| {
        let shown = fixture.text(120, 60);
        shown.lines().position(|line| line.contains(words)).unwrap() as u16
    };
    let absent = row("ABSENT", &mut fixture);
    let items = crate::ui::state::items(&fixture.state.snapshot);
    assert_eq!(layout.hit(70, absent), Hit::Surface(Some(items.len() - 1)));
    assert_eq!(items.last(), Some(&crate::ui::state::Item::Absent));
    let sqlite = row("database-sqlite", &mut fixture);
    assert_eq!(layout.hit(70, sqlite), Hit::Score(Some(1)));
}

#[test]
fn kept_off_tools_of_what_came_are_items_below_it() {
    let mut fixture = session();
    let tools = vec![ToolInfo {
        name: "drop".to_owned(),
        wire_name: "drop".to_owned(),
        summary: String::new(),
        tokens: 10,
        repairs: Vec::new(),
        quarantine: Some(Quarantine { reason: "its schema is no object".to_owned(), advice: String::new() }),
        filtered_by: None,
    }];
    fixture.live(Body::ServerTools { server: "postgres".to_owned(), tools });
    let shown = fixture.text(120, 40);
    let rows: Vec<&str> = shown.lines().collect();
    let at = rows.iter().position(|line| line.contains("kept off")).unwrap();
    let items = crate::ui::state::items(&fixture.state.snapshot);
    let layout = fixture.layout(120, 40);
    let Hit::Surface(Some(index)) = layout.hit(70, at as u16) else { panic!("it can be marked: {shown}") };
    assert_eq!(items[index], crate::ui::state::Item::Tool { server: 2, tool: 0 });
}
