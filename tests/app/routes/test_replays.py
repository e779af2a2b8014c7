"""Replays are reviewed over HTTP and on the command line, or rejected."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.app.functions import replays
from minecheck.app.functions.replays import ReplaysAnswer
from tests.app.cli.running import one_line, run
from tests.app.problem_responses import assert_problem
from tests.app.questions.responses import drop_elapsed
from tests.replay_files import write_replay

FILE = write_replay(
    ["B..", "...", "..B"], [("l", 1, 1), ("r", 2, 2), ("l", 0, 2), ("l", 0, 0)], player="Ann\x07"
)
BINARY = {"Content-Type": "application/octet-stream"}


def post_replay(client: TestClient, **request: Any) -> dict[str, Any]:
    answer = client.post("/v1/replays", **request)
    assert answer.status_code == 200, answer.text[:500]
    ReplaysAnswer.model_validate_json(answer.text, strict=True)
    found: dict[str, Any] = answer.json()
    return found


def test_replays_route_reviews_replay(client: TestClient) -> None:
    found = post_replay(client, content=FILE, headers=BINARY, params={"moment": "3"})
    assert (found["format"], found["program"], found["player"]) == ("evf", "minecheck", "Ann\ufffd")
    assert (found["result"], found["rows"], found["cols"], found["mines"]) == ("lost", 3, 3, 2)
    assert found["layout"] == ["B10", "121", "01B"]
    assert [click["kind"] for click in found["clicks"]] == ["open", "flag", "open", "open"]
    assert (found["guesses"], found["needless"]) == (2, 1)
    assert found["luck"] == pytest.approx(0.12493873660829993)
    assert found["moment"] == {"clicks": 3, "board": ["?10", "?21", "??F"]}
    last = found["review"][-1]
    assert last["board"] == ["?10", "?21", "???"]
    assert (last["survival"], last["mine"], last["needless"]) == ("1/2", 0.5, True)
    assert last["better"] == {"cell": [2, 0], "mine": 0.0}
    assert last["win"] == {"low": 0.75, "high": 0.75, "exact": True}


def test_replays_route_and_command_find_fewest_clicks_if_asked(
    client: TestClient, tmp_path: Path
) -> None:
    assert post_replay(client, content=FILE, headers=BINARY)["fewest_clicks"] is None
    asked = {"fewest_clicks": "true"}
    found = post_replay(client, content=FILE, headers=BINARY, params=asked)["fewest_clicks"]
    assert (found["low"], found["exact"], len(found["plan"])) == (
        found["high"],
        True,
        found["high"],
    )
    path = tmp_path / "game.evf"
    path.write_bytes(FILE)
    printed = run("replay", str(path), "--fewest-clicks").stdout
    assert f"fewest clicks: {found['high']} (ZiNi: {found['zini']}" in printed


def test_replays_route_reads_base64_and_file_alike(client: TestClient) -> None:
    text = b64encode(FILE).decode()
    folded = "\n".join(text[first : first + 76] for first in range(0, len(text), 76))
    bare = post_replay(client, content=FILE, headers=BINARY, params={"format": "evf"})
    assert drop_elapsed(post_replay(client, json={"file": folded})) == drop_elapsed(bare)


TEXTS = {
    "rawvf": b"RawVF_Version: Rev6\nPlayer: Ann\nTime: 2.5\nBoard:\n*00\nEvents:\n"
    b"1.0 lc 3 1 (40 8)\n1.1 lr 3 1 (40 8)\n",
    "msor": b'{"header": {"width": 3, "height": 1, "mines": 1}, "replay": [{"type": 0, "x": 2, '
    b'"y": 0, "time": 2500, "touchCells": [2, 0, 0, 0, 0, 1, 0, 1, 0, 0]}]}',
}


@pytest.mark.parametrize("format", TEXTS)
def test_replays_route_and_command_read_text_without_extra(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, format: str
) -> None:
    monkeypatch.setattr(replays, "find_spec", lambda name: None)
    found = post_replay(client, content=TEXTS[format], headers=BINARY)
    assert (found["format"], found["result"], found["seconds"]) == (format, "won", 2.5)
    assert (found["layout"], found["3bv"], found["guesses"]) == (["B10"], 1, 0)
    path = tmp_path / f"game.{format}"
    path.write_bytes(TEXTS[format])
    shown = run("replay", str(path))
    assert f"({format})\nboard: custom, 1 by 3 cells, 1 mine, 3BV: 1\n" in shown.stdout


@pytest.mark.parametrize("format", TEXTS)
def test_replays_route_rejects_damaged_text_and_says_why(client: TestClient, format: str) -> None:
    damaged = b64encode(TEXTS[format][:-30]).decode()
    answer = client.post("/v1/replays", json={"file": damaged, "format": format})
    if answer.status_code == 200:
        assert (format, answer.json()["result"]) == ("rawvf", "unfinished")
    else:
        assert_problem(answer, 422, "replay-unreadable", "/file")
        assert "it is not JSON" in answer.json()["detail"]


def test_replays_route_reads_moment_in_seconds(client: TestClient) -> None:
    text = b64encode(FILE).decode()
    found = post_replay(client, json={"file": text, "moment": "1000.5s"})
    assert found["moment"]["clicks"] == 4


@pytest.mark.parametrize(
    ("fields", "code", "pointer"),
    [
        ({"file": b64encode(FILE[:60]).decode()}, "replay-unreadable", "/file"),
        ({"file": b64encode(FILE).decode(), "format": "rmv"}, "replay-unreadable", "/file"),
        ({"file": "UmF3VkZfVmVyc2lvbjogUmV2NQ=="}, "replay-unreadable", "/file"),
        ({"file": ""}, "replay-unreadable", "/file"),
        ({"file": "no Base64!"}, "bad-value", "/file"),
        ({"file": b64encode(FILE).decode(), "moment": "5"}, "bad-value", "/moment"),
        ({"file": b64encode(FILE).decode(), "moment": "late"}, "bad-value", "/moment"),
        ({"file": b64encode(FILE).decode(), "format": "mbf"}, "bad-value", "/format"),
        ({}, "missing-field", "/file"),
    ],
)
def test_replays_route_rejects_invalid_field_by_name(
    client: TestClient, fields: dict[str, Any], code: str, pointer: str
) -> None:
    assert_problem(client.post("/v1/replays", json=fields), 422, code, pointer)


def test_replays_route_without_extra_says_what_to_install(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replays, "find_spec", lambda name: None)
    answer = client.post("/v1/replays", content=FILE, headers=BINARY)
    assert_problem(answer, 422, "replays-not-installed")
    assert "minecheck[replays]" in answer.json()["fix"]


def test_replay_command_names_guesses_and_better_cells(tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    path.write_bytes(FILE)
    found = run("replay", str(path), "--moment", "4")
    assert found.exit_code == 0, found.stderr
    assert "player: Ann\ufffd\n" in found.stdout
    assert "guesses: 2 (1 not needed)\nluck: 0.125\n" in found.stdout
    assert "open row 0, column 0, 50.0% a mine, lost; better: row 2, column 0, safe" in found.stdout
    assert found.stdout.count("B10") == 1
    shown = json.loads(run("replay", "-", "--json", stdin=FILE).stdout)
    assert shown["player"] == "Ann\ufffd"


def test_replay_command_rejects_damaged_file_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    path.write_bytes(FILE[:50])
    one_line(run("replay", str(path)), f"{path}: The file cannot be read as a replay")
