use std::path::Path;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;
use crate::config::{Env, Paths, Sources, load};
use crate::proto::{Answer, AskKind, Body, Decision, StartStep, StepState};
use crate::session::encoder::Recent;
use crate::session::seams::{Person, Role};
use crate::tap::fill::Inputs;

/// A tap of the person's, connected, and everything around it.
struct Fixture {
    dir: tempfile::TempDir,
    parts: Parts,
    telling: Telling,
    told: UnboundedReceiver<Told>,
}

const AGENT: &str = "# Title: Builder\n# Description: Builds what it is told to build.\n\
    capabilities = [\"shell\", \"tunes\"]\n[[roles]]\nsystem = \"You live in {{INPUT:CITY}}.\"\nwelcome = \"\"\n";
const TUNES: &str = "[deps]\nrequire = [\"org/tunes\"]\n[roles.mcp]\nserver_refs = [\"tunes\"]\n\
    allowed_tools = [\"tunes:*\"]\n[[mcp.servers]]\nname = \"tunes\"\ntype = \"stdio\"\ncommand = \"tunes\"\n\
    args = []\nenv = { TUNES_TOKEN = \"{{ENV:TUNES_TOKEN}}\" }\n";
const SHELL: &str = "[deps]\nrequire = [\"org/shell\"]\n[roles.mcp]\nserver_refs = [\"special\"]\n\
    allowed_tools = [\"special:*\"]\n[[mcp.servers]]\nname = \"special\"\ntype = \"stdio\"\ncommand = \"special\"\nargs = []\n";

fn fixture(person: Person, env: &[(&str, &str)], scripts: &[(&str, &str)]) -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("tap/agents/build/chief.toml", AGENT);
    write("tap/agents/build/small.toml", "[[roles]]\nsystem = \"Small.\"\nwelcome = \"\"\n");
    write("tap/agents/odd/one.toml", "[[roles]]\nsystem = \"Odd.\"\nwelcome = \"\"\n");
    for (name, text) in [("tunes", TUNES), ("shell", SHELL)] {
        write(&format!("tap/capabilities/{name}/default.toml"), text);
        write(&format!("tap/capabilities/{name}/config.toml"), "triggers = [\"play a tune for me\"]\n");
    }
    for (name, text) in scripts {
        write(&format!("tap/deps/org/{name}.sh"), text);
    }
    let tap = dir.path().join("tap").display().to_string();
    write("data/taps.toml", &format!("[[taps]]\nname = \"me/tap\"\nlocal_path = {tap:?}\n"));
    write("work/keep", "");
    let paths = Paths::new(dir.path().join("data"), None);
    let path = std::env::var("PATH").unwrap_or_default();
    // Nothing is fetched from anywhere: the host is a folder that is not there.
    let host = ("OCTOMIND_TAP_HOST", "file:///nonexistent");
    let env = Env::from_pairs(env.iter().copied().chain([("PATH", path.as_str()), host]));
    let env = Arc::new(RwLock::new(env));
    let workdir = dir.path().join("work");
    let (inputs, _) = Inputs::open(&paths.inputs_file);
    let offers = Arc::new(Offers::new(&paths, &env, workdir.clone(), Duration::MAX));
    let loaded = Arc::new(load(&Sources::default()));
    let parts = Parts { loaded, paths, workdir, env, inputs: Arc::new(Mutex::new(inputs)), offers, person };
    let (sender, told) = unbounded_channel();
    Fixture { dir, parts, telling: Telling(sender), told }
}

/// What was told in short: steps as they ended, and everything said.
#[derive(Debug, Default)]
struct Heard {
    steps: Vec<(StartStep, StepState, String)>,
    notices: Vec<String>,
    decisions: Vec<Decision>,
    asked: Vec<String>,
    kept_in: Vec<String>,
    output: Vec<String>,
}

impl Fixture {
    /// Prepares the role and answers what is asked.
    async fn prepare(&mut self, asked: &str, answer: impl Fn(&AskKind) -> Answer) -> (Result<Role, Refused>, Heard) {
        let (parts, telling, asked) = (self.parts.clone(), self.telling.clone(), asked.to_owned());
        let mut task = tokio::spawn(async move { prepare(&parts, &asked, &telling).await });
        let mut heard = Heard::default();
        let outcome = loop {
            tokio::select! {
                biased;
                Some(told) = self.told.recv() => heard.take(told, &answer),
                outcome = &mut task => break outcome.unwrap(),
            }
        };
        while let Ok(told) = self.told.try_recv() {
            heard.take(told, &answer);
        }
        (outcome, heard)
    }
}

impl Heard {
    fn take(&mut self, told: Told, answer: &impl Fn(&AskKind) -> Answer) {
        match told {
            Told::Step(step) if step.state == StepState::Running => {}
            Told::Step(step) => self.steps.push((step.step, step.state, step.detail)),
            Told::Output(_, line) => self.output.push(line),
            Told::Say(Body::Decided(decision)) => self.decisions.push(decision),
            Told::Say(Body::Notice { text, .. }) => self.notices.push(text),
            Told::Say(other) => panic!("{other:?}"),
            Told::Ask(kind, sender) => {
                self.asked.push(match &kind {
                    AskKind::Secret { key, wanted_by, kept_in } => {
                        self.kept_in.push(kept_in.clone());
                        format!("{key} for {wanted_by}")
                    }
                    AskKind::OtherProvider { capability, offered, offered_by, .. } => {
                        format!("{capability}: {offered} of {offered_by}")
                    }
                    other => format!("{other:?}"),
                });
                let _ = sender.send(answer(&kind));
            }
            Told::Running(_) => {}
            Told::Over(_) => panic!("only the session says that"),
        }
    }

    fn state(&self, step: StartStep) -> Option<(StepState, String)> {
        let last = self.steps.iter().rev().find(|(of, ..)| *of == step)?;
        Some((last.1.clone(), last.2.clone()))
    }
}

fn text(kind: &AskKind) -> Answer {
    match kind {
        AskKind::Secret { key, .. } if key == "CITY" => Answer::Text("Bern".into()),
        AskKind::Secret { .. } => Answer::Text("tok-12345678".into()),
        _ => Answer::Yes,
    }
}

fn servers(role: &Role) -> Vec<&str> {
    role.servers.iter().map(|server| server.name.as_str()).collect()
}

const FINE: &[(&str, &str)] = &[("tunes", "echo tuning; echo done > tuned"), ("shell", "echo shelling")];

#[tokio::test]
async fn from_a_domain_to_a_role_with_everything_in_it() {
    let mut fixture = fixture(Person::Present, &[], FINE);
    let (role, heard) = fixture.prepare("build", text).await;
    let role = role.unwrap();
    assert_eq!((role.name.as_str(), role.system.as_str()), ("build:chief", "You live in Bern."));
    assert_eq!(servers(&role), ["special", "tunes"]);
    let tap = fixture.dir.path().join("tap").display().to_string();
    let places = [
        format!("CITY for agent build:chief ({tap}/agents/build/chief.toml:5)"),
        format!("TUNES_TOKEN for capability tunes of me/tap ({tap}/capabilities/tunes/default.toml:11)"),
    ];
    assert_eq!(heard.asked, places);
    let hidden = fixture.parts.env.read().unwrap().mask().secrets();
    assert_eq!(hidden, [("TUNES_TOKEN".to_owned(), "tok-12345678".to_owned())], "a city can be spoken of");
    assert_eq!(heard.output, ["shelling", "tuning"]);
    let done: Vec<StartStep> =
        heard.steps.iter().filter(|(_, state, _)| *state == StepState::Done).map(|(step, ..)| *step).collect();
    use StartStep::*;
    assert_eq!(done, [Tag, Tap, Manifest, Capabilities, Placeholders, Deps], "{:?}", heard.steps);
    assert_eq!(heard.state(Tag).unwrap().1, "build → build:chief");
    let resolved = heard.decisions.iter().any(|decision| {
        matches!(decision, Decision::RoleResolved { asked, role, tap, .. }
            if asked == "build" && role == "build:chief" && tap == "me/tap")
    });
    assert!(resolved, "{:?}", heard.decisions);
    let expanded = heard.decisions.iter().filter(|one| matches!(one, Decision::CapabilityExpanded { .. })).count();
    assert_eq!(expanded, 2);
    assert!(fixture.dir.path().join("work/tuned").is_file(), "scripts run in the working directory");
    let dotenv = std::fs::read_to_string(fixture.dir.path().join("work/.env")).unwrap();
    assert_eq!(dotenv, "TUNES_TOKEN=tok-12345678\n");
    assert_eq!(fixture.parts.expand()("x {{ENV:TUNES_TOKEN}} {{INPUT:CITY}}").as_deref(), Ok("x tok-12345678 Bern"));

    // Nothing is asked twice.
    let (role, heard) = fixture.prepare("build:chief", |_| Answer::No).await;
    assert!(role.is_ok() && heard.asked.is_empty(), "{heard:?}");
    let used = Recent::at(&fixture.parts.paths);
    let remembered = async {
        while used.names() != Ok(vec!["shell".to_owned(), "tunes".to_owned()]) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), remembered).await.expect("what it names counts as used");
}

#[tokio::test]
async fn a_no_costs_only_what_needs_the_value() {
    let mut fixture = fixture(Person::Present, &[], FINE);
    let (role, heard) = fixture.prepare("build:chief", |_| Answer::No).await;
    let role = role.unwrap();
    assert_eq!(servers(&role), ["special"]);
    assert_eq!(role.system, "You live in {{INPUT:CITY}}.");
    let said = heard.notices.iter().any(|text| text.contains("No value for CITY, TUNES_TOKEN; off for it: tunes"));
    assert!(said, "{:?}", heard.notices);
    assert_eq!(heard.state(StartStep::Placeholders).unwrap().0, StepState::Doubtful);
}

#[tokio::test]
async fn without_a_person_every_missing_value_is_named_and_nothing_runs() {
    let mut fixture = fixture(Person::Absent, &[("TUNES_TOKEN", "")], FINE);
    let (role, heard) = fixture.prepare("build:chief", |_| panic!("nobody is asked")).await;
    let refused = role.unwrap_err();
    assert_eq!(refused.by, RefusedBy::MissingValue);
    for part in ["{{INPUT:CITY}} has no value; agent build:chief", "{{ENV:TUNES_TOKEN}}", "inputs.toml", "work/.env"] {
        assert!(refused.message.contains(part), "{part}: {}", refused.message);
    }
    assert!(heard.output.is_empty());
    assert!(!fixture.dir.path().join("work/.env").exists());
}

const BROKEN: &[(&str, &str)] = &[("tunes", "true"), ("shell", "echo no network >&2; exit 7")];
const SET: &[(&str, &str)] = &[("TUNES_TOKEN", "tok-12345678")];

#[tokio::test]
async fn another_provider_is_offered_for_a_script_that_fails_and_the_choice_is_kept() {
    let mut fixture = fixture(Person::Present, SET, BROKEN);
    let file = fixture.parts.paths.config_file.clone();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "# mine\n[capabilities]\nwebsearch = \"brave\" # keep\n").unwrap();
    let (role, heard) = fixture.prepare("build:chief", text).await;
    let role = role.unwrap();
    assert_eq!(heard.asked.len(), 2);
    assert_eq!(heard.asked[1], "shell: bundled of octomind/starter");
    assert_eq!(servers(&role), ["files", "tunes"]);
    assert_eq!(role.servers[0].filter, ["shell"]);
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "# mine\n[capabilities]\nwebsearch = \"brave\" # keep\nshell = \"bundled\"\n"
    );
    assert_eq!(heard.state(StartStep::Deps).unwrap().0, StepState::Done);
}

#[tokio::test]
async fn a_no_to_the_other_provider_leaves_the_capability_off_and_says_so() {
    let mut fixture = fixture(Person::Present, SET, BROKEN);
    let answer = |kind: &AskKind| if matches!(kind, AskKind::OtherProvider { .. }) { Answer::No } else { text(kind) };
    let (role, heard) = fixture.prepare("build:chief", answer).await;
    assert_eq!(servers(&role.unwrap()), ["tunes"]);
    let said = heard.notices.iter().find(|text| text.starts_with("shell stays off")).expect("it is said");
    assert!(said.contains("exit code 7") && said.contains("no network"), "{said}");
    assert!(heard.notices.contains(&"Without shell: off with it: special.".to_owned()), "{:?}", heard.notices);
    assert_eq!(heard.state(StartStep::Deps), Some((StepState::Doubtful, "shell did not come up".to_owned())));
    assert!(!fixture.parts.paths.config_file.exists());
}

/// A server of the configuration is off too when only what is off wants it.
#[tokio::test]
async fn what_stays_off_keeps_no_server_on() {
    let answer = |kind: &AskKind| if matches!(kind, AskKind::OtherProvider { .. }) { Answer::No } else { text(kind) };
    let shell = "[deps]\nrequire = [\"org/shell\"]\n[roles.mcp]\nserver_refs = [\"files\"]\n";
    for (own, on, said) in [
        ("", &["tunes"][..], "Without shell: off with it: files."),
        (
            "[roles.mcp]\nserver_refs = [\"files\"]\nallowed_tools = []\n",
            &["files", "tunes"],
            "Without shell: files is on all the same: other parts of the agent want it.",
        ),
    ] {
        let mut fixture = fixture(Person::Present, SET, BROKEN);
        let tap = fixture.dir.path().join("tap");
        std::fs::write(tap.join("capabilities/shell/default.toml"), shell).unwrap();
        std::fs::write(tap.join("agents/build/chief.toml"), format!("{AGENT}{own}")).unwrap();
        let (role, heard) = fixture.prepare("build:chief", answer).await;
        assert_eq!(servers(&role.unwrap()), on);
        assert!(heard.notices.iter().any(|text| text == said), "{:?}", heard.notices);
    }
}

#[tokio::test]
async fn without_a_person_the_other_provider_is_used_for_this_run_only() {
    let mut fixture = fixture(Person::Absent, &[("TUNES_TOKEN", "tok-12345678")], BROKEN);
    std::fs::write(&fixture.parts.paths.inputs_file, "CITY = \"Bern\"\n").unwrap();
    *fixture.parts.inputs.lock().unwrap() = Inputs::open(&fixture.parts.paths.inputs_file).0;
    let (role, heard) = fixture.prepare("build:chief", |_| panic!("nobody is asked")).await;
    assert_eq!(servers(&role.unwrap()), ["files", "tunes"]);
    assert!(heard.notices.iter().any(|text| text.contains("provided by bundled of octomind/starter in this run")));
    assert!(!fixture.parts.paths.config_file.exists());
}

#[tokio::test]
async fn names_mean_what_the_rules_say() {
    let mut fixture = fixture(Person::Present, SET, FINE);
    let (role, heard) = fixture.prepare("build:small", text).await;
    assert_eq!(role.unwrap().name, "build:small");
    for step in [StartStep::Capabilities, StartStep::Placeholders, StartStep::Deps] {
        assert_eq!(heard.state(step).unwrap().0, StepState::Skipped, "{step:?}");
    }
    let (role, _) = fixture.prepare("odd", text).await;
    let refused = role.unwrap_err();
    assert!(refused.message.contains("no chief") && refused.message.contains("odd:one"), "{}", refused.message);
    let (role, heard) = fixture.prepare("odd:two", text).await;
    assert_eq!(role.unwrap_err().by, RefusedBy::Name);
    assert_eq!(heard.state(StartStep::Tag).unwrap().0, StepState::Failed);
    assert!(check(&fixture.parts, "odd:one").await.is_ok());
    assert!(check(&fixture.parts, "odd:two").await.is_err());
}

#[tokio::test]
async fn a_mistake_in_a_manifest_is_named_with_its_place() {
    let mut fixture = fixture(Person::Present, SET, FINE);
    let file: &Path = &fixture.dir.path().join("tap/agents/build/small.toml");
    std::fs::write(file, "# Uses: build:chief, **\n[[roles]]\nsystem = \"Small.\"\nwelcome = \"\"\n").unwrap();
    let (role, heard) = fixture.prepare("build:small", text).await;
    assert_eq!(role.unwrap().system, "Small.");
    assert!(heard.notices.iter().any(|text| text.contains("small.toml:1:22")), "{:?}", heard.notices);
    assert_eq!(heard.state(StartStep::Manifest).unwrap().0, StepState::Doubtful);
}

#[tokio::test]
async fn a_manifest_that_cannot_be_read_is_named_with_its_place_and_never_missing() {
    let mut fixture = fixture(Person::Present, SET, FINE);
    let file = fixture.dir.path().join("tap/agents/build/small.toml");
    std::fs::write(&file, "capabilities = [\"shell\"\n[[roles]]\nsystem = \"Small.\"\n").unwrap();
    let (role, heard) = fixture.prepare("build:small", text).await;
    let refused = role.unwrap_err();
    let place = format!("build:small of me/tap cannot be used: {}:", file.display());
    assert!(refused.message.starts_with(&place), "{}", refused.message);
    assert_eq!(refused.by, RefusedBy::Content);
    assert!(!refused.message.contains("no tap") && !refused.message.contains('\n'), "{}", refused.message);
    assert!(refused.hint.is_some());
    assert_eq!(heard.state(StartStep::Tag).unwrap().0, StepState::Failed);
    assert!(check(&fixture.parts, "build:small").await.unwrap_err().message.starts_with(&place));
}

#[tokio::test]
async fn a_capability_that_cannot_be_read_is_named_with_its_place_and_never_missing() {
    let mut fixture = fixture(Person::Present, SET, FINE);
    let file = fixture.dir.path().join("tap/capabilities/tunes/default.toml");
    std::fs::write(&file, "[roles.mcp\n").unwrap();
    let (role, heard) = fixture.prepare("build:chief", text).await;
    assert_eq!(servers(&role.unwrap()), ["special"]);
    let place = format!("tunes of me/tap cannot be used: {}:1:", file.display());
    assert!(heard.notices.iter().any(|text| text.contains(&place)), "{:?}", heard.notices);
    assert!(!heard.notices.iter().any(|text| text.contains("no tap has")), "{:?}", heard.notices);
}

#[tokio::test]
async fn one_script_that_several_capabilities_want_is_one_question_and_an_answer_for_each() {
    let mut fixture = fixture(Person::Present, SET, BROKEN);
    let tap = fixture.dir.path().join("tap");
    for (name, provider) in [("filesystem-write", SHELL), ("filesystem-read", SHELL)] {
        std::fs::create_dir_all(tap.join("capabilities").join(name)).unwrap();
        std::fs::write(tap.join("capabilities").join(name).join("default.toml"), provider).unwrap();
    }
    let agent = "capabilities = [\"filesystem-write\", \"filesystem-read\", \"shell\"]\n[[roles]]\nsystem = \"x\"\n";
    std::fs::write(tap.join("agents/build/small.toml"), agent).unwrap();
    let (role, heard) = fixture.prepare("build:small", text).await;
    assert_eq!(heard.asked, ["filesystem-write, filesystem-read and shell: bundled of octomind/starter"]);
    let role = role.unwrap();
    assert_eq!(servers(&role), ["files"]);
    assert!(role.servers[0].filter.contains(&"shell".to_owned()), "{:?}", role.servers[0].filter);
    let kept = std::fs::read_to_string(&fixture.parts.paths.config_file).unwrap();
    for name in ["filesystem-write", "filesystem-read", "shell"] {
        assert!(kept.contains(&format!("{name} = \"bundled\"")), "{kept}");
    }
    assert!(!heard.notices.iter().any(|text| text.contains("stays off")), "{:?}", heard.notices);
}

#[tokio::test]
async fn what_only_an_author_can_better_is_not_said_at_a_start() {
    let mut fixture = fixture(Person::Present, SET, FINE);
    let file = fixture.dir.path().join("tap/agents/build/small.toml");
    std::fs::write(file, "[[roles]]\nsystem = \"In {{CWD}}.\"\nwelcome = \"\"\n").unwrap();
    let (role, heard) = fixture.prepare("build:small", text).await;
    assert!(role.is_ok());
    assert_eq!(heard.notices, Vec::<String>::new());
    assert_eq!(heard.state(StartStep::Manifest).unwrap().0, StepState::Done);
}

#[tokio::test]
async fn a_prompt_speaks_of_no_tool_that_is_not_there_and_a_missing_server_is_said_once() {
    let mut fixture = fixture(Person::Present, SET, FINE);
    let file = fixture.dir.path().join("tap/agents/build/small.toml");
    let text_of = "[[roles]]\nsystem = \"\"\"One.\n\n{{SPECIALISTS}}\n\nTwo: {{USES}}\"\"\"\nwelcome = \"\"\n\
                   [roles.mcp]\nserver_refs = [\"ghost\"]\nallowed_tools = []\n";
    std::fs::write(file, text_of).unwrap();
    let (role, heard) = fixture.prepare("build:small", text).await;
    let role = role.unwrap();
    assert_eq!(role.system, "One.\n\nTwo: ");
    let said = heard.notices.iter().chain(role.notices.iter().map(|(_, text)| text));
    let ghosts: Vec<&String> = said.filter(|text| text.contains("ghost")).collect();
    assert_eq!(ghosts.len(), 1, "{ghosts:?}");
}

/// Any variable may be one that some program takes as an order, whatever it is called.
#[tokio::test]
async fn a_script_gets_of_a_projects_file_what_its_capability_names_and_nothing_else() {
    let names = "TUNES_TOKEN UV_INDEX_URL NPM_CONFIG_TOKEN PERL5OPT OWN_TOKEN";
    let show = format!("for one in {names}; do echo \"$one=${{!one}}\"; done");
    let mut fixture = fixture(Person::Present, &[], &[("tunes", &show), ("shell", &show)]);
    let project = "TUNES_TOKEN=named-1\nUV_INDEX_URL=x\nNPM_CONFIG_TOKEN=x\nPERL5OPT=-Mx\n";
    std::fs::write(fixture.parts.workdir.join(".env"), project).unwrap();
    std::fs::create_dir_all(&fixture.parts.paths.config_folder).unwrap();
    std::fs::write(&fixture.parts.paths.env_file, "OWN_TOKEN=of-the-person\n").unwrap();
    let env = fixture.parts.env.read().unwrap().read_again(&fixture.parts.paths, &fixture.parts.workdir).0;
    *fixture.parts.env.write().unwrap() = env;
    let (role, heard) = fixture.prepare("build:chief", text).await;
    assert_eq!(servers(&role.unwrap()), ["special", "tunes"]);
    let nothing = ["TUNES_TOKEN=", "UV_INDEX_URL=", "NPM_CONFIG_TOKEN=", "PERL5OPT=", "OWN_TOKEN=of-the-person"];
    let named = ["TUNES_TOKEN=named-1", "UV_INDEX_URL=", "NPM_CONFIG_TOKEN=", "PERL5OPT=", "OWN_TOKEN=of-the-person"];
    assert_eq!(heard.output, [nothing, named].concat());
}

#[tokio::test]
async fn what_a_script_leaves_running_is_said() {
    let daemon = "setsid sh -c 'echo $$ > pid.new; mv pid.new pid; exec sleep 300' >/dev/null 2>&1 & \
        until [ -s pid ]; do sleep 0.01; done";
    let mut fixture = fixture(Person::Present, SET, &[("tunes", daemon), ("shell", "true")]);
    let (role, heard) = fixture.prepare("build:chief", text).await;
    let pid: i32 = std::fs::read_to_string(fixture.parts.workdir.join("pid")).unwrap().trim().parse().unwrap();
    let _ends = crate::mcp::group::KillOnDrop(pid);
    assert!(role.is_ok());
    let said = format!("deps/org/tunes.sh of me/tap left behind 1 process: {pid} ");
    assert!(heard.notices.iter().any(|text| text.starts_with(&said)), "{:?}", heard.notices);
}

/// The next commit of everything would publish what was answered.
#[tokio::test]
async fn that_git_does_not_ignore_the_file_of_a_secret_is_said_once_with_the_question() {
    for (ignored, said) in [("", 1), (".env\n", 0)] {
        let mut fixture = fixture(Person::Present, &[], FINE);
        std::fs::create_dir(fixture.parts.workdir.join(".git")).unwrap();
        std::fs::write(fixture.parts.workdir.join(".gitignore"), ignored).unwrap();
        let agent = AGENT.replace("You live in", "{{ENV:OTHER_TOKEN}} You live in");
        std::fs::write(fixture.dir.path().join("tap/agents/build/chief.toml"), agent).unwrap();
        let (_, heard) = fixture.prepare("build:chief", text).await;
        assert_eq!(heard.kept_in.iter().filter(|file| file.contains("work/.env")).count(), 2, "{:?}", heard.kept_in);
        let warned = heard.kept_in.iter().filter(|file| file.contains("git does not ignore")).count();
        assert_eq!(warned, said, "{:?}", heard.kept_in);
    }
}
