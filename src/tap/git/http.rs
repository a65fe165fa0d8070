//! Git's "smart" protocol over our HTTP client: each step is one request and its answer.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use git2::Error;
use git2::transport::{Service, SmartSubtransport, SmartSubtransportStream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, redirect};
use tokio::runtime::Runtime;
use tokio::time::{Instant, timeout_at};

use super::address::is_here;
use super::fault::GitFault;
use super::operation::Operation;

const CONNECT: Duration = Duration::from_secs(15);
const MOST_REDIRECTS: usize = 5;
/// What we send is a list of commits; more than this is a fault of ours.
const LARGEST_REQUEST: usize = 4 << 20;

/// The requests of one transfer.
pub(super) struct Requests(Arc<Link>);

struct Link {
    operation: Operation,
    client: Client,
    runtime: Runtime,
    /// Where a redirect of the first request led to; the next ones go there at once.
    moved: Mutex<Option<String>>,
}

impl Requests {
    pub fn new(operation: &Operation) -> Result<Self, GitFault> {
        let failed = |reason: String| GitFault::Git(format!("the HTTP client cannot be set up: {reason}"));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| failed(error.to_string()))?;
        // Fails only when a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(redirect::Policy::none())
            // Some hosts answer programs that are not git with a web page.
            .user_agent(concat!("git/2.0 (octomind ", env!("CARGO_PKG_VERSION"), ")"))
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let operation = operation.clone();
        Ok(Self(Arc::new(Link { operation, client, runtime, moved: Mutex::new(None) })))
    }
}

impl SmartSubtransport for Requests {
    fn action(&self, url: &str, service: Service) -> Result<Box<dyn SmartSubtransportStream>, Error> {
        let step = match service {
            Service::UploadPackLs => Step::List,
            Service::UploadPack => Step::Fetch,
            Service::ReceivePackLs | Service::ReceivePack => return Err(Error::from_str("nothing is ever pushed")),
        };
        let moved = self.0.moved.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let base = moved.unwrap_or_else(|| url.trim_end_matches('/').to_owned());
        Ok(Box::new(Exchange {
            link: Arc::clone(&self.0),
            step,
            base,
            request: Vec::new(),
            answer: Answer::None,
            listed: 0,
        }))
    }

    fn close(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// What branches there are.
    List,
    Fetch,
}

impl Step {
    fn path(self) -> &'static str {
        match self {
            Self::List => "/info/refs?service=git-upload-pack",
            Self::Fetch => "/git-upload-pack",
        }
    }

    fn answer_type(self) -> &'static str {
        match self {
            Self::List => "application/x-git-upload-pack-advertisement",
            Self::Fetch => "application/x-git-upload-pack-result",
        }
    }
}

/// One request, sent when its answer is first read.
struct Exchange {
    link: Arc<Link>,
    step: Step,
    base: String,
    request: Vec<u8>,
    answer: Answer,
    /// Bytes of the list of branches.
    listed: u64,
}

enum Answer {
    None,
    /// The rest of a piece, and where further ones come from.
    Coming(Vec<u8>, usize, Box<Response>),
    Over,
}

impl Write for Exchange {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.request.len() + bytes.len() > LARGEST_REQUEST {
            return Err(io::Error::other("the request is too large"));
        }
        self.request.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Exchange {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.advance(buffer);
        read.map_err(|fault| {
            let text = io::Error::other(fault.to_string());
            self.link.operation.fail(fault);
            text
        })
    }
}

impl Exchange {
    fn advance(&mut self, buffer: &mut [u8]) -> Result<usize, GitFault> {
        loop {
            match &mut self.answer {
                Answer::None => {
                    let response = self.send()?;
                    self.answer = Answer::Coming(Vec::new(), 0, Box::new(response));
                }
                Answer::Coming(piece, at, _) if *at < piece.len() => {
                    let rest = &piece[*at..];
                    let length = rest.len().min(buffer.len());
                    buffer[..length].copy_from_slice(&rest[..length]);
                    *at += length;
                    return Ok(length);
                }
                Answer::Coming(piece, at, response) => {
                    let link = Arc::clone(&self.link);
                    match link.wait(response.chunk())? {
                        Some(next) => {
                            link.operation.add_received(next.len())?;
                            self.listed += if self.step == Step::List { next.len() as u64 } else { 0 };
                            link.operation.check_listed(self.listed)?;
                            *piece = next.to_vec();
                            *at = 0;
                        }
                        None => self.answer = Answer::Over,
                    }
                }
                Answer::Over => return Ok(0),
            }
        }
    }

    fn send(&mut self) -> Result<Response, GitFault> {
        let request = std::mem::take(&mut self.request);
        let mut base = self.base.clone();
        for _ in 0..=MOST_REDIRECTS {
            let url = format!("{base}{}", self.step.path());
            let response = self.link.wait(self.request(&url, request.clone()).send())?;
            if !response.status().is_redirection() {
                self.remember(&base);
                return self.accept(response);
            }
            base = self.redirected(&url, &response)?;
        }
        Err(self.no_repository("it redirects in circles"))
    }

    fn request(&self, url: &str, body: Vec<u8>) -> RequestBuilder {
        let client = &self.link.client;
        let request = match self.step {
            Step::List => client.get(url),
            Step::Fetch => client.post(url).header(CONTENT_TYPE, "application/x-git-upload-pack-request").body(body),
        };
        request.header(ACCEPT, self.step.answer_type())
    }

    /// The repository's new address. Only the first request may be led elsewhere, and never from an
    /// encrypted address to an open one.
    fn redirected(&self, from: &str, response: &Response) -> Result<String, GitFault> {
        let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let from = Url::parse(from).map_err(|_| self.no_repository("its address is odd"))?;
        let to = target.and_then(|target| from.join(target).ok());
        let to = to.ok_or_else(|| self.no_repository("it redirects to no address"))?;
        let allowed = to.scheme() == "https" || (to.scheme() == "http" && from.scheme() == "http" && is_here(&to));
        if self.step != Step::List || !allowed {
            return Err(self.no_repository("it redirects to where a repository must not be fetched from"));
        }
        let base = to.as_str().strip_suffix(Step::List.path()).map(str::to_owned);
        base.ok_or_else(|| self.no_repository("it redirects to another page"))
    }

    fn remember(&self, base: &str) {
        if *base != self.base {
            *self.link.moved.lock().unwrap_or_else(PoisonError::into_inner) = Some(base.to_owned());
        }
    }

    fn accept(&self, response: Response) -> Result<Response, GitFault> {
        let address = self.base.clone();
        match response.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
                return Err(GitFault::Password { address });
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => return Err(GitFault::Missing { address }),
            status => {
                return Err(GitFault::Server { host: self.link.operation.host().to_owned(), status: status.as_u16() });
            }
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match kind.split(';').next().map(str::trim) == Some(self.step.answer_type()) {
            true => Ok(response),
            false => Err(self.no_repository("what answers there does not speak git")),
        }
    }

    fn no_repository(&self, reason: &str) -> GitFault {
        GitFault::NoRepository { address: self.base.clone(), reason: reason.to_owned() }
    }
}

impl Link {
    /// Waits as long as the bounds allow.
    fn wait<Value>(&self, step: impl Future<Output = reqwest::Result<Value>>) -> Result<Value, GitFault> {
        let operation = &self.operation;
        operation.check()?;
        let whole = Instant::from_std(operation.deadline());
        let silence = Instant::now() + operation.bounds().silence;
        let outcome = self.runtime.block_on(async {
            tokio::select! {
                () = operation.stop().cancelled() => Err(GitFault::Stopped),
                outcome = timeout_at(whole.min(silence), step) => Ok(outcome),
            }
        })?;
        match outcome {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(GitFault::Unreachable { host: operation.host().to_owned(), reason: cause(&error) }),
            Err(_) if whole <= silence => Err(operation.slow()),
            Err(_) => Err(operation.silent()),
        }
    }
}

/// The innermost cause: the outer ones only say that a request failed.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    crate::text::sanitize_line(&cause.to_string()).into_owned()
}
