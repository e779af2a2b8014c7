"""Positions to practise on, in Chromium."""

import re
from typing import Any

import pytest

from minecheck.solvers.games.drills import TECHNIQUES
from tests.page.conftest import Opened
from tests.page.play.table import Table
from tests.page.site import expect

pytestmark = pytest.mark.slow

#: In the middle a pattern 1-2-1, below which are two mines.
DRILL = {
    "found": True,
    "layout": [
        *("0001B11BB", "111122222", "1B211B211", "12B1112B1", "011100111"),
        *("001121100", "001B2B100", "112121100", "1B1000000"),
    ],
    "first": [4, 4],
    "board": [*["?" * 9] * 3, "???1112??", "???1001??", "???1211??", *["?" * 9] * 3],
    "drill": {
        "technique": "1-2-1",
        "safe": [[6, 2], [6, 4], [6, 6]],
        "mines": [[6, 3], [6, 5]],
        "steps": [
            {
                "clues": [[5, 3], [5, 4], [5, 5]],
                "safe": [[6, 2], [6, 4], [6, 6]],
                "mines": [[6, 3], [6, 5]],
                "total": False,
                "uses": [],
                "pattern": "1-2-1",
            }
        ],
    },
}


def practising(opened: Opened, answer: dict[str, Any], technique: str = "1-2-1") -> Table:
    """A page on which a technique was chosen, with an answer in place of the service's."""
    bodies: list[Any] = []

    def deal(route: Any) -> None:
        bodies.append(route.request.post_data_json)
        route.fulfill(json=answer)

    table = Table(opened(routes={"**/v1/boards": deal}), 9)
    table.page.get_by_label("Practise").select_option(technique)
    expect(table.status).not_to_have_text("")
    table.page.wait_for_function("document.querySelectorAll('#play .cell').length > 0")
    assert [one["technique"] for one in bodies] == [technique]
    return table


def test_page_offers_every_technique_of_the_service(blank: Any) -> None:
    offered = blank.evaluate("import('/page/play/drill.js').then((drill) => drill.TECHNIQUES)")
    # Two grades have other names, too.
    assert {*offered, "single clue", "mine counting"} == set(TECHNIQUES)
    assert len(set(offered)) == len(offered)


def test_technique_that_is_chosen_at_the_start_of_a_drill_applies_at_once(opened: Opened) -> None:
    table = practising(opened, DRILL)
    table.shows(5, 4, "2")
    for technique, what in (("1-2", "the pattern 1-2"), ("global", "a step of the grade “global”")):
        table.page.get_by_label("Practise").select_option(technique)
        expect(table.status).to_have_text(f"Open or flag a cell that {what} proves.")


def test_drill_accepts_only_what_its_technique_proves(opened: Opened) -> None:
    table = practising(opened, DRILL)
    table.shows(5, 4, "2")
    expect(table.status).to_have_text("Open or flag a cell that the pattern 1-2-1 proves.")
    table.cell(0, 0).click()
    table.shows(0, 0, "?")
    expect(table.status).to_contain_text("Nothing here proves that row 1, column 1 is safe.")
    table.cell(6, 4).click(button="right")
    table.shows(6, 4, "?")
    table.cell(6, 3).click(button="right")
    proof = table.page.get_by_role("region", name="Explanation")
    expect(proof).to_contain_text("Right, after 2 wrong cells.")
    expect(proof).to_contain_text(
        "By row 6, columns 4, 5 and 6: Row 7, columns 3, 5 and 7 are safe."
    )
    for col in (3, 4, 5):
        table.marked(5, col, "reason")
    table.marked(6, 4, "safe")
    table.marked(6, 3, "mine")
    table.shows(6, 3, "F")


def test_drill_that_is_solved_is_played_on_as_a_game(opened: Opened) -> None:
    table = practising(opened, DRILL)
    table.cell(6, 4).click()
    table.shows(6, 4, "2")
    table.page.get_by_role("button", name="Close", exact=True).click()
    table.cell(0, 4).click()
    expect(table.status).to_contain_text("Lost")
    table.page.get_by_role("button", name="Close the result").click()
    table.button("Result").click()
    result = table.page.get_by_role("region", name="Result")
    expect(result).to_contain_text("Not counted: a position to practise on.")


def test_position_of_a_drill_is_not_taken_back(opened: Opened) -> None:
    table = practising(opened, DRILL)
    table.shows(5, 4, "2")
    expect(table.button("Undo")).to_have_attribute("aria-disabled", "true")
    table.cell(6, 4).click()
    table.shows(6, 4, "2")
    table.button("Undo").click()
    table.shows(6, 4, "?")
    table.shows(5, 4, "2")
    expect(table.button("Undo")).to_have_attribute("aria-disabled", "true")


def test_missing_drill_is_said(opened: Opened) -> None:
    none = {"found": False, "layout": None, "board": None, "first": [4, 4], "drill": None}
    table = practising(opened, none, "search")
    expect(table.status).to_have_text(re.compile("^No such position was found in time"))
    table.page.get_by_label("Practise").select_option("")
    table.cell(4, 4).click()
    expect(table.status).not_to_contain_text("No such position")
