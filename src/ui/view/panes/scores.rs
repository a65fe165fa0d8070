use crate::proto::{Followed, Ineligible, Routing};
use crate::text;
use crate::ui::state::not_compared;
use crate::ui::theme::Role;
use crate::ui::transcript::scores::{self, Columns};
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::list::{Line, List};

/// The rows of the pane before they are made: only those in sight are.
pub struct Plan<'a> {
    routing: Option<&'a Routing>,
    followed: Followed<'a>,
    columns: Columns,
    /// Width of the names of those that were not compared.
    names: usize,
    left_out: Vec<&'a Ineligible>,
    parts: Vec<Part>,
    width: usize,
}

enum Part {
    Row(Row),
    /// Index into the scores.
    Score(usize),
    /// Index into those that were not compared.
    LeftOut(usize),
}

/// Columns a name of those takes that were not compared.
const NAMES: usize = 20;

impl<'a> Plan<'a> {
    /// `shared` when other panes share the edge, so that the message does not stand there.
    pub fn new(routing: Option<&'a Routing>, followed: Followed<'a>, width: usize, shared: bool) -> Self {
        let left_out = routing.map(|routing| not_compared(&routing.ineligible)).unwrap_or_default();
        let longest = left_out.iter().map(|one| text::width(&text::sanitize_line(&one.capability))).max().unwrap_or(0);
        let columns =
            routing.map_or(Columns { names: 0, numbers: 0, verdicts: 0 }, |one| Columns::of(one, followed, width));
        let names = longest.min(NAMES).min(width / 2);
        let mut plan = Self { routing, followed, columns, names, left_out, parts: Vec::new(), width };
        plan.fill(shared);
        plan
    }

    /// The numbers alone, for who tells the outcome elsewhere.
    pub fn bare(routing: &'a Routing, width: usize) -> Self {
        let mut plan = Self::new(Some(routing), Followed::Nothing, width, false);
        let first = plan.parts.iter().position(|part| !matches!(part, Part::Row(_))).unwrap_or(plan.parts.len());
        plan.parts.drain(..first);
        plan
    }

    pub fn len(&self) -> usize {
        self.parts.len()
    }

    fn fill(&mut self, shared: bool) {
        let Some(routing) = self.routing else {
            self.words("no message was compared yet", Role::UiDim);
            return;
        };
        if shared && !routing.excerpt.is_empty() {
            self.words(&scores::excerpt(routing, self.width), Role::UiDim);
        }
        let rest = Styled::new("  ", Role::UiText);
        let outcome = scores::outcome(routing).rows(self.width, Break::Words, &Styled::default(), &rest);
        self.parts.extend(outcome.into_iter().map(Part::Row));
        let told = match self.followed {
            Followed::StaysOff(refusal) => Some(refusal.headline()),
            Followed::Failed(gone) => Some(gone.headline()),
            Followed::Nothing | Followed::Came => None,
        };
        if let Some((_, _, why)) = told {
            let why = Styled::new(&text::sanitize_line(&why), Role::ScoreFail);
            let first = Styled::new("✘ ", Role::ScoreFail);
            self.parts.extend(why.rows(self.width, Break::Words, &first, &rest).into_iter().map(Part::Row));
        }
        if let Some(near) = scores::near_miss(routing) {
            let first = Styled::new("◇ ", Role::ScoreGate);
            self.parts.extend(near.rows(self.width, Break::Words, &first, &rest).into_iter().map(Part::Row));
        }
        if !routing.scores.is_empty() {
            self.parts.push(Part::Row(Row::blank()));
        }
        self.parts.extend((0..routing.scores.len()).map(Part::Score));
        if !self.left_out.is_empty() {
            self.parts.push(Part::Row(Row::blank()));
            self.words(&format!("{} not compared", self.left_out.len()), Role::UiDim);
        }
        self.parts.extend((0..self.left_out.len()).map(Part::LeftOut));
        if let Some(encoder) = scores::encoder(routing) {
            self.parts.push(Part::Row(Row::blank()));
            self.words(&encoder, Role::UiDim);
        }
    }

    fn words(&mut self, words: &str, role: Role) {
        self.parts.push(Part::Row(Styled::new(words, role).into_row(self.width)));
    }

    /// Capabilities that can be marked.
    pub fn count(&self) -> usize {
        self.routing.map_or(0, |routing| routing.scores.len() + self.left_out.len())
    }

    /// The part that is in sight, made into rows.
    pub fn window(&self, marked: Option<usize>, offset: &mut usize, height: u16) -> List {
        let items: Vec<Option<usize>> = self.parts.iter().map(|part| self.item(part)).collect();
        List::made(&items, marked, offset, height, |at| Some(self.line(at)))
    }

    fn item(&self, part: &Part) -> Option<usize> {
        match part {
            Part::Row(_) => None,
            Part::Score(at) => Some(*at),
            Part::LeftOut(at) => Some(self.routing.map_or(0, |routing| routing.scores.len()) + at),
        }
    }

    pub fn line(&self, at: usize) -> Line {
        let Some(part) = self.parts.get(at) else { return Line::plain(Row::blank()) };
        let row = match (part, self.routing) {
            (Part::Row(row), _) => row.clone(),
            (Part::Score(at), Some(routing)) => {
                scores::score_row(routing, self.followed, *at, self.columns, self.width)
            }
            (Part::LeftOut(at), _) => self.left_out_row(*at),
            (Part::Score(_), None) => Row::blank(),
        };
        Line { row, item: self.item(part) }
    }

    fn left_out_row(&self, at: usize) -> Row {
        let Some(one) = self.left_out.get(at) else { return Row::blank() };
        let mut line = Styled::new(&text::sanitize_line(&one.capability), Role::ScoreFail);
        line.cut(self.names);
        line.pad_to(self.names + 1, Role::UiText);
        if let Some(score) = one.score {
            let gate = self.routing.map_or(1.0, |routing| routing.threshold);
            line.push(&format!("{} ", scores::graded(score, gate)), Role::ScoreFail);
        }
        line.push(&text::sanitize_line(&one.stage.sentence()), Role::UiDim);
        line.into_row(self.width)
    }
}
