//! The schema as data: which keys there are, of what type, in what range, needed or not, and what a
//! project may say.

use super::problem::Weight;

/// One table's keys.
#[derive(Debug)]
pub struct TableKeys {
    /// What an unknown key in here is.
    pub weight: Weight,
    pub keys: &'static [Key],
}

#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// A trailing `*` stands for any ending.
    pub name: &'static str,
    pub kind: Kind,
    pub need: Need,
    pub project: Project,
    /// Guards what may be done: counts as [`Self::strictest`] when it cannot be read.
    pub guard: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Text,
    /// Text that names something: not empty, no control characters.
    Name,
    /// `provider:model` or `auto`.
    ModelName,
    /// An http or https address.
    Address,
    Flag,
    Whole(i64, i64),
    /// 0, or within the range.
    WholeOrZero(i64, i64),
    Number(f64, f64),
    Choice(&'static [&'static str]),
    Texts,
    TextMap,
    Table(&'static TableKeys),
    /// A table of model settings, or only the model's name.
    Model,
    /// An array of tables with a `name` each.
    List(&'static TableKeys),
    /// A table of tables by name.
    Map(&'static TableKeys),
    /// Known elsewhere, not used by us.
    Unused,
    /// Was used once.
    Retired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Required,
    /// May be left out; what is there must be right, for the default may allow more.
    Defaulted,
    Optional,
}

/// What `.agents/octomind.toml` may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    /// It executes, redirects, spends or loosens a guard.
    Refused,
    Allowed,
    /// It may set the guard to its strictest, nothing else.
    OnlyOn,
}

const fn key(name: &'static str, kind: Kind, need: Need) -> Key {
    Key { name, kind, need, project: Project::Refused, guard: false }
}

pub const fn need(name: &'static str, kind: Kind) -> Key {
    key(name, kind, Need::Required)
}

pub const fn may(name: &'static str, kind: Kind) -> Key {
    key(name, kind, Need::Optional)
}

const fn default(name: &'static str, kind: Kind) -> Key {
    key(name, kind, Need::Defaulted)
}

impl Key {
    const fn open(self) -> Self {
        Self { project: Project::Allowed, ..self }
    }

    const fn guard(self) -> Self {
        Self { project: Project::OnlyOn, guard: true, ..self }
    }
}

pub const fn table(keys: &'static [Key]) -> TableKeys {
    TableKeys { weight: Weight::Ordinary, keys }
}

/// Tokens, counts, seconds: as large as anyone can mean.
const ANY: Kind = Kind::Whole(0, 1_000_000_000);
const DOLLARS: Kind = Kind::Number(0.0, 1_000_000_000.0);
const SECONDS: Kind = Kind::Whole(0, 86_400);
const TIMEOUT: Kind = Kind::Whole(1, 3_600);
const ABILITY: Kind = Kind::Choice(&["auto", "on", "off"]);
const EFFORTS: Kind = Kind::Choice(&["none", "low", "medium", "high", "xhigh", "max"]);

/// A value of a table of strings.
pub static ANY_TEXT: Key = may("text", Kind::Text);

/// The whole file.
pub static ROOT: TableKeys = table(&[
    need("version", Kind::Whole(1, 1_000_000)).open(),
    need("log_level", Kind::Choice(&["none", "info", "debug"])).open(),
    need("default", Kind::Name).open(),
    need("sandbox", Kind::Flag).guard(),
    need("mcp_response_tokens_threshold", ANY).open(),
    need("max_session_tokens_threshold", Kind::Whole(0, 2_000_000)).open(),
    need("cache_keepalive_enabled", Kind::Flag),
    need("cache_keepalive_max_idle_seconds", SECONDS),
    need("enable_markdown_rendering", Kind::Flag).open(),
    need("max_session_spending_threshold", DOLLARS),
    need("max_request_spending_threshold", DOLLARS),
    need("auto_capabilities", Kind::Flag).open(),
    need("model", Kind::Table(&MODEL)).open(),
    may("roles", Kind::List(&ROLE)).open(),
    may("mcp", Kind::Table(&MCP)),
    may("agents", Kind::List(&AGENT)),
    may("commands", Kind::List(&LAYER)),
    may("layers", Kind::List(&LAYER)),
    may("prompts", Kind::List(&PROMPT)).open(),
    may("hooks", Kind::List(&HOOK)),
    need("skills", Kind::Table(&SKILLS)).open(),
    need("compression", Kind::Table(&COMPRESSION)).open(),
    need("supervisor", Kind::Table(&SUPERVISOR)).open(),
    may("capabilities", Kind::TextMap),
    may("taps", Kind::TextMap),
    may("registry", Kind::Table(&REGISTRY)),
    may("decision", Kind::Table(&DECISION)),
    may("encoder", Kind::Table(&ENCODER)),
    may("ui", Kind::Table(&UI)).open(),
    may("providers", Kind::Map(&PROVIDER)),
    may("telemetry", Kind::Unused),
    may("commit_attribution", Kind::Unused),
    may("markdown_theme", Kind::Unused),
    may("timing", Kind::Unused),
    may("system", Kind::Unused),
    may("hints_*", Kind::Retired),
    may("pressure_levels", Kind::Retired),
    may("ignore_cost", Kind::Retired),
]);

static MODEL: TableKeys = table(&[
    need("name", Kind::ModelName).open(),
    need("reasoning_effort", EFFORTS).open(),
    need("max_tokens", Kind::Whole(1, 10_000_000)).open(),
    need("temperature", Kind::Number(0.0, 2.0)).open(),
    need("top_p", Kind::Number(0.0, 1.0)).open(),
    need("top_k", Kind::Whole(0, 1_000)).open(),
    need("max_retries", Kind::Whole(0, 1_000)).open(),
    need("retry_timeout", SECONDS).open(),
    need("request_timeout_seconds", SECONDS).open(),
]);

/// The same keys where each may be left to `[model]`.
pub static MODEL_OVERRIDE: TableKeys = table(&[
    may("name", Kind::ModelName).open(),
    may("reasoning_effort", EFFORTS).open(),
    may("max_tokens", Kind::Whole(1, 10_000_000)).open(),
    may("temperature", Kind::Number(0.0, 2.0)).open(),
    may("top_p", Kind::Number(0.0, 1.0)).open(),
    may("top_k", Kind::Whole(0, 1_000)).open(),
    may("max_retries", Kind::Whole(0, 1_000)).open(),
    may("retry_timeout", SECONDS).open(),
    may("request_timeout_seconds", SECONDS).open(),
]);

/// Sampling once stood on the role itself; it moves into its `model` when it is read.
pub const FLAT_SAMPLING: [&str; 3] = ["temperature", "top_p", "top_k"];

static ROLE: TableKeys = table(&[
    need("name", Kind::Name).open(),
    need("system", Kind::Text).open(),
    need("welcome", Kind::Text).open(),
    may("model", Kind::Model).open(),
    may("mcp", Kind::Table(&ROLE_MCP)).open(),
    may("temperature", Kind::Number(0.0, 2.0)).open(),
    may("top_p", Kind::Number(0.0, 1.0)).open(),
    may("top_k", Kind::Whole(0, 1_000)).open(),
]);

pub static ROLE_MCP: TableKeys =
    table(&[need("server_refs", Kind::Texts).open(), need("allowed_tools", Kind::Texts).open()]);

static MCP: TableKeys = table(&[may("allowed_tools", Kind::Texts), may("servers", Kind::List(&SERVER))]);

pub static SERVER: TableKeys = table(&[
    need("name", Kind::Name),
    need("type", Kind::Choice(&["builtin", "stdio", "http"])),
    default("timeout_seconds", TIMEOUT),
    default("tools", Kind::Texts),
    may("auto_bind", Kind::Texts),
    // An address may hold ${VAR}, so it is looked at when the server starts.
    may("url", Kind::Text),
    may("headers", Kind::TextMap),
    may("command", Kind::Text),
    may("args", Kind::Texts),
    may("env", Kind::TextMap),
    may("cwd", Kind::Text),
    may("auth_token", Kind::Retired),
    may("oauth", Kind::Retired),
]);

static AGENT: TableKeys = table(&[
    need("name", Kind::Name),
    need("description", Kind::Text),
    need("command", Kind::Text),
    may("workdir", Kind::Text),
]);

static LAYER: TableKeys = table(&[
    need("name", Kind::Name),
    may("description", Kind::Text),
    need("command", Kind::Text),
    may("workdir", Kind::Text),
    need("input_mode", Kind::Choice(&["last", "all", "summary"])),
    need("output_mode", Kind::Choice(&["none", "append", "replace", "last", "restart"])),
    need("output_role", Kind::Choice(&["assistant", "user"])),
]);

static PROMPT: TableKeys =
    table(&[need("name", Kind::Name).open(), may("description", Kind::Text).open(), need("prompt", Kind::Text).open()]);

static HOOK: TableKeys =
    table(&[need("name", Kind::Name), need("bind", Kind::Name), need("script", Kind::Text), may("timeout", TIMEOUT)]);

static SKILLS: TableKeys = table(&[
    need("auto_activation", Kind::Flag).open(),
    // Validation runs scripts.
    need("auto_validation", Kind::Flag),
    need("activation_timeout", SECONDS).open(),
    need("validation_timeout", SECONDS).open(),
    need("max_retries", Kind::Whole(0, 1_000)).open(),
]);

static COMPRESSION: TableKeys = table(&[
    need("knowledge_retention", ANY).open(),
    need("analysis_findings_max_tokens", ANY).open(),
    need("threshold", ANY).open(),
    may("attention", Kind::Table(&ATTENTION)).open(),
    may("model", Kind::Model).open(),
    may("hints_*", Kind::Retired),
    may("pressure_levels", Kind::Retired),
    may("ignore_cost", Kind::Retired),
]);

static ATTENTION: TableKeys = table(&[
    may("enabled", Kind::Flag).open(),
    may("validator", Kind::Flag).open(),
    may("telemetry", Kind::Flag).open(),
    may("governance", Kind::Table(&GOVERNANCE)).open(),
]);

static GOVERNANCE: TableKeys = table(&[may("enabled", Kind::Flag).open(), may("verify_hash", Kind::Flag).open()]);

static SUPERVISOR: TableKeys = table(&[
    need("enabled", Kind::Flag),
    may("model", Kind::Model).open(),
    need("learning", Kind::Table(&LEARNING)),
    need("gate", Kind::Table(&GATE)).open(),
    need("authorizer", Kind::Table(&AUTHORIZER)).open(),
    need("evaluate", Kind::Table(&EVALUATE)),
    need("hindsight", Kind::Table(&HINDSIGHT)),
    need("plan", Kind::Table(&PLAN)).open(),
    need("condense", Kind::Table(&CONDENSE)).open(),
    may("claim_check", Kind::Retired),
    may("max_consecutive_steers", Kind::Retired),
    may("detectors", Kind::Retired),
    may("orientation", Kind::Retired),
    may("recite", Kind::Retired),
    may("delegate", Kind::Retired),
    may("judges", Kind::Retired),
]);

static LEARNING: TableKeys = table(&[
    may("enabled", Kind::Flag),
    need("evolution", Kind::Table(&EVOLUTION)),
    may("backend", Kind::Retired),
    may("max_inject", Kind::Retired),
]);

static EVOLUTION: TableKeys = table(&[
    may("enabled", Kind::Flag),
    may("min_samples", Kind::Whole(1, 1_000_000)),
    may("noise_margin", Kind::Number(0.0, 1.0)),
    may("cost_allowance", Kind::Number(0.0, 1_000.0)),
    may("cost_per_gain", Kind::Number(0.0, 1_000_000.0)),
    may("max_trial_uses", Kind::Whole(1, 1_000_000)),
]);

static GATE: TableKeys = table(&[
    need("enabled", Kind::Flag).open(),
    may("max_iterations", Kind::Retired),
    may("verifier_model", Kind::Retired),
    may("require_check_after_mutation", Kind::Retired),
    may("require_plan_complete", Kind::Retired),
    may("max_tokens", Kind::Retired),
]);

static AUTHORIZER: TableKeys = TableKeys { weight: Weight::Security, keys: &[need("enabled", Kind::Flag).guard()] };

static EVALUATE: TableKeys = table(&[
    need("model", Kind::ModelName),
    may("recall", Kind::Flag),
    may("skills", Kind::Flag),
    may("capabilities", Kind::Flag),
    may("authorizer", Kind::Flag),
    may("condense", Kind::Flag),
    may("compression", Kind::Flag),
    may("distill", Kind::Flag),
    may("plan", Kind::Flag),
    may("gate", Kind::Flag),
    may("evolution", Kind::Flag),
]);

static HINDSIGHT: TableKeys = table(&[may("enabled", Kind::Flag), need("model", Kind::Name)]);

static PLAN: TableKeys = table(&[
    need("enabled", Kind::Flag).open(),
    may("model", Kind::Retired),
    may("trajectory_max_tokens", Kind::Retired),
    may("adoption_min_actions", Kind::Retired),
    may("adoption_min_distinct_actions", Kind::Retired),
]);

static CONDENSE: TableKeys = table(&[
    need("enabled", Kind::Flag).open(),
    may("adaptive", Kind::Flag).open(),
    need("tokens_threshold", Kind::WholeOrZero(512, 1_000_000_000)).open(),
    may("model", Kind::Retired),
]);

static REGISTRY: TableKeys = table(&[may("cache_ttl_hours", Kind::Whole(0, 1_000_000))]);
static DECISION: TableKeys = table(&[may("taps", Kind::Flag)]);
static ENCODER: TableKeys = table(&[need("model", Kind::Name)]);

static UI: TableKeys = table(&[
    may("theme", Kind::Name).open(),
    may("keymap", Kind::Name).open(),
    may("mouse", Kind::Flag).open(),
    may("motion", Kind::Flag).open(),
    may("notifications", Kind::Flag).open(),
    may("transcript_ratio", Kind::Number(0.3, 0.8)).open(),
    may("links", ABILITY).open(),
    may("images", ABILITY).open(),
    may("screen_reader", Kind::Flag).open(),
    may("approval", Kind::Choice(&["off", "writes", "all"])).guard(),
]);

static PROVIDER: TableKeys = table(&[
    need("base_url", Kind::Address),
    may("api_key_env", Kind::Name),
    may("protocol", Kind::Choice(&["openai", "anthropic", "responses", "ollama"])),
    may("context_window", Kind::Whole(1, 1_000_000_000)),
    may("prices", Kind::Table(&PRICES)),
    may("images", Kind::Flag),
    may("reasoning", Kind::Flag),
]);

static PRICES: TableKeys =
    table(&[may("input", DOLLARS), may("output", DOLLARS), may("cache_read", DOLLARS), may("cache_write", DOLLARS)]);

impl TableKeys {
    /// The key of this name.
    pub fn find(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| match key.name.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => key.name == name,
        })
    }

    /// Names a person may write here.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().filter(|key| !matches!(key.kind, Kind::Unused | Kind::Retired)).map(|key| key.name)
    }

    /// The key that this misspelt name most likely means.
    pub fn nearest(&self, name: &str) -> Option<&'static Key> {
        nearest(name, self.names()).and_then(|found| self.find(found))
    }
}

/// The name nearest to a misspelt one, unless none is near.
pub fn nearest<'name>(wrong: &str, names: impl Iterator<Item = &'name str>) -> Option<&'name str> {
    let wrong: String = wrong.chars().take(64).collect::<String>().to_lowercase().replace('-', "_");
    let length = wrong.chars().count();
    let limit = (length / 3).max(1);
    names
        .filter(|name| name.chars().count().abs_diff(length) <= limit)
        .map(|name| (strsim::osa_distance(&wrong, &name.to_lowercase().replace('-', "_")), name))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}
