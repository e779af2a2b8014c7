"""Games are graded over HTTP and on the command line, from maps in every format."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from minecheck.app.functions.grade import GRADE, GradeAnswer, GradeInput
from minecheck.minefield import formats, parse
from minecheck.minefield.formats import FORMATS, Opened
from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout
from minecheck.solvers import Deadline
from minecheck.solvers.games.click_graph import PlannedClick
from minecheck.solvers.games.fewest_clicks import FewestClicks
from tests.app.cli.running import one_line, run
from tests.app.content_types import TEXT
from tests.app.problem_responses import assert_problem
from tests.app.questions.responses import drop_elapsed

ROWS = ["012B2", "01B3B", "01121", "12110", "B2B10"]
LAYOUT = Layout(parse(ROWS).cells == 10)
GAME_ID = "5x5:0,0,m0121198"


def post_grade(client: TestClient, **request: Any) -> dict[str, Any]:
    answer = client.post("/v1/grade", **request)
    assert answer.status_code == 200, answer.text[:500]
    GradeAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


def grade_example(client: TestClient) -> dict[str, Any]:
    return drop_elapsed(post_grade(client, json={"layout": ROWS, "first": [0, 0]}))


def test_grade_route_grades_game(client: TestClient) -> None:
    found = grade_example(client)
    assert found["guess_free"] is False
    assert found["difficulty"] == "subset"
    assert found["steps"] == {
        "trivial": 0,
        "subset": 5,
        "bounds": 0,
        "look-ahead": 0,
        "global": 0,
        "search": 0,
    }
    assert (found["openings"], found["3bv"], found["mines"]) == (2, 8, 5)
    assert (found["first"], found["layout"]) == ([0, 0], ROWS)
    stuck = found["stuck"]
    assert stuck["board"] == ["01???", "01?3?", "01121", "12?10", "???10"]
    assert stuck["win"] == {"low": 0.5, "high": 0.5, "exact": True}
    assert len(stuck["guesses"][0]["cells"]) == 8
    assert stuck["moves"][0]["win"] == 0.5
    assert found["solver"] == {"name": "reasons", "complete": True}


def test_grade_route_finds_fewest_clicks_if_asked(client: TestClient) -> None:
    assert grade_example(client)["fewest_clicks"] is None
    request = {"layout": ["111", "1B1", "111"], "first": [0, 0], "fewest_clicks": True}
    found = post_grade(client, json=request)
    plan = found["fewest_clicks"].pop("plan")
    assert found["fewest_clicks"] == {
        "low": 5,
        "high": 5,
        "exact": True,
        "zini": 5,
        "human_zini": 6,
    }
    assert plan[:2] == [{"kind": "open", "cell": [0, 1]}, {"kind": "flag", "cell": [1, 1]}]
    assert [click["kind"] for click in plan[2:]] == ["chord"] * 3
    assert found["solver"]["complete"] is True


def test_grade_command_prints_fewest_clicks(tmp_path: Path) -> None:
    map_file = tmp_path / "map.txt"
    map_file.write_text("111\n1B1\n111\n")
    found = run("grade", str(map_file), "--first", "0,0", "--fewest-clicks")
    assert "fewest clicks: 5 (ZiNi: 5, Human ZiNi: 6)" in found.stdout


def test_grade_without_proved_fewest_clicks_is_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    found = FewestClicks(4, [PlannedClick("open", (0, 0))] * 5, 5, 5)
    monkeypatch.setattr(
        "minecheck.app.functions.fewest_clicks.find_fewest_clicks", lambda *_: found
    )
    game = Game(Layout(np.array([[False, False], [False, True]])), (0, 0))
    answer = json.loads(GRADE.answer(GradeInput(game, True), Deadline()))
    assert answer["fewest_clicks"]["exact"] is False
    assert answer["solver"]["complete"] is False


def test_grade_of_guess_free_game_has_no_stuck_position(client: TestClient) -> None:
    found = post_grade(client, json={"layout": ["01B", "022", "01B"], "first": "0,0"})
    assert (found["guess_free"], found["stuck"]) == (True, None)


@pytest.mark.parametrize("name", [name for name, known in FORMATS.items() if known.maps])
def test_grade_route_reads_maps_of_all_formats(client: TestClient, name: str) -> None:
    file = formats.write(Opened(None, LAYOUT, None, name, (0, 0)), name)
    data = file.encode() if isinstance(file, str) else file
    query = f"/v1/grade?format={name}&first=0,0"
    header = {"Content-Type": "application/octet-stream"}
    answer = client.post(query, content=data, headers=header)
    assert answer.status_code == 200, answer.text
    assert drop_elapsed(answer.json()) == grade_example(client)
    if isinstance(file, str):
        fields = {"file": file, "format": name, "first": [0, 0]}
        assert drop_elapsed(post_grade(client, json=fields)) == grade_example(client)


def test_grade_route_takes_first_click_from_game_id(client: TestClient) -> None:
    assert drop_elapsed(post_grade(client, json={"file": GAME_ID})) == grade_example(client)
    assert drop_elapsed(post_grade(client, content=GAME_ID, headers=TEXT)) == grade_example(client)


def test_grade_route_reads_rows_without_format(client: TestClient) -> None:
    fields = {"file": "\n".join(ROWS), "first": [0, 0]}
    assert drop_elapsed(post_grade(client, json=fields)) == grade_example(client)


@pytest.mark.usefixtures("late")
def test_grade_past_deadline_is_incomplete(client: TestClient) -> None:
    rows = ["S" * 400] * 200 + ["SB" * 200, "S" * 400] * 60
    found = post_grade(client, json={"layout": rows, "first": [0, 0]})
    assert found["guess_free"] is None
    assert not found["solver"]["complete"]
    assert found["mines"] == 12_000


def test_fix_of_missing_layout_can_be_followed(client: TestClient) -> None:
    fix = client.post("/v1/grade", json={}).json()["fix"]
    layout = re.search(r'"layout": \[.*?\]', fix)
    first = re.search(r'"first": ".*?"', fix)
    assert layout is not None
    assert first is not None
    post_grade(client, json=json.loads(f"{{{layout[0]}, {first[0]}}}"))


@pytest.mark.parametrize(
    ("fields", "code", "pointer"),
    [
        ({}, "missing-field", "/layout"),
        ({"layout": ROWS}, "missing-field", "/first"),
        ({"layout": ROWS, "file": GAME_ID}, "layout-and-file", "/file"),
        ({"layout": ROWS, "first": [0, 3]}, "first-on-a-mine", "/first"),
        ({"layout": ROWS, "first": [5, 0]}, "first-off-the-board", "/first"),
        ({"layout": ROWS, "first": [-1, 0]}, "first-off-the-board", "/first"),
        ({"layout": ROWS, "first": "x"}, "bad-value", "/first"),
        ({"layout": ["1?"], "first": [0, 0]}, "bad-value", "/layout/0/1"),
        ({"layout": ["2B"], "first": [0, 0]}, "bad-value", "/layout/0/0"),
        ({"layout": ["1B", "1"], "first": [0, 0]}, "ragged-rows", "/layout/1"),
        ({"layout": 7, "first": [0, 0]}, "board-type", "/layout"),
        ({"file": 7}, "bad-value", "/file"),
        ({"file": "hello"}, "no-board", "/file"),
        ({"file": "1%"}, "unknown-symbol", "/file/0/1"),
        ({"file": GAME_ID, "format": "gif"}, "no-such-format", "/file"),
        ({"file": GAME_ID, "format": "mbf"}, None, "/file"),
        ({"file": "3x2x1\n1FH\n11H\n"}, "layout-missing", "/file"),
        ({"file": "9x9n35a"}, None, "/file"),
        ({"layout": ROWS, "first": [0, 0], "mines": 5}, "unknown-field", "/mines"),
        ({"layout": ROWS, "first": [0, 0], "deadline_ms": 0}, "bad-value", "/deadline_ms"),
    ],
)
def test_grade_route_rejects_invalid_field_by_name(
    client: TestClient, fields: dict[str, Any], code: str | None, pointer: str
) -> None:
    problem = client.post("/v1/grade", json=fields)
    assert problem.status_code == 422, problem.text
    document = problem.json()
    assert document["pointer"] == pointer
    assert document["fix"]
    if code is not None:
        assert document["type"].endswith(code)


def test_grade_route_rejects_forms(client: TestClient) -> None:
    answer = client.post("/v1/grade", data={"file": GAME_ID})
    assert_problem(answer, 415, "unsupported-media-type")


# The command.


def test_grade_command_grades_file(tmp_path: Path, client: TestClient) -> None:
    file = tmp_path / "game.mbf"
    data = formats.write(Opened(None, LAYOUT, None, "mbf"), "mbf")
    assert isinstance(data, bytes)
    file.write_bytes(data)
    found = run("grade", str(file), "--first", "0,0", "--json")
    assert found.exit_code == 1
    assert drop_elapsed(json.loads(found.stdout)) == grade_example(client)


def test_grade_command_prints_stuck_position() -> None:
    found = run("grade", "-", stdin=GAME_ID.encode())
    assert found.exit_code == 1
    for line in ("a guess is needed", "openings: 2, 3BV: 8", "steps: 5 subset", "  01?3?"):
        assert line in found.stdout.splitlines()


def test_grade_command_exits_with_0_for_guess_free_game() -> None:
    found = run("grade", "-", "--first", "0,0", stdin=b"01B\n022\n01B\n")
    assert found.exit_code == 0
    assert found.stdout.splitlines()[0] == "no guess is needed"


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        ((), b"01B\n022\n01B\n", "--first"),
        (("--first", "0,2"), b"01B\n022\n01B\n", "--first: There is a mine"),
        (("--first", "0"), b"01B\n022\n01B\n", "--first"),
        (("--first", "0,0"), b"\xff\xf0", "format"),
        (("--first", "0,0", "--format", "gif"), b"1B", "gif"),
    ],
)
def test_grade_command_rejects_wrong_input(
    arguments: tuple[str, ...], stdin: bytes, message: str
) -> None:
    one_line(run("grade", "-", *arguments, stdin=stdin), message)
