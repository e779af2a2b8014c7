"""The checker of proofs, against a slow one that keeps clauses as sets, and by hand."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pysat.examples.genhard import PHP
from pysat.solvers import Solver

from minefield.certificates.drat import ProofError, check, read_cnf
from tests.examples import examples

Clauses = list[list[int]]
#: A line of a proof: whether it deletes, and the clause.
Line = tuple[bool, list[int]]

#: The example of the DRAT-trim manual: its first lemma is RAT, but not RUP.
EXAMPLE = """p cnf 4 8
 1  2 -3 0
-1 -2  3 0
 2  3 -4 0
-2 -3  4 0
-1 -3 -4 0
 1  3  4 0
-1  2  4 0
 1 -2 -4 0
"""


def dimacs(clauses: Clauses, variables: int | None = None) -> str:
    top = max((abs(x) for clause in clauses for x in clause), default=0)
    lines = [f"p cnf {top if variables is None else variables} {len(clauses)}"]
    return "\n".join([*lines, *(" ".join(map(str, [*clause, 0])) for clause in clauses)])


def drat(proof: list[Line]) -> str:
    return "\n".join(
        ("d " if deletes else "") + " ".join(map(str, [*clause, 0])) for deletes, clause in proof
    )


def fault(cnf: str, proof: str) -> tuple[str, int] | None:
    """The text and line at fault, None if the proof is right."""
    try:
        check(cnf, proof)
    except ProofError as error:
        return error.text, error.line
    return None


def has_model(clauses: Clauses, variables: int) -> bool:
    return any(
        all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        for values in product([False, True], repeat=variables)
    )


def closure(clauses: list[frozenset[int]], true: set[int]) -> set[int] | None:
    """What unit propagation makes true, None for a conflict."""
    true = set(true)
    if any(-x in true for x in true):
        return None
    while True:
        units = set()
        for clause in clauses:
            if not clause & true:
                free = [x for x in clause if -x not in true]
                if not free:
                    return None
                if len(free) == 1:
                    units |= set(free)
        if not units:
            return true
        true |= units
        if any(-x in true for x in true):
            return None


def naive(clauses: Clauses, proof: list[Line]) -> int | None:
    """The line at fault (from 1), or None."""
    held = [frozenset(clause) for clause in clauses]
    # A clause can be deleted once, even if that is ignored.
    listed = held.copy()
    if closure(held, set()) is None:
        return None
    for line, (deletes, literals) in enumerate(proof, 1):
        clause = frozenset(literals)
        known = closure(held, set())
        assert known is not None
        if deletes:
            if clause not in listed:
                return line
            listed.remove(clause)
            free = [x for x in clause if -x not in known]
            if not (len(free) == 1 and free[0] in known):
                held.remove(clause)
            continue
        denied = {-x for x in clause}
        if closure(held, denied) is not None:
            if not clause:
                return line
            contrary = -literals[0]
            for other in held:
                if contrary in other and (
                    closure(held, denied | {-x for x in other - {contrary}}) is not None
                ):
                    return line
        held.append(clause)
        listed.append(clause)
        if closure(held, set()) is None:
            return None
    return max(len(proof), 1)


def solved(clauses: Clauses, name: str) -> str | None:
    """The proof of a solver that works in slices, None if there is a model."""
    with Solver(name, bootstrap_with=clauses, with_proof=True) as solver:
        verdict = None
        while verdict is None:
            solver.conf_budget(50)
            verdict = solver.solve_limited()
        return None if verdict else "\n".join(solver.get_proof())


def random_3sat(variables: int, clauses: int, seed: int) -> Clauses:
    random = np.random.default_rng(seed)
    found = []
    for _ in range(clauses):
        chosen = random.choice(variables, 3, replace=False) + 1
        found.append((chosen * random.choice([-1, 1], 3)).tolist())
    return found


_VARIABLES = 5
literals = st.integers(1, _VARIABLES).flatmap(lambda x: st.sampled_from([x, -x]))
small_clauses = st.lists(literals, min_size=1, max_size=5)
small_formulas = st.lists(small_clauses, min_size=4, max_size=16)
small_proofs = st.lists(
    st.tuples(st.sampled_from([False, False, True]), st.lists(literals, max_size=2)), max_size=8
)


@pytest.mark.parametrize("name", ["cadical195", "cadical103", "glucose4", "maplechrono"])
@pytest.mark.parametrize("holes", [4, 5, 6])
def test_solvers_prove_the_pigeonhole_principle(holes: int, name: str) -> None:
    clauses = PHP(nof_holes=holes).clauses
    proof = solved(clauses, name)
    assert proof is not None
    assert fault(dimacs(clauses), proof) is None


@pytest.mark.parametrize("name", ["cadical195", "glucose4"])
def test_solvers_refute_random_formulas_near_the_threshold(name: str) -> None:
    refuted = 0
    for seed in range(30):
        clauses = random_3sat(60, 270, seed)
        proof = solved(clauses, name)
        if proof is not None:
            refuted += 1
            assert fault(dimacs(clauses), proof) is None
    assert refuted > 10


@examples(1000)
@given(clauses=small_formulas, proof=small_proofs)
def test_faults_are_those_that_a_slow_checker_finds(clauses: Clauses, proof: list[Line]) -> None:
    line = naive(clauses, proof)
    found = fault(dimacs(clauses, _VARIABLES), drat(proof))
    assert found == (None if line is None else ("proof", line))


@given(clauses=small_formulas, proof=small_proofs, data=st.data())
def test_deletions_of_clauses_that_are_there_are_judged_alike(
    clauses: Clauses, proof: list[Line], data: st.DataObject
) -> None:
    deleted = [(True, data.draw(st.sampled_from(clauses))) for _ in range(3)]
    mixed = data.draw(st.permutations([*proof, *deleted]))
    line = naive(clauses, mixed)
    found = fault(dimacs(clauses, _VARIABLES), drat(mixed))
    assert found == (None if line is None else ("proof", line))


@examples(500)
@given(clauses=small_formulas, proof=small_proofs, data=st.data())
def test_no_formula_with_a_model_is_refuted(
    clauses: Clauses, proof: list[Line], data: st.DataObject
) -> None:
    assume(has_model(clauses, _VARIABLES))
    deleted = [(True, clause) for clause in data.draw(st.permutations(clauses))[:3]]
    assert fault(dimacs(clauses, _VARIABLES), drat([*deleted, *proof, (False, [])])) is not None


@given(size=st.integers(4, 8), data=st.data())
def test_in_long_clauses_the_search_for_a_literal_goes_all_round(
    size: int, data: st.DataObject
) -> None:
    order = st.permutations(range(1, size + 1))
    clauses = [data.draw(order), *([-x, size + x] for x in range(1, size + 1))]
    # The lemmas on a new variable hold, and leave the search somewhere; the last one does not.
    proof = [
        [2 * size + 1, *data.draw(order)[: data.draw(st.integers(1, size - 2))]] for _ in range(4)
    ]
    proof.append(data.draw(order)[: size - 2])
    text = drat([(False, clause) for clause in proof]) + "\n0\n"
    assert fault(dimacs(clauses, 2 * size + 1), text) == ("proof", len(proof))


def changed_lines(text: str, variables: int) -> Iterator[list[Line]]:
    """A proof with one literal of one line replaced, or with a line left out."""
    proof = []
    for line in text.split("\n"):
        words = line.split()
        deletes = words[0] == "d"
        proof.append((deletes, [int(word) for word in words[deletes:-1]]))
    for at, (deletes, clause) in enumerate(proof):
        yield proof[:at] + proof[at + 1 :]
        for place, literal in enumerate(clause):
            for new in (-literal, literal % variables + 1 if literal > 0 else -1):
                other = [*clause[:place], new, *clause[place + 1 :]]
                yield [*proof[:at], (deletes, other), *proof[at + 1 :]]


def test_a_proof_with_a_change_is_judged_as_the_slow_checker_does() -> None:
    clauses = PHP(nof_holes=3).clauses
    proof = solved(clauses, "glucose4")
    assert proof is not None
    lines = set()
    for changed in changed_lines(proof, 12):
        line = naive(clauses, changed)
        lines.add(line)
        assert fault(dimacs(clauses), drat(changed)) == (None if line is None else ("proof", line))
    assert len(lines) > 3


def test_a_lemma_may_follow_by_resolution_on_its_first_literal_only() -> None:
    assert fault(EXAMPLE, "-1 0\n2 0\n0\n") is None
    assert fault(EXAMPLE, "0\n") == ("proof", 1)
    # A definition of the new variable 3 as 1 and 2.
    cnf = "p cnf 3 1\n1 2 0\n"
    assert fault(cnf, "3 -1 -2 0\n-3 1 0\n-3 2 0\nc the end\n") == ("proof", 4)
    assert fault(cnf, "3 -1 -2 0\n-3 -2 0\nc the end\n") == ("proof", 2)


def test_of_a_rat_lemma_the_first_literal_counts() -> None:
    cnf = "p cnf 3 1\n-2 1 0\n"
    # 3 is new, so it may be true; 2 may not be.
    with pytest.raises(ProofError, match="ends without"):
        check(cnf, "3 2 0")
    with pytest.raises(ProofError, match="does not follow"):
        check(cnf, "2 3 0")


def test_a_deleted_clause_is_gone() -> None:
    cnf = "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n"
    assert fault(cnf, "1 0\n") is None
    assert fault(cnf, "d 2 1 0\n1 0\n0\n") == ("proof", 2)
    assert fault(cnf, "d 2 1 0\nd 1 2 0\n") == ("proof", 2)


def test_the_deletion_of_a_unit_clause_is_ignored() -> None:
    cnf = "p cnf 3 5\n1 0\n-1 2 3 0\n-1 2 -3 0\n-1 -2 3 0\n-2 -3 0\n"
    assert fault(cnf, "d 1 0\n2 0\n") is None
    # Were it gone, its contrary would be RAT.
    assert fault("p cnf 1 1\n1 0\n", "d 1 0\n-1 0\n0\n") == ("proof", 2)
    assert fault("p cnf 2 2\n1 0\n-1 2 0\n", "d -1 2 0\n-2 0\n0\n") == ("proof", 2)


def test_after_the_empty_clause_anything_may_follow() -> None:
    cnf = "p cnf 1 2\n1 0\n-1 0\n"
    assert fault(cnf, "") is None
    assert fault(cnf, "0\nd 1 1 -1 0\n0\n") is None
    assert fault("p cnf 0 1\n0\n", "") is None


def test_without_the_empty_clause_the_last_line_is_at_fault() -> None:
    assert fault(EXAMPLE, "") == ("proof", 1)
    assert fault(EXAMPLE, "-1 0\n") == ("proof", 1)
    assert fault(EXAMPLE, "-1 0\nc that is all\n") == ("proof", 2)
    assert fault(EXAMPLE, "0\n") == ("proof", 1)


@pytest.mark.parametrize(
    ("cnf", "line", "detail"),
    [
        ("", 1, "header"),
        ("c nothing\n\n", 1, "header"),
        ("c one\n1 0\np cnf 1 1\n", 2, "header"),
        ("p cnf 1\n1 0\n", 1, "header"),
        ("p cnf -1 1\n1 0\n", 1, "header"),
        ("p cnf 2 1\n1 0\n2 0\n", 1, "2 clauses, not 1"),
        ("p cnf 2 3\n1 0\n2 0\n", 1, "2 clauses, not 3"),
        ("p cnf 1 2\n1 0\n2 0\n", 3, "literal 2 is out of range"),
        ("p cnf 1 1\np cnf 1 1\n1 0\n", 2, "Not a literal: 'p'"),
        ("p cnf 9999999999 1\n1 0\n", 1, "variables"),
        ("p cnf 3 1\n99999999999999999999 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n4294967297 0\n", 2, "out of range"),
        ("p cnf 3 2\n1 0\n1 2\n", 3, "does not end in 0"),
        ("p cnf 3 2\n1 0 2 0\n", 2, "goes on"),
        ("p cnf 3 2\n1\n2 0\n", 2, "does not end in 0"),
        ("p cnf 3 1\nd 1 0\n", 2, "Not a literal: 'd'"),
        ("p cnf 3 1\n-0 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n+1 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n1_0 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n\u0661 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n\x0b\n1 0\n", 2, "Not a literal"),
        ("p cnf 3 1\n1\u20280\n", 2, "Not a literal"),
    ],
)
def test_a_formula_that_cannot_be_read_names_its_line(cnf: str, line: int, detail: str) -> None:
    with pytest.raises(ProofError, match=detail) as found:
        check(cnf, "0\n")
    assert (found.value.text, found.value.line) == ("cnf", line)


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ("1 2", "does not end in 0"),
        ("d", "does not end in 0"),
        ("d 1", "does not end in 0"),
        ("-1 0 2 0", "goes on"),
        ("d1 0", "Not a literal: 'd1'"),
        ("5 0", "out of range"),
        ("d 1 -5 0", "out of range"),
        ("x 0", "Not a literal"),
        ("d d 1 0", "Not a literal"),
        ("d 1 2 0", "no such clause"),
        ("0", "does not follow"),
    ],
)
def test_a_line_of_a_proof_at_fault_is_named(line: str, detail: str) -> None:
    with pytest.raises(ProofError, match=detail) as found:
        check(EXAMPLE, f"c a proof\r\n-1 0\r\n\r\n{line}\r\n0\r\n")
    assert (found.value.text, found.value.line) == ("proof", 4)


def test_comments_blank_lines_and_carriage_returns_are_passed_over() -> None:
    cnf = "c a\r\n\r\np cnf 1 2\r\n  1\t0 \r\nc b\r\n-1 0"
    formula = read_cnf(cnf)
    assert formula.comments == [(1, "a"), (5, "b")]
    assert list(formula) == [(4, [1]), (6, [-1])]
    check(cnf, "c\r\n0\r\n")


def test_literals_that_stand_twice_count_once() -> None:
    assert fault("p cnf 2 4\n1 1 0\n-1 2 2 -1 0\n-2 -2 1 -1 0\n-2 -1 -2 0\n", "") is None


@given(clauses=small_formulas, proof=small_proofs)
def test_what_pause_raises_ends_the_check(clauses: Clauses, proof: list[Line]) -> None:
    class Enough(Exception):
        pass

    def pause() -> None:
        raise Enough

    if closure([frozenset(clause) for clause in clauses], set()) is not None:
        with pytest.raises(Enough):
            check(dimacs(clauses, _VARIABLES), drat(proof), pause)
