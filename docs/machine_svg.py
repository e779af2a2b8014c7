"""Machines drawn as SVG.

Graphviz only says where things go: it gets their sizes, and the picture is drawn here.
No text is measured, so a picture does not depend on the fonts of the computer that draws it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import dist
from operator import mul
from textwrap import wrap
from typing import Final, TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from pygraphviz import AGraph

from minecheck.automata.drawing import ENTRY, SHOWN, Edge, Picture, check_drawable, wrap_symbols
from minecheck.automata.machine import Machine

#: Lengths are in points. In any monospaced font a character is 0.6 of its size wide.
_ADVANCE: Final = 0.6
_LEADING: Final = 1.2
_NAME_SIZE: Final = 14
_LABEL_SIZE: Final = 11
_CAPTION_SIZE: Final = 12
_SMALLEST_STATE: Final = 38
_WIDEST_CIRCLE: Final = 64
_MARGIN: Final = 8
_INCH: Final = 72
_TRIED: Final = 16

#: The greys can be read on white and on black; darker text has white under it.
_STYLE: Final = f"""
text {{ font: {_LABEL_SIZE}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  fill: #1f2328; text-anchor: middle }}
.arrow path {{ fill: none; stroke: #7d8590; stroke-width: 1.2 }}
.arrow polygon {{ fill: #7d8590 }}
.label rect {{ fill: white }}
.state ellipse {{ fill: white; stroke: #424a53; stroke-width: 1.3 }}
.state text {{ font-size: {_NAME_SIZE}px }}
.caption text {{ font: {_CAPTION_SIZE}px Helvetica, Arial, sans-serif; fill: #7d8590;
  text-anchor: start }}
.arrow.dead, .label.dead text, .state.dead {{ opacity: 0.45 }}
"""

_Point: TypeAlias = tuple[float, float]


def svg(
    machine: Machine, labels: Mapping[str, str] | None = None, *, errors: bool = False
) -> bytes:
    """Draw the machine as an SVG file in UTF-8; the arguments are those of its DOT.

    It takes Graphviz, which developers have.

    Raises:
        TooLargeToDraw: as `check_drawable`.
    """
    check_drawable(machine, errors=errors)
    picture = Picture(machine, labels or {}, errors)
    root = _drawn(picture, _lay_out(picture))
    ElementTree.indent(root)
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f"{text}\n".encode()


@dataclass(frozen=True)
class _Positions:
    """Where things go, in points to the right and downwards."""

    states: Mapping[str, _Point]
    #: The tip of each arrow, then the control points of its curve.
    arrows: Mapping[Edge, list[_Point]]
    #: The centres of the labels.
    labels: Mapping[Edge, _Point]


def _lay_out(picture: Picture) -> _Positions:
    """Lay the picture out by Graphviz, from left to right."""
    # A state may be called anything; a number has no meaning to Graphviz.
    node = {state: str(number) for number, state in enumerate((ENTRY, *picture.states))}
    entry = (ENTRY, picture.machine.start)
    width, height = (length / _INCH for length in _state_size(picture))
    graph = AGraph(directed=True, rankdir="LR", nodesep=0.3, ranksep=0.5)
    graph.node_attr.update(label="", fixedsize="true", width=width, height=height)
    graph.add_node(node[ENTRY], shape="point", width=0.05, height=0.05)
    graph.add_nodes_from(node[state] for state in picture.states)
    graph.add_edge(*map(node.get, entry))
    for edge, symbols in picture.edges.items():
        graph.add_edge(*map(node.get, edge), label=_blank(*_label_size(symbols)))
    graph.layout("dot")
    states = {state: graph.get_node(node[state]).attr["pos"] for state in picture.states}
    edges = {e: dict(graph.get_edge(*map(node.get, e)).attr) for e in (entry, *picture.edges)}
    graph.close()
    arrows = {edge: _points(found["pos"].removeprefix("e,")) for edge, found in edges.items()}
    return _Positions(
        states={state: _points(pos)[0] for state, pos in states.items()},
        arrows=arrows,
        labels={
            edge: _place_label(edge, arrows[edge], *_points(edges[edge]["lp"]))
            for edge in picture.edges
        },
    )


def _blank(width: float, height: float) -> str:
    """A label of this size without text: a table of one empty cell."""
    return (
        '<<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="0" FIXEDSIZE="TRUE" '
        f'WIDTH="{width:.0f}" HEIGHT="{height:.0f}"><TR><TD></TD></TR></TABLE>>'
    )


def _points(text: str) -> list[_Point]:
    """Points in the notation of Graphviz: ``x,y x,y``, upwards."""
    pairs = (pair.split(",") for pair in text.split())
    return [(float(x), -float(y)) for x, y in pairs]


def _place_label(edge: Edge, arrow: list[_Point], beside: _Point) -> _Point:
    """The point of an arrow nearest to the place that Graphviz found beside it, by trying some.

    There nobody takes the label for that of another arrow. A loop is too small for it.
    """
    if edge[0] == edge[1]:
        return beside
    curve = arrow[1:]
    tried = [
        _on_curve(curve[start : start + 4], step / _TRIED)
        for start in range(0, len(curve) - 1, 3)
        for step in range(_TRIED + 1)
    ]
    return min(tried, key=partial(dist, beside))


def _on_curve(controls: list[_Point], t: float) -> _Point:
    """The point of a cubic Bezier curve at ``t`` between 0 and 1."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    x, y = (sum(map(mul, weights, axis)) for axis in zip(*controls, strict=True))
    return x, y


def _drawn(picture: Picture, positions: _Positions) -> Element:
    """The picture as an SVG element."""
    left, top, right, bottom = _bounds(picture, positions)
    width = right - left
    caption = wrap(picture.caption, max(SHOWN, int(width / (_ADVANCE * _CAPTION_SIZE))))
    below = _CAPTION_SIZE * _LEADING * len(caption)
    height = bottom + below - top
    root = Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        viewBox=f"{left:.1f} {top:.1f} {width:.1f} {height:.1f}",
    )
    SubElement(root, "title").text = picture.machine.name
    SubElement(root, "style").text = _STYLE
    for (_, target), arrow in positions.arrows.items():
        _draw_arrow(_group(root, "arrow", dead=target in picture.dead), *arrow)
    for edge, centre in positions.labels.items():
        _draw_label(_group(root, "label", dead=edge[1] in picture.dead), picture, edge, centre)
    for state, centre in positions.states.items():
        _draw_state(_group(root, "state", dead=state in picture.dead), picture, state, centre)
    middle = left + _MARGIN, bottom + (below - _MARGIN) / 2
    _write(_group(root, "caption"), caption, middle, _CAPTION_SIZE)
    return root


def _bounds(picture: Picture, positions: _Positions) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all there is, with a margin."""
    boxes = [(centre, _state_size(picture)) for centre in positions.states.values()]
    boxes += [(at, _label_size(picture.edges[edge])) for edge, at in positions.labels.items()]
    boxes += [(point, (0, 0)) for arrow in positions.arrows.values() for point in arrow]
    return (
        min(x - width / 2 for (x, _), (width, _) in boxes) - _MARGIN,
        min(y - height / 2 for (_, y), (_, height) in boxes) - _MARGIN,
        max(x + width / 2 for (x, _), (width, _) in boxes) + _MARGIN,
        max(y + height / 2 for (_, y), (_, height) in boxes) + _MARGIN,
    )


def _group(root: Element, name: str, *, dead: bool = False) -> Element:
    return SubElement(root, "g", {"class": f"{name} dead" if dead else name})


def _draw_arrow(group: Element, tip: _Point, *curve: _Point) -> None:
    first, *rest = (f"{x:.1f},{y:.1f}" for x, y in curve)
    SubElement(group, "path", d=f"M{first} C{' '.join(rest)}")
    x, y = curve[-1]
    # A third as wide on each side as it is long.
    across, down = (tip[0] - x) / 3, (tip[1] - y) / 3
    corners = (x - down, y + across), tip, (x + down, y - across)
    SubElement(group, "polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in corners))


def _draw_label(group: Element, picture: Picture, edge: Edge, centre: _Point) -> None:
    symbols = picture.edges[edge]
    SubElement(group, "title").text = f"{' → '.join(edge)}: {' '.join(symbols)}"
    (x, y), (width, height) = centre, _label_size(symbols)
    _add(group, "rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=3)
    _write(group, wrap_symbols(symbols), centre, _LABEL_SIZE)


def _draw_state(group: Element, picture: Picture, state: str, centre: _Point) -> None:
    accepting = state in picture.machine.accepting
    SubElement(group, "title").text = f"{state}, accepting" if accepting else state
    (x, y), (width, height) = centre, _state_size(picture)
    for inset in (0, 3) if accepting else (0,):
        _add(group, "ellipse", cx=x, cy=y, rx=width / 2 - inset, ry=height / 2 - inset)
    _write(group, picture.label_of(state).splitlines(), centre, _NAME_SIZE)


def _write(group: Element, lines: Sequence[str], centre: _Point, size: int) -> None:
    """Lines of text about a point."""
    x, y = centre
    for number, line in enumerate(lines):
        # The middle of a capital letter is about 0.35 of the size above the baseline.
        baseline = y + size * (0.35 + _LEADING * (number - (len(lines) - 1) / 2))
        _add(group, "text", x=x, y=baseline).text = line


def _add(group: Element, tag: str, **lengths: float) -> Element:
    return SubElement(group, tag, {name: f"{length:.1f}" for name, length in lengths.items()})


def _text_size(lines: Sequence[str], size: int) -> _Point:
    """Width and height in points."""
    return size * _ADVANCE * max(map(len, lines), default=0), size * _LEADING * len(lines)


def _state_size(picture: Picture) -> _Point:
    """The size of all states alike: circles, or ellipses where a name is long."""
    sizes = [_text_size(picture.label_of(s).splitlines(), _NAME_SIZE) for s in picture.states]
    width, height = (max(lengths) + 14 for lengths in zip(*sizes, strict=True))
    height = max(height, _SMALLEST_STATE)
    return max(width, height), max(width, height) if width <= _WIDEST_CIRCLE else height


def _label_size(symbols: Sequence[str]) -> _Point:
    width, height = _text_size(wrap_symbols(symbols), _LABEL_SIZE)
    return width + 6, height + 2
