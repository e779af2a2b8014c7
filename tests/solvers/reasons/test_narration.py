"""Deductions in words: whole chains, their grammar, and that they say what the steps say."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import Board
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import IS_MINE, TOTAL, UNDECIDED, Constraints
from minecheck.minefield.rules import Puzzle, Rule, Rules
from minecheck.solvers.findings import Statement
from minecheck.solvers.reasons.deduction import Deduction, Inference, Premise, Prover
from minecheck.solvers.reasons.narration import Narrator
from tests import oracle
from tests.boards import rule_sets, small_boards


def premises(constraints: Constraints) -> list[Premise]:
    """List the premises of clues about undecided cells, and of the total."""
    start, members = constraints.start.tolist(), constraints.members.tolist()
    found = [
        Premise(clue, tuple(members[start[clue] : start[clue + 1]]), int(low), int(high))
        for clue, (low, high) in enumerate(zip(constraints.low, constraints.high, strict=True))
    ]
    if constraints.total is None:
        return found
    cells = tuple(np.flatnonzero(constraints.known == UNDECIDED).tolist())
    left = constraints.total - int(np.count_nonzero(constraints.known == IS_MINE))
    return [*found, Premise(TOTAL, cells, left, left)]


def narrate_proof(
    puzzle: Puzzle, mines: int | None = None, forced: tuple[int, int] | None = None
) -> list[Statement]:
    """The chain that proves a value of a cell, or else that the puzzle contradicts itself."""
    constraints = Constraints.from_position(puzzle, mines)
    prover = Prover(premises(constraints))
    proof = prover.refute_premises() if forced is None else prover.prove_cell(*forced)
    return Narrator(puzzle, constraints).narrate_steps(proof.steps)


def words(
    puzzle: Puzzle, mines: int | None = None, forced: tuple[int, int] | None = None
) -> list[str]:
    return [statement.text for statement in narrate_proof(puzzle, mines, forced)]


def rules(*parts: tuple[str, int, int], cells: int | None = None) -> Rules:
    """Rules about cells of one letter."""
    return Rules(tuple(Rule(tuple(names), low, high) for names, low, high in parts), cells)


# Whole chains


@pytest.mark.parametrize(
    ("rows", "forced", "sentence"),
    [
        (
            "1?",
            (1, 1),
            "1 at row 0, column 0 touches only one unknown cell: row 0, column 1 is a mine",
        ),
        (
            "?2?",
            (0, 1),
            "2 at row 0, column 1 touches only 2 unknown cells: (0, 0) and (0, 2) are mines",
        ),
        (
            "B2?",
            (2, 1),
            "2 at row 0, column 1 touches 1 known mine and only one unknown cell: "
            "row 0, column 2 is a mine",
        ),
        (
            "B3\n??",
            (2, 1),
            "3 at row 0, column 1 touches 1 known mine and only 2 unknown cells: "
            "(1, 0) and (1, 1) are mines",
        ),
        ("B1?", (2, 0), "1 at row 0, column 1 has all its mines: row 0, column 2 is safe"),
        ("?0?", (0, 0), "0 at row 0, column 1 touches no mine: (0, 0) and (0, 2) are safe"),
    ],
)
def test_narration_of_a_proof_by_one_clue_is_one_sentence(
    rows: str, forced: tuple[int, int], sentence: str
) -> None:
    assert words(parse(rows), forced=forced) == [f"The {sentence}."]


@pytest.mark.parametrize(
    ("cell", "value", "chain"),
    [
        (
            0,
            0,
            [
                "The 1 at row 1, column 1 touches 3 unknown cells, which hold exactly 1 mine: "
                "(0, 0), (0, 1) and (0, 2).",
                "The 2 at row 1, column 2 touches 3 unknown cells, which hold exactly 2 mines: "
                "(0, 1), (0, 2) and (0, 3).",
                "Step 1 allows 1 mine, and step 2 needs 1 in the cells they share: "
                "row 0, column 0 is safe.",
            ],
        ),
        (
            3,
            1,
            [
                "The 2 at row 1, column 2 touches 3 unknown cells, which hold exactly 2 mines: "
                "(0, 1), (0, 2) and (0, 3).",
                "The 1 at row 1, column 1 touches 3 unknown cells, which hold exactly 1 mine: "
                "(0, 0), (0, 1) and (0, 2).",
                "Step 1 needs 2 mines, and step 2 allows no more than 1 in the cells they share: "
                "row 0, column 3 is a mine.",
            ],
        ),
    ],
)
def test_narration_compares_overlapping_clues(cell: int, value: int, chain: list[str]) -> None:
    assert words(parse(["????", "S12S"]), forced=(cell, value)) == chain


def test_narration_explains_probsts_first_example() -> None:
    assert words(parse(["+33+", "---+"], "probst"), forced=(4, 1)) == [
        "The 3 at row 0, column 1 touches 1 known mine and 3 unknown cells, "
        "which hold exactly 2 mines: (1, 0), (1, 1) and (1, 2).",
        "The 3 at row 0, column 2 touches 2 known mines and 2 unknown cells, "
        "which hold exactly 1 mine: (1, 1) and (1, 2).",
        "Of the 2 mines in step 1, 1 is in step 2: row 1, column 0 is a mine.",
    ]


def test_narration_of_a_look_ahead_assumes_contradicts_and_concludes() -> None:
    steps = narrate_proof(parse(["++4-2", "--++-", "+6--3", "++22+"], "probst"), forced=(6, 1))
    texts = [step.text for step in steps]
    assert texts[0] == "Suppose row 1, column 1 is safe."
    assert texts[2] == (
        "Since row 1, column 1 is safe (step 1), step 2 leaves: row 0, column 3 is a mine."
    )
    assert (
        "Since (1, 0) and (2, 2) are mines (step 8), step 6 leaves: row 2, column 3 is safe."
        in (texts)
    )
    assert texts[-2:] == [
        "Steps 3 and 11 contradict each other: at least 1 mine and at most 0 mines at "
        "row 0, column 3.",
        "Step 12 refutes step 1: row 1, column 1 is a mine.",
    ]
    assert [step.under for step in steps if step.rule in ("assume", "look-ahead")] == [(0,), ()]


def test_narration_explains_the_total_and_its_remainder() -> None:
    assert words(parse("?1???1?"), 3, (3, 1)) == [
        "There are 3 mines in all: (0, 0), (0, 2), (0, 3), (0, 4) and (0, 6) hold exactly 3 mines.",
        "The 1 at row 0, column 1 touches 2 unknown cells, which hold exactly 1 mine: "
        "(0, 0) and (0, 2).",
        "The 1 at row 0, column 5 touches 2 unknown cells, which hold exactly 1 mine: "
        "(0, 4) and (0, 6).",
        "Steps 2 and 3 are about different cells, which together hold exactly 2 mines.",
        "Of the 3 mines in step 1, 2 are in step 4: row 0, column 3 is a mine.",
    ]


@pytest.mark.parametrize(
    ("rows", "mines", "forced", "sentence"),
    [
        ("???", 0, (1, 0), "There are 0 mines in all: (0, 0), (0, 1) and (0, 2) are safe."),
        ("?", 1, (0, 1), "There is 1 mine in all: row 0, column 0 is a mine."),
        (
            "?B?",
            3,
            (0, 1),
            "There are 3 mines in all, 1 of them known: (0, 0) and (0, 2) are mines.",
        ),
        ("?" * 9, 9, (0, 1), "There are 9 mines in all: 9 cells are mines."),
    ],
)
def test_narration_of_a_proof_by_the_total_is_one_sentence(
    rows: str, mines: int, forced: tuple[int, int], sentence: str
) -> None:
    assert words(parse(rows), mines, forced) == [sentence]


@pytest.mark.parametrize(
    ("rows", "mines", "chain"),
    [
        ("1", None, ["The 1 at row 0, column 0 cannot be: it touches 0 unknown cells."]),
        ("3?", None, ["The 3 at row 0, column 0 cannot be: it touches 1 unknown cell."]),
        (
            "B3?",
            None,
            ["The 3 at row 0, column 1 cannot be: it touches 1 unknown cell beside 1 known mine."],
        ),
        (
            "B1B\n???",
            None,
            [
                "The 1 at row 0, column 1 cannot be: "
                "it touches 3 unknown cells beside 2 known mines."
            ],
        ),
        ("??", 3, ["There are 3 mines in all, but only 2 unknown cells."]),
        (
            "B?",
            3,
            ["There are 3 mines in all, 1 of them known, but only 1 unknown cell for the others."],
        ),
        (
            "1?0",
            None,
            [
                "The 1 at row 0, column 0 touches only one unknown cell: "
                "row 0, column 1 is a mine.",
                "The 0 at row 0, column 2 touches no mine: row 0, column 1 is safe.",
                "Steps 1 and 2 contradict each other: at least 1 mine and at most 0 mines at "
                "row 0, column 1.",
            ],
        ),
        (
            "?1?",
            2,
            [
                "There are 2 mines in all: (0, 0) and (0, 2) are mines.",
                "The 1 at row 0, column 1 touches 2 unknown cells, which hold exactly 1 mine: "
                "(0, 0) and (0, 2).",
                "Steps 1 and 2 contradict each other.",
            ],
        ),
    ],
)
def test_narration_explains_contradictions(rows: str, mines: int | None, chain: list[str]) -> None:
    assert words(parse(rows), mines) == chain


# Rules instead of boards


def test_narration_names_rules_by_position_and_cells_by_name() -> None:
    puzzle = rules(("abc", 1, 2), ("bc", 2, 2))
    assert words(puzzle, forced=(0, 0)) == [
        "Rule 0 says: a, b and c hold 1 or 2 mines.",
        "Rule 1 says: b and c are mines.",
        "Since b and c are mines (step 2), step 1 leaves: a is safe.",
    ]
    assert [step.clue for step in narrate_proof(puzzle, forced=(0, 0))] == [(0, 0), (0, 1), None]


@pytest.mark.parametrize(
    ("one", "other", "value", "weighed"),
    [
        ((2, 3), (0, 1), 1, "Step 1 needs 2 mines, and step 2 allows no more than 1"),
        ((0, 1), (1, 3), 0, "Step 1 allows 1 mine, and step 2 needs 1"),
    ],
)
def test_narration_gives_the_decisive_one_of_two_bounds(
    one: tuple[int, int], other: tuple[int, int], value: int, weighed: str
) -> None:
    texts = words(rules(("abc", *one), ("bc", *other)), forced=(0, value))
    what = "a mine" if value else "safe"
    assert texts[-1] == f"{weighed} in the cells they share: a is {what}."


def test_narration_numbers_unnamed_cells_from_0() -> None:
    assert words(rules(("a", 1, 1), cells=3), 1, (2, 0)) == [
        "There is 1 mine in all: a, unnamed cell 0 and unnamed cell 1 hold exactly 1 mine.",
        "Rule 0 says: a is a mine.",
        "Since a is a mine (step 2), step 1 leaves: unnamed cell 0 and unnamed cell 1 are safe.",
    ]


@pytest.mark.parametrize(
    ("low", "high", "words_of_bounds"),
    [
        (0, 1, "at most 1 mine"),
        (0, 2, "at most 2 mines"),
        (1, 3, "at least 1 mine"),
        (2, 5, "at least 2 mines"),
        (1, 2, "1 or 2 mines"),
        (1, 1, "exactly 1 mine"),
        (2, 2, "exactly 2 mines"),
        (4, 5, "at least 4 mines"),
    ],
)
def test_narration_words_bounds_naturally(low: int, high: int, words_of_bounds: str) -> None:
    puzzle = rules(("abc", low, high))
    constraints = Constraints.from_position(puzzle)
    step = Deduction(Inference.CLUE, (0, 1, 2), low, high, clue=0)
    text = Narrator(puzzle, constraints).narrate_steps([step])[0].text
    assert text == f"Rule 0 says: a, b and c hold {words_of_bounds}."


@pytest.mark.parametrize(
    ("low", "high", "words_of_bounds"),
    [(0, 1, "holds at most 1 mine"), (0, 0, "is safe"), (1, 1, "is a mine")],
)
def test_narration_uses_the_singular_for_one_cell(
    low: int, high: int, words_of_bounds: str
) -> None:
    puzzle = rules(("a", low, high))
    step = Deduction(Inference.CLUE, (0,), low, high, clue=0)
    text = Narrator(puzzle, Constraints.from_position(puzzle)).narrate_steps([step])[0].text
    assert text == f"Rule 0 says: a {words_of_bounds}."


def test_narration_handles_more_rules_than_cells() -> None:
    puzzle = rules(("a", 1, 1), ("a", 0, 0))
    assert words(puzzle)[:2] == ["Rule 0 says: a is a mine.", "Rule 1 says: a is safe."]
    assert [step.clue for step in narrate_proof(puzzle)] == [(0, 0), (0, 1), None]


def test_narration_explains_a_contradictory_rule_without_cells() -> None:
    assert len(words(rules(("", 1, 1), cells=1))) == 1


def test_narration_never_says_that_a_step_needs_0_mines_or_fewer() -> None:
    texts = words(parse(["??2?", "?2??"]), 4, (1, 0))
    assert texts[0] == "Suppose row 0, column 1 is a mine."
    assert not any(re.search(r"needs (0|-)", text) for text in texts)


# Single steps

BEFORE = [
    Deduction(Inference.ASSUME, (0, 1, 2), 2, 2),
    Deduction(Inference.ASSUME, (1, 2), 2, 2),
    Deduction(Inference.ASSUME, (0, 1, 3), 1, 2),
    Deduction(Inference.ASSUME, (0, 3), 1, 1),
]


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (
            Deduction(Inference.SEARCH, (3,), 1, 1, (0,)),
            "In every way of placing mines that agrees with step 1, row 0, column 3 is a mine.",
        ),
        (
            Deduction(Inference.SEARCH, (2, 3), 0, 0, (0, 1)),
            "In every way of placing mines that agrees with steps 1 and 2, "
            "(0, 2) and (0, 3) are safe.",
        ),
        (
            Deduction(Inference.SEARCH, (), 1, 0, (0, 1, 2)),
            "No way of placing mines agrees with steps 1, 2 and 3.",
        ),
        (
            Deduction(Inference.INTERSECTION, (0, 1), 0, 1, (0,)),
            "By step 1: (0, 0) and (0, 1) hold at most 1 mine.",
        ),
        (
            Deduction(Inference.INTERSECTION, (0, 1), 1, 1, (0, 2)),
            "By steps 1 and 3: (0, 0) and (0, 1) hold exactly 1 mine.",
        ),
        (
            Deduction(Inference.DIFFERENCE, (0,), 0, 0, (0, 1)),
            "Since (0, 1) and (0, 2) are mines (step 2), step 1 leaves: row 0, column 0 is safe.",
        ),
        (
            Deduction(Inference.DIFFERENCE, (1, 2), 1, 1, (0, 3)),
            "Step 1 without the cells of step 4: (0, 1) and (0, 2) hold exactly 1 mine.",
        ),
        (
            Deduction(Inference.DIFFERENCE, (0,), 2, 1, (0, 1)),
            "Steps 1 and 2 contradict each other.",
        ),
        (
            Deduction(Inference.INTERSECTION, (1, 2), 2, 1, (1, 2)),
            "Steps 2 and 3 contradict each other: at least 2 mines and at most 1 mine at "
            "(0, 1) and (0, 2).",
        ),
        (
            Deduction(Inference.UNION, (0, 1, 2, 3), 1, 4, (1, 2)),
            "Steps 2 and 3 are about different cells, which together hold at least 1 mine.",
        ),
        (
            Deduction(Inference.LOOK_AHEAD, (0,), 0, 0, (0, 2)),
            "Step 3 refutes step 1: row 0, column 0 is safe.",
        ),
        (Deduction(Inference.ASSUME, (0,), 1, 1), "Suppose row 0, column 0 is a mine."),
    ],
)
def test_narration_has_a_sentence_for_each_inference(step: Deduction, text: str) -> None:
    board = parse("????")
    assert (
        Narrator(board, Constraints.from_position(board)).narrate_steps([*BEFORE, step])[-1].text
        == text
    )


def test_narrated_statement_repeats_its_step_with_rows_and_columns() -> None:
    statements = narrate_proof(parse(["????", "S12S"]), forced=(3, 1))
    assert [(one.rule, one.cells, one.low, one.high, one.clue) for one in statements] == [
        ("clue", [(0, 1), (0, 2), (0, 3)], 2, 2, (1, 2)),
        ("clue", [(0, 0), (0, 1), (0, 2)], 1, 1, (1, 1)),
        ("difference", [(0, 3)], 1, 1, None),
    ]
    assert [(one.sources, one.under) for one in statements] == [((), ()), ((), ()), ((0, 1), ())]


# Grammar

FAULTS = [
    r"\b1 (mines|unknown cells|known mines|cells)\b",
    r"(?<!\d)(0|[2-9]|\d\d+) (mine|unknown cell|known mine|cell)\b",
    r"  | \.|\.\.|,,|: \.|\(\)",
    r"\b[Ss]tep \d+ (leave|need|allow)\b",
    r"\b[Ss]teps \d+(, \d+)* and \d+ (leaves|needs|allows)\b",
    r"^[^A-Z]|[^.]$",
]


def assert_grammar(puzzle: Puzzle, mines: int | None) -> None:
    constraints = Constraints.from_position(puzzle, mines)
    given_premises = [premise for premise in premises(constraints) if premise.cells]
    cells = sorted({cell for premise in given_premises for cell in premise.cells})
    ways = oracle.sets_of([(one.cells, one.low, one.high) for one in given_premises], cells)
    values = {cell: {int(cell in way) for way in ways} for cell in cells}
    proofs = [
        Prover(given_premises).prove_cell(cell, min(held))
        for cell, held in values.items()
        if len(held) == 1
    ]
    if not ways:
        proofs.append(Prover(given_premises).refute_premises())
    for proof in proofs:
        for statement in Narrator(puzzle, constraints).narrate_steps(proof.steps):
            for fault in FAULTS:
                assert not re.search(fault, statement.text), statement.text


@given(small_boards(), st.none() | st.integers(0, 8))
def test_narration_about_boards_is_grammatical(board: Board, mines: int | None) -> None:
    assert_grammar(board, mines)


@given(rule_sets().filter(lambda case: case[1] > 0))
def test_narration_about_rules_is_grammatical(case: tuple[list[Rule], int, int | None]) -> None:
    given_rules, cells, mines = case
    # The service takes no negative bounds.
    letters = [
        Rule(tuple(f"x{cell}" for cell in rule.cells), max(rule.low, 0), rule.high)
        for rule in given_rules
        if rule.high >= 0
    ]
    assert_grammar(Rules(tuple(letters), cells), mines)
