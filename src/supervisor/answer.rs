//! Answers of supervisor models: one JSON object, or a reason why not.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Ask;
use super::quote::{encoded, short};

/// A longer answer is refused unread.
const LONGEST: usize = 256 * 1024;

/// Letters of a reason that a model is told.
const WHY_MOST: usize = 800;

/// The object in `reply`. A code fence or a sentence around it does no harm; two objects do.
pub fn parse<T: DeserializeOwned>(reply: &str) -> Result<T, String> {
    if reply.len() > LONGEST {
        return Err("the answer is too long".to_owned());
    }
    let (Some(start), Some(end)) = (reply.find('{'), reply.rfind('}')) else {
        return Err(if reply.trim().is_empty() { "the answer is empty" } else { "the answer is not JSON" }.to_owned());
    };
    let object = reply.get(start..=end).ok_or("the answer is not JSON")?;
    let value: Value = serde_json::from_str(object).map_err(|_| "the answer is not one JSON object".to_owned())?;
    serde_json::from_value(value)
        .map_err(|fault| format!("the answer has another form: {}", short(&fault.to_string(), 160)))
}

/// The same question once more, for the form alone.
pub fn again(ask: &Ask, why: &str) -> Ask {
    let text = format!(
        "{}\n\nThe last answer could not be used ({}). Answer the same question again: one JSON object of the form \
         given, nothing before or after it.",
        ask.text,
        encoded(why, WHY_MOST)
    );
    Ask { text, ..ask.clone() }
}

#[cfg(test)]
mod tests;
