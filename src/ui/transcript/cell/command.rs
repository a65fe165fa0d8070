use super::{Look, led};
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

pub fn render(line: &str, output: &str, look: &Look) -> Vec<Row> {
    let mut rows = led(Styled::new("› ", Role::ComposerPrompt), line, Role::UiStrong, look.width);
    let output = output.trim_end();
    if !output.is_empty() {
        let lead = Styled::new("  ", Role::UiText);
        rows.extend(Styled::new(&text::sanitize(output), Role::UiText).rows(look.width, Break::Words, &lead, &lead));
    }
    rows
}
