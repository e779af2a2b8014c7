"""The service answers questions about boards under other rules."""

import json
from fractions import Fraction
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given

from minecheck.app.main import create_app
from minecheck.app.questions import find_question
from minecheck.app.settings import Settings
from minecheck.minefield import Clue, Shape, Topology, Variant, parse
from minecheck.minefield.notation import draw
from tests.app.content_types import TEXT
from tests.app.problem_responses import assert_problem
from tests.tasks import Task
from tests.variants import judge, variants

ROWS = ["1?1", "???", "??1"]


def ask(client: TestClient, task: str, **fields: object) -> dict[str, Any]:
    answer = client.post(f"/v1/{task}", json=fields)
    assert answer.status_code == 200, answer.text
    find_question(task).response.model_validate_json(answer.content, strict=True)
    found: dict[str, Any] = answer.json()
    return found


def fields(variant: Variant) -> dict[str, Any]:
    """Return the fields of a request about a variant."""
    sent: dict[str, Any] = {"board": draw(variant.board)}
    topology = variant.topology
    if not topology.plain:
        sent |= {"topology": topology.shape, "layers": topology.layers}
        sent["neighbours"] = topology.offsets
    if variant.differences:
        sent["clues"] = [
            {"cell": cell, **statement_of(clue)} for cell, clue in variant.differences.items()
        ]
    if variant.most > 1:
        sent["mines_per_cell"] = variant.most
    low, high = variant.lies
    if low:
        sent["lies"] = low
    elif high:
        sent["most_lies"] = high
    return sent


def statement_of(clue: Clue) -> dict[str, Any]:
    if clue.values:
        return {"values": sorted(clue.values)}
    return {"mines": clue.low} if clue.low == clue.high else {"low": clue.low, "high": clue.high}


@given(variant=variants(most_unknown=6))
def test_analyses_of_variants_are_right(client: TestClient, variant: Variant) -> None:
    judged = judge(variant)
    found = ask(client, "analyze", **fields(variant), fractions=True)
    assert found["consistent"] is bool(judged.layouts)
    assert found["count"] == str(len(judged.layouts))
    assert (found["rows"], found["cols"]) == variant.shape
    if judged.layouts:
        assert found["forced"] == {
            "mines": [list(cell) for cell in sorted(judged.forced_mines)],
            "safe": [list(cell) for cell in sorted(judged.forced_safe)],
        }
        for (row, col), chance in judged.chances.items():
            assert found["probabilities"][row][col] == (
                str(chance) if chance.denominator > 1 else f"{chance}/1"
            )
        again = ask(client, "layouts", **fields(variant), layout=found["witness"])
        assert again["layouts"][int(again["rank"])] == found["witness"]


@pytest.mark.parametrize(
    "task", [one.value for one in Task if one not in ("strips", "moves", "compose")]
)
def test_rectangle_is_default_topology(client: TestClient, task: str) -> None:
    seed = {"seed": 5} if task == "sample" else {}
    plain = ask(client, task, board=ROWS, mines=2, **seed)
    given = ask(
        client,
        task,
        board=ROWS,
        mines=2,
        topology="rectangle",
        layers=1,
        mines_per_cell=1,
        neighbours=None,
        clues=[],
        lies=0,
        **seed,
    )
    for found in (plain, given):
        del found["solver"]
    assert given == plain


@pytest.mark.parametrize(
    ("options", "topology"),
    [
        ({"topology": "torus"}, Topology(Shape.TORUS)),
        ({"topology": "cylinder"}, Topology(Shape.CYLINDER)),
        ({"topology": "hexagonal"}, Topology(Shape.HEXAGONAL)),
        ({"topology": "knight"}, Topology(Shape.KNIGHT)),
        ({"layers": 3}, Topology(layers=3)),
        ({"neighbours": [[0, 1], [1, 0]]}, Topology(offsets=((0, 1), (1, 0)))),
        (
            {"neighbours": "0,1 0,-1 -2,0", "topology": "torus"},
            Topology(Shape.TORUS, ((0, 1), (0, -1), (-2, 0))),
        ),
    ],
)
def test_count_question_accepts_every_topology(
    client: TestClient, options: dict[str, Any], topology: Topology
) -> None:
    rows = ["1??", "???", "??1"]
    layouts = str(len(judge(Variant(parse(rows), topology)).layouts))
    assert ask(client, "count", board=rows, **options)["count"] == layouts
    query = "&".join(f"{name}={value}" for name, value in options.items())
    if not isinstance(options.get("neighbours"), list):
        answer = client.post(f"/v1/count?{query}", content="\n".join(rows), headers=TEXT)
        assert answer.json()["count"] == layouts
    (answer_line,) = batch(client, "task=count", json.dumps({"board": rows, **options}))
    assert answer_line["count"] == layouts


def batch(client: TestClient, query: str, lines: str) -> list[dict[str, Any]]:
    """Return the answers to lines."""
    headers = {"Content-Type": "application/x-ndjson"}
    answer = client.post(f"/v1/batch?{query}", content=lines, headers=headers)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def test_topology_in_batch_query_applies_to_all_lines(client: TestClient) -> None:
    lines = '{"board": ["1?1", "???", "??1"]}\n{"board": ["?"]}\n'
    found = batch(client, "task=count&topology=torus", lines)
    assert [one["count"] for one in found] == ["6", "2"]
    headers = {"Content-Type": "application/x-ndjson"}
    answer = client.post("/v1/batch?task=count&topology=tours", content=lines, headers=headers)
    assert_problem(answer, 422, "bad-value", "/topology")


def test_clues_option_reads_intervals(client: TestClient) -> None:
    clues = [{"cell": [0, 0], "low": 1, "high": 2}, {"cell": [1, 1], "mines": 2}]
    rows = ["S??", "?S?"]
    found = ask(client, "layouts", board=rows, clues=clues, topology="hexagonal")
    text = ask(client, "layouts", board=rows, clues="0,0=1-2 1,1=2", topology="hexagonal")
    assert (found["count"], found["layouts"]) == (text["count"], text["layouts"])
    high = ask(client, "count", board=["S?"], clues=[{"cell": [0, 0], "low": 1}])
    assert high["count"] == "1"


def test_explanations_name_intervals_of_clues(client: TestClient) -> None:
    found = ask(client, "explain", board=["S?"], clues="0,0=1-3")
    ((step,),) = (one["steps"] for one in found["explanations"])
    assert step["text"].startswith("The clue 1 to 3 at row 0, column 0 touches only one unknown")


def test_clue_in_layers_may_have_two_digits(client: TestClient) -> None:
    rows = ["???", "???", "???"] * 3
    rows[4] = "?S?"
    found = ask(client, "check", board=rows, layers=3, clues="4,1=26")
    assert found["witness"][4] == "BSB"
    again = ask(client, "layouts", board=rows, layers=3, clues="4,1=26", layout=found["witness"])
    assert again["rank"] == "0"


def test_flags_on_torus_are_judged(client: TestClient) -> None:
    found = ask(client, "forced", board=["2F", "??"], topology="torus")
    assert found["flags"] == {"right": [], "wrong": [], "unproved": [[0, 1]]}


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"topology": "tours"}, "bad-value", "/topology"),
    ({"topology": 1}, "bad-value", "/topology"),
    ({"topology": ["torus"]}, "bad-value", "/topology"),
    ({"topology": None}, "bad-value", "/topology"),
    ({"layers": 0}, "bad-value", "/layers"),
    ({"layers": 2}, "bad-value", "/layers"),
    ({"layers": 10**30}, "bad-value", "/layers"),
    ({"layers": "3"}, "bad-value", "/layers"),
    ({"layers": True}, "bad-value", "/layers"),
    ({"neighbours": []}, "bad-value", "/neighbours"),
    ({"neighbours": [[0, 0]]}, "bad-value", "/neighbours/0"),
    ({"neighbours": [[0, 1], [0, 1]]}, "bad-value", "/neighbours/1"),
    ({"neighbours": [[0, 10**30]]}, "bad-value", "/neighbours/0"),
    ({"neighbours": [[0, 101]]}, "bad-value", "/neighbours/0"),
    ({"neighbours": [[0, 1.5]]}, "bad-value", "/neighbours"),
    ({"neighbours": [[0, True]]}, "bad-value", "/neighbours"),
    ({"neighbours": [[0]]}, "bad-value", "/neighbours"),
    ({"neighbours": [0, 1]}, "bad-value", "/neighbours"),
    ({"neighbours": "0,0"}, "bad-value", "/neighbours/0"),
    ({"neighbours": "0,1 "}, "bad-value", "/neighbours"),
    ({"neighbours": ""}, "bad-value", "/neighbours"),
    ({"neighbours": [[0, n] for n in range(1, 100)] * 2}, "bad-value", "/neighbours"),
    ({"neighbours": [[0, 1]], "topology": "hexagonal"}, "bad-value", "/neighbours"),
    ({"clues": {}}, "bad-value", "/clues"),
    ({"clues": [1]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 1]}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 1], "mines": 1}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 9], "mines": 1}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [10**30, 9], "mines": 1}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": "0,1", "mines": 1}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, -1], "mines": 1}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 1], "mines": -1}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 1], "mines": 1, "low": 1}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 1], "low": 2, "high": 1}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 1], "values": []}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 1], "values": [0, 10**9]}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 1], "values": [1.0]}]}, "bad-value", "/clues"),
    ({"clues": [{"cell": [0, 1], "minse": 1}]}, "bad-value", "/clues"),
    ({"clues": "0,1=2="}, "bad-value", "/clues"),
    ({"clues": ""}, "bad-value", "/clues"),
    ({"clues": "0,1=1 0,1=1"}, "bad-value", "/clues"),
    ({"mines_per_cell": 0}, "bad-value", "/mines_per_cell"),
    ({"mines_per_cell": 10}, "bad-value", "/mines_per_cell"),
    ({"lies": -1}, "bad-value", "/lies"),
    ({"lies": 1, "most_lies": 1}, "bad-value", "/most_lies"),
    ({"most_lies": 0.5}, "bad-value", "/most_lies"),
    ({"topology": "torus", "certificate": True}, "bad-value", "/certificate"),
    ({"topology": "torus", "mines": 10}, "bad-value", "/mines"),
    ({"neighbours": "0,1 1,0", "backend": "automata"}, "backend-refuses", "/backend"),
    ({"lies": 1, "backend": "automata"}, "backend-refuses", "/backend"),
    ({"topology": "torus", "backend": "exhaustive"}, "backend-refuses", "/backend"),
]


@pytest.mark.parametrize(("options", "code", "pointer"), BAD, ids=lambda one: ascii(one)[:60])
def test_invalid_options_of_variants_are_rejected(
    client: TestClient, options: dict[str, Any], code: str, pointer: str
) -> None:
    answer = client.post("/v1/check", json={"board": ROWS, **options})
    assert_problem(answer, 422, code, pointer)
    assert len(answer.content) < 3000


@pytest.mark.parametrize("field", ["topology", "layers", "neighbours", "clues", "mines_per_cell"])
def test_routes_for_plane_boards_reject_fields_of_variants(client: TestClient, field: str) -> None:
    value = {"topology": "torus", "neighbours": "0,1", "clues": "0,0=1"}.get(field, 2)
    for path, more in (
        ("strips", {"window": "0,0,1,1"}),
        ("moves", {"mines": 1}),
        ("automata/kadlac/run", {}),
        ("formats/board/write", {}),
    ):
        answer = client.post(f"/v1/{path}", json={"board": ROWS, field: value, **more})
        assert_problem(answer, 422, "unknown-field", f"/{field}")
    answer = client.post("/v1/layouts", json={"board": ROWS, field: value, "window": "0,0,1,1"})
    assert answer.status_code == 422


def test_rules_with_fields_of_variants_are_rejected(client: TestClient) -> None:
    rules = [{"cells": ["a"], "mines": 1}]
    for field, value in (("topology", "torus"), ("layers", 1), ("lies", 1), ("clues", [])):
        answer = client.post("/v1/check", json={"rules": rules, field: value})
        assert_problem(answer, 422, "bad-value", f"/{field}")


def test_variant_with_too_many_neighbours_is_rejected(client: TestClient) -> None:
    offsets = [[row, col] for row in range(-5, 6) for col in range(-5, 6) if (row, col) != (0, 0)]
    rows = ["?" * 500] * 500
    answer = client.post("/v1/check", json={"board": rows, "neighbours": offsets, "layers": 2})
    assert_problem(answer, 422, "over-the-limit", "/board")


@pytest.mark.parametrize(
    ("layout", "pointer"),
    [
        (["B1", "11"], "/layout"),
        (["121", "B2B"], "/layout"),
        ({"rows": ["1B1", "111", "111"], "mine": []}, "/layout/mine"),
        ({"rows": "1"}, "/layout/rows"),
        ({}, "/layout/rows"),
        (5, "/layout"),
        (["1B1", "111", "11?"], "/layout/2/2"),
        (["1B1", "111", "112"], "/layout/2/2"),
        ({"rows": ["1B1", "111", "111"], "lies": [[0, 0]]}, "/layout/lies"),
    ],
)
def test_invalid_layouts_of_variants_are_rejected(
    client: TestClient, layout: Any, pointer: str
) -> None:
    answer = client.post("/v1/layouts", json={"board": ROWS, "topology": "torus", "layout": layout})
    assert answer.status_code == 422
    assert answer.json()["pointer"].startswith(pointer)


def test_export_and_solution_routes_support_topologies(client: TestClient) -> None:
    request = {"board": ["1?1", "SSS"], "topology": "cylinder"}
    written = client.post("/v1/export", json={**request, "into": "dimacs"})
    assert written.status_code == 200, written.text
    output = {"output": "s SATISFIABLE\nv 1 0\n"}
    judged = client.post("/v1/solution", json={**request, **output}).json()
    assert judged["fits"] is True
    assert judged["layout"] == ["1B1", "111"]
    output = {"output": "s SATISFIABLE\nv -1 0\n"}
    judged = client.post("/v1/solution", json={**request, **output}).json()
    assert judged["broken"] == {"clues": [[0, 0], [0, 2]], "total": False}
    answer = client.post("/v1/export", json={**request, "into": "dimacs", "lies": 1})
    assert_problem(answer, 422, "bad-value", "/lies")


def test_cache_keeps_answers_of_variants_apart() -> None:

    with TestClient(create_app(Settings(workers=1))) as client:
        counts = {
            shape: [ask(client, "count", board=ROWS, topology=shape)["count"] for _ in range(2)]
            for shape in Shape
        }
    for shape, found in counts.items():
        layouts = str(len(judge(Variant(parse(ROWS), Topology(shape))).layouts))
        assert found == [layouts, layouts]


@given(variant=variants(most_unknown=6, kinds={"sets": True, "piles": True, "lies": True}))
def test_analyses_with_sets_piles_and_lies_are_right(client: TestClient, variant: Variant) -> None:
    judged = judge(variant)
    sent = fields(variant)
    found = ask(client, "analyze", **sent, fractions=True)
    assert found["consistent"] is bool(judged.layouts)
    assert found["count"] == str(len(judged.layouts))
    for (row, col), chance in judged.chances.items():
        assert Fraction(found["probabilities"][row][col]) == chance
    layouts = ask(client, "layouts", **sent, limit=1000)["layouts"]
    assert len(layouts) == len(judged.layouts)
    if layouts:
        again = ask(client, "layouts", **sent, layout=layouts[-1], limit=1)
        assert again["rank"] == str(len(layouts) - 1)


def test_layouts_name_lying_clues(client: TestClient) -> None:
    found = ask(client, "layouts", board=["1?0"], lies=1)
    assert found["layouts"] == [
        {"rows": ["000"], "lies": [[0, 0]]},
        {"rows": ["1B1"], "lies": [[0, 2]]},
    ]
    most = ask(client, "count", board=["1?0"], most_lies=2)
    assert most["count"] == "2"


def test_layouts_give_number_of_mines_in_each_cell(client: TestClient) -> None:
    found = ask(client, "analyze", board=["2?", "S?"], mines_per_cell=2, mines=2, fractions=True)
    assert found["count"] == "3"
    assert sum(map(sum, found["witness"]["mines"])) == 2
    assert found["probabilities"] == [[None, "2/3"], [None, "2/3"]]
    assert found["by_mines"] == {"2": "3"}


def test_clue_may_have_one_of_several_values(client: TestClient) -> None:
    values = [{"cell": [0, 0], "values": [1, 3]}]
    for clues in (values, "0,0=1|3"):
        found = ask(client, "count", board=["S?", "??"], clues=clues)
        assert (found["count"], found["by_mines"]) == ("4", {"1": "3", "3": "1"})
    assert not ask(client, "check", board=["S?"], clues="0,0=0|2", mines=1)["consistent"]


def test_piles_of_mines_have_no_conflict_in_answer(client: TestClient) -> None:
    found = ask(client, "analyze", board=["1S"], mines_per_cell=2)
    assert (found["consistent"], found["conflict"], found["count"]) == (False, None, "0")
    assert found["solver"]["complete"]


@pytest.mark.parametrize("task", ["explain", "conflicts", "repair"])
@pytest.mark.parametrize(
    ("field", "value"),
    [("mines_per_cell", 2), ("lies", 1), ("most_lies", 1), ("clues", "1,1=0|2")],
)
def test_reasons_and_sat_reject_clues_beyond_intervals(
    client: TestClient, task: str, field: str, value: object
) -> None:
    rows = ["1??", "?S?", "??1"]
    answer = client.post(f"/v1/{task}", json={"board": rows, field: value})
    assert_problem(answer, 422, "bad-value", f"/{field}")
    answer = client.post("/v1/check", json={"board": rows, field: value, "backend": "sat"})
    assert_problem(answer, 422, "backend-refuses", "/backend")


def test_density_is_rejected_with_several_mines_per_cell(client: TestClient) -> None:
    request = {"board": ["1??"], "density": 0.5}
    assert_problem(
        client.post("/v1/count", json={**request, "mines_per_cell": 2}),
        422,
        "bad-value",
        "/density",
    )
    found = ask(client, "count", **request, lies=1, fractions=True)
    assert found["likelihood"] == "1/2"


def test_variant_with_too_many_mines_is_rejected(client: TestClient) -> None:
    rows = ["?" * 100] * 100
    answer = client.post("/v1/check", json={"board": rows, "mines_per_cell": 2})
    assert_problem(answer, 422, "over-the-limit", "/board")


@pytest.mark.parametrize(
    "layout",
    [
        ["2B", "SB"],
        {"rows": ["2B", "SB"]},
        {"rows": ["2B", "SB"], "mines": [[0, 1], [0, 0]]},
        {"rows": ["2B", "SB"], "mines": [[0, 1, 0], [0, 1, 0]]},
        {"rows": ["2B", "SB"], "mines": [[0, 1], [0, 999]]},
        {"rows": ["2B", "SB"], "mines": [[0, 1.0], [0, True]]},
        {"rows": ["2B", "SB"], "mines": "11"},
    ],
)
def test_layout_without_valid_number_of_mines_per_cell_is_rejected(
    client: TestClient, layout: object
) -> None:
    request = {"board": ["2?", "S?"], "mines_per_cell": 2, "layout": layout}
    assert_problem(client.post("/v1/layouts", json=request), 422, "bad-value", "/layout/mines")


def test_layout_with_more_mines_than_cell_holds_is_rejected(client: TestClient) -> None:
    layout = {"rows": ["3B"], "mines": [[0, 3]]}
    answer = client.post(
        "/v1/layouts", json={"board": ["S?"], "mines_per_cell": 2, "layout": layout}
    )
    assert_problem(answer, 422, "bad-value", "/layout/0/1")
