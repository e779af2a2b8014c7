"""Conversion of the fields of a request to a board under other rules, and to its layouts."""

from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from minecheck.app import problems
from minecheck.app.questions.fields import VARIED, AskVariant
from minecheck.minefield import (
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
from minecheck.minefield.board import FLAG, UNKNOWN
from minecheck.minefield.layout import MultiMineLayout
from minecheck.minefield.numerals import format_count

#: Cells times neighbours.
_MOST_TOUCHES: Final = 20_000_000
#: Mines that cells may hold together where clues are not intervals.
_MOST_MINES_BEYOND: Final = 10_000
_PLANE: Final = AskVariant(board=None)


def apply_rules(ask: AskVariant, board: Board) -> Board | Variant:
    """Return the board under the rules of the request; the board itself if these are usual.

    Args:
        ask: the fields of the request.
        board: the board.

    Raises:
        ProblemError: they make no sense for this board.
    """
    if all(getattr(ask, name) == getattr(_PLANE, name) for name in VARIED):
        return board
    if ask.lies is not None and ask.most_lies is not None:
        problems.reject_field(
            "bad-value",
            "The request has both lies and most_lies.",
            "Send lies for an exact number of wrong clues, or most_lies for a maximum.",
            "/most_lies",
        )
    lies = (0, ask.most_lies or 0) if ask.lies is None else (ask.lies, ask.lies)
    try:
        topology = Topology(ask.topology, ask.neighbours, ask.layers)
        most = topology.most * ask.mines_per_cell
        rules = {cell: _clip_clue(clue, most) for cell, clue in (ask.clues or {}).items()}
        variant = Variant(board, topology, rules, ask.mines_per_cell, lies)
    except (TopologyError, VariantError) as error:
        cell = error.cell if isinstance(error, VariantError) else None
        raise problems.make_field_problem(
            "bad-value", error.detail, error.fix, f"/{error.field}", cell or (None, None)
        ) from None
    touches = board.cells.size * topology.most
    problems.require_at_most(
        "board", touches, _MOST_TOUCHES, f"{_MOST_TOUCHES} pairs of a cell and a neighbour"
    )
    if variant.beyond is not None:
        limit = f"cells for {_MOST_MINES_BEYOND} mines in all with {variant.beyond}"
        problems.require_at_most("board", variant.capacity, _MOST_MINES_BEYOND, limit)
    return board if variant == Variant(board) else variant


def _clip_clue(clue: Clue, most: int) -> Clue:
    """Return the same interval, as far as there can be mines."""
    if clue.values or clue.low == clue.high:
        return clue
    return Clue(clue.low, max(clue.low, min(clue.high, most)))


def read_layout(source: Any, variant: Variant) -> Layout:
    """Read a layout as answers draw it: rows, or an object with rows, mines and lies.

    Args:
        source: the JSON value.
        variant: the board that it is for.

    Raises:
        ProblemError: it is not a layout; whether it fits the board is not checked.
    """
    stated = source if isinstance(source, dict) else {"rows": source}
    for name in stated:
        if name not in ("rows", "mines", "lies"):
            raise problems.make_name_problem(
                str(name), ("rows", "mines", "lies"), "layout", str(name)
            )
    pointer = "layout/rows" if isinstance(source, dict) else "layout"
    try:
        cells = parse(stated.get("rows")).cells
    except BoardError as error:
        raise problems.make_board_problem(error, pointer) from None
    if cells.shape != variant.shape:
        height, width = variant.shape
        problems.reject_field(
            "bad-value",
            "The layout does not have the size of the board.",
            f"Draw {format_count(height, 'row')} of {format_count(width, 'cell')}.",
            f"/{pointer}",
        )
    mines = cells == MINE
    layout = (
        Layout(mines)
        if variant.most == 1
        else MultiMineLayout(_read_mine_counts(stated.get("mines"), mines))
    )
    wrong = (cells == UNKNOWN) | (cells == FLAG)
    wrong |= (
        (cells <= 8) & (variant.count_neighbours(layout.mine_counts) != cells) & (cells != SAFE)
    )
    for row, col in np.argwhere(wrong)[:1].tolist():
        problems.reject_field(
            "bad-value",
            f"The cell at row {row}, column {col} of the layout is unknown or a flag, or has a "
            "number other than that of the mines that it touches.",
            "Draw each mine as B, and each safe cell as the number of mines that it touches, or as "
            "S.",
            f"/{pointer}/{row}/{col}",
            cell=(row, col),
        )
    liars = [list(cell) for cell in variant.list_liars(layout.mine_counts)]
    if stated.get("lies", liars) != liars:
        problems.reject_field(
            "bad-value",
            "The clues that are wrong in this layout are not those that lies lists.",
            "Leave lies out: the service finds them from the mines.",
            "/layout/lies",
        )
    return layout


def _read_mine_counts(source: Any, mines: NDArray[np.bool_]) -> NDArray[np.integer]:
    """Read mines by cell, (height, width), where there are any."""
    height, width = mines.shape
    rows = source if isinstance(source, list) and len(source) == height else _reject_mine_counts()
    if not all(
        isinstance(row, list) and len(row) == width and all(type(count) is int for count in row)
        for row in rows
    ):
        _reject_mine_counts()
    if any(not 0 <= count <= 127 for row in rows for count in row):
        _reject_mine_counts()
    counts = np.array(rows, np.int8)
    if ((counts > 0) != mines).any():
        _reject_mine_counts()
    return counts


def _reject_mine_counts() -> NoReturn:
    problems.reject_field(
        "bad-value",
        "The field mines of the layout does not say how many mines each cell holds.",
        'Send an object with rows, as in answers, and in "mines" a list of rows of numbers, above '
        "0 where rows have B.",
        "/layout/mines",
    )
