"""Pictures of machines: nothing of a machine is lost in them but what they say they leave out."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import dist
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygraphviz import AGraph

from docs.machine_svg import svg
from minecheck.automata import hu_lin, kadlac
from minecheck.automata.drawing import MOST_EDGES, MOST_STATES, TooLargeToDraw, render_dot
from minecheck.automata.machine import Machine
from minecheck.automata.profiles import Profiles
from tests.reference.kadlac_layouts import guessing
from tests.reference.runs import accepts

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[2]

MACHINES = [
    kadlac.build_machine(),
    guessing(),
    hu_lin.build_merged_machine(),
    Profiles(1).build_machine(),
    Profiles(2).build_machine(),
]
DRAWN = pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)


def moves(machine: Machine) -> set[tuple[str, str, str]]:
    """(state, symbol, next state)."""
    return {
        (state, symbol, target)
        for state, symbols in machine.moves.items()
        for symbol, targets in symbols.items()
        for target in targets
    }


def arrows(graph: AGraph) -> Iterator[tuple[str, str, str]]:
    """The moves in a graph read from DOT."""
    for source, target in graph.edges():
        symbols = graph.get_edge(source, target).attr["tooltip"] or ""
        for symbol in symbols.split():
            yield str(source), symbol, str(target)


def states(graph: AGraph) -> set[str]:
    return {str(node) for node in graph.nodes() if node.attr["style"] != "invis"}


def texts(element: Element, group: str, tag: str) -> list[str]:
    """Return the texts of all groups of a class."""
    return [
        found.text or ""
        for part in element.iter(f"{SVG}g")
        if part.attrib["class"].split()[0] == group
        for found in part.iter(f"{SVG}{tag}")
    ]


def graph_of(edges: set[tuple[int, int]], accepting: set[int], count: int) -> Machine:
    """A machine with its states numbered, from 0, and one symbol for all edges."""
    return Machine(
        name="numbers",
        rows=1,
        states=tuple(map(str, range(count))),
        symbols=("0",),
        start="0",
        accepting=frozenset(map(str, accepting)),
        moves={
            str(a): {"0": tuple(str(b) for b in range(count) if (a, b) in edges)}
            for a in range(count)
        },
        columns={},
    )


@pytest.mark.parametrize("machine", [*MACHINES, hu_lin.build_machine()], ids=lambda m: m.name)
def test_dot_has_every_state_and_every_move(machine: Machine) -> None:
    graph = AGraph(string=render_dot(machine, errors=True))
    assert states(graph) == set(machine.states)
    assert sorted(arrows(graph)) == sorted(moves(machine))
    doubled = {str(n) for n in graph.nodes() if n.attr["shape"] == "doublecircle"}
    assert doubled == machine.accepting
    (entry,) = set(map(str, graph.nodes())) - states(graph)
    assert [str(state) for state in graph.successors(entry)] == [machine.start]


@DRAWN
def test_svg_has_every_state_and_every_move(machine: Machine) -> None:
    root = ElementTree.fromstring(svg(machine, errors=True))
    assert texts(root, "state", "text") == list(machine.states)
    marked = [f"{s}, accepting" if s in machine.accepting else s for s in machine.states]
    assert texts(root, "state", "title") == marked
    found = set()
    for title in texts(root, "label", "title"):
        edge, symbols = title.split(": ")
        source, target = edge.split(" → ")
        found |= {(source, symbol, target) for symbol in symbols.split()}
    assert found == moves(machine)


@DRAWN
def test_svg_arrows_end_on_states_and_labels_are_inside_the_picture(machine: Machine) -> None:
    root = ElementTree.fromstring(svg(machine))
    rims = [
        (float(rim.attrib["cx"]), float(rim.attrib["cy"]), float(rim.attrib["rx"]))
        for rim in root.iter(f"{SVG}ellipse")
    ]
    for head in root.iter(f"{SVG}polygon"):
        x, y = map(float, head.attrib["points"].split()[1].split(","))
        assert any(abs(dist((x, y), (cx, cy)) - radius) < 2 for cx, cy, radius in rims)
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    for box in root.iter(f"{SVG}rect"):
        x, y, across, down = (float(box.attrib[key]) for key in ("x", "y", "width", "height"))
        assert left <= x <= x + across <= left + width
        assert top <= y <= y + down <= top + height


def test_svg_label_is_on_its_arrow_or_above_its_loop() -> None:
    root = ElementTree.fromstring(svg(graph_of({(0, 1), (1, 1)}, {1}, 2)))
    (_, y), (x, _) = (
        (float(rim.attrib["cx"]), float(rim.attrib["cy"]))
        for rim in root.findall(f"{SVG}g[@class='state']/{SVG}ellipse[1]")
    )
    on, above = (
        tuple(float(box.attrib[key]) for key in ("x", "y", "width", "height"))
        for box in root.iter(f"{SVG}rect")
    )
    assert abs(on[1] + on[3] / 2 - y) < 1
    assert on[0] + on[2] < x
    assert above[0] < x < above[0] + above[2]
    assert y - 60 < above[1] + above[3] < y - 19


def test_drawing_omits_the_error_state_of_table_1_and_says_so_in_the_caption() -> None:
    machine = kadlac.build_machine()
    alive = {move for move in moves(machine) if move[2] != "Er"}
    graph = AGraph(string=render_dot(machine))
    assert states(graph) == set(machine.states) - {"Er"}
    assert set(arrows(graph)) == alive
    caption = (
        "Not drawn: Er, from which no run is accepted, and 3 4 5 6 7 8, which only lead there."
    )
    assert graph.graph_attr["label"] == caption
    root = ElementTree.fromstring(svg(machine))
    assert "Er" not in texts(root, "state", "text")
    assert " ".join(texts(root, "caption", "text")) == caption
    assert not texts(ElementTree.fromstring(svg(machine, errors=True)), "caption", "text")


@given(
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3))),
    st.sets(st.integers(0, 3)),
)
def test_drawing_omits_the_states_that_accept_no_word(
    edges: set[tuple[int, int]], accepting: set[int]
) -> None:
    machine = graph_of(edges, accepting, 4)
    accepted = {
        state
        for state in machine.states
        if any(accepts(replace(machine, start=state), ["0"] * length) for length in range(5))
    }
    graph = AGraph(string=render_dot(machine))
    drawn = accepted | {machine.start}
    assert states(graph) == drawn
    assert set(arrows(graph)) == {m for m in moves(machine) if m[0] in drawn and m[2] in drawn}
    assert bool(graph.graph_attr["label"]) is (len(drawn) < 4)


@given(st.lists(st.text("?{},-<>&\"'0B→", min_size=1), min_size=1, max_size=4, unique=True))
def test_drawing_escapes_names_for_graphviz_and_xml(names: list[str]) -> None:
    machine = Machine(
        name='a "name" & <more>',
        rows=1,
        states=tuple(names),
        symbols=("&", "<", '"'),
        start=names[0],
        accepting=frozenset(names),
        moves={a: {symbol: (b,) for symbol, b in zip('&<"', names, strict=False)} for a in names},
        columns={},
    )
    if "->" not in names:
        graph = AGraph(string=render_dot(machine))
        assert states(graph) == set(names)
        assert len(list(arrows(graph))) == len(moves(machine))
    root = ElementTree.fromstring(svg(machine))
    assert root.findtext(f"{SVG}title") == machine.name
    assert texts(root, "state", "text") == names


def test_drawing_shows_labels_of_several_lines_in_place_of_names() -> None:
    machine = Profiles(1).build_machine()
    labels = {"-": "&lt;", "B": "a\\mine\nhere"}
    shown = texts(ElementTree.fromstring(svg(machine, labels)), "state", "text")
    assert shown == ["&lt;", "0", "1", "a\\mine", "here"]
    assert '"-" [label="&amp;lt;"' in render_dot(machine, labels)
    assert '"B" [label="a\\\\mine\\nhere"' in render_dot(machine, labels)


def test_drawing_shortens_a_long_list_of_symbols_and_keeps_all_in_the_tooltip() -> None:
    machine = Profiles(2).build_machine()
    graph = AGraph(string=render_dot(machine))
    symbols = graph.get_edge("BB", "--").attr["tooltip"].split()
    assert symbols == [s for s in machine.symbols if "--" in machine.moves["BB"].get(s, ())]
    wide = replace(
        machine,
        states=("a",),
        start="a",
        accepting=frozenset("a"),
        moves={"a": dict.fromkeys(machine.symbols, ("a",))},
    )
    graph = AGraph(string=render_dot(wide))
    loop = graph.get_edge("a", "a").attr
    shown = " ".join([*machine.symbols[:24], f"… +{len(machine.symbols) - 24}"])
    assert loop["label"].replace("\\n", " ") == shown
    assert loop["tooltip"].split() == list(machine.symbols)
    assert " ".join(texts(ElementTree.fromstring(svg(wide)), "label", "text")) == shown


def test_svg_rejects_a_machine_that_is_too_large_and_dot_draws_it() -> None:
    states_above = graph_of(set(), set(range(MOST_STATES + 1)), MOST_STATES + 1)
    with pytest.raises(TooLargeToDraw, match=f"{MOST_STATES + 1} states and 0 edges"):
        svg(states_above)
    assert len(states(AGraph(string=render_dot(states_above)))) == MOST_STATES + 1
    edges = set(list(product(range(20), range(20)))[: MOST_EDGES + 1])
    with pytest.raises(TooLargeToDraw, match=f"20 states and {MOST_EDGES + 1} edges"):
        svg(graph_of(edges, set(range(20)), 20))
    with pytest.raises(ValueError, match="hu-lin has 43 states and 342 edges"):
        svg(hu_lin.build_machine())


def test_svg_limit_does_not_count_omitted_states() -> None:
    dead = graph_of({(0, 1)}, {0, 1}, MOST_STATES + 9)
    drawn = ElementTree.fromstring(svg(dead))
    assert texts(drawn, "state", "text") == ["0", "1"]
    with pytest.raises(TooLargeToDraw):
        svg(dead, errors=True)


def test_svg_does_not_depend_on_fonts_and_graphviz_prints_no_warning() -> None:
    code = "import sys; from docs.machine_svg import svg; from minecheck.automata import kadlac; "
    code += "sys.stdout.buffer.write(svg(kadlac.build_machine()))"
    without = os.environ | {"FONTCONFIG_FILE": "/nowhere", "FONTCONFIG_PATH": "/nowhere"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=without, capture_output=True, check=True
    )
    assert done.stdout == svg(kadlac.build_machine())
    assert done.stderr == b""


def test_render_dot_does_not_import_graphviz() -> None:
    code = "import sys; from minecheck.automata import drawing, kadlac; "
    code += "drawing.render_dot(kadlac.build_machine()); "
    code += "sys.exit('pygraphviz' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
