"""What a board asks, clue by clue, each by its name: what every format of solvers writes.

Tested in tests/solvers/export/test_formats.py.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from minecheck.minefield.numerals import format_count
from minecheck.minefield.reduction.constraints import UNDECIDED, Constraints
from minecheck.minefield.rules import Puzzle, Rules


class InstanceClue(NamedTuple):
    """Among ``variables``, numbered from 1, are ``low`` to ``high`` mines, if that can be.

    Bounds that nothing can meet are left as they are: ``low`` may be more than there are cells,
    ``high`` below 0.
    """

    name: str
    variables: list[int]
    low: int
    high: int

    @property
    def possible(self) -> bool:
        """True if its cells alone can satisfy it."""
        return self.low <= len(self.variables) and self.high >= 0

    @property
    def exact(self) -> bool:
        """True if it allows one number of mines only."""
        return self.low == self.high

    @property
    def least(self) -> int | None:
        """The fewest mines, None where it leaves them open."""
        return self.low if self.low > 0 else None

    @property
    def most(self) -> int | None:
        """The most mines, None where it leaves them open."""
        return self.high if self.high < len(self.variables) else None

    def __str__(self) -> str:
        bounds = f"exactly {self.low}" if self.exact else f"{self.low} to {self.high}"
        cells = format_count(len(self.variables), "unknown cell")
        return f"{self.name}: {bounds} {'mine' if self.high == 1 else 'mines'} among {cells}"


@dataclass(frozen=True, slots=True)
class Instance:
    """A board, or rules, and perhaps the total of mines.

    Attributes:
        puzzle: what is written.
        cells: the number of the cell that each variable stands for, in order; those are the
            cells that are not known.
        clues: what has to hold, the total last; what always does is left out.
    """

    puzzle: Puzzle
    cells: list[int]
    clues: list[InstanceClue]

    @classmethod
    def from_puzzle(cls, puzzle: Puzzle, mines: int | None = None) -> "Instance":
        """Return the clues of a board, or of rules.

        Args:
            puzzle: the board or rules.
            mines: the total of mines, None for any.
        """
        constraints = Constraints.from_position(puzzle, mines)
        cells = np.flatnonzero(constraints.known == UNDECIDED)
        variable = np.zeros(constraints.cells, np.int64)
        variable[cells] = np.arange(1, cells.size + 1)
        clues = list(_iterate_clues(puzzle, constraints, variable[constraints.members].tolist()))
        mines_left = constraints.mines_left
        if mines_left is not None and (cells.size or mines_left):
            clues.append(InstanceClue("total", variable[cells].tolist(), mines_left, mines_left))
        return cls(puzzle, cells.tolist(), clues)

    def iterate_names(self) -> Iterator[str]:
        """Yield the name of the cell of each variable, on one line of ASCII."""
        if not isinstance(self.puzzle, Rules):
            width = self.puzzle.shape[1]
            yield from (f"row {cell // width}, column {cell % width}" for cell in self.cells)
            return
        yield from (f"cell {json.dumps(str(name))}" for name in self.puzzle.number)
        for number in range(len(self.cells) - len(self.puzzle.number)):
            yield f"unnamed cell {number}"


def _iterate_clues(
    puzzle: Puzzle, constraints: Constraints, variables: list[int]
) -> Iterator[InstanceClue]:
    """Yield the clues that say anything; ``variables`` are those of all their cells in turn."""
    origins, start = constraints.origin.tolist(), constraints.start.tolist()
    low, high = constraints.low.tolist(), constraints.high.tolist()
    for clue in np.flatnonzero(constraints.asking).tolist():
        origin = origins[clue]
        if isinstance(puzzle, Rules):
            name = f"rule {origin}"
        else:
            row, col = divmod(origin, puzzle.shape[1])
            name = f"clue at row {row}, column {col}"
        yield InstanceClue(name, variables[start[clue] : start[clue + 1]], low[clue], high[clue])
