use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A block of code in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeBlock {
    /// As the message names it; may be empty.
    pub language: String,
    /// Without the fence and its indentation.
    pub text: String,
}

/// The blocks of code of a message, in order.
pub fn code_blocks(markdown: &str) -> Vec<CodeBlock> {
    let mut blocks = Vec::new();
    let mut open: Option<CodeBlock> = None;
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                open = Some(CodeBlock { language, text: String::new() });
            }
            Event::Text(text) => {
                if let Some(block) = &mut open {
                    block.text.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_without_their_fences_whatever_they_stand_in() {
        let text = "a\n\n```rust\nfn a() {}\n```\n\n- item\n\n  ```\n  two\n    three\n  ```\n\n> ~~~sh x\n> ls\n> ~~~\n\n```py\nopen";
        let found: Vec<(String, String)> =
            code_blocks(text).into_iter().map(|block| (block.language, block.text)).collect();
        let block = |language: &str, text: &str| (language.to_owned(), text.to_owned());
        let wanted =
            [block("rust", "fn a() {}\n"), block("", "two\n  three\n"), block("sh", "ls\n"), block("py", "open")];
        assert_eq!(found, wanted);
    }
}
