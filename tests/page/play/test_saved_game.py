"""A game that is resumed after a reload."""

import json
import re
from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.play.table import LEFT, SMALL, SMALL_LINK, Table, dealing
from tests.page.site import expect

pytestmark = pytest.mark.slow


def reload_page(table: Table) -> None:
    """Load the page once more, and wait for its board."""
    table.page.reload()
    expect(table.cell(0, 0)).to_be_visible()


def test_game_continues_after_a_reload(small: Table) -> None:
    small.cell(3, 5).click(button="right")
    small.button("Undo").click()
    small.cell(3, 4).click(button="right")
    small.cell(4, 5).click()
    small.button("Share this board").click()
    link = small.page.get_by_label("Link to this board")
    expect(link).to_be_visible()
    before = (small.symbols(), link.input_value())
    reload_page(small)
    small.shows(4, 5, "1")
    small.button("Share this board").click()
    expect(link).to_be_visible()
    assert (small.symbols(), link.input_value()) == before
    expect(small.page.locator(".play-state")).to_contain_text("1Mines left")
    expect(small.page.locator(".play-state")).to_contain_text("1Undos")
    for row, col, symbol in ((4, 5, "?"), (3, 4, "?"), (0, 0, "?")):
        small.button("Undo").click()
        small.shows(row, col, symbol)
    expect(small.button("Undo")).to_have_attribute("aria-disabled", "true")
    small.cell(0, 0).click()
    small.shows(2, 1, "1")
    small.button("Heat map").click()
    expect(small.status).to_have_text("3 cells proved safe, 2 mines proved.")


def test_finished_game_is_shown_after_a_reload(small: Table) -> None:
    small.cell(3, 4).click()
    small.shows(2, 2, "B")
    reload_page(small)
    small.shows(3, 4, "X")
    small.shows(2, 2, "B")
    expect(small.page.locator(".verdict-more")).to_have_text("Undo takes it back.")
    small.button("Undo").click()
    for row, col in LEFT:
        small.cell(row, col).click()
    expect(small.status).to_contain_text("with 1 undo")
    reload_page(small)
    expect(small.status).to_contain_text("with 1 undo")
    small.shows(3, 4, "F")


def test_game_clock_stops_while_the_page_is_away(opened: Opened) -> None:
    page = opened("/page/icon.svg", routes=dealing(SMALL))
    page.clock.install()
    page.goto(opened.url + SMALL_LINK)
    table = Table(page, 6)
    table.shows(0, 0, "0")
    timer = page.get_by_role("timer")
    page.clock.run_for(65_000)
    expect(timer).to_have_text(re.compile("1:0[5-7]"))
    page.goto("about:blank")
    page.clock.run_for(600_000)
    page.goto(opened.url + SMALL_LINK)
    table.shows(0, 0, "0")
    expect(timer).to_have_text(re.compile("1:0[5-9]"))
    page.clock.run_for(5000)
    expect(timer).to_have_text(re.compile("1:1[0-9]"))


def test_link_with_another_seed_deals_another_board(opened: Opened) -> None:
    table = Table(opened(SMALL_LINK, routes=dealing(SMALL)), 6)
    table.shows(0, 0, "0")
    table.cell(4, 5).click()
    table.shows(4, 5, "1")
    page = table.page
    page.goto("about:blank")
    page.goto(opened.url + SMALL_LINK.replace("seed=1", "seed=2"))
    table.shows(0, 0, "0")
    table.shows(4, 5, "?")
    page.goto("about:blank")
    page.goto(opened.url)
    table.shows(0, 0, "0")


def test_link_is_loaded_again_if_its_board_did_not_arrive(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(SMALL_LINK, routes={"**/v1/boards": lambda route: held.append(route)})
    table = Table(page, 6)
    table.cell(3, 4).click(button="right")
    table.shows(3, 4, "F")
    page.unroute("**/v1/boards")
    page.route(*next(iter(dealing(SMALL).items())))
    reload_page(table)
    table.shows(0, 0, "0")


def test_reload_before_the_board_arrives_keeps_the_size(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(routes={"**/v1/boards": lambda route: held.append(route)})
    page.get_by_label("Level").select_option("intermediate")
    page.get_by_label("No guessing").uncheck()
    table = Table(page, 16)
    table.cell(3, 3).click()
    expect(table.status).to_have_text("Looking for a board …")
    reload_page(table)
    expect(page.locator("#play .cell")).to_have_count(256)
    expect(page.get_by_label("Level")).to_have_value("intermediate")
    expect(page.get_by_label("No guessing")).not_to_be_checked()
    expect(table.status).to_have_text("Open any cell: the first one is never a mine.")
    page.unroute("**/v1/boards")
    table.cell(3, 3).click()
    table.shows(3, 3, "0")


#: What makes of a game that was kept none: where it is, and what is put there.
DAMAGES: list[tuple[tuple[str, ...], Any]] = [
    ((), None),
    ((), []),
    (("game",), None),
    (("game", "height"), 10**9),
    (("game", "height"), 5.5),
    (("game", "width"), 5),
    (("game", "mines"), 3),
    (("game", "mines"), -1),
    (("game", "undone"), -1),
    (("game", "layout"), None),
    (("game", "layout"), 7),
    (("game", "layout"), SMALL[1:]),
    (("game", "layout"), [*SMALL, "000000"]),
    (("game", "layout"), ["".join(SMALL)]),
    (("game", "layout"), [SMALL[0], "012100", *SMALL[2:]]),
    (("game", "layout"), ["00x000", *SMALL[1:]]),
    (("game", "moves"), None),
    (("game", "moves"), [["undo", 0, 0]]),
    (("game", "moves"), [["reveal", 5, 0]]),
    (("game", "moves"), [["reveal", "0", 0]]),
    (("game", "moves"), [["flag", 0, 99]]),
    (("game", "moves"), [["reveal", 0, 0], ["reveal", 0, 0]]),
    (("dealt",), None),
    (("dealt",), "seed=1"),
    (("dealt",), "height=6&width=6&mines=2&first=0,0&seed=1"),
    (("followed",), None),
    (("guessFree",), None),
    (("seconds",), -1),
    (("seconds",), "5"),
]


def test_damaged_saved_game_is_ignored(small: Table) -> None:
    whole = small.page.evaluate("sessionStorage.getItem('minecheck.game')")
    stored = [whole, "{", ""]
    for keys, value in DAMAGES:
        root = {"all": json.loads(whole)}
        *path, last = ("all", *keys)
        node: Any = root
        for key in path:
            node = node[key]
        node[last] = value
        stored.append(json.dumps(root["all"]))
    taken = small.page.evaluate(
        """async (stored) => {
            const { savedGame } = await import("/page/play/saved-game.js");
            return stored.map((text) => {
                sessionStorage.setItem("minecheck.game", text);
                return savedGame() !== null;
            });
        }""",
        stored,
    )
    assert taken == [True] + [False] * (len(stored) - 1)


@pytest.mark.parametrize(
    "script",
    [
        "sessionStorage.setItem('minecheck.game', '{\"game\": {\"height\": 3}}')",
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('no'); } })",
    ],
    ids=["damaged", "forbidden"],
)
def test_new_game_begins_without_a_saved_game(opened: Opened, script: str) -> None:
    page = opened("/page/icon.svg", routes=dealing(["0" * 9] * 7 + ["000000122", "0000001BB"]))
    page.add_init_script(script)
    page.goto(opened.url)
    table = Table(page, 9)
    expect(page.locator("#play .cell")).to_have_count(81)
    expect(page.locator("#message")).to_be_hidden()
    table.cell(0, 0).click()
    table.shows(0, 0, "0")


def test_record_keeps_games_and_the_best_time_without_help(small: Table) -> None:
    record = small.page.locator(".play-record")
    expect(record).to_have_text("")
    for row, col in LEFT:
        small.cell(row, col).click()
    expect(small.status).to_have_text(
        re.compile("^Won in 0:0[0-9][.][0-9]{3}[.] Your best time at this size!$")
    )
    expect(record).to_have_text(
        re.compile("^1 game of this size played here, 1 won; best time without help 0:0[0-9][.]$")
    )
    reload_page(small)
    # An undo, and a game that is resumed, are no other games.
    small.button("Undo").click()
    small.cell(2, 2).click()
    expect(record).to_contain_text("1 game of this size played here, 1 won;")
    small.button("Same board").click()
    expect(record).to_contain_text("1 game of this size played here, 1 won;")
    small.page.get_by_label("Level").select_option("expert")
    small.button("New game").click()
    expect(record).to_have_text("")


def test_game_won_with_hints_is_marked_and_has_no_best_time(small: Table) -> None:
    small.button("Hint").click()
    expect(small.status).to_contain_text("proved")
    reload_page(small)
    for row, col in LEFT:
        small.cell(row, col).click()
    expect(small.status).to_have_text(re.compile("^Won in 0:[0-9]{2}[.][0-9]{3} with hints[.]$"))
    expect(small.page.locator(".play-record")).to_have_text(
        "1 game of this size played here, 1 won."
    )
