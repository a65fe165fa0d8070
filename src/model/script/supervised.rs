use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::file::Supervised;
use super::play::{Step, scripted_fault, usage};
use crate::model::{Delta, Message, Part, Request};
use crate::proto::{Fault, FaultKind, Mechanic, StopReason};

/// What answers the supervisor, as steps.
pub(super) fn steps(
    answers: &[Supervised],
    mechanic: Mechanic,
    request: &Request,
    answered: &mut HashMap<usize, u32>,
) -> Arc<[Step]> {
    let text = question(request);
    let fits = |(index, answer): &(usize, &Supervised)| {
        answer.asks == mechanic
            && answer.regex.as_ref().is_none_or(|regex| regex.is_match(&text))
            && answer.times.is_none_or(|times| answered.get(index).is_none_or(|given| *given < times))
    };
    let Some((index, answer)) = answers.iter().enumerate().find(fits) else {
        return Arc::from([Step::Fail(nothing(mechanic))]);
    };
    *answered.entry(index).or_insert(0) += 1;
    let mut steps = Vec::new();
    if answer.delay_ms > 0 {
        steps.push(Step::Wait(Duration::from_millis(answer.delay_ms)));
    }
    if let Some(fault) = &answer.fault {
        steps.push(Step::Fail(scripted_fault(fault)));
        return steps.into();
    }
    let reply = filled(answer, &text);
    steps.push(Step::Say(Delta::Text(reply.clone())));
    steps.push(Step::Say(Delta::Usage(usage(answer.usage, request, reply.len()))));
    steps.push(Step::Say(Delta::Stop(StopReason::End)));
    steps.into()
}

fn question(request: &Request) -> String {
    let mut text = String::new();
    for message in &request.messages {
        if let Message::User(parts) = message {
            for part in parts {
                if let Part::Text(said) = part {
                    text.push_str(said);
                }
            }
        }
    }
    text
}

/// The reply with the groups of the pattern put in.
fn filled(answer: &Supervised, text: &str) -> String {
    let mut reply = answer.reply.clone();
    if let Some(groups) = answer.regex.as_ref().and_then(|regex| regex.captures(text)) {
        for (index, group) in groups.iter().enumerate() {
            reply = reply.replace(&format!("{{{{{index}}}}}"), group.map_or("", |found| found.as_str()));
        }
    }
    reply
}

fn nothing(mechanic: Mechanic) -> Fault {
    Fault::new(
        FaultKind::BadRequest,
        format!("The script has no answer for the {}.", mechanic.word()),
        "Add a [[supervise]] table to the script, or name a real model in [supervisor.model].",
    )
}
