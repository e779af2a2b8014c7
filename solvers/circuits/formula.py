"""Boolean formulas, read from text.

From the tightest to the loosest: ``!`` or ``~``, ``&``, ``^``, ``|``, ``->``, ``<->``; the arrow
``->`` groups to the right, all others to the left. Names are letters, digits and underscores;
``0`` and ``false``, ``1`` and ``true`` are constants.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from minefield.amounts import several

#: Bounds of what is read: what is larger makes no board that people would look at.
MOST_CHARACTERS: Final = 2000
MOST_VARIABLES: Final = 16
MOST_GATES: Final = 64


class Kind(StrEnum):
    """What a step of a formula is."""

    VARIABLE = "variable"
    TRUE = "true"
    FALSE = "false"
    NOT = "not"
    AND = "and"
    XOR = "xor"
    OR = "or"
    IMPLIES = "implies"
    IFF = "iff"


class FormulaError(ValueError):
    """A formula that cannot be read: what is wrong and how to fix it.

    ``code`` is a stable slug, ``position`` that of the character at fault, from 0.
    """

    def __init__(self, code: str, detail: str, fix: str, position: int) -> None:
        super().__init__(code, detail, fix, position)
        self.code = code
        self.detail = detail
        self.fix = fix
        self.position = position

    def __str__(self) -> str:
        return f"{self.detail} {self.fix}"


class Step(NamedTuple):
    """A variable, a constant, or a gate for the steps before it; ``text`` is what it stands for."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in postfix order: a gate follows its operands, the left one first.

    ``variables`` are in the order in which they first appear.
    """

    steps: tuple[Step, ...]
    variables: tuple[str, ...]

    def value(self, assignment: Mapping[str, bool]) -> bool:
        """What the formula is under an assignment to all of its variables."""
        stack: list[bool] = []
        for kind, text in self.steps:
            if kind is Kind.VARIABLE:
                stack.append(assignment[text])
            elif kind in _CONSTANTS:
                stack.append(kind is Kind.TRUE)
            elif kind is Kind.NOT:
                stack.append(not stack.pop())
            else:
                right = stack.pop()
                stack.append(OPERATIONS[kind](stack.pop(), right))
        (value,) = stack
        return value


#: What the gates with two operands say of them.
OPERATIONS: Final[Mapping[Kind, Callable[[bool, bool], bool]]] = MappingProxyType(
    {
        Kind.AND: operator.and_,
        Kind.XOR: operator.xor,
        Kind.OR: operator.or_,
        Kind.IMPLIES: operator.le,
        Kind.IFF: operator.eq,
    }
)
_CONSTANTS: Final = (Kind.TRUE, Kind.FALSE)
_NAMED: Final = {"0": Kind.FALSE, "false": Kind.FALSE, "1": Kind.TRUE, "true": Kind.TRUE}
_OPERATORS: Final = {
    "!": Kind.NOT,
    "~": Kind.NOT,
    "&": Kind.AND,
    "^": Kind.XOR,
    "|": Kind.OR,
    "->": Kind.IMPLIES,
    "<->": Kind.IFF,
}
#: The tightest first.
_TIGHTNESS: Final = [Kind.NOT, Kind.AND, Kind.XOR, Kind.OR, Kind.IMPLIES, Kind.IFF]
_TO_THE_RIGHT: Final = (Kind.NOT, Kind.IMPLIES)
_TOKEN: Final = re.compile(
    r"\s*(?:([A-Za-z_][A-Za-z0-9_]*|[01](?![A-Za-z0-9_]))|(<->|->|[!~&^|()]))"
)
_OPERAND: Final = "a name, 0, 1, ! or ("


class _Token(NamedTuple):
    text: str
    start: int
    operand: bool


class _Waiting(NamedTuple):
    """An operator, or a bracket (no kind), whose right side is still being read."""

    kind: Kind | None
    position: int
    #: Where what it stands for begins.
    start: int


def parse(text: str) -> Formula:
    """Read a formula, operator by operator; nothing nests too deeply.

    Raises:
        FormulaError: it is empty, too large, or makes no sense at a character, which it names.
    """
    if len(text) > MOST_CHARACTERS:
        raise _too_large(several(MOST_CHARACTERS, "character"), MOST_CHARACTERS)
    return _Reader(text).formula()


class _Reader:
    """Dijkstra's shunting yard: operators wait until a looser one, or a bracket, follows."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._steps: list[Step] = []
        #: Where the operands that no operator has taken yet begin and end.
        self._spans: list[tuple[int, int]] = []
        self._waiting: list[_Waiting] = []
        self._variables: dict[str, None] = {}
        self._gates = 0

    def formula(self) -> Formula:
        operand = False
        for token in self._tokens():
            operand = self._after_operand(token) if operand else self._before_operand(token)
        if not operand:
            raise self._missing(len(self._text))
        while self._waiting:
            if self._waiting[-1].kind is None:
                raise FormulaError(
                    "bad-formula",
                    f"The ( at character {self._waiting[-1].position} is never closed.",
                    "Put a ) behind what it holds.",
                    self._waiting[-1].position,
                )
            self._apply()
        return Formula(tuple(self._steps), tuple(self._variables))

    def _tokens(self) -> Iterator[_Token]:
        at, end = 0, len(self._text.rstrip())
        while at < end:
            found = _TOKEN.match(self._text, at)
            if found is None:
                raise self._unknown(at + len(self._text[at:]) - len(self._text[at:].lstrip()))
            name, symbol = found.groups()
            at = found.end()
            yield _Token(name or symbol, at - len(name or symbol), name is not None)

    def _before_operand(self, token: _Token) -> bool:
        """Take what may begin an operand; whether one is complete now."""
        text, start, operand = token
        if operand:
            kind = _NAMED.get(text, Kind.VARIABLE)
            if kind is Kind.VARIABLE:
                self._variables[text] = None
                if len(self._variables) > MOST_VARIABLES:
                    raise _too_large(several(MOST_VARIABLES, "variable"), start)
            self._steps.append(Step(kind, text))
            self._spans.append((start, start + len(text)))
            return True
        if text == "(":
            self._waiting.append(_Waiting(None, start, start))
        elif _OPERATORS.get(text) is Kind.NOT:
            self._waiting.append(_Waiting(Kind.NOT, start, start))
        else:
            raise self._missing(start, text)
        return False

    def _after_operand(self, token: _Token) -> bool:
        """Take what may follow an operand; whether one is complete now."""
        text, start, _ = token
        kind = _OPERATORS.get(text)
        if text == ")":
            self._close(start)
            return True
        if kind is None or kind is Kind.NOT:
            raise FormulaError(
                "bad-formula",
                f"There is no operator before {text[:40]!a} at character {start}.",
                "Put one of & ^ | -> <-> between two operands.",
                start,
            )
        while self._waiting and self._binds(self._waiting[-1].kind, kind):
            self._apply()
        self._waiting.append(_Waiting(kind, start, self._spans[-1][0]))
        return False

    @staticmethod
    def _binds(before: Kind | None, kind: Kind) -> bool:
        """Whether an operator takes the operand between it and the one behind."""
        if before is None:
            return False
        left, right = _TIGHTNESS.index(before), _TIGHTNESS.index(kind)
        return left < right or (left == right and kind not in _TO_THE_RIGHT)

    def _close(self, position: int) -> None:
        while self._waiting and self._waiting[-1].kind is not None:
            self._apply()
        if not self._waiting:
            raise FormulaError(
                "bad-formula",
                f"The ) at character {position} closes nothing.",
                "Delete it, or put the ( where it belongs.",
                position,
            )
        # What is in brackets is told with them.
        self._spans[-1] = self._waiting.pop().start, position + 1

    def _apply(self) -> None:
        """Give the last operator its operands."""
        kind, position, start = self._waiting.pop()
        assert kind is not None, "brackets are closed by themselves"
        self._gates += 1
        if self._gates > MOST_GATES:
            raise _too_large(several(MOST_GATES, "operator"), position)
        _, stop = self._spans.pop()
        if kind is not Kind.NOT:
            self._spans.pop()
        self._spans.append((start, stop))
        self._steps.append(Step(kind, self._text[start:stop]))

    def _missing(self, position: int, found: str | None = None) -> FormulaError:
        if found is None and not self._text.strip():
            return FormulaError(
                "bad-formula", "The formula is empty.", "Send one such as (a & b) | !c.", 0
            )
        what = "the end" if found is None else f"{found!a} at character {position}"
        doubled = found in ("&", "|") and self._text[:position].endswith(found)
        fix = f"Write a single {found}." if doubled else f"Put {_OPERAND} there."
        return FormulaError("bad-formula", f"An operand is missing before {what}.", fix, position)

    def _unknown(self, position: int) -> FormulaError:
        return FormulaError(
            "bad-formula",
            f"The symbol {self._text[position]!a} at character {position} is no part of a formula.",
            "Use names of letters, digits and _ that begin with no digit, 0, 1, ( ) and the "
            "operators ! & ^ | -> <->.",
            position,
        )


def _too_large(most: str, position: int) -> FormulaError:
    return FormulaError(
        "formula-too-large",
        f"The formula has more than {most}.",
        f"Send one of at most {most}.",
        position,
    )
