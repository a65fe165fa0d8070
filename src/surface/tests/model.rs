//! Any sequence of what can happen, against a slow and obvious reference.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::embed::Vector;
use crate::proto::{
    Body, CatalogueItem, CatalogueView, Departure, EncoderState, Event, IntentSource, Offered, Order, RouteOutcome,
    Seq, ServerKind, ServerState, ServerTrouble, Snapshot, SurfaceTool, Tier, TurnId,
};

const SERVERS: [&str; 5] = ["s0", "s1", "s2", "s3", "s4"];
const TOOLS: [&str; 4] = ["read", "write", "git_log", "git_push"];
const SKILLS: [&str; 3] = ["k0", "k1", "k2"];
const KEYS: [&str; 2] = ["A", "B"];
const CAPABILITIES: usize = 9;

#[derive(Debug, Clone)]
enum Step {
    /// As near to each capability as said, in tenths.
    Message([u8; CAPABILITIES]),
    Enable(usize, u8),
    Disable(usize),
    Use(usize, usize),
    Pin(usize, bool),
    Hold(usize, Vec<usize>),
    Release(usize),
    Fail(usize),
    /// What it needs is there.
    Work(usize),
    /// A server that runs ends, or is back.
    Death(usize, bool),
    Role(usize),
    Set(usize, bool),
    /// The process was killed and the session is taken up again.
    Resume,
}

fn step() -> impl Strategy<Value = Step> {
    let capability = 0..CAPABILITIES;
    prop_oneof![
        3 => prop::array::uniform9(0_u8..11).prop_map(Step::Message),
        6 => (capability.clone(), 0_u8..4).prop_map(|(capability, cause)| Step::Enable(capability, cause)),
        2 => capability.clone().prop_map(Step::Disable),
        5 => (0..SERVERS.len(), 0..TOOLS.len()).prop_map(|(server, tool)| Step::Use(server, tool)),
        2 => (capability.clone(), any::<bool>()).prop_map(|(capability, on)| Step::Pin(capability, on)),
        2 => (0..SKILLS.len(), prop::collection::vec(capability.clone(), 0..3)).prop_map(|(skill, of)| Step::Hold(skill, of)),
        1 => (0..SKILLS.len()).prop_map(Step::Release),
        2 => capability.clone().prop_map(Step::Fail),
        1 => capability.prop_map(Step::Work),
        2 => (0..SERVERS.len(), any::<bool>()).prop_map(|(server, dead)| Step::Death(server, dead)),
        2 => (0..3_usize).prop_map(Step::Role),
        1 => (0..KEYS.len(), any::<bool>()).prop_map(|(key, on)| Step::Set(key, on)),
        1 => Just(Step::Resume),
    ]
}

fn offers() -> Vec<Offer> {
    let plain = [
        offer("c0", &[("s0", &["write"])]),
        offer("c1", &[("s1", &[])]),
        offer("c2", &[("s1", &["read"]), ("s2", &["git_*"])]),
        of_domains(offer("c3", &[("s2", &["read", "git_log"])]), &["dev"]),
        of_domains(offer("c4", &[("s3", &["*"])]), &["ops", "dev"]),
        of_domains(offer("c5", &[("s3", &["read"]), ("s0", &["git_push"])]), &["ops"]),
        Offer { environment: texts(&["A"]), ..offer("c6", &[("s4", &["read"])]) },
        Offer { environment: texts(&["A", "B"]), deps: texts(&["o/t"]), ..offer("c7", &[]) },
        Offer { provider: Err("broken".to_owned()), ..offer("c8", &[("s4", &[])]) },
    ];
    plain.into_iter().collect()
}

fn roles() -> [RoleSurface; 3] {
    let mut dev = role("dev:general", &[("s0", &["read"])]);
    dev.capabilities = vec![fixed("c0", &["s0"])];
    dev.servers[0].1.push("write".to_owned());
    let mut ops = role("ops:chief", &[("s1", &["git_log"]), ("s3", &[])]);
    ops.capabilities = vec![fixed("c4", &["s3"])];
    [dev, ops, role("assistant", &[])]
}

/// What is there, told in the plainest way: who, since when, and every use ever.
#[derive(Default)]
struct Reference {
    role: usize,
    /// Capability, time it came, pinned.
    on: Vec<(usize, u64, bool)>,
    /// Skill, capability.
    held: Vec<(usize, usize)>,
    /// Skill, capability: declared, wherever the skill is.
    declared: Vec<(usize, usize)>,
    /// Server, tool, time.
    uses: Vec<(usize, usize, u64)>,
    set: BTreeSet<&'static str>,
    /// By who came: who went for it, since when that one was on, and when it went.
    went: BTreeMap<usize, (usize, u64, u64)>,
    /// When a capability that came back had been away.
    away: Vec<(usize, u64, u64)>,
    dead: BTreeSet<usize>,
}

impl Reference {
    fn domain_fits(&self, capability: usize) -> bool {
        let offers = offers();
        let domains = &offers[capability].capability.domains;
        let domain = ["dev", "ops", ""][self.role];
        domains.is_empty() || domains.iter().any(|of| of == domain)
    }

    fn may_come(&self, capability: usize) -> bool {
        let offer = &offers()[capability];
        offer.provider.is_ok()
            && self.domain_fits(capability)
            && offer.environment.iter().all(|key| self.set.contains(key.as_str()))
    }

    fn fixed(&self, capability: usize) -> bool {
        roles()[self.role].capabilities.iter().any(|fixed| fixed.name == format!("c{capability}"))
    }

    fn is_on(&self, capability: usize) -> bool {
        self.on.iter().any(|(on, ..)| *on == capability)
    }

    fn is_there(&self, capability: usize) -> bool {
        self.fixed(capability) || self.is_on(capability) || self.held.iter().any(|(_, held)| *held == capability)
    }

    /// The last use since it came, if there is one.
    fn last_use(&self, capability: usize, since: u64) -> Option<u64> {
        let offer = &offers()[capability];
        let of_it = |(server, tool, at): &&(usize, usize, u64)| {
            let asked = offer.servers.iter().find(|offered| offered.name == SERVERS[*server]);
            let away = self.away.iter().any(|(one, from, to)| *one == capability && from < at && at < to);
            *at > since && !away && asked.is_some_and(|offered| matches(&offered.tools, TOOLS[*tool]))
        };
        self.uses.iter().filter(of_it).map(|(.., at)| *at).max()
    }

    /// Who goes, when one has to: the one that was used the longest ago, or never and came first.
    fn goes(&self) -> Option<usize> {
        let loose = self.on.iter().filter(|(.., pinned)| !pinned);
        let keyed = loose.map(|(capability, since, _)| (self.last_use(*capability, *since), *since, *capability));
        keyed.min().map(|(.., capability)| capability)
    }

    fn come(&mut self, capability: usize, now: u64) {
        if !self.may_come(capability) || self.is_there(capability) {
            return;
        }
        self.went.remove(&capability);
        if self.on.len() == 4 {
            let Some(gone) = self.goes() else { return };
            let since = self.on.iter().find(|(on, ..)| *on == gone).unwrap().1;
            self.on.retain(|(on, ..)| *on != gone);
            self.went.insert(capability, (gone, since, now));
        }
        self.on.push((capability, now, false));
    }

    fn change_role(&mut self, role: usize) {
        self.role = role;
        let (on, held) = (self.on.clone(), self.held.clone());
        self.on = on.into_iter().filter(|(one, ..)| self.domain_fits(*one) && !self.fixed(*one)).collect();
        self.held = held.into_iter().filter(|(_, one)| self.domain_fits(*one)).collect();
        for (skill, capability) in self.declared.clone() {
            if self.may_come(capability) && !self.held.contains(&(skill, capability)) {
                self.held.push((skill, capability));
            }
        }
    }

    /// Who went for it is back, unless it may not be.
    fn fail(&mut self, capability: usize, now: u64) {
        let was_on = self.is_on(capability);
        self.on.retain(|(on, ..)| *on != capability);
        let went = self.went.remove(&capability).filter(|_| was_on);
        if let Some((gone, since, from)) = went.filter(|(gone, ..)| !self.is_there(*gone) && self.domain_fits(*gone)) {
            self.on.push((gone, since, false));
            self.away.push((gone, from, now));
        }
        self.held.retain(|(_, held)| *held != capability);
    }

    /// What may not be there any more goes, what skills declare comes.
    fn resume(&mut self) {
        self.went.clear();
        self.on = self.on.iter().copied().filter(|(one, ..)| self.may_come(*one)).collect();
        self.held = self.held.iter().copied().filter(|(_, one)| self.may_come(*one)).collect();
        for (skill, capability) in self.declared.clone() {
            if self.may_come(capability) && !self.held.contains(&(skill, capability)) {
                self.held.push((skill, capability));
            }
        }
    }

    /// Every tool that somebody asks for, and by whom.
    fn asked(&self) -> BTreeMap<(String, String), BTreeSet<String>> {
        let mut asked: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        let mut ask = |server: &str, tools: &[String], by: &str| {
            for tool in TOOLS.iter().filter(|tool| matches(tools, tool)) {
                asked.entry((server.to_owned(), (*tool).to_owned())).or_default().insert(by.to_owned());
            }
        };
        for (server, tools) in &roles()[self.role].servers {
            ask(server, tools, "role");
        }
        let on = self.on.iter().map(|(capability, ..)| (*capability, format!("c{capability}")));
        let held = self.held.iter().map(|(skill, capability)| (*capability, format!("skill {}", SKILLS[*skill])));
        for (capability, by) in on.chain(held) {
            for server in &offers()[capability].servers {
                ask(&server.name, &server.tools, &by);
            }
        }
        asked
    }
}

fn matches(patterns: &[String], tool: &str) -> bool {
    patterns.is_empty()
        || patterns
            .iter()
            .any(|pattern| pattern == tool || pattern == "*" || (pattern == "git_*" && tool.starts_with("git_")))
}

/// The surface, what its effects made of the world, and the records.
struct World {
    surface: Surface,
    reference: Reference,
    running: BTreeMap<String, Option<Vec<String>>>,
    snapshot: Snapshot,
    events: Vec<Event>,
    now: u64,
}

/// What is only true while the process lives.
fn passing(number: u64) -> Body {
    let server = SERVERS[number as usize % SERVERS.len()].to_owned();
    let name = format!("c{number}");
    match number % 4 {
        0 => Body::EncoderChanged(EncoderState::Idle),
        1 => Body::ServerGone { server },
        2 => Body::CatalogueChanged(Arc::new(CatalogueView {
            capabilities: vec![CatalogueItem { name: name.clone(), title: "Live".to_owned(), ..<_>::default() }],
            skills: vec![CatalogueItem { name, ..<_>::default() }],
            ..<_>::default()
        })),
        _ => {
            let (reason, advice) = ("it ended".to_owned(), "install it".to_owned());
            let state = ServerState::Failed { reason, advice };
            Body::ServerChanged { server, kind: ServerKind::Stdio, state, command: String::new(), stderr: Vec::new() }
        }
    }
}

impl World {
    fn new() -> Self {
        let first = roles()[0].clone();
        let running = first.servers.iter().map(|(name, patterns)| (name.clone(), Some(patterns.clone()))).collect();
        let snapshot = Snapshot::default();
        let (surface, reference, events) = (Surface::new(first), Reference::default(), Vec::new());
        Self { surface, reference, running, snapshot, events, now: 10 }
    }

    fn tell(&mut self, body: Body) {
        for body in [passing(self.snapshot.seq.0), body] {
            let seq = Seq(self.snapshot.seq.0 + 1);
            let turn = u32::try_from(self.now).unwrap();
            let order = Some(Order { turn, round: 0, slot: u32::try_from(seq.0).unwrap() });
            let event = Event { seq, at: self.now, order, body };
            self.snapshot.apply(&event);
            self.events.push(event);
        }
    }

    /// Carries the effects out; each has to be possible.
    fn carry_out(&mut self, change: Change) {
        for effect in change.effects {
            match effect {
                Effect::RunDeps { deps, .. } => assert!(!deps.is_empty()),
                Effect::Start { server, patterns } => assert_eq!(self.running.insert(server, patterns), None),
                Effect::Stop { server } => {
                    assert!(!self.surface.owns(&server), "{server} belongs to the role");
                    assert!(self.running.remove(&server).is_some(), "{server} does not run");
                }
                Effect::Filter { server, patterns } => {
                    let before = self.running.insert(server, patterns.clone());
                    assert!(before.is_some_and(|before| before != patterns));
                }
            }
        }
        for decision in change.decisions {
            self.tell(Body::Decided(decision));
        }
        let tools = self.running.iter().flat_map(|(server, patterns)| {
            TOOLS.iter().map(move |tool| {
                let shown = patterns.as_ref().is_none_or(|patterns| matches(patterns, tool));
                let left_out = (!shown).then(|| "the filter".to_owned());
                let wire_name = format!("{server}_{tool}");
                let (server, tool) = (server.clone(), (*tool).to_owned());
                SurfaceTool { server, tool, wire_name, left_out, ..SurfaceTool::default() }
            })
        });
        let mut view = self.surface.view(&offers(), tools.collect());
        let set = &self.reference.set;
        let capabilities = self.surface.offered(&offers(), &|key| set.contains(key));
        let roles = texts(&["dev:general", "ops:chief"]);
        view.offered = Some(Arc::new(Offered { capabilities, skills: Vec::new(), roles }));
        // What is not there cannot be dead.
        self.reference.dead.retain(|server| self.running.contains_key(SERVERS[*server]));
        for reference in &mut view.references {
            let dead = self.reference.dead.iter().any(|server| SERVERS[*server] == reference.server);
            let (what, advice) = ("failed: it ended".to_owned(), Some("install it".to_owned()));
            reference.trouble = dead.then_some(ServerTrouble { what, advice, since: None });
        }
        if let Some(view) = view.since(&self.snapshot.surface) {
            self.tell(Body::SurfaceChanged(Arc::new(view)));
        }
    }

    /// Nothing but the records is left.
    fn resume(&mut self) {
        let before = self.snapshot.clone();
        let (offers, set) = (offers(), self.reference.set.clone());
        let ready = |key: &str| set.contains(key);
        self.surface = Surface::new(roles()[self.reference.role].clone());
        let own = roles()[self.reference.role].servers.clone();
        self.running = own.into_iter().map(|(name, _)| (name.clone(), self.surface.filter(&name).unwrap())).collect();
        self.surface.resume(&durable(&self.events));
        self.reference.resume();
        let skills = texts(&SKILLS);
        let (change, _) = self.surface.settle(&offers, &skills, &ready);
        self.carry_out(change);
        for (skill, of) in self.reference.declared.clone() {
            let change = self.surface.hold(SKILLS[skill], &[&offers[of]], &ready, self.now);
            self.carry_out(change);
        }
        let there = |snapshot: &Snapshot| {
            let surface = &snapshot.surface;
            let all = surface.dynamic.iter().chain(&surface.held);
            all.map(|known| (known.name.clone(), known.cause.clone())).collect::<Vec<_>>()
        };
        if there(&before) == there(&self.snapshot) {
            for name in explain::subjects(&before) {
                assert_eq!(explain::explain(&before, &name), explain::explain(&self.snapshot, &name));
            }
        }
    }

    /// What is advised is not refused.
    fn advice(&self, name: &str, told: &explain::Explanation) {
        let Some(fix) = &told.fix else { return };
        let (offers, set) = (offers(), self.reference.set.clone());
        if let Some((_, role)) = fix.split_once("/role ") {
            let offer = offers.iter().find(|offer| offer.name() == name).unwrap();
            let domain = role.split_once(':').unwrap().0.to_owned();
            assert!(offer.capability.domains.contains(&domain), "{told:?}");
        }
        if !fix.contains("/capability enable")
            || told.stages.iter().any(|one| one.evidence.iter().any(|one| one == "it broke"))
        {
            return;
        }
        let mut surface = self.surface.clone();
        if let Some((_, rest)) = fix.split_once("/capability unpin ") {
            assert!(surface.pin(rest.split(' ').next().unwrap(), false).is_some(), "{told:?}");
        }
        let offer = offers.iter().find(|offer| offer.name() == name).unwrap();
        let change = surface.enable(offer, Cause::Person, None, &|key| set.contains(key), self.now + 1);
        let refused = change.decisions.iter().any(|decision| matches!(decision, Decision::CapabilityRefused(_)));
        assert!(!refused, "{told:?} {change:?}");
    }

    fn message(&mut self, tenths: [u8; CAPABILITIES]) {
        let offers = offers();
        let set = self.reference.set.clone();
        let message = Vector::new(vec![1.0, 0.0]).unwrap();
        let cosines = tenths.map(|tenth| f32::from(tenth) / 10.0);
        let vectors = cosines.map(|cosine| [Vector::new(vec![cosine, (1.0 - cosine * cosine).sqrt()]).unwrap()]);
        let (eligible, ineligible) = self.surface.eligible(&offers, &|key| set.contains(key), &|_| true);
        let index = |offer: &Offer| offers.iter().position(|one| one.name() == offer.name()).unwrap();
        let compared: Vec<Compared<'_>> =
            eligible.iter().map(|offer| Compared { offer, phrases: &vectors[index(offer)] }).collect();
        let routing = self.surface.route(RouteInput {
            turn: TurnId(u32::try_from(self.now).unwrap()),
            source: IntentSource::Message,
            attempt: Attempt::Wanted,
            intent: "a message that is long enough",
            excerpt: String::new(),
            eligible: &compared,
            ineligible,
            near: &|_| &[],
            vector: Ok(&message),
            model: "test",
            backend: "none",
            encoding_us: 0,
        });
        assert_eq!(routing.scores.len() + routing.ineligible.len(), CAPABILITIES, "each is either or");
        let mut open: Vec<usize> =
            (0..CAPABILITIES).filter(|one| self.reference.may_come(*one) && !self.reference.is_there(*one)).collect();
        open.sort_by_key(|one| (std::cmp::Reverse(tenths[*one]), *one));
        let second = open.get(1).map_or(0, |one| tenths[*one]);
        // Tenths: 0.7 passes 0.65, and a lead of 0.1 passes 0.06.
        let chosen = open.first().copied().filter(|one| tenths[*one] >= 7 && tenths[*one] > second);
        let found = match &routing.outcome {
            RouteOutcome::Activated { capability } => Some(capability.clone()),
            _ => None,
        };
        assert_eq!(found, chosen.map(|one| format!("c{one}")));
        let change = chosen.map(|one| {
            self.reference.come(one, self.now);
            let ready = |key: &str| set.contains(key);
            self.surface.enable(&offers[one], Cause::Auto, Some(&routing), &ready, self.now)
        });
        self.tell(Body::Decided(Decision::Routed(Arc::new(routing))));
        self.carry_out(change.unwrap_or_default());
    }

    fn take(&mut self, step: Step) {
        self.now += 1;
        let (offers, set, now) = (offers(), self.reference.set.clone(), self.now);
        let ready = |key: &str| set.contains(key);
        let name = |capability: usize| format!("c{capability}");
        let change = match step {
            Step::Message(tenths) => return self.message(tenths),
            Step::Enable(one, cause) => {
                let cause = [Cause::Person, Cause::Model, Cause::Environment, Cause::Auto][usize::from(cause)].clone();
                self.reference.come(one, now);
                self.surface.enable(&offers[one], cause, None, &ready, now)
            }
            Step::Disable(one) => {
                self.reference.on.retain(|(on, ..)| *on != one);
                self.surface.disable(&name(one), Departure::Person, now)
            }
            Step::Use(server, tool) => {
                self.reference.uses.push((server, tool, now));
                self.surface.used(SERVERS[server], TOOLS[tool], now).unwrap_or_default()
            }
            Step::Pin(one, pinned) => {
                if let Some(found) = self.reference.on.iter_mut().find(|(on, ..)| *on == one) {
                    found.2 = pinned;
                }
                self.surface.pin(&name(one), pinned).unwrap_or_default()
            }
            Step::Hold(skill, of) => {
                for one in &of {
                    if !self.reference.declared.contains(&(skill, *one)) {
                        self.reference.declared.push((skill, *one));
                    }
                    if self.reference.may_come(*one) && !self.reference.held.contains(&(skill, *one)) {
                        self.reference.held.push((skill, *one));
                    }
                }
                let of: Vec<&Offer> = of.iter().map(|one| &offers[*one]).collect();
                self.surface.hold(SKILLS[skill], &of, &ready, now)
            }
            Step::Release(skill) => {
                self.reference.held.retain(|(of, _)| *of != skill);
                self.reference.declared.retain(|(of, _)| *of != skill);
                self.surface.release(SKILLS[skill], now)
            }
            Step::Fail(one) => {
                self.reference.fail(one, now);
                self.surface.failed(&name(one), "it broke", now)
            }
            Step::Work(one) => {
                self.reference.went.remove(&one);
                self.surface.works(&name(one));
                Change::default()
            }
            Step::Death(server, dead) => {
                if dead && self.running.contains_key(SERVERS[server]) {
                    self.reference.dead.insert(server);
                } else {
                    self.reference.dead.remove(&server);
                }
                Change::default()
            }
            Step::Role(role) => {
                self.reference.change_role(role);
                self.surface.set_role(roles()[role].clone(), &offers, &ready, now)
            }
            Step::Set(key, on) => {
                if on {
                    self.reference.set.insert(KEYS[key])
                } else {
                    self.reference.set.remove(KEYS[key])
                };
                Change::default()
            }
            Step::Resume => return self.resume(),
        };
        self.carry_out(change);
    }

    fn check(&self) {
        let view = self.surface.view(&offers(), Vec::new());
        assert!(view.dynamic.len() <= MAX_DYNAMIC_CAPABILITIES);
        let on: BTreeSet<String> = view.dynamic.iter().map(|known| known.name.clone()).collect();
        assert_eq!(on, self.reference.on.iter().map(|(one, ..)| format!("c{one}")).collect());
        let held: BTreeSet<(String, String)> =
            view.held.iter().map(|known| (known.cause.word(), known.name.clone())).collect();
        let expected =
            self.reference.held.iter().map(|(skill, one)| (format!("skill {}", SKILLS[*skill]), format!("c{one}")));
        assert_eq!(held, expected.collect());
        if view.dynamic.len() == MAX_DYNAMIC_CAPABILITIES {
            assert_eq!(self.surface.next_out().map(str::to_owned), self.reference.goes().map(|one| format!("c{one}")));
        }
        // What runs is what somebody refers to, the role's servers among it.
        let running: BTreeSet<&String> = self.running.keys().collect();
        assert_eq!(running, view.references.iter().map(|reference| &reference.server).collect());
        assert!(view.fixed_servers.iter().all(|server| running.contains(server)));
        assert!(view.references.iter().all(|reference| !reference.by.is_empty()));
        // What is on the wire is what somebody asks for, and it is said who.
        let asked = self.reference.asked();
        for server in self.running.keys() {
            for tool in TOOLS {
                let shown = self.running[server].as_ref().is_none_or(|patterns| matches(patterns, tool));
                let by: BTreeSet<String> = self.surface.askers(server, tool).into_iter().collect();
                let expected = asked.get(&(server.clone(), tool.to_owned())).cloned().unwrap_or_default();
                assert_eq!(by, expected, "{server}.{tool}");
                assert_eq!(shown, !by.is_empty(), "{server}.{tool}");
            }
        }
    }

    /// Every tool on the wire names a living reason, everything that is away names a stage.
    fn explanations(&self) {
        let surface = &self.snapshot.surface;
        for tool in &surface.tools {
            let told = explain::explain(&self.snapshot, &tool.wire_name);
            assert_eq!(told.kind, explain::Kind::Tool);
            let failed = told.stages.iter().any(|stage| stage.passed == explain::Passed::No);
            let dead = self.reference.dead.iter().any(|server| SERVERS[*server] == tool.server);
            assert_eq!(failed, tool.left_out.is_some() || dead, "{told:?}");
            if !failed {
                let living = |by: &String| {
                    by == "role" || surface.dynamic.iter().any(|known| known.name == *by) || by.starts_with("skill k")
                };
                assert!(!tool.by.is_empty() && tool.by.iter().all(living), "{told:?}");
                assert!(told.answer.starts_with("it is here because "), "{told:?}");
            }
        }
        for number in 0..CAPABILITIES {
            let name = format!("c{number}");
            let told = explain::explain(&self.snapshot, &name);
            let failed = told.stages.iter().find(|stage| stage.passed == explain::Passed::No);
            if told.kind == explain::Kind::Unknown {
                assert!(!self.reference.is_there(number));
                continue;
            }
            let there = self.reference.is_there(number);
            let dead = |server: &OfferedServer| self.reference.dead.iter().any(|dead| SERVERS[*dead] == server.name);
            let works = !offers()[number].servers.iter().any(dead);
            assert_eq!(failed.is_none(), there && works, "{told:?}");
            assert_eq!(told.fix.is_some(), failed.is_some(), "{told:?}");
            if !there {
                self.advice(&name, &told);
            }
            let after = told.stages.iter().skip_while(|stage| stage.passed != explain::Passed::No);
            for (index, stage) in after.enumerate() {
                assert_eq!(stage.passed == explain::Passed::No, index == 0, "{told:?}");
                assert_eq!(stage.evidence.is_empty(), index > 0, "{told:?}");
            }
        }
    }
}

/// What a journal keeps of it.
fn durable(events: &[Event]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for event in events.iter().filter(|event| event.tier() == Tier::Durable) {
        let line = serde_json::to_string(event).unwrap();
        snapshot.apply(&serde_json::from_str(&line).unwrap());
    }
    snapshot
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens(steps in prop::collection::vec(step(), 1..60), cut in 0.0..1.0_f64) {
        let mut world = World::new();
        for step in steps {
            world.take(step);
            world.check();
        }
        world.explanations();
        // The journal alone says the same, and so does one that was read in two parts.
        let cut = (world.events.len() as f64 * cut) as usize;
        let first = serde_json::to_string(&durable(&world.events[..cut])).unwrap();
        let mut parts: Snapshot = serde_json::from_str(&first).unwrap();
        for event in world.events[cut..].iter().filter(|event| event.tier() == Tier::Durable) {
            parts.apply(event);
        }
        let whole = durable(&world.events);
        prop_assert_eq!(explain::subjects(&world.snapshot), explain::subjects(&whole));
        for name in explain::subjects(&world.snapshot) {
            let told = explain::explain(&world.snapshot, &name);
            prop_assert_eq!(&told, &explain::explain(&whole, &name));
            prop_assert_eq!(&told, &explain::explain(&parts, &name));
        }
    }
}
