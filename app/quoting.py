"""Quotes of values that people have sent, for messages to them."""

from typing import Final

#: The escapes of JSON that have a letter of their own.
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: The number of characters of a value that a message repeats.
_LONGEST: Final = 80


def quote_text(text: str, longest: int = _LONGEST) -> str:
    r"""Return a text as a string of JSON, with an ellipsis after it if it was cut.

    Letters of all scripts stay as they are. Whatever is not printable is escaped, such as control
    characters, marks that turn the direction of writing, and lone halves of surrogate pairs: a
    message is one line, and can always be encoded.

    Args:
        text: any text, such as ``no\nne``.
        longest: the number of characters that are repeated.
    """
    quoted = "".join(map(_escape_character, text[:longest]))
    return f'"{quoted}"' + ("…" if len(text) > longest else "")


def _escape_character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    # JSON has no escape for more than 16 bits: it writes two of them (RFC 8259, section 7).
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
