"""Board, run and machine of a strip, linked by the layout or the path that is chosen."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.app.serving import Server
from tests.page.conftest import Opened
from tests.page.site import expect
from tests.page.strips.tab import FRAMED, HU_LIN, cell, choose, press, strips, tab, wait_for_text

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
TWO_ROWS = ["?2?1??2?", "B?????2?"]


def lit_states(page: Any) -> list[str]:
    found: list[str] = tab(page).locator(".diagram .state.lit text").all_text_contents()
    return found


def read_board_rows(page: Any, rows: list[str]) -> list[str]:
    script = """() => [...document.querySelectorAll("#strips [role=row]")].map((row) =>
        [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.dataset.symbol).join(""))"""
    found: list[str] = page.evaluate(script)
    assert len(found) == len(rows)
    return found


@pytest.mark.parametrize("machine", ["hu-lin", "strip-2"])
def test_layout_highlights_its_path_in_run_and_machine(
    opened: Opened, server: Server, machine: str
) -> None:
    page = strips(opened, TWO_ROWS, viewport={"width": 1920, "height": 1080})
    wait_for_text(page, "48 layouts")
    tab(page).get_by_label("Machine").select_option(machine)
    wait_for_text(page, "Accepted: the window is consistent.")
    paths = server.post(f"/v1/automata/{machine}/paths", {"board": TWO_ROWS}).json()
    nodes = {node["id"]: node for node in paths["tree"]}
    placed = {}
    for path in paths["paths"]:
        columns: list[list[str]] = []
        node = nodes[path["leaf"]]
        while node["parent"] is not None:
            columns.insert(0, node["placed"])
            node = nodes[node["parent"]]
        placed[tuple(path["states"])] = columns
    expect(tab(page).locator(".diagram .lit")).to_have_count(0)
    for press_, step in (("First", 1), ("Next", 2), ("Last", 48)):
        press(page, press_)
        wait_for_text(page, f"Layout {step} of 48.")
        states = lit_states(page)
        assert len(states) == 9
        if step <= 24:
            chosen = tab(page).locator(".listing [aria-pressed=true]")
            expect(chosen).to_have_text("\n".join(read_board_rows(page, TWO_ROWS)))
        rows = read_board_rows(page, TWO_ROWS)
        # It is the one path that places the mines of this layout.
        laid = ["".join(row[col] for row in rows) for col in range(8)]
        assert tuple(states) in placed
        assert all(column in ways for column, ways in zip(laid, placed[tuple(states)], strict=True))
        expect(tab(page).locator(".diagram .move.lit")).to_have_count(8)
        expect(tab(page).locator(".diagram .move.taken")).to_have_count(1)
        expect(tab(page).locator(".machine-frame .state.lit").first).to_be_attached()
        expect(tab(page).locator(".machine-frame .arrow.taken").first).to_be_attached()
    press(page, "Back to the board")
    expect(tab(page).locator(".lit")).to_have_count(0)


def test_path_shows_its_layout_on_the_board(opened: Opened) -> None:
    page = strips(opened, TWO_ROWS)
    wait_for_text(page, "48 layouts")
    wait_for_text(page, "Accepted: the window is consistent.")
    tab(page).get_by_text("All paths, as a tree").click()
    listed = tab(page).locator(".path-list button")
    expect(listed.first).to_be_visible()
    for number in range(listed.count()):
        listed.nth(number).click()
        states = listed.nth(number).locator("code").inner_text().split(" → ")
        expect(listed.nth(number)).to_have_attribute("aria-pressed", "true")
        assert lit_states(page)[-2:] == states[-2:]
        mines = "".join(read_board_rows(page, ["", ""])).count("B")
        assert mines == sum(state[at] == "B" for state in states[1:] for at in (1, 3))
    press(page, "First")
    expect(tab(page).locator(".path-list [aria-pressed=true]")).to_have_count(0)


def test_path_of_a_window_includes_the_rows_beside_it(opened: Opened) -> None:
    page = strips(opened, FRAMED)
    choose(page, 1, 0, 1, 5)
    wait_for_text(page, "Accepted: the window is consistent.")
    press(page, "First")
    wait_for_text(page, "Layout 1 of ")
    states = lit_states(page)
    rows = read_board_rows(page, FRAMED)
    # States say which cells of a column are mines; the layout is about the middle one.
    mines = [state[1] == "B" for state in states[1:]]
    assert mines == [symbol == "B" for symbol in rows[1]]


def test_step_on_a_highlighted_path_highlights_its_move(opened: Opened) -> None:
    page = strips(opened, HU_LIN)
    wait_for_text(page, "2 layouts")
    press(page, "First")
    expect(tab(page).locator(".diagram .move.lit")).to_have_count(2)
    press(page, "Back")
    expect(tab(page).locator(".diagram .move.lit")).to_have_count(1)
    expect(tab(page).locator(".diagram .move.taken")).to_have_count(1)
    press(page, "To the start")
    expect(tab(page).locator(".diagram .move.taken")).to_have_count(0)
    expect(tab(page).locator(".machine-frame .arrow.taken")).to_have_count(0)


def test_strips_says_where_the_output_of_kadlac_is_not_a_layout(opened: Opened) -> None:
    page = strips(opened, ["?0"])
    wait_for_text(page, "Kadlac's machine writes B0, which is not a layout of this row")
    erratum = tab(page).get_by_role("link", name="Erratum K1")
    assert "/guide/errata/#k1-" in erratum.evaluate("(link) => link.href")
    page = strips(opened, ["?1"])
    wait_for_text(page, "Kadlac's machine writes B0.")
    expect(tab(page)).not_to_contain_text("no layout of this row")


@pytest.mark.parametrize(
    ("rows", "paper"), [(["?1"], "M. Kadlac"), (HU_LIN, "S.-C. Hu, S.-S. Lin")]
)
def test_strips_explains_papers_and_codes(opened: Opened, rows: list[str], paper: str) -> None:
    page = strips(opened, rows)
    wait_for_text(page, paper)
    for name in ("how it works", "errata"):
        expect(tab(page).get_by_role("link", name=name, exact=True)).to_be_visible()
    wait_for_text(page, "the path of the layout that is shown")


def test_strips_links_to_the_guide_lead_to_existing_headings() -> None:
    slugify = pytest.importorskip("markdown.extensions.toc").slugify
    scripts = ROOT / "app/page/strips"
    links = [
        link
        for script in ("legend.js", "run.js")
        for link in re.findall(r'"(\w+/#[^"]+)"', (scripts / script).read_text())
    ]
    assert len(links) == 4
    for found in links:
        page, _, anchor = found.partition("/#")
        lines = (ROOT / "docs" / f"{page}.md").read_text().splitlines()
        headings = [line.lstrip("# ").replace("`", "") for line in lines if line.startswith("#")]
        assert anchor in {slugify(heading, "-") for heading in headings}


def test_path_list_omits_the_count_of_a_single_layout(opened: Opened) -> None:
    page = strips(opened, ["?2", "B?"])
    tab(page).get_by_text("All paths, as a tree").click()
    expect(tab(page).locator(".path-list li").first).to_be_visible()
    assert "(1 layout" not in tab(page).locator(".path-list").inner_text()
    expect(cell(page, 0, 0)).to_be_visible()
