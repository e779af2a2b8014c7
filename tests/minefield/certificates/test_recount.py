"""Recounts of clues alone, held to exhaustive enumeration."""

from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import Board
from minecheck.minefield.certificates.meter import MOST_WORK, Meter
from minecheck.minefield.certificates.recount import find_span, has_layout, recount_layouts
from minecheck.minefield.notation import parse
from minecheck.minefield.rules import Rule
from tests import oracle
from tests.boards import boards_with_totals, rule_sets
from tests.examples import examples


@examples(300)
@given(rule_sets(), st.integers(0, 3))
def test_has_layout_agrees_with_enumeration(
    case: tuple[list[Rule], int, int | None], others: int
) -> None:
    rules, cells, _ = case
    constraints = [([int(str(cell)) for cell in rule.cells], rule.low, rule.high) for rule in rules]
    named = {cell for members, _, _ in constraints for cell in members}
    every = [*sorted(named), *range(cells, cells + others)]
    for mines in (None, *range(len(every) + 2)):
        right = bool(oracle.sets_of(constraints, every, mines))
        assert has_layout(constraints, others, mines, Meter()) is right


@given(boards_with_totals())
def test_find_span_returns_the_fewest_and_the_most_mines(case: tuple[Board, int | None]) -> None:
    board, _ = case
    by_mines = oracle.answer(board, None).by_mines
    span = (min(by_mines), max(by_mines)) if by_mines else None
    assert find_span(recount_layouts(board, None, Meter())) == span


def test_work_of_a_recount_grows_with_the_board_and_not_faster() -> None:
    assert 0 < _count_work(["?" * 60] * 60) < 60 * 60
    short, long = (_count_work(["?" * 2 * size, "?1" * size]) for size in (60, 120))
    assert short < long < 2.5 * short


def _count_work(rows: list[str]) -> int:
    """Return the products that a recount of a board takes."""
    meter = Meter()
    recount_layouts(parse(rows), None, meter)
    return MOST_WORK - meter.left
