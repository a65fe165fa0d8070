//! How much of each result the model sees.

use crate::text::tokens::estimate;

/// Tokens of all results of a round together, and of each at least. Source: engine reference, condense.
const ROUND: u64 = 32_000;
const EACH: u64 = 256;

/// What is shown of a text: numbered lines from its beginning and its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// Lines of the whole.
    pub lines: u32,
    /// Spans of lines that are shown, from 1, both ends included.
    pub shown: Vec<(u32, u32)>,
    /// The shown lines, each with its number before a tab.
    pub text: String,
}

impl View {
    pub fn is_whole(&self) -> bool {
        self.shown == [(1, self.lines)]
    }
}

/// Small texts are shown whole; what they leave goes to the others in equal shares.
pub fn views(texts: &[&str]) -> Vec<View> {
    let numbered: Vec<Vec<String>> = texts.iter().map(|text| numbered(text)).collect();
    let costs: Vec<Vec<u64>> = numbered.iter().map(|lines| lines.iter().map(|line| estimate(line)).collect()).collect();
    let mut by_cost: Vec<usize> = (0..texts.len()).collect();
    by_cost.sort_by_key(|at| costs[*at].iter().sum::<u64>());
    let mut views = vec![View::default(); texts.len()];
    let mut room = ROUND;
    for (done, at) in by_cost.iter().enumerate() {
        let share = (room / (texts.len() - done) as u64).max(EACH);
        let (view, used) = view(&numbered[*at], &costs[*at], share);
        views[*at] = view;
        room = room.saturating_sub(used);
    }
    views
}

fn numbered(text: &str) -> Vec<String> {
    text.lines().enumerate().map(|(at, line)| format!("{}\t{line}\n", at + 1)).collect()
}

fn view(lines: &[String], costs: &[u64], share: u64) -> (View, u64) {
    let count = lines.len() as u32;
    let all: u64 = costs.iter().sum();
    if all <= share {
        let shown = if count == 0 { Vec::new() } else { vec![(1, count)] };
        return (View { lines: count, shown, text: lines.concat() }, all);
    }
    let fitting = |costs: &mut dyn Iterator<Item = &u64>, room: u64| {
        let mut used = 0;
        let fits = costs.take_while(|cost| {
            used += **cost;
            used <= room
        });
        fits.count()
    };
    let head = fitting(&mut costs.iter(), share / 2);
    let used: u64 = costs[..head].iter().sum();
    let tail = fitting(&mut costs[head..].iter().rev(), share - used);
    let start = lines.len() - tail;
    let used = used + costs[start..].iter().sum::<u64>();
    let spans = [(1, head as u32), (start as u32 + 1, count)];
    let shown = spans.into_iter().filter(|(first, last)| first <= last).collect();
    (View { lines: count, shown, text: [&lines[..head], &lines[start..]].concat().concat() }, used)
}
