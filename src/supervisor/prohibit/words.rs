//! Sentences and words of a message, and which of them are the person's own.

use std::ops::Range;

/// A word in small letters, apostrophes straight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    /// Where it begins in its sentence, bytes.
    pub at: usize,
    pub voice: Voice,
    /// Nothing stands before it in its part of the sentence.
    pub begins: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    Own,
    /// In quotes or in code.
    Quoted,
}

#[derive(Debug, Clone)]
pub(super) struct Sentence {
    pub range: Range<usize>,
    pub words: Vec<Word>,
    pub question: bool,
}

/// Words after which a full stop does not end a sentence.
const SHORTENED: [&str; 8] = ["e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "resp"];

/// Bytes of a sentence that are looked at together.
const PIECE: usize = 1_000;

/// The sentences of a message, without blocks of code and quoted lines.
pub(super) fn sentences(message: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    for paragraph in paragraphs(message) {
        split(message, paragraph, &mut found);
    }
    found
}

/// Runs of lines that belong together.
fn paragraphs(message: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut open = false;
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        let (begin, text) = (at, line.trim());
        at += line.len();
        let marks = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        match (fence, marks) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(mark), Some(other)) if mark == other => fence = None,
            _ if fence.is_some() => {}
            _ if text.is_empty() || text.starts_with('>') => {}
            _ => {
                let goes_on =
                    open && text.starts_with(|letter: char| letter.is_lowercase() || "('\"`".contains(letter));
                match found.last_mut() {
                    Some(last) if goes_on => last.end = at,
                    _ => found.push(begin..at),
                }
                open = true;
                continue;
            }
        }
        open = false;
    }
    found
}

fn split(message: &str, paragraph: Range<usize>, found: &mut Vec<Sentence>) {
    let text = &message[paragraph.clone()];
    let quoted = quotes(text);
    let in_quotes = |at: usize| quoted.iter().any(|range| range.contains(&at));
    let mut begin = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        let stops = ".!?;".contains(letter) && !in_quotes(at);
        let after = letters.peek().map(|(_, next)| *next);
        let last = after.is_none();
        let ends = stops && after.is_none_or(|next| next.is_whitespace() || "\"'”’)".contains(next));
        let shortened = || letter == '.' && is_shortened(&text[..at]);
        if last || ends && !shortened() {
            push(text, begin..end, paragraph.start, &quoted, found);
            begin = end;
        }
    }
}

fn is_shortened(before: &str) -> bool {
    let longest = SHORTENED.iter().map(|short| short.len()).max().unwrap_or(0);
    let end = &before[before.ceil_char_boundary(before.len().saturating_sub(longest))..];
    SHORTENED.iter().any(|short| end.to_lowercase().ends_with(short))
}

/// What has no end is taken in pieces: looking at a sentence takes the square of its words.
fn push(text: &str, range: Range<usize>, offset: usize, quoted: &[Range<usize>], found: &mut Vec<Sentence>) {
    let mut begin = range.start;
    while range.end - begin > PIECE {
        let most = text.floor_char_boundary(begin + PIECE);
        let gap = text[begin..most].rfind(char::is_whitespace).filter(|gap| *gap > 0);
        let end = gap.map_or(most, |gap| begin + gap);
        push_piece(text, begin..end, offset, quoted, found);
        begin = end;
    }
    push_piece(text, begin..range.end, offset, quoted, found);
}

fn push_piece(text: &str, range: Range<usize>, offset: usize, quoted: &[Range<usize>], found: &mut Vec<Sentence>) {
    let lead = text[range.clone()].find(|letter: char| letter.is_alphanumeric() || "\"'`“‘".contains(letter));
    let Some(lead) = lead else { return };
    let end = range.start + text[range.clone()].trim_end().len();
    let range = range.start + lead..end;
    let question = text[..end].ends_with('?');
    let words = words(&text[range.clone()], range.start, quoted);
    found.push(Sentence { range: offset + range.start..offset + range.end, words, question });
}

fn words(text: &str, offset: usize, quoted: &[Range<usize>]) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut begins = true;
    let mut word = String::new();
    let mut begun = 0;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        let inner = text.get(at + letter.len_utf8()..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        let inner = inner && !word.is_empty();
        let letter = if letter == '’' && inner { '\'' } else { letter };
        if letter.is_alphanumeric() || letter == '_' || "'-./".contains(letter) && inner {
            if word.is_empty() {
                begun = at;
            }
            word.extend(letter.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            let own = !quoted.iter().any(|range| range.contains(&(offset + begun)));
            let voice = if own { Voice::Own } else { Voice::Quoted };
            found.push(Word { text: std::mem::take(&mut word), at: begun, voice, begins });
            begins = false;
        }
        begins |= ",:;()–—*•\n".contains(letter) || letter == '-' && !found.is_empty();
    }
    found
}

/// Where something stands in quotes or in code.
fn quotes(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // What is closed nowhere behind one place is closed nowhere behind a later one.
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let inside = at + letter.len_utf8();
        let before = text[..at].chars().next_back();
        let close = match letter {
            '`' | '"' => Some(letter),
            '“' | '„' => Some('”'),
            '«' => Some('»'),
            '‘' => Some('’'),
            '\'' if before.is_none_or(|letter| !letter.is_alphanumeric()) => Some('\''),
            _ => None,
        };
        let close = close.filter(|close| !open.contains(close));
        let end = close.and_then(|close| closing(text, inside, close));
        open.extend(close.filter(|_| end.is_none()));
        match end {
            Some(end) => {
                found.push(at..end);
                at = end;
            }
            None => at = inside,
        }
    }
    found
}

/// The end of a quotation; an apostrophe inside a word does not close one.
fn closing(text: &str, from: usize, close: char) -> Option<usize> {
    let single = matches!(close, '\'' | '’');
    text[from..]
        .char_indices()
        .filter(|(_, letter)| *letter == close)
        .map(|(at, _)| from + at + close.len_utf8())
        .find(|end| !single || !text[*end..].starts_with(char::is_alphanumeric))
}

/// Whether the word is in a list of words with spaces between.
pub(super) fn among(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|one| one == word)
}
