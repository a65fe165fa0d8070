use std::sync::Arc;

use super::*;
use crate::proto::{
    Body, CapabilityScore, Cause, CheckTrace, Decision, Event, Ineligible, IntentSource, Offered, Order, RouteOutcome,
    RouteWait, Routing, RuleTrace, Seq, SkillCause, SkillTrace, SkillView, Skip, Stage, SurfaceTool, TriggerScore,
    TurnId,
};
use crate::surface::tests::{enable, fixed, of_domains, offer, ready, role, texts, with_capability};
use crate::surface::{Change, Offer, Surface};

/// A session as its records tell it.
struct Session {
    snapshot: Snapshot,
    surface: Surface,
    offers: Vec<Offer>,
    /// Keys that have no value.
    unset: Vec<String>,
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
        let (snapshot, surface) = (Snapshot::default(), Surface::new(role));
        let mut session = Self { snapshot, surface, offers, unset: Vec::new(), turn: 0 };
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
        let mut view = self.surface.view(&self.offers, tools);
        let capabilities = self.surface.offered(&self.offers, &|key| !self.unset.contains(&key.to_owned()));
        let roles = texts(&["developer:general", "ops:chief"]);
        view.offered = Some(Arc::new(Offered { capabilities, skills: Vec::new(), roles }));
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
            capability: (*name).into(),
            tap: "muvon/tap".into(),
            score: *score,
            top: vec![TriggerScore { trigger: format!("do {name}").into(), cosine: *score }].into(),
        };
        let margin = scores.first().map_or(0.0, |best| best.1 - scores.get(1).map_or(0.0, |second| second.1));
        let ineligible = vec![Ineligible {
            capability: "pods".to_owned(),
            tap: "muvon/tap".to_owned(),
            stage: Stage::OutOfDomain { domain: "developer".to_owned(), domains: texts(&["ops"]) },
            score: None,
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
            wait: RouteWait::None,
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
postgres · Title of postgres · off
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
postgres · Title of postgres · off
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
✔ tap: muvon/tap, provider default
✔ triggers: 
✔ domain: the session is of developer
✔ environment: 
✔ gate: t1 "query the postgres schema" | score 0.8100 ≥ 0.65, 1 of 2 |   0.8100  do postgres | runner-up sqlite 0.6000, margin 0.2100 ≥ 0.06 | compared by octomind-embed on tract
✔ activation: t1 by auto | server pg: started for query
✘ recency: 1 postgres: never used, on since t1 | 2 edit: never used, on since t2 | 3 sqlite: used t2 | 4 docker: used t2 | server pg: stopped: nobody refers to it any more
· server: 
· definition: 
· filter: 
why it left with postgres in t5: web came, and it was the least recently used of four
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
read · Title of read · on, with the role
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
✔ tap: muvon/tap, provider default
✔ triggers: 
✔ domain: the session is of developer
✔ environment: 
✔ gate: t1 "query the postgres schema" | score 0.8100 ≥ 0.65, 1 of 2 |   0.8100  do postgres | runner-up sqlite 0.6000, margin 0.2100 ≥ 0.06 | compared by octomind-embed on tract
✔ activation: t1 by auto | server pg: started for query
✔ recency: place 1 of 2 to go, the one that goes next | not used since it came in t1 | server pg runs for postgres
✔ server: pg runs for postgres
✔ definition: called pg_query on the wire, 120 tok per turn
✔ filter: asked for by postgres
why it is here because postgres brings it
"#);
    insta::assert_snapshot!(session.why("files.view"), @r#"
files.view · shown to the model · 120 tok per turn
✔ server: files runs for the role developer:general and edit | the role owns it: the surface never stops it
✔ definition: called files_view on the wire, 120 tok per turn
✔ filter: asked for by the role developer:general
why it is here because the role developer:general asks for it
"#);
    insta::assert_snapshot!(session.why("files_fetch"), @r#"
files.fetch · not shown to the model
✔ server: files runs for the role developer:general and edit | the role owns it: the surface never stops it
✘ definition: left out by the filter
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
    // What is so in truth, and is refused because of it.
    let stage = |change: fn(Offer) -> Offer| -> Act {
        Box::new(move |session: &mut Session| {
            let place = session.offers.iter().position(|offer| offer.name() == "docker").unwrap();
            session.offers[place] = change(session.offers[place].clone());
            session.unset = texts(&["A_KEY"]);
            session.after(Change::default());
        })
    };
    let gone = |why| -> Act { Box::new(left(why)) };
    let table: Vec<(Act, &str, &str)> = vec![
        (stage(|offer| Offer { provider: Err("no default".into()), ..offer }), "tap", "it cannot be used: no default"),
        (
            stage(|offer| with_capability(offer, |capability| capability.triggers.clear())),
            "triggers",
            "it has no triggers",
        ),
        (stage(|offer| of_domains(offer, &["ops"])), "domain", "it is for ops, not for developer"),
        (
            stage(|offer| Offer { environment: texts(&["A_KEY"]), ..offer }),
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
            .contains("why it is for ops, not for developer\ndo change to a role of that domain: /role ops:chief\n")
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
    assert!(
        why.contains("it is for ops, not for developer\ndo change to a role of that domain: /role ops:chief\n"),
        "{why}"
    );
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

/// Records without a cell of their own, and cells that are cleared away.
#[test]
fn what_was_said_of_a_skill_is_remembered_without_a_cell() {
    let mut session = Session::new();
    session.turn(1);
    let seq = Seq(session.snapshot.seq.0 + 1);
    let event = Event { seq, at: session.now(), order: None, body: judged(false) };
    session.snapshot.apply(&event);
    assert!(session.why("essay").contains("why none of its rules held for the message of t1"));
    session.turn(2);
    session.tell(judged(true));
    session.tell(skill(SkillCause::Rule { line: 0 }));
    let expanded = Decision::CapabilityExpanded {
        capability: "read".to_owned(),
        tap: "muvon/tap".to_owned(),
        provider: "default".to_owned(),
        why: "the only one".to_owned(),
        servers: texts(&["files"]),
    };
    session.tell(Body::Decided(expanded));
    session.on("postgres");
    let subjects = ["essay", "read", "postgres", "files.view"];
    let before = subjects.map(|subject| session.why(subject));
    assert!(before[0].contains("t2, domain developer | line 1 held") && before[1].contains("the only one"));
    session.tell(Body::ViewCleared);
    assert_eq!(subjects.map(|subject| session.why(subject)), before);
    assert!(super::subjects(&session.snapshot).contains(&"essay".to_owned()));
}

#[test]
fn a_skill_whose_rules_are_for_another_domain() {
    let mut session = Session::new();
    let mut view = (*session.snapshot.surface).clone();
    let mut offered = view.offered.as_deref().cloned().unwrap();
    let listed = |name: &str, domains| crate::proto::OfferedSkill { name: name.into(), domains, ..Default::default() };
    offered.skills = vec![listed("schema", texts(&["data", "ops"])), listed("any", texts(&["*"]))];
    view.offered = Some(Arc::new(offered));
    session.tell(Body::SurfaceChanged(Arc::new(view)));
    let why = session.why("schema");
    assert!(why.contains("✘ domain: the session is of developer | its rules are judged in data and ops"), "{why}");
    assert!(why.contains("why its rules are for data and ops, not for developer"), "{why}");
    assert!(session.why("any").contains("why no message was judged by its rules yet"));
}

#[test]
fn a_server_that_does_not_work_is_told_wherever_it_is_asked_about() {
    use crate::proto::ServerState;
    let restart = "restart it in the Servers overlay";
    let reason = "it exited with code 3".to_owned();
    let waiting = ServerState::Waiting { reason, retry_at: 9, attempt: 1 };
    for (state, what, advice) in [
        (
            ServerState::Starting { since: 2_500, attempt: 1 },
            "is still starting since t2",
            format!("wait, or {restart}"),
        ),
        (waiting, "is down: it exited with code 3", format!("wait, or {restart}")),
        (ServerState::Stopped, "is stopped", restart.to_owned()),
    ] {
        let mut session = Session::new();
        session.turn(2);
        session.on("docker");
        session.turn(3);
        let mut view = (*session.snapshot.surface).clone();
        let reference = view.references.iter_mut().find(|known| known.server == "docker").unwrap();
        reference.trouble = state.trouble();
        view.tools.retain(|tool| tool.server != "docker");
        session.tell(Body::SurfaceChanged(Arc::new(view)));
        let told = explain(&session.snapshot, "docker");
        assert_eq!(first_failure(&told), Some("server"), "{told:?}");
        assert_eq!(told.answer, format!("it is here because you asked for it, but its server docker {what}"));
        assert_eq!(told.fix.as_deref(), Some(advice.as_str()));
        let stands = match state {
            ServerState::Starting { .. } => "on, and a server of it is still starting",
            _ => "on, but a server of it does not work",
        };
        assert!(told.headline.ends_with(stands), "{told:?}");
        let why = session.why("docker");
        assert!(why.contains("server docker is there for docker") && !why.contains("runs for"), "{why}");
        let tool = session.why("docker.query");
        assert!(tool.contains(&format!("why its server docker {what}")) && !tool.contains("runs for"), "{tool}");
    }
    assert_eq!(ServerState::Ready { since: 1 }.trouble(), None);
}

#[test]
fn what_was_called_or_asked_for_and_is_nowhere() {
    use crate::proto::{CallId, Refusal, RefusalReason};
    let mut session = Session::new();
    session.turn(3);
    let (call, tool) = (CallId("c".to_owned()), "lawonly_do".to_owned());
    session.tell(Body::ToolStarted { call, server: String::new(), tool, arguments: serde_json::Value::Null });
    let told = explain(&session.snapshot, "lawonly_do");
    assert!(told.headline.starts_with("lawonly_do · "), "{told:?}");
    assert!(told.answer.contains("no server has or had a tool of this name"), "{told:?}");
    let why = RefusalReason::Unknown { nearest: Vec::new() };
    let refusal = Refusal { capability: "nosuch".to_owned(), cause: Cause::Environment, why };
    session.tell(Body::Decided(Decision::CapabilityRefused(Box::new(refusal))));
    let told = explain(&session.snapshot, "nosuch");
    let answer = "it was asked for by OCTOMIND_CAPABILITIES in t3, and no connected tap has anything called nosuch";
    assert_eq!((told.kind, told.answer.as_str()), (Kind::Unknown, answer));
}

#[test]
fn everybody_who_brings_it_is_named() {
    let mut session = Session::new();
    session.offers.push(offer("postgres-too", &[("pg", &["query"])]));
    session.turn(1);
    session.on("postgres");
    session.on("postgres-too");
    let why = session.why("pg_query");
    assert!(why.contains("why it is here because postgres and postgres-too bring it"), "{why}");
    let offers = [session.offer("postgres")];
    let now = session.now();
    let change = session.surface.hold("essay", &offers.iter().collect::<Vec<_>>(), &ready, now);
    session.after(change);
    let why = session.why("postgres");
    assert!(why.contains("because you asked for it, and the skill essay declares it"), "{why}");
    // What a skill holds is no tool of another capability.
    assert!(session.surface.brings("postgres-too", "pg", "query"));
    session.on("docker");
    assert!(session.surface.brings("docker", "docker", "run") && !session.surface.brings("docker", "pg", "query"));
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

/// A tool that left with its capability says so, whatever it was asked for by.
#[test]
fn a_tool_whose_capability_was_evicted() {
    let mut session = Session::new();
    session.turn(1);
    for name in ["docker", "postgres", "sqlite", "edit"] {
        session.on(name);
    }
    session.turn(4);
    session.on("web");
    for subject in ["docker_query", "docker.query", "tool:docker_query"] {
        let told = explain(&session.snapshot, subject);
        assert_eq!(told.kind, Kind::Tool);
        assert_eq!(told.answer, "it left with docker in t4: web came, and it was the least recently used of four");
        assert_eq!(first_failure(&told), Some("recency"));
        assert_eq!(told.fix.as_deref(), Some("bring it back with /capability enable docker, and pin it to keep it"));
    }
    session.turn(6);
    session.on("docker");
    assert!(session.why("docker_query").contains("why it is here because docker brings it"));
}

/// What stands in the way now, not what stood in it once.
#[test]
fn what_stands_in_the_way_is_as_it_is_now() {
    let mut session = Session::new();
    assert!(session.why("docker").contains("✘ gate: nothing asked for it yet"), "{}", session.why("docker"));
    assert!(session.why("pods").contains("✘ domain: the session is of developer | it is for ops"));
    session.offers[3].environment = texts(&["A_KEY"]);
    session.unset = texts(&["A_KEY"]);
    session.after(Change::default());
    assert!(session.why("docker").contains("✘ environment: A_KEY is not set\n· gate: \n· activation: \n"));
    session.turn(1);
    let (offer, now) = (session.offer("docker"), session.now());
    let change = session.surface.enable(&offer, Cause::Person, None, &|_| false, now);
    session.after(change);
    assert!(session.why("docker").contains("✘ environment: A_KEY is not set"));
    session.unset.clear();
    session.after(Change::default());
    let why = session.why("docker");
    assert!(why.contains("✔ environment: A_KEY was not set then, and is now\n✘ gate: t1: asked for by you\n"), "{why}");
    assert!(why.contains("it was refused in t1 because it needs A_KEY"), "{why}");
    session.offers.remove(3);
    session.after(Change::default());
    assert!(session.why("docker").contains("why no connected tap has it any more"), "{}", session.why("docker"));
}

#[test]
fn four_that_are_pinned_and_what_is_advised_then() {
    let mut session = Session::new();
    session.turn(1);
    for name in ["postgres", "sqlite", "docker", "edit"] {
        session.on(name);
        let _ = session.surface.pin(name, true);
    }
    session.on("web");
    insta::assert_snapshot!(session.why("web"), @r#"
web · Title of web · off
✔ tap: muvon/tap
✔ triggers: 
✔ domain: the session is of developer
✔ environment: 
· gate: 
· activation: 
✘ recency: t1: asked for by you
why there was no place: postgres, sqlite, docker and edit are pinned
do bring it in with /capability unpin postgres and then /capability enable web, for four are pinned
"#);
    assert!(session.why("postgres").contains("pinned: it does not go"), "{}", session.why("postgres"));
    let _ = session.surface.pin("docker", false);
    session.turn(2);
    session.on("web");
    assert!(session.why("web").contains("docker went for it"), "{}", session.why("web"));
    assert!(session.why("docker").contains("do bring it back with /capability enable docker, and pin it to keep it"));
    let _ = session.surface.pin("web", true);
    session.after(Change::default());
    let why = session.why("docker");
    assert!(
        why.contains("do bring it back with /capability unpin postgres and then /capability enable docker"),
        "{why}"
    );
}

#[test]
fn what_else_is_called_so_and_what_a_prefix_means() {
    let mut session = Session::new();
    session.turn(1);
    session.on("web");
    // A capability and its server share a name.
    let told = explain(&session.snapshot, "web");
    assert_eq!((told.kind, told.also), (Kind::Capability, texts(&["server:web"])));
    let told = explain(&session.snapshot, "server:web");
    assert_eq!((told.kind, told.headline.as_str()), (Kind::Server, "web · 1 tool shown"));
    assert_eq!(told.answer, "it is here because web asks for it");
    let told = explain(&session.snapshot, "files");
    assert_eq!(
        (told.kind, told.answer.as_str()),
        (Kind::Server, "it is here because the role developer:general asks for it")
    );
    // Pinned to the tap it is from, and to another.
    for pinned in ["muvon/web", "muvon/tap/web"] {
        let told = explain(&session.snapshot, pinned);
        assert_eq!((told.kind, told.subject.as_str()), (Kind::Capability, pinned));
    }
    let told = explain(&session.snapshot, "octomind/web");
    assert_eq!((told.kind, told.fix.as_deref()), (Kind::Unknown, Some("perhaps web is meant")));
    assert!(explain(&session.snapshot, "tool:nothing").nearest.iter().all(|near| near != "tool:nothing"));
}

#[test]
fn a_tool_of_the_program_that_this_version_has_not_got() {
    let mut session = Session::new();
    session.turn(1);
    for tool in ["schedule", "monitor", "recall", "agent_scout"] {
        let told = explain(&session.snapshot, tool);
        assert_eq!((told.kind, told.answer), (Kind::Tool, format!("{tool} is not built in this version")));
        assert_eq!(told.fix, None, "nothing mends that");
    }
    assert_eq!(session.why("tap").lines().last(), Some("do bring it in with /capability enable orchestration"));
    // The role names the capability, and its server is not built.
    let mut own = role("developer:general", &[("files", &["view"])]);
    own.capabilities = vec![fixed("orchestration", &["orchestration"])];
    let _ = session.surface.set_role(own, &[], &ready, 9);
    let mut view = session.surface.view(&session.offers, Vec::new());
    let (what, advice) = (crate::surface::built_in::NOT_BUILT.to_owned(), None);
    let trouble = Some(crate::proto::ServerTrouble { what, advice, since: None });
    view.references.push(crate::proto::ServerReferences {
        server: "orchestration".to_owned(),
        by: texts(&["role"]),
        trouble,
    });
    session.tell(Body::SurfaceChanged(Arc::new(view)));
    let told = explain(&session.snapshot, "orchestration");
    assert!(told.headline.ends_with("on, with the role, but a server of it is not built"), "{told:?}");
    assert!(told.answer.ends_with("but its server orchestration is not built in this version"), "{told:?}");
    assert_eq!(told.stages.last().map(|stage| (stage.stage.as_str(), stage.passed)), Some(("server", Passed::No)));
    let told = explain(&session.snapshot, "tap");
    assert_eq!(told.answer, "its server orchestration is not built in this version");
}

#[test]
fn how_near_one_was_that_lacks_a_value() {
    let mut session = Session::new();
    session.turn(1);
    session.offers[1].environment = texts(&["POSTGRES_URL"]);
    session.unset = texts(&["POSTGRES_URL"]);
    session.after(Change::default());
    let mut routing = session.routing("query the schema", RouteOutcome::BelowThreshold, &[("sqlite", 0.5)]);
    let (capability, tap) = ("postgres".to_owned(), "muvon/tap".to_owned());
    let stage = Stage::EnvironmentUnready { missing: texts(&["POSTGRES_URL"]) };
    routing.ineligible.push(Ineligible { capability, tap, stage: stage.clone(), score: Some(0.81) });
    session.tell(Body::Decided(Decision::Routed(Arc::new(routing))));
    let why = session.why("postgres");
    let line = "t1 \"query the schema\": it would have scored 0.8100 ≥ 0.65, the best compared was sqlite 0.5000";
    assert!(why.contains(line), "{why}");
}
