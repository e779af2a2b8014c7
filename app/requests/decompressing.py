"""Compressed bodies: which encodings are read, and what is said of damaged ones."""

from http import HTTPStatus
from types import MappingProxyType
from typing import Final

from minecheck.app import problems
from minecheck.app.problems import ProblemError

#: The encodings of bodies, by the names that Content-Encoding has for them.
_ENCODINGS: Final = MappingProxyType(
    {"": "identity", "identity": "identity", "gzip": "gzip", "x-gzip": "gzip", "zstd": "zstd"}
)
_READ: Final = ("gzip", "zstd", "identity")


def read_encoding(header: bytes) -> str:
    """Return the encoding of a body: gzip, zstd or identity.

    Args:
        header: the value of Content-Encoding, empty if there is none.

    Raises:
        ProblemError: 415, it is none of these.
    """
    name = header.decode("latin-1").strip()
    encoding = _ENCODINGS.get(name.lower())
    if encoding is None:
        fix = "Compress the body with gzip or zstd, or send it as it is."
        raise problems.make_encoding_problem(name, fix, *_READ)
    return encoding


def make_damaged_body_problem(encoding: str) -> ProblemError:
    """Return the problem of a body that is not in the encoding that it is declared to be in.

    Args:
        encoding: gzip or zstd.
    """
    is_gzip = encoding == "gzip"
    code = "invalid-gzip" if is_gzip else "invalid-zstd"
    return ProblemError(
        HTTPStatus.BAD_REQUEST,
        code,
        f"The body is not valid {encoding}, or ends early.",
        "Send it again, or without Content-Encoding.",
    )
