"""The meanings that senders give to symbols of their own.

Tested in tests/minefield/test_notation.py and tests/minefield/reader/test_read.py.
"""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from minecheck.minefield.board import CLUE_CODES, FLAG, MINE, SAFE, SYMBOLS, UNKNOWN, BoardError
from minecheck.minefield.spelling import suggest_name

#: Names of what a symbol can mean, and their cell codes.
MEANING_CODES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "unknown": UNKNOWN,
        "mine": MINE,
        "safe": SAFE,
        "flag": FLAG,
        **CLUE_CODES,
    }
)
#: The same, the other way round.
MEANING_NAMES: Final[Mapping[int, str]] = MappingProxyType(
    {code: name for name, code in MEANING_CODES.items()}
)
#: The symbols of the standard notation; where two mean the same, the first is drawn.
STANDARD_CODES: Final[Mapping[str, int]] = MappingProxyType(
    {
        **CLUE_CODES,
        "?": UNKNOWN,
        "B": MINE,
        "*": MINE,
        "S": SAFE,
        "F": FLAG,
    }
)
_FIX: Final = (
    'Send an object such as {"X": "mine", ".": "unknown"}, or text such as X=mine,.=unknown.'
)


def read_symbols(source: object, name: str = "symbols") -> dict[str, int]:
    """Return the cell code of each symbol that a sender has given a meaning.

    Args:
        source: a mapping of symbols to meanings, the same as JSON text, or text such as
            ``X=mine,.=unknown``. A meaning is one of `MEANING_CODES`, or a symbol of the standard
            notation. None gives no meanings.
        name: how the sender's field or option is called, for messages.

    Raises:
        BoardError: it is neither, or a meaning is unknown.
    """
    codes: dict[str, int] = {}
    for symbol, meaning in _list_pairs(source, name):
        named = str(meaning).strip()
        code = MEANING_CODES.get(named.lower(), STANDARD_CODES.get(named))
        if code is None:
            raise BoardError(
                "unknown-meaning",
                f"{name} gives {symbol[:20]!r} the meaning {named[:40]!r}, which does not exist.",
                f"{suggest_name(named, MEANING_CODES)}Use one of: {', '.join(MEANING_CODES)}.",
            )
        codes[symbol] = code
    return codes


def _list_pairs(source: object, name: str) -> Sequence[tuple[str, object]]:
    """Return the symbols and their meanings, as they were given."""
    if isinstance(source, str):
        if not source.lstrip().startswith("{"):
            pairs = [pair.rpartition("=") for pair in source.split(",")] if source.strip() else []
            if not all(separator for _, separator, _ in pairs):
                raise BoardError("unknown-meaning", f"{name} has a part without =.", _FIX)
            # A blank is a symbol itself, and nothing at all is that of an empty field.
            return [(symbol.strip() or symbol[:1], meaning) for symbol, _, meaning in pairs]
        try:
            source = json.loads(source)
        except (ValueError, RecursionError):
            raise BoardError("unknown-meaning", f"{name} is not valid JSON.", _FIX) from None
    if source is None:
        return []
    if not isinstance(source, Mapping):
        raise BoardError("unknown-meaning", f"{name} is not an object.", _FIX)
    return [(str(symbol), meaning) for symbol, meaning in source.items()]


def translate_cells(source: Any, codes: Mapping[str, int]) -> Any:
    """Return a board with the symbols in ``codes`` replaced by those of the standard notation.

    Args:
        source: text, a list of strings, or nested lists, whose numbers and nulls are symbols, too.
            Symbols of several characters stand between blanks in a string.
        codes: the cell code of each symbol; all other symbols stay.
    """
    names = {symbol: SYMBOLS[code] for symbol, code in codes.items()}
    if isinstance(source, str):
        source = source.replace("\r\n", "\n").strip("\n").split("\n")
    if not isinstance(source, Sequence):
        return source
    return [_translate_row(row, names) for row in source]


def _translate_row(row: object, names: Mapping[str, str]) -> object:
    if isinstance(row, str) and " " in row and any(len(symbol) > 1 for symbol in names):
        return " ".join(names.get(cell, cell) for cell in row.split(" "))
    if isinstance(row, str):
        return "".join(names.get(cell, cell) for cell in row)
    if not isinstance(row, Sequence):
        return row
    return [names.get("null" if cell is None else str(cell), cell) for cell in row]
