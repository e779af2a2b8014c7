"""The fewest clicks that open a map, with flags and chords: a proved minimum, or its bounds.

Whether a unit is clicked on, a mine flagged, a number chorded: each is a Boolean variable of weight
1. A unit is clicked on or chorded open; a chord needs its flags; and a number that is chorded has
been opened by something of a lower *level*, so that no numbers open each other in a circle.

A click on a number that openings show is never needed: one on the opening opens as much. Nor is a
chord that opens nothing but the one opening of its number and what that shows: a click on it is as
cheap.

Tested in tests/solvers/games/test_fewest_clicks.py.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from minecheck.minefield.layout import Layout
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.games.click_graph import ClickGraph, ClickPlay, PlannedClick
from minecheck.solvers.games.zini import play_greedily
from minecheck.solvers.search.linear_model import LinearModel

#: Seconds for the proof, after which bounds move little.
_MOST_SECONDS: Final = 60.0
#: On larger maps the search proves nothing in a minute.
_MOST_CELLS: Final = 2_500


@dataclass(frozen=True, slots=True)
class FewestClicks:
    """Bounds of the fewest clicks that open all safe cells of a map, with a plan.

    Attributes:
        low: no plan has fewer clicks.
        plan: the shortest plan that was found.
        zini: clicks of the greedy estimate.
        human_zini: clicks of the estimate that opens all openings first.
    """

    low: int
    plan: Sequence[PlannedClick]
    zini: int
    human_zini: int

    @property
    def exact(self) -> bool:
        """True if no plan is shorter."""
        return self.low == len(self.plan)


def find_fewest_clicks(layout: Layout, deadline: Deadline | None = None) -> FewestClicks:
    """Return the fewest clicks that open a map, as far as there is time.

    Args:
        layout: the mines.
        deadline: when to stop; a minute is enough in any case.

    Raises:
        DeadlinePassed: there is not even time for the estimates.
    """
    deadline = deadline or Deadline()
    deadline.check()
    graph = ClickGraph(layout)
    greedy = play_greedily(graph, deadline, openings_first=False)
    human = play_greedily(graph, deadline, openings_first=True)
    best: ClickPlay = min(greedy, human, key=lambda play: len(play.clicks))
    deadline.check()
    low = _count_separate_units(graph)
    if layout.mines.size <= _MOST_CELLS:
        with suppress(DeadlinePassed):
            # The rest of the time is for the end of the search, which CP-SAT may overstay.
            bound, found = _ClickModel(graph).find_play(best, deadline.take_share(0.9))
            low = max(low, bound)
            if found is not None and len(found.clicks) < len(best.clicks):
                best = found
    return FewestClicks(
        low,
        tuple(best.clicks),
        len(greedy.clicks),
        len(human.clicks),
    )


def _count_separate_units(graph: ClickGraph) -> int:
    """Count units of which no chord opens two, a bound that needs no search.

    Each of them takes a click or a chord of its own.
    """
    taken: set[int] = set()
    separate = 0
    for openers in sorted((graph.chorders[unit] for unit in graph.units), key=len):
        if taken.isdisjoint(openers):
            taken.update(openers)
            separate += 1
    return separate


class _ClickModel:
    """The model for CP-SAT: variables by what they stand for, and constraints."""

    def __init__(self, graph: ClickGraph) -> None:
        self._graph = graph
        self._model = model = LinearModel()
        chords = [node for node in graph.numbers if self._is_worth_a_chord(node)]
        mines = sorted({mine for node in chords for mine in graph.mines[node]})
        self._units = {node: model.add_variable() for node in graph.units}
        self._chords = {node: model.add_variable() for node in chords}
        self._flags = {mine: model.add_variable() for mine in mines}
        clicks = (*self._units.values(), *self._chords.values(), *self._flags.values())
        model.set_objective(dict.fromkeys(clicks, 1))
        levelled = [*range(graph.openings), *chords]
        self._levels = {node: model.add_variable(len(levelled)) for node in levelled}
        for node in chords:
            for mine in graph.mines[node]:
                model.add_clause([~self._chords[node], self._flags[mine]])
        for unit, clicked in self._units.items():
            model.add_clause([clicked, *(self._chords[one] for one in self._list_chorders(unit))])
        for node in levelled:
            self._add_order(node)

    def find_play(self, known: ClickPlay, deadline: Deadline) -> tuple[int, ClickPlay | None]:
        """Return a bound of the clicks, and the best play that was found.

        Args:
            known: a play to begin with.
            deadline: when to stop; a minute is enough in any case.

        Raises:
            DeadlinePassed: the deadline is over before the search begins.
        """
        self._suggest_play(known)
        within = Deadline.in_seconds(min(deadline.left, _MOST_SECONDS))
        # All strategies in turns lead much further than any alone.
        solved = self._model.find_best(within, relaxed=True, interleaved=True)
        taken = solved.values
        if taken is None:
            return solved.bound, None
        play = ClickPlay(self._graph)
        play.follow_plan(
            [node for node, variable in self._units.items() if taken[variable]],
            [node for node, variable in self._chords.items() if taken[variable]],
        )
        return solved.bound, play

    def _is_worth_a_chord(self, node: int) -> bool:
        """Return True if a chord on a number may open more than a click on its one opening does."""
        openings = self._graph.openings_at[node]
        if len(openings) > 1:
            return True
        shown = {one for opening in openings for one in (opening, *self._graph.shown[opening])}
        return not shown.issuperset(self._graph.chorded[node])

    def _list_chorders(self, node: int) -> list[int]:
        """List the numbers of the model whose chord opens a node."""
        return [one for one in self._graph.chorders[node] if one in self._chords]

    def _add_order(self, node: int) -> None:
        """Require a click, chord or opening of a lower level that opens a node, if it is used."""
        model = self._model
        openers = [self._units[node]] if node in self._units else []
        level = self._levels[node]
        for other in self._list_chorders(node):
            opener = model.add_variable()
            model.add_clause([~opener, self._chords[other]])
            model.constrain_difference(level, self._levels[other], 1, opener)
            openers.append(opener)
        for opening in self._graph.openings_at[node]:
            opener = model.add_variable()
            model.constrain_difference(level, self._levels[opening], 0, opener)
            openers.append(opener)
        is_number = node >= self._graph.openings
        model.add_clause([*([~self._chords[node]] if is_number else []), *openers])

    def _suggest_play(self, known: ClickPlay) -> None:
        """Begin with a known play."""
        clicked = {(click.kind, click.cell) for click in known.clicks}
        cells = self._graph.cells
        click_of = {
            **{variable: ("open", cells[node]) for node, variable in self._units.items()},
            **{variable: ("chord", cells[node]) for node, variable in self._chords.items()},
            **{variable: ("flag", mine) for mine, variable in self._flags.items()},
        }
        self._model.suggest_values({one: int(click in clicked) for one, click in click_of.items()})
