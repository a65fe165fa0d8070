//! All tools of all servers: names, what is shown, what is left out and why. Pure.

use serde_json::json;

use super::names::{self, Key, Standing};
use super::tools::Listed;
use super::{Layer, ToolDefinition, visible};
use crate::proto::{Decision, ToolInfo};

/// One server's part of the catalogue.
#[derive(Debug, Clone)]
pub struct Part {
    pub server: String,
    pub standing: Standing,
    /// Tool names or `prefix_*`; empty = all.
    pub filter: Vec<String>,
    /// Who set the filter.
    pub filter_origin: String,
    pub layer: Layer,
    /// What is shown as long as capabilities ask for it: in the static layer beside what the filter
    /// shows, otherwise instead of it. Empty = all.
    pub shown: Option<Vec<String>>,
    /// Whether its tools are offered now; names are kept for those that are not.
    pub offered: bool,
    pub tools: Vec<Listed>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// What a model may be shown: the static layer, then the dynamic one; in each, servers in their
    /// order, tools by name.
    pub definitions: Vec<ToolDefinition>,
    /// For each part, every tool with its state.
    pub infos: Vec<Vec<ToolInfo>>,
}

/// `reserved` names are kept free of dynamic tools.
pub fn build(parts: &[Part], reserved: &[String]) -> Catalog {
    let exposed = |part: &Part, tool: &Listed| tool.usable.is_ok() && layer(part, tool).is_some();
    let all = || parts.iter().flat_map(|part| part.tools.iter().map(move |tool| (part, tool)));
    let standing = |part: &Part, tool: &Listed| match layer(part, tool) {
        Some(Layer::Dynamic) => Standing::Late,
        _ => part.standing,
    };
    let keys: Vec<Key<'_>> = all()
        .filter(|(part, tool)| exposed(part, tool))
        .map(|(part, tool)| Key { standing: standing(part, tool), server: &part.server, tool: &tool.name })
        .collect();
    let mut assigned = names::assign(&keys, reserved).into_iter();
    let mut catalog = Catalog::default();
    for part in parts {
        let mut infos = Vec::with_capacity(part.tools.len());
        for tool in &part.tools {
            let wire_name = if exposed(part, tool) { assigned.next() } else { None };
            let info = info(part, tool, wire_name);
            if part.offered && info.exposed() {
                catalog.definitions.push(definition(part, tool, info.clone()));
            }
            infos.push(info);
        }
        catalog.infos.push(infos);
    }
    // A stable sort: within a layer the order stays.
    catalog.definitions.sort_by_key(|definition| definition.layer);
    catalog
}

/// The layer that shows a tool; `None` when no filter lets it through.
fn layer(part: &Part, tool: &Listed) -> Option<Layer> {
    let fits =
        |filter: &[String]| filter.is_empty() || filter.iter().any(|pattern| names::matches(pattern, &tool.name));
    let asked = part.shown.as_ref().is_some_and(|shown| fits(shown));
    match part.layer {
        Layer::Static if fits(&part.filter) => Some(Layer::Static),
        Layer::Static => asked.then_some(Layer::Dynamic),
        Layer::Dynamic if part.shown.is_none() => fits(&part.filter).then_some(Layer::Dynamic),
        Layer::Dynamic => asked.then_some(Layer::Dynamic),
    }
}

fn filtered_by(part: &Part, tool: &Listed) -> Option<String> {
    layer(part, tool).is_none().then(|| part.filter_origin.clone())
}

fn info(part: &Part, tool: &Listed, wire_name: Option<String>) -> ToolInfo {
    let wire_name = wire_name.unwrap_or_else(|| names::base(&tool.name));
    let mut repairs = tool.repairs.clone();
    if let Some(reason) = names::reason(&tool.name, &wire_name) {
        repairs.insert(0, format!("called {wire_name} on the wire: {reason}"));
    }
    ToolInfo {
        name: visible::line(&tool.name, 120),
        summary: visible::line(tool.description.lines().next().unwrap_or_default(), 200),
        tokens: tokens(tool, &wire_name),
        wire_name,
        repairs,
        quarantine: tool.usable.as_ref().err().cloned(),
        filtered_by: filtered_by(part, tool),
    }
}

/// Prompt tokens of the whole definition, estimated.
fn tokens(tool: &Listed, wire_name: &str) -> u32 {
    let Ok(usable) = &tool.usable else { return 0 };
    let definition = json!({"name": wire_name, "description": tool.description, "input_schema": usable.schema});
    u32::try_from(crate::text::tokens::estimate(&definition.to_string())).unwrap_or(u32::MAX)
}

fn definition(part: &Part, tool: &Listed, info: ToolInfo) -> ToolDefinition {
    ToolDefinition {
        server: part.server.clone(),
        layer: layer(part, tool).unwrap_or_default(),
        name: tool.name.clone(),
        description: tool.description.clone(),
        schema: tool.usable.as_ref().map(|usable| usable.schema.clone()).unwrap_or_default(),
        read_only: tool.read_only,
        destructive: tool.destructive,
        info,
    }
}

/// What is worth a record about one server's tools.
pub fn decisions(part: &Part, infos: &[ToolInfo]) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for (tool, info) in part.tools.iter().zip(infos) {
        if let Some(quarantine) = &info.quarantine {
            decisions.push(Decision::ToolQuarantined {
                server: part.server.clone(),
                tool: info.name.clone(),
                reason: quarantine.reason.clone(),
                advice: quarantine.advice.clone(),
            });
        } else if let Some(reason) = names::reason(&tool.name, &info.wire_name).filter(|_| info.exposed()) {
            decisions.push(Decision::ToolRenamed {
                server: part.server.clone(),
                tool: info.name.clone(),
                wire_name: info.wire_name.clone(),
                reason,
            });
        }
    }
    decisions
}

#[cfg(test)]
mod tests;
