use super::*;
use crate::proto::{Departure, RefusalReason, ServerAction, Stage};

fn steps(decision: &Decision) -> Vec<(String, ServerAction)> {
    let steps = match decision {
        Decision::CapabilityActivated(told) => &told.servers,
        Decision::CapabilityDeactivated(told) => &told.servers,
        other => panic!("{other:?}"),
    };
    steps.iter().map(|step| (step.server.clone(), step.action.clone())).collect()
}

fn refusal(change: &Change) -> &RefusalReason {
    match &change.decisions[..] {
        [Decision::CapabilityRefused(refusal)] if change.effects.is_empty() => &refusal.why,
        other => panic!("{other:?}"),
    }
}

fn four() -> Surface {
    let mut surface = Surface::new(RoleSurface::default());
    for (now, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        let change = enable(&mut surface, &offer(name, &[(name, &[])]), now as u64 + 1);
        assert_eq!(change.effects, [start(name, None)]);
    }
    surface
}

#[test]
fn four_have_a_place_and_a_fifth_takes_one() {
    let mut surface = four();
    assert_eq!(names(&surface), ["a", "b", "c", "d"]);
    assert_eq!(surface.next_out(), Some("a"));
    let change = enable(&mut surface, &offer("e", &[("e", &[])]), 9);
    assert_eq!(change.effects, [stop("a"), start("e", None)]);
    assert_eq!(told(&change), ["a is off (least recently used, for e)", "e is on (you), a went"]);
    assert_eq!(steps(&change.decisions[0]), [("a".to_owned(), ServerAction::Stopped)]);
    let Decision::CapabilityDeactivated(gone) = &change.decisions[0] else { panic!() };
    let Departure::Evicted { order, .. } = &gone.why else { panic!() };
    assert_eq!(order.iter().map(|place| place.capability.as_str()).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    assert_eq!(names(&surface), ["b", "c", "d", "e"]);
    assert_eq!(surface.view(&[], Vec::new()).dynamic.len(), MAX_DYNAMIC_CAPABILITIES);
}

/// Uses as (capability, time), pins, and the order in which they go then.
#[test]
fn who_goes_first() {
    type Case<'a> = (&'a [(&'a str, u64)], &'a [&'a str], &'a [&'a str]);
    let table: [Case<'_>; 6] = [
        (&[], &[], &["a", "b", "c", "d"]),
        // One that was used stays before any that never was, however late those came.
        (&[("a", 10)], &[], &["b", "c", "d", "a"]),
        (&[("a", 10), ("b", 11), ("a", 12)], &[], &["c", "d", "b", "a"]),
        (&[("d", 10), ("c", 10)], &[], &["a", "b", "c", "d"]),
        (&[], &["a"], &["b", "c", "d", "a"]),
        (&[("b", 20), ("c", 9), ("d", 8)], &["a", "d"], &["c", "b", "a", "d"]),
    ];
    for (uses, pins, order) in table {
        let mut surface = four();
        for (name, at) in uses {
            assert!(surface.used(name, "tool", *at).is_some_and(|change| change.is_empty()));
        }
        for name in pins {
            assert!(surface.pin(name, true).is_some());
        }
        assert_eq!(names(&surface), order, "{uses:?} {pins:?}");
        assert_eq!(surface.next_out(), Some(order[0]));
    }
}

#[test]
fn only_a_tool_that_it_asks_for_counts_as_its_use() {
    let mut surface = Surface::new(RoleSurface::default());
    let _ = enable(&mut surface, &offer("a", &[("s", &["git_*", "view"])]), 1);
    for (server, tool, counts) in [
        ("s", "view", true),
        ("s", "git_log", true),
        ("s", "views", false),
        ("s", "shell", false),
        ("t", "view", false),
    ] {
        assert_eq!(surface.used(server, tool, 2).is_some(), counts, "{server} {tool}");
    }
    assert!(surface.used("s", "view", 1).is_some());
    assert_eq!(surface.view(&[], Vec::new()).dynamic[0].used, Some(2), "a clock that goes back changes nothing");
}

#[test]
fn when_all_are_pinned_nobody_comes() {
    let mut surface = four();
    for name in ["a", "b", "c"] {
        assert!(surface.pin(name, true).is_some());
        assert!(surface.pin(name, true).is_none(), "it is so already");
    }
    assert!(surface.pin("nobody", true).is_none());
    assert_eq!(surface.next_out(), Some("d"));
    assert!(surface.pin("d", true).is_some());
    let before = surface.clone();
    let change = enable(&mut surface, &offer("e", &[]), 9);
    let pinned = texts(&["a", "b", "c", "d"]);
    assert_eq!(refusal(&change), &RefusalReason::AllPinned { pinned });
    assert_eq!(surface, before);
    assert!(surface.pin("b", false).is_some());
    assert_eq!(enable(&mut surface, &offer("e", &[]), 10).effects, [stop("b")]);
}

#[test]
fn a_server_of_the_role_is_extended_and_never_stopped() {
    let mut surface = Surface::new(role("developer:general", &[("files", &["view"])]));
    let change = enable(&mut surface, &offer("edit", &[("files", &["edit", "view"])]), 1);
    assert_eq!(steps(&change.decisions[0]), [("files".to_owned(), ServerAction::Extended)]);
    assert_eq!(change.effects, [filter("files", Some(&["view", "edit"]))]);
    assert_eq!(surface.askers("files", "view"), ["role", "edit"]);
    assert_eq!(surface.askers("files", "edit"), ["edit"]);
    // All tools: no filter any more.
    let change = enable(&mut surface, &offer("all", &[("files", &[])]), 2);
    assert_eq!(change.effects, [filter("files", None)]);
    // What changes nothing is not done.
    let change = enable(&mut surface, &offer("more", &[("files", &["shell"])]), 3);
    assert_eq!(change.effects, []);
    let change = surface.disable("all", Departure::Person, 4);
    assert_eq!(steps(&change.decisions[0]), [("files".to_owned(), ServerAction::Narrowed)]);
    assert_eq!(change.effects, [filter("files", Some(&["view", "edit", "shell"]))]);
    let _ = surface.disable("more", Departure::Model, 5);
    let change = surface.disable("edit", Departure::Person, 6);
    assert_eq!(change.effects, [filter("files", Some(&["view"]))]);
    assert_eq!(surface.servers(), []);
}

#[test]
fn a_shared_server_stops_with_the_last_who_refers_to_it() {
    let mut surface = Surface::new(RoleSurface::default());
    assert_eq!(enable(&mut surface, &offer("a", &[("s", &["one"])]), 1).effects, [start("s", Some(&["one"]))]);
    let change = enable(&mut surface, &offer("b", &[("s", &["two"]), ("t", &[])]), 2);
    assert_eq!(change.effects, [filter("s", Some(&["one", "two"])), start("t", None)]);
    let shared = ServerAction::Shared { with: texts(&["a"]) };
    assert_eq!(steps(&change.decisions[0]), [("s".to_owned(), shared), ("t".to_owned(), ServerAction::Started)]);
    let change = surface.hold("skill-x", &[&offer("c", &[("s", &[])])], &ready, 3);
    assert_eq!(change.effects, [filter("s", None)]);
    assert_eq!(surface.view(&[], Vec::new()).references[0].by, ["a", "b", "skill skill-x"]);
    let change = surface.disable("a", Departure::Person, 4);
    let kept = ServerAction::Kept { by: texts(&["b", "skill skill-x"]) };
    assert_eq!((steps(&change.decisions[0]), change.effects), (vec![("s".to_owned(), kept)], vec![]));
    let change = surface.disable("b", Departure::Person, 5);
    assert_eq!(change.effects, [stop("t")]);
    let change = surface.release("skill-x", 6);
    assert_eq!(change.effects, [stop("s")]);
    assert_eq!(told(&change), ["c is off (skill skill-x is off)"]);
}

/// What the one that goes and the one that comes have in common runs on.
#[test]
fn a_server_of_the_evicted_one_is_kept_for_the_newcomer() {
    let mut surface = four();
    let change = enable(&mut surface, &offer("e", &[("a", &["only"])]), 9);
    let kept = ServerAction::Kept { by: texts(&["e"]) };
    assert_eq!(steps(&change.decisions[0]), [("a".to_owned(), kept)]);
    assert_eq!(steps(&change.decisions[1]), [("a".to_owned(), ServerAction::Shared { with: texts(&["a"]) })]);
    assert_eq!(change.effects, [filter("a", Some(&["only"]))]);
}

/// The session lets the call finish; its success is nobody's use any more.
#[test]
fn eviction_while_a_call_runs() {
    let mut surface = four();
    let change = enable(&mut surface, &offer("e", &[("e", &[])]), 9);
    assert_eq!(change.effects[0], stop("a"));
    assert!(surface.used("a", "slow", 10).is_none());
    assert_eq!(surface.askers("a", "slow"), Vec::<String>::new());
    // It may come back while its server still ends.
    let change = enable(&mut surface, &offer("a", &[("a", &[])]), 11);
    assert_eq!(change.effects, [stop("b"), start("a", None)]);
}

#[test]
fn every_stage_holds_for_every_cause() {
    let unresolved = Offer { provider: Err("no provider".to_owned()), ..offer("x", &[]) };
    let dumb = with_capability(offer("x", &[]), |capability| capability.triggers.clear());
    let foreign = of_domains(offer("x", &[]), &["ops", "data"]);
    let needs = Offer { environment: texts(&["A", "EMPTY"]), ..offer("x", &[]) };
    let out = Stage::OutOfDomain { domain: "developer".to_owned(), domains: texts(&["ops", "data"]) };
    let unready = Stage::EnvironmentUnready { missing: texts(&["EMPTY"]) };
    let unresolved_stage = Stage::Unresolved { why: "no provider".to_owned() };
    let set = |key: &str| key == "A";
    let causes = [Cause::Auto, Cause::Person, Cause::Model, Cause::Environment];
    for cause in causes.into_iter().chain([Cause::Skill { skill: "s".to_owned() }]) {
        let by_name = !matches!(cause, Cause::Auto | Cause::Model);
        for (offer, stage) in [
            (&unresolved, Some(&unresolved_stage)),
            (&dumb, (!by_name).then_some(&Stage::NoTriggers)),
            (&foreign, Some(&out)),
            (&needs, Some(&unready)),
        ] {
            let mut surface = Surface::new(role("developer:general", &[]));
            let change = surface.enable(offer, cause.clone(), None, &set, 1);
            match stage {
                Some(stage) => assert_eq!(refusal(&change), &RefusalReason::Stage(stage.clone()), "{cause:?}"),
                None => assert!(surface.has("x"), "{cause:?}"),
            }
            assert_eq!(surface.has("x"), stage.is_none(), "{cause:?}");
        }
    }
    // Set, it comes.
    let mut surface = Surface::new(role("developer:general", &[]));
    let change = surface.enable(&needs, Cause::Auto, None, &ready, 1);
    assert_eq!(told(&change), ["x is on (auto)"]);
}

#[test]
fn without_a_domain_only_what_is_for_all_may_come() {
    for (domains, domain, may) in [
        (&[][..], "", true),
        (&[][..], "developer", true),
        (&["developer"][..], "", false),
        (&["ops", "developer"][..], "developer", true),
        (&["develope"][..], "developer", false),
        (&[""][..], "", false),
    ] {
        assert_eq!(in_domain(&of_domains(offer("x", &[]), domains), domain), may, "{domains:?} {domain}");
    }
}

#[test]
fn what_is_there_cannot_come_and_what_is_not_cannot_go() {
    let mut role = role("developer:general", &[("files", &[])]);
    role.capabilities = vec![fixed("read", &["files"])];
    let mut surface = Surface::new(role);
    let active = RefusalReason::Stage(Stage::Active);
    assert_eq!(refusal(&enable(&mut surface, &offer("read", &[("files", &[])]), 1)), &active);
    let _ = enable(&mut surface, &offer("a", &[]), 2);
    assert_eq!(refusal(&enable(&mut surface, &offer("a", &[]), 3)), &active);
    let _ = surface.hold("essay", &[&offer("b", &[])], &ready, 4);
    assert_eq!(refusal(&enable(&mut surface, &offer("b", &[]), 5)), &active);
    let mut off = |name: &str| refusal(&surface.disable(name, Departure::Person, 6)).clone();
    assert_eq!(off("read"), RefusalReason::NotDynamic { owned_by_role: true });
    assert_eq!(off("nobody"), RefusalReason::NotDynamic { owned_by_role: false });
    assert_eq!(off("b"), RefusalReason::HeldBySkill { skills: texts(&["skill essay"]) });
}

#[test]
fn a_name_that_nobody_has_is_refused_with_the_nearest() {
    let surface = Surface::new(role("developer:general", &[]));
    let offers = [offer("postgres", &[]), of_domains(offer("postgrey", &[]), &["ops"])];
    assert_eq!(surface.named("postgres", &Cause::Model, &offers).unwrap().name(), "postgres");
    let change = surface.named("postgre", &Cause::Model, &offers).unwrap_err();
    assert_eq!(refusal(&change), &RefusalReason::Unknown { nearest: texts(&["postgres"]) });
}

#[test]
fn scripts_run_before_servers_start_and_once() {
    let mut surface = Surface::new(RoleSurface::default());
    let toolchain = Offer { deps: texts(&["rust/cargo"]), ..offer("rust", &[]) };
    let change = enable(&mut surface, &toolchain, 1);
    let run = |name: &str| Effect::RunDeps { capability: name.to_owned(), deps: texts(&["rust/cargo"]) };
    assert_eq!(change.effects, [run("rust")]);
    let change = surface.hold("essay", &[&toolchain], &ready, 2);
    assert_eq!((change.decisions.len(), change.effects), (1, vec![]));
    let both = Offer { deps: texts(&["rust/cargo"]), ..offer("both", &[("s", &[])]) };
    assert_eq!(enable(&mut surface, &both, 3).effects, [run("both"), start("s", None)]);
}

#[test]
fn what_failed_goes_and_who_went_for_it_is_named() {
    let mut surface = four();
    let _ = enable(&mut surface, &offer("e", &[("e", &[]), ("b", &[])]), 9);
    let _ = surface.hold("essay", &[&offer("e", &[("e", &[]), ("b", &[])])], &ready, 9);
    let change = surface.failed("e", "its server e ended with 1", 10);
    assert_eq!(
        told(&change),
        [
            "e is off (its server e ended with 1; a, which went for it, is back)",
            "a is on again: e did not work",
            "e is off (its server e ended with 1)",
        ]
    );
    assert_eq!(change.effects, [stop("e"), start("a", None)]);
    assert_eq!(names(&surface), ["a", "b", "c", "d"]);
    assert!(surface.failed("e", "again", 11).is_empty());
}

#[test]
fn who_went_comes_back_as_it_was_and_only_where_it_may() {
    let e = offer("e", &[("a", &[])]);
    // What they share runs on.
    let mut surface = four();
    let before = surface.clone();
    let _ = enable(&mut surface, &e, 9);
    let change = surface.failed("e", "it broke", 10);
    assert_eq!(change.effects, []);
    assert_eq!(steps(&change.decisions[0]), [("a".to_owned(), ServerAction::Kept { by: texts(&["a"]) })]);
    assert_eq!(surface, before, "place, last use and pins are as they were");
    // What worked once keeps its place.
    let _ = enable(&mut surface, &e, 9);
    surface.works("e");
    let change = surface.failed("e", "it broke", 10);
    assert_eq!(told(&change), ["e is off (it broke; a went for it and is off too, enable it again if it is needed)"]);
    assert_eq!(names(&surface), ["b", "c", "d"]);
    // What came back by other means, or may not come any more, is not brought.
    let mut surface = four();
    let _ = enable(&mut surface, &e, 9);
    let _ = surface.disable("b", Departure::Person, 10);
    let _ = enable(&mut surface, &offer("a", &[("a", &[])]), 11);
    assert_eq!(told(&surface.failed("e", "it broke", 12)), ["e is off (it broke)"]);
    let mut surface = Surface::new(role("dev:general", &[]));
    for (now, name) in (1..).zip(["a", "b", "c", "d"]) {
        let domains: &[&str] = if name == "a" { &["dev"] } else { &[] };
        let _ = enable(&mut surface, &of_domains(offer(name, &[]), domains), now);
    }
    let _ = enable(&mut surface, &offer("e", &[]), 9);
    let _ = surface.set_role(role("ops:general", &[]), &[], &ready, 10);
    assert!(told(&surface.failed("e", "it broke", 11))[0].contains("a went for it and is off too"));
}

#[test]
fn another_role_another_domain() {
    let everywhere = offer("web", &[("web", &[])]);
    let sql = of_domains(offer("sql", &[("sql", &[])]), &["developer"]);
    let pods = of_domains(offer("pods", &[("pods", &[])]), &["ops"]);
    let files = offer("files", &[("files", &["edit"])]);
    let offers = [everywhere, sql, pods, files];
    let mut surface = Surface::new(role("developer:general", &[("files", &["view"])]));
    for index in [0, 1, 3] {
        let _ = enable(&mut surface, &offers[index], 1);
    }
    let change = surface.hold("runbook", &[&offers[1], &offers[2]], &ready, 2);
    assert_eq!(told(&change), ["sql is on (skill runbook)", "pods is for ops, not for developer"]);
    let mut ops = role("ops:chief", &[("shell", &[])]);
    ops.capabilities = vec![fixed("files", &["shell"])];
    let change = surface.set_role(ops, &offers, &ready, 3);
    assert_eq!(
        told(&change),
        [
            "sql is off (ops:chief: it is for developer, not for ops)",
            "files is off (ops:chief: the role names it itself)",
            "sql is off (ops:chief: it is for developer, not for ops)",
            "pods is on (skill runbook)",
        ]
    );
    assert_eq!(change.effects, [stop("files"), stop("sql"), start("shell", None), start("pods", None)]);
    assert_eq!(names(&surface), ["web"]);
    // Back again: what the skill declares comes back, what was activated does not.
    let change = surface.set_role(role("developer:general", &[("files", &["view"])]), &offers, &ready, 4);
    assert_eq!(told(&change)[1..], ["sql is on (skill runbook)"]);
    let change = surface.set_role(role("assistant", &[]), &offers, &ready, 5);
    assert_eq!(told(&change), ["sql is off (assistant: it is for developer, not for a session without a domain)"]);
    assert_eq!(change.effects, [stop("files"), stop("sql")]);
}

#[test]
fn the_view_shows_all_of_it() {
    let mut role = role("developer:general", &[("files", &["view"])]);
    role.capabilities = vec![fixed("read", &["files"])];
    let offers =
        [offer("read", &[]), offer("a", &[("s", &["x"])]), offer("b", &[]), of_domains(offer("c", &[]), &["ops"])];
    let mut surface = Surface::new(role);
    let _ = surface.enable(&offers[1], Cause::Model, None, &ready, 7);
    let tool = |server: &str, tool: &str| crate::proto::SurfaceTool {
        server: server.to_owned(),
        tool: tool.to_owned(),
        ..Default::default()
    };
    let view = surface.view(&offers, vec![tool("files", "view"), tool("s", "x"), tool("s", "y")]);
    assert_eq!((view.domain.as_str(), view.absent), ("developer", 1));
    assert_eq!(view.fixed_servers, ["files"]);
    assert_eq!(view.dynamic[0].servers, [("s".to_owned(), texts(&["x"]))]);
    assert_eq!((view.dynamic[0].cause.clone(), view.dynamic[0].activated), (Cause::Model, 7));
    let by: Vec<&[String]> = view.tools.iter().map(|tool| tool.by.as_slice()).collect();
    assert_eq!(by, [&texts(&["role"])[..], &texts(&["a"])[..], &[][..]]);
}
