//! Whether a finding asks for a check that the person ruled out. Words only, and narrow: what this does
//! not see, the verifier names itself.

use super::answer::Finding;
use crate::supervisor::prohibit::{may_rule_out, rules_out};
use crate::supervisor::quote::occurs;

/// The prohibition that rules out what would close `finding`. `shows`: it quotes a call that shows a
/// fault, so it does not ask for one.
pub fn forbidden(finding: &Finding, shows: bool, prohibitions: &[String]) -> Option<String> {
    let named = finding.forbidden_by.trim();
    if !named.is_empty() {
        let said = prohibitions.iter().find(|words| occurs(words, named) && may_rule_out(words, &finding.finding));
        if said.is_some() {
            return said.cloned();
        }
    }
    if shows {
        return None;
    }
    prohibitions.iter().find(|words| rules_out(words, &finding.finding)).cloned()
}
