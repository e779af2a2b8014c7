"""All consistent boards of n rows: their number, their order, the k-th one, a random one.

The boards that a deterministic machine accepts, sorted: from each state, how many ways there are to
go on to the end of the board is known, and the columns are chosen one after the other by adding up
these numbers. So the machine becomes a generator, as M. Kadlac had in mind for further work
(*Explorations of the Minesweeper Consistency Problem*, 2003, section 8).

Boards are sorted by their columns, from the first, columns by their cells, from the top, and cells
as `automata.profiles.CELLS`: clues, then ``?``, ``B`` and ``S``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from random import Random
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.automata.determinising import Deterministic, minimise_unnamed, refine_classes
from minecheck.automata.profiles import CELLS, WIDEST_LISTED, Profiles, read_word
from minecheck.automata.recurrence import Rational, find_rational
from minecheck.minefield.board import Board
from minecheck.minefield.notation import parse

#: Boards of more rows have machines of nearly a million states (1,002,726 for four, 914,880
#: without ``S``).
MOST_ROWS: Final = WIDEST_LISTED
#: The most rows with a generating function: the one of three rows may have degree 1,357.
MOST_ROWS_RATIONAL: Final = 2
_SAFE: Final = "S"


class _Lumps(NamedTuple):
    """States put together that can go on in as many ways, whatever the length.

    Attributes:
        of: the lump of each state, (states,).
        members: a state of each lump, (lumps,).
        starts: where the moves of each lump begin in ``ends`` and ``times``, (lumps,).
        ends: the lump that a move leads to, (moves,).
        times: how many columns make this move, integers of any size, (moves,).
    """

    of: NDArray[np.intp]
    members: NDArray[np.intp]
    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    times: NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Language:
    """The consistent boards of some rows, with ``S`` among their cells or without.

    Attributes:
        columns: all columns of cells, in order.
        machine: the smallest deterministic machine that accepts the boards.
    """

    rows: int
    columns: tuple[str, ...]
    machine: Deterministic

    @property
    def states(self) -> int:
        """The number of states of the machine, that of no return included."""
        return len(self.machine.moves)

    def boards_of_length(self, length: int, tick: Callable[[], None] = lambda: None) -> "Boards":
        """Return the boards of some length.

        It takes memory for as many numbers as there are lumps of states, for each column.

        Args:
            length: the number of columns.
            tick: a function called for each column, which may raise.
        """
        lumps = self._lumps
        ways_by_length = [
            np.array(
                [int(is_accepting) for is_accepting in self.machine.accepting[lumps.members]],
                object,
            )
        ]
        for _ in range(length):
            tick()
            ways_by_length.append(
                np.add.reduceat(ways_by_length[-1][lumps.ends] * lumps.times, lumps.starts)
            )
        return Boards(self, lumps.of, ways_by_length)

    def generating_function(self) -> Rational | None:
        """Return the generating function of the numbers of boards by length.

        It is None for more than `MOST_ROWS_RATIONAL` rows.
        """
        if self.rows > MOST_ROWS_RATIONAL:
            return None
        # A recurrence is no longer than there are states, and known by twice as many terms.
        boards = self.boards_of_length(2 * self.states)
        return find_rational([int(lump_counts[boards.lump[0]]) for lump_counts in boards.ways])

    @cached_property
    def _lumps(self) -> _Lumps:
        return _lump_states(self.machine)


@dataclass(frozen=True, eq=False)
class Boards:
    """The consistent boards of one size, sorted.

    Attributes:
        language: what they are of.
        lump: the lump of each state, (states,).
        ways: for 0, 1, … columns to come, in how many ways each lump can go on, (lumps,).
    """

    language: Language
    lump: NDArray[np.intp]
    ways: list[NDArray[np.object_]]

    @property
    def count(self) -> int:
        """The number of boards; there is one without columns."""
        return int(self.ways[-1][self.lump[0]])

    def unrank(self, rank: int) -> Board:
        """Return the board of this number, from 0 to less than `count`.

        It has a column at least.
        """
        state = 0
        symbols = []
        for going_on in self.ways[-2::-1]:
            ends = self._find_ends(state)
            through = np.add.accumulate(going_on[self.lump[ends]])
            column = int(np.searchsorted(through, rank, side="right"))
            symbols.append(self.language.columns[column])
            rank -= through[column - 1] if column else 0
            state = ends[column]
        return parse(["".join(row) for row in zip(*symbols, strict=True)])

    def sample(self, random: Random) -> Board:
        """Draw a board at random, all equally likely. There is one: all cells may be unknown."""
        return self.unrank(random.randrange(self.count))

    def rank(self, board: Board) -> tuple[int, bool]:
        """Return the rank of a board, and True if it is itself consistent.

        A flag counts as unknown.

        Raises:
            ValueError: it is of another size, or has a cell that is not in the alphabet.
        """
        symbols = read_word(board)
        if len(symbols) != len(self.ways) - 1:
            raise ValueError(f"the board has {len(symbols)} columns, not {len(self.ways) - 1}")
        index_of = {column: number for number, column in enumerate(self.language.columns)}
        state, rank = 0, 0
        for going_on, column in zip(self.ways[-2::-1], symbols, strict=True):
            if column not in index_of:
                raise ValueError(f"the column {column!r} is in no board of this language")
            ends = self._find_ends(state)
            rank += going_on[self.lump[ends[: index_of[column]]]].sum()
            state = ends[index_of[column]]
        return int(rank), bool(self.language.machine.accepting[state])

    def _find_ends(self, state: int) -> NDArray[np.intp]:
        """Return the state that each column leads to, (columns,)."""
        machine = self.language.machine
        return np.asarray(machine.moves[state][machine.kinds])


@cache
def build_language(rows: int, safe: bool = False) -> Language:
    """Build the language of the consistent boards of some rows.

    Args:
        rows: how many rows, from 1.
        safe: whether cells may be ``S``, safe without a number.

    Raises:
        ValueError: more than `MOST_ROWS` rows, or none.
    """
    if not 1 <= rows <= MOST_ROWS:
        raise ValueError(f"languages are known of 1 to {MOST_ROWS} rows, not {rows}")
    cells = CELLS if safe else CELLS.replace(_SAFE, "")
    machine = Profiles(rows).build_machine(cells)
    columns = tuple(map("".join, product(cells, repeat=rows)))
    assert machine.symbols == columns, "in the order of their cells"
    return Language(rows, columns, minimise_unnamed(machine))


def _lump_states(machine: Deterministic) -> _Lumps:
    states = len(machine.moves)
    columns = np.bincount(machine.kinds)

    def count_moves_into(lumps: NDArray[np.intp]) -> NDArray[np.intp]:
        moves_into = np.zeros((states, int(lumps.max()) + 1), np.intp)
        for kind, column_count in enumerate(columns):
            np.add.at(moves_into, (np.arange(states), lumps[machine.moves[:, kind]]), column_count)
        return moves_into

    lumps = refine_classes(machine.accepting.astype(np.intp), count_moves_into)
    members = np.unique(lumps, return_index=True)[1]
    moves_into = count_moves_into(lumps)[members]
    rows, ends = np.nonzero(moves_into)
    starts = np.searchsorted(rows, np.arange(len(members)))
    return _Lumps(lumps, members, starts, ends, moves_into[rows, ends].astype(object))
