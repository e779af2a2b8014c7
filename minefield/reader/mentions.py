"""Words that say what a symbol of a board means, where a legend does not.

A sentence counts if it names a symbol and a meaning, with a word or a sign between them that links
the two. What it says is only compared with a reading: a legend is what decides.
Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from minecheck.minefield.board import MINE, SAFE, UNKNOWN
from minecheck.minefield.reader.characters import replace_names
from minecheck.minefield.reader.legends import is_about_some, open_tuples, say_plainly
from minecheck.minefield.reader.meanings import is_cells
from minecheck.minefield.reader.vocabulary import EAST_ASIAN_MEANINGS, MEANINGS, NUMBER_WORDS, SIGNS

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
    r"=+|:|-+>|→|[-\u2013\u2014](?= )|\(|是|は|代表|表示"
    r"|\b(?:contain\w*|holds?|is|are|was|means?|meaning|as|for|represent\w*|stands?|denot\w*"
    r"|indicat\w*|mark\w*|show\w*|been|have|has|with|look(?:s|ed)? like|wrote|typed|used|put|drew"
    r"|on(?= (?:the|all|every|each) )|sind|ist|bedeute\w*|steht|mit|als|est|sont|valent|not[ée]+s?"
    r"|son|es|é|são|where i (?:placed|put|have)|con|sono|è|rappresent\w*|représent\w*|oznacz\w*"
    r"|par|это|обозна\w*)\b",
    re.IGNORECASE,
)
#: Words of moves: the symbol is a cell that the question is about.
_ASKED: Final = re.compile(
    r"\b(?:cursor|pointer|click|clicking|tap|next move|my move|what about|asking about)\b",
    re.IGNORECASE,
)
#: The digit that is a meaning.
_ZERO: Final = re.compile(r"(?<=[=:(])\s*0(?![\w.])")
#: Numbers of mines or flags, which are no symbols.
_COUNTED: Final = re.compile(
    rf"(?<![\w-])(?:[0-9]+|{'|'.join(NUMBER_WORDS)})[ -]"
    r"(?:(?:adjacent|neighbou?ring|hidden|more|other|surrounding) )?"
    r"(?:mines?|bombs?|flags?|minen?|minas?|bombas?|мин\w*)\b"
    r"|\b(?:mines?|bombs?|flags?|total|minen|minas)\s*[:=]\s*[0-9]+",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r"[,;]|\.(?=\s|\Z)|!(?!=)|\b(?:and|und|but|because|since)\b", re.IGNORECASE
)
_BULLET: Final = re.compile(
    rf"\A\s*(?:[-*#+>]+|//+|/\*+)\s+(?!{_LINK.pattern})(?=[^\W\d_]{{2}})", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
#: A question mark that is a noun.
_NOUN: Final = r"(?:(?<=\bthe )|(?<=typed )|(?<=wrote )|(?<=used )|(?<=write ))\?(?:'?s\b|(?=\s))"
#: Signs that stand in sentences: they are symbols in quotation marks, or at the beginning.
_PUNCTUATION: Final = frozenset("?.,:;!|()=\"'`")
_LATIN: Final = re.compile("[A-Za-z]")
#: Symbols whose names are no words for how cells look.
_NAMED_ALONE: Final = frozenset("-#*._?")
#: A word that turns what is said into its contrary.
_DENIED: Final = re.compile(
    r"!=|\b(?:not|no|never|kein\w*|nicht|pas|aucun\w*|ni|non|não|geen|brak|nie|ingen|değil|не)\b|n't",
    re.IGNORECASE,
)
#: Words that leave open what a symbol means.
_UNDECIDED: Final = re.compile(r"\b(?:or not|may or may|not sure|no idea)\b", re.IGNORECASE)
#: A word that turns mines into their contrary.
_WITHOUT: Final = re.compile(r"\b(?:without|ohne|sans|sin|senza|sem|без)\b|-free\b", re.IGNORECASE)
_CONTRARY: Final = {MINE: SAFE, UNKNOWN: 0}
_LONGEST: Final = 300
_CLUES: Final = frozenset("012345678")
#: Words before a digit that is a symbol, and those that may stand before it in a clause.
_BEFORE_VALUES: Final = ("value", "are", "as a", "as")
_ARTICLES: Final = re.compile(r"\W*(?:(?:the|an?|all|where|here|legend|cells?)\W+)*", re.IGNORECASE)
#: Opened cells are safe, with or without a number.
_OPENED: Final = frozenset((0, SAFE))


def find_mentions(text: str, symbols: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """Yield each symbol, the code of a cell that words say it has, and the line with these words.

    Args:
        text: the text with the board.
        symbols: the symbols of the board.
    """
    for line in map(replace_names, open_tuples(text).split("\n")):
        if len(line) > _LONGEST or not _WORD.search(line) or is_cells(line) or is_about_some(line):
            continue
        if _UNDECIDED.search(line):
            continue
        plain = _COUNTED.sub(" ", say_plainly(_BULLET.sub("", line, count=1)))
        for words, word in _TWO_WORDS.items():
            plain = words.sub(word, plain)
        asks = line.rstrip().endswith("?")
        for clause in _CLAUSE.split(plain):
            denied = _DENIED.search(clause) is not None
            without = _WITHOUT.search(clause) is not None
            for symbol, code in _read_clause(clause, symbols, asks=asks and not denied):
                contrary = denied or (without and code == MINE)
                if not contrary or code in _CONTRARY:
                    yield symbol, _CONTRARY[code] if contrary else code, line.strip()


def is_compatible(code: int, said: int) -> bool:
    """Return True if a cell with a code may be what is said."""
    return code == said or {code, said} <= _OPENED


def _read_clause(clause: str, symbols: Collection[str], *, asks: bool) -> Iterator[tuple[str, int]]:
    """Yield the symbols that a clause names, with each meaning that it links them to."""
    found = [*_find_symbols(clause, symbols)]
    meanings = [
        (word.start(), MEANINGS[word[0].lower()])
        for word in _WORD.finditer(clause)
        if word[0].lower() in MEANINGS
    ]
    words = [word for word in EAST_ASIAN_MEANINGS if word in clause]
    meanings += [
        (clause.find(word), EAST_ASIAN_MEANINGS[word])
        for word in words
        # The word for unopened contains the one for opened.
        if not any(word != other and word in other for other in words)
    ]
    meanings += [(zero.start(), 0) for zero in _ZERO.finditer(clause)]
    is_move = _ASKED.search(clause) is not None
    without_links = not _LATIN.search(clause)
    for symbol, start, end in found:
        before = clause[:start]
        valued = before.rstrip().endswith(_BEFORE_VALUES)
        for at, code in meanings:
            between = clause[end:at] if at >= end else clause[at:start]
            # Elliptic: dots are zeros, question marks mines.
            named = clause[start:end].replace(" ", "").isalpha() and symbol in _NAMED_ALONE
            elliptic = named and not asks and end < at and not between.strip()
            linked = valued or without_links or elliptic or _LINK.search(between) is not None
            if at == start or (symbol in _CLUES and not _names_clue(before, at < start)):
                continue
            if linked or asks:
                yield symbol, code if linked else UNKNOWN
        if is_move:
            yield symbol, UNKNOWN


def _names_clue(before: str, is_last: bool) -> bool:
    """Return True for words before a digit that make it a symbol, and no number of something."""
    if is_last:
        return before.rstrip().endswith(_BEFORE_VALUES)
    return _ARTICLES.fullmatch(before) is not None


def _find_symbols(clause: str, symbols: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the symbols that a clause names, each with where its name begins and ends."""
    for word in _WORD.finditer(clause):
        signs = SIGNS.get(word[0].lower(), "")
        # An empty field is as good as a blank.
        for sign in [*signs, ""] if signs == " " else signs:
            if sign in symbols:
                yield sign, word.start(), word.end()
    for symbol in symbols:
        for name in re.finditer(_make_pattern(symbol), clause):
            yield symbol, name.start(), name.end()


def _make_pattern(symbol: str) -> str:
    """Return the pattern of a symbol that stands alone in a sentence; of some none is found."""
    sign = re.escape(symbol)
    if symbol in _CLUES:
        return (
            rf"(?<![\w.,:/+-]){sign}(?:'?s)?(?!\w)(?=\s*(?:{_LINK.pattern}))"
            rf"|(?:(?<=value )|(?<=are )|(?<=as )|(?<=as a )){sign}(?=\W*\Z)"
        )
    if re.fullmatch("-?[0-9]+", symbol):
        return rf"(?<![\w.]){sign}(?:'?s)?(?![A-Za-z0-9_.])"
    if len(symbol) != 1:
        return r"(?!)"
    if symbol.isalpha():
        plural = "(?:'?s)?" if symbol.isupper() or symbol == "x" else ""
        return rf"(?<=['\"`]){sign}(?=['\"`])|(?<![\w']){sign}{plural}(?![\w'])"
    if symbol in _PUNCTUATION:
        begins = rf"(?<!.){sign}(?=\s*(?:{_LINK.pattern}))"
        found = rf"(?<=['\"`(]){sign}(?=['\"`)])|{begins}"
        return rf"{found}|{_NOUN}" if symbol == "?" else found
    return rf"(?<![\w{sign}]){sign}(?:'?s\b|(?![A-Za-z0-9>{sign}]))"
