//! For every text the sections survive being rendered and read again, in every
//! language, and none of its words is lost on the way.

use handoff_fmt::{Document, Section, degraded, parse};
use proptest::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use terminal::Language;

/// Pieces that are hard on a parser: what opens, closes, hides or resembles a
/// heading.
const FRAGMENTS: &[&str] = &[
    "## Doing now",
    "## Next step",
    "# Scene",
    "###### Decided ##",
    "####### Next step",
    "##下一步",
    "## 走不通的路:",
    "### 进度 50%",
    "**Next:**",
    "**Next:** do it",
    "__Dead ends__",
    "1. **Scene**",
    "- **Next step**",
    "Next step",
    "  Next step",
    "   ## Next",
    "    ## Next",
    "\t## Next",
    "Next: Doing now: deep",
    "## Next step — start here",
    "## Next step (start at once): run",
    "# Doing now & scene",
    "## Doing now / **Scene:**",
    "## Doing now — ## Scene",
    "## Next - 2、Scene",
    "## Doing now (Scene:)",
    "## Open questions & next steps",
    "## 风险与下一步",
    "**Next step** — do x",
    "**Next step — Scene:** run",
    "**Doing now** (half-way)",
    "**Doing now — __Next — x__**",
    "**Doing now** — ```sh",
    "**Doing now** — <!-- x",
    "**Next — [x](y)**: - Files: z",
    "【下一步 — 现场】: 【现场】",
    "■ 次のステップ",
    "● Scene & more",
    "▶ Next — ◆ Scene: x",
    "## IV. Next -> （四）现场",
    "**Doing now** _(（二）现场)_",
    "（四）下一步",
    "**Scene** 🚀",
    "## 下一步【现场：】",
    "1. Doing now",
    "2. Next step",
    "1) Doing now: Next: x",
    "- **Doing now:** x",
    "* **Next step** — y",
    "- Scene (z): ```",
    "- Decided: - Next: x",
    "🚀 Next step",
    "Doing now",
    "Next: ```",
    "Next: - item",
    "Doing now: <!--",
    "下一步: 跑一遍",
    "2、下一步",
    "① 现场",
    "【下一步】",
    "다음 스텝",
    "次のステップ:",
    "Files:",
    "文件 a.rs 需要改。",
    "===",
    "---",
    "-",
    "- - -",
    "***",
    "```",
    "```sh",
    "```markdown",
    "````",
    "~~~",
    "~~~~ text",
    "  ```",
    "     ```",
    "- ```",
    "  - ```",
    "1. ~~~",
    "- item",
    "  - nested",
    "10) item",
    "1. item",
    "2. Files:",
    "3. **Scene**",
    "  2. Files:",
    "    code",
    "> quote",
    "> ## Next step",
    "> ```",
    "<!--",
    "-->",
    "<!-- ## Next -->",
    "(空)",
    "(none)",
    "- TBD",
    "N/A.",
    "**なし**",
    "",
    " ",
    "\u{3000}",
    "\u{feff}",
    "\u{a0}## Next",
    "\u{2028}",
    "x\u{2028}## Next",
    "prose",
    "two words \\",
    "\\## Next",
    "# Handoff (x)",
    "# 交接书(x)",
    "> Written by a session whose context was nearly full, for the session that takes over.",
    "\0",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => prop::sample::select(FRAGMENTS).prop_map(str::to_owned),
        3 => heading(),
        1 => "[ -~]{0,12}",
        1 => "\\PC{0,6}",
    ];
    let end = prop::sample::select(&["\n", "\n", "\n", "\n\n", "\r\n", "\r", " "][..]);
    prop::collection::vec((piece, end), 0..40)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, end)| piece + end).collect())
}

/// A mark, then names, words and what may set them apart, in any order.
fn heading() -> impl Strategy<Value = String> {
    const MARKS: &[&str] = &["## ", "# **", "**", "【", "■ ", "二、", "1. **", "4. ", "- **", ""];
    const NAMES: &[&str] = &["Next step", "Doing now", "Scene", "下一步", "현장", "次のステップ"];
    const APART: &[&str] = &[
        " — ", ": ", " (", ") ", " / ", " & ", " and ", "：", "（", "）", "、", "和", "** ", " **",
        " *", "_ ", "】", "【", " - ", "[", "] ", " → ", "/", " ",
    ];
    let word = prop_oneof![prop::sample::select(NAMES).prop_map(str::to_owned), "word[0-9]{6}",];
    let parts = prop::collection::vec((word, prop::sample::select(APART)), 1..6);
    (prop::sample::select(MARKS), parts).prop_map(|(mark, parts)| {
        parts.into_iter().fold(mark.to_owned(), |line, (word, apart)| line + &word + apart)
    })
}

/// The headings of level two that CommonMark sees.
fn second_level(markdown: &str) -> Vec<String> {
    let mut headings = Vec::new();
    let mut open: Option<String> = None;
    for event in Parser::new(markdown) {
        match (event, &mut open) {
            (Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }), _) => {
                open = Some(String::new());
            }
            (Event::Text(text), Some(heading)) => heading.push_str(&text),
            (Event::End(TagEnd::Heading(_)), _) => headings.extend(open.take()),
            _ => {}
        }
    }
    headings
}

/// Whether a fence or comment opens anywhere but at the start of the line.
fn has_inner_block(line: &str) -> bool {
    let inner = line.trim_start_matches(|c: char| c.is_ascii_digit() || " \t-*+.)".contains(c));
    inner.len() < line.len() && ["```", "~~~", "<!--"].iter().any(|open| inner.starts_with(open))
}

fn sections(document: &Document) -> Vec<&str> {
    Section::ALL.iter().map(|&section| document.section(section)).collect()
}

proptest! {
    #[test]
    fn what_is_rendered_reads_back(text in text(), step in "\\PC{0,8}") {
        let document = parse(&text);
        for language in Language::ALL {
            let markdown = document.to_markdown(&step, language);
            let again = parse(&markdown);
            prop_assert_eq!(sections(&again), sections(&document), "{}", markdown);
            prop_assert_eq!(&again.preamble, &document.preamble, "{}", markdown);
            prop_assert!(again.titled);
        }
    }

    /// Whoever opens the file in a Markdown viewer sees the five sections, whatever
    /// is in them. Blocks within list items are left out: there ours end at their
    /// closing line, CommonMark's with the item at the latest. So is all HTML but comments.
    #[test]
    fn a_viewer_sees_five_sections(text in text()) {
        let text = text.replace("     ```", "```").replace("  ```", "```");
        let text = text.replace("<!--", "\u{1}").replace('<', "").replace('\u{1}', "<!--");
        let text = text.replace("- ```", "").replace("1. ~~~", "");
        let markdown = parse(&text).to_markdown("s", Language::En);
        prop_assume!(!markdown.lines().any(has_inner_block));
        let headings = second_level(&markdown);
        let mut seen = headings.iter();
        for section in Section::ALL {
            let label = section.label(Language::En);
            prop_assert!(seen.any(|heading| heading == label), "{} in {}", label, markdown);
        }
    }

    #[test]
    fn words_are_never_lost(lines in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..30)) {
        let text: String =
            lines.iter().enumerate().map(|(n, line)| format!("{line}\nword{n} stays\n")).collect();
        let document = parse(&text);
        let kept = format!("{}\n{}", document.preamble, sections(&document).join("\n"));
        for n in 0..lines.len() {
            let word = format!("word{n} stays");
            prop_assert!(kept.lines().any(|line| line == word), "{} of {:?}", word, text);
        }
    }

    /// Nor are those of a heading, whatever stands beside the name.
    #[test]
    fn words_of_a_heading_are_never_lost(lines in prop::collection::vec(heading(), 1..12)) {
        let text = lines.join("\n\nprose\n\n");
        let document = parse(&text);
        let kept = format!("{}\n{}", document.preamble, sections(&document).join("\n"));
        for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
            if word.starts_with("word") {
                prop_assert!(kept.contains(word), "{} of {:?}", word, text);
            }
        }
    }

    #[test]
    fn a_stand_in_holds_any_task(task in text(), step in "\\PC{0,8}", why in "\\PC{0,20}") {
        let document = degraded(&step, &why, &task, Language::Ko);
        prop_assert!(document.complete() && document.degraded());
        let again = parse(&document.to_markdown(&step, Language::Ja));
        prop_assert_eq!(sections(&again), sections(&document));
    }

    #[test]
    fn a_prompt_has_every_section(text in text()) {
        let document = parse(&text);
        let prompt = document.to_prompt(Language::En);
        for body in sections(&document) {
            prop_assert!(prompt.contains(body));
        }
        prop_assert!(prompt.contains(&document.preamble));
    }
}
