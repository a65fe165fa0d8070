use std::sync::Arc;

use crate::config::Config;
use crate::config::schema::{Server, ServerType};
use crate::session::surface::Book;
use crate::surface::Offer;
use crate::tap::fixture::{capability, catalogue, four_taps, provider, stdio};
use crate::tap::{Capability, Provider};

fn book(capabilities: Vec<Arc<Capability>>, config: &Config) -> Book {
    Book::new(Arc::new(catalogue(&four_taps(), Vec::new(), capabilities)), config, "")
}

fn one(provider: Provider, config: &Config) -> Offer {
    let book = book(vec![capability(&four_taps()[0], "zz", &[provider])], config);
    book.find("zz").unwrap().offer
}

fn builtin(name: &str) -> Provider {
    Provider { servers: vec![Server { kind: ServerType::Builtin, command: None, ..stdio(name) }], ..provider(name) }
}

#[test]
fn what_a_provider_allows_of_a_server_is_a_filter_and_empty_is_all() {
    let mut config = Config::template();
    let tools = |allowed: &[&str], config: &Config| {
        let allowed_tools = allowed.iter().map(|&pattern| pattern.to_owned()).collect();
        let offer = one(Provider { allowed_tools, ..provider("s") }, config);
        offer.servers.into_iter().map(|server| server.tools).collect::<Vec<_>>()
    };
    assert_eq!(tools(&["s:*"], &config), [Vec::<String>::new()]);
    assert_eq!(tools(&[], &config), [Vec::<String>::new()]);
    assert_eq!(tools(&["s:a", "s:b_*", "s:a", "other:c"], &config), [["a", "b_*"]]);
    assert_eq!(tools(&["a", "s:b"], &config), [["a", "b"]]);
    assert_eq!(tools(&["other:c"], &config), Vec::<Vec<String>>::new(), "nothing of it is allowed");
    // The configuration's server of the name wins, with its own filter.
    config.mcp.servers.push(Server { tools: vec!["only".to_owned()], ..stdio("s") });
    assert_eq!(tools(&["s:*"], &config), [["only"]]);
}

#[test]
fn what_cannot_be_had_is_an_offer_with_its_reason() {
    let config = Config::template();
    let why = |provider: Provider| one(provider, &config).provider.unwrap_err();
    assert_eq!(
        why(Provider { servers: Vec::new(), ..provider("s") }),
        "it refers to the server s, which nobody declares"
    );
    assert_eq!(why(provider("runtime")), "the name of its server runtime belongs to octomind");
    assert_eq!(why(builtin("runtime")), "its server runtime is the session's own, which only a role can name");
    assert_eq!(why(builtin("agent")), "its server agent is not built in this version");
    let nothing = Provider { server_refs: Vec::new(), deps: Vec::new(), ..provider("s") };
    assert_eq!(why(nothing), "it has neither a tool nor a script");
    assert_eq!(one(builtin("files"), &config).provider, Ok("files".to_owned()));
    let only_scripts = Provider { server_refs: Vec::new(), ..provider("s") };
    assert_eq!(one(only_scripts, &config).deps, ["org/s"]);
}

#[test]
fn every_value_that_a_server_wants_is_named() {
    let mut server = stdio("s");
    server.args = vec!["{{ENV:ZZ_ARG}}".to_owned(), "{{INPUT:ZZ_CITY}}".to_owned()];
    server.env.insert("KEY".to_owned(), "{{ENV:ZZ_KEY}}".to_owned());
    let offer = one(Provider { servers: vec![server], ..provider("s") }, &Config::template());
    assert_eq!(offer.environment, ["ZZ_ARG", "INPUT:ZZ_CITY", "ZZ_KEY"]);
}

#[test]
fn a_pin_means_that_tap_and_a_bare_name_the_first() {
    let taps = four_taps();
    let book = book(
        vec![capability(&taps[0], "zz", &[provider("mine")]), capability(&taps[2], "zz", &[provider("base")])],
        &Config::template(),
    );
    let of = |reference: &str| book.find(reference).map(|found| found.offer.provider);
    assert_eq!(book.offers.len(), 1, "one for each name");
    assert_eq!(of("zz"), Some(Ok("mine".to_owned())));
    assert_eq!(of("octomind/zz"), Some(Ok("base".to_owned())));
    assert!(of("acme/zz").unwrap().is_err_and(|why| why.contains("`acme` has no capability")));
    assert_eq!(of(&format!("{}/zz", taps[0].name)), Some(Ok("mine".to_owned())));
    assert!(of(&format!("{}/zz", taps[1].name)).unwrap().is_err());
    assert_eq!(of("nothing"), None);
}

/// A role's capability whose server this version has not got is no capability that works.
#[tokio::test]
async fn a_capability_of_the_role_without_its_server_says_so() {
    let mut ground = super::play::Ground::new();
    let text = "# Title: Keeper\n# Description: Keeps.\ncapabilities = [\"runtime\", \"notes\", \"lore\"]\n\
                [[roles]]\nsystem = \"Keep.\"\nwelcome = \"\"\n";
    ground.write("tap/agents/data/keeper.toml", text);
    let text = "# Title: Lore\n# Description: Recalls.\n[roles.mcp]\nserver_refs = [\"core\"]\n\
                allowed_tools = [\"core:*\"]\n[[mcp.servers]]\nname = \"core\"\ntype = \"builtin\"\n\
                timeout_seconds = 30\nargs = []\ntools = []\n";
    ground.write("tap/capabilities/lore/default.toml", text);
    ground.role = Some("data:keeper");
    let mut play = ground.open();
    play.served().await;
    let why = play.why("lore");
    assert!(why.contains("but its server core is not built in this version"), "{why}");
    assert!(play.why("recall").contains("recall is not built in this version"), "{}", play.why("recall"));
    play.quit().await;
}
