"""Photograph the page for the documentation: ``python -m docs.screenshots``."""

from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.serving import service
from tests.browser import chromium

FOLDER = Path(__file__).parent
#: A board that needs no guess, the same on every server.
GAME = "#play?height=16&width=16&mines=40&first=7,7&seed=3&guessFree=1"
#: The position of `docs.pictures` with a wrong 1 at row 4, column 9 of the page.
WRONG = (
    "#analyse?b=______100000.______211110.__22_3_11_10.__1112121321.__100002_3_1."
    "__212112_421.__3_2_333_10.___322__2110.___201221000&m=22"
)
STRIP = "#strips?b=_2_1__2_.B_____2_"
_COLOURS = 256


def play(page: Any) -> None:
    """A game half-way, with the best moves and the chance of a mine in every unknown cell."""
    page.locator("#play .cell[data-symbol='0']").first.wait_for()
    page.get_by_role("button", name="Heat map").click()
    safe = page.locator("#play .board:not(.stale) .cell[data-symbol='?'][data-heat='0']")
    for _ in range(6):
        safe.last.click()
    mine = page.locator("#play .board:not(.stale) .cell[data-symbol='?'][data-heat='100']")
    for _ in range(7):
        mine.first.click(button="right")
    page.get_by_role("button", name="Best move").click()
    page.locator("#play .moves-table").wait_for()


def analyse(page: Any) -> None:
    """A board with a wrong clue: what contradicts it, why, and how to fix it."""
    tab = page.locator("#analyse")
    tab.get_by_role("heading", name="Repairs").wait_for()
    tab.get_by_role("button", name="Why?", exact=True).click()
    tab.locator(".why button.step").first.wait_for()


def strips(page: Any) -> None:
    """An automaton half-way through a strip."""
    tab = page.locator("#strips")
    tab.get_by_text("Accepted").wait_for()
    tab.get_by_role("button", name="Next", exact=True).click()
    tab.locator(".diagram .taken").wait_for()


def photograph(page: Any, name: str) -> None:
    """Save what is seen, in few colours."""
    page.mouse.move(0, 0)
    seen = Image.open(BytesIO(page.screenshot(animations="disabled")))
    seen.convert("RGB").quantize(_COLOURS).save(FOLDER / name, optimize=True)


def main() -> None:
    """Play, analyse, strips."""
    with service(workers=2) as port, chromium() as browser:
        for name, hash_, scene, width, height in (
            ("page.png", GAME, play, 1180, 800),
            ("page-analyse.png", WRONG, analyse, 1280, 860),
            ("page-strips.png", STRIP, strips, 1280, 860),
        ):
            size = {"width": width, "height": height}
            page = browser.new_page(viewport=size, color_scheme="light")
            page.goto(f"http://127.0.0.1:{port}/{hash_}")
            scene(page)
            photograph(page, name)
            page.close()


if __name__ == "__main__":
    main()
