"""Conversion of the fields of a request to a board, or rules, and to a layout of it."""

from collections.abc import Mapping
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from minecheck.app import problems
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
    board = board_of_request(ask, most)
    return variants.apply_rules(ask, board) if isinstance(ask, AskVariant) else board


def board_of_request(ask: AskBoard, most: int) -> Board:
    """Return the board, of at most ``most`` cells.

    Args:
        ask: the fields of the request.
        most: the most cells.

    Raises:
        ProblemError: it cannot be read.
    """
    board = read_board(ask.board, most, ask.notation, symbols=ask.symbols)
    return board.with_flags_as_mines() if ask.flags == "trust" else board


def read_board(
    source: Any,
    most: int,
    notation: str = Notation.STANDARD,
    field: str = "board",
    symbols: object = None,
) -> Board:
    """Read a board from its rows.

    What comes from text or a file is a board already.

    Args:
        source: the rows as JSON has them, or a board.
        most: the most cells.
        notation: the notation of the rows.
        field: the name of the field.
        symbols: what symbols mean, as `read_symbols` takes them.

    Raises:
        ProblemError: it cannot be read.
    """
    try:
        board = source if isinstance(source, Board) else parse(source, notation, symbols)
    except BoardError as error:
        raise problems.make_board_problem(error, field) from None
    if board.cells.size > most:
        problems.require_at_most(field, board.cells.size, most, format_count(most, "cell"))
    return board


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
        problems.require_at_most("total_cells", ask.total_cells, most)
    try:
        rules = parse_rules(ask.rules, ask.total_cells)
    except RuleError as error:
        raise problems.make_rule_problem(error) from None
    problems.require_at_most("rules", rules.shape[1], most, format_count(most, "cell"))
    return rules


def read_cell(cell_json: Any, puzzle: Puzzle) -> tuple[int, int]:
    """Read a cell: [row, col], both in one string, or the name that rules give it.

    Args:
        cell_json: the JSON value.
        puzzle: the board or rules.

    Returns:
        (row, col) from 0.

    Raises:
        ProblemError: it is not a cell; whether it is on the board is not checked.
    """
    if isinstance(puzzle, Rules):
        if not isinstance(cell_json, str) or cell_json not in puzzle.number:
            problems.reject_field(
                "bad-value",
                "cell is not the name of a cell in the rules.",
                "Send a name that the rules use.",
                "/cell",
            )
        return 0, puzzle.number[cell_json]
    if isinstance(cell_json, str) and (cell := parse_cell(cell_json)) is not None:
        return cell
    if not isinstance(cell_json, list) or [type(part) for part in cell_json] != [int, int]:
        problems.reject_field(
            "bad-value",
            "cell is not a pair of a row and a column.",
            CELL_FIX,
            "/cell",
        )
    return cell_json[0], cell_json[1]


def read_window(ask: AskWindow, board: Puzzle) -> Window:
    """Return the window of a request, which can be cut if the puzzle is a board.

    Args:
        ask: the fields of the window; without a size it reaches to the end of the board.
        board: the board or rules.

    Raises:
        ProblemError: it is not on the board, or too wide.
    """
    height, width = board.shape
    window = Window(
        ask.row,
        ask.col,
        height - ask.row if ask.rows is None else ask.rows,
        width - ask.col if ask.cols is None else ask.cols,
    )
    if isinstance(board, Board):
        try:
            cut_window(board, window)
        except WindowError as error:
            raise problems.make_window_problem(error) from None
    return window


def read_layout(source: Any, puzzle: Puzzle) -> Layout:
    """Read a layout, as answers draw it.

    Args:
        source: the JSON value.
        puzzle: the board or rules that it is for.

    Raises:
        ProblemError: it is not a layout; whether it fits is not checked.
    """
    if isinstance(puzzle, Rules):
        return _read_named_layout(source, puzzle)
    return (
        variants.read_layout(source, puzzle)
        if isinstance(puzzle, Variant)
        else read_rows_of_layout(source)
    )


def read_rows_of_layout(rows: Any, field: str = "layout") -> Layout:
    """Read a layout from its rows: `B` for mines, on safe cells the right number or `S`.

    Args:
        rows: the rows as JSON has them.
        field: the name of the field.

    Raises:
        ProblemError: a cell is neither, or its number is wrong.
    """
    try:
        cells = parse(rows).cells
    except BoardError as error:
        raise problems.make_board_problem(error, field) from None
    for row, col in np.argwhere((cells == UNKNOWN) | (cells == FLAG))[:1].tolist():
        _reject_cell("does not show whether it is a mine", row, col, field)
    layout = Layout(cells == MINE)
    for row, col in layout.list_contradictions(Board(cells))[:1]:
        _reject_cell("has a number other than that of the mines around it", row, col, field)
    return layout


def _read_named_layout(members: Any, rules: Rules) -> Layout:
    """Read a layout from names of its mines, and numbers of mines among the other cells."""
    if not isinstance(members, dict) or not members.keys() <= {"mines", "others"}:
        problems.reject_field(
            "bad-value",
            "A layout for rules is an object with the fields mines and others, and no other field.",
            'Send {"mines": ["a"], "others": [0]}: names of cells, and numbers of unnamed cells.',
            "/layout",
        )
    cells = range(rules.shape[1])
    unnamed = cells[len(rules.number) :]
    mines = np.zeros(rules.shape, np.bool_)
    _mark_mines(mines, "mines", str, members, rules.number)
    _mark_mines(mines, "others", int, members, dict(enumerate(unnamed)))
    return Layout(mines)


def _mark_mines(
    mines: NDArray[np.bool_],
    field: str,
    kind: type,
    members: dict[str, Any],
    indices: Mapping[Any, int],
) -> None:
    """Put mines, (1, cells), where a field of a layout has them."""
    cells = members.get(field, [])
    if not isinstance(cells, list):
        problems.reject_field(
            "bad-value",
            f"{field} of the layout is not a list.",
            "Send a list of the cells that are mines.",
            f"/layout/{field}",
        )
    for index, cell in enumerate(cells):
        if type(cell) is not kind or cell not in indices or mines[0, indices[cell]]:
            problems.reject_field(
                "bad-value",
                f"{quote_text(str(cell))} is not a cell of the rules, or is listed twice.",
                "List each mine once: in mines by its name, in others by its number from 0.",
                f"/layout/{field}/{index}",
            )
        mines[0, indices[cell]] = True


def _reject_cell(fault: str, row: int, col: int, field: str) -> NoReturn:
    problems.reject_field(
        "bad-value",
        f"The cell at row {row}, column {col} of the layout {fault}.",
        "Draw each mine as B, and each safe cell as its number or as S.",
        f"/{field}/{row}/{col}",
        cell=(row, col),
    )
