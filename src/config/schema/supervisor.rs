//! What watches and tidies a session: skills, compression, the supervisor.

use serde::{Deserialize, Serialize};

use super::ModelOverride;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skills {
    /// By the rules of skills, on each message of the person's.
    pub auto_activation: bool,
    /// Skills' own scripts check the outcome.
    pub auto_validation: bool,
    /// Seconds; reserved.
    pub activation_timeout: u64,
    /// Seconds; 0 = no limit.
    pub validation_timeout: u64,
    /// 0 = no limit.
    pub max_retries: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compression {
    /// Entries of knowledge kept over a fold.
    pub knowledge_retention: u32,
    /// Tokens of findings kept over a fold.
    pub analysis_findings_max_tokens: u64,
    /// Tokens; 0 = never by itself.
    pub threshold: u64,
    #[serde(default)]
    pub attention: Attention,
    #[serde(default)]
    pub model: ModelOverride,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attention {
    /// Folded ranges can be called back (`recall`).
    pub enabled: bool,
    pub validator: bool,
    pub telemetry: bool,
    pub governance: Governance,
}

impl Default for Attention {
    fn default() -> Self {
        Self { enabled: false, validator: true, telemetry: true, governance: Governance::default() }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Governance {
    pub enabled: bool,
    pub verify_hash: bool,
}

impl Default for Governance {
    fn default() -> Self {
        Self { enabled: true, verify_hash: true }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Supervisor {
    pub enabled: bool,
    #[serde(default)]
    pub model: ModelOverride,
    pub learning: Learning,
    pub gate: Switch,
    pub authorizer: Switch,
    pub evaluate: Evaluate,
    pub hindsight: Hindsight,
    pub plan: Switch,
    pub condense: Condense,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Switch {
    pub enabled: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// Off in code, on in the template.
    #[serde(default)]
    pub enabled: bool,
    pub evolution: Evolution,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evolution {
    #[serde(default)]
    pub enabled: bool,
    /// Trials of each arm before anything is decided, at least 1.
    #[serde(default = "evolution::min_samples")]
    pub min_samples: u32,
    /// Difference in success, 0–1, that may be chance.
    #[serde(default = "evolution::noise_margin")]
    pub noise_margin: f64,
    /// Share by which a trial may cost more, 0 = nothing.
    #[serde(default = "evolution::cost_allowance")]
    pub cost_allowance: f64,
    /// Share of cost that one share of success may add.
    #[serde(default = "evolution::cost_per_gain")]
    pub cost_per_gain: f64,
    /// Uses after which a trial ends undecided, at least 1.
    #[serde(default = "evolution::max_trial_uses")]
    pub max_trial_uses: u32,
}

/// Trial limits. The source texts give no numbers; these are ours.
mod evolution {
    pub(super) fn min_samples() -> u32 {
        8
    }
    pub(super) fn noise_margin() -> f64 {
        0.1
    }
    pub(super) fn cost_allowance() -> f64 {
        0.1
    }
    pub(super) fn cost_per_gain() -> f64 {
        1.0
    }
    pub(super) fn max_trial_uses() -> u32 {
        40
    }
}

/// Calibrated yes/no questions: a model and one switch a seam.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluate {
    pub model: String,
    #[serde(default)]
    pub recall: bool,
    #[serde(default)]
    pub skills: bool,
    #[serde(default)]
    pub capabilities: bool,
    #[serde(default)]
    pub authorizer: bool,
    #[serde(default)]
    pub condense: bool,
    #[serde(default)]
    pub compression: bool,
    #[serde(default)]
    pub distill: bool,
    #[serde(default)]
    pub plan: bool,
    #[serde(default)]
    pub gate: bool,
    #[serde(default)]
    pub evolution: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hindsight {
    #[serde(default)]
    pub enabled: bool,
    pub model: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condense {
    pub enabled: bool,
    #[serde(default)]
    pub adaptive: bool,
    /// Tokens, at least 512; 0 = off.
    pub tokens_threshold: u64,
}
