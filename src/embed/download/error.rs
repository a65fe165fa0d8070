//! What can go wrong with a download.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    #[error("{host} could not be reached: {reason}")]
    Unreachable { host: String, reason: String },
    #[error("{host} sent nothing for {seconds} s")]
    Silent { host: String, seconds: u64 },
    #[error("there is no `{0}` on the hub, or it is not public")]
    NoRepository(String),
    #[error("`{repository}` has no {what}")]
    NoModel { repository: String, what: String },
    #[error("the hub answered {status} for {what}")]
    Refused { status: u16, what: String },
    #[error("the hub's list of files cannot be read: {0}")]
    Listing(String),
    #[error("{file} ended after {got} of {expected} bytes, several times")]
    Cut { file: String, got: u64, expected: u64 },
    #[error("{file} arrived damaged: its SHA-256 is {got}, the hub says {expected}")]
    Checksum { file: String, got: String, expected: String },
    #[error("the model is larger than {} MiB", .0 / (1024 * 1024))]
    TooLarge(u64),
    #[error("more than the announced {expected} bytes came for {file}")]
    TooMuch { file: String, expected: u64 },
    #[error("the model cannot be stored: {0}")]
    Disk(#[from] io::Error),
    #[error("the download was stopped")]
    Stopped,
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
}
