"""From the fields of a request to a board under other rules, and to a layout of it."""

from http import HTTPStatus
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from app import problems
from app.problems import ProblemError
from app.questions.fields import VARIED, AskVariant
from minefield import (
    MINE,
    SAFE,
    Board,
    BoardError,
    Clue,
    Layout,
    Topology,
    TopologyError,
    Variant,
    VariantError,
    parse,
)
from minefield.amounts import several
from minefield.board import FLAG, UNKNOWN
from minefield.layout import Piled

#: Cells times neighbours.
_MOST_TOUCHES: Final = 20_000_000
#: Mines that cells may hold together where clues are no intervals.
_MOST_MINES_BEYOND: Final = 10_000
_PLANE: Final = AskVariant(board=None)


def varied(ask: AskVariant, board: Board) -> Board | Variant:
    """The board under the rules that are asked for; the same board if these are the usual ones.

    Raises:
        ProblemError: they make no sense for this board.
    """
    if all(getattr(ask, name) == getattr(_PLANE, name) for name in VARIED):
        return board
    if ask.lies is not None and ask.most_lies is not None:
        problems.refuse(
            "bad-value",
            "The lies are told exactly and at most.",
            "Send lies or most_lies.",
            "/most_lies",
        )
    lies = (0, ask.most_lies or 0) if ask.lies is None else (ask.lies, ask.lies)
    try:
        topology = Topology(ask.topology, ask.neighbours, ask.layers)
        most = topology.most * ask.mines_per_cell
        beside = {place: _within(clue, most) for place, clue in (ask.clues or {}).items()}
        found = Variant(board, topology, beside, ask.mines_per_cell, lies)
    except (TopologyError, VariantError) as error:
        place = error.place if isinstance(error, VariantError) else None
        row, col = place or (None, None)
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "bad-value",
            error.detail,
            error.fix,
            pointer=f"/{error.field}",
            row=row,
            col=col,
        ) from None
    touches = board.cells.size * topology.most
    problems.at_most(
        "board", touches, _MOST_TOUCHES, f"{_MOST_TOUCHES} pairs of a cell and a neighbour"
    )
    if found.beyond is not None:
        amount = f"cells for {_MOST_MINES_BEYOND} mines in all with {found.beyond}"
        problems.at_most("board", found.capacity, _MOST_MINES_BEYOND, amount)
    return board if found == Variant(board) else found


def _within(clue: Clue, most: int) -> Clue:
    """The same interval, as far as there can be mines."""
    if clue.values or clue.low == clue.high:
        return clue
    return Clue(clue.low, max(clue.low, min(clue.high, most)))


def layout(given: Any, variant: Variant) -> Layout:
    """A layout as answers draw it: rows, or an object with rows, mines by cell, and lies.

    Raises:
        ProblemError: it is not a layout; whether it fits the board is not checked.
    """
    told = given if isinstance(given, dict) else {"rows": given}
    for name in told:
        if name not in ("rows", "mines", "lies"):
            raise problems.of_name(str(name), ("rows", "mines", "lies"), "layout", str(name))
    at = "layout/rows" if isinstance(given, dict) else "layout"
    try:
        cells = parse(told.get("rows")).cells
    except BoardError as error:
        raise problems.of_board(error, at) from None
    if cells.shape != variant.shape:
        height, width = variant.shape
        problems.refuse(
            "bad-value",
            "The layout is not as large as the board.",
            f"Draw {several(height, 'row')} of {several(width, 'cell')}.",
            f"/{at}",
        )
    mines = cells == MINE
    found = Layout(mines) if variant.most == 1 else Piled(_amounts(told.get("mines"), mines))
    wrong = (cells == UNKNOWN) | (cells == FLAG)
    wrong |= (cells <= 8) & (variant.numbers(found.amounts) != cells) & (cells != SAFE)
    for row, col in np.argwhere(wrong)[:1].tolist():
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "bad-value",
            f"The layout is wrong, or open, at row {row}, column {col}.",
            "Draw mines as B and safe cells as the number of mines that they touch, or as S.",
            pointer=f"/{at}/{row}/{col}",
            row=row,
            col=col,
        )
    liars = [list(place) for place in variant.liars(found.amounts)]
    if told.get("lies", liars) != liars:
        problems.refuse(
            "bad-value",
            "Other clues are wrong in this layout than its lies.",
            "Leave lies out: they follow from the mines.",
            "/layout/lies",
        )
    return found


def _amounts(given: Any, mines: NDArray[np.bool_]) -> NDArray[np.integer]:
    """Mines by cell, (height, width), where there are any."""
    height, width = mines.shape
    rows = given if isinstance(given, list) and len(given) == height else _no_amounts()
    if not all(
        isinstance(row, list) and len(row) == width and all(type(one) is int for one in row)
        for row in rows
    ):
        _no_amounts()
    if any(not 0 <= one <= 127 for row in rows for one in row):
        _no_amounts()
    found = np.array(rows, np.int8)
    if ((found > 0) != mines).any():
        _no_amounts()
    return found


def _no_amounts() -> NoReturn:
    problems.refuse(
        "bad-value",
        "The layout does not say how many mines are in each cell.",
        'Send an object with rows, as in answers, and in "mines" a list of rows of numbers, above '
        "0 where rows have B.",
        "/layout/mines",
    )
