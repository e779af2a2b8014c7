"""Densities, fractions, safest cells, feasible totals, samples and ranks are exact over HTTP."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield.board import MINE, Board
from minecheck.minefield.notation import draw, parse
from minecheck.solvers import Deadline, answer_question, position_answers
from minecheck.solvers.backends import model_counters
from minecheck.solvers.deadline import DeadlinePassed
from minecheck.solvers.documents.render import render_answer
from minecheck.solvers.effort import FULL
from minecheck.solvers.tasks.count import Count
from tests import oracle
from tests.app.content_types import JSON, TEXT
from tests.app.problem_responses import assert_problem
from tests.app.questions.responses import MODELS, ask, assert_promised, drop_elapsed
from tests.app.serving import lattice
from tests.boards import boards_with_totals, layout_boards
from tests.examples import examples

NDJSON = {"Accept": "application/x-ndjson"}
BOARD = ["?1??", "?2??", "???1"]


def weights(
    board: Board, layouts: list[frozenset[oracle.Cell]], density: Fraction
) -> list[Fraction]:
    """Return the chance of each layout when mines are laid at random in the unknown cells."""
    known, unknown = int((board.cells == MINE).sum()), int(board.unknown.sum())
    return [
        density ** (len(layout) - known) * (1 - density) ** (unknown + known - len(layout))
        for layout in layouts
    ]


def format_ratio(chance: Fraction) -> str:
    return f"{chance.numerator}/{chance.denominator}"


@examples(60)
@given(layout_boards(), st.integers(1, 99))
def test_density_is_read_as_exact_decimal(client: TestClient, board: Board, percent: int) -> None:
    density = Fraction(percent, 100)
    layouts = oracle.answer(board).layouts
    weight = weights(board, layouts, density)
    options = {"density": percent / 100, "fractions": True}
    counted = ask(client, "count", draw(board), **options)
    assert counted["likelihood"] == format_ratio(sum(weight, Fraction(0)))
    found = ask(client, "analyze", draw(board), **options)
    assert found["likelihood"] == counted["likelihood"]
    for cell in np.ndindex(board.shape):
        held = sum((w for w, lay in zip(weight, layouts, strict=True) if cell in lay), Fraction(0))
        expected = format_ratio(held / sum(weight)) if board.unknown[cell] else None
        assert found["probabilities"][cell[0]][cell[1]] == expected


@examples(60)
@given(boards_with_totals())
def test_chances_as_floats_are_fractions_rounded_once(
    client: TestClient, case: tuple[Board, int | None]
) -> None:
    board, mines = case
    assume(mines is None or mines <= board.cells.size)
    exact, found = (
        ask(client, "analyze", draw(board), mines=mines, fractions=fractions)
        for fractions in (True, False)
    )
    for field in ("probabilities", "safest"):
        rounded = json.dumps(exact[field])
        for text in set(_fractions(exact[field])):
            rounded = rounded.replace(f'"{text}"', json.dumps(float(Fraction(text))))
        assert json.loads(rounded) == found[field]


def _fractions(value: Any) -> list[str]:
    if isinstance(value, list | dict):
        inner = value.values() if isinstance(value, dict) else value
        return [text for each in inner for text in _fractions(each)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("0.2", "1/5"),
        ("2e-1", "1/5"),
        (
            "0.1000000000000000055511151231257827",
            "1000000000000000055511151231257827/" + "1" + "0" * 34,
        ),
        ("0.3333333333333333", "3333333333333333/10000000000000000"),
        ("5e-324", "1/2" + "0" * 323),
    ],
)
def test_every_digit_of_a_density_counts(client: TestClient, digits: str, expected: str) -> None:
    body = f'{{"board": ["?"], "fractions": true, "density": {digits}}}'
    answer = client.post("/v1/analyze", content=body, headers=JSON)
    assert answer.json()["probabilities"] == [[expected]]
    query = {"density": digits, "fractions": "true"}
    answer = client.post("/v1/analyze", params=query, content="?", headers=TEXT)
    assert answer.json()["probabilities"] == [[expected]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.2", "1/5"),
        (".5", "1/2"),
        ("2e-1", "1/5"),
        ("1/3", "1/3"),
        ("2/6", "1/3"),
        ("1/" + "9" * 98, "1/" + "9" * 98),
    ],
)
def test_density_may_be_a_string(client: TestClient, text: str, expected: str) -> None:
    options = {"density": text, "fractions": True}
    assert ask(client, "analyze", ["?"], **options)["probabilities"] == [[expected]]
    assert ask(client, "count", ["?1"], **options)["likelihood"] == expected
    assert ask(client, "sample", ["?1"], density=text)["samples"] == [["B1"]]
    query = {"density": text, "fractions": "true"}
    answer = client.post("/v1/count", params=query, content="?1", headers=TEXT)
    assert answer.json()["likelihood"] == expected
    lines = '"?1"\n' + json.dumps({"board": "?1", "density": "1/7"})
    query |= {"task": "count"}
    headers = {"Content-Type": "application/x-ndjson"}
    answer = client.post("/v1/batch", params=query, content=lines, headers=headers)
    likelihoods = [json.loads(line)["likelihood"] for line in answer.text.splitlines()]
    assert likelihoods == [expected, "1/7"]


def test_forced_cells_have_chances_of_0_and_1(client: TestClient) -> None:
    found = ask(client, "analyze", ["?1??"], mines=1, fractions=True)
    assert found["probabilities"] == [["1/2", None, "1/2", "0/1"]]
    assert found["safest"][0] == {"cell": [0, 3], "probability": "0/1"}
    assert ask(client, "analyze", ["?1"], fractions=True)["probabilities"] == [["1/1", None]]


def test_likelihood_is_0_on_inconsistent_boards_only(client: TestClient) -> None:
    assert ask(client, "count", ["2?"], density=0.2)["likelihood"] == 0
    assert ask(client, "count", ["2?"], density=0.2, fractions=True)["likelihood"] == "0/1"
    assert ask(client, "count", ["???", "?8?", "???"], density=1e-300)["likelihood"] == 5e-324
    assert ask(client, "count", ["???"], density=0.2)["likelihood"] == 1
    assert ask(client, "count", ["?1?"], density=0.2)["likelihood"] == 0.32


@pytest.mark.parametrize("task", ["count", "analyze"])
def test_answer_has_likelihood_only_with_density(client: TestClient, task: str) -> None:
    for board in (["?1?"], ["2?"]):
        assert "likelihood" not in ask(client, task, board)
    assert ask(client, task, ["2?"], density=0.2)["likelihood"] == 0.0


@pytest.mark.parametrize("backend", ["auto", "automata", "frontier", "sat", "cpsat", "exhaustive"])
def test_every_backend_gives_likelihood(client: TestClient, backend: str) -> None:
    found = ask(client, "count", ["B1??", "???S"], density=0.1, fractions=True, backend=backend)
    assert found["likelihood"] == format_ratio(Fraction(9, 10) ** 4)


def test_safest_cells_are_the_first_ten_in_order(client: TestClient) -> None:
    found = ask(client, "analyze", ["?" * 12, "3" + "?" * 11])["safest"]
    assert [safe["cell"] for safe in found] == [[0, col] for col in range(2, 12)]
    assert {safe["probability"] for safe in found} == {0.5}


LARGE = lattice(9)


@pytest.mark.parametrize("task", ["count", "analyze"])
def test_answer_has_estimate_of_exact_count_where_tables_are_joined(
    client: TestClient, task: str
) -> None:
    found = ask(client, task, LARGE)
    assert found["count"] == "46846238450"
    assert found["estimate"]["products"] > found["estimate"]["table"] > 1
    assert_promised(MODELS[task], found)
    assert "estimate" not in ask(client, task, BOARD)


def test_answer_has_estimate_of_count_that_takes_too_long(
    client: TestClient,
) -> None:
    found = ask(client, "count", lattice(25), deadline_ms=1000)
    assert (found["count"], found["solver"]["complete"]) == (None, False)
    assert found["estimate"]["products"] > 1e9


def test_answer_with_approximate_count_has_no_exact_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyapproxmc")
    monkeypatch.setattr(model_counters, "count_exactly", _too_long)
    monkeypatch.setattr(position_answers, "solve_narrow_components", lambda *_: None)
    question = Count(parse(["?????", "?3?3?"] * 2 + ["?????"]))
    without_tables = replace(FULL, transitions=0)
    found = json.loads(
        render_answer(question, answer_question(question, Deadline.in_seconds(60), without_tables))
    )
    assert_promised(MODELS["count"], found)
    assert found["count"] is None
    assert found["approximate"].keys() == {"count", "epsilon", "delta"}
    assert (found["approximate"]["epsilon"], found["approximate"]["delta"]) == (0.8, 0.2)
    assert 9630 / 1.8 <= int(found["approximate"]["count"]) <= 9630 * 1.8
    # Tables without a plan are beyond all bounds.
    assert found["estimate"] == {"products": None, "table": None}
    assert found["solver"]["complete"] is False
    assert "note" not in found["solver"]


def test_note_says_how_to_install_missing_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_counters, "find_spec", lambda _: None)
    question = Count(parse(LARGE))
    without_tables = replace(FULL, transitions=0)
    found = json.loads(
        render_answer(question, answer_question(question, Deadline.in_seconds(60), without_tables))
    )
    assert_promised(MODELS["count"], found)
    assert (found["count"], "approximate" in found) == (None, False)
    assert "pip install minecheck[counters]" in found["solver"]["note"]


def _too_long(*_: object) -> int:
    raise DeadlinePassed


TASKS = ["check", "count", "forced", "layouts", "analyze", "sample"]


@examples(60)
@given(boards_with_totals(), st.sampled_from(TASKS))
def test_answer_names_feasible_totals_for_infeasible_total(
    client: TestClient, case: tuple[Board, int | None], task: str
) -> None:
    board, mines = case
    assume(mines is not None and mines <= board.cells.size)
    by_mines = oracle.answer(board).by_mines
    found = ask(client, task, draw(board), mines=mines)
    feasible = found.get("feasible_mines")
    if mines in by_mines or not by_mines:
        assert feasible is None
    else:
        assert feasible == {"least": min(by_mines), "most": max(by_mines)}
    assert found["consistent"] is (mines in by_mines)


@pytest.mark.parametrize("backend", ["automata", "frontier", "sat", "cpsat", "exhaustive"])
def test_every_backend_names_feasible_totals(client: TestClient, backend: str) -> None:
    found = ask(client, "check", ["?1?", "???"], mines=0, backend=backend)
    assert found["feasible_mines"] == {"least": 1, "most": 1}


def test_total_above_number_of_cells_is_rejected_with_range(client: TestClient) -> None:
    answer = client.post("/v1/check", json={"board": ["??"], "mines": 3})
    assert_problem(answer, 422, "bad-value", "/mines")
    assert "0 to 2 mines" in answer.json()["detail"]


@pytest.mark.parametrize("task", ["count", "sample", "analyze"])
def test_total_and_density_together_are_rejected(client: TestClient, task: str) -> None:
    body = {"board": ["??"], "mines": 1, "density": 0.5}
    assert_problem(client.post(f"/v1/{task}", json=body), 422, "bad-value", "/density")


@pytest.mark.parametrize("digits", ["0." + "1" * 100, "1e-1001", "1e-99999999999"])
def test_density_that_is_too_long_or_too_small_is_rejected(client: TestClient, digits: str) -> None:
    body = f'{{"board": ["?"], "density": {digits}}}'
    answer = client.post("/v1/analyze", content=body, headers=JSON)
    assert_problem(answer, 422, "bad-value", "/density")


@pytest.mark.parametrize("digits", ["1e-400", "0.99999999999999999999"])
def test_density_may_be_nearer_to_0_or_1_than_any_double(client: TestClient, digits: str) -> None:
    body = f'{{"board": ["?1??"], "density": {digits}, "fractions": true}}'
    answer = client.post("/v1/analyze", content=body, headers=JSON).json()
    assert answer["probabilities"][0][0] == "1/2"
    assert Fraction(answer["probabilities"][0][3]) == Fraction(digits)
    body = f'{{"board": ["?1??"], "density": {digits}}}'
    rounded = client.post("/v1/analyze", content=body, headers=JSON).json()["probabilities"][0]
    assert 0 < rounded[3] < 1


@pytest.mark.parametrize("options", [{}, {"mines": 4}, {"density": 0.2}], ids=str)
@pytest.mark.parametrize("board", [BOARD, ["?1???"], ["?????", "?3?1?"]], ids=str)
def test_equal_seeds_draw_equal_samples(
    client: TestClient, board: list[str], options: dict[str, Any]
) -> None:
    if board == ["?1???"] and "mines" in options:
        options = {"mines": 2}
    first = ask(client, "sample", board, limit=20, **options)
    again = ask(client, "sample", board, limit=20, seed=first["seed"], **options)
    assert drop_elapsed(again) == drop_elapsed(first)
    assert 0 <= int(first["seed"]) < 2**53
    assert len({ask(client, "sample", board, **options)["seed"] for _ in range(3)}) == 3
    later = ask(client, "sample", board, limit=5, offset=15, seed=first["seed"], **options)
    assert later["samples"] == first["samples"][15:]
    layouts = ask(client, "layouts", board, limit=5000, mines=options.get("mines"))["layouts"]
    assert all(sample in layouts for sample in first["samples"])
    assert first["count"] == str(len(layouts))


def test_one_sample_is_drawn_by_default(client: TestClient) -> None:
    assert len(ask(client, "sample", BOARD)["samples"]) == 1
    for seed in (2**63 - 1, str(2**63 - 1)):
        assert ask(client, "sample", BOARD, seed=seed)["seed"] == str(2**63 - 1)


def test_samples_with_density_are_drawn_by_weight(client: TestClient) -> None:
    rows = ["?1?1???"]
    board, density, draws = parse(rows), Fraction(1, 5), 4000
    layouts = oracle.answer(board).layouts
    weight = weights(board, layouts, density)
    found = ask(client, "sample", rows, density=0.2, seed=3, limit=draws)["samples"]
    drawn = Counter(
        frozenset((0, col) for col, symbol in enumerate(sample[0]) if symbol == "B")
        for sample in found
    )
    expected = [float(draws * one / sum(weight)) for one in weight]
    seen = [drawn[layout] for layout in layouts]
    chi_squared = sum((s - w) ** 2 / w for s, w in zip(seen, expected, strict=True))
    assert chi_squared < len(layouts) - 1 + 5 * (2 * len(layouts)) ** 0.5


def test_inconsistent_board_has_no_samples(client: TestClient) -> None:
    found = ask(client, "sample", ["2?"])
    assert (found["consistent"], found["count"], found["samples"]) == (False, "0", [])


@pytest.mark.parametrize("limit", [None, 700])
def test_samples_are_streamed_as_lines_with_seed_in_header(
    client: TestClient, limit: int | None
) -> None:
    body: dict[str, Any] = {"board": BOARD, "density": 0.3}
    body |= {} if limit is None else {"limit": limit}
    answer = client.post("/v1/sample", json=body, headers=NDJSON)
    lines = [json.loads(line) for line in answer.text.splitlines()]
    seed = int(answer.headers["minecheck-seed"])
    again = ask(client, "sample", **body, seed=seed)
    assert lines == again["samples"]
    assert len(lines) == (limit or 1)


@pytest.mark.parametrize("backend", ["sat", "cpsat", "exhaustive"])
@pytest.mark.parametrize("board", [BOARD, ["2?"]])
def test_backends_without_order_reject_samples(
    client: TestClient, backend: str, board: list[str]
) -> None:
    answer = client.post("/v1/sample", json={"board": board, "backend": backend})
    assert_problem(answer, 422, "backend-refuses", "/backend")


def test_automata_draw_samples_by_density(client: TestClient) -> None:
    # Nearly all of the 21 cells are mines.
    options = {"density": "999999/1000000", "limit": 5, "seed": 1}
    found = ask(client, "sample", ["?" * 21], backend="automata", **options)
    assert found["samples"] == 5 * [["B" * 21]]


@pytest.mark.parametrize("backend", ["auto", "automata", "frontier"])
@pytest.mark.parametrize(
    "board",
    [BOARD, ["?1???"], ["?????", "?3?1?"]],
    ids=str,
)
def test_rank_of_layout_is_offset_that_finds_layout(
    client: TestClient, board: list[str], backend: str
) -> None:
    layouts = ask(client, "layouts", board, backend=backend)["layouts"]
    for rank in range(0, len(layouts), 7):
        found = ask(client, "layouts", board, backend=backend, layout=layouts[rank], limit=1)
        assert found["rank"] == str(rank)


def test_layout_to_be_ranked_may_leave_numbers_out(client: TestClient) -> None:
    assert ask(client, "layouts", ["?1???"], layout=["B1SSS"])["rank"] is not None


@pytest.mark.parametrize(
    ("layout", "code", "pointer"),
    [
        (["BB11", "2210", "0000"], "bad-value", "/layout/0/3"),
        (["B1??", "B2??", "???1"], "bad-value", "/layout/0/2"),
        (["SSSS", "SSSS", "SSSS"], "bad-value", "/layout/0/1"),
        (["B1", "11"], "bad-value", "/layout"),
        (["B1SS"], "bad-value", "/layout"),
        (["x"], "unknown-symbol", "/layout/0/0"),
        ([], "empty-board", "/layout"),
        ({"mines": []}, "board-type", "/layout"),
    ],
    ids=str,
)
def test_layout_that_does_not_fit_board_is_not_ranked(
    client: TestClient, layout: object, code: str, pointer: str
) -> None:
    body = {"board": BOARD, "layout": layout}
    assert_problem(client.post("/v1/layouts", json=body), 422, code, pointer)


def test_layout_of_another_total_is_not_ranked(client: TestClient) -> None:
    body = {"board": ["???"], "mines": 1, "layout": ["BB1"]}
    answer = client.post("/v1/layouts", json=body)
    assert_problem(answer, 422, "bad-value", "/layout")
    assert "2 mines, not 1" in answer.json()["detail"]


@pytest.mark.parametrize("backend", ["sat", "cpsat", "exhaustive"])
def test_backends_without_order_reject_ranks(client: TestClient, backend: str) -> None:
    body = {"board": ["???"], "layout": ["BB1"], "backend": backend}
    assert_problem(client.post("/v1/layouts", json=body), 422, "backend-refuses", "/backend")


def test_rank_of_more_digits_than_python_reads_is_an_offset(client: TestClient) -> None:
    body = {"board": ["?" * 150] * 100, "limit": 1}
    rank = "9" * 4500
    page = client.post("/v1/layouts", json={**body, "offset": rank}).json()
    assert page["next_offset"] == "1" + "0" * 4500
    request = {**body, "layout": page["layouts"][0]}
    assert client.post("/v1/layouts", json=request).json()["rank"] == rank


@pytest.mark.parametrize("deadline_ms", [1, 300])
def test_answers_about_too_large_lattice_are_incomplete(
    client: TestClient, deadline_ms: int
) -> None:
    board = ["".join("3" if row % 2 and col % 2 else "?" for col in range(31)) for row in range(31)]
    for task in ("layouts", "count", "sample"):
        body = {"board": board, "deadline_ms": deadline_ms}
        answer = client.post(f"/v1/{task}", json=body)
        assert answer.status_code == 200
        assert answer.json()["solver"]["complete"] is False


def test_samples_at_large_offset_are_drawn(client: TestClient) -> None:
    body = {"board": ["?1??"], "seed": 3, "offset": "9" * 5000, "limit": 2}
    answer = client.post("/v1/sample", json=body).json()
    assert len(answer["samples"]) == 2


def test_automata_give_chances_as_fractions(client: TestClient) -> None:
    board = ["?1?S?2?"]
    found = ask(client, "analyze", board, backend="automata", fractions=True)
    assert found["probabilities"][0] == ["1/2", None, "1/2", None, "1/1", None, "1/1"]
    assert drop_elapsed(found) == drop_elapsed(ask(client, "analyze", board, fractions=True))


def test_chances_of_long_strips_are_the_nearest_doubles(client: TestClient) -> None:
    body = {"board": ["?" * 3000, "?1?" * 1000]}
    found = client.post("/v1/analyze", json=body).json()
    assert found["probabilities"][0][1] == 0.2
    assert found["safest"][0]["cell"] == [0, 0]
