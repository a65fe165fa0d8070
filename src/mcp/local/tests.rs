use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use tokio::sync::mpsc;

use super::header::{Need, parse};
use super::*;
use crate::mcp::RawTool;
use crate::mcp::bundled::files::probe::{number_in, until_gone};

fn kinds(text: &str) -> Vec<(String, Kind)> {
    parse(text).unwrap().parameters.into_iter().map(|p| (p.name, p.kind)).collect()
}

#[test]
fn a_header_gives_description_parameters_and_schema() {
    let tool = parse(
        "#!/bin/sh\n\n# @description Deploys  the\n#   site\n# to a host.\n# @param *target string Where to\n# not appended\n# @arg count int How often\n# @colour red\n# nor this\necho\n# @param late\n",
    )
    .unwrap();
    assert_eq!(tool.description, "Deploys the site to a host.");
    assert_eq!(tool.parameters[0].need, Need::Required);
    assert_eq!(
        tool.schema(),
        json!({"type": "object", "properties": {
            "target": {"type": "string", "description": "Where to"},
            "count": {"type": "integer", "description": "How often"},
        }, "required": ["target"]})
    );
    assert!(tool.skipped.is_empty());
}

#[test]
fn every_type_and_alias_is_known() {
    for (kind, words) in [
        (Kind::String, &["string", "str"][..]),
        (Kind::Number, &["number", "num", "float"]),
        (Kind::Integer, &["integer", "int"]),
        (Kind::Boolean, &["boolean", "bool"]),
        (Kind::Array, &["array", "list"]),
        (Kind::Object, &["object", "obj", "map"]),
    ] {
        for word in words {
            assert_eq!(kinds(&format!("# @desc x\n# @param p {word} d")), [("p".to_owned(), kind)], "{word}");
        }
    }
    let tool = parse("# @desc x\n# @param p The place\n# @param q").unwrap();
    assert_eq!((tool.parameters[0].kind, tool.parameters[0].description.as_str()), (Kind::String, "The place"));
    assert_eq!((tool.parameters[1].kind, tool.parameters[1].description.as_str()), (Kind::String, ""));
}

#[test]
fn the_header_ends_where_the_grammar_says() {
    for marker in ["#", "//", "--"] {
        assert_eq!(parse(&format!("{marker} @desc It works")).unwrap().description, "It works");
    }
    assert_eq!(parse("\u{feff}#!/bin/sh\r\n\r\n\r\n# @desc a\r\n# b\r\n").unwrap().description, "a b");
    assert!(kinds("# @desc a\n\n# @param late").is_empty());
    assert!(kinds("# @desc a\nx=1\n# @param late").is_empty());
    assert_eq!(kinds("# @desc a\n#\n# @param early").len(), 1, "an empty comment is no blank line");
    let at = |line: usize| format!("{}# @desc a", "#\n".repeat(line - 1));
    assert!(parse(&at(80)).is_ok());
    for text in
        [at(81), String::new(), "#!/bin/sh\necho".into(), "# @description\n# @param x".into(), "x\n# @desc a".into()]
    {
        assert_eq!(parse(&text), Err(HeaderFault::MissingDescription), "{text}");
    }
}

#[test]
fn a_detached_star_skips_the_line_and_says_so() {
    let tool = parse("# @desc a\n# @param * target\n# @param *\n# @param\n# @param x\n# @param x int").unwrap();
    assert_eq!(tool.parameters.len(), 1);
    assert_eq!(tool.parameters[0].kind, Kind::String, "the first of a name stays");
    assert_eq!(tool.skipped.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 4, 6]);
}

proptest! {
    #[test]
    fn no_text_breaks_the_parser(text in "((#|//|--)? ?@?(desc|param|arg)?[ *a-z\n\r\t\u{0}é]{0,12}){0,20}") {
        if let Ok(tool) = parse(&text) {
            prop_assert!(!tool.description.is_empty());
            prop_assert!(jsonschema::validator_for(&tool.schema()).is_ok());
        }
    }
}

/// A project with scripts, trusted until it says otherwise.
struct Project {
    folder: tempfile::TempDir,
    trusted: Arc<AtomicBool>,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".agents/tools")).unwrap();
        Self { folder, trusted: Arc::new(AtomicBool::new(true)) }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(".agents/tools").join(name)
    }

    fn script(&self, name: &str, body: &str) {
        fs::write(self.file(name), format!("#!/bin/sh\n# @description Does {name}\n{body}\n")).unwrap();
        fs::set_permissions(self.file(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn tools(&self) -> LocalTools {
        let trusted = Arc::clone(&self.trusted);
        let allowed = move || {
            if trusted.load(Ordering::Relaxed) {
                Ok(Moved::default())
            } else {
                Err(crate::mcp::Unlisted::Waits("Not trusted yet.".to_owned()))
            }
        };
        LocalTools::new(&self.folder.path().join(".agents/tools"), Arc::new(allowed))
    }

    async fn call(&self, name: &str, arguments: Value) -> (ToolOutcome, String) {
        let (progress, _keep) = mpsc::unbounded_channel();
        let arguments = arguments.as_object().unwrap().clone();
        let result = self.tools().call(name, arguments, progress, CancellationToken::new()).await;
        (result.outcome, text(result))
    }

    fn job<'a>(&'a self, script: &'a Path, arguments: &'a Map<String, Value>, limit: Duration) -> call::Job<'a> {
        call::Job { name: "t", script, workdir: self.folder.path(), arguments, limit }
    }
}

fn text(result: CallResult) -> String {
    match result.content {
        Content::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_folder_lists_its_tools_and_names_what_is_none() {
    let project = Project::new();
    project.script("deploy", "# @param *to str\n# @param * bad\n");
    project.script("mytool.sh", "");
    project.script(".hidden", "");
    project.script("-dash", "");
    project.script("sp ace", "");
    fs::write(project.file("plain"), "# @desc x").unwrap();
    fs::write(project.file("silent"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(project.file("silent"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(project.file("lib")).unwrap();
    project.script("lib/real", "");
    symlink("lib/real", project.file("linked")).unwrap();
    symlink("/bin/sh", project.file("out")).unwrap();
    symlink("loop", project.file("loop")).unwrap();
    symlink("nowhere", project.file("dangling")).unwrap();
    let listing = project.tools().list().await.unwrap();
    let names: Vec<_> = listing.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["deploy", "linked"]);
    assert_eq!(
        listing.tools[0],
        RawTool {
            name: "deploy".into(),
            description: "Does deploy".into(),
            schema: json!({"type": "object", "properties": {"to": {"type": "string", "description": ""}}, "required": ["to"]}),
            read_only: None,
            destructive: None,
        }
    );
    let why =
        |name: &str| listing.rejected.iter().find(|(other, _)| other == name).map(|(_, why)| why.as_str()).unwrap();
    assert!(why("mytool.sh").contains("rename it to mytool"));
    assert!(why(".hidden").contains("hidden"));
    assert!(why("-dash").contains("dash"));
    assert!(why("sp ace").contains("only letters"));
    assert!(why("plain").contains("chmod +x plain"));
    assert!(why("silent").contains("missing @description"));
    assert!(why("lib").contains("is a folder"));
    assert!(why("out").contains("leads out of the folder"));
    assert!(!why("loop").is_empty());
    assert!(why("dangling").contains("leads nowhere"));
    assert!(why("deploy, line 4").contains("stands alone"));
    assert_eq!(listing.rejected.len(), 11);
    // Rescanned: a new script is there, a removed one is gone.
    fs::remove_file(project.file("deploy")).unwrap();
    project.script("added", "");
    let names: Vec<_> = project.tools().list().await.unwrap().tools.into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["added", "linked"]);
    let none = LocalTools::new(Path::new("/nonexistent/.agents/tools"), Arc::new(|| Err("asked".to_owned().into())));
    assert_eq!(none.list().await, Ok(Listing::default()), "no scripts, no question");
}

#[tokio::test]
async fn nothing_is_offered_or_run_without_trust() {
    let project = Project::new();
    project.script("touch", "touch ran");
    project.trusted.store(false, Ordering::Relaxed);
    assert_eq!(project.tools().list().await, Err(crate::mcp::Unlisted::Waits("Not trusted yet.".into())));
    assert_eq!(project.call("touch", json!({})).await, (ToolOutcome::Refused, "Not trusted yet.".into()));
    assert!(!project.folder.path().join("ran").exists());
    project.trusted.store(true, Ordering::Relaxed);
    assert_eq!(project.call("touch", json!({})).await.0, ToolOutcome::Ok);
    assert!(project.folder.path().join("ran").exists(), "it runs in the project's folder");
    let (outcome, text) = project.call("../../bin/sh", json!({})).await;
    assert!(outcome == ToolOutcome::Refused && text.contains("There is no local tool"), "{text}");
}

#[tokio::test]
async fn parameters_arrive_as_json_and_in_the_environment() {
    let project = Project::new();
    project.script("show", "cat; echo; env | grep ^OCTOMIND_ | sort; pwd; echo \"$#\"");
    let arguments = json!({"text": "a b\n", "n": 1.5, "yes": true, "none": null, "list": [1, "x"], "dash-ed": "d"});
    let (outcome, text) = project.call("show", arguments.clone()).await;
    assert_eq!(outcome, ToolOutcome::Ok);
    let workdir = project.folder.path().display().to_string();
    let json: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(json, arguments);
    for line in [
        "OCTOMIND_PARAM_TEXT=a b",
        "OCTOMIND_PARAM_N=1.5",
        "OCTOMIND_PARAM_YES=true",
        "OCTOMIND_PARAM_NONE=",
        "OCTOMIND_PARAM_LIST=[1,\"x\"]",
        "OCTOMIND_PARAM_DASH_ED=d",
        "OCTOMIND_TOOL_NAME=show",
        &format!("OCTOMIND_WORKDIR={workdir}"),
        "0",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line} is not in {text}");
    }
    let (outcome, text) = project.call("show", json!({"big": "x".repeat(300_000), "small": "s"})).await;
    assert_eq!(outcome, ToolOutcome::Ok);
    assert!(text.contains("OCTOMIND_PARAM_SMALL=s") && !text.contains("OCTOMIND_PARAM_BIG"));
    assert!(text.contains("[note]\n`big` is too long"));
}

#[tokio::test]
async fn results_have_the_stated_form() {
    let project = Project::new();
    for (name, body, outcome, expected) in [
        ("plain", "printf out", ToolOutcome::Ok, "out"),
        ("both", "echo out; echo err >&2", ToolOutcome::Ok, "out\n[stderr]\nerr\n"),
        ("blank", "echo out; echo ' ' >&2", ToolOutcome::Ok, "out\n"),
        (
            "fails",
            "echo out; echo err >&2; exit 3",
            ToolOutcome::Error,
            "local tool 'fails' exited with status 3\n[stderr]\nerr\n[stdout]\nout\n",
        ),
        ("quiet", "exit 1", ToolOutcome::Error, "local tool 'quiet' exited with status 1"),
        ("killed", "kill -9 $$", ToolOutcome::Error, "local tool 'killed' exited with status signal 9"),
        ("bytes", "printf 'caf\\351'", ToolOutcome::Ok, "caf\u{fffd}"),
        ("closed", "exec <&-; sleep 0.05; echo done", ToolOutcome::Ok, "done\n"),
    ] {
        project.script(name, body);
        let arguments = json!({"big": "x".repeat(100_000)});
        assert_eq!(project.call(name, arguments).await, (outcome, expected.to_owned()), "{name}");
    }
    fs::write(project.file("orphan"), "#!/no/such/interpreter\n# @desc x\n").unwrap();
    fs::set_permissions(project.file("orphan"), fs::Permissions::from_mode(0o755)).unwrap();
    let (outcome, text) = project.call("orphan", json!({})).await;
    assert!(outcome == ToolOutcome::Error && text.contains("interpreter"), "{text}");
}

#[tokio::test]
async fn cancel_and_timeout_end_the_whole_group() {
    let project = Project::new();
    project.script("slow", "echo begun; sh -c 'trap \"\" TERM; echo $$ > pid; sleep 300; sleep 300'; true");
    let (pid_file, script, none) = (project.folder.path().join("pid"), project.file("slow"), Map::new());
    let (progress, mut notes) = mpsc::unbounded_channel();

    let cancel = CancellationToken::new();
    let watch = async {
        let pid = number_in(&pid_file).await;
        let note = notes.recv().await.unwrap();
        cancel.cancel();
        (pid, note)
    };
    let job = project.job(&script, &none, TIMEOUT);
    let (result, (pid, note)) = tokio::join!(call::run(job, &progress, &cancel), watch);
    assert_eq!(result.outcome, ToolOutcome::Cancelled);
    assert_eq!(text(result), "local tool 't' was cancelled\n[stdout]\nbegun\n");
    assert_eq!(note.note.as_deref(), Some("begun"));
    until_gone(pid).await;

    fs::remove_file(&pid_file).unwrap();
    let job = project.job(&script, &none, Duration::from_millis(300));
    let result = call::run(job, &progress, &CancellationToken::new()).await;
    assert_eq!(result.outcome, ToolOutcome::TimedOut);
    until_gone(number_in(&pid_file).await).await;
}

#[tokio::test]
async fn a_process_left_behind_neither_holds_the_call_nor_stays() {
    let project = Project::new();
    project
        .script("leaves", "sh -c 'echo $$ > pid; exec sleep 300' & while [ ! -s pid ]; do sleep 0.01; done; echo done");
    let (outcome, text) = project.call("leaves", json!({})).await;
    assert_eq!((outcome, text.as_str()), (ToolOutcome::Ok, "done\n"));
    until_gone(number_in(&project.folder.path().join("pid")).await).await;
}

#[tokio::test]
async fn a_flood_from_the_background_does_not_hide_the_end() {
    let project = Project::new();
    project.script("floods", "yes & echo $! > pid");
    let (outcome, text) = project.call("floods", json!({})).await;
    assert_eq!(outcome, ToolOutcome::Ok);
    assert!(text.len() <= call::OUTPUT_BYTES + 100);
    until_gone(number_in(&project.folder.path().join("pid")).await).await;
}
