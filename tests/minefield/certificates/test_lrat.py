"""The checker of proofs: by hand, against a slow one that takes no hints, and with changes."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pysat.examples.genhard import PHP

from minecheck.minefield.certificates.dimacs import DimacsFormula, ProofError
from minecheck.minefield.certificates.lrat import check_proof
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.reasons.lemmas import Unproved, list_refuting_lemmas
from tests.examples import examples

Clauses = list[list[int]]
#: A lemma: its number, literals and hints.
Line = tuple[int, list[int], list[int]]

#: All clauses over two variables, and why they have no model.
SQUARE: Clauses = [[1, 2], [1, -2], [-1, 2], [-1, -2]]
SHOWN = "5 1 0 1 2 0\n6 0 5 3 4 0\n"


def formula(clauses: Clauses) -> DimacsFormula:
    return DimacsFormula(clauses, list(range(2, 2 + len(clauses))), 1 + len(clauses), [])


def fault(clauses: Clauses, proof: str) -> int | None:
    """The line of the proof at fault, None if it is right."""
    try:
        check_proof(formula(clauses), proof)
    except ProofError as error:
        return error.line
    return None


def text(lines: list[Line]) -> str:
    return "".join(
        " ".join(map(str, [number, *literals, 0, *hints, 0])) + "\n"
        for number, literals, hints in lines
    )


def build_proof(clauses: Clauses) -> list[Line] | None:
    """The proof that we make, None if there is a model."""
    try:
        lemmas = list_refuting_lemmas(clauses, Deadline())
    except Unproved:
        return None
    return [
        (len(clauses) + number, [int(word) for word in lemma.literals.split()], lemma.hints)
        for number, lemma in enumerate(lemmas, 1)
    ]


def has_model(clauses: Clauses, variables: int) -> bool:
    return any(
        all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        for values in product([False, True], repeat=variables)
    )


def follows(clauses: Clauses, lemma: list[int]) -> bool:
    """True if unit propagation proves a lemma, with any clauses."""
    false = set(lemma)
    while True:
        units = set()
        for clause in clauses:
            free = {x for x in clause if x not in false}
            if not free:
                return True
            if len(free) == 1:
                units |= {-x for x in free}
        if any(-x in false for x in false):
            return True
        if units <= false:
            return False
        false |= units


def is_right(clauses: Clauses, lines: list[Line]) -> bool:
    """True if each lemma follows from all clauses before it, and the empty one is among them."""
    held = [*clauses]
    for _, literals, _ in lines:
        if not follows(held, literals):
            return False
        if not literals:
            return True
        held.append(literals)
    return False


def random_3sat(variables: int, clauses: int, seed: int) -> Clauses:
    random = np.random.default_rng(seed)
    found = []
    for _ in range(clauses):
        chosen = random.choice(variables, 3, replace=False) + 1
        found.append((chosen * random.choice([-1, 1], 3)).tolist())
    return found


_VARIABLES = 5
literals = st.integers(1, _VARIABLES).flatmap(lambda x: st.sampled_from([x, -x]))
small_clauses = st.lists(literals, min_size=1, max_size=4, unique_by=abs)
small_formulas = st.lists(small_clauses, min_size=4, max_size=24)


@pytest.mark.parametrize("holes", [1, 2, 4, 5, 6])
def test_proofs_of_the_pigeonhole_principle_are_accepted(holes: int) -> None:
    clauses = PHP(nof_holes=holes).clauses
    lines = build_proof(clauses)
    assert lines is not None
    assert fault(clauses, text(lines)) is None
    assert holes > 4 or is_right(clauses, lines)


def test_proofs_of_random_formulas_near_the_threshold_are_accepted() -> None:
    refuted = 0
    for seed in range(30):
        clauses = random_3sat(60, 270, seed)
        lines = build_proof(clauses)
        if lines is not None:
            refuted += 1
            assert fault(clauses, text(lines)) is None
    assert refuted > 10


@examples(500)
@given(clauses=small_formulas)
def test_build_proof_proves_exactly_the_formulas_without_a_model(clauses: Clauses) -> None:
    """Clauses may be units or repeated: simplified clauses have numbers of their own."""
    lines = build_proof(clauses)
    assert (lines is None) == has_model(clauses, _VARIABLES)
    if lines is not None:
        assert fault(clauses, text(lines)) is None
        assert is_right(clauses, lines)
        assert [number for number, _, _ in lines] == [
            len(clauses) + index for index in range(1, len(lines) + 1)
        ]


@examples(300)
@given(clauses=small_formulas, data=st.data())
def test_proof_checker_accepts_no_lemma_that_does_not_follow(
    clauses: Clauses, data: st.DataObject
) -> None:
    lines = []
    for index in range(data.draw(st.integers(1, 5))):
        lemma = data.draw(st.lists(literals, max_size=2))
        known = st.integers(1, len(clauses) + index)
        hints = data.draw(st.lists(known, max_size=5, unique=True))
        lines.append((len(clauses) + index + 1, lemma, hints))
    lines.append((len(clauses) + len(lines) + 1, [], data.draw(st.permutations(range(1, 9)))))
    if fault(clauses, text(lines)) is None:
        assert is_right(clauses, lines)
        assert not has_model(clauses, _VARIABLES)


@examples(500)
@given(clauses=small_formulas, data=st.data())
def test_proof_checker_accepts_changed_proofs_only_if_right(
    clauses: Clauses, data: st.DataObject
) -> None:
    """A number, a literal or a hint is another, or a word is left out or there twice."""
    lines = build_proof(clauses)
    assume(lines is not None)
    assert lines is not None
    words = [line.split() for line in text(lines).splitlines()]
    line = data.draw(st.integers(0, len(words) - 1))
    index = data.draw(st.integers(0, len(words[line]) - 1))
    other = data.draw(st.integers(-_VARIABLES, len(clauses) + len(words)).map(str))
    new = data.draw(st.sampled_from([[], [other], [words[line][index]] * 2, ["x"], ["d"]]))
    words[line][index : index + 1] = new
    changed = "".join(" ".join(row) + "\n" for row in words)
    if fault(clauses, changed) is None:
        assert is_right(clauses, list(_read(changed)))


def _read(proof: str) -> Iterator[Line]:
    """Lemmas of a proof that could be read."""
    for line in proof.splitlines():
        words = line.split()
        if words[1] != "d":
            end = words.index("0")
            hints = [int(word) for word in words[end + 1 : -1]]
            yield int(words[0]), [int(word) for word in words[1:end]], hints


def test_proof_without_one_hint_is_rejected() -> None:
    clauses = PHP(nof_holes=4).clauses
    lines = build_proof(clauses)
    assert lines is not None
    for at, (number, lemma, hints) in enumerate(lines, 1):
        for index in range(len(hints)):
            fewer = (number, lemma, hints[:index] + hints[index + 1 :])
            assert fault(clauses, text([*lines[: at - 1], fewer, *lines[at:]])) == at


def test_proof_checker_accepts_proofs_written_by_hand() -> None:
    assert fault(SQUARE, SHOWN) is None
    assert fault(SQUARE, SHOWN.rstrip("\n")) is None
    assert fault(SQUARE, "c why\r\n\r\n9 1 0 1 2 0\r\n12 0 9 3 4 0\r\n") is None
    # What follows is not read, nor are hints after the contradiction.
    assert fault(SQUARE, "5 1 0 1 2 3 9 0\n6 0 5 3 4 0\nnothing\n") is None
    assert fault([[1], []], "3 0 2 0\n") is None


def test_proof_checker_rejects_hints_to_deleted_clauses() -> None:
    assert fault(SQUARE, "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n") is None
    assert fault(SQUARE, "5 1 0 1 2 0\n5 d 3 0\n6 0 5 3 4 0\n") == 3
    assert fault(SQUARE, "5 d 1 0\n5 d 1 0\n") == 2


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ("6 0 5 4 0", "does not follow"),
        ("6 0 0", "does not follow"),
        ("6 0 3 4 0", "more than one literal open"),
        ("6 0 5 3 7 0", "no clause 7"),
        ("6 0 6 0", "no clause 6"),
        ("5 0 5 3 4 0", "has to be above 5"),
        ("4 0 5 3 4 0", "has to be above 5"),
        ("6 0 5 3 -4 0", "not LRAT"),
        ("6 d 9 0", "no clause 9 to delete"),
        ("6 d 1", "not LRAT"),
        ("6 0 5 3 4", "not LRAT"),
        ("0", "not LRAT"),
        ("-1 0", "not LRAT"),
        ("d 1 0", "not LRAT"),
        ("6 x 0 1 0", "not LRAT"),
        ("6  0 5 3 4 0", "not LRAT"),
        ("\u0666 0 5 3 4 0", "not LRAT"),
        ("6 +1 0 5 0", "not LRAT"),
        ("6 1_0 0 5 0", "not LRAT"),
        ("6 00 5 3 4 0", "not LRAT"),
        ("99999999999999999999 0 5 3 4 0", "not LRAT"),
    ],
)
def test_proof_checker_names_the_line_at_fault(line: str, detail: str) -> None:
    with pytest.raises(ProofError, match=detail) as found:
        check_proof(formula(SQUARE), f"c a proof\n5 1 0 1 2 0\n{line}\n6 0 5 3 4 0\n")
    assert found.value.line == 3


@pytest.mark.parametrize(
    ("proof", "line"), [("", 1), ("5 1 0 1 2 0\n", 1), ("5 1 0 1 2 0\nc end\n", 2)]
)
def test_proof_without_the_empty_clause_is_rejected_at_the_last_line(proof: str, line: int) -> None:
    with pytest.raises(ProofError, match="ends without the empty clause") as found:
        check_proof(formula(SQUARE), proof)
    assert found.value.line == line


def test_proof_checker_rejects_drat_and_rat_proofs() -> None:
    """A DRAT proof, and a lemma that is not a consequence (RAT)."""
    for proof in ("1 0\n0\n", "d 1 2 0\n", "5 3 0 0\n"):
        assert fault(SQUARE, proof) == 1


def test_proof_check_ends_with_the_exception_that_pause_raises() -> None:
    class Enough(Exception):
        pass

    def pause() -> None:
        raise Enough

    with pytest.raises(Enough):
        check_proof(formula(SQUARE), SHOWN, pause)
