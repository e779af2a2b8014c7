"""Games on boards that are known, shared by all tests of the tab Play."""

from collections.abc import Callable
from typing import Any

from tests.page.site import expect

#: An expert board that needs no guess from row 9, column 16 on (by ms_toollib).
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
        self.status = page.locator(".play-said [role='status']")

    def cell(self, row: int, col: int) -> Any:
        return self.page.locator(f"#play .cell[data-at='{row * self.width + col}']")

    def shows(self, row: int, col: int, symbol: str) -> None:
        expect(self.cell(row, col)).to_have_attribute("data-symbol", symbol)

    def marked(self, row: int, col: int, kind: str) -> None:
        expect(self.cell(row, col)).to_have_attribute("data-kind", kind)

    def button(self, name: str) -> Any:
        return self.page.locator("#play").get_by_role("button", name=name, exact=True)

    def help(self, name: str) -> Any:
        """A button that small screens keep under "More"."""
        if not self.button(name).is_visible():
            self.button("More").click()
        return self.button(name)

    def symbols(self) -> str:
        found: str = self.page.evaluate(
            "[...document.querySelectorAll('#play .cell')].map(c => c.dataset.symbol).join('')"
        )
        return found
