"""The service shows automata as documents and pictures, and runs them on boards."""

import json
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from pygraphviz import AGraph

from minecheck.app.functions import run as running
from minecheck.app.functions.run import RunAnswer
from minecheck.automata import hu_lin, kadlac
from minecheck.automata.determinising import determinise, minimise
from minecheck.automata.machine import Machine
from minecheck.automata.profiles import Profiles
from minecheck.minefield import Board
from minecheck.minefield.notation import draw, parse
from minecheck.solvers import Deadline
from tests import boards, oracle
from tests.app.content_types import TEXT
from tests.app.problem_responses import assert_problem, parse_problem
from tests.app.questions.responses import drop_elapsed
from tests.app.serving import Server, lattice
from tests.examples import examples

MEDIA = {"json": "application/json", "dot": "text/vnd.graphviz", "svg": "image/svg+xml"}
SVG = "{http://www.w3.org/2000/svg}"
DATA = Path(__file__).parents[2] / "automata" / "data"
HU_LIN = json.loads((DATA / "hu_lin.json").read_text())
KADLAC = json.loads((DATA / "kadlac.json").read_text())
NAMES = ["kadlac", "hu-lin", "strip-1", "strip-2", "strip-3"]

#: For every form of every machine: its number of states, and whether it can be drawn.
FORMS = {
    ("kadlac", "given"): (11, True),
    ("kadlac", "minimal"): (7, True),
    ("hu-lin", "given"): (43, False),
    ("hu-lin", "merged"): (9, True),
    ("hu-lin", "deterministic"): (27, True),
    ("hu-lin", "minimal"): (23, True),
    ("strip-1", "given"): (4, True),
    ("strip-1", "deterministic"): (7, True),
    ("strip-1", "minimal"): (6, True),
    ("strip-2", "given"): (19, True),
    ("strip-2", "deterministic"): (67, False),
    ("strip-2", "minimal"): (23, True),
    ("strip-3", "given"): (94, False),
}
DRAWABLE = [form for form, (_, drawn) in FORMS.items() if drawn]
TOO_LARGE = [form for form, (_, drawn) in FORMS.items() if not drawn]
EVERY_FORM = pytest.mark.parametrize(("name", "form"), FORMS)


def library(name: str, form: str) -> Machine:
    """Return the machine of the library with this name and form."""
    given = {"kadlac": kadlac.build_machine, "hu-lin": hu_lin.build_machine}.get(name)
    machine = given() if given else Profiles(int(name[-1])).build_machine()
    if form != "given" and name == "hu-lin":
        machine = hu_lin.build_merged_machine()
    if form in ("deterministic", "minimal") and name != "kadlac":
        machine = determinise(machine)
    return minimise(machine) if form == "minimal" else machine


def document(client: TestClient, name: str, form: str) -> dict[str, Any]:
    """Return the machine as JSON."""
    found: dict[str, Any] = client.get(f"/v1/automata/{name}?form={form}").json()
    return found


def moves(machine: dict[str, Any]) -> set[tuple[str, str, str]]:
    """Return the moves (state, symbol, next state) of a machine in JSON."""
    return {
        (state, symbol, target)
        for state, symbols in machine["moves"].items()
        for symbol, targets in symbols.items()
        for target in targets
    }


def alive(machine: dict[str, Any]) -> set[str]:
    """Return the start, and the states from which the board may still be accepted."""
    found: set[str] = set()
    more = set(machine["accepting"])
    while more - found:
        found |= more
        more = {state for state, _, target in moves(machine) if target in found}
    return found | {machine["start"]}


def run(client: TestClient, name: str, board: object, **options: object) -> dict[str, Any]:
    answer = client.post(f"/v1/automata/{name}/run", json={"board": board, **options})
    assert answer.status_code == 200, answer.text[:500]
    assert answer.headers["content-type"] == "application/json"
    RunAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


def transpose_rows(rows: list[str]) -> list[str]:
    return ["".join(cells) for cells in zip(*rows, strict=True)]


# Documents and pictures of machines.


def test_automata_route_lists_machines_that_can_be_shown_whole(client: TestClient) -> None:
    response = client.get("/v1/automata")
    assert (response.status_code, response.json()) == (200, NAMES)
    assert {name for name, _ in FORMS} == set(NAMES)


def test_document_of_kadlac_machine_has_her_tables(client: TestClient) -> None:
    """A board may end in a state from which the end of the board does not lead to the error."""
    found = document(client, "kadlac", "given")
    assert set(found["outputs"]) == set(found["ends"]) == set(found["states"])
    assert found["outputs"]["?b"] == "B"
    assert {state for state, end in found["ends"].items() if end != "Er"} == set(found["accepting"])


def test_windows_route_lists_all_windows_of_appendix_b(client: TestClient) -> None:
    answer = client.get("/v1/automata/kadlac/windows")
    assert answer.status_code == 200
    found = answer.json()
    assert len({one["window"] for one in found}) == len(found) == 625
    assert sum(one["consistent"] for one in found) == 220
    window = {"window": "0,1,1,4"}
    for one in found[::50]:
        strip = client.post("/v1/strips", json={"board": [f"?{one['window']}?"], **window})
        assert strip.json()["consistent"] is one["consistent"]
        assert (one["type"] is None) is one["consistent"]
    assert client.get("/v1/automata/kadlac/windows?x=1").status_code == 422


@EVERY_FORM
def test_json_document_describes_machine(client: TestClient, name: str, form: str) -> None:
    found = document(client, name, form)
    machine = library(name, form)
    states, _ = FORMS[name, form]
    assert len(found["states"]) == len(set(found["states"])) == states
    tables = {"outputs", "ends"} if (name, form) == ("kadlac", "given") else set()
    assert set(found) == tables | {
        *("name", "form", "forms", "rows", "symbols", "states", "start", "accepting", "moves")
    }
    assert (found["name"], found["form"]) == (name, form)
    assert found["forms"] == [form for other, form in FORMS if other == name]
    assert found["rows"] == machine.rows
    assert found["symbols"] == list(machine.symbols)
    assert found["states"] == list(machine.states)
    assert found["start"] == machine.start
    assert set(found["accepting"]) == machine.accepting
    assert found["accepting"] == sorted(found["accepting"], key=found["states"].index)
    assert moves(found) == {
        (state, symbol, target)
        for state, symbol in product(machine.states, machine.symbols)
        for target in machine.follow(state, symbol)
    }


def test_machines_of_papers_agree_with_published_tables(client: TestClient) -> None:
    table = document(client, "kadlac", "given")
    for state, symbol in product(KADLAC["states"], KADLAC["alphabet"]):
        assert table["moves"][state][symbol] == [KADLAC["delta"][state][symbol]]
    for form, delta in (("given", "delta"), ("merged", "class_delta")):
        assert moves(document(client, "hu-lin", form)) == moves({"moves": HU_LIN[delta]})


@EVERY_FORM
def test_dot_document_draws_every_move_between_live_states(
    client: TestClient, name: str, form: str
) -> None:
    answer = client.get(f"/v1/automata/{name}?form={form}&format=dot")
    assert answer.headers["content-type"].partition(";")[0] == MEDIA["dot"]
    graph = AGraph(string=answer.text)
    found = document(client, name, form)
    living = alive(found)
    shown = {str(node): node.attr["shape"] for node in graph.nodes()}
    (entry,) = (name for name, shape in shown.items() if shape == "point")
    assert set(shown) - {entry} == living
    accepting = {state for state, shape in shown.items() if shape == "doublecircle"}
    assert accepting == set(found["accepting"])
    arrows = {
        (str(source), symbol, str(target))
        for source, target in graph.edges()
        if source != entry
        for symbol in graph.get_edge(source, target).attr["tooltip"].split()
    }
    expected = {move for move in moves(found) if living.issuperset((move[0], move[2]))}
    assert arrows == expected
    assert [str(target) for source, target in graph.edges() if source == entry] == [found["start"]]


@pytest.mark.parametrize(("name", "form"), DRAWABLE)
def test_svg_picture_is_well_formed_and_shows_states(
    client: TestClient, name: str, form: str
) -> None:
    answer = client.get(f"/v1/automata/{name}?form={form}&format=svg")
    assert (answer.status_code, answer.headers["content-type"]) == (200, MEDIA["svg"])
    picture = ElementTree.fromstring(answer.content)
    assert picture.tag == f"{SVG}svg"
    groups = [group for group in picture.iter(f"{SVG}g") if "state" in group.attrib["class"]]
    titles = [title.text or "" for group in groups for title in group.findall(f"{SVG}title")]
    found = document(client, name, form)
    accepting = set(found["accepting"])
    assert len(titles) == len(groups)
    assert set(titles) == {
        f"{state}, accepting" if state in accepting else state for state in alive(found)
    }


@pytest.mark.parametrize(("name", "form"), TOO_LARGE)
def test_picture_of_form_that_is_too_large_is_rejected(
    client: TestClient, name: str, form: str
) -> None:
    answer = client.get(f"/v1/automata/{name}?form={form}&format=svg")
    assert_problem(answer, 422, "too-large-to-draw")
    found = parse_problem(answer)
    living = alive(document(client, name, form))
    assert f"{len(living)} states" in found.detail
    assert "220" in found.detail
    assert "dot" in found.fix
    for format_ in ("json", "dot"):
        answer = client.get(f"/v1/automata/{name}?form={form}&format={format_}")
        assert answer.status_code == 200


@pytest.mark.parametrize(
    ("name", "form"),
    [("kadlac", "given"), ("hu-lin", "merged"), ("strip-1", "given"), ("strip-2", "given")],
)
def test_picture_without_form_shows_fullest_form_that_can_be_drawn(
    client: TestClient, name: str, form: str
) -> None:
    answer = client.get(f"/v1/automata/{name}?format=svg")
    assert answer.headers["content-location"] == f"/v1/automata/{name}?form={form}&format=svg"
    assert answer.content == client.get(answer.headers["content-location"]).content


def test_machine_without_drawable_form_is_rejected_with_size_of_fullest_form(
    client: TestClient,
) -> None:
    answer = client.get("/v1/automata/strip-3?format=svg")
    assert_problem(answer, 422, "too-large-to-draw")
    assert "94 states" in parse_problem(answer).detail


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("format_", ["json", "dot"])
def test_document_without_form_shows_machine_as_given(
    client: TestClient, name: str, format_: str
) -> None:
    answer = client.get(f"/v1/automata/{name}?format={format_}")
    location = f"/v1/automata/{name}?form=given&format={format_}"
    assert answer.headers["content-location"] == location
    again = client.get(location)
    assert answer.content == again.content
    assert answer.headers["content-type"] == again.headers["content-type"]


# Formats.

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
IMAGE = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "format_"),
    [
        ("", "json"),
        ("*/*", "json"),
        (BROWSER, "json"),
        (IMAGE, "svg"),
        ("application/json", "json"),
        ("text/vnd.graphviz", "dot"),
        ("image/svg+xml", "svg"),
        ("Image/SVG+XML", "svg"),
        ("image/*", "svg"),
        ("text/*", "dot"),
        ("application/*", "json"),
        ("image/svg+xml, text/vnd.graphviz", "svg"),
        ("text/vnd.graphviz, image/svg+xml", "dot"),
        ("text/vnd.graphviz;q=0.5, image/svg+xml", "svg"),
        ("image/svg+xml;q=0.5, text/vnd.graphviz;q=0.51", "dot"),
        ("image/svg+xml;q=0.9,application/json;q=0.95,text/vnd.graphviz;q=0.1", "json"),
        ("image/svg+xml ; q=0.1 , text/vnd.graphviz ;q=0.2", "dot"),
        ("image/svg+xml;q=0.1;x=y, text/vnd.graphviz;q=0.2", "dot"),
        ("image/svg+xml;x=0.1, text/vnd.graphviz;q=0.2", "svg"),
        ("image/svg+xml;charset=utf-8;q=0.1, text/vnd.graphviz;q=0.2", "dot"),
        ("image/svg+xml;q=0.1, */*", "json"),
        ("*/*, image/svg+xml;q=0.1", "json"),
        ("*/*, image/svg+xml", "svg"),
        ("*/*;q=0.1, image/svg+xml;q=0.2", "svg"),
        ("application/json;q=0, */*", "dot"),
        ("image/svg+xml;q=0", "json"),
        ("image/svg+xml;q=0.000, text/vnd.graphviz;q=0.001", "dot"),
        ("application/json;q=0, image/svg+xml;q=0", "json"),
        ("image/png", "json"),
        (",,;;q=,;q=0.5,/,image", "json"),
        ("image/svg+xml;q=nan", "svg"),
        ("image/svg+xml;q=-1, application/json;q=0.5", "svg"),
    ],
)
def test_automata_route_sends_format_that_client_prefers(
    client: TestClient, accept: str, format_: str
) -> None:
    answer = client.get("/v1/automata/kadlac", headers={"Accept": accept})
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == MEDIA[format_]
    assert answer.headers["vary"] == "Accept, Accept-Encoding"
    location = f"/v1/automata/kadlac?form=given&format={format_}"
    assert answer.headers["content-location"] == location
    assert answer.content == client.get(location).content


def test_named_format_overrides_accept_header(client: TestClient) -> None:
    answer = client.get("/v1/automata/kadlac?format=dot", headers={"Accept": "image/svg+xml"})
    assert answer.headers["content-type"].startswith(MEDIA["dot"])


def test_several_accept_headers_are_read_as_one(client: TestClient) -> None:
    headers = [("Accept", "application/json;q=0.2"), ("Accept", "image/svg+xml")]
    answer = client.get("/v1/automata/kadlac", headers=headers)
    assert answer.headers["content-type"] == MEDIA["svg"]


@pytest.mark.parametrize("filling", [" ", ";", ",", "; ", "a;q=0.5,", "q=0.0"])
def test_very_long_accept_header_is_read(client: TestClient, filling: str) -> None:
    headers = {"Accept": "image/svg+xml" + filling * 300_000 + "x"}
    assert client.get("/v1/automata/kadlac", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"Range": "bytes=0-9"}, {"If-None-Match": '"x"'}, {"If-Match": '"x"'}],
    ids=lambda headers: next(iter(headers)),
)
def test_automata_route_ignores_range_and_unknown_etags(
    client: TestClient, headers: dict[str, str]
) -> None:
    answer = client.get("/v1/automata/kadlac", headers=headers)
    assert answer.status_code == 200
    assert answer.content == client.get("/v1/automata/kadlac").content


def test_concurrent_requests_get_equal_pictures(server: Server) -> None:
    path = "/v1/automata/hu-lin?form=merged&format=svg"
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: server.get(path, timeout=60), range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1


# Unknown machines, forms, formats and paths.


@pytest.mark.parametrize(
    "name",
    [
        *("nope", "KADLAC", "hu_lin", "strip", "strip-", "strip-0", "strip-01", "strip--1"),
        *("strip-1.0", "strip-9999999999", "strip-%D9%A3", "strip-1%0A", "kadlac%00", "%00"),
        *("%ff", "kadlac%20", "%22", "a" * 50_000),
    ],
    ids=lambda name: name[:20],
)
def test_unknown_machine_is_not_found(client: TestClient, name: str) -> None:
    answers = [
        client.get(f"/v1/automata/{name}"),
        client.get(f"/v1/automata/{name}?form=minimal&format=svg"),
        client.post(f"/v1/automata/{name}/run", json={"board": ["?"]}),
    ]
    for answer in answers:
        assert_problem(answer, 404, "unknown-machine")
        assert parse_problem(answer).fix.endswith("Use kadlac, hu-lin, or strip-1 to strip-12.")
        assert len(answer.content) < 1000


@pytest.mark.parametrize("name", ["strip-4", "strip-12"])
def test_machine_with_too_many_moves_is_rejected(client: TestClient, name: str) -> None:
    for query in ("", "?form=given", "?form=nope", "?format=dot", "?format=svg"):
        answer = client.get(f"/v1/automata/{name}{query}")
        assert_problem(answer, 422, "too-wide")
        assert "3 rows" in parse_problem(answer).detail
        assert "strip-3" in parse_problem(answer).fix
        assert "strip-12" in parse_problem(answer).fix


@pytest.mark.parametrize("name", ["strip-13", "strip-999999999"])
def test_strip_machine_that_is_too_wide_is_rejected(client: TestClient, name: str) -> None:
    listed = client.get(f"/v1/automata/{name}")
    run = client.post(f"/v1/automata/{name}/run", json={"board": ["?" * 13] * 13})
    for answer, widest in ((listed, "strip-3"), (run, "strip-12")):
        assert_problem(answer, 422, "too-wide")
        assert f"strip-1 to {widest}" in parse_problem(answer).fix
        assert "strip-12" in parse_problem(answer).fix


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["nope", "", "GIVEN", "given%00", "%ff", "a" * 5000], ids=ascii)
def test_unknown_form_of_machine_is_rejected_with_list_of_forms(
    client: TestClient, name: str, form: str
) -> None:
    answer = client.get(f"/v1/automata/{name}?form={form}")
    assert_problem(answer, 422, "unknown-form")
    known = [form for other, form in FORMS if other == name]
    assert parse_problem(answer).fix == f"Use one of: {', '.join(known)}."
    assert len(answer.content) < 1000


@pytest.mark.parametrize("format_", ["json", "dot", "svg"])
def test_form_of_another_machine_is_rejected(client: TestClient, format_: str) -> None:
    everything = {"given", "merged", "deterministic", "minimal"}
    for name, form in set(product(NAMES, everything)) - set(FORMS):
        answer = client.get(f"/v1/automata/{name}?form={form}&format={format_}")
        assert_problem(answer, 422, "unknown-form")


@pytest.mark.parametrize("format_", ["SVG", "png", "", "svg%00", "%ff", "a" * 5000], ids=ascii)
def test_unknown_format_of_machine_is_rejected(client: TestClient, format_: str) -> None:
    answer = client.get(f"/v1/automata/kadlac?format={format_}")
    assert_problem(answer, 422, "unknown-format")
    assert parse_problem(answer).fix == "Use one of: json, dot, svg."
    assert len(answer.content) < 1000


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/v1/automata", "GET, HEAD, OPTIONS"),
        ("POST", "/v1/automata/kadlac", "GET, HEAD, OPTIONS"),
        ("PUT", "/v1/automata/kadlac", "GET, HEAD, OPTIONS"),
        ("GET", "/v1/automata/kadlac/run", "OPTIONS, POST"),
        ("GET", "/v1/automata/kadlac%2Frun", "OPTIONS, POST"),
        ("DELETE", "/v1/automata/nope/run", "OPTIONS, POST"),
    ],
)
def test_wrong_method_on_automata_routes_is_rejected(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    answer = client.request(method, path)
    assert_problem(answer, 405, "method-not-allowed")
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize("path", ["/kadlac/x", "/a%2Fb", "/kadlac/x/"])
def test_unknown_path_below_automata_is_not_found(client: TestClient, path: str) -> None:
    assert_problem(client.get(f"/v1/automata{path}"), 404, "not-found")


# Runs.


def sets_of_runs(
    machine: dict[str, Any], word: list[str]
) -> Iterator[tuple[set[str], set[str], list[str]]]:
    """Yield, for each column, the states reached, those on accepting runs, and the column."""
    prefixes: list[list[tuple[str, ...]]] = [[(machine["start"],)]]
    for symbol in word:
        prefixes.append(
            [
                (*states, target)
                for states in prefixes[-1]
                for target in machine["moves"][states[-1]].get(symbol, [])
            ]
        )
    accepted = [states for states in prefixes[-1] if states[-1] in machine["accepting"]]
    for index, symbol in enumerate(word, 1):
        reached = {states[-1] for states in prefixes[index]}
        yield reached, {states[index] for states in accepted}, [symbol]


def symbols(name: str, rows: list[str]) -> list[str]:
    """Return the columns as the machine names them."""
    columns = transpose_rows([row.replace("F", "?").replace("*", "B") for row in rows])
    return ["".join(sorted(column)) for column in columns] if name == "hu-lin" else columns


@examples(60)
@given(board=boards.strip_boards(heights=st.integers(1, 3), cells=14), papers=st.booleans())
def test_run_of_machine_agrees_with_all_its_runs(
    client: TestClient, board: Board, papers: bool
) -> None:
    rows = draw(board)
    papers = papers and board.height <= 2 and "S" not in "".join(rows)
    name = {1: "kadlac", 2: "hu-lin"}[board.height] if papers else f"strip-{board.height}"
    found = run(client, name, rows)
    word = symbols(name, rows)
    steps = found["steps"]
    expected = sets_of_runs(document(client, name, "given"), word)
    for step, (reached, live, symbol) in zip(steps, expected, strict=True):
        assert [step["symbol"]] == symbol
        assert step["reached"] == sorted(reached)
        assert step["live"] == sorted(live)
    known = oracle.answer(board)
    assert found["consistent"] is known.consistent
    assert (found["stops_at"] is None) is known.consistent
    assert found["solver"]["complete"] is True
    assert found["solver"]["name"] == "automata"
    assert found["solver"]["machines"] == [found["machine"]] == [name]
    if known.consistent:
        witness = found["witness"]
        mines = {
            cell
            for cell in product(range(board.height), range(board.width))
            if witness[cell[0]][cell[1]] == "B"
        }
        assert mines in known.layouts
    else:
        assert found["witness"] is None
        dead_steps = [
            index for index, step in enumerate(steps) if not set(step["reached"]) - {"Er"}
        ]
        assert found["stops_at"] == min(dead_steps, default=board.width)


@examples(30)
@given(row=st.text("0012??B", min_size=1, max_size=12))
def test_run_of_kadlac_machine_follows_her_tables(client: TestClient, row: str) -> None:
    states = [KADLAC["start"]]
    for symbol in [*row, "e"]:
        states.append(KADLAC["delta"][states[-1]][symbol])
    found = run(client, "kadlac", [row])
    assert found["start"] == states[0]
    assert [step["reached"] for step in found["steps"]] == [[state] for state in states[1:-1]]
    assert found["output"] == "".join(KADLAC["beta"][state] for state in states[1:-1])
    stops_at = states.index("Er") - 1 if "Er" in states else None
    assert found["stops_at"] == stops_at
    assert found["consistent"] is (stops_at is None)
    assert bool(found["errors"]) is (stops_at is not None)
    if found["errors"]:
        assert stops_at is not None
        assert found["errors"][0]["stop"] == min(stops_at + 1, len(row))
    for error in found["errors"]:
        # The piece at fault is inconsistent by itself, and no smaller piece of it is.
        before, after = "" if error["at_start"] else "?", "" if error["at_end"] else "?"
        piece = row[error["start"] : error["stop"]]
        assert not oracle.answer(parse(before + piece + after)).consistent
        if len(piece) > 1:
            assert oracle.answer(parse("?" + piece[1:] + after)).consistent
            assert oracle.answer(parse(before + piece[:-1] + "?")).consistent
    assert "impossible" not in found
    assert all("merged" not in step for step in found["steps"])


@pytest.mark.parametrize(
    ("row", "type_", "subtype", "start", "stop"),
    [("?010?", "1e", "010X", 1, 4), ("??02?", "2e", "02XX", 2, 4), ("?B0?", "Be", "0BXX", 1, 3)],
)
def test_run_of_kadlac_machine_names_error_types(
    client: TestClient, row: str, type_: str, subtype: str, start: int, stop: int
) -> None:
    (error,) = run(client, "kadlac", row)["errors"]
    assert error == {
        "type": type_,
        "subtype": subtype,
        "start": start,
        "stop": stop,
        "at_start": False,
        "at_end": False,
    }


@pytest.mark.parametrize("figure", HU_LIN["figures"], ids=lambda figure: figure["id"])
def test_run_of_hu_lin_machine_agrees_with_figures(
    client: TestClient, figure: dict[str, Any]
) -> None:
    found = run(client, "hu-lin", figure["rows"])
    steps = found["steps"]
    accepting = [states["states"] for states in figure["runs"] if states["accepting"]]
    assert [step["symbol"] for step in steps] == figure["columns"]
    assert [[found["start"]], *(step["reached"] for step in steps)] == [
        sorted(states) for states in figure["state_sets"]
    ]
    assert [step["live"] for step in steps] == [
        sorted({states[index] for states in accepting}) for index in range(1, len(steps) + 1)
    ]
    assert [step["merged"] for step in steps] == [
        sorted(states) for states in figure["class_sets"][1:]
    ]
    assert found["consistent"] is figure["accepted"]
    assert found["impossible"] == []
    if figure["accepted"]:
        layouts = {frozenset(map(tuple, mines)) for mines in figure["mine_sets"]}
        mines = {
            (row, col)
            for row, cells in enumerate(found["witness"])
            for col, cell in enumerate(cells)
            if cell == "B"
        }
        assert mines in layouts


def test_run_of_hu_lin_machine_explains_impossible_columns(client: TestClient) -> None:
    found = run(client, "hu-lin", ["?1B5?8", "?20556"])
    assert (found["consistent"], found["witness"], found["stops_at"]) == (False, None, 1)
    assert [column["column"] for column in found["impossible"]] == [1, 2, 3, 5]
    whys = [column["why"] for column in found["impossible"]]
    assert "1 over 2" in whys[0]
    assert "must be equal" in whys[0]
    assert "no mine around it" in whys[1]
    assert "all five" in whys[2]
    assert "none shows 8" in whys[3]
    assert [step["symbol"] for step in found["steps"]] == ["??", "12", "0B", "55", "5?", "68"]
    assert found["steps"][0]["reached"]
    assert all(step["reached"] == step["merged"] == [] for step in found["steps"][1:])


@pytest.mark.parametrize("width", range(1, 13))
def test_strip_machines_of_every_width_run(client: TestClient, width: int) -> None:
    board = boards.hidden_layout(width, 13, 0.3, seed=width)
    rows = draw(board)
    found = run(client, f"strip-{width}", rows)
    assert (found["consistent"], found["solver"]["complete"]) == (True, True)
    assert [step["symbol"] for step in found["steps"]] == transpose_rows(rows)
    shown = Board(parse(found["witness"]).cells)
    known = ~board.unknown
    assert (shown.cells[known] == board.cells[known]).all()
    assert oracle.answer(shown).consistent
    for step in found["steps"]:
        assert set(step["live"]) <= set(step["reached"])
        assert step["live"]
        assert all(re.fullmatch(f"[-B0-3]{{{width}}}", state) for state in step["reached"])
    assert drop_elapsed(run(client, f"strip-{width}", transpose_rows(rows))) == drop_elapsed(
        found | {"witness": transpose_rows(found["witness"])}
    )


@pytest.mark.parametrize(
    ("name", "rows"),
    [("kadlac", ["?10?2B"]), ("hu-lin", ["?1?B", "?2??"]), ("strip-2", ["?S1", "F1?"])],
)
def test_machine_reads_upright_board_by_rows(
    client: TestClient, name: str, rows: list[str]
) -> None:
    lying, upright = run(client, name, rows), run(client, name, transpose_rows(rows))
    assert lying["witness"] is None or lying["witness"] == transpose_rows(upright["witness"])
    lying["witness"] = upright["witness"]
    assert drop_elapsed(lying) == drop_elapsed(upright)


def test_machine_reads_square_board_by_columns(client: TestClient) -> None:
    found = run(client, "strip-2", ["1?", "S?"])
    assert [step["symbol"] for step in found["steps"]] == ["1S", "??"]


def test_run_reads_flags_as_unknown_cells_unless_option_trusts_flags(client: TestClient) -> None:
    claims = run(client, "kadlac", ["F0?"])
    assert drop_elapsed(claims) == drop_elapsed(run(client, "kadlac", ["?0?"]))
    assert claims["consistent"] is True
    trusted = run(client, "kadlac", ["F0?"], flags="trust")
    assert drop_elapsed(trusted) == drop_elapsed(run(client, "kadlac", ["B0?"]))
    assert (trusted["consistent"], trusted["stops_at"]) == (False, 1)


@pytest.mark.parametrize(
    ("notation", "rows"), [("probst", ["1-+", "---"]), ("minesweepr", ["1x*", "xxx"])]
)
def test_boards_in_every_notation_run_alike(
    client: TestClient, notation: str, rows: list[str]
) -> None:
    expected = drop_elapsed(run(client, "hu-lin", ["1?B", "???"]))
    assert drop_elapsed(run(client, "hu-lin", rows, notation=notation)) == expected
    answer = client.post(
        f"/v1/automata/hu-lin/run?notation={notation}", content="\n".join(rows), headers=TEXT
    )
    assert drop_elapsed(answer.json()) == expected


def test_boards_in_every_form_of_request_run_alike(client: TestClient) -> None:
    expected = drop_elapsed(run(client, "hu-lin", ["1?", "??"]))
    for board in ("1?\n??", [[1, "?"], ["?", "?"]], [["1", "?"], ["?", "?"]]):
        assert drop_elapsed(run(client, "hu-lin", board)) == expected
    for text in ("1?\n??", "1?\r\n??\r\n", "\ufeff1?\n??"):
        answer = client.post("/v1/automata/hu-lin/run", content=text.encode(), headers=TEXT)
        assert drop_elapsed(answer.json()) == expected


@pytest.mark.parametrize(
    ("name", "rows", "row", "col"),
    [
        ("kadlac", ["1?S?S"], 0, 2),
        ("kadlac", ["1", "?", "?", "S"], 3, 0),
        ("hu-lin", ["1?1", "??S"], 1, 2),
        ("hu-lin", ["1?", "?S", "S?"], 1, 1),
    ],
)
def test_machines_of_papers_reject_safe_cells(
    client: TestClient, name: str, rows: list[str], row: int, col: int
) -> None:
    answer = client.post(f"/v1/automata/{name}/run", json={"board": rows})
    assert_problem(answer, 422, "outside-the-alphabet", f"/board/{row}/{col}")
    found = parse_problem(answer)
    assert (found.row, found.col) == (row, col)
    strip = f"strip-{min(len(rows), len(rows[0]))}"
    assert strip in found.fix
    assert run(client, strip, rows)["consistent"] is True


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("kadlac", ["??", "??"]),
        ("hu-lin", ["???"]),
        ("hu-lin", ["???"] * 3),
        ("strip-12", ["?" * 13] * 13),
        ("strip-1", ["SS", "SS"]),
    ],
)
def test_run_rejects_board_of_wrong_width(client: TestClient, name: str, rows: list[str]) -> None:
    answer = client.post(f"/v1/automata/{name}/run", json={"board": rows})
    assert_problem(answer, 422, "wrong-width", "/board")
    assert f"{len(rows)}x{len(rows[0])}" in parse_problem(answer).detail


def test_run_rejects_board_of_too_many_columns(client: TestClient) -> None:
    longest = ["?" * 10_000]
    assert len(run(client, "kadlac", longest)["steps"]) == 10_000
    for rows in (["?" * 10_001], ["?"] * 10_001):
        answer = client.post("/v1/automata/kadlac/run", json={"board": rows})
        assert_problem(answer, 422, "over-the-limit", "/board")
        assert "10000" in parse_problem(answer).detail


@pytest.mark.parametrize("name", ["kadlac", "hu-lin", "strip-2"])
@pytest.mark.parametrize(
    ("body", "status", "code", "pointer"),
    [
        ({}, 422, "missing-field", "/board"),
        ({"board": []}, 422, "empty-board", "/board"),
        ({"board": [""]}, 422, "empty-board", "/board"),
        ({"board": ["1?", "?"]}, 422, "ragged-rows", "/board/1"),
        ({"board": ["9?"]}, 422, "unknown-symbol", "/board/0/0"),
        ({"board": None}, 422, "board-type", "/board"),
        ({"board": 5}, 422, "board-type", "/board"),
        ({"board": [12]}, 422, "board-type", "/board/0"),
        ({"board": ["?"], "notation": "kaye"}, 422, "unknown-notation", "/notation"),
        ({"board": ["?"], "flags": "maybe"}, 422, "bad-value", "/flags"),
        ({"board": ["?"], "flags": True}, 422, "bad-value", "/flags"),
        ({"board": ["?"], "deadline_ms": 0}, 422, "bad-value", "/deadline_ms"),
        ({"board": ["?"], "deadline_ms": "5"}, 422, "bad-value", "/deadline_ms"),
        ({"board": ["?"], "deadline_ms": 60_001}, 422, "over-the-limit", "/deadline_ms"),
        ({"board": ["?"], "mines": 1}, 422, "unknown-field", "/mines"),
        ({"board": ["?"], "window": {"row": 1}}, 422, "bad-window", "/window/row"),
        ({"board": ["?"], "window": {"rowz": 1}}, 422, "unknown-field", "/window/rowz"),
        ({"board": ["?"], "window": "0,0"}, 422, "bad-value", "/window"),
        ({"board": ["?"], "form": "merged"}, 422, "unknown-field", "/form"),
        ([], 422, "not-an-object", ""),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_run_rejects_invalid_requests(
    client: TestClient, name: str, body: object, status: int, code: str, pointer: str
) -> None:
    answer = client.post(f"/v1/automata/{name}/run", json=body)
    assert_problem(answer, status, code, pointer)


def test_run_reads_options_from_query_or_json_but_not_both(client: TestClient) -> None:
    path = "/v1/automata/kadlac/run"
    assert_problem(
        client.post(f"{path}?flags=trust", json={"board": ["F0"]}), 400, "query-with-json"
    )
    trusted = client.post(f"{path}?flags=trust&deadline_ms=4000", content="F0", headers=TEXT)
    assert trusted.json()["consistent"] is False
    assert_problem(
        client.post(f"{path}?form=given", content="F0", headers=TEXT), 422, "unknown-field"
    )
    assert_problem(client.post(path, data={"board": "1?"}), 415, "unsupported-media-type")
    assert_problem(client.post(path, content=b"\xff", headers=TEXT), 400, "invalid-utf-8")


def is_unanswered(found: dict[str, Any]) -> bool:
    return found["solver"]["complete"] is False and all(
        found[field] is None for field in ("consistent", "witness", "stops_at", "steps")
    )


def of_many_diagrams() -> list[str]:
    """Return twelve rows whose diagram has too many nodes, after more than a second."""
    return [(row * 455)[:10_000] for row in lattice(22)[:12]]


@pytest.mark.usefixtures("late")
def test_run_past_deadline_is_left_out(client: TestClient) -> None:
    found = run(client, "strip-12", of_many_diagrams())
    assert is_unanswered(found)
    assert (found["machine"], found["start"]) == ("strip-12", "-" * 12)
    assert "".join(map("".join, zip(*found["columns"], strict=True))) == "".join(of_many_diagrams())


def test_run_past_deadline_gives_verdict_without_steps() -> None:
    run_input = running.RunInput("strip-2", parse(["1?", "00"]), None)
    found = json.loads(running.answer_run(run_input, Deadline(0.0)))
    RunAnswer.model_validate(found, strict=True)
    assert (found["consistent"], found["stops_at"], found["steps"]) == (False, None, None)
    assert found["columns"] == ["10", "?0"]
    assert found["solver"]["complete"] is False


@pytest.mark.slow
def test_run_that_takes_too_much_memory_is_left_out(client: TestClient) -> None:
    assert is_unanswered(run(client, "strip-12", of_many_diagrams()))


def test_run_of_too_many_states_gives_verdict_without_steps(client: TestClient) -> None:
    found = run(client, "strip-8", ["?" * 4000] * 8, deadline_ms=60_000)
    assert (found["consistent"], found["steps"]) == (True, None)
    assert found["solver"]["complete"] is False
    assert len(found["witness"]) == 8


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/automata"),
        ("GET", "/v1/automata/hu-lin?format=svg"),
        ("POST", "/v1/automata/kadlac/run"),
        ("POST", "/v1/strips?window=0,0,1,1"),
    ],
)
def test_automata_routes_survive_clients_that_send_half_a_body(
    server: Server, method: str, path: str
) -> None:
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
    for length in ("Content-Length: 100\r\n\r\n1?", "Transfer-Encoding: chunked\r\n\r\n5\r\n1?"):
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
                connection.sendall((head + length).encode())
    found = server.get("/v1/automata/hu-lin?format=svg", timeout=30)
    assert found.status_code == 200
    answer = server.post("/v1/automata/kadlac/run", {"board": "1?"})
    assert answer.json()["witness"] == ["1B"]
    assert server.healthy()


def test_machine_is_sent_without_waiting_for_request_body(server: Server) -> None:
    head = "GET /v1/automata/kadlac HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head.encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")


# The documentation.

ROUTES = {
    ("/v1/automata", "get"),
    ("/v1/automata/{name}", "get"),
    ("/v1/automata/{machine}/run", "post"),
    ("/v1/strips", "post"),
}


@pytest.fixture(scope="module")
def openapi(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def references(value: object) -> Iterator[str]:
    """Yield every $ref in a document."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from references(part)


def test_openapi_documents_routes_of_automata(openapi: dict[str, Any]) -> None:
    known = {(path, method) for path, item in openapi["paths"].items() for method in item}
    assert known >= ROUTES
    for path, method in ROUTES:
        operation = openapi["paths"][path][method]
        assert operation["summary"]
        named = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
        assert named == set(re.findall(r"{(\w+)}", path))
    names = [item[method]["operationId"] for item in openapi["paths"].values() for method in item]
    assert len(names) == len(set(names))


def test_openapi_names_each_parameter_of_automata_once(openapi: dict[str, Any]) -> None:
    for path, method in ROUTES:
        parameters = openapi["paths"][path][method].get("parameters", [])
        names = [(one["in"], one["name"]) for one in parameters]
        assert len(names) == len(set(names))
        assert all(one["required"] for one in parameters if one["in"] == "path")
        assert all("schema" in one and one["description"] for one in parameters)


def test_references_in_openapi_can_be_resolved(openapi: dict[str, Any]) -> None:
    found = list(references(openapi))
    assert found
    for reference in found:
        assert reference.startswith("#/")
        node: Any = openapi
        for step in reference.removeprefix("#/").split("/"):
            node = node[step.replace("~1", "/").replace("~0", "~")]


def test_openapi_lists_formats_and_options_of_automata(openapi: dict[str, Any]) -> None:
    shown = openapi["paths"]["/v1/automata/{name}"]["get"]
    assert set(shown["responses"]["200"]["content"]) == set(MEDIA.values())
    assert {one["name"] for one in shown["parameters"]} == {"name", "form", "format"}
    run_route = openapi["paths"]["/v1/automata/{machine}/run"]["post"]
    assert {one["name"] for one in run_route["parameters"]} == {
        *("machine", "notation", "symbols", "flags", "window", "deadline_ms")
    }
    for operation in (shown, run_route):
        assert set(operation["responses"]) >= {"200", "404", "422"}


def test_examples_of_runs_in_openapi_are_accepted(
    client: TestClient, openapi: dict[str, Any]
) -> None:
    run_route = openapi["paths"]["/v1/automata/{machine}/run"]["post"]
    for content_type, body in run_route["requestBody"]["content"].items():
        for example in (
            [body["example"]]
            if "example" in body
            else [example["value"] for example in body["examples"].values()]
        ):
            content = example if isinstance(example, str) else json.dumps(example)
            headers = {"Content-Type": content_type}
            answer = client.post("/v1/automata/kadlac/run", content=content, headers=headers)
            assert answer.json()["consistent"] is True


@examples(40)
@given(name=st.text(min_size=1, max_size=20), form=st.text(max_size=9), format_=st.text(max_size=5))
def test_automata_route_answers_any_name_with_problem(
    client: TestClient, name: str, form: str, format_: str
) -> None:
    params = {"form": form, "format": format_}
    answer = client.get(f"/v1/automata/x{quote(name, safe='')}", params=params)
    assert parse_problem(answer).status in (404, 405, 422)
