"""Questions constrain and reduce their board once, for every task and every effort."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction import kernels
from minecheck.solvers.effort import BOUNDED, FULL, INLINE, NeedsMoreEffort
from minecheck.solvers.question import Question
from minecheck.solvers.router import answer_question
from tests.examples import examples
from tests.tasks import Task, question_of

#: What builds constraints and reductions from a whole board, or from some of its clues.
BUILDERS: Final = ("read_board_clues", "reduce", "split")
TASKS: Final = (Task.CHECK, Task.FORCED, Task.ANALYZE, Task.EXPLAIN, Task.CONFLICTS, Task.REPAIR)


def climb(question: Question) -> Any:
    """Answer with more and more effort, as the service does."""
    progress = None
    for effort in (INLINE, BOUNDED):
        try:
            return answer_question(question, effort=effort, progress=progress)
        except NeedsMoreEffort as needs:
            progress = needs.progress
    return answer_question(question, effort=FULL, progress=progress)


@contextmanager
def calls_counted() -> Iterator[Counter[tuple[str, Any]]]:
    """Count the calls of each builder, by what it is given."""
    calls: Counter[tuple[str, Any]] = Counter()

    def count_calls(name: str) -> Callable[..., Any]:
        build = getattr(kernels, name)

        def call(*given: Any) -> Any:
            calls[name, tuple(np.asarray(one).tobytes() for one in given)] += 1
            return build(*given)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in BUILDERS:
            patch.setattr(kernels, name, count_calls(name))
        yield calls


def board(seed: int, side: int, shown: float, wrong: int) -> tuple[Board, int]:
    """Return a random board, with some clues wrong by one, and its number of mines."""
    random = np.random.default_rng(seed)
    mines = random.random((side, side)) < 0.2
    cells = np.where(mines, UNKNOWN, Layout(mines).count_neighbours()).astype(np.int8)
    cells[random.random(mines.shape) >= shown] = UNKNOWN
    clues = np.argwhere((cells > 0) & (cells < 8))
    for row, col in random.permutation(clues)[:wrong].tolist():
        cells[row, col] += random.choice([-1, 1])
    return Board(cells), int(mines.sum())


@examples(15)
@given(
    st.integers(0, 10**6),
    st.just(10),
    st.sampled_from([0.15, 0.3, 0.5]),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from(TASKS),
)
def test_inconsistent_board_is_constrained_and_reduced_once_per_question(
    seed: int, side: int, shown: float, wrong: int, total: bool, task: Task
) -> None:
    # Repairs are tried with the total one by one: each of them is another board.
    assume(not (total and task is Task.REPAIR))
    shown_board, mines = board(seed, side, shown, wrong)
    # A total that is too small contradicts many boards that are consistent without it.
    question = question_of(task, shown_board, mines // (1 + wrong) if total else None)
    with calls_counted() as calls:
        found = climb(question)
    assume(found.consistent is False)
    # To leave out clues in turn, and see what still cannot hold, is another problem each time.
    start = (np.count_nonzero(shown_board.cells <= 8) + 1) * np.dtype(np.int32).itemsize
    whole = {
        (name, given): times
        for (name, given), times in calls.items()
        if name == "read_board_clues" or len(given[1]) == start
    }
    assert set(whole.values()) == {1}
    built = Counter(name for name, _ in whole)
    # A total is one more way to look at the same clues; only the rest that a position leaves, whose
    # board is another one, has clues of its own.
    assert built["read_board_clues"] <= 2
    assert built["reduce"] <= 2
    assert built["split"] <= 1
