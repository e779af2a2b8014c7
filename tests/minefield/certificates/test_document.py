"""Certificates: examples by hand, and changes that a brute force judges."""

import ast
import json
import pickle
from collections.abc import Iterator
from copy import deepcopy
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pysat.formula import CNF
from pysat.solvers import Solver

from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.certificates import dimacs, document, judge, lrat
from minecheck.minefield.certificates.document import (
    Certificate,
    CertificateError,
    Claim,
    combine_documents,
    read_certificate,
    read_certificates,
    read_subject,
)
from minecheck.minefield.certificates.judge import name_sources, verify, verify_all
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import Constraints
from minecheck.minefield.rules import Plain, Puzzle, Rules, parse_rules
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.reasons.proofs import certify_refutation, certify_witness
from tests import oracle
from tests.boards import boards_with_totals, changed_boards, mines_totals, random_boards
from tests.examples import examples

Document = dict[str, Any]

#: The 1 and the 2 have the same single unknown neighbour.
BY_HAND: Document = {
    "claim": "inconsistent",
    "board": ["?1", "S2"],
    "mines": None,
    "variables": [[0, 0]],
    "counters": [],
    "cnf": "p cnf 1 2\nc clue 0 1\n1 0\nc clue 1 1\n0\n",
    "proof": "3 0 2 0\n",
}

#: Two clues of 1 without a common cell, and one mine in all, counted by halves.
COUNTED: Document = {
    "claim": "inconsistent",
    "board": ["?1?S?1?"],
    "mines": 1,
    "variables": [[0, 0], [0, 2], [0, 4], [0, 6]],
    "counters": [{"order": [1, 2, 3, 4], "at_least": [[0, 2, 1], [2, 4, 1], [0, 4, 2]]}],
    "cnf": (
        "p cnf 7 11\n"
        "c clue 0 1\n1 2 0\n-1 -2 0\n"
        "c clue 0 5\n3 4 0\n-3 -4 0\n"
        "c counter 0\n-1 5 0\n-2 5 0\n-3 6 0\n-4 6 0\n-5 -6 7 0\n"
        "c total\n-7 0\n-5 -6 0\n"
    ),
    "proof": "12 5 0 5 6 1 0\n13 6 0 7 8 3 0\n14 0 12 13 11 0\n",
}

WITNESS: Document = {
    "claim": "consistent",
    "board": ["?1?", "???"],
    "mines": 1,
    "witness": ["B10", "110"],
}

RULES: Document = {
    "claim": "safe",
    "rules": [
        {"cells": ["a", "b"], "mines": 1},
        {"cells": ["b", "c"], "low": 1, "high": 2},
        {"cells": ["a"], "low": 1},
    ],
    "total_cells": 5,
    "mines": 4,
    "cell": "b",
    "variables": ["a", "b", "c", 0],
    "counters": [],
    "cnf": "p cnf 4 4\nc rule 0\n-1 -2 0\nc rule 2\n1 0\nc total\n2 3 4 1 0\nc claim\n2 0\n",
    "proof": "5 0 2 4 1 0\n",
}

RULES_WITNESS: Document = {
    "claim": "consistent",
    "rules": RULES["rules"],
    "total_cells": 5,
    "mines": 4,
    "witness": {"mines": ["a", "c"], "others": [0, 1]},
}

EXAMPLES = [BY_HAND, COUNTED, WITNESS, RULES, RULES_WITNESS]


def fault(document: object) -> tuple[str, int | None, tuple[int, ...]] | None:
    """Field, line and entry at fault, None if the certificate is right."""
    try:
        verify(read_certificate(document))
    except CertificateError as error:
        return error.field, error.line, error.entry
    return None


def alter_document(document: Document, **fields: Any) -> Document:
    return {**deepcopy(document), **fields}


def clauses_of(puzzle: Puzzle, mines: int | None) -> list[int]:
    return list(range(Constraints.from_position(puzzle, mines).low.size))


def build_refutation(puzzle: Plain, mines: int | None) -> Document:
    """The certificate of an inconsistent board, all of whose clues are used."""
    clues = clauses_of(puzzle, mines)
    return certify_refutation(puzzle, mines, clues, mines is not None, Deadline()).to_document()


@st.composite
def inconsistent(draw: st.DrawFn) -> tuple[Board, int | None]:
    board = draw(changed_boards(3) | random_boards(3))
    mines = draw(st.none() | mines_totals(board))
    assume(np.count_nonzero(board.unknown) <= 7)
    assume(not oracle.answer(board, mines).consistent)
    return board, mines


Sums = dict[str, tuple[list[int], int, int]]


def sums(puzzle: Puzzle, mines: int | None) -> Sums:
    """(unknown cells, fewest mines, most) of every clue, or rule, and of the total, by hint."""
    unknown = np.flatnonzero(puzzle.unknown).tolist()
    if isinstance(puzzle, Rules):
        constraints = {
            f"rule {index}": ([puzzle.number[name] for name in rule.cells], rule.low, rule.high)
            for index, rule in enumerate(puzzle.rules)
        }
        return constraints | ({} if mines is None else {"total": (unknown, mines, mines)})
    height, width = puzzle.shape
    cells = list(product(range(height), range(width)))
    around = {
        f"clue {row} {col}": (oracle.neighbours((row, col), height, width), int(code))
        for (row, col), code in zip(cells, puzzle.cells.ravel(), strict=True)
        if code <= 8
    }
    if mines is not None:
        around["total"] = cells, mines
    found: Sums = {}
    for hint, (near, need) in around.items():
        numbers = [row * width + col for row, col in near]
        need -= sum(puzzle.cells.flat[cell] == MINE for cell in numbers)
        found[hint] = [cell for cell in numbers if cell in unknown], need, need
    return found


def follows(certificate: Certificate, hint: str, clause: list[int]) -> bool:
    """True if a clause holds for all that its hint allows, by trying everything."""
    constraints = sums(certificate.puzzle, certificate.mines)
    if not hint.startswith("counter") and hint not in constraints:
        return False
    cells, low, high = constraints.get(hint, ([], 0, 0))
    everywhere = sorted({*certificate.variables, *cells})
    for mines in product([False, True], repeat=len(everywhere)):
        held = dict(zip(everywhere, mines, strict=True))
        if not low <= sum(held[cell] for cell in cells) <= high:
            continue
        true = [held[cell] for cell in certificate.variables]
        for counter in certificate.counters:
            order = [held[certificate.variables[variable - 1]] for variable in counter.order]
            true += [sum(order[first:end]) >= least for first, end, least in counter.at_least]
        if not any(true[abs(literal) - 1] == (literal > 0) for literal in clause):
            return False
    return True


def is_layout(puzzle: Puzzle, mines: int | None, layout: Layout) -> bool:
    """True if a layout agrees with the known cells and with every sum."""
    held = layout.mines.ravel()
    if isinstance(puzzle, Board):
        codes = puzzle.cells.ravel()
        if (held & ((codes <= 8) | (codes == SAFE))).any() or (~held & (codes == MINE)).any():
            return False
    constraints = sums(puzzle, mines).values()
    return all(low <= int(held[cells].sum()) <= high for cells, low, high in constraints)


def is_right(document: Document) -> bool:
    """True if the witness is one, or every clause follows and they, with the contrary of the claim
    once, have no model; the proof is not looked at.
    """
    certificate = read_certificate(document)
    if certificate.witness is not None:
        return is_layout(certificate.puzzle, certificate.mines, certificate.witness)
    hints = dict(dimacs.read_cnf(certificate.cnf).comments)
    clauses, denials = [], []
    hint = ""
    for line, clause in dimacs.read_cnf(certificate.cnf):
        hint = next((hints[at] for at in sorted(hints, reverse=True) if at < line), hint)
        name = " ".join(str(int(word)) if word.isdigit() else word for word in hint.split())
        if name == "claim":
            denials.append(clause)
        elif not follows(certificate, name, clause):
            return False
        clauses.append(clause)
    if certificate.cell is not None:
        variable = certificate.variables.index(certificate.cell) + 1
        denied = -variable if certificate.claim is Claim.MINE else variable
        if denials != [[denied]]:
            return False
    elif denials:
        return False
    with Solver("minisat22", bootstrap_with=CNF(from_clauses=clauses).clauses) as solver:
        return [] in clauses or not solver.solve()


def with_changes(text: str, most: int) -> Iterator[tuple[int, str]]:
    """(line, text) with one literal of each line in turn changed, or the line left out."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0] in ("c", "p"):
            continue
        yield number, "\n".join([*lines[: number - 1], *lines[number:]])
        for index, word in enumerate(words[:-1]):
            if word == "d":
                continue
            for new in (-int(word), int(word) % most + 1 if int(word) > 0 else most):
                changed = " ".join([*words[:index], str(new), *words[index + 1 :]])
                yield number, "\n".join([*lines[: number - 1], changed, *lines[number:]])


@pytest.mark.parametrize("document", EXAMPLES)
def test_certificate_examples_are_right_and_survive_json(document: Document) -> None:
    assert fault(document) is None
    again = json.loads(json.dumps(read_certificate(document).to_document()))
    assert fault(again) is None
    assert read_certificate(again).to_document() == again


@pytest.mark.parametrize(
    "number",
    [n for n, line in enumerate(COUNTED["cnf"].splitlines(), 1) if line[0] not in "pc"],
)
def test_verification_rejects_every_negated_clause_of_a_counted_example(number: int) -> None:
    lines = COUNTED["cnf"].splitlines()
    words = lines[number - 1].split()
    words[0] = str(-int(words[0]))
    lines[number - 1] = " ".join(words)
    changed = alter_document(COUNTED, cnf="\n".join(lines))
    assert fault(changed) == ("cnf", number, ())


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("c clue 0 1\n", "c clue 0 0\n", 2),
        ("c clue 0 1\n", "c clue 0 7\n", 2),
        ("c clue 0 1\n", "c clue 9 1\n", 2),
        ("c clue 0 1\n", "c clue 0\n", 2),
        ("c clue 0 1\n", "c clue 0 1 1\n", 2),
        ("c clue 0 1\n", "c clue -0 1\n", 2),
        ("c clue 0 1\n", "c clue 0 \u0661\n", 2),
        ("c clue 0 1\n", "c clue 0 99999999999999999999\n", 2),
        ("c clue 0 1\n", "c rule 0\n", 2),
        ("c clue 0 1\n", "c hello\n", 2),
        ("c clue 0 1\n", "c\n", 2),
        ("c clue 0 1\n", "\n", 3),
        ("c clue 0 1\n", "c clue 0 5\n", 3),
        ("c clue 0 1\n", "c claim\n", 3),
        ("c clue 0 1\n", "c counter 0\n", 3),
        ("c clue 0 1\n", "c total\n", 3),
        ("c counter 0\n", "c counter 1\n", 8),
        ("c counter 0\n", "c clue 0 5\n", 9),
        ("c total\n", "c counter 0\n", 15),
        ("p cnf 7 11", "p cnf 8 11", None),
        ("-7 0", "-8 0", 15),
        ("p cnf 7 11", "p cnf 7 10", 1),
        ("p cnf 7 11\n", "", 2),
    ],
)
def test_verification_rejects_false_comments_and_headers(
    old: str, new: str, line: int | None
) -> None:
    assert COUNTED["cnf"].count(old) == 1
    changed = alter_document(COUNTED, cnf=COUNTED["cnf"].replace(old, new))
    if line is None:
        assert fault(changed) is None
    elif old == "-7 0":
        wider = changed["cnf"].replace("p cnf 7", "p cnf 8")
        assert fault(alter_document(changed, cnf=wider)) == ("cnf", line, ())
    else:
        assert fault(changed) == ("cnf", line, ())


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"mines": 2}, ("cnf", 15, ())),
        ({"mines": None}, ("cnf", 14, ())),
        ({"board": ["?1?S?2?"]}, ("cnf", 7, ())),
        ({"board": ["?1?????"]}, ("cnf", 5, ())),
        ({"board": ["?1?B?1?"], "mines": 2}, None),
        ({"board": ["?1???1?"]}, None),
        ({"board": ["?1?S?1S"]}, ("variables", None, (3,))),
        ({"variables": [[0, 0], [0, 2], [0, 4], [0, 4]]}, ("variables", None, (3,))),
        ({"variables": [[0, 0], [0, 4], [0, 2], [0, 6]]}, ("cnf", 3, ())),
        ({"variables": [[0, 0], [0, 2], [0, 4], [0, 7]]}, ("variables", None, (3,))),
        ({"variables": [[0, 0], [0, 2], [0, 4], [0, True]]}, ("variables", None, (3,))),
        ({"variables": [[0, 0], [0, 2], [0, 4], "a"]}, ("variables", None, (3,))),
        ({"variables": [[0, 0], [0, 2], [0, 4], 10**5000]}, ("variables", None, (3,))),
        ({"variables": {}}, ("variables", None, ())),
        ({"proof": ""}, ("proof", 1, ())),
        ({"proof": "c 5\n8 0\n"}, ("proof", 2, ())),
        ({"proof": "12 5 0 5 6 1 0\n"}, ("proof", 1, ())),
        ({"proof": 5}, ("proof", None, ())),
        ({"cnf": None}, ("cnf", None, ())),
        ({"claim": "consistent"}, ("witness", None, ())),
        ({"claim": "mine"}, ("cell", None, ())),
        ({"claim": "mine", "cell": [0, 0]}, ("cnf", 16, ())),
        ({"claim": "mine", "cell": [0, 1]}, ("cell", None, ())),
        ({"claim": []}, ("claim", None, ())),
        ({"cell": [0, 0]}, ("cell", None, ())),
        ({"rules": []}, ("total_cells", None, ())),
        ({"mines": -1}, ("mines", None, ())),
        ({"mines": True}, ("mines", None, ())),
        ({"mines": 10**5000}, None),
        ({"board": "?1?S?1?"}, ("board", None, ())),
        ({"board": []}, ("board", None, ())),
        ({"board": ["?1?S?1x"]}, ("board", None, (0, 6))),
        ({"board": ["?1?S?1?", "?"]}, ("board", None, (1,))),
        ({"board": [["?1?S?1?"]]}, ("board", None, ())),
    ],
)
def test_verification_compares_each_field_with_the_board(
    fields: Document, expected: object
) -> None:
    assert fault(alter_document(COUNTED, **fields)) == expected


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        ([], ("cnf", 8, ())),
        ([{"order": [1, 2, 3, 3], "at_least": []}], ("counters", None, (0,))),
        ([{"order": [1, 2, 3, 5], "at_least": []}], ("counters", None, (0,))),
        ([{"order": [0], "at_least": []}], ("counters", None, (0,))),
        ([{"order": [1], "at_least": 1}], ("counters", None, (0,))),
        ([{"order": 1, "at_least": []}], ("counters", None, (0,))),
        ([{"order": [1, 2], "at_least": [[0, 3, 1]]}], ("counters", None, (0, 0))),
        ([{"order": [1, 2], "at_least": [[1, 1, 1]]}], ("counters", None, (0, 0))),
        ([{"order": [1, 2], "at_least": [[-1, 1, 1]]}], ("counters", None, (0, 0))),
        ([{"order": [1, 2], "at_least": [[0, 1]]}], ("counters", None, (0, 0))),
        ([{"order": [1, 2], "at_least": [3]}], ("counters", None, (0, 0))),
        ([{"order": [1, "2"], "at_least": []}], ("counters", None, (0,))),
        ([{"order": [1]}], ("counters", None, (0,))),
        ([{"order": [1], "at_least": [], "more": 1}], ("counters", None, (0,))),
        ([[]], ("counters", None, (0,))),
        (None, ("counters", None, ())),
    ],
)
def test_verification_names_impossible_counters(counters: object, expected: object) -> None:
    assert fault(alter_document(COUNTED, counters=counters)) == expected


@pytest.mark.parametrize("bound", range(3))
@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("change", [-1, 1])
def test_verification_rejects_variables_that_count_other_cells(
    bound: int, part: int, change: int
) -> None:
    changed = deepcopy(COUNTED)
    changed["counters"][0]["at_least"][bound][part] += change
    found = fault(changed)
    if found is None:
        assert is_right(changed)
    else:
        assert found[0] in ("counters", "cnf")


def test_verification_rejects_a_counter_that_serves_two_clues() -> None:
    # Both clues have the cells 1 and 2, and both use the counter.
    document = alter_document(
        COUNTED,
        board=["1?1", "1?1"],
        variables=[[0, 1], [1, 1]],
        counters=[{"order": [1, 2], "at_least": [[0, 2, 2]]}],
        cnf="p cnf 3 2\nc clue 0 0\n-3 0\nc clue 1 0\n-3 0\n",
    )
    assert fault(document) == ("cnf", 5, ())


@pytest.mark.parametrize(
    ("claim", "cnf", "expected"),
    [
        ("safe", "-1 0\n1 2 0\nc claim\n2 0\n", ("cnf", 4, ())),
        ("safe", "-1 -2 0\n1 2 0\n1 -2 0\n", ("cnf", 6, ())),
        ("safe", "-1 -2 0\n1 2 0\nc claim\n-2 0\n", ("cnf", 7, ())),
        ("safe", "-1 -2 0\n1 2 0\nc claim\n1 0\n", ("cnf", 7, ())),
        ("safe", "-1 -2 0\n1 2 0\nc claim\n1 2 0\n", ("cnf", 7, ())),
        ("safe", "-1 -2 0\n1 2 0\nc claim\n0\n", ("cnf", 7, ())),
        ("safe", "-1 -2 0\n1 2 0\nc claim\n2 0\n2 0\n", ("cnf", 8, ())),
        ("mine", "-1 -2 0\n1 2 0\nc claim\n2 0\n", ("cnf", 7, ())),
        ("mine", "-1 -2 0\n1 2 0\nc claim\n-2 0\n", ("proof", 1, ())),
    ],
)
def test_verification_accepts_one_denial_of_a_claim_by_one_literal(
    claim: str, cnf: str, expected: object
) -> None:
    lines = sum(not line.startswith("c") for line in cnf.splitlines())
    document = alter_document(
        BY_HAND,
        claim=claim,
        board=["?1?"],
        cell=[0, 2],
        variables=[[0, 0], [0, 2]],
        cnf=f"p cnf 2 {lines}\nc clue 0 1\n\n{cnf}",
    )
    assert fault(document) == expected


@pytest.mark.parametrize(
    ("rows", "entry"),
    [
        (["B10", "111"], (1, 2)),
        (["S10", "110"], (0, 0)),
        (["?10", "110"], (0, 0)),
        (["F10", "110"], (0, 0)),
        (["010", "110"], (0, 1)),
        (["000", "000"], (0, 1)),
        (["B2B", "121"], (0, 1)),
        (["B1", "11"], ()),
        (["B10"], ()),
        (["B10", "11"], (1,)),
        ([], ()),
        (None, ()),
        ([1, 2], ()),
    ],
)
def test_verification_compares_a_witness_with_the_board_and_its_numbers(
    rows: object, entry: tuple[int, ...]
) -> None:
    assert fault(alter_document(WITNESS, witness=rows)) == ("witness", None, entry)


def test_verification_compares_the_mines_of_a_witness_with_the_total() -> None:
    assert fault(alter_document(WITNESS, mines=2)) == ("witness", None, ())
    assert fault(alter_document(WITNESS, mines=10**5000)) == ("witness", None, ())
    assert fault(alter_document(WITNESS, mines=None)) is None


@pytest.mark.parametrize(
    ("witness", "entry"),
    [
        ({"mines": ["a", "b"], "others": [0, 1]}, (0,)),
        ({"mines": ["a"], "others": [0, 1]}, (1,)),
        ({"mines": ["a", "c"], "others": [0]}, ()),
        ({"mines": ["a", "c"], "others": [0, 2]}, (1,)),
        ({"mines": ["a", "c"], "others": [0, 0]}, (1,)),
        ({"mines": ["a", "c", 0], "others": [1]}, (2,)),
        ({"mines": ["a", "z"], "others": [0, 1]}, (1,)),
        ({"mines": ["a", []], "others": [0, 1]}, (1,)),
        ({"mines": ["a", "c"]}, ()),
        (["a", "c"], ()),
    ],
)
def test_verification_compares_a_witness_of_rules_with_the_rules(
    witness: object, entry: tuple[int, ...]
) -> None:
    assert fault(alter_document(RULES_WITNESS, witness=witness)) == ("witness", None, entry)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"mines": 3}, None),
        ({"mines": 1}, ("cnf", 7, ())),
        ({"mines": None}, ("cnf", 6, ())),
        ({"total_cells": 10**5000}, ("total_cells", None, ())),
        ({"total_cells": 2}, ("total_cells", None, ())),
        ({"total_cells": True}, ("total_cells", None, ())),
        ({"rules": RULES["rules"][:2]}, ("cnf", 4, ())),
        ({"rules": [*RULES["rules"][:2], {"cells": ["a"], "low": 0}]}, ("cnf", 5, ())),
        ({"rules": [{"cells": ["a", "b"], "mines": 2}, *RULES["rules"][1:]]}, ("cnf", 3, ())),
        ({"rules": [{"cells": [1], "mines": 2}]}, ("rules", None, (0,))),
        ({"rules": None}, ("rules", None, ())),
        ({"rules": [{"cells": ["a"], "mines": 10**5000}] * 3}, ("cell", None, ())),
        ({"cell": "z"}, ("cell", None, ())),
        ({"cell": 1}, ("cell", None, ())),
        ({"cell": "a"}, ("cnf", 9, ())),
        ({"claim": "mine"}, ("cnf", 9, ())),
        ({"variables": ["a", "b", "c", 2]}, ("variables", None, (3,))),
        ({"variables": ["b", "a", "c", 0]}, ("cnf", 5, ())),
    ],
)
def test_verification_compares_each_field_with_the_rules(
    fields: Document, expected: object
) -> None:
    assert fault(alter_document(RULES, **fields)) == expected


@pytest.mark.parametrize(
    "document", [None, [], "x", 5, {}, {1: 2}, {"claim": "mine"}, {**BY_HAND, "\ud800": 1}]
)
def test_verification_rejects_documents_that_are_not_certificates(document: object) -> None:
    assert fault(document) is not None


@pytest.mark.parametrize("document", EXAMPLES)
def test_verification_names_missing_and_unknown_fields(document: Document) -> None:
    for name in document:
        less = {field: value for field, value in document.items() if field != name}
        found = fault(less)
        assert found is not None
        assert found[0] == name or name == "rules"
    assert fault({**document, "more": 1}) == ("more", None, ())


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.sampled_from(["?1?", "a", "0\n", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["cells", "order", "at_least", "mines", "others"]), inner)
    ),
    max_leaves=6,
)


@examples(500)
@given(document=st.sampled_from(EXAMPLES), data=st.data())
def test_certificate_with_a_replaced_field_is_rejected_or_right(
    document: Document, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(document)))
    others = [example[name] for example in EXAMPLES if name in example]
    value = data.draw(st.integers(0, 4) | st.sampled_from(others) | values)
    changed = alter_document(document, **{name: value})
    assert fault(changed) is not None or is_right(changed)


@examples(500)
@given(document=st.sampled_from([BY_HAND, COUNTED, RULES]), data=st.data())
def test_certificate_with_changed_texts_is_rejected_or_right(
    document: Document, data: st.DataObject
) -> None:
    text = st.text("0123-dpcf \n\r\tclaimuetonr", max_size=60) | st.text("0123-", max_size=2)
    name = data.draw(st.sampled_from(["cnf", "proof"]))
    cut = data.draw(st.integers(0, len(document[name])))
    end = data.draw(st.integers(0, 2).map(cut.__add__) | st.integers(cut, len(document[name])))
    written = document[name][:cut] + data.draw(text) + document[name][end:]
    changed = alter_document(document, **{name: written})
    assert fault(changed) is not None or is_right(changed)


@examples(25)
@given(case=inconsistent())
def test_certificate_with_a_changed_formula_line_is_rejected_or_right(
    case: tuple[Board, int | None],
) -> None:
    document = build_refutation(*case)
    top = len(document["variables"]) + sum(len(c["at_least"]) for c in document["counters"])
    for number, cnf in list(with_changes(document["cnf"], top))[:60]:
        if cnf.count("\n") < document["cnf"].count("\n") - 1:
            clauses = sum(line[:1] not in ("c", "p") for line in cnf.splitlines())
            cnf = f"p cnf {top} {clauses}" + cnf[cnf.index("\n") :]
            number = 0
        changed = alter_document(document, cnf=cnf)
        found = fault(changed)
        if found is None:
            assert is_right(changed)
        elif found[0] == "cnf":
            assert found[1] is not None
            # A clue that takes a counter for itself leaves the total without it, further down.
            assert found[1] == number or (document["counters"] and found[1] > number)


@examples(60)
@given(case=inconsistent())
def test_certificates_of_refutations_are_right_by_brute_force(
    case: tuple[Board, int | None],
) -> None:
    document = build_refutation(*case)
    assert fault(document) is None
    assert is_right(document)


@given(case=inconsistent(), data=st.data())
def test_no_consistent_board_has_a_certificate_of_inconsistency(
    case: tuple[Board, int | None], data: st.DataObject
) -> None:
    board, mines = case
    document = build_refutation(board, mines)
    cells = board.cells.copy()
    cell = tuple(data.draw(st.integers(0, size - 1)) for size in cells.shape)
    cells[cell] = data.draw(st.sampled_from([0, 1, 2, 3, UNKNOWN, MINE]))
    changed = Board(cells)
    total = data.draw(st.sampled_from([mines, None, 0, 1, 2, 3, 4]))
    other = alter_document(document, board=parse_rows(changed), mines=total)
    if oracle.answer(changed, total).consistent:
        found = fault(other)
        assert found is not None
        assert found[0] in ("cnf", "variables")


def parse_rows(board: Board) -> list[str]:
    symbols = "012345678?BSF"
    return ["".join(symbols[code] for code in row) for row in board.cells.tolist()]


@examples(60)
@given(case=boards_with_totals(), data=st.data())
def test_verification_rejects_the_certificate_of_another_board(
    case: tuple[Board, int | None], data: st.DataObject
) -> None:
    board, mines = case
    found = oracle.answer(board, mines)
    assume(found.consistent)
    mask = np.zeros(board.shape, bool)
    for cell in found.layouts[0]:
        mask[cell] = True
    document = certify_witness(board, mines, Layout(mask)).to_document()
    assert fault(document) is None
    other, total = data.draw(boards_with_totals())
    swapped = alter_document(document, board=parse_rows(other), mines=total)
    layout = Layout(mask)
    fits = other.shape == board.shape and layout.fits_board(other, total)
    assert (fault(swapped) is None) == fits


def test_verification_ends_with_the_exception_that_pause_raises() -> None:
    class Enough(Exception):
        pass

    def pause() -> None:
        raise Enough

    with pytest.raises(Enough):
        verify(read_certificate(COUNTED), pause)


def test_certificate_errors_name_field_and_line() -> None:
    with pytest.raises(CertificateError, match=r"^cnf line 15: The clause does not follow"):
        verify(read_certificate(alter_document(COUNTED, mines=2)))
    with pytest.raises(CertificateError, match=r"^witness 0 1: .* row 0, column 1"):
        verify(read_certificate(alter_document(WITNESS, witness=["000", "000"])))


def test_verification_judges_rules_over_cells_that_are_not_variables() -> None:
    names = [f"c{index}" for index in range(20)]
    rules = parse_rules([{"cells": names, "mines": 12}, {"cells": names[:9], "high": 0}])
    certificate = certify_refutation(rules, None, [0, 1], False, Deadline())
    verify(certificate)
    document = certificate.to_document()
    for mines in range(21):
        document["rules"][0] |= {"low": mines, "high": mines}
        # That there are no more of them is not needed.
        assert (fault(document) is None) == (mines >= 12)


def test_certificate_board_is_read_as_it_was_drawn() -> None:
    board = parse(["?1*", "SF0"])
    document = Certificate(Claim.INCONSISTENT, board, None).to_document()
    assert document["board"] == ["?1B", "SF0"]
    assert read_certificate(document).puzzle == board


def iterate_imports(module: str) -> Iterator[str]:
    """Modules of this project that one imports, and what these import in turn."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            assert node.module is not None
            names = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        for name in names:
            if name.startswith("minecheck.") and is_module(name):
                yield name
                yield from iterate_imports(name)


def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("module", [document, dimacs, lrat, judge])
def test_certificate_checker_shares_no_code_with_the_solvers(module: ModuleType) -> None:
    used = set(iterate_imports(module.__name__))
    assert used
    # Not even the reduction: what finds the answers starts from it.
    own = tuple(f"minecheck.{one}" for one in ("app", "automata", "solvers", "minefield.reduction"))
    assert not [name for name in used if name.startswith(own)]


@pytest.mark.parametrize("source", [3, {"certificate": 3}, {"certificate": None}])
def test_read_subject_rejects_documents_without_a_subject(source: object) -> None:
    with pytest.raises(CertificateError) as error:
        read_subject(source)
    assert error.value.field == "certificate"


@pytest.mark.parametrize("part", range(3))
def test_verification_names_the_counter_of_a_bound_that_is_not_a_number(part: int) -> None:
    bounds: list[list[Any]] = [[0, 2, 1], [2, 4, 1], [0, 4, 2]]
    bounds[1][part] = "x"
    counters = [*COUNTED["counters"], {"order": [1, 2, 3, 4], "at_least": bounds}]
    assert fault(alter_document(COUNTED, counters=counters)) == ("counters", None, (1, 1))


def test_name_sources_names_clues_as_answers_do() -> None:
    assert name_sources(read_certificate(BY_HAND)) == ([[0, 1], [1, 1]], False)
    assert name_sources(read_certificate(COUNTED)) == ([[0, 1], [0, 5]], True)
    assert name_sources(read_certificate(RULES)) == ([0, 2], True)


def two_proofs() -> Document:
    """Two certificates of one board that can be read, and are right."""
    witnesses = [alter_document(WITNESS, witness=rows) for rows in (["B10", "110"], ["01B", "011"])]
    read = [read_certificate(one) for one in witnesses]
    return combine_documents(read[0].puzzle, 1, read)


def test_certificates_of_one_board_are_read_together() -> None:
    document = two_proofs()
    found = read_certificates(json.loads(json.dumps(document)))
    assert [one.to_document()["witness"] for one in found] == [["B10", "110"], ["01B", "011"]]
    assert verify_all(found) == [None, None]
    assert [one.to_document() for one in read_certificates({"certificate": document})] == [
        one.to_document() for one in found
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"claim": "mine"}, "proofs 1 cell"),
        ({"mines": 1}, "proofs 1 mines"),
        ({"board": ["?"]}, "proofs 1 board"),
        ({"witness": 3}, "proofs 1 witness"),
        ({"witness": ["B10"]}, "proofs 1 witness"),
    ],
)
def test_errors_of_several_certificates_name_the_position(change: Document, field: str) -> None:
    document = two_proofs()
    document["proofs"][1] |= change
    with pytest.raises(CertificateError) as error:
        verify_all(read_certificates(document))
    assert error.value.field == field
    assert (error.value.line, bool(error.value.detail)) == (None, True)


@pytest.mark.parametrize("proofs", [3, [3], None])
def test_read_certificates_rejects_proofs_that_are_not_a_list_of_objects(proofs: object) -> None:
    with pytest.raises(CertificateError) as error:
        read_certificates({**two_proofs(), "proofs": proofs})
    assert error.value.field == ("proofs 0" if proofs == [3] else "proofs")


def test_certificate_error_can_be_pickled() -> None:
    error = CertificateError("counters", "Why.", (1, 2), 3)
    again = pickle.loads(pickle.dumps(error))
    assert (again.field, again.line, again.detail, again.entry) == ("counters", 3, "Why.", (1, 2))
    assert str(again) == "counters line 3 1 2: Why."
