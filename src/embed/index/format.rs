//! The file: a header of 64 bytes, then records of one length, in the machine's byte order.
//!
//! Header: magic, mark of the byte order, dimensions, key of the model, check of the header.
//! Record: half a SHA-256 of the text, check of the record, the floats.

use std::sync::Arc;

use super::super::digest::of_parts;
use super::super::raw::MappedFile;
use super::super::vector::Vector;
use super::Key;

const MAGIC: [u8; 8] = *b"OMVECS\x01\n";
/// Reads as another number on a machine of the other byte order.
const ORDER: u32 = 0x0102_0304;
pub const HEADER: usize = 64;
const KEY: usize = 16;
const CHECK: usize = 8;
/// Where the floats of a record begin.
pub const FLOATS: usize = KEY + CHECK;

/// What is wrong with a file of vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("it is no file of vectors")]
    Foreign,
    #[error("it was made on a machine with the other byte order")]
    ByteOrder,
    #[error("it is not an ordinary file")]
    NotAFile,
    #[error("it is far too large")]
    TooLarge,
    #[error("it was made by another model")]
    OtherModel,
    #[error("its header is damaged")]
    Header,
    #[error("{0} of its vectors are damaged")]
    Damaged(usize),
    #[error("its last vector is incomplete")]
    Torn,
}

pub fn record_length(dimensions: usize) -> usize {
    FLOATS + dimensions * 4
}

pub fn header(model: &[u8; 32], dimensions: usize) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&ORDER.to_ne_bytes());
    header[12..16].copy_from_slice(&(dimensions as u32).to_ne_bytes());
    header[16..48].copy_from_slice(model);
    let check = of_parts(&[&header[..48]]);
    header[48..].copy_from_slice(&check[..16]);
    header
}

pub fn record(key: &Key, numbers: &[f32]) -> Vec<u8> {
    let floats: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    let mut record = Vec::with_capacity(record_length(numbers.len()));
    record.extend_from_slice(key);
    record.extend_from_slice(&check(key, &floats));
    record.extend_from_slice(&floats);
    record
}

/// A whole file, as `assets/encoder/vectors.bin` is one.
pub fn encode<'v>(
    model: &[u8; 32],
    dimensions: usize,
    vectors: impl IntoIterator<Item = (&'v str, &'v Vector)>,
) -> Vec<u8> {
    let mut file = header(model, dimensions).to_vec();
    for (text, vector) in vectors {
        file.extend(record(&super::of_text(text), vector.as_slice()));
    }
    file
}

fn check(key: &Key, floats: &[u8]) -> [u8; CHECK] {
    let mut check = [0; CHECK];
    check.copy_from_slice(&of_parts(&[key, floats])[..CHECK]);
    check
}

/// Whether the file can hold vectors of this model at all.
pub fn check_header(bytes: &[u8], model: &[u8; 32], dimensions: usize) -> Result<(), Fault> {
    let found = bytes.get(..HEADER).ok_or(Fault::Foreign)?;
    if found == header(model, dimensions) {
        return Ok(());
    }
    if found[..8] != MAGIC {
        return Err(Fault::Foreign);
    }
    if found[8..12] == ORDER.swap_bytes().to_ne_bytes() {
        return Err(Fault::ByteOrder);
    }
    let whole = of_parts(&[&found[..48]])[..16] == found[48..];
    Err(if whole { Fault::OtherModel } else { Fault::Header })
}

/// Calls `each` with every whole record's key and place; says what else there is.
pub fn records(bytes: &[u8], dimensions: usize, mut each: impl FnMut(Key, usize)) -> Option<Fault> {
    let length = record_length(dimensions);
    let body = bytes.get(HEADER..).unwrap_or_default();
    let mut damaged = 0;
    for (number, record) in body.chunks_exact(length).enumerate() {
        let mut key = [0; KEY];
        key.copy_from_slice(&record[..KEY]);
        if record[KEY..FLOATS] == check(&key, &record[FLOATS..]) {
            each(key, HEADER + number * length);
        } else {
            damaged += 1;
        }
    }
    match (damaged, body.len() % length) {
        (0, 0) => None,
        (0, _) => Some(Fault::Torn),
        (damaged, _) => Some(Fault::Damaged(damaged)),
    }
}

/// Records of a mapped file.
pub fn mapped(file: &Arc<MappedFile>, dimensions: usize, mut each: impl FnMut(Key, Vector)) -> Option<Fault> {
    let mut odd = 0;
    let fault =
        records(file.bytes(), dimensions, |key, place| match Vector::mapped(file, place + FLOATS, dimensions) {
            Some(vector) => each(key, vector),
            None => odd += 1,
        });
    fault.or((odd > 0).then_some(Fault::Damaged(odd)))
}
