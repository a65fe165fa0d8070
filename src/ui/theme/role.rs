/// Declares the roles once: enum variant, dotted name, and the table of all.
macro_rules! roles {
    ($($variant:ident = $name:literal,)*) => {
        /// What a piece of the screen means; the theme says how it looks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $(#[doc = $name] $variant,)*
        }

        impl Role {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The dotted name themes use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

roles! {
    Ui = "ui",
    UiText = "ui.text",
    UiDim = "ui.dim",
    UiStrong = "ui.strong",
    UiAccent = "ui.accent",
    UiBackground = "ui.background",
    UiBorder = "ui.border",
    UiBorderFocus = "ui.border.focus",
    UiTitle = "ui.title",
    UiTitleFocus = "ui.title.focus",
    UiSelection = "ui.selection",
    UiCursorLine = "ui.cursorline",
    UiStatus = "ui.status",
    UiStatusKey = "ui.status.key",
    UiOverlay = "ui.overlay",
    UiMatch = "ui.match",
    UiScrollbar = "ui.scrollbar",
    ComposerText = "composer.text",
    ComposerHint = "composer.hint",
    ComposerPrompt = "composer.prompt",
    ComposerChip = "composer.chip",
    UserText = "user.text",
    UserMark = "user.mark",
    AssistantText = "assistant.text",
    AssistantScripted = "assistant.scripted",
    ThinkingText = "thinking.text",
    MarkdownHeading = "markdown.heading",
    MarkdownEmphasis = "markdown.emphasis",
    MarkdownStrong = "markdown.strong",
    MarkdownCode = "markdown.code",
    MarkdownQuote = "markdown.quote",
    MarkdownLink = "markdown.link",
    MarkdownRule = "markdown.rule",
    MarkdownBullet = "markdown.bullet",
    CodeText = "code.text",
    CodeKeyword = "code.keyword",
    CodeString = "code.string",
    CodeNumber = "code.number",
    CodeComment = "code.comment",
    CodeFunction = "code.function",
    CodeType = "code.type",
    CodeOperator = "code.operator",
    ToolName = "tool.name",
    ToolArguments = "tool.arguments",
    ToolRunning = "tool.running",
    ToolOk = "tool.ok",
    ToolError = "tool.error",
    ToolOutput = "tool.output",
    DiffPlus = "diff.plus",
    DiffMinus = "diff.minus",
    DiffHunk = "diff.hunk",
    DiffPlusWord = "diff.plus.word",
    DiffMinusWord = "diff.minus.word",
    DecisionMark = "decision.mark",
    DecisionText = "decision.text",
    NoticeInfo = "notice.info",
    NoticeWarning = "notice.warning",
    NoticeError = "notice.error",
    NoticeHint = "notice.hint",
    ServerReady = "server.ready",
    ServerStarting = "server.starting",
    ServerFailed = "server.failed",
    ServerOff = "server.off",
    ScorePass = "score.pass",
    ScoreFail = "score.fail",
    ScoreGate = "score.gate",
}
