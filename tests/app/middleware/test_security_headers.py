"""Responses have security headers according to their path."""

import re

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.middleware.security_headers import SecurityHeaders
from minecheck.app.settings import Settings
from minecheck.app.telemetry.watching import Watched


def make_guarded_client(app: FastAPI, *, cors: bool = False, root_path: str = "") -> TestClient:
    if app.middleware_stack is None:
        app.middleware_stack = Watched(app.build_middleware_stack(), SecurityHeaders(cors=cors))
    return TestClient(app, raise_server_exceptions=False, root_path=root_path)


@pytest.fixture
def client() -> TestClient:
    app = create_app(Settings(workers=1))

    @app.get("/broken")
    async def broken() -> None:
        raise ZeroDivisionError

    return make_guarded_client(app)


def policy(client: TestClient, path: str) -> dict[str, str]:
    """Return the Content-Security-Policy of an answer, by directive."""
    (policy,) = client.get(path).headers.get_list("content-security-policy")[-1:]
    return {name: sources for name, _, sources in (d.partition(" ") for d in policy.split("; "))}


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/nowhere", "/docs", "/broken"])
def test_every_response_has_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_cors_lets_other_origins_embed_responses() -> None:
    client = make_guarded_client(FastAPI(), cors=True)
    assert "cross-origin-resource-policy" not in client.get("/docs").headers


@pytest.mark.parametrize("path", ["/healthz", "/nowhere", "/docs/x", "/docsy", "/openapi.json"])
def test_policy_of_data_lets_nothing_be_loaded(client: TestClient, path: str) -> None:
    allowed = policy(client, path)
    assert allowed.pop("style-src") == "'unsafe-inline'"
    assert allowed == {"default-src": "'none'", "frame-ancestors": "'none'"}


@pytest.mark.parametrize("path", ["/", "/docs", "/page/docs.js", "/page/swagger-ui-bundle.js"])
def test_policy_of_pages_allows_only_resources_of_service(client: TestClient, path: str) -> None:
    allowed = policy(client, path)
    assert allowed["default-src"] == "'none'"
    assert {allowed[kind] for kind in ("style-src", "connect-src")} == {"'self'"}
    # Its one script in the page has a test with the page.
    assert re.fullmatch(r"'self' 'sha256-[\w+/]{43}='", allowed["script-src"])
    assert set(allowed["img-src"].split()) == {"'self'", "data:", "blob:"}


def test_policy_of_documentation_holds_below_root_path() -> None:
    client = make_guarded_client(FastAPI(), root_path="/mines")
    assert "script-src" in policy(client, "/docs")
    assert "script-src" in policy(client, "/mines/docs")
