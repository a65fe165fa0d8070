use super::meaning::{assigns, joined, moved, script};
use super::{Part, Unclear, Word};

/// A longer line is not taken apart, bytes.
const LONGEST: usize = 16 * 1024;

/// Lines within lines, at the most.
const DEEPEST: usize = 8;

/// Words that make commands out of commands.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "select",
    "function", "coproc", "{", "}", "[[", "]]", "time",
];

type Done<T> = Result<T, Unclear>;

/// Every command that the line would run, in order; those in substitutions come before what they are in.
///
/// # Errors
/// What of the line is not understood.
pub fn parts(line: &str) -> Done<Vec<Part>> {
    within(line, None, 0)
}

fn within(line: &str, inside: Option<&'static str>, depth: usize) -> Done<Vec<Part>> {
    if depth > DEEPEST {
        return Err(Unclear("it is nested too deep"));
    }
    if line.len() > LONGEST {
        return Err(Unclear("it is too long"));
    }
    let odd = |letter: char| match letter {
        '\n' | '\t' => false,
        // What other languages write with is fine; what cannot be seen, or looks like a space, is not.
        letter => letter.is_control() || (letter != ' ' && letter.is_whitespace()),
    };
    let bare = line.replace('\t', " ");
    if line.chars().any(odd) || crate::text::reveal(&bare) != bare {
        return Err(Unclear("it holds characters that cannot be seen"));
    }
    let mut reader =
        Reader { line, at: 0, depth, inside, folder: None, found: Vec::new(), open: Part::default(), from: 0 };
    reader.list(None)?;
    Ok(reader.found)
}

struct Reader<'line> {
    line: &'line str,
    at: usize,
    depth: usize,
    inside: Option<&'static str>,
    folder: Option<String>,
    found: Vec<Part>,
    /// The command that is being read, and where it began.
    open: Part,
    from: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    /// Commands up to the closing letter, or to the end.
    fn list(&mut self, close: Option<char>) -> Done<()> {
        self.from = self.at;
        loop {
            match self.peek() {
                None if close.is_some() => return Err(Unclear("a bracket is left open")),
                None => return self.finish(self.at),
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.eat("\\\n") => {}
                Some('#') => {
                    let length = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.finish_before(length)?;
                }
                Some(letter) if Some(letter) == close => {
                    self.finish(self.at)?;
                    self.at += 1;
                    return Ok(());
                }
                Some(')') => return Err(Unclear("a bracket is closed that was not opened")),
                Some('(') => self.bracket()?,
                Some('\n' | ';' | '&' | '|') => self.separator()?,
                Some('<' | '>') => self.redirection()?,
                Some(_) if self.is_numbered_redirection() => self.redirection()?,
                Some(_) => self.command_word()?,
            }
        }
    }

    /// A comment ends the command like the end of its line does.
    fn finish_before(&mut self, length: usize) -> Done<()> {
        self.finish(self.at)?;
        self.at += length;
        self.from = self.at;
        Ok(())
    }

    fn separator(&mut self) -> Done<()> {
        let end = self.at;
        if self.rest().starts_with("&>") {
            return self.redirection();
        }
        if self.rest().starts_with(";;") || self.rest().starts_with(";&") {
            return Err(Unclear("it is a compound command (case)"));
        }
        if !["&&", "||", "|&"].iter().any(|link| self.eat(link)) {
            self.at += 1;
        }
        self.finish(end)
    }

    /// The command that was read is whole.
    fn finish(&mut self, end: usize) -> Done<()> {
        let mut part = std::mem::take(&mut self.open);
        let text = self.line.get(self.from..end).unwrap_or_default().trim();
        self.from = self.at;
        if part.words.is_empty() && part.writes.is_empty() && !part.assigns {
            return Ok(());
        }
        part.text = text.to_owned();
        part.folder.clone_from(&self.folder);
        part.inside = self.inside;
        if let Some("cd" | "pushd" | "popd") = part.program() {
            self.folder = Some(moved(self.folder.as_deref(), &part));
        }
        match script(&part) {
            Some((runner, script)) => {
                let mut inner = within(&script, Some(runner), self.depth + 1)?;
                for part in &mut inner {
                    part.folder = match (&self.folder, part.folder.take()) {
                        (Some(before), Some(own)) => Some(joined(before, &own)),
                        (before, own) => own.or_else(|| before.clone()),
                    };
                }
                if part.assigns || !part.writes.is_empty() {
                    self.found.push(part);
                }
                self.found.extend(inner);
            }
            None => self.found.push(part),
        }
        Ok(())
    }

    /// A subshell; anything else with a bracket is not understood.
    fn bracket(&mut self) -> Done<()> {
        let open = &self.open;
        if !open.words.is_empty() || open.assigns || !open.writes.is_empty() {
            return Err(Unclear("it defines a function or an array"));
        }
        if self.rest().starts_with("((") {
            return Err(Unclear("it calculates"));
        }
        self.at += 1;
        self.nested(self.inside)?;
        self.from = self.at;
        // What follows a subshell can only be a redirection or the next command.
        let after = self.rest().trim_start_matches([' ', '\t']);
        let follows = after.is_empty() || after.starts_with(['\n', ';', '&', '|', ')', '<', '>', '#']);
        let numbered = after.trim_start_matches(|letter: char| letter.is_ascii_digit()).starts_with(['<', '>']);
        if follows || numbered { Ok(()) } else { Err(Unclear("a word follows a bracket")) }
    }

    /// Commands in brackets, which do not move what comes after.
    fn nested(&mut self, inside: Option<&'static str>) -> Done<()> {
        if self.depth >= DEEPEST {
            return Err(Unclear("it is nested too deep"));
        }
        let (open, from) = (std::mem::take(&mut self.open), self.from);
        let (folder, runner) = (self.folder.clone(), std::mem::replace(&mut self.inside, inside));
        self.depth += 1;
        self.list(Some(')'))?;
        self.depth -= 1;
        (self.open, self.from, self.folder, self.inside) = (open, from, folder, runner);
        Ok(())
    }

    fn is_numbered_redirection(&self) -> bool {
        let digits = self.rest().chars().take_while(char::is_ascii_digit).count();
        digits > 0 && self.rest()[digits..].starts_with(['<', '>'])
    }

    fn redirection(&mut self) -> Done<()> {
        if self.rest().starts_with("<(") || self.rest().starts_with(">(") {
            return self.command_word();
        }
        while self.peek().is_some_and(|letter| letter.is_ascii_digit()) {
            self.at += 1;
        }
        const SIGNS: [&str; 12] = ["&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">"];
        let Some(sign) = SIGNS.into_iter().find(|sign| self.rest().starts_with(sign)) else {
            return Err(Unclear("a redirection is not understood"));
        };
        if matches!(sign, "<<" | "<<-") {
            return Err(Unclear("it holds a here-document"));
        }
        self.at += sign.len();
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
        let from = self.at;
        let word = self.word()?;
        let shown = self.line.get(from..self.at).unwrap_or_default();
        if shown.is_empty() {
            return Err(Unclear("a redirection leads nowhere"));
        }
        let number = !word.text.is_empty() && word.text.chars().all(|letter| letter.is_ascii_digit() || letter == '-');
        let nothing = matches!(word.text.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty");
        let network = word.text.starts_with("/dev/tcp/") || word.text.starts_with("/dev/udp/");
        let writes = match sign {
            "<<<" => false,
            "<" => network,
            "<&" | ">&" if number && word.plain => false,
            "<&" => true,
            _ => !(nothing && word.plain),
        };
        if writes {
            self.open.writes.push(shown.to_owned());
        }
        Ok(())
    }

    fn command_word(&mut self) -> Done<()> {
        let from = self.at;
        let word = self.word()?;
        let source = self.line.get(from..self.at).unwrap_or_default();
        if self.at == from {
            return Err(Unclear("it is not understood"));
        }
        if self.open.words.is_empty() {
            if assigns(source) {
                self.open.assigns = true;
                return Ok(());
            }
            if source == "!" {
                return Ok(());
            }
            if RESERVED.contains(&source) {
                return Err(Unclear("it is a compound command"));
            }
        }
        self.open.words.push(word);
        Ok(())
    }

    fn word(&mut self) -> Done<Word> {
        let mut word = Word { text: String::new(), plain: true };
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' => break,
                '<' | '>' if word.text.is_empty() && (self.eat("<(") || self.eat(">(")) => {
                    word.plain = false;
                    self.nested(Some("<(…)"))?;
                    word.text.push_str("(…)");
                }
                '<' | '>' => break,
                '(' => return Err(Unclear("it defines a function, an array or a pattern")),
                _ => {
                    self.at += letter.len_utf8();
                    self.piece(letter, &mut word)?;
                }
            }
        }
        Ok(word)
    }

    /// What an unquoted letter, which was taken, begins.
    fn piece(&mut self, letter: char, word: &mut Word) -> Done<()> {
        match letter {
            '\\' => match self.next() {
                Some('\n') => {}
                Some(letter) => word.text.push(letter),
                None => return Err(Unclear("it ends in a backslash")),
            },
            '\'' => {
                let Some(length) = self.rest().find('\'') else { return Err(Unclear("a quote is left open")) };
                word.text.push_str(&self.rest()[..length]);
                self.at += length + 1;
            }
            '"' => self.quoted(word)?,
            '$' => self.dollar(word)?,
            '`' => self.backticks(word)?,
            '~' if !word.text.is_empty() => word.text.push(letter),
            '*' | '?' | '{' | '}' | '~' => {
                word.plain = false;
                word.text.push(letter);
            }
            '[' | ']' => {
                let alone = word.text.is_empty()
                    && matches!(self.peek(), None | Some(' ' | '\t' | '\n' | ';' | '&' | '|' | ')'));
                word.plain &= alone;
                word.text.push(letter);
            }
            letter => word.text.push(letter),
        }
        Ok(())
    }

    fn quoted(&mut self, word: &mut Word) -> Done<()> {
        loop {
            match self.next() {
                None => return Err(Unclear("a quote is left open")),
                Some('"') => return Ok(()),
                Some('\\') => match self.next() {
                    None => return Err(Unclear("a quote is left open")),
                    Some('\n') => {}
                    Some(letter @ ('$' | '`' | '"' | '\\')) => word.text.push(letter),
                    Some(letter) => word.text.extend(['\\', letter]),
                },
                Some('$') => self.dollar(word)?,
                Some('`') => self.backticks(word)?,
                Some(letter) => word.text.push(letter),
            }
        }
    }

    /// After a `$`.
    fn dollar(&mut self, word: &mut Word) -> Done<()> {
        word.text.push('$');
        match self.peek() {
            Some('(') if self.rest().starts_with("((") => Err(Unclear("it calculates")),
            Some('(') => {
                word.plain = false;
                self.at += 1;
                self.nested(Some("$(…)"))?;
                word.text.push_str("(…)");
                Ok(())
            }
            Some('{') => {
                word.plain = false;
                let Some(length) = self.rest().find('}') else { return Err(Unclear("a bracket is left open")) };
                let inner = &self.rest()[..=length];
                if inner[1..].contains(['$', '`', '{', '\'', '"', '\\', '(', '=']) {
                    return Err(Unclear("a variable holds more than its name"));
                }
                word.text.push_str(inner);
                self.at += length + 1;
                Ok(())
            }
            Some('\'') => Err(Unclear("it spells letters out")),
            Some(letter) if letter.is_alphanumeric() || "_@*#?$!-\"".contains(letter) => {
                word.plain = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// After a backtick.
    fn backticks(&mut self, word: &mut Word) -> Done<()> {
        let Some(length) = self.rest().find('`') else { return Err(Unclear("a backtick is left open")) };
        let inner = self.rest()[..length].to_owned();
        if inner.contains('\\') {
            return Err(Unclear("a backtick holds a backslash"));
        }
        self.at += length + 1;
        word.plain = false;
        word.text.push_str("`…`");
        self.found.extend(within(&inner, Some("`…`"), self.depth + 1)?);
        Ok(())
    }
}
