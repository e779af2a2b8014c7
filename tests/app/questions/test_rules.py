"""Questions take rules about named cells in place of a board."""

import json
from collections import Counter
from collections.abc import Collection, Hashable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import assume, given

from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from minecheck.minefield.board import MINE, Board
from minecheck.minefield.notation import draw
from minecheck.minefield.rules import Rule
from tests import oracle
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.app.problem_responses import assert_problem
from tests.app.questions.responses import MODELS, assert_promised, drop_elapsed
from tests.boards import layout_boards, rule_sets
from tests.examples import examples

NDJSON = {"Accept": "application/x-ndjson"}
RULES = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "mines": 1}]
ALONE = [{"cells": ["a"], "mines": 1}]


def ask(client: TestClient, task: str, rules: object, **options: object) -> dict[str, Any]:
    answer = client.post(f"/v1/{task}", json={"rules": rules, **options})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def as_json(rules: Collection[Rule]) -> list[dict[str, Any]]:
    """Return rules as they are sent, with bounds of `rule_sets` from 0."""
    return [
        {"cells": [f"c{cell}" for cell in rule.cells], "low": max(rule.low, 0), "high": rule.high}
        for rule in rules
    ]


def as_rules(board: Board) -> list[dict[str, Any]]:
    """Return the clues of a board as rules over all unknown cells, named ``row,col``."""
    rules = []
    unknown = {cell for cell in oracle_cells(board) if board.unknown[cell]}
    for cell in oracle_cells(board):
        code = int(board.cells[cell])
        if code <= 8:
            near = oracle.neighbours(cell, board.height, board.width)
            mines = sum(int(board.cells[at]) == MINE for at in near)
            names = [f"{r},{c}" for r, c in near if (r, c) in unknown]
            rules.append({"cells": names, "mines": code - mines})
    every = [f"{r},{c}" for r, c in sorted(unknown)]
    return [*rules, {"cells": every, "low": 0, "high": len(every)}]


def oracle_cells(board: Board) -> list[tuple[int, int]]:
    return [(row, col) for row in range(board.height) for col in range(board.width)]


@pytest.mark.parametrize("total", [None, 5])
@pytest.mark.parametrize("task", MODELS)
def test_answers_about_rules_have_declared_shape(
    client: TestClient, task: str, total: int | None
) -> None:
    found = ask(client, task, RULES, total_cells=total)
    assert_promised(MODELS[task], found)


@examples(40)
@given(layout_boards())
def test_board_written_as_rules_gets_equal_answers(client: TestClient, board: Board) -> None:
    assume(board.unknown.any())
    from_board = client.post("/v1/analyze", json={"board": draw(board), "fractions": True}).json()
    found = ask(client, "analyze", as_rules(board), fractions=True)
    assert found["count"] == from_board["count"]
    chances = {
        f"{row},{col}": chance
        for row, chances in enumerate(from_board["probabilities"])
        for col, chance in enumerate(chances)
        if chance is not None
    }
    assert found["probabilities"] == chances
    for verdict in ("mines", "safe"):
        named = {f"{row},{col}" for row, col in from_board["forced"][verdict]}
        assert set(found["forced"][verdict]) == named


@examples(60)
@given(rule_sets())
def test_answers_about_rules_agree_with_oracle(
    client: TestClient, case: tuple[list[Rule], int, int | None]
) -> None:
    rules, cells, mines = case
    assume(rules and cells and (mines is None or mines <= cells))
    assume(all(rule.high >= 0 for rule in rules))
    names = list(dict.fromkeys(cell for rule in rules for cell in rule.cells))
    order = [*names, *(cell for cell in range(cells) if cell not in names)]
    expected = oracle.sets_of([(r.cells, r.low, r.high) for r in rules], order, mines)
    found = ask(client, "layouts", as_json(rules), total_cells=cells, mines=mines, limit=600)
    assert found["count"] == str(len(expected))
    layouts: list[frozenset[Hashable]] = [
        frozenset(
            [int(name[1:]) for name in layout["mines"]]
            + [order[len(names) + other] for other in layout["others"]]
        )
        for layout in found["layouts"]
    ]
    assert Counter(layouts) == Counter(expected)
    forced = ask(client, "forced", as_json(rules), total_cells=cells, mines=mines)
    if not expected:
        assert (forced["consistent"], forced["forced"]) == (False, None)
        assert "others" not in forced
        return
    assert set(forced["forced"]["mines"]) == {
        f"c{name}" for name in names if all(name in layout for layout in expected)
    }
    others = forced.get("others")
    assert (others is None) == (len(names) == cells)
    if others is not None:
        held = [order[-1] in layout for layout in expected]
        assert others["cells"] == cells - len(names)
        assert others["forced"] == ("mines" if all(held) else None if any(held) else "safe")


def test_cells_without_names_have_one_chance(client: TestClient) -> None:
    found = ask(client, "analyze", RULES, total_cells=10, mines=3)
    assert found["count"] == str(7 + 21 + 0 * 35)
    assert found["others"] == {"cells": 7, "probability": 0.25, "forced": None}
    assert found["probabilities"] == {"a": 0.25, "b": 0.75, "c": 0.25}
    assert [safe["cell"] for safe in found["safest"]] == ["a", "c", "b"]


def test_conflict_names_positions_of_rules(client: TestClient) -> None:
    many = [{"cells": [f"x{k}"], "low": 0} for k in range(5)]
    found = ask(client, "check", [*many, *ALONE, {"cells": ["a"], "mines": 0}])
    assert (found["consistent"], found["conflict"]["clues"]) == (False, [5, 6])


def test_rule_with_more_mines_than_cells_is_inconsistent(client: TestClient) -> None:
    found = ask(client, "count", [{"cells": ["a", "b"], "mines": 10**30}], density=0.5)
    assert (found["consistent"], found["count"]) == (False, "0")
    assert found["conflict"]["clues"] == [0]
    assert found["likelihood"] == 0


@pytest.mark.parametrize("backend", ["frontier", "sat", "cpsat"])
def test_backends_for_rules_list_layouts_of_rules(client: TestClient, backend: str) -> None:
    found = ask(client, "layouts", RULES, backend=backend)
    assert sorted(layout["mines"] for layout in found["layouts"]) == [["a", "c"], ["b"]]


@pytest.mark.parametrize("task", MODELS)
@pytest.mark.parametrize("backend", ["automata", "exhaustive"])
def test_backends_for_boards_reject_rules(client: TestClient, backend: str, task: str) -> None:
    answer = client.post(f"/v1/{task}", json={"rules": RULES, "backend": backend})
    assert_problem(answer, 422, "backend-refuses", "/backend")


def test_layouts_of_rules_are_streamed_as_lines(client: TestClient) -> None:
    body = {"rules": RULES, "total_cells": 4}
    lines = client.post("/v1/layouts", json=body, headers=NDJSON).text.splitlines()
    assert [json.loads(line) for line in lines] == ask(client, "layouts", RULES, total_cells=4)[
        "layouts"
    ]


def test_layouts_of_rules_have_ranks(client: TestClient) -> None:
    layouts = ask(client, "layouts", RULES, total_cells=6)["layouts"]
    for rank, layout in enumerate(layouts):
        found = ask(client, "layouts", RULES, total_cells=6, layout=layout)
        assert found["rank"] == str(rank)


@pytest.mark.parametrize(
    ("layout", "pointer"),
    [
        (["B"], "/layout"),
        (5, "/layout"),
        ({"mines": ["b"], "safe": ["a"]}, "/layout"),
        ({"mines": "b"}, "/layout/mines"),
        ({"mines": ["b", "x"]}, "/layout/mines/1"),
        ({"mines": ["b", "b"]}, "/layout/mines/1"),
        ({"mines": [["b"]]}, "/layout/mines/0"),
        ({"mines": [0]}, "/layout/mines/0"),
        ({"mines": ["b"], "others": ["b"]}, "/layout/others/0"),
        ({"mines": ["b"], "others": [0, 1]}, "/layout/others/1"),
        ({"mines": ["b"], "others": [-1]}, "/layout/others/0"),
        ({"mines": ["b"], "others": [False]}, "/layout/others/0"),
        ({"mines": ["a"]}, "/layout"),
        ({"mines": ["a", "b", "c"]}, "/layout"),
    ],
)
def test_layout_that_does_not_fit_rules_is_rejected(
    client: TestClient, layout: object, pointer: str
) -> None:
    body = {"rules": RULES, "total_cells": 4, "layout": layout}
    assert_problem(client.post("/v1/layouts", json=body), 422, "bad-value", pointer)


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        ({"rules": RULES, "board": ["?"]}, "board-and-rules", "/rules"),
        ({"rules": None}, "missing-field", "/board"),
        ({"rules": []}, "bad-rule", "/rules"),
        ({"rules": "a"}, "bad-rule", "/rules"),
        ({"rules": {"0": ALONE[0]}}, "bad-rule", "/rules"),
        ({"rules": [{"cells": [], "mines": 0}]}, "bad-rule", "/rules"),
        ({"rules": [*RULES, 5]}, "bad-rule", "/rules/2"),
        ({"rules": [*RULES, {"cells": ["a"], "mines": 1, "x/y": 1}]}, "bad-rule", "/rules/2"),
        (
            {"rules": [*RULES, {"cells": ["a", "b", "a"], "mines": 1}]},
            "bad-rule",
            "/rules/2/cells/2",
        ),
        ({"rules": [*RULES, {"cells": ["a", 7], "mines": 1}]}, "bad-rule", "/rules/2/cells/1"),
        ({"rules": [*RULES, {"cells": ["a", ["b"]], "mines": 1}]}, "bad-rule", "/rules/2/cells/1"),
        ({"rules": [{"cells": ["x" * 101], "mines": 1}]}, "bad-rule", "/rules/0/cells/0"),
        ({"rules": [*RULES, {"cells": ["a"], "mines": -1}]}, "bad-rule", "/rules/2/mines"),
        ({"rules": [*RULES, {"cells": ["a"], "mines": 0.5}]}, "bad-rule", "/rules/2/mines"),
        ({"rules": [*RULES, {"cells": ["a"], "low": 1, "high": 0}]}, "bad-rule", "/rules/2"),
        ({"rules": RULES, "total_cells": 2}, "bad-rule", "/total_cells"),
        ({"rules": RULES, "total_cells": -1}, "bad-value", "/total_cells"),
        ({"rules": RULES, "total_cells": 3.5}, "bad-value", "/total_cells"),
        ({"rules": RULES, "total_cells": True}, "bad-value", "/total_cells"),
        ({"rules": RULES, "total_cells": 10**30}, "over-the-limit", "/total_cells"),
        ({"rules": RULES, "mines": 4}, "bad-value", "/mines"),
        ({"rules": RULES, "mines": -1}, "bad-value", "/mines"),
        ({"rules": RULES, "notation": "standard"}, "bad-value", "/notation"),
        ({"rules": RULES, "flags": "claims"}, "bad-value", "/flags"),
        ({"total_cells": 5}, "missing-field", "/board"),
    ],
    ids=lambda value: ascii(value)[-40:],
)
def test_invalid_rules_are_rejected(
    client: TestClient, body: dict[str, Any], code: str, pointer: str
) -> None:
    answer = client.post("/v1/check", json=body)
    assert_problem(answer, 422, code, pointer)
    assert len(answer.content) < 2000


def test_strips_and_automata_reject_rules(client: TestClient) -> None:
    for path, more in (("strips", {"window": "0,0,1,1"}), ("automata/kadlac/run", {})):
        answer = client.post(f"/v1/{path}", json={"rules": RULES, "board": ["?"], **more})
        assert_problem(answer, 422, "unknown-field", "/rules")


def test_null_fields_count_as_missing_beside_rules(client: TestClient) -> None:
    body = {"board": ["?1?"], "rules": None, "total_cells": None, "mines": None, "density": None}
    assert client.post("/v1/count", json=body).json()["count"] == "2"
    assert client.post("/v1/count", json={"rules": RULES, "board": None}).json()["count"] == "2"


def test_rules_beside_plain_text_are_rejected(client: TestClient) -> None:
    headers = {"Content-Type": "text/plain"}
    answer = client.post("/v1/check?rules=a", content="1?", headers=headers)
    assert_problem(answer, 422, "board-and-rules", "/rules")


def test_number_of_named_cells_is_limited() -> None:
    with TestClient(create_app(Settings(workers=1, max_cells=3))) as client:
        answer = client.post("/v1/check", json={"rules": [{"cells": list("abcd"), "mines": 1}]})
        assert_problem(answer, 422, "over-the-limit", "/rules")
        assert ask(client, "count", RULES)["count"] == "2"


def test_hexagons_can_be_written_as_rules(client: TestClient) -> None:
    ring = [f"n{k}" for k in range(6)]
    found = ask(client, "analyze", [{"cells": ring, "mines": 3}, {"cells": ring[:3], "mines": 3}])
    assert found["forced"] == {"mines": ring[:3], "safe": ring[3:]}
    assert drop_elapsed(found)["witness"] == {"mines": ring[:3], "others": []}
    QUESTIONS_BY_NAME["analyze"].response.model_validate_json(json.dumps(found), strict=True)


@pytest.mark.parametrize("task", ["sample", "layouts"])
def test_layouts_of_one_large_rule_with_total_are_found(client: TestClient, task: str) -> None:
    cells = [f"c{number}" for number in range(2000)]
    body = {"rules": [{"cells": cells, "mines": 700}], "mines": 700, "limit": 1}
    answer = client.post(f"/v1/{task}", json=body).json()
    assert answer["solver"]["complete"]
    (found,) = answer["samples" if task == "sample" else "layouts"]
    assert len(found["mines"]) == 700
