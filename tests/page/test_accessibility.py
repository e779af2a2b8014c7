"""Findings of axe-core on the page, in both colours, on screens of two sizes."""

from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import SMALL, SMALL_LINK, Table, dealing
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

Axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe

#: Links, and what they show when there is no more to come.
SHOWN = {
    link(["11?", "???", "3??"]): "#analyse .repairs li",
    link(["?1??", "F??S"], 2): "#analyse .verdict .headline[data-kind='yes']",
    link(["001B", "0011", "1100", "B100"]): "#analyse .map",
    "/#strips": "#strips .machine-frame .state.now",
}
#: The documentation of the API is slow to open, and looks the same in every language.
DOCS = {"/docs": "#operations-questions-check"}
SCREENS = [{"width": 1280, "height": 800}, {"width": 390, "height": 844}]


def violations(page: Any) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{fault['id']}: {fault['nodes'][0]['html']}" for fault in found]


@pytest.mark.parametrize("screen", SCREENS, ids=["desk", "phone"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_no_violation_in_the_tabs(
    opened: Opened, colours: str, screen: dict[str, int]
) -> None:
    for path, shown in (SHOWN | (DOCS if colours == "light" else {})).items():
        page = opened(path, color_scheme=colours, viewport=screen)
        expect(page.locator(shown).first).to_be_attached()
        assert violations(page) == [], path


@pytest.mark.parametrize("code", ["de", "zh"])
def test_axe_finds_nothing_in_other_languages(opened: Opened, code: str) -> None:
    for path, shown in SHOWN.items():
        page = opened(path.replace("/#", f"/?lang={code}#"), viewport=SCREENS[1])
        expect(page.locator(shown).first).to_be_attached()
        assert violations(page) == [], path


@pytest.mark.parametrize("screen", SCREENS, ids=["desk", "phone"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_no_violation_in_pages_of_paths(
    opened: Opened, colours: str, screen: dict[str, int]
) -> None:
    board = link(["?1????", "??????"], tab="strips")
    page = opened(board, color_scheme=colours, viewport=screen)
    page.get_by_text("All paths, as a tree").click()
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("#strips .paths")).to_contain_text("Paths 21 to 40 of")
    expect(page.locator("#strips .paths")).to_have_attribute("aria-busy", "false")
    assert violations(page) == []


@pytest.mark.parametrize(
    "how",
    [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}],
    ids=["light", "dark", "forced"],
)
def test_axe_finds_no_violation_in_a_game(opened: Opened, how: dict[str, str]) -> None:
    table = Table(opened(SMALL_LINK, routes=dealing(SMALL), **how), 6)
    table.shows(2, 1, "1")
    table.cell(4, 4).click(button="right")
    table.button("Heat map").click()
    table.button("Hint").click()
    table.marked(4, 4, "wrong")
    assert violations(table.page) == []
    table.cell(4, 4).click(button="right")
    table.button("Best move").click()
    expect(table.page.get_by_role("region", name="Explanation")).to_be_visible()
    assert violations(table.page) == []
    table.cell(2, 2).click()
    table.shows(2, 2, "X")
    assert violations(table.page) == []


def test_closed_and_open_cells_differ_in_forced_colours(opened: Opened) -> None:
    table = Table(opened(SMALL_LINK, routes=dealing(SMALL), forced_colors="active"), 6)
    table.shows(0, 0, "0")
    style = "cell => getComputedStyle(cell).borderStyle"
    assert table.cell(0, 0).evaluate(style) == "solid"
    assert table.cell(4, 4).evaluate(style) == "outset"
