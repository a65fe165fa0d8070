//! From the text of a `SKILL.md` to a skill.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use super::activate::visible;
use super::front_matter::{self, Fences, FrontMatter, Kind, Piece, Value, fences, words};
use super::remark::Remark;
use super::rules::{self, RuleGroup};
use crate::config::Source;
use crate::tap::{Finding, Part, PartKind, Severity, Skill, SkillSource};
use crate::text::human::bytes;

/// Every key that means something.
const KEYS: [&str; 9] =
    ["name", "title", "description", "compatibility", "license", "allowed-tools", "capabilities", "domains", "rules"];

/// A front matter larger than this many bytes is a mistake.
const LONGEST_HEADER: usize = 32 * 1024;
/// So much is said about one file.
const MOST_REMARKS: usize = 100;

fn kind_of(key: &str) -> Kind {
    match key {
        "name" | "title" | "description" | "compatibility" | "license" => Kind::Text,
        "allowed-tools" | "capabilities" | "domains" | "rules" => Kind::List,
        _ => Kind::Ignored,
    }
}

/// A skill, or why it is none; in either case what else there is to say.
pub fn read(source: &Source, file: &Path, from: &SkillSource) -> (Option<Skill>, Vec<Finding>) {
    let folder = file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let folder = folder.unwrap_or_default();
    let mut remarks = Vec::new();
    let skill = match fences(&source.text) {
        Ok(Fences { header, .. }) if header.len() > LONGEST_HEADER => {
            let message = format!("the front matter has {}, so the skill was left out", bytes(header.len() as u64));
            let hint =
                format!("at most {} are read; what a model is to know belongs below it", bytes(LONGEST_HEADER as u64));
            remarks.push(Remark::error(source.line_range(header.start.saturating_sub(1)), message).hint(hint));
            None
        }
        Ok(fences) => {
            let found = front_matter::read(&source.text, fences.header.clone(), &kind_of);
            remarks.extend(hidden(&source.text, fences.header.start));
            build(source, &found, fences.header, file, from, &mut remarks)
        }
        Err(remark) => {
            remarks.push(remark);
            None
        }
    };
    remarks.sort_by_key(|remark| remark.severity);
    if let Some(first) = remarks.get(MOST_REMARKS) {
        let message = format!("{} more things are to be mended in this file", remarks.len() - MOST_REMARKS);
        let last = Remark { severity: Severity::Warning, ..Remark::error(first.span.clone(), message) };
        remarks.truncate(MOST_REMARKS);
        remarks.push(last);
    }
    let part = part(skill.as_ref().map_or(folder.as_str(), |skill| skill.name.as_str()));
    let tap = tap_name(from);
    (skill, remarks.into_iter().map(|remark| remark.finding(source, &part, tap)).collect())
}

/// Characters that no person sees, said once.
fn hidden(text: &str, from: usize) -> Option<Remark> {
    let mut at = from;
    let line = text.get(from..)?.split_inclusive('\n').find(|line| {
        let odd = visible(line) != line.replace("\r\n", "\n");
        at += if odd { 0 } else { line.len() };
        odd
    })?;
    let message = "this line has characters that nobody sees; a model gets the text without them";
    Some(Remark::warning(at..at + line.trim_end().len(), message).hint("remove them"))
}

pub fn part(name: &str) -> Part {
    Part { kind: PartKind::Skill, name: name.to_owned() }
}

/// As findings name it.
pub fn tap_name(source: &SkillSource) -> &str {
    match source {
        SkillSource::Tap(tap) => &tap.name,
        _ => "",
    }
}

fn build(
    source: &Source,
    found: &FrontMatter,
    header: Range<usize>,
    file: &Path,
    from: &SkillSource,
    remarks: &mut Vec<Remark>,
) -> Option<Skill> {
    let name = text(found, "name").map(|name| without_comment(&name));
    let name = name.filter(|name| !matches!(name.as_str(), "" | "~" | "null"));
    let description = text(found, "description").filter(|text| !text.is_empty());
    let (name, description) = match (name, description) {
        (Some(name), Some(description)) => (name, description),
        (name, description) => {
            remarks.push(missing(source, found, header, name.is_none(), description.is_none()));
            return None;
        }
    };
    remarks.extend(found.remarks.iter().cloned());
    remarks.extend(found.fields.iter().filter_map(|field| misspelt(&field.key, field.key_span.clone())));
    if let Some(field) = found.field("name") {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
        remarks.extend(about_name(&name, &folder.to_string_lossy(), field.key_span.clone()));
    }
    let domains = listed(found, "domains");
    let rules = rule_groups(source, found, remarks);
    if let (false, true, Some(field)) = (rules.is_empty(), domains.is_empty(), found.field("rules")) {
        let message = "these rules never activate the skill, because it names no `domains`";
        remarks
            .push(Remark::warning(field.key_span.clone(), message).hint("add `domains: developer`, or `domains: *`"));
    }
    Some(Skill {
        title: text(found, "title").unwrap_or_default(),
        compatibility: text(found, "compatibility").unwrap_or_default(),
        license: text(found, "license").unwrap_or_default(),
        allowed_tools: listed(found, "allowed-tools"),
        capabilities: listed(found, "capabilities"),
        source: from.clone(),
        file: file.to_owned(),
        name,
        description,
        domains,
        rules,
    })
}

fn text(found: &FrontMatter, key: &str) -> Option<String> {
    match &found.field(key)?.value {
        Value::Text(piece) => Some(visible(&piece.text).trim().to_owned()),
        Value::List(_) | Value::Nothing => None,
    }
}

/// A name has no ` #` in it, so what follows is a comment.
fn without_comment(name: &str) -> String {
    name.split(" #").next().unwrap_or_default().trim().to_owned()
}

fn pieces<'a>(found: &'a FrontMatter, key: &str) -> &'a [Piece] {
    match found.field(key).map(|field| &field.value) {
        Some(Value::List(pieces)) => pieces,
        _ => &[],
    }
}

fn listed(found: &FrontMatter, key: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let all = pieces(found, key).iter().flat_map(words).map(|word| word.text);
    all.filter(|word| seen.insert(word.clone())).collect()
}

/// The rules that count; of the others it is said that they do not.
fn rule_groups(source: &Source, found: &FrontMatter, remarks: &mut Vec<Remark>) -> Vec<RuleGroup> {
    let line = |piece: &Piece| u32::try_from(source.line_of(piece.span.start)).unwrap_or(u32::MAX);
    let all = pieces(found, "rules");
    let mut groups = Vec::new();
    for piece in all.iter().take(rules::MOST) {
        if piece.text.len() > rules::LONGEST {
            let message = format!("this rule is longer than {} bytes, so it never holds", rules::LONGEST);
            remarks.push(Remark::error(piece.span.clone(), message).hint("write several rules: any of them activates"));
            continue;
        }
        let group = rules::parse(piece, line(piece), remarks);
        groups.extend(Some(group).filter(|group| !group.checks.is_empty()));
    }
    if let Some(piece) = all.get(rules::MOST) {
        let message = format!("there are {} rules; from here on they never hold", all.len());
        let hint = format!("a skill has at most {} rules; one match(…) may stand for many", rules::MOST);
        remarks.push(Remark::error(piece.span.clone(), message).hint(hint));
    }
    groups
}

/// One remark for all that is missing, where it should be.
fn missing(source: &Source, found: &FrontMatter, header: Range<usize>, name: bool, description: bool) -> Remark {
    let what = match (name, description) {
        (true, true) => "no `name` and no `description`",
        (true, false) => "no `name`",
        _ => "no `description`",
    };
    let key = if name { "name" } else { "description" };
    let span = match found.field(key) {
        Some(field) => field.key_span.clone(),
        None => source.line_range(header.start.saturating_sub(1)),
    };
    Remark::error(span, format!("the skill has {what}, so it was left out"))
        .hint("add `name: <its folder's name>` and `description: <what it is for and when to use it>`")
}

fn about_name(name: &str, folder: &str, span: Range<usize>) -> Option<Remark> {
    if name.contains(|letter: char| letter.is_whitespace() || letter.is_control() || matches!(letter, ',' | '/')) {
        let message = format!("`{name}` cannot be written where skills are named: after /skill, in OCTOMIND_SKILLS");
        return Some(Remark::warning(span, message).hint("use letters, digits and hyphens"));
    }
    (name != folder).then(|| {
        let message = format!("the skill is named `{name}`, but its folder `{folder}`; the name in the file counts");
        Remark::warning(span, message).hint(format!("rename the folder to {name}: other programs want both alike"))
    })
}

/// A key that is nearly one of ours.
fn misspelt(key: &str, span: Range<usize>) -> Option<Remark> {
    if KEYS.contains(&key) {
        return None;
    }
    let plain = key.to_lowercase().replace('_', "-");
    let allowed = if key.len() >= 7 { 2 } else { 1 };
    let near = KEYS.iter().find(|known| strsim::damerau_levenshtein(&plain, known) <= allowed)?;
    Some(Remark::warning(span, format!("there is no key `{key}`; it was ignored")).hint(format!("is `{near}` meant?")))
}
