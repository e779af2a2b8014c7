"""What a board asks, clue by clue, each by its name: what every format of solvers writes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from minefield.amounts import several
from minefield.reduction.constraints import UNDECIDED, Constraints
from minefield.rules import Puzzle, Rules


class Clue(NamedTuple):
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
        """Whether its cells alone can meet it."""
        return self.low <= len(self.variables) and self.high >= 0

    @property
    def exact(self) -> bool:
        """Whether it asks for one number of mines."""
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
        asked = f"exactly {self.low}" if self.exact else f"{self.low} to {self.high}"
        cells = several(len(self.variables), "unknown cell")
        return f"{self.name}: {asked} {'mine' if self.high == 1 else 'mines'} among {cells}"


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
    clues: list[Clue]

    @classmethod
    def of(cls, puzzle: Puzzle, mines: int | None = None) -> "Instance":
        """What a board, or rules, ask, with ``mines`` mines in all, if given."""
        asked = Constraints.of(puzzle, mines)
        cells = np.flatnonzero(asked.known == UNDECIDED)
        variable = np.zeros(asked.cells, np.int64)
        variable[cells] = np.arange(1, cells.size + 1)
        clues = list(_clues(puzzle, asked, variable[asked.members].tolist()))
        left = asked.mines_left
        if left is not None and (cells.size or left):
            clues.append(Clue("total", variable[cells].tolist(), left, left))
        return cls(puzzle, cells.tolist(), clues)

    def names(self) -> Iterator[str]:
        """What the cell of each variable is called, on one line of ASCII."""
        if not isinstance(self.puzzle, Rules):
            width = self.puzzle.shape[1]
            yield from (f"row {cell // width}, column {cell % width}" for cell in self.cells)
            return
        yield from (f"cell {json.dumps(str(name))}" for name in self.puzzle.number)
        for other in range(len(self.cells) - len(self.puzzle.number)):
            yield f"unnamed cell {other}"


def _clues(puzzle: Puzzle, asked: Constraints, variables: list[int]) -> Iterator[Clue]:
    """The clues that say anything; ``variables`` are those of all their cells in turn."""
    origins, start = asked.origin.tolist(), asked.start.tolist()
    low, high = asked.low.tolist(), asked.high.tolist()
    for clue in np.flatnonzero(asked.asking).tolist():
        origin = origins[clue]
        if isinstance(puzzle, Rules):
            name = f"rule {origin}"
        else:
            row, col = divmod(origin, puzzle.shape[1])
            name = f"clue at row {row}, column {col}"
        yield Clue(name, variables[start[clue] : start[clue + 1]], low[clue], high[clue])
