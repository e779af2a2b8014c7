"""JSON documents of boards: which items they have, and that these are read as lines are."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from minecheck.app.batch.json_documents import JsonDocumentParser
from minecheck.app.problems import ProblemError
from tests.app.cli.running import run


def split(document: str, most: int = 10_000) -> list[str]:
    parser = JsonDocumentParser(most, None)
    fed = [line for byte in document.encode() for line in parser.feed(bytes([byte]))]
    return [line.content.decode() for line in [*fed, *parser.finish()]]


@pytest.mark.parametrize(
    ("document", "items"),
    [
        ("", []),
        ("[]", []),
        # One board, as on a line: rows, or cells.
        ('["?1?", "???"]', ['["?1?", "???"]']),
        ('[["?", 1], [null, "?"]]', ['[["?", 1], [null, "?"]]']),
        # Several.
        ('["?1?/???", "1?"]', ['"?1?/???"', '"1?"']),
        ('[["?1?", "???"], ["1?"]]', ['["?1?", "???"]', '["1?"]']),
        (
            '\ufeff [\n  {"board": "?1?", "density": 0.10},\n  {"board": ["1?"]}\n]\n',
            ['{"board": "?1?", "density": 0.10}', '{"board": ["1?"]}'],
        ),
        # Boards with what holds for all; what an item has itself comes first.
        ('{"boards": ["?1?", "1?"]}', ['"?1?"', '"1?"']),
        (
            '{"mines": 1.0, "boards": ["?1?", {"mines": 2, "board": "??"}], "id": "[]"}',
            [
                '{"board":"?1?","mines":1.0,"id":"[]"}',
                '{"mines":2,"board":"??","id":"[]"}',
            ],
        ),
        # One request.
        ('{"board": "?1?", "mines": 1}', ['{"board": "?1?", "mines": 1}']),
        # Lines, whatever the name of the file is.
        ('{"board": "?1?"}\n"1?"\n', ['{"board": "?1?"}', '"1?"']),
    ],
)
def test_a_document_has_these_items(document: str, items: list[str]) -> None:
    assert split(document) == items


@pytest.mark.parametrize(
    ("document", "detail"),
    [
        ('[{"board": "?1?"}', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"boards": {"a": 1}}', '"boards" is not a list'),
        ('{"boards": [1], "mines": 1, "mines": 2}', '"mines" is there twice'),
    ],
)
def test_text_that_is_no_document_is_rejected(document: str, detail: str) -> None:
    with pytest.raises(ProblemError, match="document") as raised:
        split(document, 1_000_000)
    assert raised.value.document["status"] == 400
    assert detail in raised.value.document["detail"]


def test_a_document_may_be_no_larger_than_a_body() -> None:
    with pytest.raises(ProblemError) as raised:
        split('["?1?"]' + " " * 100, 50)
    assert raised.value.document["status"] == 413


def test_folders_and_streams_may_hold_documents(tmp_path: Path) -> None:
    boards = {"id": "x", "boards": ["?1?", "1?"]}
    (tmp_path / "a.json").write_text(json.dumps(boards))
    (tmp_path / "b.json").write_text('{"board": ["?1?"], "mines": 2}')
    found = run("batch", str(tmp_path), "--task", "count")
    answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert [(Path(one["file"]).name, one["line"], one["count"]) for one in answers] == [
        ("a.json", 0, "2"),
        ("a.json", 1, "1"),
        ("b.json", 0, "0"),
    ]
    assert [one.get("id") for one in answers] == ["x", "x", None]
    for text in (json.dumps(boards), json.dumps(boards, indent=1), '[{"board": "?1?"}]'):
        found = run("batch", "-", "--task", "count", stdin=text.encode())
        assert json.loads(found.stdout.splitlines()[0])["count"] == "2"


def test_a_body_may_be_a_document(client: TestClient) -> None:
    found = client.post("/v1/batch?task=count", json={"boards": ["?1?", ["1?"]], "mines": 1})
    assert [json.loads(line)["count"] for line in found.text.splitlines()] == ["2", "1"]
    broken = client.post(
        "/v1/batch?task=count", content=b"[1", headers={"Content-Type": "application/json"}
    )
    assert broken.json()["type"].endswith("invalid-json")
