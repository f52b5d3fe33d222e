//! The prompt that makes the session in hand write the document.
//!
//! It names the five headings as items of a list, so that a prompt echoed into an
//! answer is not taken for the document it asks for. The paragraph on dead ends
//! carries a measured price, because a writer left to itself reports what worked.

use terminal::Language;

use crate::Section;

/// The line by which the guard knows this prompt, the same in every language.
pub const ASK_MARKER: &str = "[ctxutils:write-the-handoff-document]";

/// Asks the session that has the context for its document. `used` and `window`
/// are tokens; `keep` is what a person does not want lost.
pub fn ask(used: u64, window: u64, keep: Option<&str>, language: Language) -> String {
    let full = format!("{}/{}", tokens(used, true), tokens(window, false));
    let mut out = format!("{ASK_MARKER}\n\n{}\n\n", opening(&full, language));
    for section in Section::ALL {
        let required = Section::REQUIRED.contains(&section).then(|| required(language));
        out.push_str(&format!(
            "- `## {}`{}{}\n",
            section.label(language),
            required.unwrap_or_default(),
            purpose(section, language),
        ));
    }
    out.push_str(&format!("\n{}\n", dead_ends(language)));
    if let Some(keep) = keep.map(str::trim).filter(|keep| !keep.is_empty()) {
        out.push_str(&format!("\n{}\n\n", kept(language)));
        for line in keep.lines() {
            out.push_str(format!("> {line}").trim_end());
            out.push('\n');
        }
    }
    out
}

/// Thousands of tokens: what is used to a tenth, a window as it is set.
fn tokens(count: u64, tenths: bool) -> String {
    // Below a tenth of a thousand nothing is rounded away that matters.
    let tenth = count / 100 + u64::from(count % 100 >= 50);
    if tenths || !tenth.is_multiple_of(10) {
        format!("{}.{}K", tenth / 10, tenth % 10)
    } else {
        format!("{}K", tenth / 10)
    }
}

fn opening(full: &str, language: Language) -> String {
    match language {
        Language::En => format!(
            "Your context is nearly full: {full}. A new session is about to take over this work. It has \
             seen nothing of this conversation and will start from one thing only, the handoff document \
             you write now. Nobody else has the context, so nobody else can write it.\n\n\
             Do not call any tool. Answer with the document itself, as plain text: nothing before it, \
             nothing after it, no code fence around it. Use exactly these five headings, in this order, \
             and write \"(空)\" under one that has nothing to say:"
        ),
        Language::Zh => format!(
            "你的上下文快满了:{full}。接下来由一个新会话接手。它没有看过这里的任何内容,\
             能依靠的只有你现在写下的这份交接书。上下文只在你这里,换谁来写都写不出来。\n\n\
             不要调用任何工具,直接用文字回答。回答里只有交接书本身:前后不要加别的话,\
             也不要用代码围栏把它整个包起来。标题照抄下面五个,顺序不变,某一节没有内容就写「(空)」:"
        ),
        Language::Ko => format!(
            "컨텍스트가 거의 찼습니다: {full}. 곧 새 세션이 이 일을 넘겨받습니다. 새 세션은 이 대화를 전혀 보지 못했고, \
             당신이 지금 쓰는 인계서 하나만 보고 시작합니다. 이 컨텍스트를 가진 것은 당신뿐이라 다른 누구도 대신 쓸 수 없습니다.\n\n\
             도구는 하나도 부르지 말고 글로만 답하세요. 답에는 인계서만 담습니다. 앞뒤에 다른 말을 붙이지 말고, \
             전체를 코드 블록으로 감싸지도 마세요. 제목은 아래 다섯 개를 그대로, 이 순서대로 쓰고, 쓸 것이 없는 절에는 \"(空)\"이라고 적습니다."
        ),
        Language::Ja => format!(
            "コンテキストがほぼ埋まりました({full})。まもなく新しいセッションがこの仕事を引き継ぎます。\
             そのセッションはここでのやり取りを何も見ておらず、頼れるのはあなたが今から書く引き継ぎ書だけです。\
             この文脈を持っているのはあなただけで、ほかの誰にも書けません。\n\n\
             ツールは一切使わず、文章だけで答えてください。答えは引き継ぎ書そのものだけにします。\
             前後に言葉を添えたり、全体をコードブロックで囲んだりしないでください。\
             見出しは次の五つをそのまま、この順序で使い、書くことがない節には「(空)」とだけ書きます。"
        ),
    }
}

fn required(language: Language) -> &'static str {
    match language {
        Language::En => " (required)",
        Language::Zh => "(必填)",
        Language::Ko => " (필수)",
        Language::Ja => "(必須)",
    }
}

fn purpose(section: Section, language: Language) -> &'static str {
    let [en, zh, ko, ja] = match section {
        Section::Doing => [
            " — where the work stands: what is being done, what is finished, what is half-way.",
            ":工作进行到了哪里,什么做完了,什么做了一半。",
            " — 일이 어디까지 왔는지. 무엇을 하는 중이고, 무엇이 끝났고, 무엇이 하다 만 상태인지.",
            ":仕事がどこまで来ているか。何の途中で、何が済み、何がやりかけか。",
        ],
        Section::Decided => [
            " — what is settled and not to be argued again, each with its reason.",
            ":已经决定、不必再讨论的事,每一条都写上原因。",
            " — 이미 정해져서 다시 따질 필요가 없는 것. 하나하나 이유를 함께.",
            ":もう決まっていて議論し直す必要のないこと。それぞれ理由も添えて。",
        ],
        Section::Deadends => [
            " — what was tried and failed, with what was seen.",
            ":试过但行不通的办法,以及当时看到的结果。",
            " — 해 봤지만 안 된 것과, 그때 본 결과.",
            ":試してうまくいかなかったことと、そのとき見えた結果。",
        ],
        Section::Next => [
            " — the first thing to do, so concrete that it can be started at once: command, file, check.",
            ":接手后先做哪一件事,具体到马上能动手:命令、文件、怎样算成。",
            " — 가장 먼저 할 일. 명령, 파일, 확인 방법까지 바로 손댈 수 있을 만큼 구체적으로.",
            ":最初にやること。コマンド、ファイル、確認の方法まで、すぐ手を付けられる具体さで。",
        ],
        Section::Scene => [
            " — paths of the files and results that matter, branch, running processes. Pointers, not contents.",
            ":关键文件和产物的路径、分支、还在运行的进程。只写指向,不抄内容。",
            " — 중요한 파일과 산출물의 경로, 브랜치, 돌고 있는 프로세스. 내용이 아니라 위치만.",
            ":大事なファイルや成果物のパス、ブランチ、動いているプロセス。中身ではなく場所だけ。",
        ],
    };
    match language {
        Language::En => en,
        Language::Zh => zh,
        Language::Ko => ko,
        Language::Ja => ja,
    }
}

fn dead_ends(language: Language) -> &'static str {
    match language {
        Language::En => {
            "\"Dead ends\" is the dearest of the five. It costs the successor most to find out again, and \
             it is what a writer leaves out most easily: whoever did the work is optimistic by habit, \
             tells what succeeded, and passes over what was tried in vain. The price has been measured: \
             one compile problem took an hour of going in circles, and had its conclusion not been \
             written down, the successor would have gone round the same circle for another hour. So name \
             every attempt that failed: what you tried, what happened, why it is ruled out. If there \
             really was none, say so; do not make one up."
        }
        Language::Zh => {
            "「走不通的路」是五节里最贵的一节。接手的人重新踩一遍代价最大,写的人却最容易漏掉:\
             干活的人总是偏乐观,做成了什么会写,试了什么没成就略过去了。这个代价有过实测:\
             一个编译问题来回折腾了一个小时,要是那一小时的结论没有写下来,接手的人还得原样再折腾一个小时。\
             所以每一次失败都要写:试了什么,结果怎样,为什么排除。确实没有就写没有,不要编。"
        }
        Language::Ko => {
            "다섯 절 가운데 가장 비싼 것이 \"막힌 길\"입니다. 넘겨받는 쪽이 다시 알아내는 데 가장 큰 값이 드는데, \
             쓰는 쪽은 가장 쉽게 빠뜨립니다. 일한 사람은 늘 낙관하는 쪽으로 기울어서, 해낸 것은 적고 해 보다 안 된 것은 지나칩니다. \
             그 값은 실제로 재어 본 적이 있습니다. 컴파일 문제 하나로 한 시간을 헤맸고, 그 결론을 적어 두지 않았다면 \
             다음 세션도 똑같이 한 시간을 더 헤맸을 것입니다. 그러니 실패한 시도는 모두 적으세요. 무엇을 해 봤고, 어떻게 되었고, \
             왜 제외했는지를. 정말 없었다면 없다고 쓰고, 지어내지는 마세요."
        }
        Language::Ja => {
            "五つのうち最も高くつくのが「行き止まり」です。引き継ぐ側が自力で突き止め直すのに一番手間がかかり、\
             しかも書く側が一番落としやすい部分です。作業した本人はどうしても楽観に傾き、できたことは書いても、\
             試してだめだったことは飛ばしてしまいます。その代償は実際に測られています。\
             コンパイルの問題ひとつに一時間かかり、その結論を書き残していなければ、次のセッションも同じ一時間を繰り返すところでした。\
             ですから、失敗した試みはすべて書いてください。何を試し、どうなり、なぜ除外したのか。\
             本当になければ、ないと書き、作り話はしないでください。"
        }
    }
}

fn kept(language: Language) -> &'static str {
    match language {
        Language::En => {
            "The person this work is done for asks that the following not be lost. See that it is in the \
             document, in the section where it belongs:"
        }
        Language::Zh => "交办这件工作的人要求,下面这些内容不能丢。请把它写进文档里相应的那一节:",
        Language::Ko => {
            "이 일을 맡긴 사람이 다음 내용만은 잃지 말라고 했습니다. 문서의 알맞은 절에 꼭 담으세요."
        }
        Language::Ja => {
            "この仕事を任せた人から、次の内容は失わないでほしいと言われています。文書のふさわしい節に必ず残してください。"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn it_says_how_full_and_carries_the_marker_on_a_line_of_its_own() {
        for language in Language::ALL {
            let text = ask(152_040, 200_000, None, language);
            assert!(text.contains("152.0K/200K"), "{text}");
            assert_eq!(text.lines().filter(|line| *line == ASK_MARKER).count(), 1, "{text}");
            for section in Section::ALL {
                assert!(text.contains(&format!("`## {}`", section.label(language))), "{text}");
            }
        }
    }

    #[test]
    fn an_echoed_prompt_is_no_document() {
        for language in Language::ALL {
            let keep = "## Doing now\nx\n## Next step\ny\n```\n";
            let document = parse(&ask(1, 2, Some(keep), language));
            assert_eq!(document.filled(), 0, "{document:?}");
        }
    }

    #[test]
    fn tokens_are_written_in_thousands() {
        for (count, tenths, expected) in [
            (130_000, true, "130.0K"),
            (151_960, true, "152.0K"),
            (200_000, false, "200K"),
            (258_400, false, "258.4K"),
            (1_000_000, false, "1000K"),
            (u64::MAX, false, "18446744073709551.6K"),
        ] {
            assert_eq!(tokens(count, tenths), expected);
        }
    }
}
