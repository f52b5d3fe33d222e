//! The handoff turn: knowing a request for the document, and writing one about
//! the real state of things.

use terminal::Language;

use crate::conversation::Conversation;
use crate::job::Job;
use crate::place::Place;

/// The five headings of a language, in the document's order.
fn headings(language: Language) -> [&'static str; 5] {
    match language {
        Language::En => ["Doing now", "Decided", "Dead ends", "Next step", "Scene"],
        Language::Zh => ["现在在做什么", "已经定下的", "走不通的路", "下一步", "现场"],
        Language::Ko => {
            ["지금 무엇을 하고 있는가", "이미 정해진 것", "막힌 길", "다음 스텝", "현장"]
        }
        Language::Ja => ["今やっていること", "決まったこと", "行き止まり", "次のステップ", "現場"],
    }
}

/// Words by which a short request names the document.
const NAMES: [(&str, Language); 8] = [
    ("handoff doc", Language::En),
    ("handover doc", Language::En),
    ("/handoff", Language::En),
    ("交接", Language::Zh),
    ("핸드오프", Language::Ko),
    ("인계서", Language::Ko),
    ("넘김", Language::Ko),
    ("引き継ぎ書", Language::Ja),
];

/// In which language a prompt asks for the document, if it does. A session that
/// has not answered yet has nothing to hand over: there the same headings are a
/// predecessor's document.
pub(crate) fn asked(prompt: &str, conversation: &Conversation) -> Option<Language> {
    if conversation.answers == 0 {
        return None;
    }
    let found = |language: Language| {
        headings(language).iter().filter(|heading| prompt.contains(**heading)).count()
    };
    let best = Language::ALL.into_iter().max_by_key(|language| found(*language))?;
    if found(best) >= 4 {
        return Some(best);
    }
    let short = prompt.chars().count() <= 200;
    let lower = prompt.to_lowercase();
    let named = NAMES.iter().find(|(name, _)| short && lower.contains(name));
    named.map(|(_, language)| *language)
}

/// The document about the state as it is. `with_next` false leaves the next
/// step out.
pub(crate) fn document(
    language: Language,
    job: Option<&Job>,
    place: &Place,
    conversation: &Conversation,
    with_next: bool,
) -> String {
    let [doing, decided, dead_ends, next, scene] = headings(language);
    let facts = Facts::of(job, place, conversation);
    let words = words(language, &facts);
    let mut sections = vec![(doing, words.doing), (decided, words.decided)];
    let met = facts.dead_ends.join("\n");
    sections.push((dead_ends, if met.is_empty() { "(空)".to_owned() } else { met }));
    if with_next {
        sections.push((next, words.next));
    }
    sections.push((scene, format!("- {}\n- {}", place.cwd.display(), facts.files)));
    let texts = sections.iter().map(|(heading, text)| format!("## {heading}\n\n{text}\n"));
    texts.collect::<Vec<_>>().join("\n")
}

struct Facts {
    done: usize,
    units: u32,
    next: Option<u32>,
    next_file: String,
    files: String,
    dead_ends: Vec<String>,
    answers: u64,
}

impl Facts {
    fn of(job: Option<&Job>, place: &Place, conversation: &Conversation) -> Facts {
        let next = job.and_then(|job| job.next(place));
        let mut dead_ends = Vec::new();
        for (command, said) in &conversation.failures {
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            dead_ends.push(format!("- `{command}`: {said}"));
        }
        dead_ends.extend(inherited(conversation.heard()));
        dead_ends.sort_unstable();
        dead_ends.dedup();
        Facts {
            done: job.map_or(0, |job| job.done(place).len()),
            units: job.map_or(0, |job| job.units),
            next,
            next_file: next.zip(job).map(|(n, job)| job.file(n)).unwrap_or_default(),
            files: job.map_or_else(|| "./".to_owned(), |job| job.file.replace("{unit}", "NN")),
            dead_ends,
            answers: conversation.answers,
        }
    }
}

/// The dead ends of a predecessor's document: what it met is worth as much.
fn inherited(heard: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in heard.lines() {
        if line.starts_with('#') {
            let heading = line.trim_start_matches('#').trim();
            inside = Language::ALL.iter().any(|language| headings(*language)[2] == heading);
        } else if inside && line.starts_with("- ") {
            found.push(line.to_owned());
        }
    }
    found
}

struct Words {
    doing: String,
    decided: String,
    next: String,
}

fn words(language: Language, facts: &Facts) -> Words {
    let Facts { done, units, next, next_file, files, answers, .. } = facts;
    let unit = next.map_or_else(String::new, |n| n.to_string());
    let (doing, decided, go_on) = match language {
        Language::En => (
            format!("{done} of {units} units are written."),
            format!("One file for each unit, {files}: what is there is done."),
            format!("Write unit {unit} into {next_file}."),
        ),
        Language::Zh => (
            format!("{units} 个单元里写完了 {done} 个。"),
            format!("一个单元一个文件,{files}:文件在就是写完了。"),
            format!("把第 {unit} 单元写进 {next_file}。"),
        ),
        Language::Ko => (
            format!("{units}개 단위 가운데 {done}개를 썼다."),
            format!("단위마다 파일 하나, {files}: 파일이 있으면 끝난 것이다."),
            format!("{unit}번 단위를 {next_file}에 쓴다."),
        ),
        Language::Ja => (
            format!("{units} 単位のうち {done} 単位を書き終えた。"),
            format!("一単位に一ファイル、{files}。ファイルがあれば済んでいる。"),
            format!("第 {unit} 単位を {next_file} に書く。"),
        ),
    };
    if *units == 0 {
        let doing = format!("The task as given is under way; {answers} answers so far.");
        let decided = "Work in this directory only.".to_owned();
        return Words { doing, decided, next: "Go on with the task as given.".to_owned() };
    }
    let check = match language {
        Language::En => "Check that every unit is there and report.",
        Language::Zh => "核对每个单元都在,然后报告。",
        Language::Ko => "모든 단위가 있는지 확인하고 보고한다.",
        Language::Ja => "全単位があるか確かめて報告する。",
    };
    Words { doing, decided, next: if next.is_some() { go_on } else { check.to_owned() } }
}
