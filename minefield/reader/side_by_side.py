"""Several boards on the same lines, such as one before a move and one after it.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import Counter
from typing import Final

from minecheck.minefield.reader.meanings import is_cells
from minecheck.minefield.reader.reading import make_several_boards_error
from minecheck.minefield.reader.surroundings import count_cells

#: A wide gap between two boards, or an arrow.
_GAP: Final = re.compile(r"\s*(?:-+>+|=+>+|>>+|→|⇒)\s*|\s{3,}|\t")
_LEAST_ROWS: Final = 2
_LEAST_WIDTH: Final = 3


def check_side_by_side(text: str) -> None:
    """Check that lines are not those of two boards with a gap or an arrow between them.

    One blank is a gap if all cells on its sides are together.

    Raises:
        BoardError: they are: at least half of them have the same numbers of cells on both sides.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    sides = Counter(
        tuple(map(count_cells, parts))
        for parts in map(_split_line, lines)
        if len(parts) > 1 and all(map(is_cells, parts))
    )
    for counts, often in sides.most_common(1):
        if often >= max(_LEAST_ROWS, len(lines) / 2) and min(counts) > 1 and len(counts) == 2:
            raise make_several_boards_error("Two boards stand side by side.")


def _split_line(line: str) -> list[str]:
    words = line.split()
    if len(words) == 2 and len(words[0]) == len(words[1]) >= _LEAST_WIDTH:
        return words
    return _GAP.split(line)
