use super::{Look, led, notice};
use crate::proto::Fault;
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};

pub fn render(fault: &Fault, look: &Look) -> Vec<Row> {
    let mut rows = led(Styled::new("✘ ", Role::NoticeError), &fault.message, Role::NoticeError, look.width);
    if !fault.advice.is_empty() {
        rows.extend(notice::hint_rows(&fault.advice, look.width));
    }
    if let Some(detail) = fault.detail.as_deref().filter(|detail| !detail.is_empty()) {
        rows.extend(led(Styled::new("  │ ", Role::UiDim), detail, Role::UiDim, look.width));
    }
    rows
}
