"""Messages of the page about problems."""

import re
from typing import Any

import httpx2
import pytest

from minecheck.app import problems
from minecheck.app.problems import TYPE_PREFIX
from tests.app.serving import Server
from tests.page.conftest import Opened
from tests.page.site import expect

pytestmark = pytest.mark.slow

#: Requests that fail, and the beginning of the page's message about each.
WORDS = {
    "mines": (
        ("analyze", {"board": ["?1"], "mines": 9}),
        "A board of 2 cells has 0 to 2 mines, known ones included; not 9. "
        'Change "Mines in all", or leave it empty.',
    ),
    "offset": (
        ("layouts", {"board": ["?1??"], "offset": "9"}),
        "There are not that many layouts. Choose a smaller number.",
    ),
    "cells": (
        ("check", {"board": ["?" * 1001] * 2000}),
        "This board is too large for this service. Try a smaller one.",
    ),
    "route": (("nothing", {}), "This service does not answer this kind of question."),
    "tell": (
        ("formats/auto", b"\x02\x02\x00\x01\x00\x00"),
        "The file is not text, and does not show which format it has. Its character 0 is '\\x02'. "
        'Choose its format beside "as". Files named .mbf or .abf are recognised.',
    ),
    "bytes": (
        ("formats/mine", b"\xff"),
        'The format is text, and byte 0 is not UTF-8. Choose the format of the file beside "as", '
        'or "recognise it".',
    ),
    "short": (
        ("formats/mbf", bytes([2, 2, 0, 1, 0])),
        "A file with 1 mine has 6 bytes, not 5. Open the whole file and nothing else.",
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
        "The symbol 'Z' at row 1, column 2 is not in the format.",
    ),
}

#: Pasted texts that are no board, and what the page says of them in German and Chinese.
TRANSLATED = {
    "1?\n???": (
        "Zeile 2 ist länger oder kürzer als Zeile 1. Mach alle Zeilen gleich lang.",
        "第 2 行比第 1 行长或短。 请使各行长度相同。",
    ),
    "1?\n?Ω": (
        "Das Zeichen in Zeile 2, Spalte 2 ist unbekannt. Berichtige es.",
        "第 2 行第 2 列的符号未知。 请更正。",
    ),
    "1? ?\n????": (
        "Das Leerzeichen in Zeile 1, Spalte 3 kann ein Feld meinen oder etwas trennen.",
        "第 1 行第 3 列的空格可能是格子",
    ),
    "1?\n??\n\n2?\n??\n1?": (
        "Dieser Text enthält wohl mehrere Spielfelder",
        "此文本似乎含有多个盘面",
    ),
    "[[1, null], [null, 1]": ("Im Text fehlt eine Klammer", "文本缺少括号"),
    "https://example.org/game/123": (
        "Dieser Link enthält kein Spielfeld",
        "此链接不含盘面",
    ),
    '{"mines": 3}': ("Darin ist kein Spielfeld zu finden.", "其中找不到盘面。"),
}


def in_page(page: Any, document: dict[str, Any]) -> str:
    """A problem as the page says it."""
    script = """async (document) => {
        const { MinecheckProblem } = await import("/page/shared/minecheck.js");
        const { inWords } = await import("/page/shared/problem-words.js");
        const shown = window.document.createElement("p");
        shown.append(...inWords(new MinecheckProblem(document)));
        return [...shown.childNodes].map((node) => node.textContent).join("\\n");
    }"""
    message: str = page.evaluate(script, document)
    return message


def test_page_words_problems_for_its_users(opened: Opened, server: Server) -> None:
    page = opened("/#play")
    with httpx2.Client(base_url=f"{server.url}/v1/") as service:
        for (route, body), words in WORDS.values():
            sent = {"content": body} if isinstance(body, bytes) else {"json": body}
            document = service.post(route, **sent).json()
            assert in_page(page, document).startswith(words), document


@pytest.mark.parametrize(("language", "at"), [("de", 0), ("zh", 1)])
def test_page_words_problems_with_pasted_boards_in_its_language(
    opened: Opened, server: Server, language: str, at: int
) -> None:
    page = opened(f"/?lang={language}")
    with httpx2.Client(base_url=f"{server.url}/v1/") as service:
        for text, words in TRANSLATED.items():
            document = service.post("formats/auto", content=text.encode()).json()
            message = in_page(page, document)
            assert message.startswith(words[at]), document
            assert document["detail"] not in message


def test_page_marks_what_it_cannot_word_in_its_language_as_english(opened: Opened) -> None:
    opened.expected.append("422")
    page = opened("/?lang=de#analyse")
    page.get_by_role("tab", name="Extras").click()
    page.get_by_label("Formel", exact=True).fill("a & (b | c")
    page.get_by_role("button", name="Legen").click()
    panel = page.locator("#analyse .circuit")
    expect(panel).to_contain_text("Ungültige Formel.")
    expect(panel.locator("[lang=en]")).to_have_text(
        ["The ( at character 4 is never closed.", "Close it with a )."]
    )
    expect(panel).to_contain_text("Abhilfe: Close it")


def test_page_counts_lines_from_one(opened: Opened) -> None:
    document = {
        "type": f"{TYPE_PREFIX}several-boards",
        "status": 422,
        "detail": "Line 2 is empty: the rows before and after it may be boards of their own.",
    }
    assert in_page(opened("/"), document).startswith("Line 3 is empty")


def test_page_words_problems_of_the_service_without_program_terms(opened: Opened) -> None:
    page = opened("/#play")
    for error in (
        problems.Overloaded(),
        problems.WorkerLost(),
        problems.OutOfMemory(),
        problems.make_defect_problem(),
        problems.make_unready_problem(),
    ):
        message = in_page(page, error.document)
        assert message.startswith(("The service", "This needs more memory than the service"))
        assert not re.search("backend|limit|verdict|process|request", message), message
    often = {"type": f"{TYPE_PREFIX}too-many-requests", "status": 429, "fix": "Use /v1/batch."}
    message = "This page sends more requests than this service allows. Try again in a moment."
    assert in_page(page, often) == message
