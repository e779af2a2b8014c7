"""Clues that are no intervals, or lie, and cells with several mines, as a model for CP-SAT.

One integer variable a box, its spare mines; a literal for each clue that may lie: unless it is
true, what the clue sees is allowed, and if it is, that is not.

Tested in tests/solvers/backends/test_variants.py.
"""

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, UNDECIDED
from minecheck.minefield.variant import Clue
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.search.linear_model import LinearModel
from minecheck.solvers.variants.problem import VariantProblem


def find_witness(problem: VariantProblem, deadline: Deadline) -> list[int] | None:
    """Return spare mines of each box, the loose ones last, in some layout; None without any.

    Args:
        problem: the boxes and clues.
        deadline: when to give up.

    Raises:
        DeadlinePassed: it was not found out in time.
    """
    model = _build_model(problem)
    if model is None:
        return None
    solved = model.find_best(deadline)
    if solved.values is not None:
        return solved.values[: len(problem.boxes) + len(problem.loose)]
    if not solved.complete:
        raise DeadlinePassed
    return None


def find_forced(
    problem: VariantProblem, layout: list[int], deadline: Deadline
) -> tuple[NDArray[np.int8], bool]:
    """Return the cells that hold a mine in every layout, or in none, and if these are all.

    That every cell of a box holds one takes more than fit into the others; each question for a
    layout where it is otherwise either is refuted, or has an answer that settles others, too.

    Args:
        problem: the boxes and clues.
        layout: the spare mines of each box in any layout.
        deadline: when to stop.

    Returns:
        int8 of shape (cells,), UNDECIDED where it is not known; False if time ran out.
    """
    values = (problem.base > 0).astype(np.int8)
    boxes = [*problem.boxes, *problem.loose]
    for box in boxes:
        values[list(box.cells)] = UNDECIDED
    # Maps each box and value to the bounds of spare mines that contradict the value.
    otherwise = {
        (index, value): (1, box.capacity) if value == IS_SAFE else (0, box.capacity - box.span)
        for index, box in enumerate(boxes)
        if not box.least
        for value in (IS_SAFE, IS_MINE)
    }

    def settle_cells(solution: list[int]) -> None:
        for (index, value), (low, high) in list(otherwise.items()):
            if low <= solution[index] <= high:
                del otherwise[index, value]

    settle_cells(layout)
    while otherwise:
        (index, value), bounds = next(iter(otherwise.items()))
        model = _build_model(problem)
        assert model is not None, "there is a layout"
        model.constrain_sum([index], bounds)
        solved = model.find_best(deadline)
        if solved.values is not None:
            settle_cells(solved.values)
        elif solved.complete:
            values[list(boxes[index].cells)] = value
            del otherwise[index, value]
        else:
            return values, False
    return values, True


def _build_model(problem: VariantProblem) -> LinearModel | None:
    """Build a model whose first variables are spare mines; None if it surely has no solution."""
    model = LinearModel()
    boxes = [*problem.boxes, *problem.loose]
    for box in boxes:
        model.add_variable(box.capacity)
    seen: list[list[int]] = [[] for _ in problem.clues]
    for index, box in enumerate(boxes):
        for number in box.clues:
            seen[number].append(index)
    lies = []
    for clue, sure, indices in zip(problem.clues, problem.sure, seen, strict=True):
        most = sure + sum(boxes[index].capacity for index in indices)
        right, wrong = _build_domains(clue, sure, most)
        if problem.lies == (0, 0):
            if not right:
                return None
            model.constrain_sum(indices, right)
            continue
        lie = model.add_variable()
        lies.append(lie)
        for domain, literal in ((right, ~lie), (wrong, lie)):
            if domain:
                model.constrain_sum(indices, domain, literal)
            else:
                # It cannot be right, or cannot be wrong.
                model.constrain_sum([lie], [int(literal != lie)] * 2)
    if lies:
        most = max(problem.lies[0], min(problem.lies[1], len(lies)))
        model.constrain_sum(lies, [problem.lies[0], most])
    elif problem.lies[0]:
        return None
    if problem.spare is not None:
        if problem.spare < 0:
            return None
        model.constrain_sum(range(len(boxes)), [problem.spare] * 2)
    return model


def _build_domains(clue: Clue, sure: int, most: int) -> tuple[list[int], list[int]]:
    """Return the spare mines that a clue allows, and those that it does not, as domains."""
    domains: tuple[list[int], list[int]] = ([], [])
    for number in range(sure, most + 1):
        domain, spare = domains[not clue.allows_mines(number)], number - sure
        if domain and domain[-1] == spare - 1:
            domain[-1] = spare
        else:
            domain += [spare, spare]
    return domains
