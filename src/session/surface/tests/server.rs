//! A tool server: this test binary, started again with [`TOOLS`] set.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{BufRead, Write};
use std::time::Duration;

use serde_json::{Value, json};

/// Names of its tools, by commas; `slow:MS` waits before it answers, `broken` ends at once.
pub const TOOLS: &str = "OCTOMIND_SURFACE_SERVER";

/// The table of a provider file.
pub fn table(name: &str, tools: &str, more: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!(
        "[[mcp.servers]]\nname = \"{name}\"\ntype = \"stdio\"\ncommand = {:?}\n\
         args = [\"session::surface::tests::server::entry\", \"--exact\", \"--nocapture\"]\n\
         env = {{ {TOOLS} = \"{tools}\"{more} }}\n",
        program.display().to_string()
    )
}

/// Not a test: the server's entry. Does nothing when run with the others.
#[test]
fn entry() {
    let Ok(tools) = std::env::var(TOOLS) else { return };
    if tools == "broken" {
        eprintln!("no database here");
        std::process::exit(1);
    }
    let mut names: Vec<&str> = tools.split(',').collect();
    if let Some(wait) = names[0].strip_prefix("slow:") {
        std::thread::sleep(Duration::from_millis(wait.parse().unwrap()));
        names.remove(0);
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = message.get("id") else { continue };
        let params = &message["params"];
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "played", "version": "1"},
            }),
            "tools/list" => {
                let tool = |name: &&str| json!({"name": name, "description": name, "inputSchema": {"type": "object"}});
                json!({"tools": names.iter().map(tool).collect::<Vec<_>>()})
            }
            "tools/call" => {
                std::thread::sleep(Duration::from_millis(params["arguments"]["ms"].as_u64().unwrap_or(0)));
                let said = format!("{} pid {}", params["name"].as_str().unwrap_or_default(), std::process::id());
                json!({"content": [{"type": "text", "text": said}]})
            }
            _ => json!({}),
        };
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "result": result}));
        let _ = out.flush();
    }
    std::process::exit(0);
}
