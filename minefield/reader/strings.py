"""Strings of programs and commands: which of them hold cells, and which several rows.

Tested in tests/minefield/reader/test_read.py.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from minecheck.minefield.reader.characters import replace_names, simplify_characters, unescape
from minecheck.minefield.reader.meanings import is_cells, is_symbol

#: A string of a program: of one or several lines, raw, or of words.
_STRING: Final = re.compile(
    r"""(?<![\w`'")\]\\])[rufb]{0,2}(?:
        \"{3}(?:\\\n)?(.*?)\"{3}(?!") | '{3}(?:\\\n)?(.*?)'{3}(?!') | `(?!`)([^`]*)`(?!`)
        | @"([^"]*)"@? | (?:(?<=r)|(?<=R)|(?<=r\#)|\#)"\(?([^"]*?)\)?"\#?
        | "((?:[^"\\\n]|\\.)*)" | '((?:[^'\\\n]|\\.)*)'
        | (?:%w|~w|qw)\s?[(\[{<|/]([^()\[\]{}<>|/]*)[)\]}>|/]
        | \[\[\n([^\[\]]*)\n\]\]
        | (?:(?<=[\s=(])|\A)["']([^"'\n]*\n[^"']*)["'](?=[\s;),]|\Z)
    )""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
#: Signs that part the rows of a string, the stronger ones first.
_ROW_SEPARATORS: Final = ("\n", ";", "/", "|", ",", " ")
#: A method that adds something to a list.
_ADDING: Final = r"\.(?:append|push|extend|insert|add)\("
#: The name that a program gives to what follows.
_ASSIGNED: Final = re.compile(r"\b([^\W\d]\w{0,40})\s*(?::[^=\n]{0,30})?:?=\s*[\w.(]{0,20}\Z")
#: A statement that changes the list NAME, or a part of it, and is as far from the margin.
_CHANGE: Final = (
    r"^INDENT(?:NAME\s*(?:\[[^\n=]{1,40}(?:==[^\n=]{1,40})?\]\s*[-+*/|&^]?=(?!=)|[-+*/|&^]=)"
    r"|NAME(?:\[[^\n\]]{1,20}\])?\.(?:reverse|shift|unshift|pop|remove|splice|sort)\(|del\s+NAME\b"
    r"|NAME\[[^\n\]]{1,20}\]\.(?:append|push|insert)\(|for\s+(\w+)\s+in\s+NAME\s*:\s*\1\.\w+\("
    r"|NAME\s*=\s*(?:[\w.\s]{0,9}[-+*/]\s*NAME\b|NAME\s*(?:\[|\.T\b|\.transpose|[-+*/]))"
    r"|for\s+(\w+)\s+in\s+NAME\s*:\s*\2\[[^\n\]]{1,40}\]\s*=(?!=))"
)
_VERSION: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}")
#: Longer texts are not searched for strings, which takes quadratic time.
_LONGEST_PROGRAM: Final = 50_000


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """A string in a text: where it begins and ends, its quotation marks included, and its contents.

    ``content`` is the string itself, with the characters that its escapes stand for.
    """

    start: int
    end: int
    content: str

    @property
    def has_cells(self) -> bool:
        """True if the contents are cells, or lists, perhaps with labels on lines of their own."""
        lines = self.content.split("\n")[1:]
        return has_cells(self.content) or any(len(line) > 1 and has_cells(line) for line in lines)

    @property
    def has_several_cells(self) -> bool:
        """True if the contents are two cells or more, and no word that has letters of symbols."""
        cells = re.sub(r"[\s,;/|]", "", self.content)
        return len(cells) > 1 and not cells.isalpha() and self.has_cells

    @property
    def has_rows(self) -> bool:
        """True if the contents are two rows or more, of as many cells each.

        Digits alone are rows only if line breaks part them: others may be sizes or settings.
        """
        text = self.content.strip()
        if not text.isascii() or ":" in text:
            text = simplify_characters(text)[0].strip()
        sign = next((sign for sign in _ROW_SEPARATORS if sign in text.rstrip(";/|,")), None)
        if sign is None or not is_cells(text):
            return False
        rows = [re.sub(r"[\s,;|]", "", row) for row in text.strip(sign).split(sign)]
        width = len(rows[0])
        even = len(rows) > 1 and all(len(row) == width > (sign != "\n") for row in rows)
        symbols = all(map(is_symbol, {*"".join(rows)}))
        return even and symbols and (sign == "\n" or not "".join(rows).isalnum())


def find_strings(text: str) -> Iterator[StringLiteral]:
    """Yield the strings in a text, none in a long one."""
    if len(text) <= _LONGEST_PROGRAM:
        for string in _STRING.finditer(text):
            content = next((group for group in string.groups() if group is not None), "")
            yield StringLiteral(string.start(), string.end(), unescape(content))


def is_version(content: str) -> bool:
    """Return True for a number of a version, or an address."""
    return _VERSION.fullmatch(content.strip()) is not None


def has_cells(content: str) -> bool:
    """Return True for the contents of a string that are cells, or lists."""
    words = re.sub(r"[^\x00-\x7f]+|[:|]|\\n", "?", replace_names(content).strip("\"'"))
    filled = bool(words.strip(" \t\n,;/")) and bool(content.strip(" \t\n,;/|:"))
    return content.lstrip()[:1] in ("[", "{") or (filled and is_cells(words))


def say_left_out(lists: Sequence[str], strings: Sequence[StringLiteral]) -> tuple[str, ...]:
    """Return the note about lists and strings that hold cells and are not the board."""
    sources = [" ".join(source.split()) for source in lists]
    sources += [json.dumps(string.content, ensure_ascii=False) for string in strings]
    said = ", ".join(source[:40] for source in sources)[:200]
    return (f"Other lists and strings were left out: {said}.",) if said else ()


def find_change(text: str, before: str) -> re.Match[str] | None:
    """Return the statement of a program that changes a list, None without any.

    Args:
        text: the program.
        before: what stands before the list. Statements further in, such as those of functions, may
            be about another list of this name.
    """
    named = _ASSIGNED.search(before[-80:])
    if named is None:
        return None
    name, own = re.escape(named[1]), before.rpartition("\n")[2]
    indent = own[: len(own) - len(own.lstrip())]
    return re.search(_CHANGE.replace("NAME", name).replace("INDENT", indent), text, re.MULTILINE)


def find_building(text: str, start: int) -> str | None:
    """Return the code that adds to what begins at ``start``, or repeats it, None without any."""
    named = _ASSIGNED.search(text[max(0, start - 80) : max(0, start)])
    if named is None:
        return None
    name = re.escape(named[1])
    built = re.search(rf"\[\s*{name}\s*(?:,|\]\s*[*+])|\b{name}\s*(?:\+=|{_ADDING})", text)
    return None if built is None else built[0]
