//! What is a heading and what is not, in four languages.

use std::time::{Duration, Instant};

use handoff_fmt::{Document, Refusal, Section, parse};
use terminal::Language;

fn body(text: &str, section: Section) -> String {
    parse(text).section(section).to_owned()
}

/// Every form of mark around every canonical name.
#[test]
fn every_mark_makes_a_heading_in_every_language() {
    let forms = [
        "# {}",
        "## {}",
        "### {}",
        "#### {}",
        "##### {}",
        "###### {}",
        "##{}",
        "   ## {}",
        "## {} ##",
        "## {}##",
        "## {}:",
        "## {}：",
        "##\u{a0}{}\u{a0}",
        "\u{3000}## {}",
        "\u{a0}## {}",
        "##\u{3000}{}\u{3000}",
        "## 4. {}",
        "## 4) {}",
        "## 4、{}",
        "## 四、{}",
        "## ④ {}",
        "## 4️⃣ {}",
        "## 🚀 {}",
        "## {} 🚀",
        "## ⚠️ {}",
        "## **{}**",
        "## **{}:**",
        "## __{}__",
        "## *{}*",
        "## `{}`",
        "## [{}]",
        "## 【{}】",
        "## {} (required)",
        "## {}（必填）",
        "## {} (필수)",
        "# 2) **{}** #",
        "**{}**",
        "**{}:**",
        "**{}**:",
        "**{}：**",
        "**{}**：",
        "__{}__",
        "__{}__:",
        "***{}***",
        "**🚀 {}**",
        "🚀 **{}**",
        "**4. {}**",
        "4. **{}**",
        "4) **{}:**",
        "{}:",
        "{}：",
        "{} :",
        "🚀 {}:",
        "4. {}:",
        "4、{}",
        "④ {}",
        "四、{}",
        "【{}】",
        "【{}】:",
        "{}\n---",
        "{}\n===",
        "{}\n=",
        "{}:\n----",
        "**{}**\n======",
        "  {}\n  ---",
    ];
    for language in Language::ALL {
        for section in Section::ALL {
            for form in forms {
                let heading = form.replace("{}", section.label(language));
                for text in [
                    format!("{heading}\n\nthe text\n"),
                    format!("{heading}\nthe text"),
                    format!("\u{feff}{heading}\r\n\r\nthe text\r\n"),
                ] {
                    let document = parse(&text);
                    assert_eq!(document.section(section), "the text", "{text:?} {document:?}");
                    assert_eq!(document.preamble, "", "{text:?}");
                }
            }
        }
    }
}

#[test]
fn text_may_go_on_after_the_colon() {
    for language in Language::ALL {
        for section in Section::ALL {
            for form in [
                "{}: the text",
                "*{}:* the text",
                "_{}_: the text",
                "{}：the text",
                "**{}:** the text",
                "**{}**: the text",
                "__{}：__the text",
                "## {}: the text",
                "## **{}:** the text",
                "【{}】the text",
                "【{}】: the text",
                "4、{}: the text",
            ] {
                let text = form.replace("{}", section.label(language)) + "\nmore";
                assert_eq!(body(&text, section), "the text\nmore", "{text:?}");
            }
        }
    }
}

#[test]
fn names_are_known_in_their_variants() {
    let names: &[(Section, &[&str])] = &[
        (
            Section::Doing,
            &[
                "Doing now",
                "DOING NOW",
                "Doing",
                "What I'm doing now",
                "What I’m doing now",
                "What we are doing right now",
                "Current work",
                "Current state",
                "The current status",
                "In progress",
                "In-progress",
                "Current task",
                "Where we stand",
                "现在在做什么",
                "现在在做",
                "当前进度",
                "进度",
                "現在在做什麼",
                "現在在做",
                "當前進度",
                "지금 무엇을 하고 있는가",
                "지금 하는 일",
                "지금하는 일",
                "현재 작업",
                "今やっていること",
                "現在の作業",
                "Doing now / 现在在做什么",
                "现在在做什么（Doing now）",
                "Doing now 现在在做什么",
            ],
        ),
        (
            Section::Decided,
            &[
                "Decided",
                "Decisions",
                "Decision",
                "What has been decided",
                "What's already decided",
                "Decided (with why)",
                "Decisions & reasons",
                "Decisions made",
                "已经定下的",
                "已定的事",
                "决策",
                "已經定下的",
                "決策",
                "이미 정해진 것",
                "결정",
                "결정 사항",
                "決まったこと",
                "決定事項",
            ],
        ),
        (
            Section::Deadends,
            &[
                "Dead ends",
                "Dead end",
                "dead-ends",
                "Deadends",
                "Tried and failed",
                "What was tried and failed",
                "Dead ends & failed attempts",
                "Dead ends and failed approaches",
                "Dead ends — what didn't work",
                "Dead ends (what was tried, what failed)",
                "What didn't work",
                "走不通的路",
                "走不通的",
                "试过不行的",
                "排除的路",
                "試過不行的",
                "막힌 길",
                "안 된 것",
                "行き止まり",
                "試してだめだったこと",
            ],
        ),
        (
            Section::Next,
            &[
                "Next step",
                "Next steps",
                "The next steps",
                "NEXT",
                "What's next",
                "What to do next",
                "Next up",
                "Next step(s)",
                "下一步",
                "接下来",
                "다음 스텝",
                "다음 단계",
                "次のステップ",
                "次の一手",
                "下一步 / Next step",
            ],
        ),
        (
            Section::Scene,
            &[
                "Scene",
                "The scene",
                "Files",
                "File",
                "Key files",
                "现场",
                "文件",
                "現場",
                "檔案",
                "현장",
                "파일",
                "ファイル",
                "Scene (files)",
                "Scene/files",
                "Files & scene",
            ],
        ),
    ];
    for (section, names) in names {
        for name in *names {
            for text in [
                format!("## {name}\nthe text"),
                format!("**{name}**\nthe text"),
                format!("{name}:\nthe text"),
            ] {
                assert_eq!(body(&text, *section), "the text", "{text:?}");
            }
        }
    }
}

/// A name with words beside it, behind an explicit mark: what the words are, they
/// begin the section.
#[test]
fn words_beside_a_name_begin_its_section() {
    use Section::{Deadends, Decided, Doing, Next, Scene};
    let table: &[(&str, Section, &str)] = &[
        // Notes that say nothing.
        ("## Next step (required)", Next, ""),
        ("## Next step — required", Next, ""),
        ("## Dead ends (optional)", Deadends, ""),
        ("## 下一步（必填）", Next, ""),
        ("## 走不通的路（可选）", Deadends, ""),
        ("## 다음 스텝 (필수)", Next, ""),
        ("## 次の一手（必須）", Next, ""),
        ("**Next step (required):**", Next, ""),
        ("■ Next step (required)", Next, ""),
        ("### 3. Next step (required):", Next, ""),
        // Parentheses.
        ("## Next step (start at once)", Next, "(start at once)"),
        ("## Next step (start at once): run x", Next, "(start at once)\nrun x"),
        ("## Next step (start — at once) 🚀", Next, "(start — at once)"),
        ("## Next step (required) — start here", Next, "start here"),
        ("## Next step (start here", Next, "(start here"),
        ("## Files (changed in this session)", Scene, "(changed in this session)"),
        ("## Next step (run f() at once)", Next, "(run f() at once)"),
        ("**Next step** — run *x*", Next, "run *x*"),
        ("**Doing now** (half-way)", Doing, "(half-way)"),
        ("**Doing now (half-way):** fixing x", Doing, "(half-way)\nfixing x"),
        ("【下一步】（马上开始）", Next, "（马上开始）"),
        ("【下一步（马上开始）】跑测试", Next, "（马上开始）\n跑测试"),
        ("## 다음 단계 (바로 시작)", Next, "(바로 시작)"),
        ("■ 次のステップ（すぐ始める）", Next, "（すぐ始める）"),
        ("二、下一步（马上开始）", Next, "（马上开始）"),
        // Dashes and colons.
        ("## Next step — start here", Next, "start here"),
        ("## Next step – start here", Next, "start here"),
        ("## Next step - start here", Next, "start here"),
        ("## Next step -- start here", Next, "start here"),
        ("## Next step: start here", Next, "start here"),
        ("## **Next step** — start here", Next, "start here"),
        ("**Next step** — do x", Next, "do x"),
        ("**Next step — do x**", Next, "do x"),
        ("**Next step — start here:** run x", Next, "start here\nrun x"),
        ("**Next step: do x**", Next, "do x"),
        ("## 下一步——马上开始", Next, "马上开始"),
        ("## 下一步：马上开始", Next, "马上开始"),
        ("## 現場 — 檔案在 src/", Scene, "檔案在 src/"),
        ("## 다음 단계 - 바로 시작", Next, "바로 시작"),
        ("## 次のステップ：すぐ始める", Next, "すぐ始める"),
        ("## 次のステップ〜すぐ始める〜", Next, "すぐ始める〜"),
        ("【次の一手】— 走らせる", Next, "— 走らせる"),
        // Ornaments.
        ("■ 次のステップ", Next, ""),
        ("◆ 下一步", Next, ""),
        ("● 다음 단계", Next, ""),
        ("▶ Next step", Next, ""),
        ("▶️ **Next step**", Next, ""),
        ("□ What I'm doing now", Doing, ""),
        ("◆ 1. Dead ends", Deadends, ""),
        ("● 进度：50%", Doing, "50%"),
        // Names joined with names and other words.
        ("## Doing now / current state", Doing, ""),
        ("## Current state & progress", Doing, ""),
        ("**Next step** / **下一步**", Next, ""),
        ("## 下一步 — Next step", Next, ""),
        ("## Next steps & open questions", Next, "open questions"),
        ("## Next steps and open questions", Next, "open questions"),
        ("## Next steps/plan", Next, "plan"),
        ("## Next steps | plan | **risks**:", Next, "plan | **risks"),
        ("## Decided · agreed · open", Decided, "open"),
        ("## Doing now / current state — half-way", Doing, "half-way"),
        ("## Open questions & next steps", Next, "Open questions"),
        ("## Risks / 下一步（必填）", Next, "Risks"),
        ("## 风险与下一步", Next, "风险"),
        ("## 下一步和待办", Next, "待办"),
        ("## 다음 단계 및 남은 일", Next, "남은 일"),
        ("## 다음 단계와 남은 일", Next, "남은 일"),
        ("## 次のステップと課題", Next, "課題"),
        ("## 次のステップ・課題", Next, "課題"),
        // Numbering that is none without a mark.
        ("## Section 4: Next step", Next, ""),
        ("## Part 4 — Next step (at once)", Next, "(at once)"),
        ("## IV. Next step", Next, ""),
        ("## [4] Next step", Next, ""),
        ("**d) Next step**", Next, ""),
        ("## 4 - Next step", Next, ""),
        ("## 第四节：下一步", Next, ""),
        ("## （四）下一步", Next, ""),
        ("（四）下一步", Next, ""),
        // Emphasis and punctuation after bold.
        ("**Next step** *(required)*", Next, ""),
        ("**Next step** _(go)_", Next, "(go)"),
        ("**下一步**。", Next, ""),
        ("**Next step** 🚀", Next, ""),
        ("4. **Next step** (required)", Next, ""),
        ("## 下一步【必填】", Next, ""),
        ("## Next step → run x", Next, "run x"),
        // Of two sections the first is meant, but for one that must be there.
        ("## Doing now & scene", Doing, "scene"),
        ("## Dead ends and decisions", Deadends, "decisions"),
        ("## Files & next step", Next, "Files"),
        ("## Doing now & **Scene:**", Doing, "Scene"),
        // Wordings.
        ("## Where I am", Doing, ""),
        ("## Where we are", Doing, ""),
        ("## Where things are at", Doing, ""),
        ("## Immediate next action", Next, ""),
        ("## What is left to do", Next, ""),
        ("## 我在哪里", Doing, ""),
        ("## Next steps for the successor", Next, ""),
        ("## 当前进展", Doing, ""),
        ("## 接下来要做的事", Next, ""),
    ];
    for &(heading, section, note) in table {
        for text in [
            format!("{heading}\n\n- the text\n"),
            format!("some chatter\n\n{heading}\r\n\r\n- the text\r\n"),
            format!("- item\n\n{heading}\n\n- the text"),
        ] {
            let expected = match note {
                "" => "- the text".to_owned(),
                note => format!("{note}\n\n- the text"),
            };
            let document = parse(&text);
            assert_eq!(document.section(section), expected, "{text:?} {document:?}");
            let markdown = document.to_markdown("", Language::Ko);
            assert_eq!(parse(&markdown).section(section), expected, "{markdown}");
        }
    }
}

/// Headings whose only mark is a list's, or that have none, count where there
/// are no others.
#[test]
fn a_document_without_marks_is_read_as_a_last_resort() {
    for (text, doing, next) in [
        ("1. Doing now\nfix x\n2. Next step\nrun y\n", "fix x", "run y"),
        ("1. Doing now\n   - fix x\n\n2. Next step\n   1. run y\n", "   - fix x", "   1. run y"),
        ("1. **Doing now**\n   fix\n2. **Next step**\n   - run\n", "   fix", "   - run"),
        ("1. Doing now: fix x\n2. Decided: z\n3. Next step: run y", "fix x", "run y"),
        ("1) 现在在做什么：修 x\n2) 下一步：跑 y\n", "修 x", "跑 y"),
        ("- **Doing now:** fix x\n- **Next step:** run y\n", "fix x", "run y"),
        ("* Doing now — fix x\n* Next step (at once): run y\n", "fix x", "(at once)\nrun y"),
        ("Here it is:\n\n- **진행 상황**: x\n  - a\n- **다음 단계**: y\n", "x\n  - a", "y"),
        ("# Handover\n\n- 作業中：x\n- 次の一手：y\n", "x", "y"),
        ("Doing now\n\nfix x\n\nNext step\n\nrun y\n", "fix x", "run y"),
        ("🔧 Doing now\nfix x\n\n🚀 Next step\nrun y\n", "fix x", "run y"),
        // What comes again is an item of the section.
        ("1. Doing now\nx\n2. Next step\n1. run\n2. next\n", "x", "1. run\n2. next"),
    ] {
        let document = parse(text);
        let found = (document.section(Section::Doing), document.section(Section::Next));
        assert_eq!(found, (doing, next), "{text:?} {document:?}");
        let again = parse(&document.to_markdown("", Language::Zh));
        assert_eq!(sections(&again), sections(&document), "{text:?}");
    }
    for text in [
        "## Doing now\na\n- **Next step:** run\n",
        "**Doing now**\na\n1. Next step: run\n",
        "I will write:\n1. Doing now\n2. Decided\n3. Next step\n",
        "- item\n  - Doing now: a\n  - Next step: b\n",
        "we are\nDoing now\nwhat\nNext step\nwas\n",
        "- ## Doing now (required) — where it stands\n- ## Next step (required) — what to do\n",
        "- `## Doing now` (required) — where\n- `## Next step` (required) — what\n",
        "> Doing now\n\n> a\n\n> Next step\n\n> b\n",
    ] {
        assert!(!parse(text).complete(), "{text:?}");
    }
}

/// Each of these stays where it stands, in `next`.
#[test]
fn prose_that_begins_with_a_name_is_prose() {
    for line in [
        "Next we should rest.",
        "Next, we should rest.",
        "Next step is to rest: at home",
        "文件 a.rs 需要改。",
        "文件a.rs需要改",
        "进度 50%",
        "### 进度 50%",
        "## Progress of the migration",
        "## Files changed in this session",
        "## Files (3) changed",
        "### Next.js — the router",
        "## Next-generation parser",
        "## next/router",
        "## Vitamin D. Files",
        "## e.g. files",
        "a) Scene",
        "IV. Scene",
        "Section 4: Scene",
        "（见文件）",
        "## CI: files of a.rs",
        "**Scene**s of a.rs",
        "## src/files",
        "## Decide: a or b",
        "# Files, in short",
        "**Next** we (all) rest",
        "**Next** (we think) is rest",
        "**Next: rest** for all",
        "● 文件 a.rs 需要改。",
        "● 文件（a.rs）需要改",
        "1. **Scene** — a.rs",
        "2、文件（a.rs）需要改",
        "- **Scene** (a.rs)",
        "• Scene",
        "Scene — a.rs",
        "Scene (a.rs)",
        "Scene / a.rs",
        "现场 — a.rs",
        "下一步的计划见附录",
        "**下一步**的计划见附录",
        "**Next** we rest",
        "Files in src: a.rs, b.rs",
        "Doing now what was left undone",
        "Decided on Monday to rest",
        "Scene",
        "Scene of the crime:",
        "Failed:",
        "Passed: 3",
        "Failed: 4",
        "Where: src/a.rs",
        "What it is:",
        "Scene and dead ends:",
        "Scene & more:",
        "Here are the files:",
        "What I have decided already: rest",
        "\"files\": [\"a.rs\"]",
        "`files`: a.rs",
        "[files]: https://example.org",
        "다음:",
        "파일 a.rs를 고친다.",
        "ファイル a.rs を直す。",
        "次のステップに進む",
        "결정은 내일 한다.",
        "https://example.org/files: x",
        "`Files`",
        "| Files | a |",
        "####### Scene",
        "\\## Scene",
        "    ## Scene",
        "\t## Scene",
        "> ## Scene",
        "> > **Scene**",
        "- ## Scene",
        "- Scene: x",
        "* **Scene:** x",
        "+ Scene:",
        "1. Scene: x",
        "2) Scene",
        "1. item\n2. Scene:",
        "1. item\n2. **Scene**",
        "7) item\n\n8) **Scene:** x",
        "- item\n  ## Scene",
        "- item\n\n  **Scene**",
        "- item\n\n      more\n\n  Scene:",
        "1. item\n\n   ## Scene",
        "prose\nScene\n---\nmore",
        "> quoted\nScene\n---\nmore",
        "<!-- ## Scene -->",
        "<!--\n## Scene\n-->",
        "```\n## Scene\n```",
        "~~~ sh\n## Scene\nfiles:\n~~~",
        "````md\n```\n## Scene\n```\n## Decided\n````",
        "```\n~~~\n## Scene\n```",
        "```\n## Scene\n    ```\n## Scene\n```",
        "- ```sh\n  ## Scene\n  ```",
        "1. ```\n   files:\n   ```",
    ] {
        let text = format!("## Doing now\n\na\n\n## Next step\n\n{line}\nb\n\n## Decided\n\nc\n");
        let document = parse(&text);
        assert_eq!(document.section(Section::Next), format!("{line}\nb"), "{document:?}");
        assert_eq!(document.section(Section::Decided), "c", "{line:?}");
        assert_eq!(document.section(Section::Scene), "", "{line:?}");
    }
}

#[test]
fn refused_headings_are_reported_with_their_line() {
    let table = [
        ("```\n## Scene\n```", 2, Refusal::Fence),
        ("<!--\n## Scene\n-->", 2, Refusal::Comment),
        ("> ## Scene", 1, Refusal::Quote),
        ("- **Scene:** x", 1, Refusal::List),
        ("- x\n  ## Scene", 2, Refusal::List),
        ("1. Scene: x", 1, Refusal::List),
        ("    ## Scene", 1, Refusal::Indented),
        ("####### Scene", 1, Refusal::TooDeep),
        ("Scene", 1, Refusal::Unmarked),
        ("下一步", 1, Refusal::Unmarked),
        ("## 进度 50%", 1, Refusal::Unknown),
    ];
    for (lines, number, why) in table {
        let document = parse(&format!("## Doing now\r\n{lines}"));
        let found: Vec<_> = document.refused.iter().map(|r| (r.line, r.why)).collect();
        assert_eq!(found, [(number + 1, why)], "{lines:?}");
    }
    assert_eq!(parse("## Doing now\n\n### notes\n#12 is done\n\nNext we rest\n").refused, []);
}

#[test]
fn code_is_kept_and_an_inline_fence_is_none() {
    let next = "run\n\n```sh\nmake test\n# files\n```\n\nthen ```x``` and\n```x``` too";
    assert_eq!(body(&format!("## Next\n{next}\n## Scene\nhere"), Section::Next), next);
    assert_eq!(body(&format!("## Next\n{next}\n## Scene\nhere"), Section::Scene), "here");
}

/// What somebody forgot to close ends at the first section not seen so far, and
/// is closed in what is kept.
#[test]
fn an_unclosed_fence_swallows_no_section() {
    for (open, close) in [("```sh", "```"), ("~~~~", "~~~~"), ("<!-- x", "-->"), ("- ```", "  ```")]
    {
        let text = format!("## Doing now\na\n{open}\nls\n\n## Next step\nb\n\n## Doing now\nc\n");
        let document = parse(&text);
        assert_eq!(document.section(Section::Doing), format!("a\n{open}\nls\n\n{close}\n\nc"));
        assert_eq!(document.section(Section::Next), "b");
        let last = parse(&format!("## Doing now\na\n## Next step\nb\n{open}\n## Doing now\nc"));
        let next = format!("b\n{open}\n## Doing now\nc\n{close}");
        assert_eq!(last.section(Section::Next), next);
        assert!(last.complete());
    }
}

#[test]
fn a_fence_that_swallows_another_ends_before_it() {
    let text = "## Doing now\na\n```\nlog\n\n## Next step\n\n```sh\nmake\n```\n\n## Scene\nc\n";
    assert_eq!(sections(&parse(text)), ["a\n```\nlog\n\n```", "```sh\nmake\n```", "c"]);
    let example = "````\n## Next step\n```sh\nmake\n```\n````";
    let text = format!("## Doing now\na\n{example}\n## Next step\nb");
    assert_eq!(body(&text, Section::Doing), format!("a\n{example}"));
}

#[test]
fn repeated_sections_are_joined_and_unknown_headings_stay() {
    let text =
        "## Next\na\n### detail\nb\n## Risks\nc\n## Scene\nd\n## Next steps\n(none)\n## 下一步\ne";
    assert_eq!(body(text, Section::Next), "a\n### detail\nb\n## Risks\nc\n\ne");
    assert_eq!(body(text, Section::Scene), "d");
}

#[test]
fn rules_between_sections_are_no_content() {
    let text = "---\n\n## Doing now\n\na\n\n---\n\nb\n\n---\n\n## Next step\n\n* * *\n\n---\n";
    let document = parse(text);
    assert_eq!(document.section(Section::Doing), "a\n\n---\n\nb");
    assert_eq!(document.missing(), [Section::Next]);
    assert_eq!(document.preamble, "");
}

#[test]
fn our_title_and_its_lines_are_never_content() {
    let document = parse("## Doing now\na\n## Next step\nb\n");
    for language in Language::ALL {
        for step in ["", "work", "a (b)", "x\ny", "#"] {
            let markdown = document.to_markdown(step, language);
            let again = parse(&markdown.replace("work", "an edited step"));
            assert!(again.titled, "{markdown}");
            assert_eq!(again.preamble, "", "{markdown}");
            assert_eq!(again.refused, [], "{markdown}");
        }
    }
    assert!(parse("# 交接书（干活）\n").titled);
    assert!(!parse("# Handoff to the night shift\n").titled);
    assert!(!parse("# Handoffs (all)\n").titled);
}

#[test]
fn what_a_person_wrote_in_front_reaches_the_successor() {
    let markdown = parse("## Doing now\na\n## Next step\nb\n").to_markdown("s", Language::En);
    let edited = markdown.replace("\n## Doing now", "\nMind the **gap**.\n\n## Doing now");
    let document = parse(&format!("Read me first.\n\n{edited}"));
    assert_eq!(document.preamble, "Read me first.\n\nMind the **gap**.");
    assert!(document.to_prompt(Language::En).contains(&document.preamble));
}

fn sections(document: &Document) -> [&str; 3] {
    [Section::Doing, Section::Next, Section::Scene].map(|section| document.section(section))
}

#[test]
fn a_fence_around_the_whole_answer_is_opened() {
    for (before, open, close, after) in [
        ("", "```markdown", "```", ""),
        ("", "```", "```", ""),
        ("", "~~~md", "~~~", ""),
        ("", "````markdown", "````", ""),
        ("Here it is:\n\n", "```markdown", "```", "\n\nTell me if you need more."),
        ("", "```markdown", "", ""),
        ("\u{feff}", "```markdown", "```", ""),
        ("Sure.\n", "``` md", "```", "\n\n```sh\nls\n```\n"),
    ] {
        for inner in ["run", "run\n```sh\nmake\n```", "run\n\n```\nmake\n```\n\nthen stop"] {
            let document = format!(
                "# Handoff (x)\n\n## Doing now\n\na\n\n## Next step\n\n{inner}\n\n## Scene\n\nc"
            );
            let text = format!("{before}{open}\n{document}\n{close}{after}\n");
            let parsed = parse(&text);
            assert_eq!(sections(&parsed), ["a", inner, "c"], "{text}\n{parsed:#?}");
            for chatter in [before, after] {
                let chatter = chatter.trim_matches('\u{feff}').trim();
                assert!(parsed.preamble.contains(chatter), "{text}\n{parsed:#?}");
            }
        }
    }
}

#[test]
fn an_example_in_front_of_the_real_document_is_not_opened() {
    let text =
        "The form:\n```\n## Doing now\nx\n## Next step\ny\n```\n## Doing now\na\n## Next step\nb\n";
    assert_eq!(sections(&parse(text)), ["a", "b", ""]);
}

#[test]
fn a_section_that_says_none_is_empty() {
    for word in [
        "(空)",
        "（空）",
        "空",
        "(none)",
        "None",
        "none.",
        "None yet.",
        "_None_",
        "**N/A**",
        "n/a",
        "N/A.",
        "(暂无)",
        "暂无。",
        "【无】",
        "无",
        "無",
        "没有",
        "TBD",
        "TBD.",
        "(tbd)",
        "- TBD",
        "* (none)",
        "1. none",
        "-",
        "--",
        "–",
        "—",
        "…",
        "...",
        "없음",
        "없음.",
        "(없음)",
        "아직 없음",
        "なし",
        "なし。",
        "特になし",
        "「なし」",
        "`none`",
        "> none",
        "[ ]",
        "Nothing yet",
        "To be determined",
        "",
        "   ",
        "\u{3000}",
        "---",
    ] {
        let text = format!("## Doing now\n\n{word}\n\n## Next step\n\nb\n");
        assert_eq!(parse(&text).missing(), [Section::Doing], "{word:?}");
    }
    for word in [
        "none of the tests pass",
        "No",
        "0",
        "无法编译",
        "nothing works",
        "- none\n- a.rs",
        "N/A/B",
        "x",
        "!",
        "🚀",
        "(a)",
        "TBD: ask",
        "없음을 확인",
        "ok",
    ] {
        let text = format!("## Doing now\n\n{word}\n\n## Next step\n\nb\n");
        assert_eq!(parse(&text).section(Section::Doing), word, "{word:?}");
    }
    assert_eq!(body("## Next: (none)\n", Section::Next), "");
    assert_eq!(body("## Next (none)\n", Section::Next), "");
}

#[test]
fn empty_and_odd_texts_are_incomplete() {
    for text in
        ["", "\n", "\u{feff}", "\0", "prose only", "## ", "#", "**", "****", "【】", ":", "::"]
    {
        let document = parse(text);
        assert_eq!(document.missing(), Section::REQUIRED, "{text:?}");
    }
}

/// A quadratic path would take minutes here.
#[test]
fn hostile_texts_cost_linear_time() {
    for piece in [
        "Next: ",
        "```\n",
        "~~~\n## Scene\n",
        "<!--\n",
        "**Next:** ",
        "- ",
        "> ",
        "#",
        "Next\n---\n",
        "```md\n## Next\n",
        "(",
        "1. ",
        "\t",
        "【下一步】",
        "Next:\n```\n",
        "*",
        "\n",
        "- ```\n",
        "`",
        "## Next — ",
        "## Next (",
        "■ Next — ",
        "## Next & Next / Next | Next · Next - Next: (Next)\n",
        "**Next — __Next — ",
        "【Next — ",
        "- Next step: ",
        "- Next step — x\n",
        "Next step\n\n",
        "1. - Next\n",
    ] {
        let started = Instant::now();
        parse(&piece.repeat(100_000 / piece.len()));

        assert!(started.elapsed() < Duration::from_secs(10), "{piece:?}");
    }
}
