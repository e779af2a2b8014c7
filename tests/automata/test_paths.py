"""The paths of machines against all that can be walked, and the papers' own examples."""

import json
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path as File
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.automata import hu_lin, kadlac, tree_drawing
from minecheck.automata.dead_ends import find_contradiction, find_profile, list_unmet_rows
from minecheck.automata.drawing import TooLargeToDraw
from minecheck.automata.machine import Reader
from minecheck.automata.paths import Fate, PathNode, Paths, TooManyStates, iterate_leaves
from minecheck.automata.profiles import Profiles, read_word
from minecheck.minefield.notation import parse
from tests import boards, oracle

FIGURES = json.loads((File(__file__).parent / "data" / "hu_lin.json").read_text())["figures"]
MANY = 10**6
Walked = tuple[tuple[str, ...], bool]


def walk_paths(machine: Reader, symbols: Sequence[str]) -> list[Walked]:
    """All paths, each with whether it is accepted, by walking on from each state in turn."""

    def on(state: str, rest: Sequence[str]) -> list[Walked]:
        targets = machine.follow(state, rest[0]) if rest else ()
        if not targets:
            return [((state,), not rest and machine.is_accepting(state))]
        return [((state, *way), end) for one in targets for way, end in on(one, rest[1:])]

    return on(machine.start, symbols)


def list_tree_paths(tree: Sequence[PathNode]) -> list[Walked]:
    return [
        (tuple(tree[number].state for number in path), tree[path[-1]].fate is Fate.ACCEPTED)
        for path in iterate_leaves(tree)
    ]


@st.composite
def readings(draw: st.DrawFn) -> tuple[Reader, list[str]]:
    """A machine, and a word of symbols, some of which it may not know."""
    name = draw(st.sampled_from(["kadlac", "hu-lin", "strip-1", "strip-2", "strip-3"]))
    if name == "hu-lin":
        symbols = st.sampled_from([*hu_lin.SYMBOLS, "??", "??", "1?", "2?", "12"])
        return hu_lin.build_machine(), draw(st.lists(symbols, max_size=6))
    if name == "kadlac":
        return kadlac.build_machine(), draw(st.lists(st.sampled_from("012B?"), max_size=8))
    width = int(name[-1])
    column = st.text("?????0123BS", min_size=width, max_size=width)
    return Profiles(width), draw(st.lists(column, max_size=5))


@given(readings(), st.integers(1, 40))
def test_paths_are_exactly_those_that_can_be_walked(
    case: tuple[Reader, list[str]], most: int
) -> None:
    machine, symbols = case
    expected = walk_paths(machine, symbols)
    paths = Paths(machine, symbols, MANY)
    accepted = [one for one in expected if one[1]]
    rejected = [one for one in expected if not one[1]]
    assert (paths.counts.accepted, paths.counts.rejected) == (len(accepted), len(rejected))
    assert list_tree_paths(paths.build_tree(MANY)) == expected
    assert list_tree_paths(paths.build_tree(most)) == expected[:most]
    assert list_tree_paths(paths.build_tree(most, rejected=False)) == accepted[:most]
    assert list_tree_paths(paths.build_tree(most, accepted=False)) == rejected[:most]
    assert paths.build_tree(most, accepted=False, rejected=False) == []


@given(readings())
def test_path_tree_has_each_beginning_once(case: tuple[Reader, list[str]]) -> None:
    machine, symbols = case
    tree = Paths(machine, symbols, MANY).build_tree(MANY)
    beginnings = {
        way[: read + 1] for way, _ in walk_paths(machine, symbols) for read in range(len(way))
    }
    assert len(tree) == len(beginnings)
    for number, node in enumerate(tree):
        if node.parent is None:
            assert (number, node.read, node.state) == (0, 0, machine.start)
        else:
            assert node.parent < number
            before = tree[node.parent]
            assert before.fate is Fate.GOES_ON
            assert before.read == node.read - 1
            assert node.state in machine.follow(before.state, symbols[before.read])


@given(boards.strip_boards(cells=16, unknown=10))
def test_accepted_paths_of_profiles_are_the_layouts(board: Any) -> None:
    paths = Paths(Profiles(board.height), read_word(board), MANY)
    assert paths.counts.accepted == oracle.answer(board).count


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure["id"])
def test_paths_of_hu_and_lins_figures_are_those_of_the_paper(figure: dict[str, Any]) -> None:
    machine = hu_lin.build_machine()
    paths = Paths(machine, figure["columns"], MANY)
    found = list_tree_paths(paths.build_tree(MANY))
    whole = {(tuple(run["states"]), run["accepting"]) for run in figure["runs"]}
    stuck = {(tuple(states), False) for states in figure["runs_stuck_before_the_end"]}
    assert set(found) == whole | stuck
    assert len(found) == len(whole) + len(stuck)
    assert paths.counts.accepted == figure["accepting_runs"]


def test_figure_6_has_three_accepted_paths_and_one_rejected_path() -> None:
    """The paths are those of the paper, except for the names of two states (errata, H3)."""
    found = list_tree_paths(
        Paths(hu_lin.build_machine(), ["2?", "??", "4?", "?B", "2?"], MANY).build_tree(MANY)
    )
    assert found == [
        (("s0", "20?0", "?B?B", "42?0", "?BBB", "22?0"), True),
        (("s0", "20?0", "?B?B", "43?B", "?0BB", "21?0"), False),
        (("s0", "20?0", "?B?B", "43?B", "?0BB", "22?B"), True),
        (("s0", "21?B", "?0?B", "42?B", "?BBB", "22?0"), True),
    ]


def test_path_tree_of_the_students_figure_has_two_branches_and_one_layout() -> None:
    """Figure 1, the tape 1?, 2?, 2?: acceptance was not looked at (errata, S2)."""
    tree = Paths(hu_lin.build_machine(), ["1?", "2?", "2?"], MANY).build_tree(MANY)
    assert [(node.parent, node.state, node.fate.value) for node in tree] == [
        (None, "s0", "goes on"),
        (0, "10?0", "goes on"),
        (1, "21?B", "goes on"),
        (2, "22?B", "accepted"),
        (0, "11?B", "goes on"),
        (4, "21?0", "goes on"),
        (5, "21?B", "dies"),
    ]


def test_paths_are_counted_without_walking_exponentially_many() -> None:
    """Depth first, most of them would be walked in vain before the first that is accepted."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    times = 300
    symbols = ["??", *["1?", "1?", "??"] * times, "11"]
    paths = Paths(hu_lin.build_machine(), symbols, MANY, step)
    assert (paths.counts.accepted, paths.counts.rejected) == (1, 2**times + 1)
    tree = paths.build_tree(5, rejected=False)
    assert [node.fate for node in tree] == [Fate.GOES_ON] * len(symbols) + [Fate.ACCEPTED]
    assert len(list(iterate_leaves(paths.build_tree(5)))) == 5
    assert steps <= 4 * len(symbols)


def test_paths_reject_more_states_than_the_limit() -> None:
    with pytest.raises(TooManyStates):
        Paths(Profiles(3), ["???"] * 10, 50)


def test_paths_end_with_the_exception_of_their_callback() -> None:
    def raise_timeout() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        Paths(Profiles(2), ["??"] * 4, MANY, raise_timeout)


# Why paths end.


def holds(columns: Sequence[str], height: int) -> bool:
    """True if a board of these columns has a layout when unknown cells follow."""
    rows = ["".join(cells) for cells in zip(*columns, "?" * height, strict=True)]
    return oracle.answer(parse(rows)).count > 0


@pytest.mark.parametrize("name", ["hu-lin", "strip-1", "strip-2", "strip-3"])
def test_clues_that_end_a_path_are_a_smallest_contradiction_to_its_mines(
    name: str,
) -> None:
    width = 2 if name == "hu-lin" else int(name[-1])
    machine: Reader = hu_lin.build_machine() if name == "hu-lin" else Profiles(width)
    cells = "0123?B" if width == 3 else "012345?B"
    alphabet = ["".join(column) for column in product(cells, repeat=width)]
    firsts = alphabet if width < 3 else alphabet[::17]
    ended = 0
    for first, second in product(firsts, alphabet[:: 1 if width < 3 else 23]):
        symbol = "".join(sorted(first)) if name == "hu-lin" else first
        for state in machine.follow(machine.start, symbol):
            read = find_profile(name, state, first)
            spelt = "".join(sorted(second)) if name == "hu-lin" else second
            clues = find_contradiction(read, second)
            assert bool(clues) is (not machine.follow(state, spelt))
            if not clues or ended > 400:
                continue
            ended += 1
            mines = ["B" if cell == "B" else "S" for cell in read]
            both = [list(mines), ["S" if cell.isdigit() else cell for cell in second]]
            for side, row in clues:
                both[side][row] = (first, second)[side][row]
            assert not holds(["".join(column) for column in both], width)
            for side, row in clues:
                both[side][row] = "S"
                assert holds(["".join(column) for column in both], width)
                both[side][row] = (first, second)[side][row]
    assert ended > 10


def test_list_unmet_rows_names_the_clues_without_enough_mines_at_the_end() -> None:
    assert list_unmet_rows(find_profile("hu-lin", "21?0", "2?")) == [0]
    assert list_unmet_rows(find_profile("hu-lin", "22?B", "?2")) == []
    assert list_unmet_rows("1-B20") == [0, 3]


def test_clue_with_too_many_mines_around_contradicts_itself() -> None:
    assert find_contradiction("1-", "?!") == ((1, 1),)


# Pictures.


def test_tree_drawing_has_a_box_for_each_node_and_lines_between_them() -> None:
    symbols = ["2?", "??", "4?", "?B", "2?"]
    tree = Paths(hu_lin.build_machine(), symbols, MANY).build_tree(MANY)
    root = ElementTree.fromstring(tree_drawing.render_svg(tree, symbols, "4 paths"))
    svg = "{http://www.w3.org/2000/svg}"
    drawn = [(one.get("class"), one.findtext(f"{svg}text")) for one in root.iter(f"{svg}g")]
    kinds = {Fate.GOES_ON: "state", Fate.ACCEPTED: "state accepted", Fate.DIES: "state dies"}
    assert drawn == [(kinds[node.fate], node.state) for node in tree]
    assert len(list(root.iter(f"{svg}path"))) == len(tree) - 1
    heads = [one.text for one in root.iter(f"{svg}text") if one.get("class") == "head"]
    assert heads == symbols
    boxes = [(float(one.get("x", 0)), float(one.get("y", 0))) for one in root.iter(f"{svg}rect")]
    assert len(set(boxes)) == len(tree)
    by_column = [[y for x, y in boxes if x == column] for column in sorted({x for x, _ in boxes})]
    assert all(b - a >= 25 for ys in by_column for a, b in pairwise(ys))


def test_tree_drawing_rejects_too_many_paths() -> None:
    tree = Paths(Profiles(2), ["??"] * 5, MANY).build_tree(tree_drawing.MOST_LEAVES + 1)
    with pytest.raises(TooLargeToDraw, match="101 paths"):
        tree_drawing.render_svg(tree, ["??"] * 5, "")


def test_tree_drawing_of_no_paths_is_an_empty_picture() -> None:
    tree = Paths(Profiles(1), ["1"], MANY).build_tree(5, rejected=False)
    assert tree == []
    ElementTree.fromstring(tree_drawing.render_svg(tree, ["1"], "no path"))
