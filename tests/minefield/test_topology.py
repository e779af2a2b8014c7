"""Neighbours of cells, against distances."""

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield import Board, Shape, Topology, TopologyError, Variant
from minecheck.minefield.layout import Layout
from minecheck.minefield.topology import FARTHEST, MOST_OFFSETS, NOBODY
from tests import oracle, variants
from tests.variants import topologies


def list_neighbour_sets(topology: Topology, height: int, width: int) -> list[set[int]]:
    near = topology.list_neighbours(np.arange(height * width), (height, width))
    assert near.shape == (height * width, topology.most)
    lists = [[cell for cell in row if cell != NOBODY] for row in near.tolist()]
    assert all(len(set(cells)) == len(cells) and cells == sorted(cells) for cells in lists)
    return [set(cells) for cells in lists]


def list_oracle_neighbours(topology: Topology, height: int, width: int) -> list[set[int]]:
    variant = Variant(Board(np.full((height, width), 9)), topology)
    return [
        {row * width + col for row, col in variants.neighbours(variant, cell)}
        for cell in product(range(height), range(width))
    ]


@pytest.mark.parametrize("shape", list(Shape))
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("size", [*product((1, 2, 3), repeat=2), (4, 5), (5, 4), (1, 6)])
def test_neighbours_of_each_shape_are_those_within_reach(
    shape: Shape, layers: int, size: tuple[int, int]
) -> None:
    topology = Topology(shape, layers=layers)
    height, width = size
    assert list_neighbour_sets(topology, height * layers, width) == list_oracle_neighbours(
        topology, height * layers, width
    )


@given(topologies(), st.integers(1, 4), st.integers(1, 5))
def test_neighbours_by_offsets_agree_with_the_oracle(
    topology: Topology, height: int, width: int
) -> None:
    rows = height * topology.layers
    assert list_neighbour_sets(topology, rows, width) == list_oracle_neighbours(
        topology, rows, width
    )


def test_rectangle_topology_has_the_neighbours_of_the_plane() -> None:
    for height, width in product(range(1, 5), repeat=2):
        near = [
            {row * width + col for row, col in oracle.neighbours(cell, height, width)}
            for cell in product(range(height), range(width))
        ]
        assert list_neighbour_sets(Topology(), height, width) == near


def test_cell_on_a_small_torus_touches_every_cell_once_but_not_itself() -> None:
    torus = Topology(Shape.TORUS)
    assert list_neighbour_sets(torus, 1, 1) == [set()]
    assert list_neighbour_sets(torus, 1, 2) == [{1}, {0}]
    assert list_neighbour_sets(torus, 2, 2) == [{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}]


def test_second_row_of_hexagons_is_shifted_to_the_right() -> None:
    near = list_neighbour_sets(Topology(Shape.HEXAGONAL), 3, 3)
    assert near[4] == {1, 2, 3, 5, 7, 8}
    assert near[1] == {0, 2, 3, 4}
    assert near[0] == {1, 3}


def test_inner_cell_of_three_layers_touches_26_cells() -> None:
    near = list_neighbour_sets(Topology(layers=3), 9, 3)
    assert near[13] == set(range(27)) - {13}


def test_rows_of_hexagons_are_shifted_alike_in_each_layer() -> None:
    near = list_neighbour_sets(Topology(Shape.HEXAGONAL, layers=2), 6, 2)
    below = {cell + 6 for cell in near[0] if cell < 6}
    assert {cell for cell in near[6] if cell >= 6} == below


def test_neighbours_need_not_be_symmetric() -> None:
    assert list_neighbour_sets(Topology(offsets=((0, 1),)), 1, 3) == [{1}, {2}, set()]
    assert list_neighbour_sets(Topology(Shape.CYLINDER, ((0, 1),)), 1, 3) == [{1}, {2}, {0}]


def test_list_neighbours_gives_equal_results_in_parts() -> None:
    topology, cells = Topology(Shape.TORUS, layers=2), np.arange(8 * 7)
    whole = topology.list_neighbours(cells, (8, 7))
    assert np.array_equal(topology.list_neighbours(cells, (8, 7), part_steps=30), whole)


@pytest.mark.parametrize(
    ("shape", "offsets", "layers", "field"),
    [
        (Shape.RECTANGLE, ((0, 0),), 1, "neighbours/0"),
        (Shape.RECTANGLE, ((0, 1), (0, FARTHEST + 1)), 1, "neighbours/1"),
        (Shape.TORUS, ((0, 1), (0, 1)), 1, "neighbours/1"),
        (Shape.RECTANGLE, (), 1, "neighbours"),
        (Shape.RECTANGLE, ((0, 1),) * (MOST_OFFSETS + 1), 1, "neighbours"),
        (Shape.HEXAGONAL, ((0, 1),), 1, "neighbours"),
        (Shape.KNIGHT, ((0, 1),), 1, "neighbours"),
        (Shape.RECTANGLE, None, 0, "layers"),
    ],
)
def test_topology_rejects_invalid_arguments_and_names_the_field(
    shape: Shape, offsets: tuple[tuple[int, int], ...] | None, layers: int, field: str
) -> None:
    with pytest.raises(TopologyError) as error:
        Topology(shape, offsets, layers)
    assert error.value.field == field
    assert str(error.value)


def test_variant_rejects_layers_of_unequal_height() -> None:
    with pytest.raises(TopologyError):
        Variant(Board(np.full((4, 3), 9)), Topology(layers=3))


@given(topologies(), st.integers(1, 3), st.integers(1, 4), st.randoms())
def test_variant_numbers_count_the_mines_of_the_neighbours(
    topology: Topology, height: int, width: int, random: Random
) -> None:
    rows = height * topology.layers
    variant = Variant(Board(np.full((rows, width), 9)), topology)
    mines = np.array([[random.random() < 0.4 for _ in range(width)] for _ in range(rows)])
    for cell in product(range(rows), range(width)):
        near = variants.neighbours(variant, cell)
        assert variant.count_neighbours(mines)[cell] == sum(mines[other] for other in near)
    if topology.plain:
        assert (variant.count_neighbours(mines) == Layout(mines).count_neighbours()).all()
