"""Lines of words that keep a text from being cut into rows.

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
