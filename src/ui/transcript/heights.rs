//! Row counts of a long list with sums over any prefix.

/// A Fenwick tree over the heights of the entries: changing one, adding one at the end, the sum of
/// those before, and the entry at a row are all logarithmic.
#[derive(Debug, Clone, Default)]
pub struct Heights {
    each: Vec<u32>,
    tree: Vec<u64>,
}

impl Heights {
    pub fn new(each: Vec<u32>) -> Self {
        let mut tree: Vec<u64> = each.iter().map(|height| u64::from(*height)).collect();
        for index in 0..tree.len() {
            let parent = index | (index + 1);
            if parent < tree.len() {
                tree[parent] += tree[index];
            }
        }
        Self { each, tree }
    }

    pub fn push(&mut self, height: u32) {
        let index = self.each.len();
        let first = index & (index + 1);
        let below = self.before(index) - self.before(first);
        self.each.push(height);
        self.tree.push(below + u64::from(height));
    }

    pub fn set(&mut self, index: usize, height: u32) {
        let Some(old) = self.each.get_mut(index) else { return };
        let (was, is) = (u64::from(*old), u64::from(height));
        if was == is {
            return;
        }
        *old = height;
        let mut at = index;
        while let Some(sum) = self.tree.get_mut(at) {
            *sum = *sum + is - was;
            at |= at + 1;
        }
    }

    /// Rows of all entries before `index`.
    pub fn before(&self, index: usize) -> u64 {
        let mut sum = 0;
        let mut end = index.min(self.each.len());
        while end > 0 {
            sum += self.tree[end - 1];
            end &= end - 1;
        }
        sum
    }

    pub fn total(&self) -> u64 {
        self.before(self.each.len())
    }

    /// The entry that holds this row, and which of its rows it is. `None` past the end.
    pub fn find(&self, row: u64) -> Option<(usize, u32)> {
        let mut index = 0;
        let mut left = row;
        let mut step = self.each.len().next_power_of_two();
        while step > 0 {
            let next = index + step;
            if next <= self.each.len() && self.tree[next - 1] <= left {
                left -= self.tree[next - 1];
                index = next;
            }
            step /= 2;
        }
        (index < self.each.len()).then_some((index, left as u32))
    }
}
