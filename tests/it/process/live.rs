//! A whole session against an endpoint: message, tool call, second turn, resume.

use serde_json::{Value, json};

use super::endpoint::{Endpoint, Plan};
use super::home::{Home, Said, ended, started};

struct Live {
    home: Home,
    base_url: String,
    model: String,
    key: Option<String>,
}

impl Live {
    fn run(&self, words: &[&str], message: &str) -> Said {
        let base_url = format!("providers.live.base_url={}", self.base_url);
        let model = format!("live:{}", self.model);
        let mut all = vec!["run", "--format", "jsonl", "--model", &model, "-c", &base_url, "-c", super::home::PLAIN];
        if self.key.is_some() {
            all.extend(["-c", "providers.live.api_key_env=OCTOMIND_LIVE_API_KEY"]);
        }
        all.extend(words);
        let mut command = self.home.command(&all);
        command.envs(self.key.iter().map(|key| ("OCTOMIND_LIVE_API_KEY", key)));
        let said = ended(started(command, message));
        assert_eq!(said.code, Some(0), "{said:?}");
        said
    }
}

fn of<'a>(objects: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    objects.iter().filter(move |line| line["type"] == kind)
}

fn drive(live: &Live) {
    let said = live.run(
        &["--name", "live"],
        "Use the tool `list` on the folder \".\" once, then tell me the name of the text file in it.",
    );
    let objects = said.objects();
    assert!(of(&objects, "tool_use").any(|line| line["server"] == "files"), "{said:?}");
    let seen = |line: &Value| {
        line["success"] == true && line["content"].as_str().is_some_and(|text| text.contains("poem.txt"))
    };
    assert!(of(&objects, "tool_result").any(seen), "{said:?}");
    assert!(of(&objects, "assistant").any(|line| line["content"].as_str().is_some_and(|text| !text.trim().is_empty())));
    assert!(of(&objects, "cost").any(|line| line["input_tokens"].as_u64() > Some(0)), "{said:?}");

    for (words, turn) in [(["--name", "live"], 2), (["--resume", "live"], 3)] {
        let said = live.run(&words, "Answer in one word: did a tool run in this session before?");
        let objects = said.objects();
        assert!(of(&objects, "assistant").next().is_some(), "{said:?}");
        let over = of(&objects, "status").any(|line| line.pointer("/data/turn") == Some(&json!(turn)));
        assert!(over, "turn {turn}: {said:?}");
    }
    assert_eq!(live.home.recorded("live", "user_message").len(), 3);
    live.home.assert_nothing_alive();
}

/// `OCTOMIND_LIVE_BASE_URL` (chat protocol), `OCTOMIND_LIVE_MODEL`, and `OCTOMIND_LIVE_API_KEY` when
/// the endpoint wants one.
#[test]
#[ignore = "needs OCTOMIND_LIVE_BASE_URL and OCTOMIND_LIVE_MODEL"]
fn a_whole_session_against_a_real_endpoint() {
    let wanted = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let key = std::env::var("OCTOMIND_LIVE_API_KEY").ok();
    let (base_url, model) = (wanted("OCTOMIND_LIVE_BASE_URL"), wanted("OCTOMIND_LIVE_MODEL"));
    drive(&Live { home: Home::new(), base_url, model, key });
}

/// The same session against an endpoint of our own, so that the live test itself is known to work.
#[test]
fn a_whole_session_against_a_played_endpoint() {
    let tool = vec![("list".to_owned(), json!({ "path": "." }))];
    let endpoint = Endpoint::start(Plan { calls: 1, tool, chunks: 3 }).unwrap();
    let base_url = endpoint.base_url.clone();
    drive(&Live { home: Home::new(), base_url, model: "instant".to_owned(), key: Some("a-key".to_owned()) });
    let sent = endpoint.take();
    assert_eq!(sent.len(), 4, "two requests for the turn with the tool, one for each of the others");
    let tools = |index: usize| {
        sent[index].request["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool").count()
    };
    assert_eq!((tools(0), tools(1), tools(2), tools(3)), (0, 1, 1, 1), "the result is in every later request");
}
