"""Which fields answers have, and those that say nothing of the board: their types only are checked.

This is written by hand, from the documentation: it shares nothing with what writes answers.

Tested in tests/minefield/certificates/test_agreement.py.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final

from minecheck.minefield.certificates.fields import CertificateError, is_count, require_object

#: What each kind of answer says of the layouts: check, count, forced, analyze.
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "check": frozenset({"witness"}),
    "forced": frozenset({"forced"}),
    "count": frozenset({"count", "by_mines"}),
    "analyze": frozenset({"witness", "count", "by_mines", "forced", "probabilities", "safest"}),
}
#: Answers about a board state its size since version 0.7; earlier ones have none of these fields.
SIZE: Final = ("rows", "cols", "mines")
#: Every answer has these.
_ALWAYS: Final = ("consistent", "conflict", "solver")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_truth(value: object) -> bool:
    return isinstance(value, bool)


def _is_amount(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value) and value >= 0
    return type(value) is int and value >= 0


def _is_amount_or_null(value: object) -> bool:
    return value is None or _is_amount(value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


_Check = Callable[[object], bool]

#: Of fields with fields of their own: which there are, what they are, and whether they may be left
#: out.
_TYPES: Final[Mapping[str, Mapping[str, tuple[_Check, str, bool]]]] = {
    "solver": {
        "name": (_is_text, "a text", False),
        "engines": (_is_texts, "a list of texts", True),
        "machines": (_is_texts, "a list of texts", True),
        "complete": (_is_truth, "true or false", False),
        "elapsed_ms": (_is_amount, "a number, 0 or more", False),
        "note": (_is_text, "a text", True),
        "cached": (_is_truth, "true or false", True),
    },
    "estimate": {
        "products": (_is_amount_or_null, "a number, 0 or more, or null", False),
        "table": (_is_amount_or_null, "a number, 0 or more, or null", False),
    },
    "approximate": {
        "count": (is_count, "a text of digits", False),
        "epsilon": (_is_amount, "a number, 0 or more", False),
        "delta": (_is_amount, "a number, 0 or more", False),
    },
}


def check_fields(answer: Mapping[str, Any], on_board: bool) -> None:
    """Reject an answer that lacks a field which all answers of its kind have.

    Args:
        answer: the answer as JSON types.
        on_board: whether it is about a board, whose answers state its size, or about rules.

    Raises:
        CertificateError: its ``field`` is the one that is missing.
    """
    stated = frozenset(field for field in _KINDS["analyze"] if field in answer)
    if stated not in _KINDS.values():
        kind, fields = next(item for item in _KINDS.items() if stated <= item[1])
        missing = min(fields - stated)
        raise CertificateError(missing, f"It is missing, which answers to {kind} have.")
    size = SIZE if on_board and any(field in answer for field in SIZE) else ()
    for field in (*_ALWAYS, *size):
        if field not in answer:
            raise CertificateError(field, "It is missing.")


def require_types(field: str, record: object) -> tuple[list[str], list[str]]:
    """Check the types in ``solver``, ``estimate`` or ``approximate``.

    Args:
        field: ``solver``, ``estimate`` or ``approximate``.
        record: the JSON value of that field.

    Returns:
        The paths of its fields that are known, and of those that are not.

    Raises:
        CertificateError: one is of another type, or missing.
    """
    fields, types = require_object(field, record), _TYPES[field]
    checked = []
    for name, (is_right, expected, optional) in types.items():
        if name not in fields:
            if not optional:
                raise CertificateError(field, f"{name} is missing.")
            continue
        if not is_right(fields[name]):
            raise CertificateError(field, f"{name} is not {expected}.")
        checked.append(f"{field}.{name}")
    return checked, [f"{field}.{name}" for name in fields if name not in types]


def is_same(stated: object, right: object) -> bool:
    """Return whether two JSON values are the same, of the same types.

    A whole number may stand for a double only where the ``right`` one is a double, as some
    programs write 1.0 as 1.

    Args:
        stated: the value of the answer.
        right: the value that it should have.
    """
    if isinstance(right, dict):
        return (
            isinstance(stated, dict)
            and stated.keys() == right.keys()
            and all(is_same(stated[name], value) for name, value in right.items())
        )
    if isinstance(right, list):
        return (
            isinstance(stated, list)
            and len(stated) == len(right)
            and all(map(is_same, stated, right))
        )
    if isinstance(right, float):
        return type(stated) in (int, float) and stated == right
    return type(stated) is type(right) and stated == right
