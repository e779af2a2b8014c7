"""Lines of words that keep a text from being cut into rows, or say that these are not the board.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.frames import check_columns
from minecheck.minefield.reader.reading import make_no_board_error
from minecheck.minefield.reader.remarks import has_long_word
from minecheck.minefield.reader.rows import cut_rows
from minecheck.minefield.reader.vocabulary import LONG_WORD

#: Longer texts, and those with more lines of words, are not cut again.
_LONGEST: Final = 20_000
_MOST_WORDY: Final = 20
_LEAST_ROWS: Final = 2
_QUOTED: Final = 60
_CHANGED: Final = (
    r"transposed|rotated(?: by)?(?: [0-9]+ degrees)?|mirrored|upside[- ]down|cut off|truncated"
    r"|column[- ]major"
)
#: Words that say that the board is another one: how rows stand, which are missing or no part of
#: it, other cells, where flags are, and boards of another shape.
_OTHERWISE: Final = re.compile(
    "|".join(
        (
            rf"^\W*(?:note:?\s*)?(?:{_CHANGED}|column by column|columns(?=:)|snip|etc)\W*$",
            r"^\W*and so on\W*$",
            r"\b(?:board|grid|field|map|rows?|columns?|lines?|axes|x and y|sides?)\b[^.]{0,40}"
            rf"\b(?:{_CHANGED}|swapped|flipped|omitted|missing|continues?)\b",
            r"\b(?:border|frame|edge|first|last|top|bottom)s?\b[^.]{0,30}"
            r"\b(?:not part of|(?:is|are) (?:not real|real|a border))\b",
            r"\bignore the (?:first|last|top|bottom) (?:row|line|column)",
            r"\bforgot (?:one|a|the) (?:row|column|line)",
            r"\bmore (?:rows|columns|lines|hidden cells)\b",
            r"\brest (?:of the (?:board|grid) )?(?:is )?(?:unopened|hidden|covered)\b",
            r"\b(?:each|every) line is a column|\blines are columns|\bbottom to top",
            r"\bright to left|\bpoints up\b|\bviewed from behind",
            r"\boff by one\b|\bone too (?:high|low)\b",
            r"^\W*(?:the )?(?:numbers?|(?:top|bottom|last|first) row|(?:row|column) totals?)\b.*"
            r"\b(?:per (?:row|column)|(?:on|at) the (?:right|bottom))\b",
            r"^\W*(?:board|grid)\[(?:x|c|col|column)\]\[(?:y|r|row)\]",
            r"\b(?:correction|edit|update)\s*:.*\b(?:is|be) (?:an? )?[0-8?](?:\W*$| not| instead)",
            r"\bis actually (?:an? )?[0-8?](?![0-9/\w])|\bthe \? is (?:flagged|an? [0-8])",
            r"^\W*(?:flag(?:s|ged)?|known mines?)\b\W*(?:(?:at|are|is|in)\b|[:=])\W*"
            r"(?:\([0-9]|[A-Z][0-9]\b)",
            r"^\W*(?:open(?:ed)? )?[a-z][0-9](?::| ->| is| has) ?(?:an? )?(?:flag|flagged|[0-8])\b",
            r"\bthe (?:top|bottom|upper|lower)[- ]?(?:left|right|middle)?(?: corner| cell)? is"
            r" (?:an? )?[0-8]\b",
            r"#\s*\(?(?:row|r|x), ?(?:col(?:umn)?|c|y), ?\w+\)?\s*$",
            r"\((?:[0-9]{1,4} times|(?:two|three|four|five) times|twice|repeat[^()]{0,20})\)\s*$",
            r"\b(?:first|last|leading|leftmost|rightmost) (?:number|digit|column|value)s?\b"
            r"[^.]{0,40}\b(?:row|line|index|coordinate|count)s?\b|\brow (?:number|index), then\b",
            r"\bshould (?:be|read) (?:an? )?(?:[0-8?](?! ?(?:mine|bomb|flag))|flag|mine)(?!\w)",
            r"^\W*(?:typo|correction|oops)\b.*(?:\bshould\b|\b(?:is|be) (?:an? )?[0-8?](?!\w)"
            r"|\b(?:row|column|line)\b.*\bwrong\b)|\bis actually (?:an? )?(?:flag|mine)",
            r"\b(?:might|may|could) be (?:an? )?[0-8](?! ?(?:mine|bomb|flag))(?!\w)",
            r"\b(?:top|bottom|upper|lower)[- ](?:left|right|middle)(?: corner| cell)? is an? "
            r"(?:flag|mine|bomb)\b|\bthis (?:row|line) (?:twice|again)\b",
            r"\brows are columns\b|\bcolumns(?: listed)?, not rows\b|\bspalten statt zeilen\b",
            r"^\W*upside[- ]down\b",
            r"\bleft out (?:the|one|a) (?:(?:first|last|top|bottom) )?(?:row|col|line)",
            r"\bone more (?:row|column|line)\b|\brest of the (?:board|grid) is all\b",
            r"\b(?:erste|letzte|eine)n? (?:reihe|zeile|spalte) fehlt\b",
            r"\borthogonal\b|\btorus\b|\bwrap-?around\b|\bknight'?s move\b",
            r"\b(?:several|up to [0-9]|two|more) mines per cell\b",
            r"\b(?:clues?|numbers?|digits?) (?:(?:is|are) (?:a lie|lying|already reduced|reduced"
            r"|1 \+)|lies?\b)|\bcounts? of flags\b|\bcount only\b",
            r"\bhexagonal\b|\bhexsweeper\b|\bhex grid\b|\btriangular cells\b",
        )
    ),
    re.IGNORECASE,
)
#: Letters that are a word, and a date.
_ONLY_WORD: Final = re.compile(r"(?=.*[^BSF!?.])(?!(.)\1*\Z)[A-Za-z]{3,}[!?.]*")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: Numbers in binary or octal digits, and numbers below 0 that touch others.
_BINARY: Final = re.compile(r"\b0(?:b[01]|o[0-7])[0-7]+\b")
_TOUCHING: Final = re.compile(r"\s*(?=.*[0-9]-1)(?=.*(?:\S\s|-1-1-1))(?:-?[0-9]\s{0,2})+")
_SPACED: Final = re.compile(r"[ ]*[0-8?*#.-](?: [0-8?*#.-])+\s*")
_LEAST_SHIFTED: Final = 4
_LONGEST_LINE: Final = 300


def check_meant(text: str, rows: Sequence[Sequence[str]]) -> None:
    """Check that the rows of a text are the board that it means.

    Raises:
        BoardError: they are a word or a date, or some words say that the board is another one.
    """
    cells = "".join(rows[0]) if len(rows) == 1 and len(rows[0][0]) == 1 else ""
    if _ONLY_WORD.fullmatch(cells) or _DATE.fullmatch(cells):
        raise make_no_board_error(f'The text "{cells[:_QUOTED]}" is a word or a date.')
    _check_numbers(text)
    for line in text.split("\n"):
        if len(line) <= _LONGEST_LINE and LONG_WORD.search(line) and _OTHERWISE.search(line):
            raise make_no_board_error(
                f'The line "{line.strip()[:_QUOTED]}" says that the board is not as its rows are.',
                "Send the rows of the board as it is meant, without that line.",
            )


def check_odd_lines(text: str) -> None:
    """Check that it is not for one line of words around its rows that a text cannot be cut.

    Raises:
        BoardError: the text without its lines of words can be cut, and with one of them it cannot;
            or the first line names columns of coordinates.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    check_columns(lines[0].split() if lines else ())
    wordy = {at for at, line in enumerate(lines) if has_long_word(line)}
    rows = [at for at in range(len(lines)) if at not in wordy]
    # Words between rows may part boards.
    wordy = {at for at in wordy if rows and not rows[0] < at < rows[-1]}
    rows = [at for at in range(len(lines)) if at not in wordy]
    if len(text) > _LONGEST or not 0 < len(wordy) <= _MOST_WORDY or len(rows) < _LEAST_ROWS:
        return
    if not _can_be_cut([lines[at] for at in rows]):
        return
    for odd in sorted(wordy):
        if not _can_be_cut([lines[at] for at in sorted([*rows, odd])]):
            raise make_no_board_error(
                f'The line "{lines[odd].strip()[:_QUOTED]}" may be words, or a row of cells.',
                "Leave the line out if it is no row. A total may stand on a line of its own, as in "
                "mines: 10.",
            )


def _check_numbers(text: str) -> None:
    """Check that a text has no numbers that are rows themselves, and no rows of a hexagonal board.

    Raises:
        BoardError: it has.
    """
    if (binary := _BINARY.search(text)) is not None:
        raise make_no_board_error(f"The number {binary[0]} may be a row of bits.")
    lines = [line for line in text[:_LONGEST].split("\n") if line.strip()]
    if any(map(_TOUCHING.fullmatch, lines)):
        raise make_no_board_error(
            "Numbers below 0 touch others, so that the cells are not known.",
            "Write a blank or a comma between every two cells.",
        )
    rows = [line for line in lines if _SPACED.fullmatch(line)]
    indents = [len(line) - len(line.lstrip()) for line in rows]
    if len(rows) < _LEAST_SHIFTED or abs(indents[0] - indents[1]) != 1:
        return
    if len({*indents[::2]}) == len({*indents[1::2]}) == 1:
        raise make_no_board_error(
            "Every second row is shifted, as on a hexagonal board.",
            "Write all rows below each other if the board is no hexagonal one.",
        )


def _can_be_cut(lines: Sequence[str]) -> bool:
    try:
        return bool(cut_rows("\n".join(lines)))
    except BoardError:
        return False
