//! The scale of a window, with its lines:
//!
//! ```text
//! 0==============================--------|-----|--------------|
//!                                     130K  150K           200K
//!                                     near  due          window
//! ```

use terminal::Language;

use crate::limits::Limits;
use crate::phrase::round;

/// Columns between the ends of the scale.
const WIDTH: u64 = 60;

/// The scale, filled up to `tokens` where known, and the labels below it.
pub fn gauge(tokens: Option<u64>, limits: &Limits, language: Language) -> String {
    // The lines have floors, so that on a tiny window they lie behind its end.
    let end = limits.window.max(limits.at);
    let column = |tokens: u64| {
        let tokens = u128::from(tokens.min(end));
        u64::try_from(tokens * u128::from(WIDTH) / u128::from(end)).unwrap_or(WIDTH)
    };
    // Marks stay apart however close the lines are.
    let window = column(limits.window).max(3);
    let at = column(limits.at).clamp(2, WIDTH.saturating_sub(1)).min(window - 1);
    let warn_at = column(limits.warn_at).clamp(1, at - 1);
    let filled = tokens.map_or(0, |tokens| column(tokens).max(u64::from(tokens > 0)));
    let scale: String = (1..=window)
        .map(|at_column| match at_column {
            c if c == warn_at || c == at || c == window => '|',
            c if c <= filled => '=',
            _ => '-',
        })
        .collect();
    let columns = [warn_at, at, window];
    let numbers = [limits.warn_at, limits.at, limits.window].map(round);
    let numbers = labels(columns, numbers.each_ref().map(String::as_str));
    let words = labels(columns, words(language));
    format!("0{scale}\n{numbers}\n{words}\n")
}

fn words(language: Language) -> [&'static str; 3] {
    match language {
        Language::En => ["near", "handoff", "window"],
        Language::Zh => ["接近", "换代", "上限"],
        Language::Ko => ["경고", "교체", "한도"],
        Language::Ja => ["間近", "引継", "上限"],
    }
}

/// Each text with its end below its column, or as near as its neighbours let.
fn labels(columns: [u64; 3], texts: [&str; 3]) -> String {
    let mut row = String::new();
    let mut used = 0;
    for (column, text) in columns.into_iter().zip(texts) {
        let wide = width(text);
        let gap = usize::from(used > 0);
        let start = (usize::try_from(column).unwrap_or(0) + 1).saturating_sub(wide);
        let start = start.max(used + gap);
        row.extend(std::iter::repeat_n(' ', start - used));
        row += text;
        used = start + wide;
    }
    row
}

/// Terminal columns: CJK takes two.
fn width(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Headroom;

    #[test]
    fn the_scale_of_200k() {
        let limits = Limits::new(200_000, Headroom::default());
        let expected = "\
0==============================--------|-----|--------------|
                                    130K  150K           200K
                                    near handoff       window
";
        assert_eq!(gauge(Some(100_000), &limits, Language::En), expected);
        assert!(gauge(None, &limits, Language::Zh).starts_with("0-----"));
    }

    #[test]
    fn lines_stay_apart_on_any_window() {
        for window in [1, 999, 10_000, 60_000, 200_000, 1_000_000, 4_000_000_000] {
            for headroom in [Headroom::default(), Headroom::Auto, Headroom::Percent(0)] {
                let limits = Limits::new(window, headroom);
                let text = gauge(Some(window * 2), &limits, Language::Ja);
                assert_eq!(text.matches('|').count(), 3, "{text}");
                assert_eq!(text.lines().count(), 3);
            }
        }
    }
}
