use serde::{Deserialize, Serialize};

/// What holds the writing of what is run here, as it really is and not as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// Nobody asked for it.
    #[default]
    No,
    Full {
        by: String,
    },
    /// Held, with gaps.
    Partly {
        by: String,
        missing: String,
    },
    /// Asked for and not to be had; the person said to go on.
    Without {
        why: String,
    },
}

/// How the session's process stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SandboxView {
    pub held: Held,
    /// The folder that may be written, when it is not the one the session works in.
    #[serde(default)]
    pub elsewhere: Option<String>,
}

impl SandboxView {
    /// One word for a line that has room for no more.
    pub fn word(&self) -> &'static str {
        match (&self.held, &self.elsewhere) {
            (Held::No, _) => "off",
            (Held::Without { .. }, _) => "missing",
            (_, Some(_)) => "elsewhere",
            (Held::Full { .. }, None) => "full",
            (Held::Partly { .. }, None) => "partial",
        }
    }

    /// Less is held than was asked for.
    pub fn is_less(&self) -> bool {
        !matches!((&self.held, &self.elsewhere), (Held::No | Held::Full { .. }, None))
    }
}
