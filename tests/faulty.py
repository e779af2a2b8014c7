"""Every operation, with defects planted in it, to be met in any process.

A request with one of the `DEFECTS` as its deadline fails there; all others are answered. Functions
are those of this module, for workers to find them.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from minecheck.app.catalogue import OPERATIONS as WHOLE_OPERATIONS
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation, Operation, answer_in_json, never_bounded
from minecheck.app.questions import QuestionOperation
from minecheck.minefield import Puzzle
from minecheck.solvers import Answer, Deadline, Question
from minecheck.solvers.documents.render import render_answer

#: Where a request fails, by its deadline in milliseconds: while it is read; while its answer is
#: written; the same, and the exception cannot go from one process to another.
READING, WRITING, STUCK = 5_771, 5_772, 5_773
DEFECTS: Final = (READING, WRITING, STUCK)
#: A function with more time than this fails only if it has more than bounded effort.
_BOUNDED_SECONDS: Final = 0.1


class PlantedError(Exception):
    """An exception that a defect raises."""


class StuckError(Exception):
    """An exception of a defect that another process cannot read."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(where)


def fail(defect: int) -> None:
    """Fail as a defect does.

    Raises:
        PlantedError, StuckError: always.
    """
    if defect == STUCK:
        raise StuckError("planted", "and stuck")
    raise PlantedError("planted")


class FaultyQuestion(QuestionOperation):
    """A question with defects, which other processes plant again."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _with_defects, (QuestionOperation.from_task(self.task),)


def make_question(
    operation: QuestionOperation, request: Any, board: Puzzle, limits: Limits, stream: bool
) -> Question:
    """Make a question, marked by a defect if its answer is not to be written."""
    if request.deadline_ms == READING:
        fail(READING)
    made = operation.make_question(request, board, limits, stream)
    if request.deadline_ms in DEFECTS:
        object.__setattr__(made, "defect", request.deadline_ms)
    return made


def write(question: Question, answer: Answer) -> bytes:
    """Write the answer, or fail."""
    defect = getattr(question, "defect", None)
    if defect is not None:
        fail(defect)
    return render_answer(question, answer)


class FaultyInput(NamedTuple):
    """The input of a function, and the defect that it meets."""

    whole: Any
    defect: int | None


def make_input(operation: FunctionOperation, request: Any, limits: Limits) -> FaultyInput:
    """Make the input of a function, or fail."""
    if request.deadline_ms == READING:
        fail(READING)
    return FaultyInput(operation.make_input(request, limits), request.deadline_ms)


def answer(operation: FunctionOperation, given: FaultyInput, deadline: Deadline) -> bytes:
    """Answer, or fail: by bounded effort, or if the exception is stuck, by more."""
    if given.defect == STUCK and deadline.left <= _BOUNDED_SECONDS:
        return b'{"complete":false}'
    if given.defect in DEFECTS:
        fail(given.defect)
    return operation.answer(given.whole, deadline)


def partial_answer(operation: FunctionOperation, given: FaultyInput, elapsed: float) -> bytes:
    """Answer where there was no time."""
    assert operation.partial_answer is not None, "it takes a worker"
    return operation.partial_answer(given.whole, elapsed)


def _with_defects(one: Operation) -> Operation:
    """Return an operation with defects."""
    if isinstance(one, QuestionOperation):
        known = {field.name: getattr(one, field.name) for field in fields(one)}
        defects = {"make_question": partial(make_question, one), "write": write, "at_once": 0}
        return FaultyQuestion(**(known | defects))
    assert isinstance(one, FunctionOperation), "there is no other kind"
    return replace(
        one,
        make_input=partial(make_input, one),
        answer=partial(answer, one),
        partial_answer=None if one.inline else partial(partial_answer, one),
        headers=answer_in_json,
        is_bounded=never_bounded,
    )


OPERATIONS: Final[tuple[Operation, ...]] = tuple(map(_with_defects, WHOLE_OPERATIONS))
#: Operations of a batch, by name.
BATCHED: Final[Mapping[str, Operation]] = MappingProxyType(
    {one.name: one for one in OPERATIONS if one.batched}
)


def request(name: str, defect: int | None = None) -> dict[str, Any]:
    """A request of this name, which is answered or meets a defect."""
    one = next(one for one in OPERATIONS if one.name == name)
    asked = dict(next(iter(one.examples.values())).request)
    return asked if defect is None else {**asked, "deadline_ms": defect}
