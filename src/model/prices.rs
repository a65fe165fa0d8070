//! What is known of a model: prices, context window, whether it takes images.

use std::sync::OnceLock;

use futures::StreamExt;
use serde::Deserialize;

use super::provider::{Place, Provider, Speech};
use super::{Delta, DeltaStream, Traits};
use crate::config::schema::Prices;
use crate::proto::{ModelInfo, Usage};

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Facts {
    pub(super) prices: Option<Prices>,
    pub(super) context_window: Option<u64>,
    pub(super) images: bool,
    /// The provider says what each call cost.
    reports_cost: bool,
}

impl Facts {
    pub(super) fn info(&self, name: &str) -> ModelInfo {
        ModelInfo {
            name: name.to_owned(),
            context_window: self.context_window,
            scripted: false,
            priced: self.prices.is_some() || self.reports_cost,
        }
    }

    /// What a model can take, whoever reads its protocol.
    pub(super) fn traits(&self, provider: &Provider, model: &str) -> Traits {
        Traits {
            tools: true,
            images: self.images,
            reasoning: provider.replay(),
            structured_output: provider.structured_output(model),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    model: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(default)]
    prices: Option<Prices>,
    window: u64,
    #[serde(default)]
    images: bool,
    /// Only for this name and dated versions of it, because longer names are other models.
    #[serde(default)]
    exact: bool,
}

fn table() -> &'static [Row] {
    static TABLE: OnceLock<Vec<Row>> = OnceLock::new();
    // A test holds the file valid; without it models merely have no prices.
    TABLE.get_or_init(|| toml::from_str::<Table>(include_str!("prices.toml")).map(|t| t.model).unwrap_or_default())
}

/// `model` is the name at the provider, maybe with a vendor in front.
fn known(model: &str) -> Option<&'static Row> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let fits = |row: &&Row| match name.strip_prefix(row.name.as_str()) {
        Some(rest) => {
            !row.exact || rest.trim_start_matches(['-', '@', '.']).chars().all(|c| c.is_ascii_digit() || c == '-')
        }
        None => false,
    };
    table().iter().filter(fits).max_by_key(|row| (row.name.len(), row.exact))
}

/// What the provider's configuration says, else what the table knows. Models served locally have no
/// price: the table's rows are about the hosted ones.
pub(super) fn facts(provider: &Provider, model: &str) -> Facts {
    let row = known(model);
    let hosted = provider.place == Place::Hosted;
    Facts {
        prices: provider.prices.or_else(|| row.filter(|_| hosted)?.prices),
        context_window: provider.context_window.or_else(|| row.filter(|_| hosted).map(|row| row.window)),
        images: provider.images.unwrap_or_else(|| row.is_some_and(|row| row.images)),
        reports_cost: matches!(provider.speech, Speech::Chat(dialect) if dialect.asks_cost),
    }
}

/// Dollars of one call.
pub fn cost(prices: Prices, usage: &Usage) -> f64 {
    let fresh = usage.input.saturating_sub(usage.cache_read + usage.cache_write);
    let part = |tokens: u64, price: f64| tokens as f64 * price / 1_000_000.0;
    part(fresh, prices.input)
        + part(usage.cache_read, prices.cache_read)
        + part(usage.cache_write, prices.cache_write)
        + part(usage.output, prices.output)
}

/// Puts the cost on each usage that has none of the provider's own.
pub(super) fn priced(deltas: DeltaStream, prices: Option<Prices>) -> DeltaStream {
    let Some(prices) = prices else { return deltas };
    Box::pin(deltas.map(move |delta| match delta {
        Ok(Delta::Usage(usage)) if usage.cost.is_none() => {
            Ok(Delta::Usage(Usage { cost: Some(cost(prices, &usage)), ..usage }))
        }
        other => other,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_valid_and_the_longest_name_wins() {
        let table: Result<Table, _> = toml::from_str(include_str!("prices.toml"));
        assert!(table.is_ok(), "{table:?}");
        let input = |model: &str| known(model).and_then(|row| row.prices).map(|prices| prices.input);
        assert_eq!(input("anthropic/claude-haiku-4-5-20251001"), Some(1.0));
        assert_eq!(input("gpt-5-2025-08-07"), Some(1.25));
        assert_eq!(input("gpt-5-mini"), Some(0.25));
        assert_eq!(input("gpt-5-somethingnew"), None);
        assert_eq!(known("gpt-5-somethingnew").map(|row| row.window), Some(400_000));
        assert!(known("llama3").is_none());
    }

    #[test]
    fn cached_tokens_cost_their_own_price() {
        let prices = Prices { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 };
        let usage =
            Usage { input: 1_000_000, output: 1000, cache_read: 500_000, cache_write: 100_000, ..Usage::default() };
        assert!((cost(prices, &usage) - (1.2 + 0.15 + 0.375 + 0.015)).abs() < 1e-9);
    }
}
