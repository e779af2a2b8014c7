"""The fields that all answers share, and the types that they consist of.

The answer to each question is a dataclass of its own, beside it in `solvers.tasks`. Its
``json_fields`` lists what JSON has of it, in order: fields, and properties, which are described by
their docstrings; without it, JSON has all of its fields. The first paragraph of a docstring is for
readers of answers.

Tested in tests/solvers/test_router.py.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Generic, Protocol, Self, TypeVar

from minecheck.minefield.kernel import call_small
from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import (
    Chances,
    Number,
    Only,
    Repeated,
    Safest,
    Text,
    ValueKind,
    doc,
)
from minecheck.solvers.backend import Backend
from minecheck.solvers.budget import TooWide
from minecheck.solvers.deadline import DeadlinePassed
from minecheck.solvers.findings import Conflict, Estimate, Flags, Forced, Others

T = TypeVar("T")


class BackendError(ValueError):
    """A requested backend does not answer this question, or cannot take this board.

    ``choices`` are the backends that answer the question, if they are known. If ``for_board``, the
    board was the reason, and only `Backend.AUTO` is sure to take it.
    """

    def __init__(
        self, detail: str, choices: tuple[Backend, ...] = (), for_board: bool = False
    ) -> None:
        super().__init__(detail, choices, for_board)
        self.detail = detail
        self.choices = choices
        self.for_board = for_board

    def __str__(self) -> str:
        return self.detail

    @property
    def fix(self) -> str:
        """The advice to name one of the other backends, in the imperative."""
        if not self.for_board or Backend.AUTO not in self.choices:
            return f"Use one of: {', '.join(self.choices or Backend)}."
        return "Use auto, which chooses a backend that can answer."


class Later(Generic[T]):
    """A field that may be given as a function: it is called when the field is first read.

    What takes more time or memory than the question had is None.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = "_" + name

    def __get__(self, answer: object | None, owner: type | None = None) -> T | None:
        if answer is None:
            # The default of a field.
            return None
        value: T | Callable[[], T | None] | None = getattr(answer, self._name, None)
        if callable(value):
            try:
                # Until Numba is loaded, the interpreter answers, and only for small boards.
                value = call_small(value)
            except (DeadlinePassed, TooWide):
                value = None
            setattr(answer, self._name, value)
        return value

    def __set__(self, answer: object, value: T | Callable[[], T | None] | None) -> None:
        setattr(answer, self._name, value)


class AnswerPresenter(Protocol):
    """What writes an answer: the question decides on its form as well."""

    def to_json(self, answer: "Answer") -> bytes:
        """Return the answer as the service writes it."""

    def draw_html(self, answer: "Answer") -> str:
        """Return a picture of the answer."""


def _has_flags(question: Any, answer: Any) -> bool:
    return bool(question.flags)


@dataclass(kw_only=True)
class Answer:
    """The fields of every answer; None means not requested, not applicable, or not decided in time.

    ``method`` is the engine that gave the answer, and ``engines`` are all that had a part in it,
    ``method`` as the last one: names of `solvers.backend.Backend`, ``auto`` only where the time was
    over before any of them had a result. ``automata`` are the machines that ran, by name.
    ``complete`` is False when something that was requested is missing or may be more than what is
    given. The ``witness``, which may be made when it is read,
    and the ``forced`` cells are what most other things are found from, whether or not a question
    asks for them. ``feasible`` are the least and the most mines of any layout, where the total that
    was given is that of none. ``note`` says what would help. ``elapsed`` is in seconds.
    ``presenter`` writes the answers that functions of the library return.
    """

    json_fields: ClassVar[tuple[str, ...]] = ("consistent", "conflict", "flags")

    consistent: Annotated[bool | None, doc("Whether any layout of mines fits")] = None
    witness: Annotated[
        Later[Layout],
        doc(
            "A layout: numbers on safe cells (`S` above 8), `B` on mines; for rules: the "
            "names of its mines, and the numbers of mines among the others; where cells hold "
            "several mines, or clues lie: its rows, the mines of each cell, and the clues that are "
            "wrong"
        ),
    ] = Later()
    forced: Forced | None = None
    others: Annotated[
        Others | None, doc("For rules with cells that none of them names"), Text("")
    ] = None
    conflict: Annotated[
        Conflict | None,
        doc(
            "On an inconsistent board: clues that contradict each other; null, too, where "
            "clues are sets or lie, or cells hold several mines"
        ),
    ] = None
    feasible: tuple[int, int] | None = None
    flags: Annotated[
        Flags | None, Only(_has_flags), doc("If the board has flags that are claims")
    ] = None
    note: str | None = None
    method: str = ""
    engines: tuple[str, ...] = ()
    automata: tuple[str, ...] = ()
    complete: bool = True
    elapsed: float = 0.0
    presenter: AnswerPresenter | None = field(default=None, repr=False, compare=False)

    def to_json(self) -> str:
        """Return the answer as JSON, as the service returns it: counts are decimal strings."""
        return self._require_presenter().to_json(self).decode()

    def to_dict(self) -> dict[str, Any]:
        """Return what `to_json` writes as dictionaries, lists, text, numbers and None."""
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def _repr_html_(self) -> str | None:
        """Return the board with what was found, as notebooks show it; None if it is not known."""
        return None if self.presenter is None else self.presenter.draw_html(self)

    def _require_presenter(self) -> AnswerPresenter:
        if self.presenter is None:
            raise TypeError("Only answers of the functions of the library know their question.")
        return self.presenter

    @property
    def listed(self) -> int:
        """The number of layouts that it lists."""
        return 0

    @classmethod
    def from_values(cls, values: dict[str, object]) -> Self:
        """Build an answer from values; a leading _ marks lazy ones.

        The constructor, which sets every field, takes three times as long.
        """
        answer = cls.__new__(cls)
        answer.__dict__ = values
        return answer

    def __getstate__(self) -> dict[str, Any]:
        # Lazy fields are computed before the answer leaves its process.
        state = vars(self)
        return state | {name: getattr(self, name[1:]) for name in state if name[0] == "_"}


@dataclass(kw_only=True)
class CountedAnswer(Answer):
    """An answer with the number of layouts; ``estimate`` is the effort of an exact count."""

    count: Annotated[int | None, ValueKind.COUNT] = None
    estimate: Annotated[
        Estimate | None,
        Only(lambda question, answer: answer.estimate is not None),
        doc("What an exact count takes, if that is not little"),
        Text(""),
    ] = None


@dataclass(kw_only=True)
class ChancesAnswer(Answer):
    """An answer that rests on the chance of a mine in each cell.

    ``probabilities`` is NaN for known cells, (height, width); as fractions it is an array of
    objects, None for known cells. ``safest`` are the cells least likely to be mines, in order.
    """

    probabilities: Annotated[
        Chances | None,
        doc(
            "Chance of a mine, or by name for rules; null for known cells, and as a "
            "whole from sat, cpsat and exhaustive. The nearest doubles to the exact ratios"
        ),
    ] = None
    safest: Annotated[
        Later[Safest],
        doc(
            "The ten unknown cells with the smallest chances, equal ones in reading "
            "order; for rules named cells only; null from sat, cpsat, exhaustive"
        ),
        Text(""),
    ] = Later()


@dataclass(kw_only=True)
class PagedAnswer(CountedAnswer):
    """An answer that has many layouts, a page at a time."""

    offset: Annotated[Number | None, Repeated(), Text("")] = None
    layouts: list[Layout] | None = None
    next_offset: Number | None = None

    @property
    def listed(self) -> int:
        """The number of layouts on the page."""
        return len(self.layouts or ())
