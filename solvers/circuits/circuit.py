"""A formula as a board whose layouts are its satisfying assignments, one for one (Kaye 2000).

The board is a grid of the squares of `gadgets`. Each occurrence of a variable or a constant in the
formula has a column, from left to right. On top, each variable that occurs several times has a
row: a wire from the first to the last, which sends a branch down at each, across the wires of
others. Below stand the gates, each one row below the lower of its operands, in the column of the
left one; the tree of a formula needs no more crossings. At the foot of column 0 the output is
forced.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield.board import Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.circuits.formula import Formula, FormulaError, FormulaStep, StepKind
from minecheck.solvers.circuits.gadgets import EMPTY, GADGETS, MIDDLE, SIDE

#: Cells of the largest circuit.
MOST_CELLS: Final = 100_000


class Gate(NamedTuple):
    """A gate: the part of the formula that it stands for, and its square."""

    kind: StepKind
    text: str
    row: int
    col: int
    #: A mine in this cell means that the part is true.
    output: Coordinates


@dataclass(frozen=True, slots=True)
class Circuit:
    """A board for a formula; see the module.

    ``variables`` are by name the cells in which a mine means true, the first one topmost;
    ``gates`` come in the order of their steps; ``output`` is the cell of the whole
    formula.
    """

    board: Board
    variables: Mapping[str, tuple[Coordinates, ...]]
    gates: tuple[Gate, ...]
    output: Coordinates

    def read_assignment(self, layout: Layout) -> dict[str, bool]:
        """Return the values of the variables in a layout of the board."""
        return {name: bool(layout.mines[cells[0]]) for name, cells in self.variables.items()}


def build_circuit(formula: Formula, most_cells: int = MOST_CELLS) -> Circuit:
    """Build the board of a formula.

    Args:
        formula: the formula.
        most_cells: the most cells that the board may have.

    Raises:
        FormulaError: it would have more than ``most_cells`` cells.
    """
    plan = _Plan(formula)
    cells = plan.rows * plan.cols * SIDE * SIDE
    if cells > most_cells:
        raise FormulaError(
            "formula-too-large",
            f"The board of the formula has {cells:,} cells, more than {most_cells:,}.",
            "Send one with fewer operators, or mention variables less often.",
            0,
        )
    return plan.build_circuit()


class _Signal(NamedTuple):
    """The output of a step: the column in which it goes down, and above which row it is ready."""

    col: int
    row: int


class _Plan:
    """The gadget of each square."""

    def __init__(self, formula: Formula) -> None:
        self._squares: dict[Coordinates, str] = {}
        self._gates: list[Gate] = []
        self._true: dict[str, list[Coordinates]] = {name: [] for name in formula.variables}
        leaves = [step for step in formula.steps if step.kind in _LEAVES]
        uses = Counter(leaf.text for leaf in leaves)
        self._shared = [name for name in formula.variables if uses[name] > 1]
        rows = {name: row for row, name in enumerate(self._shared)}
        #: The row of the variable of each column, if it has one.
        self._row_of = [rows.get(leaf.text) for leaf in leaves]
        self._columns: list[list[int]] = [[] for _ in rows]
        for col, row in enumerate(self._row_of):
            if row is not None:
                self._columns[row].append(col)
        for row in range(len(rows)):
            self._lay_wire(row)
        output = self._lay_gates(formula)
        self._squares[output.row, output.col] = "end"
        self._output = _find_cell_above(output.row, output.col)
        self.rows, self.cols = output.row + 1, len(leaves)

    def build_circuit(self) -> Circuit:
        """Put the squares together to the board."""
        drawn = {name: parse(rows).cells for name, rows in GADGETS.items()}
        grid = [
            [drawn.get(self._squares.get((row, col), ""), EMPTY) for col in range(self.cols)]
            for row in range(self.rows)
        ]
        return Circuit(
            Board(np.block(grid)),
            {name: tuple(sorted(cells)) for name, cells in self._true.items()},
            tuple(self._gates),
            self._output,
        )

    def _is_passed(self, row: int, col: int) -> bool:
        """Return True if the wire of a variable passes a column without any of its occurrences."""
        columns = self._columns[row]
        return columns[0] < col < columns[-1] and self._row_of[col] != row

    def _lay_wire(self, row: int) -> None:
        """Lay the wire of a variable, and its branches as far down as other variables go."""
        columns = self._columns[row]
        for col in range(columns[0], columns[-1] + 1):
            if col > columns[0]:
                self._true[self._shared[row]].append((row * SIDE + MIDDLE, col * SIDE))
            above = self._row_of[col]
            if above == row:
                self._lay_branch(row, col)
            elif above is None or above > row:
                self._squares[row, col] = "across"
            else:
                self._squares[row, col] = "crossing"

    def _lay_branch(self, row: int, col: int) -> None:
        """Lay a branch down from a wire; each crossing changes its phase, and perhaps the tap."""
        columns = self._columns[row]
        below = range(row + 1, len(self._columns))
        crossed = [self._is_passed(row_below, col) for row_below in below]
        true = sum(crossed) % 2 == 0
        tap = {columns[0]: "first", columns[-1]: "last"}.get(col, "tap")
        self._squares[row, col] = tap if true else f"{tap} turned"
        cells = self._true[self._shared[row]]
        for row_below, crossing in zip(below, crossed, strict=True):
            if true:
                cells.append(_find_cell_above(row_below, col))
            if not crossing:
                self._squares[row_below, col] = "down"
            true ^= crossing
        cells.append(_find_cell_above(len(self._columns), col))

    def _lay_gates(self, formula: Formula) -> _Signal:
        """Lay the gates, and return the output of the last one."""
        col, stack = 0, list[_Signal]()
        for kind, text in formula.steps:
            if kind in _LEAVES:
                stack.append(self._lay_leaf(FormulaStep(kind, text), col))
                col += 1
                continue
            right = stack.pop()
            left = right if kind is StepKind.NOT else stack.pop()
            row = max(left.row, right.row)
            for signal in {left, right}:
                for between in range(signal.row, row):
                    self._squares[between, signal.col] = "down"
            for between in range(left.col + 1, right.col):
                self._squares[row, between] = "across"
            if left != right:
                self._squares[row, right.col] = "bend"
            self._squares[row, left.col] = kind
            corner = row * SIDE, left.col * SIDE
            self._gates.append(Gate(kind, text, *corner, _find_cell_above(row + 1, left.col)))
            stack.append(_Signal(left.col, row + 1))
        (output,) = stack
        return output

    def _lay_leaf(self, leaf: FormulaStep, col: int) -> _Signal:
        """Lay a constant, or a variable; one that occurs once begins here."""
        top = len(self._columns)
        if leaf.kind is not StepKind.VARIABLE:
            self._squares[top, col] = leaf.kind
        elif self._row_of[col] is None:
            self._squares[top, col] = "input"
            self._true[leaf.text].append(_find_cell_above(top + 1, col))
        else:
            return _Signal(col, top)
        return _Signal(col, top + 1)


_LEAVES: Final = (StepKind.VARIABLE, StepKind.TRUE, StepKind.FALSE)


def _find_cell_above(row: int, col: int) -> Coordinates:
    """Return the first cell of the wire that enters a square from above."""
    return row * SIDE, col * SIDE + MIDDLE
