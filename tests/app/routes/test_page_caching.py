"""Answers from the cache, as clients see them."""

from fastapi.testclient import TestClient

from app.main import create
from app.settings import Settings

BOARD = ["?1??", "?2??", "???1"]
MIRRORED = [row[::-1] for row in BOARD]
#: Too hard for bounded effort: a worker answers.
WORK = {"board": BOARD, "backend": "sat"}


def metric(client: TestClient, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name))


def test_the_same_board_and_its_mirror_image_are_answered_from_the_cache() -> None:
    with TestClient(create(Settings(workers=1))) as client:
        first = client.post("/v1/analyze", json={"board": BOARD}).json()
        again = client.post("/v1/analyze", json={"board": BOARD}).json()
        mirrored = client.post("/v1/analyze", json={"board": MIRRORED}).json()
        assert metric(client, 'minecheck_cache_hits_total{level="memory"}') == 2
    assert "cached" not in first["solver"]
    assert again == first | {"solver": first["solver"] | {"cached": True}}
    assert mirrored["probabilities"] == [row[::-1] for row in first["probabilities"]]
    assert mirrored["count"] == first["count"]


def test_what_a_worker_answered_is_not_asked_again() -> None:
    with TestClient(create(Settings(workers=1))) as client:
        client.post("/v1/count", json=WORK)
        again = client.post("/v1/count", json=WORK).json()
    assert again["solver"]["cached"] is True


def test_another_notation_is_the_same_board_and_another_total_is_another_question() -> None:
    with TestClient(create(Settings(workers=1))) as client:
        client.post("/v1/count", json={"board": BOARD})
        same = client.post(
            "/v1/count", json={"board": "\n".join(BOARD).replace("?", "-"), "notation": "probst"}
        )
        other = client.post("/v1/count", json={"board": BOARD, "mines": 3})
    assert same.json()["solver"].get("cached") is True
    assert "cached" not in other.json()["solver"]


def test_a_refusal_is_not_kept() -> None:
    beyond = {"board": ["?1?"], "offset": 5}
    with TestClient(create(Settings(workers=1))) as client:
        assert [client.post("/v1/layouts", json=beyond).status_code for _ in range(2)] == [422, 422]
