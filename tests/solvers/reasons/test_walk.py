"""Walks through positions: every step is checked by all ways to lay mines among its cells."""

from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given

from minecheck.minefield import Board, parse
from minecheck.minefield.variant import Variant
from minecheck.solvers import answer_question
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import FULL, INLINE, NeedsMoreEffort
from minecheck.solvers.findings import WalkStep
from minecheck.solvers.reasons.walk import Walk
from minecheck.solvers.tasks.explain import Explain, ExplainAnswer
from tests import oracle
from tests.boards import boards_with_totals
from tests.examples import examples
from tests.oracle import Cell, neighbours


def explain(board: Any, mines: int | None, **options: Any) -> ExplainAnswer:
    answer = answer_question(Explain(board, mines, walk=True, **options))
    assert isinstance(answer, ExplainAnswer)
    return answer


def check_step(board: Board, mines: int | None, step: WalkStep, known: dict[Cell, bool]) -> None:
    """Check by every way to lay mines in the area that the step follows, and needs all clues."""
    codes = board.cells.tolist()
    held = {cell for cell, mine in known.items() if mine}
    rows = enumerate(str(board).splitlines())
    held |= {(row, col) for row, line in rows for col, one in enumerate(line) if one == "B"}
    forced = dict.fromkeys(step.mines, True) | dict.fromkeys(step.safe, False)
    assert forced
    assert forced.keys() <= set(step.area)
    assert known.keys().isdisjoint(step.area)

    def decides(clues: list[Cell], total: bool) -> bool:
        for laid in product((False, True), repeat=len(step.area)):
            layout = held | {cell for cell, mine in zip(step.area, laid, strict=True) if mine}
            fits = all(
                sum(near in layout for near in neighbours(clue, *board.shape))
                == codes[clue[0]][clue[1]]
                for clue in clues
            )
            if total:
                fits &= len(layout) == mines
            if fits and any((cell in layout) != mine for cell, mine in forced.items()):
                return False
        return True

    assert decides(step.clues, step.total)
    for clue in step.clues:
        assert not decides([one for one in step.clues if one != clue], step.total)
    if step.total:
        assert not decides(step.clues, False)


@given(boards_with_totals())
@examples(200)
def test_walk_steps_follow_from_their_clues_and_earlier_steps(
    case: tuple[Board, int | None],
) -> None:
    board, mines = case
    truth = oracle.answer(board, mines)
    assume(truth.layouts)
    answer = explain(board, mines)
    assert answer.walk is not None
    assert answer.forced is not None
    known: dict[Cell, bool] = {}
    for number, step in enumerate(answer.walk):
        check_step(board, mines, step, known)
        assert all(use < number for use in step.uses)
        known |= dict.fromkeys(step.mines, True) | dict.fromkeys(step.safe, False)
    explained = {cell for one in answer.explanations or [] for cell in one.cells}
    assert explained <= known.keys()
    assert {cell for cell, mine in known.items() if mine} <= set(answer.forced.mines)
    assert {cell for cell, mine in known.items() if not mine} <= set(answer.forced.safe)
    largest = max(
        (len(one.reasons.clues) for one in answer.explanations or [] if one.reasons), default=0
    )
    assert max((len(step.clues) for step in answer.walk), default=0) <= largest


@pytest.mark.parametrize(
    ("rows", "patterns"),
    [
        (["????", "1121", "0000"], ["1-2", "single clue", "single clue"]),
        (["???", "110", "000"], ["single clue", "single clue"]),
        (["?????", "11111", "00000"], ["1-1"]),
        # The 1 in the corner counts two of the three cells that the 2 beside the gap counts.
        (["S??", "1S2", "S?S"], ["box"]),
        (["??", "1?"], []),
    ],
)
def test_walk_steps_have_the_names_that_players_use(rows: list[str], patterns: list[str]) -> None:
    answer = explain(parse(rows), None)
    assert answer.walk is not None
    assert [step.pattern for step in answer.walk][: len(patterns)] == patterns


@pytest.mark.parametrize(
    ("rows", "is_reduced"), [(["????", "1121", "0000"], False), (["????", "2231", "1B10"], True)]
)
def test_walk_step_is_reduced_where_known_mines_make_the_pattern(
    rows: list[str], is_reduced: bool
) -> None:
    answer = explain(parse(rows), None)
    assert answer.walk is not None
    first, *others = answer.walk
    assert (first.pattern, first.reduced) == ("1-2", is_reduced)
    assert not any(step.reduced for step in others if step.pattern == "single clue")


def test_walk_step_by_the_total_is_named_mine_counting() -> None:
    answer = explain(parse(["?1??"]), 1)
    assert answer.walk is not None
    (step,) = answer.walk
    assert (step.pattern, step.total, step.safe) == ("mine counting", True, [(0, 3)])
    assert "the total" in step.text


def test_walk_is_omitted_by_default() -> None:
    answer = answer_question(Explain(parse(["1?"])))
    assert isinstance(answer, ExplainAnswer)
    assert answer.walk is None


def test_walk_on_a_variant_has_no_names_of_patterns() -> None:
    answer = explain(Variant(parse(["1?"])), None)
    assert answer.walk is not None
    assert [(step.pattern, step.mines) for step in answer.walk] == [(None, [(0, 1)])]


def test_walk_at_the_deadline_is_incomplete() -> None:
    answer = answer_question(Explain(parse(["1?"]), walk=True), Deadline(0.0))
    assert not answer.complete


def test_walk_that_is_cut_short_asks_for_more_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_short(walk: Walk, reasons: object) -> bool:
        raise DeadlinePassed

    monkeypatch.setattr(Walk, "decide_cells", cut_short)
    question = Explain(parse("?1??"), 1, walk=True)
    with pytest.raises(NeedsMoreEffort):
        answer_question(question, Deadline(), INLINE)
    assert not answer_question(question, Deadline(), FULL).complete
