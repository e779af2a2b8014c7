"""The clues of a board over its unknown cells, prepared for certificates of counts.

A clue that needs all of its cells, or none, decides them; that is done until no clue does. What is
left are *boxes*, undecided cells with the same clues, and *loose* cells that no clue asks for.
`minefield.reduction` does much the same for the solvers, and nothing here comes from there.

Tested in tests/solvers/reasons/test_tables.py.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from minecheck.minefield.board import FLAG, MINE, UNKNOWN, Board, Cells, list_around
from minecheck.minefield.certificates.meter import Meter
from minecheck.minefield.rules import Plain

#: What a clue asks for: its unknown cells, and the fewest and the most mines among them.
Sum: TypeAlias = tuple[Collection[int], int, int]


@dataclass(frozen=True, slots=True)
class BoxClue:
    """A clue: between ``low`` and ``high`` mines lie in boxes with ``cells`` cells in all.

    ``low`` may be below 0 and ``high`` above ``cells``, not both at once.
    """

    low: int
    high: int
    cells: int


@dataclass(frozen=True, slots=True)
class Boxes:
    """The undecided cells of a board, by the clues that ask for them.

    Cells are numbered ``row * width + col``, those of rules as `minefield.rules.Rules` has them.

    Attributes:
        given: known mines of the board.
        decided: for each cell that clues decide one after the other, whether it is a mine.
        cells: of each box, ascending; the boxes are in the order of their first cells.
        clues: of each box, ascending.
        clue: the clues, by number; None for those that ask for nothing any more.
        loose: undecided cells without a clue, ascending.
        conflict: whether some clue cannot have what it needs. Then there are no boxes.
    """

    given: int
    decided: dict[int, bool]
    cells: list[list[int]]
    clues: list[tuple[int, ...]]
    clue: dict[int, BoxClue]
    loose: list[int]
    conflict: bool

    @classmethod
    def list_puzzle_boxes(cls, puzzle: Plain, meter: Meter) -> "Boxes":
        """Return the boxes of a board or of rules.

        Args:
            puzzle: the board or the rules.
            meter: the work that may be done.

        Raises:
            TooMuchWork: propagation takes more work than the meter allows.
        """
        cells = np.flatnonzero(puzzle.unknown.ravel()).tolist()
        shown_mines = count_shown_mines(puzzle)
        return cls.list_clue_boxes(list(read_sums(puzzle)), cells, shown_mines, meter)

    @classmethod
    def list_clue_boxes(
        cls, clues: Sequence[Sum], unknown: Iterable[int], shown_mines: int, meter: Meter
    ) -> "Boxes":
        """Return the boxes of clues.

        Args:
            clues: cells, least and most mines of each clue.
            unknown: numbers of the unknown cells, ascending; all cells of the clues are among them.
            shown_mines: number of known mines.
            meter: the work that may be done.
        """
        above: dict[int, list[int]] = {cell: [] for cell in unknown}
        for number, (members, _, _) in enumerate(clues):
            for cell in members:
                above[cell].append(number)
        low = [least for _, least, _ in clues]
        high = [most for _, _, most in clues]
        size = [len(members) for members, _, _ in clues]
        decided: dict[int, bool] = {}
        waiting = list(range(len(clues)))
        while waiting:
            number = waiting.pop()
            meter.tick()
            if low[number] > size[number] or high[number] < 0:
                return cls(shown_mines, decided, [], [], {}, [], conflict=True)
            if not size[number] or (high[number] > 0 and low[number] < size[number]):
                continue
            mine = high[number] > 0
            for cell in clues[number][0]:
                if cell not in decided:
                    decided[cell] = mine
                    for clue_number in above[cell]:
                        size[clue_number] -= 1
                        low[clue_number] -= mine
                        high[clue_number] -= mine
                        waiting.append(clue_number)
        clue = {
            number: BoxClue(low[number], high[number], size[number])
            for number in range(len(clues))
            if low[number] > 0 or high[number] < size[number]
        }
        boxes: dict[tuple[int, ...], list[int]] = {}
        for cell, numbers in above.items():
            if cell not in decided:
                boxes.setdefault(tuple(n for n in numbers if n in clue), []).append(cell)
        loose = boxes.pop((), [])
        return cls(
            shown_mines, decided, list(boxes.values()), list(boxes), clue, loose, conflict=False
        )

    @property
    def mines(self) -> int:
        """Mines that are known, or decided."""
        return self.given + sum(self.decided.values())


def count_shown_mines(puzzle: Plain) -> int:
    """Return the number of known mines; rules have none."""
    return int(np.count_nonzero(puzzle.cells == MINE)) if isinstance(puzzle, Board) else 0


def read_sums(puzzle: Plain) -> Iterator[Sum]:
    """Yield what each clue asks for, in reading order, or in the order of the rules."""
    if not isinstance(puzzle, Board):
        for rule in puzzle.rules:
            yield [puzzle.number[name] for name in rule.cells], rule.low, rule.high
        return
    cells = puzzle.cells.tolist()
    for row, col in np.argwhere(puzzle.cells <= 8).tolist():
        yield read_clue(cells, row, col)


def read_clue(cells: Cells | list[list[int]], row: int, col: int) -> Sum:
    """Return what the clue in one of the cells of a board asks for."""
    width = len(cells[0])
    around = list_around((row, col), (len(cells), width))
    mines_left = int(cells[row][col]) - sum(int(cells[r][c]) == MINE for r, c in around)
    unknown = [r * width + c for r, c in around if cells[r][c] in (UNKNOWN, FLAG)]
    return unknown, mines_left, mines_left
