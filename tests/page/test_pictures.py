"""The look of the page, compared with reference pictures.

``python -m tests.page.test_pictures`` takes them again, into ``tests/page/pictures``. Fonts and
browsers differ from machine to machine, so pictures are compared small, and with some room: what is
noticed is a panel that moved, a colour that changed, a board of another size.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from PIL import Image

from tests.app.serving import serving
from tests.browser import chromium
from tests.page.conftest import Opened
from tests.page.play.table import EXPERT, dealing
from tests.page.site import link

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "pictures"
#: What the first click of the game opens.
POSITION = [
    "".join(number if 6 <= row < 13 and 14 <= col < 18 else "?" for col, number in enumerate(line))
    for row, line in enumerate(EXPERT)
]
#: An expert game, its first position, and the example of strips.
_PATHS = {
    "play": "/#play?height=16&width=30&mines=99&first=8,15&seed=1&guessFree=1",
    "analyse": link(POSITION, 99),
    "strips": "/#strips",
}
_SIZES = {
    "phone": (390, 844),
    "sideways": (844, 390),
    "1024": (1024, 768),
    "1280": (1280, 800),
    "1920": (1920, 1080),
    "2560": (2560, 1440),
}
#: Pictures are compared at this share of their size.
_SMALL = 8
#: The mean difference of all channels that fonts may make, of 255.
_ROOM = 6.0


class Scene(NamedTuple):
    """A state of the page that is photographed."""

    tab: str
    screen: str
    colours: str

    @property
    def name(self) -> str:
        """Name of its file and of its test."""
        return "-".join((self.tab, self.screen, *(["light"] if self.colours == "light" else [])))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the screen in pixels."""
        return _SIZES[self.screen]


SCENES = [
    *(Scene("play", screen, "dark") for screen in _SIZES),
    *(Scene(tab, screen, "dark") for tab in ("analyse", "strips") for screen in ("phone", "1920")),
    *(Scene(tab, "1280", "light") for tab in _PATHS),
    Scene("play", "phone", "light"),
]


def stage(page: Any, tab: str) -> None:
    """Wait until a tab shows what its link asks for, with all that helps."""
    _STAGES[tab](page)
    page.mouse.move(0, 0)


def _stage_play(page: Any) -> None:
    """An expert game with its heat map and best moves."""
    page.locator("#play .cell[data-symbol='0']").first.wait_for()
    page.keyboard.press("m")
    page.locator("#play .board:not(.stale) .cell[data-heat]").first.wait_for()
    page.keyboard.press("b")
    page.locator("#play .moves-table").wait_for()


def _stage_analyse(page: Any) -> None:
    """A verdict with its count of layouts, and the best moves."""
    page.locator("#analyse .verdict dl dd").first.wait_for()
    page.locator("#analyse tbody tr").first.wait_for(state="attached")


def _stage_strips(page: Any) -> None:
    """An example, its run and its machine."""
    page.locator("#strips .machine-frame .state.now").first.wait_for()


_STAGES = {"play": _stage_play, "analyse": _stage_analyse, "strips": _stage_strips}


def photograph(page: Any) -> Image.Image:
    """Return a picture of the page, without times that differ from run to run."""
    hidden = [page.get_by_role("timer"), page.locator(".verdict-facts dd").last]
    seen = page.screenshot(animations="disabled", mask=hidden, mask_color="#808080")
    return Image.open(BytesIO(seen)).convert("RGB")


def open_scene(new_page: Any, url: str, scene: Scene) -> Any:
    width, height = scene.size
    page = new_page(
        viewport={"width": width, "height": height},
        color_scheme=scene.colours,
        has_touch=min(scene.size) < 400,
    )
    for pattern, handler in dealing(EXPERT).items():
        page.route(pattern, handler)
    page.goto(url + _PATHS[scene.tab])
    stage(page, scene.tab)
    return page


def shrink(picture: Image.Image) -> np.ndarray[Any, np.dtype[np.float64]]:
    width, height = picture.size
    small = picture.resize((width // _SMALL, height // _SMALL), Image.Resampling.BOX)
    return np.asarray(small, dtype=np.float64)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_page_looks_like_its_reference_picture(opened: Opened, scene: Scene) -> None:
    width, height = scene.size
    how: dict[str, Any] = {"color_scheme": scene.colours, "has_touch": min(scene.size) < 400}
    size = {"width": width, "height": height}
    page = opened(_PATHS[scene.tab], routes=dealing(EXPERT), viewport=size, **how)
    stage(page, scene.tab)
    seen = photograph(page)
    with Image.open(FOLDER / f"{scene.name}.png") as kept:
        reference = kept.convert("RGB")
    assert seen.size == reference.size
    difference = float(np.abs(shrink(seen) - shrink(reference)).mean())
    assert difference < _ROOM, f"{scene.name}: the mean difference is {difference:.1f} of 255"


def test_picture_comparison_notices_other_colours_and_a_moved_board() -> None:
    with Image.open(FOLDER / "play-1280.png") as kept:
        reference = kept.convert("RGB")
    with Image.open(FOLDER / "play-1280-light.png") as kept:
        light = kept.convert("RGB")
    moved = Image.new("RGB", reference.size)
    moved.paste(reference, (60, 40))
    for other in (light, moved):
        assert np.abs(shrink(other) - shrink(reference)).mean() > _ROOM


def _take_all() -> Iterator[Path]:
    with serving() as server, chromium() as browser:
        for scene in SCENES:
            page = open_scene(browser.new_page, server.url, scene)
            path = FOLDER / f"{scene.name}.png"
            photograph(page).quantize(64).save(path, optimize=True)
            page.close()
            yield path


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for taken in _take_all():
        print(taken)
