use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use super::likeness::{Likened, Waits};
use super::*;
use crate::embed::bag::{self, Bag};
use crate::embed::discover::Method;
use crate::embed::model::ModelError;
use crate::embed::service::Source;
use crate::embed::{Encoder, Unready};
use crate::session::Offers;
use crate::tap::fixture::{agent, capability, catalogue, four_taps, provider};
use crate::tap::skill::judge::Likeness;
use crate::tap::{self, Agent, Catalogue, Uses};

const DEADLINE: Duration = Duration::from_secs(20);
/// A machine that is busy with other tests makes no difference.
const PATIENT: Waits = Waits { message: DEADLINE, loading: DEADLINE, reading: DEADLINE };

fn made(make: impl FnOnce() -> Result<Arc<dyn Encoder>, ModelError> + Send + 'static) -> Sentences {
    Sentences::over(Service::new(Options { source: Source::Made(Box::new(make)), vectors: None }), false, PATIENT)
}

/// Sentences are as like as their words.
pub fn words() -> Arc<Sentences> {
    Arc::new(made(|| Ok(Arc::new(Bag::default()))))
}

/// Takes its time for texts that begin like this.
pub fn sluggish(begin: &'static str, each: Duration) -> Arc<Sentences> {
    struct Sluggish(&'static str, Duration, Bag);
    impl Encoder for Sluggish {
        fn identity(&self) -> &crate::embed::Identity {
            self.2.identity()
        }

        fn encode(&self, text: &str) -> Result<crate::embed::Vector, crate::embed::EncodeError> {
            if text.starts_with(self.0) {
                std::thread::sleep(self.1);
            }
            self.2.encode(text)
        }
    }
    Arc::new(made(move || Ok(Arc::new(Sluggish(begin, each, Bag::default())))))
}

/// Loads when the test says so; a message waits so long for it.
pub fn held_for(reading: Duration) -> (Arc<Sentences>, Sender<()>) {
    let (go, wait) = channel();
    let make = move || {
        wait.recv_timeout(DEADLINE).unwrap();
        Ok(Arc::new(Bag::default()) as Arc<dyn Encoder>)
    };
    let service = Service::new(Options { source: Source::Made(Box::new(make)), vectors: None });
    (Arc::new(Sentences::over(service, false, Waits { reading, loading: reading, ..PATIENT })), go)
}

/// Loads when the test says so.
pub fn held() -> (Arc<Sentences>, Sender<()>) {
    let (go, wait) = channel();
    let make = move || {
        wait.recv_timeout(DEADLINE).unwrap();
        Ok(Arc::new(Bag::default()) as Arc<dyn Encoder>)
    };
    (Arc::new(made(make)), go)
}

/// As a build without the model's files.
pub fn stand_in(named: bool) -> Arc<Sentences> {
    let source = Source::Made(Box::new(|| Err(ModelError::NotInBuild)));
    Arc::new(Sentences::over(Service::new(Options { source, vectors: None }), named, PATIENT))
}

async fn ready(sentences: &Sentences, phrases: usize) {
    let mut state = sentences.state();
    let there = |state: &EncoderState| {
        let index = sentences.service().index();
        matches!(state, EncoderState::Ready { .. }) && index.is_complete() && index.len() == phrases
    };
    tokio::time::timeout(DEADLINE, state.wait_for(there)).await.expect("it is ready in time").unwrap();
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn sessions_of_a_process_share_one_encoder_of_a_setting() {
    let dir = tempfile::tempdir().unwrap();
    let (paths, env) = (Paths::new(dir.path().to_owned(), None), Env::from_pairs([("HOME", "/nonexistent")]));
    let one = Sentences::of_process("embedded", &paths, &env);
    let two = Sentences::of_process("embedded", &paths, &env);
    let other = Sentences::of_process("owner/model", &paths, &env);
    assert!(Arc::ptr_eq(&one.process, &two.process) && !Arc::ptr_eq(&one.process, &other.process));
    assert!(!one.is_named() && other.is_named());
    assert_eq!(*one.state().borrow(), EncoderState::Idle, "nothing is loaded");
    let gone = Arc::downgrade(&one.process);
    drop((one, two));
    assert!(gone.upgrade().is_none(), "the last session takes it along");
}

#[tokio::test]
async fn what_another_session_wants_stays_until_that_session_is_over() {
    let one = words();
    let two = Sentences::of(Arc::clone(&one.process));
    one.want(Vec::new());
    assert_eq!(*one.state().borrow(), EncoderState::Idle, "nothing is wanted, nothing is begun");
    one.want(texts(&["send a letter", "draw a map"]));
    ready(&one, 2).await;
    two.want(texts(&["draw a map", "bake a cake"]));
    ready(&one, 3).await;
    one.want(texts(&["send a letter"]));
    ready(&one, 3).await;
    drop(two);
    one.want(texts(&["send a letter"]));
    ready(&one, 1).await;
}

fn skilled(dir: &Path, head: &str) -> Arc<Offers> {
    let folder = dir.join(".agents/skills/zz-tea");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("SKILL.md"), format!("---\nname: zz-tea\ndescription: Tea.\n{head}---\nSteep.\n"))
        .unwrap();
    let env = Env::from_pairs([("HOME", "/nonexistent")]);
    let paths = Paths::new(dir.join("data"), None);
    Arc::new(Offers::new(&paths, &Arc::new(RwLock::new(env)), dir.to_owned(), Duration::MAX))
}

const TEA: &str = "domains: zz-kitchen\nrules:\n  - semantic(brew a pot of tea)\n  - semantic(boil some water)\n";

async fn likened(sentences: &Arc<Sentences>, offers: &Arc<Offers>, message: &str, domain: &str) -> Likened {
    liken(Some(sentences), offers, message, (domain, &[]), Patience::Now).await
}

#[tokio::test]
async fn a_message_is_likened_only_where_a_rule_asks_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let offers = skilled(dir.path(), TEA);
    let sentences = words();
    assert!(matches!(likened(&sentences, &offers, "no", "zz-kitchen").await, Likened::Not(_)), "too short");
    let active: Vec<String> = offers.catalogue().skills.iter().map(|skill| skill.name.clone()).collect();
    let rest = liken(Some(&sentences), &offers, "brew a pot of tea", ("zz-kitchen", &active), Patience::Now).await;
    assert_eq!(rest.cosine("brew a pot of tea"), Err("model not ready: nothing asks for it".to_owned()));
    assert_eq!(*sentences.state().borrow(), EncoderState::Idle, "nothing is loaded for it");
    let asked = super::phrases::in_question(&offers.catalogue(), "zz-kitchen", &[]);
    assert!(asked.contains(&"boil some water".to_owned()), "{asked:?}");
    assert!(phrases(&offers.catalogue()).len() > asked.len(), "triggers are wanted too");
}

#[tokio::test]
async fn what_rules_in_reach_ask_for_is_read_before_there_is_a_message() {
    let dir = tempfile::tempdir().unwrap();
    let offers = skilled(dir.path(), TEA);
    let asked = super::phrases::in_question(&offers.catalogue(), "zz-kitchen", &[]);
    let sentences = words();
    want_early(&sentences, &offers, "zz-kitchen");
    ready(&sentences, asked.len()).await;
    let elsewhere = words();
    let task = want_early(&elsewhere, &offers, "zz-garden");
    let asked = super::phrases::in_question(&offers.catalogue(), "zz-garden", &[]);
    if asked.is_empty() {
        task.await.unwrap();
        assert_eq!(*elsewhere.state().borrow(), EncoderState::Idle, "nothing is loaded where no rule asks for it");
    } else {
        ready(&elsewhere, asked.len()).await;
    }
}

#[tokio::test]
async fn what_is_not_ready_says_so_and_holds_nothing_up() {
    let dir = tempfile::tempdir().unwrap();
    let offers = skilled(dir.path(), TEA);
    let (sentences, go) = held();
    let begun = std::time::Instant::now();
    let refused = likened(&sentences, &offers, "brew a pot of tea", "zz-kitchen").await;
    assert_eq!(
        refused.cosine("brew a pot of tea"),
        Err("model not ready: the sentence model is being loaded".to_owned())
    );
    assert!(begun.elapsed() < DEADLINE / 2);
    go.send(()).unwrap();
    ready(&sentences, phrases(&offers.catalogue()).len()).await;
    let message = "please <log>boil boil</log> brew a pot of tea";
    let likened = likened(&sentences, &offers, message, "zz-kitchen").await;
    let expected =
        crate::embed::similarity(&bag::vector("please brew a pot of tea"), &bag::vector("brew a pot of tea"));
    let cosine = likened.cosine("brew a pot of tea").unwrap();
    assert!((cosine - expected).abs() < 1e-5, "{cosine} {expected}: blocks are left out");
    assert!(likened.cosine("never wanted").unwrap_err().contains("no vector"));
    let failed = stand_in(false);
    let words = "model not ready: the sentence model cannot be used: this build comes without a sentence model";
    let refused = liken(Some(&failed), &offers, message, ("zz-kitchen", &[]), Patience::WhileLoading).await;
    assert_eq!(refused.cosine("brew a pot of tea"), Err(words.to_owned()));
}

#[tokio::test]
async fn without_a_person_the_message_waits_for_a_model_that_is_being_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let offers = skilled(dir.path(), TEA);
    let likened =
        liken(Some(&words()), &offers, "brew a pot of tea", ("zz-kitchen", &[]), Patience::WhileLoading).await;
    assert!(likened.cosine("brew a pot of tea").unwrap() > 0.99);
}

/// `None` where the pilot's model is not at hand.
fn pilot() -> Option<std::path::PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("OCTOMIND_SHARED").map_or_else(beside, std::path::PathBuf::from);
    let folder = shared.join("data/routing/pilot");
    folder.join("model_int8.onnx").is_file().then_some(folder)
}

#[tokio::test]
async fn a_model_of_a_directory_likens_what_means_the_same_and_ranks_agents() {
    let Some(folder) = pilot() else { return println!("skipped: no model at hand") };
    let dir = tempfile::tempdir().unwrap();
    let (paths, env) = (Paths::new(dir.path().join("data"), None), Env::from_pairs([("HOME", "/nonexistent")]));
    let sentences = Sentences::of_process(&folder.display().to_string(), &paths, &env);
    let (tea, sky) = ("make a cup of tea", "watch the stars with a telescope");
    sentences.want(texts(&[tea, sky]));
    ready(&sentences, 2).await;
    let beside = sentences.service().beside("could you brew some tea for me", crate::embed::Patience::Now).await;
    let likened = Likened::Beside(beside.unwrap());
    let (near, far) = (likened.cosine(tea).unwrap(), likened.cosine(sky).unwrap());
    assert!(near > far + 0.2, "{near} {far}");
    assert!(sentences.service().notes().is_empty(), "{:?}", sentences.service().notes());
    let task = "the roses have to be pruned before winter";
    let ranking = sentences.specialist(&agents(), "garden:chief", task, DEADLINE).await.unwrap();
    assert_eq!(ranking.ranked[0].tag, "garden:roses", "{ranking:?}");
    assert_eq!(ranking.model, folder.display().to_string());
    let again = Sentences::of_process(&folder.display().to_string(), &paths, &env);
    again.want(texts(&[tea, sky]));
    ready(&again, 2).await;
}

/// Says nothing before the test lets go of it.
struct Slow(std::sync::Mutex<std::sync::mpsc::Receiver<()>>, Bag);

impl Encoder for Slow {
    fn identity(&self) -> &crate::embed::Identity {
        self.1.identity()
    }

    fn encode(&self, text: &str) -> Result<crate::embed::Vector, crate::embed::EncodeError> {
        // An error is the test's end.
        let _ = self.0.lock().unwrap().recv_timeout(DEADLINE);
        self.1.encode(text)
    }
}

#[tokio::test]
async fn a_loaded_model_that_does_not_answer_is_given_up_on() {
    let dir = tempfile::tempdir().unwrap();
    let offers = skilled(dir.path(), TEA);
    let (_go, wait) = channel();
    let slow: Arc<dyn Encoder> = Arc::new(Slow(std::sync::Mutex::new(wait), Bag::default()));
    let source = Source::Made(Box::new(move || Ok(slow)));
    let waits = Waits { message: Duration::from_millis(20), loading: Duration::ZERO, reading: Duration::ZERO };
    let sentences = Sentences::over(Service::new(Options { source, vectors: None }), false, waits);
    sentences.service().start();
    let mut state = sentences.state();
    tokio::time::timeout(DEADLINE, state.wait_for(|_| sentences.service().is_loaded())).await.unwrap().unwrap();
    let refused =
        liken(Some(&sentences), &offers, "brew a pot of tea", ("zz-kitchen", &[]), Patience::WhileLoading).await;
    let words = "model not ready: the message had no vector after 20 ms";
    assert_eq!(refused.cosine("brew a pot of tea"), Err(words.to_owned()));
}

fn of(tag: &str, title: &str, description: &str, uses: &[&str]) -> Arc<Agent> {
    let tap = &four_taps()[0];
    let uses = uses.iter().map(|entry| Uses::parse(entry).unwrap()).collect();
    Arc::new(Agent { title: title.into(), description: description.into(), uses, ..(*agent(tap, tag)).clone() })
}

fn agents() -> Catalogue {
    let agents = vec![
        of("assistant:chief", "Concierge", "Hands out work", &["*"]),
        of("garden:chief", "Garden chief", "Leads the garden", &["kitchen", "music:drums"]),
        of("garden:roses", "Rose gardener", "Prunes and waters roses", &[]),
        of("garden:trees", "Tree surgeon", "Fells and grafts trees", &[]),
        of("garden:mute", "", "", &[]),
        of("kitchen:chief", "Head cook", "Plans a menu", &[]),
        of("kitchen:baker", "Baker", "Bakes bread", &[]),
        of("music:drums", "Drummer", "Plays drums", &[]),
    ];
    catalogue(&four_taps(), agents, Vec::new())
}

#[test]
fn agents_are_reached_in_the_own_domain_and_where_declared() {
    let table = [
        ("garden:chief", "garden:mute garden:roses garden:trees kitchen:chief music:drums"),
        ("garden:roses", "garden:chief garden:mute garden:trees"),
        ("assistant:chief", "garden:chief kitchen:chief"),
    ];
    for (caller, expected) in table {
        let reached: Vec<String> = reach(&agents(), caller).iter().map(|agent| agent.tag.to_string()).collect();
        assert_eq!(reached.join(" "), expected, "{caller}");
    }
    for caller in ["local", "garden:gone", ""] {
        assert_eq!(reach(&agents(), caller).len(), 8, "{caller:?} is no agent of a tap");
    }
}

#[test]
fn the_rule_for_specialists_is_at_045_and_006() {
    let vector = |degrees: f32| {
        let angle = degrees.to_radians();
        crate::embed::Vector::new(vec![angle.cos(), angle.sin()]).unwrap()
    };
    let at = |cosine: f32| vector(cosine.acos().to_degrees());
    let ranked = |cosines: &[(&str, f32)]| {
        let agents: Vec<_> = cosines.iter().map(|(tag, cosine)| ((*tag).to_owned(), at(*cosine))).collect();
        rank("a:chief", "a task", &vector(0.0), &agents)
    };
    let ranking = ranked(&[("a:one", 0.40), ("a:two", 0.47)]);
    assert_eq!(ranking.choice, Choice::Agent("a:two".into()));
    assert_eq!(ranking.ranked.iter().map(|ranked| ranked.tag.as_str()).collect::<Vec<_>>(), ["a:two", "a:one"]);
    assert_eq!((ranking.threshold, ranking.least_margin), (0.45, 0.06));
    assert!((ranking.margin - 0.07).abs() < 1e-3, "{}", ranking.margin);
    let why = |cosines: &[(&str, f32)]| match ranked(cosines).choice {
        Choice::None(why) => why,
        Choice::Agent(tag) => panic!("{tag}"),
    };
    assert_eq!(why(&[("a:one", 0.44)]), "the nearest, a:one, is at 0.440; it would have to be at 0.45");
    assert_eq!(
        why(&[("a:one", 0.60), ("a:two", 0.56)]),
        "a:one at 0.600 and a:two at 0.560 are too close; the lead would have to be 0.06"
    );
    assert_eq!(why(&[]), "no agent is in reach that says what it does");
}

#[test]
fn both_edges_of_the_rule_for_specialists() {
    use crate::embed::gate::{Rule, Score, Top, verdict};
    let score = |name, score| Score { name, candidate: 0, score, top: Top::default() };
    let table: [(&[f32], bool); 8] = [
        (&[0.4499], false),
        (&[0.45], true),
        (&[0.45, 0.3901], false),
        (&[0.45, 0.39], true),
        (&[0.5599, 0.5], false),
        (&[0.56, 0.5], true),
        (&[0.4499, 0.1], false),
        (&[], false),
    ];
    for (scores, passes) in table {
        let scores: Vec<_> = scores.iter().zip(["one", "two"]).map(|(at, name)| score(name, *at)).collect();
        let found = verdict(&scores, Rule::SPECIALIST);
        assert_eq!(found.activated(), passes.then_some("one"), "{scores:?}");
    }
}

#[tokio::test]
async fn a_task_goes_to_the_agent_that_says_it_does_it() {
    let sentences = words();
    let task = "the rose gardener prunes and waters";
    let ranking = sentences.specialist(&agents(), "garden:chief", task, DEADLINE).await.unwrap();
    assert_eq!(ranking.choice, Choice::Agent("garden:roses".into()), "{ranking:?}");
    assert_eq!((ranking.model.as_str(), ranking.backend.as_str()), ("embedded", "words"));
    assert_eq!(ranking.left_out, [("garden:mute".to_owned(), "it has neither a title nor a description".to_owned())]);
    assert_eq!((ranking.ranked.len(), ranking.task.len()), (4, 64));
    let short = sentences.specialist(&agents(), "garden:chief", "go", DEADLINE).await.unwrap();
    assert_eq!(short.choice, Choice::None("the task has fewer than 8 characters".into()));
    let (loading, _go) = held();
    let refused = loading.specialist(&agents(), "garden:chief", task, Duration::from_millis(5)).await;
    assert!(matches!(refused, Err(Unready::NotReady(_))), "{refused:?}");
    let refused = stand_in(false).specialist(&agents(), "garden:chief", task, DEADLINE).await.unwrap_err();
    assert!(refused.to_string().contains("without a sentence model"), "{refused}");
}

fn offered() -> Catalogue {
    let taps = four_taps();
    let of = |tap: usize, name: &str, domains: &[&str], triggers: &[&str]| {
        let mut provider = provider(name);
        (provider.title, provider.description) = (format!("The {name}"), format!("Does {name} things"));
        let made = capability(&taps[tap], name, &[provider]);
        Arc::new(tap::Capability { domains: texts(domains), triggers: texts(triggers), ..(*made).clone() })
    };
    let capabilities = vec![
        of(0, "kettle", &[], &["brew a pot of tea", "boil some water"]),
        of(1, "kettle", &[], &["prune the roses"]),
        of(0, "shears", &["garden"], &["prune the roses", "cut the hedge"]),
        of(0, "plain", &[], &[]),
    ];
    catalogue(&taps, Vec::new(), capabilities)
}

#[tokio::test]
async fn capabilities_are_found_by_meaning_or_by_words_and_it_is_said_which() {
    let names = |found: &Discovered| found.found.iter().map(|one| one.name.clone()).collect::<Vec<_>>().join(" ");
    let sentences = words();
    let query = "prune some roses";
    let refused = stand_in(false).service().beside(query, crate::embed::Patience::Forever).await.unwrap_err();
    let by_words = discover(&offered(), "garden", query, Err(&refused));
    assert_eq!((by_words.method, names(&by_words).as_str()), (Method::Words, "shears kettle"));
    let why = "Compared by words: the sentence model cannot be used: this build comes without a sentence model.";
    assert_eq!(by_words.sentence(), why);

    sentences.want(texts(&["brew a pot of tea"]));
    ready(&sentences, 1).await;
    let partly = sentences.service().beside(query, crate::embed::Patience::Forever).await.unwrap();
    let by_words = discover(&offered(), "garden", query, Ok(&partly));
    assert_eq!(by_words.sentence(), "Compared by words: the triggers of 1 of 2 are not read yet.");
    assert_eq!(names(&by_words), "shears kettle");

    let wanted = phrases(&offered());
    sentences.want(wanted.clone());
    ready(&sentences, wanted.len()).await;
    let beside = sentences.service().beside(query, crate::embed::Patience::Forever).await.unwrap();
    let found = discover(&offered(), "garden", query, Ok(&beside));
    assert_eq!((found.method, found.sentence().as_str()), (Method::Meaning, "Compared by meaning."));
    assert_eq!(found.found[0].name, "shears");
    assert_eq!(
        (found.found[0].title.as_str(), found.found[0].description.as_str()),
        ("The shears", "Does shears things")
    );
    for domain in ["", "kitchen"] {
        assert!(!names(&discover(&offered(), domain, query, Ok(&beside))).contains("shears"), "{domain:?}");
    }
    let none = discover(&catalogue(&[], Vec::new(), Vec::new()), "garden", query, Ok(&beside));
    assert!(none.found.is_empty());
}

#[tokio::test]
async fn what_was_used_last_is_read_first_in_the_next_session() {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::new(dir.path().to_owned(), None);
    let offered = phrases(&offered());
    let (first, last) = {
        let plain = offered.clone().in_order(&[]);
        (plain[0].clone(), plain[plain.len() - 1].clone())
    };
    assert_ne!(first, last);
    let before = Arc::into_inner(words()).unwrap().remembering(&paths);
    before.want(offered.clone());
    assert_eq!(lock(&before.process.wishes).told[0], first);
    let owner = offered.owner_of(&last).unwrap();
    before.used(&owner);
    let recent = Recent::at(&paths);
    tokio::time::timeout(DEADLINE, async {
        while recent.names() != Ok(vec![owner.clone()]) {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("it is kept");
    let after = Arc::into_inner(words()).unwrap().remembering(&paths);
    after.want(offered);
    let told = lock(&after.process.wishes).told.clone();
    assert!(told.iter().position(|text| *text == last) < told.iter().position(|text| *text == first), "{told:?}");
}

#[tokio::test]
async fn a_spoilt_memory_of_use_is_said_once_and_costs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("used.json"), "spoilt").unwrap();
    let sentences = Arc::into_inner(words()).unwrap().remembering(&Paths::new(dir.path().to_owned(), None));
    let wanted = phrases(&offered());
    sentences.want(wanted.clone());
    ready(&sentences, wanted.len()).await;
    sentences.want(phrases(&catalogue(&[], Vec::new(), Vec::new())));
    sentences.want(wanted.clone());
    let notes = sentences.service().notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("used.json is ignored, so what was used last is not known"), "{notes:?}");
}

/// The model is loaded and everything is read, but the machine is busy: the message itself takes long.
#[tokio::test]
async fn a_message_whose_vector_takes_long_is_waited_for() {
    struct Busy(Duration, Bag);
    impl Encoder for Busy {
        fn identity(&self) -> &crate::embed::Identity {
            self.1.identity()
        }

        fn encode(&self, text: &str) -> Result<crate::embed::Vector, crate::embed::EncodeError> {
            if text.starts_with("slow") {
                std::thread::sleep(self.0);
            }
            self.1.encode(text)
        }
    }
    let hasty = |reading| Waits { message: Duration::from_millis(10), loading: DEADLINE, reading };
    let opened = |reading, takes| {
        let make = move || Ok(Arc::new(Busy(takes, Bag::default())) as Arc<dyn Encoder>);
        let service = Service::new(Options { source: Source::Made(Box::new(make)), vectors: None });
        Sentences::over(service, false, hasty(reading))
    };
    let heard = async |sentences: &Sentences, stop: &tokio_util::sync::CancellationToken| {
        sentences.want(texts(&["send a letter"]));
        ready(sentences, 1).await;
        let phrases = texts(&["send a letter"]);
        compare_when_read(Some(sentences), "slow letter", phrases, Patience::Now, stop).await
    };
    let stop = tokio_util::sync::CancellationToken::new();
    let (beside, wait) = heard(&opened(DEADLINE, Duration::from_millis(120)), &stop).await;
    assert!(beside.is_ok(), "it is compared");
    assert!(matches!(wait, crate::proto::RouteWait::Waited { ms } if ms >= 100), "{wait:?}");
    // Longer than the longest wait: said as it is, and not as a model that is not there.
    let (beside, wait) = heard(&opened(Duration::from_millis(60), Duration::from_millis(600)), &stop).await;
    let Err(encoder) = beside else { panic!("it has no vector yet") };
    assert!(matches!(wait, crate::proto::RouteWait::Overdue { ms } if ms >= 60), "{wait:?}");
    let skip = crate::proto::Skip::EncoderNotReady { encoder };
    assert!(skip.sentence().contains("had no vector in time"), "{}", skip.sentence());
    stop.cancel();
    let (beside, wait) = heard(&opened(DEADLINE, Duration::from_millis(300)), &stop).await;
    assert!(beside.is_err() && matches!(wait, crate::proto::RouteWait::WentOn { .. }), "{wait:?}");
}
