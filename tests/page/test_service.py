"""The page where its service is down, slow, busy or closed: it says so, and nothing is lost."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import count
from typing import Any

import httpx2
import pytest

from app import problems
from app.problems import TYPE_PREFIX
from tests.app.serving import Server, serving
from tests.page.conftest import Opened
from tests.page.test_analyse import link
from tests.page.test_play import SMALL, SMALL_LINK, Table, dealing

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
expect = playwright.expect

KEY = "the key of these tests"
BUSY = {
    "type": f"{TYPE_PREFIX}overloaded",
    "status": 503,
    "title": "Service Unavailable",
    "detail": "As many requests as this service lets wait are waiting.",
    "fix": "Try again in a moment.",
}
PROBLEM = "application/problem+json"
#: Patience as the page has it, much shortened.
HURRIED = (
    "const plain = AbortSignal.timeout; AbortSignal.timeout = () => plain.call(AbortSignal, 300);"
)

Handler = Callable[[Any], Any]


def busy(wait: int) -> Handler:
    headers = {"Retry-After": str(wait), "Content-Type": PROBLEM}
    return lambda route: route.fulfill(status=503, body=json.dumps(BUSY), headers=headers)


def unready(status: int, title: str) -> Handler:
    """What a proxy says that knows no problem documents."""
    page = f"<html><h1>{status} {title}</h1></html>"
    return lambda route: route.fulfill(status=status, body=page, content_type="text/html")


#: What may come in place of an answer, and what the page says of it.
BROKEN = {
    "down": (lambda route: route.abort("connectionrefused"), "The service cannot be reached."),
    "busy": (busy(40), "The service has too much to do. Try again in 40 s."),
    "proxy": (unready(502, "Bad Gateway"), "The service answers 502 Bad Gateway."),
    "portal": (unready(200, "Log in"), "What answers is not the service"),
    "limit": (
        lambda route: route.fulfill(
            status=429,
            headers={"Retry-After": "11", "Content-Type": PROBLEM},
            body=json.dumps({**BUSY, "status": 429, "type": f"{TYPE_PREFIX}too-many-requests"}),
        ),
        "This page asks faster than this service allows. Try again in 11 s.",
    ),
}


@pytest.fixture
def tolerant(opened: Opened) -> Opened:
    """What the browser itself says of failed requests is expected."""
    opened.expected += ["Failed to load resource", "SyntaxError"]
    return opened


@pytest.mark.parametrize("how", BROKEN)
def test_a_game_goes_on_when_its_hint_fails(tolerant: Opened, how: str) -> None:
    handler, words = BROKEN[how]
    page = tolerant(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.cell(3, 4).click(button="right")
    page.route("**/v1/analyze", handler)
    table.button("Hint").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text(words)
    expect(table.said).not_to_have_class("busy")
    table.shows(3, 4, "F")
    assert table.symbols().count("?") == 4
    page.unroute("**/v1/analyze")
    table.button("Hint").click()
    expect(table.said).to_have_text("Proved: 3 safe, 2 with a mine.")


@pytest.mark.parametrize("how", BROKEN)
def test_a_board_stays_when_its_analysis_fails(tolerant: Opened, how: str) -> None:
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


def test_a_service_that_is_busy_for_a_moment_is_asked_again(tolerant: Opened) -> None:
    page = tolerant(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.shows(0, 0, "0")
    asked = count()
    page.route(
        "**/v1/analyze",
        lambda route: busy(0)(route) if next(asked) == 0 else route.continue_(),
    )
    table.button("Hint").click()
    expect(table.said).to_have_text("Proved: 3 safe, 2 with a mine.")
    expect(page.locator("#told")).to_be_hidden()


#: What the page can be told is wrong, and how it says that.
WORDS = {
    "mines": (
        ("analyze", {"board": ["?1"], "mines": 9}),
        "2 cells can hold 0 to 2 mines, known ones included. "
        'Change "Mines in all", or leave it empty.',
    ),
    "offset": (
        ("layouts", {"board": ["?1??"], "offset": "9"}),
        "There are fewer layouts than that. Choose a smaller number.",
    ),
    "cells": (
        ("check", {"board": ["?" * 1001] * 2000}),
        "This service takes no board as large as this. Try a smaller one.",
    ),
    "route": (("nothing", {}), "This service does not answer such questions."),
    "tell": (
        ("formats/auto", b"hello"),
        'Nothing in the file tells its format. Choose it under "Format".'
        " A file that is named .mbf or .abf tells it so.",
    ),
    "bytes": (
        ("formats/mine", b"\xff"),
        "The format is text, and byte 0 is not UTF-8."
        ' Choose the format that the file has, or "tell by itself".',
    ),
    "short": (
        ("formats/mbf", bytes([2, 2, 0, 1, 0])),
        "With 1 mine 6 bytes are due, not 5. It takes the whole file and nothing else.",
    ),
    "file": (
        ("formats/mine", b"2000x1001x9\n"),
        "A board of 2000 by 1001 has more than 2000000 cells. It is too large for this service.",
    ),
    "link": (
        ("formats/jsminesweeper", b"http://x/?b=" + b"1" * 200_000),
        "The link has more than 200000 characters. Paste one link and nothing else.",
    ),
    "symbol": (
        ("formats/mine", b"2x1x1\n1Z\n"),
        "The symbol 'Z' at row 0, column 1 is not in the format.",
    ),
}


def in_page(page: Any, document: dict[str, Any]) -> str:
    """A problem as the page says it."""
    script = """async (document) => {
        const { MinecheckProblem } = await import("/page/minecheck.js");
        const { inWords } = await import("/page/service.js");
        return inWords(new MinecheckProblem(document));
    }"""
    said: str = page.evaluate(script, document)
    return said


def test_problems_are_told_in_the_words_of_the_page(opened: Opened, server: Server) -> None:
    page = opened("/#play")
    with httpx2.Client(base_url=f"{server.url}/v1/") as service:
        for (route, body), words in WORDS.values():
            sent = {"content": body} if isinstance(body, bytes) else {"json": body}
            document = service.post(route, **sent).json()
            assert in_page(page, document).startswith(words), document


def test_no_problem_of_the_service_itself_is_told_as_programs_are(opened: Opened) -> None:
    page = opened("/#play")
    for error in (
        problems.of_overload(),
        problems.of_lost_worker(),
        problems.of_memory(),
        problems.of_defect(),
        problems.not_ready(),
    ):
        said = in_page(page, error.document)
        assert said.startswith(("The service", "This takes more memory than the service"))
        assert not re.search("backend|limit|verdict|process|request", said), said
    often = {"type": f"{TYPE_PREFIX}too-many-requests", "status": 429, "fix": "Use /v1/batch."}
    said = "This page asks faster than this service allows. Try again in a moment."
    assert in_page(page, often) == said


def once_busy(page: Any, pattern: str) -> None:
    """What a pattern names is too busy for the first request."""
    asked = count()
    page.route(pattern, lambda route: busy(0)(route) if next(asked) == 0 else route.continue_())


def test_files_and_pictures_are_asked_for_again_too(tolerant: Opened) -> None:
    page = tolerant("/#play")
    once_busy(page, "**/v1/formats")
    page.get_by_role("link", name="Analyse").click()
    expect(page.get_by_text("Files and links of other programs")).to_be_visible()
    once_busy(page, "**/v1/formats/auto")
    page.get_by_text("Files and links of other programs").click()
    page.get_by_label("A board as text").fill("2x1x1\n1H")
    page.get_by_role("button", name="Read the text as this").click()
    expect(page.locator("#analyse .cell")).to_have_count(2)
    once_busy(page, "**/v1/automata/*?format=svg")
    page.goto(tolerant.url + link(["?2", "B?"], tab="strips"))
    page.wait_for_function("() => document.querySelector('.machine img')?.naturalWidth > 100")


def test_an_answer_that_does_not_come_is_given_up(tolerant: Opened) -> None:
    page = tolerant(link(["?1?"]))
    page.context.add_init_script(HURRIED)
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("2 layouts")
    page.reload()
    expect(tab).to_contain_text("2 layouts")
    page.route("**/v1/analyze", lambda route: None)
    tab.locator(".cell").first.focus()
    page.keyboard.press("B")
    expect(tab).to_contain_text("The service took too long.")
    page.unroute("**/v1/analyze")
    tab.get_by_role("button", name="Ask again").click()
    expect(tab).to_contain_text("1 layout")


def test_no_answer_to_another_board_stays_for_long(opened: Opened) -> None:
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


def test_a_slow_answer_never_replaces_a_newer_one(opened: Opened) -> None:
    page = opened(link(["???"]))
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("8 layouts")
    # Requests that are given up are answered all the same: the page has to tell them apart.
    page.evaluate("""() => {
        const plain = window.fetch;
        window.held = [];
        window.fetch = (resource, { signal, ...asked } = {}) => {
            const answer = plain(resource, asked);
            if (!asked.body?.includes('["B??"]')) return answer;
            return new Promise((resolve) => window.held.push(() => resolve(answer)));
        };
    }""")
    tab.locator(".cell").first.focus()
    page.keyboard.press("B")
    page.wait_for_function("() => window.held.length === 1")
    page.keyboard.press("B")
    expect(tab).to_contain_text("2 layouts")
    page.evaluate("() => { for (const answer of window.held) answer(); }")
    page.wait_for_timeout(200)
    expect(tab).to_contain_text("2 layouts")
    expect(tab.locator("[data-heat]")).to_have_count(1)


def test_an_answer_that_breaks_off_is_none(tolerant: Opened) -> None:
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
    expect(table.said).to_have_text("Proved: 3 safe, 2 with a mine.")


def test_an_explanation_that_is_late_does_not_cover_a_layout(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("2 layouts")
    held: list[Any] = []
    page.route("**/v1/explain", lambda route: held.append(route))
    with page.expect_request("**/v1/explain"):
        tab.locator(".cell").first.click()
    with page.expect_event("requestfailed"):
        tab.get_by_role("button", name="Last", exact=True).click()
    expect(tab).to_contain_text("Layout number 1 of 2")
    assert len(held) == 1
    expect(tab.locator("[aria-busy=true]")).to_have_count(0)


def test_nothing_is_busy_once_nothing_is_asked(opened: Opened) -> None:
    page = opened(link(["?1?"]), routes={"**/v1/layouts": lambda route: None})
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("2 layouts")
    tab.get_by_role("button", name="First", exact=True).click()
    expect(tab.locator(".layouts")).to_have_attribute("aria-busy", "true")
    tab.locator(".cell").first.focus()
    page.keyboard.press("B")
    expect(tab).to_contain_text("1 layout")
    expect(tab.locator("[aria-busy=true]")).to_have_count(0)
    page.route("**/v1/automata/**", lambda route: None)
    page.goto(opened.url + link(["?" * 13] * 13, tab="strips"))
    player = page.locator("#strips .player")
    expect(player).to_have_attribute("aria-busy", "true")
    opened.expected.append("422")
    page.get_by_role("button", name="Whole board").click()
    expect(page.locator("#strips")).to_contain_text("At most 12 can be read")
    expect(player).to_have_attribute("aria-busy", "false")


def test_clicks_while_an_answer_is_under_way_wait_for_it(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(
        SMALL_LINK, routes={**dealing(SMALL), "**/v1/analyze": lambda route: held.append(route)}
    )
    table = Table(page, 6)
    table.shows(0, 0, "0")
    for name in ("Hint", "Hint", "Heat map", "Hint"):
        table.button(name).click()
    expect(table.said).to_have_text("Looking for what is forced …")
    assert len(held) == 1
    held[0].continue_()
    expect(table.said).to_have_text("Proved: 3 safe, 2 with a mine.")
    expect(table.cell(2, 2)).to_have_attribute("data-heat", "4")
    table.marked(4, 5, "safe")


def test_what_an_answer_left_out_for_lack_of_time_is_asked_again(opened: Opened) -> None:
    page = opened(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.shows(0, 0, "0")
    late = {"consistent": None, "forced": None, "safest": None, "probabilities": None}
    late |= {"conflict": None, "solver": {"complete": False}}
    page.route("**/v1/analyze", lambda route: route.fulfill(json=late))
    table.button("Hint").click()
    expect(page.locator("#told")).to_contain_text("The service ran out of time")
    page.unroute("**/v1/analyze")
    table.button("Hint").click()
    expect(table.said).to_have_text("Proved: 3 safe, 2 with a mine.")


@pytest.mark.parametrize("how", ["an answer", "the panel"])
def test_files_are_offered_once_the_service_is_back(tolerant: Opened, how: str) -> None:
    page = tolerant(link(["?1?"]), routes={"**/v1/**": lambda route: route.abort()})
    tab = page.locator("#analyse")
    expect(tab).to_contain_text("The service cannot be reached.")
    page.unroute("**/v1/**")
    files = page.get_by_text("Files and links of other programs")
    if how == "the panel":
        page.get_by_label("A board as text").click()
        expect(files).to_be_visible()
    tab.get_by_role("button", name="Ask again").click()
    expect(files).to_be_visible()
    # Once, however many answers come.
    expect(tab).to_contain_text("2 layouts")
    tab.get_by_role("button", name="Last", exact=True).click()
    expect(tab).to_contain_text("Layout number 1")
    expect(files).to_have_count(1)


def test_a_message_goes_when_it_is_no_longer_true(tolerant: Opened) -> None:
    page = tolerant(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.shows(0, 0, "0")
    told = page.get_by_role("alert").filter(visible=True)
    page.route("**/v1/analyze", lambda route: route.abort())
    table.button("Hint").click()
    expect(told).to_have_text("The service cannot be reached.")
    page.unroute("**/v1/analyze")
    table.button("Hint").click()
    expect(table.said).to_have_text("Proved: 3 safe, 2 with a mine.")
    expect(page.locator("#told")).to_be_hidden()


def test_a_message_that_stays_true_stays(tolerant: Opened) -> None:
    page = tolerant(SMALL_LINK, routes=dealing(SMALL))
    table = Table(page, 6)
    table.shows(0, 0, "0")
    defect = {"type": f"{TYPE_PREFIX}internal-error", "status": 500, "detail": "Oh."}
    page.route(
        "**/v1/analyze",
        lambda route: route.fulfill(status=500, json=defect, content_type=PROBLEM),
    )
    table.button("Hint").click()
    expect(page.locator("#told-problem")).not_to_be_empty()
    page.unroute("**/v1/analyze")
    table.button("Hint").click()
    expect(table.said).to_have_text("Proved: 3 safe, 2 with a mine.")
    expect(page.locator("#told-problem")).not_to_be_empty()


@pytest.mark.parametrize("how", ["another tab", "its link"])
def test_a_tab_that_was_not_loaded_is_loaded_later(tolerant: Opened, how: str) -> None:
    page = tolerant("/#play", routes={"**/page/strips.js": lambda route: route.abort()})
    tolerant.expected.append("dynamically imported")
    page.get_by_role("link", name="Strips").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("could not be loaded")
    if how == "another tab":
        page.get_by_role("link", name="Play").click()
    page.unroute("**/page/strips.js")
    page.get_by_role("link", name="Strips").click()
    expect(page.locator("#strips .cell").first).to_be_visible()


# Keys


@pytest.fixture(scope="module")
def closed() -> Iterator[Server]:
    """A server that answers only who has a key, and each not too often."""
    keys = {"tester": f"sha256:{sha256(KEY.encode()).hexdigest()}"}
    limits = {"MINECHECK_RATE_PER_SECOND": "1", "MINECHECK_RATE_BURST": "40"}
    with serving({"MINECHECK_API_KEYS": json.dumps(keys), **limits}) as server:
        yield server


@pytest.fixture
def locked(tolerant: Opened, closed: Server) -> Opened:
    tolerant.url = closed.url
    return tolerant


def give(page: Any, key: str) -> None:
    page.get_by_label("API key").fill(key)
    page.get_by_label("API key").press("Enter")


def test_a_key_that_is_wanted_is_typed_and_the_question_goes_on(locked: Opened) -> None:
    page = locked(link(["?1?"]))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("This service asks for a key.")
    give(page, "wrong")
    expect(dialog).to_contain_text("The service knows no such key.")
    give(page, KEY)
    expect(dialog).to_be_hidden()
    expect(page.locator("#analyse")).to_contain_text("2 layouts")
    expect(page.get_by_text("Files and links of other programs")).to_be_visible()
    # For the tab, and only for it.
    page.goto(locked.url + link(["??"], tab="strips"))
    page.reload()
    expect(page.locator("#strips")).to_contain_text("4 layouts")
    page.wait_for_function("() => document.querySelector('.machine img')?.naturalWidth > 100")
    assert page.evaluate("() => Object.values(localStorage).join()") == ""
    other = page.context.new_page()
    other.goto(locked.url + link(["?"]))
    expect(other.get_by_role("dialog")).to_be_visible()


def test_a_curl_line_names_the_key_and_does_not_have_it(locked: Opened, closed: Server) -> None:
    page = locked(link(["?1?"]), permissions=["clipboard-read", "clipboard-write"])
    give(page, KEY)
    expect(page.locator("#analyse")).to_contain_text("2 layouts")
    page.get_by_role("button", name="Copy curl line").click()
    expect(page.locator("#told")).to_have_text(
        re.compile("Copied. It has no key in it: put yours into MINECHECK_KEY.")
    )
    copied: str = page.evaluate("navigator.clipboard.readText()")
    assert KEY not in copied
    run = subprocess.run(
        copied.replace("curl ", "curl -s ", 1),
        shell=True,
        env={**os.environ, "MINECHECK_KEY": KEY},
        capture_output=True,
        check=True,
    )
    assert json.loads(run.stdout)["count"] == "2"


def test_a_game_waits_for_the_key(locked: Opened) -> None:
    page = locked("/#play")
    table = Table(page, 9)
    table.cell(4, 4).click()
    give(page, KEY)
    table.shows(4, 4, "0")
    expect(page.locator("#told")).to_be_hidden()
    expect(table.cell(4, 4)).to_be_focused()


def test_who_has_no_key_is_asked_once_and_plays_all_the_same(locked: Opened) -> None:
    page = locked("/#play")
    table = Table(page, 9)
    table.cell(4, 4).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    table.shows(4, 4, "0")
    expect(page.locator("#told")).to_contain_text("This service asks for a key.")
    table.button("Hint").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text(
        'This service asks for a key. It is typed under "API key"'
    )
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("button", name="API key").click()
    give(page, KEY)
    table.button("Hint").click()
    # The page has dealt a board of its own, which may need a guess at once.
    expect(table.said).to_contain_text(re.compile("Proved|No cell is safe"))


def test_the_key_fits_on_a_small_screen(locked: Opened) -> None:
    page = locked(link(["?1?"]), viewport={"width": 320, "height": 480})
    expect(page.get_by_label("API key")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Without a key")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="API key")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_the_files_of_the_page_do_not_count_for_the_limit(locked: Opened) -> None:
    for _ in range(3):
        page = locked(link(["?1?"]))
        page.get_by_role("button", name="Without a key").click()
        for name in ("Play", "Strips"):
            page.get_by_role("link", name=name).click()
            expect(page.locator(f"#{name.lower()} .cell").first).to_be_visible()
