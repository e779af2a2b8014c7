"""The client of the SDK calls the tools in this process, and their answers are true."""

from collections.abc import Mapping
from typing import Any

import anyio
import orjson
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from minecheck.app.mcp.answering import answer_call
from minecheck.app.mcp.board_view import View, format_integer_briefly
from minecheck.app.mcp.resources import TEXTS
from minecheck.app.mcp.server import build_server
from minecheck.app.mcp.tool import CallContext, ToolAnswer
from minecheck.app.mcp.tools import MOST_CHARACTERS, TOOLS
from minecheck.minefield import draw
from minecheck.minefield.board import Board
from tests import oracle
from tests.app.mcp.calling import MOST, answer_of, call_all, count_tokens, error_of, text_of
from tests.boards import hidden_layout, small_boards

CONTRADICTION = "?1?\n131\n???"
EXPERT = {"rows": 16, "cols": 30, "mines": 99, "seed": 5}


async def answer_here(name: str, arguments: Mapping[str, Any], request: Any) -> ToolAnswer:
    return answer_call(name, arguments)


@pytest.fixture(scope="module")
def server() -> Server[Any]:
    return build_server(answer_here)


def call(server: Server[Any], name: str, **arguments: Any) -> Any:
    return call_all(server, (name, arguments))[0]


def expert_board(hidden: float = 0.5, seed: int = 1) -> str:
    return "\n".join(draw(hidden_layout(16, 30, hidden, seed)))


def test_mcp_server_lists_seven_tools_with_schemas_and_two_resources(server: Server[Any]) -> None:
    async def look() -> tuple[list[str], list[str]]:
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            for tool in tools:
                assert tool.input_schema["additionalProperties"] is False
                assert set(tool.input_schema["required"]) <= set(tool.input_schema["properties"])
                assert all(
                    one.get("description") for one in tool.input_schema["properties"].values()
                )
                assert tool.output_schema
                assert tool.description
            resources = (await client.list_resources()).resources
            for one in resources:
                (content,) = (await client.read_resource(one.uri)).contents
                assert content.model_dump()["text"] == TEXTS[str(one.uri)]
            with pytest.raises(MCPError, match="minecheck://glossary"):
                await client.read_resource("minecheck://rules")
            return [tool.name for tool in tools], [str(one.uri) for one in resources]

    tools, resources = anyio.run(look)
    assert tools == [
        "read_board", "check", "analyze", "explain", "best_move", "grade", "deal_board"
    ]  # fmt: skip
    assert resources == ["minecheck://notation", "minecheck://glossary"]


@given(board=small_boards(3), mines=st.none() | st.integers(0, 9))
def test_check_and_analyze_tools_agree_with_oracle(board: Board, mines: int | None) -> None:
    assume(mines is None or mines <= board.cells.size)
    truth = oracle.answer(board, mines)
    arguments = {"board": "\n".join(draw(board))} | ({} if mines is None else {"mines": mines})
    checked = answer_call("check", arguments)
    analyzed = answer_call("analyze", arguments)
    assert checked.structured is not None, checked.text
    assert analyzed.structured is not None
    assert checked.structured["consistent"] is bool(truth.count)
    assert checked.text.startswith("CONSISTENT" if truth.count else "INCONSISTENT")
    if truth.count:
        found = analyzed.structured
        assert found["count"] == str(truth.count)
        assert {tuple(cell) for cell in found["safe"]} == truth.forced_safe
        assert {tuple(cell) for cell in found["mines"]} == truth.forced_mines


def test_check_tool_prints_verdict_before_board_with_rulers(server: Server[Any]) -> None:
    found = call(server, "check", board="?1?\n???")
    assert text_of(found) == (
        "CONSISTENT: at least one layout of mines fits the board.\n\n"
        "The board, 2 rows by 3 columns, with no total of mines stated. Cells are (row, column), "
        "counted from 0 at the top left. 0-8: clue, ?: unknown, B: mine, S: safe, F: flag.\n"
        "col   | 0 1 2\nrow 0 | ? 1 ?\nrow 1 | ? ? ?\n\n"
        "One layout that fits (B: mine, 0-8: clue of a safe cell):\n"
        "col   | 0 1 2\nrow 0 | 0 1 1\nrow 1 | 0 1 B"
    )


def test_check_and_explain_tools_name_and_prove_conflict(server: Server[Any]) -> None:
    checked, explained = call_all(
        server, ("check", {"board": CONTRADICTION}), ("explain", {"board": CONTRADICTION})
    )
    assert answer_of(checked)["conflict"] == [[1, 0], [1, 1], [1, 2]]
    assert "the 1 at (1, 0), the 3 at (1, 1), the 1 at (1, 2)" in text_of(checked)
    steps = [line for line in text_of(explained).splitlines() if line[:2] in ("1.", "5.")]
    assert steps[0].startswith("1. The 1 at row 1, column 2 touches")
    assert steps[1] == "5. Steps 1 and 4 contradict each other."


def test_check_tool_names_total_that_does_not_fit(server: Server[Any]) -> None:
    found = call(server, "check", board="?1?\n???", mines=5)
    assert answer_of(found)["conflict_with_total"] is True
    assert "the total of mines" in text_of(found)


def test_explain_tool_proves_cell_or_says_not_certain(server: Server[Any]) -> None:
    proved, unsure = call_all(
        server,
        ("explain", {"board": "?1??", "mines": 1, "cell": "0,3"}),
        ("explain", {"board": "?1?", "cell": [0, 0]}),
    )
    assert answer_of(proved)["proved"][0]["cells"] == [[0, 3]]
    assert "3. The 1 mine in step 1 is in step 2: row 0, column 3 is safe." in text_of(proved)
    assert "NOT CERTAIN: (0, 0) is a mine in some layouts" in text_of(unsure)
    assert "A layout with a mine there:\ncol   | 0 1 2\nrow 0 | B 1 0" in text_of(unsure)


def test_best_move_tool_names_proved_cell_or_guess_with_chance(server: Server[Any]) -> None:
    sure, guess = call_all(
        server,
        ("best_move", {"board": "?1??", "mines": 1}),
        ("best_move", {"board": "1?\n??", "mines": 1}),
    )
    assert text_of(sure).startswith("OPEN (0, 3): it is proved safe.")
    assert text_of(guess).startswith("GUESS (0, 1): no cell is proved safe;")
    assert "33.33%" in text_of(guess)
    assert answer_of(guess)["win_low"] == answer_of(guess)["win_high"] == pytest.approx(1 / 3)


def test_best_move_tool_lists_moves_of_which_little_is_known() -> None:
    move = {
        "cell": [0, 1],
        "safe": False,
        "mine": 0.25,
        "progress": None,
        "win": None,
        "dead": None,
    }
    answer = {
        "consistent": True,
        "moves": [move],
        "win": None,
        "guesses": None,
        "solver": {"name": "play", "complete": False, "elapsed_ms": 1.0},
    }
    found = TOOLS["best_move"].render(answer, CallContext(rows=["1??"], view=View(1, 3)))
    assert "\n- (0, 1): mine 25%\n" in found.text


def test_deal_board_tool_deals_board_of_seed_that_grade_tool_grades(server: Server[Any]) -> None:
    dealt, again, secret = call_all(
        server,
        ("deal_board", {**EXPERT, "solution": True}),
        ("deal_board", {**EXPERT, "seed": "5"}),
        ("deal_board", {"rows": 5, "cols": 5, "mines": 3, "kind": "random", "first": "0,0"}),
    )
    assert answer_of(dealt)["board"] == answer_of(again)["board"]
    assert answer_of(again)["layout"] is None
    assert "B" not in "".join(answer_of(secret)["board"])
    row, col = answer_of(dealt)["first"]
    graded = call(server, "grade", file="\n".join(answer_of(dealt)["layout"]), first=f"{row},{col}")
    assert text_of(graded).startswith("NO GUESS NEEDED")
    assert answer_of(graded)["difficulty"] == answer_of(dealt)["difficulty"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("hidden", [0.2, 0.5, 0.9])
def test_tools_answer_briefly_on_expert_boards(
    server: Server[Any], hidden: float, seed: int
) -> None:
    board = expert_board(hidden, seed)
    wrong = board.replace("1", "2", 5)
    for given_board in (board, wrong):
        for name in ("read_board", "check", "analyze", "explain"):
            # The client fails if the answer is too long, or does not fit its schema.
            call(server, name, board=given_board, deadline_ms=20_000)
    mines = hidden_layout(16, 30, 0.0, seed).cells
    total = int((mines == -2).sum()) or 99
    call(server, "best_move", board=board, mines=total)


def test_analyze_tool_shows_other_part_of_large_board_on_demand(server: Server[Any]) -> None:
    board = "\n".join(["?" * 60] * 59 + ["1" + "?" * 59])
    first, rest, outside = call_all(
        server,
        ("analyze", {"board": board}),
        ("analyze", {"board": board, "show_row": 50, "show_col": 0}),
        ("analyze", {"board": board, "show_row": 60}),
    )
    assert "Only rows 0 to 15 of 0 to 59" in text_of(first)
    assert "call this tool again with show_row and show_col" in text_of(first)
    assert "row 59 |" not in text_of(first)
    assert "row 59 |" in text_of(rest)
    assert "Send show_row from 0 to 59" in error_of(outside)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("solve", {}, "Use one of: read_board, check, analyze,"),
        ("check", {}, "Add board."),
        ("check", {"bord": "?1?"}, "Did you mean board?"),
        ("check", {"board": 5}, "Send text, one row of the board a line."),
        ("check", {"board": ""}, "How to fix it"),
        ("check", {"board": "?1?", "mines": "3"}, "Send a whole number."),
        ("read_board", {"board": "?1?", "mines": "3"}, "Send a whole number."),
        ("check", {"board": "?1?\n?9?"}, 'The cell at row 1, column 1 is "9"'),
        ("check", {"board": "?1?\n?"}, "Make all rows the same length."),
        ("check", {"board": "?1?", "show_row": -1}, "Send a whole number from 0."),
        ("check", {"board": "?1?", "show_row": True}, "Send a whole number from 0."),
        ("check", {"board": "?" * (MOST_CHARACTERS + 1)}, "100000"),
        ("check", {"board": "\n".join(["?" * 101] * 101)}, "10000"),
        ("check", {"board": "?1?", "deadline_ms": 10**9}, "deadline_ms"),
        ("check", {"board": "?1?", "flags": "maybe"}, "claims, trust"),
        ("best_move", {"board": "?1?"}, "Add mines."),
        ("explain", {"board": "?1?", "cell": "7,7"}, "cell"),
        ("explain", {"board": "?1?", "cell": {"row": 0}}, "cell"),
        ("grade", {"file": "1B\n11"}, "The argument at fault is first."),
        ("grade", {"file": ["1B", "11"], "first": "0,1"}, "mine at the first click"),
        ("deal_board", {"rows": 9, "cols": 9}, "Add mines."),
        ("deal_board", {"rows": 9, "cols": 9, "mines": 81}, "How to fix it"),
        ("deal_board", {"rows": 9, "cols": 9, "mines": 1, "solution": "yes"}, "true or false"),
        ("deal_board", {"rows": 10**6, "cols": 10**6, "mines": 1}, "10000"),
    ],
    ids=lambda one: str(one)[:30],
)
def test_tool_error_says_how_to_call_again(
    server: Server[Any], name: str, arguments: dict[str, Any], message: str
) -> None:
    assert message in error_of(call(server, name, **arguments))


def test_tools_take_whole_numbers_with_a_fraction_of_zero(server: Server[Any]) -> None:
    dealt = call(server, "deal_board", rows=5.0, cols=5.0, mines=3.0, kind="random", first=[0.0, 0])
    assert len(answer_of(dealt)["board"]) == 5
    assert text_of(call(server, "check", board="?1?", mines=1.0)).startswith("CONSISTENT")
    assert "1.5 is not a whole number" in error_of(call(server, "check", board="?1?", mines=1.5))


def test_read_board_tool_lists_readings_that_can_be_sent(server: Server[Any]) -> None:
    text = error_of(call(server, "read_board", board="...\n.x.\n..."))
    assert "Reading 1:" in text
    assert "Reading 2:" in text
    boards = [part.partition(" board:\n")[2] for part in text.split("\n\n") if "Reading" in part]
    for board in boards:
        answer_of(call(server, "check", board=board))


def test_read_board_tool_notes_how_text_was_read(server: Server[Any]) -> None:
    found = call(server, "read_board", board="⬜1️⃣⬜\n💣2️⃣⬜")
    assert answer_of(found)["board"] == ["?1?", "B2?"]
    assert "How it was read:" in text_of(found)
    known = call(server, "check", board="x.\n..", symbols={"x": "mine", ".": "unknown"})
    assert answer_of(known)["consistent"] is True


def test_read_board_tool_accepts_list_of_rows(server: Server[Any]) -> None:
    assert answer_of(call(server, "read_board", board=["?1?", "???"]))["rows"] == 2


def test_check_tool_says_that_answer_at_deadline_is_undecided() -> None:
    tool = TOOLS["check"]
    from minecheck.app.mcp.board_answers import render_check_answer
    from minecheck.app.mcp.tool import CallContext

    found = {
        "consistent": None, "witness": None, "conflict": None, "solver": {"complete": False}
    }  # fmt: skip
    answer = render_check_answer(found, CallContext(rows=("?",), view=View(1, 1)))
    assert answer.text.startswith("UNDECIDED")
    assert "Ask again with a larger deadline_ms" in answer.text
    assert answer.structured is not None
    tool.output.model_validate(answer.structured)


@given(
    rows=st.integers(1, 120), cols=st.integers(1, 120), top=st.integers(0, 119),
    left=st.integers(0, 119),
)  # fmt: skip
def test_view_stays_on_board_and_is_short(rows: int, cols: int, top: int, left: int) -> None:
    view = View(rows, cols, min(top, rows - 1), min(left, cols - 1))
    lines = view.draw_cells([["?"] * cols] * rows).splitlines()
    assert len(lines) == view.height + 1 >= 2
    assert len({len(line) for line in lines}) == 1
    assert sum(map(len, lines)) <= MOST
    assert view.has((view.top, view.left))
    assert view.is_whole or "show_row" in view.describe_rest()


def test_format_integer_briefly_rounds_long_number_down() -> None:
    assert format_integer_briefly("12") == "12"
    assert format_integer_briefly("1299" + "9" * 40) == "about 1.299e43 (a number of 44 digits)"


_SIMPLE = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
)
_VALUES = st.recursive(
    _SIMPLE,
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=8), one, max_size=3),
)


@given(value=_VALUES, name=st.sampled_from(list(TOOLS)), data=st.data())
def test_tools_answer_or_reject_any_value(value: Any, name: str, data: st.DataObject) -> None:
    usual = {"board": "?1?", "mines": 1, "file": "1B\n11", "first": "0,0", "rows": 2, "cols": 2}
    tool = TOOLS[name]
    arguments = {key: one for key, one in usual.items() if key in tool.names}
    arguments[data.draw(st.sampled_from(tool.names))] = value
    answer = answer_call(name, arguments)
    assert "The service failed" not in answer.text
    assert count_tokens(answer.text + orjson.dumps(answer.structured).decode()) <= MOST
