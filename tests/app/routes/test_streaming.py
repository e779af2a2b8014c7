"""Layouts and conflicts are streamed as NDJSON, and end at the deadline with a last line."""

import itertools
import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.app.serving import Server, contradictory, hard_question, lattice
from tests.boards import CASES, Case

NDJSON = {"Accept": "application/x-ndjson"}
#: The media types of lines.
LINES = ("application/x-ndjson", "application/ndjson", "application/jsonl")


def lines(client: TestClient, board: object, **options: object) -> list[Any]:
    body = {"board": board, **options}
    answer = client.post("/v1/layouts", json=body, headers=NDJSON)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert answer.text.endswith("\n") or not answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.mark.parametrize("case", [case for case in CASES if case.layouts <= 600], ids=str)
def test_stream_of_layouts_has_one_line_for_each_layout(client: TestClient, case: Case) -> None:
    found = lines(client, list(case.rows))
    assert len(found) == case.layouts
    assert len({tuple(rows) for rows in found}) == case.layouts
    answer = client.post("/v1/layouts", json={"board": list(case.rows), "limit": 1000})
    assert found == (answer.json()["layouts"] or [])


@pytest.mark.parametrize("accept", ["application/jsonl", "text/html, application/x-ndjson;q=0.9"])
def test_accept_header_selects_stream_of_lines(client: TestClient, accept: str) -> None:
    body = {"board": ["1?", "??"]}
    answer = client.post("/v1/layouts", json=body, headers={"Accept": accept})
    assert answer.text.count("\n") == 3


@pytest.mark.parametrize("accept", ["application/json", "*/*"])
def test_layouts_are_one_object_without_accept_header_for_lines(
    client: TestClient, accept: str
) -> None:
    body = {"board": ["1?", "??"]}
    answer = client.post("/v1/layouts", json=body, headers={"Accept": accept})
    assert answer.json()["count"] == "3"


@pytest.mark.parametrize("task", ["layouts", "sample"])
def test_stream_without_layouts_is_empty_as_documented(client: TestClient, task: str) -> None:
    answer = client.post(f"/v1/{task}", json={"board": ["2?"]}, headers=NDJSON)
    assert (answer.status_code, answer.content) == (200, b"")
    route = client.get("/openapi.json").json()["paths"][f"/v1/{task}"]["post"]
    assert "none at all if no layout fits" in route["responses"]["200"]["description"]


def test_stream_rejects_layout_to_be_ranked(client: TestClient) -> None:
    body = {"board": ["1?", "??"], "layout": ["1B", "11"]}
    assert client.post("/v1/layouts", json=body).json()["rank"] is not None
    answer = client.post("/v1/layouts", json=body, headers=NDJSON)
    assert (answer.status_code, answer.json()["pointer"]) == (422, "/layout")
    assert "application/json" in answer.json()["fix"]


def test_stream_of_thousands_of_layouts_is_complete(client: TestClient) -> None:
    found = lines(client, ["?" * 14])
    assert len({rows[0] for rows in found}) == len(found) == 2**14


@pytest.mark.parametrize("backend", ["frontier", "sat", "cpsat"])
def test_stream_of_several_pages_repeats_no_layout(client: TestClient, backend: str) -> None:
    found = lines(client, ["?????", "?????"], backend=backend)
    assert len({tuple(rows) for rows in found}) == len(found) == 2**10


@pytest.mark.parametrize("offset", [1000, "1000"])
@pytest.mark.parametrize("limit", [1, 300, 5000])
def test_stream_respects_offset_and_limit(client: TestClient, offset: object, limit: int) -> None:
    everything = lines(client, ["?" * 12])
    found = lines(client, ["?" * 12], offset=offset, limit=limit)
    assert found == everything[1000 : 1000 + limit]


def test_json_pages_of_layouts_are_linked_by_next_offset(client: TestClient) -> None:
    found, offset = [], "0"
    for _ in range(20):
        body = {"board": ["?" * 8], "offset": offset, "limit": 30}
        page = client.post("/v1/layouts", json=body).json()
        assert (page["count"], page["offset"]) == ("256", offset)
        found += page["layouts"]
        if page["next_offset"] is None:
            break
        offset = page["next_offset"]
    assert len({tuple(rows) for rows in found}) == len(found) == 256


def test_page_at_end_of_huge_number_of_layouts_is_found(client: TestClient) -> None:
    last = str(2**1600 - 1)
    body = {"board": ["?" * 40] * 40, "offset": last}
    page = client.post("/v1/layouts", json=body).json()
    assert (page["offset"], len(page["layouts"]), page["next_offset"]) == (last, 1, None)


def test_stream_accepts_limit_above_limit_of_json(client: TestClient) -> None:
    assert len(lines(client, ["?" * 14], limit=10_001)) == 10_001


def test_stream_of_inconsistent_board_is_empty(client: TestClient) -> None:
    assert lines(client, ["2?"]) == []


def stream_past_deadline(server: Server, path: str, body: dict[str, Any]) -> list[Any]:
    """Return the lines of a stream whose deadline passes after its first line."""
    body = {**body, "deadline_ms": 60_000}
    with server.stream(path, json=body, headers=NDJSON, timeout=60) as answer:
        lines = answer.iter_lines()
        first = next(lines)
        server.clock.pass_time()
        return [json.loads(line) for line in (first, *lines)]


def test_stream_of_layouts_ends_at_deadline_with_last_line(clocked: Server) -> None:
    body: dict[str, Any] = {"board": ["?" * 20] * 20}
    *layouts, last = stream_past_deadline(clocked, "/v1/layouts", body)
    assert last == {"complete": False, "consistent": True, "next_offset": str(len(layouts))}
    body |= {"offset": last["next_offset"], "limit": 1}
    (following,) = clocked.post("/v1/layouts", body).json()["layouts"]
    assert following not in layouts


def test_stream_without_count_continues_until_deadline(server: Server) -> None:
    body = {"board": lattice(21), "deadline_ms": 1500}
    answer = server.send("POST", "/v1/layouts", json=body, headers=NDJSON, timeout=30)
    *layouts, last = map(json.loads, answer.text.splitlines())
    assert last == {"complete": False, "consistent": True, "next_offset": str(len(layouts))}
    assert len({tuple(rows) for rows in layouts}) == len(layouts) > 0


def test_layouts_of_large_board_arrive_before_deadline(server: Server) -> None:
    body = {"board": ["?" * 1000] * 1000, "deadline_ms": 60_000}
    with server.stream("/v1/layouts", json=body, headers=NDJSON, timeout=60) as answer:
        first = next(answer.iter_lines())
    assert isinstance(json.loads(first), list)


def test_layouts_are_listed_without_count(server: Server) -> None:
    found = server.post("/v1/layouts", hard_question(1500) | {"limit": 3}).json()
    assert len(found["layouts"] or []) == 3


def test_client_that_leaves_stream_early_frees_worker(server: Server) -> None:
    # There are more streams than workers, and each would keep its worker longer than a test waits.
    body = {"board": ["?" * 20] * 20, "deadline_ms": 60_000}
    for _ in range(3):
        with server.stream("/v1/layouts", json=body, headers=NDJSON, timeout=30) as answer:
            for _, line in zip(range(500), answer.iter_lines(), strict=False):
                assert line.startswith("[")
    assert server.healthy()


def conflicts(client: TestClient, board: object, **options: object) -> tuple[list[Any], Any]:
    """Return the conflicts of a stream, and its last line."""
    body = {"board": board, **options}
    answer = client.post("/v1/conflicts", json=body, headers=NDJSON)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert answer.text.endswith("\n")
    *found, last = map(json.loads, answer.text.splitlines())
    return found, last


@pytest.mark.parametrize("case", CASES, ids=str)
def test_stream_of_conflicts_has_conflicts_of_answer_and_last_line(
    client: TestClient, case: Case
) -> None:
    found, last = conflicts(client, list(case.rows))
    body = {"board": list(case.rows), "limit": 1000}
    answer = client.post("/v1/conflicts", json=body).json()
    assert found == answer["conflicts"]
    assert last == {"complete": True, "consistent": case.consistent, "more": False}
    assert bool(found) is not case.consistent


def test_stream_of_conflicts_respects_limit_or_is_complete(client: TestClient) -> None:
    board = ["1??1??1", "2??2??2", "SSSSSSS"] * 5
    found, last = conflicts(client, board)
    assert (len(found), last["complete"], last["more"]) == (15, True, False)
    few, last = conflicts(client, board, limit=4)
    assert (few, last["complete"], last["more"]) == (found[:4], True, True)
    assert conflicts(client, board, limit=15)[1]["more"] is False
    # One JSON answer has ten conflicts, and has to be small.
    assert len(client.post("/v1/conflicts", json={"board": board}).json()["conflicts"]) == 10
    body = {"board": board, "limit": 10**9}
    assert client.post("/v1/conflicts", json=body).status_code == 422
    assert len(conflicts(client, board, limit=10**9)[0]) == 15


@pytest.mark.parametrize("task", ["layouts", "sample", "conflicts"])
def test_stream_of_second_try_equals_first_stream(client: TestClient, task: str) -> None:
    """Workers alone answer second tries and large bodies."""
    board = ["?" * 30] if task != "conflicts" else ["1??1??1", "2??2??2", "SSSSSSS"] * 5
    body = {"board": board, "limit": 1000} | ({"seed": "7"} if task == "sample" else {})
    here = client.post(f"/v1/{task}", json=body, headers=NDJSON)
    apart = client.post(f"/v1/{task}", json=body, headers=NDJSON | {"Minecheck-Second-Try": "1"})
    assert here.content.count(b"\n") == (1000 if task != "conflicts" else 16)
    assert apart.content == here.content
    assert apart.headers.get("Minecheck-Seed") == here.headers.get("Minecheck-Seed")
    wrong = {"board": ["1x"]}
    again = client.post(f"/v1/{task}", json=wrong, headers=NDJSON | {"Minecheck-Second-Try": "1"})
    assert again.status_code == 422


def test_conflicts_of_rules_are_streamed_as_lines(client: TestClient) -> None:
    rules = [{"cells": ["a"], "mines": 1}, {"cells": ["a", "b"], "mines": 0}]
    body = {"rules": rules, "total_cells": 2}
    answer = client.post("/v1/conflicts", json=body, headers=NDJSON)
    first, last = map(json.loads, answer.text.splitlines())
    assert (first["clues"], last["more"]) == ([0, 1], False)


@pytest.mark.parametrize("body", [{"board": ["1x"]}, {"board": ["1?"], "limit": 0}, {}])
def test_invalid_request_for_stream_is_rejected_before_any_line(
    client: TestClient, body: object
) -> None:
    answer = client.post("/v1/conflicts", json=body, headers=NDJSON)
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("task", ["layouts", "sample", "conflicts"])
def test_openapi_has_examples_for_each_media_type_of_lines(client: TestClient, task: str) -> None:
    route = client.get("/openapi.json").json()["paths"][f"/v1/{task}"]["post"]
    content = route["responses"]["200"]["content"]
    assert {*content} == {"application/json", *LINES}
    example = next(iter(route["requestBody"]["content"]["application/json"]["examples"].values()))
    for accept in LINES:
        answer = client.post(f"/v1/{task}", json=example["value"], headers={"Accept": accept})
        assert answer.text == content[accept]["example"]


def test_conflicts_arrive_during_search_for_more_conflicts(server: Server) -> None:
    body = {"board": contradictory(), "deadline_ms": 60_000}
    # There are more streams than workers, so each client that leaves must free its worker.
    for _ in range(4):
        with server.stream("/v1/conflicts", json=body, headers=NDJSON, timeout=60) as answer:
            found = list(itertools.islice(map(json.loads, answer.iter_lines()), 5))
        assert [one["minimal"] for one in found] == [True] * 5
        sizes = [len(one["clues"]) for one in found]
        assert sizes == sorted(sizes)
    assert server.healthy()


def test_stream_of_conflicts_ends_at_deadline_with_last_line(clocked: Server) -> None:
    *found, last = stream_past_deadline(clocked, "/v1/conflicts", {"board": contradictory()})
    assert last == {"complete": False, "consistent": False, "more": True}
    assert all(one.keys() == {"clues", "total", "minimal", "smallest"} for one in found)
