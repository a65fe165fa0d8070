//! A tool server: this test binary, started again with [`TOOLS`] set.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{BufRead, Write};
use std::time::Duration;

use serde_json::{Value, json};

/// Names of its tools, by commas, after one word about how it behaves, if any: `slow:MS` waits before it
/// answers, `broken` ends at once, `hang` never answers, `flood` and `endless` write what is no protocol
/// for ever, one line after the other or in one, `noisy` writes its error output for ever and works.
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

/// What of its behaviour is not answering.
fn behave(word: &str) {
    if let Some(wait) = word.strip_prefix("slow:") {
        return std::thread::sleep(Duration::from_millis(wait.parse().unwrap()));
    }
    let mut out = std::io::stdout().lock();
    match word {
        "broken" => {
            eprintln!("no database here");
            std::process::exit(1);
        }
        "hang" => loop {
            std::thread::park();
        },
        // Until nobody reads it any more.
        "flood" => while writeln!(out, "this is no protocol at all").is_ok() {},
        "endless" => while out.write_all(&[b'x'; 4096]).is_ok() {},
        "noisy" => drop(std::thread::spawn(|| while writeln!(std::io::stderr(), "something happened").is_ok() {})),
        _ => return,
    }
    if matches!(word, "flood" | "endless") {
        std::process::exit(0);
    }
}

/// Not a test: the server's entry. Does nothing when run with the others.
#[test]
fn entry() {
    let Ok(tools) = std::env::var(TOOLS) else { return };
    let mut names: Vec<String> = tools.split(',').map(str::to_owned).collect();
    behave(&names[0]);
    if names[0].starts_with("slow:") || names[0] == "noisy" {
        names.remove(0);
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = message.get("id") else { continue };
        let result = answer(&message, &mut names);
        say(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }
    std::process::exit(0);
}

fn say(message: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{message}");
    let _ = out.flush();
}

fn answer(message: &Value, names: &mut Vec<String>) -> Value {
    let params = &message["params"];
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "played", "version": "1"},
        }),
        "tools/list" => {
            let tool = |name: &String| json!({"name": name, "description": name, "inputSchema": {"type": "object"}});
            json!({"tools": names.iter().map(tool).collect::<Vec<_>>()})
        }
        "tools/call" => {
            let arguments = &params["arguments"];
            if arguments["die"] == true {
                eprintln!("out of luck");
                std::process::exit(3);
            }
            if let Some(more) = arguments["grow"].as_str() {
                names.push(more.to_owned());
                say(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
            }
            std::thread::sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap_or(0)));
            let said = format!("{} pid {}", params["name"].as_str().unwrap_or_default(), std::process::id());
            json!({"content": [{"type": "text", "text": said}], "isError": arguments["fail"] == true})
        }
        _ => json!({}),
    }
}
