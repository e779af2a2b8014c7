"""Reasons against brute force over all sets of mines: true, minimal, and with right steps."""

import pickle
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, product
from math import inf, prod
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pysat.examples.hitman import Hitman

from minecheck.minefield.board import MINE, SAFE, Board
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import TOTAL
from minecheck.minefield.rules import Plain, Rule, Rules
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.backend import Backend
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import BOUNDED, FULL, INLINE, Effort, NeedsMoreEffort
from minecheck.solvers.findings import Conflict, Explanation, Statement
from minecheck.solvers.progress import Progress
from minecheck.solvers.reasons import explain
from minecheck.solvers.reasons.deduction import Level
from minecheck.solvers.reasons.mus import CoreSearch
from minecheck.solvers.router import answer_question
from minecheck.solvers.search.core import Core
from minecheck.solvers.tasks.check import Check
from minecheck.solvers.tasks.explain import Explain, ExplainAnswer
from tests.boards import boards_with_totals, hidden_layout, random_boards, rule_sets, wire
from tests.examples import examples
from tests.oracle import Cell
from tests.replay import Said, list_statements, replay
from tests.solvers.reasons.premise_sets import ASTRIDE, FACING, NESTED, PROBLEM_3, tangles
from tests.tasks import WHOLE, Task, question_of

#: Explaining is fast, trying all sets of mines is not.
some = examples(100)

_LEVELS = [level.label for level in sorted(Level)]


@dataclass(frozen=True)
class Game:
    """A board or rules, with a total of mines or none, and all sets of mines to try."""

    puzzle: Plain
    mines: int | None

    @cached_property
    def premises(self) -> list[Said]:
        """List the premises of the clues and of the total; clues and cells are (row, col)."""
        if isinstance(self.puzzle, Board):
            return list_statements(self.puzzle, self.mines)
        number = {name: (0, index) for index, name in enumerate(self._names(self.puzzle))}
        found = [
            Said((0, index), tuple(number[name] for name in rule.cells), rule.low, rule.high)
            for index, rule in enumerate(self.puzzle.rules)
        ]
        if self.mines is None:
            return found
        return [*found, Said(TOTAL, tuple(self.unknown), self.mines, self.mines)]

    @staticmethod
    def _names(rules: Rules) -> list[object]:
        return list(dict.fromkeys(name for rule in rules.rules for name in rule.cells))

    @cached_property
    def unknown(self) -> list[Cell]:
        return [(row, col) for row, col in np.argwhere(self.puzzle.unknown).tolist()]

    @property
    def clues(self) -> list[Cell]:
        return [one.clue for one in self.premises if one.clue != TOTAL]

    @cached_property
    def _worlds(self) -> NDArray[np.int64]:
        """All sets of mines: the unknown cell k is in one when its bit k is set."""
        return np.arange(1 << len(self.unknown))

    @cached_property
    def _holding(self) -> dict[object, NDArray[np.bool_]]:
        """In which sets what each premise says is true."""
        bit = {cell: 1 << index for index, cell in enumerate(self.unknown)}
        held = {
            one.clue: np.bitwise_count(self._worlds & sum(bit[cell] for cell in one.cells))
            for one in self.premises
        }
        return {
            one.clue: (held[one.clue] >= one.low) & (held[one.clue] <= one.high)
            for one in self.premises
        }

    def among(self, clues: Collection[object]) -> NDArray[np.int64]:
        """The sets of mines that agree with these clues, and with no others."""
        right = np.ones(self._worlds.size, np.bool_)
        for clue in clues:
            right &= self._holding[clue]
        return np.asarray(self._worlds[right])

    def values(self, clues: Collection[object]) -> dict[Cell, bool]:
        """Cells that these clues force, and whether they are mines; empty if they cannot hold."""
        worlds = self.among(clues)
        if not worlds.size:
            return {}
        always, ever = np.bitwise_and.reduce(worlds), np.bitwise_or.reduce(worlds)
        return {
            cell: bool(always >> index & 1)
            for index, cell in enumerate(self.unknown)
            if always >> index & 1 or not ever >> index & 1
        }

    @cached_property
    def forced(self) -> dict[Cell, bool]:
        return self.values([one.clue for one in self.premises])

    @property
    def consistent(self) -> bool:
        return bool(self.among([one.clue for one in self.premises]).size)

    def explained(
        self,
        cell: Coordinates | None = None,
        deadline: Deadline | None = None,
        effort: Effort = FULL,
    ) -> Any:
        return answer_question(Explain(self.puzzle, self.mines, cell=cell), deadline, effort=effort)

    def without(self, clue: Cell) -> "Game":
        """The same without one clue."""
        if isinstance(self.puzzle, Board):
            cells = self.puzzle.cells.copy()
            cells[clue] = SAFE
            return Game(Board(cells), self.mines)
        rules = list(self.puzzle.rules)
        cells_of = rules[clue[1]].cells
        rules[clue[1]] = Rule(cells_of, 0, len(cells_of))
        return Game(Rules(tuple(rules), self.puzzle.total_cells), self.mines)


def from_rules(rules: Sequence[Rule], cells: int, mines: int | None) -> Game:
    return Game(Rules(tuple(rules), cells), mines)


def in_range(game: Game) -> bool:
    height, width = game.puzzle.shape
    return height * width > 0 and (game.mines is None or game.mines <= height * width)


def game_of_premises(premises: Sequence[Said]) -> Game:
    """A game of premises over cells 0, 1, ..."""
    rules = [Rule(one.cells, one.low, one.high) for one in premises if one.clue != TOTAL]
    cells = 1 + max(cell for one in premises for cell in one.cells)
    return from_rules(rules, cells, next((p.low for p in premises if p.clue == TOTAL), None))


any_games = st.one_of(
    boards_with_totals().map(lambda case: Game(*case)),
    rule_sets().map(lambda case: from_rules(*case)),
    tangles().map(lambda case: game_of_premises(cast("list[Said]", case))),
).filter(in_range)

games = any_games.filter(lambda game: bool(game.forced))
wrong_games = any_games.filter(lambda game: not game.consistent)


def on_board(rows: str | Sequence[str], mines: int | None = None) -> Game:
    return Game(parse(rows), mines)


def by_probst(rows: Sequence[str]) -> Game:
    return Game(parse(rows, "probst"), None)


def explanations(game: Game) -> list[Explanation]:
    """All explanations of a game that has an answer, which is complete."""
    found: ExplainAnswer = game.explained()
    assert (found.consistent, found.complete, found.steps) == (True, True, None)
    assert found.explanations is not None
    return found.explanations


def list_blamed(reasons: Conflict | None) -> list[object]:
    """The clues of reasons, and the total if it is one."""
    assert reasons is not None
    return [*reasons.clues, *([TOTAL] if reasons.mines else [])]


def assert_true(game: Game, one: Explanation) -> None:
    """Assert that an explanation is true."""
    assert all(game.forced[cell] is one.mine for cell in one.cells)
    if one.reasons is not None:
        clues = list_blamed(one.reasons)
        for cell in one.cells:
            assert game.values(clues).get(cell) is one.mine
            if one.reasons.minimal:
                assert all(
                    cell not in game.values([c for c in clues if c != spare]) for spare in clues
                )
            if one.reasons.smallest:
                assert_no_fewer(game, one.reasons, partial(_forces, game, cell))
    if one.steps is not None:
        assert_explained(game, one.reasons, one.steps)
        last = one.steps[-1]
        assert set(one.cells) <= set(last.cells)
        assert (last.low == len(last.cells)) if one.mine else (last.high == 0)


def _forces(game: Game, cell: Cell, clues: Collection[object]) -> bool:
    return cell in game.values(clues)


def assert_no_fewer(
    game: Game, reasons: Conflict, enough: Callable[[Collection[object]], bool]
) -> None:
    """Assert that no fewer clues, with the total if it is a reason, are enough."""
    assert reasons.minimal
    total = [TOTAL] if reasons.mines else []
    if reasons.clues:
        fewer = combinations(game.clues, len(reasons.clues) - 1)
        assert not any(enough([*few, *total]) for few in fewer)


def assert_explained(game: Game, reasons: Conflict | None, steps: Sequence[Statement]) -> None:
    """Assert that steps follow from the reasons, and use all of them if these are minimal."""
    clues = list_blamed(reasons)
    replay(steps, [one for one in game.premises if one.clue in clues])
    stated = {TOTAL if step.rule == "total" else step.clue for step in steps} - {None}
    assert stated <= set(clues)
    assert reasons is not None
    assert not reasons.minimal or stated == set(clues)
    assert all(step.text for step in steps)


def assert_contradiction(game: Game, found: Any) -> None:
    """Assert that an answer about an inconsistent game is true."""
    assert found.consistent is not True
    conflict = found.conflict
    if conflict is not None:
        clues = list_blamed(conflict)
        assert not game.among(clues).size
        if conflict.minimal:
            assert all(game.among([c for c in clues if c != spare]).size for spare in clues)
        if conflict.smallest:
            assert_no_fewer(game, conflict, lambda few: not game.among(few).size)
        if conflict.mines and conflict.minimal:
            assert game.among(game.clues).size, "the clues alone cannot hold"
    # Only some kinds of answers tell steps.
    if (steps := getattr(found, "steps", None)) is not None:
        assert_explained(game, conflict, steps)
        assert steps[-1].low > steps[-1].high


# Every forced cell is explained


@some
@given(games)
def test_explain_puts_every_forced_cell_in_exactly_one_explanation(game: Game) -> None:
    found = explanations(game)
    explained = [(cell, one.mine) for one in found for cell in one.cells]
    assert len(explained) == len(game.forced)
    assert dict(explained) == game.forced
    # Those that a single rule forces stand as the rule names them.
    assert isinstance(game.puzzle, Rules) or all(one.cells == sorted(one.cells) for one in found)
    firsts = [one.cells[0] for one in found]
    assert firsts == sorted(firsts)


@some
@given(games)
def test_explain_reasons_force_the_cells_and_are_minimal(game: Game) -> None:
    for one in explanations(game):
        assert one.reasons is not None
        assert one.reasons.minimal
        assert one.reasons.clues == sorted(set(one.reasons.clues))
        assert_true(game, one)


@some
@given(games)
def test_explain_reasons_without_the_total_are_smallest(game: Game) -> None:
    for one in explanations(game):
        assert one.reasons is not None
        # With the total it is only said where there is nothing to look for.
        assert one.reasons.smallest or one.reasons.mines


@some
@given(games)
def test_explain_names_the_total_only_where_clues_alone_do_not_suffice(game: Game) -> None:
    alone = game.values(game.clues)
    for one in explanations(game):
        assert one.reasons is not None
        assert one.reasons.mines is not (one.cells[0] in alone)
        assert all((cell in alone) is (one.cells[0] in alone) for cell in one.cells)
        assert (one.difficulty == "global") is one.reasons.mines


@some
@given(games)
def test_explain_chains_lead_from_the_reasons_to_the_cells(game: Game) -> None:
    for one in explanations(game):
        assert one.steps is not None
        assert_explained(game, one.reasons, one.steps)
        assert one.steps[-1].rule != "search"


@some
@given(games)
def test_explain_of_one_cell_agrees_with_explain_of_all_cells(game: Game) -> None:
    of_cell = {cell: one for one in explanations(game) for cell in one.cells}
    for cell, one in of_cell.items():
        (alone,) = explanations_of(game, cell)
        assert (alone.cells, alone.mine, alone.difficulty) == ([cell], one.mine, one.difficulty)
        assert alone.reasons is not None
        assert one.reasons is not None
        # Where the total is needed, reasons that did for other cells are taken again.
        assert alone.reasons == one.reasons or (alone.reasons.mines and one.reasons.mines)


def explanations_of(game: Game, cell: Cell) -> list[Explanation]:
    found: ExplainAnswer = game.explained(cell)
    assert found.complete
    assert found.either is None
    assert found.explanations is not None
    for one in found.explanations:
        assert_true(game, one)
    return found.explanations


@some
@given(any_games.filter(lambda game: game.consistent and len(game.forced) < len(game.unknown)))
def test_explain_shows_two_layouts_for_a_cell_that_is_not_forced(game: Game) -> None:
    named = len(game.puzzle.number) if isinstance(game.puzzle, Rules) else None
    for cell in game.unknown:
        # Nobody can ask for a cell that no rule names.
        if cell in game.forced or (named is not None and cell[1] >= named):
            continue
        found = game.explained(cell)
        assert (found.consistent, found.complete, found.explanations) == (True, True, [])
        either = found.either
        assert either is not None
        assert either.cell == cell
        assert either.mine.mines[cell]
        assert not either.safe.mines[cell]
        for layout in (either.mine, either.safe):
            assert game.mines in (None, layout.total)
            if isinstance(game.puzzle, Board):
                assert layout.fits_board(game.puzzle)
            else:
                assert game.puzzle.list_broken(layout.mines) == []


@pytest.mark.parametrize("rows", ["1?", "2?", "?", "10"])
def test_explain_without_a_cell_shows_no_two_layouts(rows: str) -> None:
    assert on_board(rows).explained().either is None


def test_explain_of_a_board_without_forced_cells_is_empty() -> None:
    found = on_board("?1?").explained()
    assert (found.explanations, found.either, found.complete) == ([], None, True)


# How hard it is


@pytest.mark.parametrize(
    ("game", "cell", "level"),
    [
        (on_board("1?"), (0, 1), "trivial"),
        # The 0 gives one cell, and with it the 1 the other.
        (on_board("?1?0"), (0, 0), "trivial"),
        (by_probst(FACING), (1, 0), "subset"),
        (by_probst(ASTRIDE), (0, 0), "bounds"),
        (by_probst(PROBLEM_3), (1, 1), "look-ahead"),
        (by_probst(PROBLEM_3), (1, 0), "look-ahead"),
        (on_board("?1??", 1), (0, 3), "global"),
        (on_board("?1???1?", 3), (0, 3), "global"),
        (on_board("??", 2), (0, 1), "global"),
        # The total is there, but not needed.
        (on_board("1?", 1), (0, 1), "trivial"),
        (Game(parse(FACING, "probst"), 5), (1, 0), "subset"),
    ],
    ids=lambda value: None if isinstance(value, Game) else str(value),
)
def test_explain_gives_the_expected_difficulties(game: Game, cell: Cell, level: str) -> None:
    (one,) = explanations_of(game, cell)
    assert one.difficulty == level
    (same,) = [whole for whole in explanations(game) if cell in whole.cells]
    assert same.difficulty == level


def test_explain_calls_nested_assumptions_a_search() -> None:
    game = game_of_premises(cast("list[Said]", NESTED))
    assert isinstance(game.puzzle, Rules)
    cell = 0, game.puzzle.number[6]
    (one,) = explanations_of(game, cell)
    assert (one.mine, one.difficulty) == (False, "search")


#: That c is safe is seen by a supposition only after one about f has shown that f is.
CHAINED = [
    Rule(("a", "b", "c"), 2, 2),
    Rule(("d", "e", "c"), 1, 1),
    Rule(("f", "e", "b"), 1, 1),
    Rule(("f", "a"), 1, 1),
]


def test_explain_look_ahead_can_build_upon_another_look_ahead() -> None:
    game = from_rules(CHAINED, 6, None)
    levels = {cell: one.difficulty for one in explanations(game) for cell in one.cells}
    assert set(levels.values()) == {"look-ahead"}
    for cell in levels:
        (alone,) = explanations_of(game, cell)
        assert alone.difficulty == "look-ahead"


def propagate_clues(game: Game) -> dict[Cell, bool]:
    """Apply clues that have all their mines, or as many as cells, until nothing changes."""
    known: dict[Cell, bool] = {}
    while True:
        before = len(known)
        for one in game.premises:
            cells = [cell for cell in one.cells if cell not in known]
            held = sum(known.get(cell, False) for cell in one.cells)
            if one.clue != TOTAL and held >= one.high:
                known |= dict.fromkeys(cells, False)
            elif one.clue != TOTAL and held + len(cells) <= one.low:
                known |= dict.fromkeys(cells, True)
        if len(known) == before:
            return known


@some
@given(games)
def test_explain_calls_propagated_cells_trivial(game: Game) -> None:
    trivial = {
        cell: one.mine
        for one in explanations(game)
        for cell in one.cells
        if one.difficulty == "trivial"
    }
    assert trivial == propagate_clues(game)


def exact(game: Game) -> bool:
    """True if each clue needs exactly one number of mines."""
    return not isinstance(game.puzzle, Rules) or all(
        rule.low == rule.high for rule in game.puzzle.rules
    )


@some
@given(games.filter(exact), st.data())
def test_explain_difficulty_does_not_fall_without_a_clue(game: Game, data: st.DataObject) -> None:
    """Intervals may: what is left of one where all cells but one are known says nothing."""
    assume(game.clues)
    poorer = game.without(data.draw(st.sampled_from(game.clues)))
    before = {cell: one.difficulty for one in explanations(game) for cell in one.cells}
    for one in explanations(poorer):
        for cell in one.cells:
            levels = [before[cell], one.difficulty]
            # The total is looked at only where the clues alone are not enough, however hard.
            assert "global" in levels[1:] or levels == sorted(levels, key=rank), levels


def rank(level: str | None) -> int:
    assert level is not None
    return _LEVELS.index(level)


# Conflicts


@some
@given(wrong_games)
def test_explain_conflict_is_minimal_with_steps_to_the_contradiction(game: Game) -> None:
    found = game.explained()
    assert (found.consistent, found.complete, found.explanations) == (False, True, None)
    assert found.conflict is not None
    assert found.conflict.minimal
    assert found.conflict.smallest
    assert found.steps is not None
    assert_contradiction(game, found)


def test_explain_knows_that_a_conflict_with_the_total_is_smallest() -> None:
    game = on_board("1?1\n???\n1?1", mines=3)
    conflict = game.explained().conflict
    assert conflict is not None
    assert (len(conflict.clues), conflict.mines, conflict.smallest) == (2, True, True)


@some
@given(wrong_games)
def test_explain_of_a_cell_of_an_inconsistent_board_gives_the_conflict(game: Game) -> None:
    named = len(game.puzzle.number) if isinstance(game.puzzle, Rules) else inf
    for cell in game.unknown[:1]:
        if cell[1] < named:
            found, whole = game.explained(cell), game.explained()
            assert (found.conflict, found.steps) == (whole.conflict, whole.steps)
            assert (found.explanations, found.either) == (None, None)


def replay_refutation(rows: Sequence[str]) -> Conflict:
    """The conflict of a board of any size, whose steps lead from it to a contradiction."""
    game = on_board(rows)
    found: ExplainAnswer = game.explained()
    assert found.complete
    assert found.steps is not None
    assert_explained(game, found.conflict, found.steps)
    assert found.steps[-1].low > found.steps[-1].high
    assert found.conflict is not None
    return found.conflict


@pytest.mark.parametrize("clues", [2, 3, 30, 31])
@pytest.mark.parametrize("height", [1, 3])
def test_explain_conflict_of_a_wire_with_wrong_ends_has_every_clue(clues: int, height: int) -> None:
    row = wire(clues)
    beside = ["S" * len(row)] * (height // 2)
    conflict = replay_refutation([*beside, row, *beside])
    cells = [(height // 2, 2 * index + 1) for index in range(clues)]
    assert conflict == Conflict(cells, False, True, True)


def test_explain_gives_the_smaller_of_two_conflicts() -> None:
    between = "S" * len(wire(30))
    short = wire(6).ljust(len(between), "S")
    conflict = replay_refutation([wire(30), between, short])
    assert conflict == Conflict([(2, 2 * index + 1) for index in range(6)], False, True, True)


@pytest.mark.parametrize("mines", [7, 9])
def test_explain_gives_a_conflict_with_the_total(mines: int) -> None:
    game = on_board("?1?S" * 8, mines)
    found = game.explained()
    assert found.conflict == Conflict([(0, 4 * group + 1) for group in range(8)], True, True, True)
    assert found.steps is not None
    assert_explained(game, found.conflict, found.steps)


# Long chains


@pytest.mark.parametrize("height", [1, 3])
@pytest.mark.parametrize("clues", [3, 30, 60])
def test_explain_reasons_of_a_wire_are_the_clues_up_to_the_cell(clues: int, height: int) -> None:
    row = "S" + "1?" * clues
    beside = ["S" * len(row)] * (height // 2)
    game = on_board([*beside, row, *beside])
    found = explanations(game)
    assert [one.cells for one in found] == [[(height // 2, 2 * k + 2)] for k in range(clues)]
    for index, one in enumerate(found):
        clues_there = [(height // 2, 2 * k + 1) for k in range(index + 1)]
        assert (one.mine, one.difficulty) == (index % 2 == 0, "trivial")
        assert one.reasons == Conflict(clues_there, False, True, True)
        assert one.steps is not None
        assert_explained(game, one.reasons, one.steps)


@pytest.mark.parametrize("size", [1, 2, 8, 9, 20])
def test_explain_handles_many_cells_with_equal_clues(size: int) -> None:
    alike = [f"c{number}" for number in range(size)]
    rules = [replace(rule, cells=tuple(_with(rule.cells, "c", alike))) for rule in CHAINED]
    game = from_rules(rules, 5 + size, None)
    found = explanations(game)
    assert sum(len(one.cells) for one in found) == 5 + size
    for one in found:
        assert one.steps is not None
        assert_explained(game, one.reasons, one.steps)
        assert set(one.cells) <= set(one.steps[-1].cells)


def _with(names: Sequence[object], name: object, others: Sequence[object]) -> Iterator[object]:
    for one in names:
        yield from others if one == name else [one]


# The total, which is to blame only where the clues alone can hold

#: With totals that decide all cells at once, and clues that search alone finds in conflict.
DECIDED_BY_TOTAL = [
    on_board("?2?\n???\n?4?\n?1?"),
    on_board("?2?\n???\nS4?\nS1?"),
    from_rules(
        [
            Rule(("p", "a"), 1, 2),
            Rule(("a", "z", "d", "x", "p"), 3, 3),
            Rule(("d", "p", "b", "a", "z"), 4, 6),
            Rule(("d", "b", "p", "x", "a"), 1, 1),
        ],
        9,
        None,
    ),
]

#: Tasks that do not take rules, or not without options.
_BOARDS_OWN = (Task.STRIPS, Task.MOVES, Task.COMPOSE)
#: Every other task, and every backend that answers it.
ASKED = [
    *((task, Backend.AUTO) for task in Task if task not in _BOARDS_OWN),
    *((Task.CHECK, backend) for backend in WHOLE if backend is not Backend.AUTO),
]


def assert_blamed(game: Game, task: Task, backend: Backend) -> None:
    """Assert that an inconsistent game gets a true conflict and the right numbers for any total."""
    total_of = np.bitwise_count(game.among(game.clues))
    known = np.count_nonzero(game.puzzle.cells == MINE) if isinstance(game.puzzle, Board) else 0
    possible = set((total_of + known).tolist())
    for mines in range(prod(game.puzzle.shape) + 1):
        if mines in possible:
            continue
        with_total = replace(game, mines=mines)
        found = answer_question(question_of(task, game.puzzle, mines, backend=backend, seed=0))
        assert (found.consistent, found.complete) == (False, True)
        assert found.conflict is not None
        assert found.conflict.minimal
        assert found.conflict.mines == bool(possible)
        assert_contradiction(with_total, found)
        assert found.feasible == ((min(possible), max(possible)) if possible else None)


@pytest.mark.parametrize(("task", "backend"), ASKED)
@examples(20)
@given(board=random_boards().filter(lambda board: board.cells.size > 0))
def test_conflict_of_a_board_names_the_total_only_if_needed(
    task: Task, backend: Backend, board: Board
) -> None:
    assert_blamed(Game(board, None), task, backend)


@pytest.mark.parametrize("first", range(6))
def test_conflict_of_overlapping_clues_names_the_total_only_if_needed(
    first: int,
) -> None:
    for second, third in product(range(6), repeat=2):
        game = on_board(f"?{first}?\n???\n?{second}?\n?{third}?")
        assert_blamed(game, Task.CHECK, Backend.AUTO)


@pytest.mark.parametrize("backend", [Backend.AUTO, Backend.FRONTIER, Backend.SAT, Backend.CPSAT])
@examples(20)
@given(case=rule_sets().filter(lambda case: case[1] > 0))
def test_conflict_of_rules_names_the_total_only_if_needed(
    backend: Backend, case: tuple[list[Rule], int, int | None]
) -> None:
    rules, cells, _ = case
    assert_blamed(from_rules(rules, cells, None), Task.CHECK, backend)


@pytest.mark.parametrize(("task", "backend"), ASKED)
@pytest.mark.parametrize("game", DECIDED_BY_TOTAL)
def test_conflict_of_clues_is_found_though_the_total_decides_all_cells(
    game: Game, task: Task, backend: Backend
) -> None:
    if isinstance(game.puzzle, Board) or backend not in (Backend.AUTOMATA, Backend.EXHAUSTIVE):
        assert not game.consistent
        assert_blamed(game, task, backend)


@pytest.mark.parametrize("game", DECIDED_BY_TOTAL)
def test_explain_that_names_the_total_for_lack_of_time_is_incomplete(game: Game) -> None:
    with_total = replace(game, mines=0)
    for looks in range(40):
        found = with_total.explained(deadline=passing(looks))
        assert_labelled(with_total, found)
        assert not (found.complete and found.conflict and found.conflict.mines)


# Deadlines, efforts and what is known meanwhile


def assert_labelled(game: Game, found: Any) -> None:
    """Assert that nothing is wrong, and that missing parts are labelled."""
    if not found.consistent:
        assert_contradiction(game, found)
        missing = found.consistent is None or found.conflict is None or found.steps is None
        assert not (missing and found.complete)
        assert found.explanations is None
        return
    explained = [cell for one in found.explanations or [] for cell in one.cells]
    assert len(explained) == len(set(explained))
    for one in found.explanations or []:
        assert_true(game, one)
        unsure = one.reasons is None or not one.reasons.minimal or one.steps is None
        assert not (unsure and found.complete)
    if found.complete:
        assert set(explained) == game.forced.keys()


def passing(looks: int) -> Deadline:
    """A deadline that passes after it was looked at so many times."""

    class Looks(Deadline):
        remaining = looks

        @property
        def left(self) -> float:
            Looks.remaining -= 1
            return 1000.0 if Looks.remaining >= 0 else -1.0

    return Looks()


@some
@given(any_games, st.integers(0, 60))
def test_explain_is_right_whenever_the_deadline_passes(game: Game, looks: int) -> None:
    found = game.explained(deadline=passing(looks))
    assert_labelled(game, found)
    if found.complete:
        whole = game.explained()
        assert found.conflict == whole.conflict
        assert found.explanations == whole.explanations


@some
@given(any_games)
def test_explain_past_the_deadline_makes_no_wrong_claim(game: Game) -> None:
    assert_labelled(game, game.explained(deadline=Deadline(-inf)))


@pytest.mark.parametrize("looks", [0, 1, 10, 100])
@pytest.mark.parametrize("mines", [None, 225])
def test_explain_of_a_large_board_goes_as_far_as_time_allows(looks: int, mines: int | None) -> None:
    game = Game(hidden_layout(30, 30, 0.5, 5), mines)
    found = game.explained(deadline=passing(looks))
    missing = found.explanations is None or any(
        one.reasons is None or one.steps is None for one in found.explanations
    )
    assert not (missing and found.complete and found.consistent)
    for one in (found.explanations or [])[:40]:
        if one.steps is not None:
            assert_explained(game, one.reasons, one.steps)


@pytest.mark.parametrize("looks", [0, 1, 10, 100])
def test_explain_of_a_long_conflict_goes_as_far_as_time_allows(looks: int) -> None:
    clues = 400
    found = on_board(wire(clues)).explained(deadline=passing(looks))
    conflict = found.conflict
    assert found.complete is (conflict is not None and found.steps is not None and conflict.minimal)
    if conflict is not None:
        assert conflict.clues == [(0, 2 * index + 1) for index in range(clues)]


#: A cell between two safe ends, which six clues on one side decide, and eight on the other.
BETWEEN = on_board("S" + "1?" * 13 + "1S")
HERE = (0, 12)
#: A wire of 30 clues that cannot be, and one of six.
TWO_CONFLICTS = on_board([wire(30), "S" * len(wire(30)), wire(6).ljust(len(wire(30)), "S")])


def test_explain_finds_the_smaller_reasons_of_two_sides() -> None:
    (one,) = explanations_of(BETWEEN, HERE)
    assert one.reasons == Conflict([(0, 2 * index + 1) for index in range(6)], False, True, True)


def pass_at_once(*_: object, **__: object) -> Core:
    raise DeadlinePassed


SEARCHES_FOR_SMALLER = [(CoreSearch, "find_smallest_core"), (Hitman, "get")]


def test_explain_reasons_without_a_finished_search_are_minimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CoreSearch, "find_smallest_core", pass_at_once)
    found = BETWEEN.explained(HERE)
    assert not found.complete
    assert found.explanations is not None
    (one,) = found.explanations
    assert one.reasons is not None
    assert (one.reasons.minimal, one.reasons.smallest) == (True, False)
    assert_true(BETWEEN, one)
    assert one.steps is not None


@pytest.mark.parametrize(("owner", "method"), SEARCHES_FOR_SMALLER)
def test_explain_conflict_without_a_finished_search_is_minimal(
    monkeypatch: pytest.MonkeyPatch, owner: type, method: str
) -> None:
    monkeypatch.setattr(owner, method, pass_at_once)
    found = TWO_CONFLICTS.explained()
    conflict = found.conflict
    assert conflict is not None
    assert (conflict.minimal, conflict.smallest, found.complete) == (True, False, False)
    assert found.steps is not None
    assert_explained(TWO_CONFLICTS, conflict, found.steps)


@pytest.mark.parametrize(("owner", "method"), SEARCHES_FOR_SMALLER)
@examples(30)
@given(game=any_games)
def test_explain_without_the_search_for_fewer_makes_no_wrong_claim(
    owner: type, method: str, game: Game
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, method, pass_at_once)
        found = game.explained()
    assert_labelled(game, found)
    for one in found.explanations or []:
        assert one.reasons is not None
        assert one.reasons.minimal
        # What is called smallest without a search is so all the same.
        assert found.complete <= (one.reasons.smallest or one.reasons.mines)


def test_check_is_complete_without_the_smallest_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CoreSearch, "find_smallest_core", pass_at_once)
    found = answer_question(Check(TWO_CONFLICTS.puzzle))
    assert found.complete
    assert found.conflict is not None
    assert (found.conflict.minimal, found.conflict.smallest) == (True, False)


@some
@given(game=any_games, tries=st.integers(0, 3))
def test_explain_goes_on_where_less_effort_stopped(game: Game, tries: int) -> None:
    little = replace(BOUNDED, tries=tries)
    progress = Progress()
    try:
        found = answer_question(Explain(game.puzzle, game.mines), None, little, progress=progress)
    except NeedsMoreEffort as needs:
        progress = pickle.loads(pickle.dumps(needs.progress))
        explained = [case.cells for case in progress.cases if case.core is not None]
        with pytest.MonkeyPatch.context() as patch:
            derived = count_derivations(patch)
            found = answer_question(Explain(game.puzzle, game.mines), progress=progress)
        assert not {min(cells) for cells in explained} & derived
    assert_labelled(game, found)
    whole = game.explained()
    assert (found.complete, found.consistent) == (whole.complete, whole.consistent)
    sizes = [
        [(one.cells, one.difficulty, one.reasons and len(one.reasons.clues)) for one in answer]
        for answer in (found.explanations or [], whole.explanations or [])
    ]
    assert sizes[0] == sizes[1]


def test_explain_hands_reasons_over_to_more_effort() -> None:
    with pytest.raises(NeedsMoreEffort) as needs:
        BETWEEN.explained(HERE, effort=replace(BOUNDED, tries=0))
    assert needs.value.progress is not None
    (case,) = needs.value.progress.cases
    assert case.core is not None
    assert case.steps is not None


def test_explain_leaves_long_reasons_without_clues_to_spare_to_more_effort() -> None:
    clues = [1 if column % 3 == 2 else 0 for column in range(100)]
    sums = [sum(clues[max(0, at - 1) : at + 2]) for at in range(100)]
    board = parse(["?" * 100, "".join(map(str, sums))])
    progress: Progress | None = None
    for effort in (INLINE, BOUNDED):
        with pytest.raises(NeedsMoreEffort) as needs:
            answer_question(Explain(board), None, effort, progress=progress)
        progress = needs.value.progress
    found = answer_question(Explain(board), progress=progress)
    assert found.complete
    assert all(one.reasons.minimal for one in found.explanations)


def count_derivations(patch: pytest.MonkeyPatch) -> set[int]:
    """Return the set to which the first cell of each case is added whose core is looked for."""
    sought: set[int] = set()
    find_core = explain.Explainer._find_core

    def find_counted(self: explain.Explainer, case: Any) -> None:
        if case.core is None:
            sought.add(min(case.cells))
        find_core(self, case)

    patch.setattr(explain.Explainer, "_find_core", find_counted)
    return sought


@pytest.mark.parametrize("effort", [INLINE, BOUNDED])
@some
@given(game=any_games)
def test_explain_with_small_effort_gives_equal_answers_or_needs_a_worker(
    effort: Effort, game: Game
) -> None:
    try:
        found = game.explained(effort=effort)
    except NeedsMoreEffort:
        return
    whole = game.explained()
    assert (found.explanations, found.conflict, found.steps, found.complete) == (
        *(whole.explanations, whole.conflict, whole.steps, whole.complete),
    )


@examples(60)
@given(games)
def test_explain_notes_only_right_explanations_meanwhile(game: Game) -> None:
    notes: list[int] = []

    def keep(found: Any) -> None:
        for one in found.explanations or []:
            assert_true(game, one)
        notes.append(sum(len(one.cells) for one in found.explanations or []))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explain, "Explainer", partial(explain.Explainer, note_seconds=0.0))
        answer_question(Explain(game.puzzle, game.mines), keep=keep)
    assert notes[-1] == len(game.forced)


def test_explain_notes_that_the_steps_are_too_many() -> None:
    few_steps = replace(FULL, steps=10)
    game = on_board("S" + "1?" * 10)
    found = answer_question(Explain(game.puzzle, game.mines), effort=few_steps)
    assert not found.complete
    assert found.note == "too many steps to show: ask for one cell"
    assert found.explanations is not None
    assert {one.steps is None for one in found.explanations} == {False, True}
    assert all(one.reasons is not None and one.difficulty for one in found.explanations)
    for one in found.explanations:
        assert_true(game, one)
    question = Explain(game.puzzle, game.mines, cell=(0, 20))
    alone = answer_question(question, effort=few_steps)
    assert alone.complete
    assert alone.note is None
