"""Two fingers, or the wheel with Ctrl, change the size of cells around a point that stays."""

from typing import Any

import pytest

from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

BOARD = link(["?" * 16] * 16)


def width_of(page: Any, row: int = 0, col: int = 0) -> float:
    name = f"row {row + 1}, column {col + 1}:"
    found: float = page.get_by_role("gridcell", name=name).bounding_box()["width"]
    return found


def test_wheel_with_ctrl_changes_the_size_of_cells_and_the_choice_is_kept(opened: Opened) -> None:
    page = opened(BOARD)
    cell = page.get_by_role("gridcell", name="row 3, column 3:")
    expect(cell).to_be_visible()
    before = width_of(page)
    cell.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    after = width_of(page)
    assert after > before
    page.reload()
    expect(cell).to_be_visible()
    assert width_of(page) == after
    # Without the key the wheel scrolls.
    page.mouse.wheel(0, -100)
    assert width_of(page) == after


def test_two_fingers_change_the_size_of_cells_and_what_is_between_them_stays(
    opened: Opened,
) -> None:
    page = opened(BOARD, viewport={"width": 390, "height": 844}, has_touch=True)
    cell = page.get_by_role("gridcell", name="row 2, column 3:")
    expect(cell).to_be_visible()
    before = width_of(page)
    box = cell.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 20), ("touchMove", 26), ("touchMove", 40)):
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    larger = "(before) => document.querySelector('.cell').offsetWidth > before"
    page.wait_for_function(larger, arg=before)
    middle = page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).closest('.cell').getAttribute('aria-label')",
        [x, y],
    )
    assert middle.startswith("row 2, column 3:")
