use super::*;
use crate::config::{Source, SourceKind, Sources, TEMPLATE, load};

fn board(changes: &[(&str, &str)], command_line: &[&str]) -> Board {
    let mut text = TEMPLATE.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let files = vec![Source::new(SourceKind::File, "/home/anna/config/config.toml", text)];
    let command_line = command_line.iter().map(|text| (*text).to_owned()).collect();
    let loaded = load(&Sources { files, command_line, ..Sources::default() });
    assert_eq!(loaded.problems, vec![]);
    Board::new(&loaded.config, &loaded.origins)
}

fn view(board: &Board, key: &str) -> SwitchView {
    board.view().into_iter().find(|view| view.key == key).unwrap()
}

fn refusal(taken: Taken) -> String {
    match taken {
        Taken::Refused(Switched { what: SwitchedHow::Refused { why }, .. }) => why,
        other => panic!("{other:?}"),
    }
}

/// A template in which evolution is on.
fn evolving() -> Board {
    board(
        &[("[supervisor.learning.evolution]\nenabled = false", "[supervisor.learning.evolution]\nenabled = true")],
        &[],
    )
}

#[test]
fn every_switch_of_the_configuration_is_there() {
    let config: toml::Value = toml::from_str(TEMPLATE).unwrap();
    let mut flags = Vec::new();
    fn walk(value: &toml::Value, path: &str, flags: &mut Vec<String>) {
        match value {
            toml::Value::Boolean(_) => flags.push(path.trim_start_matches('.').to_owned()),
            toml::Value::Table(table) => {
                table.iter().for_each(|(name, value)| walk(value, &format!("{path}.{name}"), flags));
            }
            _ => {}
        }
    }
    walk(&config, "", &mut flags);
    let watched = |flag: &&String| flag.starts_with("supervisor.") || flag.starts_with("skills.");
    for flag in flags.iter().filter(watched) {
        assert!(SWITCHES.iter().any(|known| known.key == flag), "{flag}");
    }
    let loaded = load(&Sources::default());
    for known in SWITCHES {
        let value = known.key.split('.').try_fold(&config, |value, name| value.get(name));
        let stands = value.and_then(toml::Value::as_bool).unwrap_or_else(|| panic!("{}", known.key));
        assert_eq!((known.read)(&loaded.config), stands, "{}", known.key);
        let flipped = load(&Sources { session: vec![format!("{}={}", known.key, !stands)], ..Sources::default() });
        let needs_gate = known.key == EVOLUTION;
        assert!(needs_gate || (known.read)(&flipped.config) != stands, "{} reads another key", known.key);
        assert!(!known.doc.is_empty() && !known.doc.ends_with('.'));
    }
}

#[test]
fn a_name_is_taken_however_it_is_written() {
    for (name, key) in [
        ("gate", GATE),
        ("Gate", GATE),
        ("supervisor.gate.enabled", GATE),
        ("supervisor", SUPERVISOR),
        ("condense", CONDENSE),
        ("adaptive", ADAPTIVE),
        ("condense.adaptive", ADAPTIVE),
        ("learning.evolution", EVOLUTION),
        ("auto-capabilities", CAPABILITIES),
        ("auto_activation", SKILL_RULES),
        ("evolution", EVOLUTION),
        ("evaluate.gate", "supervisor.evaluate.gate"),
        ("sandbox", SANDBOX),
    ] {
        assert_eq!(find(name).map(|known| known.key), Ok(key), "{name}");
    }
    assert_eq!(find("gaet").unwrap_err(), "There is no switch \"gaet\". Did you mean gate?");
    assert_eq!(find("condens").unwrap_err(), "There is no switch \"condens\". Did you mean condense?");
    assert_eq!(find("zzz").unwrap_err(), "There is no switch \"zzz\". /supervisor lists them.");
}

#[test]
fn a_flip_is_in_force_from_the_safe_point_on() {
    let mut board = board(&[], &[]);
    assert_eq!(board.flip(GATE, false), Taken::Pending);
    assert!(board.works(GATE) && board.has_pending(), "nothing changes before the safe point");
    assert_eq!(view(&board, GATE).state, SwitchState::Pending { on: false });
    let flipped = board.settle();
    let what = SwitchedHow::Flipped;
    assert_eq!(flipped, [Switched { key: GATE.into(), from: true, to: false, by: "you".into(), what }]);
    assert!(!board.works(GATE) && !board.has_pending());
    let view = view(&board, GATE);
    assert_eq!((view.on, view.origin.as_str(), view.saved), (false, "this session", Some(true)));
    assert_eq!(board.settle(), []);
}

#[test]
fn a_wish_taken_back_changes_nothing() {
    let mut board = board(&[], &[]);
    let before = board.clone();
    assert_eq!(board.flip(PLAN, false), Taken::Pending);
    assert_eq!(refusal(board.flip(PLAN, false)), "it is off already");
    assert_eq!(board.flip(PLAN, true), Taken::Withdrawn);
    assert_eq!(board, before);
    assert_eq!(refusal(board.flip(PLAN, true)), "it is on already");
    assert!(matches!(board.flip("supervisor.plan", true), Taken::Refused(_)));
}

#[test]
fn evolution_and_the_gate_are_switched_together_or_not() {
    let mut board = evolving();
    assert_eq!(refusal(board.flip(GATE, false)), "evolution is on and needs it; switch evolution off first");
    assert_eq!(board.flip(EVOLUTION, false), Taken::Pending);
    assert_eq!(board.flip(GATE, false), Taken::Pending, "evolution will be off by then");
    assert_eq!(refusal(board.flip(EVOLUTION, true)), "it needs the gate, which is off; switch the gate on first");
    board.settle();
    assert_eq!(refusal(board.flip(EVOLUTION, true)), "it needs the gate, which is off; switch the gate on first");
    assert_eq!(board.flip(GATE, true), Taken::Pending);
    assert_eq!(board.flip(EVOLUTION, true), Taken::Pending, "the file has it so");
}

#[test]
fn what_is_not_built_says_so() {
    let mut board = board(&[], &[]);
    for known in SWITCHES.iter().filter(|known| known.kind == Kind::NotBuilt) {
        assert_eq!(view(&board, known.key).state, SwitchState::NotBuilt, "{}", known.key);
        assert!(!board.works(known.key));
        if !board.is_on(known.key) {
            assert_eq!(refusal(board.flip(known.key, true)), NOT_BUILT, "{}", known.key);
        }
    }
    let learning = "supervisor.learning.enabled";
    assert_eq!(board.flip(learning, false), Taken::Pending);
    board.settle();
    assert_eq!(board.flip(learning, true), Taken::Pending, "back to what the file says");
}

#[test]
fn the_sandbox_is_only_shown() {
    let mut board = board(&[], &[]);
    assert!(matches!(view(&board, SANDBOX).state, SwitchState::ReadOnly { .. }));
    assert!(refusal(board.flip(SANDBOX, true)).contains("it is set at the start"));
    assert!(board.to_save(SANDBOX).is_err());
}

#[test]
fn what_another_switch_keeps_from_working_names_it() {
    let mut board = board(&[], &[]);
    board.flip(CONDENSE, false);
    board.flip(ADAPTIVE, true);
    board.settle();
    assert_eq!(view(&board, ADAPTIVE).state, SwitchState::Idle { why: "condense is off".into() });
    board.flip(CONDENSE, true);
    board.settle();
    assert!(board.works(CONDENSE) && board.works(ADAPTIVE));
    assert!(board.set_idle(CONDENSE, Some("no reader")) && !board.set_idle(CONDENSE, Some("no reader")));
    assert_eq!(view(&board, CONDENSE).state, SwitchState::Idle { why: "no reader".into() });
    assert!(board.is_on(CONDENSE) && !board.works(CONDENSE));
    board.flip(SUPERVISOR, false);
    board.settle();
    for key in [GATE, PLAN, CONDENSE] {
        assert_eq!(view(&board, key).state, SwitchState::Idle { why: "the supervisor is off".into() });
        assert!(!board.works(key));
    }
    assert_eq!(view(&board, AUTHORIZER).state, SwitchState::Live, "it is off anyway");
    assert_eq!(view(&board, CAPABILITIES).state, SwitchState::Live, "the supervisor has no part in it");
}

#[test]
fn origins_are_told_in_few_words() {
    let line = TEMPLATE.lines().position(|line| line == "[supervisor.plan]").unwrap() + 2;
    let board = board(&[], &["supervisor.gate.enabled=false"]);
    assert_eq!(view(&board, GATE).origin, "command line");
    assert!(!board.works(GATE));
    assert_eq!(view(&board, PLAN).origin, format!("config.toml:{line}"));
    let loaded = load(&Sources::default());
    assert_eq!(view(&Board::new(&loaded.config, &loaded.origins), GATE).origin, "built in");
    let project = Origin::Project { file: "/w/.agents/octomind.toml".into(), line: 3 };
    assert_eq!(origin_text(&project), "project octomind.toml:3");
}

#[test]
fn a_session_that_is_taken_up_keeps_what_it_flipped() {
    let mut again = board(&[], &[]);
    again.restore(GATE, false);
    again.restore(AUTHORIZER, true);
    again.restore(SANDBOX, true);
    again.restore("supervisor.gone", true);
    assert_eq!((again.is_on(GATE), again.is_on(AUTHORIZER), again.is_on(SANDBOX)), (false, true, false));
    assert_eq!(view(&again, GATE).origin, "this session");

    let mut told = board(&[], &["supervisor.gate.enabled=true"]);
    told.restore(GATE, false);
    assert!(told.is_on(GATE), "the command line is newer than the past");
    assert_eq!(view(&told, GATE).origin, "command line");
}

#[test]
fn a_save_writes_what_is_wished_and_keeps_the_file_sound() {
    let mut board = evolving();
    board.flip(PLAN, false);
    assert_eq!(board.to_save(PLAN), Ok(false), "before the safe point too");
    board.settle();
    let at = Origin::File { file: "/x/config.toml".into(), line: 212 };
    let switched = board.saved(PLAN, false, "/x/config.toml", at).unwrap();
    assert_eq!((switched.from, switched.to), (true, false));
    assert_eq!(switched.what, SwitchedHow::Saved { file: "/x/config.toml".into() });
    let view = view(&board, PLAN);
    assert_eq!((view.origin.as_str(), view.saved), ("config.toml:212", None));

    board.flip(EVOLUTION, false);
    board.flip(GATE, false);
    board.settle();
    let refused = board.to_save(GATE).unwrap_err();
    assert!(
        matches!(&refused.what, SwitchedHow::Refused { why } if why.contains("save evolution first")),
        "{refused:?}"
    );
    assert_eq!(board.to_save(EVOLUTION), Ok(false));
    board.saved(EVOLUTION, false, "config.toml", Origin::Template);
    assert_eq!(board.to_save(GATE), Ok(false));
}
