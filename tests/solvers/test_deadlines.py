"""Long work checks the deadline between bounded pieces: a clock counts the checks."""

import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minecheck.app.functions import run as running
from minecheck.automata.paths import Paths
from minecheck.automata.profiles import Profiles
from minecheck.minefield import UNKNOWN, Board, Layout, parse
from minecheck.minefield.reduction.constraints import Constraints
from minecheck.solvers import answer_question
from minecheck.solvers.backends import counter_process, model_counters, sat
from minecheck.solvers.backends.clauses import (
    Clauses,
    Encoded,
    build_templates,
    encode_reduction,
    fill_template,
)
from minecheck.solvers.deadline import Deadline, DeadlinePassed, Turn
from minecheck.solvers.reasons import repair
from minecheck.solvers.reasons.cores import CoreFinder
from minecheck.solvers.reasons.deduction.closure import Closure
from minecheck.solvers.reasons.deduction.premises import Premises
from minecheck.solvers.reasons.guarded import Guarded
from minecheck.solvers.search.core import Core
from minecheck.solvers.tasks.check import Check
from tests.clocks import Clock, Looks
from tests.rule_constraints import reduce_board


def random_board(side: int = 60, seed: int = 1) -> Board:
    rng = np.random.default_rng(seed)
    layout = Layout(rng.random((side, side)) < 0.2)
    seen = (rng.random((side, side)) < 0.4) & ~layout.mines
    return Board(np.where(seen, layout.count_neighbours(), np.int8(UNKNOWN)))


BOARD = random_board()
CONSTRAINTS = Constraints.from_position(BOARD, None)
CLUES = np.flatnonzero(CONSTRAINTS.asking).tolist()
#: Literals and clauses of a piece, in these tests.
PIECE = 1000


def write(deadline: Looks) -> Clauses:
    return encode_reduction(reduce_board(BOARD), deadline).clauses


def write_guarded(deadline: Looks) -> Clauses:
    return Guarded(CONSTRAINTS, CLUES, deadline).clauses


@pytest.mark.parametrize("guard", [None, np.arange(900, 1000)])
def test_sat_template_is_filled_in_pieces_between_looks_at_the_deadline(
    guard: np.ndarray | None,
) -> None:
    rows = np.arange(1, 801).reshape(100, 8)
    (template, _) = build_templates(2, 3, 8)
    deadline = Looks()
    clauses = fill_template(rows, template, guard, deadline, PIECE)
    assert clauses == fill_template(rows, template, guard, Looks())
    # A row takes more than a piece by a template at most, and the last one is not full.
    assert len(deadline.counted) >= sum(map(len, clauses)) // (2 * PIECE) > 10
    with pytest.raises(DeadlinePassed):
        fill_template(rows, template, guard, Looks(most=len(deadline.counted) - 1), PIECE)


@pytest.mark.parametrize("written", [write, write_guarded])
def test_sat_clauses_are_written_with_looks_at_the_deadline(
    written: Callable[[Looks], Clauses],
) -> None:
    deadline = Looks()
    written(deadline)
    assert len(deadline.counted) > 10
    with pytest.raises(DeadlinePassed):
        written(Looks(most=len(deadline.counted) - 1))


def test_sat_solver_receives_clauses_in_pieces() -> None:
    clauses = write(Looks())
    taken: list[int] = []

    class Solver:
        def append_formula(self, part: Clauses) -> None:
            taken.append(len(part))

    sat.take_in(Solver(), clauses, Looks(), PIECE)
    assert (sum(taken), max(taken)) == (len(clauses), PIECE)
    taken.clear()
    with pytest.raises(DeadlinePassed):
        sat.take_in(Solver(), clauses, Looks(most=2), PIECE)
    assert taken == [PIECE, PIECE]


def test_sat_solver_stops_receiving_clauses_at_the_deadline() -> None:
    with pytest.raises(DeadlinePassed):
        sat.Oracle(write(Looks()), Looks(most=0))


def test_sat_conflict_slices_shrink_with_the_size_of_the_formula() -> None:
    assert [sat.conflicts_per_slice(many) for many in (0, 1, 50_000)] == [2000] * 3
    slices = [sat.conflicts_per_slice(many) for many in (10**5, 10**6, 10**7, 10**9)]
    assert slices == [1000, 100, 10, 10]


def test_model_counter_clauses_are_printed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    clauses = write(Looks())
    pieces = list(counter_process.write_dimacs(1, clauses, 1, PIECE))
    assert len(pieces) == 1 + -(-len(clauses) // PIECE)

    def not_called(*_: object, **__: object) -> Any:
        raise AssertionError("the time was over before")

    encoded = Encoded(np.zeros(1, np.int64), clauses, 1)
    monkeypatch.setattr(sat, "encode_reduction", lambda *_: encoded)
    monkeypatch.setattr(subprocess, "run", not_called)
    with pytest.raises(DeadlinePassed):
        model_counters.count_exactly(reduce_board(BOARD), 0, Looks(most=1))


def test_closure_checks_the_deadline_for_every_premise() -> None:
    premises = [Premises(CONSTRAINTS).of_clue(clue) for clue in CLUES]
    deadline = Looks()
    Closure(premises, deadline)
    assert len(deadline.counted) >= len(premises)
    with pytest.raises(DeadlinePassed):
        Closure(premises, Looks(most=len(premises) // 2))


def test_smallest_repairs_by_glucose_and_cadical_are_equal() -> None:
    """Glucose for small formulas, CaDiCaL for others."""
    cells = random_board(8, seed=3).cells.copy()
    for clue in np.argwhere((cells > 0) & (cells < 7))[::5].tolist():
        cells[tuple(clue)] += 1
    by_glucose = repair.find_repairs(Board(cells), None, Looks(), limit=1000)
    none_by_glucose = repair.Thresholds(glucose_clauses=0)
    by_cadical = repair.find_repairs(
        Board(cells), None, Looks(), limit=1000, thresholds=none_by_glucose
    )
    assert by_glucose == by_cadical
    assert (by_glucose.changes or 0) > 1
    assert not by_glucose.more


def test_paths_call_back_for_every_move_of_the_machine() -> None:
    looks: list[None] = []
    symbols = ["????"] * 4
    machine = Profiles(4)
    Paths(machine, symbols, 10**6, lambda: looks.append(None))
    states, questions = {machine.start}, set()
    for symbol in symbols:
        questions |= {(state, symbol) for state in states}
        states = {target for state in states for target in machine.follow(state, symbol)}
    assert len(looks) == len(questions) + len(symbols)


def test_run_that_ends_before_its_layout_is_incomplete() -> None:
    run_input = running.RunInput("strip-12", random_board(12), None)
    answer = running.answer_run(run_input, Looks(most=0))
    assert b'"consistent":null' in answer
    assert b'"complete":false' in answer


def test_turn_take_share_counts_the_computing_time_of_its_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wall, computing = Clock(), Clock()
    monkeypatch.setattr("minecheck.solvers.deadline.monotonic", wall)
    monkeypatch.setattr("minecheck.solvers.deadline.thread_time", computing)
    half = Turn.start(Deadline.in_seconds(100.0), 10.0).take_share(0.5)
    wall.now = 40.0
    assert half.left == 5.0
    computing.now = 6.0
    assert half.left == -1.0
    wall.now = 60.0
    assert half.left == -10.0


def test_conflict_that_is_not_made_smaller_in_time_is_named_as_it_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cut_short(finder: CoreFinder, core: Core) -> Core:
        raise DeadlinePassed

    monkeypatch.setattr(CoreFinder, "minimise_conflict", cut_short)
    answer = answer_question(Check(parse("?1?S?1?"), 3))
    assert answer.consistent is False
    assert answer.conflict is not None
    assert not answer.conflict.minimal
    assert not answer.complete
