use std::path::Path;

use super::*;
use crate::cli::args::{CommandLine, Subcommands, parse};
use crate::cli::table::{Look, Paint};
use crate::embed::Encoder;
use crate::embed::bag::Bag;
use crate::embed::service::Source;
use crate::embed::{Options, Service};
use crate::proto::{Body, Event, Seq, SurfaceTool, SurfaceView};
use crate::session::journal::JOURNAL;
use crate::tap::{Tap, TapKind};

const SQL: &str = "\
triggers = [\"query the postgres schema\"]
";
const PODS: &str = "\
triggers = [\"list the kubernetes pods\"]
domains = [\"ops\"]
";
const KEYED: &str = "\
triggers = [\"post a message to the channel\"]
";

fn provider(server: &str, rest: &str) -> String {
    format!(
        "# Title: Title of {server}\n# Description: Does {server}\n[roles.mcp]\nserver_refs = [\"{server}\"]\n\
         allowed_tools = [\"{server}:query\"]\n[[mcp.servers]]\nname = \"{server}\"\ntype = \"stdio\"\n\
         command = \"{server}\"\nargs = []\ntimeout_seconds = 30\ntools = []\n{rest}"
    )
}

fn tap(root: &Path) -> Arc<Tap> {
    for (name, config, file) in [
        ("postgres", SQL, provider("pg", "")),
        ("pods", PODS, provider("kube", "")),
        ("slack", KEYED, provider("slack", "env = { SLACK_TOKEN = \"{{ENV:SLACK_TOKEN}}\" }\n")),
    ] {
        let folder = root.join("capabilities").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), config).unwrap();
        std::fs::write(folder.join("default.toml"), file).unwrap();
    }
    let (name, root) = ("local/tap".to_owned(), root.to_owned());
    Arc::new(Tap { name, kind: TapKind::Linked, root, unavailable: None })
}

struct Ended {
    exit: Exit,
    out: String,
    err: String,
}

fn run(words: &[&str], env: &Env) -> Ended {
    run_with(words, env, |_, _| ())
}

/// `more`: writes more into the home folder and the tap.
fn run_with(words: &[&str], env: &Env, more: impl FnOnce(&Path, &Path)) -> Ended {
    let line = parse(["octomind", "what-if"].iter().chain(words).copied()).unwrap();
    let CommandLine { command: Some(Subcommands::WhatIf(arguments)), .. } = line else { panic!("{line:?}") };
    let home = tempfile::tempdir().unwrap();
    let root = tempfile::tempdir().unwrap();
    more(home.path(), root.path());
    let catalogue = build(&Places { taps: vec![tap(root.path())], ..Places::default() });
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let made = Source::Made(Box::new(|| Ok(Arc::new(Bag::default()) as Arc<dyn Encoder>)));
    let mut work = Work {
        paths: &Paths::new(home.path().to_path_buf(), None),
        env,
        workdir: home.path(),
        service: Service::new(Options { source: made, vectors: None }),
        model: "embedded".to_owned(),
        look: Look { columns: 100, paint: Paint::Plain },
        out: &mut out,
        err: &mut err,
        progress: encode::Progress::Silent,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = Config::template();
    let ended = runtime.block_on(run_in(&arguments, Arc::new(catalogue), &config, &mut work));
    let exit = said(ended, work.err).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { exit, out: text(out), err: text(err) }
}

fn json(words: &[&str], env: &Env) -> serde_json::Value {
    let ended = run(&[words, &["--format", "json"]].concat(), env);
    assert_eq!(ended.exit, Exit::Done, "{}", ended.err);
    serde_json::from_str(&ended.out).unwrap()
}

fn role() -> String {
    Config::template().roles[0].name.clone()
}

#[test]
fn a_message_that_one_capability_is_for() {
    let told = json(&["query the postgres schema", &role()], &Env::default());
    assert_eq!(told["routing"]["outcome"]["activated"]["capability"], "postgres");
    assert_eq!(told["would_activate"]["servers"][0]["server"], "pg");
    assert_eq!(told["would_activate"]["servers"][0]["tools"][0], "query");
    assert_eq!(told["routing"]["source"], "question");
    let stages: Vec<&str> = told["routing"]["ineligible"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["capability"].as_str().unwrap())
        .collect();
    assert_eq!(stages, ["pods", "slack"]);
}

#[test]
fn what_a_variable_changes() {
    let set = Env::from_pairs([("SLACK_TOKEN", "xoxb-1")]);
    let text = "post a message to the channel";
    let told = json(&[text, &role()], &set);
    assert_eq!(told["would_activate"]["capability"], "slack");
    for env in [Env::default(), Env::from_pairs([("SLACK_TOKEN", "")])] {
        let told = json(&[text, &role()], &env);
        assert_eq!(told["would_activate"], serde_json::Value::Null);
        let stage = &told["routing"]["ineligible"][1]["stage"]["environment_unready"];
        assert_eq!(stage["missing"][0], "SLACK_TOKEN");
    }
}

#[test]
fn a_message_that_is_too_short_loads_no_encoder() {
    let told = json(&["do it", &role()], &Env::default());
    assert_eq!(told["routing"]["outcome"]["skipped"]["too_short"]["characters"], 4);
    assert_eq!(told["encoder"], serde_json::Value::Null);
}

#[test]
fn lines_for_reading() {
    let ended = run(&["query the postgres schema", &role()], &Env::default());
    assert_eq!(ended.exit, Exit::Done, "{}", ended.err);
    assert!(ended.out.starts_with("\"query the postgres schema\"\n"), "{}", ended.out);
    for said in [
        "postgres  1.0000 ≥ 0.65  ████████████████████  1.00 query the postgres schema\n",
        "postgres passed the gate: 1.000, lead 1.000\n  server pg: query\n",
        "not compared\n  slack  ",
        "needs SLACK_TOKEN, which is not set\n",
    ] {
        assert!(ended.out.contains(said), "{said}\n{}", ended.out);
    }
}

#[test]
fn a_role_that_is_not_there() {
    let ended = run(&["query the postgres schema", "nobody:here"], &Env::default());
    assert_eq!((ended.exit, ended.out.as_str()), (Exit::BadInput, ""));
    assert!(ended.err.contains("nobody:here"), "{}", ended.err);
}

fn capability(root: &Path, name: &str) {
    let folder = root.join("capabilities").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), format!("triggers = [\"about {name} only\"]\n")).unwrap();
    std::fs::write(folder.join("default.toml"), provider(name, "")).unwrap();
}

/// A session in which servers ran, as its journal has it.
fn session(home: &Path, tools: &[(&str, &str, u32)]) {
    let folder = home.join("sessions/brisk-otter");
    std::fs::create_dir_all(&folder).unwrap();
    let tool = |(server, tool, tokens): &(&str, &str, u32)| SurfaceTool {
        server: (*server).to_owned(),
        tool: (*tool).to_owned(),
        wire_name: (*tool).to_owned(),
        tokens: *tokens,
        ..SurfaceTool::default()
    };
    let view = SurfaceView { tools: tools.iter().map(tool).collect(), ..SurfaceView::default() };
    let bodies = [Body::SurfaceChanged(Arc::new(view)), Body::SurfaceChanged(Arc::default())];
    let line = |(index, body): (usize, Body)| {
        let event = Event { seq: Seq(index as u64 + 1), at: 5, order: None, body };
        serde_json::to_string(&event).unwrap() + "\n"
    };
    let text: String = bodies.into_iter().enumerate().map(line).collect();
    std::fs::write(folder.join(JOURNAL), text).unwrap();
}

#[test]
fn who_would_go_and_what_the_surface_costs_then() {
    let env = Env::from_pairs([("OCTOMIND_CAPABILITIES", "one,two, three,four,nobody")]);
    let more = |home: &Path, root: &Path| {
        for name in ["one", "two", "three", "four"] {
            capability(root, name);
        }
        session(home, &[("one", "query", 100), ("two", "query", 20), ("two", "left_out", 7), ("pg", "query", 300)]);
    };
    let ended = run_with(&["query the postgres schema", &role()], &env, more);
    for said in [
        "postgres passed the gate",
        "  server pg: query\none would go: it is the least recently used of 4\n  server one: stopped\n",
        "no skill: no rules are in reach\n",
        "tok per turn, 120 before\n",
        "note: no tap has a capability called nobody\n",
    ] {
        assert!(ended.out.contains(said), "{said}\n{}", ended.out);
    }
    let told: serde_json::Value =
        serde_json::from_str(&run_with(&["query the postgres schema", &role(), "--format", "json"], &env, more).out)
            .unwrap();
    assert_eq!((&told["tokens"]["now"], &told["tokens"]["after"]), (&120.into(), &320.into()));
    let unknown: Vec<&str> =
        told["tokens"]["unknown"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(unknown.contains(&"three") && !unknown.contains(&"pg") && !unknown.contains(&"one"), "{unknown:?}");
    assert_eq!(told["would_evict"]["capability"], "one");
    assert_eq!(told["would_activate"]["evicted"], "one");
}

#[test]
fn which_rules_would_hold() {
    let skill = |root: &Path, name: &str, rule: &str| {
        let folder = root.join("skills").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: About {name}.\ndomains: [\"*\"]\nrules: [{rule:?}]\n\
             capabilities: [\"one\"]\n---\nText.\n"
        );
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    };
    let more = |_: &Path, root: &Path| {
        capability(root, "one");
        skill(root, "schemas", "match(postgres)");
        skill(root, "alike", "semantic(query the postgres schema)");
        skill(root, "other", "match(kubernetes)");
    };
    let words = ["query the postgres schema", &role(), "--format", "json"];
    let ended = run_with(&words, &Env::default(), more);
    let told: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let skills: Vec<(&str, bool)> = told["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["skill"].as_str().unwrap(), one["activated"].as_bool().unwrap()))
        .collect();
    assert_eq!(skills, [("alike", true), ("other", false), ("schemas", true)], "{}", ended.out);
    let unknown = told["tokens"]["unknown"].as_array().unwrap();
    assert!(unknown.contains(&"one".into()), "what they hold is of the surface after: {unknown:?}");
    let ended = run_with(&words[..2], &Env::default(), more);
    assert!(ended.out.contains("skill schemas: line 1 of its rules holds\n"), "{}", ended.out);
    // One that is active already is not judged again.
    let env = Env::from_pairs([("OCTOMIND_SKILLS", "schemas")]);
    let ended = run_with(&words, &env, more);
    let told: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(told["skills"].as_array().unwrap().len(), 2);
}

#[test]
fn one_that_would_fit_best_and_lacks_a_value_is_named_with_its_score() {
    let env = Env::default();
    let ended = run(&["post a message to the channel", &role()], &env);
    assert!(
        ended.out.contains("\nslack would fit best, but needs SLACK_TOKEN, which is not set: 1.000 ≥ 0.65\n"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("  slack  1.00  needs SLACK_TOKEN, which is not set\n"), "{}", ended.out);
    let ended = run(&["query the postgres schema", &role()], &env);
    assert!(!ended.out.contains("would fit best"), "{}", ended.out);
}
