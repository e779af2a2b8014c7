"""Words that say what a symbol of a board means, where a legend does not.

A sentence counts if it names a symbol and a meaning, with a word or a sign between them that links
the two. What it says is only compared with a reading: a legend is what decides.
Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from minecheck.minefield.board import MINE, SAFE, UNKNOWN
from minecheck.minefield.reader.legends import MEANINGS, say_plainly
from minecheck.minefield.reader.meanings import is_cells

#: Names of signs, also in German, French, Spanish and Russian.
_SIGNS: Final = {
    name: sign
    for sign, names in {
        "-": "dash dashes hyphen hyphens minus strich striche guion guiones tiret tirets тире",
        "#": "hash hashes hashtag hashtags raute rauten решётка решётки решетки",
        "*": "star stars asterisk asterisks stern sterne sternchen asteriscos звездочки",
        ".": "dot dots period periods punkt punkte puntos",
        "_": "underscore underscores",
        "?": "fragezeichen",
        "": "blank blanks empty leer leere vide vides vacío vacía vacías пустые",
        "⬜": "white weiß weiße",
        "⬛": "black schwarz schwarze",
        "🟩": "green grün grüne",
        "🟦": "blue",
        "🟥": "red",
        "🟨": "yellow",
    }.items()
    for name in names.split()
}
_TWO_WORDS: Final = {
    re.compile(words, re.IGNORECASE): word
    for words, word in (
        (r"\bquestion marks?\b", "fragezeichen"),
        (r"\bminus (?=one\b)", "-"),
        (r"(?<=-)one\b", "1"),
        (r"\b(minus|hash|asterisk|dash) signs?\b", r"\1"),
    )
}
_LINK: Final = re.compile(
    r"=+|:|-+>|→|—|\(|是|は|代表|表示"
    r"|\b(?:is|are|was|means?|meaning|as|for|represent\w*|stands?|denot\w*|indicat\w*|mark\w*|show\w*"
    r"|been|have|has|sind|ist|bedeute\w*|steht|est|sont|valent|son|es|é|são|sono|è|это|обозна\w*)\b",
    re.IGNORECASE,
)
#: Words of moves: the symbol is a cell that is asked about.
_ASKED: Final = re.compile(r"\b(?:cursor|pointer|click\w*|tap|next move|my move)\b", re.IGNORECASE)
#: Numbers of mines or flags, which are no symbols.
_COUNTED: Final = re.compile(
    r"\b(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten)[ -](?:\w+ )?"
    r"(?:mines?|bombs?|flags?|minen?|minas?|bombas?|мин\w*)\b"
    r"|\b(?:mines?|bombs?|flags?|total|minen|minas)\s*[:=]\s*[0-9]+",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[,;]|\.(?=\s|\Z)|!(?!=)|\band\b|\bund\b|\bbut\b", re.IGNORECASE)
_BULLET: Final = re.compile(r"\s*(?:[-*#+>]+|//+|/\*+)\s+(?=[^\W\d_]{2})")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_EAST_ASIAN: Final = {"地雷": MINE, "空白": 0}
#: Signs that stand in sentences: they are symbols in quotation marks, or at the beginning.
_PUNCTUATION: Final = frozenset("?.,:;!|()=\"'`")
#: A word that turns what is said into its contrary.
_DENIED: Final = re.compile(r"!=|\b(?:not|no|never|kein\w*|nicht|pas|aucun\w*|ni)\b|n't", re.I)
_LONGEST: Final = 300
_CLUES: Final = frozenset("012345678")
_OPENED: Final = frozenset((0, SAFE))


def find_mentions(text: str, symbols: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """Yield each symbol, the code of a cell that words say it has, and the line with these words.

    Args:
        text: the text with the board.
        symbols: the symbols of the board.
    """
    for line in text.split("\n"):
        if len(line) > _LONGEST or not _WORD.search(line) or is_cells(line):
            continue
        plain = _COUNTED.sub(" ", say_plainly(_BULLET.sub("", line, count=1)))
        for words, word in _TWO_WORDS.items():
            plain = words.sub(word, plain)
        asks = line.rstrip().endswith("?")
        for clause in _CLAUSE.split(plain):
            if not _DENIED.search(clause):
                yield from (
                    (symbol, code, line.strip())
                    for symbol, code in _read_clause(clause, symbols, asks=asks)
                )


def is_compatible(code: int, said: int) -> bool:
    """Return True if a cell with a code may be what is said: opened cells are safe, with any."""
    return code == said or {code, said} <= _OPENED


def _read_clause(clause: str, symbols: Collection[str], *, asks: bool) -> Iterator[tuple[str, int]]:
    """Yield the symbols that a clause names, with each meaning that it links them to."""
    found = [*_find_symbols(clause, symbols)]
    names = {name for name, sign in _SIGNS.items() if sign in symbols}
    meanings = [
        (word.start(), MEANINGS[word[0].lower()])
        for word in _WORD.finditer(clause)
        if word[0].lower() in MEANINGS.keys() - names
    ]
    meanings += [(clause.find(word), code) for word, code in _EAST_ASIAN.items() if word in clause]
    meanings += [(word.start(), UNKNOWN) for word in _ASKED.finditer(clause)]
    for symbol, start, end in found:
        valued = clause[:start].rstrip().endswith("value")
        for at, code in meanings:
            between = clause[end:at] if at >= end else clause[at:start]
            linked = valued or _LINK.search(between) is not None
            if asks and not linked:
                yield symbol, UNKNOWN
            elif linked and (at >= end or valued or symbol not in _CLUES):
                yield symbol, code


def _find_symbols(clause: str, symbols: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the symbols that a clause names, each with where its name begins and ends."""
    for word in _WORD.finditer(clause):
        if (sign := _SIGNS.get(word[0].lower(), " ")) in symbols:
            yield sign, word.start(), word.end()
    for symbol in symbols:
        for name in re.finditer(_make_pattern(symbol), clause):
            yield symbol, name.start(), name.end()


def _make_pattern(symbol: str) -> str:
    """Return the pattern of a symbol that stands alone in a sentence; of some none is found."""
    sign = re.escape(symbol)
    if symbol in _CLUES:
        return rf"(?<![\w.,:/+-]){sign}(?:'?s)?(?!\w)(?=\s*(?:{_LINK.pattern}))|(?<=value ){sign}\b"
    if re.fullmatch("-?[0-9]+", symbol):
        return rf"(?<![\w.]){sign}(?:'?s)?(?![\w.])"
    if len(symbol) != 1:
        return r"(?!)"
    if symbol.isalpha():
        return rf"(?<![\w']){sign}(?![\w'])"
    if symbol in _PUNCTUATION:
        begins = rf"(?<!.){sign}(?=\s*(?:=|:|is\b|are\b|means?\b|sind\b))"
        return rf"(?<=['\"`(]){sign}(?=['\"`)])|{begins}"
    return rf"(?<![\w{sign}]){sign}(?![A-Za-z0-9>{sign}])"
