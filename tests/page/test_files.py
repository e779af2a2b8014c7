"""The files of the page, as the service sends them."""

import httpx2
import pytest

from tests.app.serving import Server
from tests.page.conftest import Opened
from tests.page.site import expect


@pytest.mark.slow
def test_page_files_are_sent_again_only_after_a_change(server: Server) -> None:
    ours = ("/", "/docs", "/page/main.js", "/page/shared/minecheck.js", "/page/style.css")
    for path in (*ours, "/page/swagger-ui-bundle.js", "/page/swagger-ui.css"):
        first = server.get(path)
        assert first.status_code == 200
        assert first.headers["cache-control"] == "no-cache"
        tags = f'"other", {first.headers["etag"]}'
        again = server.get(path, headers={"If-None-Match": tags})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        plain = {"Accept-Encoding": "identity"}
        length = httpx2.head(server.url + path, headers=plain).headers["content-length"]
        assert length == str(len(first.content))


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "nothing.js",
        "..%2Fmain.py",
        "%2e%2e/main.py",
        "",
        "main.js/",
        "play",
        "tab.js",
        "play%2F..%2Fmain.js",
    ],
)
def test_paths_outside_the_page_are_not_served(server: Server, path: str) -> None:
    assert server.get(f"/page/{path}").status_code == 404


@pytest.mark.slow
def test_page_loads_nothing_from_other_hosts(opened: Opened, server: Server) -> None:
    policy = server.get("").headers.get_list("content-security-policy")[-1]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    page = opened()
    expect(page.locator("#play .cell")).to_have_count(81)
    loaded = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert loaded
    assert all(name.startswith((server.url, "data:")) for name in loaded)
