"""Numbers of mines in words, or with signs between their digits.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from typing import Final

#: Words for the numbers from 1, and for the tens from 20, in English, German, French, Spanish,
#: Italian and Portuguese.
_FROM_ONE: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen",
    "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
    " sechzehn siebzehn achtzehn neunzehn",
    "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    "un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici",
    "um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze",
)
_TENS: Final = (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "vingt trente quarante cinquante soixante",
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
)
_ONES: Final = {word: at for words in _FROM_ONE for at, word in enumerate(words.split(), 1)}
_WHOLE_TENS: Final = {word: 10 * at for words in _TENS for at, word in enumerate(words.split(), 2)}
_ONE: Final = "|".join(_ONES)
_TEN: Final = "|".join(_WHOLE_TENS)
_IN_WORDS: Final = (
    rf"(?:{_TEN})(?:[ -](?:e |y |et )?(?:{_ONE}))?|(?:{_ONE})und(?:{_TEN})|{_ONE}"
    rf"|(?:(?:a|{_ONE}) )?dozen"
)
_CHINESE: Final = "一二三四五六七八九"
_NAME: Final = r"(?:mine[sn]|bomb(?:s|en|es|as)|minas)"
#: Such a number before the word for mines, behind it, or in a compound such as 3-mine board.
_NUMBER: Final = re.compile(
    rf"(?<![\w.,'-])(?P<words>{_IN_WORDS})(?=\s+{_NAME}\b)"
    rf"|(?P<name>\b{_NAME}['\"]?\s*[:=]\s*)(?P<behind>{_IN_WORDS})(?=[.,;]?\Z)"
    rf"|\b(?P<part>[0-9]{{1,5}}|{_ONE})-(?=(?:mine|bomb)s?\b)"
    rf"|(?P<chinese>[{_CHINESE}]?十[{_CHINESE}]?|[{_CHINESE}])(?=[个個颗顆]?(?:地?雷|炸弹))",
    re.IGNORECASE,
)
_MAY_BE_NAMED: Final = re.compile("min[ea]|bomb|雷|炸弹", re.IGNORECASE)
#: The digits of one: 1,000 or 5.0.
_SEPARATED: Final = re.compile(
    rf"(?<![\w.,'-])([0-9]{{1,3}}(?:[,_'][0-9]{{3}})+|[0-9]{{1,9}}\.00?)(?=\s+{_NAME}\b|[;)]?\s*\Z)",
    re.IGNORECASE,
)


def write_digits(line: str) -> str:
    """Return a line with digits alone for numbers of mines in words, or such as 1,000 or 5.0."""
    if _MAY_BE_NAMED.search(line) is None:
        return line
    plain = _SEPARATED.sub(lambda number: re.sub(r"\.0+\Z|\D", "", number[1]), line)
    return _NUMBER.sub(_write_number, plain)


def _write_number(number: re.Match[str]) -> str:
    if written := number["chinese"]:
        tens, ten, ones = written.rpartition("十")
        return str(10 * (_CHINESE.find(tens) + 1 or 1) * bool(ten) + _CHINESE.find(ones or " ") + 1)
    words = number["words"] or number["behind"] or number["part"]
    if words.isdigit():
        return f"{words} "
    parts = re.split(r"[ -]|und", words.lower())
    total = sum(_ONES.get(part, 0) + _WHOLE_TENS.get(part, 0) for part in parts)
    if parts[-1] == "dozen":
        total = 12 * (total or 1)
    behind = " " if number["part"] else ""
    return f"{number['name'] or ''}{total}{behind}"
