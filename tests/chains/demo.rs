//! `make demo`, a newcomer's first impression.

use serde_json::json;

use crate::place::{Place, files};
use crate::shell::shells;

#[test]
fn the_demo_shows_three_generations_and_leaves_one_folder() {
    for shell in shells() {
        let place = Place::new(&json!({}));
        let old = place.path("work/demo-run/old");
        fs_err::create_dir_all(&old).unwrap();
        let ran = place.script("demo").under(shell).with("HANDOFF_HOME", "elsewhere").run();
        let (ran, stdout) = ran.succeeds();
        for shown in
            ["work-2", "交接-work.md", "retired 2", "degraded", "0=", "handoff       window"]
        {
            assert!(stdout.contains(shown), "{shown} is not shown:\n{stdout}");
        }
        assert!(!stdout.contains('\u{1b}'), "colour where there is no terminal");
        ran.says(&["takes over", "going on without"]);
        assert!(!old.try_exists().unwrap());
        let entries = fs_err::read_dir(place.path("work")).unwrap().count();
        assert_eq!((entries, files(&place.path("home")).len()), (1, 0));
    }
}
