"""Lines of words that keep a text from being cut into rows, or say that these are not the board.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.frames import check_columns
from minecheck.minefield.reader.meanings import is_cells
from minecheck.minefield.reader.reading import make_no_board_error
from minecheck.minefield.reader.rows import cut_rows

#: Longer texts, and those with more lines of words, are not cut again.
_LONGEST: Final = 20_000
_MOST_WORDY: Final = 20
_LEAST_ROWS: Final = 2
_WORD: Final = re.compile(r"[^\W\d_]{3}")
_QUOTED: Final = 60
#: What words say of rows that are not the board as it is meant.
_OTHERWISE: Final = re.compile(
    r"\b(?:transposed|rotated|mirrored|(?:are |is |were )?swapped|upside[- ]down|column[- ]major"
    r"|cut off|truncated|and so on|not part of the (?:board|grid|field)"
    r"|mines per (?:row|column)(?!\s*[:=])|ignore the (?:first|last|top|bottom)"
    r"|forgot (?:one|a|the) (?:row|column|line))\b|^\W*etc\W*$"
    r"|\b(?:board|grid)\[(?:x|c|col|column)\]\[(?:y|r|row)\]"
    r"|\b(?:correction|edit)\s*:.*\b(?:is|are|be)\b.*[0-9?]|\bis actually (?:an? )?[0-9?]"
    r"|\b(?:flag(?:s|ged)?|known mines?)\b\W*(?:at\b|are\b|is\b|in\b|:)\W*(?:\([0-9]|[A-Z][0-9]\b)"
    r"|\((?:x|row|r), ?(?:y|col|column|c), ?\w+\)|\brow, ?col(?:umn)?, ?\w+\W*$",
    re.IGNORECASE,
)
#: Letters that are a word, and a date.
_ONLY_WORD: Final = re.compile(r"(?=.*[^BSF!?.])(?!(.)\1*\Z)[A-Za-z]{3,}[!?.]*")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LONGEST_LINE: Final = 300


def check_meant(text: str, rows: Sequence[Sequence[str]]) -> None:
    """Check that the rows of a text are the board that it means.

    Raises:
        BoardError: they are a word or a date, or some words say that the board is another one.
    """
    cells = "".join(rows[0]) if len(rows) == 1 and len(rows[0][0]) == 1 else ""
    if _ONLY_WORD.fullmatch(cells) or _DATE.fullmatch(cells):
        raise make_no_board_error(f'The text "{cells[:_QUOTED]}" is a word or a date.')
    for line in text.split("\n"):
        if len(line) <= _LONGEST_LINE and _WORD.search(line) and _OTHERWISE.search(line):
            raise make_no_board_error(
                f'The line "{line.strip()[:_QUOTED]}" says that the board is not as its rows are.',
                "Send the rows of the board as it is meant, without that line.",
            )


def check_odd_lines(text: str) -> None:
    """Check that it is not for one line of words that a text cannot be cut into rows.

    Raises:
        BoardError: the text without its lines of words can be cut, and with one of them it cannot;
            or the first line names columns of coordinates.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    check_columns(lines[0].split() if lines else ())
    wordy = {at for at, line in enumerate(lines) if _WORD.search(line) and not is_cells(line)}
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


def _can_be_cut(lines: Sequence[str]) -> bool:
    try:
        return bool(cut_rows("\n".join(lines)))
    except BoardError:
        return False
