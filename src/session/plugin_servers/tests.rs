use std::collections::BTreeMap;

use super::*;

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0";

fn plugin(folder: &Path, name: &str, servers: &str) {
    let folder = folder.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let head = format!(
        "{{\"$schema\":\"{SCHEMA}/plugin.schema.json\",\"name\":\"{name}\",\"version\":\"1.0.0\",\
         \"description\":\"A plugin.\"}}"
    );
    std::fs::write(folder.join("plugin.json"), head).unwrap();
    let text = format!("{{\"$schema\":\"{SCHEMA}/mcp.schema.json\",\"mcpServers\":{servers}}}");
    std::fs::write(folder.join("mcp.json"), text).unwrap();
}

fn stdio(names: &[&str]) -> String {
    let one = |name: &&str| format!("\"{name}\":{{\"type\":\"stdio\",\"command\":\"echo\"}}");
    format!("{{{}}}", names.iter().map(one).collect::<Vec<_>>().join(","))
}

#[test]
fn the_first_of_a_name_is_started_and_every_other_is_named_with_the_reason() {
    let root = tempfile::tempdir().unwrap();
    let (project, own) = (root.path().join("project"), root.path().join("own"));
    plugin(&project.join(".agents/plugins"), "ape", &stdio(&["same", "mine"]));
    plugin(&own, "bee", &stdio(&["same", "runtime", "files", "local", "role-has-it"]));
    let read = |folder: &Path| crate::tap::plugin::read(folder).0.into_iter().map(Arc::new);
    let plugins = read(&project.join(".agents/plugins")).chain(read(&own)).collect();
    let catalogue = Catalogue { plugins, ..Catalogue::default() };
    let places = Places { data: root.path(), workdir: &project };
    let taken = BTreeSet::from(["role-has-it".to_owned()]);
    let found = found(&catalogue, &taken, &places, &Env::default());
    let started: Vec<(&str, &str)> =
        found.specs.iter().map(|spec| (spec.name.as_str(), spec.origin.as_str())).collect();
    // What the person put there comes before the project.
    assert_eq!(started, [("same", "plugin bee"), ("mine", "plugin ape")]);
    let origins: BTreeMap<&str, Origin> =
        found.places.iter().map(|(name, place)| (name.as_str(), place.origin)).collect();
    assert_eq!(origins, BTreeMap::from([("same", Origin::Person), ("mine", Origin::Project)]));
    let said: Vec<&str> = found.clashes.iter().map(|(text, _)| text.as_str()).collect();
    let built_in = "a built-in server has that name.";
    assert_eq!(
        said,
        [
            format!("The server runtime of the plugin bee is not started: {built_in}").as_str(),
            &format!("The server files of the plugin bee is not started: {built_in}"),
            &format!("The server local of the plugin bee is not started: {built_in}"),
            "The server role-has-it of the plugin bee is not started: the role has a server of that name.",
            "The server same of the plugin ape is not started: the plugin bee has a server of that name, and comes first.",
        ]
    );
    assert!(found.clashes[4].1.ends_with("ape/mcp.json."), "{:?}", found.clashes[4]);
}
