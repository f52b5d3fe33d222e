//! What the next request will carry.

use crate::place::{Place, answer, base, fixtures, user};

#[test]
fn projected_follows_real_sessions() {
    let place = Place::new();
    let table = fs_err::read_to_string(fixtures().join("projection.tsv")).unwrap();
    let mut errors = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let n: Vec<u64> = line.split('\t').skip(1).map(|n| n.parse().unwrap()).collect();
        let [context, output, characters, _, next] = n[..] else { panic!("{line}") };
        let text = "x".repeat(usize::try_from(characters).unwrap());
        let file = place.file("s.jsonl", answer("m1", context, 0, 0, output) + &user(&text));
        let projected = place.json(&file)["projected"].as_u64().unwrap();
        errors.push(u32::try_from(projected.abs_diff(next) * 10_000 / next).unwrap());
    }
    errors.sort_unstable();
    assert_eq!(errors.len(), 100);
    let (ninetieth, most) = (errors[90], errors[99]);
    assert!(ninetieth <= 150, "{ninetieth}");
    assert!(most <= 600, "{most}");
}

#[test]
fn what_came_after_the_answer_is_pending() {
    let tool = |content: &str| {
        format!(
            "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":{content}}}]}},\"toolUseResult\":{{\"stdout\":\"{}\"}}}}\n",
            "copy".repeat(1000)
        )
    };
    let image = format!(
        "[{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"data\":\"{}\"}}}}]",
        "A".repeat(90_000)
    );
    let between = answer("m1", 5, 100_000, 2_000, 30)
        + &tool("\"aaaaaa\"")
        + &answer("m1", 5, 100_000, 2_000, 30)
        + &tool("\"bbb\"");
    let place = Place::new();
    for (name, text, pending) in [
        ("nothing", base(), 0),
        ("a tool's result, not its copy", base() + &tool("\"0123456789\""), 4),
        ("a list of texts", base() + &tool("[{\"type\":\"text\",\"text\":\"012345678\"}]"), 3),
        ("an image costs a flat sum", base() + &tool(&image), 1_600),
        ("Korean is not underrated", base() + &user(&"컨텍스트".repeat(30)), 120),
        ("a result between the records of the answer", between, 3),
        ("a result before the answer", user("x") + &tool("\"0123456789\"") + &base(), 0),
        (
            "a notification",
            base()
                + "{\"type\":\"attachment\",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"abc\"}}\n",
            1,
        ),
        (
            "what a hook said to the person",
            base()
                + "{\"type\":\"attachment\",\"attachment\":{\"type\":\"hook_success\",\"stdout\":\"abcdef\"}}\n",
            0,
        ),
        (
            "a sidechain",
            base() + &user("abcdef").replace("{\"type\"", "{\"isSidechain\":true,\"type\""),
            0,
        ),
    ] {
        let json = place.json(&place.file("s.jsonl", text));
        assert_eq!(json["pending"], pending, "{name}");
        assert_eq!(json["projected"], 102_005 + 30 + pending, "{name}");
    }
}

#[test]
fn a_huge_line_is_an_image_or_a_text() {
    let place = Place::new();
    let big = "A".repeat(6 << 20);
    let image = format!(
        "{{\"isSidechain\":false,\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"content\":[{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"data\":\"{big}\"}}}}]}}]}}}}\n"
    );
    assert_eq!(place.json(&place.file("s.jsonl", base() + &image))["pending"], 1_600);
    let copied = format!(
        "{{\"isSidechain\":false,\"type\":\"user\",\"message\":{{\"content\":\"abc\"}},\"toolUseResult\":{{\"originalFile\":\"{big}\"}}}}\n"
    );
    let pending = place.json(&place.file("s.jsonl", base() + &copied))["pending"].as_u64().unwrap();
    assert!(pending < 100, "{pending}");
}

#[test]
fn a_compaction_leaves_its_estimate_or_else_its_summary() {
    let summary =
        user(&"x".repeat(900)).replace("{\"type\"", "{\"isCompactSummary\":true,\"type\"");
    let boundary = |metadata: &str| {
        format!(
            "{{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"compactMetadata\":{metadata}}}\n"
        )
    };
    let place = Place::new();
    for (metadata, pending) in [("{\"postTokens\":578}", 578 + 1), ("{}", 300 + 1)] {
        let text = base() + &boundary(metadata) + &summary + &user("abc");
        let json = place.json(&place.file("s.jsonl", text));
        assert_eq!(
            (&json["context"], &json["pending"]),
            (&0.into(), &pending.into()),
            "{metadata}"
        );
    }
}
