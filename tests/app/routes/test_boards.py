"""The route for boards to play deals boards, repeats them by seed, and rejects bad fields."""

import json
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from minecheck.app.functions import boards
from minecheck.app.functions.boards import GameAnswer
from minecheck.minefield import parse
from minecheck.minefield.layout import Layout
from minecheck.solvers.games.drills import DrillOptions
from minecheck.solvers.games.generator import BoardOptions, Guarantee
from minecheck.solvers.reasons.deduction import LEVELS
from tests.app.content_types import TEXT
from tests.app.problem_responses import assert_problem
from tests.clocks import Looks
from tests.deduction import can_play_through, everything


def post_board(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post("/v1/boards", json=fields)
    assert answer.status_code == 200, answer.text[:500]
    assert answer.headers["content-type"] == "application/json"
    GameAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


def without_time(answer: dict[str, Any]) -> dict[str, Any]:
    return answer | {"solver": answer["solver"] | {"elapsed_ms": None}}


@pytest.mark.parametrize("kind", ["random", "opening", "guess-free"])
def test_boards_route_gives_layout_and_cells_that_first_click_shows(
    client: TestClient, kind: str
) -> None:
    found = post_board(client, height=9, width=12, mines=15, kind=kind, seed=3)
    assert found["found"]
    assert (found["seed"], found["kind"], found["mines"]) == ("3", kind, 15)
    assert found["first"] == [4, 6]
    assert found["tries"] >= 1
    assert found["solver"] | {"elapsed_ms": 0} == {
        "name": "reasons",
        "complete": True,
        "elapsed_ms": 0,
    }
    layout = Layout(parse(found["layout"]).cells == 10)
    assert layout.total == 15
    assert layout.rows() == found["layout"]
    board = parse(found["board"])
    assert layout.fits_board(board, 15)
    assert board.cells[4, 6] <= 8
    if kind == "random":
        assert found["difficulty"] is None
    else:
        assert board.cells[4, 6] == 0
        assert np.count_nonzero(board.cells <= 8) >= 9
    assert (found["difficulty"] is not None) == (kind == "guess-free")


def test_boards_route_deals_guess_free_board_by_default(client: TestClient) -> None:
    assert post_board(client, height=9, width=9, mines=10)["kind"] == "guess-free"


def test_boards_route_accepts_first_click_anywhere(client: TestClient) -> None:
    found = post_board(client, height=9, width=9, mines=10, first=[8, 0])
    assert found["first"] == [8, 0]
    assert found["board"][8][0] == "0"


def test_seed_in_answer_gives_equal_board_again(client: TestClient) -> None:
    options = {"height": 16, "width": 30, "mines": 99}
    found = post_board(client, **options)
    for seed in (found["seed"], int(found["seed"])):
        assert without_time(post_board(client, **options, seed=seed)) == without_time(found)
    assert post_board(client, **options)["seed"] != found["seed"]


def test_expert_boards_of_boards_route_need_no_guess(
    client: TestClient, request: pytest.FixtureRequest
) -> None:
    expert = {"height": 16, "width": 30, "mines": 99, "deadline_ms": 60_000}
    for seed in range(request.config.getoption("--expert-boards")):
        first = (seed * 7 % 16, seed * 11 % 30)
        found = post_board(client, **expert, first=first, seed=seed)
        rows = found["layout"]
        assert (len(rows), {*map(len, rows)}, "".join(rows).count("B")) == (16, {30}, 99)
        assert can_play_through(rows, first, everything), seed
        assert post_board(client, **expert, first=first, seed=seed)["layout"] == rows


@pytest.mark.parametrize("difficulty", ["trivial", "subset", "bounds", "global"])
def test_boards_route_deals_no_board_above_requested_difficulty(
    client: TestClient, difficulty: str
) -> None:
    levels = ["trivial", "subset", "bounds", "look-ahead", "global", "search"]
    found = post_board(client, height=9, width=9, mines=16, difficulty=difficulty)
    assert levels.index(found["difficulty"]) <= levels.index(difficulty)


def test_boards_route_reads_null_as_default(client: TestClient) -> None:
    options = {"height": 5, "width": 6, "mines": 6, "seed": 7}
    spelled = post_board(client, **options, first=None, difficulty=None, deadline_ms=None)
    assert without_time(spelled) == without_time(post_board(client, **options))


def test_boards_route_says_that_no_board_was_found_in_time() -> None:
    options = BoardOptions(16, 30, 400, Guarantee.GUESS_FREE, (8, 15), 1)
    found = json.loads(boards.BOARDS.answer(options, Looks(most=1000)))
    GameAnswer.model_validate(found, strict=True)
    assert not found["found"]
    assert not found["solver"]["complete"]
    assert found["layout"] is found["board"] is found["difficulty"] is None
    assert found["tries"] > 0
    assert found["seed"] == "1"
    assert found["solver"]["elapsed_ms"] > 0


@pytest.mark.usefixtures("late")
def test_boards_route_ends_worker_that_does_not_stop(client: TestClient) -> None:
    found = post_board(client, height=1000, width=1000, mines=200_000)
    assert not found["found"]
    assert not found["solver"]["complete"]
    assert found["tries"] is None


USUAL = {"height": 9, "width": 9, "mines": 10}


@pytest.mark.parametrize(
    ("changed", "code", "pointer"),
    [
        ({"height": 0}, "bad-value", "/height"),
        ({"width": 0}, "bad-value", "/width"),
        ({"width": "9"}, "bad-value", "/width"),
        ({"height": 3_000_000}, "over-the-limit", "/height"),
        ({"width": 300_000}, "over-the-limit", "/width"),
        ({"height": 10**400}, "over-the-limit", "/height"),
        ({"mines": -1}, "bad-value", "/mines"),
        ({"mines": 81, "kind": "random"}, "bad-value", "/mines"),
        ({"mines": 73, "kind": "opening"}, "bad-value", "/mines"),
        ({"mines": 73}, "bad-value", "/mines"),
        ({"first": [9, 0]}, "bad-value", "/first"),
        ({"first": [0, -1]}, "bad-value", "/first"),
        ({"first": [0]}, "bad-value", "/first"),
        ({"first": [True, 0]}, "bad-value", "/first"),
        ({"first": "0,"}, "bad-value", "/first"),
        ({"first": "9,0"}, "bad-value", "/first"),
        ({"kind": "easy"}, "bad-value", "/kind"),
        ({"difficulty": "easy"}, "bad-value", "/difficulty"),
        ({"difficulty": "subset", "kind": "random"}, "bad-value", "/difficulty"),
        ({"technique": "guess"}, "bad-value", "/technique"),
        ({"technique": "1-1", "difficulty": "subset"}, "bad-value", "/difficulty"),
        ({"technique": "1-1", "mines": 0}, "bad-value", "/mines"),
        ({"seed": -1}, "bad-value", "/seed"),
        ({"seed": 2**63}, "bad-value", "/seed"),
        ({"seed": str(2**63)}, "bad-value", "/seed"),
        ({"seed": "1e3"}, "bad-value", "/seed"),
        ({"deadline_ms": 0}, "bad-value", "/deadline_ms"),
        ({"deadline_ms": 10**9}, "over-the-limit", "/deadline_ms"),
        ({"colour": 1}, "unknown-field", "/colour"),
    ],
    ids=str,
)
def test_boards_route_rejects_invalid_field_by_name(
    client: TestClient, changed: dict[str, Any], code: str, pointer: str
) -> None:
    assert_problem(client.post("/v1/boards", json=USUAL | changed), 422, code, pointer)


def test_boards_route_names_field_as_it_was_sent(client: TestClient) -> None:
    found = client.post("/v1/boards", json=USUAL | {"height": 0}).json()
    assert found["detail"].startswith("height: 0 is less than 1")
    found = client.post("/v1/boards", json=USUAL | {"height": 0, "width": 9}).json()
    assert found["pointer"] == "/height"


def test_batch_takes_other_names_of_fields_in_lines_and_queries(client: TestClient) -> None:
    headers = {"Content-Type": "application/x-ndjson"}
    size = {"height": 3, "width": 4, "mines": 1, "kind": "random"}
    line = json.dumps(size).encode()
    found = client.post("/v1/batch?task=boards", content=line, headers=headers).json()
    assert [len(row) for row in found["layout"]] == [4] * 3
    path = "/v1/batch?task=boards&height=3&width=4&mines=1&kind=random"
    found = client.post(path, content=b"{}", headers=headers).json()
    assert [len(row) for row in found["layout"]] == [4] * 3
    found = client.post(path, content=b'{"rows": 2}', headers=headers).json()
    assert [len(row) for row in found["layout"]] == [4] * 2
    table = b"height,width,mines,kind\n3,4,1,random\n"
    headers = {"Content-Type": "text/csv"}
    found = client.post("/v1/batch?task=boards", content=table, headers=headers).json()
    assert [len(row) for row in found["layout"]] == [4] * 3


def test_boards_route_reads_first_click_as_string(client: TestClient) -> None:
    options = USUAL | {"seed": 5, "first": "3,4"}
    found = post_board(client, **options)
    assert found["first"] == [3, 4]
    assert found["layout"] == post_board(client, **options | {"first": [3, 4]})["layout"]


def test_boards_route_lists_levels_for_unknown_difficulty(client: TestClient) -> None:
    problem = client.post("/v1/boards", json=USUAL | {"difficulty": "easy"}).json()
    assert "^(" not in problem["detail"]
    assert problem["fix"] == f"Use one of: {', '.join(LEVELS)}."


def test_boards_route_names_most_columns_of_too_wide_board(client: TestClient) -> None:
    answer = client.post("/v1/boards", json=USUAL | {"height": 2_000_000, "width": 2})
    assert "at most 1 column of 2000000 cells" in answer.json()["detail"]
    answer = client.post("/v1/boards", json=USUAL | {"height": 1, "width": 2_000_001})
    assert "at most 2000000 columns of 1 cell." in answer.json()["detail"]


def test_boards_route_reads_height_and_width_as_rows_and_cols(client: TestClient) -> None:
    other = {"rows": 5, "cols": 6, "mines": 6, "seed": 7}
    assert (
        client.post("/v1/boards", json=other).json()["layout"]
        == post_board(client, height=5, width=6, mines=6, seed=7)["layout"]
    )
    both = client.post("/v1/boards", json=other | {"height": 5})
    assert_problem(both, 422, "bad-value", "/height")


@pytest.mark.parametrize("field", ["rows", "cols", "mines"])
def test_boards_route_requires_size_and_mines(client: TestClient, field: str) -> None:
    whole = {"rows": 9, "cols": 9, "mines": 10}
    body = {name: value for name, value in whole.items() if name != field}
    assert_problem(client.post("/v1/boards", json=body), 422, "missing-field", f"/{field}")


def test_boards_route_rejects_body_that_is_not_a_json_object(client: TestClient) -> None:
    assert_problem(
        client.post("/v1/boards", content="1?", headers=TEXT), 415, "unsupported-media-type"
    )
    assert_problem(client.post("/v1/boards", json=[]), 422, "not-an-object", "")
    assert_problem(client.post("/v1/boards?seed=1", json=USUAL), 400, "query-with-json")
    deep = '{"height": ' + "[" * 900 + "]" * 900 + "}"
    answer = client.post("/v1/boards", content=deep, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "text/html", "application/x-www-form-urlencoded"]
)
def test_boards_route_offers_only_json_for_other_content_types(
    client: TestClient, kind: str | None
) -> None:
    headers = {"Content-Type": kind} if kind else {}
    answer = client.post("/v1/boards", content=json.dumps(USUAL).encode(), headers=headers)
    assert_problem(answer, 415, "unsupported-media-type")
    assert answer.headers["accept-post"] == "application/json"
    assert "application/json" in answer.json()["fix"]
    assert "text/plain" not in answer.json()["fix"]


@pytest.mark.parametrize("body", ["", "{", "[1]"])
def test_fix_of_boards_route_does_not_ask_for_a_board(client: TestClient, body: str) -> None:
    answer = client.post("/v1/boards", content=body, headers={"Content-Type": "application/json"})
    assert "board" not in answer.json()["fix"]


def test_drill_names_cells_of_next_step_with_reason(client: TestClient) -> None:
    found = post_board(client, **USUAL, technique="1-2-1", seed=3)
    assert without_time(post_board(client, **USUAL, technique="1-2-1", seed=3)) == without_time(
        found
    )
    board, drill = parse(found["board"]), found["drill"]
    assert Layout(parse(found["layout"]).cells == 10).fits_board(board, 10)
    assert drill["technique"] == "1-2-1"
    assert {step["pattern"] for step in drill["steps"]} == {"1-2-1"}
    for value, kind in (("safe", "safe"), ("mines", "mine")):
        cells = {tuple(cell) for step in drill["steps"] for cell in step[value]}
        assert cells == {*map(tuple, drill[value])}
        for cell in drill[value]:
            request = {"board": found["board"], "mines": 10, "cell": cell}
            answer = client.post("/v1/explain", json=request).json()
            assert answer["explanations"][0]["value"] == kind


def test_drill_that_is_not_found_in_time_is_null() -> None:
    options = DrillOptions(9, 9, 10, Guarantee.RANDOM, (4, 4), 1, technique="search")
    found = json.loads(boards.BOARDS.answer(options, Looks(most=50)))
    GameAnswer.model_validate(found, strict=True)
    assert found["drill"] is found["board"] is found["layout"] is None
    assert not found["found"]
    assert not found["solver"]["complete"]


def test_board_without_technique_has_no_drill(client: TestClient) -> None:
    assert "drill" not in post_board(client, **USUAL)


def test_games_route_rejects_technique(client: TestClient) -> None:
    answer = client.post("/v1/games", json=USUAL | {"technique": "1-1"})
    assert_problem(answer, 422, "bad-value", "/technique")
