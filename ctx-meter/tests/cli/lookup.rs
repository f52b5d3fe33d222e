//! Sessions are found in each CLI's own store: by id and by folder, main sessions
//! only.

use std::path::{Path, PathBuf};

use crate::place::{Place, fixture};

/// Puts a saved session, as if it had been started in the place's own folder, into
/// a store.
fn store(place: &Place, saved: &str, at: &str) -> PathBuf {
    let folder = canonical(&place.path(""));
    let text = fs_err::read_to_string(fixture(saved)).unwrap();
    place.file(at, text.replace("/home/dev/proj", folder.to_str().unwrap()))
}

fn canonical(path: &Path) -> PathBuf {
    fs_err::canonicalize(path).unwrap()
}

/// The key under which a folder's sessions lie, made of its path.
fn key(place: &Place, keep: &str, front: &str, back: &str) -> String {
    let folder = canonical(&place.path(""));
    let inner =
        folder.to_str().unwrap().trim_start_matches(if front.is_empty() { "" } else { "/" });
    let key: String = inner
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || keep.contains(c) { c } else { '-' })
        .collect();
    format!("{front}{key}{back}")
}

/// By id and by folder it is this session and no other, and its figure is this.
#[track_caller]
fn finds(place: &Place, id: &str, path: &Path, context: &str) {
    let figure = format!("{context}\n");
    place.meter().arg(id).assert().success().stdout(figure.clone()).stderr("");
    place.meter().assert().success().stdout(figure);
    let json = place.json(Path::new(id));
    assert_eq!(canonical(Path::new(json["path"].as_str().unwrap())), canonical(path));
    // Of another folder it is none.
    fs_err::create_dir_all(place.path("elsewhere/deep")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    place.meter().current_dir(outside.path()).assert().code(66);
    place.meter().current_dir(place.path("elsewhere/deep")).assert().success();
}

#[test]
fn sessions_of_pi() {
    let place = Place::new();
    let id = "01a22d95-180f-74d9-9a6b-6a104458ef2a";
    let folder = key(&place, "._ ", "--", "--");
    let at = format!(".pi/agent/sessions/{folder}/2026-11-30T17-51-15-472Z_{id}.jsonl");
    let path = store(&place, "pi/plain_tool_calls.jsonl", &at);
    finds(&place, id, &path, "13100");
}

#[test]
fn sessions_of_qwen() {
    let place = Place::new();
    let id = "6f7b0e71-0e40-471f-8ffd-447fd1efd40c";
    let at = format!(".qwen/projects/{}/chats/{id}.jsonl", key(&place, "", "", ""));
    let path = store(&place, "qwen/session_tool-call_ctx13300.jsonl", &at);
    finds(&place, id, &path, "13300");
}

#[test]
fn sessions_of_copilot() {
    let place = Place::new();
    let id = "a06e25ee-df4c-493a-bebb-3bba01732061";
    let at = format!(".copilot/session-state/{id}/events.jsonl");
    let path = store(&place, "copilot/resumed.events.jsonl", &at);
    finds(&place, id, &path, "15000");
}

#[test]
fn sessions_of_cline() {
    let place = Place::new();
    let id = "1796061685362_9wv5c";
    let messages = format!(".cline/data/sessions/{id}/{id}.messages.json");
    let path = store(&place, "cline/session_messages.json_ctx13300.json", &messages);
    store(&place, "cline/session_meta.json", &messages.replace(".messages", ""));
    finds(&place, id, &path, "13300");
}

/// A resume leaves a newer file of the same id that holds nothing, and sub-agents
/// have files a folder deeper.
#[test]
fn sessions_of_gemini_without_stubs_and_sub_agents() {
    let place = Place::new();
    let id = "f865eb7c-7a2f-4995-8fea-94d53cc81647";
    let folder = canonical(&place.path(""));
    place.file(".gemini/tmp/proj/.project_root", folder.to_str().unwrap());
    place.file(".gemini/tmp/other/.project_root", "/nowhere");
    let chats = ".gemini/tmp/proj/chats";
    let saved = "gemini/session_tool-call_resume-same-minute_ctx14500.jsonl";
    let path = store(&place, saved, &format!("{chats}/session-2026-11-30T17-42-f865eb7c.jsonl"));
    let child = "gemini/subagent_child-file_kind-subagent_91000.jsonl";
    store(&place, child, &format!("{chats}/{id}/fcb78225-b341-49f7-b018-33b97b502a40.jsonl"));
    let stub = fs_err::read_to_string(fixture(
        "gemini/stub_left-by-resume_same-sessionId_no-tokens.jsonl",
    ));
    let stub = stub.unwrap();
    let stub_id = stub.split('"').nth(3).unwrap().to_owned();
    place.file(
        &format!("{chats}/session-2026-11-30T17-59-f865eb7c.jsonl"),
        stub.replace(&stub_id, id),
    );
    finds(&place, id, &path, "14500");
    place.meter().arg("fcb78225-b341-49f7-b018-33b97b502a40").assert().code(66);
}

/// One that has only just begun is a session, though it has no answer yet.
#[test]
fn a_session_of_gemini_that_has_just_begun_is_found() {
    let place = Place::new();
    let folder = canonical(&place.path(""));
    place.file(".gemini/tmp/proj/.project_root", folder.to_str().unwrap());
    let saved = "gemini/stub_left-by-resume_same-sessionId_no-tokens.jsonl";
    store(&place, saved, ".gemini/tmp/proj/chats/session-2026-11-30T17-59-f865eb7c.jsonl");
    place.meter().assert().code(65).stdout("");
}

/// Codex compresses old rollouts and moves archived ones away.
#[test]
fn sessions_of_codex_that_are_compressed_or_archived() {
    let place = Place::new();
    let saved = fs_err::read(fixture("codex/compressed_rollout.jsonl.zst")).unwrap();
    let plain = place.file("rollout.jsonl.zst", &saved);
    let json = place.json(&plain);
    let (id, context) = (json["session_id"].as_str().unwrap(), json["context"].as_u64().unwrap());
    let name = format!("rollout-2026-11-30T17-41-42-{id}.jsonl.zst");
    for folder in ["sessions/2026/11/30", "archived_sessions", "archived_sessions/2026/11/30"] {
        let place = Place::new();
        place.file(&format!(".codex/{folder}/{name}"), &saved);
        place.meter().arg(id).assert().success().stdout(format!("{context}\n")).stderr("");
    }
    // What only begins like one is told.
    let torn = place.file("torn.zst", &saved[..saved.len() / 2]);
    let run = place.meter().arg(torn).assert().failure().stdout("");
    run.stderr(predicates::str::contains("cannot decompress"));
}

/// Made by hand from the source: no real session was at hand.
#[test]
fn sessions_of_kimi_without_sub_agents() {
    let place = Place::new();
    // MD5 of the folder.
    let folder = canonical(&place.path(""));
    let sum = std::process::Command::new("sh")
        .args(["-c", "printf %s \"$1\" | md5sum", "sh"])
        .arg(folder)
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    let key = sum.split(' ').next().unwrap();
    let id = "6f7b0e71-0e40-471f-8ffd-447fd1efd40c";
    let session = format!(".kimi/sessions/{key}/{id}");
    let context = |count: u64| {
        format!(
            "{{\"role\":\"_system_prompt\"}}\n{{\"role\":\"_usage\",\"token_count\":{count}}}\n"
        )
    };
    let path = place.file(&format!("{session}/context.jsonl"), context(120));
    let child = place.file(&format!("{session}/subagents/a1/context.jsonl"), context(900));
    finds(&place, id, &path, "120");
    assert_eq!(place.json(&child)["sub_agent"], true);
    place.meter().arg("a1").assert().code(66);
}

#[test]
fn a_database_is_told_from_a_transcript() {
    let place = Place::new();
    let database = place.file("opencode.db", b"SQLite format 3\0 and so on");
    let said = format!(
        "ctx-meter: '{}' is a database, not a transcript\n\
         let its CLI export the session ('opencode export ID', 'kilo export ID')\n",
        database.display()
    );
    place.meter().arg(&database).assert().code(65).stdout("").stderr(said);
}

/// The CLI's database is read by the CLI, here a program that answers as it does.
#[test]
fn a_session_of_opencode_is_asked_for_by_its_id() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let export = fs_err::read_to_string(fixture("opencode/tool_calls_turn.export.json")).unwrap();
    let rows = serde_json::json!([{ "document": export }]);
    place.file("rows.json", rows.to_string());
    let fake = "#!/bin/sh\n[ \"$1 $3 $4\" = 'db --format json' ] || exit 2\n\
                case $2 in *\"'ses_known'\") exec cat \"$HOME/rows.json\" ;; *) echo '[]' ;; esac\n";
    let program = place.file("bin/opencode", fake);
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    let meter = |id: &str| {
        let mut meter = place.meter();
        meter.env("PATH", &path).arg(id);
        meter.assert()
    };
    meter("ses_known").success().stdout("13100\n").stderr("");
    for id in ["ses_other", "ses_'; drop table session; --"] {
        let said = format!("ctx-meter: no such file or session '{id}'\n");
        meter(id).code(66).stdout("").stderr(said);
    }
    // Without the CLI it is as unknown as any other.
    place.meter().env("PATH", "/nonexistent").arg("ses_known").assert().code(66);
}
