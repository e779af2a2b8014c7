"""Questions about boards or rules, as operations: all of one derives from its `Task`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from pydantic import BaseModel

from minecheck.app import problems
from minecheck.app.limits import Limits
from minecheck.app.operation import Operation
from minecheck.app.questions import puzzles
from minecheck.app.questions.fields import AskBoard
from minecheck.app.questions.requests import (
    MakeQuestion,
    is_plane,
    make_question_maker,
    request_model,
)
from minecheck.app.questions.responses import build_answer_model
from minecheck.solvers import Answer, BackendError, Question, QuestionError
from minecheck.solvers.documents.described import list_fields
from minecheck.solvers.documents.render import render_answer
from minecheck.solvers.positions import fields as positions
from minecheck.solvers.tasks.task import Task

#: Writes the answer to a question as JSON.
Render: TypeAlias = Callable[[Question, Answer], bytes]

#: Larger boards go to the unbounded workers at once: what would be tried in vain costs too much.
_BOUNDED_CELLS: Final = 50_000
#: Fields of answers that compiled code writes.
_AT_ONCE: Final = MappingProxyType(
    {
        "witness": positions.WITNESS,
        "count": positions.COUNT,
        "forced": positions.FORCED,
        "probabilities": positions.CHANCES,
    }
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class QuestionOperation(Operation):
    """A question about a board or rules, which the solvers answer.

    Attributes:
        task: the kind of question; all else derives from it.
        make_question: makes a question of the fields of a request, the board or the rules, the
            limits, and whether the answer is streamed. Raises ProblemError or QuestionError.
        write: writes an answer as JSON.
    """

    request: type[AskBoard]
    response: type[BaseModel]
    task: Task
    make_question: MakeQuestion
    write: Render = render_answer

    @classmethod
    def from_task(cls, task: Task) -> "QuestionOperation":
        """Return the operation of a task, always the same one."""
        return _make_operation(task)

    def __reduce__(self) -> tuple[Any, ...]:
        # Models and functions that are derived are derived again in other processes.
        return _make_operation, (self.task,)

    def prepare_input(self, request: Any, limits: Limits, stream: bool) -> Question:
        """Return the question that a request asks.

        Args:
            request: the fields of the request, as its model has them.
            limits: the limits of the service.
            stream: whether the answer is streamed.

        Raises:
            ProblemError: a field makes no sense.
        """
        try:
            board = puzzles.read_puzzle(request, limits.max_cells)
            return self.make_question(request, board, limits, stream)
        except QuestionError as error:
            raise problems.make_question_problem(error, request) from None
        except BackendError as error:
            raise problems.make_backend_problem(error) from None

    def describe_input(self, question: Question) -> dict[str, Any]:
        """Return the kind of worker that takes a question, its size and its page."""
        return {
            "is_bounded": may_be_bounded(question),
            "cells": question.cells,
            "offset": question.offset,
            "limit": question.limit,
        }


@cache
def _make_operation(task: Task) -> QuestionOperation:
    bits = 0
    if task.question.at_once:
        for field in list_fields(task.answer):
            bits |= _AT_ONCE.get(field.name, 0)
    return QuestionOperation(
        name=task.name,
        path=f"/v1/{task.name}",
        tag="questions",
        summary=task.summary,
        description=task.description,
        request=request_model(task.question),
        response=build_answer_model(task.answer, plane=is_plane(task.question)),
        examples=task.examples,
        batched=task.batched,
        stream=task.stream,
        cached=task.kept,
        at_once=bits,
        task=task,
        make_question=make_question_maker(task.question),
    )


def may_be_bounded(question: Question) -> bool:
    """Return True if bounded effort may be enough."""
    if question.certificate or question.unbounded:
        return False
    return question.is_bounded and question.size <= _BOUNDED_CELLS
