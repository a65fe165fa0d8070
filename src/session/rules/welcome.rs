/// What opens and closes the part of a welcome that only the model is given.
const OPEN: &str = "<system>";
const CLOSE: &str = "</system>";

/// A welcome in two: what a person is shown, and what the model is given of the machine. A part that
/// is not closed goes to its end.
pub fn welcome(text: &str) -> (String, String) {
    let (mut shown, mut context) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        shown.push_str(&rest[..at]);
        let inside = &rest[at + OPEN.len()..];
        let end = inside.find(CLOSE);
        context.push(inside[..end.unwrap_or(inside.len())].trim());
        rest = end.map_or("", |end| &inside[end + CLOSE.len()..]);
    }
    shown.push_str(rest);
    context.retain(|part| !part.is_empty());
    (shown.trim().to_owned(), context.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::welcome;

    #[test]
    fn what_is_for_the_model_is_not_shown() {
        for (text, shown, context) in [
            ("Hello.\n<system>\nFolder: /w\n</system>", "Hello.", "Folder: /w"),
            ("<system>a</system>Hi<system>b</system>", "Hi", "a\nb"),
            ("Hi <system>no end", "Hi", "no end"),
            ("Hi </system>", "Hi </system>", ""),
            ("<system> </system>", "", ""),
            ("", "", ""),
        ] {
            assert_eq!(welcome(text), (shown.to_owned(), context.to_owned()), "{text}");
        }
    }
}
