"""Matchings of graphs, against all of them one by one."""

from math import isqrt

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.solvers.counting.kasteleyn import Edge, Matchings
from tests.boards import aztec_diamond, chessboard


def nothing() -> None:
    return


@st.composite
def connected_graphs(draw: st.DrawFn) -> Matchings:
    vertices = draw(st.sampled_from([2, 3, 4, 5, 6, 8]))
    graph = nx.gnp_random_graph(
        vertices, draw(st.sampled_from([0.3, 0.5, 0.8])), draw(st.integers(0))
    )
    assume(nx.is_connected(graph))
    ends = draw(
        st.permutations([edge if draw(st.booleans()) else edge[::-1] for edge in graph.edges])
    )
    weight = [draw(st.integers(1, 8)) for _ in ends]
    return Matchings(vertices, list(ends), np.array(weight, np.int64))


def squares(inside: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> Matchings:
    """The tilings with dominoes."""
    number = inside.ravel().cumsum().reshape(inside.shape) - 1
    ends: list[Edge] = []
    for one, other in ((number[:, :-1], number[:, 1:]), (number[:-1], number[1:])):
        both = (
            inside[:, :-1] & inside[:, 1:]
            if one.shape[1] < inside.shape[1]
            else inside[:-1] & inside[1:]
        )
        ends += list(zip(one[both].tolist(), other[both].tolist(), strict=True))
    return Matchings(int(inside.sum()), ends, np.ones(len(ends), np.int64))


def list_edge_counts(graph: Matchings) -> tuple[int, list[int]]:
    """Count the matchings, and those that hold each edge."""
    held = [0] * len(graph.ends)

    def count_completions(free: frozenset[int], weight: int, chosen: list[int]) -> int:
        if not free:
            for edge in chosen:
                held[edge] += weight
            return weight
        least = min(free)
        return sum(
            count_completions(free - {*ends}, weight * int(graph.weight[edge]), [*chosen, edge])
            for edge, ends in enumerate(graph.ends)
            if least in ends and free.issuperset(ends)
        )

    return count_completions(frozenset(range(graph.vertices)), 1, []), held


@given(connected_graphs())
def test_kasteleyn_counts_the_matchings_of_planar_graphs(graph: Matchings) -> None:
    expected, held = list_edge_counts(graph)
    assume(graph.matrix is not None)
    assert graph.count_matchings(nothing) == expected
    if expected:
        assert graph.count_by_edge(expected, nothing) == held


@given(connected_graphs())
def test_find_matching_finds_a_matching_exactly_where_one_exists(graph: Matchings) -> None:
    chosen = graph.find_matching()
    assert (chosen is not None) == (list_edge_counts(graph)[0] > 0)
    if chosen is not None:
        ends = [
            end for edge, taken in zip(graph.ends, chosen, strict=True) if taken for end in edge
        ]
        assert sorted(ends) == list(range(graph.vertices))


@given(connected_graphs())
def test_find_excess_returns_a_minimal_set_that_cannot_be_matched(graph: Matchings) -> None:
    excess = graph.find_excess()
    bipartite = nx.is_bipartite(graph.graph)
    assert (excess is not None) == (bipartite and list_edge_counts(graph)[0] == 0)
    if excess is None:
        return

    def possible(covered: list[int]) -> bool:
        """True if edges can be chosen that cover each of these vertices once."""
        near = [edge for edge in graph.ends if covered and not {*edge}.isdisjoint(covered)]
        return any(
            all(
                sum(vertex in near[bit] for bit in range(len(near)) if code >> bit & 1) == 1
                for vertex in covered
            )
            for code in range(1 << len(near))
        )

    assume(len(graph.ends) <= 10)
    assert not possible(excess)
    assert all(possible([other for other in excess if other != spare]) for spare in excess)


@pytest.mark.parametrize(("side", "tilings"), [(2, 2), (4, 36), (6, 6728), (8, 12988816)])
def test_kasteleyn_counts_the_known_tilings_of_chessboards(side: int, tilings: int) -> None:
    assert squares(chessboard(side)).count_matchings(nothing) == tilings


@pytest.mark.parametrize("order", [1, 2, 5, 12])
def test_kasteleyn_counts_a_power_of_two_for_aztec_diamonds(order: int) -> None:
    # Elkies, Kuperberg, Larsen and Propp 1992.
    assert squares(aztec_diamond(order)).count_matchings(nothing) == 2 ** (order * (order + 1) // 2)


def test_kasteleyn_counts_no_tiling_of_a_mutilated_chessboard() -> None:
    graph = squares(chessboard(10, mutilated=True))
    assert graph.count_matchings(nothing) == 0
    assert graph.find_matching() is None


def test_kasteleyn_has_no_matrix_for_a_graph_that_is_not_planar() -> None:
    complete = Matchings(6, [(a, b) for b in range(6) for a in range(b)], np.ones(15, np.int64))
    assert complete.matrix is None
    assert complete.find_matching() is not None


def test_kasteleyn_counts_matchings_of_graphs_with_triangles() -> None:
    # A strip of triangles; it has as many as Fibonacci says, which is compared with the list.
    ends = [(k, k + 1) for k in range(9)] + [(k, k + 2) for k in range(8)]
    graph = Matchings(10, ends, np.ones(len(ends), np.int64))
    expected, held = list_edge_counts(graph)
    assert isqrt(expected * expected) == graph.count_matchings(nothing)
    assert graph.count_by_edge(expected, nothing) == held
