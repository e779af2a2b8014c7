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
    """A game half-way, with the chance of a mine in every unknown cell."""
    page.locator("#play .cell[data-symbol='0']").first.wait_for()
    safe = page.locator("#play .cell[data-symbol='?'][data-kind='safe']")
    for _ in range(4):
        page.get_by_role("button", name="Hint", exact=True).click()
        safe.first.wait_for()
        safe.first.click()
    for mine in page.locator("#play .cell[data-kind='mine']").all()[:9]:
        mine.click(button="right")
    page.get_by_role("button", name="Heat map").click()
    page.locator("#play .cell[data-heat]").first.wait_for()


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
    for _ in range(5):
        tab.get_by_role("button", name="Step", exact=True).click()


def photograph(page: Any, name: str) -> None:
    """Save what is seen, in few colours."""
    page.mouse.move(0, 0)
    seen = Image.open(BytesIO(page.screenshot(animations="disabled")))
    seen.convert("RGB").quantize(_COLOURS).save(FOLDER / name, optimize=True)


def main() -> None:
    """Play, analyse, strips."""
    with service(workers=2) as port, chromium() as browser:
        for name, hash_, scene, height in (
            ("page.png", GAME, play, 750),
            ("page-analyse.png", WRONG, analyse, 860),
            ("page-strips.png", STRIP, strips, 860),
        ):
            size = {"width": 1180, "height": height}
            page = browser.new_page(viewport=size, color_scheme="light")
            page.goto(f"http://127.0.0.1:{port}/{hash_}")
            scene(page)
            photograph(page, name)
            page.close()


if __name__ == "__main__":
    main()
