"""The paths of the automaton that reads a strip, and what must hold outside it."""

from typing import Any

import pytest

from tests.app.serving import Server
from tests.page.conftest import Opened
from tests.page.site import expect
from tests.page.strips.tab import cell, choose, press, strips, tab, wait_for_text

pytestmark = pytest.mark.slow


def opened_paths(page: Any) -> None:
    tab(page).get_by_text("All paths, as a tree").click()


def test_paths_of_figure_6_are_listed_and_drawn(opened: Opened) -> None:
    page = strips(opened, ["2?4?2", "???B?"])
    opened_paths(page)
    wait_for_text(page, "Accepted: 3. Rejected: 1.")
    wait_for_text(
        page, "s0 → 20?0 → ?B?B → 43?B → ?0BB → 21?0 rejected. The board ends, and the 2 at row 1"
    )
    wait_for_text(page, "22?0 accepted (2 layouts).")
    expect(tab(page).locator(".tree-frame .state.accepted")).to_have_count(3)
    expect(tab(page).locator(".tree-frame .state.dies")).to_have_count(1)
    expect(tab(page).locator(".tree-frame .state")).to_have_count(15)
    # They follow the window, and the machine.
    choose(page, 0, 3, 2, 2)
    wait_for_text(page, "Rejected: ")
    expect(tab(page).locator(".path-list li").first).to_be_visible()


def paths(page: Any) -> list[list[str]]:
    """The states of the paths that are listed, when they have come."""
    expect(tab(page).locator(".paths")).to_have_attribute("aria-busy", "false")
    listed = tab(page).locator(".path-list code").all_text_contents()
    return [path.split(" → ") for path in listed]


def test_paths_are_listed_page_by_page(opened: Opened, server: Server) -> None:
    rows = ["?1????", "??????"]
    body = {"board": rows, "window": "0,0,2,6", "limit": 5000}
    every = server.post("/v1/automata/hu-lin/paths", body).json()["paths"]
    states = [path["states"] for path in every]
    assert len(states) > 40
    page = strips(opened, rows)
    opened_paths(page)
    wait_for_text(page, f"Paths 1 to 20 of {len(states)}.")
    assert paths(page) == states[:20]
    expect(tab(page).get_by_role("button", name="Previous page")).to_be_disabled()
    press(page, "Next page")
    wait_for_text(page, f"Paths 21 to 40 of {len(states)}.")
    assert paths(page) == states[20:40]
    leaves = tab(page).locator(".tree-frame :is(.accepted, .dies)")
    expect(leaves).to_have_count(20)
    # The keyboard stays on its button, which a page without another after it does not take away.
    last = tab(page).get_by_role("button", name="Last page")
    last.press("Enter")
    begin = (len(states) - 1) // 20 * 20
    wait_for_text(page, f" to {len(states)} of {len(states)}.")
    assert paths(page) == states[begin:]
    expect(last).to_be_focused()
    expect(last).to_be_disabled()
    expect(tab(page).get_by_role("button", name="Next page")).to_be_disabled()
    press(page, "Previous page")
    wait_for_text(page, f"Paths {begin - 19} to {begin} of {len(states)}.")
    assert paths(page) == states[begin - 20 : begin]
    press(page, "First page")
    wait_for_text(page, f"Paths 1 to 20 of {len(states)}.")
    assert paths(page) == states[:20]
    # Another window begins at its first page; one page alone has nothing to turn.
    press(page, "Next page")
    choose(page, 0, 0, 2, 2)
    assert 0 < len(paths(page)) <= 20
    expect(tab(page).get_by_role("button", name="Next page")).to_be_hidden()


def test_page_of_paths_can_be_requested_again_after_a_failure(opened: Opened) -> None:
    page = strips(opened, ["?1????", "??????"])
    opened_paths(page)
    first = paths(page)
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/automata/*/paths", lambda route: route.abort())
    press(page, "Next page")
    wait_for_text(page, "The service cannot be reached.")
    page.unroute("**/v1/automata/*/paths")
    press(page, "Ask again")
    expect(tab(page).locator(".path-list li")).to_have_count(20)
    wait_for_text(page, "Paths 21 to 40 of")
    assert paths(page) != first


def test_paths_too_many_for_a_drawing_are_listed(opened: Opened) -> None:
    page = strips(opened, ["?" * 70, "?" * 70])
    opened_paths(page)
    wait_for_text(page, f"Accepted: {3**70:,}. Rejected: 0.")
    wait_for_text(page, "Paths 1 to 20 of about 2.5 \u00d7 10³³.")
    expect(tab(page).locator(".tree-frame")).to_have_count(0)
    expect(tab(page).locator(".path-list li")).to_have_count(20)
    press(page, "Last page")
    wait_for_text(page, f" to {3**70:,} of about 2.5 \u00d7 10³³.")
    expect(tab(page).locator(".path-list li")).to_have_count(3**70 % 20)


def test_cells_forced_outside_a_window_are_named_marked_and_written(opened: Opened) -> None:
    page = strips(opened, ["????", "02?S"])
    choose(page, 1, 0, 1, 4)
    wait_for_text(page, "Forced outside: 1 mine and 2 safe cells.")
    wait_for_text(
        page, "Around row 2, column 2: exactly 1 of 3 unknown cells outside must be mines."
    )
    expect(cell(page, 0, 2)).to_have_attribute("data-kind", "mine")
    for col in (0, 1):
        expect(cell(page, 0, col)).to_have_attribute("data-kind", "safe")
    press(page, "Write these to the board")
    expect(cell(page, 0, 2)).to_have_attribute("data-symbol", "B")


def test_window_of_figure_4_needs_a_mine_outside(opened: Opened) -> None:
    page = strips(opened, ["???", "??2", "11?"])
    choose(page, 1, 0, 2, 3)
    wait_for_text(
        page, "Around row 2, column 3: at least 1 of 2 unknown cells outside must be mines."
    )
