"""Totals of mines: the names that people give them, in several languages, and how texts say them.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final
from unicodedata import normalize

_MINES: Final = (
    "(?:mines|bombs|minen|bomben|minas|bombas|bombes|miny|bomby|мины?|мин|бомбы?|地?雷|爆弾|지뢰)"
)
_NUMBER_OF: Final = (
    "(?:total|overall|num|number|nr|nb|no|n|count|anzahl|gesamtzahl|gesamt|of|der|de|总|總)"
)
_COUNTED: Final = "(?:count|total|num|number|anzahl|zahl|[总總]?[数數]量?|个数|個数|수|개수)"
_TOTAL_NAME: Final = re.compile(
    f"(?:{_NUMBER_OF}_?)*{_MINES}(?:_?{_COUNTED})?|(?:mine|bomb)_?{_COUNTED}|total"
)
#: A capital letter within a name.
_HUMP: Final = re.compile("(?<=[a-z])(?=[A-Z])")
#: A number with a name: mines = 10, "mines": 10, int: mines = 6, mines: int = 6, --mines 10.
_NUMBER: Final = re.compile(
    r"(?<!left )(?<!emaining )\b(\w{1,40})['\"]?(?:\s*:\s*(\w{1,40}))?"
    r"(?:\s*[:=]{1,2}|(?<=--mines)\s)\s*([0-9]{1,9})\b"
)
_OPTION: Final = re.compile(
    r"\bminecheck\b[^\n]*\s-m[ =]?([0-9]{1,9})\b|\A\s*-m[ =]?([0-9]{1,9})\s*\Z"
)
#: A total in words or signs: 10 mines, Mines 10, *=10. A bare 💣 1 may be two cells.
_COUNT: Final = re.compile(
    r"[0-9]{1,5}\s*x\s*[0-9]{1,5}\s*/\s*([0-9]{1,9})|"
    rf"\W*([0-9]{{1,9}})\s*(?:[个個颗]\s*)?(?:mine|bomb|{_MINES})\W*|\W*{_MINES}\s+\(?([0-9]{{1,9}})\W*"
    r"|\s*[💣*]\s*(?:[:=]\s*|(?<!\*)\s(?=[0-9]{2}))([0-9]{1,9})\s*",
    re.IGNORECASE,
)
#: A sentence about the whole board: a board with 10 mines, 10 mines in total.
_SENTENCE: Final = re.compile(
    r".*\b(?:board|grid|field|map|game|puzzle|total|feld)\b.{0,40}\b(?:has|have|with|contains|of|mit|hat)"
    rf"\s+([0-9]{{1,9}})\s+{_MINES}\W*"
    rf"|.*?\b([0-9]{{1,9}})\s+{_MINES}\s+(?:in\s+total|total|overall|altogether|insgesamt"
    r"|(?:on|in)\s+the\s+(?:whole\s+|entire\s+)?(?:board|grid|field|map))\b\W*",
    re.IGNORECASE,
)
#: Signs between the parts of a caption such as Beginner (9x9, 10 mines), or w=9 h=9 mines=10.
_BETWEEN_PARTS: Final = re.compile(
    r"[,;()!|\u2013]|\s-\s|\s{2,}|(?<=[0-9])\s+(?=[^\W\d]\w{0,20}\s?[:=]\s?[0-9])"
)
#: Longer lines state no total, but are rows.
_LONGEST: Final = 300
_LABEL: Final = re.compile(r"^\W*([^\W\d_](?:[^\W\d]|[ -]){0,40}?)(?:\s*#?[0-9]{1,4})?\s*[:=](.*)$")


def split_label(text: str) -> tuple[str, str]:
    """Return the name before a colon or an equals sign, and the value behind it, if any."""
    found = _LABEL.match(text)
    return (found[1].strip(), found[2].strip(" \t.,;*_")) if found else ("", "")


def split_parts(line: str) -> list[str]:
    """Return the parts of a caption, such as Beginner and 10 mines."""
    return _BETWEEN_PARTS.split(line)


def is_total_name(name: str) -> bool:
    """Return True for a name that people give to the number of mines on the whole board."""
    plain = re.sub("[ .-]+", "_", _HUMP.sub("_", name.strip())).lower()
    return _TOTAL_NAME.fullmatch(plain.strip("_")) is not None


def read_total(part: str) -> int | None:
    """Return the total that a text states and says no more than that, such as Mines: 10."""
    if len(part) > _LONGEST:
        return None
    for pattern in (_COUNT, _SENTENCE, _OPTION):
        if (found := pattern.fullmatch(part)) is not None:
            return int(next(filter(None, found.groups())))
    name, value = split_label(part)
    if name and (count := _COUNT.fullmatch(value)) is not None:
        return int(next(filter(None, count.groups())))
    return int(value) if is_total_name(name) and re.fullmatch("[0-9]{1,9}", value) else None


def find_total(text: str) -> int | None:
    """Return the first total in source code, a command or sentences, None if there is none."""
    text = normalize("NFKC", text)
    named = (int(value) for name, value in name_numbers(text) if is_total_name(name))
    options = (int(one or other) for one, other in _OPTION.findall(text))
    said = (read_total(part) for line in text.split("\n") for part in split_parts(line))
    return next((one for one in chain(named, options, said) if one is not None), None)


def add_total(text: str, around: str) -> str:
    """Return the rows of a text, with a last line for the total that the text around states."""
    total = find_total(around)
    return text if total is None else f"{text}\nmines: {total}"


def name_numbers(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names of numbers with their digits; the name of a type may be among them."""
    for name, other, value in _NUMBER.findall(text):
        yield name, value
        yield other, value
