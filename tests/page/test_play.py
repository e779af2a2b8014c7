"""The tab Play, its board and the shell around it, in Chromium and against a real server."""

import json
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import httpx2
import pytest

from tests.app.serving import Server
from tests.page.conftest import Opened

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
expect = playwright.expect

#: An expert board that needs no guess from row 8, column 15 on (by ms_toollib).
EXPERT = [
    "0124BB3B212B21BB22B101B3BB3110",
    "01BBBB32B12B2123B212122B4B3B10",
    "01245421112331122101B111213220",
    "0123BB21001BB11B21122311012B21",
    "01BB44B1012321124B32B2B101B4B1",
    "0134B21101B21001BB4B3422012B21",
    "001B2100012B211123B3B3B3112231",
    "0011101111333B10022313B3B22B2B",
    "0111001B22BB311002B311122B3221",
    "01B101233B4B421002BB200012B100",
    "012333B2B233BB20025B3000011100",
    "001BBB22111B4B2001BB3232211000",
    "0013B4200011222213332BBB2B2211",
    "01133B10000002B3B3B1123223B3B1",
    "23B2B210122113B32B21112124B411",
    "BB2211001BB11B2111101B2B2BB200",
]

#: From the corner, all opens but the mines and the three cells beside the lower one.
SMALL = ["000000", "011100", "01B211", "0112B1", "000111"]
SMALL_LINK = "/#play?height=5&width=6&mines=2&first=0,0&seed=1"
LEFT = [(3, 5), (4, 4), (4, 5)]


def dealing(rows: list[str]) -> dict[str, Callable[[Any], Any]]:
    """Routes that deal a board in place of the service."""
    found = {"found": True, "layout": rows}
    return {"**/v1/boards": lambda route: route.fulfill(json=found)}


class Table:
    """A page with a game."""

    def __init__(self, page: Any, width: int) -> None:
        self.page = page
        self.width = width
        self.said = page.locator(".play-said")

    def cell(self, row: int, col: int) -> Any:
        return self.page.locator(f"#play .cell[data-at='{row * self.width + col}']")

    def shows(self, row: int, col: int, symbol: str) -> None:
        expect(self.cell(row, col)).to_have_attribute("data-symbol", symbol)

    def marked(self, row: int, col: int, kind: str) -> None:
        expect(self.cell(row, col)).to_have_attribute("data-kind", kind)

    def button(self, name: str) -> Any:
        return self.page.locator("#play").get_by_role("button", name=name, exact=True)

    def symbols(self) -> str:
        found: str = self.page.evaluate(
            "[...document.querySelectorAll('#play .cell')].map(c => c.dataset.symbol).join('')"
        )
        return found


@pytest.fixture
def small(opened: Opened) -> Table:
    """The small board, its corner open."""
    table = Table(opened(SMALL_LINK, routes=dealing(SMALL)), 6)
    table.shows(2, 1, "1")
    return table


# The game


def in_page(page: Any, script: str) -> Any:
    """What the body of an async function with the game module returns."""
    return page.evaluate(
        f"""async () => {{
            const {{ Game, layoutWithOpening }} = await import("/page/game.js");
            {script}
        }}"""
    )


@pytest.fixture
def blank(opened: Opened) -> Any:
    return opened()


def test_a_cell_without_mines_around_opens_all_that_follows(blank: Any) -> None:
    script = f"""
        const game = new Game({{ height: 5, width: 6, mines: 2 }});
        const before = game.state;
        game.deal({json.dumps(SMALL)});
        game.reveal(0, 0);
        return [before, game.state, game.shown()];
    """
    shown = ["000000", "011100", "01?211", "0112??", "0001??"]
    assert in_page(blank, script) == ["ready", "playing", shown]


def test_every_move_can_be_taken_back_to_the_start(blank: Any) -> None:
    script = f"""
        const game = new Game({{ height: 5, width: 6, mines: 2 }});
        game.deal({json.dumps(SMALL)});
        const boards = [];
        const moves = [
            () => game.flag(2, 2), () => game.reveal(0, 0), () => game.flag(4, 4),
            () => game.flag(4, 4), () => game.flag(4, 4), () => game.chord(3, 3),
        ];
        for (const move of moves) {{
            boards.push([game.shown(), game.minesLeft, game.opened]);
            if (!move()) throw new Error("nothing happened");
        }}
        const states = [game.state];
        const back = [];
        while (game.undo()) back.unshift([game.shown(), game.minesLeft, game.opened]);
        return [states, game.undone, JSON.stringify(back) === JSON.stringify(boards), back.length];
    """
    # The last chord is wrong: the flag belongs one row higher.
    assert in_page(blank, script) == [["lost"], 6, True, 6]


def test_a_chord_opens_only_beside_as_many_flags_as_the_number_says(blank: Any) -> None:
    script = f"""
        const game = new Game({{ height: 5, width: 6, mines: 2 }});
        game.deal({json.dumps(SMALL)});
        game.reveal(0, 0);
        const done = [game.chord(2, 4)];
        game.flag(3, 4);
        done.push(game.chord(2, 4), game.chord(2, 4), game.chord(3, 3));
        return [done, game.shown()];
    """
    shown = ["000000", "011100", "01?211", "0112F1", "0001??"]
    assert in_page(blank, script) == [[False, True, False, False], shown]


def test_a_lost_game_shows_its_mines_and_wrong_flags_only_when_told(blank: Any) -> None:
    script = f"""
        const game = new Game({{ height: 5, width: 6, mines: 2 }});
        game.deal({json.dumps(SMALL)});
        game.flag(4, 5);
        game.reveal(2, 2);
        const boards = [game.shown(), game.shown(true), game.position];
        return [game.state, ...boards.map((rows) => rows.join(""))];
    """
    state, shown, all_shown, position = in_page(blank, script)
    assert state == "lost"
    assert (shown.count("X"), shown.count("B"), shown[-1]) == (1, 0, "F")
    assert (all_shown.count("X"), all_shown.count("B"), all_shown[-1]) == (1, 1, "!")
    assert set(position) == {"?", "F"}


def test_layouts_made_here_open_at_the_first_cell_and_follow_from_their_seed(blank: Any) -> None:
    script = """
        const found = [];
        for (let seed = 0; seed < 40; seed += 1) {
            const size = { height: 9, width: 9, mines: 10 };
            found.push(layoutWithOpening(size, [seed % 9, 4], seed));
        }
        const again = layoutWithOpening({ height: 9, width: 9, mines: 10 }, [0, 4], 0);
        const full = layoutWithOpening({ height: 2, width: 2, mines: 3 }, [1, 0], 5);
        return [found, again, full];
    """
    found, again, full = in_page(blank, script)
    assert again == found[0]
    assert len({tuple(rows) for rows in found}) == 40
    assert full == ["BB", "3B"]
    for seed, rows in enumerate(found):
        assert rows[seed % 9][4] == "0"
        for row, col in product(range(9), range(9)):
            around = [
                rows[r][c]
                for r in range(max(0, row - 1), min(9, row + 2))
                for c in range(max(0, col - 1), min(9, col + 2))
            ]
            assert rows[row][col] in ("B", str(around.count("B")))
        assert "".join(rows).count("B") == 10


# Playing


def test_the_first_click_opens_and_starts_the_game(opened: Opened) -> None:
    wishes = []

    def deal(route: Any) -> None:
        wishes.append(route.request.post_data_json)
        route.fulfill(json={"found": True, "layout": EXPERT})

    page = opened(routes={"**/v1/boards": deal})
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 15).click()
    table.shows(8, 15, "0")
    (wish,) = wishes
    assert (wish["height"], wish["width"], wish["mines"]) == (16, 30, 99)
    assert (wish["kind"], wish["first"]) == ("guess-free", [8, 15])


def test_an_expert_game_is_won_on_hints_alone(opened: Opened) -> None:
    page = opened(
        "/#play?height=16&width=30&mines=99&first=8,15&seed=1&guessFree=1", routes=dealing(EXPERT)
    )
    table = Table(page, 30)
    table.shows(8, 15, "0")
    for _ in range(20):
        table.button("Hint").click()
        expect(table.said).to_have_text(re.compile("Proved: [1-9]"))
        # Opening one may open others.
        page.evaluate(
            """() => {
                const safe = "#play .cell[data-symbol='?'][data-kind='safe']";
                for (const cell of document.querySelectorAll(safe)) {
                    if (cell.dataset.symbol === "?") cell.click();
                }
            }"""
        )
        if table.said.get_attribute("data-kind") == "won":
            break
    expect(table.said).to_have_text(re.compile("^Won in [0-9]+:[0-9]{2}[.]$"))
    assert table.symbols() == "".join(EXPERT).replace("B", "F")


def test_safe_cells_are_played_one_by_one(small: Table) -> None:
    for left in (2, 1, 0):
        small.button("Play a safe cell").click()
        if left:
            small.page.wait_for_function(
                "n => document.querySelectorAll(`#play [data-symbol='?']`).length === n",
                arg=2 + left,
            )
    expect(small.said).to_contain_text("Won")


def test_a_whole_game_is_played_by_the_keyboard(small: Table) -> None:
    page, press = small.page, small.page.keyboard.press
    for _ in range(40):
        press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    press("Control+End")
    expect(small.cell(4, 5)).to_be_focused()
    press("ArrowUp")
    press("ArrowLeft")
    press("f")
    small.shows(3, 4, "F")
    press("PageUp")
    expect(small.cell(0, 4)).to_be_focused()
    press("ArrowDown")
    press("ArrowDown")
    press("c")
    small.shows(3, 5, "1")
    press("End")
    press("PageDown")
    press("Enter")
    small.shows(4, 5, "1")
    press("u")
    small.shows(4, 5, "?")
    press("Space")
    press("ArrowLeft")
    press("Enter")
    expect(small.said).to_contain_text("with 1 undo")
    small.shows(2, 2, "F")


def test_a_fatal_move_is_taken_back(small: Table) -> None:
    small.cell(3, 4).click()
    small.shows(3, 4, "X")
    expect(small.said).to_have_text("That was a mine. Undo takes it back.")
    small.button("Show all mines").click()
    small.shows(2, 2, "B")
    small.button("Undo").click()
    small.shows(3, 4, "?")
    small.shows(2, 2, "?")
    expect(small.page.locator(".play-state")).to_contain_text("Undos1")
    for row, col in LEFT:
        small.cell(row, col).click()
    expect(small.said).to_contain_text("Won")


@pytest.mark.parametrize("how", ["double", "middle", "both"])
def test_mice_flag_and_chord(small: Table, how: str) -> None:
    mouse = small.page.mouse
    small.cell(3, 4).click(button="right")
    small.shows(3, 4, "F")
    box = small.cell(2, 4).bounding_box()
    mouse.move(box["x"] + 9, box["y"] + 9)
    if how == "double":
        small.cell(2, 4).dblclick()
    elif how == "middle":
        mouse.down(button="middle")
        mouse.up(button="middle")
    else:
        for button in ("left", "right"):
            mouse.down(button=button)
        for button in ("right", "left"):
            mouse.up(button=button)
    small.shows(3, 5, "1")
    small.shows(2, 4, "1")


def test_fingers_flag_by_a_long_press_or_a_switch(opened: Opened) -> None:
    page = opened(SMALL_LINK, routes=dealing(SMALL), has_touch=True, is_mobile=True)
    table = Table(page, 6)
    table.shows(0, 0, "0")
    box = table.cell(3, 4).bounding_box()
    devtools = page.context.new_cdp_session(page)
    point = {"x": box["x"] + 9, "y": box["y"] + 9}
    devtools.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    table.shows(3, 4, "F")
    devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    table.button("Tap flags").tap()
    table.cell(2, 2).tap()
    table.shows(2, 2, "F")
    table.cell(3, 4).tap()
    table.shows(3, 4, "?")
    table.button("Tap flags").tap()
    table.cell(4, 5).tap()
    table.shows(4, 5, "1")


def test_a_link_leads_to_the_same_board(opened: Opened) -> None:
    page = opened(routes={"**/v1/boards": lambda route: route.abort()})
    opened.expected.append("ERR_FAILED")
    page.get_by_label("No guessing").uncheck()
    first = Table(page, 9)
    first.cell(2, 7).click()
    first.shows(2, 7, "0")
    first.button("Share this board").click()
    link = page.get_by_label("Link to this board").input_value()
    assert link.startswith(f"{opened.url}/#play?")
    other = Table(opened(link.removeprefix(opened.url)), 9)
    other.shows(2, 7, "0")
    assert other.symbols() == first.symbols()


@pytest.mark.parametrize(
    "hash",
    [
        "seed=1",
        "height=5&width=6&mines=30&first=0,0&seed=1",
        "height=5&width=6&mines=2&first=5,0&seed=1",
    ],
)
def test_a_bad_link_says_so(opened: Opened, hash: str) -> None:
    page = opened(f"/#play?{hash}")
    expect(page.get_by_role("alert")).to_have_text("The link to a board cannot be read.")
    expect(page.locator("#play .cell")).to_have_count(81)


def test_without_the_service_the_game_goes_on(opened: Opened) -> None:
    opened.expected.append("ERR_FAILED")
    page = opened(routes={"**/v1/**": lambda route: route.abort()})
    table = Table(page, 9)
    table.cell(4, 4).click()
    table.shows(4, 4, "0")
    expect(page.locator("#told")).to_contain_text("it may need guesses")
    shown = table.symbols()
    table.button("Hint").click()
    expect(page.get_by_role("alert")).to_have_text("The service cannot be reached.")
    page.get_by_role("button", name="Close the message").click()
    expect(page.locator("#told")).to_be_hidden()
    assert table.symbols() == shown
    table.page.locator("#play .cell[data-symbol='?']").first.click(button="right")
    expect(page.locator("#play .cell[data-symbol='F']")).to_have_count(1)
    table.button("Undo").click()
    expect(page.locator("#play .cell[data-symbol='F']")).to_have_count(0)


def test_a_board_that_may_need_guesses_is_not_passed_off_as_one_without(opened: Opened) -> None:
    found = {"found": False, "layout": None, "tries": 9}
    page = opened(routes={"**/v1/boards": lambda route: route.fulfill(json=found)})
    Table(page, 9).cell(4, 4).click()
    expect(page.locator("#told")).to_contain_text("No board without guesses was found in time.")


def test_the_service_deals_boards_that_need_no_guess(opened: Opened, server: Server) -> None:
    if httpx2.post(f"{server.url}/v1/boards", json={}).status_code == 404:
        pytest.skip("this server makes no boards")
    page = opened()
    table = Table(page, 9)
    table.cell(4, 4).click()
    table.shows(4, 4, "0")
    for _ in range(80):
        if table.said.get_attribute("data-kind") == "won":
            return
        closed = table.symbols().count("?")
        table.button("Play a safe cell").click()
        page.wait_for_function(
            """n => document.querySelector(".play-said[data-kind='won']")
                || document.querySelectorAll("#play [data-symbol='?']").length < n""",
            arg=closed,
        )
    pytest.fail("not won")


@pytest.mark.parametrize(
    "size", [(1, 1, 0), (2, 3, 0), (1, 2, 1), (5, 5, 24), (60, 60, 0), (60, 60, 3599)]
)
def test_games_of_every_size_are_played(opened: Opened, size: tuple[int, int, int]) -> None:
    # No such game with so many mines needs no guess; the service says that.
    opened.expected.append("422")
    page = opened()
    page.get_by_label("Level").select_option("custom")
    for name, number in zip(("Rows", "Columns", "Mines"), size, strict=True):
        field = page.locator("#play").get_by_role("spinbutton", name=name)
        field.fill(str(number))
    page.locator("#play").get_by_role("spinbutton", name="Mines").press("Tab")
    height, width, mines = size
    cells = page.locator("#play .cell")
    expect(cells).to_have_count(height * width)
    cells.first.click()
    table = Table(page, width)
    expect(table.said).to_contain_text("Won in")
    assert table.symbols().count("F") == mines


@pytest.mark.parametrize("size", [(0, 5, 1), (61, 5, 1), (5, 5, 25), (5, 5, -1), (2.5, 5, 1)])
def test_what_is_no_size_is_told_at_its_field(
    opened: Opened, size: tuple[float, float, float]
) -> None:
    page = opened()
    page.get_by_label("Level").select_option("custom")
    for name, number in zip(("Rows", "Columns", "Mines"), size, strict=True):
        page.locator("#play").get_by_role("spinbutton", name=name).fill(str(number))
    before = page.locator("#play .cell").count()
    Table(page, 9).button("New game").click()
    assert page.locator("#play input:invalid").count() >= 1
    expect(page.locator("#play .cell")).to_have_count(before)


def test_who_comes_back_to_a_link_goes_on_with_its_game(small: Table) -> None:
    page = small.page
    small.cell(3, 4).click(button="right")
    page.get_by_role("link", name="Analyse").click()
    page.get_by_role("link", name="Play").click()
    expect(page).to_have_url(re.compile("#play$"))
    page.go_back()
    page.go_back()
    expect(page).to_have_url(re.compile("seed=1"))
    small.shows(3, 4, "F")


def test_the_clock_rests_while_another_tab_is_shown(opened: Opened) -> None:
    held: list[Any] = []
    page = opened("/#analyse", routes={"**/v1/boards": lambda route: held.append(route)})
    page.clock.install()
    page.get_by_role("link", name="Play").click()
    table = Table(page, 9)
    table.cell(4, 4).click()
    page.get_by_role("link", name="Analyse").click()
    held[0].fulfill(json={"found": True, "layout": ["0" * 9] * 7 + ["000000122", "0000001BB"]})
    table.shows(4, 4, "0")
    page.clock.run_for(5000)
    page.get_by_role("link", name="Play").click()
    expect(table.cell(4, 4)).to_be_visible()
    expect(page.get_by_role("timer")).to_have_text("0:00")
    page.clock.run_for(5000)
    expect(page.get_by_role("timer")).to_have_text(re.compile("0:0[5-9]"))


def test_clicks_while_a_board_is_looked_for_lose_nothing(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(routes={"**/v1/boards": lambda route: held.append(route)})
    page.get_by_label("Level").select_option("custom")
    for name, number in (("Rows", 5), ("Columns", 6), ("Mines", 2)):
        page.locator("#play").get_by_role("spinbutton", name=name).fill(str(number))
    table = Table(page, 6)
    table.button("New game").click()
    table.cell(0, 0).click()
    expect(table.said).to_have_text("Looking for a board …")
    for row, col in ((4, 5), (2, 2), (0, 0)):
        table.cell(row, col).click()
    table.cell(3, 4).click(button="right")
    for name in ("Undo", "Hint", "Heat map", "Share this board"):
        table.button(name).click()
    expect(table.said).to_have_text("Looking for a board …")
    table.shows(3, 4, "F")
    (asked,) = held
    assert asked.request.post_data_json["first"] == [0, 0]
    asked.fulfill(json={"found": True, "layout": SMALL})
    table.shows(0, 0, "0")
    table.shows(3, 4, "F")
    table.shows(4, 5, "?")
    expect(table.said).not_to_have_class(re.compile("busy"))


def test_the_first_cell_opens_even_if_it_was_flagged_meanwhile(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(SMALL_LINK, routes={"**/v1/boards": lambda route: held.append(route)})
    table = Table(page, 6)
    expect(table.said).to_have_text("Looking for a board …")
    table.cell(0, 0).click(button="right")
    table.shows(0, 0, "F")
    held[0].fulfill(json={"found": True, "layout": SMALL})
    table.shows(0, 0, "0")
    table.shows(4, 5, "?")
    expect(page.locator(".play-state")).to_contain_text("Mines left2")


@pytest.mark.parametrize("keys", ["Control+z", "Meta+z"])
def test_undo_is_where_the_hands_expect_it(small: Table, keys: str) -> None:
    small.cell(4, 5).click()
    small.shows(4, 5, "1")
    small.cell(4, 5).press(keys)
    small.shows(4, 5, "?")
    small.button("Undo").press(keys)
    small.shows(0, 0, "?")
    for jump, (row, col) in (("End", (4, 5)), ("Home", (0, 0))):
        small.cell(2, 2).press(keys.replace("z", jump))
        expect(small.cell(row, col)).to_be_focused()


def test_a_position_is_taken_to_be_analysed(small: Table) -> None:
    page = small.page
    small.cell(4, 5).click(button="right")
    small.cell(3, 4).click()
    expect(small.said).to_contain_text("That was a mine.")
    small.button("Analyse this position").click()
    expect(page).to_have_url(re.compile("#analyse[?]b=000000.011100.01_211.0112__.0001_F&m=2$"))
    expect(page.locator("#analyse .cell[data-at='29']")).to_have_attribute("data-symbol", "F")
    expect(page.locator("#analyse .cell[data-at='22']")).to_have_attribute("data-symbol", "?")
    expect(page.get_by_role("link", name="Analyse")).to_be_focused()
    page.go_back()
    expect(small.cell(3, 4)).to_be_visible()
    small.shows(3, 4, "X")
    small.button("Undo").click()
    small.shows(3, 4, "?")


# A game is kept


def again(table: Table) -> None:
    """Load the page once more, and wait for its board."""
    table.page.reload()
    expect(table.cell(0, 0)).to_be_visible()


def test_a_game_goes_on_after_a_reload(small: Table) -> None:
    small.cell(3, 5).click(button="right")
    small.button("Undo").click()
    small.cell(3, 4).click(button="right")
    small.cell(4, 5).click()
    small.button("Share this board").click()
    link = small.page.get_by_label("Link to this board")
    expect(link).to_be_visible()
    before = (small.symbols(), link.input_value())
    again(small)
    small.shows(4, 5, "1")
    small.button("Share this board").click()
    expect(link).to_be_visible()
    assert (small.symbols(), link.input_value()) == before
    expect(small.page.locator(".play-state")).to_contain_text("Mines left1")
    expect(small.page.locator(".play-state")).to_contain_text("Undos1")
    for row, col, symbol in ((4, 5, "?"), (3, 4, "?"), (0, 0, "?")):
        small.button("Undo").click()
        small.shows(row, col, symbol)
    expect(small.button("Undo")).to_have_attribute("aria-disabled", "true")
    small.cell(0, 0).click()
    small.shows(2, 1, "1")
    small.button("Hint").click()
    expect(small.said).to_have_text("Proved: 3 safe, 2 with a mine.")


def test_a_game_that_ended_is_still_there_after_a_reload(small: Table) -> None:
    small.cell(3, 4).click()
    small.button("Show all mines").click()
    small.shows(2, 2, "B")
    again(small)
    small.shows(3, 4, "X")
    small.shows(2, 2, "B")
    expect(small.said).to_have_text("That was a mine. Undo takes it back.")
    small.button("Undo").click()
    for row, col in LEFT:
        small.cell(row, col).click()
    expect(small.said).to_contain_text("with 1 undo")
    again(small)
    expect(small.said).to_contain_text("with 1 undo")
    small.shows(3, 4, "F")


def test_the_clock_rests_while_the_page_is_away(opened: Opened) -> None:
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


def test_another_link_deals_its_own_board(opened: Opened) -> None:
    table = Table(opened(SMALL_LINK, routes=dealing(SMALL)), 6)
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


def test_a_link_whose_board_did_not_come_is_followed_again(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(SMALL_LINK, routes={"**/v1/boards": lambda route: held.append(route)})
    table = Table(page, 6)
    table.cell(3, 4).click(button="right")
    table.shows(3, 4, "F")
    page.unroute("**/v1/boards")
    page.route(*next(iter(dealing(SMALL).items())))
    again(table)
    table.shows(0, 0, "0")


def test_a_reload_without_a_board_keeps_the_size(opened: Opened) -> None:
    held: list[Any] = []
    page = opened(routes={"**/v1/boards": lambda route: held.append(route)})
    page.get_by_label("Level").select_option("intermediate")
    page.get_by_label("No guessing").uncheck()
    table = Table(page, 16)
    table.cell(3, 3).click()
    expect(table.said).to_have_text("Looking for a board …")
    again(table)
    expect(page.locator("#play .cell")).to_have_count(256)
    expect(page.get_by_label("Level")).to_have_value("intermediate")
    expect(page.get_by_label("No guessing")).not_to_be_checked()
    expect(table.said).to_have_text("Open any cell: the first one is never a mine.")
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
    (("disclosed",), 1),
    (("guessFree",), None),
    (("seconds",), -1),
    (("seconds",), "5"),
]


def test_what_is_damaged_is_no_game(small: Table) -> None:
    whole = small.page.evaluate("sessionStorage.getItem('minecheck.game')")
    stored = [whole, "{", ""]
    for keys, value in DAMAGES:
        root = {"all": json.loads(whole)}
        *path, last = ("all", *keys)
        place: Any = root
        for key in path:
            place = place[key]
        place[last] = value
        stored.append(json.dumps(root["all"]))
    taken = small.page.evaluate(
        """async (stored) => {
            const { kept } = await import("/page/kept.js");
            return stored.map((text) => {
                sessionStorage.setItem("minecheck.game", text);
                return kept() !== null;
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
def test_without_a_game_that_was_kept_a_new_one_begins(opened: Opened, script: str) -> None:
    page = opened("/page/icon.svg", routes=dealing(["0" * 9] * 7 + ["000000122", "0000001BB"]))
    page.add_init_script(script)
    page.goto(opened.url)
    table = Table(page, 9)
    expect(page.locator("#play .cell")).to_have_count(81)
    expect(page.locator("#told")).to_be_hidden()
    table.cell(0, 0).click()
    table.shows(0, 0, "0")


# Hints


def test_the_heat_map_shows_chances_and_the_safest_cell(small: Table) -> None:
    small.button("Heat map").click()
    expect(small.cell(2, 2)).to_have_attribute("data-heat", "4")
    expect(small.cell(2, 2)).to_have_attribute("aria-label", "row 2, column 2: unknown, 100 % mine")
    expect(small.cell(4, 4)).to_have_attribute("aria-label", re.compile("unknown.* 0 % mine"))
    expect(small.cell(3, 5)).to_have_attribute("aria-label", re.compile("the safest cell"))
    small.cell(3, 5).click()
    expect(small.cell(4, 4)).to_have_attribute("aria-label", re.compile("the safest cell"))
    small.button("Heat map").click()
    expect(small.page.locator("#play .cell[data-heat]")).to_have_count(0)


def test_a_guess_is_called_a_guess(opened: Opened) -> None:
    link = "/#play?height=1&width=5&mines=1&first=0,2&seed=1"
    table = Table(opened(link, routes=dealing(["0001B"])), 5)
    table.shows(0, 2, "0")
    table = Table(
        opened("/#play?height=2&width=2&mines=1&first=0,0&seed=1", routes=dealing(["11", "1B"])), 2
    )
    table.shows(0, 0, "1")
    table.button("Play a safe cell").click()
    expect(table.said).to_contain_text("No cell is safe for sure")
    expect(table.said).to_contain_text("33 % mine")
    table.marked(0, 1, "target")


def test_hints_stay_until_their_cells_are_open(small: Table) -> None:
    small.button("Hint").click()
    expect(small.said).to_have_text("Proved: 3 safe, 2 with a mine.")
    for row, col in LEFT:
        small.marked(row, col, "safe")
    small.cell(4, 5).click()
    expect(small.cell(4, 5)).not_to_have_attribute("data-kind", "safe")
    small.marked(4, 4, "safe")
    small.marked(2, 2, "mine")
    small.button("Undo").click()
    expect(small.page.locator("#play .cell[data-kind]")).to_have_count(0)


def test_why_leads_through_the_reasons_on_the_board(small: Table) -> None:
    small.button("Why?").click()
    expect(small.said).to_have_text("Why? Choose a marked cell.")
    small.cell(4, 4).click()
    panel = small.page.get_by_role("region", name="Explanation")
    expect(panel.get_by_role("heading")).to_have_text("Why row 4, column 4 is safe")
    expect(panel).to_contain_text("With the whole board in view single clues tell it")
    expect(panel).to_contain_text("The steps rest on few clues, and can be harder.")
    small.shows(4, 4, "?")
    small.marked(4, 4, "selected")
    steps = panel.get_by_role("listitem")
    assert steps.count() >= 2
    for at in range(steps.count()):
        expect(steps.nth(at).get_by_role("button")).to_have_attribute("aria-current", "step")
        assert small.page.locator("#play .cell[data-kind='reason']").count() >= 1
        panel.get_by_role("button", name="Next step").click()
    steps.first.get_by_role("button").click()
    expect(steps.first.get_by_role("button")).to_have_attribute("aria-current", "step")
    small.cell(4, 4).focus()
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    expect(small.cell(4, 4)).to_be_focused()
    small.page.keyboard.press("w")
    expect(panel).to_be_visible()
    small.page.keyboard.press("n")
    expect(steps.nth(1).get_by_role("button")).to_have_attribute("aria-current", "step")
    small.page.keyboard.press("Enter")
    expect(panel).to_be_hidden()


def test_flags_are_believed_only_if_they_are_trusted(small: Table) -> None:
    small.cell(4, 4).click(button="right")
    small.button("Hint").click()
    small.marked(4, 4, "safe")
    small.button("Play a safe cell").click()
    small.shows(3, 5, "1")
    small.page.get_by_label("Trust my flags").check()
    small.button("Hint").click()
    expect(small.said).to_contain_text("The flags cannot all be right")
    expect(small.page.locator("#play .cell[data-kind='conflict']").first).to_be_visible()
    small.cell(4, 4).focus()
    small.page.keyboard.press("w")
    heading = small.page.get_by_role("region", name="Explanation").get_by_role("heading")
    expect(heading).to_have_text("Why row 4, column 4 is safe")


@pytest.mark.parametrize("how", ["cell", "Undo", "New game"])
def test_a_question_ends_when_the_board_changes(opened: Opened, how: str) -> None:
    held: list[Any] = []
    page = opened(
        SMALL_LINK, routes={**dealing(SMALL), "**/v1/analyze": lambda route: held.append(route)}
    )
    table = Table(page, 6)
    table.shows(0, 0, "0")
    table.button("Hint").click()
    expect(table.said).to_have_class(re.compile("busy"))
    with page.expect_event("requestfailed") as failed:
        (table.cell(4, 5) if how == "cell" else table.button(how)).click()
    assert failed.value.url.endswith("/v1/analyze")
    expect(table.said).not_to_have_class(re.compile("busy"))
    expect(page.locator("#told")).to_be_hidden()


# The board


def test_only_cells_that_change_are_touched(blank: Any) -> None:
    touched = blank.evaluate(
        """async () => {
            const { BoardView } = await import("/page/board.js");
            const element = document.createElement("div");
            document.body.append(element);
            const view = new BoardView(element, { label: "Test" });
            const rows = Array(16).fill("?".repeat(30));
            const marks = new Map([["1,1", { chance: 0.25 }], ["2,2", { kind: "safe" }]]);
            view.show(rows, marks);
            const seen = new Set();
            const watch = new MutationObserver((all) => {
                for (const { target } of all) seen.add(target.closest(".cell").dataset.at);
            });
            watch.observe(element, { subtree: true, childList: true, attributes: true });
            view.show([...rows], new Map([...marks].map(([at, mark]) => [at, { ...mark }])));
            rows[3] = "1" + rows[3].slice(1);
            view.show(rows, new Map([["1,1", { chance: 0.25 }]]));
            await Promise.resolve();
            return [[...seen].sort(), view.rows[3][0]];
        }"""
    )
    assert touched == [["62", "90"], "1"]


def test_percentages_are_0_and_100_only_where_it_is_certain(opened: Opened) -> None:
    chances = [0, 1e-9, 0.004, 0.25, 0.994, 0.9999, 1]
    found = opened().evaluate(
        """async (chances) => {
            const { percentage } = await import("/page/board.js");
            return chances.map(percentage);
        }""",
        chances,
    )
    assert found == ["0", "<1", "<1", "25", "99", ">99", "100"]


def test_dragging_tells_every_cell_on_the_way(opened: Opened) -> None:
    page = opened()
    page.evaluate(
        """async () => {
            const { BoardView } = await import("/page/board.js");
            const view = new BoardView(document.getElementById("strips"), { drag: true });
            document.getElementById("play").hidden = true;
            document.getElementById("strips").hidden = false;
            view.show(["????", "????"]);
            window.told = [];
            const tell = (name) => view.addEventListener(name, ({ detail }) =>
                window.told.push([detail.phase ?? name, detail.row, detail.col]));
            ["drag", "primary"].forEach(tell);
        }"""
    )
    cells = page.locator("#strips .cell")
    cells.nth(0).hover()
    page.mouse.down()
    cells.nth(1).hover()
    cells.nth(6).hover()
    page.mouse.up()
    told = page.evaluate("window.told")
    assert told[0] == ["start", 0, 0]
    assert told[-1] == ["end", 1, 2]
    assert ["over", 0, 1] in told


# The shell


@pytest.mark.parametrize("level", ["beginner", "expert", "custom"])
def test_a_small_screen_scrolls_the_board_but_not_the_page(opened: Opened, level: str) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": 360, "height": 740}, has_touch=True)
    page.get_by_label("Level").select_option(level)
    if level == "expert":
        Table(page, 30).cell(8, 5).tap()
        Table(page, 30).button("Heat map").click()
        expect(page.locator("#play .cell[data-heat]").first).to_be_attached()
    for width in (320, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_small_screen_shows_what_is_said_beside_a_board_however_high(opened: Opened) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": 360, "height": 740}, has_touch=True)
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 5).tap()
    table.cell(0, 4).tap()
    expect(table.said).to_have_text("That was a mine. Undo takes it back.")
    page.evaluate("scrollTo(0, 0)")
    expect(table.said).to_be_in_viewport(ratio=1)
    # Nothing that is said hides nothing.
    table.button("Undo").tap()
    expect(table.said).to_have_text("")
    page.evaluate("scrollTo(0, 0)")
    expect(table.said).not_to_be_in_viewport()


@pytest.mark.parametrize("width", [320, 390])
def test_a_small_screen_has_the_hints_beside_a_board_however_high(
    opened: Opened, width: int
) -> None:
    page = opened(routes=dealing(EXPERT), viewport={"width": width, "height": 844}, has_touch=True)
    page.get_by_label("Level").select_option("expert")
    table = Table(page, 30)
    table.cell(8, 5).tap()
    table.shows(8, 5, "0")
    hints = [table.button(name) for name in ("Hint", "Heat map", "Why?", "Play a safe cell")]
    for height in (0, 200, 400):
        page.evaluate("(height) => scrollTo(0, height)", height)
        for hint in hints:
            expect(hint).to_be_in_viewport(ratio=1)
    before = page.evaluate("scrollY")
    hints[0].tap()
    expect(table.said).to_contain_text("Proved")
    assert page.evaluate("scrollY") == before > 0
    # The keyboard does not go below what lies over the board.
    table.cell(15, 5).focus()
    for row in range(14, -1, -1):
        page.keyboard.press("ArrowUp")
        expect(table.cell(row, 5)).to_be_focused()
        assert page.evaluate(
            """() => {
                const { x, y, width, height } = document.activeElement.getBoundingClientRect();
                const at = document.elementFromPoint(x + width / 2, y + height / 2);
                return document.activeElement.contains(at);
            }"""
        )


def test_everything_that_can_be_used_has_a_name(small: Table) -> None:
    small.button("Hint").click()
    small.marked(4, 4, "safe")
    small.cell(4, 4).focus()
    small.page.keyboard.press("w")
    expect(small.page.get_by_role("region", name="Explanation")).to_be_visible()
    devtools = small.page.context.new_cdp_session(small.page)
    nodes = devtools.send("Accessibility.getFullAXTree")["nodes"]
    roles = {}
    for node in nodes:
        if node["ignored"] or "role" not in node:
            continue
        role, name = node["role"]["value"], node.get("name", {}).get("value", "")
        roles.setdefault(role, []).append(name)
    for role in ("grid", "gridcell", "button", "checkbox", "combobox", "link", "heading", "region"):
        assert roles[role], role
        assert all(roles[role]), (role, roles[role])
    assert len(roles["main"]) == 1
    assert "row 4, column 4: unknown, selected" in roles["gridcell"]
    assert small.page.locator("#play .cell[tabindex='0']").count() == 1


#: Text on what it is written on, and at least 3 to 1 what is no text.
TEXTS = [
    *((text, "--paper") for text in ("--ink", "--faint", "--accent", "--safe", "--mine")),
    *((text, "--sheet") for text in ("--ink", "--faint", "--accent", "--warn")),
    *((f"--n{number}", "--cell-open") for number in range(1, 9)),
    *(("--ink", f"--heat-{warmth}") for warmth in range(5)),
    *((text, "--cell-closed") for text in ("--ink", "--safe", "--mine")),
    ("--on-accent", "--accent"),
]
SHAPES = [
    ("--safe", "--heat-0"),
    ("--mine", "--heat-4"),
    ("--ink", "--heat-4"),
    ("--accent", "--cell-open"),
    ("--warn", "--cell-closed"),
    ("--edge", "--sheet"),
]


def luminance(colour: str) -> float:
    """Of a colour as rgb(), by WCAG."""
    shares = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast(opened: Opened, scheme: str) -> None:
    page = opened(color_scheme="dark" if scheme == "light" else "light")
    # What is chosen wins over the system.
    page.get_by_label("Colours").select_option(scheme)
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


def test_the_colours_are_remembered(opened: Opened) -> None:
    page = opened(color_scheme="light")
    page.get_by_label("Colours").select_option("dark")
    page.reload()
    expect(page.get_by_label("Colours")).to_have_value("dark")
    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) < 0.05


def test_tabs_have_addresses_and_keep_what_is_in_them(small: Table) -> None:
    page = small.page
    page.get_by_role("link", name="Analyse").click()
    expect(page.locator("#analyse")).to_be_visible()
    expect(page.locator("#play")).to_be_hidden()
    expect(page).to_have_title(re.compile("^Analyse"))
    page.go_back()
    small.shows(2, 1, "1")
    expect(small.cell(2, 1)).to_be_visible()
    expect(page.get_by_role("link", name="Play")).to_have_attribute("aria-current", "page")


def test_the_keyboard_stays_at_the_tabs(opened: Opened) -> None:
    page = opened()
    for name in ("Analyse", "Play", "Strips"):
        link = page.get_by_role("link", name=name)
        link.press("Enter")
        expect(page.locator(f"#{name.lower()} .cell").first).to_be_visible()
        expect(link).to_be_focused()
    page.locator("#strips .cell[tabindex='0']").focus()
    page.go_back()
    expect(page.get_by_role("link", name="Play")).to_be_focused()


def test_an_unknown_tab_is_the_first(opened: Opened) -> None:
    page = opened("/#foo?seed=1")
    expect(page.locator("#play .cell")).to_have_count(81)
    expect(page).to_have_url(f"{opened.url}/#play")


# The route


def test_files_are_fetched_again_only_when_they_changed(server: Server) -> None:
    ours = ("/", "/docs", "/page/main.js", "/page/minecheck.js", "/page/style.css")
    for path in (*ours, "/page/swagger-ui-bundle.js", "/page/swagger-ui.css"):
        first = httpx2.get(server.url + path)
        assert first.status_code == 200
        assert first.headers["cache-control"] == "no-cache"
        tags = f'"other", W/{first.headers["etag"]}'
        again = httpx2.get(server.url + path, headers={"If-None-Match": tags})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert httpx2.head(server.url + path).headers["content-length"] == str(len(first.content))


@pytest.mark.parametrize(
    "name", ["nothing.js", "..%2Fmain.py", "%2e%2e/main.py", "", "main.js/", "__init__.py"]
)
def test_nothing_but_the_page_is_served(server: Server, name: str) -> None:
    assert httpx2.get(f"{server.url}/page/{name}").status_code == 404


def test_the_page_loads_nothing_from_elsewhere(opened: Opened, server: Server) -> None:
    policy = httpx2.get(server.url).headers.get_list("content-security-policy")[-1]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    page = opened()
    expect(page.locator("#play .cell")).to_have_count(81)
    loaded = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert loaded
    assert all(name.startswith((server.url, "data:")) for name in loaded)
