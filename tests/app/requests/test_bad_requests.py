"""Requests that cannot be answered get a problem that says where it is and how to fix it."""

import gzip
import json
import socket
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.app.problems import TYPE_PREFIX
from minecheck.app.questions.fields import VARIED
from tests.app.content_types import JSON, TEXT
from tests.app.problem_responses import assert_problem, parse_problem
from tests.app.serving import Server

GOOD = ["1?", "??"]
UNSET = object()


@pytest.mark.parametrize("name", VARIED)
@pytest.mark.parametrize("route", ["moves", "compose", "strips", "boards", "grade"])
def test_field_of_variant_is_rejected_by_routes_for_ordinary_boards(
    client: TestClient, route: str, name: str
) -> None:
    problem = client.post(f"/v1/{route}", json={name: 1}).json()
    assert problem["pointer"] == f"/{name}"
    assert f"{name} makes a board under other rules" in problem["detail"]
    assert "Did you mean" not in problem["fix"]


@pytest.mark.parametrize("task", ["check", "analyze"])
@pytest.mark.parametrize(
    ("board", "code", "pointer"),
    [
        ([], "empty-board", "/board"),
        ("", "empty-board", "/board"),
        ("\n\n", "empty-board", "/board"),
        ([""], "empty-board", "/board"),
        ([[]], "empty-board", "/board"),
        ([[], []], "empty-board", "/board"),
        (["1?", "?"], "ragged-rows", "/board/1"),
        ("1?\n\n??", "ragged-rows", "/board/1"),
        ("1?\n\n??", "ragged-rows", None),
        (["9?"], "unknown-symbol", "/board/0/0"),
        ([["?", 9]], "unknown-symbol", "/board/0/1"),
        ([[-1]], "unknown-symbol", "/board/0/0"),
        ([[1.5]], "unknown-symbol", "/board/0/0"),
        ([[True]], "unknown-symbol", "/board/0/0"),
        ([[None]], "unknown-symbol", "/board/0/0"),
        ([[[]]], "unknown-symbol", "/board/0/0"),
        ([[{}]], "unknown-symbol", "/board/0/0"),
        ([[""]], "unknown-symbol", "/board/0/0"),
        ([["??"]], "unknown-symbol", "/board/0/0"),
        ([[10**4000]], "unknown-symbol", "/board/0/0"),
        (["1é"], "unknown-symbol", "/board/0/1"),
        (["\U0001f600?"], "unknown-symbol", "/board/0/0"),
        (["\0"], "unknown-symbol", "/board/0/0"),
        ("1?\r??", "unknown-symbol", "/board/0/2"),
        (None, "board-type", "/board"),
        (5, "board-type", "/board"),
        (1.5, "board-type", "/board"),
        (True, "board-type", "/board"),
        ({}, "board-type", "/board"),
        ([None], "board-type", "/board/0"),
        ([12, 34], "board-type", "/board/0"),
        ([{}], "board-type", "/board/0"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_invalid_board_is_rejected_with_code_and_pointer(
    client: TestClient, task: str, board: object, code: str, pointer: str | None
) -> None:
    assert_problem(client.post(f"/v1/{task}", json={"board": board}), 422, code, pointer)


def test_problem_of_cell_names_row_and_column(client: TestClient) -> None:
    found = parse_problem(client.post("/v1/check", json={"board": ["????", "??x?"]}))
    assert (found.row, found.col, found.pointer) == (1, 2, "/board/1/2")
    assert "write ?" in found.fix


#: Texts whose blanks may separate rows or be cells, with the cell that the problem names.
BLANKS = {
    "1*1 111": (0, 3),
    "1? ?\n????": (0, 2),
    "1 ?\n??": (0, 1),
    "2\t\t1\n2\t\t1\n2\t\t1": (0, 2),
}


@pytest.mark.parametrize("text", BLANKS)
@pytest.mark.parametrize("task", ["check", "count"])
def test_blank_in_json_that_may_be_a_cell_is_rejected(
    client: TestClient, task: str, text: str
) -> None:
    row, col = BLANKS[text]
    line = json.dumps(text)
    in_batch = client.post(
        f"/v1/batch?task={task}",
        content=f'{line}\n{{"board": {line}}}\n',
        headers={"Content-Type": "application/x-ndjson"},
    )
    found = [
        client.post(f"/v1/{task}", json={"board": text}).json(),
        *map(json.loads, in_batch.text.splitlines()),
    ]
    for one in found:
        assert (one["type"], one["pointer"]) == (TYPE_PREFIX + "stray-blank", f"/board/{row}/{col}")


def test_fix_for_dots_offers_both_meanings_that_are_accepted(client: TestClient) -> None:
    board = ["1.1", "..."]
    found = parse_problem(client.post("/v1/count", json={"board": board}))
    assert "If it is a clue 0, name the notation minesweepr, or write 0." in found.fix
    assert "If it is an unknown cell, write ?." in found.fix
    as_zeros = client.post("/v1/count", json={"board": board, "notation": "minesweepr"}).json()
    assert as_zeros["consistent"] is False
    unknown = [row.replace(".", "?") for row in board]
    assert client.post("/v1/count", json={"board": unknown}).json()["count"] == "3"


_NOT_INTEGERS: list[Any] = [True, False, "7", "", 1.5, [], {}, [1]]


def _values(*values: Any) -> tuple[Any, ...]:
    """Return the values, of types that have nothing in common."""
    return values


@pytest.mark.parametrize(
    ("task", "field", "value", "code"),
    [
        *(("check", "mines", value, "bad-value") for value in [*_NOT_INTEGERS, -1, 5, 10**4000]),
        *(("check", "deadline_ms", value, "bad-value") for value in [*_NOT_INTEGERS, 0, -1]),
        *(("check", "deadline_ms", value, "over-the-limit") for value in [60_001, 10**4000]),
        *(("layouts", "limit", value, "bad-value") for value in [*_NOT_INTEGERS, 0, -1]),
        *(("layouts", "limit", value, "over-the-limit") for value in [10_001, 10**4000]),
        *(
            ("layouts", "offset", value, "bad-value")
            for value in _values(
                True,
                None,
                [],
                -1,
                "-1",
                "",
                "x",
                "+1",
                "1 ",
                "1\n",
                "٣",
                "9" * 20001,
            )
        ),
        *(
            ("analyze", "density", value, "bad-value")
            for value in [0, 1, -0.0, 1.5, -1, True, [], 10**400]
        ),
        *(("check", "notation", value, "bad-value") for value in _values(None, 1, True, [])),
        ("check", "notation", "kaye", "unknown-notation"),
        *(
            ("check", "backend", value, "bad-value")
            for value in _values(None, 1, True, [], "z3", "AUTO ", "py-sat")
        ),
        *(("check", "flags", value, "bad-value") for value in _values(None, 1, True, [], "maybe")),
        *(
            ("sample", "seed", value, "bad-value")
            for value in [*_NOT_INTEGERS, -1, 2**63]
            if value != "7"
        ),
        *(("sample", "limit", value, "bad-value") for value in [*_NOT_INTEGERS, None, 0]),
        ("sample", "limit", 10_001, "over-the-limit"),
        *(("analyze", "fractions", value, "bad-value") for value in _values(None, 1, "true", [])),
        *(("layouts", "layout", value, "board-type") for value in [1, True, {}]),
        ("check", "density", 0.5, "unknown-field"),
        ("layouts", "density", 0.5, "unknown-field"),
        ("sample", "fractions", True, "unknown-field"),
        ("sample", "layout", GOOD, "unknown-field"),
        ("check", "total_cells", 4, "bad-value"),
        ("count", "limit", 5, "unknown-field"),
        ("layouts", "minse", 5, "unknown-field"),
        ("check", "", 5, "unknown-field"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_invalid_option_is_rejected_with_code_and_pointer(
    client: TestClient, task: str, field: str, value: object, code: str
) -> None:
    answer = client.post(f"/v1/{task}", json={"board": GOOD, field: value})
    assert_problem(answer, 422, code, f"/{field}")
    assert len(answer.content) < 10_000


def test_problem_of_negative_offset_does_not_speak_of_strings(client: TestClient) -> None:
    answer = client.post("/v1/layouts", json={"board": GOOD, "offset": -1})
    assert "string" not in parse_problem(answer).detail


def test_fix_of_unknown_field_is_short_and_names_valid_fields(client: TestClient) -> None:
    found = parse_problem(client.post("/v1/check", json={"board": GOOD, "f~/" * 10_000: 1}))
    assert found.pointer is not None
    assert len(found.pointer) <= 200
    assert "mines" in found.fix


@pytest.mark.parametrize(
    ("path", "fields", "fix"),
    [
        ("moves", {"board": GOOD, "mines": 9}, "Send 0 to 4."),
        ("count", {"board": GOOD, "mines": 9}, "Send 0 to 4."),
        ("boards", {"rows": 2, "cols": 2, "mines": 9}, "Send 0 to 0."),
        ("export", {"board": GOOD, "into": "opb", "mines": 9}, "Send 0 to 4."),
    ],
)
def test_fix_of_a_total_of_mines_has_its_range(
    client: TestClient, path: str, fields: dict[str, Any], fix: str
) -> None:
    problem = client.post(f"/v1/{path}", json=fields).json()
    assert (problem["pointer"], problem["fix"]) == ("/mines", fix)


def test_total_and_density_together_are_rejected(client: TestClient) -> None:
    answer = client.post("/v1/analyze", json={"board": GOOD, "mines": 1, "density": 0.5})
    assert_problem(answer, 422, "bad-value", "/density")


@pytest.mark.parametrize(
    ("backend", "board"), [("automata", ["?" * 13] * 13), ("exhaustive", ["?" * 60] * 60)]
)
@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_backend_that_cannot_take_board_is_named(
    client: TestClient, backend: str, board: list[str], accept: str
) -> None:
    body = {"board": board, "backend": backend}
    answer = client.post("/v1/layouts", json=body, headers={"Accept": accept})
    assert_problem(answer, 422, "backend-refuses", "/backend")


@pytest.mark.parametrize("backend", ["auto", "automata", "frontier", "sat", "cpsat", "exhaustive"])
@pytest.mark.parametrize("offset", [9999, 2**63, "9" * 4000], ids=["9999", "2**63", "9..."])
@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_problem_of_offset_beyond_last_layout_names_count(
    client: TestClient, backend: str, offset: object, accept: str
) -> None:
    body = {"board": GOOD, "backend": backend, "offset": offset}
    answer = client.post("/v1/layouts", json=body, headers={"Accept": accept})
    assert_problem(answer, 422, "offset-beyond-the-last", "/offset")
    assert "which is 3" in parse_problem(answer).detail


@pytest.mark.parametrize("backend", ["auto", "automata", "frontier", "sat", "cpsat", "exhaustive"])
def test_offset_equal_to_count_of_layouts_gives_empty_page(
    client: TestClient, backend: str
) -> None:
    body = {"board": GOOD, "backend": backend, "offset": 3}
    page = client.post("/v1/layouts", json=body).json()
    assert (page["count"], page["layouts"], page["next_offset"]) == ("3", [], None)
    streamed = client.post("/v1/layouts", json=body, headers={"Accept": "application/x-ndjson"})
    assert (streamed.status_code, streamed.content) == (200, b"")


def test_offset_equal_to_count_of_boards_gives_empty_page(client: TestClient) -> None:
    body: dict[str, object] = {"rows": 1, "cols": 2}
    count = client.post("/v1/languages", json=body).json()["count"]
    page = client.post("/v1/languages", json=body | {"offset": count}).json()
    assert (page["offset"], page["boards"], page["next_offset"]) == (count, [], None)


def test_offset_equal_to_count_of_paths_gives_empty_page(client: TestClient) -> None:
    path, body = "/v1/automata/kadlac/paths", {"board": ["?1?"], "outcome": "accepted"}
    count = client.post(path, json=body).json()["accepted"]
    page = client.post(path, json=body | {"offset": count}).json()
    assert (page["offset"], page["paths"], page["more"]) == (count, [], False)


def test_offset_is_accepted_for_inconsistent_board(
    client: TestClient,
) -> None:
    answer = client.post("/v1/layouts", json={"board": ["2?"], "offset": 5})
    assert (answer.status_code, answer.json()["count"]) == (200, "0")


@pytest.mark.parametrize("as_text", [False, True])
def test_offset_of_thousand_digits_is_accepted(client: TestClient, as_text: bool) -> None:
    offset = 10**1000
    board = ["?" * 100] * 34
    body = {"board": board, "offset": str(offset) if as_text else offset, "limit": 1}
    assert client.post("/v1/layouts", json=body).json()["offset"] == str(offset)
    query = {"offset": str(offset), "limit": "1"}
    answer = client.post("/v1/layouts", params=query, content="\n".join(board), headers=TEXT)
    assert answer.json()["offset"] == str(offset)


_DEEP = 100_000


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('{"board": ["1?"], "mines": NaN}', "invalid-json"),
        ('{"board": ["1?"], "mines": Infinity}', "invalid-json"),
        ('{"board": ["1?"], "mines": -Infinity}', "invalid-json"),
        ('{"board": ["1?"], "mines": %s}' % ("9" * 5000), "invalid-json"),
        ('{"board": [[%s]]}' % ("9" * 5000), "invalid-json"),
        (r'{"board": ["\ud800?"]}', "invalid-json"),
        (r'{"board": ["1?"], "\uDFFF": 1}', "invalid-json"),
        (r'{"board": ["1?"], "backend": "\uD83D"}', "invalid-json"),
        (r'{"board": ["1?"], "notation": "\udc00\ud800"}', "invalid-json"),
        ('{"board": ["1?"], "board": ["??"]}', "repeated-name"),
        (r'{"a": 1, "\u0061": 2}', "repeated-name"),
        ('{"board": [{"a": 1, "a": 2}]}', "repeated-name"),
        ("", "invalid-json"),
        (" \n", "invalid-json"),
        ('{"board": ["1?"', "invalid-json"),
        ('{"board": ["1?"]} x', "invalid-json"),
        ('{"board": ["1?"]}{}', "invalid-json"),
        ('{"board": ["1?"],}', "invalid-json"),
        ("{'board': ['1?']}", "invalid-json"),
        ('{"board": "1?\n??"}', "invalid-json"),
        ("\0", "invalid-json"),
        ("[" * _DEEP, "invalid-json"),
        ('{"board": %s}' % ("[" * _DEEP + "]" * _DEEP), "invalid-json"),
        ('{"a":' * _DEEP + "1" + "}" * _DEEP, "invalid-json"),
        (b'{"board": ["\xff?"]}', "invalid-utf-8"),
        (b'{"board": ["\xed\xa0\x80?"]}', "invalid-utf-8"),
        ('{"board": ["1?"]}'.encode("utf-16"), "invalid-utf-8"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_body_that_is_not_json_is_rejected(
    client: TestClient, body: str | bytes, code: str
) -> None:
    assert_problem(client.post("/v1/check", content=body, headers=JSON), 400, code)


@pytest.mark.parametrize("depth", range(100, 1100, 100))
def test_lone_surrogate_at_any_depth_is_a_problem(client: TestClient, depth: int) -> None:
    body = '{"board": ' + "[" * depth + r'"\ud800"' + "]" * depth + "}"
    parse_problem(client.post("/v1/check", content=body, headers=JSON))


@pytest.mark.parametrize("body", ['["1?"]', '"1?"', "null", "5", "true"])
def test_json_body_that_is_not_an_object_is_rejected(client: TestClient, body: str) -> None:
    assert_problem(client.post("/v1/check", content=body, headers=JSON), 422, "not-an-object", "")


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("check", '{"board": ["1?", "??"]}'),
        ("boards", "the fields that /docs names."),
        ("grade", "or the file itself with Content-Type:"),
        ("replays", "or the file itself with Content-Type:"),
    ],
)
@pytest.mark.parametrize(("body", "status"), [("[]", 422), ("", 400), ("{", 400)])
def test_fix_of_body_that_is_not_an_object_is_for_its_route(
    client: TestClient, path: str, fix: str, body: str, status: int
) -> None:
    answer = client.post(f"/v1/{path}", content=body, headers=JSON)
    assert answer.status_code == status
    assert fix in answer.json()["fix"]


@pytest.mark.parametrize(
    ("path", "fields", "fix"),
    [
        ("moves", {"board": ["?"]}, "Add mines. Number of mines on the whole board, known ones"),
        ("boards", {}, "Add rows. Number of rows, or height."),
        ("export", {"board": ["?"]}, "Add into. The format that the solver reads."),
        ("moves", {}, "Add board."),
    ],
)
def test_fix_of_missing_field_says_what_it_is(
    client: TestClient, path: str, fields: dict[str, Any], fix: str
) -> None:
    answer = client.post(f"/v1/{path}", json=fields)
    assert_problem(answer, 422, "missing-field")
    assert answer.json()["fix"].startswith(fix)


@pytest.mark.parametrize("first", [5, "x", [], [0], [0, 1.5], {"row": 0}])
def test_fix_of_value_that_is_no_cell_shows_one(client: TestClient, first: object) -> None:
    answer = client.post("/v1/grade", json={"layout": ["1B", "11"], "first": first})
    assert_problem(answer, 422, "bad-value", "/first")
    assert answer.json()["fix"].startswith("Send [row, col]")


@pytest.mark.parametrize("path", ["check", "strips", "automata/kadlac/run"])
def test_missing_board_is_named(client: TestClient, path: str) -> None:
    body = {"window": "0,0,1,1"} if path == "strips" else {}
    assert_problem(client.post(f"/v1/{path}", json=body), 422, "missing-field", "/board")


@pytest.mark.parametrize(
    ("content_type", "code"),
    [
        (None, "unsupported-media-type"),
        ("application/x-www-form-urlencoded", "unsupported-media-type"),
        ("multipart/form-data; boundary=x", "unsupported-media-type"),
        ("multipart/form-data", "unsupported-media-type"),
        ("text/html", "unsupported-media-type"),
        ("application/problem+json", "unsupported-media-type"),
        ("*/*", "unsupported-media-type"),
        ("text/plain; charset=iso-8859-1", "unsupported-charset"),
        ("text/plain; format=flowed; charset=iso-8859-1", "unsupported-charset"),
        ("application/json; charset=utf-16", "unsupported-charset"),
        ("application/json; charset = utf-16", "unsupported-charset"),
    ],
)
def test_unsupported_content_type_is_rejected(
    client: TestClient, content_type: str | None, code: str
) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    assert_problem(client.post("/v1/check", content=b"1?\n??", headers=headers), 415, code)


@pytest.mark.parametrize("encoding", ["br", "deflate", "GZIP, zstd", "gzip;q=1"])
def test_unknown_content_encoding_is_rejected(client: TestClient, encoding: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    answer = client.post("/v1/check", content=gzip.compress(b'["?1?"]'), headers=headers)
    assert_problem(answer, 415, "unsupported-encoding")
    assert answer.headers["accept-encoding"] == "gzip, zstd, identity"


def test_content_encoding_identity_is_accepted(client: TestClient) -> None:
    headers = {"Content-Encoding": "identity"}
    assert client.post("/v1/check", json={"board": ["?1?"]}, headers=headers).status_code == 200


def test_fix_for_form_names_option_of_curl(client: TestClient) -> None:
    answer = client.post("/v1/check", data={"board": "1?"})
    assert "--data-binary" in parse_problem(answer).fix
    assert "text/plain" in answer.headers["accept-post"]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("mines=7", 422, "bad-value"),
        ("mines=-1", 422, "bad-value"),
        ("mines=--7", 422, "bad-value"),
        ("mines=-", 422, "bad-value"),
        ("mines=", 422, "bad-value"),
        ("mines", 422, "bad-value"),
        ("mines=1.0", 422, "bad-value"),
        ("mines=true", 422, "bad-value"),
        ("mines=1_0", 422, "bad-value"),
        ("mines=%D9%A3", 422, "bad-value"),
        ("mines=%00", 422, "bad-value"),
        ("mines=" + "9" * 5000, 422, "bad-value"),
        ("deadline_ms=0", 422, "bad-value"),
        ("deadline_ms=---5", 422, "bad-value"),
        ("deadline_ms=60001", 422, "over-the-limit"),
        ("offset=--2", 422, "bad-value"),
        ("offset=x", 422, "bad-value"),
        ("offset=" + "9" * 20001, 422, "bad-value"),
        ("limit=0", 422, "bad-value"),
        ("limit=--3", 422, "bad-value"),
        ("notation=kaye", 422, "unknown-notation"),
        ("backend=z3", 422, "bad-value"),
        ("flags=maybe", 422, "bad-value"),
        ("minse=1", 422, "unknown-field"),
        ("=1", 422, "unknown-field"),
        ("%ff=1", 422, "unknown-field"),
        ("mines=1&mines=1", 400, "repeated-name"),
        ("board=1", 400, "repeated-name"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_invalid_query_is_rejected(client: TestClient, query: str, status: int, code: str) -> None:
    answer = client.post(f"/v1/layouts?{query}", content="1?\n??", headers=TEXT)
    assert_problem(answer, status, code)


@pytest.mark.parametrize(
    "density",
    [
        *("abc", "", "nan", "inf", "1e400", "0", "1", "0.1_5", "\u0660.5", "1e-1001"),
        *("1e-" + "9" * 30, "1e" + "9" * 30, "0." + "3" * 99, "-0.5", "0.5\n", " 0.5", "0,5"),
        *("1/0", "0/1", "3/3", "4/3", "-1/3", "1/-3", "1//3", "1/3/4", "1/", "/3", "1 / 3"),
        *("1/3\n", "1/3.0", "\u0661/3", "1/" + "9" * 99),
    ],
)
def test_invalid_density_is_rejected_in_query_and_json(client: TestClient, density: str) -> None:
    answer = client.post("/v1/analyze", params={"density": density}, content="1?\n??", headers=TEXT)
    assert_problem(answer, 422, "bad-value", "/density")
    answer = client.post("/v1/analyze", json={"board": GOOD, "density": density})
    assert_problem(answer, 422, "bad-value", "/density")
    assert "string" in answer.json()["fix"]


@pytest.mark.parametrize("digits", ["9" * 5000, "-" + "9" * 5000])
def test_number_of_5000_digits_is_rejected(client: TestClient, digits: str) -> None:
    answer = client.post(f"/v1/check?mines={digits}", content="1?", headers=TEXT)
    assert_problem(answer, 422, "bad-value", "/mines")
    assert "5000 digits is too large" in answer.json()["detail"]
    body = '{"board": ["1?"], "mines": ' + digits + "}"
    answer = client.post("/v1/check", content=body, headers=JSON)
    assert_problem(answer, 400, "invalid-json")
    assert "more than 4300 digits" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("task", "field", "choices"),
    [
        (
            *("check", "backend"),
            "auto, propagation, positions, frontier, sweep, automata, search, sat, cpsat, "
            "exhaustive",
        ),
        ("explain", "backend", "auto, reasons"),
        ("check", "flags", "claims, trust"),
        ("check", "notation", "standard, probst, minesweepr"),
    ],
)
def test_fix_lists_values_of_option(
    client: TestClient, task: str, field: str, choices: str
) -> None:
    answer = client.post(f"/v1/{task}", json={"board": GOOD, field: 1})
    assert answer.json()["fix"] == f"Use one of: {choices}."


@pytest.mark.parametrize("query", ["mines=1", "mines=", "x", "board=1"])
def test_query_beside_json_body_is_rejected(client: TestClient, query: str) -> None:
    answer = client.post(f"/v1/check?{query}", json={"board": GOOD})
    assert_problem(answer, 400, "query-with-json")


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/v1/automata/kadlac", ["form", "format"]),
        ("/v1/automata/no-such-machine", ["form", "format"]),
        ("/v1/automata", []),
        ("/v1/formats", []),
    ],
)
def test_get_route_rejects_unknown_and_repeated_query_names(
    client: TestClient, path: str, names: list[str]
) -> None:
    answer = client.get(f"{path}?fromat=svg")
    assert_problem(answer, 422, "unknown-field", "/fromat")
    assert all(name in answer.json()["fix"] for name in names)
    assert_problem(client.get(f"{path}?format=svg&format=json"), 400, "repeated-name")


@pytest.mark.parametrize("path", ["/", "/docs", "/page/main.js", "/healthz", "/readyz", "/metrics"])
def test_pages_and_probes_accept_any_query(client: TestClient, path: str) -> None:
    assert client.get(f"{path}?v=1&v=2").status_code == 200


@pytest.mark.parametrize("body", [b"", b"\n", b"\n\n", b"\r\n"])
def test_plain_text_without_board_is_rejected(client: TestClient, body: bytes) -> None:
    assert_problem(
        client.post("/v1/check", content=body, headers=TEXT), 422, "empty-board", "/board"
    )


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nope", 404),
        ("POST", "/v1", 404),
        ("POST", "/v1/CHECK", 404),
        ("GET", "/%ff", 404),
        ("GET", "/v1/check", 405),
        ("PUT", "/v1/check", 405),
        ("DELETE", "/v1/layouts", 405),
        ("POST", "/healthz", 405),
    ],
)
def test_unknown_route_or_method_is_a_problem(
    client: TestClient, method: str, path: str, status: int
) -> None:
    answer = client.request(method, path, follow_redirects=False)
    assert parse_problem(answer).status == status
    if status == 405:
        assert answer.headers["allow"]


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/v1//check", "/v1/check"),
        ("/V1/Check", "/v1/check"),
        ("/V1/automata//hu-lin", "/v1/automata/hu-lin"),
        ("/Docs", "/docs"),
        ("/openapi.JSON", "/openapi.json"),
        ("/page/none.js", None),
        ("/page/NONE.js", None),
        ("/v1", None),
        ("/" + "x" * 5000, None),
    ],
    ids=lambda value: str(value)[:30],
)
def test_problem_of_unknown_path_names_path_and_correct_form(
    client: TestClient, path: str, meant: str | None
) -> None:
    answer = client.get(path)
    assert_problem(answer, 404, "not-found")
    problem = answer.json()
    assert path[:200] in problem["detail"]
    assert len(answer.content) < 1000
    assert problem["fix"] == (f'Use "{meant}".' if meant else "See /docs for the routes.")


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/v1/chekc", "/v1/check"),
        ("/check", "/v1/check"),
        ("/v1/analyse", "/v1/analyze"),
        ("/heathz", "/healthz"),
        ("/v1/format", "/v1/formats"),
    ],
)
def test_fix_suggests_path_for_misspelt_path(client: TestClient, path: str, meant: str) -> None:
    problem = client.get(path).json()
    assert (problem["status"], problem["fix"]) == (
        404,
        f"Did you mean {meant}? See /docs for all routes.",
    )


@pytest.mark.parametrize(
    ("fields", "meant"),
    [
        ({"baord": ["1?"]}, "board"),
        ({"board": ["1?"], "minse": 1}, "mines"),
        ({"board": ["1?"], "backend": "stat"}, "sat"),
        ({"board": ["1?"], "backend": "FRONTEIR"}, "frontier"),
        ({"board": ["1?"], "notation": "standart"}, "standard"),
    ],
)
def test_fix_suggests_name_for_misspelt_field_or_value(
    client: TestClient, fields: dict[str, Any], meant: str
) -> None:
    problem = client.post("/v1/check", json=fields)
    assert problem.status_code == 422
    assert problem.json()["fix"].startswith(f"Did you mean {meant}? ")


def test_fix_suggests_task_for_misspelt_task(client: TestClient) -> None:
    problem = client.post("/v1/batch?task=chek", content=b"[]").json()
    assert problem["fix"].startswith("Did you mean check? ")


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        ("1", 'mines: "1" is not a whole number.'),
        (1.5, "mines: 1.5 is not a whole number."),
        (True, "mines: true is not a whole number."),
        ([1], "mines: [1] is not a whole number."),
        (-1, "mines: -1 is less than 0, the minimum."),
    ],
)
def test_problem_describes_wrong_value_in_plain_words(
    client: TestClient, value: object, detail: str
) -> None:
    problem = client.post("/v1/check", json={"board": ["1?"], "mines": value})
    assert (problem.status_code, problem.json()["detail"]) == (422, detail)


class TestLargeBodies:
    """A body of 100 MB is rejected with an answer, however it is sent."""

    SIZE = 100 * 2**20

    @pytest.mark.slow
    @pytest.mark.parametrize("chunked", [False, True], ids=["declared", "chunked"])
    def test_body_of_100_mb_is_rejected(self, server: Server, chunked: bool) -> None:
        block = b"?" * 2**20
        content = (block for _ in range(100)) if chunked else block * 100
        answer = server.send("POST", "/v1/check", content=content, headers=TEXT, timeout=30)
        assert_problem(answer, 413, "body-too-large")
        assert server.healthy()

    @pytest.mark.slow
    def test_body_of_100_mb_announced_with_expect_is_rejected(self, server: Server) -> None:
        head = (
            f"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
            f"Content-Length: {self.SIZE}\r\nExpect: 100-continue\r\n\r\n"
        )
        answer = _raw(server, head.encode())
        assert answer.startswith(b"HTTP/1.1 413 ")

    def test_small_body_announced_with_expect_is_accepted(self, server: Server) -> None:
        head = (
            b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
            b"Content-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(head)
            assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
            connection.sendall(b"1?\n??")
            assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")

    def test_body_with_too_many_cells_is_rejected(self, server: Server) -> None:
        body = b"?" * 4_000_001
        answer = server.send("POST", "/v1/check", content=body, headers=TEXT, timeout=30)
        assert_problem(answer, 422, "over-the-limit", "/board")


@pytest.mark.parametrize(
    "sent",
    [
        b"POST /v1/check HTTP/1.1\r\nHost",
        b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
        b"Content-Length: 100\r\n\r\n1?",
        b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n1",
        b"\0\1\2\r\n\r\n",
    ],
    ids=["in the head", "in the body", "in a chunk", "not HTTP"],
)
def test_server_survives_clients_that_disconnect_early(server: Server, sent: bytes) -> None:
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(sent)
    assert server.healthy()


def _raw(server: Server, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(sent)
        return connection.recv(10_000)


def test_problems_about_unusual_characters_are_json_objects(client: TestClient) -> None:
    bodies: list[Any] = [{"board": [["é"]]}, {"board": "\u2028"}, {"board": ["1\x7f"]}]
    for body in bodies:
        answer = client.post("/v1/check", content=json.dumps(body), headers=JSON)
        assert_problem(answer, 422, "unknown-symbol")


def test_body_of_100000_names_is_rejected(client: TestClient) -> None:
    names = ",".join(f'"{number}":1' for number in range(100_000))
    answer = client.post("/v1/check", content="{" + names + "}", headers=JSON)
    assert answer.status_code == 400
    assert answer.json()["type"].endswith("too-many-names")


def test_fix_of_fields_in_another_object_is_to_send_them_without_it(client: TestClient) -> None:
    game = {"board": ["1?"], "mines": 1}
    problem = client.post("/v1/count", json={"game": game}).json()
    assert problem["fix"].startswith('Send mines and board without "game" around.') or problem[
        "fix"
    ].startswith('Send board and mines without "game" around.')
    assert client.post("/v1/count", json=game).json()["count"] == "1"


def test_misspelt_field_is_reported_before_missing_field(client: TestClient) -> None:
    problem = client.post("/v1/boards", json={"heigth": 5, "width": 6, "mines": 6}).json()
    assert (problem["pointer"], problem["fix"].partition("?")[0]) == (
        "/heigth",
        "Did you mean rows",
    )
