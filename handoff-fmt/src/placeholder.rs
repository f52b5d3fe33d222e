//! What people and models write where there is nothing to write.

/// What an empty section is written as, in every language.
pub(crate) const EMPTY: &str = "(空)";

/// Whether a section's whole text says only that there is none: `(空)`, `- None
/// yet.`, `**N/A**`, `（暂无）`, a dash.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    if text.len() > 80 || text.contains('\n') {
        return false;
    }
    let dashes = |c: char| c.is_whitespace() || "-–—―─_.…*/\\·。?？ー~()（）[]".contains(c);
    if text.chars().all(dashes) {
        return true;
    }
    let item = crate::label::unnumbered(text).unwrap_or(text);
    let word = item.trim_matches(|c: char| !c.is_alphanumeric());
    let key: String =
        word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    // Only decoration may have been taken off: `a.rs` or a rocket is content.
    let harmless = |c: char| {
        c.is_alphanumeric() || c.is_whitespace() || c.is_ascii_punctuation() || EAST.contains(c)
    };
    text.chars().all(harmless) && WORDS.contains(&key.as_str())
}

const EAST: &str = "（）【】［］〔〕「」『』《》〈〉。．，、！–—―…·・’‘“”";

const WORDS: &[&str] = &[
    "none",
    "noneyet",
    "nonesofar",
    "nonefornow",
    "nonecurrently",
    "noneatthistime",
    "noneknown",
    "nothing",
    "nothingyet",
    "nothingsofar",
    "nothingtoreport",
    "na",
    "notapplicable",
    "tbd",
    "tba",
    "tobedetermined",
    "tobedecided",
    "tobeadded",
    "nil",
    "null",
    "empty",
    "todo",
    "notyet",
    "blank",
    "空",
    "空白",
    "无",
    "無",
    "暂无",
    "暫無",
    "没有",
    "沒有",
    "暂时没有",
    "暫時沒有",
    "目前没有",
    "目前沒有",
    "目前无",
    "尚无",
    "尚無",
    "还没有",
    "還沒有",
    "无内容",
    "無內容",
    "待定",
    "待补",
    "待补充",
    "待補充",
    "未定",
    "不适用",
    "不適用",
    "없음",
    "없다",
    "없습니다",
    "아직없음",
    "아직없다",
    "아직없습니다",
    "해당없음",
    "해당사항없음",
    "미정",
    "비어있음",
    "비었음",
    "빈칸",
    "추후작성",
    "현재없음",
    "특별히없음",
    "なし",
    "無し",
    "ナシ",
    "まだなし",
    "まだない",
    "特になし",
    "とくになし",
    "今のところなし",
    "現時点ではなし",
    "該当なし",
    "該当無し",
    "ありません",
    "まだありません",
    "特にありません",
    "空欄",
    "未記入",
];
