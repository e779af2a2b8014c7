"""Legends of boards: what lines, comments and constants say that symbols mean.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from typing import Final

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN

#: Parts of a legend: X = mine, - is an unknown cell; mine: X. A digit is a symbol if it is alone.
_LEGEND: Final = re.compile(
    r"(?<![\w.])(?P<q>['\"]?)([^\s\w'\"]|[A-Za-z]|(?<![^\s(,;/#%]\s)(?<!\S)-?[0-9]{1,2})(?P=q)\s*"
    r"(?:=|:|-+>?|→|\bmeans\b|\bis\b)\s*(?:an? |the )?([^\W\d_]{3,12})\b"
    r"(?: cells?| squares?| tiles?| fields?)?(?=\s*(?:[,;.)|]|\band\b|\Z))",
    re.IGNORECASE,
)
_NAMED_LEGEND: Final = re.compile(
    r"\b([^\W\d_]{4,12})\s*(?:=|:|-+>|→|\bis\b)\s*(['\"]?)([^\s\w'\"]|[A-Za-z])\2(?=\s*(?:[,;.)|]|\Z))",
    re.IGNORECASE,
)
#: What may stand around the parts of a legend: words, but no cells.
_AROUND_LEGEND: Final = re.compile(r"[^0-9?*#]*")
#: A number with the name of a meaning; not that of a count, such as MINE_COUNT = 9.
_CONSTANT: Final = re.compile(
    r"\b(?:[A-Za-z]{1,20}[_.])?(mine|bomb|unknown|hidden|covered|closed|unopened|flag|empty|safe)"
    r"\s*(?::\s*\w{1,9}\s*)?(?:=|:=|:)\s*(-?[0-9]{1,2})\b",
    re.IGNORECASE,
)
_MEANINGS: Final = {
    **dict.fromkeys(("unknown", "hidden", "covered", "closed", "unopened", "verdeckt"), UNKNOWN),
    **dict.fromkeys(("mine", "mines", "bomb", "bombs", "bombe"), MINE),
    **dict.fromkeys(("empty", "blank", "zero", "leer", "open", "opened", "revealed"), 0),
    **dict.fromkeys(("flag", "flagged", "flags"), FLAG),
    "safe": SAFE,
}


def split_legend(text: str) -> tuple[str, dict[str, int]]:
    """Return a text without the lines that say what a symbol means, and these meanings."""
    legend: dict[str, int] = {}
    if not _names_meanings(text):
        return text, legend
    others = []
    for line in text.split("\n"):
        pairs = [(pair[2], pair[3]) for pair in _LEGEND.finditer(line)]
        rest = _LEGEND.sub("", line)
        pairs += [(pair[3], pair[1]) for pair in _NAMED_LEGEND.finditer(rest)]
        meanings = {
            symbol: _MEANINGS[word.lower()] for symbol, word in pairs if word.lower() in _MEANINGS
        }
        # Mines: ? is a total that is not known.
        meanings = {
            symbol: code for symbol, code in meanings.items() if symbol != "?" or code == UNKNOWN
        }
        if meanings and _AROUND_LEGEND.fullmatch(_NAMED_LEGEND.sub("", rest)):
            legend |= meanings
        else:
            others.append(line)
    return "\n".join(others), legend


def _names_meanings(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in _MEANINGS)


def find_constants(text: str) -> dict[str, int]:
    """Return the meanings of numbers that source code has names for, such as MINE = 9.

    Lower-case names of clues may be those of anything.
    """
    if not _names_meanings(text):
        return {}
    constants = _CONSTANT.findall(text)
    pairs = [
        (value, name) for name, value in constants if name.isupper() or value not in "012345678"
    ]
    pairs += [(pair[2], pair[3]) for line in text.split("\n") for pair in _LEGEND.finditer(line)]
    return {value: _MEANINGS[name.lower()] for value, name in pairs if name.lower() in _MEANINGS}
