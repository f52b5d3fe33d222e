//! The stand-in for a document that could not be written.
//!
//! An incomplete document is far better than running into the end of the window:
//! it says that it is one, why, and what the work was meant to be.

use terminal::Language;

use crate::{Document, Section};

/// Marks a stand-in, in its `doing`; the same in every language.
pub const DEGRADED_MARKER: &str = "[降级:交接没写成]";

/// How many characters of the task a stand-in carries.
pub const TASK_LIMIT: usize = 1200;

/// Builds a stand-in from what is at hand: the step, why there is no document,
/// and the task as it was first given; any of them may be empty.
///
/// The task goes between fences, so that headings in it stay text.
pub fn degraded(step: &str, why: &str, task: &str, language: Language) -> Document {
    let mut document = Document::default();
    document.append(Section::Doing, &doing(&one_line(step), &one_line(why), language));
    document.append(Section::Next, next(language));
    let task = task.replace("\r\n", "\n").replace('\r', "\n");
    let task = task.trim();
    if !task.is_empty() {
        let end = task.char_indices().nth(TASK_LIMIT).map_or(task.len(), |(at, _)| at);
        let excerpt = task.get(..end).unwrap_or(task);
        let fence = fence_for(excerpt);
        let scene =
            format!("{}\n\n{fence}text\n{excerpt}\n{fence}", given(end < task.len(), language));
        document.append(Section::Scene, &scene);
    }
    document
}

fn one_line(text: &str) -> String {
    let visible: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A fence longer than any in the text.
fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

fn doing(step: &str, why: &str, language: Language) -> String {
    let why = match (why, language) {
        ("", _) => String::new(),
        (why, Language::Zh | Language::Ja) => format!("({why})"),
        (why, _) => format!(" ({why})"),
    };
    let said = match language {
        Language::En => {
            format!("The session before this one could not write its handoff document{why}.")
        }
        Language::Zh => format!("上一个会话没能写成交接书{why}。"),
        Language::Ko => format!("앞 세션이 인계서를 쓰지 못했습니다{why}."),
        Language::Ja => format!("前のセッションは引き継ぎ書を書けませんでした{why}。"),
    };
    let step = match (step, language) {
        ("", _) => String::new(),
        (step, Language::En) => format!(" Step: {step}."),
        (step, Language::Zh) => format!("步骤:{step}。"),
        (step, Language::Ko) => format!(" 스텝: {step}."),
        (step, Language::Ja) => format!("ステップ:{step}。"),
    };
    format!("{DEGRADED_MARKER} {said}{step}")
}

fn next(language: Language) -> &'static str {
    match language {
        Language::En => {
            "Look at the scene first: the state of the files and of version control, recent results and \
             logs, processes that still run. Find out from them how far the work has come, then go on \
             with the task. Do not start over, and do not repeat what is already done."
        }
        Language::Zh => {
            "先看现场:文件和版本库的状态、最近的产物和日志、还在运行的进程。由此弄清工作做到了哪一步,\
             再接着完成任务。不要从头来过,做完的也不要重做。"
        }
        Language::Ko => {
            "먼저 현장을 보세요. 파일과 버전 관리의 상태, 최근 산출물과 로그, 아직 돌고 있는 프로세스를 살펴 일이 어디까지 \
             왔는지 알아낸 다음 과제를 이어 가세요. 처음부터 다시 하지 말고, 끝난 일을 되풀이하지도 마세요."
        }
        Language::Ja => {
            "まず現場を見てください。ファイルとバージョン管理の状態、最近の成果物とログ、まだ動いているプロセスから、\
             仕事がどこまで進んだかを確かめ、それから続きに取りかかります。最初からやり直したり、済んだことを繰り返したりしないでください。"
        }
    }
}

fn given(cut: bool, language: Language) -> String {
    match (language, cut) {
        (Language::En, false) => "The task as it was first given:".to_owned(),
        (Language::En, true) => {
            format!("The task as it was first given, its first {TASK_LIMIT} characters:")
        }
        (Language::Zh, false) => "这一步最初拿到的任务:".to_owned(),
        (Language::Zh, true) => format!("这一步最初拿到的任务(前 {TASK_LIMIT} 个字符):"),
        (Language::Ko, false) => "이 스텝이 처음 받은 과제:".to_owned(),
        (Language::Ko, true) => format!("이 스텝이 처음 받은 과제(앞 {TASK_LIMIT}자):"),
        (Language::Ja, false) => "このステップに最初に与えられた課題:".to_owned(),
        (Language::Ja, true) => {
            format!("このステップに最初に与えられた課題(冒頭 {TASK_LIMIT} 文字):")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn a_stand_in_is_complete_marked_and_reads_back() {
        let tasks = [
            "fix it",
            "",
            "## Doing now\nfake\n```\n## Next step\n````\nfake\r\n~~~\n<!-- x",
            "````````\n# Handoff (x)\n- (none)",
        ];
        for language in Language::ALL {
            for task in tasks {
                let document = degraded("a\nb", "no\nroom", task, language);
                assert!(document.complete() && document.degraded(), "{document:?}");
                assert!(document.section(Section::Doing).contains("no room"));
                let again = parse(&document.to_markdown("s", language));
                for section in Section::ALL {
                    assert_eq!(again.section(section), document.section(section));
                }
            }
        }
    }

    #[test]
    fn the_task_is_cut_by_characters() {
        let task = format!("  {}尾", "字".repeat(TASK_LIMIT));
        let document = degraded("s", "", &task, Language::Zh);
        let scene = document.section(Section::Scene);
        assert_eq!(scene.matches('字').count(), TASK_LIMIT + scene.matches("个字符").count());
        assert!(!scene.contains('尾'), "{scene}");
    }
}
