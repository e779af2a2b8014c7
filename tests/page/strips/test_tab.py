"""The tab Strips, in a browser: what it shows is what the service answers."""

from typing import Any

import pytest

from tests.app.serving import Server
from tests.page.conftest import Opened
from tests.page.site import expect, link
from tests.page.strips.tab import (
    FRAMED,
    HU_LIN,
    cell,
    choose,
    press,
    strips,
    tab,
    wait_for_text,
    window,
)

pytestmark = pytest.mark.slow


def test_window_is_chosen_by_dragging_typing_and_corners(opened: Opened) -> None:
    page = strips(opened, FRAMED)
    assert window(page) == [0, 0, 2, 5]
    cell(page, 1, 3).hover()
    page.mouse.down()
    cell(page, 1, 2).hover()
    cell(page, 2, 1).hover()
    page.mouse.up()
    assert window(page) == [1, 1, 2, 3]
    choose(page, 1, 0, 2, 9)
    assert window(page) == [1, 0, 2, 5]
    cell(page, 0, 4).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert window(page) == [0, 3, 2, 2]
    expect(cell(page, 1, 4)).to_have_attribute("data-kind", "window")
    expect(cell(page, 2, 4)).not_to_have_attribute("data-kind", "window")


def read_rows(page: Any, height: int, width: int) -> list[str]:
    """The rows that the board shows."""
    return [
        "".join(cell(page, row, col).get_attribute("data-symbol") for col in range(width))
        for row in range(height)
    ]


def test_layouts_of_a_window_are_shown_one_by_one(opened: Opened, server: Server) -> None:
    page = strips(opened, FRAMED)
    choose(page, 1, 0, 2, 5)
    wait_for_text(page, "4 layouts")
    body = {"board": FRAMED, "window": "1,0,2,5"}
    layouts = server.post("/v1/layouts", body).json()["layouts"]
    assert len(layouts) == 4
    press(page, "First")
    for number, layout in enumerate(layouts):
        wait_for_text(page, f"Layout {number + 1} of 4.")
        # Around the window the board stays as it is.
        assert read_rows(page, 3, 5) == [FRAMED[0], *layout]
        if number < 3:
            press(page, "Next")
    expect(cell(page, 1, 0)).to_have_attribute("data-kind", "window")
    expect(cell(page, 0, 0)).not_to_have_attribute("data-kind", "window")
    press(page, "Back to the board")
    assert read_rows(page, 3, 5) == FRAMED
    press(page, "Random")
    wait_for_text(page, " of 4.")
    assert read_rows(page, 3, 5)[1:] in layouts


def test_layouts_of_a_window_are_listed(opened: Opened, server: Server) -> None:
    page = strips(opened, ["?" * 5, "?" * 5, "0" * 5])
    choose(page, 0, 0, 1, 5)
    wait_for_text(page, "32 layouts")
    body = {"board": ["?" * 5, "?" * 5, "0" * 5], "window": "0,0,1,5"}
    layouts = server.post("/v1/layouts", body).json()["layouts"]
    assert len(layouts) == 32
    listed = tab(page).get_by_role("list", name="Layouts").get_by_role("button")
    expect(listed).to_have_text(["\n".join(layout) for layout in layouts[:24]])
    press(page, "Show more")
    expect(listed).to_have_text(["\n".join(layout) for layout in layouts])
    expect(tab(page).get_by_role("button", name="Show more")).to_be_hidden()
    listed.nth(20).click()
    wait_for_text(page, "Layout 21 of 32.")
    assert read_rows(page, 3, 5) == [*layouts[20], "?????", "00000"]
    choose(page, 2, 0, 1, 5)
    wait_for_text(page, "1 layout")
    expect(listed).to_have_text(["00000"])


def test_layout_of_a_window_is_shown_by_any_number(opened: Opened, server: Server) -> None:
    page = strips(opened, ["?" * 30] * 4)
    choose(page, 0, 0, 2, 30)
    number = tab(page).get_by_label("Layout number")
    number.fill("10^18")
    number.press("Enter")
    wait_for_text(page, "Layout 1,000,000,000,000,000,000 of about")
    body = {"board": ["?" * 30] * 4, "window": "0,0,2,30", "offset": 10**18 - 1, "limit": 1}
    (layout,) = server.post("/v1/layouts", body).json()["layouts"]
    assert read_rows(page, 4, 30)[:2] == layout
    number.fill("10^19")
    number.press("Enter")
    wait_for_text(page, "Layouts are numbered from 1 to")


def test_random_below_draws_all_numbers_below_its_bound(opened: Opened) -> None:
    page = opened("/#play")
    script = """async () => {
        const { randomBelow } = await import("/page/shared/numbers.js");
        const draws = (below, times) => Array.from({ length: times }, () => randomBelow(below));
        const of = (below, times) => new Set(draws(below, times));
        const long = 10n ** 40n;
        return [[...of(3n, 200)].map(Number).sort(), [...of(1n, 20)].map(Number),
            [...of(long, 50)].every((number) => number < long), of(long, 50).size];
    }"""
    assert page.evaluate(script) == [[0, 1, 2], [0], True, 50]


def test_strips_address_is_a_link_to_the_window(opened: Opened) -> None:
    page = strips(opened, FRAMED, mines=3)
    choose(page, 1, 0, 2, 5)
    wait_for_text(page, "4 layouts")
    page.wait_for_url("**/#strips?b=_____._121_._____&m=3&w=1,0,2,5")
    press(page, "Write them to the board")
    page.wait_for_url("**/#strips?b=_____.S121S.S_S_S&m=3&w=1,0,2,5")
    page.reload()
    expect(cell(page, 2, 2)).to_have_attribute("data-symbol", "S")
    assert window(page) == [1, 0, 2, 5]
    # Another tab and back.
    page.get_by_role("link", name="Analyse").click()
    page.locator("#analyse .verdict").get_by_text("onsistent").wait_for()
    page.get_by_role("link", name="Strips").click()
    page.wait_for_url("**/#strips?b=_____.S121S.S_S_S&m=3&w=1,0,2,5")
    page.evaluate(
        "(hash) => { location.hash = hash; }", f"{link(FRAMED, tab='strips')[1:]}&w=0,1,2,3"
    )
    expect(tab(page).locator("input[name=col]")).to_have_value("2")
    assert window(page) == [0, 1, 2, 3]


@pytest.mark.parametrize("numbers", ["9,0,1,1", "0,0,2", "0,0,0,1", "x", "0,0,4,5"])
def test_link_to_an_invalid_window_is_reported(opened: Opened, numbers: str) -> None:
    page = opened(f"{link(FRAMED, tab='strips')}&w={numbers}")
    alert = page.get_by_role("alert").filter(
        has_text="The window of this link does not fit its board."
    )
    alert.wait_for()
    wait_for_text(page, "onsistent.")
    assert window(page) == [0, 0, 2, 5]


def test_strips_says_that_a_total_of_mines_is_ignored(opened: Opened) -> None:
    page = strips(opened, ["?1?"], mines=3)
    wait_for_text(page, "Consistent.")
    wait_for_text(page, "The total of 3 mines is ignored here")
    page = strips(opened, ["?1?"])
    wait_for_text(page, "Consistent.")
    expect(tab(page)).not_to_contain_text("ignored here")


@pytest.mark.parametrize("rules", ["t=torus", "lies=1"])
def test_strips_says_that_topology_and_rules_are_ignored(opened: Opened, rules: str) -> None:
    page = opened(f"{link(['?1?'], tab='strips')}&{rules}")
    wait_for_text(page, "Consistent.")
    wait_for_text(page, "topology and other rules are ignored here")
    page.get_by_role("button", name="Show an example").click()
    wait_for_text(page, "24 layouts")
    expect(tab(page)).not_to_contain_text("ignored here")
    page.wait_for_url(lambda url: rules not in url)


def test_strips_can_request_again_after_a_failure(opened: Opened) -> None:
    page = opened("/#play")
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/strips", lambda route: route.abort())
    page.goto(opened.url + link(HU_LIN, tab="strips"))
    wait_for_text(page, "No answer.")
    wait_for_text(page, "The service cannot be reached.")
    page.unroute("**/v1/strips")
    page.route("**/v1/automata/*/run", lambda route: route.abort())
    press(page, "Ask again")
    wait_for_text(page, "2 layouts")
    player = tab(page).locator(".automaton")
    expect(player).to_contain_text("The service cannot be reached.")
    page.unroute("**/v1/automata/*/run")
    press(page, "Ask again")
    wait_for_text(page, "Accepted")
    expect(tab(page).get_by_role("button", name="Ask again")).to_have_count(0)


def test_strips_says_that_the_service_cannot_be_reached(opened: Opened) -> None:
    page = strips(opened, HU_LIN)
    wait_for_text(page, "2 layouts")
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/**", lambda route: route.abort())
    choose(page, 0, 0, 1, 2)
    wait_for_text(page, "The service cannot be reached.")
    expect(tab(page).locator(".automaton .state")).to_have_count(0)


def test_strips_fits_a_narrow_screen(opened: Opened) -> None:
    page = strips(opened, ["?" * 30] * 16, viewport={"width": 360, "height": 740}, has_touch=True)
    wait_for_text(page, "Accepted")
    press(page, "To the end")
    wait_for_text(page, "Column 30, ??:")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    cell(page, 0, 0).tap()
    cell(page, 2, 5).tap()
    assert window(page) == [0, 0, 3, 6]


def test_strips_shows_an_example_at_once_and_on_demand(opened: Opened) -> None:
    page = opened("/#strips")
    wait_for_text(page, "One or two rows of a board can be decided by an automaton")
    wait_for_text(page, "24 layouts")
    wait_for_text(page, "Accepted: the window is consistent.")
    page.goto(opened.url + link(["?2", "B?"], tab="strips"))
    wait_for_text(page, "2 layouts")
    press(page, "Show an example")
    wait_for_text(page, "24 layouts")
