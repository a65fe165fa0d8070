use super::{Fold, Look, approval, led, skill};
use crate::proto::{Decision, Level};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};

pub fn render(decision: &Decision, look: &Look) -> Vec<Row> {
    if let Decision::Approval(one) = decision {
        return approval::decided(one, look);
    }
    let (level, source, line) = decision.headline();
    let role = if level == Level::Info { Role::DecisionText } else { Role::NoticeWarning };
    let head = Styled::new("◆ ", Role::DecisionMark)
        .with(source, Role::DecisionMark)
        .with("  ", Role::UiText)
        .with(&text::sanitize_line(&line), role);
    if look.fold == Fold::Folded {
        return vec![head.into_row(look.width)];
    }
    let mut rows = vec![head.into_row(look.width)];
    if let Decision::SkillRules { domain, skills } = decision {
        rows.extend(skill::rules(domain, skills, look.width));
    }
    for (name, value) in details(decision) {
        let lead = Styled::new("│ ", Role::UiDim).with(&name, Role::UiDim).with("  ", Role::UiDim);
        rows.extend(led(lead, &value, Role::DecisionText, look.width));
    }
    rows
}

/// Everything the choice rested on, as names and values.
fn details(decision: &Decision) -> Vec<(String, String)> {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    match decision {
        Decision::ModelChosen { candidates, .. } => candidates
            .iter()
            .map(|one| {
                let sign = if one.usable { "✔" } else { "✘" };
                (format!("{sign} {}", text::sanitize_line(&one.source)), format!("{}  {}", one.model, one.why))
            })
            .collect(),
        Decision::ToolQuarantined { reason, advice, .. } => vec![pair("why", reason), pair("what to do", advice)],
        Decision::ToolRenamed { wire_name, reason, .. } => vec![pair("on the wire", wire_name), pair("why", reason)],
        Decision::ToolsChanged { added, removed, changed, .. } => {
            [("added", added), ("removed", removed), ("changed", changed)]
                .iter()
                .filter(|(_, names)| !names.is_empty())
                .map(|(name, names)| pair(name, &names.join(" · ")))
                .collect()
        }
        Decision::RequestRepaired { detail, count, .. } => {
            vec![pair("what", detail), pair("times", &count.to_string())]
        }
        Decision::ResultCut { tokens, limit, kept_head, kept_tail, spill, .. } => vec![
            pair("size", &format!("{} tok, limit {}", human::tokens(*tokens), human::tokens(*limit))),
            pair("kept", &format!("first {} tok, last {} tok", human::tokens(*kept_head), human::tokens(*kept_tail))),
            pair("whole", spill),
        ],
        Decision::Retry { reason, asked_by_provider, .. } => vec![
            pair("why", reason),
            pair("wait set by", if *asked_by_provider { "the provider" } else { "our back-off" }),
        ],
        Decision::Calibrated { model, estimated, reported, .. } => vec![
            pair("model", model),
            pair("counted", &format!("{} estimated, {} reported", human::tokens(*estimated), human::tokens(*reported))),
        ],
        Decision::CallRefused { reason, .. } => vec![pair("why", reason)],
        Decision::LostCall { excerpt, .. } => vec![pair("text", excerpt)],
        Decision::Spending { scope, stopped, .. } => {
            vec![pair("scope", scope), pair("turn", if *stopped { "stopped" } else { "goes on" })]
        }
        Decision::RoleResolved { file, tried, .. } => {
            let mut rows: Vec<_> = tried.iter().map(|one| pair("tried", one)).collect();
            rows.push(pair("file", file));
            rows
        }
        Decision::CapabilityExpanded { why, servers, .. } => {
            vec![pair("why", why), pair("servers", &servers.join(" · "))]
        }
        // Told check by check, or in a cell of its own.
        Decision::SkillRules { .. }
        | Decision::Routed(_)
        | Decision::CapabilityActivated(_)
        | Decision::CapabilityDeactivated(_)
        | Decision::CapabilityRefused(_)
        | Decision::Matched(_)
        | Decision::Reported(_)
        | Decision::Detected(_)
        | Decision::Recited(_)
        | Decision::Gate(_)
        | Decision::Planned(_)
        | Decision::Condensed(_)
        | Decision::Authorized(_)
        | Decision::Approval(_)
        | Decision::Switched(_) => Vec::new(),
        Decision::Trust { content_hash, .. } => vec![pair("content", content_hash)],
    }
}
