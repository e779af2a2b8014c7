"""The documentation in a browser: all of it comes from the service."""

from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.site import expect

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("prefix", ["", "/mines"])
def test_api_documentation_is_complete_without_other_hosts(opened: Opened, prefix: str) -> None:
    urls: list[str] = []

    def strip_prefix(route: Any) -> None:
        """Remove the prefix as a proxy does; there is nothing beyond the service."""
        url = route.request.url
        urls.append(url)
        if url.startswith(f"{opened.url}{prefix}/"):
            route.continue_(url=url.replace(f"{prefix}/", "/", 1))
        else:
            route.abort("internetdisconnected")

    page = opened(f"{prefix}/docs", routes={"**/*": strip_prefix})
    check = page.locator("#operations-questions-check")
    expect(check).to_contain_text("Is any layout consistent with the board?")
    check.get_by_role("button", name="/v1/check").first.click()
    expect(check).to_contain_text("certificate")
    assert [url for url in urls if not url.startswith(f"{opened.url}{prefix}/")] == []
    assert f"{opened.url}{prefix}/openapi.json" in urls


def test_documentation_begins_with_check_and_sends_examples(opened: Opened) -> None:
    """Examples of all operations are sent in tests/app; here Swagger UI sends some of them."""
    page = opened("/docs")
    expect(page.locator("#operations-questions-check")).to_be_visible()
    assert page.locator(".opblock").first.get_attribute("id") == "operations-questions-check"
    expect(page.locator(".information-container")).to_contain_text("any layout of mines fits")
    statuses = {}
    for name in ("questions-check", "automata-run", "operations-healthz"):
        operation = page.locator(f"#operations-{name}")
        operation.locator(".opblock-summary-control").click()
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_role("button", name="Execute").click()
        status = operation.locator(".live-responses-table tbody .response-col_status")
        statuses[operation.get_attribute("id")] = status.inner_text().split()[0]
        operation.locator(".opblock-summary-control").click()
    assert set(statuses.values()) == {"200"}, statuses
