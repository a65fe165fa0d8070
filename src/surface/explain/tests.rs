use std::sync::Arc;

use super::*;
use crate::proto::{
    Body, CapabilityScore, Cause, CheckTrace, Decision, Event, Ineligible, IntentSource, Order, RouteOutcome, Routing,
    RuleTrace, Seq, SkillCause, SkillTrace, SkillView, Skip, Stage, SurfaceTool, TriggerScore, TurnId,
};
use crate::surface::tests::{enable, fixed, of_domains, offer, ready, role, texts};
use crate::surface::{Change, Offer, Surface};

/// A session as its records tell it.
struct Session {
    snapshot: Snapshot,
    surface: Surface,
    offers: Vec<Offer>,
    turn: u32,
}

impl Session {
    fn new() -> Self {
        let mut role = role("developer:general", &[("files", &["view"])]);
        role.capabilities = vec![fixed("read", &["files"])];
        let offers = vec![
            offer("read", &[("files", &["view"])]),
            offer("postgres", &[("pg", &["query"])]),
            offer("sqlite", &[("lite", &["query"])]),
            offer("docker", &[("docker", &[])]),
            offer("edit", &[("files", &["edit"])]),
            offer("web", &[("web", &["fetch"])]),
            of_domains(offer("pods", &[("kube", &[])]), &["ops"]),
        ];
        let mut session = Self { snapshot: Snapshot::default(), surface: Surface::new(role), offers, turn: 0 };
        let (name, workdir) = ("brisk-otter".to_owned(), "/work".to_owned());
        let (role, folder, version) = ("developer:general".to_owned(), "/s".to_owned(), "1".to_owned());
        session.tell(Body::SessionStarted { name, role, workdir, folder, version });
        session.after(Change::default());
        session
    }

    fn now(&self) -> u64 {
        u64::from(self.turn) * 1000 + self.snapshot.seq.0
    }

    fn tell(&mut self, body: Body) {
        let seq = Seq(self.snapshot.seq.0 + 1);
        let order = Some(Order { turn: self.turn, round: 0, slot: u32::try_from(seq.0).unwrap() });
        let event = Event { seq, at: self.now(), order, body };
        self.snapshot.apply(&event);
    }

    fn turn(&mut self, turn: u32) {
        self.turn = turn;
        self.tell(Body::TurnStarted { turn: TurnId(turn) });
    }

    /// Tells what a change decided and what the surface is then; each server has `query`, `view`, `edit`,
    /// `fetch`, of which its filter shows some.
    fn after(&mut self, change: Change) {
        for decision in change.decisions {
            self.tell(Body::Decided(decision));
        }
        let view = self.surface.view(&self.offers, Vec::new());
        let mut tools = Vec::new();
        for server in view.references.iter().map(|reference| &reference.server) {
            for tool in ["query", "view", "edit", "fetch"] {
                let left_out =
                    self.surface.askers(server, tool).is_empty().then(|| "left out by the filter".to_owned());
                let (server, tool, wire_name) = (server.clone(), tool.to_owned(), format!("{server}_{tool}"));
                tools.push(SurfaceTool { server, tool, wire_name, tokens: 120, left_out, by: Vec::new() });
            }
        }
        let view = self.surface.view(&self.offers, tools);
        self.tell(Body::SurfaceChanged(Arc::new(view)));
    }

    fn offer(&self, name: &str) -> Offer {
        self.offers.iter().find(|offer| offer.name() == name).unwrap().clone()
    }

    fn on(&mut self, name: &str) {
        let (offer, now) = (self.offer(name), self.now());
        let change = enable(&mut self.surface, &offer, now);
        self.after(change);
    }

    fn routing(&self, message: &str, outcome: RouteOutcome, scores: &[(&str, f32)]) -> Routing {
        let score = |(name, score): &(&str, f32)| CapabilityScore {
            capability: (*name).to_owned(),
            tap: "muvon/tap".to_owned(),
            score: *score,
            top: vec![TriggerScore { trigger: format!("do {name}"), cosine: *score }],
        };
        let margin = scores.first().map_or(0.0, |best| best.1 - scores.get(1).map_or(0.0, |second| second.1));
        let ineligible = vec![Ineligible {
            capability: "pods".to_owned(),
            tap: "muvon/tap".to_owned(),
            stage: Stage::OutOfDomain { domain: "developer".to_owned(), domains: texts(&["ops"]) },
        }];
        Routing {
            turn: TurnId(self.turn),
            source: IntentSource::Message,
            message_hash: String::new(),
            excerpt: message.to_owned(),
            domain: "developer".to_owned(),
            model: "octomind-embed".to_owned(),
            backend: "tract".to_owned(),
            threshold: 0.65,
            needed_margin: 0.06,
            scores: scores.iter().map(score).collect(),
            margin,
            ineligible,
            outcome,
            encoding_us: 0,
            deciding_us: 0,
        }
    }

    fn message(&mut self, message: &str, outcome: RouteOutcome, scores: &[(&str, f32)]) {
        let routing = self.routing(message, outcome, scores);
        let chosen = match &routing.outcome {
            RouteOutcome::Activated { capability } => Some(self.offer(capability)),
            _ => None,
        };
        let now = self.now();
        let change = chosen.map(|offer| self.surface.enable(&offer, Cause::Auto, Some(&routing), &ready, now));
        self.tell(Body::Decided(Decision::Routed(Arc::new(routing))));
        self.after(change.unwrap_or_default());
    }

    fn why(&self, subject: &str) -> String {
        let saved = serde_json::to_string(&self.snapshot).unwrap();
        let read: Snapshot = serde_json::from_str(&saved).unwrap();
        let told = explain(&self.snapshot, subject);
        assert_eq!(told, explain(&read, subject), "the records alone say it");
        shown(&told)
    }
}

fn shown(told: &Explanation) -> String {
    let mut text = format!("\n{}\n", told.headline);
    for stage in &told.stages {
        let mark = match stage.passed {
            Passed::Yes => "✔",
            Passed::No => "✘",
            Passed::NotReached => "·",
            Passed::Unknown => "?",
        };
        text += &format!("{mark} {}: {}\n", stage.stage, stage.evidence.join(" | "));
    }
    text += &format!("why {}\n", told.answer);
    if let Some(fix) = &told.fix {
        text += &format!("do {fix}\n");
    }
    text
}

/// The first stage that was not passed.
fn first_failure(told: &Explanation) -> Option<&str> {
    told.stages.iter().find(|stage| stage.passed == Passed::No).map(|stage| stage.stage.as_str())
}

#[test]
fn a_message_that_is_too_short() {
    let mut session = Session::new();
    session.turn(1);
    session.message("query it please", RouteOutcome::BelowThreshold, &[("postgres", 0.4), ("sqlite", 0.39)]);
    session.turn(2);
    session.message("do it", RouteOutcome::Skipped(Skip::TooShort { characters: 4 }), &[]);
    insta::assert_snapshot!(session.why("postgres"), @r#"
postgres · off
✔ tap: muvon/tap
✔ triggers: 
✔ domain: the session is of developer
✔ environment: 
✘ gate: t2 "do it"
· activation: 
· recency: 
why nothing was compared: 4 of 8 characters, too little to compare
do say what is to be done in a sentence, or bring it in with /capability enable postgres
"#);
}

#[test]
fn two_that_are_too_near_to_each_other() {
    let mut session = Session::new();
    session.turn(1);
    session.message(
        "query the database",
        RouteOutcome::NarrowMargin,
        &[("postgres", 0.71), ("sqlite", 0.69), ("web", 0.1)],
    );
    insta::assert_snapshot!(session.why("postgres"), @r#"
postgres · off
✔ tap: muvon/tap
✔ triggers: 
✔ domain: the session is of developer
✔ environment: 
✘ gate: t1 "query the database" | score 0.7100 ≥ 0.65, 1 of 3 |   0.7100  do postgres | runner-up sqlite 0.6900, margin 0.0200 < 0.06 | compared by octomind-embed on tract
· activation: 
· recency: 
why postgres leads sqlite by 0.0200 only, of 0.06 that are needed
do name in the message what tells the two apart, or bring it in with /capability enable postgres
"#);
    assert!(session.why("sqlite").contains("too near to each other"), "{}", session.why("sqlite"));
    assert!(session.why("web").contains("why nothing was chosen"), "{}", session.why("web"));
}

#[test]
fn one_that_was_evicted() {
    let mut session = Session::new();
    session.turn(1);
    let chosen = RouteOutcome::Activated { capability: "postgres".to_owned() };
    session.message("query the postgres schema", chosen, &[("postgres", 0.81), ("sqlite", 0.6)]);
    session.turn(2);
    for name in ["sqlite", "docker", "edit"] {
        session.on(name);
    }
    let now = session.now();
    for (server, tool) in [("lite", "query"), ("docker", "run")] {
        let _ = session.surface.used(server, tool, now);
    }
    session.turn(5);
    session.on("web");
    insta::assert_snapshot!(session.why("postgres"), @r#"
postgres · Title of postgres · off
✔ tap: muvon/tap, provider default
✔ triggers: 
✔ domain: the session is of developer
✔ environment: 
✔ gate: t1 "query the postgres schema" | score 0.8100 ≥ 0.65, 1 of 2 |   0.8100  do postgres | runner-up sqlite 0.6000, margin 0.2100 ≥ 0.06 | compared by octomind-embed on tract
✔ activation: t1 by auto | server pg: started for query
✘ recency: 1 postgres: never used, on since t1 | 2 edit: never used, on since t2 | 3 sqlite: used t2 | 4 docker: used t2 | server pg: stopped: nobody refers to it any more
why it left in t5: web came, and it was the least recently used of four
do bring it back with /capability enable postgres, and pin it to keep it
"#);
    insta::assert_snapshot!(session.why("pg.query"), @r#"
pg.query · not shown to the model
✘ server: nobody refers to pg
· definition: 
· filter: 
✔ tap: muvon/tap, provider default
✔ triggers: 
✔ domain: the session is of developer
✔ environment: 
✔ gate: t1 "query the postgres schema" | score 0.8100 ≥ 0.65, 1 of 2 |   0.8100  do postgres | runner-up sqlite 0.6000, margin 0.2100 ≥ 0.06 | compared by octomind-embed on tract
✔ activation: t1 by auto | server pg: started for query
✘ recency: 1 postgres: never used, on since t1 | 2 edit: never used, on since t2 | 3 sqlite: used t2 | 4 docker: used t2 | server pg: stopped: nobody refers to it any more
why postgres, which brings it, is off: it left in t5: web came, and it was the least recently used of four
do bring it back with /capability enable postgres, and pin it to keep it
"#);
    // A message about something else is not why it is away; one that it nearly won is.
    session.turn(6);
    session.message("how is the weather", RouteOutcome::BelowThreshold, &[("sqlite", 0.3), ("postgres", 0.2)]);
    assert_eq!(first_failure(&explain(&session.snapshot, "postgres")), Some("recency"));
    session.turn(7);
    session.message("query it again", RouteOutcome::NarrowMargin, &[("postgres", 0.7), ("sqlite", 0.69)]);
    assert_eq!(first_failure(&explain(&session.snapshot, "postgres")), Some("gate"));
}

#[test]
fn what_is_here() {
    let mut session = Session::new();
    session.turn(1);
    let chosen = RouteOutcome::Activated { capability: "postgres".to_owned() };
    session.message("query the postgres schema", chosen, &[("postgres", 0.81), ("sqlite", 0.6)]);
    session.on("edit");
    insta::assert_snapshot!(session.why("postgres"), @r#"
postgres · Title of postgres · on
✔ tap: muvon/tap, provider default
✔ triggers: 
✔ domain: the session is of developer
✔ environment: 
✔ gate: t1 "query the postgres schema" | score 0.8100 ≥ 0.65, 1 of 2 |   0.8100  do postgres | runner-up sqlite 0.6000, margin 0.2100 ≥ 0.06 | compared by octomind-embed on tract
✔ activation: t1 by auto | server pg: started for query
✔ recency: place 1 of 2 to go, the one that goes next | not used since it came in t1 | server pg runs for postgres
why it is here because a message chose it
"#);
    insta::assert_snapshot!(session.why("edit"), @r#"
edit · Title of edit · on
✔ tap: muvon/tap, provider default
· triggers: not needed: it was asked for by name
✔ domain: the session is of developer
✔ environment: 
· gate: not needed: you asked for it
✔ activation: t1 by you | server files: owned by the role, its filter took in edit
✔ recency: place 2 of 2 to go | not used since it came in t1 | server files runs for role and edit
why it is here because you asked for it
"#);
    insta::assert_snapshot!(session.why("read"), @r#"
read · on, with the role
✔ tap: muvon/tap, provider default
· triggers: not needed: the role names it
✔ domain: the session is of developer
✔ environment: 
· gate: not needed: the role names it
✔ activation: with the role: files
✔ recency: the role names it: never evicted | server files runs for role and edit
why it is here because the role developer:general names it
"#);
    insta::assert_snapshot!(session.why("pg_query"), @r#"
pg.query · shown to the model · 120 tok per turn
✔ server: pg runs for postgres
✔ definition: called pg_query on the wire, 120 tok per turn
✔ filter: asked for by postgres
✔ tap: muvon/tap, provider default
✔ triggers: 
✔ domain: the session is of developer
✔ environment: 
✔ gate: t1 "query the postgres schema" | score 0.8100 ≥ 0.65, 1 of 2 |   0.8100  do postgres | runner-up sqlite 0.6000, margin 0.2100 ≥ 0.06 | compared by octomind-embed on tract
✔ activation: t1 by auto | server pg: started for query
✔ recency: place 1 of 2 to go, the one that goes next | not used since it came in t1 | server pg runs for postgres
why it is here because postgres brings it
"#);
    insta::assert_snapshot!(session.why("files.view"), @r#"
files.view · shown to the model · 120 tok per turn
✔ server: files runs for the role developer:general and edit | the role owns it: the surface never stops it
✔ definition: called files_view on the wire, 120 tok per turn
✔ filter: asked for by role
why it is here because the role developer:general asks for it
"#);
    insta::assert_snapshot!(session.why("files_fetch"), @r#"
files.fetch · not shown to the model
✔ server: files runs for the role developer:general and edit | the role owns it: the surface never stops it
✘ definition: 
· filter: 
why it is kept from the model: left out by the filter
do name it in allowed_tools there, or enable a capability that asks for it
"#);
}

/// What was refused or left, the stage that is named, the beginning of the answer.
#[test]
fn every_other_way_to_be_away() {
    use crate::proto::{Departure, Refusal, RefusalReason};
    let refusal = |why| {
        move |session: &mut Session| {
            let refusal = Refusal { capability: "docker".to_owned(), cause: Cause::Person, why };
            session.tell(Body::Decided(Decision::CapabilityRefused(Box::new(refusal))));
        }
    };
    let left = |why: Departure| {
        move |session: &mut Session| {
            session.on("docker");
            let now = session.now();
            let change = match why {
                Departure::Failed { why } => session.surface.failed("docker", &why, now),
                why => session.surface.disable("docker", why, now),
            };
            session.after(change);
        }
    };
    type Act = Box<dyn FnOnce(&mut Session)>;
    let refused = |why| -> Act { Box::new(refusal(why)) };
    let gone = |why| -> Act { Box::new(left(why)) };
    let table: Vec<(Act, &str, &str)> = vec![
        (
            refused(RefusalReason::Stage(Stage::Unresolved { why: "no default".into() })),
            "tap",
            "it cannot be used: no default",
        ),
        (refused(RefusalReason::Stage(Stage::NoTriggers)), "triggers", "it has no triggers"),
        (
            refused(RefusalReason::Stage(Stage::OutOfDomain { domain: String::new(), domains: texts(&["ops"]) })),
            "domain",
            "it is for ops, not for a session without a domain",
        ),
        (
            refused(RefusalReason::Stage(Stage::EnvironmentUnready { missing: texts(&["A_KEY"]) })),
            "environment",
            "it needs A_KEY, which is not set",
        ),
        (refused(RefusalReason::Stage(Stage::PhrasesUnready)), "gate", "it has triggers that are not compared yet"),
        (
            refused(RefusalReason::AllPinned { pinned: texts(&["a", "b"]) }),
            "recency",
            "there was no place: a and b are pinned",
        ),
        (
            refused(RefusalReason::Failed { why: "it ended".into(), advice: "install it".into() }),
            "activation",
            "it could not be made to work: it ended",
        ),
        (
            gone(Departure::Failed { why: "no such file".into() }),
            "activation",
            "it could not be made to work: no such file",
        ),
        (gone(Departure::Person), "recency", "it left in t1: you disabled it"),
        (gone(Departure::Model), "recency", "it left in t1: the model disabled it"),
    ];
    for (act, stage, answer) in table {
        let mut session = Session::new();
        session.turn(1);
        act(&mut session);
        let told = explain(&session.snapshot, "docker");
        assert_eq!(first_failure(&told), Some(stage), "{told:?}");
        assert!(told.answer.starts_with(answer), "{told:?}");
        assert!(told.fix.is_some(), "{told:?}");
        let after = told.stages.iter().skip_while(|one| one.stage != stage).skip(1);
        assert!(after.clone().all(|one| one.passed == Passed::NotReached && one.evidence.is_empty()), "{told:?}");
    }
}

#[test]
fn another_role_and_what_its_domain_does_not_have() {
    let mut session = Session::new();
    session.turn(1);
    session.message("list the pods now", RouteOutcome::BelowThreshold, &[("docker", 0.4)]);
    assert!(
        session
            .why("pods")
            .contains("why it is for ops, not for developer\ndo change to a role of that domain: /role ops\n")
    );
    session.on("docker");
    session.turn(2);
    let (offers, now) = (session.offers.clone(), session.now());
    let mut ops = role("ops:chief", &[]);
    ops.capabilities = vec![fixed("docker", &[])];
    let change = session.surface.set_role(ops, &offers, &ready, now);
    session.after(change);
    assert!(session.why("docker").contains("with the role"), "{}", session.why("docker"));
    session.on("pods");
    assert!(session.why("pods").contains("why it is here because you asked for it"), "{}", session.why("pods"));
    session.turn(3);
    let (offers, now) = (session.offers.clone(), session.now());
    let change = session.surface.set_role(role("developer:chief", &[]), &offers, &ready, now);
    session.after(change);
    let why = session.why("pods");
    assert!(why.contains("it is for ops, not for developer\ndo change to a role of that domain: /role ops\n"), "{why}");
}

fn skill(cause: SkillCause) -> Body {
    let skill = SkillView {
        name: "essay".to_owned(),
        description: "Writes".to_owned(),
        cause,
        source: "muvon/tap".to_owned(),
        file: "skills/essay/SKILL.md".to_owned(),
        tokens: 300,
    };
    Body::SkillActivated { skill, text: crate::proto::Content::default() }
}

fn judged(activated: bool) -> Body {
    let check = CheckTrace {
        check: "match(essay)".to_owned(),
        held: activated,
        evidence: "looked at the message".to_owned(),
        cosine: None,
    };
    let line = RuleTrace { held: activated, checks: vec![check] };
    let trace = SkillTrace { skill: "essay".to_owned(), activated, reason: None, lines: vec![line] };
    Body::Decided(Decision::SkillRules { domain: "developer".to_owned(), skills: vec![trace] })
}

#[test]
fn skills() {
    let mut session = Session::new();
    session.turn(1);
    session.tell(judged(false));
    insta::assert_snapshot!(session.why("essay"), @r#"
essay · not active
✔ source: 
✘ rules: t1, domain developer | line 1 did not hold |   match(essay) did not hold: looked at the message
· activation: 
why none of its rules held for the message of t1
do write a message that its rules look for, or take it up with /skill essay
"#);
    session.turn(2);
    session.tell(judged(true));
    session.tell(skill(SkillCause::Rule { line: 0 }));
    let (offers, now) = ([session.offer("web"), session.offer("pods")], session.now());
    let change = session.surface.hold("essay", &offers.iter().collect::<Vec<_>>(), &ready, now);
    session.after(change);
    insta::assert_snapshot!(session.why("essay"), @r#"
essay · active · 300 tok per turn
✔ source: muvon/tap | skills/essay/SKILL.md
✔ rules: t2, domain developer | line 1 held |   match(essay) held: looked at the message
✔ activation: it holds web | pods is for ops, not for developer
why it is active because line 1 of its rules held
"#);
    assert!(
        session.why("web").contains("why it is here because the skill essay declares it"),
        "{}",
        session.why("web")
    );
    assert!(session.why("web_fetch").contains("asked for by skill essay"), "{}", session.why("web_fetch"));
    let change = session.surface.release("essay", now);
    session.tell(Body::SkillForgotten { name: "essay".to_owned() });
    session.after(change);
    assert!(session.why("essay").contains("why it came in t2 and was forgotten since"), "{}", session.why("essay"));
    assert!(session.why("web").contains("why it left in t2: the skill essay that declared it is off"));
}

#[test]
fn a_name_that_is_not_known() {
    let mut session = Session::new();
    session.on("postgres");
    let told = explain(&session.snapshot, "postgre");
    assert_eq!((told.kind, told.nearest.clone()), (Kind::Unknown, texts(&["postgres"])));
    assert_eq!(told.fix.as_deref(), Some("perhaps postgres is meant"));
    assert_eq!(explain(&session.snapshot, "").kind, Kind::Unknown);
    assert_eq!(explain(&Snapshot::default(), "x").fix.as_deref(), Some(LOOK));
    for (subject, kind) in [
        ("tool:query", Kind::Tool),
        ("capability:query", Kind::Unknown),
        ("capability:postgres", Kind::Capability),
        ("skill:postgres", Kind::Unknown),
        ("pg.query", Kind::Tool),
        ("pg.nothing", Kind::Unknown),
    ] {
        assert_eq!(explain(&session.snapshot, subject).kind, kind, "{subject}");
    }
}
