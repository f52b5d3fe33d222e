//! A document that could not be written: the step goes on with a stand-in.

use ctxutils_tests::endpoint::{Reply, Script};
use ctxutils_tests::running::Ran;
use ctxutils_tests::world::World;
use serde_json::json;

use crate::{DOCUMENT, document, each, prompts, with_window};

const MARKER: &str = "[降级:交接没写成]";

#[test]
fn an_overflow_does_not_fail_the_step() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::refuses(400, "prompt is too long: 205000 tokens > 200000 maximum"),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    world.handoff_loop(&with_window(&["mend the fence"])).end().came_to(0, "Done.\n");
    // There is no room for a turn that writes, so none is tried.
    assert_eq!(world.asked(), "task result successor");
    went_on_degraded(&world, "no turn is left to write the handoff");
    let row = world.row();
    assert_eq!((&row["ok"], &row["attempts"]), (&json!(true), &json!(1)));
}

/// The generations after an overflow keep a quarter of the window free.
#[test]
fn an_overflow_moves_the_line() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::refuses(400, "prompt is too long: 405000 tokens > 400000 maximum"),
        Reply::runs("echo two").seeing(100_000),
        Reply::runs("echo two").seeing(301_000),
        document(2).seeing(301_100),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    world.handoff_loop(&["--window", "400000", "mend the fence"]).end().came_to(0, "Done.\n");
    assert_eq!(world.asked(), "task result successor result handoff successor");
    let row = world.row();
    assert_eq!(json!(each(&row, "at")), json!([350_000, 300_000, 300_000]));
    assert_eq!(json!(each(&row, "degraded")), json!([true, false, null]));
}

/// Of a session whose first request overflows, no context is known.
#[test]
fn overflows_one_after_the_other_stop_the_loop() {
    let too_long = "prompt is too long: 205000 tokens > 200000 maximum";
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::refuses(400, too_long).times(-1),
    ]);
    let Some(world) = World::new(&script) else { return };
    let ran = world.handoff_loop(&with_window(&["mend the fence"])).end();
    ran.came_to(3, "").said("two documents in a row are degraded");
    let row = world.row();
    assert_eq!(json!(each(&row, "context")), json!([100_000, null, null]));
    assert_eq!(json!(each(&row, "degraded")), json!([true, true, null]));
    assert_eq!(world.asked(), "task result successor");
}

/// Where the room reserved for the output does not fit, no handoff helps.
#[test]
fn a_reservation_that_does_not_fit_fails_the_step() {
    let reserved = "input length and `max_tokens` exceed context limit: 8000 + 200000 > 200000, \
                    decrease input length or `max_tokens` and try again";
    let script = Script::of([
        Reply::runs("echo one").seeing(8_000),
        Reply::refuses(400, reserved).times(-1),
    ]);
    let Some(world) = World::new(&script) else { return };
    let ran = world.handoff_loop(&with_window(&["mend the fence"])).end();
    ran.came_to(1, "").said("lower max_tokens; a handoff would not help");
    let row = world.row();
    assert_eq!((&row["retired"], &row["ok"]), (&json!([]), &json!(false)));
    assert!(row["errors"][0].as_str().unwrap().starts_with("reservation: "), "{row}");
}

/// A handoff turn that comes to these replies.
fn handoff_turn(replies: &[Reply]) -> Option<(World, Ran)> {
    let start = [Reply::runs("echo one").seeing(100_000), Reply::runs("echo one").seeing(151_000)];
    let end = [Reply::says("Done.").seeing(20_000)];
    let world = World::new(&Script::of(start.iter().chain(replies).chain(&end).cloned()))?;
    let ran = world.handoff_loop(&with_window(&["mend the fence"])).end();
    Some((world, ran))
}

fn went_on_degraded(world: &World, why: &str) {
    let row = world.row();
    assert_eq!(json!(each(&row, "degraded")), json!([true, null]));
    let errors: Vec<_> =
        row["errors"].as_array().unwrap().iter().map(|e| e.as_str().unwrap()).collect();
    assert!(
        matches!(errors[..], [only] if only.starts_with("交接降级(") && only.contains(why)),
        "{errors:?}"
    );
    let document = world.read(DOCUMENT);
    assert!(document.contains(MARKER) && document.contains(why), "{document}");
    assert!(document.contains("mend the fence"), "{document}");
    let prompts = prompts(world);
    let given = prompts.last().unwrap();
    assert!(given.contains(MARKER) && given.contains("mend the fence"), "{given}");
}

#[test]
fn a_handoff_turn_that_meets_an_error() {
    let overloaded = Reply::refuses(529, "Overloaded").times(2);
    let Some((world, ran)) = handoff_turn(&[overloaded]) else { return };
    ran.came_to(0, "Done.\n").said("the handoff could not be written");
    went_on_degraded(&world, "529");
    // It is no attempt at the work.
    assert_eq!(world.row()["attempts"], 1);
}

#[test]
fn a_handoff_turn_that_no_longer_fits() {
    let too_long = Reply::refuses(400, "prompt is too long: 205000 tokens > 200000 maximum");
    let Some((world, ran)) = handoff_turn(&[too_long]) else { return };
    ran.came_to(0, "Done.\n");
    went_on_degraded(&world, "no turn is left to write the handoff");
}

#[test]
fn a_document_without_a_required_section() {
    let short = Reply::says("## Doing now\nMuch.\n").seeing(151_100);
    let Some((world, ran)) = handoff_turn(&[short]) else { return };
    ran.came_to(0, "Done.\n").said("missing next");
    went_on_degraded(&world, "missing next");
}

#[test]
fn an_empty_document() {
    // The CLI asks again by itself where an answer is empty.
    let Some((world, ran)) = handoff_turn(&[Reply::says(" ").seeing(151_100).times(2)]) else {
        return;
    };
    ran.came_to(0, "Done.\n");
    went_on_degraded(&world, "empty");
}

#[test]
fn two_in_a_row_stop_the_loop_and_wait_for_a_person() {
    let script = Script::of([
        Reply::runs("echo one").seeing(100_000),
        Reply::runs("echo one").seeing(151_000),
        Reply::says("## Doing now\nMuch.\n").seeing(151_100),
        Reply::runs("echo two").seeing(100_000),
        Reply::runs("echo two").seeing(152_000),
        Reply::says("I would rather not.").seeing(152_100),
        Reply::says("Done.").seeing(20_000),
    ]);
    let Some(world) = World::new(&script) else { return };
    let ran = world.handoff_loop(&with_window(&["mend the fence"])).end();
    ran.came_to(3, "").said("two documents in a row are degraded");
    ran.said("lower --window or raise --headroom, or --no-handoff");
    assert_eq!(world.asked(), "task result handoff successor result handoff");
    let row = world.row();
    assert_eq!(json!(each(&row, "degraded")), json!([true, true, null]));
    assert_eq!(json!(each(&row, "state")), json!(["delivered", "delivered", "pending"]));
    assert_eq!(row["ok"], false);
    assert!(world.read(DOCUMENT).contains(MARKER));

    // The person writes what the session could not, and the work goes on from it.
    world.write(
        DOCUMENT,
        "By hand.\n\n## Doing now\nTwo posts stand.\n\n## Next step\nSet the third.\n",
    );
    world.handoff_loop(&with_window(&["--resume"])).end().came_to(0, "Done.\n");
    let prompts = prompts(&world);
    let given = prompts.last().unwrap();
    for words in ["By hand.", "Two posts stand.", "Set the third."] {
        assert!(given.contains(words), "{given}");
    }
    assert!(!given.contains(MARKER), "{given}");
    assert_eq!(world.row()["ok"], true);
}
