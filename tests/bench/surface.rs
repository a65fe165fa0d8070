//! What deciding costs: `cargo bench --bench surface`.
//!
//! Everything but the sentence's vector: stages, scores, verdict and record of one message, changing the
//! surface when a fifth capability comes, its view, an explanation. For 50, 500 and 5,000 capabilities
//! with twelve triggers each. Every row names its figure, its budget and whether it was met; the last line
//! tells how busy the machine was.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop at the first thing that is wrong")]

#[path = "support/process.rs"]
mod process;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use octomind::embed::Vector;
use octomind::proto::{Body, Cause, Decision, Event, IntentSource, Order, Routing, Seq, Snapshot, TurnId};
use octomind::surface::explain::explain;
use octomind::surface::{Attempt, Compared, Offer, OfferedServer, RoleSurface, RouteInput, Surface, intent};
use octomind::tap::{Capability, Tap, TapKind};

const TRIGGERS: usize = 12;
/// As the embedded model has them.
const DIMENSIONS: usize = 385;
const RUNS: usize = 200;
const MESSAGE: &str = "could you check which pods keep restarting?";

fn main() {
    let mut before: Option<[f64; 2]> = None;
    for count in [50, 500, 5000] {
        println!("── {count} capabilities with {TRIGGERS} triggers");
        let world = World::new(count);
        let budget = |micros: f64| (count == 500).then_some(micros);
        let stages = median(|| world.surface.eligible(&world.offers, &|_| true, &|_| true));
        row("stages", stages, None);
        let decision = median(|| world.route());
        row("stages, scores, verdict and record, p50", decision, budget(200.0));
        let change = median(|| {
            let mut surface = world.surface.clone();
            surface.enable(&world.offers[4], Cause::Person, None, &|_| true, 9)
        });
        row("a fifth comes and one goes", change, Some(1000.0));
        let view = median(|| world.surface.view(&world.offers, Vec::new()));
        row("the view of it", view, Some(1000.0));
        let snapshot = world.snapshot();
        let told = median(|| explain(&snapshot, "capability-7"));
        row("an explanation", told, Some(16_000.0));
        if let Some(before) = before.replace([decision, change]) {
            println!("{:<44} {:>10.1} ×", "  deciding, for ten times as many", decision / before[0]);
            println!("{:<44} {:>10.1} ×", "  changing, for ten times as many", change / before[1]);
        }
    }
    println!("── load {}", process::load());
}

fn row(figure: &str, found: f64, budget: Option<f64>) {
    let verdict = match budget {
        Some(budget) if found <= budget => format!("≤ {budget} µs: met"),
        Some(budget) => format!("≤ {budget} µs: MISSED, {:.2} times", found / budget),
        None => String::new(),
    };
    println!("{figure:<44} {found:>10.1} µs  {verdict}");
}

/// Microseconds; what comes of it is dropped outside.
fn median<T>(mut run: impl FnMut() -> T) -> f64 {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let begun = Instant::now();
            let made = black_box(run());
            let time = begun.elapsed();
            drop(made);
            time
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2].as_secs_f64() * 1e6
}

/// Deterministic numbers between −1 and 1.
fn vector(seed: &mut u64) -> Vector {
    let mut number = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    Vector::new((0..DIMENSIONS).map(|_| number()).collect()).expect("a vector")
}

struct World {
    offers: Vec<Offer>,
    phrases: Vec<Vec<Vector>>,
    message: Vector,
    surface: Surface,
}

impl World {
    /// Four are on; every tenth is of another domain.
    fn new(count: usize) -> Self {
        let mut seed = 7;
        let tap = Tap { name: "muvon/tap".to_owned(), kind: TapKind::Linked, root: "/tap".into(), unavailable: None };
        let tap = Arc::new(tap);
        let offers: Vec<Offer> = (0..count).map(|number| offer(number, &tap)).collect();
        let phrases = (0..count).map(|_| (0..TRIGGERS).map(|_| vector(&mut seed)).collect()).collect();
        let role = RoleSurface {
            role: "developer:general".to_owned(),
            domain: "developer".to_owned(),
            ..RoleSurface::default()
        };
        let mut surface = Surface::new(role);
        for (now, offer) in offers[..4].iter().enumerate() {
            let _ = surface.enable(offer, Cause::Person, None, &|_| true, now as u64);
        }
        Self { offers, phrases, message: vector(&mut seed), surface }
    }

    fn route(&self) -> Routing {
        let (eligible, ineligible) = self.surface.eligible(&self.offers, &|_| true, &|_| true);
        // Offers are in one array, so where one stands tells its vectors.
        let first = self.offers.as_ptr() as usize;
        let place = |offer: &Offer| (std::ptr::from_ref(offer) as usize - first) / size_of::<Offer>();
        let compared: Vec<Compared<'_>> =
            eligible.iter().map(|offer| Compared { offer, phrases: &self.phrases[place(offer)] }).collect();
        self.surface.route(RouteInput {
            turn: TurnId(1),
            source: IntentSource::Message,
            attempt: Attempt::Wanted,
            intent: MESSAGE,
            excerpt: intent::excerpt(MESSAGE),
            eligible: &compared,
            ineligible,
            near: &|_| &[],
            vector: Ok(&self.message),
            model: "bench",
            backend: "none",
            encoding_us: 0,
        })
    }

    /// Twenty messages were compared.
    fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let routing = Arc::new(self.route());
        for number in 1..=20 {
            let order = Some(Order { turn: number, round: 0, slot: 1 });
            let body = Body::Decided(Decision::Routed(Arc::clone(&routing)));
            snapshot.apply(&Event { seq: Seq(u64::from(number)), at: u64::from(number), order, body });
        }
        snapshot
    }
}

fn offer(number: usize, tap: &Arc<Tap>) -> Offer {
    let name = format!("capability-{number}");
    let capability = Capability {
        folder: format!("/tap/capabilities/{name}").into(),
        tap: Arc::clone(tap),
        triggers: (0..TRIGGERS).map(|trigger| format!("a sentence of usual length, {trigger} of {number}")).collect(),
        domains: if number % 10 == 9 { vec!["ops".to_owned()] } else { Vec::new() },
        providers: Vec::new(),
        name,
    };
    let server = OfferedServer { name: format!("server-{}", number % 50), tools: vec!["query".to_owned()] };
    Offer {
        title: capability.name.clone(),
        capability: Arc::new(capability),
        provider: Ok("default".to_owned()),
        servers: vec![server],
        deps: Vec::new(),
        environment: Vec::new(),
    }
}
