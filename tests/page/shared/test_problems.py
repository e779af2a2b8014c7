"""Messages of the page about problems."""

import re
from typing import Any

import httpx2
import pytest

from minecheck.app import problems
from minecheck.app.problems import TYPE_PREFIX
from tests.app.serving import Server
from tests.page.conftest import Opened

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


def in_page(page: Any, document: dict[str, Any]) -> str:
    """A problem as the page says it."""
    script = """async (document) => {
        const { MinecheckProblem } = await import("/page/shared/minecheck.js");
        const { inWords } = await import("/page/shared/service.js");
        return inWords(new MinecheckProblem(document));
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
