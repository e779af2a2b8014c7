"""The batch route answers each line in order, streams both ways, compressed or not."""

import gzip
import json
import re
import socket
import sys
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.batch.chunks import Pace
from minecheck.app.main import create_app
from minecheck.app.routes.batch import ANSWERS as EXAMPLE_ANSWERS
from minecheck.app.routes.batch import LINES as EXAMPLE_LINES
from minecheck.app.settings import Settings
from tests.app.jobs import TASKS
from tests.app.serving import Server, hard_question, serving
from tests.boards import CASES
from tests.examples import examples

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LINES = {"Content-Type": "application/x-ndjson"}
SMALL = [list(case.rows) for case in CASES if case.unknown <= 16]


def batch(
    client: TestClient, lines: list[str], task: str = "check", query: str = "", **headers: str
) -> list[Any]:
    body = "\n".join(lines).encode()
    answer = client.post(f"/v1/batch?task={task}{query}", content=body, headers=LINES | headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.text.endswith("\n") or not answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def drop_time(answer: Any) -> Any:
    """Remove the elapsed time from an answer, and whether that was worth keeping it."""
    for name in ("elapsed_ms", "cached"):
        answer.get("solver", {}).pop(name, None)
    return answer


@pytest.mark.parametrize("task", TASKS)
def test_batch_route_answers_each_line_as_single_request(client: TestClient, task: str) -> None:
    requests = [{"board": rows} for rows in SMALL]
    found = batch(client, [json.dumps(one) for one in requests], task)
    alone = [client.post(f"/v1/{task}", json=one).json() for one in requests]
    assert list(map(drop_time, found)) == list(map(drop_time, alone))


def test_batch_example_is_answered_as_documented(client: TestClient) -> None:
    found = batch(client, list(EXAMPLE_LINES), "count")
    assert list(map(drop_time, found)) == [drop_time(json.loads(line)) for line in EXAMPLE_ANSWERS]


@examples(30)
@given(st.lists(st.integers(1, 4), max_size=200))
def test_batch_route_answers_in_order_of_lines(client: TestClient, widths: list[int]) -> None:
    found = batch(client, [json.dumps("?" * width) for width in widths], "count")
    assert [answer["count"] for answer in found] == [str(2**width) for width in widths]


def test_batch_route_reports_bad_lines_and_answers_good_lines(client: TestClient) -> None:
    lines = ['"?1"', "", "{", "[1]", '{"board": ["9"]}', '{"boards": 1}', "\x00", '"1?"']
    found = batch(client, lines)
    assert [answer.get("consistent") for answer in found] == [True, *[None] * 6, True]
    assert [answer["line"] for answer in found[1:-1]] == list(range(1, 7))
    assert all(answer["type"].startswith("urn:minecheck:problem:") for answer in found[1:-1])


@pytest.mark.parametrize("line", ["", " ", "{", "1??", "12", "true", "null"])
def test_fix_of_bad_batch_line_offers_lines_that_are_accepted(
    client: TestClient, line: str
) -> None:
    (found,) = batch(client, [line + "\n"])
    assert "an object with a board" in found["fix"]
    assert "one string" in found["fix"]
    assert "body" not in found["detail"]
    assert "Content-Type" not in found["fix"]
    # The lines that the fix offers are accepted.
    offered = re.findall(r"such as (.*?)[,.]? ?(?:or the|$)", found["fix"])
    assert [one["consistent"] for one in batch(client, offered)] == [True, True]


def test_batch_route_reports_line_that_is_not_utf_8(client: TestClient) -> None:
    body = b'"?1"\n\xff\xfe\n"1?"\n'
    answer = client.post("/v1/batch?task=check", content=body, headers=LINES)
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [one.get("status") for one in found] == [None, 400, None]


def test_batch_query_sets_defaults_that_lines_override(client: TestClient) -> None:
    lines = ['{"board": ["????"]}', '{"board": ["????"], "mines": 1}']
    found = batch(client, lines, "count", "&mines=2&deadline_ms=60000")
    assert [answer["count"] for answer in found] == ["6", "4"]


def test_batch_route_answers_empty_body_with_no_lines(client: TestClient) -> None:
    assert batch(client, []) == []
    assert batch(client, [""], query="&summary=true")[0]["summary"]["lines"] == 0


def test_batch_summary_is_last_line_on_demand(client: TestClient) -> None:
    *answers, last = batch(client, ['"?1"', "{", '"1?"'], query="&summary=true")
    assert len(answers) == 3
    summary = last["summary"]
    assert (summary["lines"], summary["problems"], summary["incomplete"]) == (3, 1, 0)


@pytest.mark.parametrize("members", [1, 3])
def test_batch_route_reads_and_writes_gzip(client: TestClient, members: int) -> None:
    lines = [json.dumps("?" * width) + "\n" for width in range(1, 7)]
    size = len(lines) // members
    packed = b"".join(
        gzip.compress("".join(lines[start : start + size]).encode())
        for start in range(0, len(lines), size)
    )
    headers = LINES | {"Content-Encoding": "gzip", "Accept-Encoding": "gzip"}
    answer = client.post("/v1/batch?task=count", content=packed, headers=headers)
    assert answer.headers["content-encoding"] == "gzip"
    counts = [json.loads(line)["count"] for line in answer.text.splitlines()]
    assert counts == [str(2**width) for width in range(1, 7)]


@pytest.mark.parametrize("packed", [b"no gzip", gzip.compress(b'"?"\n' * 9, mtime=0)[:-12]])
def test_batch_route_rejects_invalid_gzip(client: TestClient, packed: bytes) -> None:
    headers = LINES | {"Content-Encoding": "gzip"}
    answer = client.post("/v1/batch?task=check", content=packed, headers=headers)
    last = json.loads(answer.text.splitlines()[-1])
    assert last["type"] == "urn:minecheck:problem:invalid-gzip"


def test_batch_route_rejects_gzip_bomb_and_stays_available() -> None:
    bomb = gzip.compress(b" " * 30_000_000)
    with TestClient(create_app(Settings(workers=1, max_body_bytes=100_000))) as client:
        headers = LINES | {"Content-Encoding": "gzip"}
        answer = client.post("/v1/batch?task=check", content=bomb, headers=headers)
        (found,) = [json.loads(line) for line in answer.text.splitlines()]
        assert found["type"] == "urn:minecheck:problem:inflates-too-much"
        assert (answer.status_code, found["status"]) == (413, 413)
        again = batch(client, [json.dumps("?" * 100_001), '"?1"'])
    assert [one.get("status") for one in again] == [413, None]


@pytest.mark.parametrize(
    ("query", "headers", "status", "pointer"),
    [
        ("", LINES, 422, "/task"),
        ("?task=sample", LINES, 422, "/task"),
        ("?task=strips", LINES, 422, "/task"),
        ("?task=check&summary=maybe", LINES, 422, "/summary"),
        ("?task=check&task=count", LINES, 400, None),
        ("?task=check&mine=3", LINES, 422, "/mine"),
        ("?task=check&sumary=true", LINES, 422, "/sumary"),
        ("?task=check&density=0.5", LINES, 422, "/density"),
        ("?task=check&mines=abc", LINES, 422, "/mines"),
        ("?task=check&notation=kaye", LINES, 422, "/notation"),
        ("?task=check&deadline_ms=9999999", LINES, 422, "/deadline_ms"),
        ("?task=check&rules=a", LINES, 422, "/rules"),
        ("?task=check&board=1", LINES, 400, None),
        ("?task=check", {"Content-Type": "text/html"}, 415, None),
        ("?task=languages", {"Content-Type": "text/plain"}, 415, None),
        ("?task=check&split=2", LINES, 422, "/split"),
        ("?task=check", {"Content-Type": "application/x-www-form-urlencoded"}, 415, None),
        ("?task=check", LINES | {"Content-Encoding": "br"}, 415, None),
    ],
)
def test_batch_route_rejects_invalid_queries_and_headers(
    client: TestClient, query: str, headers: dict[str, str], status: int, pointer: str | None
) -> None:
    answer = client.post(f"/v1/batch{query}", content=b'"?1"\n', headers=headers)
    assert (answer.status_code, answer.json().get("pointer")) == (status, pointer)
    assert answer.headers["content-type"] == "application/problem+json"


def test_batch_route_lists_valid_names_for_mistyped_option(client: TestClient) -> None:
    answer = client.post("/v1/batch?task=count&sumary=true", content="", headers=LINES)
    assert {"summary", "mines", "density"} <= set(re.findall(r"\w+", answer.json()["fix"]))


def test_batch_route_answers_lines_of_functions_in_json(client: TestClient) -> None:
    lines = ['{"board": ["?2", "B?"], "picture": true}', '{"board": ["?2", "B?"]}', "5"]
    picture, answer, number = batch(client, lines, "paths&machine=hu-lin")
    assert picture["pointer"] == "/picture"
    assert (answer["accepted"], answer["rejected"]) == ("2", "1")
    assert number["type"].endswith("not-an-object")
    (text,) = batch(client, ['"1?"'], "step&machine=strip-2")
    assert "board" not in text["fix"]


def test_batch_query_options_are_declared_and_accepted(client: TestClient) -> None:
    route = client.get("/openapi.json").json()["paths"]["/v1/batch"]["post"]
    declared = {one["name"]: one for one in route["parameters"]}
    # Swagger UI sends defaults, which not every task takes.
    own = ("task", "summary", "first", "split")
    assert not any("default" in one["schema"] for name, one in declared.items() if name not in own)
    values = {
        "notation": "standard",
        "flags": "trust",
        "deadline_ms": "500",
        "mines": "1",
        "backend": "auto",
        "certificate": "true",
        "density": "0.5",
        "fewest_clicks": "true",
        "fractions": "true",
        "by_mines": "true",
        "offset": "0",
        "limit": "1",
        "window": "0,0,1,1",
        "cell": "0,0",
        "keep": "forced",
        "difficulty": "bounds",
        "symmetry": "half-turn",
        "leave": "safe",
        "reveals": "1",
        "topology": "torus",
        "layers": "1",
        "neighbours": "0,1 -1,0",
        "clues": "0,0=1-2 1,0=1|3",
        "mines_per_cell": "2",
        "lies": "1",
        "most_lies": "1",
        "machine": "strip-1",
        "outcome": "accepted",
        "picture": "false",
        "rows": "1",
        "cols": "2",
        "safe": "true",
        "seed": "5",
        "symbols": "X=mine",
        "kind": "random",
        "format": "auto",
        "task": None,
        "summary": "true",
        "first": "5",
        "split": "true",
        "walk": "true",
        "moment": "0",
        "technique": "1-1",
    }
    assert declared.keys() == values.keys()
    for name, value in values.items():
        tasks_named = re.search(r"\(([a-z, ]+)\)\.", declared[name]["description"])
        for task in tasks_named[1].split(", ") if tasks_named else TASKS:
            query = f"&{name}={value}" if value else ""
            if task == "moves" and name != "mines":
                query += "&mines=1"
            answer = client.post(f"/v1/batch?task={task}{query}", content='"1?"', headers=LINES)
            assert answer.status_code == 200, (task, name, answer.text)


class Talk:
    """A batch, line by line over a socket."""

    def __init__(self, server: Server, task: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        self.socket.sendall(
            f"POST /v1/batch?task={task} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            "Content-Type: application/x-ndjson\r\n\r\n".encode()
        )
        self.answers = self.socket.makefile("rb")

    def say(self, text: str) -> None:
        self.socket.sendall(f"{len(text):x}\r\n{text}\r\n".encode())

    def hear(self) -> Any:
        while not (line := self.answers.readline()).startswith(b"{"):
            assert line
        return json.loads(line)

    def leave(self) -> None:
        self.answers.close()
        self.socket.close()


def test_batch_route_answers_line_before_next_line_is_sent(server: Server) -> None:
    talk = Talk(server, "count")
    for width in range(1, 5):
        talk.say(json.dumps("?" * width) + "\n")
        assert talk.hear()["count"] == str(2**width)
    talk.leave()


def test_hard_batch_line_ends_at_its_deadline_and_easy_lines_are_answered(server: Server) -> None:
    lines = [json.dumps(hard_question(500)), '"?1"', json.dumps(hard_question(500)), '"??"']
    body = "\n".join(lines).encode()
    answer = server.send("POST", "/v1/batch?task=count", content=body, headers=LINES, timeout=30)
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [one["count"] for one in found] == [None, "1", None, "4"]
    assert [one["solver"]["complete"] for one in found] == [False, True, False, True]


def test_batch_work_ends_when_client_disconnects(server: Server) -> None:
    talk = Talk(server, "count")
    talk.say("".join(json.dumps(hard_question(60_000)) + "\n" for _ in range(3)))
    assert server.at_work()
    talk.leave()
    assert server.at_rest()
    assert server.healthy()


@pytest.mark.slow
def test_batch_work_ends_when_client_disconnects_while_body_is_not_read() -> None:
    # These are more chunks than are in progress at once, all of them hard.
    lines = (json.dumps(hard_question(60_000)) + "\n").encode() * 1000
    head = (
        b"POST /v1/batch?task=count HTTP/1.1\r\nHost: x\r\n"
        b"Content-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(lines)
    )
    with serving(cli=True) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
            client.sendall(head + lines)
            assert server.at_work()
        assert server.at_rest()
        assert server.healthy()


def test_hard_batch_lines_do_not_delay_single_request(server: Server) -> None:
    talk = Talk(server, "count")
    talk.say("".join(json.dumps(hard_question(60_000)) + "\n" for _ in range(8)))
    assert server.at_work()
    single = server.post(
        "/v1/count", {"board": ["1?", "??"], "backend": "sat", "deadline_ms": 60_000}
    )
    talk.leave()
    assert single.json()["count"] == "3"
    assert single.json()["solver"]["complete"] is True


def test_batch_route_numbers_lines_from_first(client: TestClient) -> None:
    answer = client.post("/v1/batch?task=count&first=41", content='"??"\n"9"\n', headers=LINES)
    assert json.loads(answer.text.splitlines()[1])["line"] == 42
    assert (
        client.post("/v1/batch?task=count&first=-1", content="", headers=LINES).status_code == 422
    )


def test_batch_chunks_grow_for_quick_lines_and_shrink_for_slow_lines() -> None:
    pace = Pace()
    chunk_sizes = []
    for _ in range(8):
        pace.learn_pace(pace.lines, seconds=1e-4 * pace.lines, size=1000 * pace.lines)
        chunk_sizes.append(pace.lines)
    assert chunk_sizes == sorted(chunk_sizes)
    assert chunk_sizes[0] <= 2 * Pace().lines
    assert chunk_sizes[-1] == chunk_sizes[-2] > Pace().lines
    pace.learn_pace(pace.lines, seconds=10 * pace.lines, size=1000)
    assert pace.lines == 1
    pace.learn_pace(100, seconds=0.001, size=100 * 10**6)
    assert pace.lines < 10


@pytest.mark.parametrize("task", ["analyze", "layouts"])
def test_batch_route_answers_all_lines_of_many_chunks(client: TestClient, task: str) -> None:
    lines = [json.dumps("\n".join(["?" * 5] * (3 + number % 5))) for number in range(700)]
    found = batch(client, lines, task)
    assert [one["count"] for one in found] == [
        str(2 ** (5 * (3 + number % 5))) for number in range(700)
    ]


def test_batch_route_passes_fields_of_other_names_through(client: TestClient) -> None:
    lines = ['{"id": "a", "board": "?1?\\n???\\n???"}', '{"board": ["9"], "id": 2}', '["1?", "??"]']
    found = batch(client, lines, "count")
    assert [one.get("id") for one in found] == ["a", 2, None]
    assert [one.get("line") for one in found] == [None, 1, None]
    assert [one.get("count") for one in found] == ["40", None, "3"]


@pytest.mark.parametrize("kind", ["application/ndjson", "application/jsonl"])
def test_batch_route_accepts_each_media_type_of_ndjson(client: TestClient, kind: str) -> None:
    answer = client.post("/v1/batch?task=count", content=b'"?1"', headers={"Content-Type": kind})
    assert answer.json()["count"] == "1"


def test_batch_route_reads_boards_as_csv_and_text(client: TestClient) -> None:
    text = b"board,id\n?1??,a\n1?/??,b\n"
    headers = {"Content-Type": "text/csv; charset=utf-8"}
    answer = client.post("/v1/batch?task=count", content=text, headers=headers)
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [(one["id"], one["line"], one["count"]) for one in found] == [
        ("a", 1, "4"),
        ("b", 2, "3"),
    ]
    text = b"1?\n??\n\n| 1 | H |\n| H | H |\n"
    headers = {"Content-Type": "text/plain"}
    answer = client.post("/v1/batch?task=count&first=10", content=text, headers=headers)
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [(one["line"], one["count"]) for one in found] == [(10, "3"), (13, "3")]
    assert found[1]["reading"]["symbols"] == {"H": "unknown"}
    text = b"1?\n\n??\n"
    (problem,) = client.post(
        "/v1/batch?task=count", content=text, headers=headers
    ).text.splitlines()
    assert json.loads(problem)["status"] == 422
    answer = client.post("/v1/batch?task=count&split=true", content=text, headers=headers)
    assert answer.text.count("\n") == 2


def test_batch_route_rejects_csv_without_boards(client: TestClient) -> None:
    headers = {"Content-Type": "text/csv"}
    answer = client.post("/v1/batch?task=count", content=b"a,b\n1,2\n", headers=headers)
    assert (answer.status_code, answer.json()["pointer"]) == (422, "/board")


def test_batch_route_reads_zstandard(client: TestClient) -> None:
    packed = zstd.compress(b'"?1"\n"??"\n')
    headers = LINES | {"Content-Encoding": "zstd"}
    answer = client.post("/v1/batch?task=count", content=packed, headers=headers)
    assert [json.loads(line)["count"] for line in answer.text.splitlines()] == ["1", "4"]
    answer = client.post("/v1/batch?task=count", content=packed[:-3], headers=headers)
    assert json.loads(answer.text.splitlines()[-1])["type"].endswith(":invalid-zstd")
