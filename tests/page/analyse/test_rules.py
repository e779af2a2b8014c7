"""Boards under other rules in the tab Analyse: drawn, edited, linked, and what is shown of them."""

from itertools import pairwise
from urllib.parse import quote

import pytest

from minecheck import Clue, Variant, analyze, parse
from tests.page.analyse.tab import (
    cell,
    clipboard,
    expect_board,
    open_tab,
    paste,
    press,
    sharing,
    wait_for_text,
)
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

ROWS = ["S??", "??1"]


def count(variant: Variant, mines: int | None = None) -> int:
    found = analyze(variant, mines=mines).count
    assert found is not None
    return found


def test_analyse_uses_the_rules_of_a_link(opened: Opened) -> None:
    page = opened(link(ROWS) + "&mines_per_cell=2&clues=" + quote("0,0=0|2"))
    board = Variant(parse(ROWS), differences={(0, 0): Clue.one_of([0, 2])}, most=2)
    wait_for_text(page, f"{count(board)} layouts")
    expect(page.get_by_label("Mines in a cell, at most")).to_have_value("2")
    expect(cell(page, 0, 0)).to_have_text("0/2")
    expect(cell(page, 0, 0)).to_have_accessible_name("row 1, column 1: 0/2")


@pytest.mark.parametrize(
    "rules", ["layers=x", "lies=0", "clues=0,1%3D3", "clues=0,0%3D", "mines_per_cell=9999"]
)
def test_analyse_rejects_rules_that_cannot_be_read(opened: Opened, rules: str) -> None:
    page = opened(link(ROWS) + f"&{rules}")
    expect(page.locator("#message")).to_contain_text("its rules cannot be read")


def test_editor_draws_clues_that_are_no_digits(opened: Opened) -> None:
    page = opened(link(["???", "??1"]))
    page.get_by_label("a clue that is not a digit").check()
    clue = page.get_by_label("Clue to draw")
    clue.fill("0 or 2")
    cell(page, 0, 0).click()
    board = Variant(parse(ROWS), differences={(0, 0): Clue.one_of([0, 2])})
    wait_for_text(page, f"{count(board)} layouts")
    page.wait_for_url(lambda url: url.endswith("&clues=0%2C0%3D0%7C2"))
    clue.fill("none")
    cell(page, 0, 1).click()
    expect_board(page, ROWS)
    press(page, "Undo")
    expect_board(page, ["???", "??1"])
    page.wait_for_url(lambda url: "clues" not in url)


def test_clue_goes_when_its_cell_changes(opened: Opened) -> None:
    page = opened(link(ROWS) + "&clues=" + quote("0,0=1-2"))
    expect(cell(page, 0, 0)).to_have_text("1\N{EN DASH}2")
    cell(page, 0, 0).focus()
    page.keyboard.press("s")
    expect(cell(page, 0, 0)).to_have_text("S")
    page.wait_for_url(lambda url: "clues" not in url)
    press(page, "Undo")
    expect(cell(page, 0, 0)).to_have_text("1\N{EN DASH}2")
    paste(page, "S?1\n???")
    expect(cell(page, 0, 0)).to_have_text("S")


def test_rules_fields_make_another_board_that_can_be_undone(opened: Opened) -> None:
    page = opened(link(["1??", "??1"]))
    page.get_by_text("Other rules").click()
    lies = page.get_by_label("Wrong clues", exact=True)
    lies.fill("1")
    lies.blur()
    board = parse(["1??", "??1"])
    wait_for_text(page, f"{count(Variant(board, lies=(1, 1)))} layouts")
    page.get_by_label("exactly or at most").select_option("at most")
    wait_for_text(page, f"{count(Variant(board, lies=(0, 1)))} layouts")
    page.wait_for_url(lambda url: "most_lies=1" in url)
    press(page, "Undo")
    press(page, "Undo")
    wait_for_text(page, f"{count(Variant(board))} layouts")
    expect(lies).to_have_value("0")


def test_layers_are_drawn_apart(opened: Opened) -> None:
    page = opened(link(["1??", "??1", "???", "???"]) + "&layers=2")
    tops = [cell(page, row, 0).bounding_box()["y"] for row in range(4)]
    steps = [after - before for before, after in pairwise(tops)]
    assert steps[1] > steps[0] + 5
    assert steps[2] == pytest.approx(steps[0], abs=1)


def test_layout_shows_cells_with_several_mines_and_wrong_clues(opened: Opened) -> None:
    page = opened(link(["3?", "S?"]) + "&mines_per_cell=2")
    wait_for_text(page, "2 layouts")
    open_tab(page, "Layouts")
    press(page, "First")
    wait_for_text(page, "Layout 1 of 2.")
    expect(cell(page, 1, 1)).to_have_text("\N{MULTIPLICATION SIGN}2")
    press(page, "Random")
    wait_for_text(page, "of 2")
    page = opened(link(["1?0"]) + "&lies=1")
    wait_for_text(page, "2 layouts")
    open_tab(page, "Layouts")
    press(page, "First")
    wait_for_text(page, "Layout 1 of 2.")
    expect(cell(page, 0, 0)).to_contain_text("≠1")
    expect(cell(page, 0, 0)).to_have_accessible_name(
        "row 1, column 1: open, no mines around, in conflict, the clue on the board is wrong"
    )


def test_analyse_repairs_a_clue_that_is_an_interval(opened: Opened) -> None:
    page = opened(link(["S?", "??"], 1) + "&clues=" + quote("0,0=2-3"))
    wait_for_text(page, "Inconsistent.")
    press(page, "Change the 2\N{EN DASH}3 at row 1, column 1 to 1")
    expect_board(page, ["1?", "??"])
    wait_for_text(page, "3 layouts")


def test_analyse_offers_no_reasons_where_the_service_has_none(opened: Opened) -> None:
    page = opened(link(["3?"]) + "&mines_per_cell=2&lies=1")
    wait_for_text(page, "Consistent.")
    page = opened(link(["3?"]) + "&mines_per_cell=2")
    wait_for_text(page, "Inconsistent.")
    expect(page.get_by_role("button", name="Why?")).to_have_count(0)
    expect(page.get_by_role("button", name="Play on from here")).to_have_count(0)


def test_copied_json_has_the_rules(opened: Opened) -> None:
    page = sharing(opened, link(ROWS, 2) + "&layers=2&clues=" + quote("0,0=1-2"))
    open_tab(page, "Tools")
    press(page, "Copy JSON")
    assert clipboard(page) == (
        '{"board": ["S??", "??1"], "mines": 2, "layers": 2, "clues": "0,0=1-2"}'
    )
