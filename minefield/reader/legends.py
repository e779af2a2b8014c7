"""Legends of boards: what lines, comments and constants say that symbols mean.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Container, Iterator, Mapping
from itertools import chain, islice, takewhile
from typing import Final

from minecheck.minefield.board import MINE, SAFE, UNKNOWN, BoardError
from minecheck.minefield.reader.vocabulary import LONG_WORD, MEANINGS, NUMBER_WORDS

_MEANS: Final = (
    r"(?:=>?|:|-+>?|→|[\u2013\u2014]|\b(?:means?|is|are|as|(?:stands? )?for|represent(?:s|ing)?"
    r"|marks?|denotes?|indicates?)\b)"
)
#: Parts of a legend: X = mine, - is an unknown cell; mine: X. A digit is a symbol if it is alone.
_LEGEND: Final = re.compile(
    r"(?<![\w.])(?P<q>['\"]?)([^\s\w'\"]|[^\W\d]|(?<!\S)-[0-9]|(?<![^\s(,;/#%]\s)(?<!\S)-?[0-9]{1,2})(?P=q)\s*"
    rf"{_MEANS}\s*(?:an? |the )?([^\W\d_]{{3,12}})\b"
    r"(?: cells?| squares?| tiles?| fields?)?(?=\s*(?:[,;.)|]|\band\b|\Z))",
    re.IGNORECASE,
)
#: A further part without a sign: 9 is unknown, -1 a flag.
_ELLIPTIC: Final = re.compile(
    r"(?<=, )(?P<q>['\"]?)([^\s\w'\"]|[A-Za-z]|-?[0-9]{1,2})(?P=q) (?:an? |the )([^\W\d_]{3,12})"
    r"(?=\s*(?:[,;.)]|\Z))"
)
_NAMED_LEGEND: Final = re.compile(
    r"\b([^\W\d_]{4,12})(?: cells?| squares?| tiles?| fields?)?\s*"
    r"(?:=|:|-+>|→|\b(?:is|are)\b)\s*(['\"]?)([^\s\w'\"]|[A-Za-z_])\2(?=\s*(?:[,;.)|]|\Z))",
    re.IGNORECASE,
)
_CELL: Final = r"(?:cell|square|tile|field|location|space)s?"
#: Phrases, and the word that each is as good as.
_PHRASES: Final = {
    re.compile(phrase, re.IGNORECASE): word
    for phrase, word in (
        (
            rf"\b{_CELL} (?:without|that (?:do ?n['o]?t|does not|do not) (?:have|contain))"
            r"(?: an?| any)? mines?\b",
            "safe",
        ),
        (
            rf"\b{_CELL} (?:with|containing|that (?:are|ha[sv]e?|contains?))(?: an?)? mines?\b",
            "mine",
        ),
        (
            rf"\b(?:(?:revealed|opened?|uncovered|safe|empty) )*{_CELL} (?:with|that ha[sv]e?) "
            r"(?:no|0|zero) (?:(?:adjacent|neighbou?ring|surrounding|nearby) )mines?(?: nearby)?\b",
            "zero",
        ),
        (
            r"\b(?:no|zero|0) (?:adjacent |neighbou?ring )?(?:mines?|neighbou?rs)"
            r" (?:around|nearby|near|next to (?:it|them))\b|\bnothing (?:around|nearby)\b"
            r"|\bno (?:adjacent|neighbou?ring) mines?\b",
            "zero",
        ),
        (
            r"\b(?:(?:not|never|have ?n['\u2019]?t|has ?n['\u2019]?t)(?: yet)?(?: been)?|yet to be)"
            r" (?:opened|revealed|clicked|uncovered|open)\b|未打开|未開封|未翻开|не открыт\w*"
            r"|\b(?:we|i) do(?:n['\u2019]?| no)t know(?: yet)?\b"
            r"|\bface[ -]?down\b"
            r"|\bsin (?:abrir|descubrir)\b|\bno abiert\w*|\bnon découvert\w*|ainda não abert\w*"
            r"|noch (?:nicht geöffnet|verdeckt)",
            " hidden ",
        ),
        (rf"\b(?:non-?|un)mined? {_CELL}", "safe"),
        (
            r"\b(?:there (?:is|are) )?no mines?\b|\b(?:non-?|un)mines?\b|\bmine-?free\b"
            r"|\bnot (?:an? )?mine[sd]?\b",
            "safe",
        ),
        (r"(?:[=:]\s*)?\b(?:is|are)n['\u2019]?t(?: an?)? mine[sd]?\b", "is safe"),
        (r"\bcan(?:not|['\u2019]t| not) be(?: an?)? mine[sd]?\b", "is safe"),
        (r"(?<=[=:-])\s*0 (?:adjacent |neighbou?ring )?mines?(?=\W*\Z)", " zero"),
        (
            r"\b(?:(?:revealed|opened|open|uncovered|explored)[ -](?:and )?(?:empty|blank|clear)"
            r"|(?:empty|blank|clear)[ -](?:and )?(?:revealed|opened|open|uncovered|explored))"
            rf"(?: {_CELL})?\b",
            "empty",
        ),
        (r"\b(?:hidden|unrevealed|unopened|covered|known) (?=mines?\b)", ""),
        (r"\b(?:still|also|currently) (?=(?:hidden|unknown|covered|closed|un\w+ed)\b)", ""),
        (
            r"(?<=[=:] )(?:(?:une?|una|uma|eine?s?) )?(?:case|cellule|casilla|celda|casella|cella"
            r"|casa|pole|клетка|клетки)s? (?=[^\W\d_]{4})",
            "",
        ),
        (r"\b(?:flagged(?: as)?|marked) (?:an? )?mines?\b", "flag"),
        (r"\b(?:wrong|incorrect|false|misplaced) flags?\b", "misflagged"),
        (r"表示[^,\uff0c。;\uff1b'\"]{0,9}(?:无|無|没有)(?:地)?雷", " means safe"),
        (r"表示[^,\uff0c。;\uff1b'\"]{0,9}地?雷", " means mine"),
        (
            r"\b(are|is) (?:marked|shown|represented|denoted|displayed|indicated) (?:with|by|as)"
            r"(?: an?| the)?(?: letter| symbol| character| sign)?(?= )",
            r"\1",
        ),
        (r"\b(?:that )?(?:will represent|is used for|are used for)\b", "means"),
    )
}
#: Statements about some of the cells with a symbol, and questions about them.
_SOME_OF: Final = re.compile(
    rf"\b(?:some|most|half|many|few|which|what|any|[0-9]+|{'|'.join(NUMBER_WORDS[1:])})(?: of)?"
    r"(?: the| these| those)? ['\"]?[^\s\w'\"]['\"]?(?: cells?| squares?)?"
    r" (?:is|are|has|have)\b",
    re.IGNORECASE,
)
#: Words before a symbol that make a sentence one about a cell, a guess, a condition, or a claim.
_OF_ONE_CELL: Final = re.compile(
    r"\b(?:either|only|(?<!minus )one|first|last|top|bottom|left|right|corner|middle|upper|lower"
    r"|other|another|remaining|next"
    r"|that|this|these|both|each of|one of|at least|exactly|maybe|perhaps|probably|apparently|guess"
    r"|bet|think|thinks|believe|believes|assume\w*|suppose|claim|hint|answer|solution|solver|bot|says"
    r"|prove|show that|why|spoiler"
    r"|if|when|whether|unless|nobody|know|knows|under|behind|beneath|near"
    r"|link\w+|recht\w+|ober\w+|unter\w+|erste\w*|letzte\w*|mittler\w+|primer\w*|últim\w*|izquierd\w*"
    r"|derech\w*|premi\w+|derni\w+|gauche|droite"
    r"|status|code|один из|верхний|нижний|левый|правый|ein\w* der|vielleicht|wenn|si|quand)\b"
    r"|\b(?:is|are)n['\u2019]t\b",
    re.IGNORECASE,
)
#: Words anywhere in such a sentence, and what may be a symbol.
_IN_PLACE: Final = re.compile(
    r"\bin (?:row|column|the (?:corner|middle|top|bottom))\b|\bmy guess\b", re.IGNORECASE
)
_SIGN: Final = re.compile(r"[^\w\s.,:;!()'\"`-]|(?<!\w)[B-HJ-Z?-](?!\w)|-?[0-9]")
#: A bullet before words, or before a symbol and its meaning.
_BULLET: Final = re.compile(
    r"\A\s*[*+-]\s+(?![=:\u2013\u2014]|-+>|-\s+[^\W\d_]+\s*[,;]\s*\S\s+-\s)(?=[^\W\d_]{3}|(?P<q>['\"]?)\S(?P=q)\s*(?:=|:|-+>|-(?=\s+[^\W\d_]{3})"
    r"|as\b|is\b|means?\b)|[^\s\w]\s+[^\W\d_]{4})"
)
#: The title of a legend.
TITLE: Final = re.compile(r"\A\s*(?:legend|key|symbols?)\s*:\s*", re.IGNORECASE)
#: The blanks between two sentences.
_END: Final = re.compile(r"(?<=[^\W\d_]{3}[.!])\s+(?=[A-Z][a-z])")
#: A line of a legend that is about a range of numbers.
_NUMBERS: Final = re.compile(
    rf"\W*[0-9]\s*(?:-|to|\.\.+)\s*[0-9](?:\s*{_MEANS}\s*|\s+)(?:an? )?[^\W\d_]{{3,}}.*",
    re.IGNORECASE,
)
#: A symbol in quotation marks before its meaning, and numbers in the same list.
_QUOTED_LEGEND: Final = re.compile(
    r"(['\"])([^\s\w'\"]|[A-Za-z_])\1\s+(?:an? |the )?([^\W\d_]{3,12})\b"
    r"(?:\s(?:you|that)\b[^.,;'\"]*)?(?=\s*(?:[,;.)|]|\band\b|\Z))"
)
_QUOTED_NUMBERS: Final = re.compile(r"(['\"])[0-9]\s*-\s*[0-9]\1\s+[^\W\d_]{3,12}\b")
_BARE_LEGEND: Final = re.compile(
    r"\s*([^\s\w]|[A-Za-z_]|-[1-9])\s{1,8}\(?(?:an? )?([^\W\d_]{3,12})\)?\s*"
)
#: A part of such a line that is about all numbers, in words.
_ABOUT_NUMBERS: Final = re.compile(r"\s*(?:the )?(?:digits?|numbers?)\b", re.IGNORECASE)
#: The same behind a bullet, where more words are no heading.
_ITEM_LEGEND: Final = re.compile(
    rf"\s*([^\s\w]|[A-Za-z])\s{{1,8}}(?:marked as )?(?:an? )?([^\W\d_]{{3,12}})(?: {_CELL})?\s*",
    re.IGNORECASE,
)
_MINED: Final = re.compile(r"\b(?:min(?:e[ns]?|as?|ed|ad[ao]s?|iert\w*)|bomb\w*|мин\w*)\b", re.I)
#: A number that is no clue, which a sentence about mines names as their value.
_MINE_VALUE: Final = re.compile(
    r"\b(?:value|valeur|valor|wert|valore|warto\w+|значени\w+)\s+(?:of\s+)?([-\u2212][1-9]|9|[1-9][0-9])\b",
    re.IGNORECASE,
)
#: What may stand around the parts of a legend: words, but no cells.
_AROUND_LEGEND: Final = re.compile(r"[^0-9?*#]*")
#: A number with the name of a meaning; not that of a count, such as MINE_COUNT = 9.
_CONSTANT: Final = re.compile(
    r"\b(?:[A-Za-z]{1,20}[_.])?(mine|bomb|unknown|hidden|covered|closed|unopened|unrevealed|flagged"
    r"|flag|empty|blank|safe)\s*(?::\s*\w{1,9}\s*)?(?:=|:=|:)\s*(-?[0-9]{1,2})\b",
    re.IGNORECASE,
)
#: Several constants in one assignment.
_TUPLE: Final = re.compile(
    r"^[ \t(]*(\w{1,40}(?:,[ \t]*\w{1,40}){1,9})[ \t)]*=[ \t(]*"
    r"(-?[0-9]{1,2}(?:,[ \t]*-?[0-9]{1,2}){1,9})[ \t)]*;?[ \t]*$",
    re.MULTILINE,
)
#: A constant of C, and the statement that it is as good as.
_DEFINED: Final = re.compile(r"#define\s+(\w{1,40})\s+\(?(-?[0-9]{1,2})\b")
#: An object that says what symbols mean, as the field of a request, and a pair in it.
_DECLARED: Final = re.compile(r"\b(?:[Ss]ymbols|[Ll]egend)['\"]?\s*[:=]\s*\{([^{}]{1,400})\}")
_ONLY_DECLARED: Final = re.compile(rf"\W*{_DECLARED.pattern}\W*")
_PAIR: Final = re.compile(r"['\"]?([^\s'\",:]{1,4})['\"]?\s*:\s*['\"]?([A-Za-z]{4,7})\b")
#: A meaning, and words in parentheses or another one behind it.
_ASIDE: Final = re.compile(
    rf"\b([^\W\d_]{{3,12}})(?: {_CELL})?\s*"
    rf"(?:\((?=[^()]*[^\W\d_]{{3}})([^()]{{1,60}})\)|/\s*([^\W\d_]{{3,12}})\b)"
)
_DOUBT: Final = re.compile(
    r"[?%]|\b(?:prob|may|might|could|guess|think|likely|sure|unsure|suspect|assum|possib|or\b|if\b)",
    re.IGNORECASE,
)
#: A symbol in the marks of code or in bold.
_MARKED: Final = re.compile(
    r"(?:\*\*|__)?(`{1,2})\s?(\S{1,3})\s?\1(?:\*\*|__)?|\*\*([^\s*]{1,3})\*\*"
)
#: A table of symbols and meanings: its head, the line below that, and a line of it.
_TABLE_HEAD: Final = re.compile(
    r"(?i:(?!.*\b(?:action|press|command|does)\b))\s*\|?\s*[^\W\d_]{3}[^|]*\|\s*[^\W\d_]{3}[^|]*\|?.*"
)
_TABLE_RULE: Final = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|?){2,}\s*")
_TABLE_LINE: Final = re.compile(
    r"\s*\|?\s*([^\s|]{1,5})\s*\|\s*([^|]*[^\W\d_]{3}[^|]*?)\s*(?:\|.*)?"
)
#: Longer lines are no legend.
_LONGEST: Final = 1000


def split_legend(text: str) -> tuple[str, dict[str, int]]:
    """Return a text without the lines that say what a symbol means, and these meanings."""
    legend: dict[str, int] = {}
    if not _names_meanings(text):
        return text, legend
    others = []
    lines = chain.from_iterable(map(_split_sentences, text.split("\n")))
    for written in _open_tables([*map(_quote_marked, lines)]):
        if len(written) > _LONGEST or is_about_some(written):
            others.append(written)
            continue
        if declared := _read_declared(written):
            legend |= declared
            continue
        bare = TITLE.sub("", written)
        line = bare if _BARE_LEGEND.fullmatch(bare) else _BULLET.sub("", bare)
        line = say_plainly(line)
        pairs = _list_pairs(line, _LEGEND, _QUOTED_LEGEND)
        rest = _LEGEND.sub("", line)
        for pattern in (_QUOTED_LEGEND, _ELLIPTIC, _QUOTED_NUMBERS):
            rest = pattern.sub("", rest)
        pairs += [(pair[3], pair[1]) for pair in _NAMED_LEGEND.finditer(rest)]
        meanings = {
            symbol: MEANINGS[word.lower()] for symbol, word in pairs if word.lower() in MEANINGS
        }
        # Mines: ? is a total that is not known.
        meanings = {
            symbol: code
            for symbol, code in meanings.items()
            if symbol != "?" or code in (UNKNOWN, SAFE) or not _NAMED_LEGEND.search(rest)
        }
        if listed := _read_bare_legend(line, is_item=line != bare):
            legend |= listed
        elif _NUMBERS.fullmatch(line):
            continue
        elif (value := _MINE_VALUE.search(line)) is not None and _MINED.search(line):
            legend[value[1].replace("\N{MINUS SIGN}", "-")] = MINE
            others.append(written)
        elif (
            meanings
            and _AROUND_LEGEND.fullmatch(_NAMED_LEGEND.sub("", rest))
            and not _contradicts(rest, meanings)
        ):
            legend |= meanings
            # A word that is not known may be the meaning of a symbol, too.
            others += [
                f"{pair[2]} = {pair[3]}" for pair in _LEGEND.finditer(line) if _is_other(pair)
            ]
        else:
            others.append(written)
    return "\n".join(others), legend


def _split_sentences(line: str) -> list[str]:
    """Return the sentences of a line of which one is a legend, any other line whole."""
    return _END.split(line) if _LEGEND.search(line) else [line]


def _list_pairs(line: str, *patterns: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return the symbols and words in parts of a legend, also in elliptic ones behind others."""
    pairs = [(pair[2], pair[3]) for pattern in patterns for pair in pattern.finditer(line)]
    return pairs + [(pair[2], pair[3]) for pair in _ELLIPTIC.finditer(line) if pairs]


def list_unread(text: str) -> list[str]:
    """Return the lines of a text that give a symbol a meaning which is not known."""
    return [line for line in map(_quote_marked, text.split("\n")) if _find_unread(line)]


def _find_unread(written: str) -> list[tuple[str, str]]:
    """Return the symbols of a line that is a legend, and their words, if those are not known."""
    line = say_plainly(written) if len(written) <= _LONGEST and LONG_WORD.search(written) else ""
    if not _AROUND_LEGEND.fullmatch(_LEGEND.sub("", line)):
        return []
    return [(pair[2], pair[3]) for pair in _LEGEND.finditer(line) if _is_other(pair)]


def write_legend(legend: Mapping[str, int]) -> str:
    """Return lines that `split_legend` reads as the same meanings of symbols."""
    words = {code: word for word, code in reversed(MEANINGS.items())}
    quoted = {symbol: symbol if symbol[-1:].isdigit() else f"'{symbol}'" for symbol in legend}
    return "".join(f"{quoted[symbol]} = {words[code]}\n" for symbol, code in legend.items())


def _quote_marked(line: str) -> str:
    """Return a line of words with quotation marks around symbols in marks of code or in bold."""
    if not ("`" in line or "**" in line) or not LONG_WORD.search(line):
        return line
    return _MARKED.sub(lambda symbol: f"'{symbol[2] or symbol[3]}'", line)


def _contradicts(rest: str, meanings: Mapping[str, int]) -> bool:
    """Return True if words behind the only part of a legend have another meaning."""
    words = re.findall(r"(?<=, )[^\W\d_]{3,}(?=\W*\Z)", _NAMED_LEGEND.sub("", rest).lower())
    said = {MEANINGS[word] for word in words if word in MEANINGS}
    return len(meanings) == 1 and not said <= {*meanings.values()}


def _is_other(pair: re.Match[str]) -> bool:
    """Return True for a part of a legend that gives a symbol a meaning that is not known."""
    return ":" not in pair[0] and not pair[2].isdigit() and pair[3].lower() not in MEANINGS


def _open_tables(lines: list[str]) -> Iterator[str]:
    """Yield lines with each line of a table of symbols and meanings as a legend, without its head.

    Args:
        lines: the lines, symbols in marks of code in quotation marks.
    """
    at = 0
    while at < len(lines):
        head = lines[at : at + 2]
        body: list[re.Match[str]] = []
        if len(head) > 1 and _TABLE_RULE.fullmatch(head[1]) and _TABLE_HEAD.fullmatch(head[0]):
            matched = map(_TABLE_LINE.fullmatch, islice(lines, at + 2, None))
            body += takewhile(bool, matched)  # type: ignore[arg-type]
        if body:
            yield from (f"{line[1]} = {line[2]}" for line in body)
            at += 2 + len(body)
        else:
            yield lines[at]
            at += 1


def is_about_some(line: str) -> bool:
    """Return True for a line about some of the cells with a symbol, or about what may be."""
    if "==" in line:
        return False
    sign = _SIGN.search(line)
    before = line[: sign.start()] if sign else line
    if _OF_ONE_CELL.search(before) or _IN_PLACE.search(line):
        return True
    return _SOME_OF.search(line) is not None


def _read_declared(line: str) -> dict[str, int]:
    """Return the meanings in a line that is an object, such as legend: {".": "hidden"}."""
    declared = _ONLY_DECLARED.fullmatch(line)
    pairs = _PAIR.findall(declared[1]) if declared else []
    return {symbol: MEANINGS[word.lower()] for symbol, word in pairs if word.lower() in MEANINGS}


def _read_bare_legend(line: str, *, is_item: bool) -> dict[str, int]:
    """Return the meanings in a line that has just symbols and words, none if it has more.

    Args:
        line: the line: ``* mine``, or ``-1 unknown, -2 mine``.
        is_item: whether it had a bullet.
    """
    if is_item:
        parts = [_ITEM_LEGEND.fullmatch(line)]
    else:
        written = [part for part in re.split("[,;]", line) if not _ABOUT_NUMBERS.match(part)]
        parts = [*map(_BARE_LEGEND.fullmatch, written)]
    pairs = [(part[1], part[2].lower()) for part in parts if part]
    known = 0 < len(pairs) == len(parts) and all(word in MEANINGS for _, word in pairs)
    return {symbol: MEANINGS[word] for symbol, word in pairs} if known else {}


def say_plainly(line: str) -> str:
    """Return a line with one word for each phrase, and for a meaning that is said twice."""
    for phrase, word in _PHRASES.items():
        line = phrase.sub(word, line)
    return _ASIDE.sub(_drop_aside, line) if "(" in line or "/" in line else line


def _drop_aside(meaning: re.Match[str]) -> str:
    """Return a meaning without what follows it, unless that is another meaning."""
    code = MEANINGS.get(meaning[1].lower())
    words = re.findall(r"[^\W\d_]+", (meaning[2] or meaning[3]).lower())
    others = {MEANINGS[word] for word in words if word in MEANINGS}
    same = code is not None and others <= {code} and (meaning[2] is not None or others)
    return meaning[1] if same and not _DOUBT.search(meaning[2] or "") else meaning[0]


def _names_meanings(text: str) -> bool:
    lowered = text.lower()
    signs = ("number", "face", "表示", *MEANINGS)
    return any(sign in lowered for sign in signs)


def find_constants(text: str) -> dict[str, int]:
    """Return the meanings of numbers that source code has names for, such as MINE = 9.

    Lower-case names of clues may be those of anything.
    """
    if not _names_meanings(text):
        return {}
    constants = _CONSTANT.findall(open_tuples(_DEFINED.sub(r"\1 = \2", text)))
    pairs = [
        (value, name) for name, value in constants if name.isupper() or value not in "012345678"
    ]
    for line in text.split("\n"):
        pairs += _list_pairs(line, _LEGEND)
    for declared in _DECLARED.findall(text):
        pairs += _PAIR.findall(declared)
    return {value: MEANINGS[name.lower()] for value, name in pairs if name.lower() in MEANINGS}


def open_tuples(text: str) -> str:
    """Return source code with a line for each name of assignments such as HIDDEN, FLAG = 7, 8."""
    return _TUPLE.sub(_open_tuple, text)


def _open_tuple(assigned: re.Match[str]) -> str:
    names, values = (re.findall(r"[\w-]+", part) for part in assigned.groups())
    pairs = zip(names, values, strict=False)
    return "\n".join(f"{name} = {value}" for name, value in pairs)


def check_legend(text: str, symbols: Container[str]) -> None:
    """Check that no line gives a symbol of the board a meaning that cells do not have.

    Args:
        text: the text without the lines of its legend.
        symbols: symbols on the board, without those whose meaning is known.

    Raises:
        BoardError: one does, as in S = start.
    """
    for line in text.split("\n"):
        for symbol, word in _find_unread(line):
            if symbol in symbols:
                raise BoardError(
                    "unknown-symbol",
                    f'The text says that "{symbol}" is {word}, which is no meaning of a cell.',
                    f'Say whether "{symbol}" is unknown, mine, safe, flag or a clue with symbols.',
                )
