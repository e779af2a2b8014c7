"""JSON values read as fields of a certificate, and what is wrong with them.

Tested in tests/minefield/certificates/test_document.py.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

_DIGITS: Final = re.compile("0|[1-9][0-9]*", re.ASCII)


class CertificateError(ValueError):
    """A certificate that does not show what it claims, and why.

    ``field`` is the field at fault, ``entry`` the entry in it: an index, or row and
    column, from 0; ``line`` the line of its text (from 1) or None.
    """

    def __init__(
        self, field: str, detail: str, entry: tuple[int, ...] = (), line: int | None = None
    ) -> None:
        super().__init__(field, detail, entry, line)
        self.field = field
        self.detail = detail
        self.entry = entry
        self.line = line

    def within_certificate(self, index: int) -> "CertificateError":
        """Return the same error, whose field says which of several certificates has it."""
        field = f"proofs {index} {self.field}".rstrip()
        return type(self)(field, self.detail, self.entry, self.line)

    def __str__(self) -> str:
        location = [] if self.line is None else [f"line {self.line}"]
        return f"{' '.join([self.field, *location, *map(str, self.entry)])}: {self.detail}"


def is_count(value: object) -> bool:
    """Return True for a JSON value that is a count: a text of decimal digits."""
    return isinstance(value, str) and _DIGITS.fullmatch(value) is not None


def require_object(
    field: str, value: object, *entry: int, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a JSON value that must be an object whose names are text.

    Args:
        field: the field that an error names.
        value: the value.
        entry: its position in the field: an index, or row and column, from 0.
        names: the names that it must have, and no others; any if there are none here.

    Raises:
        CertificateError: it is no such object.
    """
    if (
        isinstance(value, dict)
        and all(isinstance(name, str) for name in value)
        and (not names or value.keys() == set(names))
    ):
        return value
    described = f" with {' and '.join(names)}" if names else ""
    raise CertificateError(field, f"It is not an object{described}.", entry)


def require_fields(record: dict[str, Any], *fields: str) -> None:
    """Reject an object whose fields are not exactly these.

    Raises:
        CertificateError: its ``field`` is one that is missing or unknown.
    """
    missing = next((field for field in fields if field not in record), None)
    if missing is not None:
        raise CertificateError(missing, "It is missing.")
    extra = next((field for field in record if field not in fields), None)
    if extra is not None:
        raise CertificateError(ascii(extra[:80])[1:-1], "Unknown field.")


def require_list(field: str, value: object, *entry: int) -> list[Any]:
    """Return a JSON value that must be a list.

    Args:
        field: the field that an error names.
        value: the value.
        entry: its position in the field: an index, or row and column, from 0.

    Raises:
        CertificateError: it is not a list.
    """
    if not isinstance(value, list):
        raise CertificateError(field, "It is not a list.", entry)
    return value


def require_number(field: str, value: object, *entry: int) -> int:
    """Return a JSON value that must be a whole number, 0 or more; JSON's true is none.

    Args:
        field: the field that an error names.
        value: the value.
        entry: its position in the field: an index, or row and column, from 0.

    Raises:
        CertificateError: it is no such number.
    """
    if type(value) is not int or value < 0:
        raise CertificateError(field, "It is not a whole number, 0 or more.", entry)
    return value
