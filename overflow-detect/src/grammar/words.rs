//! The grammar's words, as they stand in a view: lower case, no blanks. Stems,
//! so that they cover inflection; English, Chinese, Korean, Japanese, Spanish,
//! Portuguese, French, German, Italian and Russian.

/// The words of a list. A list is one text, not a slice of texts: every slice is
/// paid for when the program is loaded, whether it is needed or not.
pub(super) fn each(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split_ascii_whitespace()
}

/// Too much. The words the scan looks for.
#[rustfmt::skip]
pub(crate) static EXCESS: &[&str] = &[
    "exceed", "toolong", "toolarge", "toobig", "longerthan", "largerthan", "greaterthan",
    "morethan", "biggerthan", "beyond", "overflow", "surpass", "outof", "overthe", "abovethe",
    "doesnotfit", "doesntfit", "notfit", "wontfit", "cannotfit", "outgrown", "toomanytoken",
    "toomanyinput", "isfull", "overlimit", "overlong", "nomoreroom", "noroominthe", "noroomleftinthe", "outofroominthe", "reached", "超出", "超过",
    "超過", "超长", "超限", "过长", "過長", "太长", "太長", "过大", "已满", "达到上限", "초과",
    "넘었", "넘습", "넘는", "넘어", "너무길", "너무긴", "너무깁", "벗어", "超え", "長すぎ",
    "大きすぎ", "上回", "オーバー", "excede", "supera", "sobrepasa", "rebasa", "demasiadolarg",
    "demasiadoextens", "muitolong", "muitogrande", "ultrapass", "tropplong", "troplong",
    "tropgrand", "dépass", "excèd", "überschr", "zulang", "zugroß", "übersteig", "troppolung",
    "превыш", "превыс", "слишкомдлинн", "слишкомбольш",
];

/// Words of excess that speak of length, and need no number.
pub(super) static TOO_LONG: &str = "
    toolong toolarge toobig 过长 過長 太长 太長 超长 너무길 너무긴 너무깁 長すぎ demasiadolarg
    demasiadoextens muitolong troplong zulang troppolung слишкомдлинн
";

/// The room itself.
pub(super) static ROOM: &str = "
    contextlength contextwindow contextsize contextlimit contextcapacity contextbudget maxcontext
    maximumcontext modelcontext modelscontext contexttoken tokencontext maxseqlen
    maxsequencelength maxmodellen maxinputlength maximuminputlength maximumpromptlength
    maxpromptlength maximummodellength inputtokenlimit prompttokenlimit inputlimit promptlimit
    nctx numctx maxinputtoken maximuminputtoken maxprompttoken windowsize tokenwindow 上下文长度
    上下文窗口 上下文限制 上下文上限 最大上下文 上下文大小 上下文的 上下文 컨텍스트 콘텍스트 문맥
    コンテキスト コンテクスト 文脈 ventanadecontexto contexto janeladecontexto fenêtredecontexte
    contextemaxim contextedumod longueurdecontexte kontextfenster kontextlänge kontextgröße
    kontextlimit finestradicontesto контекстноеокно контекстногоокна окноконтекста окнаконтекста
    длинуконтекста контекст コンテキストウィンドウ コンテキスト長 コンテキストサイズ 컨텍스트창
    컨텍스트길이
";

/// Tokens.
pub(super) static TOKENS: &str = "
    token トークン 토큰 令牌 词元 jeton токен
";

/// What no longer fits.
pub(super) static SUBJECT: &str = "
    prompt input message request conversation history transcript dialog chatsession sequence
    yourtext document query 输入 輸入 提示 对话 對話 消息 请求 內容 内容 会话 历史 입력 프롬프트
    대화 메시지 요청 내용 入力 プロンプト 会話 メッセージ リクエスト entrada mensaje mensagem
    mensagens conversación conversa solicitud solicitação petición eingabe anfrage nachricht
    unterhaltung entrée requête invite richiesta запрос сообщени промпт диалог ввод беседа
";

/// Limits of any kind.
pub(super) static CAP: &str = "
    limit maximum max allowed allows supports supported capacity model 上限 限制 最大 最长 允许
    제한 한도 최대 límite máxim grenze höchst лимит максим предел
";

/// What may be called too long with no room named.
pub(super) static LONG_ALONE: &str = "
    prompt prompttokens conversation context chat chathistory 对话 上下文 提示词 会话 프롬프트 대화
    컨텍스트 プロンプト 会話 コンテキスト conversación conversa unterhaltung промпт диалог
";

/// What may be, where the sentence speaks of tokens or of a model as well.
pub(super) static LONG_OF_MODEL: &str = "
    input inputtext messages message request session transcript 输入 请求 消息 입력 요청 메시지
    入力 リクエスト mensaje entrada eingabe anfrage entrée requête запрос ввод
";

/// Whose limits they are.
pub(super) static MODEL: &str = "
    model llm 模型 모델 モデル modelo модел
";

/// Words that may stand between the subject and its excess.
pub(super) static FILLERS: &str = "
    was has is are been have 内容 far much size length would will が を は 가 이 를 을 es est ist
    é
";

/// What may stand between the excess and the room: `exceeds the`.
pub(super) static ARTICLE: &str = "sthe";

/// Sentences about other limits.
pub(super) static FOREIGN: &str = "
    perminute perday perhour permin persecond tpm rpm ratelimit quota billing throttl usagelimit
    retrylimit retrydelay batch filecontent filesize filetoo filename image pdf attachment media
    bytes pixel dimension toolresult toolresponse tooloutput mcptool deadline timeout timedout
    stack recursion heap memory buffer header fieldl argument digits flowcontrol outputtokenmax
    outputtokenl completiontokens maxnewtokens maxoutputtoken maximumoutput maxcompletiontoken
    responseexceeded maxtokensmust budgettokens thinkingbudget agents.md instructions description
    physical truncat autocompact summarized memories indexing kvcache derived maxpositionembedding
    requestlimit bodysize payload maxretries retries disk depth uri embeddingmodel 频率 速率
    每分钟 配额 余额 并发 图片 文件大小 속도제한 분당 할당량 レート制限 ssl opengl texture cookie
    csrf
";
