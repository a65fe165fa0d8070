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
        let file = match MappedFile::open(&self.path) {
            Ok(file) => Arc::new(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            // An empty file cannot be mapped; it is what a killed process may have left.
            Err(_) if fs::metadata(&self.path).is_ok_and(|found| found.len() == 0) => {
                return Some(self.replace(&Fault::Foreign, &[]));
            }
            Err(error) => return Some(format!("{} cannot be read: {error}", self.path.display())),
        };
        if let Err(fault) = format::check_header(file.bytes(), &self.model, self.dimensions) {
            return Some(self.replace(&fault, &[]));
        }
        let mut whole = Vec::new();
        let fault = format::mapped(&file, self.dimensions, |key, vector| {
            if wanted(&key) {
                index.insert(key, vector.clone());
            }
            whole.push((key, vector));
        });
        if let Some(fault) = fault {
            return Some(self.replace(&fault, &whole));
        }
        if whole.len() > MOST_RECORDS {
            whole.retain(|(key, _)| wanted(key));
            return self.rewrite(&whole).err().map(|error| self.unwritable(&error));
        }
        None
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

    fn replace(&self, fault: &Fault, whole: &[(Key, Vector)]) -> String {
        let path = self.path.display();
        match self.rewrite(whole) {
            Ok(()) => format!("{path} was made anew, with {} vectors kept: {fault}", whole.len()),
            Err(error) => format!("{path} is not used ({fault}) and cannot be made anew: {error}"),
        }
    }

    /// Never in place: others may have the old file mapped.
    fn rewrite(&self, vectors: &[(Key, Vector)]) -> io::Result<()> {
        let _lock = self.lock()?;
        let part = self.path.with_added_extension("part");
        let mut file = private().create(true).write(true).truncate(true).open(&part)?;
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
