//! THE action table: everything a key, the palette or a click can ask for, as data.
//!
//! Dispatch, which-key, help, palette, completion of keymap files and the linter read this one
//! table; a new action is one row here and one arm in `update`.

use super::composer::Vi as ViCommand;

/// What an action takes after its name in a keymap row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    None,
    /// Exactly one of these.
    OneOf(&'static [&'static str]),
    /// A whole number, optional; 1 when missing.
    Count,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    Session,
    Composer,
    Focus,
    Scroll,
    Lists,
    Surface,
    Supervisor,
    Overlays,
    Questions,
    Terminal,
}

impl Category {
    pub const fn title(self) -> &'static str {
        match self {
            Self::Session => "Session",
            Self::Composer => "Composer",
            Self::Focus => "Focus",
            Self::Scroll => "Transcript",
            Self::Lists => "Lists",
            Self::Surface => "Surface",
            Self::Supervisor => "Supervisor",
            Self::Overlays => "Overlays",
            Self::Questions => "Questions",
            Self::Terminal => "Terminal",
        }
    }
}

/// Names of panes, as `focus-pane` takes them.
pub const PANES: &[&str] = &["transcript", "surface", "scores", "plan", "notes", "composer"];

/// Kinds of entries, as `fold-kind` takes them.
pub const FOLD_KINDS: &[&str] = &["tools", "thoughts", "records", "commands"];

/// What `approvals` takes.
pub const APPROVALS: &[&str] = &["off", "writes", "all"];

macro_rules! actions {
    ($($category:ident { $($variant:ident = $id:literal $arguments:expr, $doc:literal;)* })*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action {
            $($(#[doc = $doc] $variant,)*)*
        }

        impl Action {
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)*)*];

            /// The name keymap files use.
            pub const fn id(self) -> &'static str {
                match self {
                    $($(Self::$variant => $id,)*)*
                }
            }

            /// One line for people, lower case, no full stop.
            pub const fn doc(self) -> &'static str {
                match self {
                    $($(Self::$variant => $doc,)*)*
                }
            }

            pub const fn category(self) -> Category {
                match self {
                    $($(Self::$variant => Category::$category,)*)*
                }
            }

            pub const fn arguments(self) -> Arguments {
                use Arguments::{Count, None, OneOf};
                match self {
                    $($(Self::$variant => $arguments,)*)*
                }
            }
        }
    };
}

actions! {
    Session {
        Submit = "submit" None, "send the message; while a turn runs it lands at the next tool boundary";
        SubmitQueue = "submit-queue" None, "send the message for when the running turn is over";
        TakeTour = "take-tour" None, "begin the tour";
        Interrupt = "interrupt" None, "stop the running turn, or what prepares the start";
        RetryNow = "retry-now" None, "try again now instead of waiting for the countdown";
        EditQueued = "edit-queued" None, "take the last waiting message back into the composer to edit it; again: the one before";
        PickQueued = "pick-queued" None, "choose a waiting message to edit or withdraw";
        StopShell = "stop-shell" None, "stop the command that runs after !";
        TakeOffer = "take-offer" None, "use the other provider that is offered for one that failed";
        WithdrawQueued = "withdraw-queued" None, "withdraw the last waiting message";
        CopyAnswer = "copy-answer" None, "copy the last answer";
        CopyAll = "copy-all" None, "copy the whole transcript";
        RestartServer = "restart-server" None, "restart the selected server";
        DisableServer = "disable-server" None, "stop the selected server and keep it off";
        QuitTwice = "quit-twice" None, "leave when pressed twice within two seconds";
        Quit = "quit" None, "leave; the session can be resumed";
    }
    Composer {
        Newline = "newline" None, "begin a new line";
        CursorLeft = "cursor-left" None, "one character left";
        CursorRight = "cursor-right" None, "one character right";
        CursorUp = "cursor-up" None, "one row up";
        CursorDown = "cursor-down" None, "one row down";
        WordLeft = "word-left" None, "one word left";
        WordRight = "word-right" None, "one word right";
        LineStart = "line-start" None, "to the start of the line";
        LineEnd = "line-end" None, "to the end of the line";
        TextStart = "text-start" None, "to the start of the message";
        TextEnd = "text-end" None, "to the end of the message";
        DeleteLeft = "delete-left" None, "delete the character before the cursor";
        DeleteRight = "delete-right" None, "delete the character under the cursor";
        DeleteWordLeft = "delete-word-left" None, "delete the word before the cursor";
        DeleteWordRight = "delete-word-right" None, "delete the word after the cursor";
        DeleteToLineStart = "delete-to-line-start" None, "delete to the start of the line";
        DeleteToLineEnd = "delete-to-line-end" None, "delete to the end of the line";
        TransposeLetters = "transpose-letters" None, "let the characters around the cursor change places";
        TransposeWords = "transpose-words" None, "let the words around the cursor change places";
        UpcaseWord = "upcase-word" None, "the word after the cursor in capitals";
        DowncaseWord = "downcase-word" None, "the word after the cursor in small letters";
        CapitalizeWord = "capitalize-word" None, "the word after the cursor with a capital first";
        Yank = "yank" None, "put back what was last deleted";
        Undo = "undo" None, "undo the last edit";
        Redo = "redo" None, "do again what was undone";
        HistoryPrevious = "history-previous" None, "the message sent before";
        HistoryNext = "history-next" None, "the message sent after";
        ClearComposer = "clear-composer" None, "clear the message";
        ExpandPaste = "expand-paste" None, "open the folded paste at the cursor, or fold it again";
        OpenEditor = "open-editor" None, "edit the message in $VISUAL or $EDITOR";
        Complete = "complete" None, "take the marked completion";
        CompleteRun = "complete-run" None, "take the marked completion, and run it when nothing is left to type";
        CompleteNext = "complete-next" None, "mark the next completion";
        CompletePrevious = "complete-previous" None, "mark the completion before";
        ClosePopup = "close-popup" None, "close the completion list";
        YankPop = "yank-pop" None, "right after a yank: the text deleted before instead";
        SetMark = "set-mark" None, "set the mark at the cursor";
        SwapMark = "swap-mark" None, "let cursor and mark change places";
        KillRegion = "kill-region" None, "delete between mark and cursor";
        CopyRegion = "copy-region" None, "keep what is between mark and cursor for yank";
        NormalMode = "normal-mode" None, "leave insert mode: letters are commands of the message";
        Vi = "vi" OneOf(ViCommand::NAMES), "a command of the message's normal mode";
    }
    Focus {
        FocusPane = "focus-pane" OneOf(PANES), "focus a pane";
        FocusNext = "focus-next" None, "focus the next pane";
        FocusPrevious = "focus-previous" None, "focus the pane before";
        Compose = "compose" None, "go from a pane to the composer";
        LeaveComposer = "leave-composer" None, "leave an empty composer for the transcript";
        Zoom = "zoom" None, "let the focused pane fill the screen, or put it back";
    }
    Scroll {
        ScrollUp = "scroll-up" Count, "scroll up by lines";
        ScrollDown = "scroll-down" Count, "scroll down by lines";
        HalfPageUp = "half-page-up" None, "scroll up half a page";
        HalfPageDown = "half-page-down" None, "scroll down half a page";
        PageUp = "page-up" None, "scroll up a page";
        PageDown = "page-down" None, "scroll down a page";
        ScrollTop = "scroll-top" None, "to the beginning of the transcript";
        ScrollBottom = "scroll-bottom" None, "to the end, following it as it grows";
        PromptPrevious = "prompt-previous" None, "to the own message before";
        PromptNext = "prompt-next" None, "to the next own message";
        EntryPrevious = "entry-previous" None, "select the entry before";
        EntryNext = "entry-next" None, "select the next entry";
        ToggleFold = "toggle-fold" None, "open or fold the selected entry";
        ToggleFoldAll = "toggle-fold-all" None, "open or fold every tool result and thought";
        FoldKind = "fold-kind" OneOf(FOLD_KINDS), "open or fold every entry of one kind";
        OpenEntry = "open-entry" None, "open the selected entry in $PAGER or $EDITOR";
        CopyCode = "copy-code" None, "copy a block of code of the selected entry or the last answer";
        OpenLink = "open-link" None, "open a link, a file or an image of the selected entry or the last ones";
        CopyEntry = "copy-entry" None, "copy the selected entry, unwrapped";
        ClearSelection = "clear-selection" None, "select nothing";
        Search = "search" None, "search the transcript";
        SearchNext = "search-next" None, "to the next match";
        SearchPrevious = "search-previous" None, "to the match before";
        SearchClear = "search-clear" None, "end the search";
        DumpTranscript = "dump-transcript" None, "open the whole transcript in $PAGER or $EDITOR";
    }
    Lists {
        SelectNext = "select-next" Count, "mark the next row";
        SelectPrevious = "select-previous" Count, "mark the row before";
        SelectFirst = "select-first" None, "mark the first row";
        SelectLast = "select-last" None, "mark the last row";
        Open = "open" None, "show the marked row in full";
        Count = "count" None, "a digit: how often the next key acts";
    }
    Surface {
        Why = "why" None, "why a tool, capability or skill is here or is not";
        WhatIf = "what-if" None, "try a message without sending it: what it would bring";
        EnableCapability = "enable-capability" None, "turn the marked capability on";
        DisableCapability = "disable-capability" None, "turn the marked capability off";
        PinCapability = "pin-capability" None, "never evict the marked capability in this session, or again";
    }
    Supervisor {
        Switches = "switches" None, "the switches: what watches the session, flipped live";
        FlipSwitch = "flip-switch" None, "flip the marked switch for this session, from the next safe point on";
        SaveSwitch = "save-switch" None, "write the marked switch to the configuration file";
    }
    Overlays {
        Help = "help" None, "all keys, with a filter";
        Palette = "palette" None, "find an action by name and run it";
        SearchHistory = "search-history" None, "find a message sent before and take it up again";
        PickPrompt = "pick-prompt" None, "find a message of yours in this session and go there";
        PickAgent = "pick-agent" None, "choose an agent or role for this session";
        Catalogue = "catalogue" None, "the catalogue: what taps offer, and what is wrong with it";
        NextSection = "next-section" None, "the next list of the overlay";
        PreviousSection = "previous-section" None, "the list of the overlay before";
        OpenSource = "open-source" None, "open the file it comes from in $VISUAL or $EDITOR";
        Context = "context" None, "what fills the context, and how much of each request was cached";
        Servers = "servers" None, "the servers: how they stand, their last words, their tools";
        Time = "time" None, "look at the session as it was at any of its events";
        TurnEarlier = "turn-earlier" None, "in the past: to the beginning of the turn, then of the one before";
        TurnLater = "turn-later" None, "in the past: to the beginning of the next turn";
        Sessions = "sessions" None, "the sessions: go to another one, rename, fork, delete, put back";
        RenameSession = "rename-session" None, "give the marked session another title";
        ForkSession = "fork-session" None, "begin a new session with all that the marked one holds";
        DeleteSession = "delete-session" None, "delete the marked session; it can be put back for 7 days";
        RestoreSession = "restore-session" None, "put back the session that was deleted last";
        Log = "log" None, "what this process logged, problems first";
        Wire = "wire" None, "every model call: what was sent, what came back, what it cost";
        Themes = "themes" None, "choose a theme, seeing each";
        SaveTheme = "save-theme" None, "write the marked theme to the configuration file";
        Rewind = "rewind" None, "go back to an earlier prompt: the conversation, the files, or both";
        RewindConversation = "rewind-conversation" None, "go back in the conversation alone; files stay";
        RewindFiles = "rewind-files" None, "put files back alone; the conversation stays";
        RewindByHand = "rewind-by-hand" None, "files changed by hand: put back too, or left";
        CopyRecord = "copy-record" None, "copy what is read";
        Close = "close" None, "close the overlay";
        Accept = "accept" None, "take the marked row";
        FilterDeleteLeft = "filter-delete-left" None, "delete the last character of the filter";
        FilterClear = "filter-clear" None, "empty the filter";
        FilterRows = "filter-rows" None, "type what the rows must match";
        FoldRow = "fold-row" None, "fold the marked row, or the one it belongs to";
    }
    Questions {
        FocusQuestion = "focus-question" None, "go to the open question to answer it";
        NextQuestion = "next-question" None, "go to the next open question";
        AnswerYes = "answer-yes" None, "answer yes";
        AnswerNo = "answer-no" None, "answer no";
        AnswerSession = "answer-session" None, "answer yes, and to what is like it in this session";
        AnswerNever = "answer-never" None, "answer no, and to what is like it in this session";
        Approvals = "approvals" OneOf(APPROVALS), "which tool calls wait for your yes:";
        AnswerText = "answer-text" None, "give the typed value as the answer";
    }
    Terminal {
        Suspend = "suspend" None, "suspend; `fg` in the shell comes back";
        ToggleMouse = "toggle-mouse" None, "give the mouse to the terminal, or take it back";
        ToggleMotion = "toggle-motion" None, "stop or start everything that moves";
        Redraw = "redraw" None, "draw the whole screen afresh";
        Reload = "reload" None, "read keymap and theme files again";
    }
}

impl Action {
    /// Whether a count before its key means to do it so often.
    pub const fn repeats(self) -> bool {
        use Action as A;
        match self.category() {
            Category::Scroll => !matches!(
                self,
                A::ToggleFold
                    | A::ToggleFoldAll
                    | A::OpenLink
                    | A::CopyEntry
                    | A::ClearSelection
                    | A::Search
                    | A::SearchClear
                    | A::DumpTranscript
            ),
            Category::Focus => matches!(self, A::FocusNext | A::FocusPrevious),
            Category::Composer => matches!(self, A::Undo | A::Redo | A::HistoryPrevious | A::HistoryNext),
            Category::Lists => matches!(self, A::SelectNext | A::SelectPrevious),
            Category::Session
            | Category::Surface
            | Category::Supervisor
            | Category::Overlays
            | Category::Questions
            | Category::Terminal => false,
        }
    }

    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.id() == id)
    }
}

/// An action with what it was given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    pub action: Action,
    pub arguments: Vec<String>,
}

impl Call {
    pub fn new(action: Action) -> Self {
        Self { action, arguments: Vec::new() }
    }

    pub fn with(action: Action, argument: &str) -> Self {
        Self { action, arguments: vec![argument.to_owned()] }
    }

    /// Why the arguments do not fit the action, if they do not.
    pub fn check(&self) -> Result<(), String> {
        let given = self.arguments.as_slice();
        match (self.action.arguments(), given) {
            (Arguments::None, []) | (Arguments::Count, []) => Ok(()),
            (Arguments::None, _) => Err(format!("`{}` takes no arguments", self.action.id())),
            (Arguments::OneOf(names), [one]) if names.contains(&one.as_str()) => Ok(()),
            (Arguments::OneOf(names), _) => {
                Err(format!("`{}` takes one argument: {}", self.action.id(), names.join(", ")))
            }
            (Arguments::Count, [one]) if one.parse::<u16>().is_ok_and(|count| count > 0) => Ok(()),
            (Arguments::Count, _) => Err(format!("`{}` takes one whole number from 1", self.action.id())),
        }
    }

    /// The argument as a count, 1 when missing.
    pub fn count(&self) -> usize {
        self.arguments.first().and_then(|count| count.parse::<u16>().ok()).map_or(1, usize::from)
    }

    pub fn argument(&self) -> &str {
        self.arguments.first().map_or("", String::as_str)
    }

    /// One line for help and which-key.
    pub fn describe(&self) -> String {
        match self.arguments.first() {
            Some(argument) if self.action == Action::FocusPane => format!("focus the {argument}"),
            Some(argument) if self.action == Action::Vi => {
                ViCommand::parse(argument).map_or(self.action.doc(), ViCommand::doc).to_owned()
            }
            Some(argument) if self.action == Action::FoldKind => format!("open or fold all {argument}"),
            Some(argument) => format!("{} {argument}", self.action.doc()),
            None => self.action.doc().to_owned(),
        }
    }
}
