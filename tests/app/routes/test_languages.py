"""Languages of boards are listed over HTTP and on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.app.functions.languages import LanguageAnswer
from tests.app.cli.running import drop_source, one_line, run
from tests.app.problem_responses import assert_problem
from tests.app.questions.responses import drop_elapsed


def post_language(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post("/v1/languages", json=fields)
    assert answer.status_code == 200, answer.text[:500]
    LanguageAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


def test_languages_route_pages_boards(client: TestClient) -> None:
    found, offset = [], "0"
    while True:
        page = post_language(client, rows=1, cols=3, offset=offset, limit=9)
        found += page["boards"]
        offset = page["next_offset"]
        if offset is None:
            break
    assert page["count"] == "38" == str(len(found))
    assert found[:3] == [["000"], ["00?"], ["01?"]]
    assert page["states"] == 6
    assert page["generating_function"]["denominator"] == ["1", "-3", "-2", "1"]


def test_languages_route_finds_board_after_given_board(client: TestClient) -> None:
    found = post_language(client, rows=1, cols=2, after="1B", limit=1)
    assert (found["rank"], found["offset"], found["boards"]) == ("3", "4", [["?0"]])
    wrong = post_language(client, rows=1, cols=2, after=["21"], limit=1)
    assert (wrong["rank"], wrong["offset"], wrong["boards"]) == (None, "4", [["?0"]])
    last = post_language(client, rows=1, cols=2, after=["BB"])
    assert (last["rank"], last["boards"], last["next_offset"]) == ("10", [], None)


def test_languages_route_repeats_and_continues_draws_by_seed(client: TestClient) -> None:
    fresh = {"rows": 3, "cols": 4, "safe": True, "seed": 11}
    whole = post_language(client, **fresh, limit=4)
    assert post_language(client, **fresh, limit=4)["boards"] == whole["boards"]
    assert (whole["seed"], whole["next_offset"]) == ("11", "4")
    assert post_language(client, **fresh, offset=2, limit=2)["boards"] == whole["boards"][2:]
    for board in whole["boards"]:
        assert client.post("/v1/check", json={"board": board}).json()["consistent"]


def test_languages_route_counts_exactly(client: TestClient) -> None:
    found = post_language(client, rows=3, cols=3, limit=1)
    assert (found["count"], found["generating_function"]) == ("115804", None)
    assert len(post_language(client, rows=2, cols=2000, limit=1)["count"]) > 2000


@pytest.mark.usefixtures("late")
def test_languages_route_answers_null_past_deadline(client: TestClient) -> None:
    found = post_language(client, rows=3, cols=100)
    assert (found["count"], found["boards"]) == (None, None)
    assert found["solver"]["complete"] is False


@pytest.mark.parametrize(
    ("fields", "code", "pointer"),
    [
        ({"rows": 1}, "missing-field", "/cols"),
        ({"rows": 0, "cols": 1}, "bad-value", "/rows"),
        ({"rows": 4, "cols": 2}, "too-many-rows", "/rows"),
        ({"rows": 4, "cols": 9}, "too-many-rows", "/rows"),
        ({"rows": 1, "cols": 10**9}, "over-the-limit", "/cols"),
        ({"rows": 1, "cols": 2, "offset": 12}, "offset-beyond-the-last", "/offset"),
        ({"rows": 1, "cols": 2, "limit": 10**9}, "over-the-limit", "/limit"),
        ({"rows": 1, "cols": 2, "after": "1?", "offset": 1}, "bad-value", "/after"),
        ({"rows": 1, "cols": 2, "after": "1?", "seed": 0}, "bad-value", "/after"),
        ({"rows": 1, "cols": 2, "after": "1??"}, "bad-value", "/after"),
        ({"rows": 1, "cols": 2, "after": "S?"}, "bad-value", "/after/0/0"),
        ({"rows": 1, "cols": 2, "after": "9?"}, "unknown-symbol", "/after/0/0"),
        ({"rows": 1, "cols": 2, "length": 2}, "unknown-field", "/length"),
    ],
)
def test_languages_route_rejects_invalid_requests(
    client: TestClient, fields: dict[str, Any], code: str, pointer: str
) -> None:
    assert_problem(client.post("/v1/languages", json=fields), 422, code, pointer)


def test_language_command_prints_boards(client: TestClient, tmp_path: Path) -> None:
    shown = run("language", "--rows", "1", "--cols", "2", "--offset", "9")
    assert shown.exit_code == 0
    assert drop_source(shown.stdout).splitlines() == [
        "11 consistent boards of 1x2",
        "of all lengths: (1) / (1 - 3x - 2x^2 + x^3)",
        *("number 9", "  B?", "number 10", "  BB"),
    ]
    board = tmp_path / "board.txt"
    board.write_text("21\n")
    after = run("language", "--rows", "1", "--cols", "2", "--after", str(board), "--limit", "1")
    assert "the given board is inconsistent" in after.stdout
    as_json = run("language", "--rows", "3", "--cols", "2", "--seed", "5", "--json")
    assert drop_elapsed(json.loads(as_json.stdout)) == drop_elapsed(
        post_language(client, rows=3, cols=2, seed=5)
    )


def test_language_command_names_wrong_options() -> None:
    one_line(run("language", "--rows", "4", "--cols", "2"), "--rows: ")
    one_line(run("language", "--rows", "1", "--cols", "2", "--offset", "99"), "offset: ")
    late = run("language", "--rows", "1", "--cols", "2", "--deadline", "1e-9")
    assert late.exit_code == 3
    assert "incomplete" in late.stderr
