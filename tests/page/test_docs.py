"""The documentation in a browser: all of it comes from the service."""

from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.site import expect

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("prefix", ["", "/mines"])
def test_the_documentation_is_whole_without_other_hosts(opened: Opened, prefix: str) -> None:
    asked: list[str] = []

    def proxied(route: Any) -> None:
        """As a proxy that takes the prefix off; there is nothing beyond the service."""
        url = route.request.url
        asked.append(url)
        if url.startswith(f"{opened.url}{prefix}/"):
            route.continue_(url=url.replace(f"{prefix}/", "/", 1))
        else:
            route.abort("internetdisconnected")

    page = opened(f"{prefix}/docs", routes={"**/*": proxied})
    check = page.locator("#operations-questions-check")
    expect(check).to_contain_text("Is any layout consistent with the board?")
    check.get_by_role("button", name="/v1/check").first.click()
    expect(check).to_contain_text("certificate")
    assert [url for url in asked if not url.startswith(f"{opened.url}{prefix}/")] == []
    assert f"{opened.url}{prefix}/openapi.json" in asked


def test_the_documentation_begins_with_check(opened: Opened) -> None:
    page = opened("/docs")
    expect(page.locator("#operations-questions-check")).to_be_visible()
    assert page.locator(".opblock").first.get_attribute("id") == "operations-questions-check"
    expect(page.locator(".information-container")).to_contain_text("any layout of mines fits")


def test_the_documentation_asks_the_service(opened: Opened) -> None:
    page = opened("/docs")
    health = page.locator("#operations-operations-healthz")
    health.get_by_role("button", name="/healthz").first.click()
    health.get_by_role("button", name="Try it out").click()
    health.get_by_role("button", name="Execute").click()
    expect(health.locator(".live-responses-table")).to_contain_text('"status": "ok"')


def test_everything_can_be_tried_as_it_stands(opened: Opened) -> None:
    page = opened("/docs")
    expect(page.locator("#operations-questions-check")).to_be_visible()
    answers = {}
    for operation in page.locator(".opblock").all():
        if "{id}" in operation.locator(".opblock-summary-path").inner_text().replace("\u200b", ""):
            # For these a game has to be dealt first.
            continue
        operation.locator(".opblock-summary-control").click()
        operation.get_by_role("button", name="Try it out").click()
        operation.get_by_role("button", name="Execute").click()
        status = operation.locator(".live-responses-table tbody .response-col_status")
        answers[operation.get_attribute("id")] = status.inner_text().split()[0]
        operation.locator(".opblock-summary-control").click()
    assert len(answers) > 15
    assert set(answers.values()) == {"200"}, answers
