//! What is said of a call: to the person before it runs, to the model when it does not.

use sha2::{Digest, Sha256};

use super::Open;
use crate::approval::Judgement;
use crate::mcp::ToolDefinition;
use crate::proto::{
    ApprovalAbout, ApprovalOutcome, ApprovalPreview, ApprovalRequest, Ask, AskKind, Body, Content, Snapshot,
    ToolOutcome,
};
use crate::session::actor::batch::finished;

/// What the model gets to know.
pub(super) fn reason(judged: &Judgement, outcome: ApprovalOutcome) -> String {
    let about: Vec<String> = judged.never.iter().map(ApprovalAbout::words).collect();
    let about = about.join(", ");
    match outcome {
        ApprovalOutcome::NobodyThere => format!(
            "[approval] Not run: {}, so it needs a person's yes here, and nobody is there to give it. Go on \
             without it, and say in your answer what you would have run and why.",
            judged.why
        ),
        ApprovalOutcome::Never => format!(
            "[approval] Not run: the person refuses {about} for this session, and it will be refused again \
             without asking. Go on without it, or ask them what they would accept."
        ),
        ApprovalOutcome::RefusedByRule => format!(
            "[approval] Not run: {}. It is not asked again. Go on without it, or ask the person what they would \
             accept.",
            judged.why.replacen("you ", "the person ", 1)
        ),
        _ => "[approval] Not run: the person refused this call. Do not try to reach the same in another way; go \
              on without it, or ask them what they would accept."
            .to_owned(),
    }
}

/// Results of calls that waited for an answer when the process before ended: of these it is known that they did
/// not run.
pub(in crate::session::actor) fn unanswered(past: &Snapshot) -> Vec<Body> {
    let reason = "Not run: it waited for the person's approval when the session was interrupted.";
    let of = |ask: &Ask| match &ask.kind {
        AskKind::Approval(request) => Some(request.call.clone()),
        _ => None,
    };
    let calls = past.asks.iter().filter_map(|(ask, _)| of(ask));
    calls.map(|call| finished(call, ToolOutcome::Cancelled, Content::Text(reason.to_owned()), 0)).collect()
}

pub(super) fn request(open: &Open, again: bool) -> ApprovalRequest {
    let Open { call, judged, preview, number, of, .. } = open;
    let mut warnings = judged.warnings.clone();
    if again {
        warnings.insert(0, "The file changed since you were asked; this is what would happen now.".to_owned());
    }
    let preview = match preview {
        None => None,
        Some(Ok(seen)) => Some(ApprovalPreview {
            path: seen.shown.clone(),
            creates: seen.creates,
            added: seen.added,
            removed: seen.removed,
            diff: seen.diff.clone(),
            note: seen.note.clone(),
        }),
        Some(Err(why)) => {
            warnings.push(format!("As the file is now, this would fail: {why}"));
            None
        }
    };
    ApprovalRequest {
        call: call.id.clone(),
        server: call.tool.server.clone(),
        tool: call.tool.name.clone(),
        arguments: call.arguments.clone(),
        parts: judged.parts.clone(),
        why: judged.why.clone(),
        preview,
        remembers: judged.session.iter().map(ApprovalAbout::words).collect(),
        refuses: judged.never.iter().map(ApprovalAbout::words).collect(),
        warnings,
        number: *number,
        of: *of,
    }
}

/// Changes when the tool says something else of itself.
pub(super) fn fingerprint(tool: &ToolDefinition) -> String {
    let mut hasher = Sha256::new();
    for part in
        [tool.description.as_str(), &tool.schema.to_string(), &format!("{:?} {:?}", tool.read_only, tool.destructive)]
    {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}
