"""Unavoidable guesses: cells that nothing outside of them can distinguish.

Two kinds are found. A *swap* is a set of cells of which either some are mines or the others, where
every other cell that can ever be opened sees as many of the ones as of the others: the pair at a
wall, chains of pairs. Its chance is one half. A *part* is a set of cells that touches no other
cell that can be opened, and whose number of mines is settled; its chance comes from playing it
out by itself (`solvers.play.endgame`).

Tested in tests/solvers/play/test_moves.py.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, product
from typing import Final

from minecheck.minefield.board import MINE, SAFE, Board, list_coordinates
from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.findings import Guess
from minecheck.solvers.play.endgame import Endgame
from minecheck.solvers.positions.solve import Position, solve_position

#: Cells of a swap, and of a part, at most.
_SWAP: Final = 8
_PART: Final = 24
#: Sets of cells that are tried for one swap.
_TRIES: Final = 500
#: Layouts of a part, at most, and the effort to play it out.
_LAYOUTS: Final = 200
_EFFORT: Final = 1_000_000


def find_guesses(board: Board, mines: int, position: Position, deadline: Deadline) -> list[Guess]:
    """Find guesses of a position that share no cells, in reading order; some may be left out.

    Args:
        board: what is shown.
        mines: the total of mines.
        position: the solved position.
        deadline: when to stop.
    """
    guesses: list[Guess] = []
    taken: set[Coordinates] = set()
    for candidate in chain(
        _iterate_swaps(board, mines, position, deadline), _iterate_parts(board, position, deadline)
    ):
        if taken.isdisjoint(candidate.cells):
            taken.update(candidate.cells)
            guesses.append(candidate)
    return sorted(guesses, key=lambda guess: guess.cells)


def _iterate_swaps(
    board: Board, mines: int, position: Position, deadline: Deadline
) -> Iterator[Guess]:
    """Yield guesses between two ways to lay mines."""
    even = set(list_coordinates(position.chances == 0.5))
    sees = _find_seeing(board, position)
    # Counting takes long on a large board.
    total = position.count if even else 0
    while even and deadline.left > 0:
        first = min(even)
        signs = _balance_cells({first: 1}, even, sees, [_TRIES])
        even.remove(first)
        if signs is None:
            continue
        codes = {cell: MINE if sign > 0 else SAFE for cell, sign in signs.items()}
        one_way = solve_position(board.with_codes(codes), mines)
        # The other way has as many layouts: there is no third one.
        if one_way is not None and 2 * one_way.count == total:
            even -= signs.keys()
            yield Guess(sorted(signs), 0.5)


def _balance_cells(
    signs: dict[Coordinates, int], even: set[Coordinates], sees: set[Coordinates], tries: list[int]
) -> dict[Coordinates, int] | None:
    """Add cells, mines one way (1) or the other (-1), until no cell sees a difference."""
    tries[0] -= 1
    for watcher in {near for cell in signs for near in _iterate_around(cell)}:
        if watcher in signs or watcher not in sees:
            continue
        difference = sum(signs.get(near, 0) for near in _iterate_around(watcher))
        if difference == 0:
            continue
        if len(signs) == _SWAP or tries[0] < 0:
            return None
        sign = -1 if difference > 0 else 1
        for cell in sorted(even.intersection(_iterate_around(watcher)) - signs.keys()):
            balanced = _balance_cells({**signs, cell: sign}, even, sees, tries)
            if balanced is not None:
                return balanced
        return None
    return signs if sum(signs.values()) == 0 else None


def _iterate_parts(board: Board, position: Position, deadline: Deadline) -> Iterator[Guess]:
    """Yield guesses within parts that stand alone."""
    if deadline.left <= 0:
        return
    chances = position.chances
    closed = set(list_coordinates((chances > 0) & (chances < 1)))
    sees = _find_seeing(board, position)
    settled = Layout(position.layout).to_codes()
    while closed and deadline.left > 0:
        part = _find_joined(closed.pop(), closed, board)
        closed -= part
        near = {cell for member in part for cell in _iterate_around(member)} - part
        # A cell that can be opened would give it away.
        if len(part) > _PART or any(cell in sees and board.cells[cell] > 8 for cell in near):
            continue
        cells = settled.copy()
        for cell in part:
            cells[cell] = board.cells[cell]
        alone = Board(cells)
        counts = solve_position(alone)
        if counts is None or len(by_mines := counts.by_mines()) != 1:
            continue
        (mines,) = by_mines
        only = solve_position(alone, mines)
        endgame = only and Endgame.from_position(alone, mines, only, _LAYOUTS, _EFFORT)
        if not endgame:
            continue
        low, high = endgame.bound_value(deadline)
        if low == high < endgame.layouts:
            yield Guess(sorted(part), float(Fraction(low, endgame.layouts)))


def _find_joined(first: Coordinates, closed: set[Coordinates], board: Board) -> set[Coordinates]:
    """Return the cells that hang together with one, by touching or by a clue between them."""
    joined, waiting = {first}, [first]
    while waiting:
        for near in _iterate_around(waiting.pop()):
            further = {near}
            height, width = board.shape
            if 0 <= near[0] < height and 0 <= near[1] < width and board.cells[near] <= 8:
                further |= set(_iterate_around(near))
            further_cells = (further & closed) - joined
            joined |= further_cells
            waiting += further_cells
    return joined


def _find_seeing(board: Board, position: Position) -> set[Coordinates]:
    """Return the cells that show a number, or will when they are opened."""
    return set(list_coordinates((board.cells != MINE) & ~(position.chances == 1.0)))


def _iterate_around(cell: Coordinates) -> Iterator[Coordinates]:
    """Yield the cells around one, also outside of the board."""
    row, col = cell
    for down, across in product((-1, 0, 1), repeat=2):
        if down or across:
            yield row + down, col + across
