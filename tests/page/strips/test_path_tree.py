"""The paths of the automaton that reads a strip, and what must hold outside it."""

import pytest

from tests.page.conftest import Opened
from tests.page.site import expect
from tests.page.strips.tab import cell, choose, press, says, strips, tab

pytestmark = pytest.mark.slow


def opened_paths(page: object) -> None:
    tab(page).get_by_text("All paths, as a tree").click()


def test_the_paths_of_figure_6_are_listed_and_drawn(opened: Opened) -> None:
    page = strips(opened, ["2?4?2", "???B?"])
    opened_paths(page)
    says(page, "Accepted: 3. Rejected: 1.")
    says(page, "s0 → 20?0 → ?B?B → 43?B → ?0BB → 21?0 rejected. The board ends, and the 2 at row 0")
    says(page, "22?0 accepted (2 layouts).")
    expect(tab(page).locator(".tree-frame .state.accepted")).to_have_count(3)
    expect(tab(page).locator(".tree-frame .state.dies")).to_have_count(1)
    expect(tab(page).locator(".tree-frame .state")).to_have_count(15)
    # They follow the window, and the machine.
    choose(page, 0, 3, 2, 2)
    says(page, "Rejected: ")
    expect(tab(page).locator(".path-list li").first).to_be_visible()


def test_paths_that_are_too_many_to_be_drawn_are_listed(opened: Opened) -> None:
    page = strips(opened, ["?" * 70, "?" * 70])
    opened_paths(page)
    says(page, f"Accepted: {3**70}. Rejected: 0. These are the first 60.")
    expect(tab(page).locator(".tree-frame")).to_have_count(0)
    expect(tab(page).locator(".path-list li")).to_have_count(60)


def test_what_must_hold_outside_is_told_marked_and_written(opened: Opened) -> None:
    page = strips(opened, ["????", "02?S"])
    choose(page, 1, 0, 1, 4)
    says(page, "Forced outside: 1 mine and 2 safe cells.")
    says(page, "Around row 2, column 2: exactly 1 of 3 unknown cells outside must be mines.")
    expect(cell(page, 0, 2)).to_have_attribute("data-kind", "mine")
    for col in (0, 1):
        expect(cell(page, 0, col)).to_have_attribute("data-kind", "safe")
    press(page, "Write these to the board")
    expect(cell(page, 0, 2)).to_have_attribute("data-symbol", "B")


def test_the_students_figure_4_needs_a_mine_above(opened: Opened) -> None:
    page = strips(opened, ["???", "??2", "11?"])
    choose(page, 1, 0, 2, 3)
    says(page, "Around row 2, column 3: at least 1 of 2 unknown cells outside must be mines.")
