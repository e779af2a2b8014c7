"""Questions accept boards in every form, and give right answers in the declared shape."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from tests.app.content_types import TEXT
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.app.questions.responses import (
    MODELS,
    ask,
    assert_promised,
    drop_elapsed,
    shows_layout_of,
)
from tests.boards import BOARD_1_LAYOUTS, CASE, CASES, Case

BOARD_1 = list(CASE["kadlac-board-1"].rows)


@pytest.mark.parametrize("task", MODELS)
def test_answers_name_size_of_board_that_was_read(client: TestClient, task: str) -> None:
    def size(**request: Any) -> list[object]:
        found = client.post(f"/v1/{task}", **request).json()
        return [found.get(field, "missing") for field in ("rows", "cols", "mines")]

    rows = ["?????", "?222?", "?????"]
    assert size(json={"board": rows}) == [3, 5, None]
    assert size(json={"board": rows, "mines": 4}) == [3, 5, 4]
    assert size(json={"rules": [{"cells": ["a"], "mines": 1}]}) == ["missing"] * 3
    # curl -d removes line breaks in this way.
    assert size(content="".join(rows), headers=TEXT) == [1, 15, None]


@pytest.mark.parametrize("task", MODELS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_form_of_board_gets_equal_answer(client: TestClient, case: Case, task: str) -> None:
    nested = [[int(cell) if cell.isdigit() else cell for cell in row] for row in case.rows]
    text = "\n".join(case.rows)
    options = {"seed": 5} if task == "sample" else {}
    answers = [ask(client, task, board, **options) for board in (list(case.rows), nested, text)]
    for plain in (text, text + "\n", text.replace("\n", "\r\n")):
        answer = client.post(f"/v1/{task}", params=options, content=plain, headers=TEXT)
        answers.append(answer.json())
    assert all(drop_elapsed(answer) == drop_elapsed(answers[0]) for answer in answers)
    assert_promised(MODELS[task], answers[0])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_analyses_of_reference_boards_are_right(client: TestClient, case: Case) -> None:
    found = ask(client, "analyze", list(case.rows))
    assert found["consistent"] is case.consistent
    assert found["count"] == str(case.layouts)
    assert found["solver"]["complete"] is True
    if case.consistent:
        assert shows_layout_of(found["witness"], case)
        assert found["by_mines"] == {str(m): str(n) for m, n in case.by_mines.items()}
        assert {tuple(cell) for cell in found["forced"]["mines"]} == case.forced_mines
        assert {tuple(cell) for cell in found["forced"]["safe"]} == case.forced_safe
        chances = found["probabilities"]
        for row, symbols in enumerate(case.rows):
            assert [chance is None for chance in chances[row]] == [s != "?" for s in symbols]
        assert all(chances[row][col] == 1 for row, col in case.forced_mines)
        assert all(chances[row][col] == 0 for row, col in case.forced_safe)
        assert found["conflict"] is None
    else:
        assert found["conflict"]
        for field in ("witness", "by_mines", "forced", "probabilities"):
            assert found[field] is None, field


@pytest.mark.parametrize("case", [c for c in CASES if 0 < c.layouts <= 600], ids=str)
def test_layouts_question_lists_each_layout_once(client: TestClient, case: Case) -> None:
    found = ask(client, "layouts", list(case.rows), limit=1000)
    layouts = found["layouts"]
    assert len({tuple(rows) for rows in layouts}) == len(layouts) == case.layouts
    assert found["next_offset"] is None
    assert all(shows_layout_of(rows, case) for rows in layouts)


@pytest.mark.parametrize("backend", ["auto", "automata", "frontier", "sat", "cpsat", "exhaustive"])
def test_every_backend_lists_layouts_of_first_board_of_kadlac(
    client: TestClient, backend: str
) -> None:
    found = ask(client, "layouts", BOARD_1, backend=backend)
    assert found["count"] == "16"
    assert {tuple(rows) for rows in found["layouts"]} == set(BOARD_1_LAYOUTS)


def test_total_of_mines_includes_known_mines(client: TestClient) -> None:
    assert ask(client, "count", ["B?", "??"], mines=2)["count"] == "3"
    assert ask(client, "count", ["B?", "??"], mines=0)["consistent"] is False
    assert ask(client, "count", ["??"], mines=-0)["count"] == "1"


def test_total_that_contradicts_clues_is_part_of_conflict(client: TestClient) -> None:
    found = ask(client, "check", ["1?", "??"], mines=2)
    assert found["consistent"] is False
    assert found["conflict"]["total"] is True
    assert found["conflict"]["clues"] == [[0, 0]]


@pytest.mark.parametrize("density", [0.25, 1e-9, 5e-324])
def test_density_weighs_chances(client: TestClient, density: float) -> None:
    (row,) = ask(client, "analyze", ["??1?"], density=density)["probabilities"]
    assert row == pytest.approx([density, 0.5, None, 0.5])


def test_flags_are_claims_unless_option_trusts_flags(client: TestClient) -> None:
    board = ["F1?F", "?1??"]
    claims = ask(client, "forced", board)
    assert sorted(cell for cells in claims["flags"].values() for cell in cells) == [
        [0, 0],
        [0, 3],
    ]
    trusted = ask(client, "check", board, flags="trust")
    assert "flags" not in trusted
    assert trusted["witness"][0][0] == "B"


@pytest.mark.parametrize(
    ("notation", "board", "count"),
    [("probst", ["1-", "--"], "3"), ("minesweepr", ["1x", "xx"], "3"), ("probst", ["+ "], "1")],
)
def test_questions_read_named_notations(
    client: TestClient, notation: str, board: list[str], count: str
) -> None:
    assert ask(client, "count", board, notation=notation)["count"] == count
    text = "\n".join(board)
    answer = client.post(f"/v1/count?notation={notation}", content=text, headers=TEXT)
    assert answer.json()["count"] == count


def test_questions_read_options_of_plain_board_in_query(client: TestClient) -> None:
    query = "mines=1&backend=frontier&deadline_ms=4000&flags=claims"
    found = client.post(f"/v1/count?{query}", content="1?\n??", headers=TEXT).json()
    assert (found["count"], found["solver"]["name"]) == ("3", "frontier")
    found = client.post("/v1/analyze?density=0.25", content="?", headers=TEXT).json()
    assert found["probabilities"] == [[0.25]]
    found = client.post("/v1/layouts?offset=2&limit=1", content="1?\n??", headers=TEXT).json()
    assert (found["offset"], len(found["layouts"])) == ("2", 1)


def test_count_of_thousands_of_digits_is_complete(client: TestClient) -> None:
    assert len(ask(client, "count", ["?" * 15_000])["count"]) == 4516


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; charset=utf-8",
        'Application/JSON; Charset="UTF-8"',
        "application/json;",
        "application/json; charset=utf-8; profile=x",
    ],
)
def test_content_type_may_declare_utf_8(client: TestClient, content_type: str) -> None:
    body = b'{"board": ["1?", "??"]}'
    headers = {"Content-Type": content_type}
    assert client.post("/v1/check", content=body, headers=headers).status_code == 200


def test_byte_order_mark_is_ignored(client: TestClient) -> None:
    body = '\ufeff{"board": ["1?", "??"]}'.encode()
    json_type = {"Content-Type": "application/json"}
    assert client.post("/v1/check", content=body, headers=json_type).status_code == 200
    answer = client.post("/v1/check", content="\ufeff1?\n??".encode(), headers=TEXT)
    assert answer.status_code == 200


def test_default_page_of_layouts_respects_lower_limit_of_service() -> None:
    with TestClient(create_app(Settings(workers=1, max_layouts=5))) as client:
        found = ask(client, "layouts", ["????"])
    assert (len(found["layouts"]), found["next_offset"]) == (5, "5")


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def test_openapi_lists_questions(document: dict[str, Any]) -> None:
    assert {f"/v1/{task}" for task in MODELS} <= set(document["paths"])


@pytest.mark.parametrize("task", MODELS)
def test_examples_in_openapi_are_accepted_by_questions(
    client: TestClient, document: dict[str, Any], task: str
) -> None:
    bodies = document["paths"][f"/v1/{task}"]["post"]["requestBody"]["content"]
    shown = [(kind, body["example"]) for kind, body in bodies.items() if "example" in body]
    named = bodies["application/json"]["examples"].values()
    for content_type, example in [*shown, *(("application/json", each["value"]) for each in named)]:
        content = example if isinstance(example, str) else json.dumps(example)
        headers = {"Content-Type": content_type}
        answer = client.post(f"/v1/{task}", content=content, headers=headers)
        assert answer.status_code == 200, answer.text


def test_references_in_openapi_can_be_resolved(document: dict[str, Any]) -> None:
    for reference in _references(document):
        node = document
        for step in reference.removeprefix("#/").split("/"):
            assert step in node, reference
            node = node[step]


def test_openapi_names_options_of_layouts(document: dict[str, Any]) -> None:
    operation = document["paths"]["/v1/layouts"]["post"]
    names = {parameter["name"] for parameter in operation["parameters"]}
    assert names == set(QUESTIONS_BY_NAME["layouts"].request.model_fields) - {
        *("board", "rules", "total_cells", "layout")
    }


def _references(value: object) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(_references, value))
    if not isinstance(value, dict):
        return set()
    own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
    return own.union(*map(_references, value.values()))
