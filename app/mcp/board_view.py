"""Boards and cells as a language model reads them: rulers, short lists, and what is left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from minecheck.minefield.numerals import format_count

Cell: TypeAlias = Sequence[int]

#: The most columns, and cells, of a board that are shown at once.
MOST_COLS: Final = 40
MOST_CELLS: Final = 640
#: The most cells of a list that are named one by one.
MOST_NAMED: Final = 40


@dataclass(frozen=True, slots=True)
class View:
    """The part of a board that an answer shows.

    Attributes:
        rows: the number of rows of the whole board.
        cols: the number of its columns.
        top: the first row that is shown.
        left: the first column that is shown.
    """

    rows: int
    cols: int
    top: int = 0
    left: int = 0

    @property
    def width(self) -> int:
        """The number of columns that are shown."""
        return min(self.cols - self.left, MOST_COLS)

    @property
    def height(self) -> int:
        """The number of rows that are shown."""
        return min(self.rows - self.top, MOST_CELLS // min(self.cols, MOST_COLS))

    @property
    def is_whole(self) -> bool:
        """True if all of the board is shown."""
        return (self.height, self.width) == (self.rows, self.cols)

    def has(self, cell: Cell) -> bool:
        """Return True if a cell is shown."""
        row, col = cell
        return (
            self.top <= row < self.top + self.height and self.left <= col < self.left + self.width
        )

    def draw_cells(self, rows: Sequence[Sequence[str]]) -> str:
        """Return the shown part of a board: one line a row, under a ruler of columns.

        Args:
            rows: the symbol or word of each cell of the whole board.
        """
        shown = [
            [rows[row][col] for col in range(self.left, self.left + self.width)]
            for row in range(self.top, self.top + self.height)
        ]
        columns = [str(col) for col in range(self.left, self.left + self.width)]
        wide = 1 + max(len(symbol) for line in (columns, *shown) for symbol in line)
        edge = len(f"row {self.top + self.height - 1}")
        lines = ["col".ljust(edge) + " |" + "".join(symbol.rjust(wide) for symbol in columns)]
        lines += [
            f"row {row}".ljust(edge) + " |" + "".join(symbol.rjust(wide) for symbol in line)
            for row, line in enumerate(shown, self.top)
        ]
        return "\n".join(lines)

    def describe_rest(self) -> str:
        """Return a sentence on what is not shown and how to see it; empty if all is."""
        if self.is_whole:
            return ""
        last_row, last_col = self.top + self.height - 1, self.left + self.width - 1
        return (
            f"Only rows {self.top} to {last_row} of 0 to {self.rows - 1} and columns {self.left} "
            f"to {last_col} of 0 to {self.cols - 1} are shown here, and lists of cells name those "
            "only. For another part, call this tool again with show_row and show_col."
        )


def name_cell(cell: Cell) -> str:
    """Return a cell as it is written in answers: (row, column)."""
    row, col = cell
    return f"({row}, {col})"


def list_cells(cells: Sequence[Cell], most: int = MOST_NAMED) -> str:
    """Return the names of the first cells, and how many more there are."""
    named = ", ".join(map(name_cell, cells[:most]))
    unnamed = len(cells) - most
    return f"{named} and {format_count(unnamed, 'more cell')}" if unnamed > 0 else named or "none"


def format_percent(chance: float) -> str:
    """Return a probability in percent, with four digits that count."""
    return f"{100 * chance:.4g}%"


def format_integer_briefly(digits: str) -> str:
    """Return a whole number as it is, or rounded, with its length, if it is long."""
    if len(digits) <= 30:
        return digits
    return f"about {digits[0]}.{digits[1:4]}e{len(digits) - 1} (a number of {len(digits)} digits)"
