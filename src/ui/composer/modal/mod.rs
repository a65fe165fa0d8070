//! The composer's normal mode, for hands that know vi.
//!
//! Owns: the mode, what is marked, the last change, the operator that waits for a motion, the character that a command waits for, and what
//! each command does to the text.
//!
//! Does not own: keys. Which key is which command is in the keymap; so are counts' digits.
//!
//! Invariant: in normal mode the caret stands on a grapheme, never behind the last one of a line; each
//! command is one step of undo.

mod change;
mod command;
mod motion;
mod objects;
mod repeat;
mod visual;

#[cfg(test)]
mod tests;

pub use command::Vi;

use super::Composer;
use command::Kind;
use motion::Seek;
use repeat::Record;

/// Largest count that is obeyed.
pub const MAX_COUNT: usize = 9_999;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Insert,
    Normal,
    /// Normal mode with text marked.
    Visual(Extent),
}

/// What is marked grows by characters or by lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Letters,
    Lines,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Delete,
    Change,
    Yank,
    /// So many steps to the right, or back.
    Indent(usize),
    Outdent(usize),
    Lower,
    Upper,
    Toggle,
}

impl Operator {
    /// Two that wait for each other's motion are the same whatever their counts.
    fn is(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    fn letters(self) -> &'static str {
        match self {
            Self::Delete => "d",
            Self::Change => "c",
            Self::Yank => "y",
            Self::Indent(_) => ">",
            Self::Outdent(_) => "<",
            Self::Lower => "gu",
            Self::Upper => "gU",
            Self::Toggle => "g~",
        }
    }
}

/// What the next character is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaits {
    Seek(Seek),
    Replace,
    /// The object around the caret: `iw`, `a"`.
    Object {
        around: bool,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Modal {
    mode: Mode,
    /// With the count that was typed before it.
    operator: Option<(Operator, usize)>,
    awaits: Option<(Awaits, usize)>,
    sought: Option<(Seek, char)>,
    /// The killed text, if it is whole lines.
    lines: Option<String>,
    /// Where marking began.
    anchor: usize,
    record: Record,
}

impl Modal {
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Letters are commands, whether text is marked or not.
    pub fn is_normal(&self) -> bool {
        self.mode != Mode::Insert
    }

    pub fn is_visual(&self) -> bool {
        matches!(self.mode, Mode::Visual(_))
    }

    /// An operator waits for its motion.
    pub fn operating(&self) -> bool {
        self.operator.is_some()
    }

    /// A command waits for a character, whatever key that is.
    pub fn awaits(&self) -> bool {
        self.awaits.is_some()
    }

    /// What was typed of a command that is not complete.
    pub fn typed(&self) -> String {
        let mut typed = String::new();
        if let Some((operator, count)) = self.operator {
            if count > 1 {
                typed.push_str(&count.to_string());
            }
            typed.push_str(operator.letters());
        }
        match self.awaits {
            Some((Awaits::Seek(seek), _)) => typed.push(seek.letter()),
            Some((Awaits::Replace, _)) => typed.push('r'),
            Some((Awaits::Object { around }, _)) => typed.push(if around { 'a' } else { 'i' }),
            None => {}
        }
        typed
    }

    fn cancel(&mut self) {
        self.operator = None;
        self.awaits = None;
    }
}

impl Composer {
    /// Letters are typed from now on, and belong to no command.
    pub fn enter_insert(&mut self) {
        self.abandon_record();
        self.begin_insert();
    }

    fn begin_insert(&mut self) {
        self.modal.mode = Mode::Insert;
        self.modal.cancel();
    }

    /// Letters are commands from now on. The caret goes onto the last character that was typed.
    pub fn enter_normal(&mut self) {
        if self.modal.mode == Mode::Insert {
            self.typed_out();
            let caret = self.draft.caret;
            if caret > self.draft.line(caret).start {
                self.move_to(self.draft.before(caret));
            }
        }
        self.modal.mode = Mode::Normal;
        self.modal.cancel();
        self.stand();
    }

    /// Lets go of an operator or a command that waits. False when none did.
    pub fn cancel_command(&mut self) -> bool {
        let waited = self.modal.operating() || self.modal.awaits();
        self.modal.cancel();
        waited
    }

    /// Carries a command out. `count` is `None` when none was typed.
    pub fn vi(&mut self, command: Vi, count: Option<usize>) {
        self.stand();
        if command == Vi::Repeat {
            self.leave_visual();
            self.repeat(count);
            return self.stand();
        }
        self.note_command(command, count);
        let times = count.unwrap_or(1).min(MAX_COUNT);
        if !self.visual_command(command, times) {
            self.plain_command(command, count, times);
        }
        self.stand();
        self.noted();
    }

    fn plain_command(&mut self, command: Vi, count: Option<usize>, times: usize) {
        match command.kind() {
            Kind::Mode => self.mode_command(command),
            Kind::Motion => self.motion_command(command, count),
            Kind::Operator(operator) => self.operator_command(operator, times),
            Kind::Seek(seek) => self.modal.awaits = Some((Awaits::Seek(seek), times)),
            Kind::Visual(extent) => self.visual(extent),
            Kind::Edit => {
                self.modal.operator = None;
                self.edit_command(command, times);
            }
        }
    }

    /// The character that a command waits for.
    pub fn vi_character(&mut self, letter: char) {
        let Some((awaits, count)) = self.modal.awaits.take() else { return };
        self.note_letter(letter);
        match awaits {
            Awaits::Seek(seek) => {
                // Kept afterwards: only the command that seeks again passes over what is next.
                self.modal.sought = None;
                self.seek(seek, letter, count);
                self.modal.sought = Some((seek, letter));
            }
            Awaits::Replace if self.modal.is_visual() => self.replace_marked(letter),
            Awaits::Replace => self.replace_letters(letter, count),
            Awaits::Object { around } => self.object(letter, around),
        }
        self.stand();
        self.noted();
    }

    fn mode_command(&mut self, command: Vi) {
        let caret = self.draft.caret;
        let line = self.draft.line(caret);
        // After an operator `i` and `a` begin an object.
        if let (Some((_, count)), Vi::Insert | Vi::Append) = (self.modal.operator, command) {
            self.modal.awaits = Some((Awaits::Object { around: command == Vi::Append }, count));
            return;
        }
        match command {
            Vi::Append if caret < line.end => self.move_to(self.draft.after(caret)),
            Vi::InsertLineStart => self.move_to(self.first_letter(caret)),
            Vi::AppendLineEnd => self.move_to(line.end),
            Vi::OpenBelow => {
                self.move_to(line.end);
                self.newline();
            }
            Vi::OpenAbove => {
                self.move_to(line.start);
                self.newline();
                self.move_to(line.start);
            }
            _ => {}
        }
        self.begin_insert();
    }

    /// In normal mode the caret stands on a character, and nothing is offered.
    fn stand(&mut self) {
        if !self.modal.is_normal() {
            return;
        }
        let caret = self.draft.caret;
        let line = self.draft.line(caret);
        if caret == line.end && caret > line.start {
            self.draft.caret = self.draft.before(caret);
        }
        self.completion = None;
    }
}
