"""Tasks: the facts about a kind of question besides its type and its answer's.

Tested in tests/app/test_operation.py.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from minecheck.solvers.answer import Answer
from minecheck.solvers.findings import Conflicts
from minecheck.solvers.question import Question


@dataclass(frozen=True, slots=True)
class Example:
    """A request and its answer as JSON has them, None where it is not shown."""

    request: Mapping[str, Any]
    answer: Any


@dataclass(frozen=True, slots=True)
class Stream:
    """The line-by-line form of an answer.

    Attributes:
        lines: an example of the lines.
        described: what the lines are, for the documentation.
        found: the sets of an answer that grows, a line each; without it, layouts are read in pages.
        endless: whether there is always one more, so that some limit has to hold.
    """

    lines: str
    described: str
    found: Callable[[Any], Conflicts | None] | None = None
    endless: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Task:
    """A kind of question: wherever people ask, what they see derives from this.

    Attributes:
        question: the class of its questions, with their options.
        summary: one line for the documentation.
        description: another line for the documentation, on what the answer tells.
        examples: by name; ``board`` is one with a board.
        batched: whether it may be asked many times at once, one a line.
        kept: whether an answer may be given again to the same question.
        stream: how it is answered line by line, if it may be.
        shared: whether a cluster can work on one question together.
    """

    question: type[Question]
    summary: str
    description: str = ""
    examples: Mapping[str, Example]
    batched: bool = True
    kept: bool = True
    stream: Stream | None = None
    shared: bool = False

    @property
    def name(self) -> str:
        """The name of the task, the command and the OpenAPI operation."""
        return self.question.task

    @property
    def answer(self) -> type[Answer]:
        """The class of its answers."""
        return self.question.answer_type

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes have the same task, under the name of its question.
        return _load_task, (self.question,)

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its options."""
        return tuple(field.name for field in fields(self.question) if field.name != "board")


def _load_task(question: type[Question]) -> Task:
    task: Task = getattr(import_module(question.__module__), question.task.upper())
    return task


#: Rules that examples ask about.
EXAMPLE_RULES: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "rules": [
            {"cells": ["a", "b"], "mines": 1},
            {"cells": ["b", "c", "d"], "low": 2, "high": 3},
        ],
        "total_cells": 5,
    }
)


def make_example(
    request: Mapping[str, Any],
    *engines: str,
    automata: Sequence[str] = (),
    conflict: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Example:
    """Return a request, and an answer with these fields and the verdict.

    Args:
        request: the fields of the request.
        engines: the engines that had a part; the last one gives the answer.
        automata: the machines that were run.
        conflict: the conflict of an inconsistent board, None if it is consistent.
        fields: other fields of the answer.
    """
    answer: dict[str, Any] = {"name": engines[-1]}
    answer |= {"engines": list(engines)} if len(engines) > 1 else {}
    answer |= {"machines": list(automata)} if automata else {}
    answer |= {"complete": True, "elapsed_ms": 0.4}
    # Fields that only some answers have follow the conflict.
    late: dict[str, Any] = {
        name: fields.pop(name) for name in ("feasible_mines", "flags") if name in fields
    }
    if "board" in request:
        board = request["board"]
        late |= {"rows": len(board), "cols": len(board[0]), "mines": request.get("mines")}
    verdict = {"consistent": conflict is None}
    return Example(request, {**verdict, **fields, "conflict": conflict, **late, "solver": answer})
