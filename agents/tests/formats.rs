//! The traps of each CLI's format, on sessions made by hand from real records.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::ops::ControlFlow;

use agents::{Fact, InputKind, Source, Transcript};

fn open(text: &str) -> Transcript {
    Transcript::recognise(Source::stream(text.as_bytes()).unwrap(), None).unwrap()
}

/// Contexts of answers (`-`: unknown), compactions, errors, and inputs by their
/// length, in the order of the file.
fn story(text: &str, newest_first: bool) -> Vec<String> {
    let transcript = open(text);
    let mut story = Vec::new();
    let mut see = |fact: Fact<'_>| {
        story.push(match fact {
            Fact::Answer(answer) => answer.context.map_or("-".to_owned(), |n| n.to_string()),
            Fact::Compaction(compaction) => format!("compaction {:?}", compaction.estimate),
            Fact::Error(error) => format!("error {}", error.text),
            Fact::Input(input) if input.kind == InputKind::Summary => "summary".to_owned(),
            Fact::Input(input) => format!("in {}", input.text.unwrap_or_default()),
            _ => return ControlFlow::Continue(()),
        });
        ControlFlow::Continue(())
    };
    match newest_first {
        true => transcript.newest_first(&mut see).unwrap(),
        false => transcript.oldest_first(&mut see).unwrap(),
    }
    if newest_first {
        story.reverse();
    }
    story
}

/// The windows that were recorded.
fn windows(text: &str) -> Vec<u64> {
    let mut windows = Vec::new();
    let mut see = |fact: Fact<'_>| {
        if let Fact::Window(window) = fact {
            windows.push(window);
        }
        ControlFlow::Continue(())
    };
    open(text).oldest_first(&mut see).unwrap();
    windows
}

#[track_caller]
fn tells(text: &str, expected: &[&str]) {
    assert_eq!(story(text, true), expected, "newest first");
    assert_eq!(story(text, false), expected, "oldest first");
}

const GEMINI: &str = "{\"sessionId\":\"f865eb7c-7a2f\",\"projectHash\":\"4a\",\"kind\":\"main\"}\n";

fn gemini(id: &str, input: u64) -> String {
    format!(
        "{{\"id\":\"{id}\",\"type\":\"gemini\",\"content\":\"words\",\"tokens\":{{\"input\":{input},\
         \"output\":5,\"cached\":99}},\"model\":\"gemini-2.5-pro\"}}\n"
    )
}

fn asked(id: &str, text: &str) -> String {
    format!("{{\"id\":\"{id}\",\"type\":\"user\",\"content\":[{{\"text\":\"{text}\"}}]}}\n")
}

fn set(messages: &[&str]) -> String {
    let messages: Vec<_> = messages.iter().map(|message| message.trim()).collect();
    format!("{{\"$set\":{{\"messages\":[{}],\"lastUpdated\":\"x\"}}}}\n", messages.join(","))
}

#[test]
fn a_message_of_gemini_counts_as_it_was_recorded_last() {
    let twice =
        gemini("a", 10) + &gemini("a", 10).replace("\"model\"", "\"toolCalls\":[],\"model\"");
    tells(&[GEMINI, &asked("1", "go"), &twice].concat(), &["in go", "10"]);
    let unmetered = gemini("a", 7).replace("{\"input\":7,\"output\":5,\"cached\":99}", "null");
    tells(&[GEMINI, &gemini("b", 10), &unmetered].concat(), &["10", "in words"]);
    tells(&[GEMINI, &gemini("b", 10), &gemini("c", 0)].concat(), &["10", "-"]);
}

#[test]
fn what_gemini_rewound_is_void() {
    let rewound = [
        GEMINI,
        &asked("1", "go"),
        &gemini("a", 10),
        &asked("2", "wrong"),
        &gemini("b", 90),
        "{\"$rewindTo\":\"2\"}\n",
    ];
    assert_eq!(story(&rewound.concat(), true), ["in go", "10"]);
    assert_eq!(story(&(rewound.concat() + &gemini("c", 20)), true), ["in go", "10", "20"]);
}

#[test]
fn a_list_of_gemini_replaces_what_stood_in_front() {
    let before = [GEMINI, &asked("1", "go"), &gemini("a", 10), &asked("2", "more")].concat();
    // With figures: they are what counts.
    let with = before.clone() + &set(&[&asked("1", "go"), &gemini("z", 30)]);
    assert_eq!(story(&with, true), ["in go", "30"]);
    // Without, as a resume writes it: what the model saw last is in front.
    let resumed = before.clone() + &set(&[&asked("1", "go"), &asked("2", "more")]);
    assert_eq!(story(&resumed, true), ["in go", "10", "in more"]);
    // A request that failed takes its prompt back.
    let failed = before.clone() + &set(&[&asked("1", "go")]);
    assert_eq!(story(&failed, true), ["in go", "10"]);
    // A compression has no other mark.
    let snapshot = asked("s", "<state_snapshot>all</state_snapshot>");
    let compressed = before + &set(&[&snapshot, &asked("2", "more")]) + &asked("3", "next");
    let expected = ["compaction None", "summary", "summary", "in next"];
    assert_eq!(story(&compressed, false)[3..], expected);
    let back = story(&compressed, true);
    assert_eq!(back[3..], expected);
}

#[test]
fn a_list_of_gemini_may_be_too_long_to_hold() {
    let filler = "x".repeat(5 << 20);
    let long = set(&[&asked("s", "<state_snapshot>"), &asked("f", &filler)]);
    let text = [GEMINI, &gemini("a", 10), &long].concat();
    assert!(story(&text, true)[1].starts_with("compaction Some"));
    let resumed = [GEMINI, &gemini("a", 10), &set(&[&asked("f", &filler)])].concat();
    assert_eq!(story(&resumed, true), ["10"]);
}

#[test]
fn a_sub_agent_of_gemini_says_so() {
    assert!(!open(GEMINI).identity().sub_agent);
    assert!(open(&GEMINI.replace("main", "subagent")).identity().sub_agent);
    assert_eq!(open(GEMINI).identity().session_id.as_deref(), Some("f865eb7c-7a2f"));
}

/// A line of Qwen Code's with these fields.
fn qwen(uuid: &str, parent: &str, fields: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(
        "{{\"uuid\":\"{uuid}\",\"parentUuid\":{parent},\"sessionId\":\"s-1\",\"cwd\":\"/p\",{fields}}}\n"
    )
}

fn qwen_user(uuid: &str, parent: &str, text: &str) -> String {
    let fields = format!(
        "\"type\":\"user\",\"message\":{{\"role\":\"user\",\"parts\":[{{\"text\":\"{text}\"}}]}}"
    );
    qwen(uuid, parent, &fields)
}

fn qwen_answer(uuid: &str, parent: &str, prompt: u64) -> String {
    let fields = format!(
        "\"type\":\"assistant\",\"model\":\"m\",\"message\":{{\"role\":\"model\",\"parts\":[]}},\
         \"usageMetadata\":{{\"promptTokenCount\":{prompt},\"cachedContentTokenCount\":9}}"
    );
    qwen(uuid, parent, &fields)
}

#[test]
fn a_branch_that_qwen_left_does_not_count() {
    let text = [
        qwen_user("1", "", "go"),
        qwen_answer("2", "1", 10),
        qwen_user("3", "2", "wrong"),
        qwen_answer("4", "3", 90),
        qwen_user("5", "2", "right"),
    ]
    .concat();
    tells(&text, &["in go", "10", "in right"]);
    assert_eq!(open(&text).agent().name(), "qwen");
    // A record that is lost in between breaks the chain: all count.
    let torn = text.replacen("{\"uuid\":\"2\"", "torn", 1);
    tells(&torn, &["in go", "in wrong", "90", "in right"]);
}

#[test]
fn only_the_main_thread_of_qwen_speaks() {
    let event = |name: &str, more: &str| {
        let event = format!("{{\"event.name\":\"qwen-code.{name}\",{more}}}");
        qwen(
            "9",
            "2",
            &format!(
                "\"type\":\"system\",\"subtype\":\"ui_telemetry\",\"systemPayload\":{{\"uiEvent\":{event}}}"
            ),
        )
    };
    let base = qwen_user("1", "", "go")
        + &qwen_answer("2", "1", 10)
            .replace("\"model\":\"m\"", "\"contextWindowSize\":131072,\"model\":\"m\"");
    let with = |event: &str| base.clone() + event;
    tells(&with(&event("api_response", "\"input_token_count\":77")), &["in go", "10"]);
    let failed = event("api_error", "\"error_message\":\"no\"");
    assert_eq!(story(&with(&failed), false).last().unwrap(), "error no");
    let of_child = event("api_error", "\"error_message\":\"no\",\"subagent_name\":\"x\"");
    assert_eq!(story(&with(&of_child), false).len(), 2);
    assert_eq!(windows(&base), [131_072]);
    let compressed = qwen(
        "9",
        "2",
        "\"type\":\"system\",\"subtype\":\"chat_compression\",\
        \"systemPayload\":{\"info\":{\"newTokenCount\":120}}",
    );
    assert_eq!(story(&with(&compressed), false).last().unwrap(), "compaction Some(120)");
}

fn pi(id: &str, parent: &str, fields: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"message\":{{{fields}}}}}\n"
    )
}

fn pi_answer(id: &str, parent: &str, input: u64, reason: &str) -> String {
    let usage =
        format!("{{\"input\":{input},\"output\":5,\"cacheRead\":{input},\"cacheWrite\":1}}");
    pi(
        id,
        parent,
        &format!(
            "\"role\":\"assistant\",\"model\":\"m\",\"usage\":{usage},\"stopReason\":\"{reason}\",\
         \"errorMessage\":\"it failed\",\"content\":[]"
        ),
    )
}

#[test]
fn branches_errors_and_compactions_of_pi() {
    let head = "{\"type\":\"session\",\"version\":3,\"id\":\"s-1\",\"cwd\":\"/p\"}\n";
    let user = |id, parent, text: &str| {
        pi(id, parent, &format!("\"role\":\"user\",\"content\":\"{text}\""))
    };
    let base = [head, &user("1", "", "go"), &pi_answer("2", "1", 10, "stop")].concat();
    tells(&base, &["in go", "21"]);
    assert_eq!(open(&base).identity().folder.as_deref(), Some("/p"));
    let branched = base.clone() + &pi_answer("3", "2", 40, "stop") + &user("4", "2", "back");
    tells(&branched, &["in go", "21", "in back"]);
    for reason in ["error", "aborted"] {
        let failed = base.clone() + &pi_answer("3", "2", 0, reason);
        tells(&failed, &["in go", "21", "error it failed"]);
    }
    let compacted = base
        + "{\"type\":\"compaction\",\"id\":\"3\",\"parentId\":\"2\",\"summary\":\"short\",\"tokensBefore\":9}\n"
        + &user("4", "3", "on");
    assert_eq!(story(&compacted, false), ["in go", "21", "compaction None", "summary", "in on"]);
}

fn copilot(kind: &str, data: &str, agent: &str) -> String {
    format!(
        "{{\"type\":\"{kind}\",\"data\":{{{data}}},\"id\":\"i\",\"timestamp\":\"t\",\"parentId\":null{agent}}}\n"
    )
}

#[test]
fn sub_agents_and_cancelled_compactions_of_copilot_do_not_count() {
    let usage = |input: u64, agent: &str| {
        let usage = format!(
            "{{\"model\":\"m\",\"inputTokens\":{input},\"cacheReadTokens\":9,\"maxPromptTokens\":1000}}"
        );
        copilot("session.usage_record", &format!("\"usage\":{usage}"), agent)
    };
    let child = ",\"agentId\":\"a\"";
    let base = copilot("session.start", "\"sessionId\":\"s-1\",\"context\":{\"cwd\":\"/p\"}", "")
        + &usage(100, "");
    assert_eq!(open(&base).identity().folder.as_deref(), Some("/p"));
    let with = |line: &str| base.clone() + line;
    tells(&with(&usage(900, child)), &["100"]);
    let done = |success: bool, agent: &str| {
        copilot(
            "session.compaction_complete",
            &format!("\"success\":{success},\"postCompactionTokens\":50"),
            agent,
        )
    };
    tells(&with(&done(false, "")), &["100"]);
    tells(&with(&done(true, child)), &["100"]);
    tells(&with(&done(true, "")), &["100", "compaction Some(50)"]);
    let null = done(true, ",\"agentId\":null");
    assert_eq!(story(&with(&null), true).len(), 2);
    assert_eq!(windows(&base), [1000]);
    let sent = copilot("user.message", "\"content\":\"a\",\"transformedContent\":\"<now>a\"", "");
    tells(&with(&sent), &["100", "in <now>a"]);
}

#[test]
fn summaries_and_failures_of_opencode() {
    let answer = |more: &str, input: u64| {
        format!(
            "{{\"info\":{{\"role\":\"assistant\",\"id\":\"i{input}\"{more},\"tokens\":{{\"input\":{input},\"output\":{input},\
             \"cache\":{{\"read\":{input},\"write\":0}}}}}},\"parts\":[{{\"type\":\"text\",\"text\":\"words\"}},\
             {{\"type\":\"tool\",\"tool\":\"bash\",\"callID\":\"c\",\"state\":{{\"input\":{{}},\"output\":\"result\"}}}}]}}"
        )
    };
    let user = "{\"info\":{\"role\":\"user\",\"summary\":{\"diffs\":[]}},\"parts\":[{\"type\":\"text\",\"text\":\"go\"}]}";
    let export = |messages: &[&str]| {
        format!(
            "{{\n \"info\": {{ \"id\": \"ses_1\", \"projectID\": \"p\", \"directory\": \"/p\" }},\n \"messages\": [{}]}}",
            messages.join(",\n")
        )
    };
    tells(&export(&[user, &answer("", 10)]), &["in go", "20", "in result"]);
    let failed = answer(",\"error\":{\"name\":\"E\",\"data\":{\"message\":\"too long\"}}", 0);
    let said = story(&export(&[user, &failed]), true);
    assert!(
        said.contains(&"error too long".to_owned()) && !said.contains(&"-".to_owned()),
        "{said:?}"
    );
    let compacted = export(&[user, &answer(",\"summary\":true", 90), &answer("", 10)]);
    assert_eq!(story(&compacted, false)[1..], ["compaction None", "summary", "20", "in result"]);
    let child = export(&[user]).replace("\"directory\"", "\"parentID\": \"ses_0\", \"directory\"");
    assert!(open(&child).identity().sub_agent && !open(&export(&[user])).identity().sub_agent);
    let text = export(&[user, &answer("", 10), user]);
    assert_eq!(story(&text[..text.len() - 20], true), ["in go", "20", "in result"], "cut short");
}

#[test]
fn what_cline_only_displays_is_an_error() {
    let document = |messages: &str| {
        format!(
            "{{\"version\":1,\"updated_at\":\"t\",\"sessionId\":\"1_a\",\"origin\":{{\"source\":\"cli\"}},\"messages\":[{messages}]}}"
        )
    };
    let user = "{\"role\":\"user\",\"content\":\"go\"}";
    let answer = "{\"role\":\"assistant\",\"content\":[],\"metrics\":{\"inputTokens\":10,\"cacheReadTokens\":9}}";
    let shown = "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"too long\"}],\"metadata\":{\"displayOnly\":true}}";
    tells(&document(&[user, answer, shown].join(",")), &["in go", "10", "error too long"]);
    assert_eq!(open(&document(user)).identity().session_id.as_deref(), Some("1_a"));
}

/// A rollout of Codex in its store, by its number; it may go on from another's.
fn rollout(home: &std::path::Path, number: u8, base: Option<(u8, u64)>, answers: &[u64]) -> u64 {
    let id = |number: u8| format!("01a22d8f-efa7-7370-b456-3b782deff2{number:02}");
    let base = base.map_or(String::new(), |(of, end)| {
        format!(",\"history_base\":{{\"thread_id\":\"{}\",\"end_byte_offset\":{end}}}", id(of))
    });
    let mut text = format!(
        "{{\"type\":\"session_meta\",\"payload\":{{\"id\":\"{}\",\"cwd\":\"/p\"{base}}}}}\n",
        id(number)
    );
    for input in answers {
        let usage =
            format!("{{\"input_tokens\":{input},\"output_tokens\":1,\"total_tokens\":{input}}}");
        text += &format!("{{\"type\":\"token_usage_record\",\"payload\":{{\"usage\":{usage}}}}}\n");
    }
    let folder = home.join("sessions/2026/11/30");
    fs_err::create_dir_all(&folder).unwrap();
    let name = format!("rollout-2026-11-30T17-41-42-{}.jsonl", id(number));
    fs_err::write(folder.join(name), &text).unwrap();
    text.len() as u64
}

/// The contexts that a thread's facts tell, in the order of the file.
fn contexts(home: &std::path::Path, number: u8, newest_first: bool) -> Vec<u64> {
    let name =
        format!("rollout-2026-11-30T17-41-42-01a22d8f-efa7-7370-b456-3b782deff2{number:02}.jsonl");
    let transcript = Transcript::open(&home.join("sessions/2026/11/30").join(name)).unwrap();
    let mut contexts = Vec::new();
    let mut see = |fact: Fact<'_>| {
        if let Fact::Answer(answer) = fact {
            contexts.extend(answer.context);
        }
        ControlFlow::Continue(())
    };
    match newest_first {
        true => transcript.newest_first(&mut see).unwrap(),
        false => transcript.oldest_first(&mut see).unwrap(),
    }
    if newest_first {
        contexts.reverse();
    }
    contexts
}

/// A fork records what is new alone; what its parent wrote since does not count.
#[test]
fn a_fork_of_codex_goes_on_from_its_parent() {
    let home = tempfile::tempdir().unwrap();
    // SAFETY: this is the only test of this binary that reads the variable.
    unsafe { std::env::set_var("CODEX_HOME", home.path()) };
    let end = rollout(home.path(), 1, None, &[10, 20]);
    rollout(home.path(), 1, None, &[10, 20, 90]);
    let end_of_fork = rollout(home.path(), 2, Some((1, end)), &[30]);
    rollout(home.path(), 3, Some((2, end_of_fork)), &[]);
    rollout(home.path(), 4, Some((4, 999)), &[5]);
    rollout(home.path(), 5, Some((77, 9)), &[7]);
    for newest_first in [true, false] {
        assert_eq!(contexts(home.path(), 2, newest_first), [10, 20, 30]);
        assert_eq!(contexts(home.path(), 3, newest_first), [10, 20, 30]);
        assert_eq!(contexts(home.path(), 5, newest_first), [7], "its parent is gone");
        assert!(contexts(home.path(), 4, newest_first).contains(&5), "a circle ends");
    }
}

/// Made by hand from the source: no real session was at hand.
#[test]
fn a_context_of_kimi_tells_what_its_last_count_covers() {
    let text = "{\"role\":\"_system_prompt\",\"content\":\"be kind\"}
{\"role\":\"user\",\"content\":\"go\"}
{\"role\":\"_checkpoint\",\"id\":0}
{\"role\":\"_usage\",\"token_count\":100}
{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"words\"}]}
{\"role\":\"_usage\",\"token_count\":110}
{\"role\":\"tool\",\"content\":[{\"type\":\"text\",\"text\":\"result\"}],\"tool_call_id\":\"c\"}
";
    tells(text, &["in go", "100", "in words", "110", "in result"]);
    assert_eq!(open(text).agent().name(), "kimi");
}
