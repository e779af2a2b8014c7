"""Boards of other topologies in the tab Analyse."""

import pytest

from tests.page.analyse.tab import cell, expect_board, open_tab, press, wait_for_text
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

ROWS = ["1?1", "???", "??1"]


def test_analyse_uses_the_topology_of_a_link(opened: Opened) -> None:
    page = opened(link(ROWS, 2) + "&t=hexagonal")
    expect(page.get_by_label("Topology")).to_have_value("hexagonal")
    wait_for_text(page, "3 layouts")
    wait_for_text(page, "Forced: 1 safe cell.")
    expect(cell(page, 2, 0)).to_have_accessible_name("row 3, column 1: unknown, proved safe")


def test_changing_the_topology_makes_another_board_that_can_be_undone(opened: Opened) -> None:
    page = opened(link(ROWS, 2))
    wait_for_text(page, "3 layouts")
    page.get_by_label("Topology").select_option("cylinder")
    wait_for_text(page, "2 layouts")
    expect_board(page, ROWS)
    assert "t=cylinder" in page.url
    press(page, "Undo")
    wait_for_text(page, "3 layouts")
    expect(page.get_by_label("Topology")).to_have_value("rectangle")
    assert "t=" not in page.url


def test_analyse_shows_layouts_and_reasons_of_the_topology(opened: Opened) -> None:
    page = opened(link(ROWS, 2) + "&t=cylinder")
    wait_for_text(page, "2 layouts")
    open_tab(page, "Layouts")
    press(page, "First")
    wait_for_text(page, "Layout 1 of 2.")
    press(page, "Random")
    wait_for_text(page, "of 2")
    press(page, "Back to the board")
    cell(page, 0, 1).click()
    wait_for_text(page, "Row 1, column 2 is a mine in every layout.")


def test_analyse_shows_conflicts_and_repairs_of_the_topology(opened: Opened) -> None:
    page = opened(link(ROWS, 2) + "&t=torus")
    wait_for_text(page, "Inconsistent.")
    wait_for_text(page, "It takes 3 changes")


def test_board_shifts_rows_of_hexagons(opened: Opened) -> None:
    page = opened(link(["????"] * 4) + "&t=hexagonal")
    first, second, third = (cell(page, row, 0).bounding_box() for row in range(3))
    expect(cell(page, 0, 0)).to_be_visible()
    half = (cell(page, 0, 1).bounding_box()["x"] - first["x"]) / 2
    assert second["x"] - first["x"] == pytest.approx(half, abs=1)
    assert third["x"] == pytest.approx(first["x"], abs=1)
    assert second["y"] < first["y"] + first["height"]


@pytest.mark.parametrize(("topology", "echoes"), [("torus", 16), ("cylinder", 6), ("knight", 0)])
def test_board_with_joined_edges_repeats_cells_beyond_the_edges(
    opened: Opened, topology: str, echoes: int
) -> None:
    page = opened(link(ROWS) + f"&t={topology}")
    wait_for_text(page, "layouts")
    seen = page.locator(".echo")
    expect(seen).to_have_count(echoes)
    if topology == "torus":
        # Above the first row is the last one, from its last cell round to its first.
        shown = seen.evaluate_all("cells => cells.slice(0, 5).map(one => one.dataset.symbol)")
        assert "".join(shown) == "1??1?"


def test_arrow_keys_wrap_around_a_torus(opened: Opened) -> None:
    page = opened(link(ROWS) + "&t=torus")
    cell(page, 0, 0).focus()
    page.keyboard.press("ArrowUp")
    expect(cell(page, 2, 0)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(cell(page, 2, 2)).to_be_focused()


def test_editor_draws_numbers_by_the_topology(opened: Opened) -> None:
    page = opened(link(["?B?", "???", "B?B"]) + "&t=hexagonal")
    page.get_by_role("radio", name="draw: left").check(force=True)
    cell(page, 1, 1).click()
    expect_board(page, ["?B?", "?2?", "B?B"])


def test_link_with_an_unknown_topology_is_rejected(opened: Opened) -> None:
    page = opened(link(ROWS) + "&t=klein")
    expect(page.locator("#message")).to_contain_text("its topology is unknown")
