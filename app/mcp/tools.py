"""The tools by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from minecheck.app.functions import find_function
from minecheck.app.mcp.board_answers import (
    Analyzed,
    BoardRead,
    Checked,
    render_analyze_answer,
    render_check_answer,
    render_read_board_answer,
)
from minecheck.app.mcp.game_answers import (
    BestMove,
    Dealt,
    Graded,
    render_best_move_answer,
    render_deal_board_answer,
    render_grade_answer,
)
from minecheck.app.mcp.proof_answers import Explained, render_explain_answer
from minecheck.app.mcp.tool import Argument, Tool
from minecheck.app.questions import find_question
from minecheck.app.questions.fields import CELL_SCHEMA

#: The most characters of a board, and the most of its cells.
MOST_CHARACTERS: Final = 100_000
MOST_CELLS: Final = 10_000
#: The moves that are listed.
_MOVES: Final = 8

_TEXT: Final[Mapping[str, Any]] = MappingProxyType(
    {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS}
)
_CELL: Final[Mapping[str, Any]] = MappingProxyType({**CELL_SCHEMA, "examples": ["3,4"]})
_BOARD: Final = Argument(
    "board",
    {
        **_TEXT,
        "description": "The board as text, one row a line. 0-8: clue, ?: unknown, B or *: mine, "
        "S: safe without a number, F: flag. Other text is read as well, such as emoji, tables, "
        "game IDs and files of other programs; the answer says how",
    },
)
_MINES: Final = Argument(
    "mines",
    {
        "type": "integer",
        "minimum": 0,
        "description": "The number of mines on the whole board, flags and known mines included. "
        "Leave it out if it is unknown",
    },
)
_SYMBOLS: Final = Argument(
    "symbols",
    {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "The meaning of symbols that are not in the standard notation, such as "
        '{"X": "mine", ".": "unknown"}: unknown, mine, safe, flag, or 0 to 8',
    },
)
_FLAGS: Final = Argument("flags")
_DEADLINE: Final = Argument(
    "deadline_ms",
    {
        "type": "integer",
        "minimum": 1,
        "description": "Time for the answer in milliseconds; by default a few seconds",
    },
)
_SHOWN: Final = tuple(
    Argument(
        name,
        {
            "type": "integer",
            "minimum": 0,
            "default": 0,
            "description": f"The first {what} to show of a board that is too large",
        },
        own=True,
    )
    for name, what in (("show_row", "row"), ("show_col", "column"))
)
_BOARD_ARGUMENTS: Final = (_BOARD, _MINES, _SYMBOLS, _FLAGS, _DEADLINE, *_SHOWN)

#: The tools, in the order in which they are listed.
TOOLS: Final[Mapping[str, Tool]] = MappingProxyType(
    {
        tool.name: tool
        for tool in (
            Tool(
                name="read_board",
                title="Read a Minesweeper board",
                description="Read a Minesweeper board from any pasted text and show how it was "
                "understood: with rulers, row and column numbers, and notes. Use it first if you "
                "are not sure that the text is read as you mean it.",
                operation=None,
                arguments=(_BOARD, _MINES, _SYMBOLS, *_SHOWN),
                output=BoardRead,
                render=render_read_board_answer,
            ),
            Tool(
                name="check",
                title="Is the board consistent?",
                description="Decide exactly whether any layout of mines fits the clues of a "
                "Minesweeper board: a layout if one does, the clues that contradict each other if "
                "none does.",
                operation=find_question("check"),
                arguments=_BOARD_ARGUMENTS,
                output=Checked,
                render=render_check_answer,
            ),
            Tool(
                name="analyze",
                title="What is known of each cell?",
                description="Find all cells that are proved safe or proved mines, the exact chance "
                "of a mine in each other cell, and the number of layouts that fit. Give mines if "
                "you know the total: the chances depend on it.",
                operation=find_question("analyze"),
                arguments=_BOARD_ARGUMENTS,
                output=Analyzed,
                render=render_analyze_answer,
            ),
            Tool(
                name="explain",
                title="Why is a cell safe or a mine?",
                description="Prove step by step why cells are safe or mines, or why a board is "
                "inconsistent. With cell, the proof for that one cell, or two layouts that show "
                "that nothing is certain about it.",
                operation=find_question("explain"),
                arguments=(
                    _BOARD,
                    _MINES,
                    Argument(
                        "cell",
                        {
                            **_CELL,
                            "description": "The unknown cell that is asked about, as "
                            '"row,column" from 0; by default all cells that are proved',
                        },
                    ),
                    _SYMBOLS,
                    _FLAGS,
                    _DEADLINE,
                    *_SHOWN,
                ),
                output=Explained,
                render=render_explain_answer,
            ),
            Tool(
                name="best_move",
                title="Which cell is best to open?",
                description="Rank the cells to open next in a game: proved safe ones, or else the "
                "best guesses with their exact chances. The total of mines is needed.",
                operation=find_question("moves"),
                arguments=_BOARD_ARGUMENTS,
                required=("board", "mines"),
                fixed={"limit": _MOVES},
                output=BestMove,
                render=render_best_move_answer,
            ),
            Tool(
                name="grade",
                title="How hard is a map?",
                description="Grade a whole Minesweeper map, with all mines shown: whether it can "
                "be won without a guess, how hard its steps are, and where it gets stuck.",
                operation=find_function("grade"),
                arguments=(
                    Argument(
                        "file",
                        {
                            **_TEXT,
                            "description": "The whole map as text, one row a line: B for mines, "
                            "and on safe cells their number or S; or a file, link or game ID of "
                            "another program",
                        },
                    ),
                    Argument(
                        "first",
                        {
                            **_CELL,
                            "description": 'The first click, "row,column" from 0; needed unless '
                            "the file has it",
                        },
                    ),
                    _DEADLINE,
                    *_SHOWN,
                ),
                required=("file",),
                output=Graded,
                render=render_grade_answer,
            ),
            Tool(
                name="deal_board",
                title="Deal a board to play",
                description="Deal a new Minesweeper board after its first click; by default one "
                "that can be won without a guess. Usual sizes: 9 rows, 9 cols, 10 mines; 16, 16, "
                "40; 16, 30, 99.",
                operation=find_function("boards"),
                arguments=(
                    *map(Argument, ("rows", "cols", "mines", "kind", "difficulty")),
                    Argument(
                        "first",
                        {
                            **_CELL,
                            "description": 'The first click, "row,column" from 0; by default the '
                            "middle",
                        },
                    ),
                    Argument("seed"),
                    Argument(
                        "solution",
                        {
                            "type": "boolean",
                            "default": False,
                            "description": "Whether to show where the mines are as well",
                        },
                        own=True,
                    ),
                    _DEADLINE,
                    *_SHOWN,
                ),
                required=("rows", "cols", "mines"),
                output=Dealt,
                render=render_deal_board_answer,
            ),
        )
    }
)
