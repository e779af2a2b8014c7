"""What each click on a map opens, for players who flag mines and chord.

A *unit* is what a click has to open: an opening, or a number that no 0 shows; their number is the
3BV. A *node* is a unit, or a number that openings show as well, since a chord may open it alone.
A chord on a number opens its safe neighbours once all its mines are flagged.

Tested in tests/solvers/games/test_fewest_clicks.py.
"""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from minecheck.minefield.layout import Layout
from minecheck.minefield.openings import NONE, find_openings
from minecheck.solvers.annotations import Coordinates

_AROUND: Final = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if row or col]


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
        units: the nodes that have to be opened by something else than another unit.
        shown: the nodes that open with a node: the numbers around an opening.
        openings_at: the openings that each node touches, for a number.
        mines: the mines next to each node, by cell; none for an opening.
        chorded: the nodes that a chord on each node opens.
    """

    def __init__(self, layout: Layout) -> None:
        height, width = layout.mines.shape
        opening_of: list[list[int]] = find_openings(layout).tolist()
        mines: list[list[bool]] = layout.mines.tolist()
        first_cells: dict[int, Coordinates] = {}
        numbers: dict[Coordinates, int] = {}
        for row, openings in enumerate(opening_of):
            for col, opening in enumerate(openings):
                if opening != NONE:
                    first_cells.setdefault(opening, (row, col))
        self.openings = len(first_cells)
        for row, openings in enumerate(opening_of):
            for col, opening in enumerate(openings):
                if opening == NONE and not mines[row][col]:
                    numbers[row, col] = self.openings + len(numbers)
        self.cells: list[Coordinates] = [*first_cells.values(), *numbers]
        self.shown: list[list[int]] = [[] for _ in self.cells]
        self.openings_at: list[list[int]] = [[] for _ in self.cells]
        self.mines: list[list[Coordinates]] = [[] for _ in self.cells]
        self.chorded: list[list[int]] = [[] for _ in self.cells]
        for (row, col), node in numbers.items():
            around = [
                (row + down, col + right)
                for down, right in _AROUND
                if 0 <= row + down < height and 0 <= col + right < width
            ]
            openings = sorted({opening_of[r][c] for r, c in around} - {NONE})
            for opening in openings:
                self.shown[opening].append(node)
            self.openings_at[node] = openings
            self.mines[node] = [(r, c) for r, c in around if mines[r][c]]
            self.chorded[node] = [*openings, *(numbers[cell] for cell in around if cell in numbers)]
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
