"""What a question is, wherever it may be asked: one record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.answers.parts import Part
from app.limits import Limits
from app.questions.fields import AskBoard
from app.questions.verdict import AnyAnswer
from minefield import Puzzle
from solvers import Question


@dataclass(frozen=True, slots=True)
class Example:
    """A request and its answer, for the documentation; a test keeps it true."""

    asked: Mapping[str, Any]
    answered: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A question: how it is asked, what answers it, and how the answer is written.

    Routes, OpenAPI, the tasks of a batch, the commands of the command line, Parquet columns, the
    journal of a batch and the cache all derive from it.

    Attributes:
        name: of the route, the task, the command and the OpenAPI operation.
        summary: one line for the documentation.
        asked: the fields of a request; they are also the options of the command line.
        answered: the fields of an answer. Those that are required tell answers to this question
            from answers to others.
        question: what a request asks of the solvers, from its fields, the board or the rules, the
            limits, and whether layouts are to be streamed. Raises ProblemError or QuestionError.
        parts: what an answer consists of, in this order, beside what all answers say.
        examples: by name; ``board`` is one with a board.
        batched: whether it may be asked of many boards.
        kept: whether an answer may be given again to the same question.
        lines: for a question that may be answered one layout per line: an example of the lines.
        at_once: which fields its answer has, as `app.answers.position_json` has them, where
            positions of games are answered at once; 0 for a question that is not.
    """

    name: str
    summary: str
    asked: type[AskBoard]
    answered: type[AnyAnswer]
    question: Callable[[Any, Puzzle, Limits, bool], Question]
    parts: tuple[Part, ...]
    examples: Mapping[str, Example]
    batched: bool = True
    kept: bool = True
    lines: str | None = None
    at_once: int = 0

    @property
    def certified(self) -> bool:
        """Whether its answers may be proved."""
        return "certificate" in self.asked.model_fields

    @property
    def streamed(self) -> bool:
        """Whether it may be answered one layout per line."""
        return self.lines is not None

    def answers(self, told: Mapping[str, object]) -> bool:
        """Whether a document is an answer to this question, by its fields."""
        fields = self.answered.model_fields
        required = {name for name, field in fields.items() if field.is_required()}
        return required <= told.keys() <= fields.keys()


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
