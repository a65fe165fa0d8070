//! Against a real endpoint, only when one is named.

use octomind::model::{Delta, open};

use super::{collect, config, request, run, text};

/// `OCTOMIND_LIVE_BASE_URL` (chat protocol), `OCTOMIND_LIVE_MODEL`, and `OCTOMIND_LIVE_API_KEY` when
/// the endpoint wants one.
#[test]
#[ignore = "needs OCTOMIND_LIVE_BASE_URL and OCTOMIND_LIVE_MODEL"]
fn a_real_model_answers_and_calls_a_tool() {
    let base_url = std::env::var("OCTOMIND_LIVE_BASE_URL").expect("OCTOMIND_LIVE_BASE_URL");
    let name = std::env::var("OCTOMIND_LIVE_MODEL").expect("OCTOMIND_LIVE_MODEL");
    let key = std::env::var("OCTOMIND_LIVE_API_KEY").unwrap_or_else(|_| "none".to_owned());
    let env = octomind::config::Env::from_pairs([("ACME_API_KEY", key)]);
    let model = open(&format!("acme:{name}"), &config(&base_url, "openai"), &env).unwrap();
    let (deltas, fault) = run(collect(model.as_ref(), request("Say the word pineapple and nothing else.")));
    assert_eq!(fault, None);
    assert!(text(&deltas).to_lowercase().contains("pineapple"), "{deltas:?}");
    let asked = request("Call the tool ls with p set to \"src\". Do not answer in words.");
    let (deltas, fault) = run(collect(model.as_ref(), asked));
    assert_eq!(fault, None);
    assert!(deltas.iter().any(|delta| matches!(delta, Delta::Call(call) if call.name == "ls")), "{deltas:?}");
}
