//! The line for people: `context 130.0K/200K · about 20K to the handoff`.

use terminal::Language;

use crate::limits::Limits;

/// What is used of which window, and how far the handoff line is. `None` where
/// the figure is not known: `context ?/200K`.
pub fn line(tokens: Option<u64>, limits: &Limits, language: Language) -> String {
    let used = tokens.map_or_else(|| "?".to_owned(), precise);
    let window = round(limits.window);
    let head = match language {
        Language::En => "context",
        Language::Zh => "上下文",
        Language::Ko => "컨텍스트",
        Language::Ja => "コンテキスト",
    };
    let Some(tokens) = tokens else { return format!("{head} {used}/{window}") };
    let left = limits.at.saturating_sub(tokens);
    let rest = if left > 0 {
        let left = round(left);
        match language {
            Language::En => format!("about {left} to the handoff"),
            Language::Zh => format!("还有约 {left} 到换代"),
            Language::Ko => format!("핸드오프까지 약 {left}"),
            Language::Ja => format!("引き継ぎまで約 {left}"),
        }
    } else {
        match language {
            Language::En => "past the handoff line",
            Language::Zh => "已过换代线",
            Language::Ko => "핸드오프 선을 넘음",
            Language::Ja => "引き継ぎの線を越えた",
        }
        .to_owned()
    };
    format!("{head} {used}/{window} · {rest}")
}

/// Tokens to a tenth of a thousand: `130.0K`, `1.2M`.
fn precise(tokens: u64) -> String {
    let tenths = |unit: u64| {
        let tenths = (tokens + unit / 20) / (unit / 10);
        (tenths / 10, tenths % 10)
    };
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..999_950 => {
            let (whole, tenth) = tenths(1_000);
            format!("{whole}.{tenth}K")
        }
        _ => {
            let (whole, tenth) = tenths(1_000_000);
            format!("{whole}.{tenth}M")
        }
    }
}

/// Tokens as one says them: `200K`, `1M`, `1.05M`.
pub fn round(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..999_500 => format!("{}K", (tokens + 500) / 1_000),
        _ => {
            let hundredths = (tokens + 5_000) / 10_000;
            let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            format!("{}M", text.trim_end_matches('0').trim_end_matches('.'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Headroom;

    #[test]
    fn the_line_in_every_language() {
        let limits = Limits::new(200_000, Headroom::default());
        let table = [
            (Language::En, "context 130.0K/200K · about 20K to the handoff"),
            (Language::Zh, "上下文 130.0K/200K · 还有约 20K 到换代"),
            (Language::Ko, "컨텍스트 130.0K/200K · 핸드오프까지 약 20K"),
            (Language::Ja, "コンテキスト 130.0K/200K · 引き継ぎまで約 20K"),
        ];
        for (language, expected) in table {
            assert_eq!(line(Some(130_000), &limits, language), expected);
        }
        assert_eq!(line(None, &limits, Language::En), "context ?/200K");
        assert_eq!(
            line(Some(152_000), &limits, Language::En),
            "context 152.0K/200K · past the handoff line"
        );
    }

    #[test]
    fn numbers_as_one_says_them() {
        for (tokens, exact, rounded) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1_000, "1.0K", "1K"),
            (102_005, "102.0K", "102K"),
            (999_949, "999.9K", "1M"),
            (999_950, "1.0M", "1M"),
            (1_000_000, "1.0M", "1M"),
            (1_048_576, "1.0M", "1.05M"),
            (258_400, "258.4K", "258K"),
        ] {
            assert_eq!((precise(tokens).as_str(), round(tokens).as_str()), (exact, rounded));
        }
    }
}
