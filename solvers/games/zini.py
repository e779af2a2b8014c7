"""ZiNi: how players estimate the fewest clicks of a map, greedily.

The *premium* of a number is what a chord on it saves: the closed units that it opens, less the
flags that it needs, less the chord, less the click on the number itself where it is closed and no
unit. The number with the highest premium is chorded, the first one of several; where none saves
anything, the first closed unit is opened. The rules are those of Elmar Zimmermann (2009), with the
click on a unit counted once, as in LlamaSweeper. Human ZiNi opens all openings first, and chords on
open numbers only.

Tested in tests/solvers/games/test_fewest_clicks.py.
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import product
from typing import Final

from minecheck.solvers.deadline import Deadline
from minecheck.solvers.games.click_graph import ClickGraph, ClickPlay

#: The ways to read a map: by rows or by columns, each in both directions.
_DIRECTIONS: Final = tuple(product((False, True), (1, -1), (1, -1)))


def play_greedily(graph: ClickGraph, deadline: Deadline, *, openings_first: bool) -> ClickPlay:
    """Return the shortest greedy play of those that read the map in one of eight directions.

    Args:
        graph: the map.
        deadline: when to give up.
        openings_first: whether it opens all openings first, as people do.

    Raises:
        DeadlinePassed: there is no time for all directions.
    """
    plays = []
    for by_columns, down, right in _DIRECTIONS:
        keys = [(row * down, col * right) for row, col in graph.cells]
        order = sorted(
            range(len(keys)), key=lambda node: keys[node][::-1] if by_columns else keys[node]
        )
        plays.append(_GreedyPlay(graph, order, openings_first, deadline))
    return min(plays, key=lambda play: len(play.clicks))


class _GreedyPlay(ClickPlay):
    """A whole greedy play.

    ``waiting`` is a heap of numbers by premium, with an entry for each change of a premium; it
    holds nothing below 0, and old entries are passed over.
    """

    def __init__(
        self, graph: ClickGraph, order: Sequence[int], openings_first: bool, deadline: Deadline
    ) -> None:
        super().__init__(graph)
        self._open_only = openings_first
        self._rank = {node: rank for rank, node in enumerate(order)}
        self._units = set(graph.units)
        self._flaggers: dict[tuple[int, int], list[int]] = {}
        self._premium = dict.fromkeys(graph.numbers, 0)
        for node in graph.numbers:
            for mine in graph.mines[node]:
                self._flaggers.setdefault(mine, []).append(node)
            gained = sum(other in self._units for other in graph.chorded[node])
            self._premium[node] = gained - len(graph.mines[node]) - 1 - (node not in self._units)
        self._waiting = [self._make_entry(node) for node in graph.numbers if self._is_ready(node)]
        heapify(self._waiting)
        if openings_first:
            for opening in range(graph.openings):
                self._update_premiums(self.click_on(opening))
        self._play_on(order, deadline)

    def _play_on(self, order: Sequence[int], deadline: Deadline) -> None:
        closed = iter([node for node in order if node in self._units])
        while True:
            while self._waiting:
                deadline.check()
                entry = heappop(self._waiting)
                node = entry[2]
                if entry == self._make_entry(node) and self._is_ready(node):
                    self._chord(node)
            unit = next((one for one in closed if one not in self.open), None)
            if unit is None:
                return
            self._update_premiums(self.click_on(unit))

    def _chord(self, node: int) -> None:
        if node not in self.open:
            self._update_premiums(self.click_on(node))
        flagged = [mine for mine in self.graph.mines[node] if mine not in self.flags]
        opened = self.chord_on(node)
        for mine in flagged:
            for other in self._flaggers[mine]:
                self._change_premium(other, 1)
        self._update_premiums(opened)

    def _update_premiums(self, opened: Sequence[int]) -> None:
        """Take what has opened into the premiums."""
        for node in opened:
            if node in self._units:
                for other in self.graph.chorders[node]:
                    self._change_premium(other, -1)
            elif node in self._premium:
                self._change_premium(node, 1)
            if self._open_only and self._is_ready(node):
                heappush(self._waiting, self._make_entry(node))

    def _change_premium(self, node: int, change: int) -> None:
        self._premium[node] += change
        if self._is_ready(node):
            heappush(self._waiting, self._make_entry(node))

    def _is_ready(self, node: int) -> bool:
        """Return True if a chord on a number saves something, or costs no more than clicks."""
        return self._premium.get(node, -1) >= 0 and (node in self.open or not self._open_only)

    def _make_entry(self, node: int) -> tuple[int, int, int]:
        return -self._premium[node], self._rank[node], node
