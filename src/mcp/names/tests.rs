use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn key<'a>(server: &'a str, tool: &'a str) -> Key<'a> {
    Key { standing: Standing::Regular, server, tool }
}

fn assign(keys: &[Key<'_>]) -> Vec<String> {
    super::assign(keys, &[])
}

fn valid(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

#[test]
fn unfit_characters_are_replaced_and_fit_names_are_left_alone() {
    let names =
        assign(&[key("a", "cal.create"), key("a", "notes/read"), key("a", "Scan Files"), key("a", "plain-one")]);
    assert_eq!(names, ["cal_create", "notes_read", "Scan_Files", "plain-one"]);
}

#[test]
fn the_owner_of_an_exact_name_keeps_it() {
    let names = assign(&[key("a", "x.y"), key("a", "x_y")]);
    assert_eq!(names[1], "x_y");
    assert!(names[0].starts_with("x_y_"), "{}", names[0]);
}

#[test]
fn the_same_name_on_two_servers_is_told_apart_for_both() {
    let names = assign(&[key("one", "hello"), key("two", "hello")]);
    assert!(names.iter().all(|name| name.starts_with("hello_")), "{names:?}");
    assert_ne!(names[0], names[1]);
}

#[test]
fn a_yielding_tool_leaves_the_name_to_a_regular_one() {
    let local = Key { standing: Standing::Yields, server: "local", tool: "build" };
    let names = assign(&[local, key("files", "build")]);
    assert_eq!(names[1], "build");
    assert!(names[0].starts_with("build_"));
}

#[test]
fn long_and_odd_names_fit() {
    for tool in ["x".repeat(300).as_str(), "", "3d", "-v", "é", "日本語のツール名", "a b\u{200b}c"] {
        let name = &assign(&[key("s", tool)])[0];
        assert!(valid(name), "{tool:?} became {name:?}");
        assert!(!name.starts_with(|c: char| c.is_ascii_digit() || c == '-'), "{name}");
    }
}

#[test]
fn a_name_made_to_look_like_a_suffix_does_not_collide() {
    let before = assign(&[key("a", "x.y"), key("a", "x_y")]);
    let after = assign(&[key("a", "x.y"), key("a", "x_y"), key("b", &before[0])]);
    let all: BTreeSet<_> = after.iter().collect();
    assert_eq!(all.len(), 3, "{after:?}");
}

#[test]
fn what_comes_late_takes_no_name_away() {
    let late = |server, tool| Key { standing: Standing::Late, server, tool };
    let local = Key { standing: Standing::Yields, server: "local", tool: "build" };
    let early = [key("a", "query"), key("a", "x.y"), key("b", "x_y"), key("b", "x y"), local];
    let before = assign(&early);
    let mut keys = early.to_vec();
    // One of them is called as a renamed early one is.
    keys.extend([late("z", "query"), late("z", "skill"), late("z", "build"), late("z", &before[3]), late("z", "own")]);
    let after = super::assign(&keys, &["skill".to_owned()]);
    assert_eq!(after[..early.len()], before);
    assert_eq!(after.iter().collect::<BTreeSet<_>>().len(), keys.len());
    assert!(after[early.len()].starts_with("query_") && after[early.len() + 1].starts_with("skill_"), "{after:?}");
    assert_eq!(after.last().unwrap(), "own");
}

#[test]
fn patterns() {
    assert!(matches("git_*", "git_log") && matches("*", "x") && matches("x", "x"));
    assert!(!matches("git_*", "gitlog") && !matches("x", "xy"));
}

#[test]
fn near_names_are_found() {
    let known = ["read_file", "write_file", "list_directory"];
    assert_eq!(nearest("raed_file", known.into_iter()).first(), Some(&"read_file"));
    assert_eq!(nearest("directory", known.into_iter()), ["list_directory"]);
    assert!(nearest("zzz", known.into_iter()).is_empty());
}

proptest! {
    #[test]
    fn names_are_valid_unique_and_independent_of_order(
        set in proptest::collection::btree_set(("[ab]", "[a._ -]{0,4}|.{0,90}|hello", any::<bool>()), 0..24),
        seed in any::<u64>(),
    ) {
        // One tool of a server is either a script or not, never both.
        let mut seen = BTreeSet::new();
        let set: Vec<_> = set.into_iter().filter(|(server, tool, _)| seen.insert((server.clone(), tool.clone()))).collect();
        let keys: Vec<Key<'_>> = set
            .iter()
            .map(|(server, tool, yields)| Key {
                standing: if *yields { Standing::Yields } else { Standing::Regular },
                server,
                tool,
            })
            .collect();
        let names = assign(&keys);
        prop_assert!(names.iter().all(|name| valid(name)), "{names:?}");
        let unique: BTreeSet<_> = names.iter().collect();
        prop_assert_eq!(unique.len(), keys.len());

        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|index| (*index as u64 + 1).wrapping_mul(seed | 1));
        let shuffled: Vec<Key<'_>> = order.iter().map(|index| keys[*index].clone()).collect();
        let again = assign(&shuffled);
        for (position, index) in order.iter().enumerate() {
            prop_assert_eq!(&again[position], &names[*index]);
        }
    }
}
