//! What is there to guard or to check work, and does neither here: whoever relies on it has to know.

use std::path::Path;

use crate::config::Config;
use crate::proto::{Body, Level};

/// The checks that a project brings along.
const GUARDRAILS: &str = ".agents/guardrails.toml";

pub fn told(workdir: &Path, config: &Config) -> Vec<Body> {
    let guardrails = workdir.join(GUARDRAILS).symlink_metadata().is_ok().then(|| {
        let text = format!(
            "The project's guardrails ({GUARDRAILS}) are not used here: none of their rules holds a call back, and none \
             of their scripts runs."
        );
        let hint = "What holds here: --sandbox, [supervisor.authorizer], and which tools a role is given.";
        notice(text, hint)
    });
    let validation = config.skills.auto_validation.then(|| {
        let text = "Skills' own checks (`validate`) are not run here, though skills.auto_validation is on.";
        notice(text.to_owned(), "The gate looks at the outcome instead: [supervisor.gate].")
    });
    guardrails.into_iter().chain(validation).collect()
}

fn notice(text: String, hint: &str) -> Body {
    Body::Notice { level: Level::Warning, source: "trust".to_owned(), text, hint: Some(hint.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_guards_elsewhere_is_named() {
        let root = tempfile::tempdir().unwrap();
        let mut config = Config::template();
        assert_eq!(told(root.path(), &config), Vec::new());
        std::fs::create_dir(root.path().join(".agents")).unwrap();
        // Nothing of it is opened, so it may be anything.
        std::os::unix::fs::symlink("/dev/zero", root.path().join(GUARDRAILS)).unwrap();
        config.skills.auto_validation = true;
        let said = told(root.path(), &config);
        let text = |at: usize| match &said[at] {
            Body::Notice { text, hint: Some(_), .. } => text.clone(),
            other => panic!("{other:?}"),
        };
        assert!(text(0).contains("guardrails.toml") && text(1).contains("validate"), "{said:?}");
    }
}
