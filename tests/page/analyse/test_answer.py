"""The parts beside the verdict: tabs, moves, bars, fractions, and playing on."""

from typing import Any

import pytest

from tests.app.serving import Server
from tests.page.analyse.tab import (
    CONFLICT,
    cell,
    expect_board,
    open_tab,
    paste,
    press,
    read_rows,
    wait_for_text,
)
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

#: One of the three unknown cells around the 4 is safe.
END = ["??2", "24?", "???"]


def tab(page: Any, name: str) -> Any:
    return page.locator("#analyse").get_by_role("tab", name=name, exact=True)


def test_analyse_tabs_are_chosen_with_the_arrow_keys(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    wait_for_text(page, "2 layouts")
    expect(tab(page, "Answer")).to_have_attribute("aria-selected", "true")
    tab(page, "Answer").focus()
    for key, name in (
        ("ArrowRight", "Why"),
        ("ArrowRight", "Layouts"),
        ("End", "Tools"),
        ("ArrowRight", "Answer"),
        ("ArrowLeft", "Tools"),
        ("Home", "Answer"),
    ):
        page.keyboard.press(key)
        expect(tab(page, name)).to_be_focused()
        expect(tab(page, name)).to_have_attribute("aria-selected", "true")
        expect(page.locator("#analyse").get_by_role("tabpanel")).to_have_count(1)
    stops = page.locator("#analyse [role=tab]").evaluate_all(
        "all => all.map((one) => one.tabIndex)"
    )
    assert stops == [0, -1, -1, -1]


def test_analyse_shows_the_best_move_and_chance_to_win_of_the_service(
    opened: Opened, server: Server
) -> None:
    page = opened(link(END, 4))
    verdict = page.locator("#analyse .verdict")
    answer = server.post("/v1/moves", {"board": END, "mines": 4}).json()
    row, col = answer["moves"][0]["cell"]
    best = verdict.get_by_role("button", name=f"row {row + 1}, column {col + 1}, 66.7")
    expect(verdict.locator("dl")).to_contain_text("Chance to win66.7")
    best.hover()
    expect(cell(page, row, col)).to_have_attribute("data-selected", "")
    wait_for_text(page, "comes first: with best play from then on, no other cell wins more often.")
    expect(verdict).to_contain_text("Solver: positions, ")
    # Without a total nobody can say how a game goes on.
    page.get_by_label("Mines in all").fill("")
    wait_for_text(page, "Safest: ")
    expect(verdict.locator("dl")).to_be_hidden()


def test_layout_bars_show_the_counts_by_mines_and_choose_a_total(
    opened: Opened, server: Server
) -> None:
    rows = ["?1??", "?2??", "???1"]
    counts = server.post("/v1/count", {"board": rows}).json()["by_mines"]
    page = opened(link(rows, 4))
    wait_for_text(page, "layouts")
    open_tab(page, "Layouts")
    bars = page.locator("#analyse .bars button")
    expect(bars).to_have_count(len(counts))
    names = bars.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert names == [
        f"{mines} mines: {count} layout{'s' * (count != '1')}" for mines, count in counts.items()
    ]
    expect(page.get_by_role("button", name="4 mines: ")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="3 mines: ").click()
    expect(page.get_by_label("Mines in all")).to_have_value("3")
    count = int(counts["3"])
    expect(page.locator("#analyse .verdict")).to_contain_text(f"{count} layout")


def test_layout_asked_for_before_the_answer_stays_when_it_comes(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(link(["?1?"]), routes={"**/v1/analyze": lambda route: held.append(route)})
    open_tab(page, "Layouts")
    press(page, "First")
    wait_for_text(page, "Layout 1")
    rows = read_rows(page)
    held[-1].continue_()
    wait_for_text(page, "2 layouts")
    wait_for_text(page, "Layout 1 of 2.")
    assert read_rows(page) == rows == ["01B"]


def test_layout_bars_show_only_those_around_the_highest_and_the_total(opened: Opened) -> None:
    page = opened(link(["?" * 20] * 5, 3))
    open_tab(page, "Layouts")
    wait_for_text(page, "Most layouts have 50 mines.")
    wait_for_text(page, "left out.")
    names = page.locator("#analyse .bars button").evaluate_all(
        "all => all.map((one) => one.innerText.split(/\\s/)[0])"
    )
    assert {"3", "50"} <= set(names)
    assert len(names) <= 30


def test_analyse_shows_chances_as_fractions_on_demand(opened: Opened, server: Server) -> None:
    rows = ["?1???", "?2???", "???1?"]
    page = opened(link(rows, 4))
    wait_for_text(page, "layouts")
    press(page, "Show exact fractions")
    body = {"board": rows, "mines": 4, "fractions": True}
    exact = server.post("/v1/analyze", body).json()["probabilities"]
    expected = {chance.replace("/1", "") for line in exact for chance in line if chance is not None}
    listed = page.locator("#analyse .fractions dt")
    expect(listed).to_have_count(len(expected))
    texts = listed.all_text_contents()
    assert set(texts) == expected
    values = [int(a) / int(b or 1) for a, _, b in (text.partition("/") for text in texts)]
    assert values == sorted(values)


def test_play_on_starts_a_game_from_the_analysed_position(opened: Opened) -> None:
    rows = ["000000", "011100", "01?211", "0112??", "0001??"]
    page = opened(link(rows, 2))
    press(page, "Play on from here")
    page.wait_for_url("**/#play?map=*")
    cells = page.locator("#play .cell")
    expect(cells).to_have_count(30)
    for row, line in enumerate(rows):
        for col, symbol in enumerate(line):
            expect(cells.nth(6 * row + col)).to_have_attribute("data-symbol", symbol)


def test_play_on_says_why_a_board_cannot_be_played(opened: Opened) -> None:
    page = opened(link(["1B1"]))
    wait_for_text(page, "1 layout")
    play = page.get_by_role("button", name="Play on from here")
    expect(play).to_have_attribute("aria-disabled", "true")
    play.click(force=True)
    expect(page.locator("#message")).to_contain_text("Nothing is left to be opened.")
    page.goto(opened.url + link(["?" * 61]))
    expect(play).to_have_attribute("title", "Games have at most 60 rows and columns.")


def test_play_on_keeps_the_torus_of_a_board(opened: Opened) -> None:
    rows = ["?1?", "???", "???", "1??"]
    page = opened(link(rows, 2) + "&t=torus")
    press(page, "Play on from here")
    page.wait_for_url("**/#play?map=*t=torus")
    cells = page.locator("#play .cell:not(.echo)")
    expect(cells).to_have_count(12)
    for at, symbol in enumerate("".join(rows)):
        expect(cells.nth(at)).to_have_attribute("data-symbol", symbol)


def test_pasted_board_is_scrolled_into_view_with_its_answer(opened: Opened) -> None:
    page = opened(link(["?" * 12] * 30), viewport={"width": 1280, "height": 800})
    wait_for_text(page, "layouts")
    open_tab(page, "Tools")
    page.evaluate("document.querySelector('#analyse .tab-panels').scrollTop = 10_000")
    page.evaluate("scrollTo(0, 10_000)")
    paste(page, "1?\n?1")
    expect_board(page, ["1?", "?1"])
    expect(page.locator("#analyse .headline").first).to_be_in_viewport()
    expect(tab(page, "Answer")).to_have_attribute("aria-selected", "true")
    expect(cell(page, 0, 0)).to_be_in_viewport()


@pytest.mark.parametrize("name", ["A game", "A contradiction", "One layout", "A strip"])
def test_analyse_examples_are_shown_with_their_answers(opened: Opened, name: str) -> None:
    page = opened(link(["?"]))
    wait_for_text(page, "2 layouts")
    press(page, name)
    headline = "Inconsistent." if name == "A contradiction" else "Consistent."
    expect(page.locator("#analyse .headline").first).to_have_text(headline)
    if name == "One layout":
        wait_for_text(page, "1 layout")


def test_analyse_verdict_stays_in_view_on_a_phone(opened: Opened) -> None:
    phone = {"width": 390, "height": 844}
    page = opened(link(CONFLICT), viewport=phone, has_touch=True)
    headline = page.locator("#analyse .headline").first
    expect(headline).to_have_text("Inconsistent.")
    page.evaluate("scrollTo(0, 10_000)")
    expect(headline).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
