"""Chains of deductions are replayed step by step; what they show is held to exhaustive search."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import Board
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import TOTAL
from minecheck.minefield.rules import Rule
from minecheck.solvers.backend import Backend
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.reasons.deduction import (
    Closure,
    Deduction,
    Inference,
    Level,
    Premise,
    Proof,
    Prover,
)
from minecheck.solvers.router import answer_question
from minecheck.solvers.tasks.forced import ForcedCells
from tests import oracle
from tests.boards import boards_with_totals, rule_sets
from tests.replay import idle, list_statements, parse_steps, replay, ways_to_hold
from tests.solvers.reasons.premise_sets import (
    ASTRIDE,
    FACING,
    NESTED,
    PROBLEM_3,
    from_rules,
    premises,
    tangles,
)

BASIC = [Level.TRIVIAL, Level.SUBSET, Level.BOUNDS]

#: M. Probst, minedetector: the problems of his README, and how many mines and safe cells follow.
PROBLEM_1 = ("------", "-2222-", "-2002-", "-2002-", "-2222-", "------")
PROBLEM_2 = (
    *("23+22+21", "++5--4+2", "--+++-4+", "+6-6++-2"),
    *("2++-55-2", "134-++4+", "01+4--+3", "012+23+2"),
)
PROBLEM_4 = ("-----------", "-8-8-8-8-8-", "-----------") * 3
PROBLEMS = {"1": PROBLEM_1, "2": PROBLEM_2, "3": PROBLEM_3, "4": PROBLEM_4}


#: Premises of boards, of rules, and of rules that are harder than boards.
any_premises = st.one_of(
    boards_with_totals().map(lambda case: premises(*case)),
    rule_sets().map(lambda case: from_rules(*case)),
    tangles(),
    tangles(),
)


def solutions(given_: Sequence[Premise]) -> tuple[list[int], list[frozenset[int]]]:
    """All cells that are spoken of, and the sets of mines among them that satisfy everything."""
    cells = sorted({cell for premise in given_ for cell in premise.cells})
    return cells, oracle.sets_of([(one.cells, one.low, one.high) for one in given_], cells)


def find_forced_values(given_: Sequence[Premise]) -> dict[int, int]:
    """Values of the cells that have the same in all solutions, of which there are some."""
    cells, ways = solutions(given_)
    values = {cell: {int(cell in way) for way in ways} for cell in cells}
    return {cell: held.pop() for cell, held in values.items() if len(held) == 1}


def find_decided_by(step: Deduction) -> dict[int, int]:
    """Values of the cells of a step that leaves no choice."""
    assert step.high == 0 or step.low == len(step.cells)
    return dict.fromkeys(step.cells, int(step.high > 0))


def on_board(rows: Sequence[str], cell: int, mines: int | None = None) -> Proof:
    """The proof for a forced cell of a board in Probst's notation, replayed."""
    known = premises(parse(rows, "probst"), mines)
    value = find_forced_values(known)[cell]
    proof = Prover(known).prove_cell(cell, value)
    replay(proof.steps, known)
    assert find_decided_by(proof.steps[-1])[cell] == value
    return proof


def rules_of(proof: Proof) -> list[Inference]:
    return [step.rule for step in proof.steps]


# Chains are right


@given(any_premises)
def test_prove_cell_proves_each_forced_cell(given_: list[Premise]) -> None:
    for cell, value in find_forced_values(given_).items():
        proof = Prover(given_).prove_cell(cell, value)
        replay(proof.steps, given_)
        assert find_decided_by(proof.steps[-1])[cell] == value


@given(any_premises.filter(lambda given_: not solutions(given_)[1]))
def test_refute_premises_proves_each_contradiction(given_: list[Premise]) -> None:
    proof = Prover(given_).refute_premises()
    replay(proof.steps, given_)
    assert proof.steps[-1].contradictory


@given(any_premises)
def test_proof_chain_has_no_repeated_and_no_unused_step(given_: list[Premise]) -> None:
    forced = find_forced_values(given_)
    proofs = [Prover(given_).prove_cell(cell, value) for cell, value in forced.items()]
    if not solutions(given_)[1]:
        proofs.append(Prover(given_).refute_premises())
    for proof in proofs:
        used = {source for step in proof.steps for source in step.sources}
        assert used == set(range(len(proof.steps) - 1))
        assert all(list(step.cells) == sorted(step.cells) for step in proof.steps)
        assert all((step.clue is None) == (step.rule is not Inference.CLUE) for step in proof.steps)


@given(boards_with_totals())
def test_proof_chain_in_json_is_replayed_with_rows_and_columns(
    case: tuple[Board, int | None],
) -> None:
    board, mines = case
    known = premises(board, mines)
    named = list_statements(board, mines)
    for cell, value in find_forced_values(known).items():
        steps = [asdict(step) for step in Prover(known).prove_cell(cell, value).steps]
        for step in steps:
            step["cells"] = [divmod(one, board.width) for one in step["cells"]]
            step["clue"] = None if step["clue"] is None else named[step["clue"]].clue
        replay(parse_steps(json.loads(json.dumps(steps))), named)


@given(any_premises, st.randoms(use_true_random=False))
def test_one_prover_proves_all_cells_in_any_order(given_: list[Premise], random: Random) -> None:
    prover = Prover(given_)
    values = list(find_forced_values(given_).items())
    for cell, value in random.sample(values, len(values)):
        proof = prover.prove_cell(cell, value)
        replay(proof.steps, given_)
        assert find_decided_by(proof.steps[-1])[cell] == value


def test_one_prover_grades_all_cells_as_if_each_were_the_first() -> None:
    known = premises(parse(PROBLEM_3, "probst"))
    prover = Prover(known)
    assert prover.prove_cell(6, 1).level is Level.LOOK_AHEAD
    for cell in (5, 13):
        for one in (prover, Prover(known)):
            assert one.prove_cell(cell, 0).level is Level.LOOK_AHEAD


# The replay itself


WIRE = [Premise(0, (0, 1), 1, 1), Premise(1, (1, 2), 1, 1), Premise(2, (0, 2), 1, 1)]

TAMPERED: dict[str, Callable[[list[Deduction]], list[Deduction]]] = {
    "no step at all": lambda steps: [],
    "a premise that nobody gave": lambda s: [replace(s[0], clue=9), *s[1:]],
    "a premise with other bounds": lambda s: [replace(s[0], low=0), *s[1:]],
    "a premise about other cells": lambda s: [replace(s[0], cells=(0, 1, 2)), *s[1:]],
    "bounds that are too good": lambda s: [*s[:-1], replace(s[-1], high=0)],
    "a source of its own": lambda s: [*s[:-1], replace(s[-1], sources=(2,))],
    "a source from the end": lambda s: [*s[:-1], replace(s[-1], sources=(0, -1))],
    "a source left out": lambda s: [*s[:-1], replace(s[-1], sources=(0,))],
    "a supposition kept secret": lambda s: [*s[:-1], replace(s[-1], under=())],
    "a supposition left open": lambda s: s,
    "a supposition of two cells": lambda s: [*s[:1], replace(s[1], cells=(0, 1)), *s[2:]],
    "a supposition that says nothing": lambda s: [*s[:1], replace(s[1], high=1), *s[2:]],
    "nothing against the supposition": lambda s: [
        *s,
        Deduction(Inference.LOOK_AHEAD, (0,), 1, 1, (1, 2)),
    ],
    "an unknown rule": lambda s: [*s[:-1], replace(s[-1], rule="guess")],  # type: ignore[arg-type]
}


@pytest.mark.parametrize("tampered", TAMPERED)
def test_replay_rejects_a_false_proof_chain(tampered: str) -> None:
    steps = [
        Deduction(Inference.CLUE, (0, 1), 1, 1, clue=0),
        Deduction(Inference.ASSUME, (0,), 0, 0, (), (1,)),
        Deduction(Inference.DIFFERENCE, (1,), 1, 1, (0, 1), (1,)),
    ]
    with pytest.raises(AssertionError):
        replay(TAMPERED[tampered](steps), WIRE)


def test_replay_rejects_a_look_ahead_that_concludes_something_else() -> None:
    steps = [
        Deduction(Inference.ASSUME, (2,), 1, 1, (), (0,)),
        Deduction(Inference.CLUE, (1, 2), 1, 1, clue=1),
        Deduction(Inference.DIFFERENCE, (1,), 0, 0, (1, 0), (0,)),
        Deduction(Inference.CLUE, (0, 1), 1, 1, clue=0),
        Deduction(Inference.DIFFERENCE, (0,), 1, 1, (3, 2), (0,)),
        Deduction(Inference.CLUE, (0, 2), 1, 1, clue=2),
        Deduction(Inference.DIFFERENCE, (0,), 0, 0, (5, 0), (0,)),
        Deduction(Inference.INTERSECTION, (0,), 1, 0, (4, 6), (0,)),
    ]
    last = Deduction(Inference.LOOK_AHEAD, (2,), 0, 0, (0, 7))
    replay([*steps, last], WIRE)
    assert idle([*steps, last]) == []
    for wrong in ({"low": 1, "high": 1}, {"cells": (1,)}, {"sources": (0, 6)}, {"under": (0,)}):
        with pytest.raises(AssertionError):
            replay([*steps, replace(last, **wrong)], WIRE)


@given(tangles())
def test_ways_to_hold_are_those_of_all_solutions(given_: list[Premise]) -> None:
    cells, ways = solutions(given_)
    for chosen in (cells[::2], cells[:3], [*cells[1:], *(cells[:1])]):
        assert ways_to_hold(chosen, given_) == {len(way.intersection(chosen)) for way in ways}


# Closures


@given(any_premises.filter(lambda given_: bool(solutions(given_)[1])))
def test_closure_decides_no_cell_wrongly(given_: list[Premise]) -> None:
    closure = Closure(given_)
    clues = [premise for premise in given_ if premise.clue != TOTAL]
    right = find_forced_values(clues)
    before: dict[int, tuple[int, Level]] = {}
    for level in BASIC:
        assert closure.close_at_level(level)
        assert closure.contradiction is None
        decided = closure.decided
        assert {cell: value for cell, (value, _) in decided.items()}.items() <= right.items()
        assert before.items() <= decided.items()
        assert all(decided[cell][1] is level for cell in decided.keys() - before.keys())
        before = decided


@given(any_premises)
def test_closure_has_a_proof_chain_for_each_decided_cell(given_: list[Premise]) -> None:
    closure = Closure(given_)
    closure.close_at_level(Level.BOUNDS)
    for cell, (value, _) in closure.decided.items():
        node = closure.node_of(cell)
        assert node is not None
        steps = closure.list_steps(node)
        replay(steps, given_)
        assert find_decided_by(steps[-1])[cell] == value
    if closure.contradiction is not None:
        steps = closure.list_steps(closure.contradiction)
        replay(steps, given_)
        assert steps[-1].contradictory


@given(any_premises)
def test_closure_refutes_only_false_assumptions(given_: list[Premise]) -> None:
    clues = [premise for premise in given_ if premise.clue != TOTAL]
    cells, ways = solutions(clues)
    closure = Closure(clues)
    closure.close_at_level(Level.BOUNDS)
    decided, open_cells = closure.decided, closure.open_cells()
    assert sorted([*decided, *open_cells]) == cells
    for cell in open_cells:
        for value in (0, 1):
            supposed = closure.with_assumption(cell, value)
            supposed.close_at_level(Level.BOUNDS)
            if supposed.contradiction is not None:
                assert all((cell in way) != bool(value) for way in ways)
    # Nothing of that was found out about the closure itself.
    assert (closure.decided, closure.open_cells()) == (decided, open_cells)


@given(any_premises)
def test_proof_level_is_that_of_the_closure_that_decides_the_cell(given_: list[Premise]) -> None:
    clues = [premise for premise in given_ if premise.clue != TOTAL]
    closure = Closure(clues)
    closure.close_at_level(Level.TRIVIAL)
    closure.close_at_level(Level.SUBSET)
    closure.close_at_level(Level.BOUNDS)
    right = find_forced_values(clues)
    for cell, (_, level) in closure.decided.items():
        if cell in right:
            assert Prover(given_).prove_cell(cell, right[cell]).level is level
    for cell in right.keys() - closure.decided.keys():
        assert Prover(given_).prove_cell(cell, right[cell]).level > Level.BOUNDS


def test_closure_stops_at_too_many_sets() -> None:
    closure = Closure(premises(parse(PROBLEM_1, "probst")))
    assert not closure.close_at_level(Level.BOUNDS, most_sets=10)
    assert closure.close_at_level(Level.BOUNDS)


@given(any_premises)
def test_proof_look_aheads_use_their_assumptions(given_: list[Premise]) -> None:
    for cell, value in find_forced_values(given_).items():
        assert idle(Prover(given_).prove_cell(cell, value).steps) == []
    if not solutions(given_)[1]:
        assert idle(Prover(given_).refute_premises().steps) == []


def test_proof_with_the_total_has_no_idle_assumption() -> None:
    rules = [Rule((0, 1), 1, 2), Rule((0, 2), 1, 1), Rule((1, 2, 3), 1, 2)]
    given_ = from_rules(rules, 5, 2)
    steps = Prover(given_).prove_cell(4, 0).steps
    replay(steps, given_)
    assert idle(steps) == []


# Levels


@pytest.mark.parametrize(
    ("rows", "mines", "cell", "level"),
    [
        (("1-",), None, 1, Level.TRIVIAL),
        (("-1-0",), None, 0, Level.TRIVIAL),
        (FACING, None, 4, Level.SUBSET),
        (ASTRIDE, None, 0, Level.BOUNDS),
        (ASTRIDE, None, 3, Level.BOUNDS),
        (PROBLEM_3, None, 6, Level.LOOK_AHEAD),
        (PROBLEM_3, None, 5, Level.LOOK_AHEAD),
        (("-1---",), 1, 3, Level.GLOBAL),
        (("-1---",), 3, 4, Level.GLOBAL),
        (("-1---1-",), 2, 3, Level.GLOBAL),
        (("-1-1--",), 1, 0, Level.GLOBAL),
        (("-1-1--",), 1, 2, Level.GLOBAL),
        (("-1-1--",), 1, 4, Level.GLOBAL),
        (("--",), 0, 1, Level.GLOBAL),
        (("--+",), 3, 1, Level.GLOBAL),
        # The total is not needed.
        (FACING, 5, 4, Level.SUBSET),
    ],
)
def test_proof_level_is_that_of_the_easiest_sufficient_rules(
    rows: tuple[str, ...], mines: int | None, cell: int, level: Level
) -> None:
    assert on_board(rows, cell, mines).level is level


def test_proof_can_nest_assumptions() -> None:
    proof = Prover(NESTED).prove_cell(6, 0)
    replay(proof.steps, NESTED)
    assert proof.level is Level.SEARCH
    assert find_decided_by(proof.steps[-1]) == {6: 0}
    assert max(len(step.under) for step in proof.steps) == 2


@pytest.mark.parametrize(
    ("rows", "mines", "cell", "rules"),
    [
        (("--",), 0, 1, [Inference.TOTAL]),
        (("-1---",), 1, 3, [Inference.TOTAL, Inference.CLUE, Inference.DIFFERENCE]),
        (("-1---",), 3, 4, [Inference.TOTAL, Inference.CLUE, Inference.DIFFERENCE]),
        (("-1-1--",), 1, 0, [Inference.TOTAL, Inference.CLUE, Inference.DIFFERENCE]),
        (
            ("-1---1-",),
            2,
            3,
            [
                Inference.TOTAL,
                Inference.CLUE,
                Inference.CLUE,
                Inference.UNION,
                Inference.DIFFERENCE,
            ],
        ),
    ],
)
def test_proof_uses_the_remainder_of_the_total_directly(
    rows: tuple[str, ...], mines: int, cell: int, rules: list[Inference]
) -> None:
    assert rules_of(on_board(rows, cell, mines)) == rules


def test_proof_levels_have_names_and_an_order() -> None:
    assert [level.label for level in sorted(Level)] == [
        *("trivial", "subset", "bounds", "look-ahead", "global", "search")
    ]


@pytest.mark.parametrize(
    ("rows", "mines", "level"),
    [
        (("1",), None, Level.TRIVIAL),
        (("3-",), None, Level.TRIVIAL),
        (("1-0",), None, Level.TRIVIAL),
        (("--", "13"), None, Level.TRIVIAL),
        (("----", "2113"), None, Level.TRIVIAL),
        (("--",), 3, Level.GLOBAL),
        (("+-",), 0, Level.GLOBAL),
        (("-1-",), 2, Level.GLOBAL),
        (("-1---1-",), 4, Level.GLOBAL),
    ],
)
def test_refutations_have_levels(rows: tuple[str, ...], mines: int | None, level: Level) -> None:
    known = premises(parse(rows, "probst"), mines)
    proof = Prover(known).refute_premises()
    replay(proof.steps, known)
    assert proof.level is level


# What is too long is searched


def prover_without_chains(known: list[Premise]) -> Prover:
    """A prover to which every chain is too long."""
    return Prover(known, most_steps=-1000)


def wire(clues: int, end: str) -> list[Premise]:
    """Clues of 1 between cells, each of which follows from the one before, up to some end."""
    return premises(parse("S" + "1?" * (clues - 1) + "1" + end))


@pytest.mark.parametrize("clues", [2, 3, 30, 200])
def test_proof_chain_can_be_as_long_as_a_wire(clues: int) -> None:
    known = wire(clues, "?")
    proof = Prover(known).prove_cell(2 * clues, clues % 2)
    replay(proof.steps, known)
    assert find_decided_by(proof.steps[-1]) == {2 * clues: clues % 2}
    assert proof.level is Level.TRIVIAL
    # Each clue is one step, and each cell.
    assert len(proof.steps) == 2 * clues - 1
    assert Inference.SEARCH not in rules_of(proof)


@pytest.mark.parametrize("clues", [2, 3, 30])
def test_prove_cell_uses_a_search_instead_of_a_long_chain(clues: int) -> None:
    known = wire(clues, "?")
    proof = prover_without_chains(known).prove_cell(2 * clues, clues % 2)
    replay(proof.steps, known)
    assert proof.level is Level.SEARCH
    assert find_decided_by(proof.steps[-1]) == {2 * clues: clues % 2}
    assert rules_of(proof) == [Inference.CLUE] * clues + [Inference.SEARCH]
    assert proof.steps[-1].sources == tuple(range(clues))


@pytest.mark.parametrize("clues", [2, 3, 30])
def test_refute_premises_uses_a_search_instead_of_a_long_chain(clues: int) -> None:
    known = wire(clues, "S" if clues % 2 else "B")
    proof = prover_without_chains(known).refute_premises()
    replay(proof.steps, known)
    assert proof.level is Level.SEARCH
    assert rules_of(proof) == [Inference.CLUE] * clues + [Inference.SEARCH]
    assert proof.steps[-1].contradictory


def test_proof_by_search_with_the_total_is_global() -> None:
    known = premises(parse("?1???1?"), 3)
    proof = prover_without_chains(known).prove_cell(3, 1)
    replay(proof.steps, known)
    assert proof.level is Level.GLOBAL
    assert rules_of(proof) == [Inference.CLUE, Inference.CLUE, Inference.TOTAL, Inference.SEARCH]


@given(any_premises)
def test_proofs_by_search_prove_each_forced_cell(given_: list[Premise]) -> None:
    for cell, value in find_forced_values(given_).items():
        proof = prover_without_chains(given_).prove_cell(cell, value)
        replay(proof.steps, given_)
        assert find_decided_by(proof.steps[-1])[cell] == value
    if not solutions(given_)[1]:
        proof = prover_without_chains(given_).refute_premises()
        replay(proof.steps, given_)
        assert proof.steps[-1].contradictory


# Deadlines


LATE = Deadline(0.0)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: Prover(wire(3, "?"), LATE).prove_cell(6, 1),
        lambda: Prover(wire(3, "S"), LATE).refute_premises(),
        lambda: Closure(wire(3, "?"), LATE).close_at_level(Level.TRIVIAL),
    ],
)
def test_deduction_past_the_deadline_raises(ask: Callable[[], object]) -> None:
    with pytest.raises(DeadlinePassed):
        ask()


# Whole boards


@pytest.mark.parametrize("number", PROBLEMS)
def test_probsts_problems_2_and_3_need_the_look_ahead_for_every_cell(number: str) -> None:
    board = parse(PROBLEMS[number], "probst")
    known = premises(board)
    # The boards are too large to try everything.
    found = answer_question(ForcedCells(board, backend=Backend.SAT)).forced
    assert found is not None
    for cells, value in ((found.mines, 1), (found.safe, 0)):
        for row, col in cells:
            proof = Prover(known).prove_cell(row * board.width + col, value)
            replay(proof.steps, known)
            assert find_decided_by(proof.steps[-1])[row * board.width + col] == value
            if number in "23":
                assert proof.level is Level.LOOK_AHEAD
            else:
                assert proof.level <= Level.BOUNDS
