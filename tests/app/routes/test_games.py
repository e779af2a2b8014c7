"""Games over HTTP are dealt and played to their ends, without revealing mines before."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from minecheck.app.functions.game import PlayAnswer
from minecheck.app.main import create_app
from minecheck.app.problems import TYPE_PREFIX
from minecheck.app.settings import Settings
from tests.app.content_types import TEXT
from tests.app.problem_responses import assert_problem
from tests.app.redis_server import Redis
from tests.app.serving import hard_question
from tests.processes import holds_soon

REQUEST: dict[str, Any] = {"height": 5, "width": 6, "mines": 6, "seed": 7}
LAYOUT = ["111BB1", "B11232", "22001B", "B10022", "11001B"]
BOARD = ["??????", "?1123?", "?2001?", "?1002?", "?1001?"]
MINES = [[row, col] for row in range(5) for col in range(6) if LAYOUT[row][col] == "B"]
SAFE = [[row, col] for row in range(5) for col in range(6) if LAYOUT[row][col] != "B"]


def read_play_answer(answer: Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text[:500]
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    PlayAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


def deal_game(client: TestClient, **fields: Any) -> dict[str, Any]:
    return read_play_answer(client.post("/v1/games", json=fields or REQUEST))


def open_cell(client: TestClient, game: str, cell: Any) -> dict[str, Any]:
    return read_play_answer(client.post(f"/v1/games/{game}/open", json={"cell": cell}))


def get_game(client: TestClient, game: str) -> dict[str, Any]:
    return read_play_answer(client.get(f"/v1/games/{game}"))


def read_temporary_problem(answer: Response, code: str) -> dict[str, Any]:
    assert answer.status_code == 503, answer.text[:500]
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "1"
    found: dict[str, Any] = answer.json()
    assert found["type"] == TYPE_PREFIX + code
    return found


def test_games_route_deals_board_of_boards_route_without_mines(client: TestClient) -> None:
    for request in (REQUEST, REQUEST | {"kind": "random", "first": "0,0"}):
        found, board = deal_game(client, **request), client.post("/v1/boards", json=request).json()
        for field in ("board", "mines", "first", "kind", "difficulty"):
            assert found[field] == board[field], field
        assert (found["status"], found["expires_in"]) == ("playing", 3600)
        assert found["layout"] is found["seed"] is found["hit"] is None


def test_game_ids_differ_and_are_long(client: TestClient) -> None:
    ids = {deal_game(client)["id"] for _ in range(5)}
    assert len(ids) == 5
    assert all(len(one) == 22 for one in ids)


def test_game_is_won_when_all_safe_cells_are_open(client: TestClient) -> None:
    found = deal_game(client)
    game = found["id"]
    for cell in SAFE:
        assert found["status"] == "playing" or found["opened"] == 24
        found = open_cell(client, game, cell)
        row, col = cell
        assert found["board"][row][col] == LAYOUT[row][col]
        assert found["opened"] == sum(symbol != "?" for row in found["board"] for symbol in row)
    assert (found["status"], found["opened"], found["hit"]) == ("won", 24, None)
    assert found["board"] == [row.replace("B", "?") for row in LAYOUT]
    assert (found["layout"], found["seed"]) == (LAYOUT, "7")
    assert get_game(client, game) == open_cell(client, game, MINES[0]) == found


@pytest.mark.parametrize("mine", MINES)
def test_game_is_lost_when_a_mine_is_opened(client: TestClient, mine: list[int]) -> None:
    game = deal_game(client)["id"]
    open_cell(client, game, [0, 0])
    found = open_cell(client, game, mine)
    assert (found["status"], found["hit"], found["opened"]) == ("lost", mine, 17)
    assert found["board"] == ["1?????", *BOARD[1:]]
    assert (found["layout"], found["seed"]) == (LAYOUT, "7")
    assert get_game(client, game) == open_cell(client, game, [0, 5]) == found


def test_zero_in_game_opens_surrounding_cells(client: TestClient) -> None:
    line = {"height": 1, "width": 9, "mines": 1, "kind": "random", "first": [0, 0], "seed": 0}
    found = deal_game(client, **line)
    assert found["board"] == ["0001?????"]
    assert open_cell(client, found["id"], [0, 8])["board"] == ["0001?1000"]


def test_opening_open_cell_changes_no_game(client: TestClient) -> None:
    before = deal_game(client)
    for cell in ([2, 3], [1, 1]):
        assert open_cell(client, before["id"], cell) == before
    after = open_cell(client, before["id"], [0, 0])
    assert after != before
    assert open_cell(client, before["id"], "0,0") == get_game(client, before["id"]) == after


def test_games_store_only_clicks_that_change_game(client: TestClient) -> None:
    game = deal_game(client)["id"]
    for cell in ([0, 0], [0, 0], [2, 3], MINES[0], MINES[0], MINES[1], [0, 1]):
        open_cell(client, game, cell)
    kept = asyncio.run(client.app.state.games.find_game(game))  # type: ignore[attr-defined]
    assert kept.clicks.tolist() == [0, 3]


def test_game_may_be_won_by_first_click(client: TestClient) -> None:
    found = deal_game(client, height=2, width=2, mines=0)
    assert (found["status"], found["layout"]) == ("won", ["00", "00"])
    assert found["seed"] is not None


def test_concurrent_clicks_in_game_are_all_made(client: TestClient) -> None:
    game = deal_game(client)["id"]
    with ThreadPoolExecutor(8) as pool:
        [*pool.map(lambda cell: open_cell(client, game, cell), SAFE)]
    assert get_game(client, game)["status"] == "won"


def test_games_route_plays_largest_boards(client: TestClient) -> None:
    request = {"height": 1000, "width": 2000, "mines": 20_000, "kind": "opening", "seed": 1}
    found = deal_game(client, **request)
    board = client.post("/v1/boards", json=request).json()
    assert found["board"] == board["board"]
    mine = [0, board["layout"][0].index("B")]
    lost = open_cell(client, found["id"], mine)
    assert (lost["status"], lost["layout"]) == ("lost", board["layout"])


@pytest.mark.usefixtures("late")
def test_games_route_answers_problem_without_board_in_time(client: TestClient) -> None:
    request = {"height": 16, "width": 30, "mines": 400}
    answer = client.post("/v1/games", json=request)
    assert "deadline_ms" in read_temporary_problem(answer, "no-board-found")["fix"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "opening"])
def test_boards_without_search_do_not_wait_for_busy_workers(kind: str) -> None:
    """Hard questions may keep all their workers busy meanwhile."""
    with (
        TestClient(create_app(Settings(workers=1, cache_mb=0))) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        workers = client.app.state.workers  # type: ignore[attr-defined]
        busy = pool.submit(client.post, "/v1/count", json=hard_question(60_000))
        assert holds_soon(lambda: workers.unbounded.busy == 1)
        deal_game(client, **REQUEST, kind=kind)
        assert client.post("/v1/boards", json=REQUEST | {"kind": kind}).json()["found"]
        assert not busy.done()
        assert client.portal is not None
        client.portal.call(workers.timed.hurry_up)


@pytest.mark.parametrize(
    ("changed", "code", "pointer"),
    [
        ({"height": 0}, "bad-value", "/height"),
        ({"width": 3_000_000}, "over-the-limit", "/width"),
        ({"mines": 30}, "bad-value", "/mines"),
        ({"first": [5, 0]}, "bad-value", "/first"),
        ({"deadline_ms": 10**9}, "over-the-limit", "/deadline_ms"),
        ({"colour": 1}, "unknown-field", "/colour"),
    ],
    ids=str,
)
def test_games_route_rejects_invalid_field_by_name(
    client: TestClient, changed: dict[str, Any], code: str, pointer: str
) -> None:
    assert_problem(client.post("/v1/games", json=REQUEST | changed), 422, code, pointer)


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        ({}, "missing-field", "/cell"),
        ({"cell": [5, 0]}, "cell-off-the-board", "/cell"),
        ({"cell": [0, 6]}, "cell-off-the-board", "/cell"),
        ({"cell": "0,6"}, "cell-off-the-board", "/cell"),
        ({"cell": [-1, 0]}, "cell-off-the-board", "/cell"),
        ({"cell": [0, -7]}, "cell-off-the-board", "/cell"),
        ({"cell": [10**400, 0]}, "cell-off-the-board", "/cell"),
        ({"cell": [0]}, "bad-value", "/cell"),
        ({"cell": [0.5, 0]}, "bad-value", "/cell"),
        ({"cell": "a1"}, "bad-value", "/cell"),
        ({"cell": None}, "bad-value", "/cell"),
        ({"cell": [0, 0], "flag": True}, "unknown-field", "/flag"),
        ([], "not-an-object", ""),
    ],
    ids=str,
)
def test_open_route_rejects_invalid_cell(
    client: TestClient, body: Any, code: str, pointer: str
) -> None:
    before = deal_game(client)
    path = f"/v1/games/{before['id']}/open"
    assert_problem(client.post(path, json=body), 422, code, pointer)
    assert get_game(client, before["id"]) == before


def test_open_route_names_bounds_of_board(client: TestClient) -> None:
    answer = client.post(f"/v1/games/{deal_game(client)['id']}/open", json={"cell": [5, 6]})
    assert answer.json()["detail"] == "The cell at row 5, column 6 is outside the board."
    assert answer.json()["fix"] == "Send a row from 0 to 4 and a column from 0 to 5."


@pytest.mark.parametrize("game", ["x", "%00", "%FF", "x" * 5000, "*", "héllo"])
def test_unknown_game_is_not_found(client: TestClient, game: str) -> None:
    path = f"/v1/games/{game}"
    for answer in (client.get(path), client.post(f"{path}/open", json={"cell": [0, 0]})):
        assert_problem(answer, 404, "no-such-game")
        assert "expired" in answer.json()["detail"]
        assert "POST /v1/games" in answer.json()["fix"]
        assert "MINECHECK_REDIS_URL" in answer.json()["fix"]


def test_games_routes_reject_invalid_requests(client: TestClient) -> None:
    game = deal_game(client)["id"]
    assert_problem(client.get(f"/v1/games/{game}?x=1"), 422, "unknown-field", "/x")
    answer = client.post(f"/v1/games/{game}/open", content="0,0", headers=TEXT)
    assert_problem(answer, 415, "unsupported-media-type")
    assert client.get("/v1/games").status_code == 405
    assert client.get(f"/v1/games/{game}/open").status_code == 405


def test_examples_of_games_are_answered_as_documented(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]

    def example(content: dict[str, Any]) -> dict[str, Any]:
        (shown,) = content["content"]["application/json"]["examples"].values()
        found: dict[str, Any] = shown["value"]
        return found

    deal, look = paths["/v1/games"]["post"], paths["/v1/games/{id}"]["get"]
    play = paths["/v1/games/{id}/open"]["post"]
    found = deal_game(client, **example(deal["requestBody"]))
    same = {"id": found["id"]}
    assert found == example(deal["responses"]["200"]) | same
    assert get_game(client, found["id"]) == example(look["responses"]["200"]) | same
    cell = example(play["requestBody"])["cell"]
    assert open_cell(client, found["id"], cell) == example(play["responses"]["200"]) | same


# Replicas.


@pytest.fixture
def replicas(redis: Redis) -> Iterator[tuple[TestClient, TestClient]]:
    """Two services with one Redis."""
    settings = Settings(workers=1, redis_url=redis.url, game_seconds=60)
    with TestClient(create_app(settings)) as one, TestClient(create_app(settings)) as other:
        yield one, other


def test_replicas_with_redis_play_one_game(
    replicas: tuple[TestClient, TestClient], redis: Redis
) -> None:
    one, other = replicas
    game = deal_game(one)["id"]
    with ThreadPoolExecutor(8) as pool:
        [*pool.map(lambda at: open_cell(replicas[at % 2], game, SAFE[at]), range(len(SAFE)))]
    assert get_game(one, game) == get_game(other, game)
    assert (get_game(one, game)["status"], get_game(one, game)["expires_in"]) == ("won", 60)
    missing = other.get("/v1/games/x")
    assert_problem(missing, 404, "no-such-game")
    assert "MINECHECK_REDIS_URL" not in missing.json()["fix"]
    redis.end()
    for answer in (
        one.post("/v1/games", json=REQUEST),
        one.get(f"/v1/games/{game}"),
        one.post(f"/v1/games/{game}/open", json={"cell": [0, 0]}),
    ):
        read_temporary_problem(answer, "games-unreachable")
