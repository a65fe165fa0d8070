use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::cli::args::{CommandLine, Subcommands, parse};
use crate::cli::table::Paint;
use crate::embed::bag::Bag;
use crate::embed::model::ModelError;
use crate::embed::service::Source;
use crate::embed::{EncodeError, Encoder, Identity, Vector};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/routing")
}

struct Ended {
    code: ExitCode,
    out: String,
    err: String,
}

impl Ended {
    fn is(&self, exit: Exit) -> bool {
        self.code == ExitCode::from(exit)
    }
}

/// Runs the command with an encoder of ours, in the folder of the test data.
fn run_with(words: &[&str], make: Source, asked: &str) -> Ended {
    let line = parse(["octomind", "routing"].iter().chain(words).copied()).unwrap();
    let CommandLine { command: Some(Subcommands::Routing { command }), .. } = line else { panic!("{line:?}") };
    let home = tempfile::tempdir().unwrap();
    let env = Env::default();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let work = Work {
        paths: &Paths::new(home.path().to_path_buf(), None),
        env: &env,
        workdir: &data(),
        service: Service::new(Options { source: make, vectors: None }),
        model: asked.to_owned(),
        look: Look { columns: 110, paint: Paint::Plain },
        out: &mut out,
        err: &mut err,
        progress: encode::Progress::Silent,
    };
    let code = run_in(&command, work).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { code, out: text(out), err: text(err) }
}

fn run(words: &[&str]) -> Ended {
    run_with(words, Source::Made(Box::new(|| Ok(Arc::new(Bag::default())))), "embedded")
}

#[test]
fn the_linter_on_a_tap_with_planted_collisions() {
    let ended = run(&["lint", "tap", "--skills"]);
    assert!(ended.is(Exit::Failed), "{}", ended.err);
    insta::assert_snapshot!("lint", ended.out);
}

#[test]
fn the_linter_as_json() {
    let ended = run(&["lint", "tap", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((value["version"].as_u64(), value["encoder"]["backend"].as_str()), (Some(1), Some("words")));
    let places: Vec<&str> =
        value["findings"].as_array().unwrap().iter().filter_map(|found| found["trigger"]["place"].as_str()).collect();
    assert!(places.contains(&"capabilities/invoices/config.toml:3"), "{places:?}");
    assert_eq!(value["capabilities"].as_array().unwrap().len(), 6);
}

#[test]
fn warnings_count_only_when_strict() {
    let folder = tempfile::tempdir().unwrap();
    let capability = folder.path().join("capabilities/lamp");
    std::fs::create_dir_all(&capability).unwrap();
    for file in ["config.toml", "default.toml"] {
        std::fs::copy(data().join("tap/capabilities/lamp").join(file), capability.join(file)).unwrap();
    }
    let tap = folder.path().to_str().unwrap();
    let relaxed = run(&["lint", tap]);
    assert!(relaxed.is(Exit::Done), "{}{}", relaxed.out, relaxed.err);
    assert!(relaxed.out.contains("warning: lamp [few]"), "{}", relaxed.out);
    assert!(run(&["lint", tap, "--strict"]).is(Exit::Failed));
}

#[test]
fn the_evaluation_as_tables() {
    let ended = run(&["eval", "messages.jsonl", "--tap", "tap"]);
    assert!(ended.is(Exit::Done), "{}", ended.err);
    insta::assert_snapshot!("eval", ended.out);
    insta::assert_snapshot!("eval_left_out", ended.err);
}

#[test]
fn the_evaluation_as_json_with_floors() {
    let words = ["eval", "messages.jsonl", "--tap", "tap", "--json", "--floor", "top1=1,wrong=0.2,null=1"];
    let ended = run(&words);
    assert!(ended.is(Exit::Failed), "{}", ended.err);
    let value: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let missed: Vec<_> = value["floors_missed"].as_array().unwrap().iter().map(|missed| &missed["floor"]).collect();
    assert_eq!(missed, ["top1"]);
    assert_eq!(value["report"]["counts"]["rows"], 10);
    assert_eq!(value["bad_rows"][0]["line"], 12);
    assert_eq!(value["unknown_labels"][0]["similar"], "lamp");
    assert_eq!((&value["candidates"]["capabilities"], &value["candidates"]["skills"]), (&6.into(), &1.into()));
    let fields: Vec<&String> = value.as_object().unwrap().keys().collect();
    for field in fields {
        assert!(EVAL_HELP.contains(field.as_str()), "--help does not tell of `{field}`");
    }
}

fn named(name: &str, phrases: &[&str]) -> source::Named {
    let phrase = |text: &&str| source::Phrase { text: (*text).to_owned(), place: String::new() };
    source::Named { name: name.to_owned(), phrases: phrases.iter().map(phrase).collect() }
}

#[test]
fn a_skill_is_one_more_candidate_or_lends_its_phrases() {
    let read = source::Read {
        capabilities: vec![named("rust", &["build the crate"]), named("docker", &["build an image"])],
        skills: vec![named("rust", &["build the crate", "explain lifetimes"]), named("essay", &["write an essay"])],
        notes: Vec::new(),
    };
    let (without, sizes) = read.named(false);
    assert_eq!((without.len(), sizes.capabilities, sizes.skills, sizes.triggers), (2, 2, 0, 2));
    let (with, sizes) = read.named(true);
    assert_eq!((sizes.capabilities, sizes.skills, sizes.triggers), (2, 1, 4));
    let names: Vec<(&str, usize)> = with.iter().map(|named| (named.name.as_str(), named.phrases.len())).collect();
    assert_eq!(names, [("docker", 1), ("essay", 1), ("rust", 2)]);
    assert!(read.is_skill("essay") && !read.is_skill("rust"));
}

#[test]
fn skills_are_left_out_when_told_so() {
    let ended = run(&["eval", "messages.jsonl", "--tap", "tap", "--skills=without"]);
    assert!(ended.err.contains("messages.jsonl:10: nothing is called `tidy-desk`, rows: 1"), "{}", ended.err);
    assert!(ended.err.contains("it is a skill: --skills"), "{}", ended.err);
    assert!(ended.out.starts_with("9 rows against 6 capabilities, "), "{}", ended.out);
}

#[test]
fn input_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap();
    let unknown = folder.path().join("rows.jsonl");
    std::fs::write(&unknown, "{\"intent\": \"x\", \"label\": \"zzz\"}\n").unwrap();
    let cases: [(&[&str], &str); 5] = [
        (&["eval", "none.jsonl"], "none.jsonl: No such file"),
        (&["eval", "messages.jsonl", "--tap", "nowhere"], "nowhere: No such file"),
        (&["eval", "messages.jsonl", "--tap", empty], "no capability with triggers was found"),
        (&["eval", unknown.to_str().unwrap(), "--tap", "tap"], "no row is left to measure"),
        (&["lint", empty], "no capability with triggers was found"),
    ];
    for (words, why) in cases {
        let ended = run(words);
        assert!(ended.is(Exit::BadInput) && ended.out.is_empty(), "{words:?}: {}", ended.out);
        assert!(ended.err.contains(why), "{words:?}: {}", ended.err);
    }
}

#[test]
fn another_encoder_than_the_one_asked_for_is_refused() {
    let made = || Source::Made(Box::new(|| Ok(Arc::new(Bag::default()) as Arc<dyn Encoder>)));
    let ended = run_with(&["lint", "tap"], made(), "somebody/else");
    assert!(ended.is(Exit::Failed) && ended.out.is_empty());
    assert!(ended.err.contains("`somebody/else` cannot be used"), "{}", ended.err);
    let none = Source::Made(Box::new(|| Err(ModelError::NotInBuild)));
    let ended = run_with(&["lint", "tap"], none, "embedded");
    assert!(ended.is(Exit::Failed), "{}", ended.err);
    assert!(ended.err.contains("this build comes without a sentence model\nhint: "), "{}", ended.err);
}

/// Chokes on some texts.
struct Choking(Bag);

impl Encoder for Choking {
    fn identity(&self) -> &Identity {
        self.0.identity()
    }

    fn encode(&self, text: &str) -> Result<Vector, EncodeError> {
        if text.contains("lovely") { Err(EncodeError::Model("it choked".to_owned())) } else { self.0.encode(text) }
    }
}

#[test]
fn a_message_that_the_encoder_chokes_on_costs_itself_only() {
    let made = Source::Made(Box::new(|| Ok(Arc::new(Choking(Bag::default())))));
    let ended = run_with(&["eval", "messages.jsonl", "--tap", "tap", "--json"], made, "embedded");
    let value: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(value["report"]["counts"]["rows"], 9);
    assert_eq!(value["bad_rows"][1]["line"], 7);
    assert!(ended.err.contains("messages.jsonl:7: the model failed on this text: it choked"), "{}", ended.err);
}
