"""Numbers of mines in words, or with signs between their digits.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from typing import Final

from minecheck.minefield.reader.vocabulary import NUMBERS

#: For each language, its words for mines, and its numbers by their words.
_VALUES: Final = [
    (
        frozenset(words.mines.split()),
        {
            **{word: number for number, word in enumerate(words.ones.split(), 2)},
            **{word: 10 * tens for tens, word in enumerate(words.tens.split(), 2)},
        },
    )
    for words in NUMBERS
]
#: Words for one, which alone is no number of mines: one mine may be a cell.
_ONE: Final = ("one", "ein")
_ALL_VALUES: Final = {word: at for _, values in _VALUES for word, at in values.items()}
_IN_COMPOUNDS: Final = {**_ALL_VALUES, **dict.fromkeys(_ONE, 1)}
_MINES: Final = "|".join(sorted({name for names, _ in _VALUES for name in names}))
_WORDS: Final = r"(?P<words>[^\W\d_]{1,17}(?:[ -](?:e |y |et )?[^\W\d_]{1,17})?)"
#: Words before mines, or behind them, that may be their number.
_COUNTED: Final = re.compile(rf"(?<![\w.,'-]){_WORDS}(?=\s+(?P<mines>{_MINES})\b)", re.IGNORECASE)
_LABELLED: Final = re.compile(
    rf"\b(?P<mines>{_MINES})(?: (?:insgesamt|gesamt|total|au total|en total|in total))?"
    rf"\s?(?:[:=]|\b(?:are|is))\s{_WORDS}(?=[.,;]?\Z)",
    re.IGNORECASE,
)
#: A number in a compound such as 3-mine board.
_COMPOUND: Final = re.compile(r"\b([0-9]{1,5}|[^\W\d_]{1,17})-(?=(?:mine|bomb)s?\b)", re.IGNORECASE)
_DIGITS: Final = "一二三四五六七八九"
_CHINESE: Final = re.compile(
    rf"(?<![、{_DIGITS}十百])([{_DIGITS}]?十[{_DIGITS}]?|[{_DIGITS}])(?=[個个颗顆]?(?:地?雷|炸弹))"
)
#: What makes such a number another one: one hundred and ten, at least ten, ten or twelve.
_BEFORE: Final = re.compile(
    r"\b(?:hundred|and|hundert|cent|ciento|cento|thousand|half|several|few|couple of|or|to|bis|ou"
    r"|oder|twice|not|than|least|most|about|almost|nearly|around|between|up|over|under|the|these)"
    r"\s+(?:a\s+)?\Z",
    re.IGNORECASE,
)
_MAY_BE_NAMED: Final = re.compile("min[ea]|bomb|雷|炸弹", re.IGNORECASE)
#: The digits of one: 1,000 or 5.0.
_SEPARATED: Final = re.compile(
    r"(?<![\w.,'-])([0-9]{1,3}(?:[,_'][0-9]{3})+|[0-9]{1,9}\.00?)"
    r"(?=\s+(?:mine[sn]|bomb\w{1,2}|minas)\b)"
    r"|(?<=[:=])\s*([0-9]{1,3}(?:[,_'][0-9]{3})+|[0-9]{1,9}\.00?)(?=[;)]?\s*\Z)",
    re.IGNORECASE,
)


def write_digits(line: str) -> str:
    """Return a line with digits alone for numbers of mines in words, or such as 1,000 or 5.0."""
    if _MAY_BE_NAMED.search(line) is None:
        return line
    plain = _SEPARATED.sub(lambda number: re.sub(r"\.0+\Z|[^\d\s]", "", number[0]), line)
    for pattern in (_COUNTED, _LABELLED):
        plain = pattern.sub(_write_words, plain)
    plain = _COMPOUND.sub(_write_compound, plain)
    return _CHINESE.sub(_write_chinese, plain)


def _write_words(found: re.Match[str]) -> str:
    """Return words with digits for the number that they end with, if it is that of the mines."""
    for words in (found["words"], found["words"].rpartition(" ")[2]):
        before = found.string[: found.end("words") - len(words)]
        number = _read_number(words.lower(), found["mines"].lower())
        last = before.rstrip().rpartition(" ")[2].lower()
        if number is not None and last not in _ALL_VALUES and not _BEFORE.search(before):
            return f"{before[found.start() :]}{number}"
    return found[0]


def _read_number(words: str, mines: str) -> int | None:
    """Return the number that words are, in a language that has this word for mines."""
    parts = re.split("[ -](?:e |y |et )?", words)
    if "und" in words:
        parts = words.split("und")[::-1]
    for names, values in _VALUES:
        if mines not in names:
            continue
        first, last = values.get(parts[0], 0), parts[-1]
        if last == "dozen" and (len(parts) == 1 or first or parts[0] in ("a", *_ONE)):
            return 12 * (first or 1)
        if len(parts) == 1 and first:
            return first
        second = 1 if last in _ONE else values.get(last, 0)
        # French has numbers such as dix-sept.
        if len(parts) > 1 and first in range(10, 100, 10) and 0 < second < 20:
            return first + second
    return None


def _write_compound(found: re.Match[str]) -> str:
    if found[1].isdigit():
        return f"{found[1]} "
    number = _IN_COMPOUNDS.get(found[1].lower())
    if number is None or _BEFORE.search(found.string[: found.start()]):
        return found[0]
    return f"{number} "


def _write_chinese(found: re.Match[str]) -> str:
    tens, ten, ones = found[1].rpartition("十")
    return str(10 * (_DIGITS.find(tens) + 1 or 1) * bool(ten) + _DIGITS.find(ones or " ") + 1)
