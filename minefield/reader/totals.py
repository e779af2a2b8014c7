"""Totals of mines: the words that people state them with, in several languages.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from unicodedata import normalize

from minecheck.minefield.board import BoardError
from minecheck.minefield.numerals import format_count
from minecheck.minefield.reader.characters import strip_marks
from minecheck.minefield.reader.vocabulary import (
    BESIDE_SHARES,
    BESIDE_TOTALS,
    FLAGS,
    IN_TITLES,
    MINES,
    ONE_MINE,
    OWNERS,
    THAI_BESIDE_TOTALS,
    split_words,
)
from minecheck.minefield.reader.written_numbers import write_digits

_ANY_MINES: Final = "|".join(sorted(map(strip_marks, MINES)))
_FILLERS: Final = frozenset(map(strip_marks, BESIDE_TOTALS))
_THAI: Final = "|".join(map(strip_marks, THAI_BESIDE_TOTALS))
_WORD: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W\\d_]+")
_ONE_WITH_NUMBER: Final = re.compile(rf"(?:{'|'.join(sorted(ONE_MINE))})\W+[0-9]+\W*")
_MINES_WORD: Final = re.compile(
    f"(?:num|number|nr|nb|no|n|total|{_THAI})*(?:{_ANY_MINES})"
    f"(?:count|total|number|num|anzahl|zahl|{_THAI})?"
)
#: Words before a name that a program declares.
_DECLARED: Final = re.compile(
    r"^(?:(?:int|const|let|var|val|static|final|auto|long|short|unsigned|local|my)\s+)+"
)
#: A word of what a clue is.
_AROUND: Final = re.compile(r"\b(?:adjacent|around|neighbou?r|touch|surround)", re.IGNORECASE)
#: A capital letter within a name.
_HUMP: Final = re.compile("(?<=[a-z])(?=[A-Z])")
#: A number with a name: mines = 10, "mines": 10, int: mines = 6, mines: int = 6, --mines 10.
_NUMBER: Final = re.compile(
    r"(?<!= )(?<!=)\b(?=[^\W\d])(?<!left )(?<!emaining )(\w{1,40})['\"]?(?:\s*:\s*(\w{1,40}))?"
    r"(?:\s+[Aa]s\s+\w{1,20}|\s*\{\s*get;[^}\n]{0,30}\})?"
    r"(?:\s*(?:::?|:?=(?!=)>?|<-)|(?<=--mines)\s)\s*([0-9]{1,9})\b"
    r"(?!\.[0-9]|[ \t]*(?:[+*/%]{1,2}|-[ \t]|if\b)[ \t]*[\w(]|[ \t]*<<[ \t]*[0-9]"
    r"|[;,]?[ \t]*(?:#|//|--)[ \t]*(?:left|remaining|found|at most|per|wrong|max|e\.g))"
)
#: Several names with their values: rows, mines = 9, 10.
_SEVERAL: Final = re.compile(
    r"(?:^|[;&]|\b(?:let|local|var|my)\s)[ \t$(]*(\w{1,40}(?:,[ $]*\w{1,40}){1,9})"
    r"[ \t)]*:?=(?!=)[ \t(]*([^\n]*)",
    re.MULTILINE,
)
_OPTION: Final = re.compile(
    r"\bminecheck\b[^\n]*\s-m[ =]?([0-9]{1,9})\b|\A\s*-m[ =]?([0-9]{1,9})\s*\Z"
)
#: The sign between the two numbers of a size; the size of a board is such as 9x9.
BETWEEN_SIDES: Final = r"\s*(?:[x\u00d7*]|by\b)\s*"
SIZE: Final = re.compile(rf"\b([0-9]{{1,5}}){BETWEEN_SIDES}([0-9]{{1,5}})\b", re.IGNORECASE)
#: A size and nothing else, perhaps with the total: 9x9x10.
ONLY_SIZE: Final = re.compile(r"\s*([0-9]{1,4})x([0-9]{1,4})(?:x([0-9]{1,9}))?\s*")
#: Two numbers of which the second is the total: 5/10, 5 of 10.
_SHARE: Final = re.compile(
    r"(?<![\w/.-])(?<!\d:)([0-9]{1,9})\s*(?:/|(?:out of|of|von|de|sur|из)\s)"
    r"\s*([0-9]{1,9})(?![\w/.:%-])",
    re.IGNORECASE,
)
#: Signs that make a number another one: about 4, from 4 on, 4 to 5, 20 %, 4/9, 1:05, [4, == 4.
_INEXACT: Final = re.compile(
    r"[~<>≥≤≈≠±%?+/]|[-*]=|[0-9]\s?\*|\w\[[0-9]|[0-9]'?s\b|[!=]=|[0-9]\s*[:=]|[0-9][.:,][0-9]|[0-9]\s?-|-[0-9]|\[[^\]]*\Z|\{"
    # The letter may stand for a digit.
    r"|[0-9][OoIl]\b"
)
#: A total after a size or a sign: 9x9/10, *=10. A bare 💣 1 may be two cells.
_COUNT: Final = re.compile(
    rf"[0-9]{{1,5}}{BETWEEN_SIDES}[0-9]{{1,5}}\s*/\s*([0-9]{{1,9}})"
    r"|\s*[💣*]\s*(?:[:=]\s*|(?<!\*)\s(?:[xX]\s*)?(?=[0-9]{2}))([0-9]{1,9})\s*"
    rf"|.*?\b[0-9]{{1,5}}{BETWEEN_SIDES}[0-9]{{1,5}}{BETWEEN_SIDES}([0-9]{{1,9}})\s*",
    re.IGNORECASE,
)
#: A heading above a number that is followed by no row.
_HEADED: Final = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|\*\*)?([^\W\d_][^\W\d_ ]{1,20}(?: [^\W\d_]{1,12}){0,3})(?:\*\*)?:?"
    r"[ \t]*\n(?:[=-]{3,}[ \t]*\n)?(?:[ \t]*\n)?[ \t]*([0-9]{1,4})[ \t]*"
    r"(?=\n[ \t]*(?:\n|```|#)|\s*\Z)",
    re.MULTILINE,
)
#: A number and a bomb, or flags and how many there are, and nothing else.
_BOMBS: Final = re.compile(
    r"\s*(?:💣\s*[xX:=]?\s*0*([0-9]{1,4})|([0-9]{1,4})\s*[xX]?\s*💣"
    r"|🚩\s*[0-9]{1,4}\s*/\s*([0-9]{1,4}))\s*"
)
#: A sentence about the whole board: a board with 10 mines, 10 mines in total.
_SENTENCE: Final = re.compile(
    r".*\b(?:board|grid|field|map|game|puzzle|total|feld)\b.{0,40}\b(?:has|have|with|contains|of|mit|hat)"
    rf"\s+([0-9]{{1,9}})\s+(?:{_ANY_MINES})\W*"
    rf"|.*?\b([0-9]{{1,9}})\s+(?:{_ANY_MINES})\s+(?:in\s+total|total|overall|altogether|insgesamt"
    r"|(?:on|in)\s+the\s+(?:whole\s+|entire\s+)?(?:board|grid|field|map))\b\W*",
    re.IGNORECASE,
)
#: A name that a program sets to 0.
_COUNTER: Final = re.compile(r"\b\w{1,40}[ \t]+=[ \t]*0\b(?!\.)")
#: Signs between the parts of a caption such as Beginner (9x9, 10 mines), or w=9 h=9 mines=10.
_BETWEEN_PARTS: Final = re.compile(
    r"[,;()!|\u2013]|[.?](?=\s)|(?<![:=]\s[0-9])(?<![:=]\s[0-9]{2})\s-\s|\s{2,}"
    r"|(?<=[0-9])\s+(?=[^\W\d]\w{0,20}(?: \w{1,12})?\s?[:=]\s?[0-9])"
)
#: Letters for sizes, and for the total: w=9, h=9, m=10; in Polish, min is "of mines". It is a
#: minimum or a time if there is a maximum, or another word of time.
_LETTER: Final = re.compile(
    r"(?<!= )(?<!=)\b(min|[mnwhkrc])\s*[:=]\s*([0-9]{1,9})\b", re.IGNORECASE
)
_OF_MINIMUM: Final = re.compile(r"\b(?:max|sec|time|avg|average|hours?|h)\b", re.IGNORECASE)
#: A name that ends with a number.
_NAME_WITH_NUMBER: Final = re.compile(r"\W*[A-Za-z]+[0-9]+\W*")
#: Something that says what a number counts.
_NAMING: Final = re.compile("[^\\W\\d_]|[💣*/]")
#: Every text that states a total has one of these words, or the signs below; few rows do.
_WORDS_OF_TOTALS: Final = (*map(strip_marks, MINES), "min", "total", "-m")
_SIGNED_TOTAL: Final = re.compile(
    r"[💣*]\s*(?:[:=]|\s(?:[xX]\s*)?[0-9]{2})|[0-9]\s*/\s*[0-9]|[0-9]x[0-9]{1,5}x[0-9]"
)
#: Longer lines state no total, but are rows.
_LONGEST: Final = 300
_PART_OF: Final = r"\b(?:corner|part|cut-?out|section) of\b"
#: Signs and words that make a number another one, wherever they stand in a line.
_VAGUE: Final = re.compile(
    r"\b(?:approx|circa|ca\.|c\.|est\.|not counting|besides|excluding)"
    r"|\((?:left|remaining|approx|or )|≠|\bor [0-9]"
    rf"|{_PART_OF}"
    r"|\bis (?:a|the|just a|only a) (?:corner|part|cut-?out|section)\b"
    r"|\b(?:without|minus|ohne|sans|sin|senza|sem|zonder|bez|без)\b[^()\n]{0,20}"
    r"\b(?:flag|flagg|fahne|drapeau|bander|bandier|vlag|флаг)",
    re.IGNORECASE,
)
#: Words before a number in a sentence that make it one of some mines, or an uncertain one.
_OF_SOME: Final = re.compile(
    r"\b(?:found|flagged|marked|hit|opened|cleared|at (?:least|most)|(?:more|less|fewer) than"
    r"|about|almost|nearly|around|between|up to|if|hundred|half|several|few|not|twice"
    r"|[0-9]+ (?:or|to|and)"
    r"|(?:first|last|this|that) (?:row|column))\b",
    re.IGNORECASE,
)
#: Words that make a number that of a larger board, of several boards, or an example.
_OF_PART: Final = re.compile(
    rf"{_PART_OF}|\blevel\b.*\blevel\b|\bbeginner\b.*\bexpert\b"
    r"|\be\.g\.|\bdefault\w*\s*:|\bwould\b",
    re.IGNORECASE,
)
#: Other games, before the name of a number: old.mines.
_OTHER_GAME: Final = re.compile(
    r"\b(?:other|old|prev\w*|last|next|player\w*|enemy|opponent|default\w*|best)\.\Z", re.IGNORECASE
)
#: The word before a name, and words of programs that declare it.
_LAST_WORD: Final = re.compile(r"(?<![\w.<>:])([^\W\d_]{2,})[ \t]+\Z")
_TYPES: Final = split_words(
    """int integer const constexpr let var val static final auto long short unsigned local
    mut my public private readonly define byte number uint def dim set input return new param
    parameter where"""
)
#: The most lines that notes name.
_MOST_NOTES: Final = 2
_LABEL: Final = re.compile(r"^\W*([^\W\d_](?:[^\W\d]|[ -]){0,40}?)(?:\s*#?[0-9]{1,4})?\s*[:=](.*)$")


def read_bombs(line: str) -> int | None:
    """Return the number in a line that has only that and a bomb, which may also be two cells.

    Of flags and their number, such as 🚩 0/3, it is the number.
    """
    bombs = _BOMBS.fullmatch(line)
    return int(next(filter(None, bombs.groups()))) if bombs else None


def split_label(text: str) -> tuple[str, str]:
    """Return the name before a colon or an equals sign, and the value behind it, if any."""
    labelled = _LABEL.match(text)
    return (labelled[1].strip(), labelled[2].strip()) if labelled else ("", "")


def split_parts(line: str) -> list[str]:
    """Return the parts of a caption, such as Beginner and 10 mines; one, if it is vague."""
    return [line] if _VAGUE.search(line) else _BETWEEN_PARTS.split(write_digits(line))


def may_state_total(text: str) -> bool:
    """Return False for a text that states no total for certain, such as most rows."""
    lowered = strip_marks(text).lower()
    return any(part in lowered for part in _WORDS_OF_TOTALS) or bool(_SIGNED_TOTAL.search(text))


def is_total_name(name: str) -> bool:
    """Return True for a name that people give to the number of mines on the whole board."""
    words = _list_words(name)
    if name[-1:].isdigit():
        # One of several.
        return False
    if words[-2:] in (["liczba", "min"], ["liczbę", "min"], ["počet", "min"]):
        # Alone, these are minutes.
        return True
    single = len(words) == 1 and words[0] in ONE_MINE
    return words == ["total"] or (not single and _are_about_mines(words, _FILLERS))


def read_total(part: str, is_code: bool = False) -> int | None:
    """Return the total of a text that states nothing else, such as Mines: 10.

    In source code, MINE = 9 says how mines are written.
    """
    part = write_digits(strip_marks(part))
    if len(part) > _LONGEST or not _NAMING.search(part) or _OF_PART.search(part):
        return None
    for pattern in (_COUNT, _SENTENCE, _OPTION):
        if (stated := pattern.fullmatch(part)) is not None:
            at = next(at for at, number in enumerate(stated.groups(), 1) if number)
            other = pattern is _SENTENCE and _OF_SOME.search(part[: stated.start(at)])
            return None if other else int(stated[at])
    name, value = split_label(_DECLARED.sub("", part))
    if name.endswith("-"):
        return None
    value = value.strip(".,;*_ ")
    if is_total_name(name) and re.fullmatch("[0-9]{1,9}", value):
        return int(value)
    fillers = _FILLERS | IN_TITLES
    bare = SIZE.sub(" ", part)
    if (share := _SHARE.search(bare)) is not None and int(share[1]) <= int(share[2]):
        named = {*_list_words(bare)}
        if named & FLAGS and named <= FLAGS | fillers:
            return int(share[2])
        fillers |= BESIDE_SHARES
        bare = f"{bare[: share.start()]} {share[2]} {bare[share.end() :]}"
    numbers = [] if _NAME_WITH_NUMBER.fullmatch(bare) else re.findall("[0-9]+", bare)
    if len(numbers) == 1 and len(numbers[0]) < 10 and not _INEXACT.search(bare):
        words = _list_words(bare)
        # A single mine may be the first one, or a symbol, unless there is one in all.
        alone = _ONE_WITH_NUMBER.fullmatch(bare.strip().lower())
        certain = not alone or ((":" in bare or "=" in bare) and not is_code)
        if certain and _are_about_mines(words, fillers):
            return int(numbers[0])
    others = BESIDE_SHARES | OWNERS
    if value and len(numbers) > 1 and not {*_list_words(name)} & others and value != part:
        # Level 3: 4 mines.
        return read_total(value, is_code)
    return None


def join_headings(text: str) -> str:
    """Return a text with headings such as Mines in one line with the number below them."""
    return _HEADED.sub(_join_heading, text)


def _join_heading(headed: re.Match[str]) -> str:
    name = headed[1].strip()
    return f"{name}: {headed[2]}" if is_total_name(name) else headed[0]


def read_letters(lines: Iterable[str]) -> tuple[int | None, list[str]]:
    """Return the total of lines such as w=9, h=9, m=10, and these lines; with n, m is a size."""
    lettered = [
        line for line in lines if _LETTER.search(line) and not _LETTER.sub("", line).strip(" ,;()")
    ]
    minima = [line for line in lettered if "min" in line.lower()]
    if minima and any(_OF_MINIMUM.search(line) or read_total(line) is not None for line in lines):
        lettered = [line for line in lettered if line not in minima]
    named = {
        letter[0].lower(): number for line in lettered for letter, number in _LETTER.findall(line)
    }
    return (int(named["m"]) if "m" in named and "n" not in named else None), lettered


def has_share(line: str) -> bool:
    """Return True if a line states a part of the mines and their total, such as Mines: 5/10."""
    return read_total(line) is not None and bool(_SHARE.search(SIZE.sub(" ", line)))


def find_total(text: str) -> int | None:
    """Return the total in source code, a command or sentences, None if there is none.

    What a program sets to 0 is rather a counter.

    Raises:
        BoardError: there are several.
    """
    text = _COUNTER.sub("", strip_marks(normalize("NFKC", text)))
    text = "\n".join(line for line in text.split("\n") if not _OF_PART.search(line))
    if not may_state_total(text):
        return None
    named = [int(value) for name, value in name_numbers(text) if is_total_name(name)]
    options = [int(long or short) for long, short in _OPTION.findall(text)]
    said = [
        read_total(part, is_code=True)
        for line in filter(may_state_total, text.split("\n"))
        if not _SEVERAL.search(line)
        for part in split_parts(line)
    ]
    return choose_total([*named, *options, *said])


def choose_total(totals: Sequence[int | None]) -> int | None:
    """Return the only total of several that were stated, None if none was.

    Raises:
        BoardError: they differ.
    """
    different = {total for total in totals if total is not None}
    if len(different) > 1:
        raise BoardError(
            "bad-value",
            f"The text states several totals: {', '.join(map(str, sorted(different)))}.",
            "Leave out all but that of this board.",
        )
    return next(iter(different), None)


def find_lettered_total(text: str) -> int | None:
    """Return the total that a text around a board assigns to the letter m, None without one.

    Where there is an n as well, m is a size.
    """
    named = {name.lower(): int(number) for name, number in name_numbers(text)}
    return None if "n" in named else named.get("m")


def add_total(text: str, around: str) -> str:
    """Return the rows of a text, with a last line for the total that the text around states."""
    total = find_total(around)
    if total is None and (lettered := find_lettered_total(around)) is not None:
        return f"{text}\nm={lettered}"
    return text if total is None else f"{text}\nmines: {total}"


def say_unread_counts(lines: Iterable[str]) -> tuple[str, ...]:
    """Return a note for each line, of the first few, with a number of mines that may be another."""
    unread = [
        line.strip()
        for line in lines
        if len(line) <= _LONGEST
        and re.search("[0-9]", line)
        and not _AROUND.search(line)
        and ("💣" in line or any(map(_is_mine, _list_words(line))))
    ]
    return tuple(
        f'"{line[:60]}" was not read as the number of mines on the whole board.'
        for line in unread[:_MOST_NOTES]
    )


def say_total(source: str, total: int) -> str:
    """Return the note about how a total was read that may be another number."""
    return f'Read "{source[:40]}" as {format_count(total, "mine")} on the whole board.'


def name_numbers(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names of numbers with their digits; the name of a type may be among them."""
    several = list(_SEVERAL.finditer(text))
    # The last of several names stands before the first value, and is not that of it.
    ends = {names.end(1) for names in several}
    for number in _NUMBER.finditer(text):
        before = text[max(0, number.start() - 20) : number.start()]
        if (
            number.end(1) not in ends
            and not _OTHER_GAME.search(before)
            and not _names_some_mines(before)
        ):
            yield number[1], number[3]
            yield number[2] or "", number[3]
    for names in several:
        for name, value in zip(names[1].split(","), names[2].split(","), strict=False):
            if re.fullmatch("[0-9]{1,9}", value := value.strip(" ;)]")):
                yield name.strip(" $"), value


def _names_some_mines(before: str) -> bool:
    """Return True for a word before the name of a number that makes it one of some of the mines."""
    word = _LAST_WORD.search(before)
    return word is not None and not {*_list_words(word[1])} <= _FILLERS | IN_TITLES | _TYPES


def _list_words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(_HUMP.sub(" ", strip_marks(text)))]


def _are_about_mines(words: Sequence[str], fillers: frozenset[str]) -> bool:
    """Return True for one word for mines, with fillers around it and nothing else."""
    about = [*map(_is_mine, words)]
    if "no" in words and not ONE_MINE.isdisjoint(words):
        # A cell without a mine.
        return False
    # Several are rather cells in words.
    return sum(about) == 1 and all(
        is_mine or word in fillers for is_mine, word in zip(about, words, strict=True)
    )


def _is_mine(word: str) -> bool:
    return _MINES_WORD.fullmatch(word) is not None
