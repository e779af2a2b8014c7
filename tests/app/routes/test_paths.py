"""Paths and steps of automata are shown over HTTP and on the command line."""

import json
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient
from hypothesis import given

from minecheck.app.functions.path_tree import MOST_LISTED
from minecheck.app.functions.paths import PathsAnswer
from minecheck.app.functions.step import StepAnswer
from minecheck.automata.profiles import Profiles
from minecheck.minefield.board import Board
from minecheck.minefield.notation import draw, parse
from tests import boards, oracle
from tests.app.cli.running import one_line, run
from tests.app.content_types import TEXT
from tests.app.problem_responses import assert_problem, parse_problem
from tests.examples import examples

HU_LIN = json.loads((Path(__file__).parents[2] / "automata" / "data" / "hu_lin.json").read_text())


def paths(client: TestClient, name: str, board: object, **options: object) -> dict[str, Any]:
    answer = client.post(f"/v1/automata/{name}/paths", json={"board": board, **options})
    assert answer.status_code == 200, answer.text[:500]
    PathsAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


def step(client: TestClient, name: str, column: str, **options: object) -> dict[str, Any]:
    answer = client.post(f"/v1/automata/{name}/step", json={"column": column, **options})
    assert answer.status_code == 200, answer.text[:500]
    StepAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("figure", HU_LIN["figures"], ids=lambda figure: figure["id"])
def test_paths_of_hu_lin_machine_agree_with_figures(
    client: TestClient, figure: dict[str, Any]
) -> None:
    found = paths(client, "hu-lin", figure["rows"])
    states = {(tuple(one["states"]), one["outcome"] == "accepted") for one in found["paths"]}
    assert states == {(tuple(run["states"]), run["accepting"]) for run in figure["runs"]} | {
        (tuple(run), False) for run in figure["runs_stuck_before_the_end"]
    }
    assert found["consistent"] is figure["accepted"]
    assert found["accepted"] == str(figure["accepting_runs"])
    assert found["more"] is False
    layouts = [int(one["layouts"]) for one in found["paths"] if one["outcome"] == "accepted"]
    assert sum(layouts) == figure["layouts"]


def layouts_of(found: dict[str, Any], turned: bool) -> list[tuple[str, ...]]:
    """Return the layouts that the accepted paths stand for, as rows."""
    tree = found["tree"]
    layouts = []
    for path in found["paths"]:
        columns: list[str] = []
        node = tree[path["leaf"]]
        while node["parent"] is not None:
            columns.insert(0, node["placed"])
            node = tree[node["parent"]]
        if path["outcome"] == "accepted":
            found_here = list(product(*columns))
            assert path["layouts"] == str(len(found_here))
            layouts += found_here
    lines = [tuple("".join(cells) for cells in zip(*one, strict=True)) for one in layouts]
    return layouts if turned else lines


@given(boards.strip_boards(cells=14, unknown=9))
def test_accepted_paths_place_each_layout_once(client: TestClient, board: Board) -> None:
    rows = draw(board)
    names = [f"strip-{board.height}"]
    if board.height == 2 and "S" not in "".join(rows):
        names.append("hu-lin")
    for name in names:
        found = paths(client, name, rows, limit=5000)
        layouts = layouts_of(found, turned=False)
        known = oracle.answer(board)
        mines = {
            frozenset(
                (row, col)
                for row, cells in enumerate(layout)
                for col, cell in enumerate(cells)
                if cell == "B"
            )
            for layout in layouts
        }
        assert len(layouts) == len(mines) == known.count
        assert mines == set(known.layouts)


@given(boards.strip_boards(cells=14, unknown=9))
@examples(100)
def test_clues_that_reject_path_contradict_placed_cells(client: TestClient, board: Board) -> None:
    """The named clues alone contradict the placed cells, with the rest of the board unknown."""
    rows = draw(board)
    if board.height > board.width:
        return
    found = paths(client, f"strip-{board.height}", rows, outcome="rejected", limit=20)
    for path in found["paths"]:
        assert path["why"]
        stops = path["stops_at"]
        cells = [list(cells) for cells in rows]
        for row, col in product(range(board.height), range(board.width)):
            placed = path["states"][col + 1][row] if col < stops else None
            if placed is not None:
                cells[row][col] = "B" if placed == "B" else "S"
            elif col > stops:
                cells[row][col] = "?"
            elif cells[row][col].isdigit():
                cells[row][col] = "S"
        for row, col in path["clues"]:
            cells[row][col] = rows[row][col]
            assert rows[row][col].isdigit()
        assert oracle.answer(parse(["".join(one) for one in cells])).count == 0
        assert stops == board.width or max(col for _, col in path["clues"]) <= stops


def test_paths_of_hu_lin_machine_place_columns_in_order_of_board(client: TestClient) -> None:
    """Symbols of Hu and Lin have sorted cells, but paths place cells as on the board."""
    for rows in (["?1?", "1??"], ["1B?", "??1"], ["B1", "??"]):
        found = paths(client, "hu-lin", rows)
        known = oracle.answer(parse(rows))
        layouts = layouts_of(found, turned=False)
        assert len(layouts) == known.count > 0
        for layout in layouts:
            mines = {
                (row, col)
                for row in range(2)
                for col, cell in enumerate(layout[row])
                if cell == "B"
            }
            assert mines in [set(one) for one in known.layouts]


def test_paths_route_explains_rejected_paths(client: TestClient) -> None:
    found = paths(client, "strip-2", ["?0", "?1"])
    both = "The 0 at row 0, column 1 and the 1 at row 1, column 1 forbid together all that column"
    assert [(one["clues"], one["why"]) for one in found["paths"]] == [
        ([[0, 1], [1, 1]], f"{both} 1 may hold."),
        ([[0, 1]], "The 0 at row 0, column 1 forbids all that column 1 may hold."),
        ([[0, 1]], "The 0 at row 0, column 1 forbids all that column 1 may hold."),
        ([[1, 1]], "The 1 at row 1, column 1 forbids all that column 1 may hold."),
    ]
    turned = paths(client, "strip-2", ["??", "01", "??"])
    assert turned["paths"][1]["clues"] == [[1, 0]]
    assert turned["paths"][1]["why"] == "The 0 at row 1, column 0 forbids all that row 1 may hold."


def test_kadlac_machine_has_one_path(client: TestClient) -> None:
    found = paths(client, "kadlac", ["1?1"])
    assert (found["accepted"], found["rejected"]) == ("1", "0")
    assert found["paths"][0]["states"] == ["so", "1o", "?b", "1b"]
    assert found["tree"][1]["placed"] is None
    wrong = paths(client, "kadlac", ["01?1B"])
    (path,) = wrong["paths"]
    assert (path["outcome"], path["stops_at"], "Er" in path["states"]) == ("rejected", 4, False)
    assert path["clues"] == [[0, 0], [0, 1], [0, 3]]
    ended = paths(client, "kadlac", ["1"])["paths"][0]
    assert (ended["stops_at"], ended["clues"]) == (1, [[0, 0]])
    assert "end of the board" in ended["why"]


def test_paths_route_reads_window_with_surrounding_cells(client: TestClient) -> None:
    board = ["???", "??2", "11?"]
    found = paths(client, "strip-3", board, window={"row": 1, "height": 2})
    assert found["read"] == {"row": 0, "col": 0, "height": 3, "width": 3}
    assert found["consistent"] is True
    for path in found["paths"]:
        assert all(board[row][col].isdigit() for row, col in path["clues"])


def test_paths_route_respects_outcome_and_limit(client: TestClient) -> None:
    rows = ["?" * 40] * 2
    found = paths(client, "hu-lin", rows, limit=7)
    assert (len(found["paths"]), found["more"], found["accepted"]) == (7, True, str(3**40))
    assert found["solver"]["complete"] is True
    none = paths(client, "hu-lin", rows, outcome="rejected")
    assert (none["paths"], none["tree"], none["more"], none["rejected"]) == ([], [], False, "0")
    long = paths(client, "strip-1", ["1??" * 3000], limit=5000)
    assert len(long["paths"]) == MOST_LISTED // 9001
    assert (long["more"], len(long["accepted"]) > 800) == (True, True)
    both = paths(client, "hu-lin", ["2?4?2", "???B?"])
    for outcome, number in (("accepted", 3), ("rejected", 1)):
        one = paths(client, "hu-lin", ["2?4?2", "???B?"], outcome=outcome)
        assert [path["states"] for path in one["paths"]] == [
            path["states"] for path in both["paths"] if path["outcome"] == outcome
        ]
        assert len(one["paths"]) == number


@pytest.mark.usefixtures("late")
def test_paths_route_answers_null_past_deadline(client: TestClient) -> None:
    wide = paths(client, "strip-12", ["?" * 400] * 12)
    for field in ("accepted", "paths", "tree", "more", "consistent"):
        assert wide[field] is None
    assert wide["solver"]["complete"] is False


def test_paths_route_draws_tree(client: TestClient) -> None:
    body = {"board": ["2?4?2", "???B?"], "picture": True}
    answer = client.post("/v1/automata/hu-lin/paths", json=body)
    assert answer.headers["content-type"] == "image/svg+xml"
    root = ElementTree.fromstring(answer.content)
    assert root.tag.endswith("svg")
    assert "4 paths of 3 accepted and 1 rejected" in answer.text
    path = "/v1/automata/hu-lin/paths?picture=true"
    text = client.post(path, content="2?4?2\n???B?\n", headers=TEXT)
    assert text.content == answer.content


def test_paths_route_rejects_picture_of_too_large_tree(client: TestClient) -> None:
    for body in (
        {"board": ["?" * 20] * 2, "limit": 101},
        {"board": ["?" * 400] * 2, "limit": 100},
    ):
        name = f"strip-{len(body['board'])}"  # type: ignore[arg-type]
        answer = client.post(f"/v1/automata/{name}/paths", json=body | {"picture": True})
        assert_problem(answer, 422, "too-large-to-draw", "/picture")


@pytest.mark.usefixtures("late")
def test_paths_route_rejects_picture_past_deadline(client: TestClient) -> None:
    body = {"board": ["?" * 400] * 12, "picture": True}
    answer = client.post("/v1/automata/strip-12/paths", json=body)
    assert_problem(answer, 422, "too-large-to-draw", "/picture")


@pytest.mark.parametrize(
    ("name", "body", "status", "code", "pointer"),
    [
        ("hu-lin", {}, 422, "missing-field", "/board"),
        ("hu-lin", {"board": ["???"]}, 422, "wrong-width", "/board"),
        ("hu-lin", {"board": ["S?", "??"]}, 422, "outside-the-alphabet", "/board/0/0"),
        ("hu-lin", {"board": ["9?", "??"]}, 422, "unknown-symbol", "/board/0/0"),
        ("hu-lin", {"board": ["?", "?"], "limit": 0}, 422, "bad-value", "/limit"),
        ("hu-lin", {"board": ["?", "?"], "limit": 5001}, 422, "over-the-limit", "/limit"),
        ("hu-lin", {"board": ["?", "?"], "limit": "5"}, 422, "bad-value", "/limit"),
        ("hu-lin", {"board": ["?", "?"], "outcome": "dead"}, 422, "bad-value", "/outcome"),
        ("hu-lin", {"board": ["?", "?"], "picture": 1}, 422, "bad-value", "/picture"),
        ("hu-lin", {"board": ["?", "?"], "mines": 1}, 422, "unknown-field", "/mines"),
        ("hu-lin", {"board": ["?", "?"], "window": "0,0,3,1"}, 422, "bad-window", "/window/rows"),
        ("hu-lin", [], 422, "not-an-object", ""),
        ("kadlac", {"board": ["?" * 10_001]}, 422, "over-the-limit", "/board"),
        ("strip-13", {"board": ["?"]}, 422, "too-wide", None),
        ("nobody", {"board": ["?"]}, 404, "unknown-machine", None),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_paths_route_rejects_invalid_requests(
    client: TestClient, name: str, body: object, status: int, code: str, pointer: str | None
) -> None:
    answer = client.post(f"/v1/automata/{name}/paths", json=body)
    assert_problem(answer, status, code, *([] if pointer is None else [pointer]))


# On the command line.


def test_paths_command_prints_paths(tmp_path: Path) -> None:
    board = tmp_path / "board"
    board.write_text("2?4?2\n???B?\n")
    shown = run("paths", "hu-lin", str(board))
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == "paths of hu-lin: 3 accepted, 1 rejected"
    assert lines[1] == "accepted: s0 > 20?0 > ?B?B > 42?0 > ?BBB > 22?0"
    assert lines[3] == "  The board ends, and the 2 at row 0, column 4 still needs 1 mine."
    assert lines[-2].endswith("(2 layouts)")
    assert lines[-1] == "answered by automata (hu-lin)"
    few = run("paths", "hu-lin", str(board), "--limit", "1", "--outcome", "accepted")
    assert few.stdout.splitlines()[-2] == "more with --offset 1, or with --limit"
    as_json = run(
        "paths", "strip-3", "-", "--window", "1,0,2,3", "--json", stdin=b"???\n??2\n11?\n"
    )
    PathsAnswer.model_validate_json(as_json.stdout, strict=True)
    drawn = run("paths", "hu-lin", str(board), "--picture")
    assert (drawn.exit_code, drawn.stdout[:4]) == (0, "<svg")
    assert run("paths", "hu-lin", "-", stdin=b"2\n2\n").exit_code == 1
    one_line(run("paths", "kadlac", str(board)), "kadlac reads boards of height or width 1")
    one_line(run("paths", "nobody", str(board)), 'There is no automaton "nobody"')
    wide = b"\n".join([b"?" * 80] * 2)
    one_line(run("paths", "hu-lin", "-", "--picture", stdin=wide), "--picture: ")
    late = run("paths", "hu-lin", str(board), "--deadline", "1e-9")
    assert (late.exit_code, late.stderr) == (3, "incomplete: it takes more time or memory\n")


def test_step_command_prints_step() -> None:
    shown = run("step", "strip-4", "--", "1?0?", "----", "B---")
    assert shown.stdout == (
        "2 states, 1 accepting\n----: 1-0-\nB---: 0-0-\nanswered by automata (strip-4)\n"
    )
    assert "equal" in run("step", "hu-lin", "12").stdout
    as_json = run("step", "strip-4", "????", "--json")
    StepAnswer.model_validate_json(as_json.stdout, strict=True)
    one_line(run("step", "strip-4", "???"), "strip-4 reads columns of 4 cells; this one has 3.")
    late = run("step", "strip-4", "????", "--deadline", "1e-9")
    assert late.exit_code == 3


# Steps of one column.


def test_steps_of_strip_machine_agree_with_run(client: TestClient) -> None:
    columns = ["1??0", "??1?", "2??S", "????"]
    states, reached = None, {"----"}
    machine = Profiles(4)
    for column in columns:
        found = step(client, "strip-4", column, states=states)
        expected = {state: machine.follow(state, column) for state in reached}
        assert {one["state"]: tuple(one["next"]) for one in found["moves"]} == expected
        reached = set().union(*expected.values())
        states = found["reached"]
        assert (states, found["states"]) == (sorted(reached), len(reached))
        assert found["accepting"] == [one for one in states if machine.is_accepting(one)]
    rows = ["".join(cells) for cells in zip(*columns, strict=True)]
    run = client.post("/v1/automata/strip-4/run", json={"board": rows}).json()
    assert run["steps"][-1]["reached"] == states


def test_step_route_supports_machines_of_papers(client: TestClient) -> None:
    found = step(client, "hu-lin", "?2", states=["?0BB"])
    assert found["moves"] == [{"state": "?0BB", "next": ["21?0", "22?B"]}]
    impossible = step(client, "hu-lin", "12")
    assert (impossible["reached"], impossible["states"]) == ([], 0)
    assert "numbers must be equal" in impossible["why"]
    assert step(client, "kadlac", "?")["reached"] == ["??"]
    ended = step(client, "strip-4", "????", states=[])
    assert (ended["moves"], ended["reached"], ended["states"]) == ([], [], 0)


def test_step_route_supports_widest_machine(client: TestClient) -> None:
    found = step(client, "strip-12", "?" * 12)
    assert found["states"] == 4096 == len(found["reached"])


@pytest.mark.usefixtures("late")
def test_step_route_answers_null_past_deadline(client: TestClient) -> None:
    found = step(client, "strip-12", "?" * 12, states=["-" * 12])
    assert found["solver"]["complete"] is False
    assert (found["moves"], found["reached"], found["states"]) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "body", "status", "code", "pointer"),
    [
        ("strip-4", {}, 422, "missing-field", "/column"),
        ("strip-4", {"column": "???"}, 422, "wrong-width", "/column"),
        ("strip-4", {"column": "???9"}, 422, "outside-the-alphabet", "/column"),
        ("strip-4", {"column": "???!"}, 422, "outside-the-alphabet", "/column"),
        ("hu-lin", {"column": "S?"}, 422, "outside-the-alphabet", "/column"),
        ("strip-4", {"column": 1}, 422, "bad-value", "/column"),
        ("strip-4", {"column": "????", "states": "----"}, 422, "bad-value", "/states"),
        ("strip-4", {"column": "????", "states": ["---"]}, 422, "unknown-state", "/states/0"),
        (
            "strip-4",
            {"column": "????", "states": ["----", "4---"]},
            422,
            "unknown-state",
            "/states/1",
        ),
        ("hu-lin", {"column": "??", "states": ["s1"]}, 422, "unknown-state", "/states/0"),
        ("strip-4", {"column": "????", "state": "----"}, 422, "unknown-field", "/state"),
        ("strip-13", {"column": "?"}, 422, "too-wide", None),
        ("nobody", {"column": "?"}, 404, "unknown-machine", None),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_step_route_rejects_invalid_requests(
    client: TestClient, name: str, body: object, status: int, code: str, pointer: str | None
) -> None:
    answer = client.post(f"/v1/automata/{name}/step", json=body)
    assert_problem(answer, status, code, *([] if pointer is None else [pointer]))
    assert parse_problem(answer).fix
