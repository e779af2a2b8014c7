"""Solvability of a board for people, from the shown clues, by steps up to a grade.

Tested in tests/solvers/reasons/test_fewest_clues.py.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board, list_neighbours
from minecheck.minefield.reduction.constraints import IS_MINE, UNDECIDED, Constraints, reduce
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.reasons.deduction import Level
from minecheck.solvers.reasons.difficulty import Difficulty
from minecheck.solvers.reasons.entailment import Entailment
from minecheck.solvers.reasons.hidden_clues import HiddenClues


class Solvability:
    """Clues in ``groups`` (of cells) that are shown together; groups are numbered from 0.

    A board is solved when every cell is decided by steps up to ``hardest``. The total is used from
    `Level.GLOBAL` on, to tell the rest once all mines, or all safe cells, are known. More clues
    never solve less. Clues that leave other layouts solve nothing, which SAT tells sooner. A
    context manager; its methods raise `DeadlinePassed`.
    """

    def __init__(
        self,
        hidden: HiddenClues,
        groups: Sequence[Sequence[int]],
        hardest: Level,
        deadline: Deadline,
    ) -> None:
        self._hidden = hidden
        self._groups = groups
        self._hardest = hardest
        self._deadline = deadline
        self._near = list_neighbours(hidden.base.shape)
        self._value = {
            cell: int(value) for cell, value in enumerate(hidden.targets) if value != UNDECIDED
        }
        mines = hidden.mines if hardest >= Level.GLOBAL else None
        self._layouts = Entailment(replace(hidden, mines=mines), groups, deadline)
        #: False once a board took too long to grade, which then counts as not solved.
        self.exact = True

    def __enter__(self) -> "Solvability":
        return self

    def __exit__(self, *_: object) -> None:
        self._layouts.__exit__()

    def find_sufficient(self, groups: Collection[int]) -> set[int] | None:
        """Return the groups, or None if they do not solve the board."""
        if self._layouts.find_sufficient(groups) is None:
            return None
        return None if self._find_open_cells(set(groups)).size else set(groups)

    def find_missed(self, groups: Collection[int]) -> set[int] | None:
        """Return groups of which one more is needed, none to spare; None if these are enough.

        All others together, those that are given among them, do not. It is empty where not even
        all groups do.
        """
        if (other := self._layouts.find_missed(groups)) is not None:
            return other
        held = set(groups)
        unsolved = self._find_open_cells(held)
        if not unsolved.size:
            return None
        out: set[int] = set()
        while True:
            held |= self._list_silent(unsolved)
            untried = [group for group in range(len(self._groups)) if group not in held | out]
            if not untried:
                return out
            # Far from what is open, clues help least.
            chunk = untried[: max(1, len(untried) // 2)]
            more = self._find_open_cells(held.union(chunk))
            if more.size:
                held.update(chunk)
                unsolved = more
            elif len(chunk) == 1:
                out.update(chunk)
            else:
                self._find_in_chunk(held, chunk, out)
                unsolved = self._find_open_cells(held)

    def _find_in_chunk(self, held: set[int], chunk: list[int], out: set[int]) -> None:
        """Find one group of a chunk that solves the board, after those before it."""
        while len(chunk) > 1:
            half = chunk[: len(chunk) // 2]
            if self._find_open_cells(held.union(half)).size:
                held.update(half)
                chunk = chunk[len(half) :]
            else:
                chunk = half
        out.update(chunk)

    def _list_silent(self, unsolved: NDArray[np.int64]) -> set[int]:
        """Return the groups whose clues are exhausted: all cells around them are known."""
        still = set(unsolved.tolist())
        return {
            group
            for group, cells in enumerate(self._groups)
            if all(cell not in still and still.isdisjoint(self._near[cell]) for cell in cells)
        }

    def _find_open_cells(self, groups: set[int]) -> NDArray[np.int64]:
        """Return the cells that no step up to the hardest decides."""
        board = self._hidden.show_clues([cell for group in groups for cell in self._groups[group]])
        while True:
            self._deadline.check()
            unsolved = self._find_undecided_by_clues(board)
            if self._hardest < Level.GLOBAL or not unsolved.size:
                return unsolved
            known = self._with_values(board, unsolved)
            counted = reduce(Constraints.from_position(known, self._hidden.mines)).state
            left = np.flatnonzero(counted == UNDECIDED)
            if left.size == unsolved.size or not left.size:
                return left
            board = self._with_values(board, left)

    def _find_undecided_by_clues(self, board: Board) -> NDArray[np.int64]:
        """Return the cells that no step decides that leaves out the total."""
        state = reduce(Constraints.from_position(board)).state
        unsolved = np.flatnonzero(state == UNDECIDED)
        if self._hardest is Level.TRIVIAL or not unsolved.size:
            return unsolved
        levels = Difficulty(
            Constraints.from_position(board), self._value, self._deadline, self._hardest
        )
        cell_levels = [levels.find_level(cell) for cell in unsolved.tolist()]
        self.exact &= None not in cell_levels
        hard = [level is None or level > self._hardest for level in cell_levels]
        return np.asarray(unsolved[np.array(hard)], np.int64)

    def _with_values(self, board: Board, unsolved: NDArray[np.int64]) -> Board:
        """Return the board on which only these cells are unknown."""
        codes = board.cells.ravel().copy()
        known = np.ones(codes.size, np.bool_)
        known[unsolved] = False
        known &= codes == UNKNOWN
        codes[known] = np.where(self._hidden.targets[known] == IS_MINE, MINE, SAFE)
        return Board.read_only(codes.reshape(board.shape))
