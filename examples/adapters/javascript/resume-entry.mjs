// Resume entries: whether one says what to reopen, and which files it names.
//
// Texts are told apart where they are clear. A text that names something is
// actionable, whatever else it says. A text made of nothing but "go on with what you
// did" is vague. All that lies between is left open.

/** `names`, `vague`, or `unclear`. */
export function judgeResumeEntry(text) {
  if (isVague(text)) return "vague";
  return namesSomething(text) ? "names" : "unclear";
}

/** No more of an entry is looked at for files. A receipt is compact. */
const MAX_ENTRY_LENGTH = 16 * 1024;

/** Whether a text names any file at all. */
export function namesSomeFile(text) {
  const plain = text.slice(0, MAX_ENTRY_LENGTH).replace(URL, " ");
  return [WORD, ASCII_WORD].some((pattern) => {
    return (plain.match(pattern) ?? []).some((word) => isFileName(word.replace(/[.-]+$/, "")));
  });
}

/** What must not stand beside a name: a letter, but of scripts without blanks, or another part of a longer name. */
const LETTER = "(?![\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー])[\\p{L}\\p{N}_]";
const BEFORE = `(?<!${LETTER}|[.~@%+-])`;
const BEFORE_A_TAIL = `(?:(?<!${LETTER}|[.~@%+/-])|(?<=\\./)(?<!(?:${LETTER}|[.~@%+-])\\./))`;
const AFTER = `(?!${LETTER}|[/~@%+-]|\\.${LETTER})`;

/** The name by which a text names a file: its whole path, or a tail of it, by itself in the text. Else null. */
export function nameIn(text, file) {
  const entry = text.slice(0, MAX_ENTRY_LENGTH).replaceAll("\\", "/");
  let name = file.replaceAll("\\", "/").replace(/^(?:\.?\/)+|\/$/g, "");
  let before = BEFORE;
  while (name !== "") {
    if (entry.includes(name)) {
      const literal = name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      const pattern = looksLikeFile(name) ? before + literal + AFTER : `\`${literal}\``;
      if (new RegExp(pattern, "u").test(entry)) return name;
    }
    // A tail that is longer than the text can't stand in it.
    name = name.slice(-entry.length - 1);
    name = name.slice((name + "/").indexOf("/") + 1);
    before = BEFORE_A_TAIL;
  }
  return null;
}

/** A single word may be any word of a sentence, unless it is spelled as files are. */
function looksLikeFile(name) {
  return name.includes("/") || name.replace(/^\.+/, "").includes(".") || /^\p{Lu}/u.test(name);
}

const URL = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`]+/gi;
// A name may stand in a sentence that has no spaces, so the narrower pattern is tried as well.
// Both are bounded, because a text may be one word of any length.
const WORD = /[\p{L}\p{N}_.@+~%/\\-]{1,1024}/gu;
const ASCII_WORD = /[A-Za-z0-9_.@+~%/\\-]{1,1024}/g;
const EXTENSION = new RegExp(
  "[^./\\\\]\\.(?:md|mdx|markdown|txt|rst|adoc|org|json|jsonl|json5|ya?ml|toml|ini|cfg|conf|xml|xsd|html?|css|scss|csv|tsv|sql|log|pdf"
    + "|docx?|xlsx?|pptx?|ipynb|py|pyi|rs|go|js|mjs|cjs|jsx|ts|mts|tsx|java|kt|swift|c|h|cc|cpp|hpp|cs|rb|php|pl|lua|sh|bash|zsh|ps1|bat|cmd"
    + "|lock|patch|diff|png|jpe?g|gif|svg|webp|mp4|zip|tar|gz|tgz|parquet|proto|tf|vue|svelte|tmpl|j2)$",
  "i",
);

/** Products that are called like files, and files that are called like nothing else. */
const PRODUCT = /^(?:node|vue|next|nuxt|express|three|d3|react|ember|backbone)\.js$/i;
const BARE_NAME = /(?:^|[/\\])(?:Makefile|Dockerfile|Justfile|Gemfile|Rakefile|README|LICENSE|CHANGELOG|CONTRIBUTING)$/;

function isFileName(name) {
  if (PRODUCT.test(name)) return false;
  if (EXTENSION.test(name) || BARE_NAME.test(name)) return true;
  // Below a folder any extension will do.
  return /[/\\][^/\\]*[^./\\]\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(name);
}

function namesSomething(text) {
  return REFERENCES.some((pattern) => pattern.test(text)) || namesPath(text) || hasCommand(text) || namesPart(text);
}

const REFERENCES = [
  // pytest:94, gh_run:28273659275
  /(?<![\w.-])[A-Za-z][\w.-]{0,60}:\d/,
  /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`]/i,
];

/** Two words that a slash joins without making a path of them. */
const PAIRS = new Set(
  ("and/or he/she she/he s/he his/her yes/no y/n n/a w/o on/off i/o input/output read/write client/server true/false "
    + "either/or pass/fail y/o e/o el/la sí/no und/oder ja/nein et/ou oui/non e/ou sim/não").split(" "),
);

function namesPath(text) {
  for (const pattern of [WORD, ASCII_WORD]) {
    for (const [word] of text.matchAll(pattern)) {
      const name = word.replace(/[.-]+$/, "");
      if (isFileName(name) || (pattern === WORD && isSlashed(name))) return true;
    }
  }
  return false;
}

/** A path without an extension. With a single slash it has to look like the names of folders: QA/UAT does not. */
function isSlashed(name) {
  if (PAIRS.has(name.toLowerCase()) || !/[A-Za-z]{2}/.test(name)) return false;
  return /^(?:\.{1,2}|~)?[/\\]|[^/\\][/\\][^/\\]+[/\\]|[^/\\][/\\]$|^[a-z0-9_.-]{2,}[/\\][a-z0-9_.-]{2,}$/.test(name);
}

function hasCommand(text) {
  for (const [, command] of text.matchAll(/`([^`\n]+)`/g)) {
    if (command.trim() !== "") return true;
  }
  return /^[ \t]*(?:\$|>|❯|PS [^>\n]{0,80}>)[ \t]+\S/m.test(text);
}

/** Parts of a document, in languages that put spaces between words. */
const PART = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:sections?|headings?|chapters?|lines?|steps?|keys?"
    + "|secci[oó]n|apartado|encabezado|t[ií]tulo|l[ií]neas?|pasos?|clave"
    + "|abschnitte?s?|kapitel|überschrift|zeilen?|schritte?|schlüssel"
    + "|rubrique|titre|lignes?|étapes?|clé|clef"
    + "|se[cç]ção|seção|cabeçalho|linhas?|passos?|etapas?|chave)(?![\\p{L}\\p{N}])",
  "giu",
);
const NAME_AFTER = /^(?:\s{0,3}[:#№]?\s{0,3}(?:n[º°]\s?|nr\.?\s?)?(?:\d|§|["“„«‹‘'「『《]\s?[\p{L}\p{N}])|\s\p{Lu}[\p{L}\p{N}_-]|\s[\p{L}\p{N}]{1,40}[_.][\p{L}\p{N}])/u;
const NAME_BEFORE = /(?:[\p{L}\p{N}]\s?["”“»›’'」』》]\s?|[\p{Ll},]\s\p{Lu}[\p{L}\p{N}_-]{1,40}\s|\d(?:st|nd|rd|th|\.|º|ª|er|e|ème)?\s)$/u;

/** And in those that do not. */
const PARTS_WITHOUT_SPACES = [
  /第\s?[0-9０-９一二三四五六七八九十百]{1,6}\s?(?:步|节|節|章|行|段|条|条目|項)/,
  /[0-9０-９]\s?行目/,
  /(?:步骤|步驟|章节|章節|小节|标题|標題|行号|键|手順|ステップ|セクション|見出し|節|キー)\s?[:：]?\s?(?:[0-9０-９]|[「『“"《][^「『“"《\s])/,
  /[」』”"》]\s?(?:这|這|那)?(?:一|の)?\s?(?:节|節|章|小节|部分|标题|標題|键|行|步骤|步驟|手順|ステップ|セクション|見出し|キー)/,
];

function namesPart(text) {
  for (const match of text.matchAll(PART)) {
    const end = match.index + match[0].length;
    if (NAME_AFTER.test(text.slice(end, end + 60))) return true;
    if (NAME_BEFORE.test(text.slice(Math.max(0, match.index - 60), match.index))) return true;
  }
  return PARTS_WITHOUT_SPACES.some((pattern) => pattern.test(text));
}

const VAGUE_PHRASES = new Set([
  "as before", "same as before", "like before", "as above", "see above", "as discussed", "same again", "more of the same",
  "where we left off", "back to work", "como antes", "igual que antes", "ver arriba", "wie bisher", "wie zuvor", "wie gehabt", "siehe oben",
  "wie vorher", "wie immer", "wie üblich", "comme avant", "comme d habitude", "voir ci dessus", "voir plus haut", "igual a antes", "ver acima",
  "idem", "ídem", "dito", "ditto", "同上", "如上", "如前", "见上", "見上", "见上文", "見上文", "参见上文", "參見上文", "上記参照", "上記を参照", "上記の通り",
  "前述の通り",
]);

/** Languages with spaces: words of going on, and words that may stand beside them. */
const GOING_ON = [
  [
    "continue continuing resume resuming proceed carry keep go pick finish",
    `on up going working doing with from at in to the this that my our your it its previous prior last earlier former current same next skill
    skills work task tasks job session conversation chat phase step activity process thing things stuff where what we i you they left off stopped were
    was had been did as before again later now please just then and time point place rest of usual`,
  ],
  [
    `continuar continúa continua continúe continue continuemos seguir sigue siga sigamos reanudar reanuda reanude retomar retoma retome
    proseguir prosigue prosiga`,
    `con la el lo las los de del desde en a al por habilidad skill tarea trabajo sesión conversación fase paso proceso anterior previa previo
    última último misma mismo actual siguiente donde dónde que dejamos dejé quedamos quedó nos se estábamos antes como siempre favor ahora ahí
    allí punto trabajando haciendo adelante`,
  ],
  [
    `fortsetzen fortfahren fortführen weitermachen weiterarbeiten weiter fort wiederaufnehmen`,
    `mit dem der die das den des im in an am von vom beim bei zu vorherigen vorherige vorheriger vorige vorigen letzten letzte bisherigen gleichen
    selben aktuellen nächsten skill skills fähigkeit aufgabe arbeit sitzung gespräch phase schritt dort da wo wir ich du aufgehört haben habe
    stehengeblieben stehen geblieben sind waren wie bisher zuvor vorher gehabt bitte einfach nun jetzt machen mache mach setze setzen fahre fahren
    es damit und`,
  ],
  [
    `continuer continue continuez continuons reprendre reprends reprenez reprenons poursuivre poursuis poursuivez`,
    `avec la le les l de du des d à au en compétence skill tâche travail session conversation phase étape processus précédente précédent dernière
    dernier même actuelle actuel suivante où on nous s est sommes était étions étais arrêté arrêtés arrêtée avons avait laissé là comme avant
    habitude simplement juste svp plaît il vous ce qui que cours maintenant`,
  ],
  [
    `continuar continue continua continuemos prosseguir prossiga prossegue retomar retome retoma retomemos seguir siga segue`,
    `com a o as os de do da dos das desde em no na por habilidade competência skill tarefa trabalho sessão conversa fase etapa passo processo
    anterior prévia última último mesma mesmo atual seguinte próximo próxima onde paramos parei parámos ficamos estávamos deixamos se que antes
    como sempre favor apenas agora ponto daqui fazendo`,
  ],
].map((lists) => lists.map((list) => new Set(list.split(/\s+/).filter((word) => word !== ""))));

/** Languages without spaces: the same, as pieces, the longer ones first. */
const GOING_ON_PIECES = [
  [
    /继续|繼續|接着|接著|恢复|恢復|延续|延續|照旧|照舊|一样|一樣|同样|相同/,
    /继续|繼續|接着|接著|恢复|恢復|延续|延續|照旧|照舊|上一个|上一個|上一次|上次|上回|之前|先前|前面|前一个|原来|原來|刚才|剛才|同样|相同|当前|當前|这个|這個|那个|那個|技能|工作|任务|任務|步骤|步驟|阶段|階段|会话|對話|对话|内容|事情|流程|地方|进度|進度|停下|停止|中断|中斷|离开|離開|开始|開始|进行|進行|执行|執行|完成|下去|往下|使用|一样|一樣|即可|我们|我們|从|從|在|到|处|處|做|吧|请|請|就|的|该|此|来|來|如|和|样|那|这/g,
  ],
  [
    /続|再開|同じ|通り|とおり/,
    /引き続き|引続き|続ける|続けて|続けます|続けよう|続行|続き|続く|継続|再開|さっき|先ほど|先程|前回|以前|同じ|現在|この|その|あの|スキル|作業|タスク|仕事|セッション|会話|フェーズ|段階|ステップ|手順|処理|してください|ください|下さい|しましょう|します|する|して|やる|行う|中断した|中断|止めた|止まった|やめた|終わった|ところ|場所|所|まま|通り|とおり|ように|いつも|お願いします|それ|これ|再度|もう一度|から|前|次|の|を|に|は|が|で|と|し/g,
  ],
];

/** The longest text that is looked at as a phrase. */
const MAX_PHRASE_LENGTH = 240;

function isVague(text) {
  if (text.length > MAX_PHRASE_LENGTH) return false;
  const folded = text.normalize("NFC").toLowerCase().replace(/^[\p{P}\s]+|[\p{P}\s]+$/gu, "").replace(/\s+/g, " ");
  // Nothing but punctuation.
  if (folded === "") return true;
  // What is marked as a command or set off by signs is more than a phrase.
  if (/[\p{S}\d/\\_:#@]/u.test(folded)) return false;
  const words = folded.match(/[\p{L}\p{M}]+/gu) ?? [];
  if (VAGUE_PHRASES.has(words.join(" "))) return true;
  if (GOING_ON.some(([verbs, others]) => saysOnly(words, verbs, others))) return true;
  return GOING_ON_PIECES.some(([verb, pieces]) => {
    return verb.test(folded) && folded.replace(pieces, "").replace(/[\p{P}\s]/gu, "") === "";
  });
}

function saysOnly(words, verbs, others) {
  return words.some((word) => verbs.has(word)) && words.every((word) => verbs.has(word) || others.has(word));
}
