"""The page where its service is down, slow, busy or closed: it says so, and nothing is lost."""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from minecheck.app.problems import TYPE_PREFIX
from tests.page.analyse.tab import open_tab, show_reading
from tests.page.conftest import Opened
from tests.page.play.table import SMALL, SMALL_LINK, Table, dealing
from tests.page.site import TURNS, expect, link

pytestmark = pytest.mark.slow

BUSY = {
    "type": f"{TYPE_PREFIX}overloaded",
    "status": 503,
    "title": "Service overloaded",
    "detail": "As many requests are waiting as the service allows.",
    "fix": "Try again in a few seconds.",
}

PROBLEM = "application/problem+json"

#: The patience of the page ends when the test says so.
PATIENT = """
    window.lateRequests = [];
    AbortSignal.timeout = () => {
        const late = new AbortController();
        window.lateRequests.push(late);
        return late.signal;
    };
"""
END_PATIENCE = """() => {
    const late = new DOMException("late", "TimeoutError");
    for (const request of window.lateRequests) request.abort(late);
}"""

Handler = Callable[[Any], Any]


def busy(wait: int) -> Handler:
    headers = {"Retry-After": str(wait), "Content-Type": PROBLEM}
    return lambda route: route.fulfill(status=503, body=json.dumps(BUSY), headers=headers)


def unready(status: int, title: str) -> Handler:
    """Answer as a proxy does that knows no problem documents."""
    page = f"<html><h1>{status} {title}</h1></html>"
    return lambda route: route.fulfill(status=status, body=page, content_type="text/html")


#: What may come in place of an answer, and what the page says of it.
BROKEN = {
    "down": (lambda route: route.abort("connectionrefused"), "The service cannot be reached."),
    "busy": (busy(40), "The service is overloaded. Try again in 40 s."),
    "proxy": (unready(502, "Bad Gateway"), "The service answered 502 Bad Gateway."),
    "portal": (unready(200, "Log in"), "The answer is not from the service"),
    "limit": (
        lambda route: route.fulfill(
            status=429,
            headers={"Retry-After": "11", "Content-Type": PROBLEM},
            body=json.dumps({**BUSY, "status": 429, "type": f"{TYPE_PREFIX}too-many-requests"}),
        ),
        "This page sends more requests than this service allows. Try again in 11 s.",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_game_continues_when_a_hint_request_fails(tolerant: Opened, how: str) -> None:
    handler, words = BROKEN[how]
    page = tolerant(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.cell(3, 4).click(button="right")
    page.route("**/v1/analyze", handler)
    table.button("Hint").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text(words)
    expect(table.status).not_to_have_class("busy")
    table.shows(3, 4, "F")
    assert table.symbols().count("?") == 4
    page.unroute("**/v1/analyze")
    table.button("Hint").click()
    expect(table.status).to_contain_text("Something is proved in rows")


@pytest.mark.parametrize("how", BROKEN)
def test_board_stays_when_an_analyse_request_fails(tolerant: Opened, how: str) -> None:
    handler, words = BROKEN[how]
    page = tolerant(link(["?1?"]))
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("2 layouts")
    page.get_by_label("A board as text").fill("half a bo")
    page.route("**/v1/analyze", handler)
    tab.locator(".cell").first.focus()
    page.keyboard.press("B")
    expect(tab).to_contain_text(words)
    expect(tab.locator(".cell").first).to_have_attribute("data-symbol", "B")
    assert page.get_by_label("A board as text").input_value() == "half a bo"
    page.unroute("**/v1/analyze")
    tab.get_by_role("button", name="Ask again").click()
    expect(tab).to_contain_text("1 layout")


def test_page_repeats_a_request_when_the_service_is_busy(tolerant: Opened) -> None:
    page = tolerant(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.shows(0, 0, "0")
    requests = count()
    page.route(
        "**/v1/analyze",
        lambda route: busy(0)(route) if next(requests) == 0 else route.continue_(),
    )
    table.button("Hint").click()
    expect(table.status).to_contain_text("Something is proved in rows")
    expect(page.locator("#message")).to_be_hidden()


def once_busy(page: Any, pattern: str) -> None:
    """Let the first request that matches a pattern find the service too busy."""
    requests = count()
    page.route(pattern, lambda route: busy(0)(route) if next(requests) == 0 else route.continue_())


def test_page_repeats_requests_for_formats_and_pictures(tolerant: Opened) -> None:
    page = tolerant("/#play")
    once_busy(page, "**/v1/formats")
    page.get_by_role("link", name="Analyse").click()
    show_reading(page)
    page.get_by_label("Read as").focus()
    expect(page.get_by_label("Read as").locator("option[value=mbf]")).to_be_attached()
    once_busy(page, "**/v1/formats/auto")
    page.get_by_label("A board as text").fill("2x1x1\n1H")
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.locator("#analyse .cell")).to_have_count(2)
    once_busy(page, "**/v1/automata/*?format=svg")
    page.goto(tolerant.url + link(["?2", "B?"], tab="strips"))
    expect(page.locator(".machine-frame .state").first).to_be_visible()


def test_page_gives_up_on_a_request_without_an_answer(tolerant: Opened) -> None:
    page = tolerant(link(["?1?"]))
    page.context.add_init_script(PATIENT)
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("2 layouts")
    page.reload()
    expect(tab).to_contain_text("2 layouts")
    page.route("**/v1/analyze", lambda route: None)
    tab.locator(".cell").first.focus()
    with page.expect_request("**/v1/analyze"):
        page.keyboard.press("B")
    page.evaluate(END_PATIENCE)
    expect(tab).to_contain_text("The service took too long to answer.")
    page.unroute("**/v1/analyze")
    tab.get_by_role("button", name="Ask again").click()
    expect(tab).to_contain_text("1 layout")


def test_page_soon_removes_the_answer_to_another_board(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("2 layouts")
    held: list[Any] = []
    page.route("**/v1/analyze", lambda route: held.append(route))
    tab.locator(".cell").first.focus()
    page.keyboard.press("B")
    expect(tab.locator(".headline")).to_have_text("Waiting for the answer …")
    expect(tab).not_to_contain_text("2 layouts")
    held[0].continue_()
    expect(tab).to_contain_text("1 layout")
    expect(tab.locator(".headline")).to_have_text("Consistent.")


def test_page_ignores_a_slow_answer_after_a_newer_answer(opened: Opened) -> None:
    page = opened(link(["???"]))
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("8 layouts")
    # Aborted requests are answered, too: the page has to distinguish the answers.
    page.evaluate("""() => {
        const plain = window.fetch;
        window.held = [];
        window.fetch = (resource, { signal, ...options } = {}) => {
            const answer = plain(resource, options);
            if (!options.body?.includes('["B??"]')) return answer;
            return new Promise((resolve) => window.held.push(async () => {
                const whole = new Response(await (await answer).blob());
                resolve(whole);
            }));
        };
    }""")
    tab.locator(".cell").first.focus()
    page.keyboard.press("B")
    page.wait_for_function("() => window.held.length === 1")
    page.keyboard.press("B")
    expect(tab).to_contain_text("2 layouts")
    page.evaluate("async () => { for (const answer of window.held) await answer(); }")
    page.evaluate(TURNS)
    expect(tab).to_contain_text("2 layouts")
    expect(tab.locator("[data-heat]")).to_have_count(1)


def test_page_reports_an_answer_that_breaks_off(tolerant: Opened) -> None:
    page = tolerant(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.shows(0, 0, "0")
    page.evaluate("""() => {
        const broken = (controller) => {
            controller.enqueue(new TextEncoder().encode('{"consistent": tr'));
            controller.error(new TypeError("network error"));
        };
        window.plain = window.fetch;
        window.fetch = async () => new Response(new ReadableStream({ start: broken }));
    }""")
    table.button("Hint").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_have_text(
        "The service cannot be reached."
    )
    page.evaluate("() => { window.fetch = window.plain; }")
    table.button("Hint").click()
    expect(table.status).to_contain_text("Something is proved in rows")


def test_late_explanation_does_not_cover_a_layout(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("2 layouts")
    held: list[Any] = []
    page.route("**/v1/explain", lambda route: held.append(route))
    with page.expect_request("**/v1/explain"):
        tab.locator(".cell").first.click()
    open_tab(page, "Layouts")
    with page.expect_event("requestfailed"):
        tab.get_by_role("button", name="Last", exact=True).click()
    expect(tab).to_contain_text("Layout 2 of 2.")
    assert len(held) == 1
    expect(tab.locator("[aria-busy=true]")).to_have_count(0)


def test_page_is_not_busy_after_an_aborted_request(opened: Opened) -> None:
    page = opened(link(["?1?"]), routes={"**/v1/layouts": lambda route: None})
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("2 layouts")
    open_tab(page, "Layouts")
    tab.get_by_role("button", name="First", exact=True).click()
    expect(tab.locator(".layouts")).to_have_attribute("aria-busy", "true")
    tab.locator(".cell").first.focus()
    page.keyboard.press("B")
    expect(tab).to_contain_text("1 layout")
    expect(tab.locator("[aria-busy=true]")).to_have_count(0)
    page.route("**/v1/automata/**", lambda route: None)
    page.goto(opened.url + link(["?" * 13] * 13, tab="strips"))
    player = page.locator("#strips .automaton")
    expect(player).to_have_attribute("aria-busy", "true")
    opened.expected.append("422")
    page.get_by_role("button", name="Whole board").click()
    expect(page.locator("#strips")).to_contain_text("At most 12 can be read")
    expect(player).to_have_attribute("aria-busy", "false")


def test_clicks_wait_for_a_pending_answer(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(
        SMALL_LINK, routes={**dealing(SMALL), "**/v1/analyze": lambda route: held.append(route)}
    )
    table = Table(page, 6)
    table.shows(0, 0, "0")
    for name in ("Hint", "Hint", "Heat map", "Hint"):
        table.button(name).click()
    expect(table.status).to_have_text("Looking for forced cells …")
    assert len(held) == 1
    held[0].continue_()
    expect(table.status).to_contain_text("Something is proved in rows")
    expect(table.cell(2, 2)).to_have_attribute("data-heat", "100")
    expect(page.locator("#play .cell[data-kind='area']").first).to_be_attached()


def test_page_requests_parts_again_that_an_incomplete_answer_lacks(opened: Opened) -> None:
    page = opened(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.shows(0, 0, "0")
    late: dict[str, Any] = {
        "consistent": None,
        "forced": None,
        "safest": None,
        "probabilities": None,
    }
    late |= {"conflict": None, "solver": {"complete": False}}
    page.route("**/v1/analyze", lambda route: route.fulfill(json=late))
    table.button("Hint").click()
    expect(page.locator("#message")).to_contain_text("The service ran out of time")
    page.unroute("**/v1/analyze")
    table.button("Hint").click()
    expect(table.status).to_contain_text("Something is proved in rows")


def test_formats_are_loaded_when_the_service_is_back(tolerant: Opened) -> None:
    page = tolerant(link(["?1?"]), routes={"**/v1/**": lambda route: route.abort()})
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("The service cannot be reached.")
    page.unroute("**/v1/**")
    show_reading(page)
    kinds = page.get_by_label("Read as")
    kinds.focus()
    expect(kinds.locator("option[value=mbf]")).to_have_count(1)
    # Once, however often they are looked at.
    page.get_by_label("A board as text").focus()
    kinds.focus()
    tab.get_by_role("button", name="Ask again").click()
    expect(tab).to_contain_text("2 layouts")
    expect(kinds.locator("option[value=mbf]")).to_have_count(1)


def test_message_about_the_service_is_removed_after_a_success(tolerant: Opened) -> None:
    page = tolerant(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.shows(0, 0, "0")
    alert = page.get_by_role("alert").filter(visible=True)
    page.route("**/v1/analyze", lambda route: route.abort())
    table.button("Hint").click()
    expect(alert).to_have_text("The service cannot be reached.")
    page.unroute("**/v1/analyze")
    table.button("Hint").click()
    expect(table.status).to_contain_text("Something is proved in rows")
    expect(page.locator("#message")).to_be_hidden()


def test_message_about_a_defect_stays_after_a_success(tolerant: Opened) -> None:
    page = tolerant(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.shows(0, 0, "0")
    defect = {"type": f"{TYPE_PREFIX}internal-error", "status": 500, "detail": "Oh."}
    page.route(
        "**/v1/analyze",
        lambda route: route.fulfill(status=500, json=defect, content_type=PROBLEM),
    )
    table.button("Hint").click()
    expect(page.locator("#message-problem")).not_to_be_empty()
    page.unroute("**/v1/analyze")
    table.button("Hint").click()
    expect(table.status).to_contain_text("Something is proved in rows")
    expect(page.locator("#message-problem")).not_to_be_empty()


@pytest.mark.parametrize("how", ["another tab", "its link", "retry"])
def test_tab_that_failed_to_load_is_loaded_later(tolerant: Opened, how: str) -> None:
    page = tolerant("/#play", routes={"**/page/strips/tab.js": lambda route: route.abort()})
    tolerant.expected.append("dynamically imported")
    page.get_by_role("link", name="Strips").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("could not be loaded")
    if how == "another tab":
        page.get_by_role("link", name="Play").click()
    page.unroute("**/page/strips/tab.js")
    if how == "retry":
        page.get_by_role("button", name="Retry").click()
    else:
        page.get_by_role("link", name="Strips").click()
    expect(page.locator("#strips .cell").first).to_be_visible()
