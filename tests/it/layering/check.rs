use super::source::Source;

/// Which module may use which, and which crates and names belong where.
pub struct Rules {
    /// Layer, and the other layers it may name.
    layers: Vec<(&'static str, Vec<&'static str>)>,
    /// Crate or module path, and the layers that may name it. Layers not listed in `layers` may too.
    crates: Vec<(&'static str, Vec<&'static str>)>,
    /// Name, and the folders it may stand in; looked for under `src/ui` only.
    screen: Vec<(&'static str, Vec<&'static str>)>,
    clocks: Vec<&'static str>,
    /// Folders to which the time is passed in.
    clockless: Vec<&'static str>,
}

const GROUND: [&str; 4] = ["proto", "config", "text", "port"];
/// The session stands on the other engine modules, so none of them may name it.
const ENGINE: [&str; 9] = ["approval", "tap", "embed", "surface", "mcp", "model", "supervisor", "learning", "sandbox"];

impl Rules {
    pub fn ours() -> Self {
        let front = GROUND.to_vec();
        let engine = [&GROUND[..], &ENGINE[..]].concat();
        let session = [&engine[..], &["session"]].concat();
        let mut layers = vec![
            ("proto", vec![]),
            ("text", vec!["proto"]),
            ("config", vec!["proto", "text"]),
            ("port", vec!["proto"]),
            ("surface", vec!["proto", "config", "text", "embed", "tap"]),
            ("embed", vec!["proto", "config", "text"]),
            ("sandbox", vec!["proto", "config", "text"]),
            ("approval", vec!["proto", "text"]),
            ("session", session.clone()),
            // Explanations are a pure reading of the snapshot, for the screen and the command line alike.
            ("ui", [&front[..], &["surface"]].concat()),
            ("serve", front),
            ("cli", [&session[..], &["ui", "serve"]].concat()),
            ("main", vec!["cli"]),
        ];
        for module in ENGINE {
            if !layers.iter().any(|(layer, _)| *layer == module) {
                layers.push((module, engine.clone()));
            }
        }
        let ground = ["text", "config", "port", "session", "ui", "serve", "cli"];
        let impure: Vec<&str> = [&ENGINE[..], &ground[..]].concat();
        let everywhere_but_proto = impure.clone();
        let effects: Vec<&str> =
            impure.into_iter().filter(|layer| !matches!(*layer, "text" | "surface" | "approval")).collect();
        Self {
            layers,
            crates: vec![
                ("ratatui", vec!["ui"]),
                ("crossterm", vec!["ui"]),
                ("syntect", vec!["ui"]),
                ("genai", vec!["model"]),
                ("rmcp", vec!["mcp"]),
                ("clap", vec!["cli"]),
                ("ort", vec!["embed"]),
                ("ort_tract", vec!["embed"]),
                ("tokenizers", vec!["embed"]),
                ("tokio", effects.clone()),
                ("std::fs", effects.clone()),
                ("std::net", effects.clone()),
                ("std::process", [&effects[..], &["main"]].concat()),
                ("std::io", everywhere_but_proto),
            ],
            screen: vec![("Color::", vec!["src/ui/theme"]), ("KeyCode::", vec!["src/ui/keys", "src/ui/term"])],
            clocks: vec!["Instant::now", "SystemTime::now"],
            clockless: vec![
                "src/ui/update",
                "src/ui/view",
                "src/ui/transcript",
                "src/surface",
                "src/approval",
                "src/supervisor",
                "src/proto",
                "src/text",
            ],
        }
    }
}

/// One line for each fault of the file. Test files may do as they like.
pub fn check(rules: &Rules, source: &Source) -> Vec<String> {
    let mut faults = Vec::new();
    if source.is_test() {
        return faults;
    }
    if source.path.ends_with("/mod.rs") && !source.text.starts_with("//!") {
        faults.push(format!("{}:1: a mod.rs opens with what the module owns (//!)", source.path));
    }
    let mut report = |at: usize, fault: String| {
        faults.push(format!("{}:{}: {fault}", source.path, source.line_of(at)));
    };
    let layer = source.layer();
    if let Some((_, allowed)) = rules.layers.iter().find(|(name, _)| *name == layer) {
        for (at, used) in used_layers(source) {
            let known = rules.layers.iter().any(|(name, _)| *name == used);
            if known && used != layer && !allowed.contains(&used.as_str()) {
                report(at, format!("{layer} uses {used}"));
            }
        }
        for (path, owners) in &rules.crates {
            if let Some(at) = source.places(path).find(|_| !owners.contains(&layer)) {
                report(at, format!("{layer} must not name {path}"));
            }
        }
    }
    for (name, folders) in &rules.screen {
        let inside =
            !source.path.starts_with("src/ui/") || folders.iter().any(|folder| source.path.starts_with(folder));
        if let Some(at) = source.places(name).find(|_| !inside) {
            report(at, format!("{name} only in {}", folders.join(", ")));
        }
    }
    if rules.clockless.iter().any(|folder| source.path.starts_with(folder)) {
        for clock in &rules.clocks {
            for at in source.places(clock) {
                report(at, format!("{clock} not here: time is passed in"));
            }
        }
    }
    faults
}

/// Where the file names a module right under the crate root, and which.
fn used_layers(source: &Source) -> Vec<(usize, String)> {
    let mut used = Vec::new();
    let up = "super::".repeat(source.depth());
    for root in ["crate::", "octomind::", up.as_str()] {
        if root.is_empty() {
            continue;
        }
        for at in source.places(root) {
            heads(&source.code, at + root.len(), &mut used);
        }
    }
    used
}

/// First segments at `at`: one, or those of a group.
fn heads(code: &str, at: usize, used: &mut Vec<(usize, String)>) {
    let name = |at: usize| -> String { code[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    if !code[at..].starts_with('{') {
        used.push((at, name(at)));
        return;
    }
    let mut depth = 0;
    let mut expected = false;
    for (offset, character) in code[at..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
        if depth == 1 && matches!(character, '{' | ',') {
            expected = true;
        } else if expected && !character.is_whitespace() {
            expected = false;
            used.push((at + offset, name(at + offset)));
        }
    }
}
