"""Formulas that are laid as boards."""

import pytest

from tests.page.analyse.tab import cell, open_tab, press, wait_for_text
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow


def test_formula_is_laid_as_a_board_with_settable_variables(opened: Opened) -> None:
    page = opened(link(["???"]))
    panel = page.locator("#analyse .circuit")
    inputs = panel.locator("select")
    open_tab(page, "Tools")
    panel.get_by_label("Formula").fill("(a & b) | !c")
    press(page, "Build it")
    expect(panel).to_contain_text("972 cells, 3 gates.")
    expect(inputs).to_have_count(3)
    wait_for_text(page, "5 layouts")
    for name, value in (("a", "true"), ("b", "false")):
        panel.locator(f"select[name={name}]").select_option(value)
    wait_for_text(page, "1 layout")
    expect(cell(page, 9, 22)).to_have_accessible_name(
        "row 10, column 23: unknown, proved safe, the variable c"
    )
    expect(cell(page, 9, 20)).to_contain_text("c")
    panel.locator("select[name=c]").select_option("true")
    wait_for_text(page, "Inconsistent")
    press(page, "Clear")
    expect(inputs.first).to_be_hidden()


def test_formula_field_says_why_a_formula_is_invalid(opened: Opened) -> None:
    opened.expected.append("422")
    page = opened(link(["???"]))
    open_tab(page, "Tools")
    formula = page.get_by_label("Formula", exact=True)
    formula.fill("a &&")
    formula.press("Enter")
    expect(page.locator("#analyse .circuit").get_by_role("status")).to_contain_text(
        "Write a single &."
    )
