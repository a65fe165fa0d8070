//! Putting tool calls together from the pieces that streams bring, however badly numbered.

use serde_json::Value;

use super::RawCall;

/// One piece of a call as an OpenAI-style delta brings it. Empty strings count as absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Piece {
    pub(super) index: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) signature: Option<String>,
}

#[derive(Debug, Default)]
struct Forming {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    signature: Option<String>,
}

impl Forming {
    fn complete(&self) -> bool {
        self.arguments.trim_end().ends_with('}') && serde_json::from_str::<Value>(&self.arguments).is_ok()
    }
}

/// The calls of one reply while they are being written.
#[derive(Debug, Default)]
pub(super) struct CallBook {
    calls: Vec<Forming>,
}

impl CallBook {
    /// Takes a piece and answers (name, bytes of arguments so far) of the call it went to.
    pub(super) fn take(&mut self, piece: Piece) -> (String, u64) {
        let place = self.route(&piece).unwrap_or_else(|| {
            self.calls.push(Forming { index: piece.index, ..Forming::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[place];
        if call.id.is_empty() {
            call.id = piece.id;
        }
        if call.name.is_empty() {
            call.name = piece.name;
        }
        call.arguments.push_str(&piece.arguments);
        if piece.signature.is_some() {
            call.signature = piece.signature;
        }
        (call.name.clone(), call.arguments.len() as u64)
    }

    /// The call a piece continues; `None` = it begins a new one.
    ///
    /// By id first, because indexes in the wild are wrong more often than ids. A piece that names a
    /// tool and whose call is already whole begins a new call, since ids repeat as well.
    fn route(&self, piece: &Piece) -> Option<usize> {
        let begins = |place: usize| {
            let call = &self.calls[place];
            let other_place = call.index.is_some() && piece.index.is_some() && call.index != piece.index;
            !piece.name.is_empty() && !call.name.is_empty() && (other_place || call.complete())
        };
        let continued = |place: usize| if begins(place) { None } else { Some(place) };
        if !piece.id.is_empty() {
            if let Some(place) = self.calls.iter().rposition(|call| call.id == piece.id) {
                return continued(place);
            }
            // The id came after the head of its call.
            let late = |call: &Forming| call.id.is_empty() && call.index == piece.index;
            return self.calls.iter().rposition(late).and_then(continued);
        }
        if piece.index.is_some() {
            if let Some(place) = self.calls.iter().rposition(|call| call.index == piece.index) {
                return continued(place);
            }
            // A continuation under an index nobody announced.
            return if piece.name.is_empty() { self.calls.len().checked_sub(1) } else { None };
        }
        let last = self.calls.len().checked_sub(1)?;
        if piece.name.is_empty() || self.calls[last].name.is_empty() { Some(last) } else { None }
    }

    /// Whether the last call breaks off: its arguments are missing, or end in the middle.
    pub(super) fn breaks_off(&self) -> bool {
        self.calls.last().is_some_and(|call| {
            call.arguments.trim().is_empty()
                || serde_json::from_str::<Value>(&call.arguments).is_err_and(|error| error.is_eof())
        })
    }

    /// All calls, in the order they began. Heads without a name and without arguments are noise.
    pub(super) fn finish(&mut self) -> Vec<RawCall> {
        let calls = std::mem::take(&mut self.calls);
        calls
            .into_iter()
            .filter(|call| !(call.name.is_empty() && call.arguments.trim().is_empty()))
            .enumerate()
            .map(|(position, call)| {
                let id = if call.id.is_empty() { format!("call_{}", position + 1) } else { call.id };
                finish(id, call.name, call.arguments, call.signature)
            })
            .collect()
    }
}

/// A whole call from its raw arguments.
pub(super) fn finish(provider_id: String, name: String, raw: String, signature: Option<String>) -> RawCall {
    // gpt-oss servers leak channel marks into the name.
    let name = name.split("<|").next().unwrap_or_default().trim().to_owned();
    match arguments(&raw) {
        Ok(arguments) => RawCall { provider_id, name, arguments, malformed: None, signature },
        Err(why) => RawCall { provider_id, name, arguments: Value::String(raw), malformed: Some(why), signature },
    }
}

/// Reads arguments leniently: empty is `{}`, a string that holds an object is that object, and of
/// several objects in a row the last one that says anything counts when the others are empty or equal.
fn arguments(raw: &str) -> Result<Value, String> {
    let text = raw.trim();
    if text.is_empty() || text == "null" {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::String(inner)) if inner.trim_start().starts_with('{') || inner.trim().is_empty() => arguments(&inner),
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(other) => Err(format!("the arguments are {}, not a JSON object", kind(&other))),
        Err(error) => several(text).ok_or_else(|| format!("the arguments are not valid JSON ({error})")),
    }
}

fn several(text: &str) -> Option<Value> {
    let objects: Vec<Value> =
        serde_json::Deserializer::from_str(text).into_iter::<Value>().collect::<Result<_, _>>().ok()?;
    let mut said = objects.iter().filter(|value| value.as_object().is_some_and(|object| !object.is_empty()));
    let first = said.next()?;
    let alone = objects.iter().all(Value::is_object) && said.all(|other| other == first);
    alone.then(|| first.clone())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
