use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Weak, mpsc};

use super::super::model::{Model, ModelError};
use super::super::onnx::tests::write_tiny;
use super::*;

const DEADLINE: Duration = Duration::from_secs(20);

/// Vectors by the letters of a text, and a record of what was asked for.
struct Fake {
    identity: Identity,
    asked: Mutex<Vec<String>>,
    /// Each text waits for a permit, if there is such a thing.
    permits: Option<Mutex<mpsc::Receiver<()>>>,
}

impl Fake {
    fn new(permits: Option<mpsc::Receiver<()>>) -> Arc<Self> {
        let identity = Identity { name: "fake".to_owned(), hash: [7; 32], backend: "none".to_owned(), dimensions: 26 };
        Arc::new(Self { identity, asked: Mutex::default(), permits: permits.map(Mutex::new) })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Encoder for Fake {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn encode(&self, text: &str) -> Result<Vector, EncodeError> {
        self.asked.lock().unwrap().push(text.to_owned());
        if let Some(permits) = &self.permits {
            permits.lock().unwrap().recv_timeout(DEADLINE).unwrap();
        }
        assert!(!text.contains("panic"), "as the test wants it");
        let mut numbers = vec![0.0; 26];
        for letter in text.bytes().filter(u8::is_ascii_lowercase) {
            numbers[usize::from(letter - b'a')] += 1.0;
        }
        Ok(Vector::new(numbers)?)
    }
}

fn service(fake: &Arc<Fake>, vectors: Option<&Path>) -> Service {
    let encoder: Arc<dyn Encoder> = fake.clone();
    made(move || Ok(encoder), vectors)
}

fn made(
    make: impl FnOnce() -> Result<Arc<dyn Encoder>, ModelError> + Send + 'static,
    vectors: Option<&Path>,
) -> Service {
    Service::new(Options { source: Source::Made(Box::new(make)), vectors: vectors.map(Path::to_path_buf) })
}

async fn reach(service: &Service, wanted: impl FnMut(&EncoderState) -> bool) -> EncoderState {
    let mut state = service.state();
    let reached = tokio::time::timeout(DEADLINE, state.wait_for(wanted)).await;
    reached.expect("the state is reached").unwrap().clone()
}

async fn complete(service: &Service, phrases: usize) -> Arc<Index> {
    reach(service, |state| {
        matches!(state, EncoderState::Ready { .. }) && service.index().len() == phrases && service.index().is_complete()
    })
    .await;
    service.index()
}

async fn until(mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(DEADLINE, waiting).await.expect("it holds in time");
}

fn phrases(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[tokio::test]
async fn nothing_is_loaded_before_it_is_asked_for() {
    let loading = Arc::new(AtomicBool::new(false));
    let (go, wait) = mpsc::channel::<()>();
    let begun = Arc::clone(&loading);
    let service = made(
        move || {
            begun.store(true, Ordering::SeqCst);
            wait.recv_timeout(DEADLINE).unwrap();
            Ok(Fake::new(None))
        },
        None,
    );
    assert_eq!(*service.state().borrow(), EncoderState::Idle);
    assert!(!loading.load(Ordering::SeqCst) && service.identity().is_none());
    let refused = service.encode("hello there", Patience::Now).await.unwrap_err();
    assert!(matches!(refused, Unready::NotReady(_)), "{refused:?}");
    assert_eq!(refused.to_string(), "the sentence model is being loaded");
    until(|| loading.load(Ordering::SeqCst)).await;
    let refused = service.encode("hello there", Patience::UpTo(Duration::from_millis(5))).await;
    assert!(matches!(refused, Err(Unready::NotReady(_))), "{refused:?}");
    let waiting = tokio::spawn({
        let service = service.clone();
        async move { service.encode("hello there", Patience::Forever).await }
    });
    go.send(()).unwrap();
    assert_eq!(waiting.await.unwrap().unwrap().dimensions(), 26);
    let state = reach(&service, |state| matches!(state, EncoderState::Ready { .. })).await;
    let EncoderState::Ready { model, backend, note, .. } = state else { unreachable!() };
    assert_eq!((model.as_str(), backend.as_str(), note), ("fake", "none", None));
}

#[tokio::test]
async fn a_model_that_cannot_be_loaded_is_a_state_with_advice() {
    let service = made(|| Err(ModelError::NotInBuild), None);
    let refused = service.encode("hello there", Patience::Forever).await.unwrap_err();
    let Unready::NotReady(EncoderState::Failed { why, advice }) = &refused else { panic!("{refused:?}") };
    assert_eq!(why, "this build comes without a sentence model");
    assert!(advice.contains("`[encoder] model`"), "{advice}");
    assert!(refused.to_string().starts_with("the sentence model cannot be used: this build"), "{refused}");
    let service = made(|| panic!("as the test wants it"), None);
    service.start();
    reach(&service, |state| matches!(state, EncoderState::Failed { .. })).await;
    assert!(matches!(service.encode("hello there", Patience::Now).await, Err(Unready::NotReady(_))));
}

#[tokio::test]
async fn a_fresh_message_waits_for_one_phrase_at_most() {
    let (permit, permits) = mpsc::channel();
    let fake = Fake::new(Some(permits));
    let service = service(&fake, None);
    service.want(phrases(&["first", "second", "third"]));
    until(|| fake.asked().len() == 1).await;
    let mut message = Box::pin(service.encode("a message", Patience::Now));
    assert!(futures::poll!(&mut message).is_pending());
    for _ in 0..4 {
        permit.send(()).unwrap();
    }
    message.await.unwrap();
    complete(&service, 3).await;
    assert_eq!(fake.asked(), ["first", "a message", "second", "third"]);
}

#[tokio::test]
async fn a_full_queue_says_so_at_once() {
    let (permit, permits) = mpsc::channel();
    let fake = Fake::new(Some(permits));
    let service = service(&fake, None);
    service.start();
    until(|| service.is_loaded()).await;
    let mut waiting = Vec::new();
    for number in 0..65 {
        let service = service.clone();
        let mut message = Box::pin(async move { service.encode(&format!("message {number}"), Patience::Now).await });
        assert!(futures::poll!(&mut message).is_pending(), "{number}");
        waiting.push(message);
        // The first one is taken from the queue, so that 64 others fit.
        until(|| !fake.asked().is_empty()).await;
    }
    assert_eq!(service.encode("one too many", Patience::Forever).await, Err(Unready::Busy));
    for _ in 0..65 {
        permit.send(()).unwrap();
    }
    for message in waiting {
        message.await.unwrap();
    }
}

#[tokio::test]
async fn the_same_message_is_encoded_once() {
    let fake = Fake::new(None);
    let service = service(&fake, None);
    let first = service.encode("the same", Patience::Forever).await.unwrap();
    assert_eq!(service.encode("the same", Patience::Now).await.unwrap(), first);
    assert_eq!(fake.asked(), ["the same"]);
}

#[tokio::test]
async fn only_new_phrases_are_encoded_in_the_order_given() {
    let folder = tempfile::tempdir().unwrap();
    let cold = Fake::new(None);
    let first = service(&cold, Some(folder.path()));
    first.want(phrases(&["recent", "older", "oldest", "recent"]));
    complete(&first, 3).await;
    assert_eq!(cold.asked(), ["recent", "older", "oldest"]);
    let warm = Fake::new(None);
    let second = service(&warm, Some(folder.path()));
    second.want(phrases(&["older", "recent"]));
    let index = complete(&second, 2).await;
    assert_eq!(warm.asked(), [] as [&str; 0]);
    assert_eq!(index.get("recent"), first.index().get("recent"));
    assert_eq!(index.get("oldest"), None, "nobody wants it any more");
    second.want(phrases(&["oldest", "new", "older"]));
    complete(&second, 3).await;
    assert_eq!(warm.asked(), ["new"]);
    assert_eq!(second.notes(), [] as [&str; 0]);
}

#[tokio::test]
async fn progress_is_told_and_vectors_can_be_used_meanwhile() {
    let (permit, permits) = mpsc::channel();
    let fake = Fake::new(Some(permits));
    let service = service(&fake, None);
    service.want(phrases(&["one", "two", "three"]));
    let state = reach(&service, |state| matches!(state, EncoderState::Loading { phrases: 3, .. })).await;
    assert_eq!(state, EncoderState::Loading { model: "fake".to_owned(), phrases_done: 0, phrases: 3 });
    assert!(service.is_loaded() && !service.index().is_complete());
    assert_eq!(service.index().missing, 3);
    for _ in 0..4 {
        permit.send(()).unwrap();
    }
    complete(&service, 3).await;
    let beside = service.beside("one", Patience::Now).await.unwrap();
    assert!(beside.likeness("one").is_some_and(|cosine| cosine > 0.999));
    assert!(beside.likeness("two").is_some_and(|cosine| cosine < 0.9));
    assert_eq!(beside.likeness("never wanted"), None);
}

#[tokio::test]
async fn a_text_that_breaks_the_model_costs_itself_only() {
    let fake = Fake::new(None);
    let service = service(&fake, None);
    service.want(phrases(&["before", "panic", "12345", "after"]));
    let index = complete(&service, 2).await;
    assert!(index.get("before").is_some() && index.get("after").is_some());
    let notes = service.notes();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].starts_with("the phrase `panic` is never matched"), "{notes:?}");
    assert!(matches!(service.encode("panic", Patience::Now).await, Err(Unready::Failed(_))));
    assert!(service.encode("still there", Patience::Now).await.is_ok());
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    std::fs::write(&file, "in the way").unwrap();
    let fake = Fake::new(None);
    let service = service(&fake, Some(&file));
    let many: Vec<String> = (0..100).map(|number| format!("phrase {number} {}", "x".repeat(number))).collect();
    service.want(many);
    complete(&service, 100).await;
    let written = service.notes().iter().filter(|note| note.starts_with("vectors cannot be kept in")).count();
    assert_eq!(written, 1, "{:?}", service.notes());
}

#[tokio::test]
async fn a_damaged_index_is_named_and_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let first = service(&Fake::new(None), Some(folder.path()));
    first.want(phrases(&["one", "two"]));
    complete(&first, 2).await;
    let file = std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path());
    let file = file.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "vectors")).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let fake = Fake::new(None);
    let second = service(&fake, Some(folder.path()));
    second.want(phrases(&["one", "two"]));
    complete(&second, 2).await;
    assert_eq!(fake.asked(), ["two"]);
    let notes = second.notes();
    assert!(notes.len() == 1 && notes[0].contains("1 of its vectors are damaged"), "{notes:?}");
}

#[tokio::test]
async fn the_worker_ends_with_the_last_handle() {
    let fake = Fake::new(None);
    let held: Weak<Fake> = Arc::downgrade(&fake);
    let service = service(&fake, None);
    drop(fake);
    service.encode("hello there", Patience::Forever).await.unwrap();
    let other = service.clone();
    drop(service);
    assert!(other.encode("hello again", Patience::Now).await.is_ok());
    drop(other);
    until(|| held.upgrade().is_none()).await;
}

fn by_setting(model: &str, home: &Path) -> Service {
    let env = Env::from_pairs([("HF_ENDPOINT", "http://127.0.0.1:9")]);
    let paths = Paths::new(home.to_path_buf(), None);
    Service::new(Options::new(model, &paths, &env))
}

#[tokio::test]
async fn a_folder_s_model_is_used_and_a_missing_one_is_fallen_back_from() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("model");
    write_tiny(&folder);
    let name = folder.display().to_string();
    let service = by_setting(&name, home.path());
    service.want(phrases(&["north", "east up"]));
    let index = complete(&service, 2).await;
    assert_eq!(index.get("north").unwrap().dimensions(), 3);
    let state = service.state().borrow().clone();
    assert!(matches!(&state, EncoderState::Ready { model, note: None, .. } if *model == name), "{state:?}");

    for setting in ["/no/such/model", "nobody/nothing"] {
        let service = by_setting(setting, home.path());
        service.start();
        let settled = |state: &EncoderState| matches!(state, EncoderState::Ready { .. } | EncoderState::Failed { .. });
        match (reach(&service, settled).await, Model::embedded().is_ok()) {
            (EncoderState::Ready { model, note, .. }, true) => {
                let note = note.expect("what was fallen back from");
                assert_eq!(model, "embedded");
                assert!(note.starts_with(&format!("`{setting}` cannot be used, the embedded model is: ")), "{note}");
            }
            (EncoderState::Failed { why, .. }, false) => assert!(why.contains(setting), "{why}"),
            (state, _) => panic!("{state:?}"),
        }
    }
}
