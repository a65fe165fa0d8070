//! Words of a record that are there already, in what the record tells of: nothing is copied for them.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Has words at places of its own choice.
pub trait Words: Send + Sync {
    fn words(&self, at: usize) -> &str;
}

/// Words of something else, kept alive for them. It is written and read as the words.
#[derive(Clone)]
pub struct Shared {
    of: Arc<dyn Words>,
    at: usize,
}

impl Shared {
    pub fn of(of: Arc<dyn Words>, at: usize) -> Self {
        Self { of, at }
    }

    pub fn as_str(&self) -> &str {
        self.of.words(self.at)
    }
}

impl Words for String {
    fn words(&self, _: usize) -> &str {
        self
    }
}

impl From<String> for Shared {
    fn from(words: String) -> Self {
        Self::of(Arc::new(words), 0)
    }
}

impl From<&str> for Shared {
    fn from(words: &str) -> Self {
        Self::from(words.to_owned())
    }
}

impl Deref for Shared {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Shared {}

impl PartialEq<str> for Shared {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Shared {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Shared {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other.as_str()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), formatter)
    }
}

impl fmt::Display for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl Serialize for Shared {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Shared {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}
