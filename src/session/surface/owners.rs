//! To which capability a tool belongs that is not on the surface.

use std::collections::BTreeMap;

use super::Book;
use crate::config::allows;
use crate::proto::ToolInfo;
use crate::surface::{Surface, in_domain};

/// A capability that could come and would bring a tool of this name. `seen`: what servers listed while
/// they ran.
pub fn owner<'b>(
    book: &'b Book,
    surface: &Surface,
    seen: &BTreeMap<String, Vec<ToolInfo>>,
    tool: &str,
) -> Option<&'b str> {
    let absent = book.offers.iter().filter(|offer| offer.provider.is_ok() && !surface.has(offer.name()));
    let mut open = absent.filter(|offer| in_domain(offer, surface.domain()));
    let brings = |server: &crate::surface::OfferedServer| {
        if server.tools.iter().any(|pattern| pattern == tool) {
            return true;
        }
        let listed = seen.get(&server.name).map(Vec::as_slice).unwrap_or_default();
        let named = |known: &&ToolInfo| known.wire_name == tool || known.name == tool;
        listed.iter().find(named).is_some_and(|known| allows(&server.tools, &known.name))
    };
    open.find(|offer| offer.servers.iter().any(brings)).map(|offer| offer.name())
}
