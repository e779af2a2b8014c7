"""Conversion of the fields of a request to a board, or rules, and to a layout of it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from minecheck.app import problems
from minecheck.app.problems import ProblemError
from minecheck.app.questions import variants
from minecheck.app.questions.fields import VARIED, AskBoard, AskPuzzle, AskVariant, AskWindow
from minecheck.app.quoting import quote_text
from minecheck.automata import Window, WindowError, cut_window
from minecheck.minefield import (
    Board,
    BoardError,
    Layout,
    Notation,
    Puzzle,
    RuleError,
    Rules,
    Variant,
    parse,
    parse_cell,
    parse_rules,
)
from minecheck.minefield.board import FLAG, MINE, UNKNOWN
from minecheck.minefield.numerals import format_count

#: The fields that only boards have.
_BOARDS_OWN = ("notation", "symbols", "flags", *VARIED)

#: The fix for a value that is not a cell.
CELL_FIX: Final = 'Send [row, col], both from 0, such as [0, 3], or "0,3".'


def read_puzzle(ask: AskBoard, most: int) -> Puzzle:
    """Return the board or the rules, of at most ``most`` cells.

    Args:
        ask: the fields of the request.
        most: the most cells.

    Raises:
        ProblemError: there is neither, there are both, or they cannot be read.
    """
    if isinstance(ask, AskPuzzle):
        if ask.rules is not None:
            return _read_rules(ask, most)
        if "board" not in ask.model_fields_set:
            problems.reject_field(
                "missing-field", "The field board is missing.", "Add board, or rules.", "/board"
            )
        if ask.total_cells is not None:
            problems.reject_field(
                "bad-value",
                "total_cells is for rules, and the request has a board.",
                "Leave total_cells out.",
                "/total_cells",
            )
    found = board_of_request(ask, most)
    return variants.apply_rules(ask, found) if isinstance(ask, AskVariant) else found


def board_of_request(ask: AskBoard, most: int) -> Board:
    """Return the board, of at most ``most`` cells.

    Args:
        ask: the fields of the request.
        most: the most cells.

    Raises:
        ProblemError: it cannot be read.
    """
    found = read_board(ask.board, most, ask.notation, symbols=ask.symbols)
    return found.with_flags_as_mines() if ask.flags == "trust" else found


def read_board(
    given: Any,
    most: int,
    notation: str = Notation.STANDARD,
    field: str = "board",
    symbols: object = None,
) -> Board:
    """Read a board from its rows.

    What comes from text or a file is a board already.

    Args:
        given: the rows as JSON has them, or a board.
        most: the most cells.
        notation: the notation of the rows.
        field: the name of the field.
        symbols: what symbols mean, as `read_symbols` takes them.

    Raises:
        ProblemError: it cannot be read.
    """
    try:
        found = given if isinstance(given, Board) else parse(given, notation, symbols)
    except BoardError as error:
        raise problems.of_board(error, field) from None
    if found.cells.size > most:
        problems.at_most(field, found.cells.size, most, format_count(most, "cell"))
    return found


def _read_rules(ask: AskPuzzle, most: int) -> Rules:
    if ask.board is not None:
        problems.reject_field(
            "board-and-rules",
            "The request has both a board and rules.",
            "Send one of the two.",
            "/rules",
        )
    for name in _BOARDS_OWN:
        if name in ask.model_fields_set:
            problems.reject_field(
                "bad-value",
                f"{name} is for boards, and the request has rules.",
                f"Leave {name} out.",
                f"/{name}",
            )
    if ask.total_cells is not None:
        problems.at_most("total_cells", ask.total_cells, most)
    try:
        rules = parse_rules(ask.rules, ask.total_cells)
    except RuleError as error:
        raise problems.of_rule(error) from None
    problems.at_most("rules", rules.shape[1], most, format_count(most, "cell"))
    return rules


def read_cell(given: Any, puzzle: Puzzle) -> tuple[int, int]:
    """Read a cell: [row, col], both in one string, or the name that rules give it.

    Args:
        given: the JSON value.
        puzzle: the board or rules.

    Returns:
        (row, col) from 0.

    Raises:
        ProblemError: it is not a cell; whether it is on the board is not checked.
    """
    if isinstance(puzzle, Rules):
        if not isinstance(given, str) or given not in puzzle.number:
            problems.reject_field(
                "bad-value",
                "cell is not the name of a cell in the rules.",
                "Send a name that the rules use.",
                "/cell",
            )
        return 0, puzzle.number[given]
    if isinstance(given, str) and (cell := parse_cell(given)) is not None:
        return cell
    if not isinstance(given, list) or [type(part) for part in given] != [int, int]:
        problems.reject_field(
            "bad-value",
            "cell is not a pair of a row and a column.",
            CELL_FIX,
            "/cell",
        )
    return given[0], given[1]


def read_window(given: AskWindow, board: Puzzle) -> Window:
    """Return the window of a request, which can be cut if the puzzle is a board.

    Args:
        given: the fields of the window; without a size it reaches to the end of the board.
        board: the board or rules.

    Raises:
        ProblemError: it is not on the board, or too wide.
    """
    height, width = board.shape
    found = Window(
        given.row,
        given.col,
        height - given.row if given.rows is None else given.rows,
        width - given.col if given.cols is None else given.cols,
    )
    if isinstance(board, Board):
        try:
            cut_window(board, found)
        except WindowError as error:
            raise problems.of_window(error) from None
    return found


def read_layout(given: Any, puzzle: Puzzle) -> Layout:
    """Read a layout, as answers draw it.

    Args:
        given: the JSON value.
        puzzle: the board or rules that it is for.

    Raises:
        ProblemError: it is not a layout; whether it fits is not checked.
    """
    if isinstance(puzzle, Rules):
        return _read_named_layout(given, puzzle)
    return (
        variants.read_layout(given, puzzle)
        if isinstance(puzzle, Variant)
        else read_rows_of_layout(given)
    )


def read_rows_of_layout(given: Any, field: str = "layout") -> Layout:
    """Read a layout from its rows: `B` for mines, on safe cells the right number or `S`.

    Args:
        given: the rows as JSON has them.
        field: the name of the field.

    Raises:
        ProblemError: a cell is neither, or its number is wrong.
    """
    try:
        cells = parse(given).cells
    except BoardError as error:
        raise problems.of_board(error, field) from None
    for row, col in np.argwhere((cells == UNKNOWN) | (cells == FLAG))[:1].tolist():
        _reject_cell("does not show whether it is a mine", row, col, field)
    layout = Layout(cells == MINE)
    for row, col in layout.list_contradictions(Board(cells))[:1]:
        _reject_cell("has a number other than that of the mines around it", row, col, field)
    return layout


def _read_named_layout(given: Any, rules: Rules) -> Layout:
    """Read a layout from names of its mines, and numbers of mines among the other cells."""
    if not isinstance(given, dict) or not given.keys() <= {"mines", "others"}:
        problems.reject_field(
            "bad-value",
            "A layout for rules is an object with the fields mines and others, and no other field.",
            'Send {"mines": ["a"], "others": [0]}: names of cells, and numbers of unnamed cells.',
            "/layout",
        )
    cells = range(rules.shape[1])
    unnamed = cells[len(rules.number) :]
    mines = np.zeros(rules.shape, np.bool_)
    _mark_mines(mines, "mines", str, given, rules.number)
    _mark_mines(mines, "others", int, given, dict(enumerate(unnamed)))
    return Layout(mines)


def _mark_mines(
    mines: NDArray[np.bool_],
    field: str,
    kind: type,
    given: dict[str, Any],
    known: Mapping[Any, int],
) -> None:
    """Put mines, (1, cells), where a field of a layout has them."""
    cells = given.get(field, [])
    if not isinstance(cells, list):
        problems.reject_field(
            "bad-value",
            f"{field} of the layout is not a list.",
            "Send a list of the cells that are mines.",
            f"/layout/{field}",
        )
    for index, cell in enumerate(cells):
        if type(cell) is not kind or cell not in known or mines[0, known[cell]]:
            problems.reject_field(
                "bad-value",
                f"{quote_text(str(cell))} is not a cell of the rules, or is listed twice.",
                "List each mine once: in mines by its name, in others by its number from 0.",
                f"/layout/{field}/{index}",
            )
        mines[0, known[cell]] = True


def _reject_cell(what: str, row: int, col: int, field: str) -> NoReturn:
    raise ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "bad-value",
        f"The cell at row {row}, column {col} of the layout {what}.",
        "Draw each mine as B, and each safe cell as its number or as S.",
        pointer=f"/{field}/{row}/{col}",
        cell=(row, col),
    )
