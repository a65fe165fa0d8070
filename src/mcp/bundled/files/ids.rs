//! Line ids: `12:ab` is line 12 with a hash of what it says, so that an edit made from an old view
//! is noticed instead of hitting another line.
//!
//! A line that says little (blank, a lone bracket) also hashes its distance to the nearest line
//! above that says something, and that line. Otherwise one `}` would pass for another.

use std::fmt;

/// Letters and digits of a line before it stands for itself.
const STRONG: usize = 3;

const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The hash part of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark([u8; 2]);

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.0;
        write!(f, "{}{}", first as char, second as char)
    }
}

/// An id as a caller gave it. Line numbers count from 1; 0 is the place before the first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineId {
    pub number: usize,
    /// `None` when only a number was given.
    pub mark: Option<Mark>,
}

impl LineId {
    /// Reads `12:ab`, also with the text that a view prints after it.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('>').trim_start();
        let id = text.split('|').next().unwrap_or(text).trim();
        let (number, mark) = match id.split_once(':') {
            Some((number, mark)) => (number, Some(mark)),
            None => (id, None),
        };
        let mark = match mark {
            None => None,
            Some(mark) => match mark.as_bytes() {
                [a, b] if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() => {
                    Some(Mark([a.to_ascii_lowercase(), b.to_ascii_lowercase()]))
                }
                _ => return None,
            },
        };
        Some(Self { number: number.parse().ok()?, mark })
    }
}

/// Whether the text begins with something that reads as the id of a viewed line.
pub fn has_prefix(line: &str) -> bool {
    line.split_once('|')
        .is_some_and(|(id, _)| id.contains(':') && LineId::parse(id).is_some_and(|id| id.mark.is_some()))
}

/// The marks of all lines of a file.
pub fn marks<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Mark> {
    let mut above = 0u64;
    let mut distance = 0u64;
    lines
        .into_iter()
        .map(|line| {
            let own = hash(line.as_bytes());
            if line.chars().filter(|c| c.is_alphanumeric()).take(STRONG).count() == STRONG {
                above = own;
                distance = 0;
                mark(own)
            } else {
                distance += 1;
                mark(mix(own ^ mix(above.wrapping_add(distance))))
            }
        })
        .collect()
}

fn mark(hash: u64) -> Mark {
    let index = (mix(hash) % 1296) as usize;
    Mark([ALPHABET[index / 36], ALPHABET[index % 36]])
}

/// FNV-1a, 64 bits: stable over versions and machines, unlike the standard library's hasher.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The finaliser of splitmix64.
fn mix(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
