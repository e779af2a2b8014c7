"""The automaton that reads a strip."""

import json
from io import BytesIO
from itertools import product

import pytest
from PIL import Image

from minecheck.app.functions import run as running
from minecheck.automata import Window
from minecheck.automata.profiles import Profiles
from minecheck.minefield import parse
from minecheck.solvers import Deadline
from tests.app.serving import Server
from tests.page.conftest import Opened
from tests.page.site import expect, link
from tests.page.strips.tab import (
    FRAMED,
    HU_LIN,
    cell,
    choose,
    press,
    states,
    strips,
    tab,
    wait_for_text,
)

pytestmark = pytest.mark.slow

#: Any two columns differ, and eight cells of each are unknown: a million moves in all.
LARGE = [
    "".join("S" if row in (col % 10, (3 * col + 1 + col // 10) % 10) else "?" for col in range(20))
    for row in range(10)
]


def test_run_of_hu_and_lins_example_shows_the_states_of_the_service(
    opened: Opened, server: Server
) -> None:
    page = strips(opened, HU_LIN)
    run = server.post("/v1/automata/hu-lin/run", {"board": HU_LIN}).json()
    wait_for_text(page, "Before the first column: s0.")
    assert states(page) == [run["start"]]
    for column, step in enumerate(run["steps"]):
        press(page, "Step")
        merged, live = ", ".join(step["merged"]), ", ".join(step["live"])
        reached = ", ".join(step["reached"])
        wait_for_text(page, f"{step['symbol']}: reached {reached} ({merged}); live: {live}.")
        assert states(page) == step["reached"]
        assert states(page, live=True) == step["live"]
        for row in range(2):
            expect(cell(page, row, column)).to_have_attribute("data-kind", "target")
    expect(tab(page).get_by_role("button", name="Step", exact=True)).to_be_disabled()
    # From s0 to both states, and from each of them to one that lives; one move more is dead.
    expect(tab(page).locator(".diagram .move.live")).to_have_count(4)
    expect(tab(page).locator(".diagram .move")).to_have_count(5)
    wait_for_text(page, "Accepted")


def test_run_can_be_played_paused_and_moved_by_slider(opened: Opened) -> None:
    page = opened("/#play")
    page.clock.install()
    page.goto(opened.url + link(["?1?2??1?"], tab="strips"))
    page.clock.run_for(500)
    wait_for_text(page, "Before the first column: so.")
    press(page, "Play")
    page.clock.run_for(950)
    wait_for_text(page, "Column 2, 1:")
    press(page, "Pause")
    page.clock.run_for(5000)
    wait_for_text(page, "Column 2, 1:")
    slider = tab(page).get_by_label("Columns read")
    slider.press("End")
    wait_for_text(page, "Column 8, ?:")
    slider.press("ArrowLeft")
    wait_for_text(page, "Column 7, 1:")
    press(page, "To the start")
    wait_for_text(page, "Before the first column: so.")


def test_rejected_run_says_where(opened: Opened) -> None:
    page = strips(opened, ["1?3?2"])
    wait_for_text(page, "Inconsistent.")
    wait_for_text(page, "Rejected: after column 3 no run is left.")
    wait_for_text(page, "Kadlac's machine writes 0BXXX.")
    page.evaluate("(hash) => { location.hash = hash; }", link(["00", "BB"], tab="strips")[1:])
    wait_for_text(page, "Column 1: no consistent board has 0 over B in a column")


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
def test_run_and_answer_about_a_window_agree(
    opened: Opened, server: Server, rows: list[str], numbers: tuple[int, ...], names: list[str]
) -> None:
    page = strips(opened, rows)
    choose(page, *numbers)
    body = {"board": rows, "window": ",".join(map(str, numbers))}
    consistent = server.post("/v1/strips", body).json()["consistent"]
    wait_for_text(page, "Consistent." if consistent else "Inconsistent.")
    choices = tab(page).get_by_label("Machine")
    for name in names:
        choices.select_option(name)
        ended = tab(page).locator(".automaton")
        expect(ended).to_contain_text("Accepted" if consistent else "Rejected")
        press(page, "To the end")
        run = server.post(f"/v1/automata/{name}/run", body).json()
        assert sorted(states(page)) == sorted(run["steps"][-1]["reached"])
        expect(tab(page).locator("input[name=step]")).to_have_attribute(
            "max", str(len(run["steps"]))
        )


def test_run_in_a_window_draws_its_moves(opened: Opened) -> None:
    page = strips(opened, ["???", "?1?", "???"])
    choose(page, 1, 1, 1, 1)
    wait_for_text(page, "Accepted: the window is consistent.")
    press(page, "To the end")
    wait_for_text(page, "Column 3, ???:")
    # Every column but the first can be come to.
    expect(tab(page).locator(".diagram .move.live").first).to_be_attached()


def test_run_numbers_columns_and_rows_as_on_the_board(opened: Opened) -> None:
    page = strips(opened, ["????", "????", "??3?", "??B1"])
    choose(page, 2, 2, 2, 2)
    wait_for_text(page, "The 3 at row 3, column 3 needs 0 to 3 of its mines in the window.")
    expect(tab(page).get_by_label("Machine")).to_have_value("strip-3")
    wait_for_text(page, "Before the first column: ---.")
    press(page, "Step")
    # What lies left of the window, and above it.
    wait_for_text(page, "Column 2, ???:")
    for row in (1, 2, 3):
        expect(cell(page, row, 1)).to_have_attribute("data-kind", "target")
    press(page, "Step")
    wait_for_text(page, "Column 3, ?3B:")
    expect(tab(page).locator(".diagram .now .head")).to_have_text("column 3")


def test_run_that_reads_rows_calls_them_rows(opened: Opened) -> None:
    page = strips(opened, ["??", "??", "??", "0B"])
    choose(page, 1, 0, 3, 2)
    tab(page).get_by_label("Machine").select_option("hu-lin")
    wait_for_text(page, "Before the first row: s0.")
    wait_for_text(page, "Rejected: after row 4 no run is left.")
    wait_for_text(page, "Row 4 as a column: no consistent board has")
    press(page, "Step")
    expect(tab(page).locator(".diagram .now .head")).to_have_text("row 2")
    expect(tab(page).get_by_label("Rows read")).to_have_value("1")


def test_run_is_shown_when_its_moves_cannot_be_loaded(opened: Opened) -> None:
    page = opened("/#play")
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/automata/hu-lin?**", lambda route: route.abort())
    page.goto(opened.url + link(HU_LIN, tab="strips"))
    wait_for_text(page, "Accepted")
    wait_for_text(page, "The moves between the states could not be loaded.")
    press(page, "Step")
    expect(tab(page).locator(".diagram .now .state.live")).to_have_count(2)
    expect(tab(page).locator(".diagram .move")).to_have_count(0)
    page.unroute("**/v1/automata/hu-lin?**")
    press(page, "Ask again")
    press(page, "To the end")
    expect(tab(page).locator(".diagram .move")).to_have_count(5)
    expect(tab(page)).not_to_contain_text("could not be loaded")


@pytest.mark.parametrize("chosen", ["", "dark", "light"])
def test_machine_picture_follows_the_colour_scheme(opened: Opened, chosen: str) -> None:
    page = strips(opened, HU_LIN, color_scheme="dark")
    # From the colours of the system to light, and on to dark.
    for _ in range(("", "light", "dark").index(chosen)):
        page.locator("#theme").click()
    picture = tab(page).locator(".machine-frame")
    expect(picture.locator(".state").first).to_be_visible()
    corner = Image.open(BytesIO(picture.screenshot())).convert("L").getpixel((4, 4))
    assert isinstance(corner, int)
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
def test_strips_offers_the_machines_that_read_the_strip(
    opened: Opened, rows: list[str], names: list[str], columns: int
) -> None:
    page = strips(opened, rows)
    press(page, "Whole board")
    choices = tab(page).get_by_label("Machine")
    expect(choices.locator("option")).to_have_text(names)
    expect(tab(page).locator("input[name=step]")).to_have_attribute("max", str(columns))


def test_run_that_reads_rows_marks_rows_on_the_board(opened: Opened) -> None:
    page = strips(opened, ["1?", "??", "?1"])
    expect(tab(page).get_by_label("Rows read")).to_have_attribute("max", "3")
    wait_for_text(page, "Before the first row: s0.")
    press(page, "Step")
    wait_for_text(page, "Row 1, 1?:")
    # The same strip once more: its run goes on.
    with page.expect_response("**/v1/strips"):
        press(page, "Whole board")
    for col in range(2):
        expect(cell(page, 0, col)).to_have_attribute("data-kind", "target")
    expect(cell(page, 1, 0)).not_to_have_attribute("data-kind", "target")


@pytest.mark.parametrize("machine", ["kadlac", "strip-2"])
def test_machine_picture_shows_the_current_states_of_the_run(opened: Opened, machine: str) -> None:
    page = strips(opened, ["?1?"] if machine == "kadlac" else ["?1?", "???"])
    tab(page).get_by_label("Machine").select_option(machine)
    picture = tab(page).locator(".machine-frame")
    now = picture.locator(".state.now")
    expect(now).to_have_count(1)
    press(page, "Step")
    expect(now).to_have_count(len(states(page)))
    expect(now.first).to_be_visible()
    before = picture.locator("svg").bounding_box()["width"]
    tab(page).get_by_role("slider", name="Zoom").press("ArrowRight")
    assert picture.locator("svg").bounding_box()["width"] > before
    seen, state = picture.bounding_box(), now.first.bounding_box()
    assert seen["x"] <= state["x"] <= seen["x"] + seen["width"]
    assert seen["y"] <= state["y"] <= seen["y"] + seen["height"]


def test_page_profile_moves_are_those_of_the_automaton(opened: Opened) -> None:
    """All moves of strip-1, and of strip-2 by columns of some cells, against the Python code."""
    page = opened("/#play")
    moves = []
    for width, cells in ((1, "012345678?BS"), (2, "0124?BS")):
        machine = Profiles(width).build_machine(cells)
        for state, symbol in product(machine.states, map("".join, product(cells, repeat=width))):
            moves.append((state, symbol, machine.moves[state].get(symbol, ()), machine.states))
    script = """async (moves) => {
        const { profileLeads } = await import("/page/strips/automata.js");
        return moves.filter(([state, symbol, targets, states]) =>
            states.some((to) => profileLeads(state, symbol, to) !== targets.includes(to)));
    }"""
    assert page.evaluate(script, moves) == []


def test_run_too_large_to_be_shown_is_read_step_by_step(opened: Opened, server: Server) -> None:
    page = strips(opened, LARGE)
    press(page, "Whole board")
    wait_for_text(page, 'The run is too large to be shown whole: "Step" reads one column more.')
    expect(tab(page).get_by_role("button", name="To the end")).to_be_disabled()
    before = None
    step = tab(page).get_by_role("button", name="Step", exact=True)
    columns = ["".join(column) for column in zip(*LARGE, strict=True)]
    for column, symbol in enumerate(columns[:2]):
        # The keyboard stays on its button.
        step.press("Enter")
        body = {"column": symbol, "states": before}
        reached = server.post("/v1/automata/strip-10/step", body).json()["reached"]
        wait_for_text(
            page, f"Column {column + 1}, {symbol}: reached {len(reached)} states: {reached[0]}, "
        )
        assert states(page) == reached[:24]
        expect(step).to_be_focused()
        expect(cell(page, 9, column)).to_have_attribute("data-kind", "target")
        before = reached
    # Back and on again, the page repeats no request.
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/automata/*/step", lambda route: route.abort())
    press(page, "Back")
    wait_for_text(page, f"Column 1, {columns[0]}:")
    press(page, "To the start")
    wait_for_text(page, "Before the first column: ----------.")
    tab(page).get_by_label("Columns read").press("End")
    wait_for_text(page, f"Column 2, {columns[1]}:")
    press(page, "Step")
    wait_for_text(page, "The service cannot be reached.")
    page.unroute("**/v1/automata/*/step")
    press(page, "Ask again")
    wait_for_text(page, f"Column 3, {columns[2]}:")
    expect(tab(page)).not_to_contain_text("cannot be reached")
    press(page, "Play")
    wait_for_text(page, f"Column 5, {columns[4]}:")
    press(page, "Pause")


def test_run_with_too_many_states_does_not_show_them(opened: Opened) -> None:
    page = strips(opened, ["?" * 12] * 10)
    press(page, "Whole board")
    wait_for_text(page, "The run is too large to be shown whole")
    press(page, "Step")
    wait_for_text(page, "Column 1, ??????????: reached 1,024 states")
    press(page, "Step")
    wait_for_text(page, "After column 2 there are more states than can be shown.")
    press(page, "Back")
    expect(tab(page)).not_to_contain_text("more states than can be shown")


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        (["????", "?2?F", "?3B?", "BBB1"], (0, 0, 4, 4)),
        # In the window its clues have one mine less and none; the last has too many.
        (["?BS??", "?2??F", "?1B??", "BB0?S"], (1, 1, 2, 2)),
        (["?BS??", "?2??F", "?1B??", "BB0?S"], (2, 2, 2, 3)),
        (["??", "1?", "??", "3?", "FS"], (1, 0, 3, 1)),
    ],
)
def test_single_automaton_steps_agree_with_the_whole_run(
    opened: Opened, server: Server, rows: list[str], numbers: tuple[int, ...]
) -> None:
    """The service gives the whole run; a route makes the page request each step."""
    body = {"board": rows, "window": ",".join(map(str, numbers))}
    name = server.post("/v1/strips", body).json()["machines"][-1]
    run = server.post(f"/v1/automata/{name}/run", body).json()
    # What the service says of a run that it has no time for.
    run_input = running.RunInput(name, parse(rows), Window(*numbers))
    stepless = json.loads(running.answer_run(run_input, Deadline(0.0)))
    assert stepless["steps"] is None
    page = opened("/#play")
    page.route(f"**/v1/automata/{name}/run", lambda route: route.fulfill(json=stepless))
    page.goto(opened.url + link(rows, tab="strips"))
    choose(page, *numbers)
    tab(page).get_by_label("Machine").select_option(name)
    wait_for_text(page, "The run is too large to be shown whole")
    for step in run["steps"]:
        press(page, "Step")
        expect(tab(page).locator(".diagram .now .symbol")).to_have_text(step["symbol"])
        wait_for_text(page, f", {step['symbol']}: ")
        assert sorted(states(page)) == sorted(step["reached"])
    expect(tab(page).get_by_role("button", name="Step", exact=True)).to_be_disabled()
    assert sorted(states(page, live=True)) == sorted(run["steps"][-1]["live"])
