//! Landlock: the probe, and holding a thread.

use landlock::{
    ABI, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, path_beneath_rules,
};

use super::rules::Roots;

/// The version of the kernel's interface, or its error number.
#[allow(unsafe_code)]
pub fn version() -> Result<i32, i32> {
    const ASK_VERSION: libc::c_uint = 1;
    // SAFETY: with this flag the call takes no attributes and changes nothing.
    let answer = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0_usize, ASK_VERSION)
    };
    if answer < 0 {
        return Err(std::io::Error::last_os_error().raw_os_error().unwrap_or_default());
    }
    Ok(i32::try_from(answer).unwrap_or(i32::MAX))
}

/// Holds this thread and what it starts, for good. Roots that are not there are left out.
pub fn restrict(roots: &Roots) -> Result<(), String> {
    match enforced(roots) {
        Ok(RulesetStatus::NotEnforced) => Err("the kernel does not enforce Landlock".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("Landlock refused the rules: {error}")),
    }
}

fn enforced(roots: &Roots) -> Result<RulesetStatus, RulesetError> {
    let writing = AccessFs::from_write(ABI::V3);
    let status = Ruleset::default()
        .handle_access(writing)?
        .create()?
        .add_rules(path_beneath_rules(&roots.trees, writing))?
        .add_rules(path_beneath_rules(&roots.devices, AccessFs::WriteFile | AccessFs::Truncate))?
        .restrict_self()?;
    Ok(status.ruleset)
}
