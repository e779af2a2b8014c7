"""Reasons, repairs and certificates over HTTP are right, and have the declared shape."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from minecheck.app.catalogue import QUESTIONS
from minecheck.app.main import create_app
from minecheck.app.questions.fields import AskPuzzle
from minecheck.app.settings import Settings
from minecheck.minefield.board import Board
from minecheck.minefield.certificates.document import Claim, read_certificates
from minecheck.minefield.certificates.judge import verify_all
from minecheck.minefield.notation import draw, parse
from minecheck.minefield.reduction.constraints import TOTAL
from tests import oracle
from tests.app.content_types import TEXT
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.app.problem_responses import assert_problem
from tests.app.questions.responses import ask, assert_promised, drop_elapsed, shows_layout_of
from tests.boards import CASES, Case, boards_with_totals, small_boards
from tests.examples import examples
from tests.replay import Said, list_statements, parse_steps, replay

MODELS: dict[str, type[BaseModel]] = {
    "explain": QUESTIONS_BY_NAME["explain"].response,
    "repair": QUESTIONS_BY_NAME["repair"].response,
    "check": QUESTIONS_BY_NAME["check"].response,
    "forced": QUESTIONS_BY_NAME["forced"].response,
}
#: With one mine in all, which is beside the 1, the last cell is safe.
ROWS = ["?1??"]
RULES = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 2}]
WRONG_RULES = [*RULES, {"cells": ["a"], "mines": 1}]
INCONSISTENT = [case for case in CASES if not case.consistent]


def ask_rules(client: TestClient, task: str, rules: object, **options: object) -> dict[str, Any]:
    return ask(client, task, None, rules=rules, **options)


def cells_of(found: dict[str, Any]) -> dict[Any, str]:
    """Return the value of each explained cell, by (row, col) or name."""
    return {
        tuple(cell) if isinstance(cell, list) else cell: one["value"]
        for one in found["explanations"]
        for cell in one["cells"]
    }


def assert_replays(
    steps: list[dict[str, Any]], why: dict[str, Any], premises: Sequence[Said]
) -> None:
    """Check that steps follow from the named clues, and from the total if that is named."""
    used = {tuple(clue) if isinstance(clue, list) else clue for clue in why["clues"]}
    used |= {TOTAL} if why["total"] else set()
    replay(parse_steps(steps), [one for one in premises if one.clue in used])
    assert why["total"] == any(step["rule"] == "total" for step in steps)


def assert_explained(found: dict[str, Any], premises: Sequence[Said]) -> None:
    """Check that the steps of an answer hold, and end with the explained cells."""
    assert_promised(QUESTIONS_BY_NAME["explain"].response, found)
    for one in found["explanations"] or []:
        assert_replays(one["steps"], one["reasons"], premises)
        last = one["steps"][-1]
        assert all(cell in last["cells"] for cell in one["cells"])
        assert last["low"] == len(last["cells"]) if one["value"] == "mine" else last["high"] == 0
    if found["consistent"] is False:
        assert_replays(found["steps"], found["conflict"], premises)
        assert found["steps"][-1]["low"] > found["steps"][-1]["high"]


def assert_certified(document: object, claims: Sequence[Claim]) -> None:
    """Check that certificates survive JSON, make these claims, and prove them."""
    certificates = read_certificates(json.loads(json.dumps(document)))
    assert [one.claim for one in certificates] == list(claims)
    verify_all(certificates)


# Explanations


@pytest.mark.parametrize("mines", [None, 1])
def test_explain_question_explains_all_forced_cells(client: TestClient, mines: int | None) -> None:
    found = ask(client, "explain", ROWS, mines=mines)
    assert_explained(found, list_statements(parse(ROWS), mines))
    assert cells_of(found) == ({} if mines is None else {(0, 3): "safe"})
    assert ("steps" in found, found["solver"]["complete"]) == (False, True)
    assert "either" not in found


@examples(60)
@given(case=boards_with_totals().filter(lambda case: (case[1] or 0) <= case[0].cells.size))
def test_explanations_of_small_boards_agree_with_oracle(
    client: TestClient, case: tuple[Board, int | None]
) -> None:
    board, mines = case
    expected = oracle.answer(board, mines)
    found = ask(client, "explain", draw(board), mines=mines)
    assert found["consistent"] is expected.consistent
    assert_explained(found, list_statements(board, mines))
    if expected.consistent:
        right = dict.fromkeys(expected.forced_mines, "mine")
        assert cells_of(found) == right | dict.fromkeys(expected.forced_safe, "safe")


@pytest.mark.parametrize("cell", [[0, 3], "0,3"])
def test_explain_question_reads_cell_as_list_or_string(client: TestClient, cell: object) -> None:
    found = ask(client, "explain", ["?1??", "????"], mines=1, cell=cell)
    assert_explained(found, list_statements(parse(["?1??", "????"]), 1))
    assert cells_of(found) == {(0, 3): "safe"}


def test_explain_question_reads_options_in_query(client: TestClient) -> None:
    answer = client.post("/v1/explain?cell=0,3&mines=1", content="?1??\n", headers=TEXT)
    from_json = ask(client, "explain", ROWS, mines=1, cell=[0, 3])
    assert drop_elapsed(answer.json()) == drop_elapsed(from_json)
    whole = client.post("/v1/explain?mines=1", content="?1??\n", headers=TEXT)
    assert drop_elapsed(whole.json()) == drop_elapsed(ask(client, "explain", ROWS, mines=1))


def test_explain_question_reads_cell_of_null_as_no_cell(client: TestClient) -> None:
    whole = ask(client, "explain", ROWS, mines=1)
    assert drop_elapsed(ask(client, "explain", ROWS, mines=1, cell=None)) == drop_elapsed(whole)


def test_explain_question_shows_unforced_cell_both_ways(client: TestClient) -> None:
    found = ask(client, "explain", ROWS, cell=[0, 2])
    assert_promised(QUESTIONS_BY_NAME["explain"].response, found)
    either = found["either"]
    assert (found["explanations"], either["cell"]) == ([], [0, 2])
    assert (either["mine"][0][2], either["safe"][0][2]) == (
        "B",
        "1" if either["safe"][0][3] == "B" else "0",
    )
    case = Case("", "", tuple(ROWS), True, 0, {}, frozenset(), frozenset())
    assert all(shows_layout_of(either[verdict], case) for verdict in ("mine", "safe"))


@pytest.mark.parametrize(
    "cell",
    [
        [0, 1],
        "0,1",
        [1, 0],
        [0, 4],
        "9,9",
        [-1, 0],
        [0, -1],
        "-1,0",
        [10**30, 0],
        "9999999999,0",
        *([], [0], [0, 0, 0], [[0, 0]], {}, {"row": 0, "col": 0}),
        *(0, 3, 0.5, True, False),
        *([0.5, 0], [0, 0.5], [True, False], [False, 0], [None, 0], ["0", "0"]),
        *(
            "",
            ",",
            "0",
            "0,",
            "0,0,0",
            "0, 0",
            " 0,0",
            "0,0\n",
            "0;0",
            "a",
            "0.0,0",
            "+0,0",
            "\u0660,0",
        ),
    ],
    ids=lambda cell: ascii(cell)[:30],
)
def test_explain_question_rejects_cell_that_is_not_unknown(
    client: TestClient, cell: object
) -> None:
    assert_problem(
        client.post("/v1/explain", json={"board": ROWS, "cell": cell}), 422, "bad-value", "/cell"
    )
    if isinstance(cell, str):
        answer = client.post("/v1/explain", params={"cell": cell}, content="?1??", headers=TEXT)
        assert_problem(answer, 422, "bad-value", "/cell")


@pytest.mark.parametrize("cell", ["z", "", [0, 0], 0, True, ["a"], {}, "0,0"])
def test_explain_question_rejects_cell_that_no_rule_names(client: TestClient, cell: object) -> None:
    body = {"rules": RULES, "total_cells": 5, "cell": cell}
    assert_problem(client.post("/v1/explain", json=body), 422, "bad-value", "/cell")


def test_explain_question_rejects_name_as_cell_of_board(client: TestClient) -> None:
    answer = client.post("/v1/explain", json={"board": ["FS"], "cell": "F"})
    assert_problem(answer, 422, "bad-value", "/cell")


@pytest.mark.parametrize("task", ["check", "forced", "count", "analyze", "layouts", "repair"])
def test_questions_other_than_explain_reject_cell(client: TestClient, task: str) -> None:
    answer = client.post(f"/v1/{task}", json={"board": ROWS, "cell": [0, 0]})
    assert_problem(answer, 422, "unknown-field", "/cell")


#: The statements of `RULES`, by position.
STATEMENTS = [Said(0, ("a", "b"), 1, 1), Said(1, ("b", "c"), 2, 2)]


def test_explain_question_explains_cells_of_rules_by_name(client: TestClient) -> None:
    found = ask_rules(client, "explain", RULES)
    assert_explained(found, STATEMENTS)
    assert cells_of(found) == {"a": "safe", "b": "mine", "c": "mine"}
    assert [one["reasons"]["clues"] for one in found["explanations"]] == [[0, 1], [1]]
    (one,) = ask_rules(client, "explain", RULES, cell="a")["explanations"]
    assert (one["cells"], one["value"], one["difficulty"]) == (["a"], "safe", "trivial")


def test_explain_question_explains_cells_without_name_by_number(client: TestClient) -> None:
    found = ask_rules(client, "explain", RULES, total_cells=5, mines=2)
    assert_explained(found, [*STATEMENTS, Said(TOTAL, ("a", "b", "c", 0, 1), 2, 2)])
    assert cells_of(found) == {"a": "safe", "b": "mine", "c": "mine", 0: "safe", 1: "safe"}
    unnamed = found["explanations"][-1]
    assert (unnamed["reasons"]["clues"], unnamed["reasons"]["total"]) == ([1], True)


def test_explain_question_shows_unforced_cell_of_rules_both_ways(client: TestClient) -> None:
    found = ask_rules(client, "explain", RULES[:1], total_cells=3, mines=2, cell="b")
    assert_promised(QUESTIONS_BY_NAME["explain"].response, found)
    either = found["either"]
    assert either["cell"] == "b"
    assert (either["mine"], either["safe"]) == (
        {"mines": ["b"], "others": [0]},
        {"mines": ["a"], "others": [0]},
    )


def test_explain_question_explains_conflict_of_rules_step_by_step(client: TestClient) -> None:
    found = ask_rules(client, "explain", WRONG_RULES)
    assert_explained(found, [*STATEMENTS, Said(2, ("a",), 1, 1)])
    assert (found["conflict"]["clues"], found["explanations"]) == ([0, 1, 2], None)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_explain_question_explains_reference_boards(client: TestClient, case: Case) -> None:
    found = ask(client, "explain", list(case.rows))
    assert found["solver"]["complete"] is True
    assert_explained(found, list_statements(parse(case.rows)))
    if case.consistent:
        right = dict.fromkeys(case.forced_mines, "mine")
        assert cells_of(found) == right | dict.fromkeys(case.forced_safe, "safe")


def test_explain_question_reads_flags_as_claims_or_mines(client: TestClient) -> None:
    claimed = ask(client, "explain", ["F1?"])
    assert cells_of(claimed) == {}
    assert claimed["flags"] == {"right": [], "wrong": [], "unproved": [[0, 0]]}
    assert cells_of(ask(client, "explain", ["F0"])) == {(0, 0): "safe"}
    trusted = ask(client, "explain", ["F1?"], flags="trust")
    assert cells_of(trusted) == {(0, 2): "safe"}
    assert "flags" not in trusted


@pytest.mark.parametrize(("notation", "row"), [("probst", "+1-"), ("minesweepr", "*1x")])
def test_explain_question_reads_named_notations(
    client: TestClient, notation: str, row: str
) -> None:
    found = ask(client, "explain", [row], notation=notation, cell="0,2")
    assert cells_of(found) == {(0, 2): "safe"}


@pytest.mark.parametrize("task", ["explain", "repair"])
def test_explain_and_repair_questions_have_one_engine(client: TestClient, task: str) -> None:
    answer = client.post(f"/v1/{task}", json={"board": ROWS, "backend": "sat"})
    assert_problem(answer, 422, "backend-refuses", "/backend")
    assert answer.json()["fix"] == "Use one of: auto, reasons."
    for backend in ("auto", "reasons"):
        found = ask(client, task, ROWS, backend=backend)
        assert (found["consistent"], found["solver"]["name"]) == (True, "reasons")
    route = client.get("/openapi.json").json()["paths"][f"/v1/{task}"]["post"]
    body = route["requestBody"]["content"]["application/json"]["schema"]["properties"]["backend"]
    query = next(one for one in route["parameters"] if one["name"] == "backend")
    assert body["enum"] == query["schema"]["enum"] == ["auto", "reasons"]


# Repairs


def test_repair_question_makes_fewest_changes(client: TestClient) -> None:
    found = ask(client, "repair", ["1?2"])
    assert_promised(QUESTIONS_BY_NAME["repair"].response, found)
    assert (found["changes"], found["more"], found["repairable"]) == (1, False, True)
    assert found["repairs"] == [[{"clue": [0, 2], "was": 2, "number": 1}]]


@examples(30)
@given(board=small_boards().filter(lambda board: not oracle.answer(board).consistent))
def test_repaired_boards_are_consistent(client: TestClient, board: Board) -> None:
    found = ask(client, "repair", draw(board), limit=1)
    assert_promised(QUESTIONS_BY_NAME["repair"].response, found)
    (changes,) = found["repairs"]
    assert len(changes) == found["changes"] >= 1
    cells = board.cells.copy()
    for change in changes:
        assert cells[tuple(change["clue"])] == change["was"] != change["number"]
        cells[tuple(change["clue"])] = change["number"]
    assert oracle.answer(Board(cells)).consistent


@pytest.mark.parametrize(("limit", "more"), [(1, True), (2, True), (3, False), (10_000, False)])
def test_repair_question_gives_at_most_limit_of_repairs(
    client: TestClient, limit: int, more: bool
) -> None:
    wrong = [{"cells": ["a"], "mines": 1}, {"cells": ["b"], "mines": 1}, RULES[0]]
    found = ask_rules(client, "repair", wrong, limit=limit)
    assert_promised(QUESTIONS_BY_NAME["repair"].response, found)
    every = [
        [{"clue": 0, "was": None, "number": 0}],
        [{"clue": 1, "was": None, "number": 0}],
        [{"clue": 2, "was": None, "number": 2}],
    ]
    assert len(found["repairs"]) == min(limit, 3)
    assert all(repair in every for repair in found["repairs"])
    assert (found["changes"], found["more"], found["solver"]["complete"]) == (1, more, True)
    assert found["conflict"]["clues"] == [0, 1, 2]


def test_repair_question_reads_limit_in_query(client: TestClient) -> None:
    answer = client.post("/v1/repair?limit=1", content="1?2", headers=TEXT)
    assert drop_elapsed(answer.json()) == drop_elapsed(ask(client, "repair", ["1?2"], limit=1))


@pytest.mark.parametrize("limit", [0, -1, None, True, "1", [], 1.5])
def test_repair_question_rejects_invalid_limit(client: TestClient, limit: object) -> None:
    body = {"board": ["1?2"], "limit": limit}
    assert_problem(client.post("/v1/repair", json=body), 422, "bad-value", "/limit")


def test_repair_question_rejects_limit_above_limit_of_service(client: TestClient) -> None:
    body = {"board": ["1?2"], "limit": 10_001}
    assert_problem(client.post("/v1/repair", json=body), 422, "over-the-limit", "/limit")


def test_limit_of_repairs_is_limit_of_layouts() -> None:
    with TestClient(create_app(Settings(workers=1, max_layouts=12))) as client:
        assert ask(client, "repair", ["1?2"], limit=12)["changes"] == 1
        answer = client.post("/v1/repair", json={"board": ["1?2"], "limit": 13})
        assert_problem(answer, 422, "over-the-limit", "/limit")


def test_repair_question_respects_total(client: TestClient) -> None:
    found = ask(client, "repair", ["?1?"], mines=2)
    assert found["repairs"] == [[{"clue": [0, 1], "was": 1, "number": 2}]]
    assert found["feasible_mines"] == {"least": 1, "most": 1}


@pytest.mark.parametrize("mines", [None, 1])
def test_repair_question_changes_nothing_in_consistent_board(
    client: TestClient, mines: int | None
) -> None:
    found = ask(client, "repair", ROWS, mines=mines)
    assert_promised(QUESTIONS_BY_NAME["repair"].response, found)
    outcome = {name: found[name] for name in ("changes", "repairs", "more", "repairable")}
    assert outcome == {"changes": 0, "repairs": [], "more": False, "repairable": True}


@pytest.mark.parametrize(("rows", "mines"), [(["BB"], 1), (["S1?"], 3), (["B?"], 0)])
def test_repair_question_cannot_repair_infeasible_total(
    client: TestClient, rows: list[str], mines: int
) -> None:
    found = ask(client, "repair", rows, mines=mines)
    assert_promised(QUESTIONS_BY_NAME["repair"].response, found)
    outcome = {name: found[name] for name in ("changes", "repairs", "more", "repairable")}
    assert outcome == {"changes": None, "repairs": [], "more": False, "repairable": False}
    assert found["solver"]["complete"] is True


# Certificates


@pytest.mark.parametrize("task", ["check", "forced"])
@pytest.mark.parametrize("case", INCONSISTENT, ids=str)
def test_inconsistent_reference_boards_have_certificates(
    client: TestClient, case: Case, task: str
) -> None:
    found = ask(client, task, list(case.rows), certificate=True)
    assert_promised(MODELS[task], found)
    assert found["certificate"]["board"] == list(case.rows)
    assert_certified(found["certificate"], [Claim.INCONSISTENT])
    assert_certified(found, [Claim.INCONSISTENT])


@pytest.mark.parametrize("case", [case for case in CASES if case.consistent], ids=str)
def test_consistent_reference_boards_have_certificates(client: TestClient, case: Case) -> None:
    found = ask(client, "check", list(case.rows), certificate=True)
    assert_promised(QUESTIONS_BY_NAME["check"].response, found)
    assert found["certificate"]["witness"] == found["witness"]
    assert_certified(found, [Claim.CONSISTENT])
    found = ask(client, "forced", list(case.rows), certificate=True)
    assert_promised(QUESTIONS_BY_NAME["forced"].response, found)
    proofs = found["certificate"]["proofs"]
    for claim, cells in (("mine", case.forced_mines), ("safe", case.forced_safe)):
        proved = [tuple(proof["cell"]) for proof in proofs if proof["claim"] == claim]
        assert len(proved) == len(cells)
        assert set(proved) == cells
    assert_certified(found, [Claim(proof["claim"]) for proof in proofs])


@examples(40)
@given(
    case=boards_with_totals().filter(lambda case: (case[1] or 0) <= case[0].cells.size),
    task=st.sampled_from(["check", "forced"]),
)
def test_certificates_of_small_boards_are_valid(
    client: TestClient, case: tuple[Board, int | None], task: str
) -> None:
    board, mines = case
    expected = oracle.answer(board, mines)
    found = ask(client, task, draw(board), mines=mines, certificate=True)
    if not expected.consistent:
        claims = [Claim.INCONSISTENT]
    elif task == "check":
        claims = [Claim.CONSISTENT]
    else:
        claims = [Claim(proof["claim"]) for proof in found["certificate"]["proofs"]]
        assert claims.count(Claim.MINE) == len(expected.forced_mines)
        assert claims.count(Claim.SAFE) == len(expected.forced_safe)
    assert_certified(found, claims)
    assert found["certificate"]["mines"] == mines


@pytest.mark.parametrize(
    ("task", "rules", "mines", "claims"),
    [
        ("check", RULES, None, [Claim.CONSISTENT]),
        ("check", WRONG_RULES, None, [Claim.INCONSISTENT]),
        ("check", RULES, 5, [Claim.INCONSISTENT]),
        ("forced", WRONG_RULES, 2, [Claim.INCONSISTENT]),
        ("forced", RULES, None, [Claim.CONSISTENT, Claim.MINE, Claim.MINE, Claim.SAFE]),
        ("forced", RULES, 2, [Claim.CONSISTENT, *2 * [Claim.MINE], *3 * [Claim.SAFE]]),
    ],
)
def test_certificates_of_rules_are_valid(
    client: TestClient, task: str, rules: object, mines: int | None, claims: list[Claim]
) -> None:
    found = ask_rules(client, task, rules, mines=mines, total_cells=5, certificate=True)
    assert_promised(MODELS[task], found)
    assert sorted(one.claim for one in read_certificates(found)) == sorted(claims)
    verify_all(read_certificates(found))


@pytest.mark.parametrize("task", ["check", "forced"])
@pytest.mark.parametrize("rows", ["?1??", "1?", "2?", "S"])
def test_certificate_can_be_requested_in_query(client: TestClient, task: str, rows: str) -> None:
    answer = client.post(f"/v1/{task}?certificate=true", content=rows, headers=TEXT).json()
    assert drop_elapsed(answer) == drop_elapsed(ask(client, task, rows, certificate=True))
    verify_all(read_certificates(answer))


@pytest.mark.parametrize("task", ["check", "forced"])
def test_answer_has_certificate_only_on_demand(client: TestClient, task: str) -> None:
    plain = ask(client, task, ROWS)
    assert "certificate" not in plain
    assert drop_elapsed(ask(client, task, ROWS, certificate=False)) == drop_elapsed(plain)
    answer = client.post(f"/v1/{task}?certificate=false", content="?1??", headers=TEXT).json()
    assert drop_elapsed(answer) == drop_elapsed(plain)


@pytest.mark.parametrize("task", ["check", "forced"])
@pytest.mark.parametrize("value", [None, 1, 0, "true", "", 1.0, [], {}, [True]])
def test_certificate_option_in_json_is_true_or_false(
    client: TestClient, task: str, value: object
) -> None:
    answer = client.post(f"/v1/{task}", json={"board": ROWS, "certificate": value})
    assert_problem(answer, 422, "bad-value", "/certificate")


@pytest.mark.parametrize("value", ["2", "perhaps", "", "null"])
def test_certificate_option_in_query_is_true_or_false(client: TestClient, value: str) -> None:
    answer = client.post("/v1/check", params={"certificate": value}, content="?1??", headers=TEXT)
    assert_problem(answer, 422, "bad-value", "/certificate")


@pytest.mark.parametrize("task", ["layouts", "sample", "explain", "repair"])
@pytest.mark.parametrize("value", [True, False])
def test_questions_without_certificates_reject_certificate_option(
    client: TestClient, task: str, value: bool
) -> None:
    answer = client.post(f"/v1/{task}", json={"board": ROWS, "certificate": value})
    assert_problem(answer, 422, "unknown-field", "/certificate")
    path = f"/v1/{task}?certificate={str(value).lower()}"
    assert_problem(
        client.post(path, content="?1??", headers=TEXT), 422, "unknown-field", "/certificate"
    )


@pytest.mark.parametrize("backend", ["auto", "automata", "frontier", "sat", "cpsat", "exhaustive"])
@pytest.mark.parametrize("rows", [["1?", "??"], ["1?2"], ["?1?", "121"]])
def test_certificates_of_every_backend_are_valid(
    client: TestClient, backend: str, rows: list[str]
) -> None:
    for task in ("check", "forced"):
        verify_all(read_certificates(ask(client, task, rows, backend=backend, certificate=True)))


def test_certificates_treat_flags_as_claims_or_mines(client: TestClient) -> None:
    claimed = ask(client, "forced", ["F1?"], certificate=True)["certificate"]
    assert claimed["board"] == ["F1?"]
    assert_certified(claimed, [Claim.CONSISTENT])
    trusted = ask(client, "forced", ["F1?"], flags="trust", certificate=True)["certificate"]
    assert trusted["board"] == ["B1?"]
    assert_certified(trusted, [Claim.CONSISTENT, Claim.SAFE])


# The documentation


@pytest.mark.parametrize("task", ["explain", "repair"])
def test_openapi_has_examples_of_explain_and_repair(client: TestClient, task: str) -> None:
    document = client.get("/openapi.json").json()
    operation = document["paths"][f"/v1/{task}"]["post"]
    bodies = operation["requestBody"]["content"]
    sent = [
        ("application/json", json.dumps(one["value"]))
        for one in bodies["application/json"]["examples"].values()
    ]
    sent.append(("text/plain", bodies["text/plain"]["example"]))
    for content_type, body in sent:
        headers = {"Content-Type": content_type}
        answer = client.post(f"/v1/{task}", content=body, headers=headers)
        assert answer.status_code == 200, answer.text
        assert_promised(MODELS[task], answer.json())
    shown = operation["responses"]["200"]["content"]["application/json"]
    assert shown["schema"]["$ref"].endswith(f"/{MODELS[task].__name__}")
    # FastAPI leaves null fields out of examples.
    example = shown["examples"]["board"]["value"]
    question = next(one for one in QUESTIONS if one.name == task)
    assert example.keys() <= question.examples["board"].answer.keys()
    assert_promised(MODELS[task], dict(question.examples["board"].answer))


@pytest.mark.parametrize(
    ("task", "model"),
    [
        ("explain", QUESTIONS_BY_NAME["explain"].request),
        ("repair", QUESTIONS_BY_NAME["repair"].request),
        ("check", QUESTIONS_BY_NAME["check"].request),
        ("forced", QUESTIONS_BY_NAME["forced"].request),
    ],
)
def test_openapi_names_options_of_reasons_and_certificates(
    client: TestClient, task: str, model: type[AskPuzzle]
) -> None:
    operation = client.get("/openapi.json").json()["paths"][f"/v1/{task}"]["post"]
    names = {parameter["name"] for parameter in operation["parameters"]}
    assert names == set(model.model_fields) - {"board", "rules", "total_cells"}
