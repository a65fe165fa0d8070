use std::path::Path;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use super::fakes::Stage;
use super::fakes::*;
use crate::config::{Env, Paths};
use crate::proto::*;
use crate::session::Offers;
use crate::session::encoder::Sentences;
use crate::session::encoder::tests::{held, stand_in, words};
use crate::session::seams::Person;

const RULES: &str = "domains: \"*\"\nrules:\n  - semantic(brew a pot of tea)\n";

fn skill(dir: &Path, name: &str, rules: &str) {
    let folder = dir.join(".agents/skills").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: About {name}.\n{rules}---\nText of {name}.\n");
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
}

fn wanted(dir: &Path, encoder: &Arc<Sentences>) -> Wanted {
    let env = Arc::new(RwLock::new(Env::from_pairs([("HOME", "/nonexistent")])));
    let offers = Offers::new(&Paths::new(dir.join("data"), None), &env, dir.to_owned(), Duration::MAX);
    Wanted { offers: Some(Arc::new(offers)), encoder: Some(Arc::clone(encoder)), ..Wanted::default() }
}

fn states(stage: &Stage) -> Vec<EncoderState> {
    let states = stage.seen.iter().filter_map(|event| match &event.body {
        Body::EncoderChanged(state) => Some(state.clone()),
        _ => None,
    });
    states.collect()
}

fn said_of_it(stage: &Stage) -> Vec<(Level, String)> {
    let notices = stage.seen.iter().filter_map(|event| match &event.body {
        Body::Notice { level, source, text, .. } if source == "encoder" => Some((*level, text.clone())),
        _ => None,
    });
    notices.collect()
}

async fn turn(stage: &mut Stage, number: u32, text: &str) -> String {
    stage.say(text).await;
    let asked = stage.asked().await;
    let heard = said(&asked.request).join("\n");
    asked.answer("fine");
    stage.until_idle(number).await;
    heard
}

fn checks(stage: &Stage, skill: &str) -> Vec<CheckTrace> {
    let last = stage.seen.iter().rev().find_map(|event| match &event.body {
        Body::Decided(Decision::SkillRules { skills, .. }) => Some(skills.clone()),
        _ => None,
    });
    let trace = last.unwrap_or_default().into_iter().find(|trace| trace.skill == skill);
    trace.map(|trace| trace.lines.into_iter().flat_map(|line| line.checks).collect()).unwrap_or_default()
}

fn is_ready(own: &Snapshot) -> bool {
    matches!(own.encoder, EncoderState::Ready { .. })
}

#[tokio::test]
async fn it_is_begun_when_the_start_is_over_and_its_cosines_reach_the_rules() {
    let dir = tempfile::tempdir().unwrap();
    skill(dir.path(), "zz-tea", RULES);
    let encoder = words();
    let mut stage = Stage::open(dir.path(), Wanted { held: true, ..wanted(dir.path(), &encoder) });
    stage.until("the catalogue", |own| !own.catalogue.skills.is_empty()).await;
    assert_eq!(*encoder.state().borrow(), EncoderState::Idle, "servers are still starting");
    stage.settles.notify_one();
    stage.until("the model", is_ready).await;
    assert!(encoder.service().index().get("brew a pot of tea").is_some());
    assert!(encoder.service().index().len() > 100, "the triggers of the starter tap are there");
    let heard = turn(&mut stage, 1, "what is the weather like").await;
    assert!(!heard.contains("Text of zz-tea."));
    assert!(checks(&stage, "zz-tea")[0].cosine.is_some_and(|cosine| cosine < 0.3), "{:?}", checks(&stage, "zz-tea"));
    let heard = turn(&mut stage, 2, "brew a pot of tea please").await;
    let check = &checks(&stage, "zz-tea")[0];
    assert!(check.held && check.cosine.is_some_and(|cosine| cosine > 0.85), "{check:?}");
    assert!(heard.contains("Text of zz-tea."), "{heard}");
    assert_eq!(stage.own.skills[0].cause, SkillCause::Rule { line: 0 });

    skill(dir.path(), "zz-map", "domains: \"*\"\nrules:\n  - semantic(draw a treasure map)\n");
    stage.until("the new skill", |own| own.catalogue.skills.iter().any(|item| item.name == "zz-map")).await;
    let known = || encoder.service().index().get("draw a treasure map").is_some();
    let end = tokio::time::Instant::now() + Duration::from_secs(20);
    while !known() {
        assert!(tokio::time::Instant::now() < end, "the new phrase is read");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(said_of_it(&stage).is_empty(), "{:?}", said_of_it(&stage));
}

#[tokio::test]
async fn a_model_that_is_being_loaded_is_shown_and_holds_no_message_up() {
    let dir = tempfile::tempdir().unwrap();
    skill(dir.path(), "zz-tea", RULES);
    let (encoder, go) = held();
    let mut stage = Stage::open(dir.path(), wanted(dir.path(), &encoder));
    stage.until("the catalogue", |own| !own.catalogue.skills.is_empty()).await;
    let heard = turn(&mut stage, 1, "brew a pot of tea please").await;
    assert!(!heard.contains("Text of zz-tea."));
    let check = &checks(&stage, "zz-tea")[0];
    assert_eq!((check.cosine, check.evidence.as_str()), (None, "model not ready: the sentence model is being loaded"));
    go.send(()).unwrap();
    stage.until("the model", is_ready).await;
    assert!(turn(&mut stage, 2, "brew a pot of tea please").await.contains("Text of zz-tea."));
    let states = states(&stage);
    assert!(states.windows(2).all(|pair| pair[0] != pair[1]), "only changes are told: {states:?}");
    let journal = std::fs::read_to_string(dir.path().join("sessions/play/journal.jsonl")).unwrap();
    assert!(!journal.contains("encoder_changed"), "it is of the process, not of the session");
}

#[tokio::test]
async fn a_build_without_the_model_says_so_once_and_quietly() {
    for (named, person, expected) in [
        (false, Person::Present, vec![Level::Info]),
        (false, Person::Absent, vec![]),
        (true, Person::Absent, vec![Level::Warning]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        skill(dir.path(), "zz-tea", RULES);
        let encoder = stand_in(named);
        let mut stage = Stage::open(dir.path(), Wanted { person, ..wanted(dir.path(), &encoder) });
        for number in 1..=3 {
            turn(&mut stage, number, "brew a pot of tea please").await;
        }
        stage.until("the state", |own| matches!(own.encoder, EncoderState::Failed { .. })).await;
        let EncoderState::Failed { why, advice } = &stage.own.encoder else { unreachable!() };
        assert_eq!(why, "this build comes without a sentence model");
        assert!(!advice.is_empty());
        let levels: Vec<Level> = said_of_it(&stage).into_iter().map(|(level, _)| level).collect();
        assert_eq!(levels, expected, "named {named}, {person:?}");
        let cells = stage.lines().into_iter().filter(|line| line.contains("entence")).count();
        assert_eq!(cells, 0, "it stands in the notes: {:?}", stage.lines());
    }
}
