"""The tab Analyse, in a browser: what it shows is what the service answers."""

import pytest

from tests.page.analyse.tab import CONFLICT, cell, expect_board, press, read_rows, wait_for_text
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow


def test_link_opens_its_board_with_the_analysis(opened: Opened) -> None:
    page = opened(link(["?1??"], 1))
    wait_for_text(page, "2 layouts")
    wait_for_text(page, "Forced: 1 safe cell.")
    expect_board(page, ["?1??"])
    expect(cell(page, 0, 0)).to_have_accessible_name("row 1, column 1: unknown, 50.0\u00a0% mine")
    expect(cell(page, 0, 3)).to_have_accessible_name("row 1, column 4: unknown, proved safe")


def test_repair_button_moves_the_focus_to_the_repaired_cell(opened: Opened) -> None:
    page = opened(link(CONFLICT))
    page.get_by_role("button", name="Change the 3 at row 3, column 1 to 1").press("Enter")
    expect(cell(page, 2, 0)).to_be_focused()
    page.keyboard.press("2")
    expect_board(page, ["11?", "???", "2??"])


def test_steps_of_a_conflict_mark_their_clues(opened: Opened) -> None:
    page = opened("/#play")
    # An answer that has found a conflict of other clues than the explanation will.
    conflict = {"clues": [[0, 1], [2, 0]], "total": False, "minimal": False, "smallest": False}
    answer = {"consistent": False, "conflict": conflict, "solver": {"complete": False}}
    page.route("**/v1/analyze", lambda route: route.fulfill(json=answer))
    page.goto(opened.url + link(CONFLICT))
    wait_for_text(page, "Inconsistent.")
    press(page, "Why?")
    wait_for_text(page, "2 clues contradict each other")
    page.get_by_role("button", name="The 1 at row 1, column 1 touches").click()
    expect(cell(page, 0, 0)).to_have_attribute("data-kind", "reason")
    expect(cell(page, 2, 0)).to_have_attribute("data-kind", "conflict")
    assert cell(page, 0, 1).get_attribute("data-kind") is None
    page.get_by_role("button", name="contradict each other").click()
    for row in (0, 2):
        expect(cell(page, row, 0)).to_have_attribute("data-kind", "conflict")


def test_impossible_total_is_reported_in_the_answer(opened: Opened) -> None:
    page = opened(link(["?1??"]))
    wait_for_text(page, "4 layouts")
    page.get_by_label("Mines in all").fill("4")
    wait_for_text(page, "The clues allow 1 to 2 mines.")
    wait_for_text(page, "No layout fits: the total of mines cannot be met.")
    opened.expected.append("422")
    page.get_by_label("Mines in all").fill("9")
    expect(
        page,
        "A board of 4 cells has 0 to 4 mines, known ones included; not 9. "
        'Change "Mines in all", or leave it empty.',
    )
    page.get_by_label("Mines in all").fill("two")
    message = page.get_by_label("Mines in all").evaluate("(field) => field.validationMessage")
    assert message.startswith("Enter a whole number")
    page.get_by_label("Mines in all").fill("2")
    assert page.locator("#analyse input:invalid").count() == 0


def test_explanation_of_a_forced_cell_marks_its_reasons_on_the_board(opened: Opened) -> None:
    page = opened(link(["?1??"], 1))
    cell(page, 0, 3).click()
    wait_for_text(page, "Row 1, column 4 is safe in every layout.")
    page.get_by_role("button", name="The 1 at row 1, column 2 touches").click()
    expect(cell(page, 0, 1)).to_have_attribute("data-kind", "reason")
    cell(page, 0, 0).click()
    wait_for_text(page, "is not forced")
    press(page, "A layout with a mine")
    expect_board(page, ["B100"])


def test_explanation_level_does_not_contradict_its_steps(opened: Opened) -> None:
    # Single clues find row 1, column 5; from the fewest clues it takes a supposition.
    rows = ["??01?1011", "1?12?102?", "02??1?02?", "02???01??", "1221001?1"]
    rows += ["2?3??01?2", "???10?1??", "2?42?01?2", "1?2?10111"]
    page = opened(link(rows, 14))
    cell(page, 0, 4).click()
    wait_for_text(page, "Suppose row 1, column 5 is a mine.")
    wait_for_text(page, "With the whole board in view, single clues are enough, one after another.")
    wait_for_text(page, "The steps use few clues, and can be harder.")


def test_analyse_aborts_older_requests(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    wait_for_text(page, "2 layouts")
    page.evaluate("""() => {
        window.signals = [];
        const plain = window.fetch;
        window.fetch = (resource, options) => {
            if (String(resource).endsWith("analyze")) window.signals.push(options.signal);
            return plain(resource, options);
        };
    }""")
    # Whoever holds a request never answers it.
    page.route("**/v1/analyze", lambda route: None)
    cell(page, 0, 0).focus()
    for key, given_up in (("0", [False]), ("Backspace", [True, False])):
        page.keyboard.press(key)
        page.wait_for_function(
            """(expected) => JSON.stringify(window.signals.map((signal) => signal.aborted))
                === JSON.stringify(expected)""",
            arg=given_up,
        )


def test_analyse_draws_boards_without_the_service(opened: Opened) -> None:
    page = opened(link(["?1?"]))
    wait_for_text(page, "2 layouts")
    opened.expected.append("ERR_FAILED")
    page.route("**/v1/**", lambda route: route.abort())
    cell(page, 0, 0).focus()
    page.keyboard.press("B")
    wait_for_text(page, "The service cannot be reached.")
    expect_board(page, ["B1?"])
    page.unroute("**/v1/**")
    press(page, "Ask again")
    wait_for_text(page, "1 layout")


def test_analyse_says_that_an_answer_is_incomplete(opened: Opened) -> None:
    page = opened("/#play")
    answer = {
        **dict.fromkeys(("count", "by_mines", "forced", "probabilities", "safest", "conflict")),
        "consistent": True,
        "witness": ["B10"],
        "solver": {"name": "x", "complete": False, "elapsed_ms": 1, "note": "Give more time."},
    }
    page.route("**/v1/analyze", lambda route: route.fulfill(json=answer))
    page.goto(opened.url + link(["?1?"]))
    wait_for_text(page, "The layouts could not be counted in time.")
    wait_for_text(page, "This answer is incomplete.")
    expect(page.locator("#analyse")).not_to_contain_text("Give more time.")
    expect(page.locator("#analyse .headline")).to_have_text("Consistent.")


def test_analyse_fits_a_narrow_screen(opened: Opened) -> None:
    page = opened("/#analyse", viewport={"width": 360, "height": 740}, has_touch=True)
    wait_for_text(page, "12,012 layouts")
    page.get_by_label("More examples").select_option("A lattice")
    wait_for_text(page, "All ")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert all(read_rows(page))


def test_all_reasons_of_a_contradiction_can_be_selected(opened: Opened) -> None:
    page = opened(link(["11?", "???", "3??"]))
    press(page, "All reasons")
    wait_for_text(page, "2 sets of clues of which none can be dropped:")
    page.get_by_role("button", name="Row 1, column 2; row 3, column 1").click()
    for row, col, kind in ((0, 1, "conflict"), (2, 0, "conflict"), (0, 0, None)):
        assert cell(page, row, col).get_attribute("data-kind") == kind
    page.get_by_role("button", name="Row 1, column 1; row 3, column 1").click()
    assert cell(page, 0, 0).get_attribute("data-kind") == "conflict"


def test_reasons_can_be_selected_while_the_search_continues(opened: Opened) -> None:
    page = opened(link(["11?", "???", "3??"]))
    wait_for_text(page, "Inconsistent.")
    # A stream that ends only when the page has said what it knows so far.
    page.evaluate(
        """() => {
            const lines = [
                { clues: [[0, 1], [2, 0]], total: false, minimal: true, smallest: true },
                { clues: [[0, 0], [2, 0]], total: false, minimal: true, smallest: true },
                { complete: false, consistent: false, more: true },
            ].map((line) => new TextEncoder().encode(JSON.stringify(line) + "\\n"));
            const fetched = window.fetch;
            window.fetch = async (resource, options) => {
                if (!String(resource).endsWith("/v1/conflicts")) return fetched(resource, options);
                const body = new ReadableStream({
                    start(stream) {
                        window.next = () => stream.enqueue(lines.shift());
                        window.end = () => stream.close();
                    },
                });
                return new Response(body, { headers: { "Content-Type": "application/x-ndjson" } });
            };
        }"""
    )
    press(page, "All reasons")
    wait_for_text(page, "Looking for sets of clues")
    page.evaluate("window.next()")
    wait_for_text(page, "1 set of clues of which none can be dropped so far:")
    page.get_by_role("button", name="Row 1, column 2; row 3, column 1").click()
    assert cell(page, 0, 1).get_attribute("data-kind") == "conflict"
    page.evaluate("window.next()")
    wait_for_text(page, "2 sets of clues of which none can be dropped so far:")
    # The one that was chosen is still shown.
    assert cell(page, 0, 1).get_attribute("data-kind") == "conflict"
    page.evaluate("window.next(); window.end()")
    wait_for_text(page, "2 sets of clues of which none can be dropped, and there may be more:")
