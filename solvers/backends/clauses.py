"""CNF of boards for SAT solvers.

Every undecided cell is a variable. A clue that asks for low..high mines among
n cells becomes the clauses that forbid any high + 1 of them to be mines and
any n - low + 1 to be safe (Kaye's reduction, read backwards). Clues of the
same form share one template, filled in by numpy. The total of mines takes a
k-cardinality modulo totalizer, the smallest of PySAT's encodings here.

Of a large board there are millions of clauses, so that the deadline is looked at while they are
written.

Tested in tests/solvers/backends/test_sat.py.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import sqrt
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import Index, Reduction
from minecheck.solvers.deadline import Deadline, DeadlinePassed

Clauses: TypeAlias = list[list[int]]
#: Clues over more cells than this take a cardinality encoding with more variables.
_TEMPLATE_CELLS: Final = 8
#: Literals that are written between two looks at the deadline.
_PIECE_LITERALS: Final = 500_000
#: Cells times the root of the mines, or of the others if these are fewer, of the total whose
#: clauses are written and read in a second.
_TOTAL_A_SECOND: Final = 100_000


class Encoded(NamedTuple):
    """Clauses about ``cells``: variable v stands for ``cells[v - 1]``, and ``top`` is the last."""

    cells: Index
    clauses: Clauses
    top: int


def encode_reduction(
    reduction: Reduction, deadline: Deadline, components: Sequence[int] | None = None
) -> Encoded:
    """Return the clauses of a reduction.

    Args:
        reduction: the reduced board.
        deadline: when to give up.
        components: the components to encode; None for all, with loose cells and the total.

    Raises:
        DeadlinePassed: it takes too long, or clauses of the total would not be there in time.
    """
    boxes, clues = _choose_parts(reduction, components)
    sizes = np.diff(reduction.box_start)
    cells = reduction.box_cells[_concatenate_ranges(reduction.box_start[boxes], sizes[boxes])]
    if components is None:
        cells = np.concatenate((cells, reduction.loose))
    variable = np.zeros(reduction.state.size, dtype=np.int64)
    variable[cells] = np.arange(1, cells.size + 1)

    lengths = np.diff(reduction.clue_start)[clues]
    clue_boxes = reduction.clue_boxes[_concatenate_ranges(reduction.clue_start[clues], lengths)]
    members = reduction.box_cells[
        _concatenate_ranges(reduction.box_start[clue_boxes], sizes[clue_boxes])
    ]
    # Cells of a clue: the sizes of its boxes, summed.
    filled = np.concatenate(([0], np.cumsum(sizes[clue_boxes], dtype=np.int64)))
    start = filled[np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))]
    clauses, top = encode_cardinality(
        start,
        variable[members],
        reduction.low[clues],
        reduction.high[clues],
        deadline,
        top=cells.size,
    )
    if components is None and reduction.mines_left is not None:
        mines_left = reduction.mines_left
        check_total_time(cells.size, mines_left, deadline)
        every = list(range(1, cells.size + 1))
        added, top = _encode_bounds(every, mines_left, mines_left, top)
        clauses += added
    return Encoded(cells, clauses, top)


def encode_cardinality(
    start: NDArray[np.integer],
    variables: NDArray[np.integer],
    low: Index,
    high: Index,
    deadline: Deadline,
    guards: NDArray[np.integer] | None = None,
    top: int = 0,
) -> tuple[Clauses, int]:
    """Encode ``low[k] <= sum(variables[start[k]:start[k + 1]]) <= high[k]`` as clauses.

    Args:
        start: where the variables of each clue begin, and the end of the last: (clues + 1,).
        variables: variables of the clues, from 1.
        low: the least true ones of each clue: (clues,).
        high: the most: (clues,).
        deadline: when to give up.
        guards: clue k holds only where the variable ``guards[k]`` is true; None if all hold.
        top: the last variable in use; new ones come after it and after all variables given.

    Returns:
        The clauses, and the last variable then.

    Raises:
        DeadlinePassed: it takes too long.
    """
    top = int(max(top, variables.max(initial=0), 0 if guards is None else guards.max(initial=0)))
    count = np.diff(start)
    low, high = np.maximum(low, 0), np.minimum(high, count)
    clauses: Clauses = []
    forms, form = np.unique(np.stack((low, high, count)), axis=1, return_inverse=True)
    form = form.ravel()
    for index, (least, most, cells) in enumerate(forms.T.tolist()):
        deadline.check()
        clues = np.flatnonzero(form == index)
        rows = variables[start[clues][:, None] + np.arange(cells)]
        guard = None if guards is None else guards[clues]
        if least > cells or most < 0:
            clauses += [[]] if guard is None else [[-g] for g in guard.tolist()]
        elif cells <= _TEMPLATE_CELLS:
            for template in build_templates(least, most, cells):
                clauses += fill_template(rows, template, guard, deadline)
        else:
            for number, row in enumerate(rows.tolist()):
                deadline.check()
                switch = None if guard is None else int(guard[number])
                added, top = _encode_bounds(row, least, most, top, switch)
                clauses += added
    return clauses, top


@lru_cache(maxsize=512)
def build_templates(low: int, high: int, cells: int) -> tuple[NDArray[np.int64], ...]:
    """Return clauses for low..high mines among some cells, as arrays of signed cell numbers from 1.

    There is one array for "not more than high", one for "not fewer than low"; a clause a row.

    Args:
        low: the least mines.
        high: the most mines.
        cells: the number of cells.
    """
    templates = []
    if high < cells:
        templates.append(
            -np.array(list(combinations(range(1, cells + 1), high + 1)), dtype=np.int64)
        )
    if low > 0:
        templates.append(
            np.array(list(combinations(range(1, cells + 1), cells - low + 1)), dtype=np.int64)
        )
    return tuple(templates)


def fill_template(
    rows: NDArray[np.integer],
    template: NDArray[np.int64],
    guard: NDArray[np.integer] | None,
    deadline: Deadline,
    piece_literals: int = _PIECE_LITERALS,
) -> Clauses:
    """Return the clauses of a template for each row of variables.

    Args:
        rows: the variables of each clue, (clues, cells).
        template: clauses as signed column numbers of ``rows``, from 1, (clauses, literals).
        guard: clue k holds only where the variable ``guard[k]`` is true; None if all hold.
        deadline: when to give up.
        piece_literals: literals that are written between two looks at the deadline, about.

    Raises:
        DeadlinePassed: it takes too long.
    """
    clauses: Clauses = []
    step = 1 + piece_literals // (1 + template.size)
    for first in range(0, len(rows), step):
        deadline.check()
        part = slice(first, first + step)
        clauses += _fill_piece(rows[part], template, None if guard is None else guard[part])
    return clauses


def _fill_piece(
    rows: NDArray[np.integer], template: NDArray[np.int64], guard: NDArray[np.integer] | None
) -> Clauses:
    literals = rows[:, np.abs(template) - 1] * np.sign(template)
    if guard is not None:
        guard_column = np.broadcast_to(-guard[:, None, None], (*literals.shape[:2], 1))
        literals = np.concatenate((literals, guard_column), axis=2)
    filled: Clauses = literals.reshape(-1, literals.shape[2]).tolist()
    return filled


def _encode_bounds(
    variables: list[int], low: int, high: int, top: int, guard: int | None = None
) -> tuple[Clauses, int]:
    """Return clauses for low..high true ones among ``variables``, and the last variable.

    New variables start after ``top``.
    """
    if low > len(variables) or high < 0:
        return [[]] if guard is None else [[-guard]], top
    from pysat.card import CardEnc, EncType

    clauses: Clauses = []
    for encode_bound, bound, needed in (
        (CardEnc.atmost, high, high < len(variables)),
        (CardEnc.atleast, low, low > 0),
    ):
        if needed:
            encoded = encode_bound(
                lits=variables, bound=bound, top_id=top, encoding=EncType.kmtotalizer
            )
            top = max(top, encoded.nv)
            clauses += encoded.clauses
    # The encodings' own variables are harmless when they are switched off.
    return clauses if guard is None else [[*clause, -guard] for clause in clauses], top


def check_total_time(cells: int, high: int, deadline: Deadline) -> None:
    """Check that clauses for at most ``high`` mines in all cells take less time than is left.

    Raises:
        DeadlinePassed: once begun, they would not be there in time, and nothing stops them.
    """
    if cells * sqrt(max(0, min(high, cells - high))) > _TOTAL_A_SECOND * deadline.left:
        raise DeadlinePassed


def _choose_parts(
    reduction: Reduction, components: Sequence[int] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the boxes and clues of some components, or of all."""
    if components is None:
        return (
            np.arange(reduction.box_start.size - 1, dtype=np.int64),
            np.arange(reduction.low.size, dtype=np.int64),
        )
    chosen = np.asarray(components, dtype=np.int64)
    boxes, clues = reduction.component_boxes, reduction.component_clues
    return (
        _concatenate_ranges(boxes[chosen], boxes[chosen + 1] - boxes[chosen]),
        _concatenate_ranges(clues[chosen], clues[chosen + 1] - clues[chosen]),
    )


def _concatenate_ranges(
    first: NDArray[np.integer], length: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return ``first[k], first[k] + 1, …`` (``length[k]`` numbers), for every k in turn."""
    ends = np.cumsum(length, dtype=np.int64)
    return np.arange(ends[-1] if ends.size else 0) + np.repeat(first - (ends - length), length)
