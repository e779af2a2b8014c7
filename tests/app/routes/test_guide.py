"""The service sends the guide, which tests/test_site.py builds."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.routes import guide, page
from minecheck.app.settings import Settings


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A service with a small guide."""
    folder = tmp_path / "guide"
    (folder / "api").mkdir(parents=True)
    (folder / "index.html").write_text("<h1>Welcome</h1>")
    (folder / "api" / "index.html").write_text("<h1>API</h1>")
    (folder / "index.json").write_text("{}")
    (folder / "map.map").write_text("{}")
    (folder / ".hidden.txt").write_text("hidden")
    (tmp_path / "outside.txt").write_text("outside")
    monkeypatch.setattr(guide, "FOLDER", folder)
    return TestClient(create_app(Settings(workers=1)), follow_redirects=False)


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("/guide/", "<h1>Welcome</h1>", "text/html; charset=utf-8"),
        ("/guide/index.html", "<h1>Welcome</h1>", "text/html; charset=utf-8"),
        ("/guide/api/", "<h1>API</h1>", "text/html; charset=utf-8"),
        ("/guide/index.json", "{}\n", "application/json"),
    ],
)
def test_guide_sends_pages_and_files(client: TestClient, path: str, text: str, kind: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.text) == (200, text)
    assert answer.headers["content-type"] == kind
    assert answer.headers["content-security-policy"] == page.POLICY.decode()
    assert client.get(path, headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    head = client.head(path)
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize(("path", "target"), [("/guide", "guide/"), ("/guide/api", "api/")])
def test_guide_redirects_to_folders_relatively(client: TestClient, path: str, target: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["location"]) == (307, target)


@pytest.mark.parametrize(
    "path",
    [
        *("nothing/", "nothing.html", "map.map", ".hidden.txt", "..%2Foutside.txt", "a%00b"),
        *("%2e%2e/outside.txt", "//", "api//", "index.html/", "api/..%2Findex.html", "x" * 300),
    ],
)
def test_guide_sends_no_other_files(client: TestClient, path: str) -> None:
    assert client.get(f"/guide/{path}").status_code == 404


def test_guide_needs_no_key(client: TestClient) -> None:
    locked = TestClient(create_app(Settings(workers=1, api_keys={"alice": f"sha256:{'0' * 64}"})))
    assert locked.get("/guide/").status_code == locked.get("/llms.txt").status_code == 200


@pytest.mark.parametrize("path", ["/guide/", "/guide/api/", "/guide/nothing"])
def test_missing_guide_is_a_problem_with_build_command(
    client: TestClient, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guide, "FOLDER", tmp_path / "missing")
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert "`make docs`" in answer.json()["fix"]


def test_llms_txt_is_text(client: TestClient) -> None:
    answer = client.get("/llms.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith("# minecheck\n\n> ")
