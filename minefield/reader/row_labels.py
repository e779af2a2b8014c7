"""The numbers in labels of rows, which have to be in order and complete.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Iterable
from typing import Final

from minecheck.minefield.reader.meanings import is_cells
from minecheck.minefield.reader.reading import make_no_board_error
from minecheck.minefield.reader.vocabulary import COLUMN_NAMES, NUMBER_WORDS, ROW_NAMES

#: A name with a number before cells, or a word before the name.
_NUMBERED: Final = re.compile(
    r"\W*([^\W\d_]{1,12})"
    r"(?:[ _#=]*([0-9]{1,4}|(?<= )[A-Z])\s*[:.)|=-]\s*|[_#]?([0-9]{1,4})\s+)(\S.*)"
)
_ORDERED: Final = re.compile(r"\W*([^\W\d_]{2,8}) ([^\W\d_]{3,9})\s*[:=]\s*(\S.*)")
#: Words for the places of rows.
_PLACES: Final = {
    word: number
    for words in (
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        " ".join(NUMBER_WORDS),
        "top middle bottom",
        "left middle right",
    )
    for number, word in enumerate(words.split())
}
_LEAST_LABELS: Final = 2
#: Labels of all rows, from the top to the bottom.
LABELS_IN_ORDER: Final = (
    ["top", "middle", "bottom"],
    ["top", "bottom"],
    ["upper", "middle", "lower"],
)


def check_row_labels(lines: Iterable[str]) -> None:
    """Check that lines with labels of rows are in order, and that no number is left out.

    Raises:
        BoardError: they are not, a number stands twice, or the labels name columns.
    """
    numbers: dict[str, list[int]] = {}
    for line in lines:
        for name, number, cells in _list_labels(line):
            if (name in ROW_NAMES or name in COLUMN_NAMES) and is_cells(cells):
                numbers.setdefault(name, []).append(number)
                break
    for name, found in numbers.items():
        if len(found) < _LEAST_LABELS:
            continue
        if name in COLUMN_NAMES:
            raise make_no_board_error(
                "The labels of the lines name columns.",
                "Send the rows of the board, from the top to the bottom.",
            )
        # Lines of old programs are numbered in tens.
        step = 10 if all(number % 10 == 0 < number for number in found) else 1
        if found != [*range(found[0], found[0] + step * len(found), step)]:
            raise make_no_board_error(
                "The labels of the rows are not in order, or one of them is missing.",
                "Send all rows in order, without labels.",
            )


def _list_labels(line: str) -> list[tuple[str, int, str]]:
    """Return the ways to read the label of a line: the name, the number, and the rest."""
    labels = []
    if numbered := _NUMBERED.fullmatch(line):
        number = numbered[2] or numbered[3]
        code = int(number) if number.isdigit() else ord(number)
        labels.append((numbered[1].lower(), code, numbered[4]))
    if ordered := _ORDERED.fullmatch(line):
        one, other = ordered[1].lower(), ordered[2].lower()
        which, name = (one, other) if one in _PLACES else (other, one)
        if which in _PLACES:
            labels.append((name, _PLACES[which], ordered[3]))
    return labels
