use super::layout::{row, table};
use crate::proto::{SupervisorCounters, SupervisorView, SwitchState, SwitchView};
use crate::session::actor::Actor;
use crate::supervisor::switch::{self, Known, short, word};
use crate::text;

const USE: &str = "/supervisor NAME on, off or save; NAME alone tells more; save alone saves what was flipped here";

/// Columns of a list of names.
const WIDTH: usize = 96;

/// What a person wants of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    Show,
    Flip(bool),
    Save,
}

impl Actor {
    pub(super) async fn slash_supervisor(&mut self, words: &str) -> String {
        let (known, wish) = match parse(words) {
            Ok(Asked::Of(known, wish)) => (known, wish),
            Ok(Asked::List) => return listing(&self.rec.hub.snapshot().supervisor),
            Ok(Asked::SaveFlipped) => return self.save_flipped().await,
            Err(why) => return why,
        };
        match wish {
            Wish::Show => {}
            Wish::Flip(on) => self.switch(known.key, on),
            Wish::Save => {
                self.save_switch(known.key).await;
            }
        }
        let Some(view) = self.switch_view(known.key) else { return format!("There is no switch {}.", known.key) };
        match wish {
            Wish::Show => one(&view, &self.rec.hub.snapshot().supervisor.counters),
            // What came of it, the record says.
            Wish::Flip(_) | Wish::Save => standing(&view),
        }
    }

    /// Saves every switch that this session has otherwise than the file, and names each.
    async fn save_flipped(&mut self) -> String {
        let mut lines = Vec::new();
        for key in self.flipped_switches() {
            if let Some(switched) = self.save_switch(key).await {
                lines.push(switched.headline().2);
            }
        }
        match lines.is_empty() {
            true => "No switch was flipped in this session, so there is nothing to save.".to_owned(),
            false => lines.join("\n"),
        }
    }
}

/// What a person asks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asked {
    List,
    SaveFlipped,
    Of(&'static Known, Wish),
}

pub(super) fn parse(words: &str) -> Result<Asked, String> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let (name, wish) = match words.as_slice() {
        [] => return Ok(Asked::List),
        [only] if wish(only) == Some(Wish::Save) => return Ok(Asked::SaveFlipped),
        [only] => match wish(only) {
            Some(wish) => (switch::SUPERVISOR, wish),
            None => (*only, Wish::Show),
        },
        [name, how] => {
            let wish = wish(how).ok_or_else(|| format!("{how:?} is none of on, off and save."))?;
            (*name, wish)
        }
        _ => return Err(format!("Too many words. {USE}.")),
    };
    Ok(Asked::Of(switch::find(name)?, wish))
}

fn wish(word: &str) -> Option<Wish> {
    match word.to_lowercase().as_str() {
        "on" => Some(Wish::Flip(true)),
        "off" => Some(Wish::Flip(false)),
        "save" => Some(Wish::Save),
        _ => None,
    }
}

/// Every switch in a line; those that are off and not built in one together.
fn listing(supervisor: &SupervisorView) -> String {
    let absent = |view: &&SwitchView| view.state == SwitchState::NotBuilt && !view.on;
    let rows: Vec<Vec<String>> = supervisor
        .switches
        .iter()
        .filter(|view| !absent(view))
        .map(|view| {
            let note = [aside(view), counted(&supervisor.counters, &view.key)];
            let note: Vec<String> = note.into_iter().filter(|part| !part.is_empty()).collect();
            row([short(&view.key), word(view.on), &view.origin, &note.join(" · ")])
        })
        .collect();
    let absent: Vec<&str> = supervisor.switches.iter().filter(absent).map(|view| short(&view.key)).collect();
    let absent = match absent.as_slice() {
        [] => String::new(),
        names => {
            let names = names.join(", ");
            let lines = text::wrap(&names, WIDTH).into_iter().map(|line| names[line].trim_end());
            format!("\n\noff, and not built in this version:\n{}", lines.collect::<Vec<_>>().join("\n"))
        }
    };
    format!("{}{absent}\n\n{USE}", table(&rows))
}

fn one(view: &SwitchView, counters: &SupervisorCounters) -> String {
    let mut rows = vec![
        row([short(&view.key), word(view.on)]),
        row(["what", &view.doc]),
        row(["key", &view.key]),
        row(["from", &from(view)]),
    ];
    let (aside, counted) = (aside(view), counted(counters, &view.key));
    for (name, text) in [("now", aside), ("so far", counted)] {
        if !text.is_empty() {
            rows.push(row([name, &text]));
        }
    }
    table(&rows)
}

fn from(view: &SwitchView) -> String {
    match view.saved {
        Some(saved) => format!("{}; saved is {}", view.origin, word(saved)),
        None => view.origin.clone(),
    }
}

/// How a switch stands after something was wished.
fn standing(view: &SwitchView) -> String {
    let aside = aside(view);
    let aside = if aside.is_empty() { aside } else { format!(" · {aside}") };
    format!("{} is {} · {}{aside}", short(&view.key), word(view.on), from(view))
}

/// What else is to be known of a switch.
fn aside(view: &SwitchView) -> String {
    match &view.state {
        SwitchState::Live => String::new(),
        SwitchState::Pending { on } => format!("{} from the next request on", word(*on)),
        SwitchState::ReadOnly { why } => why.clone(),
        SwitchState::NotBuilt => "not built in this version".to_owned(),
        SwitchState::Idle { why } => format!("does nothing: {why}"),
    }
}

fn counted(counters: &SupervisorCounters, key: &str) -> String {
    let counted = counters.of_switch(key).into_iter().map(|(what, count)| format!("{count} {what}"));
    counted.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Origins};
    use crate::supervisor::switch::Board;

    fn asked(words: &str) -> Result<Option<(&'static str, Wish)>, String> {
        let named = |asked| match asked {
            Asked::List => None,
            Asked::SaveFlipped => Some(("what was flipped", Wish::Save)),
            Asked::Of(known, wish) => Some((known.key, wish)),
        };
        parse(words).map(named)
    }

    #[test]
    fn words_name_a_switch_and_a_wish() {
        for (words, wanted) in [
            ("", None),
            ("gate", Some((switch::GATE, Wish::Show))),
            ("gate off", Some((switch::GATE, Wish::Flip(false)))),
            ("  condense.adaptive   ON ", Some((switch::ADAPTIVE, Wish::Flip(true)))),
            ("supervisor.plan.enabled save", Some((switch::PLAN, Wish::Save))),
            ("save", Some(("what was flipped", Wish::Save))),
            ("supervisor save", Some((switch::SUPERVISOR, Wish::Save))),
            ("off", Some((switch::SUPERVISOR, Wish::Flip(false)))),
            ("supervisor", Some((switch::SUPERVISOR, Wish::Show))),
        ] {
            assert_eq!(asked(words), Ok(wanted), "{words}");
        }
        assert_eq!(asked("gate of").unwrap_err(), "\"of\" is none of on, off and save.");
        assert_eq!(asked("gata off").unwrap_err(), "There is no switch \"gata\". Did you mean gate?");
        assert!(asked("gate off now").unwrap_err().contains(USE));
    }

    #[test]
    fn the_list_is_laid_out() {
        let mut board = Board::new(&Config::template(), &Origins::default());
        board.flip(switch::GATE, false);
        board.settle();
        board.flip(switch::PLAN, false);
        let counters = SupervisorCounters { passed: 2, sent_back: 1, plans: 1, ..SupervisorCounters::default() };
        let view = SupervisorView { switches: board.view().into(), counters, ..SupervisorView::default() };
        insta::assert_snapshot!(listing(&view), @r"
        supervisor              on   built in
        gate                    off  this session  2 passed, 1 sent back
        plan                    on   built in      off from the next request on · 1 plans
        condense                on   built in
        condense.adaptive       off  built in
        authorizer              off  built in
        learning                on   built in      not built in this version
        skills.auto_activation  on   built in
        auto_capabilities       on   built in
        sandbox                 off  built in      it is set at the start

        off, and not built in this version:
        learning.evolution, hindsight, evaluate.recall, evaluate.skills, evaluate.capabilities,
        evaluate.authorizer, evaluate.condense, evaluate.compression, evaluate.distill, evaluate.plan,
        evaluate.gate, evaluate.evolution, skills.auto_validation

        /supervisor NAME on, off or save; NAME alone tells more; save alone saves what was flipped here
        ");
        let of = |key| view.switches.iter().find(|view| view.key == key).unwrap();
        insta::assert_snapshot!(one(of(switch::GATE), &view.counters), @r"
        gate    off
        what    verifies every stop before it is accepted
        key     supervisor.gate.enabled
        from    this session; saved is on
        so far  2 passed, 1 sent back
        ");
        assert_eq!(standing(of(switch::PLAN)), "plan is on · built in · off from the next request on");
        assert!(standing(of(switch::SANDBOX)).starts_with("sandbox is off · built in · it is set at the start"));
    }
}
