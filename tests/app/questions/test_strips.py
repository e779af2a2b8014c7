"""Answers about a window are compared with every way to fill the cells its clues see."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.functions.run import RunAnswer
from minecheck.minefield import Board
from minecheck.minefield.board import MINE, SAFE, UNKNOWN
from minecheck.minefield.notation import draw
from tests import boards, oracle
from tests.app.cli.running import run
from tests.app.content_types import TEXT
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.app.problem_responses import assert_problem, parse_problem
from tests.app.questions.responses import assert_promised, drop_elapsed
from tests.app.serving import lattice
from tests.examples import examples
from tests.oracle import Cell

PATH = "/v1/strips"
GOOD = ["?1??", "?2?1", "????"]
SIDES = ("row", "col", "rows", "cols")
Window = tuple[int, int, int, int]


def window_in_answer(window: Window) -> dict[str, int]:
    """Return a window as answers have it."""
    return dict(zip(("row", "col", "height", "width"), window, strict=True))


def window_fields(window: Window) -> dict[str, int]:
    return dict(zip(SIDES, window, strict=True))


def ask(client: TestClient, board: object, window: object, **options: object) -> dict[str, Any]:
    answer = client.post(PATH, json={"board": board, "window": window, **options})
    assert answer.status_code == 200, answer.text[:500]
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json()
    assert_promised(QUESTIONS_BY_NAME["strips"].response, found)
    return found


def cells_of(window: Window) -> list[Cell]:
    """Return the cells of a window by their coordinates on the board, in reading order."""
    row, col, height, width = window
    return [(r, c) for r in range(row, row + height) for c in range(col, col + width)]


def test_strips_question_names_requirements_outside_window(client: TestClient) -> None:
    """There must be a mine above the 2, as in figure 4 of the student project."""
    found = ask(client, ["???", "??2", "11?"], {"row": 1, "height": 2})
    beyond = {"clue": [1, 2], "cells": [[0, 1], [0, 2]], "low": 1, "high": 2}
    assert found["outside"] == {"mines": [], "safe": [], "clues": [beyond]}
    forced = ask(client, ["???", "02S"], {"row": 1, "height": 1})
    assert forced["consistent"] is False
    assert forced["outside"] is None
    forced = ask(client, ["????", "02?S"], {"row": 1, "height": 1})
    assert forced["outside"]["mines"] == [[0, 2]]
    assert forced["outside"]["safe"] == [[0, 0], [0, 1]]


def test_strips_command_prints_requirements_outside_window() -> None:
    shown = run("strips", "-", "--window", "1,0,1,4", stdin=b"????\n02?S\n")
    assert "mines outside: row 0 column 2\n" in shown.stdout
    assert "safe outside: row 0 column 0, row 0 column 1\n" in shown.stdout
    assert "around row 1 column 1: 1 of 3 unknown cells outside is a mine\n" in shown.stdout


def to_cells(pairs: Iterable[list[int]]) -> list[Cell]:
    return [(row, col) for row, col in pairs]


def layouts_inside(board: Board, window: Window, clues: Iterable[Cell]) -> set[frozenset[Cell]]:
    """Return the mines in the window in all fillings of the board that these clues allow."""
    kept, inside = set(clues), cells_of(window)
    cells = board.cells.copy()
    for cell in np.ndindex(*board.shape):
        near = set(oracle.neighbours(cell, *board.shape))
        clue = cells[cell] <= 8 and cell not in kept
        unseen = board.unknown[cell] and cell not in inside and not near & kept
        if clue or unseen:
            cells[cell] = SAFE
    return {layout.intersection(inside) for layout in oracle.answer(Board(cells)).layouts}


@st.composite
def windows(draw: st.DrawFn) -> tuple[Board, Window]:
    """Draw a small board, and a window on it."""
    board = draw(boards.strip_boards(cells=24, unknown=11) | boards.small_boards())
    row = draw(st.integers(0, board.height - 1))
    col = draw(st.integers(0, board.width - 1))
    height = draw(st.integers(1, board.height - row))
    width = draw(st.integers(1, board.width - col))
    return board, (row, col, height, width)


def clues_in(board: Board, window: Window) -> list[Cell]:
    return [cell for cell in cells_of(window) if board.cells[cell] <= 8]


# Answers.


@given(case=windows())
def test_strips_question_agrees_with_all_fillings_of_window(
    client: TestClient, case: tuple[Board, Window]
) -> None:
    board, window = case
    layouts = layouts_inside(board, window, clues_in(board, window))
    found = ask(client, draw(board), window_fields(window))
    assert found["window"] == window_in_answer(window)
    assert found["solver"]["complete"] is True
    assert found["consistent"] is bool(layouts)
    assert found["count"] == str(len(layouts))
    inside = cells_of(window)
    unknown = {cell for cell in inside if board.unknown[cell]}
    if not layouts:
        for field in ("witness", "forced", "probabilities", "flags"):
            assert found.get(field) is None, field
        return
    assert found["conflict"] is None
    mines = unknown.intersection(*layouts)
    safe = unknown.difference(*layouts)
    assert to_cells(found["forced"]["mines"]) == sorted(mines)
    assert to_cells(found["forced"]["safe"]) == sorted(safe)
    assert len(found["probabilities"]) == window[2]
    chances = [chance for row in found["probabilities"] for chance in row]
    for cell, chance in zip(inside, chances, strict=True):
        if cell in unknown:
            share = sum(cell in layout for layout in layouts) / len(layouts)
            assert chance == (share if share in (0, 1) else pytest.approx(share))
        else:
            assert chance is None
    shown = dict(zip(inside, "".join(found["witness"]), strict=True))
    assert [len(row) for row in found["witness"]] == [window[3]] * window[2]
    assert {cell for cell, symbol in shown.items() if symbol == "B"} in layouts
    for cell, symbol in shown.items():
        code = board.cells[cell]
        assert symbol == str(code) if code <= 8 else symbol in "BS"


@given(case=windows())
def test_strips_question_lists_clues_loosened_by_unknown_cells_outside(
    client: TestClient, case: tuple[Board, Window]
) -> None:
    board, window = case
    expected = []
    for row, col in clues_in(board, window):
        near = oracle.neighbours((row, col), *board.shape)
        outside = [cell for cell in near if cell not in cells_of(window)]
        unknown = sum(bool(board.unknown[cell]) for cell in outside)
        number = int(board.cells[row, col])
        left = number - sum(board.cells[cell] == MINE for cell in outside)
        if unknown and left > 0:
            low = max(0, left - unknown)
            expected.append({"clue": [row, col], "number": number, "low": low, "high": left})
    assert ask(client, draw(board), window_fields(window))["loosened"] == expected


@given(case=windows())
def test_strips_question_judges_only_flags_in_window(
    client: TestClient, case: tuple[Board, Window]
) -> None:
    board, window = case
    layouts = layouts_inside(board, window, clues_in(board, window))
    flags = [cell for cell in board.flags if cell in cells_of(window)]
    judged = ask(client, draw(board), window_fields(window)).get("flags")
    if flags and layouts:
        right = [flag for flag in flags if all(flag in layout for layout in layouts)]
        wrong = [flag for flag in flags if not any(flag in layout for layout in layouts)]
        unproved = [flag for flag in flags if flag not in right + wrong]
        assert judged is not None
        assert {name: to_cells(found) for name, found in judged.items()} == {
            "right": right,
            "wrong": wrong,
            "unproved": unproved,
        }
    else:
        assert judged is None


@given(case=windows())
def test_strips_question_finds_minimal_conflict_in_window(
    client: TestClient, case: tuple[Board, Window]
) -> None:
    board, window = case
    found = ask(client, draw(board), window_fields(window))
    if found["consistent"]:
        return
    conflict = to_cells(found["conflict"]["clues"])
    assert conflict == sorted(set(conflict))
    assert conflict
    assert set(conflict) <= set(clues_in(board, window))
    assert (found["conflict"]["total"], found["conflict"]["minimal"]) == (False, True)
    assert not layouts_inside(board, window, conflict)
    for clue in conflict:
        assert layouts_inside(board, window, set(conflict) - {clue})


@examples(100)
@given(board=boards.small_boards() | boards.strip_boards(cells=30, unknown=20))
def test_strips_question_about_whole_board_agrees_with_analysis(
    client: TestClient, board: Board
) -> None:
    rows = draw(board)
    expected = client.post("/v1/analyze", json={"board": rows}).json()
    for window in ({}, window_fields((0, 0, board.height, board.width))):
        found = ask(client, rows, window)
        assert found["loosened"] == []
        for field in ("consistent", "count", "forced", "flags"):
            assert found.get(field) == expected.get(field), field
        if expected["probabilities"] is None:
            assert found["probabilities"] is None
        else:
            pairs = zip(found["probabilities"], expected["probabilities"], strict=True)
            assert all(row == pytest.approx(other) for row, other in pairs)


def test_strips_question_gives_coordinates_of_board(client: TestClient) -> None:
    rows = ["????", "????", "??3?", "??B1"]
    found = ask(client, rows, window_fields((2, 2, 2, 2)))
    assert found["loosened"] == [
        {"clue": [2, 2], "number": 3, "low": 0, "high": 3},
    ]
    assert found["forced"] == {"mines": [], "safe": [[2, 3]]}
    assert found["probabilities"] == [[None, 0.0], [None, None]]
    assert found["witness"] == ["3S", "B1"]


def test_strips_question_subtracts_known_mines_outside_from_clue(client: TestClient) -> None:
    found = ask(client, ["?2?", "BB?"], window_fields((0, 0, 1, 3)))
    assert found["loosened"] == []
    assert found["forced"] == {"mines": [], "safe": [[0, 0], [0, 2]]}
    found = ask(client, ["?1?", "BB?"], window_fields((0, 0, 1, 3)))
    assert found["loosened"] == []
    assert (found["consistent"], found["conflict"]["clues"]) == (False, [[0, 1]])
    found = ask(client, ["?3?", "BB?"], window_fields((0, 0, 1, 3)))
    assert found["loosened"] == [{"clue": [0, 1], "number": 3, "low": 0, "high": 1}]
    assert (found["count"], found["witness"]) == ("3", ["S3S"])
    assert found["probabilities"] == [pytest.approx([1 / 3, None, 1 / 3])]


def test_strips_question_trusts_flags_inside_and_outside_window(client: TestClient) -> None:
    rows = ["?2F", "F??"]
    claims = ask(client, rows, window_fields((0, 0, 1, 3)))
    assert claims["flags"] == {"right": [], "wrong": [], "unproved": [[0, 2]]}
    trusted = ask(client, rows, window_fields((0, 0, 1, 3)), flags="trust")
    assert "flags" not in trusted
    assert trusted["loosened"] == [{"clue": [0, 1], "number": 2, "low": 0, "high": 1}]
    assert trusted["forced"] == {"mines": [], "safe": [[0, 0]]}
    assert trusted["witness"] == ["S2B"]


# Runs of machines that read the window, and its layouts.


@examples(60)
@given(case=windows())
def test_machines_accept_window_whose_clues_can_hold(
    client: TestClient, case: tuple[Board, Window]
) -> None:
    board, window = case
    layouts = layouts_inside(board, window, clues_in(board, window))
    body = {"board": draw(board), "window": window_fields(window)}
    strip = ask(client, **body)
    assert strip["solver"]["name"] == "automata"
    assert set(strip["solver"]["machines"]) <= set(strip["machines"])
    for name in strip["machines"]:
        answer = client.post(f"/v1/automata/{name}/run", json=body)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert_promised(RunAnswer, found)
        assert found["consistent"] is (found["stops_at"] is None) is bool(layouts)
        assert all(bool(step["live"]) is bool(layouts) for step in found["steps"])
        assert found["witness"] == strip["witness"]
        read = found["read"]
        assert len(found["steps"]) in (read["height"], read["width"])
        inside = set(cells_of(window))
        assert inside <= set(cells_of((read["row"], read["col"], read["height"], read["width"])))


def test_machine_that_cannot_read_window_names_machines_that_can(client: TestClient) -> None:
    body = {"board": ["???", "?2?"], "window": "1,0,1,3"}
    assert ask(client, **body)["machines"] == ["hu-lin", "strip-2", "strip-3"]
    answer = client.post("/v1/automata/kadlac/run", json=body)
    assert_problem(answer, 422, "wrong-width", "/window")
    assert (
        "with the unknown cells that its clues see, the window is 2x3"
        in parse_problem(answer).detail
    )
    assert parse_problem(answer).fix == "Use one of: hu-lin, strip-2, strip-3."


@pytest.mark.parametrize(
    ("board", "window", "name", "cell", "why"),
    [
        (["1?B", "??S"], "0,0,2,3", "hu-lin", (1, 2), "is safe with its number unknown"),
        (["??1B", "??1?"], "0,2,1,1", "hu-lin", (0, 3), "is outside the window"),
        (["?", "B", "0"], "2,0,1,1", "kadlac", (2, 0), "has more mines around it"),
    ],
)
def test_machines_of_papers_reject_cells_without_symbol(
    client: TestClient, board: list[str], window: str, name: str, cell: Cell, why: str
) -> None:
    body = {"board": board, "window": window}
    strip = f"strip-{1 if name == 'kadlac' else 2}"
    offered = ask(client, **body)["machines"]
    assert name not in offered
    assert strip in offered
    answer = client.post(f"/v1/automata/{name}/run", json=body)
    assert_problem(answer, 422, "outside-the-alphabet", "/board/{}/{}".format(*cell))
    found = parse_problem(answer)
    assert (found.row, found.col, found.fix) == (*cell, f"Use {strip}.")
    assert why in found.detail


@pytest.mark.parametrize("width", [3, 13])
def test_every_route_rejects_invalid_window_alike(client: TestClient, width: int) -> None:
    rows = ["?" * width] * 13
    for window in ({"row": 13}, {"col": 99}, "0,0,14,1", "0,0,1,14", {}, "x", {"height": 0}):
        body = {"board": rows, "window": window}
        expected = client.post(PATH, json=body)
        for path in ("/v1/layouts", "/v1/automata/strip-3/run"):
            answer = client.post(path, json=body)
            if expected.status_code != 200:
                assert answer.json() == expected.json()
                assert answer.status_code == 422


@given(case=windows())
def test_layouts_of_window_are_paged(client: TestClient, case: tuple[Board, Window]) -> None:
    board, window = case
    layouts = layouts_inside(board, window, clues_in(board, window))
    body = {"board": draw(board), "window": window_fields(window)}
    pages: list[list[str]] = []
    offset: str | None = "0"
    limit = len(layouts) // 3 + 1
    while offset is not None:
        answer = client.post("/v1/layouts", json={**body, "offset": offset, "limit": limit})
        found = answer.json()
        assert_promised(QUESTIONS_BY_NAME["layouts"].response, found)
        assert found["consistent"] is bool(layouts)
        assert found["count"] == str(len(layouts))
        pages += found["layouts"] or []
        offset = found["next_offset"]
    inside = cells_of(window)
    shown = [dict(zip(inside, "".join(rows), strict=True)) for rows in pages]
    mines = [frozenset(cell for cell in inside if cells[cell] == "B") for cells in shown]
    assert len(mines) == len(set(mines)) == len(layouts)
    assert set(mines) == layouts
    for cells in shown:
        for cell, symbol in cells.items():
            code = board.cells[cell]
            assert symbol == str(code) if code <= 8 else symbol in "BS"
    if layouts:
        assert pages[0] == ask(client, **body)["witness"]
        end = client.post("/v1/layouts", json={**body, "offset": len(layouts)})
        assert end.json()["layouts"] == []
        beyond = client.post("/v1/layouts", json={**body, "offset": len(layouts) + 1})
        assert_problem(beyond, 422, "offset-beyond-the-last", "/offset")
        lines = client.post("/v1/layouts", json=body, headers={"Accept": "application/x-ndjson"})
        assert [json.loads(line) for line in lines.text.splitlines()] == pages


def test_layouts_of_wide_window_are_found_by_offset(client: TestClient) -> None:
    body = {"board": ["?" * 30] * 12, "window": "0,0,12,12", "offset": str(2**100), "limit": 1}
    found = client.post("/v1/layouts", json=body).json()
    assert found["count"] == str(2**144)
    (rows,) = found["layouts"]
    assert "".join(rows).count("B") == 1


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"mines": 1}, "mines"),
        ({"backend": "sat"}, "backend"),
        ({"layout": ["1SS", "BSS"]}, "layout"),
        ({"board": None, "rules": [{"cells": ["a"], "mines": 1}]}, "window"),
    ],
)
def test_layouts_question_rejects_options_that_contradict_window(
    client: TestClient, options: dict[str, object], field: str
) -> None:
    body = {"board": ["1??", "???"], "window": "0,0,1,1", **options}
    if body["board"] is None:
        del body["board"]
    answer = client.post("/v1/layouts", json=body)
    assert (answer.status_code, parse_problem(answer).pointer) == (422, f"/{field}")


# Forms of requests.


def test_window_is_an_object_or_four_numbers(client: TestClient) -> None:
    expected = drop_elapsed(ask(client, GOOD, window_fields((1, 0, 2, 4))))
    same: list[object] = [
        "1,0,2,4",
        "01,00,002,000000004",
        {"row": 1},
        {"row": 1, "height": None, "width": None},
        {"width": 4, "height": 2, "row": 1},
    ]
    for window in same:
        assert drop_elapsed(ask(client, GOOD, window)) == expected
    for text in ("\n".join(GOOD), "\r\n".join(GOOD) + "\r\n"):
        answer = client.post(f"{PATH}?window=1,0,2,4", content=text, headers=TEXT)
        assert drop_elapsed(answer.json()) == expected
    nested = [[int(cell) if cell.isdigit() else cell for cell in row] for row in GOOD]
    assert drop_elapsed(ask(client, nested, "1,0,2,4")) == expected
    assert drop_elapsed(ask(client, "\n".join(GOOD), "1,0,2,4")) == expected


def test_strips_question_reads_options_beside_window_in_query(client: TestClient) -> None:
    query = "window=0,0,1,3&flags=trust&deadline_ms=4000"
    answer = client.post(f"{PATH}?{query}", content="?2F\nF??", headers=TEXT)
    assert answer.json()["witness"] == ["S2B"]
    query = "window=0%2C0%2C1%2C2&notation=probst"
    answer = client.post(f"{PATH}?{query}", content="1-\n--", headers=TEXT)
    assert (answer.json()["count"], answer.json()["witness"]) == ("2", ["1S"])


@pytest.mark.parametrize("field", ["mines", "density", "limit", "offset", "windows"])
def test_strips_question_rejects_unknown_fields(client: TestClient, field: str) -> None:
    answers = [
        client.post(PATH, json={"board": GOOD, "window": {}, field: 1}),
        client.post(f"{PATH}?window=0,0,1,1&{field}=1", content="??", headers=TEXT),
    ]
    for answer in answers:
        assert_problem(answer, 422, "unknown-field", f"/{field}")
        listed = parse_problem(answer).fix.partition("he fields are ")[2].rstrip(".").split(", ")
        assert sorted(listed) == [
            *("backend", "board", "deadline_ms", "flags", "notation", "symbols", "window")
        ]


# Invalid windows.

NOT_NUMBERS = [True, False, 0.5, "1", "", [], {}, [1], 1e300]


@pytest.mark.parametrize(
    "window",
    [
        *(None, [], [0, 0, 1, 1], 5, True, 1.5, "", "x", "0", "0,0,1", "0,0,1,1,1", "0,0,1,"),
        *("-1,0,1,1", "+1,0,1,1", "0, 0, 1, 1", "0,0,1,1\n", "0;0;1;1", "0,0,1.0,1"),
        *("\u0660,0,1,1", "1000000000,0,1,1", "0,0,1,1" * 100_000, "\0", "0x1,0,1,1"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_strips_question_rejects_malformed_window(client: TestClient, window: object) -> None:
    answers = [client.post(PATH, json={"board": GOOD, "window": window})]
    if isinstance(window, str) and len(window) < 1000:
        text = "\n".join(GOOD)
        answers.append(client.post(PATH, params={"window": window}, content=text, headers=TEXT))
    for answer in answers:
        assert_problem(answer, 422, "bad-value", "/window")
        assert len(answer.content) < 1000
        assert "window" in parse_problem(answer).detail


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    "value", [*NOT_NUMBERS, -1, -(2**63), -(10**4000)], ids=lambda v: str(v)[:9]
)
def test_strips_question_rejects_side_that_is_no_number(
    client: TestClient, side: str, value: object
) -> None:
    answer = client.post(PATH, json={"board": GOOD, "window": {side: value}})
    assert_problem(answer, 422, "bad-value", f"/window/{side}")
    assert len(answer.content) < 1000


@pytest.mark.parametrize("side", ["row", "col"])
def test_strips_question_rejects_corner_of_null(client: TestClient, side: str) -> None:
    answer = client.post(PATH, json={"board": GOOD, "window": {side: None}})
    assert_problem(answer, 422, "bad-value", f"/window/{side}")


@pytest.mark.parametrize("side", ["rows", "cols"])
def test_strips_question_rejects_window_without_cells(client: TestClient, side: str) -> None:
    answer = client.post(PATH, json={"board": GOOD, "window": {side: 0}})
    assert_problem(answer, 422, "bad-value", f"/window/{side}")
    window = "0,0,0,1" if side == "rows" else "0,0,1,0"
    answer = client.post(f"{PATH}?window={window}", content="??", headers=TEXT)
    assert_problem(answer, 422, "bad-value", f"/window/{side}")


@pytest.mark.parametrize(
    ("window", "side", "fix"),
    [
        ({"row": 3}, "row", "0 to 2"),
        ({"row": 10**9}, "row", "0 to 2"),
        ({"row": 2**63}, "row", "0 to 2"),
        ({"row": 10**4000}, "row", "0 to 2"),
        ({"col": 4}, "col", "0 to 3"),
        ({"col": 2**64}, "col", "0 to 3"),
        ({"rows": 4}, "rows", "at most 3"),
        ({"rows": 2**63}, "rows", "at most 3"),
        ({"rows": 10**4000}, "rows", "at most 3"),
        ({"row": 2, "rows": 2}, "rows", "at most 1"),
        ({"cols": 5}, "cols", "at most 4"),
        ({"col": 1, "cols": 4}, "cols", "at most 3"),
        ({"col": 3, "cols": 2**64}, "cols", "at most 1"),
        ({"row": 3, "rows": 1}, "row", "0 to 2"),
        ({"row": 9, "col": 9, "rows": 9, "cols": 9}, "row", "0 to 2"),
        ("3,0,1,1", "row", "0 to 2"),
        ("0,999999999,1,1", "col", "0 to 3"),
        ("2,3,1,999999999", "cols", "at most 1"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_strips_question_rejects_window_off_the_board(
    client: TestClient, window: object, side: str, fix: str
) -> None:
    answer = client.post(PATH, json={"board": GOOD, "window": window})
    assert_problem(answer, 422, "bad-window", f"/window/{side}")
    assert fix in parse_problem(answer).fix
    assert len(answer.content) < 10_000


@pytest.mark.parametrize(
    ("name", "pointer"),
    [
        ("rowz", "/window/rowz"),
        ("Row", "/window/Row"),
        ("", "/window/"),
        ("a/b~", "/window/a~1b~0"),
        ("board", "/window/board"),
        ("x" * 10_000, None),
    ],
    ids=lambda value: str(value)[:10],
)
def test_strips_question_rejects_unknown_name_in_window(
    client: TestClient, name: str, pointer: str | None
) -> None:
    answer = client.post(PATH, json={"board": GOOD, "window": {"row": 0, name: 1}})
    assert_problem(answer, 422, "unknown-field", pointer)
    assert "row, col, rows, cols" in parse_problem(answer).fix
    assert len(answer.content) < 1000


def test_strips_question_rejects_missing_window(client: TestClient) -> None:
    assert_problem(client.post(PATH, json={"board": GOOD}), 422, "missing-field", "/window")
    assert_problem(client.post(PATH, content="??", headers=TEXT), 422, "missing-field", "/window")


def test_strips_question_rejects_window_given_twice(client: TestClient) -> None:
    twice = f"{PATH}?window=0,0,1,1&window=0,0,1,1"
    assert_problem(client.post(twice, content="??", headers=TEXT), 400, "repeated-name")
    answer = client.post(f"{PATH}?window=0,0,1,1", json={"board": GOOD, "window": {}})
    assert_problem(answer, 400, "query-with-json")
    body = '{"board": ["??"], "window": {"row": 0, "row": 0}}'
    answer = client.post(PATH, content=body, headers={"Content-Type": "application/json"})
    assert_problem(answer, 400, "repeated-name")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(SIDES) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=6,
)


@given(window=JSON_VALUES)
def test_strips_question_never_fails_for_any_window(client: TestClient, window: object) -> None:
    body = json.dumps({"board": GOOD, "window": window}).replace("Infinity", "1")
    json_type = {"Content-Type": "application/json"}
    answer = client.post(PATH, content=body, headers=json_type)
    if answer.status_code != 200:
        found = parse_problem(answer)
        assert found.status == 422
        assert (found.pointer or "").startswith("/window")


@pytest.mark.parametrize(
    ("board", "window", "side"),
    [
        (["?" * 13] * 13, {}, "rows"),
        (["?" * 20] * 13, {}, "rows"),
        (["?" * 13] * 20, {}, "cols"),
        (["?" * 20] * 20, window_fields((3, 3, 13, 17)), "rows"),
        (["?" * 20] * 20, "3,3,17,13", "cols"),
        # A clue in the last row sees unknown cells in a thirteenth.
        ([*["?" * 20] * 11, "1" + "?" * 19, "?" * 20], window_fields((0, 0, 12, 20)), "rows"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_strips_question_rejects_window_of_13_cells_across(
    client: TestClient, board: list[str], window: object, side: str
) -> None:
    answer = client.post(PATH, json={"board": board, "window": window})
    assert_problem(answer, 422, "bad-window", f"/window/{side}")
    found = parse_problem(answer)
    assert "13 cells across" in found.detail
    assert "At most 12" in found.fix


def test_strips_question_reads_window_of_12_cells_across(client: TestClient) -> None:
    for rows in (["?" * 20] * 12, ["?" * 12] * 20):
        found = ask(client, rows, {})
        assert (found["count"], found["solver"]["machines"]) == (str(2**240), ["strip-12"])


@pytest.mark.parametrize(
    ("board", "code"),
    [([], "empty-board"), (["1?", "?"], "ragged-rows"), (["9"], "unknown-symbol")],
)
def test_strips_question_rejects_invalid_board(
    client: TestClient, board: list[str], code: str
) -> None:
    assert_problem(client.post(PATH, json={"board": board, "window": {}}), 422, code)


# Large boards, and too little time.

SIDE = 1000


@pytest.fixture(scope="module")
def large() -> Board:
    return boards.hidden_layout(SIDE, SIDE, 0.4, seed=4)


@pytest.fixture(scope="module")
def ask_large(client: TestClient) -> Callable[[Board, Window], dict[str, Any]]:
    def ask_question(board: Board, window: Window) -> dict[str, Any]:
        query = f"window={','.join(map(str, window))}&deadline_ms=5000"
        answer = client.post(f"{PATH}?{query}", content="\n".join(draw(board)), headers=TEXT)
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        assert found["solver"]["complete"] is True
        return found

    return ask_question


@pytest.mark.parametrize("window", [(500, 400, 4, 6), (0, 0, 3, 3), (998, 997, 2, 3)])
def test_strips_question_about_large_board_agrees_with_part_around_window(
    client: TestClient,
    ask_large: Callable[[Board, Window], dict[str, Any]],
    large: Board,
    window: Window,
) -> None:
    row, col, height, width = window
    top, left = max(0, row - 1), max(0, col - 1)
    around = Board(large.cells[top : row + height + 1, left : col + width + 1])
    near = ask(client, draw(around), window_fields((row - top, col - left, height, width)))
    found = ask_large(large, window)
    for field in ("consistent", "count", "witness", "probabilities"):
        assert found[field] == near[field], field
    for kind in ("mines", "safe"):
        shifted = [[r + top, c + left] for r, c in near["forced"][kind]]
        assert found["forced"][kind] == shifted


def test_strips_question_finds_conflict_in_window_of_large_board(
    ask_large: Callable[[Board, Window], dict[str, Any]], large: Board
) -> None:
    cells = large.cells.copy()
    cells[600:603, 600:606] = UNKNOWN
    cells[601, 602:604] = (7, 0)
    cells[10, 10:12] = (8, 0)
    found = ask_large(Board(cells), (600, 599, 3, 8))
    assert found["conflict"]["clues"] == [[601, 602], [601, 603]]
    elsewhere = ask_large(Board(cells), (700, 700, 3, 8))
    assert (elsewhere["consistent"], elsewhere["conflict"]) == (True, None)


@pytest.mark.usefixtures("late")
def test_strips_question_answers_null_past_deadline(client: TestClient) -> None:
    rows = [(row * 455)[:10_000] for row in lattice(22)[:12]]
    found = ask(client, rows, {})
    assert found["solver"]["complete"] is False
    for field in ("consistent", "witness", "count", "forced", "probabilities", "conflict"):
        assert found[field] is None, field
    assert found["window"] == window_in_answer((0, 0, 12, 10_000))


# The documentation.


@pytest.fixture(scope="module")
def operation(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()["paths"][PATH]["post"]
    return found


def test_openapi_names_options_of_strips(operation: dict[str, Any]) -> None:
    names = {parameter["name"] for parameter in operation["parameters"]}
    assert names == set(QUESTIONS_BY_NAME["strips"].request.model_fields) - {"board"}
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["required"]) == {"board", "window"}
    shown, text = body["properties"]["window"]["anyOf"]
    assert set(shown["properties"]) == set(SIDES)
    assert text["type"] == "string"


def test_examples_of_strips_in_openapi_are_accepted(
    client: TestClient, operation: dict[str, Any]
) -> None:
    content = operation["requestBody"]["content"]
    example = content["application/json"]["examples"]["board"]["value"]
    found = ask(client, **example)
    assert found["consistent"] is True
    # A board alone is not enough.
    assert "example" not in content["text/plain"]
    schema = content["application/json"]["schema"]
    for window in schema["properties"]["window"]["examples"]:
        assert client.post(PATH, json={"board": GOOD, "window": window}).status_code == 200
