use super::*;
use crate::embed::Vector;
use crate::embed::gate::{Abstained, Rule, Score, Top, Verdict, verdict};
use crate::proto::{EncoderState, Ineligible, IntentSource, RouteOutcome, Routing, Skip, Stage, TurnId};

/// As like to the message as said.
fn like(cosine: f32) -> Vector {
    Vector::new(vec![cosine, (1.0 - cosine * cosine).sqrt()]).unwrap()
}

fn route(intent: &str, attempt: Attempt, cosines: &[(&str, &[f32])]) -> Routing {
    let offers: Vec<Offer> = cosines
        .iter()
        .map(|(name, cosines)| {
            with_capability(offer(name, &[]), |capability| {
                capability.triggers = (0..cosines.len()).map(|number| format!("{name} {number}")).collect();
            })
        })
        .collect();
    let phrases: Vec<Vec<Vector>> =
        cosines.iter().map(|(_, cosines)| cosines.iter().map(|cosine| like(*cosine)).collect()).collect();
    let eligible: Vec<Compared<'_>> =
        offers.iter().zip(&phrases).map(|(offer, phrases)| Compared { offer, phrases }).collect();
    let message = Vector::new(vec![1.0, 0.0]).unwrap();
    Surface::new(role("developer:general", &[])).route(RouteInput {
        turn: TurnId(3),
        source: IntentSource::Message,
        attempt,
        intent,
        excerpt: intent::excerpt(intent),
        eligible: &eligible,
        ineligible: Vec::new(),
        near: &|_| &[],
        vector: Ok(&message),
        model: "test",
        backend: "none",
        encoding_us: 5,
    })
}

const LONG: &str = "query the postgres schema";

/// Exact at the edges: the numbers go in as they are.
#[test]
fn both_edges_of_threshold_and_margin() {
    let activates = |best: f32, second: Option<f32>| {
        let score = |name, score| Score { name, candidate: 0, score, top: Top::default() };
        let scores: Vec<Score<'_>> =
            [Some(score("a", best)), second.map(|second| score("b", second))].into_iter().flatten().collect();
        match verdict(&scores, Rule::ACTIVATE) {
            Verdict::Activate { .. } => None,
            Verdict::Abstain { reason, .. } => Some(reason),
        }
    };
    let below = f32::from_bits(0.65_f32.to_bits() - 1);
    for (best, second, expected) in [
        (0.65, None, None),
        (0.6499, None, Some(Abstained::BelowThreshold)),
        (below, None, Some(Abstained::BelowThreshold)),
        (0.65, Some(0.59), None),
        (0.65, Some(0.5901), Some(Abstained::NarrowMargin)),
        (0.9, Some(0.9), Some(Abstained::NarrowMargin)),
        (0.6499, Some(0.1), Some(Abstained::BelowThreshold)),
    ] {
        assert_eq!(activates(best, second), expected, "{best} {second:?}");
    }
    let margin = verdict(&[Score { name: "a", candidate: 0, score: 0.7, top: Top::default() }], Rule::ACTIVATE)
        .standing()
        .margin;
    assert_eq!(margin, 0.7, "alone, it leads over 0");
}

#[test]
fn a_message_goes_through_the_gate() {
    let outcome = |cosines: &[(&str, &[f32])]| route(LONG, Attempt::Wanted, cosines).outcome;
    let activated = |name: &str| RouteOutcome::Activated { capability: name.to_owned() };
    assert_eq!(outcome(&[("a", &[0.6501]), ("b", &[0.58])]), activated("a"));
    assert_eq!(outcome(&[("a", &[0.6499]), ("b", &[0.1])]), RouteOutcome::BelowThreshold);
    assert_eq!(outcome(&[("a", &[0.70]), ("b", &[0.6402])]), RouteOutcome::NarrowMargin);
    assert_eq!(outcome(&[("b", &[0.70]), ("a", &[0.6398])]), activated("b"));
    assert_eq!(outcome(&[("b", &[0.9]), ("a", &[0.9])]), RouteOutcome::NarrowMargin);
    assert_eq!(outcome(&[]), RouteOutcome::Skipped(Skip::NothingEligible));
}

/// Cosines, and the score: the mean of the best three, or of those there are.
#[test]
fn one_to_three_triggers() {
    for (cosines, score) in
        [(&[0.7][..], 0.7), (&[0.6, 0.8][..], 0.7), (&[0.5, 0.9, 0.7][..], 0.7), (&[0.1, 0.9, 0.2, 0.8, 0.7][..], 0.8)]
    {
        let routing = route(LONG, Attempt::Wanted, &[("a", cosines)]);
        assert!((routing.scores[0].score - score).abs() < 1e-5, "{cosines:?}: {}", routing.scores[0].score);
        assert_eq!(routing.scores[0].top.len(), cosines.len().min(3));
        assert!(routing.scores[0].top.is_sorted_by(|one, other| one.cosine >= other.cosine));
    }
    let routing = route(LONG, Attempt::Wanted, &[("a", &[0.1, 0.9, 0.2])]);
    assert_eq!(routing.scores[0].top[0].trigger, "a 1");
    assert_eq!((routing.domain.as_str(), routing.model.as_str(), routing.turn), ("developer", "test", TurnId(3)));
}

#[test]
fn seven_characters_are_too_few_and_eight_are_enough() {
    for (text, skipped) in [
        ("do it", Some(4)),
        ("d o t h i n g", Some(7)),
        ("dothings", None),
        (" d o\tt h\ni n g s ", None),
        ("日本語日本語日", Some(7)),
        ("日本語日本語日本", None),
        ("fix <log>query the postgres schema now</log> it", Some(5)),
        ("<log>query the postgres schema now</log>", Some(0)),
        ("fix a<b all", None),
    ] {
        let outcome = route(&intent::clean(text), Attempt::Wanted, &[("a", &[0.9])]).outcome;
        let expected = match skipped {
            Some(characters) => RouteOutcome::Skipped(Skip::TooShort { characters }),
            None => RouteOutcome::Activated { capability: "a".to_owned() },
        };
        assert_eq!(outcome, expected, "{text}");
    }
}

/// Each reason hides those that come after it.
#[test]
fn why_nothing_is_compared_in_order() {
    let skipped = |routing: Routing| match routing.outcome {
        RouteOutcome::Skipped(skip) => skip,
        other => panic!("{other:?}"),
    };
    assert_eq!(skipped(route("x", Attempt::Off, &[])), Skip::Off);
    assert_eq!(skipped(route("x", Attempt::NotFresh, &[])), Skip::NotFresh);
    assert_eq!(skipped(route("x", Attempt::Wanted, &[])), Skip::TooShort { characters: 1 });
    assert_eq!(skipped(route(LONG, Attempt::Wanted, &[])), Skip::NothingEligible);
    assert_eq!(skip(Attempt::Wanted, LONG, 1), None);
    let (offer, phrases) = (offer("a", &[]), [like(0.9)]);
    let encoder = EncoderState::Idle;
    let routing = Surface::default().route(RouteInput {
        turn: TurnId(1),
        source: IntentSource::Question,
        attempt: Attempt::Wanted,
        intent: LONG,
        excerpt: String::new(),
        eligible: &[Compared { offer: &offer, phrases: &phrases }],
        ineligible: Vec::new(),
        near: &|_| &[],
        vector: Err(encoder.clone()),
        model: "",
        backend: "",
        encoding_us: 0,
    });
    assert_eq!(skipped(routing), Skip::EncoderNotReady { encoder });
}

#[test]
fn stages_before_the_comparison_in_order() {
    let mut surface = Surface::new(role("developer:general", &[]));
    let _ = enable(&mut surface, &offer("on", &[]), 1);
    let everything_wrong = |keep: usize| {
        let mut bad = of_domains(offer("on", &[]), &["ops"]);
        bad = with_capability(bad, |capability| capability.triggers.clear());
        bad.environment = texts(&["A"]);
        bad.provider = Err("broken".to_owned());
        if keep < 6 {
            bad.provider = Ok("default".to_owned());
        }
        if keep < 5 {
            bad = with_capability(bad, |capability| capability.triggers = texts(&["x"]));
        }
        if keep < 4 {
            bad = with_capability(bad, |capability| capability.name = "off".to_owned());
        }
        if keep < 3 {
            bad = of_domains(bad, &[]);
        }
        if keep < 2 {
            bad.environment.clear();
        }
        bad
    };
    let stage = |keep: usize| {
        let offers = [everything_wrong(keep)];
        let (eligible, ineligible) = surface.eligible(&offers, &|_| false, &|_| keep < 1);
        assert_eq!(eligible.len() + ineligible.len(), 1);
        ineligible.into_iter().next().map(|found| found.stage)
    };
    assert_eq!(stage(6), Some(Stage::Unresolved { why: "broken".to_owned() }));
    assert_eq!(stage(5), Some(Stage::NoTriggers));
    assert_eq!(stage(4), Some(Stage::Active));
    assert_eq!(stage(3), Some(Stage::OutOfDomain { domain: "developer".to_owned(), domains: texts(&["ops"]) }));
    assert_eq!(stage(2), Some(Stage::EnvironmentUnready { missing: texts(&["A"]) }));
    assert_eq!(stage(1), Some(Stage::PhrasesUnready));
    assert_eq!(stage(0), None);
}

#[test]
fn what_was_chosen_comes_with_its_numbers() {
    let mut surface = Surface::default();
    let routing = route(LONG, Attempt::Wanted, &[("a", &[0.9]), ("b", &[0.2])]);
    let change = surface.enable(&offer("a", &[]), Cause::Auto, Some(&routing), &ready, 1);
    assert_eq!(told(&change), ["a is on (auto 0.90)"]);
    let known = &surface.view(&[], Vec::new()).dynamic[0];
    assert!((known.score.unwrap() - 0.9).abs() < 1e-5 && (known.margin.unwrap() - 0.7).abs() < 1e-5);
}

#[test]
fn a_message_is_named_by_hash_and_excerpt() {
    assert_eq!(intent::hash("abc"), "ba7816bf8f01cfea");
    assert_eq!(intent::excerpt("two\nlines \u{1b}[31mred\t\ttabs"), "two lines red tabs");
    assert_eq!(crate::text::width(&intent::excerpt(&"日本".repeat(90))), 119);
    assert_eq!(intent::clean("  <a>x</a> do it "), "do it");
    let hidden = "\u{1b}]0;title\u{7}\u{1b}[31mlist docker\u{200b} containers\u{202e}";
    assert_eq!(intent::clean(hidden), "list docker containers", "what is shown is what is compared");
}

/// A record of hundreds of capabilities copies no words, and is written and read as if it did.
#[test]
fn a_record_shares_the_words_of_what_it_tells_of() {
    let offer = with_capability(offer("a", &[]), |capability| {
        capability.triggers = (0..4).map(|number| format!("a {number}")).collect();
    });
    let phrases: Vec<Vector> = [0.2, 0.9, 0.5, 0.7].into_iter().map(like).collect();
    let message = Vector::new(vec![1.0, 0.0]).unwrap();
    let before = std::sync::Arc::strong_count(&offer.capability);
    let routing = Surface::new(role("developer:general", &[])).route(RouteInput {
        turn: TurnId(3),
        source: IntentSource::Message,
        attempt: Attempt::Wanted,
        intent: LONG,
        excerpt: intent::excerpt(LONG),
        eligible: &[Compared { offer: &offer, phrases: &phrases }],
        ineligible: Vec::new(),
        near: &|_| &[],
        vector: Ok(&message),
        model: "test",
        backend: "none",
        encoding_us: 5,
    });
    assert_eq!(std::sync::Arc::strong_count(&offer.capability), before + 5, "name, tap and three triggers");
    let written = serde_json::to_value(&routing.scores[0]).unwrap();
    let triggers: Vec<&str> = ["a 1", "a 3", "a 2"].to_vec();
    assert_eq!((&written["capability"], &written["tap"]), (&"a".into(), &offer.tap().into()));
    assert_eq!(written["top"].as_array().unwrap().iter().map(|top| &top["trigger"]).collect::<Vec<_>>(), triggers);
    let read: Routing = serde_json::from_str(&serde_json::to_string(&routing).unwrap()).unwrap();
    assert_eq!(read, routing);
}

/// What stopped before the gate is measured where that can be mended, and chosen it is not.
#[test]
fn what_would_have_fitted_better_is_told_with_its_score() {
    let missing = |key: &str| Stage::EnvironmentUnready { missing: texts(&[key]) };
    let far = Stage::OutOfDomain { domain: "developer".to_owned(), domains: texts(&["ops"]) };
    let broken = Stage::Unresolved { why: "no provider".to_owned() };
    let vectors = [("keyed", 0.9), ("far", 0.95), ("on", 0.8), ("broken", 0.64), ("bare", 0.99)];
    let vectors: Vec<(&str, [Vector; 1])> = vectors.map(|(name, cosine)| (name, [like(cosine)])).into();
    let stages = [
        ("keyed", missing("KEY")),
        ("far", far),
        ("on", Stage::Active),
        ("broken", broken),
        ("bare", Stage::NoTriggers),
    ];
    let told = |best: f32, stages: &[(&str, Stage)]| {
        let (offer, phrases) = (offer("lite", &[]), [like(best)]);
        let near =
            |name: &str| vectors.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, vectors)| vectors);
        let ineligible = stages.iter().map(|(name, stage)| Ineligible {
            capability: (*name).to_owned(),
            tap: "muvon/tap".to_owned(),
            stage: stage.clone(),
            score: None,
        });
        Surface::new(role("developer:general", &[])).route(RouteInput {
            turn: TurnId(3),
            source: IntentSource::Message,
            attempt: Attempt::Wanted,
            intent: LONG,
            excerpt: String::new(),
            eligible: &[Compared { offer: &offer, phrases: &phrases }],
            ineligible: ineligible.collect(),
            near: &near,
            vector: Ok(&like(1.0)),
            model: "test",
            backend: "none",
            encoding_us: 0,
        })
    };
    let routing = told(0.7, &stages);
    assert_eq!(routing.outcome, RouteOutcome::Activated { capability: "lite".to_owned() }, "the order stays");
    let measured: Vec<_> =
        routing.ineligible.iter().filter(|one| one.score.is_some()).map(|one| &one.capability).collect();
    assert_eq!(measured, ["keyed", "on", "broken"]);
    let names: Vec<_> = routing.near_misses().iter().map(|one| one.capability.as_str()).collect();
    assert_eq!(names, ["keyed", "on"], "best first, and only what passes the threshold");
    assert_eq!(routing.near_miss().unwrap().1, "keyed would fit best, but needs KEY, which is not set");
    assert_eq!(told(0.7, &stages[2..]).near_miss().unwrap().1, "on fits best and is on the surface already");
    assert!(told(0.9, &stages).near_misses().is_empty(), "no better than what was compared");
    assert!(told(0.2, &stages[3..]).near_misses().is_empty(), "below the threshold");
    let line = serde_json::to_string(&routing).unwrap();
    assert_eq!(serde_json::from_str::<Routing>(&line).unwrap(), routing);
}
