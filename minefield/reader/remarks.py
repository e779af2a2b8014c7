"""Words behind the cells of rows.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import Counter
from typing import Final

from minecheck.minefield.reader.legends import TITLE
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.surroundings import count_cells, split_first_cells
from minecheck.minefield.reader.vocabulary import CLUE_NAMES, LATIN_WORD, LONG_WORD

#: The sign of a remark behind cells, and a word that cannot be cells.
_SIGN: Final = re.compile(r"(?<=\S)\s+(?:#|//|--|(?P<arrow><-|←|<=))")
#: Words next to at least two cells, with a gap between them.
_BESIDE: Final = re.compile(
    r"\s*(\S ?\S\S{0,99}|\S\S?(?: \S\S?){1,99})\s\s+(?P<remark>\S+(?: \S+)*)"
)
#: Words, of which what follows them is a part.
_ONLY_WORDS: Final = re.compile(r"\s*[^\W\d_]{2,}(?:\s+[^\W\d_]+)*\s*")
#: Words in parentheses behind cells.
_ASIDE: Final = re.compile(r"\s*(\S.{0,999}?)\s+(?P<remark>\([^()]{0,99}\))\s*")
#: A word of three letters, a short one alone, such as Hi!, two short ones, or one of East Asia.
_SOME_WORD: Final = re.compile(
    r"[^\W\d_]{3,}|\b3BV\b|\b(?:[Ii]s|[Aa]re)\b|^\s*[A-Z]?[a-z]+(?=[!,.:]+\s*$)"
    r"|\b[A-Za-z][a-z] [a-z]{1,2}\b"
    "|[\u3040-\u9fff\uac00-\ud7af]{2,}"
)
#: A symbol and what it means.
_MEANING: Final = re.compile(r"\S[ =:]{1,3}[^\W\d_]{3,}(?: [^\W\d_]+)*")
#: The number of a game, before words.
_TITLE: Final = re.compile(r"\s*#[0-9]+ ")
_SEVERAL: Final = 2


def strip_remarks(lines: list[str]) -> tuple[list[str], str]:
    """Return lines without remarks behind their cells, and these remarks."""
    if (rows := _cut_remarks(lines)) is not None:
        return rows
    remarks = []
    bare = []
    for line in lines:
        start = _find_remark(line)
        for beside in (_BESIDE.fullmatch(line), _ASIDE.fullmatch(line)):
            if beside and is_cells(beside[1]) and _is_remark(beside["remark"]):
                start = beside.start("remark")
        if start is None or _ONLY_WORDS.fullmatch(line, 0, start):
            bare.append(line)
        else:
            bare.append(line[:start].rstrip())
            remarks.append(line[start:].strip())
    return bare, "; ".join(remarks)


def _is_remark(text: str) -> bool:
    """Return True for words, or a symbol and its meaning."""
    return has_words(text) or _MEANING.fullmatch(text) is not None


def _find_remark(line: str) -> int | None:
    """Return where a remark begins: a sign with words behind it; None without one.

    An arrow with parentheses behind it is code.
    """
    if TITLE.match(line):
        # Its signs are symbols.
        return None
    words = max((word.start() for word in LATIN_WORD.finditer(line)), default=-1)
    code = line.rfind("(")
    for sign in _SIGN.finditer(line):
        if sign.end() <= words and not (sign["arrow"] and sign.end() <= code):
            return sign.start()
    return None


def _cut_remarks(lines: list[str]) -> tuple[list[str], str] | None:
    """Return lines without the words behind as many cells as most begin with, and these words.

    None is returned unless the sign for comments is a cell of several lines.
    """
    if sum("#" in line for line in lines) < _SEVERAL or _TITLE.match(lines[0]):
        return None
    firsts = [split_first_cells(line) for line in lines]
    if sum("#" in cells for cells, _ in firsts) < _SEVERAL:
        return None
    ((usual, _),) = Counter(count_cells(cells) for cells, _ in firsts if cells).most_common(1)
    remarked = [
        count_cells(cells) == usual
        and cells.strip().lower() not in CLUE_NAMES
        and has_words(rest)
        and not is_cells(rest)
        for cells, rest in firsts
    ]
    if not any(remarked):
        return None
    bare = [
        cells if has_remark else line
        for (cells, _), has_remark, line in zip(firsts, remarked, lines, strict=True)
    ]
    said = (
        rest.strip() for (_, rest), has_remark in zip(firsts, remarked, strict=True) if has_remark
    )
    return bare, "; ".join(said)


def has_long_word(line: str) -> bool:
    """Return True if a line has a word of three letters, and is not only cells."""
    return LONG_WORD.search(line) is not None and not is_cells(line)


def has_words(line: str) -> bool:
    """Return True if a line has words that are not cells."""
    words = _SOME_WORD.findall(line)
    return any(not is_symbol(word) and not all(map(is_symbol, word)) for word in words)
