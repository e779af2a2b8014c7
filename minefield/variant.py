"""Boards under other rules: another topology, clues that say less, piled mines, lies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, SAFE, Board, Cells, list_coordinates
from minecheck.minefield.errors import FixableError
from minecheck.minefield.numerals import format_count
from minecheck.minefield.topology import NOBODY, Topology

MOST_PER_CELL: Final = 9


@dataclass(eq=False, repr=False)
class VariantError(FixableError):
    """A board that cannot have such rules; ``cell`` is the cell at fault, if there is one."""

    field: str
    detail: str
    fix: str
    cell: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Clue:
    """The numbers of mines that a clue allows: those from ``low`` to ``high``.

    ``values`` are the only ones among them where these are not all; else they are empty.
    """

    low: int
    high: int
    values: frozenset[int] = frozenset()

    @classmethod
    def one_of(cls, values: Iterable[int]) -> "Clue":
        """Return a clue that allows any of several numbers; there must be at least one."""
        allowed = frozenset(values)
        low, high = min(allowed), max(allowed)
        return cls(low, high, allowed if len(allowed) <= high - low else frozenset())

    def allows_mines(self, mines: int) -> bool:
        """Return True if the clue allows this number of mines."""
        return mines in self.values if self.values else self.low <= mines <= self.high

    def __str__(self) -> str:
        if self.values:
            *smaller, largest = map(str, sorted(self.values))
            return f"{', '.join(smaller)} or {largest}"
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


@dataclass(frozen=True)
class Variant:
    """A board under other rules than those of the plane game.

    Attributes:
        board: its cells; those of several layers one layer below the other.
        topology: which cells are neighbours.
        differences: clues, by (row, column), that a symbol cannot say; each stands on a cell of the
            board that is safe and shows no number.
        most: the most mines that a cell may hold; then a known mine stands for one or more.
        lies: the least and the most clues that are wrong; one whose number is right does not lie.

    Raises:
        TopologyError: the board cannot be cut into its layers.
        VariantError: a clue stands where none can, or the bounds are no bounds.
    """

    board: Board
    topology: Topology = field(default_factory=Topology)
    differences: Mapping[tuple[int, int], Clue] = field(default_factory=dict)
    most: int = 1
    lies: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        # Sorted, so that equal values are written alike.
        object.__setattr__(self, "differences", dict(sorted(self.differences.items())))
        self.topology.check_rows(self.board.height)
        height, width = self.shape
        for cell in self.differences:
            row, col = cell
            if not (0 <= row < height and 0 <= col < width):
                raise VariantError(
                    "clues",
                    f"There is no cell at row {row}, column {col}.",
                    f"The board has {format_count(height, 'row')} of "
                    f"{format_count(width, 'cell')}.",
                    cell,
                )
            if self.cells[cell] != SAFE:
                raise VariantError(
                    "clues",
                    f"The clue at row {row}, column {col} stands on a cell that is not S.",
                    "Write S there: a cell with a clue is safe, and has no other number.",
                    cell,
                )
        if not 1 <= self.most <= MOST_PER_CELL:
            raise VariantError(
                "mines_per_cell",
                f"A cell holds at most 1 to {MOST_PER_CELL} mines.",
                "Send a smaller number.",
            )
        if not 0 <= self.lies[0] <= self.lies[1]:
            raise VariantError(
                "lies", "The least of the lies are more than the most.", "Send 0 or more."
            )

    @property
    def cells(self) -> Cells:
        """The symbols, (height, width)."""
        return self.board.cells

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width), all layers together."""
        return self.board.shape

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Cells that may or may not be mines, flags included: bool, (height, width)."""
        return self.board.unknown

    @property
    def flags(self) -> list[tuple[int, int]]:
        """(row, col) of each flag, in reading order."""
        return self.board.flags

    @property
    def capacity(self) -> int:
        """The most mines that all cells together hold."""
        return self.cells.size * self.most

    @property
    def beyond(self) -> str | None:
        """The rule by which clues are not just intervals of mines among cells with one or none."""
        # The fewest engines take clues that may lie.
        if self.lies != (0, 0):
            return "lies" if self.lies[0] else "most_lies"
        if self.most > 1:
            return "mines_per_cell"
        return "clues" if any(clue.values for clue in self.differences.values()) else None

    def with_assumption(self, cell: tuple[int, int], mine: bool) -> "Variant":
        """Return the same board where one cell is known to be a mine, or safe.

        Args:
            cell: (row, col) from 0.
            mine: True for a mine, False for a safe cell.
        """
        return replace(self, board=self.board.with_assumption(cell, mine))

    @cached_property
    def clues(self) -> dict[int, Clue]:
        """The clues by the number of their cell, in reading order."""
        codes, width = self.cells.ravel(), self.shape[1]
        shown = np.flatnonzero(codes <= 8)
        clues = {
            cell: Clue(number, number)
            for cell, number in zip(shown.tolist(), codes[shown].tolist(), strict=True)
        }
        clues |= {row * width + col: clue for (row, col), clue in self.differences.items()}
        return dict(sorted(clues.items()))

    def clue_at(self, cell: tuple[int, int]) -> Clue:
        """Return the clue at (row, col).

        Raises:
            KeyError: there is none.
        """
        return self.clues[cell[0] * self.shape[1] + cell[1]]

    @cached_property
    def around_clues(self) -> NDArray[np.int32]:
        """The neighbours of each clue, `NOBODY` in the first columns; (clues, most)."""
        return self.topology.list_neighbours(np.fromiter(self.clues, np.int64), self.shape)

    @cached_property
    def _around(self) -> NDArray[np.int32]:
        return self.topology.list_neighbours(np.arange(self.cells.size), self.shape)

    def count_neighbours(self, mines: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.int32]:
        """Count the mines around each cell, from those in it; both (height, width)."""
        # A missing neighbour points to the last element, which is empty.
        held = np.append(mines.ravel(), 0).astype(np.int32)
        return np.asarray(held[self._around].sum(axis=1, dtype=np.int32).reshape(self.shape))

    def list_liars(self, mines: NDArray[np.integer] | NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Return (row, col) of the clues that are wrong for these numbers of mines."""
        held = np.append(mines.ravel(), 0).astype(np.int32)
        seen = held[self.around_clues].sum(axis=1).tolist()
        width = self.shape[1]
        return [
            divmod(cell, width)
            for (cell, clue), number in zip(self.clues.items(), seen, strict=True)
            if not clue.allows_mines(number)
        ]

    def list_contradictions(
        self, mines: NDArray[np.integer] | NDArray[np.bool_]
    ) -> list[tuple[int, int]]:
        """Return (row, col) of the cells that contradict these numbers of mines, (height, width).

        Lying clues are among them only if there are too many, or too few; where no clue lies
        that should, all are.
        """
        contradicts = ((self.cells == MINE) & (mines == 0)) | (mines > self.most)
        contradicts |= ~(self.unknown | (self.cells == MINE)) & (mines > 0)
        wrong, liars = set(list_coordinates(contradicts)), self.list_liars(mines)
        if not self.lies[0] <= len(liars) <= self.lies[1]:
            # Any of the clues may be the lie where further lies are required.
            wrong |= set(liars or (divmod(cell, self.shape[1]) for cell in self.clues))
        return sorted(wrong)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variant) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        return self.board, self.topology, tuple(self.differences.items()), self.most, self.lies

    def __repr__(self) -> str:
        # Identity of the variant: answers are cached by it.
        clues = [
            (cell, clue.low, clue.high, sorted(clue.values))
            for cell, clue in self.differences.items()
        ]
        described = (self.shape, self.cells.tobytes(), self.topology, clues, self.most, self.lies)
        return f"Variant{described}"

    def __reduce__(self) -> tuple[type["Variant"], tuple[object, ...]]:
        # Excluded from the pickle: derived data, which is larger than the board.
        return Variant, (self.board, self.topology, dict(self.differences), self.most, self.lies)


assert NOBODY == -1, "the last element of an array"
