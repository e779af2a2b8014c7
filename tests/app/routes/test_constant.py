"""Constant documents have ETags, and are not sent again to clients that know them."""

import pytest
from fastapi import Request
from fastapi.testclient import TestClient

from minecheck.app.routes import automata, constant

CONSTANT = [
    "/",
    "/docs",
    "/page/main.js",
    "/page/icon.svg",
    "/openapi.json",
    "/v1/formats",
    "/v1/automata",
    "/v1/automata/kadlac",
    "/v1/automata/kadlac/windows",
    "/v1/automata/hu-lin?format=svg",
    "/v1/automata/hu-lin?form=minimal&format=dot",
]


@pytest.mark.parametrize("path", CONSTANT)
def test_constant_document_has_etag_and_is_revalidated(client: TestClient, path: str) -> None:
    first = client.get(path)
    assert first.headers["etag"].startswith('W/"')
    assert first.headers["cache-control"] == "no-cache"
    again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    for name in ("etag", "cache-control", "vary", "content-location"):
        assert again.headers.get(name) == first.headers.get(name), name
    assert "Accept-Encoding" in first.headers["vary"]
    other = client.get(path, headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_etag_is_equal_in_every_encoding(client: TestClient) -> None:
    tags = {
        client.get("/openapi.json", headers={"Accept-Encoding": encoding}).headers["etag"]
        for encoding in ("identity", "gzip", "zstd")
    }
    assert len(tags) == 1


def test_each_form_and_format_of_machine_has_its_own_etag(client: TestClient) -> None:
    forms, kinds = ("given", "minimal"), ("json", "svg")
    queries = [f"form={form}&format={kind}" for form in forms for kind in kinds]
    tags = {client.get(f"/v1/automata/kadlac?{one}").headers["etag"] for one in queries}
    assert len(tags) == 4


def test_machine_that_client_knows_is_not_rendered_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "/v1/automata/strip-2?form=given&format=json"
    tag = client.get(path).headers["etag"]
    monkeypatch.setattr(automata, "_workers_of", lambda _: pytest.fail("it is known"))
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ('W/"a"', True),
        ('"a"', True),
        ('"b", W/"a"', True),
        ("*", True),
        ('"b"', False),
        ("a", False),
        ("", False),
    ],
)
def test_is_known_compares_weakly(given: str, known: bool) -> None:
    request = Request({"type": "http", "headers": [(b"if-none-match", given.encode())]})
    assert constant.is_known(request, 'W/"a"') is known


def test_answers_to_questions_have_no_etag(client: TestClient) -> None:
    answer = client.post("/v1/check", json={"board": ["1?"]})
    assert "etag" not in answer.headers
