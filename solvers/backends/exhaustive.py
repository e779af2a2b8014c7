"""Kadlac's breadth-first search: the reference that the other methods are tested against.

Explorations of the Minesweeper Consistency Problem (2003), section 6: from
each grid of the search frontier come the grids with one more mine, placed in
an unknown cell to the right of the last one, the cells passed over being safe.
A grid is kept while every clue lies between the mines it sees and the mines
plus the unknowns it sees (the paper prints both inequalities turned round); it
is a goal state when, its remaining unknowns taken for safe, every clue sees
exactly its number. It works on the board itself and shares no code with the
reduction.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, Board
from minecheck.minefield.layout import Layout
from minecheck.solvers.answer import BackendError
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.method import Method
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.findings import Forced

#: Larger boards are rejected.
_MOST_CELLS = 2500


class Exhaustive(Method):
    """Small boards, by Kadlac's breadth-first search."""

    backend = Backend.EXHAUSTIVE
    tells_chances = False

    @cached_property
    def all(self) -> list[Layout]:
        """Every layout.

        Raises:
            BackendError: the board is too large, or too many grids have to be kept.
        """
        if self.question.cells > _MOST_CELLS:
            raise BackendError(f"exhaustive search takes at most {_MOST_CELLS} cells")
        return list(iterate_layouts(self.grid, self.question.mines, self.deadline))

    def find_witness(self) -> Layout | None:
        """Return the first layout, None if there is none."""
        return self.all[0] if self.all else None

    def find_forced(self) -> tuple[Forced, bool]:
        """Return the forced cells, which are always all of them."""
        mines = np.stack([layout.mines for layout in self.all])
        everywhere, nowhere = np.asarray(mines.all(axis=0)), np.asarray(~mines.any(axis=0))
        return self._forced_from_masks(everywhere, nowhere), True

    def count(self) -> int:
        """Count the layouts that the search found."""
        return len(self.all)

    def by_mines(self) -> dict[int, int] | None:
        """Return the layouts by number of mines."""
        return dict(Counter(layout.total for layout in self.all))

    @property
    def soon_by_mines(self) -> bool:
        """True: layouts by number of mines take little time."""
        return True

    def iterate_layouts(self) -> Iterator[Layout]:
        """Yield layouts from the question's offset on."""
        return iter(self.all[self.question.offset :])


class _Clues(NamedTuple):
    """The clues of a board.

    Attributes:
        sees: which clue sees which unknown, (unknowns, clues).
        later: how many undecided cells each still sees after an unknown is decided, of that shape.
        needs: the mines that each still needs, (clues,).
    """

    sees: NDArray[np.int8]
    later: NDArray[np.int8]
    needs: NDArray[np.int8]


def iterate_layouts(
    board: Board,
    mines: int | None = None,
    deadline: Deadline = Deadline(),
    limit: int = 100_000,
) -> Iterator[Layout]:
    """Yield every layout of the board, by number of mines, then in reading order of the mines.

    Args:
        board: the board.
        mines: the total of mines, None for any.
        deadline: when to give up.
        limit: the most grids that may be kept at once.

    Raises:
        BackendError: more than ``limit`` grids have to be kept at once
            (the original silently loses what does not fit its 1000 rows).
        DeadlinePassed: before the last layout.
    """
    unknown = np.argwhere(board.unknown)
    clues = _build_clues(board, unknown)
    needs = clues.needs
    spare = None if mines is None else mines - int(np.count_nonzero(board.cells == MINE))

    placed = np.zeros((1, len(unknown)), dtype=np.bool_)
    last = np.full(1, -1)
    seen = np.zeros((1, needs.size), dtype=np.int8)
    if spare is not None and not 0 <= spare <= len(unknown):
        return
    if (needs < 0).any() or (needs > clues.sees.sum(axis=0)).any():
        return
    count = 0
    while len(placed):
        if spare in (None, count):
            for goal in np.flatnonzero((seen == needs).all(axis=1)):
                yield _build_layout(board, unknown[placed[goal]])
        if count == spare:
            return
        placed, last, seen = _extend_grids(placed, last, seen, clues, limit, deadline)
        count += 1


def _extend_grids(
    placed: NDArray[np.bool_],
    last: NDArray[np.int64],
    seen: NDArray[np.int8],
    clues: _Clues,
    limit: int,
    deadline: Deadline,
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int8]]:
    """Return all grids with one more mine that pass the bound test.

    ``placed`` is (grids, unknown cells), ``last`` the index of the last mine in each, ``seen`` the
    mines that each clue sees, (grids, clues).
    """
    parents, positions, sums = [], [], []
    count = 0
    for position in range(placed.shape[1]):
        deadline.check()
        grids = np.flatnonzero(last < position)
        total = seen[grids] + clues.sees[position]
        passing = ((total <= clues.needs) & (clues.needs <= total + clues.later[position])).all(
            axis=1
        )
        parents.append(grids[passing])
        positions.append(np.full(np.count_nonzero(passing), position))
        sums.append(total[passing])
        count += len(parents[-1])
        if count > limit:
            raise BackendError(f"the search frontier holds more than {limit} grids")
    if not count:
        return placed[:0], last[:0], seen[:0]
    parent, at = np.concatenate(parents), np.concatenate(positions)
    order = np.argsort(parent, kind="stable")
    after = placed[parent]
    after[np.arange(count), at] = True
    return after[order], at[order], np.concatenate(sums)[order]


def _build_clues(board: Board, unknown: NDArray[np.int64]) -> _Clues:
    clues = np.argwhere(board.cells <= 8)
    mines = np.argwhere(board.cells == MINE)
    sees = _mark_neighbours(unknown, clues)
    needs = board.cells[board.cells <= 8] - _mark_neighbours(mines, clues).sum(
        axis=0, dtype=np.int8
    )
    later = sees[::-1].cumsum(axis=0, dtype=np.int8)[::-1]
    later = np.concatenate((later[1:], np.zeros((1, needs.size), dtype=np.int8)))
    return _Clues(sees, later, needs)


def _mark_neighbours(cells: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return 1 where a cell touches another, else 0: int8 of shape (cells, others)."""
    distance = np.abs(cells[:, None, :] - others[None, :, :]).max(axis=2)
    return np.asarray(distance <= 1, dtype=np.int8)


def _build_layout(board: Board, mines: NDArray[np.int64]) -> Layout:
    where = board.cells == MINE
    where[tuple(mines.T)] = True
    return Layout(where)
