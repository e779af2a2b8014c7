"""Operations: all that people can ask for, each with the types of its requests and responses."""

import re
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from minecheck.app.limits import Limits
from minecheck.solvers import Deadline
from minecheck.solvers.tasks.task import Example, Stream

if TYPE_CHECKING:
    from minecheck.app.games.stores import Games

#: The headers of an answer in JSON.
JSON_ANSWER: Final[Mapping[str, str]] = MappingProxyType({"Content-Type": "application/json"})


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Operation:
    """One thing that people can ask for.

    Routes, OpenAPI, commands, the tasks of a batch, its Parquet columns and its journal derive from
    it. There are two kinds: the solvers answer questions (`app.questions.QuestionOperation`), from
    rung to rung of the ladder; a `FunctionOperation` is one call of one function.

    Attributes:
        name: of the task, the command and the OpenAPI operation.
        path: of the route; in braces are fields of the request that stand there, not in the body.
        method: of the route; with GET all fields of the request are in the path.
        tag: the section of the documentation.
        summary: one line for the documentation.
        description: another line for the documentation, on how it is done.
        request: the fields of a request; they are also the options of the command line.
        response: the fields of an answer; None for a text. Those that are required tell answers of
            this operation from those of others.
        other_types: media types that an answer may have besides the usual one.
        takes_file: whether the body is the field ``file``, whatever its Content-Type.
        examples: by name; ``board`` is one with a board.
        batched: whether it may be asked many times at once, one a line.
        stream: how it is answered line by line, if it may be.
        cached: whether an answer may be given again to the same request.
        at_once: the fields of its answer, as `solvers.positions.fields` has them, where positions
            of games are answered by compiled code; 0 where they are not.
    """

    name: str
    path: str
    method: str = "POST"
    tag: str
    summary: str
    description: str = ""
    request: type[BaseModel]
    response: type[BaseModel] | None
    other_types: tuple[str, ...] = ()
    takes_file: bool = False
    examples: Mapping[str, Example]
    batched: bool = True
    stream: Stream | None = None
    cached: bool = False
    at_once: int = 0

    @property
    def fields(self) -> dict[str, FieldInfo]:
        """The fields of an answer, by the names that they have in JSON; none of a text."""
        return {} if self.response is None else list_fields(self.response)

    @property
    def path_fields(self) -> list[str]:
        """The fields of a request that stand in the path."""
        return re.findall(r"\{(.+?)\}", self.path)

    def is_answer(self, document: Mapping[str, object]) -> bool:
        """Return True if a document has the fields of an answer."""
        required = {name for name, field in self.fields.items() if field.is_required()}
        return bool(required) and required <= document.keys() <= self.fields.keys()

    @abstractmethod
    def prepare_input(self, request: Any, limits: Limits, stream: bool) -> Any:
        """Return the input of a job: what a request asks for, read and checked.

        Args:
            request: the fields of the request, as its model has them.
            limits: the limits of the service.
            stream: whether the answer is streamed.

        Raises:
            ProblemError: a field makes no sense.
        """

    @abstractmethod
    def describe_input(self, value: Any) -> dict[str, Any]:
        """Return what a job says of its input, by the names of the fields of `Job`."""


def list_fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by the names that they have in JSON."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def answer_in_json(value: object) -> dict[str, str]:
    """Return the headers of an answer in JSON, for any input."""
    return dict(JSON_ANSWER)


def never_bounded(value: object) -> bool:
    """Return False: with any input it may take long."""
    return False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FunctionOperation(Operation):
    """An operation that one function does, without the ladder and without the cache.

    Its functions are those of modules, so that workers find them. All of them may raise
    ProblemError.

    Attributes:
        make_input: returns the input, which the fields of a request and the limits make.
        answer: returns the answer to an input: complete, or as far as it is found by the deadline.
        partial_answer: returns what can be said of an input whose worker did not return, given the
            seconds that it took; None where the function takes milliseconds, and no worker.
        is_bounded: whether an input takes so little that it waits behind nothing hard.
        headers: returns those of the answer to an input.
        follow_up: returns the answer, given the games that the service keeps, the input, and what
            ``answer`` returned; None where that is the answer.
    """

    make_input: Callable[[Any, Limits], Any]
    answer: Callable[[Any, Deadline], bytes]
    partial_answer: Callable[[Any, float], bytes] | None
    is_bounded: Callable[[Any], bool] = never_bounded
    headers: Callable[[Any], dict[str, str]] = answer_in_json
    follow_up: Callable[["Games", Any, bytes], Awaitable[bytes]] | None = None

    @property
    def inline(self) -> bool:
        """True if the function takes milliseconds, and no worker."""
        return self.partial_answer is None

    def prepare_input(self, request: Any, limits: Limits, stream: bool) -> Any:
        """Return the input that a request asks for.

        Args:
            request: the fields of the request, as its model has them.
            limits: the limits of the service.
            stream: whether the answer is streamed, which makes no difference.

        Raises:
            ProblemError: a field makes no sense.
        """
        return self.make_input(request, limits)

    def describe_input(self, value: Any) -> dict[str, Any]:
        """Return the kind of worker that takes an input, and the headers of its answer."""
        return {"is_bounded": self.is_bounded(value), "headers": self.headers(value)}
