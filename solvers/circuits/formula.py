"""Boolean formulas, read from text.

From the tightest to the loosest: ``!`` or ``~``, ``&``, ``^``, ``|``, ``->``, ``<->``; the arrow
``->`` groups to the right, all others to the left. Names are letters, digits and underscores;
``0`` and ``false``, ``1`` and ``true`` are constants.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from minecheck.minefield.errors import FixableError
from minecheck.minefield.numerals import format_count

#: Bounds of what is read: what is larger makes no board that people would look at.
MOST_CHARACTERS: Final = 2000
MOST_VARIABLES: Final = 16
MOST_GATES: Final = 64


class StepKind(StrEnum):
    """The kind of a step of a formula."""

    VARIABLE = "variable"
    TRUE = "true"
    FALSE = "false"
    NOT = "not"
    AND = "and"
    XOR = "xor"
    OR = "or"
    IMPLIES = "implies"
    IFF = "iff"


@dataclass(eq=False, repr=False)
class FormulaError(FixableError):
    """A formula that cannot be read: what is wrong and how to fix it.

    ``code`` is a stable slug, ``position`` that of the character at fault, from 0.
    """

    code: str
    detail: str
    fix: str
    position: int


class FormulaStep(NamedTuple):
    """A variable, a constant, or a gate for the steps before it; ``text`` is what it stands for."""

    kind: StepKind
    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in postfix order: a gate follows its operands, the left one first.

    ``variables`` are in the order in which they first appear.
    """

    steps: tuple[FormulaStep, ...]
    variables: tuple[str, ...]


_NAMED: Final = {
    "0": StepKind.FALSE,
    "false": StepKind.FALSE,
    "1": StepKind.TRUE,
    "true": StepKind.TRUE,
}
_OPERATORS: Final = {
    "!": StepKind.NOT,
    "~": StepKind.NOT,
    "&": StepKind.AND,
    "^": StepKind.XOR,
    "|": StepKind.OR,
    "->": StepKind.IMPLIES,
    "<->": StepKind.IFF,
}
#: The tightest first.
_TIGHTNESS: Final = [
    StepKind.NOT,
    StepKind.AND,
    StepKind.XOR,
    StepKind.OR,
    StepKind.IMPLIES,
    StepKind.IFF,
]
_TO_THE_RIGHT: Final = (StepKind.NOT, StepKind.IMPLIES)
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

    kind: StepKind | None
    position: int
    #: The position in the text where the operand begins.
    start: int


def parse_formula(text: str) -> Formula:
    """Read a formula, operator by operator; nothing nests too deeply.

    Raises:
        FormulaError: it is empty, too large, or makes no sense at a character, which it names.
    """
    if len(text) > MOST_CHARACTERS:
        raise _make_size_error(format_count(MOST_CHARACTERS, "character"), MOST_CHARACTERS)
    return _Reader(text).read_formula()


class _Reader:
    """Dijkstra's shunting yard: operators wait until a looser one, or a bracket, follows."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._steps: list[FormulaStep] = []
        #: The spans of the operands that no operator has taken yet.
        self._spans: list[tuple[int, int]] = []
        self._waiting: list[_Waiting] = []
        self._variables: dict[str, None] = {}
        self._gates = 0

    def read_formula(self) -> Formula:
        operand = False
        for token in self._iterate_tokens():
            operand = (
                self._take_after_operand(token) if operand else self._take_before_operand(token)
            )
        if not operand:
            raise self._make_operand_error(len(self._text))
        while self._waiting:
            if self._waiting[-1].kind is None:
                raise FormulaError(
                    "bad-formula",
                    f"The ( at character {self._waiting[-1].position} is never closed.",
                    "Close it with a ).",
                    self._waiting[-1].position,
                )
            self._apply_operator()
        return Formula(tuple(self._steps), tuple(self._variables))

    def _iterate_tokens(self) -> Iterator[_Token]:
        position, end = 0, len(self._text.rstrip())
        while position < end:
            match = _TOKEN.match(self._text, position)
            if match is None:
                raise self._make_character_error(
                    position + len(self._text[position:]) - len(self._text[position:].lstrip())
                )
            name, symbol = match.groups()
            position = match.end()
            yield _Token(name or symbol, position - len(name or symbol), name is not None)

    def _take_before_operand(self, token: _Token) -> bool:
        """Take what may begin an operand; whether one is complete now."""
        text, start, operand = token
        if operand:
            kind = _NAMED.get(text, StepKind.VARIABLE)
            if kind is StepKind.VARIABLE:
                self._variables[text] = None
                if len(self._variables) > MOST_VARIABLES:
                    raise _make_size_error(format_count(MOST_VARIABLES, "variable"), start)
            self._steps.append(FormulaStep(kind, text))
            self._spans.append((start, start + len(text)))
            return True
        if text == "(":
            self._waiting.append(_Waiting(None, start, start))
        elif _OPERATORS.get(text) is StepKind.NOT:
            self._waiting.append(_Waiting(StepKind.NOT, start, start))
        else:
            raise self._make_operand_error(start, text)
        return False

    def _take_after_operand(self, token: _Token) -> bool:
        """Take what may follow an operand; whether one is complete now."""
        text, start, _ = token
        kind = _OPERATORS.get(text)
        if text == ")":
            self._close_bracket(start)
            return True
        if kind is None or kind is StepKind.NOT:
            raise FormulaError(
                "bad-formula",
                f"There is no operator before {text[:40]!r} at character {start}.",
                "Put one of & ^ | -> <-> between two operands.",
                start,
            )
        while self._waiting and self._binds_tighter(self._waiting[-1].kind, kind):
            self._apply_operator()
        self._waiting.append(_Waiting(kind, start, self._spans[-1][0]))
        return False

    @staticmethod
    def _binds_tighter(before: StepKind | None, kind: StepKind) -> bool:
        """Return True if an operator takes the operand between it and the next operator."""
        if before is None:
            return False
        left, right = _TIGHTNESS.index(before), _TIGHTNESS.index(kind)
        return left < right or (left == right and kind not in _TO_THE_RIGHT)

    def _close_bracket(self, position: int) -> None:
        while self._waiting and self._waiting[-1].kind is not None:
            self._apply_operator()
        if not self._waiting:
            raise FormulaError(
                "bad-formula",
                f"The ) at character {position} has no ( before it.",
                "Delete it, or put the ( where it belongs.",
                position,
            )
        # The span of an operand includes the brackets around it.
        self._spans[-1] = self._waiting.pop().start, position + 1

    def _apply_operator(self) -> None:
        """Give the last operator its operands."""
        kind, position, start = self._waiting.pop()
        assert kind is not None, "brackets are closed by themselves"
        self._gates += 1
        if self._gates > MOST_GATES:
            raise _make_size_error(format_count(MOST_GATES, "operator"), position)
        _, stop = self._spans.pop()
        if kind is not StepKind.NOT:
            self._spans.pop()
        self._spans.append((start, stop))
        self._steps.append(FormulaStep(kind, self._text[start:stop]))

    def _make_operand_error(self, position: int, symbol: str | None = None) -> FormulaError:
        if symbol is None and not self._text.strip():
            return FormulaError(
                "bad-formula", "The formula is empty.", "Send one such as (a & b) | !c.", 0
            )
        location = "the end" if symbol is None else f"{symbol!r} at character {position}"
        doubled = symbol in ("&", "|") and self._text[:position].endswith(symbol)
        fix = f"Write a single {symbol}." if doubled else f"Put {_OPERAND} there."
        return FormulaError(
            "bad-formula", f"An operand is missing before {location}.", fix, position
        )

    def _make_character_error(self, position: int) -> FormulaError:
        return FormulaError(
            "bad-formula",
            f"The symbol {self._text[position]!r} at character {position} is not allowed.",
            "Use names of letters, digits and _ that begin with no digit, 0, 1, ( ) and the "
            "operators ! & ^ | -> <->.",
            position,
        )


def _make_size_error(most: str, position: int) -> FormulaError:
    return FormulaError(
        "formula-too-large",
        f"The formula has more than {most}.",
        f"Send one of at most {most}.",
        position,
    )
