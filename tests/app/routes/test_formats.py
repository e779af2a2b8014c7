"""Files and links of the community are read and written over HTTP, and rejected like all else."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from minecheck.minefield import FORMATS
from tests.app.problem_responses import assert_problem, parse_problem

MBF = bytes([3, 2, 0, 2, 0, 0, 2, 1])
MBF_LAYOUT = ["B21", "12B"]
MINE = "3x2x1\n1FH\n11H\n"
LINK = "https://davidnhill.github.io/JSMinesweeper/index.html?analysis=acacaaabbO9l"
ID = "9x9:4,4,mb071b49fbd1cb6a0d5868"
MOST = 100


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    settings = Settings(max_cells=MOST, max_body_bytes=200_000, workers=1)
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


def test_formats_are_listed_with_what_they_hold(client: TestClient) -> None:
    listed = {known["name"]: known for known in client.get("/v1/formats").json()}
    assert listed.keys() == FORMATS.keys()
    assert listed["mbf"]["holds"] == ["map"]
    assert listed["mine"] == {
        "name": "mine",
        "title": "Position saved by JSMinesweeper",
        "media_type": "text/plain; charset=utf-8",
        "suffix": ".mine",
        "holds": ["view", "map"],
    }


@pytest.mark.parametrize("kind", ["application/octet-stream", "text/plain", None])
def test_formats_route_reads_files_under_any_content_type(
    client: TestClient, kind: str | None
) -> None:
    headers = {"Content-Type": kind} if kind else {}
    answer = client.post("/v1/formats/mbf", content=MBF, headers=headers)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "format": "mbf",
        "board": None,
        "layout": MBF_LAYOUT,
        "mines": 2,
        "first": None,
        "symbols": {},
        "notes": [],
    }


@pytest.mark.parametrize(
    ("text", "format", "board", "first"),
    [
        (MINE, "mine", ["1F?", "11?"], None),
        (LINK, "jsminesweeper", ["1?", "F2"], None),
        (ID, "tatham", None, [4, 4]),
    ],
)
def test_formats_auto_recognises_files_by_their_signs(
    client: TestClient, text: str, format: str, board: list[str] | None, first: list[int] | None
) -> None:
    found = client.post("/v1/formats/auto", content=text).json()
    assert (found["format"], found["board"], found["first"]) == (format, board, first)


def test_formats_route_writes_a_layout_as_a_file(client: TestClient) -> None:
    answer = client.post("/v1/formats/mbf/write", json={"layout": MBF_LAYOUT})
    assert answer.content == MBF
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == 'attachment; filename="board.mbf"'


def test_formats_route_writes_a_board_as_a_file_or_a_link(client: TestClient) -> None:
    answer = client.post("/v1/formats/mine/write", json={"board": ["1F?", "11?"], "mines": 1})
    assert answer.text == MINE
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="board.mine"'
    answer = client.post("/v1/formats/jsminesweeper/write", json={"board": "1?\nF2", "mines": 1})
    assert answer.text == LINK


def test_formats_route_takes_options_of_plain_text_from_the_query(client: TestClient) -> None:
    answer = client.post(
        "/v1/formats/mine/write?mines=1&notation=probst&first=0,1",
        content="1-\n--",
        headers={"Content-Type": "text/plain"},
    )
    assert answer.text == "2x2x1\n1H\nHH\n"
    answer = client.post(
        "/v1/formats/mine/write", json={"board": ["F?"], "mines": 1, "flags": "trust"}
    )
    assert answer.text == "2x1x1\nMH\n"


@pytest.mark.parametrize("format", [name for name in FORMATS if FORMATS[name].maps])
def test_formats_route_reads_back_the_files_that_it_writes(client: TestClient, format: str) -> None:
    fields = {"layout": MBF_LAYOUT, "first": [0, 1]}
    file = client.post(f"/v1/formats/{format}/write", json=fields).content
    found = client.post(f"/v1/formats/{format}", content=file).json()
    assert (found["layout"], found["mines"]) == (MBF_LAYOUT, 2)
    assert found["first"] == ([0, 1] if format in ("tatham", "tatham-save") else None)


def test_formats_route_reads_large_files_off_the_event_loop(client: TestClient) -> None:
    text = "# MINESWEEPER-BOARD v0.1\n" + "# nothing\n" * 10_000
    text += "rows: 1\ncolumns: 2\nmines: 1\n[real]\n1*\n"
    assert client.post("/v1/formats/auto", content=text).json()["layout"] == ["1B"]


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("gif", b"", 404, "no-such-format"),
        ("auto", MBF, 422, "format-unknown"),
        ("mbf", MBF[:-1], 422, "wrong-length"),
        ("mine", b"11x10x0\n", 422, "board-too-large"),
        ("tatham", b"9x9n35a", 422, "no-board"),
        ("mine", b"\n" * 200_001, 413, "body-too-large"),
    ],
)
def test_formats_route_answers_unreadable_files_with_a_problem(
    client: TestClient, path: str, body: bytes, status: int, code: str
) -> None:
    assert_problem(client.post(f"/v1/formats/{path}", content=body), status, code)


@pytest.mark.parametrize("format", ["mine", "auto"])
def test_formats_route_rejects_unknown_notations(client: TestClient, format: str) -> None:
    for notation in ("", "nope"):
        answer = client.post(f"/v1/formats/{format}?notation={notation}", content=MINE)
        assert_problem(answer, 422, "bad-value", "/notation")


def test_formats_problem_names_the_wrong_cell_of_a_file(client: TestClient) -> None:
    found = parse_problem(client.post("/v1/formats/mine", content="2x2x1\nHH\nHx"))
    assert (found.row, found.col, found.pointer) == (1, 1, None)


@pytest.mark.parametrize(
    ("format", "body", "code", "pointer"),
    [
        ("mine", {}, "nothing-to-write", "/board"),
        ("mine", {"board": ["1?"]}, "mines-missing", "/mines"),
        ("mine", {"board": ["1?"], "mines": 3}, "too-many-mines", "/mines"),
        ("mine", {"board": ["1S"], "mines": 1}, "symbol-missing", "/board/0/1"),
        ("mine", {"board": ["1?", "?"], "mines": 1}, "ragged-rows", "/board/1"),
        ("mine", {"board": ["?" * 101], "mines": 1}, "over-the-limit", "/board"),
        ("mbf", {"board": ["1?"], "mines": 1}, "layout-missing", "/layout"),
        ("mbf", {"layout": ["1?"]}, "bad-value", "/layout/0/1"),
        ("mbf", {"layout": ["2B"]}, "bad-value", "/layout/0/0"),
        ("mbf", {"layout": ["0" * 101]}, "over-the-limit", "/layout"),
        ("mbf", {"layout": ["1B"], "mines": 2}, "mines-differ", "/mines"),
        ("board", {"layout": ["1B"], "board": ["?"]}, "shapes-differ", "/layout"),
        ("tatham", {"layout": ["1B"], "first": [0, 2]}, "first-off-the-board", "/first"),
        ("tatham", {"layout": ["1B"], "first": [0]}, "bad-value", "/first"),
        ("tatham", {"layout": ["1B"], "mines": -1}, "bad-value", "/mines"),
        ("tatham", {"layout": ["1B"], "size": 2}, "unknown-field", "/size"),
    ],
)
def test_formats_route_answers_unwritable_boards_with_a_problem(
    client: TestClient, format: str, body: object, code: str, pointer: str
) -> None:
    assert_problem(client.post(f"/v1/formats/{format}/write", json=body), 422, code, pointer)


def test_formats_auto_writes_nothing(client: TestClient) -> None:
    answer = client.post("/v1/formats/auto/write", json={"layout": ["1B"]})
    assert_problem(answer, 404, "no-such-format")


def test_formats_route_writes_from_json_or_text_only(client: TestClient) -> None:
    answer = client.post("/v1/formats/mbf/write", content=MBF)
    assert_problem(answer, 415, "unsupported-media-type")
    deep = '{"layout": ' + "[" * 40_000 + "]" * 40_000 + "}"
    headers = {"Content-Type": "application/json"}
    answer = client.post("/v1/formats/mbf/write", content=deep, headers=headers)
    assert_problem(answer, 400, "invalid-json")
    deep = '{"layout": ' + "[" * 900 + "]" * 900 + "}"
    parse_problem(client.post("/v1/formats/mbf/write", content=deep, headers=headers))
