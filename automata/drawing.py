"""Pictures of machines: source for Graphviz (DOT), and SVG.

For SVG Graphviz only says where things go: it is told how large they are, and
the picture is drawn here. No text is measured, so a picture does not depend on
the fonts of the computer that draws it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import dist, sqrt
from operator import mul
from textwrap import wrap
from threading import Lock
from typing import Final, TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from automata.machine import Machine

#: The largest picture. Its layout takes up to 5 s when the edges are random,
#: with 400 edges more than a minute; it holds the interpreter lock throughout.
MOST_STATES: Final = 100
MOST_EDGES: Final = 220

#: Names that a list shows before it only counts the rest.
_SHOWN: Final = 24

#: Where the start arrow comes from.
_ENTRY: Final = "->"

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

#: DOT attributes of a dead state and of the moves to it.
_PALE: Final = ", color=gray70, fontcolor=gray50"

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
_Edge: TypeAlias = tuple[str, str]

# Graphviz keeps settings and errors in global variables, and one picture takes many calls.
_GRAPHVIZ: Final = Lock()


class TooLargeToDraw(ValueError):
    """The machine has more states or edges than can be laid out in a few seconds."""


def dot(machine: Machine, labels: Mapping[str, str] | None = None, *, errors: bool = False) -> str:
    """The machine in the DOT language.

    All moves from one state to another are one edge. Its label stops after 24
    symbols; its tooltip has them all, with spaces between them.

    Args:
        machine: any machine, also one that is too large for `svg`.
        labels: state -> what to write in it instead of its name.
        errors: draw also the dead states, those that no accepting state can
            be reached from. Otherwise a caption says what is not drawn.
    """
    picture = _Picture(machine, labels or {}, errors)
    entry = _quoted(_ENTRY)
    lines = ["rankdir=LR", "node [shape=circle]", f"label={_escaped(picture.caption)}"]
    lines += [f"{entry} [shape=point, style=invis]", f"{entry} -> {_quoted(machine.start)}"]
    for state in picture.states:
        shape = ", shape=doublecircle" if state in machine.accepting else ""
        pale = _PALE if state in picture.dead else ""
        lines.append(f"{_quoted(state)} [label={_escaped(picture.label(state))}{shape}{pale}]")
    for (source, target), symbols in picture.edges.items():
        label = _escaped("\n".join(_wrapped(symbols)))
        pale = _PALE if target in picture.dead else ""
        attributes = f"label={label}, tooltip={_escaped(' '.join(symbols))}{pale}"
        lines.append(f"{_quoted(source)} -> {_quoted(target)} [{attributes}]")
    body = "".join(f"    {line};\n" for line in lines)
    return f"strict digraph {_quoted(machine.name)} {{\n{body}}}\n"


def svg(
    machine: Machine, labels: Mapping[str, str] | None = None, *, errors: bool = False
) -> bytes:
    """The machine as an SVG file in UTF-8; the arguments are those of `dot`.

    It takes Graphviz, which developers have. No other thread of the process runs during the layout.

    Raises:
        TooLargeToDraw: as `check_size`.
    """
    check_size(machine, errors=errors)
    picture = _Picture(machine, labels or {}, errors)
    root = _drawn(picture, _places(picture))
    ElementTree.indent(root)
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f"{text}\n".encode()


def check_size(machine: Machine, *, errors: bool = False) -> None:
    """Whether `svg` draws it.

    Raises:
        TooLargeToDraw: there are more than `MOST_STATES` states or `MOST_EDGES` edges to draw.
    """
    picture = _Picture(machine, {}, errors)
    if len(picture.states) > MOST_STATES or len(picture.edges) > MOST_EDGES:
        raise TooLargeToDraw(
            f"the picture of {machine.name} has {len(picture.states)} states and "
            f"{len(picture.edges)} edges: at most {MOST_STATES} and {MOST_EDGES} can be drawn"
        )


@dataclass(frozen=True)
class _Picture:
    """What is to be seen of a machine."""

    machine: Machine
    labels: Mapping[str, str]
    errors: bool

    def label(self, state: str) -> str:
        return self.labels.get(state, state)

    @cached_property
    def dead(self) -> frozenset[str]:
        """The states that no accepting state can be reached from; the start is never one."""
        sources: dict[str, set[str]] = {state: set() for state in self.machine.states}
        for state, moves in self.machine.moves.items():
            for targets in moves.values():
                for target in targets:
                    sources[target].add(state)
        alive = set(self.machine.accepting)
        fresh = list(self.machine.accepting)
        while fresh:
            found = sources[fresh.pop()] - alive
            alive |= found
            fresh += found
        return frozenset(self.machine.states) - alive - {self.machine.start}

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The states to draw, in their order."""
        return tuple(s for s in self.machine.states if self.errors or s not in self.dead)

    @cached_property
    def edges(self) -> Mapping[_Edge, tuple[str, ...]]:
        """(source, target) -> the symbols that lead there; all in their order."""
        symbols: dict[_Edge, list[str]] = {}
        for source in self.states:
            moves = self.machine.moves[source]
            for symbol in self.machine.symbols:
                for target in moves.get(symbol, ()):
                    symbols.setdefault((source, target), []).append(symbol)
        place = {state: place for place, state in enumerate(self.states)}
        drawn = [edge for edge in symbols if edge[1] in place]
        drawn.sort(key=lambda edge: (place[edge[0]], place[edge[1]]))
        return {edge: tuple(symbols[edge]) for edge in drawn}

    @property
    def caption(self) -> str:
        """What is not drawn; empty if all is."""
        dead = [self.label(s) for s in self.machine.states if s not in self.states]
        if not dead:
            return ""
        used = {symbol for moves in self.machine.moves.values() for symbol in moves}
        lost = used.difference(*self.edges.values())
        text = f"Not drawn: {_shortened(dead)}, from which no run is accepted"
        if lost:
            text += ", and " + _shortened([s for s in self.machine.symbols if s in lost])
            text += ", which only " + ("leads there" if len(lost) == 1 else "lead there")
        return text + "."


@dataclass(frozen=True)
class _Places:
    """Where things go, in points to the right and downwards."""

    states: Mapping[str, _Point]
    #: The tip of each arrow, then the control points of its curve.
    arrows: Mapping[_Edge, list[_Point]]
    #: The centres of the labels.
    labels: Mapping[_Edge, _Point]


def _places(picture: _Picture) -> _Places:
    """Lay the picture out by Graphviz, from left to right."""
    # The service has pictures that are drawn already, and no Graphviz.
    from pygraphviz import AGraph

    # A state may be called anything; a number has no meaning to Graphviz.
    node = {state: str(number) for number, state in enumerate((_ENTRY, *picture.states))}
    entry = (_ENTRY, picture.machine.start)
    width, height = (length / _INCH for length in _state_size(picture))
    with _GRAPHVIZ:
        graph = AGraph(directed=True, rankdir="LR", nodesep=0.3, ranksep=0.5)
        graph.node_attr.update(label="", fixedsize="true", width=width, height=height)
        graph.add_node(node[_ENTRY], shape="point", width=0.05, height=0.05)
        graph.add_nodes_from(node[state] for state in picture.states)
        graph.add_edge(*map(node.get, entry))
        for edge, symbols in picture.edges.items():
            graph.add_edge(*map(node.get, edge), label=_blank(*_label_size(symbols)))
        graph.layout("dot")
        states = {state: graph.get_node(node[state]).attr["pos"] for state in picture.states}
        edges = {e: dict(graph.get_edge(*map(node.get, e)).attr) for e in (entry, *picture.edges)}
        graph.close()
    arrows = {edge: _points(found["pos"].removeprefix("e,")) for edge, found in edges.items()}
    return _Places(
        states={state: _points(pos)[0] for state, pos in states.items()},
        arrows=arrows,
        labels={
            edge: _label_place(edge, arrows[edge], *_points(edges[edge]["lp"]))
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


def _label_place(edge: _Edge, arrow: list[_Point], beside: _Point) -> _Point:
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
    x, y = (sum(map(mul, weights, places)) for places in zip(*controls, strict=True))
    return x, y


def _drawn(picture: _Picture, places: _Places) -> Element:
    """The picture as an SVG element."""
    left, top, right, bottom = _bounds(picture, places)
    width = right - left
    caption = wrap(picture.caption, max(_SHOWN, int(width / (_ADVANCE * _CAPTION_SIZE))))
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
    for (_, target), arrow in places.arrows.items():
        _draw_arrow(_group(root, "arrow", dead=target in picture.dead), *arrow)
    for edge, centre in places.labels.items():
        _draw_label(_group(root, "label", dead=edge[1] in picture.dead), picture, edge, centre)
    for state, centre in places.states.items():
        _draw_state(_group(root, "state", dead=state in picture.dead), picture, state, centre)
    middle = left + _MARGIN, bottom + (below - _MARGIN) / 2
    _write(_group(root, "caption"), caption, middle, _CAPTION_SIZE)
    return root


def _bounds(picture: _Picture, places: _Places) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all there is, with a margin."""
    boxes = [(centre, _state_size(picture)) for centre in places.states.values()]
    boxes += [(at, _label_size(picture.edges[edge])) for edge, at in places.labels.items()]
    boxes += [(point, (0, 0)) for arrow in places.arrows.values() for point in arrow]
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


def _draw_label(group: Element, picture: _Picture, edge: _Edge, centre: _Point) -> None:
    symbols = picture.edges[edge]
    SubElement(group, "title").text = f"{' → '.join(edge)}: {' '.join(symbols)}"
    (x, y), (width, height) = centre, _label_size(symbols)
    _add(group, "rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=3)
    _write(group, _wrapped(symbols), centre, _LABEL_SIZE)


def _draw_state(group: Element, picture: _Picture, state: str, centre: _Point) -> None:
    accepting = state in picture.machine.accepting
    SubElement(group, "title").text = f"{state}, accepting" if accepting else state
    (x, y), (width, height) = centre, _state_size(picture)
    for inset in (0, 3) if accepting else (0,):
        _add(group, "ellipse", cx=x, cy=y, rx=width / 2 - inset, ry=height / 2 - inset)
    _write(group, picture.label(state).splitlines(), centre, _NAME_SIZE)


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


def _state_size(picture: _Picture) -> _Point:
    """The size of all states alike: circles, or ellipses where a name is long."""
    sizes = [_text_size(picture.label(s).splitlines(), _NAME_SIZE) for s in picture.states]
    width, height = (max(lengths) + 14 for lengths in zip(*sizes, strict=True))
    height = max(height, _SMALLEST_STATE)
    return max(width, height), max(width, height) if width <= _WIDEST_CIRCLE else height


def _label_size(symbols: Sequence[str]) -> _Point:
    width, height = _text_size(_wrapped(symbols), _LABEL_SIZE)
    return width + 6, height + 2


def _wrapped(symbols: Sequence[str]) -> list[str]:
    """A list of symbols in lines that make a block about three times as wide as high."""
    text = _shortened(symbols)
    return wrap(text, max(17, round(sqrt(5 * len(text)))), break_on_hyphens=False)


def _shortened(names: Sequence[str]) -> str:
    rest = len(names) - _SHOWN
    return " ".join(names) if rest <= 0 else f"{' '.join(names[:_SHOWN])} … +{rest}"


def _quoted(name: str) -> str:
    """A name in DOT, where only the quotation mark needs an escape."""
    return '"' + name.replace('"', '\\"') + '"'


def _escaped(text: str) -> str:
    r"""A label in DOT, where ``\`` and ``&`` begin escapes as well."""
    return _quoted(text.replace("\\", "\\\\").replace("&", "&amp;").replace("\n", "\\n"))
