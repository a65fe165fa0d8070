//! Quantities in the form people read.

/// `999 B`, `4.1 KB`, `12 MB`; steps of 1024.
#[must_use]
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    // 999.5 and not 1024, so that no value is shown with four digits.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value < 9.95 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

/// `120 ms`, `1.2 s`, `42 s`, `3 m 04 s`, `2 h 05 m`, `3 d 04 h`.
#[must_use]
pub fn duration_ms(milliseconds: u64) -> String {
    if milliseconds < 1000 {
        return format!("{milliseconds} ms");
    }
    if milliseconds < 9950 {
        return format!("{:.1} s", milliseconds as f64 / 1000.0);
    }
    let seconds = (milliseconds + 500) / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} m {:02} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {:02} m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {:02} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// Digits in groups of three with thin spaces: `2 310`.
#[must_use]
pub fn tokens(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    grouped
}

/// `$0`, `<$0.001`, `$0.041`, `$1.24`, `$318`. What is not a price is `$?`.
#[must_use]
pub fn dollars(amount: f64) -> String {
    if !amount.is_finite() || amount < 0.0 {
        "$?".to_owned()
    } else if amount == 0.0 {
        "$0".to_owned()
    } else if amount < 0.001 {
        "<$0.001".to_owned()
    } else if amount < 0.9995 {
        format!("${amount:.3}")
    } else if amount < 99.995 {
        format!("${amount:.2}")
    } else {
        format!("${amount:.0}")
    }
}

/// How long ago, in its largest unit: `just now`, `40 s ago`, `3 m ago`, `2 h ago`, `5 d ago`.
#[must_use]
pub fn ago(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..10 => "just now".to_owned(),
        10..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} m ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests;
