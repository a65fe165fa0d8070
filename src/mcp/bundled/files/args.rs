//! Reading the arguments of a call: forgiving about names and types, never silent about what was
//! not understood.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::Refusal;

/// Arguments of one call; each is taken once, what is left was not understood.
pub struct Args {
    tool: &'static str,
    given: JsonObject,
    known: Vec<&'static str>,
}

impl Args {
    /// A `null` counts as not given.
    pub fn new(tool: &'static str, given: Option<JsonObject>) -> Self {
        let mut given = given.unwrap_or_default();
        given.retain(|_, value| !value.is_null());
        Self { tool, given, known: Vec::new() }
    }

    /// The first of these names that was given.
    pub fn value(&mut self, names: &[&'static str]) -> Option<Value> {
        self.known.extend(names.first());
        names.iter().find_map(|name| self.given.shift_remove(*name))
    }

    pub fn text(&mut self, names: &[&'static str]) -> Result<Option<String>, Refusal> {
        match self.value(names) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(value.to_string())),
            Some(_) => Err(self.wrong(names, "text")),
        }
    }

    pub fn required(&mut self, names: &[&'static str]) -> Result<String, Refusal> {
        let tool = self.tool;
        let missing = || {
            let name = names.first().copied().unwrap_or_default();
            let others: Vec<_> = self.given.keys().map(String::as_str).collect();
            let got = if others.is_empty() { "nothing".into() } else { others.join(", ") };
            Refusal::new(format!("{tool} needs `{name}`, but got {got}. Call it again with `{name}`."))
        };
        let missing = missing();
        self.text(names)?.ok_or(missing)
    }

    pub fn number(&mut self, names: &[&'static str]) -> Result<Option<u64>, Refusal> {
        let wrong = self.wrong(names, "a whole number from 0");
        match self.value(names) {
            None => Ok(None),
            Some(value) => whole(&value).map(Some).ok_or(wrong),
        }
    }

    pub fn flag(&mut self, names: &[&'static str]) -> Result<bool, Refusal> {
        let wrong = self.wrong(names, "true or false");
        match self.value(names) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(Value::String(text)) if text == "true" || text == "false" => Ok(text == "true"),
            Some(_) => Err(wrong),
        }
    }

    /// A note about arguments nobody asked for, if there are any.
    pub fn leftovers(&self) -> Option<String> {
        if self.given.is_empty() {
            return None;
        }
        let names: Vec<_> = self.given.keys().map(|name| format!("`{name}`")).collect();
        Some(format!("(not used: {}; {} takes {})", names.join(", "), self.tool, self.known.join(", ")))
    }

    fn wrong(&self, names: &[&'static str], wanted: &str) -> Refusal {
        Refusal::new(format!("`{}` of {} must be {wanted}.", names.first().copied().unwrap_or_default(), self.tool))
    }
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number
            .as_u64()
            .or_else(|| number.as_f64().filter(|n| n.fract() == 0.0 && (0.0..1e15).contains(n)).map(|n| n as u64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}
