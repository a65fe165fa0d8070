//! Packages that a server's command line fetches without an exact version.

/// What fetches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Registry {
    Npm,
    Python,
}

impl Registry {
    /// How an exact version is written.
    pub fn form(self) -> &'static str {
        match self {
            Self::Npm => "package@1.2.3",
            Self::Python => "package==1.2.3",
        }
    }
}

/// Which words of the command line are packages without an exact version.
pub(super) fn loose<'words>(words: &[&'words str]) -> Vec<(&'words str, Registry)> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = program.rsplit('/').next().unwrap_or(program);
    let arguments = |skip: usize| rest.get(skip..).unwrap_or_default();
    match (name, rest.first().copied(), rest.get(1).copied()) {
        ("npx" | "bunx" | "pnpx", ..) => run(Registry::Npm, rest),
        ("npm", Some("exec" | "x"), _) | ("pnpm" | "yarn", Some("dlx"), _) | ("bun", Some("x"), _) => {
            run(Registry::Npm, arguments(1))
        }
        ("npm" | "pnpm" | "yarn" | "bun", Some("install" | "i" | "add"), _) => install(Registry::Npm, arguments(1)),
        ("uvx", ..) => run(Registry::Python, rest),
        ("uv", Some("tool"), Some("run")) => run(Registry::Python, arguments(2)),
        ("pipx", Some("run"), _) => run(Registry::Python, arguments(1)),
        ("pip" | "pip3", Some("install"), _) => install(Registry::Python, arguments(1)),
        ("uv", Some("pip"), Some("install")) => install(Registry::Python, arguments(2)),
        ("sh" | "bash" | "dash" | "zsh", ..) => {
            rest.iter().skip_while(|word| **word != "-c").skip(1).take(1).flat_map(|script| of_script(script)).collect()
        }
        ("env" | "exec" | "command" | "nohup" | "time", ..) => loose(beyond_assignments(rest)),
        _ => Vec::new(),
    }
}

fn beyond_assignments<'slice, 'words>(words: &'slice [&'words str]) -> &'slice [&'words str] {
    let first = words.iter().position(|word| !word.contains('=') && !word.starts_with('-'));
    first.map_or(&[], |first| &words[first..])
}

/// Flags that take the next word, and name no package.
const WITH_VALUE: [(Registry, &[&str]); 2] = [
    (Registry::Npm, &["--registry", "--prefix", "--cache", "--userconfig", "-c", "--call", "-w", "--workspace"]),
    (
        Registry::Python,
        &[
            "--python",
            "-p",
            "--index",
            "--index-url",
            "-i",
            "--extra-index-url",
            "--default-index",
            "--find-links",
            "-f",
            "--with-requirements",
            "--with-editable",
            "-r",
            "-c",
            "--constraint",
            "--directory",
            "--project",
            "--cache-dir",
            "--config-file",
            "--env-file",
            "--index-strategy",
            "--prerelease",
            "--resolution",
            "--target",
            "-t",
        ],
    ),
];

/// `npx` and its like: the packages of flags, or else the first word that is no flag.
fn run<'words>(registry: Registry, words: &[&'words str]) -> Vec<(&'words str, Registry)> {
    let named: &[&str] = match registry {
        Registry::Npm => &["-p", "--package"],
        Registry::Python => &["--from", "--spec"],
    };
    let (mut found, mut is_named) = (Vec::new(), false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, value) = word.split_once('=').map_or((*word, None), |(flag, value)| (flag, Some(value)));
        if named.contains(&flag) {
            is_named = true;
            found.extend(value.or_else(|| words.next().copied()).filter(|package| !is_exact(registry, package)));
        } else if registry == Registry::Python && flag == "--with" {
            let extra = value.or_else(|| words.next().copied());
            found.extend(extra.filter(|package| !package.contains(['=', '<', '>', '~', '@'])));
        } else if value.is_none() && takes_value(registry, word) {
            words.next();
        } else if !word.starts_with('-') {
            found.extend((!is_named && !is_exact(registry, word)).then_some(*word));
            break;
        }
    }
    found.into_iter().map(|package| (package, registry)).collect()
}

/// Every word that is no flag.
fn install<'words>(registry: Registry, words: &[&'words str]) -> Vec<(&'words str, Registry)> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if takes_value(registry, word) {
            words.next();
        } else if !word.starts_with('-') && !word.contains('>') && !is_exact(registry, word) {
            found.push((*word, registry));
        }
    }
    found
}

fn takes_value(registry: Registry, flag: &str) -> bool {
    WITH_VALUE.iter().any(|(of, flags)| *of == registry && flags.contains(&flag))
}

/// Whether a package is always the same one. Folders, addresses with a commit and what is only known at
/// run time are.
fn is_exact(registry: Registry, package: &str) -> bool {
    if package.starts_with(['.', '/', '~']) || package.contains(['$', '{']) {
        return true;
    }
    if package.contains("://") || package.starts_with("git+") || package.starts_with("github:") {
        let commit = package.rsplit(['@', '#']).next().unwrap_or_default();
        return commit.len() >= 7 && commit.chars().all(|letter| letter.is_ascii_hexdigit());
    }
    let npm = package.rsplit_once('@').filter(|(name, _)| !name.is_empty()).map(|(_, version)| version);
    match registry {
        Registry::Npm => npm.is_some_and(is_whole_version),
        Registry::Python => package.split_once("==").map(|(_, version)| version).or(npm).is_some_and(|version| {
            let letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '+' | '!' | '-' | '_');
            version.starts_with(|first: char| first.is_ascii_digit()) && version.chars().all(letter)
        }),
    }
}

/// `1.2.3`, perhaps with more after `-` or `+`.
fn is_whole_version(version: &str) -> bool {
    let core = version.split(['-', '+']).next().unwrap_or_default();
    let numbers: Vec<&str> = core.split('.').collect();
    numbers.len() == 3
        && numbers.iter().all(|number| !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit()))
}

/// Every command of a shell script.
fn of_script(script: &str) -> Vec<(&str, Registry)> {
    let skipped = |word: &&str| {
        matches!(*word, "if" | "then" | "else" | "do" | "!" | "{" | "while")
            || (word.contains('=') && !word.starts_with('-'))
    };
    let mut found = Vec::new();
    for words in commands(script) {
        let first = words.iter().position(|word| !skipped(word)).unwrap_or(words.len());
        found.extend(loose(&words[first..]));
    }
    found
}

/// The commands of a script as words, quotes taken off. No shell: enough to see what is fetched.
fn commands(script: &str) -> Vec<Vec<&str>> {
    let (mut commands, mut words) = (Vec::new(), Vec::new());
    let (mut start, mut quote) = (None, None);
    for (at, letter) in script.char_indices().chain([(script.len(), '\n')]) {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) if at < script.len() => {}
            _ if matches!(letter, '\'' | '"') => {
                quote = Some(letter);
                start.get_or_insert(at);
            }
            _ if letter.is_whitespace() || ";|&()".contains(letter) => {
                words.extend(start.take().map(|from: usize| script[from..at].trim_matches(['\'', '"'])));
                if !matches!(letter, ' ' | '\t') {
                    commands.push(std::mem::take(&mut words));
                }
            }
            _ => {
                start.get_or_insert(at);
            }
        }
    }
    commands.retain(|words| !words.is_empty());
    commands
}

#[cfg(test)]
mod tests;
