"""Pictures of trees of paths, as SVG: columns from left to right, a path on each line.

A leaf has a line to itself, any other node stands in the middle of what follows it. No text is
measured: the names of states are monospaced.

Tested in tests/automata/test_paths.py.
"""

from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from minecheck.automata.drawing import TooLargeToDraw
from minecheck.automata.paths import Fate, PathNode

#: The largest tree that can be looked at.
MOST_LEAVES: Final = 100
MOST_COLUMNS: Final = 60

#: Lengths are in points; a letter is 0.6 of its size wide.
_LETTER: Final = 13 * 0.6
_PAD: Final = 10
_HEIGHT: Final = 24
_LINE: Final = 34
_GAP: Final = 40
_HEAD: Final = 30
_MARGIN: Final = 6

_STYLE: Final = """
text { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328;
  text-anchor: middle }
.caption { text-anchor: start }
.head, .caption { font-size: 12px; fill: #7d8590 }
.move { fill: none; stroke: #7d8590; stroke-width: 1.2 }
.state rect { fill: white; stroke: #424a53; stroke-width: 1.3 }
.accepted rect { stroke-width: 2.6; stroke: #1a7f37 }
.dies rect { stroke-dasharray: 4 3 }
.dies text { fill: #6e7781 }
"""

#: The classes of a node in the style.
_CLASSES: Final = {
    Fate.GOES_ON: "state",
    Fate.ACCEPTED: "state accepted",
    Fate.DIES: "state dies",
}


def render_svg(tree: Sequence[PathNode], symbols: Sequence[str], caption: str) -> bytes:
    """Render a tree of `automata.paths` as an SVG file in UTF-8.

    Args:
        tree: its nodes, each after its parent.
        symbols: what is read in each column, as headings.
        caption: a line below the tree.

    Raises:
        TooLargeToDraw: it has more than `MOST_LEAVES` paths or `MOST_COLUMNS` columns.
    """
    lines = _assign_lines(tree)
    path_count = sum(node.fate is not Fate.GOES_ON for node in tree)
    deepest = max((node.read for node in tree), default=0)
    if path_count > MOST_LEAVES or deepest > MOST_COLUMNS:
        raise TooLargeToDraw(
            f"the tree has {path_count} paths and {deepest} columns: "
            f"at most {MOST_LEAVES} and {MOST_COLUMNS} can be drawn"
        )
    longest = max((len(name) for name in (*(node.state for node in tree), *symbols)), default=1)
    box = longest * _LETTER + _PAD
    width = 2 * _MARGIN + max((deepest + 1) * (box + _GAP) - _GAP, len(caption) * 12 * 0.6)
    height = _HEAD + max(path_count, 1) * _LINE + 2 * _MARGIN + 16
    dimensions = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    viewed = f"0 0 {width:.0f} {height:.0f}"
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": viewed} | dimensions)
    SubElement(root, "style").text = _STYLE

    def x_of(column: int) -> float:
        return _MARGIN + column * (box + _GAP)

    def y_of(node: int) -> float:
        return _HEAD + _MARGIN + lines[node] * _LINE + _HEIGHT / 2

    for read, symbol in enumerate(symbols[:deepest]):
        _draw_text(root, x_of(read + 1) + box / 2, _HEAD / 2 + 4, symbol, "head")
    for node_number, node in enumerate(tree):
        if node.parent is not None:
            _draw_move(
                root,
                x_of(node.read - 1) + box,
                y_of(node.parent),
                x_of(node.read),
                y_of(node_number),
            )
    for node_number, node in enumerate(tree):
        group = SubElement(root, "g", {"class": _CLASSES[node.fate]})
        frame = {
            "x": x_of(node.read),
            "y": y_of(node_number) - _HEIGHT / 2,
            "width": box,
            "height": _HEIGHT,
        }
        SubElement(group, "rect", {name: f"{at:.1f}" for name, at in frame.items()} | {"rx": "7"})
        _draw_text(group, x_of(node.read) + box / 2, y_of(node_number) + 4.5, node.state)
    _draw_text(root, _MARGIN, height - _MARGIN, caption, "caption")
    ElementTree.indent(root)
    return f"{ElementTree.tostring(root, encoding='unicode')}\n".encode()


def _assign_lines(tree: Sequence[PathNode]) -> list[float]:
    """Return the line of each node: whole numbers for leaves, else the middle of those below."""
    first_line = [0.0] * len(tree)
    last_line = [-1.0] * len(tree)
    line = sum(node.fate is not Fate.GOES_ON for node in tree)
    # Children come after their parents, so backwards all of them are placed before.
    for node_number in reversed(range(len(tree))):
        node = tree[node_number]
        if node.fate is not Fate.GOES_ON:
            line -= 1
            first_line[node_number] = last_line[node_number] = line
        if node.parent is not None:
            middle = (first_line[node_number] + last_line[node_number]) / 2
            if last_line[node.parent] < 0:
                last_line[node.parent] = middle
            first_line[node.parent] = middle
    return [(begin + end) / 2 for begin, end in zip(first_line, last_line, strict=True)]


def _draw_move(root: Element, x: float, y: float, to_x: float, to_y: float) -> None:
    bend = (x + to_x) / 2
    curve = f"M{x:.1f} {y:.1f}C{bend:.1f} {y:.1f} {bend:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    SubElement(root, "path", {"class": "move", "d": curve})


def _draw_text(parent: Element, x: float, y: float, text: str, kind: str = "") -> None:
    attributes = {"class": kind} if kind else {}
    SubElement(parent, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", **attributes}).text = text
