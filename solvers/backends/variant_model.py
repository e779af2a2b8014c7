"""Clues that are no intervals, or lie, and cells with several mines, as a model for CP-SAT.

One integer variable a box, its spare mines; a literal for each clue that may lie: unless it is
true, what the clue sees is allowed, and if it is, that is not.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minefield.reduction.constraints import IS_MINE, IS_SAFE, UNDECIDED
from minefield.variant import Clue
from solvers.backends.cpsat import FOUND, solve, variable
from solvers.deadline import Deadline, DeadlinePassed
from solvers.variants.problem import Problem

if TYPE_CHECKING:
    # Loaded when it is used, as in `solvers.backends.cpsat`.
    from ortools.sat.python import cp_model_helper as cp_sat


def witness(problem: Problem, deadline: Deadline) -> list[int] | None:
    """Spare mines of each box, the loose ones last, in some layout; None if there is none.

    Raises:
        DeadlinePassed: it was not found out in time.
    """
    model = _model(problem)
    if model is None:
        return None
    status, found = solve(model, deadline)
    if status == "INFEASIBLE":
        return None
    if status not in FOUND:
        raise DeadlinePassed
    return found[: len(problem.boxes) + len(problem.loose)]


def forced(
    problem: Problem, layout: list[int], cells: int, deadline: Deadline
) -> tuple[NDArray[np.int8], bool]:
    """The unknown cells that hold a mine in every layout, or in none, (cells,); whether all.

    ``layout`` has the spare mines of each box in any layout. That every cell of a box holds one
    takes more than fit into the others; each question for a layout where it is otherwise either
    is refuted, or has an answer that settles others, too.
    """
    values = np.full(cells, UNDECIDED, np.int8)
    boxes = [*problem.boxes, *problem.loose]
    # By box and value, the bounds of spare mines with which it is otherwise.
    otherwise = {
        (place, value): (1, box.capacity) if value == IS_SAFE else (0, box.capacity - box.span)
        for place, box in enumerate(boxes)
        if not box.least
        for value in (IS_SAFE, IS_MINE)
    }

    def settle(found: list[int]) -> None:
        for (place, value), (low, high) in list(otherwise.items()):
            if low <= found[place] <= high:
                del otherwise[place, value]

    for box in problem.decided:
        sure = IS_SAFE if not box.low else IS_MINE if box.low > box.capacity - box.span else None
        if sure is not None and not box.least:
            values[list(box.cells)] = sure
    settle(layout)
    while otherwise:
        (place, value), bounds = next(iter(otherwise.items()))
        model = _model(problem)
        assert model is not None, "there is a layout"
        _bound(model, [place], list(bounds))
        status, found = solve(model, deadline)
        if status in FOUND:
            settle(found)
        elif status == "INFEASIBLE":
            values[list(boxes[place].cells)] = value
            del otherwise[place, value]
        else:
            return values, False
    return values, True


def _model(problem: Problem) -> "cp_sat.CpModelProto | None":
    """The spare mines of all boxes are its first variables; None if it surely has no solution."""
    from ortools.sat.python.cp_model_helper import CpModelProto

    model = CpModelProto()
    boxes = [*problem.boxes, *problem.loose]
    for box in boxes:
        variable(model, box.capacity)
    seen: list[list[int]] = [[] for _ in problem.clues]
    for place, box in enumerate(boxes):
        for number in box.clues:
            seen[number].append(place)
    lies = []
    for clue, sure, places in zip(problem.clues, problem.sure, seen, strict=True):
        most = sure + sum(boxes[place].capacity for place in places)
        right, wrong = _domains(clue, sure, most)
        if problem.lies == (0, 0):
            if not right:
                return None
            _bound(model, places, right)
            continue
        lie = variable(model, 1)
        lies.append(lie)
        for domain, literal in ((right, ~lie), (wrong, lie)):
            if domain:
                _bound(model, places, domain).enforcement_literal.append(literal)
            else:
                # It cannot be right, or cannot be wrong.
                _bound(model, [lie], [int(literal != lie)] * 2)
    if lies:
        _bound(
            model, lies, [problem.lies[0], max(problem.lies[0], min(problem.lies[1], len(lies)))]
        )
    elif problem.lies[0]:
        return None
    if problem.spare is not None:
        if problem.spare < 0:
            return None
        _bound(model, list(range(len(boxes))), [problem.spare] * 2)
    return model


def _domains(clue: Clue, sure: int, most: int) -> tuple[list[int], list[int]]:
    """The spare mines that a clue allows, and those that it does not, as CP-SAT has domains."""
    found: tuple[list[int], list[int]] = ([], [])
    for number in range(sure, most + 1):
        domain, spare = found[not clue.allows(number)], number - sure
        if domain and domain[-1] == spare - 1:
            domain[-1] = spare
        else:
            domain += [spare, spare]
    return found


def _bound(
    model: "cp_sat.CpModelProto", variables: list[int], domain: list[int]
) -> "cp_sat.ConstraintProto":
    """Have the sum of some variables in a domain."""
    constraint: cp_sat.ConstraintProto = model.constraints.add()
    constraint.linear.vars.extend(variables)
    constraint.linear.coeffs.extend([1] * len(variables))
    constraint.linear.domain.extend(domain)
    return constraint
