"""The value of a formula, worked out step by step."""

import operator
from collections.abc import Callable, Mapping

from minecheck.solvers.circuits.formula import Formula, StepKind

#: The functions of the gates with two operands.
OPERATIONS: dict[StepKind, Callable[[bool, bool], bool]] = {
    StepKind.AND: operator.and_,
    StepKind.XOR: operator.xor,
    StepKind.OR: operator.or_,
    StepKind.IMPLIES: operator.le,
    StepKind.IFF: operator.eq,
}


def evaluate(formula: Formula, assignment: Mapping[str, bool]) -> bool:
    """Return the value of a formula under an assignment to all of its variables."""
    stack: list[bool] = []
    for kind, text in formula.steps:
        if kind is StepKind.VARIABLE:
            stack.append(assignment[text])
        elif kind in (StepKind.TRUE, StepKind.FALSE):
            stack.append(kind is StepKind.TRUE)
        elif kind is StepKind.NOT:
            stack.append(not stack.pop())
        else:
            right = stack.pop()
            stack.append(OPERATIONS[kind](stack.pop(), right))
    (value,) = stack
    return value
