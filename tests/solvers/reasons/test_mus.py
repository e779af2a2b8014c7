"""Cores held to all subsets of the clues: none false, none with a clue to spare, none smaller."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, UNDECIDED, Constraints
from minecheck.minefield.rules import Rule, Rules
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.reasons.mus import CoreSearch
from minecheck.solvers.search.core import Core
from minecheck.solvers.search.engine import Verdict
from tests.boards import changed_boards, layout_boards, random_boards, rule_sets
from tests.examples import examples
from tests.rule_constraints import build_constraints

VALUES = [IS_SAFE, IS_MINE]

#: The searches are fast, judging them is not.
some = examples(100)

#: More than any search here spends.
BUDGET = 100_000
TRIES = 10_000
NO_BOX = -1


def calm() -> None:
    """A deadline far away."""


class Worlds:
    """All subsets of the undecided cells, and which clues each of them satisfies."""

    def __init__(self, constraints: Constraints) -> None:
        cells = np.flatnonzero(constraints.known == UNDECIDED).tolist()
        self._bit = {cell: 1 << index for index, cell in enumerate(cells)}
        self._worlds = np.arange(1 << len(cells))
        self.constraints = constraints
        self.clues = constraints.low.size
        self.satisfied = np.ones((self.clues, self._worlds.size), np.bool_)
        for clue, (first, last) in enumerate(pairwise(constraints.start.tolist())):
            covered = sum(self._bit[cell] for cell in constraints.members[first:last].tolist())
            held = np.bitwise_count(self._worlds & covered)
            low, high = constraints.low[clue], constraints.high[clue]
            self.satisfied[clue] = (held >= low) & (held <= high)

    def otherwise(self, cell: int, value: int) -> NDArray[np.bool_]:
        """Return the worlds where a cell does not have a value."""
        return np.asarray(((self._worlds & self._bit[cell]) > 0) != bool(value))

    @property
    def anywhere(self) -> NDArray[np.bool_]:
        return np.ones(self._worlds.size, np.bool_)

    def can_hold(self, clues: Sequence[int], among: NDArray[np.bool_]) -> bool:
        return bool((self.satisfied[list(clues)].all(axis=0) & among).any())

    def layout(self) -> NDArray[np.bool_] | None:
        """The first layout of all clues, (cells,)."""
        found = np.flatnonzero(self.satisfied.all(axis=0))
        if not found.size:
            return None
        mines = np.asarray(self.constraints.known == IS_MINE)
        for cell, bit in self._bit.items():
            mines[cell] = bool(found[0] & bit)
        return mines

    def check(self, found: Core, among: NDArray[np.bool_]) -> None:
        """Assert that all statements about a core are true."""
        clues = found.clues
        assert len(set(clues)) == len(clues)
        assert not self.can_hold(clues, among)
        if found.minimal:
            for clue in clues:
                assert self.can_hold([one for one in clues if one != clue], among)
        if found.smallest:
            assert found.minimal
            every = range(self.clues)
            assert all(self.can_hold(few, among) for few in combinations(every, len(clues) - 1))
        assert set(found.necessary) <= {clue for clue in clues if self.needs(clue, among)}

    def needs(self, clue: int, among: NDArray[np.bool_]) -> bool:
        """True if a clue is in every core: without it, all others can hold."""
        return self.can_hold([one for one in range(self.clues) if one != clue], among)


def make_search(worlds: Worlds, budget: int = BUDGET) -> CoreSearch:
    return CoreSearch(worlds.constraints, worlds.layout(), budget)


def boxes(search: CoreSearch) -> list[tuple[int, int]]:
    """Each box with a cell of it."""
    cells = range(search.problem.reduction.constraints.cells)
    first = {search.box_of(cell): cell for cell in reversed(cells)}
    return [(box, cell) for box, cell in sorted(first.items()) if box != NO_BOX]


@st.composite
def rule_systems(draw: st.DrawFn, wrong: int = 0) -> Constraints:
    """Many small rules over few cells, which hold in a layout; so many are then changed."""
    count = draw(st.integers(2, 7))
    mines = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    names = st.lists(st.integers(0, count - 1), min_size=1, max_size=4, unique=True)
    rules = []
    for index, cells in enumerate(draw(st.lists(names, min_size=1, max_size=8))):
        held = sum(mines[cell] for cell in cells) + (index < wrong) * draw(st.sampled_from([-1, 1]))
        slack = draw(st.sampled_from([(0, 0), (0, 0), (1, 0), (0, 1)]))
        rules.append(Rule(tuple(cells), held - slack[0], held + slack[1]))
    return build_constraints(rules, count)[0]


def worlds(consistent: bool) -> st.SearchStrategy[Worlds]:
    boards = layout_boards() if consistent else changed_boards() | random_boards()
    rules = rule_sets().map(lambda case: Constraints.from_position(Rules(tuple(case[0]), case[1])))
    either = st.one_of(
        rule_systems(0 if consistent else 1),
        rule_systems(0 if consistent else 2),
        boards.map(Constraints.from_board),
        rules,
    )
    return either.map(Worlds).filter(lambda one: (one.layout() is not None) == consistent)


# What clues force


@some
@given(worlds(consistent=True))
def test_box_core_exists_exactly_where_the_clues_force_the_box(worlds: Worlds) -> None:
    search = make_search(worlds)
    for box, cell in boxes(search):
        for value in VALUES:
            verdict, found = search.find_core(box, value)
            open_ = worlds.can_hold(range(worlds.clues), worlds.otherwise(cell, value))
            assert verdict is (Verdict.CONSISTENT if open_ else Verdict.INCONSISTENT)
            assert (found is None) == open_


@some
@given(worlds(consistent=True))
def test_box_cores_are_minimal_and_right(worlds: Worlds) -> None:
    search = make_search(worlds)
    for box, cell in boxes(search):
        for value in VALUES:
            found = search.find_core(box, value)[1]
            if found is not None:
                assert found.minimal
                worlds.check(found, worlds.otherwise(cell, value))


@some
@given(worlds(consistent=True))
def test_find_smallest_returns_the_smallest_core_of_a_box(worlds: Worlds) -> None:
    search = make_search(worlds)
    for box, cell in boxes(search):
        for value in VALUES:
            found = search.find_core(box, value)[1]
            if found is not None:
                fewest = search.find_smallest_core(found, box, value, calm, TRIES)
                assert fewest.smallest
                worlds.check(fewest, worlds.otherwise(cell, value))


@some
@given(worlds(consistent=True))
def test_box_cores_of_three_or_more_clues_name_all_necessary_clues(worlds: Worlds) -> None:
    search = make_search(worlds)
    for box, cell in boxes(search):
        for value in VALUES:
            found = search.find_core(box, value)[1]
            if found is not None and len(found.clues) > 2:
                among = worlds.otherwise(cell, value)
                needed = [clue for clue in range(worlds.clues) if worlds.needs(clue, among)]
                assert sorted(found.necessary) == needed


@some
@given(worlds(consistent=True), st.randoms(use_true_random=False))
def test_box_core_does_not_depend_on_earlier_questions(worlds: Worlds, random: Random) -> None:
    search = make_search(worlds)
    cases = [(box, value) for box, _ in boxes(search) for value in VALUES]
    first = {case: make_search(worlds).find_core(*case) for case in cases}
    for case in random.choices(cases, k=2 * len(cases)) if cases else []:
        verdict, found = search.find_core(*case)
        assert (verdict, found) == first[case]
        if found is not None and random.random() < 0.5:
            search.find_smallest_core(found, *case, calm, TRIES)
        if random.random() < 0.5:
            assert search.find_within(random.sample(range(worlds.clues), worlds.clues)) is None


def test_reasons_have_no_box_for_cells_that_no_clue_touches() -> None:
    constraints = Constraints.from_board(parse("?1?S?"))
    search = CoreSearch(constraints, np.array([True, False, False, False, False]), BUDGET)
    assert [search.box_of(cell) for cell in range(5)] == [0, NO_BOX, 0, NO_BOX, NO_BOX]


# Clues that cannot hold together


@some
@given(worlds(consistent=False))
def test_board_cores_are_minimal_and_right(worlds: Worlds) -> None:
    found = make_search(worlds).find_within(range(worlds.clues))
    assert found is not None
    assert found.minimal
    worlds.check(found, worlds.anywhere)


@some
@given(worlds(consistent=False))
def test_find_smallest_returns_the_smallest_core_of_a_board(worlds: Worlds) -> None:
    search = make_search(worlds)
    found = search.find_within(range(worlds.clues))
    assert found is not None
    fewest = search.find_smallest_core(found, NO_BOX, IS_MINE, calm, TRIES)
    assert fewest.smallest
    worlds.check(fewest, worlds.anywhere)


@some
@given(worlds(consistent=False), st.data())
def test_find_within_finds_a_core_among_contradictory_clues(
    worlds: Worlds, data: st.DataObject
) -> None:
    search = make_search(worlds)
    everywhere = worlds.anywhere
    alone = [clue for clue in range(worlds.clues) if not worlds.can_hold([clue], everywhere)]
    for _ in range(4):
        chosen = data.draw(st.lists(st.sampled_from(range(worlds.clues)), unique=True))
        found = search.find_within(chosen)
        if found is not None:
            assert found.minimal
            worlds.check(replace(found, smallest=False), everywhere)
        # Where a clue cannot hold alone, that one may be found instead.
        if not alone:
            assert (found is None) == worlds.can_hold(chosen, everywhere)
            assert found is None or set(found.clues) <= set(chosen)


def test_find_within_finds_a_rule_without_cells_as_a_core() -> None:
    constraints = Constraints.from_position(
        Rules((Rule((), 0, 0), Rule(("a",), 1, 1), Rule((), 1, 2)))
    )
    search = CoreSearch(constraints, None, BUDGET)
    assert search.find_within([0, 1, 2]) == Core([2], False, True, True)


def test_core_of_two_is_not_called_smallest_beside_a_rule_without_cells() -> None:
    rules = Rules((Rule(("a",), 1, 1), Rule(("a",), 0, 0), Rule((), 1, 1)))
    found = CoreSearch(Constraints.from_position(rules), None, BUDGET).find_within([0, 1])
    assert found is not None
    assert found.clues == [2] or not found.smallest


# Long wires: alternate cells, each decided by the one before, safe and mines in turn


def wire(clues: int, end: str) -> tuple[Constraints, NDArray[np.bool_]]:
    """A row of clues of 1 with unknown cells between, after a safe cell, up to some end."""
    row = "S" + "1?" * (clues - 1) + "1" + end
    layout = np.zeros(len(row), np.bool_)
    layout[2::4] = True
    return Constraints.from_board(parse(row)), layout


@pytest.mark.parametrize("clues", [3, 50, 400])
def test_box_core_at_the_far_end_of_a_wire_has_every_clue(clues: int) -> None:
    constraints, layout = wire(clues, "?")
    search = CoreSearch(constraints, layout, BUDGET)
    box, value = search.box_of(2 * clues), clues % 2
    verdict, found = search.find_core(box, value)
    assert verdict is Verdict.INCONSISTENT
    assert found is not None
    assert sorted(found.clues) == sorted(found.necessary) == list(range(clues))
    assert (found.minimal, found.smallest) == (True, True)
    assert search.find_core(box, 1 - value) == (Verdict.CONSISTENT, None)


@pytest.mark.parametrize("index", [1, 2, 7, 14, 15, 16, 23, 28, 29])
def test_find_smallest_takes_the_nearer_end_of_a_wire(index: int) -> None:
    constraints, layout = wire(30, "S")
    search = CoreSearch(constraints, layout, BUDGET)
    box, value = search.box_of(2 * index), index % 2
    found = search.find_core(box, value)[1]
    assert found is not None
    ways = [list(range(index)), list(range(index, 30))]
    assert sorted(found.clues) in ways
    assert found.necessary == ()
    fewest = search.find_smallest_core(found, box, value, calm, TRIES)
    assert fewest.smallest
    assert sorted(fewest.clues) in [way for way in ways if len(way) == min(index, 30 - index)]


@pytest.mark.parametrize("clues", [3, 50])
def test_board_core_of_a_wire_with_a_wrong_end_has_every_clue(clues: int) -> None:
    constraints, _ = wire(clues, "S" if clues % 2 else "B")
    found = CoreSearch(constraints, None, BUDGET).find_within(range(clues))
    assert found is not None
    assert sorted(found.clues) == sorted(found.necessary) == list(range(clues))
    assert (found.minimal, found.smallest) == (True, True)


def test_board_core_of_a_very_long_wire_is_not_known_to_be_smallest() -> None:
    constraints, _ = wire(401, "S")
    search = CoreSearch(constraints, None, BUDGET)
    assert not search.settled
    found = search.find_within(range(401))
    assert found is not None
    assert sorted(found.clues) == list(range(401))
    assert (found.minimal, found.smallest) == (True, False)


# Budgets and deadlines


@pytest.mark.parametrize("budget", [-1_000_000, 0])
def test_core_search_without_a_budget_gives_up(budget: int) -> None:
    constraints, layout = wire(3, "?")
    search = CoreSearch(constraints, layout, budget)
    assert search.find_core(search.box_of(6), IS_MINE) == (Verdict.GAVE_UP, None)
    # No two of three cells are alike: propagation alone sees nothing wrong.
    pairs = Rules(tuple(Rule(pair, 1, 1) for pair in combinations("abc", 2)))
    assert CoreSearch(Constraints.from_position(pairs), None, budget).find_within(range(3)) is None


@pytest.mark.parametrize("budget", [-1_000_000, 0])
def test_box_core_of_one_clue_needs_no_search(budget: int) -> None:
    constraints, layout = wire(3, "?")
    search = CoreSearch(constraints, layout, budget)
    assert search.find_core(search.box_of(2), IS_MINE) == (
        Verdict.INCONSISTENT,
        Core([0], False, True, True),
    )


def test_core_is_not_called_minimal_after_a_search_gave_up() -> None:
    # Three of the clues are a core already, but propagation sees it only with all four.
    clues = [("a",), ("a", "b"), ("b", "c"), ("a", "c")]
    constraints = Constraints.from_position(Rules(tuple(Rule(cells, 1, 1) for cells in clues)))
    found = CoreSearch(constraints, None, 0).find_within(range(4))
    assert found is not None
    assert (sorted(found.clues), found.minimal, found.smallest) == ([0, 1, 2, 3], False, False)
    best = CoreSearch(constraints, None, BUDGET).find_within(range(4))
    assert best is not None
    assert (sorted(best.clues), best.minimal) == ([1, 2, 3], True)


@some
@given(worlds(consistent=True), st.integers(-2, 6))
def test_box_cores_with_a_small_budget_are_right(worlds: Worlds, budget: int) -> None:
    search = make_search(worlds, budget)
    for box, cell in boxes(search):
        for value in VALUES:
            among = worlds.otherwise(cell, value)
            verdict, found = search.find_core(box, value)
            assert (verdict is Verdict.INCONSISTENT) == (found is not None)
            if verdict is not Verdict.GAVE_UP:
                forced = not worlds.can_hold(range(worlds.clues), among)
                assert forced == (verdict is Verdict.INCONSISTENT)
            if found is not None:
                worlds.check(found, among)
                worlds.check(search.find_smallest_core(found, box, value, calm, TRIES), among)


@some
@given(worlds(consistent=False), st.integers(-2, 6))
def test_board_cores_with_a_small_budget_are_right(worlds: Worlds, budget: int) -> None:
    search = make_search(worlds, budget)
    found = search.find_within(range(worlds.clues))
    if found is not None:
        worlds.check(found, worlds.anywhere)
        fewest = search.find_smallest_core(found, NO_BOX, IS_MINE, calm, TRIES)
        worlds.check(fewest, worlds.anywhere)


@pytest.mark.parametrize("most", [0, 3, 10, 29])
def test_box_cores_of_too_many_clues_are_not_minimised(most: int) -> None:
    constraints, layout = wire(30, "?")
    search = CoreSearch(constraints, layout, BUDGET, most)
    found = search.find_core(search.box_of(60), IS_SAFE)[1]
    assert found is not None
    assert (sorted(found.clues), found.minimal, found.smallest) == (list(range(30)), False, False)
    few = search.find_core(search.box_of(2 * most), most % 2)[1] if most else None
    assert few is None or (sorted(few.clues), few.minimal) == (list(range(most)), True)


@some
@given(worlds(consistent=False), st.integers(0, 4))
def test_board_cores_that_are_not_minimised_are_right(worlds: Worlds, most: int) -> None:
    found = CoreSearch(worlds.constraints, None, BUDGET, most).find_within(range(worlds.clues))
    assert found is not None
    assert found.minimal or len(found.clues) > most
    worlds.check(found, worlds.anywhere)


@pytest.mark.parametrize("clues", [50, 400, 1000])
def test_box_core_past_the_deadline_is_missing_or_right(clues: int) -> None:
    constraints, layout = wire(clues, "?")
    search = CoreSearch(constraints, layout, BUDGET, deadline=Deadline(0.0))
    try:
        found = search.find_core(search.box_of(2 * clues), clues % 2)[1]
    except DeadlinePassed:
        found = None
    assert found is None or sorted(found.clues) == list(range(clues))
    near = search.find_core(search.box_of(6), IS_MINE)[1]
    assert near is not None
    assert (sorted(near.clues), near.minimal) == ([0, 1, 2], True)


@pytest.mark.parametrize("clues", [51, 401])
def test_board_core_past_the_deadline_is_right(clues: int) -> None:
    constraints, _ = wire(clues, "S")
    found = CoreSearch(constraints, None, BUDGET, deadline=Deadline(0.0)).find_within(range(clues))
    assert found is not None
    assert sorted(found.clues) == list(range(clues))


def between() -> tuple[CoreSearch, int, int, Core]:
    """A cell that either end of a wire decides, and the core found first."""
    constraints, layout = wire(30, "S")
    search = CoreSearch(constraints, layout, BUDGET)
    box, value = search.box_of(28), IS_SAFE
    found = search.find_core(box, value)[1]
    assert found is not None
    return search, box, value, found


@pytest.mark.parametrize("tries", [0, 1, 3])
def test_find_smallest_keeps_the_core_when_tries_run_out(tries: int) -> None:
    search, box, value, found = between()
    assert search.find_smallest_core(found, box, value, calm, tries) == found


def test_find_smallest_does_not_change_a_core_that_is_not_minimal() -> None:
    search, box, value, found = between()
    loose = replace(found, minimal=False)
    assert search.find_smallest_core(loose, box, value, calm, TRIES) is loose


def test_find_smallest_raises_the_exception_of_check_and_keeps_the_core() -> None:
    search, box, value, found = between()
    left = iter(range(3))

    def check() -> None:
        if next(left, None) is None:
            raise DeadlinePassed

    with pytest.raises(DeadlinePassed):
        search.find_smallest_core(found, box, value, check, TRIES)
    assert search.find_core(box, value) == (Verdict.INCONSISTENT, found)
