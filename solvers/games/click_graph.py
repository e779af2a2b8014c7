"""The graph of a map's clicks: the nodes that each click opens, if players flag and chord.

A *unit* is what a click has to open: an opening, or a number that no 0 shows; their number is the
3BV. A *node* is a unit, or a number that openings show as well, since a chord may open it alone.
A chord on a number opens its safe neighbours once all its mines are flagged.

Tested in tests/solvers/games/test_fewest_clicks.py.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np

from minecheck.minefield.board import list_around
from minecheck.minefield.layout import Layout
from minecheck.minefield.openings import NONE, find_openings
from minecheck.solvers.annotations import Coordinates


class PlannedClick(NamedTuple):
    """A click of a plan: what it does, and where."""

    kind: Literal["open", "flag", "chord"]
    cell: Coordinates


class ClickGraph:
    """The nodes of a map, and which of them lead to which.

    Nodes are numbered: first the openings, in reading order of their first cells, then all numbers
    in reading order.

    Attributes:
        openings: how many openings there are.
        cells: the cell to click on for each node.
        units: the openings, and the numbers that none of them shows.
        shown: the nodes that open with each node: the numbers around an opening.
        openings_at: the openings that show each node; none for an opening.
        mines: the mines next to each node, by cell; none for an opening.
        chorded: the nodes that a chord on each node opens.
        chorders: the numbers whose chord opens each node.
    """

    def __init__(self, layout: Layout) -> None:
        openings = find_openings(layout)
        zeros, others = np.argwhere(openings != NONE), np.argwhere(openings == NONE)
        _, firsts = np.unique(openings[openings != NONE], return_index=True)
        mines = {(row, col) for row, col in others.tolist() if layout.mines[row, col]}
        numbers = [(row, col) for row, col in others.tolist() if (row, col) not in mines]
        self.openings = len(firsts)
        self.cells: list[Coordinates] = [(row, col) for row, col in zeros[firsts].tolist()]
        self.cells += numbers
        node_of = {cell: node for node, cell in enumerate(self.cells) if node >= self.openings}
        self.shown: list[list[int]] = [[] for _ in self.cells]
        self.openings_at: list[list[int]] = [[] for _ in self.cells]
        self.mines: list[list[Coordinates]] = [[] for _ in self.cells]
        self.chorded: list[list[int]] = [[] for _ in self.cells]
        for clicked, node in node_of.items():
            around = list_around(clicked, openings.shape)
            self.openings_at[node] = sorted({int(openings[cell]) for cell in around} - {NONE})
            for opening in self.openings_at[node]:
                self.shown[opening].append(node)
            self.mines[node] = [cell for cell in around if cell in mines]
            self.chorded[node] = [
                *self.openings_at[node],
                *(node_of[cell] for cell in around if cell in node_of),
            ]
        self.chorders: list[list[int]] = [[] for _ in self.cells]
        for node in self.numbers:
            for other in self.chorded[node]:
                self.chorders[other].append(node)
        self.units = [node for node in range(len(self.cells)) if not self.openings_at[node]]

    @property
    def numbers(self) -> range:
        """The nodes that are numbers."""
        return range(self.openings, len(self.cells))


class ClickPlay:
    """Clicks on a map, and what they have opened so far.

    Attributes:
        graph: the nodes of the map.
        clicks: what was clicked on, in order.
        open: the nodes that are open.
        flags: the mines that are flagged.
    """

    def __init__(self, graph: ClickGraph) -> None:
        self.graph = graph
        self.clicks: list[PlannedClick] = []
        self.open: set[int] = set()
        self.flags: set[Coordinates] = set()

    def click_on(self, node: int) -> list[int]:
        """Click on a closed node, and return the nodes that open."""
        self.clicks.append(PlannedClick("open", self.graph.cells[node]))
        return self._open_nodes([node])

    def chord_on(self, node: int) -> list[int]:
        """Flag what is not flagged around an open number, chord, and return the nodes that open."""
        for mine in self.graph.mines[node]:
            if mine not in self.flags:
                self.flags.add(mine)
                self.clicks.append(PlannedClick("flag", mine))
        self.clicks.append(PlannedClick("chord", self.graph.cells[node]))
        return self._open_nodes(self.graph.chorded[node])

    def follow_plan(self, units: Iterable[int], chords: Iterable[int]) -> None:
        """Click on units, chord on nodes as soon as they are open, and open what is still closed.

        Chords that open nothing are left out, and so are their flags.
        """
        waiting = set(chords)
        for unit in [*units, *self.graph.units]:
            ready = [] if unit in self.open else self.click_on(unit)
            while ready:
                node = ready.pop()
                if node in waiting and not self.open.issuperset(self.graph.chorded[node]):
                    ready += self.chord_on(node)

    def _open_nodes(self, nodes: Iterable[int]) -> list[int]:
        opened = [
            one
            for node in nodes
            if node not in self.open
            for one in (node, *self.graph.shown[node])
            if one not in self.open
        ]
        self.open.update(opened)
        return list(dict.fromkeys(opened))
