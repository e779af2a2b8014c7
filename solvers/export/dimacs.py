"""Boards as clauses, in DIMACS CNF.

A clue becomes the clauses of `solvers.backends.clauses.build_templates`, without further variables.
For the total of mines, and for rules over many cells, these would be too many: there mines are
added up in binary, by adders whose sums and carries are further variables, in number linear in that
of the cells. (The encoding that `solvers.backends.clauses` takes for a total propagates more, and
is fifteen times as long: 54 MB for 10,000 cells. CaDiCaL was no sooner done with it on boards up to
100x100.)
The ``c p show`` line then names the variables to count over.

Sources: J. P. Warners, *A linear-time transformation of linear inequalities into conjunctive normal
form*, Information Processing Letters 68 (1998); N. Eén and N. Sörensson, *Translating
pseudo-Boolean constraints into SAT*, JSAT 2 (2006), section 5.4. The header lines ``c t mc``,
``c t pmc`` and ``c p show`` are those of the Model Counting Competition since 2021 (J. K. Fichte,
M. Hecher and F. Hamiti, *The Model Counting Competition 2020*, ACM Journal of Experimental
Algorithmics 26, 2021).

Tested in tests/solvers/export/test_formats.py.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from minecheck.solvers.backends.clauses import build_templates
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.export.instance import Instance, InstanceClue

#: Clues over more cells are added up; those of a board have at most eight.
_ADDED_ABOVE: Final = 8
#: The number of clues that are written between two looks at the time.
_PIECE: Final = 500

#: The sum of two, or three, bits, as clauses over variables: the bits, their sum, their carry.
_HALF: Final = ((-1, -2, -3), (1, 2, -3), (1, -2, 3), (-1, 2, 3), (-1, -2, 4), (1, -4), (2, -4))
_FULL: Final = (
    *((1, 2, 3, -4), (1, -2, -3, -4), (-1, 2, -3, -4), (-1, -2, 3, -4)),
    *((-1, -2, -3, 4), (-1, 2, 3, 4), (1, -2, 3, 4), (1, 2, -3, 4)),
    *((-1, -2, 5), (-1, -3, 5), (-2, -3, 5), (1, 2, -5), (1, 3, -5), (2, 3, -5)),
)


class _Clauses(NamedTuple):
    """Clauses as text, how many they are, and the last variable so far."""

    text: str
    number: int
    top: int


def write_dimacs(instance: Instance, deadline: Deadline) -> Iterator[str]:
    """Write an instance as text, in pieces.

    Args:
        instance: the board.
        deadline: when to give up.

    Raises:
        DeadlinePassed: it takes too long.
    """
    shown = top = len(instance.cells)
    bodies: list[str] = []
    number = 0
    for index, clue in enumerate(instance.clues):
        if index % _PIECE == 0:
            deadline.check()
        cells = _encode_clue(clue, top, deadline)
        bodies.append(f"c {clue}\n{cells.text}")
        number += cells.number
        top = cells.top
    yield "c A layout is a model: a cell has a mine where its variable is true.\n"
    yield "".join(
        f"c {variable} is {name}\n" for variable, name in enumerate(instance.iterate_names(), 1)
    )
    yield f"c t {'pmc' if top > shown else 'mc'}\np cnf {top} {number}\n"
    if top > shown:
        yield f"c p show {' '.join(map(str, range(1, shown + 1)))} 0\n"
    for start in range(0, len(bodies), _PIECE):
        deadline.check()
        yield "".join(bodies[start : start + _PIECE])


def _encode_clue(clue: InstanceClue, top: int, deadline: Deadline) -> _Clauses:
    """Return the clauses of a clue; its own variables come after ``top``."""
    cells = clue.variables
    if not clue.possible:
        # Some programs cannot read an empty clause.
        variable = cells[0] if cells else max(top, 1)
        return _Clauses(f"{variable} 0\n-{variable} 0\n", 2, max(top, variable))
    if len(cells) > _ADDED_ABOVE:
        return _encode_long_clue(clue, top, deadline)
    text, number = _build_template(max(clue.low, 0), min(clue.high, len(cells)), len(cells))
    return _Clauses(text.format(*cells), number, top)


def _encode_long_clue(clue: InstanceClue, top: int, deadline: Deadline) -> _Clauses:
    """Return the clauses of a clue over many cells, which are added up."""
    pieces: list[str] = []
    number = 0
    total: list[int] = []
    bits = deque(clue.variables)
    while bits:
        carries: deque[int] = deque()
        while len(bits) > 1:
            if len(pieces) % _PIECE == 0:
                deadline.check()
            added = [bits.popleft() for _ in range(min(3, len(bits)))]
            text, clauses = _build_adder(len(added))
            pieces.append(text.format(*added, top + 1, top + 2))
            number += clauses
            bits.append(top + 1)
            carries.append(top + 2)
            top += 2
        total.append(bits.popleft())
        bits = carries
    bounds = _format_clauses(_encode_bounds(total, clue))
    return _Clauses("".join(pieces) + bounds, number + bounds.count("\n"), top)


def _encode_bounds(bits: list[int], clue: InstanceClue) -> Iterator[list[int]]:
    """Yield clauses that keep a binary number, least bit first, within the bounds of a clue."""
    for power, bit in enumerate(bits):
        above = [(other, higher) for higher, other in enumerate(bits[power + 1 :], power + 1)]
        if clue.least is not None and clue.least >> power & 1:
            yield [bit, *(other for other, higher in above if not clue.least >> higher & 1)]
        if clue.most is not None and not clue.most >> power & 1:
            yield [-bit, *(-other for other, higher in above if clue.most >> higher & 1)]


@lru_cache(maxsize=512)
def _build_template(low: int, high: int, cells: int) -> tuple[str, int]:
    """Return clauses for all clues with these bounds, to be filled, and their number."""
    return _make_fillable(
        [clause for template in build_templates(low, high, cells) for clause in template.tolist()]
    )


@lru_cache(maxsize=2)
def _build_adder(bits: int) -> tuple[str, int]:
    """Return the clauses that add up two bits, or three, to be filled, and their number."""
    return _make_fillable(_HALF if bits == 2 else _FULL)


def _make_fillable(clauses: Iterable[Iterable[int]]) -> tuple[str, int]:
    lines = [
        " ".join(f"{'-' * (literal < 0)}{{{abs(literal) - 1}}}" for literal in clause)
        for clause in clauses
    ]
    return "".join(f"{line} 0\n" for line in lines), len(lines)


def _format_clauses(clauses: Iterable[list[int]]) -> str:
    return "".join(f"{' '.join(map(str, clause))} 0\n" for clause in clauses)
