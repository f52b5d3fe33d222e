//! agent-run with a program that plays Codex: it chooses the session's id, writes its
//! rollout, and takes no hook.

#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod player;

use std::os::unix::fs::PermissionsExt;

use assert_cmd::cargo::cargo_bin;

use player::Place;

const ID: &str = "01a22d8c-59e1-7280-a232-291f04971f23";

/// What the script of a player may say: a thread that has begun, an answer of so
/// many tokens in the rollout with the calls of its tools, a tool that starts and
/// ends on the stream, its result in the rollout, the agent's words, the end.
const WORDS: &str = r#"
id=01a22d8c-59e1-7280-a232-291f04971f23
rollout="$HOME/.codex/sessions/2026/11/30/rollout-2026-11-30T17-41-42-$id.jsonl"
begin() {
    mkdir -p "${rollout%/*}"
    echo "{\"type\":\"session_meta\",\"payload\":{\"id\":\"$id\",\"cwd\":\"$PWD\"}}" >>"$rollout"
    echo "{\"type\":\"thread.started\",\"thread_id\":\"$id\"}"
    echo "{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_started\",\"model_context_window\":258400}}" >>"$rollout"
}
returns() { item function_call_output "$1"; }
item() { echo "{\"type\":\"response_item\",\"payload\":{\"type\":\"$1\",\"call_id\":\"$2\",\"output\":\"ok\"}}" >>"$rollout"; }
answer() {
    usage=$1
    shift
    for call; do item function_call "$call"; done
    set -- "$usage"
    echo "{\"type\":\"token_usage_record\",\"payload\":{\"usage\":{\"input_tokens\":$1,\"output_tokens\":5,\"total_tokens\":$1}}}" >>"$rollout"
}
start() { echo "{\"type\":\"item.started\",\"item\":{\"id\":\"$1\",\"type\":\"command_execution\",\"command\":\"$1\"}}"; }
end() { echo "{\"type\":\"item.completed\",\"item\":{\"id\":\"$1\",\"type\":\"command_execution\",\"command\":\"$1\"}}"; }
says() { echo "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"$1\"}}"; }
done_() { echo '{"type":"turn.completed","usage":{"input_tokens":9,"output_tokens":1}}'; }
trap 'echo cut >cut; exit 1' INT
# A shell hears a signal between two commands alone.
linger() { for _ in 1 2 3 4 5 6 7 8 9; do sleep 0.2; sleep 0.2; sleep 0.2; done; }
"#;

fn place(script: &str) -> Place {
    Place::new("codex", WORDS, script)
}

#[test]
fn a_run_is_interrupted_at_its_line_when_all_its_tools_have_returned() {
    // The second tool still runs when the first one's result is written.
    let place = place(
        "begin; answer 20000 a; start a; end a; returns a; sleep 0.3
         answer 90000 b c; start b; start c; end b; returns b; sleep 0.3
         [ ! -e cut ] || echo early >early; end c; returns c; says more; linger; says late; done_",
    );
    let outcome = place.run("start --session made --stop-at 80000", 0, "");
    assert_eq!((&outcome["verdict"], &outcome["session_id"]), (&"stopped".into(), &ID.into()));
    assert_eq!((&outcome["context"], &outcome["window"]), (&90_000.into(), &258_400.into()));
    assert_eq!(outcome["window_source"], "session");
    assert_eq!(outcome["first_context"], 20_000);
    assert!(
        fs_err::exists(place.path("cut")).unwrap() && !fs_err::exists(place.path("early")).unwrap()
    );
}

/// The stream's own word for an end of a tool comes too early, too late or never.
#[test]
fn the_line_holds_whatever_the_stream_says_of_tools() {
    for (kind, script) in [
        ("denied: told of by nothing", "sleep 0.3; returns a; linger"),
        ("runs on while the model is asked: no end", "start a; sleep 0.3; returns a; linger"),
        (
            "quick: its result is written later",
            "start a; end a; sleep 0.3; [ ! -e cut ] || echo early >early; returns a; linger",
        ),
    ] {
        let place = place(&format!("begin; answer 90000 a; {script}; done_"));
        let outcome = place.run("start --session made --stop-at 80000", 0, "");
        assert_eq!(outcome["verdict"], "stopped", "{kind}");
        assert!(!fs_err::exists(place.path("early")).unwrap(), "{kind}");
    }
}

/// It ends well when it is interrupted, without a word.
#[test]
fn an_answer_that_was_cut_off_is_not_empty() {
    let script = "begin; trap 'done_; exit 0' INT; answer 90000 a; returns a; linger";
    let outcome = place(script).run("start --session made --stop-at 80000", 0, "");
    assert_eq!(outcome["verdict"], "stopped");
}

/// It tries again for ever, in longer and longer pauses.
#[test]
fn who_waits_for_the_network_is_not_hung() {
    let waits = "Reconnecting... waiting for network (Connection failed: error sending request)";
    let waits = format!(r#"echo '{{"type":"error","message":"{waits}"}}'"#);
    let outcome =
        place(&format!("begin; {waits}; linger")).run("start --session made --timeout 1", 75, "");
    assert_eq!(outcome["verdict"], "network");
    let went_on = format!("begin; {waits}; says more; linger");
    let outcome = place(&went_on).run("start --session made --timeout 1", 124, "");
    assert_eq!(outcome["verdict"], "hung");
}

/// A run that was killed left results beyond the line behind: the one that goes on is
/// not stopped for what none of its answers saw.
#[test]
fn what_an_earlier_run_left_stops_none() {
    let place = place(
        "if [ ! -e before ]; then
             >before; begin; answer 90000 a; returns a; says once; done_
         else sleep 0.2; begin; sleep 0.2; says 'all done'; done_; fi",
    );
    place.run("start --session made", 0, "once\n");
    place.run(&format!("resume {ID} --stop-at 80000"), 0, "all done\n");
}

#[test]
fn the_line_is_that_of_the_recorded_window() {
    let script = "begin; answer 208400 a; returns a; linger";
    assert_eq!(place(script).run("start --session made --stop-at due", 0, "")["at"], 208_400);
    let script = "begin; answer 200000 a; returns a; sleep 0.2; says 'all done'; done_";
    let outcome = place(script).run("start --session made --stop-at due", 0, "all done\n");
    assert_eq!((&outcome["verdict"], &outcome["near"]), (&"done".into(), &true.into()));
}

#[test]
fn the_answer_is_what_was_said_last() {
    let outcome = place(
        "cat >prompt; begin; answer 500; says first; start a; end a; says last; done_",
    )
    .run("start --session made", 0, "last\n");
    assert_eq!(outcome["verdict"], "done");
    for (script, code, verdict) in [
        ("begin; done_", 1, "empty"),
        ("begin; says half", 1, "empty"),
        (
            r#"begin; echo '{"type":"turn.completed","usage":{"input_tokens":0,"output_tokens":0}}'"#,
            1,
            "blocked",
        ),
        (
            r#"begin; echo '{"type":"turn.failed","error":{"message":"Codex ran out of room in the model'"'"'s context window. Start a new thread or clear earlier history before retrying."}}'; exit 1"#,
            1,
            "overflow",
        ),
        (
            r#"begin; echo '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}'; exit 1"#,
            75,
            "rate",
        ),
        (
            r#"begin; echo '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: Incorrect API key provided: dummy., url: x"}}'; exit 1"#,
            77,
            "credentials",
        ),
    ] {
        let outcome = place(script).run("start --session made", code, "");
        assert_eq!(outcome["verdict"], verdict, "{script}");
    }
}

/// Under the id that it chose the session is nobody else's while it runs.
#[test]
fn a_session_that_runs_is_not_joined() {
    let place = place("begin; answer 500; exec \"$0\".joins");
    let program = place.path("bin/codex.joins");
    let agent_run = cargo_bin!("agent-run");
    let script = format!(
        "#!/bin/sh\necho go | '{}' --agent codex resume {ID} --outcome inner.json 2>inner; echo $? >code\n{WORDS}\nsays ok; done_\n",
        agent_run.display()
    );
    fs_err::write(&program, script).unwrap();
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    place.run("start --session made", 0, "ok\n");
    assert_eq!(fs_err::read_to_string(place.path("code")).unwrap(), "75\n");
    let said = fs_err::read_to_string(place.path("inner")).unwrap();
    assert!(said.contains(&format!("session '{ID}' still runs")), "{said}");
}

/// The command line keeps the turn from acting, and so does a guard that a person
/// registered by hand.
#[test]
fn a_guard_of_the_persons_own_knows_the_handoff_turn() {
    let place = place("env >environment; begin; says ok; done_");
    place.run(&format!("resume {ID} --turn handoff"), 0, "ok\n");
    let environment = fs_err::read_to_string(place.path("environment")).unwrap();
    assert!(environment.contains("CTX_GUARD_TURN=handoff\n"), "{environment}");
    assert!(environment.contains(&format!("CTX_GUARD_SESSION={ID}\n")), "{environment}");
    place.run(&format!("resume {ID}"), 0, "ok\n");
    let environment = fs_err::read_to_string(place.path("environment")).unwrap();
    assert!(!environment.contains("CTX_GUARD"), "{environment}");
}

/// Out of reach of any signal to the agent; the session that goes on may run it again.
#[test]
fn what_an_agent_leaves_running_is_told() {
    let place = place("begin; answer 90000 a; start a; setsid sleep 2 & returns a; linger; done_");
    let output = place.command("start --session made --stop-at 80000").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let told = said.lines().find(|line| line.contains("what it had started runs on: process "));
    assert!(told.unwrap().ends_with(": sleep 2"), "{said}");
    assert_eq!(said.matches("runs on").count(), 1, "{said}");
}

/// Whoever watched it was killed, and it works on.
#[test]
fn an_agent_that_was_left_behind_gets_no_company() {
    let place = place(
        "begin; answer 500; sleep 0.5; kill -s KILL $PPID; while [ ! -e over ]; do sleep 0.1; done",
    );
    let killed = place.command("start --session made").output().unwrap();
    assert_eq!(killed.status.code(), None);
    let refused = place.command(&format!("resume {ID}")).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(75), "{said}");
    assert!(said.contains("was left behind: wait for it, or end it with 'kill "), "{said}");
    fs_err::write(place.path("over"), "").unwrap();
    fs_err::write(place.path("bin/codex"), format!("#!/bin/sh\n{WORDS}\nbegin; says ok; done_\n"))
        .unwrap();
    let started = std::time::Instant::now();
    while place.command(&format!("resume {ID}")).output().unwrap().status.code() == Some(75) {
        assert!(started.elapsed().as_secs() < 10, "it has ended");
    }
    place.run(&format!("resume {ID}"), 0, "ok\n");
}
