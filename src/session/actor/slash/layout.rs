use crate::text;

/// Rows with their columns aligned by display width. The last column is not padded.
pub(in crate::session::actor) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| text::width(cell)).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line.push_str(cell);
            if column + 1 < row.len() {
                line.push_str(&" ".repeat(widths[column] - text::width(cell) + 2));
            }
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// Percent of the parts of a whole, rounded so that they add up to 100.
pub(super) fn shares<const N: usize>(parts: [u64; N]) -> [String; N] {
    let whole: u128 = parts.iter().map(|part| u128::from(*part)).sum();
    if whole == 0 {
        return parts.map(|_| String::new());
    }
    let hundredfold = parts.map(|part| u128::from(part) * 100);
    let mut percents = hundredfold.map(|part| part / whole);
    let mut by_rest: Vec<usize> = (0..N).collect();
    by_rest.sort_by_key(|index| std::cmp::Reverse(hundredfold[*index] % whole));
    let missing = 100 - percents.iter().sum::<u128>();
    for index in by_rest.into_iter().take(missing as usize) {
        percents[index] += 1;
    }
    percents.map(|percent| format!("{percent} %"))
}

/// The part of a whole in percent.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { String::new() } else { format!("{:.0} %", part as f64 * 100.0 / whole as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        for parts in [[110, 841, 42], [1, 1, 1], [0, 0, 5], [995, 3, 2], [333, 333, 334]] {
            let shares = shares(parts);
            let sum: u64 = shares.iter().map(|share| share.trim_end_matches(" %").parse::<u64>().unwrap()).sum();
            assert_eq!(sum, 100, "{shares:?}");
        }
        assert_eq!(shares([0, 0, 0]), ["", "", ""].map(str::to_owned));
    }
}
