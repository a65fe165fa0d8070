use super::*;

#[test]
fn sizes() {
    let cases = [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (4200, "4.1 KB"),
        (10_200, "10 KB"),
        (1_023_999, "1.0 MB"),
        (12 * 1024 * 1024, "12 MB"),
        (u64::MAX, "16384 PB"),
    ];
    for (count, shown) in cases {
        assert_eq!(bytes(count), shown);
    }
}

#[test]
fn times() {
    let cases = [
        (0, "0 ms"),
        (120, "120 ms"),
        (999, "999 ms"),
        (1200, "1.2 s"),
        (9949, "9.9 s"),
        (9950, "10 s"),
        (59_499, "59 s"),
        (59_500, "1 m 00 s"),
        (184_000, "3 m 04 s"),
        (3_599_600, "1 h 00 m"),
        (7_500_000, "2 h 05 m"),
        (273_600_000, "3 d 04 h"),
    ];
    for (milliseconds, shown) in cases {
        assert_eq!(duration_ms(milliseconds), shown);
    }
}

#[test]
fn counts() {
    let cases = [
        (0, "0"),
        (999, "999"),
        (2310, "2\u{2009}310"),
        (200_000, "200\u{2009}000"),
        (1_234_567, "1\u{2009}234\u{2009}567"),
    ];
    for (count, shown) in cases {
        assert_eq!(tokens(count), shown);
    }
}

#[test]
fn prices() {
    let cases = [
        (0.0, "$0"),
        (0.0004, "<$0.001"),
        (0.041, "$0.041"),
        (0.9996, "$1.00"),
        (1.236, "$1.24"),
        (318.4, "$318"),
        (f64::NAN, "$?"),
        (-1.0, "$?"),
    ];
    for (amount, shown) in cases {
        assert_eq!(dollars(amount), shown);
    }
}

#[test]
fn past_moments() {
    let cases =
        [(0, "just now"), (40_000, "40 s ago"), (200_000, "3 m ago"), (7_300_000, "2 h ago"), (450_000_000, "5 d ago")];
    for (milliseconds, shown) in cases {
        assert_eq!(ago(milliseconds), shown);
    }
}
