"""Answers held to their certificates: every change of an answer is rejected, or named."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield.board import SAFE, Board
from minecheck.minefield.certificates.agreement import Review, review_answer
from minecheck.minefield.certificates.conflicts import MOST_WORK
from minecheck.minefield.certificates.document import (
    CertificateError,
    read_certificates,
    read_subject,
)
from minecheck.minefield.certificates.judge import verify_all
from minecheck.minefield.notation import parse
from minecheck.minefield.rules import Plain, parse_rules
from minecheck.solvers import Backend, Deadline, answer_question
from minecheck.solvers.budget import Budget
from minecheck.solvers.documents.render import render_answer
from minecheck.solvers.reasons import tables
from tests import oracle
from tests.boards import boards_with_totals, hidden_layout, lattice
from tests.examples import examples
from tests.tasks import Task, question_of

Document = dict[str, Any]
Path = tuple[str | int, ...]

CERTIFIED: Final = (Task.CHECK, Task.COUNT, Task.FORCED, Task.ANALYZE)
RULES: Final = parse_rules([{"cells": ["a", "b"], "mines": 1}, {"cells": ["b"], "mines": 0}], 4)

#: Boards and totals: consistent ones, inconsistent ones, with flags, with cells that nobody names.
CASES: Final[list[tuple[str, Plain, int | None]]] = [
    ("open", parse("?1??"), None),
    ("total", parse("?1??"), 1),
    ("flags", parse("F1?0\n????\n2F1F"), None),
    ("decided", parse("3?\n??"), 3),
    ("one-clue", parse("2?"), None),
    ("two-clues", parse("11?\n???\n3??"), None),
    ("three-clues", parse("1?1?1\nSSSSS\n0S?S0"), None),
    ("clues-and-total", parse("F1?S?1?"), 1),
    ("total-alone", parse("??"), 0),
    ("rules", RULES, None),
    ("rules-with-total", RULES, 3),
    ("rules-in-conflict", RULES, 4),
]
#: One of each kind: layouts, a conflict, other rules.
QUICK_CASES: Final = ("total", "two-clues", "rules-with-total")
#: Fields of all kinds of answers.
FIELDS: Final = {
    *("rows", "cols", "mines", "consistent", "witness", "conflict", "feasible_mines", "solver"),
    *("count", "by_mines", "forced", "others", "probabilities", "safest", "flags"),
    *("estimate", "approximate", "likelihood", "certificate"),
}
#: Fields whose change says nothing of the board: they are named whatever they say.
APART: Final = (
    *("solver.name", "solver.engines", "solver.machines", "solver.complete", "solver.elapsed_ms"),
    *("solver.note", "estimate."),
)


def certified_answer(task: Task, puzzle: Plain, mines: int | None, **options: Any) -> Document:
    """An answer with a certificate, as it is sent."""
    if task not in (Task.COUNT, Task.ANALYZE):
        options.pop("fractions", None)
        options.pop("by_mines", None)
    question = question_of(task, puzzle, mines, certificate=True, **options)
    found: Document = json.loads(
        render_answer(question, answer_question(question, Deadline.in_seconds(None)))
    )
    return found


def review_document(document: Document, most_work: int = MOST_WORK) -> Review:
    """Review an answer.

    Raises:
        CertificateError: it is rejected.
    """
    certificates = read_certificates(document)
    return review_answer(
        document, read_subject(document), certificates, verify_all(certificates), most_work
    )


# Changes

ODD: Final[list[Any]] = [
    *(None, True, False, 0, 1, -1, 7, 10**30, 0.5, 1.0, -0.0, 1e300, "", "0", "1", "1/2", "x"),
    *("\ud800", [], {}, [[]], [{}], [None], [0, 0], [[0, 0]], [[0, 1]], {"a": 1}, ["?"]),
]


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all values in an answer, but for the certificate, which is the judge's."""
    if path == ("certificate",):
        return
    if path:
        yield path
    if isinstance(value, dict):
        for name, one in value.items():
            yield from paths(one, (*path, name))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from paths(one, (*path, index))


def found_at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def neighbours(value: Any) -> Iterator[Any]:
    """Other values of the same type."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1)
        case float():
            yield from (value / 2, value + 0.25)
        case str():
            yield from (value + "1", value[1:], value[::-1], value + " ", value.lower())
        case [*items]:
            yield from ([*items, *items[-1:]], items[:-1], items[1:], [*items, None], items[::-1])
        case {**fields}:
            yield {**fields, "more": 1}


def changes(document: Document) -> Iterator[tuple[Path, Document]]:
    """Yield documents in which one field, perhaps a nested one, is changed or missing."""
    for path in paths(document):
        now = found_at(document, path)
        for other in (*ODD, *neighbours(now)):
            if type(other) is type(now) and other == now:
                continue
            changed = deepcopy(document)
            found_at(changed, path[:-1])[path[-1]] = other
            yield path, changed
        without = deepcopy(document)
        found = found_at(without, path[:-1])
        del found[path[-1]]
        yield path, without
    yield ("unknown",), {**document, "unknown": 1}


def is_noticed(path: Path, changed: Document) -> bool:
    """True if a change is rejected, or named with its field."""
    try:
        found = review_document(changed)
    except CertificateError as error:
        str(error).encode()
        # It blames a field of answers, which the change may contradict, or have left out.
        return error.field in FIELDS and isinstance(error.detail, str)
    name = ".".join(step for step in path if isinstance(step, str))
    named = (*found.unproved, *found.open)
    return name.startswith(APART) or any(one.split(".")[0] == path[0] for one in named)


def found_or_missing(document: Document, path: Path) -> Any:
    try:
        return found_at(document, path)
    except (KeyError, IndexError):
        return "(missing)"


def is_harmless(path: Path, document: Document, changed: Document) -> bool:
    """True if a changed answer is right.

    It may have other clues in conflict, 1 for 1.0, nothing for null, or less if it is incomplete.
    """
    if path == ("unknown",):
        return False
    now, then = found_at(document, path), found_or_missing(changed, path)
    if path[0] == "forced" and isinstance(now, list) and isinstance(then, list):
        # An incomplete answer may lack some of the forced cells.
        return not document["solver"]["complete"] and all(cell in now for cell in then)
    if path[0] == "conflict" and path[1:2] == ("clues",):
        return is_conflict(changed)
    if path[0] in ("probabilities", "safest", "others") and type(then) is int:
        return type(now) is float and now == then
    if path == ("estimate",):
        return then in ("(missing)", None)
    return path[0] in ("flags", "feasible_mines") and now is None and then == "(missing)"


def is_conflict(document: Document) -> bool:
    """True if the clues that an answer names contradict each other, by trying every layout."""
    conflict, (puzzle, mines) = document["conflict"], read_subject(document)
    named = conflict.get("clues")
    if not isinstance(named, list):
        return False
    try:
        clues = {tuple(clue) if isinstance(clue, list) else clue for clue in named}
    except TypeError:
        return False
    numbers = [part for clue in clues for part in (clue if isinstance(clue, tuple) else [clue])]
    if len(clues) < len(named) or {*map(type, numbers)} - {int}:
        return False
    total = mines if conflict["total"] else None
    if isinstance(puzzle, Board):
        known = puzzle.cells <= 8
        if not clues <= {*zip(*(axis.tolist() for axis in known.nonzero()), strict=True)}:
            return False
        hidden = [*zip(*(axis.tolist() for axis in known.nonzero()), strict=True)]
        board = puzzle.with_codes({cell: SAFE for cell in hidden if cell not in clues})
        return not oracle.answer(board, total).consistent
    if not clues <= set(range(len(puzzle.rules))):
        return False
    cells = [*puzzle.number, *range(puzzle.shape[1] - len(puzzle.number))]
    rules = [(rule.cells, rule.low, rule.high) for k, rule in enumerate(puzzle.rules) if k in clues]
    return not oracle.sets_of(rules, cells, total)


# Every change


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK_CASES else [pytest.mark.slow])
        for name, _, _ in CASES
    ],
)
@pytest.mark.parametrize(
    ("task", "fractions"), [*((task, False) for task in CERTIFIED), (Task.ANALYZE, True)]
)
def test_review_rejects_or_names_every_change_of_an_answer(
    task: Task, name: str, fractions: bool
) -> None:
    puzzle, mines = next((puzzle, mines) for one, puzzle, mines in CASES if one == name)
    document = certified_answer(task, puzzle, mines, fractions=fractions)
    assert review_document(document).unproved == {}
    for path, changed in changes(document):
        if is_harmless(path, document, changed):
            review_document(changed)
        else:
            assert is_noticed(path, changed), (path, found_or_missing(changed, path))


@examples(100)
@given(
    case=boards_with_totals(),
    task=st.sampled_from([*CERTIFIED]),
    backend=st.sampled_from([Backend.AUTO, Backend.AUTO, Backend.SAT, Backend.EXHAUSTIVE]),
    fractions=st.booleans(),
    by_mines=st.booleans(),
    data=st.data(),
)
def test_review_proves_answers_and_notices_their_changes(
    case: tuple[Board, int | None],
    task: Task,
    backend: Backend,
    fractions: bool,
    by_mines: bool,
    data: st.DataObject,
) -> None:
    board, mines = case
    assume(mines is None or 0 <= mines <= board.cells.size)
    document = certified_answer(
        task, board, mines, backend=backend, fractions=fractions, by_mines=by_mines
    )
    found = review_document(document)
    assert {*found.unproved} <= {"conflict.smallest"}, "a method need not look for the smallest"
    path = data.draw(st.sampled_from([*paths(document)]))
    now = found_at(document, path)
    other = data.draw(st.sampled_from([*ODD, *neighbours(now)]))
    assume(type(other) is not type(now) or other != now)
    changed = deepcopy(document)
    found_at(changed, path[:-1])[path[-1]] = other
    assert is_harmless(path, document, changed) or is_noticed(path, changed)


@pytest.mark.parametrize("task", CERTIFIED)
def test_review_rejects_a_certificate_about_another_total(task: Task) -> None:
    """An answer about one mine, with what was shown for any number, and the other way round."""
    one, other = (certified_answer(task, parse("?1?S"), mines) for mines in (None, 1))
    for answer_, certificate in ((one, other), (other, one)):
        with pytest.raises(CertificateError) as error:
            review_document({**answer_, "certificate": certificate["certificate"]})
        assert error.value.field == "mines"


# What is left open, and what takes too long


@pytest.mark.parametrize("task", CERTIFIED)
def test_review_accepts_answers_without_a_size(task: Task) -> None:
    document = certified_answer(task, parse("?1??"), 1)
    for field in ("rows", "cols", "mines"):
        del document[field]
    assert review_document(document).unproved == {}


def test_review_names_the_fields_that_an_incomplete_answer_leaves_open() -> None:
    document = certified_answer(Task.ANALYZE, parse("?1??"), 1)
    document |= {"forced": None, "probabilities": None, "safest": None}
    with pytest.raises(CertificateError, match=r"^forced: .*complete"):
        review_document(document)
    document["solver"]["complete"] = False
    assert review_document(document).open == ["forced", "probabilities", "safest"]


def test_review_accepts_some_of_the_forced_cells_in_an_incomplete_answer() -> None:
    document = certified_answer(Task.ANALYZE, parse("3?\n??"), None)
    document["forced"]["mines"].pop()
    with pytest.raises(CertificateError, match=r"^forced: "):
        review_document(document)
    document["solver"]["complete"] = False
    assert review_document(document).unproved == {}


def test_review_names_fields_that_take_too_long_to_recount() -> None:
    flagged = certified_answer(Task.CHECK, parse("F1??\n????"), None)
    assert [*review_document(flagged, most_work=0).unproved] == ["flags"]
    forced = certified_answer(Task.FORCED, parse("?1??\n????"), 1)
    assert [*review_document(forced, most_work=0).unproved] == ["forced"]
    conflict = certified_answer(Task.CHECK, parse("?1?S?1?"), 1)
    assert [*review_document(conflict, most_work=0).unproved] == [
        "conflict.minimal",
        "conflict.smallest",
        "feasible_mines",
    ]
    counted = certified_answer(Task.COUNT, parse("?1?S?1?"), 1)
    assert "conflict" in review_document(counted, most_work=0).unproved


@pytest.mark.parametrize(
    ("flags", "field"),
    [
        ({"right": [], "wrong": [], "unproved": []}, "flags"),
        ({"right": [[0, 0]], "wrong": [[0, 0]], "unproved": []}, "flags"),
        ({"right": [[0, 1]], "wrong": [], "unproved": []}, "flags"),
        ({"right": [{}], "wrong": [], "unproved": []}, "flags"),
    ],
)
def test_review_rejects_invalid_flags_though_it_does_not_recount(flags: object, field: str) -> None:
    document = certified_answer(Task.CHECK, parse("F1??\n????"), None)
    with pytest.raises(CertificateError) as error:
        review_document({**document, "flags": flags}, most_work=0)
    assert error.value.field == field


def test_review_uses_layouts_to_show_that_no_other_cell_is_forced() -> None:
    """Two layouts that differ wherever nothing is forced, in place of a recount."""
    document = certified_answer(Task.FORCED, parse("?1?0"), None)
    layouts = [{"claim": "consistent", "witness": [rows]} for rows in ("B100", "01B1")]
    assert review_document(document, most_work=0).unproved == {}
    open_board = certified_answer(Task.FORCED, parse("?1?"), None)
    assert [*review_document(open_board, most_work=0).unproved] == ["forced"]
    layouts = [{"claim": "consistent", "witness": [rows]} for rows in ("B10", "01B")]
    open_board["certificate"]["proofs"] = layouts
    assert review_document(open_board, most_work=0).unproved == {}


def test_review_recounts_a_board_of_a_game() -> None:
    board = hidden_layout(16, 30, 0.6, 1)
    assert review_document(certified_answer(Task.FORCED, board, None)).unproved == {}


def test_review_names_forced_cells_of_a_board_too_hard_to_count() -> None:
    found = review_document(certified_answer(Task.FORCED, lattice(41), None))
    assert [*found.unproved] == ["forced"]


# Conflicts


@pytest.mark.parametrize(
    ("conflict", "message"),
    [
        ({"clues": [[0, 1]], "total": True}, "do not contradict"),
        ({"clues": [], "total": True}, "do not contradict"),
        ({"clues": [[0, 1], [0, 5]], "total": False}, "do not contradict"),
        ({"clues": [[0, 1], [0, 5], [0, 1]], "total": True}, "twice"),
        ({"clues": [[0, 1], [0, 2]], "total": True}, "not a clue"),
        ({"clues": [[0, 1], [0, 5], [0, 9]], "total": True}, "minimal is true"),
    ],
)
def test_review_rejects_conflicts_of_consistent_clues(
    conflict: Mapping[str, Any], message: str
) -> None:
    document = certified_answer(Task.CHECK, parse("?1?S?1?S?1?"), 1)
    document["conflict"] |= conflict
    with pytest.raises(CertificateError, match=message):
        review_document(document)


def test_review_rejects_a_conflict_that_is_not_the_smallest() -> None:
    """The 3 contradicts itself, and the two others each other."""
    document = certified_answer(Task.CHECK, parse("?1S2?S3?"), None)
    assert document["conflict"]["clues"] == [[0, 3]] or len(document["conflict"]["clues"]) == 1
    document = certified_answer(Task.CHECK, parse("0?1SS3?"), None)
    document["conflict"] |= {"clues": [[0, 0], [0, 2]], "minimal": True, "smallest": True}
    with pytest.raises(CertificateError, match="smallest is true"):
        review_document(document)
    document["conflict"]["smallest"] = False
    assert review_document(document).unproved == {}


@pytest.mark.parametrize("mines", [None, 3])
def test_review_rejects_feasible_mines_of_inconsistent_clues(mines: int | None) -> None:
    document = certified_answer(Task.CHECK, parse("11?\n???\n3??"), mines)
    document["feasible_mines"] = {"least": 0, "most": 9}
    with pytest.raises(CertificateError, match="clues alone cannot") as error:
        review_document(document)
    assert error.value.field == "feasible_mines"


def test_review_rejects_a_witness_that_differs_from_the_certificate() -> None:
    document = certified_answer(Task.CHECK, parse("?1?"), None)
    (other,) = {"B10", "01B"} - {*document["witness"]}
    with pytest.raises(CertificateError, match="has another one") as error:
        review_document({**document, "witness": [other]})
    assert error.value.field == "witness"


def test_review_leaves_counts_by_mines_open_where_tables_are_not_by_mines() -> None:
    board = parse("?1??")
    made = tables.certify_count(board, None, False, 4, Budget(10**10, Deadline())).to_document()
    document = certified_answer(Task.COUNT, board, None) | {"by_mines": None, "certificate": made}
    assert review_document(document).open == ["by_mines"]


def test_review_names_chances_without_proof() -> None:
    document = certified_answer(Task.ANALYZE, parse("?1??"), None, by_mines=True)
    checked = certified_answer(Task.CHECK, parse("?1??"), None)
    document |= {"certificate": checked["certificate"], "witness": checked["witness"]}
    unproved = review_document(document, most_work=0).unproved
    assert [*unproved] == ["count", "by_mines", "forced", "probabilities", "safest"]
    assert all("takes too long" in why for why in unproved.values())


def test_review_rejects_nameless_cells_of_a_board() -> None:
    document = certified_answer(Task.FORCED, parse("?1?"), None)
    with pytest.raises(CertificateError) as error:
        review_document({**document, "others": {"cells": 1, "probability": None, "forced": None}})
    assert error.value.field == "others"
