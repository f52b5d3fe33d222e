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
    "exceed", "toolong", "toolarge", "toobig", "toohigh", "longerthan", "largerthan",
    "greaterthan", "higherthan", "morethan", "biggerthan", "beyond", "overflow", "surpass",
    "outof", "overthe", "overits", "abovethe", "goneover", "pastthe", "doesnotfit", "doesntfit",
    "notfit", "wontfit", "cannotfit", "nolongerfit", "outgrown", "outgrew", "toomanytoken",
    "toomanyinput", "toomanyprompt", "moretokensthan", "tropdejeton", "tropdetoken", "troppitoken", "demasiadostoken", "muitostoken",
    "tokensdemais", "zuvieletoken", "不足", "부족", "moreinputtokensthan",
    "moreprompttokensthan", "isfull", "contextfull", "windowfull", "contextlimiterror", "contextlengtherror", "contextwindowerror", "exhaust", "overlimit",
    "overlong", "nomoreroom", "noroominthe", "noroomleftinthe", "outofroominthe", "notenough",
    "insufficientcontext", "toosmall", "smallerthan", "reached", "cutoff", "mustbebetween",
    "超出", "超过", "超過", "超长", "超長", "超限", "过长", "過長", "太长", "太長", "过大", "過大", "过多",
    "過多", "已满", "已滿", "用尽", "耗尽", "达到上限", "초과", "넘었", "넘습", "넘는", "넘어", "너무길",
    "너무긴", "너무깁", "너무많", "너무큽", "너무커", "벗어", "超え", "長すぎ", "長くなりすぎ", "大きすぎ",
    "多すぎ", "上回", "収まり", "収まら", "入りき", "上限に達", "オーバー", "exced", "superó", "supera",
    "sobrepas", "rebasa", "nocabe", "nãocabe", "demasiadolarg", "demasiadoextens",
    "demasiadogrand", "muitolong", "muitogrande", "muitoextens", "grandedemais", "longademais",
    "longodemais", "ultrapass", "troplong", "tropgrand", "tropvolumineu", "dépass", "depass",
    "excèd", "nerentreplus", "netientpas", "netientplus", "usedup", "nomorecontext", "überschr", "ueberschr", "zulang", "zugroß", "zugross",
    "übersteig", "passtnicht", "istvoll", "ecced", "troppolung", "troppogrand", "troppoestes",
    "nonentra", "превыш", "превыс", "слишкомдлинн", "слишкомбольш", "слишкоммного", "непомеща",
    "невлеза", "переполн", "исчерпан",
];

/// Words that set a limit; that something is beyond it, two numbers must show.
#[rustfmt::skip]
pub(crate) static LIMITING: &[&str] = &[
    "atmost", "nomorethan", "notmorethan", "upto", "onlyhas", "isjust", "hasjust", "canonly", "hasonly", "onlyaccept",
    "onlyallow", "onlysupport", "supportsonly", "acceptsonly", "allowsonly", "cannotwritemore", "windowholds", "maximum", "limitis", "máxim", "massim", "maximal", "limitees", "límitees",
    "limiteest", "höchstens", "上限为", "上限是", "最大", "最多", "최대", "неболее",
];

/// Words of excess that speak of length, and need no number.
pub(super) static TOO_LONG: &str = "
    toolong toolarge toobig 过长 過長 太长 太長 超长 超長 过多 過多 너무길 너무긴 너무깁 너무많 너무큽
    너무커 長すぎ 長くなりすぎ 大きすぎ 多すぎ demasiadolarg demasiadoextens demasiadogrand muitolong
    muitogrande muitoextens grandedemais longademais longodemais troplong tropgrand tropvolumineu
    zulang zugroß zugross troppolung troppogrand troppoestes слишкомдлинн слишкомбольш
    слишкоммного
";

/// Words of excess that say of a room, or of what fills it, that it is full.
pub(super) static FULL: &str = "
    isfull contextfull exhaust istvoll 已满 已滿 用尽 耗尽 переполн исчерпан
";

/// Words of excess that mean much else: the room must be named with them.
pub(super) static WEAK: &str = "
    reached outof exhaust isfull cutoff usedup overflow morethan overthe notenough pastthe
    toosmall 不足 부족 上回 オーバー
";

/// The room itself.
pub(super) static ROOM: &str = "
    contextlength contextwindow contextsize contextlimit contextcapacity contextbudget maxcontext
    maximumcontext modelcontext modelscontext contexttoken tokencontext contextoverflow
    contextexceeded maxseqlen maxsequencelength maxmodellen maxinputlength maximuminputlength
    maximumpromptlength maxpromptlength maximummodellength inputtokenlimit prompttokenlimit
    inputlimit promptlimit nctx numctx maxinputtoken maximuminputtoken maxprompttoken tokenwindow
    modelwindow modelswindow contextleft contextremaining contextavailable 上下文 컨텍스트 콘텍스트 문맥 コンテキスト コンテクスト 文脈 kontextfenster
    kontextlänge kontextlaenge kontextgröße kontextlimit контекст コンテキストウィンドウ
    コンテキスト長 コンテキストサイズ 컨텍스트창 컨텍스트길이 上下文长度 上下文窗口 ventanadecontexto
    контекста janeladecontexto fenêtredecontexte fenetredecontexte finestradicontesto окноконтекста
";

/// The room, where these are whole words; within others they are parts of
/// English ones (`context error`).
pub(super) static ROOM_WORDS: &str = "
    contexto contexte contextuelle contesto contestuale kontext kontextes
";

/// The room, in a sentence that speaks of tokens or of a model as well.
pub(super) static ROOM_OF_MODEL: &str = "
    windowsize windowholds thewindow itswindow windowof contextof thecontext itscontext outofcontext contextisfull contextfull
    forcontext
";

/// Tokens.
pub(super) static TOKENS: &str = "
    token トークン 토큰 令牌 词元 jeton токен
";

/// What no longer fits.
pub(super) static SUBJECT: &str = "
    prompt input message request conversation history transcript dialog chatsession sequence
    yourtext document query thischat 输入 輸入 提示 对话 對話 消息 请求 請求 內容 内容 会话 會話 历史
    歷史 입력 프롬프트 대화 메시지 요청 내용 入力 プロンプト 会話 メッセージ リクエスト entrada mensaje
    mensagem mensagens conversación conversacion conversa solicitud solicitação petición eingabe
    anfrage nachricht unterhaltung gespräch verlauf entrée requête invite discussion richiesta
    conversazione messaggio histori histór запрос сообщени промпт диалог ввод беседа
";

/// What, in front of the excess, no other world has a limit for.
pub(super) static PROMPT: &str = "
    prompt 提示词 프롬프트 プロンプト промпт
";

/// What no longer fits where a model's limit or two numbers are named with it.
pub(super) static PROMPTS: &str = "
    prompt input conversation lengthof 提示词 输入 对话 프롬프트 입력 대화 プロンプト 入力 会話 entrada entrée
    eingabe conversaci conversazione промпт ввод запрос
";

/// Limits of any kind.
pub(super) static CAP: &str = "
    limit maximum max allowed allows supports supported available capacity model windowsize 上限 限制 最大
    最长 允许 제한 한도 최대 límite máxim massim grenze höchst лимит максим предел
";

/// What has room: its number is a limit, not what does not fit.
pub(super) static HOLDERS: &str = "
    context window limit capacity
";

/// Limits by name.
pub(super) static LIMITS: &str = "
    limit maxim 限制 上限 한도 제한 límite maxim massim höchst grenze лимит предел
";

/// What is written, not read.
pub(super) static WRITTEN: &str = "
    output response reply answer generat write produce
";

/// What only a sentence about a model speaks of, whatever else it names.
pub(super) static OURS: &str = "
    prompt model llm conversation contextwindow contextlength inputtoken completion 模型 提示词
    모델 프롬프트 モデル プロンプト modèle промпт модел
";

/// What may be called too long with no room named.
pub(super) static LONG_ALONE: &str = "
    prompt prompttokens conversation context chat chathistory 对话 上下文 提示词 会话 프롬프트 대화
    컨텍스트 プロンプト 会話 コンテキスト conversación conversa conversation unterhaltung gespräch
    conversazione contexte contexto contesto kontext промпт диалог
";

/// What may be, where the sentence speaks of tokens or of a model as well.
pub(super) static LONG_OF_MODEL: &str = "
    input inputtext messages message request session transcript 输入 请求 消息 입력 요청 메시지
    入力 リクエスト mensaje entrada eingabe anfrage entrée requête запрос ввод
";

/// Whose limits they are.
pub(super) static MODEL: &str = "
    model llm 模型 모델 モデル modelo modèle модел
";

/// Words that may stand between the subject and its excess.
pub(super) static FILLERS: &str = "
    was has is are been have 内容 far much size length would will が を は 가 이 를 을 es est ist
    é è 크기 길이 大小 长度 サイズ ha foi fue wurde become becoming grown
";

/// What may stand between the excess and the room: `exceeds the`.
pub(super) static ARTICLE: &str = "sthe";

/// What the model writes.
pub(super) static OUTPUT: &str = "
    outputtoken outputlimit outputbudget outputsize tokenstogenerate numpredict npredict outputlength outputcap maximumoutput maxoutput highestpermittedoutput
    outputtoolong modeloutput completiontoken completionlength maxcompletion maxnewtoken
    generationlimit generatedtoken tokensgenerated tokensperreply tokensperresponse
    responseexceed ausgabelimit ausgabetoken ausgabelänge 输出长度 输出限制 输出上限 最大输出 输出token
    최대출력 출력토큰 출력한도 最大出力 出力トークン limitedesortie jetonsdesortie tokensdesortie
    límitedesalida tokensdesalida limitedesaída tokensdesaída limitedioutput tokendioutput
    лимитвывода токеноввывода
";

/// The parameter that bounds what the model writes. In front of the word of
/// excess it is what exceeds; behind it, it may be what a prompt exceeds.
pub(super) static OUTPUT_PARAMETER: &str = "maxtokens";

/// What the model reads: a sentence that names it is about more than the output.
pub(super) static INPUT: &str = "
    prompt context conversation history messages inputtoken inputlength theinput yourinput
    inputis inputexceed inputand inputplus inputs+ input+ kontext kontexte eingabe contesto 输入 输入长度 上下文
    입력 컨텍스트 入力 コンテキスト entrada entrée ввод контекст
";

/// Spans of time that a limit may be for.
pub(super) static SPANS: &str = "
    perminute permin persecond persec perhour perday perweek permonth /minute /min /second /hour
    /day lastminute lasthour lastday last60seconds last24hours pastminute pasthour past24hours
    thishour thisminute 每分钟 每分鐘 每秒 每天 每日 每小时 每小時 每月 분당
    초당 시간당 일일 하루 分あたり 毎分 毎日 日あたり 時間あたり porminuto porsegundo porhora pordía
    pordia parminute parseconde parheure parjour alminuto algiorno alsecondo
    prominute protag prosekunde prostunde вминуту всекунду вчас вдень
";

/// Spans of time, where they stand beside what is counted.
pub(super) static SPAN_ADJECTIVES: &str = "
    daily hourly weekly monthly diario diaria diári quotidien giornalier täglich mensual mensal mensuel mensil
    monatlich semanal hebdomadaire settimanal wöchentlich
";

/// Spans of time, as whole words.
pub(super) static SPAN_WORDS: &str = "tpm rpm tpd rpd itpm otpm";

/// What is counted by the minute or the day.
pub(super) static COUNTED: &str = "
    token request message limit quota allowance budget 请求 請求 限制 上限 토큰 요청 한도 トークン
    リクエスト 上限 jeton requête límite limite richiest anfrage grenze токен запрос лимит
";

/// Words by which a remark about a length goes on.
pub(super) static TASK: &str = "
    process fit handle send complete continue compact beprocess behandled besent
";

/// What a length may be too long for, besides [`OURS`] and [`CAP`].
pub(super) static TAKER: &str = "
    context token request session server api endpoint provider us
";

/// How people begin to speak of what they think.
pub(super) static SPEAKERS: &str = "
    we i my our think thought honestly
";

/// How they close.
pub(super) static OPINIONS: &str = "
    opinion taste liking myview
";

/// What makes even that an error.
pub(super) static APOLOGIES: &str = "
    sorry apolog unable cannot cant couldnot couldnt error failed
";

/// What a tool writes is no output of the model.
pub(super) static TOOLS: &str = "
    mcptool tooloutput toolresult toolresponse
";

/// Worlds with tokens, contexts and windows of their own.
pub(super) static WORLDS: &str = "
    jwt oauth csrf bearer accesstoken refreshtoken sessiontoken apitoken authtoken idtoken
    statetoken securitytoken tokensize kerberos saml tcp udp websocket ssh: http2 h2protocol grpc
    rpcerror flowwindow receivewindow sendwindow connectionwindow congestion contextcancel
    contextdeadline docker buildcontext container kubectl kubelet kubernetes k8s namespace webgl opengl opencl
    cuda canvas 2dcontext audiocontext browser desktop screen display viewport monitor selinux
    applicationcontext executioncontext renderingcontext graphicscontext devicecontext
    persistencecontext scriptcontext tracecontext noncecontext cryptocontext hashcontext
    securitycontext processcontext threadcontext scheduler lexer parseerror syntaxerror
    unexpectedtoken scanner tokensonline tokeninexpression tokensinexpression atline github
    gitlab npm registry installation zstd decoding numpy sts: x509 certificate
";

/// Sentences about other limits.
pub(super) static FOREIGN: &str = "
    ratelimit billing throttl usagelimit quota
    retrylimit retrydelay batch filecontent filesize filetoo filename image pdf attachment media
    bytes pixel dimensions dimensionlimit vectordimension toolresult toolresponse tooloutput mcptool deadline timeout timedout
    stack recursion heap outofmemory memorylimit memoryalloc enoughmemory insufficientmemory gpumemory
    memoryusage ofmemory memoryfor memoryerror toomuchmemory buffer header fieldl argument digits flowcontrol budgettokens
    thinkingbudget agents.md instructions description physical truncat autocompact summarized
    memories indexing kvcache derived maxpositionembedding nctxtrain requestlimit bodysize payload
    maxretries retries disk depth uri embeddingmodel 频率 速率 配额 余额 并发 图片 文件大小 속도제한
    할당량 レート制限 ssl texture cookie resourceexhaust
";
