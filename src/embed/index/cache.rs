//! One file for each model under the cache folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::super::digest::hex;
use super::super::encoder::Identity;
use super::super::raw::MappedFile;
use super::super::vector::Vector;
use super::format::{self, Fault};
use super::{Index, Key};
use crate::config::{lock_within, make_private_folder, private};

/// A file with more records than this is cut down to what is in use: some 100 MB at 384 dimensions.
const MOST_RECORDS: usize = 65_536;

/// Longest wait for another process that is just writing; without the lock the vectors are made again.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Where the vectors of a model are kept.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    model: [u8; 32],
    dimensions: usize,
}

#[derive(Default)]
struct Scanned {
    whole: Vec<(Key, Vector)>,
    fault: Option<Fault>,
}

impl Cache {
    /// `folder` is that of all models.
    pub fn new(folder: &Path, identity: &Identity) -> Self {
        let model = identity.key();
        let name = format!("{}.vectors", &hex(&model)[..24]);
        Self { path: folder.join(name), model, dimensions: identity.dimensions }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What of `wanted` the file holds. A faulty file is replaced by what is whole in it; the fault is
    /// returned in words.
    pub fn read(&self, wanted: &dyn Fn(&Key) -> bool, index: &mut Index) -> Option<String> {
        let (whole, note) = match self.scan() {
            Ok(Scanned { whole, fault: None }) if whole.len() <= MOST_RECORDS => (whole, None),
            Ok(_) => self.mend(wanted),
            Err(error) => (Vec::new(), Some(format!("{} cannot be read: {error}", self.path.display()))),
        };
        for (key, vector) in whole.into_iter().filter(|(key, _)| wanted(key)) {
            index.insert(key, vector);
        }
        note
    }

    /// Every whole vector of the file.
    fn scan(&self) -> io::Result<Scanned> {
        let faulty = |fault| Ok(Scanned { whole: Vec::new(), fault: Some(fault) });
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Scanned::default()),
            // Opening it might wait forever.
            Ok(found) if !found.is_file() => return faulty(Fault::NotAFile),
            // It cannot be mapped; it is what a killed process may have left.
            Ok(found) if found.len() == 0 => return faulty(Fault::Foreign),
            Ok(found) if found.len() > self.most_bytes() => return faulty(Fault::TooLarge),
            found => found?,
        };
        let file = Arc::new(MappedFile::open(&self.path)?);
        if let Err(fault) = format::check_header(file.bytes(), &self.model, self.dimensions) {
            return faulty(fault);
        }
        let mut whole = Vec::new();
        let fault = format::mapped(&file, self.dimensions, |key, vector| whole.push((key, vector)));
        Ok(Scanned { whole, fault })
    }

    /// Looks again with nobody else writing: what looked torn may have been half written. Then makes the
    /// file anew if it must be.
    fn mend(&self, wanted: &dyn Fn(&Key) -> bool) -> (Vec<(Key, Vector)>, Option<String>) {
        let lock = self.lock();
        let Scanned { mut whole, fault } = match self.scan() {
            Ok(scanned) => scanned,
            Err(error) => return (Vec::new(), Some(format!("{} cannot be read: {error}", self.path.display()))),
        };
        if fault.is_none() && whole.len() <= MOST_RECORDS {
            return (whole, None);
        }
        if fault.is_none() {
            whole.retain(|(key, _)| wanted(key));
        }
        let written = lock.and_then(|_lock| self.rewrite(&whole));
        let (path, kept) = (self.path.display(), whole.len());
        let note = match (fault, written) {
            (None, written) => written.err().map(|error| self.unwritable(&error)),
            (Some(fault), Ok(())) => Some(format!("{path} was made anew, with {kept} vectors kept: {fault}")),
            (Some(fault), Err(error)) => Some(format!("{path} is not used ({fault}) and cannot be made anew: {error}")),
        };
        (whole, note)
    }

    /// Nothing of ours grows so large: it is cut down long before.
    fn most_bytes(&self) -> u64 {
        (format::HEADER + 2 * MOST_RECORDS * format::record_length(self.dimensions)) as u64
    }

    /// Vectors that come with the binary: used where they fit this model, else left alone.
    pub fn read_precomputed(&self, bytes: &'static [u8], wanted: &dyn Fn(&Key) -> bool, index: &mut Index) {
        if format::check_header(bytes, &self.model, self.dimensions).is_err() {
            return;
        }
        format::records(bytes, self.dimensions, |key, place| {
            if wanted(&key) && !index.contains(&key) {
                let floats = &bytes[place + format::FLOATS..place + format::record_length(self.dimensions)];
                let (numbers, _) = floats.as_chunks::<4>();
                let numbers = numbers.iter().map(|number| f32::from_ne_bytes(*number)).collect();
                if let Some(vector) = Vector::stored(numbers) {
                    index.insert(key, vector);
                }
            }
        });
    }

    /// Adds behind what is there. The lock keeps two processes from mixing their records.
    pub fn append(&self, vectors: &[(Key, Vector)]) -> Result<(), String> {
        self.try_append(vectors).map_err(|error| self.unwritable(&error))
    }

    fn try_append(&self, vectors: &[(Key, Vector)]) -> io::Result<()> {
        let _lock = self.lock()?;
        if fs::metadata(&self.path).is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other(Fault::NotAFile.to_string()));
        }
        let mut file = private().create(true).append(true).open(&self.path)?;
        let length = file.metadata()?.len() as usize;
        let record = format::record_length(self.dimensions);
        let mut bytes = Vec::new();
        if length == 0 {
            bytes.extend(format::header(&self.model, self.dimensions));
        } else if !length.checked_sub(format::HEADER).is_some_and(|body| body.is_multiple_of(record)) {
            // Another process died while it wrote. The next reading mends the file; a record behind a
            // torn one would be lost.
            return Err(io::Error::other("its last vector is incomplete"));
        }
        bytes.extend(vectors.iter().flat_map(|(key, vector)| format::record(key, vector.as_slice())));
        file.write_all(&bytes)
    }

    /// Never in place: others may have the old file mapped. For who holds the lock.
    fn rewrite(&self, vectors: &[(Key, Vector)]) -> io::Result<()> {
        let part = self.path.with_added_extension("part");
        // Whatever a killed process left there; under the lock nobody else writes it.
        match fs::remove_file(&part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = private().create_new(true).write(true).open(&part)?;
        file.write_all(&format::header(&self.model, self.dimensions))?;
        for (key, vector) in vectors {
            file.write_all(&format::record(key, vector.as_slice()))?;
        }
        file.sync_all()?;
        fs::rename(part, &self.path)
    }

    fn lock(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            make_private_folder(folder)?;
        }
        let lock = lock_within(&self.path.with_added_extension("lock"), LOCK_WAIT)?;
        lock.ok_or_else(|| io::Error::other("another process keeps it locked"))
    }

    fn unwritable(&self, error: &io::Error) -> String {
        format!("vectors cannot be kept in {}: {error}", self.path.display())
    }
}
