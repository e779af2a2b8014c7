"""Each gadget, by all of its layouts: one for each state of its wires that it allows."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.notation import parse
from minecheck.solvers.circuits.gadgets import GADGETS, MIDDLE, SIDE
from tests.formulas import OPERATIONS
from tests.oracle import neighbours

#: First cells of wires, from the upper left corner of a square.
PORTS = {"N": (0, MIDDLE), "W": (MIDDLE, 0), "S": (SIDE, MIDDLE), "E": (MIDDLE, SIDE)}

#: What goes through wires, by ports: what each state of the free ones makes of the others.
MEANT: dict[str, list[tuple[str, Callable[[str], str]]]] = {
    "across": [("WE", lambda x: x + x)],
    "down": [("NS", lambda x: x + x)],
    "bend": [("NW", lambda x: x + x)],
    "input": [("S", lambda x: x)],
    "first": [("ES", lambda x: x + x)],
    "first turned": [("ES", lambda x: x + flip_digit(x))],
    "tap": [("WES", lambda x: x + x + x)],
    "tap turned": [("WES", lambda x: x + x + flip_digit(x))],
    "last": [("WS", lambda x: x + x)],
    "last turned": [("WS", lambda x: x + flip_digit(x))],
    "not": [("NS", lambda x: x + flip_digit(x))],
}


def flip_digit(digit: str) -> str:
    return "10"[int(digit)]


def describe_gadget(name: str) -> tuple[str, set[str]]:
    """Return the sides with a wire, and the states that they may have together."""
    if name in MEANT:
        ((ports, state),) = MEANT[name]
        return ports, {state(digit) for digit in "01"}
    if name == "crossing":
        return "WENS", {a + a + b + flip_digit(b) for a, b in product("01", repeat=2)}
    if name in ("true", "false", "end"):
        return "N" if name == "end" else "S", {"0" if name == "false" else "1"}
    operation = next(done for kind, done in OPERATIONS.items() if kind == name)
    bits = product((False, True), repeat=2)
    return "NES", {f"{a:d}{b:d}{operation(a, b):d}" for a, b in bits}


def frame_gadget(name: str) -> Board:
    """A gadget with a row and a column of its neighbours below and on the right."""
    cells = np.full((SIDE + 1, SIDE + 1), SAFE, np.int8)
    cells[:SIDE, :SIDE] = parse(GADGETS[name]).cells
    for port in describe_gadget(name)[0]:
        cells[PORTS[port]] = UNKNOWN
    return Board(cells)


def layouts(board: Board) -> Iterator[dict[tuple[int, int], int]]:
    """Every layout, cell by cell: plain search that gives up where a clue has all its cells."""
    cells = {(r, c): int(code) for (r, c), code in np.ndenumerate(board.cells)}
    unknown = [cell for cell, code in cells.items() if code == UNKNOWN]
    around = {cell: neighbours(cell, *board.shape) for cell in cells}
    mines = {cell: int(code == MINE) for cell, code in cells.items()}

    def fits(cell: tuple[int, int], left: set[tuple[int, int]]) -> bool:
        clues = [clue for clue in around[cell] if cells[clue] <= 8]
        return all(
            sum(mines[one] for one in around[clue]) == cells[clue]
            for clue in clues
            if not left.intersection(around[clue])
        )

    def search(index: int) -> Iterator[dict[tuple[int, int], int]]:
        if index == len(unknown):
            yield dict(mines)
            return
        cell = unknown[index]
        for mine in (0, 1):
            mines[cell] = mine
            if fits(cell, set(unknown[index + 1 :])):
                yield from search(index + 1)
        mines[cell] = 0

    for clue, number in cells.items():
        if number <= 8 and not any(cells[cell] == UNKNOWN for cell in around[clue]):
            assert number == sum(mines[cell] for cell in around[clue]), clue
    return search(0)


@pytest.mark.parametrize("name", GADGETS)
def test_gadget_has_one_layout_for_each_state_that_it_allows(name: str) -> None:
    ports, states = describe_gadget(name)
    found = Counter(
        "".join(str(layout[PORTS[port]]) for port in ports)
        for layout in layouts(frame_gadget(name))
    )
    assert found == dict.fromkeys(states, 1)


@pytest.mark.parametrize("name", GADGETS)
def test_gadget_shows_its_neighbours_only_its_wires(name: str) -> None:
    cells = parse(GADGETS[name]).cells
    assert cells.shape == (SIDE, SIDE)
    assert not (cells == SAFE).any()
    sides = {"N": (0, MIDDLE), "W": (MIDDLE, 0)}
    wires = {middle for port, middle in sides.items() if port in describe_gadget(name)[0]}
    for cell, code in np.ndenumerate(cells):
        if {0, SIDE - 1}.intersection(cell):
            assert (code == UNKNOWN) == (cell in wires), cell
            assert code == UNKNOWN or code <= 8, cell
