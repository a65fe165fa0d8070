/// Declares the facts once: field, name in files, what it means.
macro_rules! facts {
    ($($field:ident = $name:literal, $doc:literal;)*) => {
        /// What conditions are evaluated on: a pure snapshot of the state, taken per key press.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Facts {
            $(#[doc = $doc] pub $field: bool,)*
        }

        impl Facts {
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            fn get(&self, fact: &str) -> Option<bool> {
                match fact {
                    $($name => Some(self.$field),)*
                    _ => None,
                }
            }
        }
    };
}

facts! {
    composing = "composing", "the composer has focus";
    composer_empty = "composer-empty", "nothing is typed";
    first_row = "first-row", "the caret is on the first row";
    last_row = "last-row", "the caret is on the last row";
    on_chip = "on-chip", "the caret touches a paste that is folded or was opened";
    popup = "popup", "the completion list is open";
    overlay = "overlay", "an overlay is open";
    reading = "reading", "the overlay shows one record in full";
    sections = "sections", "the overlay has several lists";
    listing = "listing", "the overlay is a list whose letters are keys";
    typing = "typing", "something is being typed into the overlay's list";
    server = "server", "the marked row of the overlay, or what is read, is a server";
    log = "log", "the overlay shows the log";
    time = "time", "one looks at the past";
    session = "session", "the overlay lists sessions";
    filling = "filling", "the overlay shows what fills the context";
    rewinding = "rewinding", "the overlay lists prompts to go back to";
    switch = "switch", "the marked row of the overlay, or what is read, is a switch";
    sourced = "sourced", "what the overlay shows comes from files";
    turn_running = "turn-running", "a turn runs";
    starting = "starting", "something that prepares the start runs and can be stopped";
    offered = "offered", "another provider is offered for one that failed";
    interrupting = "interrupting", "the running turn was told to stop";
    retrying = "retrying", "a countdown to the next try runs";
    queued = "queued", "a message waits";
    shell_running = "shell-running", "a command runs that was begun with !";
    capability = "capability", "the marked row, or what is read, is a capability";
    asking = "asking", "a question is open";
    asking_text = "asking-text", "the question in focus takes a typed value";
    asking_call = "asking-call", "the question in focus is about a tool call";
    selection = "selection", "an entry is selected";
    searching = "searching", "a search is on";
    search_editing = "search-editing", "the search is being typed";
    zoomed = "zoomed", "a pane fills the screen";
    tour = "tour", "the tour waits for its first word and nothing is typed";
    normal = "normal", "the composer is in normal mode";
    visual = "visual", "text of the composer is marked";
    operator = "operator", "a command of normal mode waits for a motion";
    counting = "counting", "a count is being typed";
    themes = "themes", "the overlay lists themes";
    following = "following", "the transcript follows its end";
}

/// `popup and not turn-running or composer-empty`: `not` binds tighter than `and`, `and` than `or`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition {
    /// One of these groups must hold; a group holds when each of its terms does. None = always.
    any: Vec<Vec<Term>>,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    negated: bool,
    fact: &'static str,
}

impl Condition {
    pub fn always() -> Self {
        Self::default()
    }

    pub fn is_always(&self) -> bool {
        self.any.is_empty()
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn parse(text: &str) -> Result<Self, String> {
        let mut any = vec![Vec::new()];
        let mut negated = false;
        let mut expects_term = true;
        for word in text.split_whitespace() {
            match (word, expects_term) {
                ("not", true) => negated = !negated,
                ("and", false) => expects_term = true,
                ("or", false) => {
                    any.push(Vec::new());
                    expects_term = true;
                }
                (word, true) => {
                    let (name, bang) = word.strip_prefix('!').map_or((word, false), |name| (name, true));
                    let fact = Facts::NAMES.iter().copied().find(|fact| *fact == name).ok_or_else(|| {
                        let meant = crate::ui::problem::meant(name, Facts::NAMES.iter().copied());
                        format!("`{name}` is no condition{}", meant.map(|m| format!("; {m}")).unwrap_or_default())
                    })?;
                    if let Some(group) = any.last_mut() {
                        group.push(Term { negated: negated != bang, fact });
                    }
                    negated = false;
                    expects_term = false;
                }
                (word, false) => return Err(format!("`and` or `or` is missing before `{word}`")),
            }
        }
        if expects_term {
            return Err("the condition ends too early".to_owned());
        }
        Ok(Self { any, text: text.to_owned() })
    }

    pub fn holds(&self, facts: &Facts) -> bool {
        let term = |term: &Term| facts.get(term.fact).unwrap_or(false) != term.negated;
        self.any.is_empty() || self.any.iter().any(|group| group.iter().all(term))
    }
}
