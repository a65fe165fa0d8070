//! Why a server runs, asked by its name.

use super::records::Records;
use super::{Chain, Explanation, Kind, list, tool};
use crate::proto::counted;

/// Nothing when nobody refers to a server of this name.
pub(super) fn explain(records: Records<'_>, name: &str) -> Option<Explanation> {
    let reference = records.surface.references.iter().find(|known| known.server == name)?;
    let mut chain = Chain::default();
    tool::server(&mut chain, records, tool::Found::of_server(name));
    let shown = records.surface.tools.iter().filter(|tool| tool.server == name && tool.left_out.is_none());
    let shown: Vec<&str> = shown.map(|tool| tool.wire_name.as_str()).collect();
    let count = counted(shown.len(), "tool");
    chain.yes("tools", vec![if shown.is_empty() { "none is shown".to_owned() } else { list(&shown) }]);
    let by = list(&tool::words(records, &reference.by));
    Some(chain.finish(
        name,
        Kind::Server,
        format!("{name} · {count} shown"),
        format!("it is here because {by} asks for it"),
    ))
}
