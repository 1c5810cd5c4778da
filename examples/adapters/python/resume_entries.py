"""Resume entries: whether one says what to reopen, and which files it names.

Only texts that are clear either way are called good or bad. The words are English, Spanish, German, French and
Portuguese; then Chinese and Japanese.
"""

import re
import unicodedata

# Whatever is longer than a whole receipt may be is read no further.
MOST_CHARACTERS = 8 * 1024

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://\S+")
TOKEN = re.compile(r"[A-Za-zÀ-ɏ0-9_.@~+/\\-]+")
TOKEN_IN_ANY_SCRIPT = re.compile(r"[\w.@~+/\\-]+")
ALTERNATIVES = set("and/or either/or et/ou e/ou und/oder yes/no sí/no oui/non ja/nein sim/não he/she his/her".split())
BARE_FILES = re.compile(r"(?<!\w)(?:Makefile|Dockerfile|README|CHANGELOG|LICENSE)(?!\w)")

COMMAND = re.compile(r"`[^`\n]+`|(?:^|\s)\$ \S|^(?:>|>>>|PS>) \S", re.MULTILINE)
REFERENCE = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z_][\w-]*:\d")

SECTION = (
    "sections?|headings?|chapters?|secci[oó]n|apartado|encabezado|cap[ií]tulo|abschnitts?|überschrift|kapitel"
    "|rubrique|titre|en-tête|chapitre|se[cç]?ção|cabeçalho|t[ií]tulo"
)
PLACE = SECTION + (
    "|lines?|steps?|keys?|l[ií]neas?|paso|clave|zeilen?|schritt|schlüssel|lignes?|étape|clé|linhas?|passo|etapa|chave"
)
PLACE_CJK = "章节|小节|节|章|部分|标题|行|步骤|步|键|字段|セクション|節|見出し|ステップ|手順|キー|項目"
PLACES = [
    # A number, or a name with one in it: "section 3.1", "lines 10-20", "step s2", "3rd step", "第 3 节".
    rf"(?<![A-Za-zÀ-ɏ])(?:{PLACE})(?:\s+|(?=[\d#]))(?:(?:n[o.°]{{1,2}}|nr\.?|#)\s*)?[\w.-]{{0,20}}\d",
    rf"\b\d+(?:st|nd|rd|th|e|er|ère|ème|o|a|\.)\s+(?:{PLACE})\b",
    rf"第\s*[\d一二三四五六七八九十百]+\s*个?\s*(?:{PLACE_CJK})|(?:{PLACE_CJK})\s*\d|\d\s*(?:行目|節|章)",
    # A name in quotation marks, on either side.
    rf"\b(?:{PLACE})\b[\s:]{{0,3}}[\"'“”„‘«‹]\s*\w|\w\s*[\"'”“’»›]\s*(?:{PLACE})\b",
    rf"(?:{PLACE_CJK})[\s:：]{{0,3}}[「『《“\"]|[」』》”\"]\s*(?:の|这|那|一|个){{0,2}}(?:{PLACE_CJK})",
    # A key is spelled as one.
    r"\b(?:key|clave|schlüssel|clé|chave)\s+\w+[._]\w",
]
PLACES = [re.compile(pattern, re.IGNORECASE) for pattern in PLACES]

# A section by a name without quotation marks, which must be more than "the next one".
NAMED_SECTIONS = [
    r"\b([\w-]+)\s+(?:section|heading|chapter)\b",
    r"\b(?:section|heading|chapter)\s+(?:on|about|titled|called|named)\s+(?:the\s+)?([\w-]+)",
    r"\b(?:secci[oó]n|apartado|cap[ií]tulo|section|rubrique|chapitre|se[cç]?ção)\s+"
    r"(?:de|del|du|des|do|da|dos|das|sobre|sur)\s+(?:l[ae]s?\s+|los\s+|el\s+|l')?([\w-]+)",
    r"\b(?:abschnitt|kapitel|überschrift)\s+(?:(?:zu[mr]?|über)\s+)?(?:d(?:as|em|en|er|ie)\s+)?([\w-]+)",
    r"\b(\w+?)-?(?:abschnitt|kapitel)\b",
    r"(?:读|读取|打开|查看|参见|回到)\s*(?:技能的?)?(\w{1,12}?)(?:章节|小节|一节|部分)",
    r"(\w{1,15}?)の?(?:セクション|節|見出し)",
]
NAMED_SECTIONS = [re.compile(pattern, re.IGNORECASE) for pattern in NAMED_SECTIONS]
NAMED_SECTIONS.append(re.compile(rf"\b(?i:{PLACE})\s+([A-ZÀ-Þ][a-zß-ÿ][\w-]*)"))
NO_NAMES = set(
    "each every any some all no first final other another relevant right open completed finished unfinished pending "
    "following below old new their on and or und oder aus zum zur unter nächste 本 相关 相关的 后面 上面 下面".split()
)

# An entry made of nothing but such words names nothing, whatever their order.
FILLERS = [
    "please just simply continue continuing resume resuming proceed go going on carry keep pick picking up restart "
    "start started return get back reactivate reload use do finish work working with from at in to of for the this "
    "that it a an my our your we you i they previous last prior same current earlier old next remaining rest existing "
    "before again where left off stopped were was as is usual planned needed necessary when if later then there here "
    "above see ditto tbd todo pending none nothing unknown skill skills task tasks phase step steps section session "
    "job conversation process thing things one project turn time stuff na n",
    "por favor continuar continúa continúe continua continue seguir sigue siga reanudar reanuda reanude retomar "
    "retoma retome proseguir volver con desde en a al el la los las lo este esta ese esa de del donde como que se "
    "quedó quedamos dejamos dejó anterior anteriores previo previa último última mismo misma actual siguiente "
    "pendiente antes después luego resto habilidad skill tarea trabajo fase paso sesión conversación proceso ninguno "
    "nada igual ídem siempre ver véase más arriba",
    "bitte einfach weiter weitermachen fortfahren fortsetzen fortführen wiederaufnehmen weiterarbeiten mache mach "
    "machen setze setzen fahre fort führe nehmen nimm wieder auf mit an am da dort wo wir du ich es der die das den "
    "dem des diesen diese dieses dieser vorherigen vorherige vorheriger vorigen vorige letzten letzte gleichen "
    "gleiche selben aktuellen nächsten skill fähigkeit aufgabe arbeit phase schritt sitzung gespräch prozess rest wie "
    "zuvor vorher bisher gehabt aufgehört haben hast habe später dann siehe oben offen keine nichts",
    "veuillez continuer continuez continue poursuivre poursuivez poursuis reprendre reprenez reprends avec à au "
    "depuis de du des le la les l l' cette ce cet où on nous vous s est sommes êtes arrêté arrêtés en étions était là "
    "précédent précédente précédents dernier dernière même actuel actuelle suivant suivante compétence skill tâche "
    "travail phase étape session conversation processus reste comme avant prévu d habitude plus tard ensuite idem "
    "voir ci dessus haut aucun aucune rien",
    "por favor continuar continue continua prosseguir prossiga prossegue retomar retome retoma seguir siga voltar com "
    "a o as os à ao da do de das dos em na no este esta esse essa onde como parou paramos parei ficou anterior "
    "anteriores último última mesmo mesma atual próximo próxima antes depois resto habilidade skill tarefa trabalho "
    "fase passo etapa sessão conversa processo nenhum nada igual idem sempre pendente partir ver acima",
]
FILLERS = [set(words.split()) for words in FILLERS]
FILLERS_CJK = (
    "请 继续 接着 恢复 重新 开始 激活 回到 再次 使用 执行 进行 处理 完成 做 从 在 之前 以前 先前 上次 "
    "上一次 上一个 上一 前一个 刚才 原来 剩余 剩下 其余 当前 这个 那个 该 此 同一个 同一 下一 中断 停下 "
    "停止 离开 结束 的 地方 位置 处 技能 任务 工作 步骤 阶段 流程 会话 对话 内容 事情 部分 即可 吧 "
    "就行 就好 下次 稍后 以后 再说 同上 同前 照旧 待定 见上文 见上 参见上文 和 一样 无 了 地 下去 前回 "
    "前 直前 先ほど 同じ 次 残り 途中 最後 現在 この その あの の を に へ で と は から まで より "
    "スキル タスク 作業 フェーズ ステップ 手順 セッション 会話 処理 続き 続ける 続けて 続行 継続 再開 "
    "進める 進めて する して ください 下さい お願いします 上記 参照 未定 特に 中断した 止めた ところ 場所 "
    "また 後で なし 同様 使う 実行"
).split()
FILLERS_CJK = re.compile("|".join(sorted(FILLERS_CJK, key=len, reverse=True)) + r"|\W|skills?", re.IGNORECASE)


def fault_of_entry(entry):
    """None where a resume entry clearly says what to reopen, `must` where it clearly does not, else `may`."""
    entry = unicodedata.normalize("NFKC", entry[:MOST_CHARACTERS])
    if names_something(entry):
        return None
    return "must" if says_nothing(entry) else "may"


def names_something(entry):
    if URL.search(entry) or paths_in(entry) or BARE_FILES.search(entry):
        return True
    if COMMAND.search(entry) or REFERENCE.search(entry) or any(pattern.search(entry) for pattern in PLACES):
        return True
    names = (match[1] for pattern in NAMED_SECTIONS for match in pattern.finditer(entry))
    return any(name.casefold() not in NO_NAMES and not says_nothing(name) for name in names)


def says_nothing(entry):
    words = re.findall(r"\w+", entry.casefold())
    return any(fillers.issuperset(words) for fillers in FILLERS) or not FILLERS_CJK.sub("", entry)


def paths_in(text):
    """The paths in a text, directories too. Scripts without blanks glue words to them, so each is looked for twice."""
    text = URL.sub(" ", text)
    found = [token.rstrip(".") for token in TOKEN.findall(text)]
    found = [token for token in found if has_directories(token) or has_extension(token)]
    glued = [token.rstrip(".") for token in TOKEN_IN_ANY_SCRIPT.findall(text)]
    found += [token for token in glued if not token.isascii() and has_extension(token)]
    return list(dict.fromkeys(token.replace("\\", "/") for token in found))


def has_directories(token):
    """Whether a token is a path by its slash: neither a date nor `w/` nor `and/or` nor `CI/CD`."""
    if not re.search(r"[/\\]", token) or token.casefold() in ALTERNATIVES or re.fullmatch(r"[A-Z]+/[A-Z]+", token):
        return False
    return re.search(r"[^\W\d]\w", token) is not None


def has_extension(token):
    name = re.split(r"[/\\]", token)[-1]
    stem, dot, extension = name.rpartition(".")
    if not dot or not re.fullmatch(r"[a-z][a-z0-9]{0,9}|[A-Z][A-Z0-9]{0,9}", extension) or re.search(r"\w@\w", name):
        return False
    if not stem:
        return len(extension) > 2
    abbreviation = all(len(part) < 2 for part in name.split("."))
    return not abbreviation and re.search(r"[^\W\d]", stem) is not None


def names_some_file(entry):
    """Whether a resume entry, which another host may have written as it liked, names any file at all."""
    if not isinstance(entry, str):
        return False
    entry = entry[:MOST_CHARACTERS]
    return BARE_FILES.search(entry) is not None or any(map(has_extension, paths_in(entry)))


# What must not stand beside a name: a letter, but of scripts without blanks, or another part of a longer name.
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
LETTER = rf"[^\W{UNSPACED}]"
BEFORE = rf"(?<!{LETTER})(?<![.~@%+-])"
BEFORE_A_TAIL = rf"(?:{BEFORE}(?<!/)|(?<=\./)(?<!{LETTER}\./)(?<![.~@%+-]\./))"
AFTER = rf"(?!{LETTER}|[/~@%+-]|\.{LETTER})"


def name_in(entry, file):
    """The name by which a resume entry names a file: its path or a tail of it, by itself in the text. Else None."""
    if not isinstance(entry, str):
        return None
    entry, file = (text.replace("\\", "/") for text in (entry[:MOST_CHARACTERS], file))
    name, before = re.sub(r"^(?:\.?/)+", "", file).rstrip("/"), BEFORE
    while name:
        if name in entry:
            # A single word may be any word of a sentence, unless it looks like a file or is quoted.
            plain = "/" in name or "." in name.lstrip(".") or name[0].isupper()
            if re.search(before + re.escape(name) + AFTER if plain else f"`{re.escape(name)}`", entry):
                return name
        # No more is looked at than the entry could hold.
        name, before = name[-len(entry) - 1 :].partition("/")[2], BEFORE_A_TAIL
    return None
