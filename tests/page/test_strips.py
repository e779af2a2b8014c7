"""The tab with strips and automata, in a browser: what it shows is what the service answers."""

from io import BytesIO
from itertools import product
from typing import Any

import pytest
from PIL import Image

from automata.profiles import Profiles
from tests.app.serving import Server
from tests.page.conftest import Opened
from tests.page.test_analyse import formats, link

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")

__all__ = ["formats"]

HU_LIN = ["?2", "B?"]
#: What lies around the middle rows decides nothing about the strip.
FRAMED = ["?????", "?121?", "?????"]


def strips(opened: Opened, rows: list[str], mines: int | None = None, **how: Any) -> Any:
    return opened(link(rows, mines, tab="strips"), **how)


def tab(page: Any) -> Any:
    return page.locator("#strips")


def expect(page: Any, text: str) -> None:
    sync_api.expect(tab(page)).to_contain_text(text)


def press(page: Any, name: str) -> None:
    tab(page).get_by_role("button", name=name, exact=True).click()


def cell(page: Any, row: int, col: int) -> Any:
    return tab(page).get_by_role("gridcell", name=f"row {row}, column {col}:")


def window(page: Any) -> list[int]:
    """Row, column, height and width, as the fields say."""
    names = ("row", "col", "height", "width")
    return [int(tab(page).locator(f"input[name={name}]").input_value()) for name in names]


def choose(page: Any, *numbers: int) -> None:
    for name, number in zip(("row", "col", "height", "width"), numbers, strict=True):
        tab(page).locator(f"input[name={name}]").fill(str(number))
        tab(page).locator(f"input[name={name}]").press("Enter")


def states(page: Any, live: bool = False) -> list[str]:
    """The states in the last column of the picture."""
    kind = ".state.live" if live else ".state"
    found: list[str] = tab(page).locator(f".trellis .now {kind} text").all_text_contents()
    return found


def test_hu_and_lins_example_walks_through_the_states_of_the_service(
    opened: Opened, server: Server
) -> None:
    page = strips(opened, HU_LIN)
    run = server.post("/v1/automata/hu-lin/run", {"board": HU_LIN}).json()
    expect(page, "Before the first column: s0.")
    assert states(page) == [run["start"]]
    for column, step in enumerate(run["steps"]):
        press(page, "Step")
        merged, live = ", ".join(step["merged"]), ", ".join(step["live"])
        reached = ", ".join(step["reached"])
        expect(page, f"{step['symbol']}: reached {reached} ({merged}); live: {live}.")
        assert states(page) == step["reached"]
        assert states(page, live=True) == step["live"]
        for row in range(2):
            sync_api.expect(cell(page, row, column)).to_have_attribute("data-kind", "target")
    sync_api.expect(tab(page).get_by_role("button", name="Step", exact=True)).to_be_disabled()
    # From s0 to both states, and from each of them to one that lives; one move more is dead.
    sync_api.expect(tab(page).locator(".trellis .move.live")).to_have_count(4)
    sync_api.expect(tab(page).locator(".trellis .move")).to_have_count(5)
    expect(page, "Accepted")


def test_a_run_plays_pauses_and_slides(opened: Opened) -> None:
    page = opened("/#play")
    page.clock.install()
    page.goto(opened.url + link(["?1?2??1?"], tab="strips"))
    page.clock.run_for(500)
    expect(page, "Before the first column: so.")
    press(page, "Play")
    page.clock.run_for(950)
    expect(page, "Column 1, 1:")
    press(page, "Pause")
    page.clock.run_for(5000)
    expect(page, "Column 1, 1:")
    slider = tab(page).get_by_label("Columns read")
    slider.press("End")
    expect(page, "Column 7, ?:")
    slider.press("ArrowLeft")
    expect(page, "Column 6, 1:")
    press(page, "To the start")
    expect(page, "Before the first column: so.")


def test_a_run_that_is_rejected_says_where(opened: Opened) -> None:
    page = strips(opened, ["1?3?2"])
    expect(page, "Inconsistent.")
    expect(page, "Rejected: after column 2 no run is left. Kadlac's machine writes 0BXXX.")
    page.evaluate("(hash) => { location.hash = hash; }", link(["00", "BB"], tab="strips")[1:])
    expect(page, "Column 0: no consistent board has 0 over B in a column")


def test_a_window_is_dragged_typed_and_chosen_by_its_corners(opened: Opened) -> None:
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
    sync_api.expect(cell(page, 1, 4)).to_have_attribute("data-kind", "window")
    sync_api.expect(cell(page, 2, 4)).not_to_have_attribute("data-kind", "window")


def test_what_is_the_same_in_all_is_written_to_the_board(opened: Opened) -> None:
    page = strips(opened, FRAMED)
    choose(page, 1, 0, 2, 5)
    expect(page, "4 layouts")
    expect(page, "3 clues with neighbours outside")
    press(page, "Apply what is the same in all")
    for row, col in ((1, 0), (1, 4), (2, 0), (2, 2), (2, 4)):
        sync_api.expect(cell(page, row, col)).to_have_attribute("data-symbol", "S")
    press(page, "Back to Analyse")
    there = page.locator("#analyse").get_by_role("gridcell", name="row 2, column 2:")
    sync_api.expect(there).to_have_attribute("data-symbol", "S")
    page.get_by_role("link", name="Strips").click()
    press(page, "Undo")
    sync_api.expect(cell(page, 2, 2)).to_have_attribute("data-symbol", "?")


def shown(page: Any, height: int, width: int) -> list[str]:
    """The rows that the board shows."""
    return [
        "".join(cell(page, row, col).get_attribute("data-symbol") for col in range(width))
        for row in range(height)
    ]


def test_layouts_of_a_window_are_gone_through_one_by_one(opened: Opened, server: Server) -> None:
    page = strips(opened, FRAMED)
    choose(page, 1, 0, 2, 5)
    expect(page, "4 layouts")
    body = {"board": FRAMED, "window": "1,0,2,5"}
    layouts = server.post("/v1/layouts", body).json()["layouts"]
    assert len(layouts) == 4
    press(page, "First")
    for number, layout in enumerate(layouts):
        expect(page, f"Layout number {number} of 4, counted from 0.")
        # Around the window the board stays as it is.
        assert shown(page, 3, 5) == [FRAMED[0], *layout]
        if number < 3:
            press(page, "Next")
    sync_api.expect(cell(page, 1, 0)).to_have_attribute("data-kind", "window")
    sync_api.expect(cell(page, 0, 0)).not_to_have_attribute("data-kind", "window")
    press(page, "Back to the board")
    assert shown(page, 3, 5) == FRAMED
    press(page, "Random")
    expect(page, "of 4, counted from 0.")
    assert shown(page, 3, 5)[1:] in layouts


def test_layouts_of_a_window_are_listed(opened: Opened, server: Server) -> None:
    page = strips(opened, ["?" * 5, "?" * 5, "0" * 5])
    choose(page, 0, 0, 1, 5)
    expect(page, "32 layouts")
    body = {"board": ["?" * 5, "?" * 5, "0" * 5], "window": "0,0,1,5"}
    layouts = server.post("/v1/layouts", body).json()["layouts"]
    assert len(layouts) == 32
    listed = tab(page).get_by_role("list", name="Layouts").get_by_role("button")
    sync_api.expect(listed).to_have_text(["\n".join(layout) for layout in layouts[:24]])
    press(page, "List more")
    sync_api.expect(listed).to_have_text(["\n".join(layout) for layout in layouts])
    sync_api.expect(tab(page).get_by_role("button", name="List more")).to_be_hidden()
    listed.nth(20).click()
    expect(page, "Layout number 20 of 32, counted from 0.")
    assert shown(page, 3, 5) == [*layouts[20], "?????", "00000"]
    choose(page, 2, 0, 1, 5)
    expect(page, "1 layout")
    sync_api.expect(listed).to_have_text(["00000"])


def test_any_number_of_a_layout_is_jumped_to(opened: Opened, server: Server) -> None:
    page = strips(opened, ["?" * 30] * 4)
    choose(page, 0, 0, 2, 30)
    number = tab(page).get_by_label("Number, from 0")
    number.fill("10^18")
    number.press("Enter")
    expect(page, "Layout number 1,000,000,000,000,000,000 of about")
    body = {"board": ["?" * 30] * 4, "window": "0,0,2,30", "offset": 10**18, "limit": 1}
    (layout,) = server.post("/v1/layouts", body).json()["layouts"]
    assert shown(page, 4, 30)[:2] == layout
    number.fill("10^19")
    number.press("Enter")
    expect(page, "Numbers go from 0 to")


def test_a_layout_at_random_is_one_of_all(opened: Opened) -> None:
    page = opened("/#play")
    script = """async () => {
        const { drawn } = await import("/page/numbers.js");
        const of = (below, times) => new Set(Array.from({ length: times }, () => drawn(below)));
        const long = 10n ** 40n;
        return [[...of(3n, 200)].map(Number).sort(), [...of(1n, 20)].map(Number),
            [...of(long, 50)].every((number) => number < long), of(long, 50).size];
    }"""
    assert page.evaluate(script) == [[0, 1, 2], [0], True, 50]


@pytest.mark.parametrize(
    ("rows", "numbers", "names"),
    [
        (FRAMED, (1, 0, 1, 5), ["strip-3"]),
        (["???", "?2B"], (0, 0, 1, 3), ["kadlac", "strip-1"]),
        # Each clue by itself can be content, but both see the same two cells.
        (["???", "20?"], (1, 0, 1, 3), ["hu-lin", "strip-2"]),
        (["0?", "B0"], (0, 0, 1, 2), ["strip-1", "strip-2"]),
    ],
)
def test_the_automaton_and_the_answer_about_a_window_agree(
    opened: Opened, server: Server, rows: list[str], numbers: tuple[int, ...], names: list[str]
) -> None:
    page = strips(opened, rows)
    choose(page, *numbers)
    body = {"board": rows, "window": ",".join(map(str, numbers))}
    consistent = server.post("/v1/strips", body).json()["consistent"]
    expect(page, "Consistent." if consistent else "Inconsistent.")
    choices = tab(page).get_by_label("Machine")
    for name in names:
        choices.select_option(name)
        ended = tab(page).locator(".player")
        sync_api.expect(ended).to_contain_text("Accepted" if consistent else "Rejected")
        press(page, "To the end")
        run = server.post(f"/v1/automata/{name}/run", body).json()
        assert sorted(states(page)) == sorted(run["steps"][-1]["reached"])
        sync_api.expect(tab(page).locator("input[name=step]")).to_have_attribute(
            "max", str(len(run["steps"]))
        )


def test_moves_are_drawn_in_a_window(opened: Opened) -> None:
    page = strips(opened, ["???", "?1?", "???"])
    choose(page, 1, 1, 1, 1)
    expect(page, "Accepted: the window is consistent.")
    press(page, "To the end")
    expect(page, "Column 2, ???:")
    # Every column but the first can be come to.
    sync_api.expect(tab(page).locator(".trellis .move.live").first).to_be_attached()


def test_numbers_are_those_of_the_board(opened: Opened) -> None:
    page = strips(opened, ["????", "????", "??3?", "??B1"])
    choose(page, 2, 2, 2, 2)
    expect(page, "The 3 at row 2, column 2: 0 to 3 in the window.")
    expect(page, "Before the first column: ---.")
    press(page, "Step")
    # What lies left of the window, and above it.
    expect(page, "Column 1, ???:")
    for row in (1, 2, 3):
        sync_api.expect(cell(page, row, 1)).to_have_attribute("data-kind", "target")
    press(page, "Step")
    expect(page, "Column 2, ?3B:")
    sync_api.expect(tab(page).locator(".trellis .now .head")).to_have_text("column 2")


def test_a_machine_that_reads_rows_says_so(opened: Opened) -> None:
    page = strips(opened, ["??", "??", "??", "0B"])
    choose(page, 1, 0, 3, 2)
    tab(page).get_by_label("Machine").select_option("hu-lin")
    expect(page, "Before the first row: s0.")
    expect(page, "Rejected: after row 3 no run is left.")
    expect(page, "Row 3 as a column: no consistent board has")
    press(page, "Step")
    sync_api.expect(tab(page).locator(".trellis .now .head")).to_have_text("row 1")
    sync_api.expect(tab(page).get_by_label("Rows read")).to_have_value("1")


def test_the_address_is_a_link_to_the_window(opened: Opened) -> None:
    page = strips(opened, FRAMED, mines=3)
    choose(page, 1, 0, 2, 5)
    expect(page, "4 layouts")
    page.wait_for_url("**/#strips?b=_____._121_._____&m=3&w=1,0,2,5")
    press(page, "Apply what is the same in all")
    page.wait_for_url("**/#strips?b=_____.S121S.S_S_S&m=3&w=1,0,2,5")
    page.reload()
    sync_api.expect(cell(page, 2, 2)).to_have_attribute("data-symbol", "S")
    assert window(page) == [1, 0, 2, 5]
    # Another tab and back.
    page.get_by_role("link", name="Analyse").click()
    page.locator("#analyse .verdict").get_by_text("onsistent").wait_for()
    page.get_by_role("link", name="Strips").click()
    page.wait_for_url("**/#strips?b=_____.S121S.S_S_S&m=3&w=1,0,2,5")
    page.evaluate(
        "(hash) => { location.hash = hash; }", f"{link(FRAMED, tab='strips')[1:]}&w=0,1,2,3"
    )
    sync_api.expect(tab(page).locator("input[name=col]")).to_have_value("1")
    assert window(page) == [0, 1, 2, 3]


@pytest.mark.parametrize("numbers", ["9,0,1,1", "0,0,2", "0,0,0,1", "x", "0,0,4,5"])
def test_a_link_to_a_window_that_is_none_says_so(opened: Opened, numbers: str) -> None:
    page = opened(f"{link(FRAMED, tab='strips')}&w={numbers}")
    told = page.get_by_role("alert").filter(has_text="The window of this link is not on its board.")
    told.wait_for()
    expect(page, "onsistent.")
    assert window(page) == [0, 0, 2, 5]


def test_a_total_of_mines_is_said_to_be_left_aside(opened: Opened) -> None:
    page = strips(opened, ["?1?"], mines=3)
    expect(page, "Consistent.")
    expect(page, "The total of 3 mines is left aside here")
    page = strips(opened, ["?1?"])
    expect(page, "Consistent.")
    sync_api.expect(tab(page)).not_to_contain_text("left aside")


def test_what_failed_is_asked_again(opened: Opened) -> None:
    page = opened("/#play")
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/strips", lambda route: route.abort())
    page.goto(opened.url + link(HU_LIN, tab="strips"))
    expect(page, "No answer.")
    expect(page, "The service cannot be reached.")
    page.unroute("**/v1/strips")
    page.route("**/v1/automata/*/run", lambda route: route.abort())
    press(page, "Ask again")
    expect(page, "2 layouts")
    player = tab(page).locator(".player")
    sync_api.expect(player).to_contain_text("The service cannot be reached.")
    page.unroute("**/v1/automata/*/run")
    press(page, "Ask again")
    expect(page, "Accepted")
    sync_api.expect(tab(page).get_by_role("button", name="Ask again")).to_have_count(0)


def test_a_run_is_shown_without_its_moves(opened: Opened) -> None:
    page = opened("/#play")
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/automata/hu-lin?**", lambda route: route.abort())
    page.goto(opened.url + link(HU_LIN, tab="strips"))
    expect(page, "Accepted")
    expect(page, "The moves between the states did not come.")
    press(page, "Step")
    sync_api.expect(tab(page).locator(".trellis .now .state.live")).to_have_count(2)
    sync_api.expect(tab(page).locator(".trellis .move")).to_have_count(0)
    page.unroute("**/v1/automata/hu-lin?**")
    press(page, "Ask again")
    press(page, "To the end")
    sync_api.expect(tab(page).locator(".trellis .move")).to_have_count(5)
    sync_api.expect(tab(page)).not_to_contain_text("did not come")


@pytest.mark.parametrize("chosen", ["", "dark", "light"])
def test_a_machine_is_dark_in_the_dark(opened: Opened, chosen: str) -> None:
    page = strips(opened, HU_LIN, color_scheme="dark")
    page.get_by_label("Colours").select_option(chosen)
    picture = tab(page).locator(".machine img")
    page.wait_for_function("() => document.querySelector('.machine img')?.naturalWidth > 100")
    corner = Image.open(BytesIO(picture.screenshot())).convert("L").getpixel((4, 4))
    assert corner > 200 if chosen == "light" else corner < 60


@pytest.mark.parametrize(
    ("rows", "names", "columns"),
    [
        (["1", "?"], ["kadlac", "strip-1", "hu-lin", "strip-2"], 2),
        (["1S?"], ["strip-1", "strip-3"], 3),
        (["1??", "???"], ["hu-lin", "strip-2", "strip-3"], 3),
        (["1????"] * 4, ["strip-4", "strip-5"], 5),
    ],
)
def test_machines_that_read_the_strip_are_offered(
    opened: Opened, rows: list[str], names: list[str], columns: int
) -> None:
    page = strips(opened, rows)
    press(page, "Whole board")
    choices = tab(page).get_by_label("Machine")
    sync_api.expect(choices.locator("option")).to_have_text(names)
    sync_api.expect(tab(page).locator("input[name=step]")).to_have_attribute("max", str(columns))


def test_a_machine_that_reads_rows_marks_them(opened: Opened) -> None:
    page = strips(opened, ["1?", "??", "?1"])
    sync_api.expect(tab(page).get_by_label("Rows read")).to_have_attribute("max", "3")
    expect(page, "Before the first row: s0.")
    press(page, "Step")
    expect(page, "Row 0, 1?:")
    # The same strip once more: its run goes on.
    with page.expect_response("**/v1/strips"):
        press(page, "Whole board")
    for col in range(2):
        sync_api.expect(cell(page, 0, col)).to_have_attribute("data-kind", "target")
    sync_api.expect(cell(page, 1, 0)).not_to_have_attribute("data-kind", "target")


def test_a_small_machine_is_shown_whole(opened: Opened) -> None:
    page = strips(opened, HU_LIN)
    page.wait_for_function("() => document.querySelector('.machine img')?.naturalWidth > 100")


def test_moves_of_profiles_are_those_of_the_automaton(opened: Opened) -> None:
    """All moves of strip-1, and of strip-2 by columns of some cells, against the Python code."""
    page = opened("/#play")
    asked = []
    for width, cells in ((1, "012345678?BS"), (2, "0124?BS")):
        machine = Profiles(width).machine(cells)
        for state, symbol in product(machine.states, map("".join, product(cells, repeat=width))):
            asked.append((state, symbol, machine.moves[state].get(symbol, ()), machine.states))
    script = """async (asked) => {
        const { profileLeads } = await import("/page/machines.js");
        return asked.filter(([state, symbol, targets, states]) =>
            states.some((to) => profileLeads(state, symbol, to) !== targets.includes(to)));
    }"""
    assert page.evaluate(script, asked) == []


def test_without_the_service_it_says_so(opened: Opened) -> None:
    page = strips(opened, HU_LIN)
    expect(page, "2 layouts")
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/**", lambda route: route.abort())
    choose(page, 0, 0, 1, 2)
    expect(page, "The service cannot be reached.")
    sync_api.expect(tab(page).locator(".player .state")).to_have_count(0)


def test_a_narrow_screen_is_not_scrolled_sideways(opened: Opened) -> None:
    page = strips(opened, ["?" * 30] * 16, viewport={"width": 360, "height": 740}, has_touch=True)
    expect(page, "Accepted")
    press(page, "To the end")
    expect(page, "Column 29, ??:")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    cell(page, 0, 0).tap()
    cell(page, 2, 5).tap()
    assert window(page) == [0, 0, 3, 6]
