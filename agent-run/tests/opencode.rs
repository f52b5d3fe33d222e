//! agent-run with a program that plays OpenCode: its stream alone tells what an answer
//! saw, nothing in it tells of the end, and the session is asked of the program itself.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod player;

use player::Place;

/// What the script of a player may say: an answer that begins, its words, a tool that
/// has ended, an answer of so many tokens after which it goes on or ends. It answers a
/// question about its database at once.
const WORDS: &str = r#"
record() { echo "{\"type\":\"$1\",\"sessionID\":\"ses_1\",$2}"; }
begin() { record step_start '"part":{}'; }
says() { record text "\"part\":{\"text\":\"$1\"}"; }
tool() { record tool_use '"part":{"tool":"bash","state":{"input":{"command":"ls"},"output":"a"}}'; }
ends() { record step_finish "\"part\":{\"reason\":\"$1\",\"tokens\":{\"input\":$2,\"output\":5,\"cache\":{\"read\":0,\"write\":0}}}"; }
if [ "$1" = db ]; then
    answer='{\"info\":{\"id\":\"m\",\"role\":\"assistant\",\"tokens\":{\"input\":70000,\"output\":5}},\"parts\":[]}'
    echo "[{\"document\":\"{\\\"info\\\":{\\\"id\\\":\\\"ses_1\\\",\\\"directory\\\":\\\"/\\\",\\\"projectID\\\":\\\"p\\\"},\\\"messages\\\":[$answer]}\"}]"
    exit
fi
trap 'echo cut >cut; exit 130' INT
# A shell hears a signal between two commands alone.
linger() { for _ in 1 2 3 4 5 6 7 8 9; do sleep 0.2; sleep 0.2; sleep 0.2; done; }
"#;

const START: &str = "start --session made --window 200000 --stop-at 150000";

fn place(script: &str) -> Place {
    Place::new("opencode", WORDS, script)
}

#[test]
fn the_answer_is_what_the_last_answer_said() {
    let place =
        place("begin; says first; tool; ends tool-calls 500; begin; says last; ends stop 600");
    let outcome = place.run(START, 0, "last\n");
    assert_eq!((&outcome["verdict"], &outcome["session_id"]), (&"done".into(), &"ses_1".into()));
    // Asked of the program when the run was over.
    assert_eq!((&outcome["context"], &outcome["projected"]), (&70_000.into(), &70_005.into()));
}

/// A tool that is refused is told of before the words that led to it.
#[test]
fn an_answer_without_words_is_none() {
    let place = place("begin; tool; says first; ends tool-calls 500; begin; ends stop 600");
    assert_eq!(place.run(START, 1, "")["verdict"], "empty");
}

#[test]
fn a_final_answer_is_not_interrupted() {
    let place = place("begin; says done; ends stop 160000; sleep 0.5");
    assert_eq!(place.run(START, 0, "done\n")["verdict"], "done");
    assert!(!fs_err::exists(place.path("cut")).unwrap());
}

/// What a compaction of its own answers, or an error that one mends, is not the end.
#[test]
fn a_run_that_went_on_is_stopped_at_its_line() {
    let error = r#"record error '"error":{"name":"ContextOverflowError"}'"#;
    for end in ["ends stop 160000", error] {
        let place = place(&format!(
            "begin; says all; {end}; begin; tool; ends tool-calls 90000; sleep 0.3\n[ ! -e cut ] || echo early >early\nbegin; tool; ends tool-calls 155000; linger"
        ));
        assert_eq!(place.run(START, 0, "")["verdict"], "stopped", "{end}");
        assert!(fs_err::exists(place.path("cut")).unwrap());
        assert!(!fs_err::exists(place.path("early")).unwrap(), "{end}");
    }
}
