"""Boards of other topologies as words, against every layout of small ones and frontier counts."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from minecheck import solvers
from minecheck.automata import EVEN, NotAStrip, Strip, make_strip
from minecheck.automata.reading import MOST_KEPT, Ordered, choose_order
from minecheck.minefield import UNKNOWN, Board, Clue, Shape, Topology, Variant, parse
from minecheck.minefield.layout import Layout
from tests.variants import judge, neighbours, variants

JOINED = (Shape.TORUS, Shape.CYLINDER)


def half_shown(topology: Topology, height: int, width: int, seed: int) -> Variant:
    """A board of this topology, a fifth of it mines, and half of the other cells shown."""
    random = np.random.default_rng(seed)
    mines = random.random((height, width)) < 0.2
    numbers = Variant(Board(np.full((height, width), UNKNOWN)), topology).count_neighbours(mines)
    shown = ~mines & (random.random((height, width)) < 0.5) & (numbers <= 8)
    return Variant(Board(np.where(shown, numbers, UNKNOWN)), topology)


def written_out(read: Strip) -> Iterator[tuple[tuple[int, ...], ...]]:
    for layout in read.iterate_layouts():
        yield tuple(map(tuple, layout.mine_counts.tolist()))


@given(variants(), st.sampled_from([None, None, 0, 1, 2, 3]))
def test_strip_of_any_topology_answers_as_all_layouts_do(
    variant: Variant, mines: int | None
) -> None:
    assume(variant.topology.mutual)
    mines = None if mines is None else min(mines, variant.capacity)
    try:
        read = make_strip(variant, mines)
    except NotAStrip:
        assert variant.cells.size > MOST_KEPT
        reject()
    judged = judge(variant, mines)
    layouts = list(written_out(read))
    assert sorted(layouts) == sorted(judged.layouts)
    assert read.is_consistent() is bool(judged.layouts)
    assert read.count() == len(judged.layouts)
    assert read.by_mines() == judged.by_mines
    forced = [{tuple(cell) for cell in np.argwhere(cells).tolist()} for cells in read.find_forced()]
    assert forced == [judged.forced_mines, judged.forced_safe]
    for rank, layout in enumerate(read.iterate_layouts()):
        assert read.rank(layout) == rank
        assert read.unrank(rank) == layout
    if layouts:
        undecided = list(judged.chances)
        chances = read.compute_chances()
        assert [chances[at] for at in undecided] == list(map(float, judged.chances.values()))
        if undecided:
            ratios = read.compute_ratios(undecided)
            assert [part / whole for part, whole in ratios] == [chances[at] for at in undecided]


@given(variants(most_unknown=4))
def test_reading_order_lists_the_neighbours_that_are_read_earlier(variant: Variant) -> None:
    assume(variant.topology.mutual)
    read = choose_order(variant)
    assert isinstance(read, Ordered)
    width = variant.shape[1]
    order = [divmod(cell, width) for cell in read.order.ravel().tolist()]
    for index, cell in enumerate(order):
        earlier = read.columns.earlier[index]
        found = {order[number] for number in earlier if number >= 0}
        assert found == neighbours(variant, cell) & set(order[:index])


@pytest.mark.parametrize("shape", JOINED)
@pytest.mark.parametrize("size", [(3, 40), (40, 3), (5, 60), (1, 30), (30, 1), (2, 25)])
def test_strip_of_long_joined_boards_agrees_with_the_frontier(
    shape: Shape, size: tuple[int, int]
) -> None:
    variant = half_shown(Topology(shape), *size, seed=sum(size))
    read = make_strip(variant)
    found = solvers.analyze(variant)
    assert read.count() == found.count
    assert found.probabilities is not None
    assert np.array_equal(
        np.where(variant.unknown, read.compute_chances(), np.nan),
        found.probabilities,
        equal_nan=True,
    )
    for mines in found.by_mines or {}:
        assert make_strip(variant, mines).count() == (found.by_mines or {})[mines]
        break


@pytest.mark.parametrize("length", [10, 100, 1000])
def test_cells_kept_by_a_reading_order_do_not_grow_with_the_length(length: int) -> None:
    cells = np.full((length, 4), UNKNOWN)
    cells[::2, ::2] = 3
    for shape, kept in ((Shape.CYLINDER, 6), (Shape.TORUS, 11)):
        assert choose_order(Variant(Board(cells), Topology(shape))).columns.cells_kept <= kept


@pytest.mark.parametrize(
    ("topology", "size", "machine"),
    [
        (Topology(), (4, 50), "strip-4"),
        (Topology(Shape.CYLINDER), (50, 12), "cylinder-12"),
        (Topology(Shape.TORUS), (5, 50), "torus-5"),
        (Topology(Shape.HEXAGONAL), (50, 12), "hexagonal-12"),
        (Topology(Shape.KNIGHT), (4, 50), "knight-4"),
        (Topology(layers=2), (6, 40), "rectangle-6"),
    ],
)
def test_strip_of_another_topology_names_its_machine(
    topology: Topology, size: tuple[int, int], machine: str
) -> None:
    variant = half_shown(topology, *size, seed=4)
    read = make_strip(variant)
    assert read.machines == (machine,)
    assert read.count() == solvers.count(variant).count


def test_make_strip_rejects_boards_that_keep_too_many_cells() -> None:
    wide = half_shown(Topology(Shape.TORUS), 20, 20, seed=1)
    with pytest.raises(NotAStrip, match=f"up to {MOST_KEPT} cells in mind"):
        make_strip(wide)
    one_way = Variant(parse("?1?"), Topology(offsets=((0, 1),)))
    with pytest.raises(NotAStrip, match="neighbour of its neighbours"):
        make_strip(one_way)


def test_strip_reads_interval_clues() -> None:
    read = make_strip(Variant(parse("?S?\n???"), differences={(0, 1): Clue(1, 2)}))
    assert read.by_mines() == {1: 5, 2: 10}
    assert read.weigh_all(EVEN) is None


def test_strip_of_a_torus_rejects_ranking_layouts_that_do_not_fit() -> None:
    variant = Variant(parse("1??"), Topology(Shape.TORUS))
    read = make_strip(variant, mines=1)
    assert read.rank(Layout(np.array([[False, False, True]]))) == 0
    for mines in ([[False, True, True]], [[True, False, False]], [[False, True]]):
        with pytest.raises(ValueError, match="does not fit"):
            read.rank(Layout(np.array(mines)))
