"""Clients see which answers come from the cache."""

from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.settings import Settings

BOARD = ["?1??", "?2??", "???1"]
#: This question is too hard for bounded effort: a worker answers it.
WORK = {"board": BOARD, "backend": "sat"}


def metric(client: TestClient, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name))


def test_service_answers_positions_anew_and_other_boards_from_cache() -> None:
    with TestClient(create_app(Settings(workers=1))) as client:
        position = [client.post("/v1/analyze", json={"board": BOARD}).json() for _ in range(2)]
        first, again = (client.post("/v1/analyze", json={"board": ["?1?"]}).json() for _ in "ab")
        assert metric(client, 'minecheck_cache_hits_total{level="memory"}') == 1
    assert not any("cached" in found["solver"] for found in (*position, first))
    assert again == first | {"solver": first["solver"] | {"cached": True}}


def test_service_caches_answers_of_workers() -> None:
    with TestClient(create_app(Settings(workers=1))) as client:
        client.post("/v1/count", json=WORK)
        again = client.post("/v1/count", json=WORK).json()
    assert again["solver"]["cached"] is True


def test_service_cache_ignores_notation_but_not_total() -> None:
    with TestClient(create_app(Settings(workers=1))) as client:
        client.post("/v1/count", json={"board": ["?1?"]})
        same = client.post("/v1/count", json={"board": "-1-", "notation": "probst"})
        other = client.post("/v1/count", json={"board": ["?1?"], "mines": 1})
    assert same.json()["solver"].get("cached") is True
    assert "cached" not in other.json()["solver"]


def test_service_does_not_cache_problems() -> None:
    beyond = {"board": ["?1?"], "offset": 5}
    with TestClient(create_app(Settings(workers=1))) as client:
        assert [client.post("/v1/layouts", json=beyond).status_code for _ in range(2)] == [422, 422]
