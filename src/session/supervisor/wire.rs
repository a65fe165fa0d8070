//! The bodies of model calls, kept for whoever wants to see them: `wire/<request>.json` in the session's
//! folder.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::Mask;
use crate::proto::{Fault, Purpose, RequestId, StopReason, Usage};
use crate::session::journal::{create_private_folder, write_private};

/// The folder beside the journal.
pub const FOLDER: &str = "wire";

/// Bytes of all files of a session; the oldest go first.
pub const MOST: u64 = 64 * 1024 * 1024;

/// A body is shown up to here, bytes.
const SHOWN: usize = 1024 * 1024;

/// What was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    pub request: RequestId,
    pub purpose: Purpose,
    pub model: String,
    pub body: Value,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Received {
    /// As it came, with what is taken out before it is shown.
    pub text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    sent: Sent,
    /// `None` when the process went away before it came.
    received: Option<Received>,
}

/// What was sent and received, as it is shown; a sentence when it is not kept.
pub type Shown = (String, String);

type Tell = Box<dyn FnOnce(Shown) + Send>;

enum Job {
    Sent(PathBuf, Sent),
    Received(PathBuf, RequestId, Received),
    Show(PathBuf, RequestId, Tell),
}

/// Writes beside the session's task.
#[derive(Debug, Default)]
pub struct Wire {
    writer: Option<(Sender<Job>, JoinHandle<()>)>,
    /// Tests make it small.
    most: Option<u64>,
}

impl Wire {
    /// A call begins; kept in the folder of this session.
    pub fn sent(&mut self, session: &Path, mask: &Mask, sent: Sent) {
        self.give(mask, Job::Sent(session.join(FOLDER), sent));
    }

    /// It is over.
    pub fn received(&mut self, session: &Path, mask: &Mask, request: RequestId, received: Received) {
        self.give(mask, Job::Received(session.join(FOLDER), request, received));
    }

    /// Tells what is kept of a call.
    pub fn show(&mut self, session: &Path, mask: &Mask, request: RequestId, tell: impl FnOnce(Shown) + Send + 'static) {
        self.give(mask, Job::Show(session.join(FOLDER), request, Box::new(tell)));
    }

    fn give(&mut self, mask: &Mask, job: Job) {
        let most = self.most.unwrap_or(MOST);
        let (sender, _) = self.writer.get_or_insert_with(|| {
            let (sender, jobs) = channel();
            let mask = mask.clone();
            (sender, std::thread::spawn(move || write_all(&jobs, &mask, most)))
        });
        // A writer that is gone keeps nothing any more; the session goes on.
        let _ = sender.send(job);
    }

    /// Everything that was given is on disk afterwards. Blocking.
    pub fn close(self) {
        if let Some((sender, thread)) = self.writer {
            drop(sender);
            let _ = thread.join();
        }
    }
}

/// The files of one folder, by request.
struct Files {
    sizes: BTreeMap<u32, u64>,
}

impl Files {
    fn of(folder: &Path) -> Self {
        let sizes = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name.strip_suffix(".json")?.parse().ok()?, entry.metadata().ok()?.len()))
        });
        Self { sizes: sizes.collect() }
    }

    fn add(&mut self, folder: &Path, request: u32, size: u64, most: u64) {
        self.sizes.insert(request, size);
        let mut all: u64 = self.sizes.values().sum();
        while all > most
            && let Some((oldest, size)) = self.sizes.pop_first()
        {
            // What cannot be removed is tried again when the session is taken up.
            let _ = fs::remove_file(file(folder, RequestId(oldest)));
            all -= size;
        }
    }
}

fn file(folder: &Path, request: RequestId) -> PathBuf {
    folder.join(format!("{}.json", request.0))
}

fn write_all(jobs: &Receiver<Job>, mask: &Mask, most: u64) {
    let mut open: HashMap<(PathBuf, u32), Sent> = HashMap::new();
    let mut folders: HashMap<PathBuf, Files> = HashMap::new();
    let mut keep = |folder: &Path, kept: &Kept| {
        let files = folders.entry(folder.to_owned()).or_insert_with(|| Files::of(folder));
        // A folder that cannot be written is told of by the journal, which lies beside it.
        if let Ok(size) = write(folder, kept, mask) {
            files.add(folder, kept.sent.request.0, size, most);
        }
    };
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Sent(folder, sent) => {
                open.insert((folder, sent.request.0), sent);
            }
            Job::Received(folder, request, received) => {
                if let Some(sent) = open.remove(&(folder.clone(), request.0)) {
                    keep(&folder, &Kept { sent, received: Some(received) });
                }
            }
            Job::Show(folder, request, tell) => tell(match open.get(&(folder.clone(), request.0)) {
                Some(sent) => (pretty(&mask.value(&sent.body)), "The reply is still coming.".to_owned()),
                None => read(&folder, request),
            }),
        }
    }
    for ((folder, _), sent) in open {
        keep(&folder, &Kept { sent, received: None });
    }
}

fn write(folder: &Path, kept: &Kept, mask: &Mask) -> io::Result<u64> {
    let mut json = serde_json::to_string(kept)?;
    if mask.is_in_json(&json) {
        json = mask.value(&serde_json::from_str(&json)?).to_string();
    }
    create_private_folder(folder)?;
    write_private(&file(folder, kept.sent.request), json.as_bytes())?;
    Ok(json.len() as u64)
}

fn read(folder: &Path, request: RequestId) -> Shown {
    let kept = fs::read(file(folder, request)).and_then(|bytes| Ok(serde_json::from_slice::<Kept>(&bytes)?));
    match kept {
        Ok(Kept { sent, received: Some(received) }) => {
            (pretty(&sent.body), pretty(&serde_json::to_value(received).unwrap_or_default()))
        }
        Ok(Kept { sent, received: None }) => {
            (pretty(&sent.body), "octomind ended before the reply was there.".to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let why = "Not kept: the newest calls are, up to 64 MB a session.".to_owned();
            (why.clone(), why)
        }
        Err(error) => {
            let why = format!("{} cannot be read: {error}.", file(folder, request).display());
            (why.clone(), why)
        }
    }
}

fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    if text.len() > SHOWN {
        text.truncate(text.floor_char_boundary(SHOWN));
        text.push_str("\n… the rest is left out here");
    }
    text
}

#[cfg(test)]
mod tests;
