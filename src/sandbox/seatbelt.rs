//! The same rules for macOS, as a profile of its sandbox. The profile is tested; running it was not.

use std::fmt::Write as _;
use std::path::Path;

use super::rules::Roots;

/// Starts a program under a profile.
pub const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// Everything but writing is allowed; writing below the roots only.
///
/// # Errors
/// A path that is not text cannot be put into a profile.
pub fn profile(roots: &Roots) -> Result<String, String> {
    let mut text = "(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write*\n".to_owned();
    for tree in &roots.trees {
        let _ = writeln!(text, "  (subpath {})", quoted(tree)?);
    }
    for device in &roots.devices {
        let _ = writeln!(text, "  (subpath {})", quoted(device)?);
    }
    text.push_str("  (regex #\"^/dev/ttys[0-9]+$\"))\n");
    Ok(text)
}

fn quoted(path: &Path) -> Result<String, String> {
    let text = path.to_str().filter(|text| !text.contains(['\n', '\0']));
    let text = text.ok_or_else(|| format!("{} cannot be named in a sandbox profile", path.display()))?;
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// A process cannot put itself under a profile by documented means, so it starts itself anew under
/// one; the second time round it is in it already.
#[cfg(target_os = "macos")]
pub fn start_again(roots: &Roots) -> Result<(), String> {
    use std::os::unix::process::CommandExt as _;
    const INSIDE: &str = "OCTOMIND_SEATBELT";
    if std::env::var_os(INSIDE).is_some_and(|value| value == std::process::id().to_string().as_str()) {
        return Ok(());
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = std::process::Command::new(PROGRAM);
    command.arg("-p").arg(profile(roots)?).arg(program).args(std::env::args_os().skip(1));
    // The number stays the same: the process is replaced, not started.
    command.env(INSIDE, std::process::id().to_string());
    Err(format!("{PROGRAM}: {}", command.exec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_names_each_root_and_no_path_breaks_out() {
        let roots = Roots {
            trees: vec!["/Users/a/work".into(), "/tmp/a\") (allow default) \\".into()],
            devices: vec!["/dev/null".into()],
            notes: Vec::new(),
        };
        let expected = "(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write*\n  \
            (subpath \"/Users/a/work\")\n  (subpath \"/tmp/a\\\") (allow default) \\\\\")\n  \
            (subpath \"/dev/null\")\n  (regex #\"^/dev/ttys[0-9]+$\"))\n";
        assert_eq!(profile(&roots).unwrap(), expected);
        assert!(profile(&Roots { trees: vec!["/a\nb".into()], ..Roots::default() }).is_err());
    }
}
