use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::table::Table;
use super::{Rendered, Row};
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::highlight::{Colours, Highlighter};
use crate::ui::transcript::link;
use crate::ui::transcript::{Break, Mark, Styled, Tone};

/// Turns parser events into rows.
pub struct Writer<'a> {
    width: usize,
    highlighter: &'a Highlighter,
    rows: Vec<Row>,
    waiting: bool,
    inline: Styled,
    tones: Vec<Tone>,
    containers: Vec<Container>,
    /// Next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    links: Vec<Link>,
    code: Option<(String, String)>,
    table: Option<Table>,
    /// A block ended; the next one stands off by a blank row.
    gap: bool,
}

enum Container {
    Quote,
    Item { marker: Styled, used: bool },
}

struct Link {
    target: String,
    /// Where its text begins in the open paragraph.
    start: usize,
    image: bool,
}

impl<'a> Writer<'a> {
    pub fn new(width: usize, highlighter: &'a Highlighter) -> Self {
        Self {
            width,
            highlighter,
            rows: Vec::new(),
            waiting: false,
            inline: Styled::default(),
            tones: vec![Role::AssistantText.into()],
            containers: Vec::new(),
            lists: Vec::new(),
            links: Vec::new(),
            code: None,
            table: None,
            gap: false,
        }
    }

    pub fn finish(mut self) -> Rendered {
        self.flush();
        Rendered { rows: self.rows, waiting: self.waiting }
    }

    pub fn event(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => {
                let tone = self.tone().over(Role::MarkdownCode);
                self.push(&code, tone);
            }
            Event::SoftBreak | Event::HardBreak => self.text("\n"),
            Event::Rule => self.rule(),
            Event::TaskListMarker(done) => self.task(done),
            Event::InlineHtml(html) if html.starts_with("<br") => self.text("\n"),
            Event::Html(html) | Event::InlineHtml(html) => {
                let tone = self.tone().over(Role::UiDim);
                self.push(&html, tone);
            }
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => self.text(&text),
        }
    }

    fn tone(&self) -> Tone {
        self.tones.last().copied().unwrap_or(Role::AssistantText.into())
    }

    /// Entities such as `&#27;` became characters after the text was cleaned.
    fn push(&mut self, content: &str, tone: Tone) {
        let decoded = |letter: char| {
            letter != '\n' && (letter.is_control() || text::is_hidden(letter))
                || matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
        };
        let clean = if content.contains(decoded) { text::sanitize(content) } else { content.into() };
        let content = clean.as_ref();
        match &mut self.table {
            Some(table) => table.cell().push(&content.replace('\n', " "), tone),
            None => self.inline.push(content, tone),
        }
    }

    fn text(&mut self, content: &str) {
        if let Some((_, code)) = &mut self.code {
            code.push_str(content);
            return;
        }
        let tone = self.tone();
        self.push(content, tone);
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.begin(),
            Tag::Heading { level, .. } => {
                self.begin();
                let tone = Tone::from(Role::MarkdownHeading);
                self.tones.push(tone);
                // The depth stays legible without colour or size.
                self.inline.push(&"#".repeat(level as usize), Tone::from(Role::MarkdownRule));
                self.inline.push(" ", tone);
            }
            Tag::BlockQuote(_) => {
                self.begin();
                self.containers.push(Container::Quote);
                self.tones.push(Role::MarkdownQuote.into());
            }
            Tag::CodeBlock(kind) => {
                self.begin();
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => fence_language(info).to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.begin();
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.begin();
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => self.table.iter_mut().for_each(Table::begin_row),
            Tag::TableCell => self.table.iter_mut().for_each(Table::begin_cell),
            Tag::Emphasis => self.tones.push(self.tone().over(Role::MarkdownEmphasis)),
            Tag::Strong => self.tones.push(self.tone().over(Role::MarkdownStrong)),
            Tag::Strikethrough => self.tones.push(self.tone().over(Role::UiDim)),
            Tag::Link { dest_url, .. } => self.link(&dest_url, false),
            Tag::Image { dest_url, .. } => self.link(&dest_url, true),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.close(),
            TagEnd::Heading(_) => {
                self.tones.pop();
                self.close();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.containers.pop();
                self.tones.pop();
                self.gap = true;
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.gap = self.lists.is_empty();
            }
            TagEnd::Item => {
                self.flush_item();
                self.containers.pop();
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let (first, rest) = self.leads();
                    let rows = table.rows(self.width, &first, &rest);
                    self.rows.extend(rows);
                    self.gap = true;
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.tones.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    /// A block begins: what is open ends, and a blank row sets it off.
    fn begin(&mut self) {
        self.flush();
        let fresh_item = matches!(self.containers.last(), Some(Container::Item { used: false, .. }));
        if self.gap && !fresh_item {
            let (_, rest) = self.leads();
            let blank = Styled { text: rest.text.trim_end().to_owned(), marks: rest.marks, links: Vec::new() };
            let quoted = self.containers.iter().any(|one| matches!(one, Container::Quote));
            self.rows.push(if quoted {
                Styled::new(&blank.text, Role::MarkdownQuote).into_row(self.width)
            } else {
                Row::blank()
            });
        }
        self.gap = false;
    }

    fn close(&mut self) {
        self.flush();
        self.gap = true;
    }

    fn flush(&mut self) {
        if self.inline.is_empty() {
            return;
        }
        let (first, rest) = self.leads();
        let inline = std::mem::take(&mut self.inline);
        self.rows.extend(inline.rows(self.width, Break::Words, &first, &rest));
    }

    fn flush_item(&mut self) {
        self.flush();
        if let Some(Container::Item { used: false, .. }) = self.containers.last() {
            let (first, _) = self.leads();
            self.rows.push(first.into_row(self.width));
        }
    }

    /// What stands before the first row of a block and before the others.
    fn leads(&mut self) -> (Styled, Styled) {
        let (mut first, mut rest) = (Styled::default(), Styled::default());
        for container in &mut self.containers {
            match container {
                Container::Quote => {
                    first.push("▎ ", Role::MarkdownQuote);
                    rest.push("▎ ", Role::MarkdownQuote);
                }
                Container::Item { marker, used } => {
                    let indent = " ".repeat(marker.width());
                    if *used {
                        first.push(&indent, Role::UiText);
                    } else {
                        first.append(marker);
                        *used = true;
                    }
                    rest.push(&indent, Role::UiText);
                }
            }
        }
        (first, rest)
    }

    fn item(&mut self) {
        self.flush();
        self.gap = false;
        let depth = self.lists.len();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number += 1;
                marker
            }
            _ => if depth % 2 == 1 { "• " } else { "◦ " }.to_owned(),
        };
        self.containers.push(Container::Item { marker: Styled::new(&marker, Role::MarkdownBullet), used: false });
    }

    fn task(&mut self, done: bool) {
        if let Some(Container::Item { marker, used: false }) = self.containers.last_mut() {
            let role = if done { Role::ToolOk } else { Role::MarkdownBullet };
            *marker = Styled::new(if done { "☑ " } else { "☐ " }, role);
        }
    }

    fn rule(&mut self) {
        self.begin();
        let (first, _) = self.leads();
        let columns = self.width.saturating_sub(first.width()).min(40);
        let mut row = first;
        row.push(&"─".repeat(columns), Role::MarkdownRule);
        self.rows.push(row.into_row(self.width));
        self.gap = true;
    }

    fn link(&mut self, target: &str, image: bool) {
        let tone = self.tone().over(Role::MarkdownLink);
        if image {
            self.push("[image: ", tone);
        }
        let start = self.open_text().text.len();
        self.links.push(Link { target: target.to_owned(), start, image });
        self.tones.push(tone);
    }

    /// Shows where a link leads unless its text says so already. Text that names an address of its own
    /// leads there, whatever the link says.
    fn end_link(&mut self) {
        self.tones.pop();
        let Some(link) = self.links.pop() else { return };
        let shown = self.open_text().text.get(link.start..).unwrap_or_default().to_owned();
        let target = link::target(&link.target);
        let plain = link.target.trim_start_matches("mailto:");
        if let Some(target) = &target
            && (plain == shown || link::find(&shown, &[]).is_empty())
        {
            self.open_text().link_from(link.start, target.clone());
        }
        if link.image {
            let tone = self.tone().over(Role::MarkdownLink);
            self.push("]", tone);
        }
        let useful = !plain.is_empty() && !plain.starts_with('#') && plain != shown;
        if useful {
            let tone = self.tone().over(Role::UiDim);
            self.push(" (", tone);
            let start = self.open_text().text.len();
            self.push(&link.target, tone);
            if let Some(target) = target {
                self.open_text().link_from(start, target);
            }
            self.push(")", tone);
        }
    }

    fn open_text(&mut self) -> &mut Styled {
        match &mut self.table {
            Some(table) => table.cell(),
            None => &mut self.inline,
        }
    }

    fn code_block(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        let (first, rest) = self.leads();
        let colours = self.highlighter.colours(&language, &code);
        self.waiting |= matches!(colours, Colours::Coming);
        let marks = match &colours {
            Colours::Ready(marks) => marks.as_slice(),
            Colours::Coming | Colours::Plain => &[],
        };
        for (index, line) in code.strip_suffix('\n').unwrap_or(&code).split('\n').enumerate() {
            let lead = if index == 0 { &first } else { &rest };
            self.rows.extend(code_rows(line, marks.get(index), self.width, lead, &rest));
        }
        self.gap = true;
    }
}

/// Rows of one line of code.
pub fn code_rows(line: &str, marks: Option<&Vec<Mark>>, width: usize, first: &Styled, rest: &Styled) -> Vec<Row> {
    let indent = if width > 12 { "  " } else { "" };
    let first = first.clone().with(indent, Role::CodeText);
    let rest = rest.clone().with(indent, Role::CodeText);
    let exact = marks.filter(|marks| marks.iter().map(|mark| mark.bytes as usize).sum::<usize>() == line.len());
    let styled = match exact {
        Some(marks) => Styled { text: line.to_owned(), marks: marks.clone(), links: Vec::new() },
        None => Styled::new(line, Role::CodeText),
    };
    styled.rows(width, Break::Words, &first, &rest)
}

/// The language of a fence's info string.
pub fn fence_language(info: &str) -> &str {
    let end = info.find(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | ':')).unwrap_or(info.len());
    &info[..end]
}
