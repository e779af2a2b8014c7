"""The frame of the tabs: their addresses, the keyboard, names and colours."""

import re
from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import Table
from tests.page.site import expect

pytestmark = pytest.mark.slow


def names_by_role(page: Any) -> dict[str, list[str]]:
    """Return the accessible names of what the page shows."""
    devtools = page.context.new_cdp_session(page)
    roles: dict[str, list[str]] = {}
    for node in devtools.send("Accessibility.getFullAXTree")["nodes"]:
        if node["ignored"] or "role" not in node:
            continue
        role, name = node["role"]["value"], node.get("name", {}).get("value", "")
        roles.setdefault(role, []).append(name)
    return roles


def test_page_controls_have_accessible_names(small: Table) -> None:
    checkboxes = names_by_role(small.page)["checkbox"]
    assert checkboxes
    assert all(checkboxes), checkboxes
    small.button("Why?").click()
    small.marked(4, 4, "safe")
    small.cell(4, 4).focus()
    small.page.keyboard.press("w")
    expect(small.page.get_by_role("region", name="Explanation")).to_be_visible()
    roles = names_by_role(small.page)
    for role in ("grid", "gridcell", "button", "combobox", "link", "heading", "region"):
        assert roles[role], role
        assert all(roles[role]), (role, roles[role])
    assert len(roles["main"]) == 1
    assert "row 5, column 5: unknown, pointed out, selected" in roles["gridcell"]
    assert small.page.locator("#play .cell[tabindex='0']").count() == 1


#: Text on what it is written on, and at least 3 to 1 what is not text.
TEXTS = [
    *((text, "--paper") for text in ("--ink", "--faint", "--accent", "--safe", "--mine")),
    *((text, "--sheet") for text in ("--ink", "--faint", "--accent", "--warn")),
    *((f"--n{number}", "--cell-open") for number in range(1, 9)),
    *(("--ink", ground) for ground in ("--safe-ground", "--mine-ground")),
    *((text, "--cell-closed") for text in ("--ink", "--safe", "--mine")),
    ("--on-accent", "--accent"),
]

SHAPES = [
    ("--safe", "--safe-ground"),
    ("--mine", "--mine-ground"),
    ("--ink", "--mine-ground"),
    ("--accent", "--cell-open"),
    ("--warn", "--cell-closed"),
    ("--edge", "--sheet"),
]


def luminance(colour: str) -> float:
    """Of a colour as rgb(), by WCAG."""
    shares = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def choose_colours(page: Any, scheme: str) -> None:
    """Press the button that changes the colours until they are chosen."""
    chooser = page.locator("#theme")
    for _ in range(3):
        if f"Colours: {scheme}" in chooser.get_attribute("aria-label"):
            return
        chooser.click()
    pytest.fail(f"no colours {scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_colours_have_contrast(opened: Opened, scheme: str) -> None:
    page = opened(color_scheme="dark" if scheme == "light" else "light")
    # What is chosen wins over the system.
    choose_colours(page, scheme)
    names = sorted({name for pair in TEXTS + SHAPES for name in pair})
    colours = page.evaluate(
        """names => Object.fromEntries(names.map((name) => {
            document.body.style.transition = "none";
            document.body.style.color = `var(${name})`;
            return [name, getComputedStyle(document.body).color];
        }))""",
        names,
    )
    light = {name: luminance(colour) for name, colour in colours.items()}
    for pairs, least in ((TEXTS, 4.5), (SHAPES, 3.0)):
        for pair in pairs:
            low, high = sorted(light[name] for name in pair)
            assert (high + 0.05) / (low + 0.05) >= least, pair


def test_page_remembers_the_chosen_colours(opened: Opened) -> None:
    page = opened(color_scheme="light")
    choose_colours(page, "dark")
    page.reload()
    expect(page.get_by_role("button", name="Colours: dark")).to_be_visible()
    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) < 0.05


def test_tabs_have_addresses_and_keep_their_contents(small: Table) -> None:
    page = small.page
    page.get_by_role("link", name="Analyse").click()
    expect(page.locator("#analyse")).to_be_visible()
    expect(page.locator("#play")).to_be_hidden()
    expect(page).to_have_title(re.compile("^Analyse"))
    page.go_back()
    small.shows(2, 1, "1")
    expect(small.cell(2, 1)).to_be_visible()
    expect(page.get_by_role("link", name="Play")).to_have_attribute("aria-current", "page")


def test_keyboard_focus_stays_on_the_tabs(opened: Opened) -> None:
    page = opened()
    for name in ("Analyse", "Play", "Strips"):
        link = page.get_by_role("link", name=name)
        link.press("Enter")
        expect(page.locator(f"#{name.lower()} .cell").first).to_be_visible()
        expect(link).to_be_focused()
    page.locator("#strips .cell[tabindex='0']").focus()
    page.go_back()
    expect(page.get_by_role("link", name="Play")).to_be_focused()


def test_address_of_an_unknown_tab_opens_the_first_tab(opened: Opened) -> None:
    page = opened("/#foo?seed=1")
    expect(page.locator("#play .cell")).to_have_count(81)
    expect(page).to_have_url(f"{opened.url}/#play")
