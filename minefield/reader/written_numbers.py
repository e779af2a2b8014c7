"""Numbers of mines in words, or with signs between their digits.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from typing import Final

from minecheck.minefield.reader.vocabulary import NUMBERS

_ONES: Final = {
    "one": 1,
    "ein": 1,
    **{word: at for _, ones, _ in NUMBERS for at, word in enumerate(ones.split(), 2)},
}
_TENS: Final = {word: 10 * at for _, _, tens in NUMBERS for at, word in enumerate(tens.split(), 2)}


#: The length of mines, bombs, Minen and minas.
_LABEL: Final = 5


def _make_pattern(name: str, ones: str, tens: str) -> str:
    """Return the pattern of a number before a word for mines, or behind it."""
    # Only alternatives of one length can be looked for behind.
    labels = "|".join(part for part in name.split("|") if len(part) == _LABEL)
    one, ten = (words.replace(" ", "|") for words in (f"one ein {ones}", tens))
    number = rf"(?:{ten})(?:[ -](?:e |y |et )?(?:{one}))?|(?:{one})und(?:{ten})"
    number += rf"|{ones.replace(' ', '|')}|(?:(?:a|{one}) )?dozen"
    return (
        rf"(?<![\w.,'-])(?:{number})(?=\s+(?:{name})\b)"
        rf"|(?<=\b(?:{labels})[:=]\s)"
        rf"(?:{number})(?=[.,;]?\Z)"
    )


_CHINESE: Final = "一二三四五六七八九"
#: Such a number, one in a compound such as 3-mine board, and Chinese ones.
_NUMBER: Final = re.compile(
    f"(?P<words>{'|'.join(_make_pattern(*language) for language in NUMBERS)})"
    rf"|\b(?P<part>[0-9]{{1,5}}|{'|'.join(_ONES)})-(?=(?:mine|bomb)s?\b)"
    rf"|(?<![、{_CHINESE}十百])(?P<chinese>[{_CHINESE}]?十[{_CHINESE}]?|[{_CHINESE}])"
    r"(?=[個个颗顆]?(?:地?雷|炸弹))",
    re.IGNORECASE,
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
    return _NUMBER.sub(_write_number, plain)


def _write_number(number: re.Match[str]) -> str:
    """Return a number in digits; as it is, if words before it make it another one."""
    if written := number["chinese"]:
        tens, ten, ones = written.rpartition("十")
        return str(10 * (_CHINESE.find(tens) + 1 or 1) * bool(ten) + _CHINESE.find(ones or " ") + 1)
    words = (number["words"] or number["part"]).lower()
    if words.isdigit():
        return f"{words} "
    if _BEFORE.search(number.string[: number.start()]):
        return number[0]
    parts = re.split(r"[ -]|und", words)
    total = sum(_ONES.get(part, 0) + _TENS.get(part, 0) for part in parts)
    if parts[-1] == "dozen":
        total = 12 * (total or 1)
    return f"{total} " if number["part"] else str(total)
