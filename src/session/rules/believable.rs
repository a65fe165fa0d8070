use crate::proto::Usage;

/// More tokens than any request has. A server that reports more counts wrong.
const MOST_TOKENS: u64 = 100_000_000;

/// The usage with no count beyond belief, so that one wrong number does not spoil all sums.
pub fn believable(usage: Usage) -> Usage {
    let sane = |tokens: u64| tokens.min(MOST_TOKENS);
    Usage {
        input: sane(usage.input),
        output: sane(usage.output),
        cache_read: sane(usage.cache_read),
        cache_write: sane(usage.cache_write),
        reasoning: sane(usage.reasoning),
        cost: usage.cost,
    }
}
