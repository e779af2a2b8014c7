"""Steps that tests of the tab Strips share."""

from typing import Any

from tests.page.conftest import Opened
from tests.page.site import expect, link

HU_LIN = ["?2", "B?"]

#: The fields of a window, and what they count from.
FIELDS = {"row": 1, "col": 1, "height": 0, "width": 0}

#: What lies around the middle rows decides nothing about the strip.
FRAMED = ["?????", "?121?", "?????"]


def strips(opened: Opened, rows: list[str], mines: int | None = None, **how: Any) -> Any:
    return opened(link(rows, mines, tab="strips"), **how)


def tab(page: Any) -> Any:
    return page.locator("#strips")


def wait_for_text(page: Any, text: str) -> None:
    expect(tab(page)).to_contain_text(text)


def press(page: Any, name: str) -> None:
    tab(page).get_by_role("button", name=name, exact=True).click()


def cell(page: Any, row: int, col: int) -> Any:
    return tab(page).get_by_role("gridcell", name=f"row {row + 1}, column {col + 1}:")


def window(page: Any) -> list[int]:
    """Row, column, height and width, as the fields say; they count from 1."""
    return [
        int(tab(page).locator(f"input[name={name}]").input_value()) - first
        for name, first in FIELDS.items()
    ]


def choose(page: Any, *numbers: int) -> None:
    """Choose a window by its numbers, and wait for the answer about it."""
    for (name, first), number in zip(FIELDS.items(), numbers, strict=True):
        tab(page).locator(f"input[name={name}]").fill(str(number + first))
        tab(page).locator(f"input[name={name}]").press("Enter")
    expect(tab(page).locator("[aria-busy=true]")).to_have_count(0)


def states(page: Any, live: bool = False) -> list[str]:
    """The states in the last column of the picture."""
    kind = ".state.live" if live else ".state"
    found: list[str] = tab(page).locator(f".diagram .now {kind} text").all_text_contents()
    return found
