use super::motion::Seek;
use super::{Extent, Operator};

/// Declares the commands once: variant, name in keymaps, kind, what it does.
macro_rules! commands {
    ($($variant:ident = $name:literal $kind:expr, $doc:literal;)*) => {
        /// A command of the normal mode.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Vi {
            $(#[doc = $doc] $variant,)*
        }

        impl Vi {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            /// The name keymap files use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// One line for people.
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Self::$variant => $doc,)*
                }
            }

            pub(super) const fn kind(self) -> Kind {
                match self {
                    $(Self::$variant => $kind,)*
                }
            }
        }
    };
}

/// How a command takes part in the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Leads to insert mode.
    Mode,
    Motion,
    /// Waits for a motion, or for itself: then it takes whole lines.
    Operator(Operator),
    /// Waits for a character, then it is a motion.
    Seek(Seek),
    Edit,
    /// Marks text.
    Visual(Extent),
}

commands! {
    Insert = "insert" Kind::Mode, "insert before the cursor";
    Append = "append" Kind::Mode, "insert after the cursor";
    InsertLineStart = "insert-line-start" Kind::Mode, "insert at the first letter of the line";
    AppendLineEnd = "append-line-end" Kind::Mode, "insert at the end of the line";
    OpenBelow = "open-below" Kind::Mode, "insert on a new line below";
    OpenAbove = "open-above" Kind::Mode, "insert on a new line above";
    Left = "left" Kind::Motion, "one character left in the line";
    Right = "right" Kind::Motion, "one character right in the line";
    Up = "up" Kind::Motion, "one row up";
    Down = "down" Kind::Motion, "one row down";
    LineStart = "line-start" Kind::Motion, "to the start of the line";
    FirstLetter = "first-letter" Kind::Motion, "to the first letter of the line";
    LineEnd = "line-end" Kind::Motion, "to the end of the line";
    TextStart = "text-start" Kind::Motion, "to the first line, or to the line of the count";
    TextEnd = "text-end" Kind::Motion, "to the last line, or to the line of the count";
    WordNext = "word-next" Kind::Motion, "to the start of the next word";
    WordBack = "word-back" Kind::Motion, "back to the start of a word";
    WordEnd = "word-end" Kind::Motion, "to the end of a word";
    BigWordNext = "big-word-next" Kind::Motion, "to what follows the next space";
    BigWordBack = "big-word-back" Kind::Motion, "back to what follows a space";
    BigWordEnd = "big-word-end" Kind::Motion, "to what the next space follows";
    WordEndBack = "word-end-back" Kind::Motion, "back to the end of a word";
    BigWordEndBack = "big-word-end-back" Kind::Motion, "back to what a space follows";
    ParagraphNext = "paragraph-next" Kind::Motion, "to the blank line behind the paragraph";
    ParagraphBack = "paragraph-back" Kind::Motion, "to the blank line before the paragraph";
    MatchPair = "match-pair" Kind::Motion, "to the bracket that belongs to this one";
    SeekAgain = "seek-again" Kind::Motion, "to the same character again";
    SeekReversed = "seek-reversed" Kind::Motion, "to the same character the other way";
    Find = "find" Kind::Seek(Seek::Find), "to the next character of the line that you type";
    Till = "till" Kind::Seek(Seek::Till), "up to the next character of the line that you type";
    FindBack = "find-back" Kind::Seek(Seek::FindBack), "back to the character that you type";
    TillBack = "till-back" Kind::Seek(Seek::TillBack), "back up to the character that you type";
    Delete = "delete" Kind::Operator(Operator::Delete), "delete what a motion passes; twice: the line";
    Change = "change" Kind::Operator(Operator::Change), "replace what a motion passes; twice: the line";
    Yank = "yank" Kind::Operator(Operator::Yank), "keep what a motion passes; twice: the line";
    Indent = "indent" Kind::Operator(Operator::Indent(1)), "move what a motion passes to the right; twice: the line";
    Outdent = "outdent" Kind::Operator(Operator::Outdent(1)), "move what a motion passes to the left; twice: the line";
    LowerCase = "lower-case" Kind::Operator(Operator::Lower), "make what a motion passes small letters";
    UpperCase = "upper-case" Kind::Operator(Operator::Upper), "make what a motion passes capitals";
    SwitchCase = "switch-case" Kind::Operator(Operator::Toggle), "turn small letters and capitals of a motion about";
    Visual = "visual" Kind::Visual(Extent::Letters), "mark characters, or stop marking";
    VisualLines = "visual-lines" Kind::Visual(Extent::Lines), "mark lines, or stop marking";
    VisualEnd = "visual-end" Kind::Edit, "stop marking";
    Repeat = "repeat" Kind::Edit, "do the last change again";
    DeleteChar = "delete-char" Kind::Edit, "delete the character under the cursor";
    DeleteCharBack = "delete-char-back" Kind::Edit, "delete the character before the cursor";
    DeleteRest = "delete-rest" Kind::Edit, "delete to the end of the line";
    ChangeRest = "change-rest" Kind::Edit, "replace to the end of the line";
    ChangeChar = "change-char" Kind::Edit, "replace the character by what you type";
    ChangeLine = "change-line" Kind::Edit, "replace the line by what you type";
    YankLine = "yank-line" Kind::Edit, "keep the line";
    PutAfter = "put-after" Kind::Edit, "put what was kept after the cursor, or below";
    PutBefore = "put-before" Kind::Edit, "put what was kept before the cursor, or above";
    ReplaceChar = "replace-char" Kind::Edit, "replace the character by the one that you type";
    ToggleCase = "toggle-case" Kind::Edit, "turn small letters into capitals and back";
    Join = "join" Kind::Edit, "join the next line to this one";
}

impl Vi {
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|command| command.name() == name)
    }
}
