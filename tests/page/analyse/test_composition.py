"""The fewest clues of a board, on the board."""

from typing import Any

import pytest

from tests.page.analyse.tab import expect_board, open_tab, press, wait_for_text
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

ROWS = ["1B10", "1121", "001B"]


def find_marked(page: Any, kind: str) -> Any:
    return page.locator(f"#analyse .board [data-kind={kind}]")


def test_fewest_clues_are_marked_and_make_a_board(opened: Opened) -> None:
    page = opened(link(ROWS, 2))
    open_tab(page, "Tools")
    press(page, "Choose the fewest clues")
    wait_for_text(page, "3 of 10 clues kept. Optimal: no fewer are enough.")
    expect(find_marked(page, "kept")).to_have_count(3)
    expect(find_marked(page, "spare")).to_have_count(7)
    press(page, "Back to all clues")
    expect(find_marked(page, "kept")).to_have_count(0)
    press(page, "Show them")
    expect(find_marked(page, "kept")).to_have_count(3)
    press(page, "Use only these clues")
    expect_board(page, ["??10", "?1??", "????"])
    wait_for_text(page, "1 layout")


def test_fewest_clues_request_has_the_chosen_level_and_symmetry(opened: Opened) -> None:
    page = opened(link(ROWS))
    panel = page.locator("#analyse .composition")
    open_tab(page, "Tools")
    panel.get_by_label("Keep").select_option("bounds")
    panel.get_by_label("Symmetry").select_option("half-turn")
    expect(panel.locator("option[value=quarter-turn]")).to_be_disabled()
    press(page, "Choose the fewest clues")
    wait_for_text(page, "6 of 8 clues kept.")


def test_fewest_clues_offer_levels_only_for_complete_layouts(opened: Opened) -> None:
    page = opened(link(["?1??", "1???"]))
    open_tab(page, "Tools")
    expect(page.locator("#analyse .composition option[value=bounds]")).to_be_disabled()
    press(page, "Choose the fewest clues")
    wait_for_text(page, "2 of 2 clues kept. Optimal")


def test_fewest_clues_without_a_proof_show_a_bound(opened: Opened) -> None:
    answer = {
        "enough": True,
        "kept": [[0, 0]],
        "removed": [],
        "board": ["1?"],
        "clues": 1,
        "optimal": False,
        "lower_bound": 0,
    }
    routes = {"**/v1/compose": lambda route: route.fulfill(json=answer)}
    page = opened(link(["1?"]), routes)
    open_tab(page, "Tools")
    press(page, "Choose the fewest clues")
    wait_for_text(page, "1 of 1 clue kept. At least 0 are needed.")
