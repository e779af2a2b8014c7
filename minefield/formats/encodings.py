"""Texts within texts: deflated in base64, as links have them, and JSON.

Tested in tests/minefield/formats/test_penpa.py and tests/minefield/reader/test_read.py.
"""

import json
import re
import zlib
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from contextlib import suppress
from json import JSONDecodeError
from typing import Any, Final

_STANDARD_BASE64: Final = str.maketrans("-_", "+/")
#: The escape in JSON of half a character: two of them are one character of UTF-16.
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def deflate_text(text: str) -> str:
    """Return a text deflated, in base64 without padding."""
    deflater = zlib.compressobj(9, wbits=-15)
    packed = deflater.compress(text.encode()) + deflater.flush()
    return b64encode(packed).decode().rstrip("=")


def inflate_text(packed: str, most: int) -> str | None:
    """Return a text that was deflated and written in base64 of either alphabet, without padding.

    Returns:
        None if it is damaged, or has more than ``most`` bytes.
    """
    code = packed.translate(_STANDARD_BASE64).rstrip("=")
    with suppress(Base64Error, zlib.error, ValueError):
        inflater = zlib.decompressobj(-15)
        text = inflater.decompress(b64decode(code + "=" * (-len(code) % 4)), most)
        return text.decode() if inflater.eof else None
    return None


class RepeatedFieldError(ValueError):
    """An object of JSON that has a field twice, with different values; the message is its name."""


def load_json(text: str) -> Any:
    """Return the value of JSON whose strings can be written in UTF-8.

    Raises:
        JSONDecodeError: it is not valid, or a string has half a character, which the standard
            library lets through.
        RepeatedFieldError: an object has a field twice, with different values.
    """
    value = json.loads(text, object_pairs_hook=_build_object)
    if escape := _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise JSONDecodeError("Half a character", text, escape.start()) from None
    return value


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with some fields.

    Raises:
        RepeatedFieldError: two have the same name and different values.
    """
    fields = dict(pairs)
    if len(fields) < len(pairs):
        for name, value in pairs:
            if fields[name] != value:
                raise RepeatedFieldError(name)
    return fields
