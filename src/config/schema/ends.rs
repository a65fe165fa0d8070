//! The ends of the program: the workbench and custom endpoints.

use serde::{Deserialize, Serialize};

use crate::proto::ApprovalMode;

/// The workbench's own settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ui {
    /// A name under `themes/`, or `auto`: dark or light by the terminal's background.
    pub theme: String,
    /// A name under `keymaps/`.
    pub keymap: String,
    pub mouse: bool,
    /// Spinners move. Off: states are words that stand still.
    pub motion: bool,
    /// Bell or OSC 9 when the workbench needs someone who is not looking.
    pub notifications: bool,
    /// Share of the width that the transcript takes, 0.3–0.8.
    pub transcript_ratio: f64,
    /// Whether addresses and lines of files can be followed where they stand.
    pub links: Ability,
    /// Whether images are drawn; else they are opened by the system's viewer.
    pub images: Ability,
    /// Plain lines one after the other instead of the workbench.
    pub screen_reader: bool,
    /// Which tool calls wait for a yes.
    pub approval: ApprovalMode,
}

/// Whether something of the terminal is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ability {
    /// Where the terminal is known to have it.
    #[default]
    Auto,
    On,
    Off,
}

impl Ability {
    /// What that comes to in a terminal that has it or has not.
    pub fn within(self, known: bool) -> bool {
        match self {
            Self::Auto => known,
            Self::On => true,
            Self::Off => false,
        }
    }
}

impl Default for Ui {
    fn default() -> Self {
        Self {
            theme: "auto".to_owned(),
            keymap: "default".to_owned(),
            mouse: true,
            motion: true,
            notifications: true,
            transcript_ratio: 0.52,
            links: Ability::Auto,
            images: Ability::Auto,
            screen_reader: false,
            approval: ApprovalMode::Off,
        }
    }
}

/// A custom endpoint: `[providers.<name>]`, used as `<name>:<model>`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provider {
    pub base_url: String,
    /// Environment variable that holds the key; none = no key is sent.
    #[serde(default)]
    pub api_key_env: Option<String>,
    #[serde(default)]
    pub protocol: Protocol,
    /// Tokens.
    #[serde(default)]
    pub context_window: Option<u64>,
    /// Dollars per million tokens.
    #[serde(default)]
    pub prices: Option<Prices>,
    /// Whether models of this endpoint take images.
    #[serde(default)]
    pub images: bool,
    /// Whether models of this endpoint take a reasoning effort; none = by the model's name.
    #[serde(default)]
    pub reasoning: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    #[default]
    Openai,
    Anthropic,
    Responses,
    Ollama,
}

/// Dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Prices {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
}
