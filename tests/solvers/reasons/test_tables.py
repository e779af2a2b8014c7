"""Certificates of counts, held to exhaustive enumeration, and bent in every way."""

import json
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck import solvers
from minecheck.minefield.board import Board
from minecheck.minefield.certificates.agreement import review_answer
from minecheck.minefield.certificates.boxes import Boxes
from minecheck.minefield.certificates.chances import derive_chances, derive_forced
from minecheck.minefield.certificates.counting import Counted
from minecheck.minefield.certificates.document import (
    CertificateError,
    read_certificates,
    read_subject,
)
from minecheck.minefield.certificates.judge import verify_all
from minecheck.minefield.certificates.meter import Meter
from minecheck.minefield.notation import draw, parse
from minecheck.minefield.numerals import format_integer
from minecheck.minefield.rules import Rule, Rules
from minecheck.solvers import Deadline, DeadlinePassed, Question
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.reasons import tables
from minecheck.solvers.reasons.lemmas import Unproved
from minecheck.solvers.reasons.tables import certify_count
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.count import Count
from tests import oracle
from tests.boards import CASES, Case, boards_with_totals, hidden_layout, rule_sets
from tests.examples import examples

BoardCase = tuple[Board, int | None]
Document = dict[str, Any]

#: Two components and a loose cell; six tables are joined in the first.
ROWS = ["1?1???1", "??2???1", "??1???1"]


def budget() -> Budget:
    return Budget(10**10, Deadline())


def document(puzzle: Board | Rules, mines: int | None, by_mines: bool, count: int) -> Document:
    """The certificate as a program would get it."""
    made = certify_count(puzzle, mines, by_mines, count, budget())
    found: Document = json.loads(json.dumps(made.to_document()))
    return found


def recount_certificate(source: object) -> Counted:
    (found,) = verify_all(read_certificates(source))
    assert found is not None
    return found


def catch_certificate_error(source: object) -> CertificateError:
    with pytest.raises(CertificateError) as error:
        verify_all(read_certificates(source))
    return error.value


# Against enumeration


@examples(600)
@given(case=boards_with_totals(), by_mines=st.booleans())
def test_recount_of_a_count_certificate_agrees_with_the_oracle(
    case: BoardCase, by_mines: bool
) -> None:
    board, mines = case
    right = oracle.answer(board, mines)
    found = recount_certificate(document(board, mines, by_mines, right.count))
    assert found.count == right.count
    assert found.by_mines == (right.by_mines if by_mines or mines is not None else None)
    mask = board.unknown
    cells = [divmod(cell, board.width) for cell in range(board.cells.size)]
    chances = {
        row * board.width + col: Fraction(
            sum((row, col) in layout for layout in right.layouts), right.count
        )
        for row, col in cells
        if right.count and mask[row, col]
    }
    assert derive_chances(found) == chances
    forced = {
        divmod(cell, board.width): mine
        for cell, mine in derive_forced(derive_chances(found)).items()
    }
    assert {cell for cell, mine in forced.items() if mine} == right.forced_mines
    assert {cell for cell, mine in forced.items() if not mine} == right.forced_safe


@examples(600)
@given(drawn=rule_sets(), by_mines=st.booleans())
def test_recount_of_rules_agrees_with_the_oracle(
    drawn: tuple[list[Rule], int, int | None], by_mines: bool
) -> None:
    rules, cells, mines = drawn
    puzzle = Rules(tuple(Rule(tuple(map(str, r.cells)), r.low, r.high) for r in rules), cells)
    names = [*puzzle.number, *(f"other {k}" for k in range(cells - len(puzzle.number)))]
    sets = oracle.sets_of([(r.cells, r.low, r.high) for r in puzzle.rules], names, mines)
    certificate = certify_count(puzzle, mines, by_mines, len(sets), budget())
    (found,) = verify_all([certificate])
    assert found is not None
    assert found.count == len(sets)
    if sets:
        assert derive_chances(found) == {
            index: Fraction(sum(name in one for one in sets), len(sets))
            for index, name in enumerate(names)
        }


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("by_mines", [True, False])
def test_count_certificates_of_the_papers_boards_are_verified(case: Case, by_mines: bool) -> None:
    found = recount_certificate(document(parse(case.rows), None, by_mines, case.layouts))
    assert found.count == case.layouts
    assert found.by_mines == (case.by_mines if by_mines else None)


@pytest.mark.parametrize("total", [False, True])
@pytest.mark.parametrize(
    ("side", "hidden", "seed"), [(20, 0.4, 1), (20, 0.4, 2), (20, 0.7, 3), (30, 0.6, 4)]
)
def test_analyze_of_larger_boards_follows_from_its_certificate(
    side: int, hidden: float, seed: int, total: bool
) -> None:
    """All numbers of an answer, rounded and exact, from a counter that shares no code with it."""
    board = hidden_layout(side, side, hidden, seed)
    witness = solvers.check(board).witness
    assert witness is not None
    mines = witness.total if total else None
    for fractions in (False, True):
        question = Analyze(board, mines, fractions=fractions, by_mines=True, certificate=True)
        answer = solvers.answer_question(question)
        assert answer.certificates is not None
        (found,) = verify_all(answer.certificates)
        assert found is not None
        assert (found.count, found.by_mines) == (answer.count, answer.by_mines)
        document_of_answer = json.loads(_render(question, answer))
        about = board, mines
        assert review_answer(document_of_answer, about, answer.certificates, [found]).unproved == {}
        document_of_answer["probabilities"][0][0] = 0.125
        with pytest.raises(CertificateError, match="probabilities"):
            review_answer(document_of_answer, about, answer.certificates, [found])


def _render(question: Question, answer: solvers.Answer) -> bytes:
    from minecheck.solvers.documents.render import render_answer

    return render_answer(question, answer)


def test_certify_count_rejects_a_wrong_count() -> None:
    with pytest.raises(Unproved):
        certify_count(parse("?1?"), None, False, 3, budget())


# Limits


def test_certify_count_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        certify_count(
            hidden_layout(30, 30, 0.5, 1), None, False, 1, Budget(10**10, Deadline.in_seconds(-1))
        )


def test_certify_count_rejects_tables_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    board = parse(ROWS)
    with pytest.raises(TooWide):
        certify_count(board, None, False, 1, Budget(40_000, Deadline()))
    with pytest.raises(TooWide):
        certify_count(board, None, True, 1, budget(), most_digits=10)
    monkeypatch.setattr(tables, "certify_count", partial(certify_count, most_digits=10))
    answer = solvers.answer_question(Count(board, certificate=True))
    assert answer.certificates is None
    assert answer.count is not None
    assert not answer.complete
    assert answer.note is not None


def test_count_of_a_conflict_is_certified_where_tables_are_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "certify_count", partial(certify_count, most_digits=-1))
    answer = solvers.answer_question(Count(parse("1?2?S1?\n???SSSS"), 0, certificate=True))
    assert answer.certificates is not None
    assert answer.complete
    verify_all(answer.certificates)


# Certificates that are wrong


def list_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the paths of all values in a document."""
    yield path
    if isinstance(value, (list, dict)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from list_paths(value[key], (*path, key))


def follow_path(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


@pytest.fixture(scope="module", params=[(None, False), (None, True), (7, True)], ids=str)
def sound(request: pytest.FixtureRequest) -> Document:
    mines, by_mines = request.param
    board = parse(ROWS)
    count = solvers.count(board, mines).count
    assert count
    found = document(board, mines, by_mines, count)
    recount_certificate(found)
    assert len(found["components"]) == 2
    return found


def test_recount_rejects_every_changed_number(sound: Document) -> None:
    """A number more or less, in states, ways, the joins and the indices of boxes."""
    changed = 0
    for path in list_paths(sound):
        value = follow_path(sound, path)
        if not path or path[0] == "board" or isinstance(value, (list, dict)):
            continue
        if path == ("mines",) and value is None:
            continue
        for other in _others(value):
            if other is value:
                continue
            wrong = deepcopy(sound)
            follow_path(wrong, path[:-1])[path[-1]] = other
            error = catch_certificate_error(wrong)
            assert error.detail
            assert error.field in ("claim", "mines", "count", "by_mines", "components")
            if type(other) is not type(value) and path[0] == "components":
                # What cannot be read at all is named with its indices, up to a part of an entry.
                indices = tuple(step for step in path if isinstance(step, int))
                assert error.field == "components"
                assert error.entry == indices[: len(error.entry)]
                assert len(error.entry) >= min(3 if "table" in path else 2, len(indices))
            changed += 1
    assert changed > 100


def _others(value: Any) -> list[Any]:
    if isinstance(value, int):
        return [value + 1, value - 1, True, float(value), 10**30, str(value), None]
    if isinstance(value, str) and value.isdigit():
        number = int(value)
        return [str(number + 1), "0", "-1", f"0{number}", f"{number} ", "9" * 5000, number, "٣"]
    return ["x", None, 0]


def test_recount_rejects_every_omitted_part(sound: Document) -> None:
    """A component, box, join, entry, clue of a state, or coefficient."""
    for path in list_paths(sound["components"], ("components",)):
        if len(path) > 1:
            wrong = deepcopy(sound)
            del follow_path(wrong, path[:-1])[path[-1]]
            assert catch_certificate_error(wrong).field in ("count", "by_mines", "components")


def test_recount_rejects_every_doubled_or_emptied_list(sound: Document) -> None:
    for path in list_paths(sound["components"], ("components",)):
        value = follow_path(sound, path)
        if isinstance(value, list) and value:
            for other in ([*value, value[0]], []):
                wrong = deepcopy(sound)
                follow_path(wrong, path[:-1])[path[-1]] = other
                catch_certificate_error(wrong)


@pytest.mark.parametrize("path", [("boxes",), ("joins",), ("joins", 1), ("joins", 1, "of")])
@pytest.mark.parametrize("other", [None, {}, "x", 3])
def test_recount_names_the_position_of_a_value_of_wrong_type(
    sound: Document, path: tuple[Any, ...], other: object
) -> None:
    wrong = deepcopy(sound)
    follow_path(wrong["components"][0], path[:-1])[path[-1]] = other
    error = catch_certificate_error(wrong)
    assert (error.field, error.entry) == ("components", (0, *path[1:2]))


@pytest.mark.parametrize("path", [(1,), (1, 0), (1, 1)])
def test_recount_names_the_table_of_an_invalid_entry(
    sound: Document, path: tuple[int, ...]
) -> None:
    wrong = deepcopy(sound)
    follow_path(wrong["components"][0]["joins"][2]["table"], path[:-1])[path[-1]] = 7
    error = catch_certificate_error(wrong)
    assert (error.field, error.entry) == ("components", (0, 2, 1))


def test_recount_names_a_table_with_wrong_counts(sound: Document) -> None:
    wrong = deepcopy(sound)
    entry = wrong["components"][0]["joins"][2]["table"][0]
    if isinstance(entry[1], str):
        entry[1] += "0"
    else:
        entry[1] = {mines: f"{ways}0" for mines, ways in entry[1].items()}
    error = catch_certificate_error(wrong)
    assert (error.field, error.entry) == ("components", (0, 2))
    assert "ways of state" in error.detail


def test_recount_names_a_table_with_another_entry(sound: Document) -> None:
    for change in ("more", "fewer", "state"):
        wrong = deepcopy(sound)
        table = wrong["components"][0]["joins"][2]["table"]
        if change == "more":
            table.append([[9, *table[0][0][1:]], table[0][1]])
        elif change == "fewer":
            table.pop()
        else:
            table[0][0] = [9] * len(table[0][0])
        error = catch_certificate_error(wrong)
        assert (error.field, error.entry) == ("components", (0, 2))


def test_recount_rejects_another_order_of_boxes(sound: Document) -> None:
    """Boxes are known by their index, and not all of them have the same clues."""
    boxes = sound["components"][0]["boxes"]
    for index in range(1, len(boxes)):
        wrong = deepcopy(sound)
        other = wrong["components"][0]["boxes"]
        other[0], other[index] = other[index], other[0]
        catch_certificate_error(wrong)


def test_recount_rejects_merged_and_divided_components(sound: Document) -> None:
    one, other = sound["components"]
    joined = {"boxes": one["boxes"] + other["boxes"], "joins": one["joins"] + other["joins"]}
    assert catch_certificate_error({**sound, "components": [joined]}).field == "components"
    half = {"boxes": one["boxes"][:1], "joins": []}
    rest = {"boxes": one["boxes"][1:], "joins": one["joins"]}
    assert (
        catch_certificate_error({**sound, "components": [half, rest, other]}).field == "components"
    )


def test_recount_rejects_boxes_of_one_clue_as_components() -> None:
    """They have no state without clues, which would count as no layout at all."""
    boxes = Boxes.list_puzzle_boxes(parse(ROWS), Meter())
    apart = [{"boxes": [[*divmod(cells[0], 7)]], "joins": []} for cells in boxes.cells]
    wrong = document(parse(ROWS), None, False, 64) | {"components": apart, "count": "0"}
    assert "same component" in catch_certificate_error(wrong).detail


def test_recount_rejects_joining_a_table_twice() -> None:
    """A box with itself has as many layouts as two of them."""
    sound = document(parse("?1?"), None, False, 2)
    (part,) = sound["components"]
    twice = part | {"joins": [{"of": [0, 0], "table": [[[], "4"]]}]}
    assert (
        "before" in catch_certificate_error({**sound, "count": "4", "components": [twice]}).detail
    )


@pytest.mark.parametrize("symbol", "?S0123B")
def test_recount_rejects_another_board(sound: Document, symbol: str) -> None:
    """Each cell changed; other boards that have the same tables have the same layouts."""
    count = int(sound["count"])
    for row, line in enumerate(ROWS):
        for col in range(len(line)):
            rows = [*ROWS]
            rows[row] = line[:col] + symbol + line[col + 1 :]
            if rows == ROWS:
                continue
            right = oracle.answer(parse(rows), sound["mines"])
            if right.count == count:
                continue
            catch_certificate_error({**sound, "board": rows})


@given(mines=st.integers(0, 21))
def test_recount_rejects_another_total(mines: int) -> None:
    board = parse(ROWS)
    count = oracle.answer(board, 7).count
    sound = document(board, 7, True, count)
    assume(mines != 7)
    assert catch_certificate_error({**sound, "mines": mines}).field in ("count", "by_mines")


# Certificates that do harm

DEEP: Any = []
for _ in range(500):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("components", None),
        ("components", {}),
        ("components", [None]),
        ("components", [[]]),
        ("components", DEEP),
        ("components", [{"boxes": DEEP, "joins": DEEP}]),
        ("components", [{"boxes": [[0, 1]], "joins": [{"of": [0, 0], "table": []}]}]),
        ("components", [{"boxes": [[0, 1]], "joins": [{"of": [1, 2], "table": []}]}]),
        ("components", [{"boxes": [[0, 1]], "joins": [{"of": [0, 10**40], "table": []}]}]),
        ("components", [{"boxes": [], "joins": []}] * 3),
        ("components", [{"boxes": [[10**30, 0]], "joins": []}]),
        ("components", [{"boxes": ["a"], "joins": []}]),
        ("components", [{"boxes": [[0, 1]], "joins": [], "more": 1}]),
        ("count", 5),
        ("count", "1e9"),
        ("count", "9" * 100_000),
        ("count", ""),
        ("by_mines", []),
        ("by_mines", {"x": "1"}),
        ("by_mines", {"1": 1}),
        ("by_mines", {"9" * 50: "1"}),
        ("claim", "counts"),
        ("mines", 10**40),
        ("mines", -1),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_recount_names_the_field_of_an_invalid_value(field: str, value: object) -> None:
    board = parse(ROWS)
    sound = document(board, 7, True, oracle.answer(board, 7).count)
    error = catch_certificate_error({**sound, field: value})
    assert error.field in (field, "count", "by_mines")
    assert len(str(error)) < 300


def test_recount_names_missing_and_unknown_fields() -> None:
    board = parse(["?1?"])
    sound = document(board, None, False, 2)
    for field in sound:
        assert (
            catch_certificate_error({k: v for k, v in sound.items() if k != field}).field == field
        )
    assert catch_certificate_error({**sound, "more": 1}).field == "more"


def test_recount_rejects_too_much_work_before_doing_it() -> None:
    """A box of a hundred thousand cells, and as many loose ones by their mines."""
    cells = [f"c{number}" for number in range(100_000)]
    rules = [{"cells": cells, "low": 1, "high": 99_999}]
    wide = {"claim": "count", "rules": rules, "total_cells": 100_000, "mines": None, "count": "1"}
    wide |= {"by_mines": {"0": "1"}, "components": [{"boxes": ["c0"], "joins": []}]}
    assert "more than" in str(catch_certificate_error(wide))
    loose = {**wide, "rules": [{"cells": ["c0"], "mines": 1}], "components": []}
    loose["count"] = format_integer(1 << 99_999)
    assert "more than" in str(catch_certificate_error(loose))
    recount_certificate({**loose, "by_mines": None})
    assert catch_certificate_error({**loose, "by_mines": None, "count": "1"}).field == "count"


def test_recount_reads_the_certificate_of_an_answer() -> None:
    board = parse(["?1??"])
    certificate = document(board, None, False, 4)
    answer = {"count": "4", "certificate": certificate}
    assert read_subject(answer) == (board, None)
    assert recount_certificate(answer).count == 4
    assert draw(board) == certificate["board"]


@pytest.mark.parametrize("by_mines", [False, True])
def test_count_certificate_is_read_as_it_was_written(by_mines: bool) -> None:
    made = document(parse(ROWS), None, by_mines, 64)
    assert {*made} == {"claim", "board", "mines", "count", "by_mines", "components"}
    assert json.loads(json.dumps(read_certificates(made)[0].to_document())) == made


def test_recount_names_a_repeated_box() -> None:
    made = document(parse(ROWS), None, True, 64)
    boxes = made["components"][1]["boxes"]
    boxes.append(made["components"][0]["boxes"][0])
    error = catch_certificate_error(made)
    assert (error.field, error.entry) == ("components", (1, len(boxes) - 1))
