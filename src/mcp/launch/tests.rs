use std::sync::Arc;

use super::super::process::{Tail, spawn};
use super::*;
use crate::config::{Env, Mask};

fn options(folder: &Path, env: Env, inputs: &[(&str, &str)]) -> Options {
    let inputs: BTreeMap<String, String> =
        inputs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let mask = env.mask().clone();
    let expand: Expand = Arc::new(move |text| {
        crate::config::expand::expand_with(text, &env, &inputs).map_err(|error| error.to_string())
    });
    Options { logs: Some(folder.to_owned()), mask, ..Options::new(folder.to_owned(), expand) }
}

fn spec(transport: Transport) -> ServerSpec {
    let (timeout, filter, text) = (Duration::from_secs(5), Vec::new(), String::new());
    ServerSpec { name: "s".into(), transport, timeout, filter, origin: text.clone(), filter_origin: text }
}

/// The variable's own name does not look like a secret's.
#[tokio::test]
async fn what_a_placeholder_gave_is_in_no_file_of_a_servers_error_output() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path(), Env::default(), &[("MY_INPUT", "SeCr3t-Value-9911")]);
    let script = "echo it is $S_TOK >&2; printf %s \"$S_TOK\" | base64 >&2; echo $1 >&2";
    let transport = Transport::Stdio {
        command: "sh".into(),
        args: ["-c", script, "sh", "--key=literal-1"].map(str::to_owned).to_vec(),
        env: BTreeMap::from([("S_TOK".to_owned(), "{{INPUT:MY_INPUT}}".to_owned())]),
        cwd: None,
    };
    let Target::Process(launch) = target(&spec(transport), &options).unwrap() else { panic!() };
    assert_eq!(launch.env["S_TOK"], "SeCr3t-Value-9911", "the server gets the real value");
    let tail = Arc::new(Tail::new(options.mask.clone()));
    let (mut process, ..) = spawn(&launch, &tail).unwrap();
    process.ended_within(Duration::from_secs(10)).await.unwrap();
    let expected = ["it is [MY_INPUT masked]", "[MY_INPUT masked]", "--key=[key masked]"];
    // The last line may still be on its way when the process is over.
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    let log = || std::fs::read_to_string(dir.path().join("mcp-s.log")).unwrap_or_default();
    let there = || tail.lines().len() >= expected.len() && log().lines().count() >= expected.len();
    while !there() && std::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(tail.lines(), expected);
    assert_eq!(log().lines().collect::<Vec<_>>(), expected);
}

#[test]
fn what_stands_in_an_address_is_masked_from_then_on() {
    let dir = tempfile::tempdir().unwrap();
    let env = Env::from_pairs([("OTHER", "val-7788")]);
    let options = options(dir.path(), env, &[("MY_INPUT", "SeCr3t-Value-9911")]);
    let url = "http://127.0.0.1:9/{{INPUT:MY_INPUT}}?k={{ENV:OTHER}}".to_owned();
    let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer literal-22".to_owned())]);
    let Target::Http { url, .. } = target(&spec(Transport::Http { url, headers }), &options).unwrap() else { panic!() };
    let shown = options.mask.text(&format!("{url} literal-22")).into_owned();
    assert_eq!(shown, "http://127.0.0.1:9/[MY_INPUT masked]?k=[OTHER masked] [Authorization masked]");
    assert_eq!(Mask::default().text(&url), "http://127.0.0.1:9/SeCr3t-Value-9911?k=val-7788");
}
