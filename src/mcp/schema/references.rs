use std::collections::HashSet;

use serde_json::Value;

use super::Repairs;

/// Takes out references that lead in a circle, nowhere, or out of the document.
pub(super) fn cut(mut schema: Value, repairs: &mut Repairs) -> Value {
    let mut search = Search { root: &schema, open: HashSet::new(), done: HashSet::new(), cuts: Vec::new(), depth: 0 };
    search.visit("", &schema);
    let cuts = search.cuts;
    for (pointer, why) in cuts {
        repairs.note(why);
        if let Some(Value::Object(map)) = schema.pointer_mut(&pointer) {
            map.shift_remove("$ref");
        }
    }
    schema
}

struct Search<'a> {
    root: &'a Value,
    /// Places between the root and here, references followed.
    open: HashSet<String>,
    /// Places whose inside was looked at.
    done: HashSet<String>,
    cuts: Vec<(String, String)>,
    depth: usize,
}

/// References followed within references; more is taken to be a circle.
const MAX_CHAIN: usize = 64;

impl Search<'_> {
    fn visit(&mut self, pointer: &str, value: &Value) {
        if self.done.contains(pointer) || !self.open.insert(pointer.to_owned()) {
            return;
        }
        match value {
            Value::Object(map) => {
                if let Some(reference) = map.get("$ref") {
                    self.follow(pointer, reference);
                }
                for (key, child) in map {
                    let token = key.replace('~', "~0").replace('/', "~1");
                    self.visit(&format!("{pointer}/{token}"), child);
                }
            }
            Value::Array(items) => {
                for (index, child) in items.iter().enumerate() {
                    self.visit(&format!("{pointer}/{index}"), child);
                }
            }
            _ => {}
        }
        self.open.remove(pointer);
        self.done.insert(pointer.to_owned());
    }

    fn follow(&mut self, at: &str, reference: &Value) {
        // A property that is called `$ref` is no reference.
        if at.ends_with("/properties") && reference.is_object() {
            return;
        }
        let Some(target) = reference.as_str().and_then(|text| text.strip_prefix('#')) else {
            let shown = super::super::visible::line(&reference.to_string(), 80);
            return self.take_out(at, format!("the reference {shown} leads out of the schema and is ignored"));
        };
        let target = target.replace("%24", "$").replace("%25", "%");
        let Some(value) = self.root.pointer(&target).filter(|value| value.is_object() || value.is_boolean()) else {
            return self.take_out(at, format!("the reference #{target} leads nowhere and is ignored"));
        };
        if self.open.contains(&target) || self.depth >= MAX_CHAIN {
            return self.take_out(at, format!("the reference #{target} leads in a circle; it ends after one round"));
        }
        self.depth += 1;
        let value = value.clone();
        self.visit(&target, &value);
        self.depth -= 1;
    }

    fn take_out(&mut self, at: &str, why: String) {
        self.cuts.push((at.to_owned(), why));
    }
}
