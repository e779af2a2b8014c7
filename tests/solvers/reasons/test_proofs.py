"""Certificates that solvers make, held to boards that are judged by exhaustive enumeration."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.certificates.document import Certificate, Claim, read_certificate
from minecheck.minefield.certificates.judge import verify
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import UNDECIDED, Constraints
from minecheck.minefield.rules import Plain, Rule, Rules
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.reasons import lemmas, proofs
from minecheck.solvers.reasons.lemmas import Unproved
from minecheck.solvers.reasons.proofs import certify_refutation, certify_witness
from tests import oracle
from tests.boards import (
    CASES,
    Case,
    boards_with_totals,
    changed_boards,
    hidden_layout,
    mines_totals,
    random_boards,
    rule_sets,
)
from tests.examples import examples

BoardCase = tuple[Board, int | None]


@st.composite
def inconsistent_boards(draw: st.DrawFn) -> BoardCase:
    board = draw(changed_boards() | random_boards())
    mines = draw(st.none() | mines_totals(board))
    assume(not oracle.answer(board, mines).consistent)
    return board, mines


def build_refutation(
    puzzle: Plain, mines: int | None, forced: tuple[int, int] | None = None
) -> Certificate:
    """The certificate that uses all clues, and the total if there is one."""
    clues = list(range(Constraints.from_position(puzzle, mines).low.size))
    return certify_refutation(puzzle, mines, clues, mines is not None, Deadline(), forced)


def in_json(certificate: Certificate) -> Certificate:
    return read_certificate(certificate.to_document())


@pytest.mark.parametrize("case", [case for case in CASES if not case.consistent], ids=str)
def test_certificates_exist_for_the_papers_inconsistent_boards(case: Case) -> None:
    verify(in_json(build_refutation(parse(case.rows), None)))


@pytest.mark.parametrize("case", [case for case in CASES if case.consistent], ids=str)
def test_certificates_exist_for_forced_cells_and_totals_of_the_papers_boards(case: Case) -> None:
    board = parse(case.rows)
    for cells, value in ((case.forced_mines, 1), (case.forced_safe, 0)):
        for row, col in sorted(cells)[:5]:
            certificate = in_json(build_refutation(board, None, (row * board.width + col, value)))
            assert certificate.claim is (Claim.MINE if value else Claim.SAFE)
            verify(certificate)
    for mines in (min(case.by_mines) - 1, max(case.by_mines) + 1):
        if mines >= 0:
            verify(in_json(build_refutation(board, mines)))


@examples(150)
@given(case=inconsistent_boards())
def test_certificates_of_inconsistent_boards_are_verified(case: BoardCase) -> None:
    verify(in_json(build_refutation(*case)))


@examples(150)
@given(case=boards_with_totals(), data=st.data())
def test_certificate_of_a_cell_exists_exactly_if_the_cell_is_forced(
    case: BoardCase, data: st.DataObject
) -> None:
    board, mines = case
    undecided = np.flatnonzero(Constraints.from_position(board, mines).known == UNDECIDED).tolist()
    assume(undecided)
    cell, value = data.draw(st.sampled_from(undecided)), data.draw(st.sampled_from([0, 1]))
    found = oracle.answer(board, mines)
    coordinates = divmod(cell, board.width)
    if not found.consistent or coordinates in (found.forced_mines if value else found.forced_safe):
        verify(in_json(build_refutation(board, mines, (cell, value))))
    else:
        with pytest.raises(Unproved):
            build_refutation(board, mines, (cell, value))


@given(case=boards_with_totals())
def test_witness_certificates_exist_for_layouts_only(case: BoardCase) -> None:
    board, mines = case
    found = oracle.answer(board, mines)
    assume(found.consistent)
    mask = np.zeros(board.shape, np.bool_)
    for cell in found.layouts[0]:
        mask[cell] = True
    verify(in_json(certify_witness(board, mines, Layout(mask))))
    with pytest.raises(Unproved):
        build_refutation(board, mines)
    for cell in np.ndindex(mask.shape):
        other = mask.copy()
        other[cell] = ~other[cell]
        if frozenset(map(tuple, np.argwhere(other).tolist())) not in found.layouts:
            with pytest.raises(Unproved):
                certify_witness(board, mines, Layout(other))


@examples(300)
@given(given_rules=rule_sets())
def test_certificates_of_rules_are_witnesses_or_refutations(
    given_rules: tuple[list[Rule], int, int | None],
) -> None:
    rules, cells, mines = given_rules
    puzzle = Rules(tuple(Rule(tuple(map(str, r.cells)), r.low, r.high) for r in rules), cells)
    names = [*puzzle.number, *(f"other {k}" for k in range(cells - len(puzzle.number)))]
    constraints = [(rule.cells, rule.low, rule.high) for rule in puzzle.rules]
    sets = oracle.sets_of(constraints, names, mines)
    if sets:
        mask = np.array([[name in sets[0] for name in names]], dtype=np.bool_)
        certificate = certify_witness(puzzle, mines, Layout(mask))
    else:
        certificate = build_refutation(puzzle, mines)
    verify(certificate)
    if all(rule.low >= 0 and rule.high >= 0 for rule in puzzle.rules) and rules and cells:
        verify(in_json(certificate))


@st.composite
def long_rules(draw: st.DrawFn) -> tuple[Rules, int | None]:
    """Few rules over nine cells or more, with a total or without."""
    cells = draw(st.integers(9, 12))
    names = [f"c{number}" for number in range(cells)]
    rules = []
    for _ in range(draw(st.integers(1, 3))):
        chosen = draw(st.lists(st.sampled_from(names), min_size=9, max_size=cells, unique=True))
        low = draw(st.integers(0, len(chosen)))
        rules.append(Rule(tuple(chosen), low, draw(st.integers(low, len(chosen)))))
    spare = draw(st.integers(0, 2))
    puzzle = Rules(tuple(rules), None)
    puzzle = Rules(tuple(rules), len(puzzle.number) + spare)
    return puzzle, draw(st.none() | st.integers(0, puzzle.shape[1] + 1))


@examples(100)
@given(case=long_rules(), data=st.data())
def test_refutation_of_long_rules_exists_exactly_if_inconsistent(
    case: tuple[Rules, int | None], data: st.DataObject
) -> None:
    puzzle, mines = case
    names = [*puzzle.number, *range(puzzle.shape[1] - len(puzzle.number))]
    constraints = [(rule.cells, rule.low, rule.high) for rule in puzzle.rules]
    sets = oracle.sets_of(constraints, names, mines)
    if not sets:
        verify(in_json(build_refutation(puzzle, mines)))
        return
    with pytest.raises(Unproved):
        build_refutation(puzzle, mines)
    cell = data.draw(st.sampled_from(range(len(names))))
    values = {names[cell] in chosen for chosen in sets}
    if len(values) == 1:
        verify(in_json(build_refutation(puzzle, mines, (cell, int(values.pop())))))


@pytest.mark.parametrize("groups", [1, 2, 10, 20])
@pytest.mark.parametrize("number", range(1, 8))
def test_refutation_adds_up_clues_without_common_cells(groups: int, number: int) -> None:
    board = parse(["???", f"?{number}?", "???", "SSS"] * groups)
    verify(in_json(build_refutation(board, number * groups - 1)))
    # One unknown cell is in no clue: it may be a mine.
    spare = Board(
        np.where(np.arange(board.cells.size).reshape(board.shape) == 9, UNKNOWN, board.cells)
    )
    verify(in_json(build_refutation(spare, number * groups + 2)))
    with pytest.raises(Unproved):
        build_refutation(spare, number * groups + 1)


def test_refutation_uses_only_the_clues_of_the_core() -> None:
    board = parse(["1?2?S1?", "SSSSSSS"])
    certificate = certify_refutation(board, 1, [1, 2], True, Deadline())
    verify(certificate)
    assert "c clue 0 2" in certificate.cnf
    assert "c clue 0 0" not in certificate.cnf
    with pytest.raises(Unproved):
        certify_refutation(board, 1, [1, 2], False, Deadline())
    with pytest.raises(Unproved):
        certify_refutation(board, 1, [0], True, Deadline())


def test_refutation_takes_flags_as_unknown_cells() -> None:
    board = parse(["F1F", "SSS"])
    assert (board.cells == FLAG).sum() == 2
    verify(in_json(build_refutation(board, 2)))
    with pytest.raises(Unproved):
        build_refutation(board, 1)


def test_refutation_of_a_total_can_need_known_cells_alone() -> None:
    board = Board(np.array([[MINE, SAFE, UNKNOWN]], dtype=np.int8))
    for mines in (0, 3):
        certificate = certify_refutation(board, mines, [], True, Deadline())
        verify(in_json(certificate))
        assert certificate.cnf == "p cnf 0 1\nc total\n0\n"


def test_refutation_of_a_board_with_one_wrong_clue_is_verified() -> None:
    board = hidden_layout(16, 16, 0.5, 1)
    cells = board.cells.copy()
    row, col = np.argwhere((cells > 0) & (cells <= 8))[40]
    cells[row, col] = 0
    verify(in_json(build_refutation(Board(cells), None)))


def test_refutation_of_a_total_too_small_for_a_large_board_is_verified() -> None:
    cells = np.full((15, 20), UNKNOWN, dtype=np.int8)
    cells[1::3, 1::3] = 2
    board = Board(cells)
    verify(in_json(build_refutation(board, 2 * int(np.count_nonzero(cells == 2)) - 1)))


def test_refutation_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        certify_refutation(parse(["1?1", "1?1"]), None, [0], False, Deadline.in_seconds(-1))


def test_refutation_in_many_slices_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    in_slices = partial(lemmas.list_refuting_lemmas, slice_conflicts=3)
    monkeypatch.setattr(proofs, "list_refuting_lemmas", in_slices)
    cells = np.full((10, 12), UNKNOWN, dtype=np.int8)
    cells[1::3, 1::3] = 3
    verify(in_json(build_refutation(Board(cells), 3 * int(np.count_nonzero(cells == 3)) - 1)))
