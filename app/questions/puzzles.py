"""From the fields of a request to a board, or rules, and to a layout of it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from app import problems
from app.problems import ProblemError
from app.questions import variants
from app.questions.fields import VARIED, AskBoard, AskPuzzle, AskVariant, AskWindow
from automata import Window, WindowError, cut
from minefield import (
    Board,
    BoardError,
    Layout,
    Notation,
    Puzzle,
    RuleError,
    Rules,
    Variant,
    parse,
    parse_place,
    parse_rules,
)
from minefield.amounts import several
from minefield.board import FLAG, MINE, UNKNOWN

#: What only one of the two has.
_BOARDS_OWN = ("notation", "flags", *VARIED)


def puzzle(ask: AskBoard, most: int) -> Puzzle:
    """The board or the rules, of at most so many cells.

    Raises:
        ProblemError: there is neither, there are both, or they cannot be read.
    """
    if isinstance(ask, AskPuzzle):
        if ask.rules is not None:
            return _rules(ask, most)
        if "board" not in ask.model_fields_set:
            problems.refuse(
                "missing-field", "The board is missing.", "Add board, or rules.", "/board"
            )
        if ask.total_cells is not None:
            problems.refuse(
                "bad-value", "Only rules have total_cells.", "Leave it out.", "/total_cells"
            )
    found = board(ask, most)
    return variants.varied(ask, found) if isinstance(ask, AskVariant) else found


def board(ask: AskBoard, most: int) -> Board:
    """The board, of at most so many cells.

    Raises:
        ProblemError: it cannot be read.
    """
    found = read_board(ask.board, most, ask.notation)
    return found.trusting_flags() if ask.flags == "trust" else found


def read_board(
    given: Any, most: int, notation: str = Notation.STANDARD, field: str = "board"
) -> Board:
    """The same, from its rows; what comes from a file in another format is a board already.

    Raises:
        ProblemError: it cannot be read.
    """
    try:
        found = given if isinstance(given, Board) else parse(given, notation)
    except BoardError as error:
        raise problems.of_board(error, field) from None
    if found.cells.size > most:
        problems.at_most(field, found.cells.size, most, several(most, "cell"))
    return found


def _rules(ask: AskPuzzle, most: int) -> Rules:
    if ask.board is not None:
        problems.refuse(
            "board-and-rules",
            "The request has both a board and rules.",
            "Send one of the two.",
            "/rules",
        )
    for name in _BOARDS_OWN:
        if name in ask.model_fields_set:
            problems.refuse("bad-value", f"Rules have no {name}.", "Leave it out.", f"/{name}")
    if ask.total_cells is not None:
        problems.at_most("total_cells", ask.total_cells, most)
    try:
        rules = parse_rules(ask.rules, ask.total_cells)
    except RuleError as error:
        raise problems.of_rule(error) from None
    problems.at_most("rules", rules.shape[1], most, several(most, "cell"))
    return rules


def cell(given: Any, puzzle: Puzzle) -> tuple[int, int]:
    """(row, col) of a cell: [row, col], both in one string, or the name that rules give it.

    Raises:
        ProblemError: it is not a cell; whether it is on the board is not checked.
    """
    if isinstance(puzzle, Rules):
        if not isinstance(given, str) or given not in puzzle.number:
            problems.refuse(
                "bad-value", "No rule names this cell.", "Name a cell of the rules.", "/cell"
            )
        return 0, puzzle.number[given]
    if isinstance(given, str) and (place := parse_place(given)) is not None:
        return place
    if not isinstance(given, list) or [type(part) for part in given] != [int, int]:
        problems.refuse(
            "bad-value",
            "cell is not a place on the board.",
            "Send [row, col], both from 0, or row,col in one string.",
            "/cell",
        )
    return given[0], given[1]


def window(asked: AskWindow, board: Puzzle) -> Window:
    """The window that is asked for, which can be cut if this is a board.

    Raises:
        ProblemError: it is not on the board, or too wide.
    """
    height, width = board.shape
    found = Window(
        asked.row,
        asked.col,
        height - asked.row if asked.height is None else asked.height,
        width - asked.col if asked.width is None else asked.width,
    )
    if isinstance(board, Board):
        try:
            cut(board, found)
        except WindowError as error:
            raise problems.of_window(error) from None
    return found


def layout(given: Any, puzzle: Puzzle) -> Layout:
    """A layout, as answers draw it.

    Raises:
        ProblemError: it is not a layout; whether it fits is not checked.
    """
    if isinstance(puzzle, Rules):
        return _named(given, puzzle)
    return variants.layout(given, puzzle) if isinstance(puzzle, Variant) else drawn(given)


def drawn(given: Any, field: str = "layout") -> Layout:
    """A layout from its rows: `B` for mines, and on safe cells the right number or `S`."""
    try:
        cells = parse(given).cells
    except BoardError as error:
        raise problems.of_board(error, field) from None
    for row, col in np.argwhere((cells == UNKNOWN) | (cells == FLAG))[:1].tolist():
        _wrong_cell("shows whether there is a mine", row, col, field)
    layout = Layout(cells == MINE)
    for row, col in layout.contradictions(Board(cells))[:1]:
        _wrong_cell("has the number of mines around it", row, col, field)
    return layout


def _named(given: Any, rules: Rules) -> Layout:
    """A layout from the names of its mines, and the places of mines among the other cells."""
    if not isinstance(given, dict) or not given.keys() <= {"mines", "others"}:
        problems.refuse(
            "bad-value",
            "A layout of rules is an object.",
            'Send {"mines": ["a"], "others": [0]}: names, and places among the unnamed cells.',
            "/layout",
        )
    cells = range(rules.shape[1])
    unnamed = cells[len(rules.number) :]
    mines = np.zeros(rules.shape, np.bool_)
    _mark(mines, "mines", str, given, rules.number)
    _mark(mines, "others", int, given, dict(enumerate(unnamed)))
    return Layout(mines)


def _mark(
    mines: NDArray[np.bool_],
    field: str,
    kind: type,
    given: dict[str, Any],
    known: Mapping[Any, int],
) -> None:
    """Put mines, (1, cells), where a field of a layout has them."""
    cells = given.get(field, [])
    if not isinstance(cells, list):
        problems.refuse("bad-value", f"{field} is not a list.", "Send a list.", f"/layout/{field}")
    for index, cell in enumerate(cells):
        if type(cell) is not kind or cell not in known or mines[0, known[cell]]:
            problems.refuse(
                "bad-value",
                f"The cell is unknown, or there twice: {str(cell)[:80]!a}.",
                "Name each mine once: in mines by its name, in others by its place from 0.",
                f"/layout/{field}/{index}",
            )
        mines[0, known[cell]] = True


def _wrong_cell(what: str, row: int, col: int, field: str) -> NoReturn:
    raise ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "bad-value",
        f"In a layout every cell {what}; not so at row {row}, column {col}.",
        "Draw mines as B and safe cells as their number, or as S.",
        pointer=f"/{field}/{row}/{col}",
        row=row,
        col=col,
    )
