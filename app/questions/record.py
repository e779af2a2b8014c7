"""What can be asked, wherever it may be: one record, or one errand."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.answers.cells import OnBoard
from app.answers.parts import Part
from app.limits import Limits
from app.questions.fields import AskBoard
from app.questions.verdict import AnyAnswer
from minefield import Puzzle
from solvers import Answer, Deadline, Question
from solvers.answer import Conflicts


@dataclass(frozen=True, slots=True)
class Example:
    """A request and its answer, None where it is not shown, for the documentation."""

    asked: Mapping[str, Any]
    answered: Any


@dataclass(frozen=True, slots=True)
class Found:
    """What is found one by one: the ``sets`` of an answer, and how one of them is ``drawn``."""

    sets: Callable[[Answer], Conflicts | None]
    drawn: Callable[[Any, OnBoard], Any]


@dataclass(frozen=True, slots=True)
class Stream:
    """How a question is answered line by line.

    Attributes:
        lines: an example of the lines.
        described: what the lines are, for the documentation.
        found: what each line is, where an answer grows; without it, layouts are read in pages.
        endless: whether there is always one more, so that some limit has to hold.
    """

    lines: str
    described: str
    found: Found | None = None
    endless: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Described:
    """What is told of all that can be asked.

    Routes, OpenAPI, commands, the tasks of a batch, its Parquet columns and its journal derive from
    it.

    Attributes:
        name: of the task, the command and the OpenAPI operation.
        summary: one line for the documentation.
        asked: the fields of a request; they are also the options of the command line.
        answered: the fields of an answer; None if that is a text. Those that are required tell
            answers to this question from answers to others.
        examples: by name; ``board`` is one with a board.
        batched: whether it may be asked many times at once, one a line.
        at_once: which fields its answer has, as `app.answers.position_json` has them, where
            positions of games are answered at once; 0 for what is not.
    """

    name: str
    summary: str
    asked: type[BaseModel]
    answered: type[BaseModel] | None
    examples: Mapping[str, Example]
    batched: bool = True
    at_once: int = 0

    @property
    def fields(self) -> dict[str, FieldInfo]:
        """The fields of an answer, by the names that they have in JSON; none of a text."""
        if self.answered is None:
            return {}
        return {field.alias or name: field for name, field in self.answered.model_fields.items()}

    def answers(self, told: Mapping[str, object]) -> bool:
        """Whether a document is an answer to this, by its fields."""
        required = {name for name, field in self.fields.items() if field.is_required()}
        return bool(required) and required <= told.keys() <= self.fields.keys()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Record(Described):
    """A question about a board or rules: what answers it, and how the answer is written.

    The cache derives from it, too.

    Attributes:
        question: what a request asks of the solvers, from its fields, the board or the rules, the
            limits, and whether the answer is to be streamed. Raises ProblemError or QuestionError.
        parts: what an answer consists of, in this order, beside what all answers say.
        kept: whether an answer may be given again to the same question.
        stream: how it is answered line by line, if it may be.
    """

    asked: type[AskBoard]
    answered: type[AnyAnswer]
    question: Callable[[Any, Puzzle, Limits, bool], Question]
    parts: tuple[Part, ...]
    kept: bool = True
    stream: Stream | None = None

    @property
    def path(self) -> str:
        """Of its route."""
        return f"/v1/{self.name}"

    @property
    def certified(self) -> bool:
        """Whether its answers may be proved."""
        return "certificate" in self.asked.model_fields


#: The headers of an answer in JSON.
JSON_ANSWER: Final[Mapping[str, str]] = MappingProxyType({"Content-Type": "application/json"})


def in_json(wanted: object) -> dict[str, str]:
    """As `JSON_ANSWER`, whatever is wanted."""
    return dict(JSON_ANSWER)


def not_brief(wanted: object) -> bool:
    """What is wanted may take long, whatever it is."""
    return False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Errand(Described):
    """What one function does, in a worker: there is no ladder for it.

    Its functions are those of modules, for workers to find them.

    Attributes:
        path: of its route; in braces are fields that stand there and not in the body.
        tag: its section of the documentation.
        description: how it is done, in a line for the documentation.
        wanted: what is wanted, from the fields and the limits. Raises ProblemError.
        told: the answer, as far as it is found by the deadline. Raises ProblemError.
        untold: the answer where a worker did not return, after so many seconds. Raises
            ProblemError where there is none.
        quick: whether it takes milliseconds, and no worker.
        brief: whether what is wanted takes so little that it waits behind nothing hard.
        headers: of the answer, by what is wanted.
        others: media types that it may have beside the usual one.
    """

    path: str
    tag: str
    description: str
    wanted: Callable[[Any, Limits], Any]
    told: Callable[[Any, Deadline], bytes]
    untold: Callable[[Any, float], bytes]
    quick: bool = False
    brief: Callable[[Any], bool] = not_brief
    headers: Callable[[Any], dict[str, str]] = in_json
    others: tuple[str, ...] = ()

    @property
    def placed(self) -> list[str]:
        """The fields that stand in the path."""
        return re.findall(r"\{(.+?)\}", self.path)


Askable: TypeAlias = Record | Errand


def example(
    asked: Mapping[str, Any],
    solver: str,
    *,
    conflict: Mapping[str, Any] | None = None,
    **found: Any,
) -> Example:
    """A request, and an answer with these fields beside the verdict."""
    told = {"name": solver, "complete": True, "elapsed_ms": 0.4}
    # What is told only where there is something to say follows the conflict.
    late: dict[str, Any] = {
        name: found.pop(name) for name in ("feasible_mines", "flags") if name in found
    }
    if "board" in asked:
        board = asked["board"]
        late |= {"rows": len(board), "cols": len(board[0]), "mines": asked.get("mines")}
    verdict = {"consistent": conflict is None}
    return Example(asked, {**verdict, **found, "conflict": conflict, **late, "solver": told})
