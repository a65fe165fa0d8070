//! The requests: what there is, how large it is, and the bytes.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderMap, LOCATION, RANGE};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use sha2::{Digest, Sha256};

use super::super::digest::hex;
use super::error::DownloadError;
use super::listing::Listing;
use super::store::{Store, Stored};
use super::{CONNECT, Hub, Progress};
use crate::config::{make_private_folder, private};

/// Attempts for one file; one that brought bytes does not count.
const ATTEMPTS: u32 = 4;
/// Larger models are none that a message could wait for.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;

/// A file as the hub describes it.
#[derive(Debug)]
pub struct Described {
    pub name: String,
    address: String,
    bytes: Option<u64>,
    /// Changes with the content.
    tag: String,
    sha256: Option<String>,
}

/// How an attempt ended that did not bring the whole file.
enum Broken {
    /// Worth another attempt.
    Again(DownloadError),
    Final(DownloadError),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Final(DownloadError::Disk(error))
    }
}

pub struct Fetcher<'a> {
    hub: &'a Hub,
    /// Follows to wherever the bytes lie.
    following: Client,
    /// Sees the hub's own headers, which the place of the bytes does not repeat.
    staying: Client,
}

impl<'a> Fetcher<'a> {
    pub fn new(hub: &'a Hub) -> Result<Self, DownloadError> {
        // Fails only when a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = |policy: Policy| {
            Client::builder()
                .connect_timeout(CONNECT)
                .read_timeout(hub.silence)
                .redirect(policy)
                .user_agent(concat!("octomind/", env!("CARGO_PKG_VERSION")))
                .build()
                .map_err(|error| DownloadError::Client(error.to_string()))
        };
        Ok(Self { hub, following: client(Policy::limited(5))?, staying: client(Policy::none())? })
    }

    pub async fn listing(&self, repository: &str) -> Result<Listing, DownloadError> {
        let address = format!("{}/api/models/{repository}", self.hub.base);
        let answer = self.following.get(&address).send().await.map_err(|error| self.unreachable(&error))?;
        match answer.status() {
            StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(DownloadError::NoRepository(repository.to_owned()))
            }
            status if status.is_success() => {
                let text = answer.bytes().await.map_err(|error| self.unreachable(&error))?;
                Listing::parse(&text)
            }
            status => Err(DownloadError::Refused { status: status.as_u16(), what: format!("`{repository}`") }),
        }
    }

    pub async fn describe(&self, repository: &str, revision: &str, name: String) -> Result<Described, DownloadError> {
        let address = format!("{}/{repository}/resolve/{revision}/{name}", self.hub.base);
        let answer = self.staying.head(&address).send().await.map_err(|error| self.unreachable(&error))?;
        let status = answer.status();
        let elsewhere = status.is_redirection() && answer.headers().contains_key(LOCATION);
        if !(status.is_success() || elsewhere) {
            return Err(DownloadError::Refused { status: status.as_u16(), what: name });
        }
        let headers = answer.headers();
        let linked = header(headers, "x-linked-etag");
        let tag = linked.or_else(|| header(headers, ETAG.as_str())).map(|tag| unquoted(tag).to_owned());
        let tag = tag.unwrap_or_else(|| revision.to_owned());
        let own_length = header(headers, CONTENT_LENGTH.as_str()).filter(|_| status.is_success());
        let bytes = header(headers, "x-linked-size").or(own_length).and_then(|size| size.parse().ok());
        let sha256 = is_sha256(&tag).then(|| tag.to_ascii_lowercase());
        Ok(Described { name, address, bytes, tag, sha256 })
    }

    pub async fn all(
        &self,
        store: &Store,
        files: &[Described],
        progress: Progress<'_>,
    ) -> Result<Vec<Stored>, DownloadError> {
        let total = files.iter().map(|file| file.bytes).sum::<Option<u64>>();
        if total.is_some_and(|total| total > MOST_BYTES) {
            return Err(DownloadError::TooLarge(MOST_BYTES));
        }
        let mut done = 0;
        let mut stored = Vec::new();
        for file in files {
            let so_far = |bytes: u64| progress(done + bytes, total);
            let fetched = self.one(store, file, &so_far).await?;
            done += fetched.bytes;
            stored.push(fetched);
        }
        Ok(stored)
    }

    async fn one(
        &self,
        store: &Store,
        file: &Described,
        so_far: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<Stored, DownloadError> {
        let (part, tag) = (store.part(&file.name), store.part_tag(&file.name));
        if let Some(parent) = part.parent() {
            make_private_folder(parent)?;
        }
        if fs::read_to_string(&tag).ok().as_deref() != Some(&file.tag) {
            remove(&part)?;
            private().create(true).write(true).truncate(true).open(&tag)?.write_all(file.tag.as_bytes())?;
        }
        let mut attempt = 0;
        loop {
            let before = length(&part);
            so_far(before);
            match self.attempt(&part, file, so_far).await {
                Ok(()) => break,
                Err(Broken::Final(error)) => return Err(error),
                Err(Broken::Again(error)) => {
                    attempt = if length(&part) > before { 1 } else { attempt + 1 };
                    if attempt >= ATTEMPTS {
                        return Err(error);
                    }
                    tokio::time::sleep(self.hub.back_off * 2_u32.pow(attempt - 1)).await;
                }
            }
        }
        let stored = check(&part, file)?;
        fs::rename(&part, store.path(&file.name))?;
        remove(&tag)?;
        Ok(stored)
    }

    /// Brings the part from its length to the file's.
    async fn attempt(&self, part: &Path, file: &Described, so_far: &(dyn Fn(u64) + Send + Sync)) -> Result<(), Broken> {
        let have = length(part);
        if file.bytes == Some(have) && have > 0 {
            return Ok(());
        }
        let mut request = self.following.get(&file.address);
        if have > 0 {
            request = request.header(RANGE, format!("bytes={have}-"));
        }
        let answer = request.send().await.map_err(|error| Broken::Again(self.unreachable(&error)))?;
        let status = answer.status();
        let from = match status {
            StatusCode::PARTIAL_CONTENT if starts_at(answer.headers(), have) => have,
            StatusCode::OK => 0,
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                remove(part)?;
                return Err(Broken::Again(refused(status, file)));
            }
            _ if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                return Err(Broken::Again(refused(status, file)));
            }
            _ => return Err(Broken::Final(refused(status, file))),
        };
        let output = private().create(true).write(true).truncate(from == 0).append(from > 0).open(part)?;
        self.receive(answer, output, file, from, so_far).await
    }

    async fn receive(
        &self,
        mut answer: Response,
        mut output: File,
        file: &Described,
        from: u64,
        so_far: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<(), Broken> {
        let mut have = from;
        while let Some(bytes) = answer.chunk().await.map_err(|error| Broken::Again(self.unreachable(&error)))? {
            have += bytes.len() as u64;
            match file.bytes {
                Some(expected) if have > expected => {
                    return Err(Broken::Final(DownloadError::TooMuch { file: file.name.clone(), expected }));
                }
                None if have > MOST_BYTES => return Err(Broken::Final(DownloadError::TooLarge(MOST_BYTES))),
                _ => {}
            }
            output.write_all(&bytes)?;
            so_far(have);
        }
        output.sync_all()?;
        match file.bytes {
            Some(expected) if have < expected => {
                Err(Broken::Again(DownloadError::Cut { file: file.name.clone(), got: have, expected }))
            }
            _ => Ok(()),
        }
    }

    fn unreachable(&self, error: &reqwest::Error) -> DownloadError {
        let base = reqwest::Url::parse(&self.hub.base).ok();
        let host = error.url().or(base.as_ref()).and_then(|url| url.host_str()).unwrap_or(&self.hub.base).to_owned();
        if error.is_timeout() && !error.is_connect() {
            return DownloadError::Silent { host, seconds: self.hub.silence.as_secs() };
        }
        let mut reason = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(deeper) = cause {
            reason = deeper.to_string();
            cause = deeper.source();
        }
        DownloadError::Unreachable { host, reason }
    }
}

fn check(part: &Path, file: &Described) -> Result<Stored, DownloadError> {
    let mut digest = Sha256::new();
    let mut input = File::open(part)?;
    let mut block = vec![0; 256 * 1024];
    loop {
        let count = input.read(&mut block)?;
        if count == 0 {
            break;
        }
        digest.update(&block[..count]);
    }
    let got = hex(&digest.finalize());
    match &file.sha256 {
        Some(expected) if *expected != got => {
            // Nothing of it is worth keeping: where the damage is cannot be told.
            remove(part)?;
            Err(DownloadError::Checksum { file: file.name.clone(), got, expected: expected.clone() })
        }
        _ => Ok(Stored { name: file.name.clone(), bytes: length(part), sha256: got }),
    }
}

fn refused(status: StatusCode, file: &Described) -> DownloadError {
    DownloadError::Refused { status: status.as_u16(), what: file.name.clone() }
}

fn starts_at(headers: &HeaderMap, have: u64) -> bool {
    let range = header(headers, CONTENT_RANGE.as_str()).and_then(|range| range.strip_prefix("bytes "));
    range.and_then(|range| range.split('-').next()).and_then(|start| start.trim().parse().ok()) == Some(have)
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn unquoted(tag: &str) -> &str {
    tag.trim_start_matches("W/").trim_matches('"')
}

fn is_sha256(tag: &str) -> bool {
    tag.len() == 64 && tag.chars().all(|letter| letter.is_ascii_hexdigit())
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
