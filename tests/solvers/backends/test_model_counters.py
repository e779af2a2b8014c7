"""Layouts counted by others' model counters, in processes of their own."""

import os
import re
import signal
import subprocess
import sys
import textwrap
from math import comb, inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import Board
from minecheck.minefield.reduction.constraints import NONE, Reduction, reduce
from minecheck.minefield.rules import Rule
from minecheck.solvers.backends import counter_process, model_counters
from minecheck.solvers.backends.model_counters import CounterFailed, CounterMissing
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.findings import Approximation
from tests import oracle
from tests.boards import hidden_layout, rule_sets, small_boards
from tests.examples import examples
from tests.processes import are_gone_soon, holds_soon, running_program
from tests.rule_constraints import build_constraints, reduce_board
from tests.solvers.backends.reductions import hard_reduction, wide_reduction

pytest.importorskip("pyganak")
pytest.importorskip("pyapproxmc")

#: Children take most of the time of an example.
few = examples(25)


def by_oracle(reduction: Reduction, component: int) -> int:
    """Layouts of a component, by trying all."""
    boxes = range(*reduction.component_boxes[component : component + 2])
    cells = [box_cells(reduction, box) for box in boxes]
    names = [cell for box in cells for cell in box]
    first, last = reduction.component_clues[component : component + 2]
    rules = []
    for clue in range(first, last):
        near = reduction.clue_boxes[reduction.clue_start[clue] : reduction.clue_start[clue + 1]]
        covered = [cell for box in near for cell in box_cells(reduction, box)]
        rules.append((covered, int(reduction.low[clue]), int(reduction.high[clue])))
    return len(oracle.sets_of(rules, names))


def box_cells(reduction: Reduction, box: int) -> list[int]:
    start, end = reduction.box_start[box : box + 2]
    cells: list[int] = reduction.box_cells[start:end].tolist()
    return cells


def children() -> set[str]:
    """Processes that this one has started."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


@few
@given(small_boards())
def test_count_exactly_agrees_with_the_oracle(board: Board) -> None:
    reduction = reduce_board(board)
    if reduction.conflict == NONE:
        for component in range(reduction.components):
            found = model_counters.count_exactly(reduction, component, Deadline())
            assert found == by_oracle(reduction, component)


@few
@given(rule_sets())
def test_count_exactly_agrees_with_the_oracle_on_rules_with_two_bounds(
    case: tuple[list[Rule], int, int | None],
) -> None:
    rules, cells, _ = case
    reduction = reduce(build_constraints(rules, cells)[0])
    if reduction.conflict == NONE:
        for component in range(reduction.components):
            found = model_counters.count_exactly(reduction, component, Deadline())
            assert found == by_oracle(reduction, component)


@few
@given(small_boards())
def test_count_approximately_is_exact_for_few_layouts(board: Board) -> None:
    reduction = reduce_board(board)
    if reduction.conflict == NONE:
        for component in range(reduction.components):
            count = by_oracle(reduction, component)
            if count <= 30:  # below ApproxMC's threshold for 0.8, halved
                found = model_counters.count_approximately(reduction, component, Deadline())
                assert found == Approximation(count, 0.8, 0.2)


@pytest.mark.parametrize(
    "count", [model_counters.count_exactly, model_counters.count_approximately]
)
def test_model_counters_do_not_count_variables_of_the_encoding(count: object) -> None:
    reduction = wide_reduction(cells=9, low=2, high=3)
    assert callable(count)
    found = count(reduction, 0, Deadline())
    exact = comb(9, 2) + comb(9, 3)
    if isinstance(found, Approximation):
        assert exact / 1.8 <= found.count <= exact * 1.8
    else:
        assert found == exact


def test_count_exactly_ignores_the_remarks_of_ganak() -> None:
    rules = [Rule((0, 1, 2), 0, 1), Rule((0, 1, 2), 2, 2)]
    reduction = reduce(build_constraints(rules)[0])
    assert model_counters.count_exactly(reduction, 0, Deadline()) == 0


def test_model_counters_count_no_models_of_unsatisfiable_clauses() -> None:
    unsatisfiable: list[list[list[int]]] = [[[1], [-1]], [[1, 2], [-1, 2], [1, -2], [-1, -2]], [[]]]
    for clauses in unsatisfiable:
        assert counter_process.run_ganak(2, clauses) == 0
        assert counter_process.run_approxmc(2, clauses, 0.8, 0.2, 1) == 0


@given(
    st.integers(1, 6),
    st.lists(st.lists(st.integers(-6, 6).filter(bool), max_size=3), max_size=8),
)
def test_model_counters_count_models_over_the_shown_variables(
    shown: int, clauses: counter_process.Clauses
) -> None:
    models = {
        chosen & (1 << shown) - 1
        for chosen in range(1 << 6)
        if all(any((chosen >> abs(x) - 1 & 1) == (x > 0) for x in clause) for clause in clauses)
    }
    assert counter_process.run_ganak(shown, clauses) == len(models)
    if len(models) <= 30:
        assert counter_process.run_approxmc(shown, clauses, 0.8, 0.2, 1) == len(models)


@pytest.mark.parametrize("epsilon", [0.3, 0.8, 3.0])
def test_approximate_counts_are_within_their_factor(epsilon: float) -> None:
    # Pairs of cells with one mine each lose most where free variables are forgotten.
    for pairs in (8, 40):
        clauses = [[sign * a, sign * (a + 1)] for a in range(1, 2 * pairs, 2) for sign in (1, -1)]
        clauses += [[1, 3, 5]]
        exact = 7 * 2 ** (pairs - 3)
        for seed in (1, 2):
            found = counter_process.run_approxmc(2 * pairs, clauses, epsilon, 0.01, seed)
            assert exact / (1 + epsilon) <= found <= exact * (1 + epsilon)


@pytest.mark.slow
def test_approximate_counts_of_a_board_are_close_to_exact_counts() -> None:
    reduction = reduce_board(hidden_layout(16, 16, 0.7, seed=3))
    for component in range(reduction.components):
        exact = model_counters.count_exactly(reduction, component, Deadline.in_seconds(60))
        found = model_counters.count_approximately(
            reduction, component, Deadline.in_seconds(60), delta=0.01
        )
        assert exact / 1.8 <= found.count <= exact * 1.8


def test_count_approximately_repeats_with_the_same_seed() -> None:
    reduction = wide_reduction(cells=12, low=4, high=6)
    once, again = (
        model_counters.count_approximately(reduction, 0, Deadline(), seed=7) for _ in range(2)
    )
    assert once == again


@pytest.mark.parametrize(
    "count", [model_counters.count_exactly, model_counters.count_approximately]
)
def test_model_counter_is_killed_at_the_deadline(count: object) -> None:
    reduction = hard_reduction()
    assert callable(count)
    before = children()
    with pytest.raises(DeadlinePassed):
        count(reduction, 0, Deadline.in_seconds(0.5))
    assert children() <= before


def test_model_counter_is_not_started_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", None)
    with pytest.raises(DeadlinePassed):
        model_counters.count_exactly(wide_reduction(3, 1, 2), 0, Deadline(-inf))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends with its deadline")
@pytest.mark.parametrize("count", ["count_exactly", "count_approximately"])
def test_model_counter_dies_with_its_parent(count: str) -> None:
    program = f"""
        from minecheck.solvers.backends import model_counters
        from minecheck.solvers.deadline import Deadline
        from tests.solvers.backends.reductions import hard_reduction
        print("ready", flush=True)
        model_counters.{count}(hard_reduction(), 0, Deadline.in_seconds(60))
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    with running_program(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        path = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
        assert holds_soon(lambda: path.read_text() != "")
        child = int(path.read_text())
        # Until it counts, Python would answer an end of input as well.
        assert holds_soon(lambda: busy(child))
        parent.send_signal(signal.SIGKILL)
        assert are_gone_soon([child])


def busy(process: int) -> bool:
    """True if a process has read its clauses and computes."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return fields[0] == "R" and int(fields[11]) > 20  # ticks of 10 ms


@pytest.mark.parametrize(
    ("count", "package"),
    [(model_counters.count_exactly, "pyganak"), (model_counters.count_approximately, "pyapproxmc")],
)
def test_model_counter_names_a_missing_package(
    monkeypatch: pytest.MonkeyPatch, count: object, package: str
) -> None:
    assert callable(count)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    monkeypatch.delitem(sys.modules, package, raising=False)
    message = f"{package} is not installed: pip install minecheck[counters]"
    with pytest.raises(CounterMissing, match=re.escape(message)):
        count(wide_reduction(3, 1, 2), 0, Deadline())


def test_model_counter_that_fails_raises_with_its_message(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "counter.py"
    monkeypatch.setattr(counter_process, "__file__", str(program))
    program.write_text("raise MemoryError('no room')", encoding="utf-8")
    with pytest.raises(CounterFailed, match="pyganak: MemoryError: no room"):
        model_counters.count_exactly(wide_reduction(3, 1, 2), 0, Deadline())
    program.write_text("import os; os.kill(os.getpid(), 9)", encoding="utf-8")
    with pytest.raises(CounterFailed, match="status -9"):
        model_counters.count_exactly(wide_reduction(3, 1, 2), 0, Deadline())


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.2), (-1.0, 0.2), (0.8, 0.0), (0.8, 1.0)])
def test_count_approximately_rejects_impossible_guarantees(epsilon: float, delta: float) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        model_counters.count_approximately(wide_reduction(3, 1, 2), 0, Deadline(), epsilon, delta)


def test_multiply_counts_of_exact_counts_is_exact() -> None:
    assert model_counters.multiply_counts([]) == 1
    assert model_counters.multiply_counts([3, 5, 7]) == 105


def parts_of(count: int | Approximation | None) -> tuple[object, object, object]:
    """Return the count, epsilon and delta of an approximation."""
    assert isinstance(count, Approximation)
    return count.count, count.epsilon, count.delta


def test_multiply_counts_with_an_approximate_count_is_approximate() -> None:
    about = Approximation(10, 0.8, 0.2)
    assert parts_of(model_counters.multiply_counts([3, about, 5])) == (
        150,
        pytest.approx(0.8),
        pytest.approx(0.2),
    )


def test_multiply_counts_multiplies_factors_and_adds_deltas() -> None:
    both = model_counters.multiply_counts(
        [Approximation(10, 0.5, 0.1), Approximation(4, 1.0, 0.2), 2]
    )
    assert parts_of(both) == (80, pytest.approx(2.0), pytest.approx(0.3))
    many = model_counters.multiply_counts([Approximation(1, 0.5, 0.4)] * 3)
    assert isinstance(many, Approximation)
    assert many.delta == 1.0


@given(st.floats(0.01, 10), st.floats(0.01, 0.99), st.integers(1, 50))
def test_share_errors_combine_to_the_whole_error(epsilon: float, delta: float, parts: int) -> None:
    share = model_counters.share_errors(epsilon, delta, parts)
    whole = model_counters.multiply_counts([Approximation(1, *share)] * parts)
    assert parts_of(whole) == (1, pytest.approx(epsilon), pytest.approx(delta))


@given(st.integers(0, 9), st.lists(st.lists(st.integers(-99, 99).filter(bool))))
def test_dimacs_clauses_are_read_as_they_were_written(
    shown: int, clauses: counter_process.Clauses
) -> None:
    top = max([shown, *(abs(literal) for clause in clauses for literal in clause)])
    text = "".join(counter_process.write_dimacs(shown, clauses, top))
    assert counter_process.parse_dimacs(text.splitlines()) == (shown, clauses)
