"""The grid of cells."""

from typing import Any

import pytest

from tests.page.conftest import Opened

pytestmark = pytest.mark.slow


def test_board_view_updates_only_changed_cells(blank: Any) -> None:
    touched = blank.evaluate(
        """async () => {
            const { BoardView } = await import("/page/shared/board.js");
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


def test_percentage_is_0_or_100_only_for_certain_chances(opened: Opened) -> None:
    chances = [0, 1e-9, 0.004, 0.25, 0.994, 0.9999, 1]
    found = opened().evaluate(
        """async (chances) => {
            const { percentage } = await import("/page/shared/chances.js");
            return chances.map(percentage);
        }""",
        chances,
    )
    assert found == ["0", "<1", "<1", "25", "99", ">99", "100"]


def test_board_view_reports_every_cell_of_a_drag(opened: Opened) -> None:
    page = opened()
    page.evaluate(
        """async () => {
            const { BoardView } = await import("/page/shared/board.js");
            const view = new BoardView(document.getElementById("strips"), { drag: true });
            document.documentElement.dataset.tab = "strips";
            document.getElementById("strips").hidden = false;
            view.show(["????", "????"]);
            window.events = [];
            const record = (name) => view.addEventListener(name, ({ detail }) =>
                window.events.push([detail.phase ?? name, detail.row, detail.col]));
            ["drag", "primary"].forEach(record);
        }"""
    )
    cells = page.locator("#strips .cell")
    cells.nth(0).hover()
    page.mouse.down()
    cells.nth(1).hover()
    cells.nth(6).hover()
    page.mouse.up()
    events = page.evaluate("window.events")
    assert events[0] == ["start", 0, 0]
    assert events[-1] == ["end", 1, 2]
    assert ["over", 0, 1] in events
