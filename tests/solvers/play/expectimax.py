"""An expectimax in plain Python over all layouts of small boards."""

from collections import defaultdict
from functools import cache

from minecheck.minefield import Board
from tests import oracle
from tests.oracle import Cell, neighbours

#: In place of a number: the click is the last one.
MINE = -1

Layouts = frozenset[frozenset[Cell]]


class Expectimax:
    """Every way to play a board out, with no regard for time."""

    def __init__(self, board: Board, mines: int) -> None:
        self.height, self.width = board.shape
        self.layouts: Layouts = frozenset(oracle.answer(board, mines).layouts)
        codes = board.cells.tolist()
        cells = [(row, col) for row in range(self.height) for col in range(self.width)]
        self.closed = [cell for cell in cells if codes[cell[0]][cell[1]] > 8]
        self.value = cache(self._value)

    def shown(self, layout: frozenset[Cell], cell: Cell) -> int:
        """Return the number or mine that a click shows."""
        around = neighbours(cell, self.height, self.width)
        return MINE if cell in layout else sum(near in layout for near in around)

    def after(self, layouts: Layouts, cell: Cell) -> dict[int, Layouts]:
        """The layouts by what a click shows; those where it is a mine are left out."""
        found: dict[int, set[frozenset[Cell]]] = defaultdict(set)
        for layout in layouts:
            found[self.shown(layout, cell)].add(layout)
        found.pop(MINE, None)
        return {number: frozenset(left) for number, left in found.items()}

    def opened(self, layouts: Layouts, cell: Cell) -> int:
        """The layouts that are won after a click."""
        return sum(self.value(left) for left in self.after(layouts, cell).values())

    def _value(self, layouts: Layouts) -> int:
        if len(layouts) == 1:
            return 1
        best = 1
        for cell in self.closed:
            left = self.after(layouts, cell)
            # A click that changes nothing is not worth following.
            if left and list(left.values()) != [layouts]:
                best = max(best, self.opened(layouts, cell))
        return best

    def risk(self, layouts: Layouts, shown: set[Cell]) -> int:
        """In how many layouts the best next click is on a mine."""
        mines = [sum(cell in layout for layout in layouts) for cell in set(self.closed) - shown]
        return min((many for many in mines if many < len(layouts)), default=0)
