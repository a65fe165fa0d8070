//! What a server says on its own account: progress, changes of its list, words for people, and requests
//! for things that no server gets.
#![expect(deprecated, reason = "servers still send log messages, and ask for what newer ones do not")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ConstString, CreateMessageRequestMethod, CreateMessageRequestParams,
    CreateMessageResult, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult,
    ElicitationCreateRequestMethod, ErrorCode, ErrorData, Implementation, ListRootsRequestMethod, ListRootsResult,
    ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, watch};

use super::process::Tail;
use super::{Progress, visible};

/// So many requests of a server are told; one that goes on asking is not repeated.
const ASKED_TOLD: u32 = 8;

/// What the server sends on its own account, and who waits for it.
#[derive(Debug)]
pub struct Ears {
    progress: Mutex<Waiting>,
    pub list_changed: Notify,
    /// How often the server said that its list changed, and up to which of these it was read again.
    said: AtomicU64,
    read: watch::Sender<u64>,
    tail: Arc<Tail>,
    version: String,
    /// How often it asked for what it does not get.
    asked: AtomicU32,
}

#[derive(Debug, Default)]
struct Waiting {
    calls: HashMap<ProgressToken, UnboundedSender<Progress>>,
    /// Progress that was faster than the registration of its call.
    early: Vec<(ProgressToken, Progress)>,
}

impl Ears {
    pub fn new(tail: Arc<Tail>, version: String) -> Arc<Self> {
        let (said, read) = (AtomicU64::new(0), watch::channel(0).0);
        Arc::new(Self {
            progress: Mutex::default(),
            list_changed: Notify::new(),
            said,
            read,
            tail,
            version,
            asked: AtomicU32::new(0),
        })
    }

    /// How often the server said that its list changed.
    pub fn said(&self) -> u64 {
        self.said.load(Ordering::Acquire)
    }

    /// The list was read, or cannot be, as it was after so many times.
    pub fn read_up_to(&self, said: u64) {
        self.read.send_if_modified(|read| std::mem::replace(read, said.max(*read)) < said);
    }

    /// Whether the list is as the server said it last.
    pub fn is_read(&self) -> bool {
        *self.read.borrow() >= self.said()
    }

    /// Waits until it is as it was said last before now.
    pub async fn read(&self) {
        let said = self.said();
        // It is over with the connection.
        let _ = self.read.subscribe().wait_for(|read| *read >= said).await;
    }

    /// It asked for something of this program's, the model or the person say, which no server gets.
    fn asked(&self, method: &str) {
        if self.asked.fetch_add(1, Ordering::Relaxed) < ASKED_TOLD {
            self.tail.push(&format!("octomind: it asked for `{method}`, which is not offered to servers"));
        }
    }

    pub(super) fn register(&self, token: &ProgressToken) -> UnboundedReceiver<Progress> {
        let (sender, receiver) = unbounded_channel();
        let mut waiting = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, progress) in waiting.early.extract_if(.., |(early, _)| early == token) {
            let _ = sender.send(progress);
        }
        waiting.calls.insert(token.clone(), sender);
        receiver
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).calls.remove(token);
    }

    fn heard(&self, token: ProgressToken, progress: Progress) {
        let mut waiting = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.calls.get(&token) {
            Some(call) => drop(call.send(progress)),
            None if waiting.early.len() < 64 => waiting.early.push((token, progress)),
            // Progress of calls that are over.
            None => {
                waiting.early.remove(0);
                waiting.early.push((token, progress));
            }
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Handler(pub(super) Arc<Ears>);

impl Handler {
    /// The answer of the protocol to what a client did not say that it can do.
    fn not_offered<M: ConstString>(&self) -> ErrorData {
        self.0.asked(M::VALUE);
        ErrorData::method_not_found::<M>()
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("octomind", self.0.version.clone()))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(self.not_offered::<CreateMessageRequestMethod>())
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Err(self.not_offered::<ListRootsRequestMethod>())
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Err(self.not_offered::<ElicitationCreateRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        self.0.asked(&request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let fraction = params.total.filter(|total| *total > 0.0).map(|total| (params.progress / total) as f32);
        let note = params.message.as_deref().map(|note| visible::line(note, 200)).filter(|note| !note.is_empty());
        let fraction = fraction.filter(|fraction| fraction.is_finite()).map(|fraction| fraction.clamp(0.0, 1.0));
        self.0.heard(params.progress_token, Progress { note, fraction });
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.said.fetch_add(1, Ordering::AcqRel);
        self.0.list_changed.notify_one();
    }

    async fn on_logging_message(
        &self,
        params: rmcp::model::LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let words = params.data.as_str().map_or_else(|| params.data.to_string(), str::to_owned);
        self.0.tail.push(&format!("log: {words}"));
    }
}
