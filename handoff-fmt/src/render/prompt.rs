//! What a successor is given to start from.

use std::fmt::Write as _;

use terminal::Language;

use crate::{Document, Section};

impl Document {
    /// The prompt for the session that takes over: what it is, the sections that
    /// have text, and where to go on. Whatever else a person wrote in the file
    /// comes first.
    pub fn to_prompt(&self, language: Language) -> String {
        let mut out = format!("{}\n\n", opening(language));
        if self.degraded() {
            let _ = write!(out, "{}\n\n", incomplete(language));
        }
        if !self.preamble.is_empty() {
            let _ = write!(out, "{}\n\n", self.preamble);
        }
        for section in Section::ALL {
            match self.section(section) {
                "" => {}
                body => {
                    let _ = write!(out, "## {}\n\n{body}\n\n", section.label(language));
                }
            }
        }
        let _ = write!(out, "---\n\n{}\n", closing(language));
        out
    }
}

fn opening(language: Language) -> &'static str {
    match language {
        Language::En => {
            "You are taking over a piece of work that is under way. The session before you ran out of \
             context; the document below is what it left for you, and all you get of its conversation. \
             Do not ask the person for background: what is known stands here, and the rest is in the \
             files it points to. What is decided stays decided, and a dead end has been walked already: \
             do not walk it again."
        }
        Language::Zh => {
            "你正在接手一件还没做完的工作。上一个会话的上下文用完了,下面是它留给你的交接书,\
             那次对话里你能拿到的就只有这些。不要向人追问背景:已知的都写在这里,其余的到它指明的文件里去看。\
             已经定下的事不再重新讨论,走不通的路已经有人走过,不要再走一遍。"
        }
        Language::Ko => {
            "당신은 아직 끝나지 않은 일을 넘겨받는 중입니다. 앞 세션은 컨텍스트를 다 썼고, 아래는 그 세션이 남긴 인계서입니다. \
             앞선 대화에서 당신이 받는 것은 이것이 전부입니다. 사람에게 배경을 되묻지 마세요. 알려진 것은 여기 적혀 있고, \
             나머지는 문서가 가리키는 파일에 있습니다. 이미 정해진 것은 다시 따지지 말고, 막힌 길은 누군가 이미 가 본 길이니 \
             다시 가지 마세요."
        }
        Language::Ja => {
            "あなたは途中の仕事を引き継ぐところです。前のセッションはコンテキストを使い切りました。\
             以下はそのセッションが残した引き継ぎ書で、これまでのやり取りから渡されるのはこれがすべてです。\
             背景を人に尋ねないでください。分かっていることはここに書いてあり、残りは示されたファイルにあります。\
             決まったことは蒸し返さず、行き止まりはすでに通った道なので、もう一度入らないでください。"
        }
    }
}

fn incomplete(language: Language) -> &'static str {
    match language {
        Language::En => {
            "This handoff document is incomplete: the session before you could not write it, and it was \
             put together mechanically. Look at the scene first, and trust what you find there."
        }
        Language::Zh => {
            "注意:这份交接书是不完整的。上一个会话没能把它写出来,它是机械拼成的。先看现场,以现场看到的为准。"
        }
        Language::Ko => {
            "주의: 이 인계서는 불완전합니다. 앞 세션이 쓰지 못해 기계적으로 꾸민 문서입니다. 먼저 현장을 보고, 거기서 확인한 것을 믿으세요."
        }
        Language::Ja => {
            "注意:この引き継ぎ書は不完全です。前のセッションが書けなかったため、機械的に組み立てたものです。まず現場を見て、そこで確かめたことを信じてください。"
        }
    }
}

fn closing(language: Language) -> &'static str {
    match language {
        Language::En => "Go on from the next step, now.",
        Language::Zh => "现在就从「下一步」接着做。",
        Language::Ko => "이제 \"다음 스텝\"부터 이어서 하세요.",
        Language::Ja => "では「次のステップ」から続けてください。",
    }
}
