"""Sizes of the deterministic automata for boards of a fixed width.

The starting point is the simplest automaton there is: a state is a pair, the
mines of the column to be read next and the mines of the one before it. It has
4^m states for width m, so a set of states is 4^m bits: one 64-bit word up to
width 3. From it come the subset automaton, and by partition refinement
(Moore's algorithm) the minimal one.

Shared with `automata.profiles` is only the meaning of a board, so that each
can be tested against the other.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: A set of pairs must fit into 64 bits.
WIDEST: Final = 3

_CLUES: Final = "012345678"


class Sizes(NamedTuple):
    """Numbers of states of complete deterministic automata, the dead state included.

    The empty board is accepted. ``symbols`` is the number of columns that act
    differently, ``subset`` the size of the subset automaton of mine pairs, and
    ``minimal`` that of the minimal automaton, ``accepting`` of them accepting.
    """

    symbols: int
    subset: int
    minimal: int
    accepting: int


@dataclass(frozen=True, eq=False)
class Deterministic:
    """A complete deterministic automaton over columns; columns that act alike are one symbol.

    Attributes:
        start: the state before the first column.
        accepting: which states a board may end in: bool, (states,).
        moves: the next state: integers, (states, symbols).
        multiplicity: how many columns each symbol stands for: integers, (symbols,).
    """

    start: int
    accepting: NDArray[np.bool_]
    moves: NDArray[np.intp]
    multiplicity: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.moves)

    def minimal(self) -> "Deterministic":
        """The smallest automaton that accepts the same boards; all states must be reachable."""
        classes = self.accepting.astype(np.intp)
        count = 0
        while count <= classes.max():
            # Each round splits the classes of the last one; a round that splits none is the last.
            count = int(classes.max()) + 1
            rows = np.column_stack([classes, classes[self.moves]])
            classes = np.unique(rows, axis=0, return_inverse=True)[1]
        _, one_of_each = np.unique(classes, return_index=True)
        return Deterministic(
            start=int(classes[self.start]),
            accepting=self.accepting[one_of_each],
            moves=classes[self.moves[one_of_each]],
            multiplicity=self.multiplicity,
        )

    def boards(self, length: int) -> int:
        """Number of accepted boards of ``length`` columns, exact."""
        ways = self.accepting.astype(object)
        for _ in range(length):
            ways = ways[self.moves] @ self.multiplicity.astype(object)
        return int(ways[self.start])


def sizes(width: int, *, safe_symbol: bool) -> Sizes:
    """The sizes for boards of ``width`` rows over 0 to 8, ``?``, ``B``, and with it ``S``.

    Raises:
        ValueError: ``width`` is not in 1 to `WIDEST`.
    """
    subset = subset_automaton(width, safe_symbol=safe_symbol)
    minimal = subset.minimal()
    return Sizes(
        len(subset.multiplicity),
        len(subset),
        len(minimal),
        int(np.count_nonzero(minimal.accepting)),
    )


def subset_automaton(width: int, *, safe_symbol: bool) -> Deterministic:
    """The reachable sets of mine pairs as states; arguments and errors as for `sizes`."""
    if not 1 <= width <= WIDEST:
        raise ValueError(f"sizes are worked out for widths 1 to {WIDEST}, not {width}")
    cells = _CLUES + ("?BS" if safe_symbol else "?B")
    actions, multiplicity = np.unique(_actions(width, cells), axis=0, return_counts=True)
    tables = _tables(actions)
    # The pairs that may start a board have no mines in the column before, and its end is alike.
    start = np.array([(1 << 2**width) - 1], np.uint64)
    end = np.uint64(sum(1 << (mines << width) for mines in range(2**width)))
    reached = new = start
    while len(new):
        new = np.setdiff1d(_apply(tables, new), reached)
        reached = np.union1d(reached, new)
    return Deterministic(
        start=int(np.searchsorted(reached, start)[0]),
        accepting=(reached & end) != 0,
        moves=np.searchsorted(reached, _apply(tables, reached)),
        multiplicity=multiplicity,
    )


def _actions(width: int, cells: str) -> NDArray[np.uint64]:
    """Return the pairs that each column of ``cells`` leads to from a pair: sets, (columns, pairs).

    The pair (before, here) is bit ``before << width | here``; columns are in the
    order of `itertools.product`.
    """
    count = 1 << width
    mines = np.arange(count)[:, np.newaxis] >> np.arange(width) & 1 == 1
    rows = np.arange(width)
    near = mines.astype(np.intp) @ (abs(rows[:, np.newaxis] - rows) <= 1)
    # Axes from here on: columns of cells, mines before, mines here, mines after.
    fits = np.ones((1, count, count, count), np.bool_)
    for row in rows:
        seen = near[:, np.newaxis, np.newaxis, row] + near[:, np.newaxis, row] + near[:, row]
        mine = mines[np.newaxis, :, np.newaxis, row]
        row_fits = np.stack([_fits(cell, seen, mine) for cell in cells])
        fits = (fits[:, np.newaxis] & row_fits).reshape(-1, count, count, count)
    pairs = np.uint64(1) << np.arange(count * count, dtype=np.uint64).reshape(count, count)
    sets: NDArray[np.uint64] = np.where(fits, pairs, np.uint64(0)).sum(axis=3)
    return sets.reshape(-1, count * count)


def _fits(cell: str, seen: NDArray[np.intp], mine: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True if ``cell`` is right where there is a ``mine`` or not and ``seen`` mines are near."""
    if cell in _CLUES:
        return np.asarray((seen == int(cell)) & ~mine)
    allowed = {"?": np.ones_like(mine), "B": mine, "S": ~mine}[cell]
    return np.broadcast_to(allowed, seen.shape)


def _tables(actions: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the sets that symbols make of each byte of a set: (symbols, 8 bytes, 256 values)."""
    symbols, pairs = actions.shape
    single = np.zeros((symbols, 64), np.uint64)
    single[:, :pairs] = actions
    bits = single.reshape(symbols, 8, 8)
    tables = np.zeros((symbols, 8, 256), np.uint64)
    for bit in range(8):
        half = 1 << bit
        tables[:, :, half : 2 * half] = tables[:, :, :half] | bits[:, :, bit, np.newaxis]
    return tables


def _apply(tables: NDArray[np.uint64], sets: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the set that each symbol makes of each set: (sets, symbols)."""
    made = np.zeros((len(tables), len(sets)), np.uint64)
    for byte in range(8):
        values = sets >> np.uint64(8 * byte) & np.uint64(255)
        made |= tables[:, byte, values.astype(np.intp)]
    return made.T
