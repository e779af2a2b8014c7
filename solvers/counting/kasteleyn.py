"""Perfect matchings of a planar graph, counted by a determinant.

Every planar graph has an orientation in which each face but one has an odd number of edges that
point along its boundary. Then all perfect matchings have the same sign in the Pfaffian of the
oriented adjacency matrix, whose square is the determinant; of a bipartite graph a quarter of that
matrix will do. Tilings with dominoes are such matchings (Kasteleyn 1961; Temperley, Fisher 1961).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.solvers.counting.determinants import Sparse, compute_cofactors, compute_determinant

if TYPE_CHECKING:
    from networkx import Graph, PlanarEmbedding

Edge: TypeAlias = tuple[int, int]


@dataclass(eq=False)
class Matchings:
    """The perfect matchings of a connected graph without loops.

    Edge k joins the two ends ``ends[k]``, vertices from 0 to ``vertices - 1``, and stands for
    ``weight[k]`` edges, int64 (edges,). No two join the same vertices.
    """

    vertices: int
    ends: list[Edge]
    weight: NDArray[np.int64]

    @cached_property
    def graph(self) -> "Graph[int]":
        """The same for NetworkX."""
        # It takes a while to import, and few boards need it.
        from networkx import Graph

        return Graph(self.ends)

    @cached_property
    def matrix(self) -> Sparse | None:
        """The oriented matrix, an entry an edge or two; None where the graph is not planar.

        Where it is seen at once that there is no matching, one whose determinant is 0.
        """
        from networkx import check_planarity

        if self._colours is not None and self.find_matching() is None:
            nothing = np.empty(0, np.int32)
            return Sparse(1, nothing, nothing, nothing.astype(np.int64))
        planar, embedding = check_planarity(self.graph)
        if not planar:
            return None
        forward = _orient_edges(self.graph, embedding)
        signs = np.array([1 if edge in forward else -1 for edge in self.ends])
        first_ends, second_ends = np.array(self.ends, np.int32).T
        value = (signs * self.weight).astype(np.int64)
        if self._colours is None:
            row, col = (
                np.concatenate((first_ends, second_ends)),
                np.concatenate((second_ends, first_ends)),
            )
            return Sparse(self.vertices, row, col, np.concatenate((value, -value)))
        # Rows are of one colour, columns of the other, each in order.
        is_row = self._colours
        index_of = np.where(is_row, is_row.cumsum(), (~is_row).cumsum()).astype(np.int32) - 1
        swap = ~is_row[first_ends]
        row, col = (
            index_of[np.where(swap, second_ends, first_ends)],
            index_of[np.where(swap, first_ends, second_ends)],
        )
        return Sparse(self.vertices // 2, row, col, np.where(swap, -value, value))

    @cached_property
    def _colours(self) -> NDArray[np.bool_] | None:
        """True for vertices of the first of two colours, None if the graph is not bipartite."""
        from networkx import is_bipartite
        from networkx.algorithms.bipartite import color

        if not is_bipartite(self.graph):
            return None
        colour = color(self.graph)
        return np.array([colour[vertex] == 1 for vertex in range(self.vertices)])

    @cached_property
    def _partner(self) -> dict[int, int]:
        """Each matched vertex's, in a matching with the most edges."""
        from networkx import max_weight_matching
        from networkx.algorithms.bipartite import maximum_matching

        if self._colours is not None:
            rows = np.flatnonzero(self._colours).tolist()
            partners: dict[int, int] = maximum_matching(self.graph, rows)
            return partners
        pairs = max_weight_matching(self.graph, maxcardinality=True)
        return dict(pairs) | {partner: vertex for vertex, partner in pairs}

    def count_matchings(self, check: Callable[[], None]) -> int:
        """Return the number of matchings of a planar graph; ``check`` may raise to stop."""
        assert self.matrix is not None, "called for planar graphs only"
        determinant = compute_determinant(self.matrix, check)
        return isqrt(determinant) if self._colours is None else determinant

    def count_by_edge(self, matchings: int, check: Callable[[], None]) -> list[int]:
        """Count for each edge the matchings that hold it.

        Args:
            matchings: the number of all matchings, at least 1.
            check: a function called now and then, which may raise.
        """
        assert self.matrix is not None, "called for planar graphs only"
        if self._colours is not None:
            return compute_cofactors(self.matrix, matchings, check)
        cofactors = compute_cofactors(self.matrix, matchings * matchings, check)
        return [cofactor // matchings for cofactor in cofactors[: len(self.ends)]]

    def find_matching(self) -> list[bool] | None:
        """Return True for the edges of one matching, (edges,), None if there is none."""
        if len(self._partner) < self.vertices:
            return None
        return [self._partner[vertex] == neighbour for vertex, neighbour in self.ends]

    def find_excess(self) -> list[int] | None:
        """Return why a bipartite graph has none: vertices of one colour with too few neighbours.

        Without any one of these vertices the others could be matched (Hall 1935). None: it has
        one, or is not bipartite.
        """
        if self._colours is None or len(self._partner) == self.vertices:
            return None
        # Alternating paths from a vertex without a partner; none leads to another one.
        excess = [next(vertex for vertex in range(self.vertices) if vertex not in self._partner)]
        neighbours: dict[int, None] = {}
        for vertex in excess:
            for neighbour in self.graph[vertex]:
                if neighbour not in neighbours:
                    neighbours[neighbour] = None
                    excess.append(self._partner[neighbour])
        return sorted([*excess, *neighbours])


def _orient_edges(graph: "Graph[int]", embedding: "PlanarEmbedding[int]") -> set[Edge]:
    """Orient each edge so that each face but one has an odd number of edges along it.

    Along a spanning tree any direction will do. All other edges make a spanning tree of the faces;
    from its leaves on each face has one edge left to make its number odd.
    """
    from networkx import bfs_edges

    tree = set(bfs_edges(graph, 0))
    faces, face_of = _list_faces(embedding)
    across: list[list[Edge]] = [[] for _ in faces]
    for start, end in graph.edges:
        if (start, end) not in tree and (end, start) not in tree:
            across[face_of[start, end]].append((start, end))
            across[face_of[end, start]].append((end, start))
    entered: dict[int, Edge | None] = {0: None}
    order = [0]
    for face in order:
        for start, end in across[face]:
            next_face = face_of[end, start]
            if next_face not in entered:
                entered[next_face] = (end, start)
                order.append(next_face)
    forward = tree
    for face in reversed(order[1:]):
        start, end = entered[face] or (0, 0)
        along = sum(edge in forward for edge in faces[face])
        forward.add((end, start) if along % 2 else (start, end))
    return forward


def _list_faces(embedding: "PlanarEmbedding[int]") -> tuple[list[list[Edge]], dict[Edge, int]]:
    """Return the edges along each face, and the face of each edge in each direction."""
    faces: list[list[Edge]] = []
    face_of: dict[Edge, int] = {}
    # Each edge comes in both directions.
    for edge in embedding.edges():
        if edge in face_of:
            continue
        corners: Sequence[int] = embedding.traverse_face(*edge)
        along = list(zip(corners, [*corners[1:], corners[0]], strict=True))
        face_of.update(dict.fromkeys(along, len(faces)))
        faces.append(along)
    return faces, face_of
