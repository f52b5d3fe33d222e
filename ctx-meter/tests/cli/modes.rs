//! What each mode prints.

use predicates::prelude::*;

use crate::place::{Place, answer, base, fixture, user};

#[test]
fn predicates_answer_by_their_exit_code() {
    let place = Place::new();
    let at = |tokens| place.file(&format!("{tokens}.jsonl"), answer("m1", tokens, 0, 0, 10_000));
    for (tokens, mode, options, code) in [
        (129_999, "--near", &[][..], 1),
        (130_000, "--near", &[], 0),
        (150_000, "--near", &[], 0),
        (149_999, "--due", &[], 1),
        (150_000, "--due", &[], 0),
        (145_000, "--due", &["--projected"], 0),
        (100_000, "--due", &["--headroom", "50%"], 0),
        (99_999, "--due", &["--headroom", "50%"], 1),
    ] {
        place
            .meter()
            .args(["--window", "200000", mode])
            .args(options)
            .arg(at(tokens))
            .assert()
            .code(code)
            .stdout("")
            .stderr("");
    }
    let unknown = place.file("unknown.jsonl", user("go"));
    place
        .meter()
        .arg("--due")
        .arg(&unknown)
        .assert()
        .code(65)
        .stdout("")
        .stderr(predicate::str::starts_with("ctx-meter: no usage recorded in"));
    place
        .meter()
        .arg("--due")
        .args([at(1), at(2)])
        .assert()
        .code(2)
        .stdout("")
        .stderr("ctx-meter: one session at a time can be asked about\n");
}

#[test]
fn several_sessions_go_on_past_an_unknown_one() {
    let place = Place::new();
    let (a, b) = (place.file("a.jsonl", base()), place.file("b.jsonl", user("go")));
    let (a, b) = (a.display().to_string(), b.display().to_string());
    place.meter().args([&a, &b, "/nonexistent", &a]).assert().code(65)
        .stdout(format!(" 102005 {a}\n 102005 {a}\n"))
        .stderr(format!("ctx-meter: no usage recorded in '{b}'\nctx-meter: no such file or session '/nonexistent'\n"));
}

#[test]
fn for_people() {
    let place = Place::new();
    let file = place.file("s.jsonl", answer("m1", 130_000, 0, 0, 1));
    for (lang, line) in [
        ("", "context 130.0K/200K · about 20K to the handoff\n"),
        ("fr", "context 130.0K/200K · about 20K to the handoff\n"),
        ("zh_CN.UTF-8", "上下文 130.0K/200K · 还有约 20K 到换代\n"),
        ("ko", "컨텍스트 130.0K/200K · 핸드오프까지 약 20K\n"),
        ("ja_JP", "コンテキスト 130.0K/200K · 引き継ぎまで約 20K\n"),
    ] {
        place
            .meter()
            .env("HANDOFF_LANG", lang)
            .args(["-H", "--window", "200k"])
            .arg(&file)
            .assert()
            .success()
            .stdout(line)
            .stderr("");
    }
    place
        .meter()
        .args(["--gauge", "--window", "200k"])
        .arg(&file)
        .assert()
        .success()
        .stderr("")
        .stdout(
            "0======================================|-----|--------------|\n\
             \x20                                   130K  150K           200K\n\
             \x20                                   near handoff       window\n",
        );
}

#[test]
fn turns_are_one_line_an_answer() {
    let place = Place::new();
    place
        .meter()
        .arg("--turns")
        .arg(fixture("claude-code/compact-auto.jsonl"))
        .assert()
        .success()
        .stderr("")
        .stdout(
            "1\t2026-11-30T18:07:46.476Z\t101005\t60\t-\n\
         2\t2026-11-30T18:07:46.547Z\t166005\t60\t-\n\
         3\t2026-11-30T18:07:46.589Z\t190005\t60\t-\n\
         4\t2026-11-30T18:07:46.737Z\t19009\t33\tcompacted\n\
         5\t2026-11-30T18:07:46.817Z\t19307\t20\t-\n",
        );
    let unknown = place.file("s.jsonl", user("go"));
    place
        .meter()
        .arg("--turns")
        .arg(&unknown)
        .assert()
        .code(65)
        .stdout("")
        .stderr(predicate::str::contains("no usage recorded"));
}

#[test]
fn waiting() {
    let place = Place::new();
    let due = place.file("due.jsonl", answer("m1", 150_000, 0, 0, 1));
    let ok = place.file("ok.jsonl", answer("m1", 1_000, 0, 0, 1));
    let wait = |what: &str| {
        let mut meter = place.meter();
        meter.args(["--window", "200k", "--wait", what]);
        meter
    };
    wait("due").arg(&due).assert().success().stdout("").stderr("");
    wait("due").args(["--timeout", "0.1"]).arg(&ok).assert().code(124).stdout("").stderr("");
    wait("near")
        .args(["--timeout", "0.1"])
        .arg(place.path("not-there"))
        .assert()
        .code(124)
        .stdout("")
        .stderr("");
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    wait("due")
        .args(["--pid", &ended.id().to_string()])
        .arg(&ok)
        .assert()
        .code(1)
        .stdout("")
        .stderr("");
    ended.wait().unwrap();

    let later = place.path("later.jsonl");
    let writer = std::thread::spawn({
        let later = later.clone();
        move || {
            std::thread::sleep(std::time::Duration::from_millis(300));
            fs_err::write(&later, answer("m1", 160_000, 0, 0, 1)).unwrap();
        }
    });
    wait("due").args(["--timeout", "20"]).arg(&later).assert().success().stdout("").stderr("");
    writer.join().unwrap();
}
