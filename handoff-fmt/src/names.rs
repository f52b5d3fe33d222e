//! The names of the sections, as data. A new wording is one entry here.

use crate::Section;

/// Small words that do not change what an English heading names.
pub(crate) const SMALL: &[&str] = &[
    "a", "already", "am", "an", "are", "been", "far", "has", "have", "i", "i'm", "im", "is", "my",
    "now", "of", "our", "reason", "right", "so", "still", "that", "the", "this", "to", "was", "we",
    "we're", "were", "what", "what's", "whats", "why", "with", "you", "your",
];

/// English names: lower case, singular, without small words.
#[rustfmt::skip]
pub(crate) const ENGLISH: &[(Section, &[&str])] = &[
    (Section::Doing, &[
        "doing", "current work", "current state", "current status", "current task",
        "current progress", "currently doing", "in progress", "in flight", "work in progress",
        "progress", "working on", "status", "where stand", "task at hand", "where thing stand",
        "being done", "going on", "currently", "currently working on", "current focus",
        "current situation", "state work", "state play",
        "current state work", "current status work", "where at", "where thing at",
        "where left off", "where work stand", "where it stand",
    ]),
    (Section::Decided, &[
        "decided", "decision", "decision made", "decision taken", "settled", "key decision",
        "decided thing", "thing decided", "decided upon", "agreed",
    ]),
    (Section::Deadends, &[
        "dead end", "deadend", "tried failed", "tried but failed", "tried didn't work",
        "failed attempt", "failed approach", "failed approache", "approach tried", "didn't work",
        "did not work", "does not work", "doesn't work", "ruled out", "blocked path",
        "unsuccessful attempt", "tried unsuccessfully", "thing tried failed", "attempted failed",
    ]),
    (Section::Next, &[
        "next", "next step", "next action", "next up", "do next", "next thing",
        "immediate next step", "following step", "upcoming step", "immediate next action",
        "next immediate step", "next concrete step", "concrete next step", "next task",
        "next move", "next step take", "next step for successor", "next step for next session",
        "next action for successor", "next step for", "come next", "remaining work",
        "remaining task", "remaining step", "left do",
    ]),
    (Section::Scene, &[
        "scene", "file", "key file", "file path", "important file", "relevant file", "artifact",
        "file artifact", "file interest", "file location", "working file", "relevant path",
        "key path",
    ]),
];

/// English wordings made of small words only, with all of them.
pub(crate) const WORDINGS: &[(Section, &[&str])] =
    &[(Section::Doing, &["where i am", "where we are", "where am i", "where are we"])];

/// Chinese, Korean and Japanese names, without spaces and punctuation.
#[rustfmt::skip]
pub(crate) const EASTERN: &[(Section, &[&str])] = &[
    (Section::Doing, &[
        "现在在做什么", "现在在做", "我现在在做什么", "现在正在做", "现在正在做什么", "正在做",
        "正在做什么", "在做什么", "当前进度", "进度", "当前工作", "当前状态", "当前任务",
        "进行中", "現在在做什麼", "現在在做", "我現在在做什麼", "正在做什麼", "在做什麼",
        "當前進度", "目前進度", "進度", "當前工作", "目前工作", "當前狀態", "目前狀態", "進行中",
        "지금무엇을하고있는가", "지금무엇을하고있나", "지금하는일", "지금하고있는일",
        "지금하고있는것", "현재하는일", "현재하고있는일", "현재작업", "현재상태", "현재진행상황",
        "진행상황", "진행중", "진행중인작업", "지금작업", "今やっていること",
        "いまやっていること", "今していること", "現在の作業", "現在の状態", "現在の状況",
        "現在の進捗", "作業中", "進捗", "進行中の作業", "今の作業", "当前在做什么",
        "目前在做什么", "当前正在做", "目前进度", "目前状态", "目前在做什麼", "目前正在做的事",
        "现在做到哪里", "做到哪里了", "当前进展", "目前进展", "进展", "當前進展", "目前進展",
        "现状", "現狀", "现在的状态", "현재진행중", "현재진행중인작업", "현재위치", "現状",
        "現在地", "現在のタスク", "现在的进度", "我在哪里", "现在在哪里", "目前在哪里",
        "做到哪了", "进行到哪里", "進行到哪裡", "做到哪裡", "지금어디까지왔나", "지금어디인가",
        "어디까지했나", "今どこにいるか", "今どこまで", "どこまで進んだか", "どこまで来たか", "현재하는작업", "지금상태", "現在やっていること",
        "現在していること", "今の状況", "今の状態", "やっていること",
    ]),
    (Section::Decided, &[
        "已经定下的", "已经定下的事", "已定的事", "已定", "已定的", "决策", "决定", "已经决定的",
        "已经决定的事", "已决定", "已决定的事", "已作决定", "關鍵決策", "关键决策", "已經定下的",
        "已經定下的事", "已定下的", "已定下的事", "決策", "決定", "已經決定的", "已經決定的事",
        "已決定", "이미정해진것", "이미정한것", "이미결정된것", "정해진것", "결정", "결정사항",
        "결정된것", "결정한것", "결정된사항", "決まったこと", "すでに決まったこと",
        "既に決まったこと", "決まっていること", "決定事項", "決めたこと", "決定したこと",
        "已经决定", "已确定的", "已确定", "已定事项", "決定的事", "已確定的", "확정된것",
        "정한것", "정해진사항", "결정내용", "確定事項", "すでに決めたこと",
    ]),
    (Section::Deadends, &[
        "走不通的路", "走不通的", "走不通", "试过不行的", "试过但不行的", "试过但失败的",
        "试过失败的", "排除的路", "已排除的路", "死路", "死胡同", "失败的尝试", "走不通的方法",
        "此路不通", "踩过的坑", "试过但没用的", "已排除的", "試過不行的", "試過但不行的",
        "排除的路線", "失敗的嘗試", "막힌길", "막다른길", "안된것", "안되는것", "안됐던것",
        "실패한것", "실패한시도", "시도했지만안된것", "시도했으나안된것", "시도했으나실패한것",
        "해봤지만안된것", "해봤는데안된것", "行き止まり", "行き詰まり", "試してだめだったこと",
        "試して駄目だったこと", "試してダメだったこと", "試したがだめだったこと",
        "試したがダメだったこと", "だめだったこと", "ダメだったこと", "失敗したこと",
        "失敗した試み", "うまくいかなかったこと", "行不通的", "行不通的路", "失败尝试",
        "尝试过但失败的", "已经试过不行的", "試過但失敗的", "行不通的路線", "안되는길",
        "실패한방법", "시도해봤지만안된것", "試して失敗したこと",
        "試したがうまくいかなかったこと", "試したが失敗したこと",
    ]),
    (Section::Next, &[
        "下一步", "下一步做什么", "下一步要做什么", "下一步要做的", "下一步要做的事",
        "下一步计划", "下一步行动", "接下来", "接下来做什么", "下一步做什麼", "下一步計劃",
        "下一步行動", "接下來", "接下來做什麼", "다음스텝", "다음단계", "다음할일", "다음에할일",
        "다음작업", "다음걸음", "이제할일", "次のステップ", "次の一手", "次の一歩",
        "次にやること", "次にすること", "次の作業", "次の手順", "次の行動", "下一步骤",
        "下一个步骤", "下步", "下一個步驟", "다음에할것", "다음으로할일", "다음단계들",
        "次にやるべきこと", "次の段階", "接下来要做的", "接下来要做的事", "接下来的工作",
        "接下来的步骤", "接下來要做的事", "接下來的工作", "接下來的步驟", "后续步骤", "後續步驟",
        "下一步工作", "下一步任务", "下一步操作", "下一步任務", "다음에해야할일", "다음행동",
        "次のアクション", "次のタスク", "次にやる事",
    ]),
    (Section::Scene, &[
        "现场", "文件", "现场文件", "关键文件", "相关文件", "文件路径", "現場", "檔案",
        "關鍵檔案", "相關檔案", "檔案路徑", "関連ファイル", "關鍵文件", "相關文件", "현장",
        "파일", "관련파일", "핵심파일", "주요파일", "파일경로", "파일들", "ファイル",
        "現場ファイル", "主なファイル", "重要なファイル", "ファイルパス", "相关路径", "关键路径",
        "文件和路径", "文件与路径", "파일과경로", "관련경로", "関連パス", "ファイル一覧",
        "ファイルとパス",
    ]),
];
