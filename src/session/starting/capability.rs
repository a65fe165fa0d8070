//! Capabilities: what is said of them, and another provider in place of one whose script failed.

use super::pipeline::{Parts, blocking};
use super::scripts::Failed;
use super::telling::Telling;
use crate::config::schema::Config;
use crate::config::set_in_file;
use crate::proto::{AskKind, Level, StartStep, StepState};
use crate::session::seams::Person;
use crate::tap::resolve::Expanded;
use crate::tap::{Catalogue, Severity, TapKind};

/// Says what the capabilities of an agent came to.
pub(super) fn tell(expanded: &Expanded, telling: &Telling) {
    let step = telling.begin(StartStep::Capabilities, "");
    for decision in expanded.decisions() {
        telling.decided(decision);
    }
    let doubtful = expanded.findings.iter().filter(|finding| finding.severity != Severity::Note);
    for finding in doubtful.clone() {
        telling.notice(Level::Warning, finding.problem.headline(), finding.problem.hint.clone());
    }
    let names: Vec<String> =
        expanded.capabilities.iter().map(|one| format!("{} ({})", one.name, one.provider)).collect();
    match (names.is_empty(), doubtful.count()) {
        (true, 0) => step.end(StepState::Skipped, "none"),
        (_, 0) => step.done(names.join(", ")),
        (_, count) => {
            step.end(StepState::Doubtful, format!("{}; {count} to be mended, see the notes", names.join(", ")))
        }
    }
}

/// A provider that does without the script that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Other {
    pub capability: String,
    /// The provider whose script failed.
    pub failed: String,
    pub provider: String,
    pub tap: String,
}

/// What the starter tap has in place of each capability whose script failed.
pub(super) fn other_providers(failed: &Failed, expanded: &Expanded, catalogue: &Catalogue) -> Vec<Other> {
    failed.wanted_by.iter().filter_map(|name| other_provider(name, &failed.script, expanded, catalogue)).collect()
}

fn other_provider(name: &str, script: &String, expanded: &Expanded, catalogue: &Catalogue) -> Option<Other> {
    let used = expanded.capabilities.iter().find(|one| one.name == name)?;
    let starter =
        catalogue.capabilities_named(name).iter().find(|capability| capability.tap.kind == TapKind::Starter)?;
    // A pinned reference never looks elsewhere, and a name that the chosen tap has too means that one.
    let reachable = |provider: &str| {
        let own = &used.capability;
        let same = own.tap.name == starter.tap.name;
        let pinned = used.reference.contains('/');
        same || (!pinned && !own.providers.iter().any(|known| known.name == provider))
    };
    let provider = starter.providers.iter().find(|provider| {
        let named = provider.links_to.is_none() && provider.name != "default";
        let differs = provider.name != used.provider || used.capability.tap.name != starter.tap.name;
        named && differs && !provider.deps.contains(script) && reachable(&provider.name)
    })?;
    Some(Other {
        capability: name.to_owned(),
        failed: used.provider.clone(),
        provider: provider.name.clone(),
        tap: starter.tap.name.clone(),
    })
}

/// Asks once whether the other providers are to be used, and remembers a yes for each of them.
/// Without a person they are used for this run, and said.
pub(super) async fn take_others(
    parts: &Parts,
    config: &mut Config,
    others: &[Other],
    failed: &Failed,
    telling: &Telling,
) -> bool {
    let Some(first) = others.first() else { return false };
    let names = each(others, |other| &other.capability);
    let (offered, tap) = (each(others, |other| &other.provider), first.tap.clone());
    if parts.person == Person::Absent {
        let verb = if others.len() == 1 { "is" } else { "are" };
        let text =
            format!("{} So {names} {verb} provided by {offered} of {tap} in this run.", sentence(&failed.reason));
        let lines: Vec<String> =
            others.iter().map(|other| format!("{} = \"{}\"", other.capability, other.provider)).collect();
        let hint = format!("Put {} under [capabilities] to keep it so.", lines.join(" and "));
        telling.notice(Level::Warning, text, Some(hint));
    } else {
        let kind = AskKind::OtherProvider {
            capability: names,
            failed: each(others, |other| &other.failed),
            reason: failed.reason.clone(),
            offered,
            offered_by: tap,
        };
        if !telling.ask(kind).await.agrees() {
            return false;
        }
        remember(parts, others, telling).await;
    }
    config.capabilities.extend(others.iter().map(|other| (other.capability.clone(), other.provider.clone())));
    true
}

async fn remember(parts: &Parts, others: &[Other], telling: &Telling) {
    for Other { capability, provider, .. } in others.iter().cloned() {
        let file = parts.paths.config_file.clone();
        let key = format!("capabilities.{capability}");
        let saved = blocking(move || set_in_file(&file, &key, provider).map_err(|error| error.to_string())).await;
        if let Ok(Err(why)) = saved {
            let text = format!("The choice for {capability} holds for this session only: {why}.");
            telling.notice(Level::Warning, text, None);
        }
    }
}

/// `read, write and shell`, each once.
fn each(others: &[Other], part: impl Fn(&Other) -> &String) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in others.iter().map(|other| part(other).as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

fn sentence(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default().trim_end_matches([':', '.']);
    // A name stays as it is written.
    if first.split_whitespace().next().is_some_and(|word| !word.chars().all(char::is_alphabetic)) {
        return format!("{first}.");
    }
    let mut letters = first.chars();
    let head = letters.next().map(char::to_uppercase).into_iter().flatten();
    format!("{}.", head.chain(letters).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_name_keeps_its_letters() {
        for (text, wanted) in [
            ("some/name has no deps/a.sh:\n  x", "some/name has no deps/a.sh."),
            ("deps/a.sh of me/tap ended.", "deps/a.sh of me/tap ended."),
            ("nothing came", "Nothing came."),
        ] {
            assert_eq!(sentence(text), wanted);
        }
    }
}
