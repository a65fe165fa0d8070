use super::*;
use crate::ui::action::{Action, Call};

fn key(text: &str) -> Key {
    Key::parse(text).unwrap()
}

fn built_in(name: &str) -> Keymap {
    let loaded = load(name, None);
    assert_eq!(loaded.problems, Vec::new(), "{name}");
    loaded.keymap.unwrap()
}

/// A keymap file of the person's, over the built-in ones.
fn own(source: &str) -> Loaded {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.toml"), source).unwrap();
    load("own", Some(folder.path()))
}

fn messages(loaded: &Loaded) -> Vec<String> {
    loaded.problems.iter().map(|problem| problem.to_string().rsplit_once('/').unwrap().1.to_owned()).collect()
}

#[test]
fn keys_read_back_as_written() {
    for text in
        ["a", "A", "?", "-", "ctrl-a", "alt-enter", "shift-tab", "f12", "ctrl-alt-x", "space", "ctrl-minus", "esc"]
    {
        assert_eq!(key(text).to_string(), text);
    }
    for (text, same) in
        [("shift-a", "A"), ("C-a", "ctrl-a"), ("ret", "enter"), ("ctrl--", "ctrl-minus"), ("bs", "backspace")]
    {
        assert_eq!(key(text), key(same), "{text}");
    }
    for text in ["", "hyper-a", "ctrl-ctrl-a", "entr", "f99"] {
        assert!(Key::parse(text).is_err(), "{text}");
    }
    assert_eq!(Key::parse("entr").unwrap_err(), "`entr` is no key; did you mean `enter`?");
}

#[test]
fn conditions_bind_not_and_or() {
    let facts = Facts { popup: true, turn_running: true, ..Facts::default() };
    for (text, holds) in [
        ("popup", true),
        ("not popup", false),
        ("!popup", false),
        ("not !popup", true),
        ("popup and overlay", false),
        ("popup and not overlay", true),
        ("overlay or popup and turn-running", true),
        ("overlay and popup or turn-running", true),
        ("overlay or zoomed", false),
    ] {
        assert_eq!(Condition::parse(text).unwrap().holds(&facts), holds, "{text}");
    }
    for text in ["", "and", "popup and", "popup overlay", "popap", "not"] {
        assert!(Condition::parse(text).is_err(), "{text}");
    }
    assert!(Condition::parse("popap").unwrap_err().contains("did you mean `popup`?"));
}

#[test]
fn built_in_keymaps_have_no_problems() {
    for (name, _) in BUILT_IN {
        let _ = built_in(name);
    }
}

/// Actions that a keymap has no key for, and why: the palette has them all but for `vi` and `count`.
const WITHOUT_KEYS: &[(&[&str], Action, &str)] = &[
    (&["default", "vim"], Action::Quit, "the keys of these hands ask twice"),
    (&["default", "vim", "emacs"], Action::ToggleMotion, "set once"),
    (&["default", "emacs"], Action::NormalMode, "the composer has no modes there"),
    (&["default", "emacs"], Action::Vi, "the composer has no modes there"),
    (&["default", "emacs"], Action::Count, "digits focus panes there"),
    (&["default", "vim"], Action::SwapMark, "emacs' way to select"),
    (&["default", "vim"], Action::KillRegion, "emacs' way to select; ctrl-w deletes a word there"),
    (&["default", "vim"], Action::CopyRegion, "emacs' way to select; alt-w withdraws a message there"),
];

#[test]
fn every_action_can_be_reached_in_every_keymap_or_says_why_not() {
    for (name, _) in BUILT_IN {
        let keymap = built_in(name);
        for action in Action::ALL {
            let excused = WITHOUT_KEYS.iter().any(|(names, without, _)| names.contains(name) && without == action);
            let reached = keymap.reaches(|call| call.action == *action);
            assert!(reached != excused, "{name}: `{}` is reached: {reached}, listed: {excused}", action.id());
        }
    }
}

#[test]
fn every_command_of_the_normal_mode_has_a_key_in_vim() {
    let vim = built_in("vim");
    assert!(vim.is_modal() && !built_in("default").is_modal() && !built_in("emacs").is_modal());
    for command in crate::ui::composer::Vi::NAMES {
        let call = Call::with(Action::Vi, command);
        assert!(vim.reaches(|bound| *bound == call), "{command}");
    }
}

/// A key that an earlier place always takes is no way to reach anything.
#[test]
fn what_another_place_takes_away_is_not_reached() {
    let loaded = own(
        "[pane]\n\"x\" = \"zoom\"\n\"g\" = \"help\"\n[global]\n\"x\" = \"reload\"\n\"g g\" = \"redraw\"\n[composer]\n\"x\" = \"noop\"\n[normal]\n\"x\" = \"noop\"\n",
    );
    let keymap = loaded.keymap.unwrap();
    let reaches = |action| keymap.reaches(|call| call.action == action);
    assert!(reaches(Action::Zoom) && reaches(Action::Redraw));
    // In overlays, searches and questions nothing takes `x`.
    assert!(reaches(Action::Reload));
    let hidden = own(
        "[overlay]\n\"y\" = \"help\"\n[search]\n\"y\" = \"help\"\n[question]\n\"y\" = \"help\"\n[composer]\n\"y\" = \"noop\"\n[pane]\n\"y\" = \"help\"\n[global]\n\"y\" = \"reload\"\n",
    );
    assert!(!hidden.keymap.unwrap().reaches(|call| call.action == Action::Reload));
}

#[test]
fn the_first_context_that_knows_a_key_answers() {
    let keymap = built_in("default");
    let transcript = [Context::Transcript, Context::Pane, Context::Global];
    let idle = Facts::default();
    let find = |contexts: &[Context], keys: &str, facts: &Facts| match keymap.find(
        contexts,
        &Key::parse_sequence(keys).unwrap(),
        facts,
    ) {
        Found::Call(call) => call.action.id().to_owned(),
        Found::Prefix(node) => format!("+{}", node.label.clone().unwrap_or_default()),
        Found::Noop => "noop".to_owned(),
        Found::Nothing => "nothing".to_owned(),
    };
    assert_eq!(find(&transcript, "j", &idle), "scroll-down");
    assert_eq!(find(&transcript, "g", &idle), "+Go to");
    assert_eq!(find(&transcript, "g g", &idle), "scroll-top");
    assert_eq!(find(&transcript, "g Y", &idle), "nothing");
    assert_eq!(find(&transcript, "z", &idle), "+Fold");
    assert_eq!(find(&transcript, "z z", &idle), "zoom");
    assert_eq!(find(&[Context::Surface, Context::Pane], "z", &idle), "zoom");
    assert_eq!(find(&transcript, "ctrl-c", &idle), "quit-twice");
    let running = Facts { turn_running: true, ..idle };
    assert_eq!(find(&transcript, "esc", &running), "interrupt");
    assert_eq!(find(&transcript, "esc", &Facts { selection: true, ..running }), "clear-selection");
    assert_eq!(find(&transcript, "esc", &idle), "nothing");
    assert_eq!(find(&[Context::Composer, Context::Global], "j", &idle), "nothing");
}

#[test]
fn a_file_changes_single_rows_and_unbinds() {
    let loaded = own(
        "inherits = \"default\"\n[transcript]\n\"j\" = \"noop\"\n\"g\" = \"scroll-top\"\n\"x\" = { action = \"focus-pane\", args = [\"notes\"], desc = \"notes\" }\n\"k\" = [{ when = \"selection\", action = \"copy-entry\" }, \"page-up\"]\n",
    );
    assert_eq!(messages(&loaded), Vec::<String>::new());
    let keymap = loaded.keymap.unwrap();
    let contexts = [Context::Transcript, Context::Pane];
    let find = |text: &str, facts: &Facts| match keymap.find(&contexts, &[key(text)], facts) {
        Found::Call(call) => Some(call.clone()),
        Found::Noop | Found::Nothing | Found::Prefix(_) => None,
    };
    assert_eq!(keymap.find(&contexts, &[key("j")], &Facts::default()), Found::Noop);
    assert_eq!(find("g", &Facts::default()), Some(Call::new(Action::ScrollTop)));
    assert_eq!(find("x", &Facts::default()), Some(Call::with(Action::FocusPane, "notes")));
    assert_eq!(find("k", &Facts::default()), Some(Call::new(Action::PageUp)));
    assert_eq!(find("k", &Facts { selection: true, ..Facts::default() }), Some(Call::new(Action::CopyEntry)));
    assert_eq!(find("w", &Facts::default()), Some(Call::new(Action::WhatIf)), "inherited");
}

#[test]
fn each_bad_row_is_named_and_costs_no_other() {
    let loaded = own(
        "inherits = \"default\"\n[transcript]\n\"j\" = \"scrol-down\"\n\"entr\" = \"zoom\"\n\"x\" = { action = \"focus-pane\", args = [\"nowhere\"] }\n\"y\" = { acton = \"zoom\" }\n\"w\" = { action = \"zoom\", when = \"nver\" }\n\"v\" = \"zoom\"\n[transcipt]\n",
    );
    assert_eq!(
        messages(&loaded),
        [
            "own.toml:3: there is no action `scrol-down` (hint: did you mean `scroll-down`?)",
            "own.toml:4: `entr` is no key; did you mean `enter`?",
            "own.toml:5: `focus-pane` takes one argument: transcript, surface, scores, plan, notes, composer",
            "own.toml:6: `acton` is no key",
            "own.toml:7: `nver` is no condition",
            "own.toml:9: there is no context `transcipt` (hint: did you mean `transcript`?)",
        ]
    );
    let keymap = loaded.keymap.unwrap();
    let found = keymap.find(&[Context::Transcript], &[key("v")], &Facts::default());
    assert_eq!(found, Found::Call(&Call::new(Action::Zoom)));
    let kept = keymap.find(&[Context::Transcript], &[key("j")], &Facts::default());
    assert_eq!(kept, Found::Call(&Call::new(Action::ScrollDown)));
}

#[test]
fn lint_finds_duplicates_shadows_and_keys_that_never_arrive() {
    let loaded = own(
        "[transcript]\n\"A\" = \"zoom\"\n\"shift-a\" = \"help\"\n\"x\" = \"zoom\"\n\"x y\" = \"help\"\n\"ctrl-i\" = \"zoom\"\n\"b\" = [\"zoom\", { when = \"popup\", action = \"help\" }]\n",
    );
    let found = messages(&loaded).join("\n");
    for expected in [
        "own.toml:3: `A` is bound twice in [transcript]",
        "own.toml:4: `x` is bound and also begins longer sequences in [transcript]",
        "own.toml:6: `ctrl-i` may never arrive: ctrl-i is tab in most terminals",
        "own.toml:7: rows of `b` after the one without `when` are never reached",
    ] {
        assert!(found.contains(expected), "{expected}\nin\n{found}");
    }
    assert_eq!(loaded.problems.len(), 4, "{found}");
}

#[test]
fn what_cannot_be_read_keeps_the_last_good_one() {
    let torn = own("[transcript\n");
    assert!(torn.keymap.is_none());
    assert!(messages(&torn)[0].starts_with("own.toml:1: "), "{:?}", torn.problems);
    let folder = tempfile::tempdir().unwrap();
    for (name, parent) in [("a", "b"), ("b", "a"), ("c", "nowhere")] {
        std::fs::write(folder.path().join(format!("{name}.toml")), format!("# mine\ninherits = \"{parent}\"\n"))
            .unwrap();
    }
    let circle = load("a", Some(folder.path()));
    assert!(circle.keymap.is_none());
    assert_eq!(messages(&circle), ["b.toml:2: `inherits` goes round in a circle: a → b → a"]);
    let orphan = load("c", Some(folder.path()));
    assert_eq!(messages(&orphan), ["c.toml:2: there is no keymap `nowhere`"]);
    std::fs::create_dir(folder.path().join("d.toml")).unwrap();
    let folder = load("d", Some(folder.path()));
    assert!(messages(&folder)[0].contains("it cannot be read"), "{:?}", folder.problems);
    let missing = load("defualt", None);
    assert!(missing.keymap.is_none());
    assert_eq!(missing.problems[0].hint.as_deref(), Some("did you mean `default`?"));
}

#[test]
fn which_key_lists_what_may_follow() {
    let keymap = built_in("default");
    let Found::Prefix(node) = keymap.find(&[Context::Pane], &[key("g")], &Facts::default()) else {
        panic!("g is a prefix");
    };
    let hints = node.hints(&Facts::default());
    assert!(hints.contains(&("g".to_owned(), "to the beginning of the transcript".to_owned())), "{hints:?}");
    assert!(hints.contains(&("s".to_owned(), "focus the surface".to_owned())), "{hints:?}");
}
