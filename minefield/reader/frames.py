"""Lines that only draw a table: frames, rules between rows, bars, quotation marks.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from minecheck.minefield.reader.meanings import is_symbol

_BARS: Final = "|│┃║¦┆┊"
_EDGES: Final = re.compile(r"^[\s|│┃║¦+├┝┠┣┌┍┏╔╟╠└┗╚┼┬┴┤┥┨┫╢╣┐┓╗┘┛╝╬╦╩╋─━═╌┄\-=:_]+$")
_LINE: Final = re.compile(r"[-=_]{2}|[─━═╌┄]|[-=+:]\|[-=+:]|\+-\+")


def strip_frames(lines: list[str]) -> tuple[list[str], bool]:
    """Return the lines of a table without those that only draw it, and without outer bars."""
    filled = [line for line in lines if line.strip()]
    has_bars = any(bar in line for line in filled for bar in _BARS if not _EDGES.match(line))
    rest = [line for line in filled if not _is_rule(line, has_bars)]
    barred = [line for line in rest if any(bar in line for bar in _BARS)]
    if not rest or not barred:
        return (
            (rest, True)
            if rest and len(rest) < len(filled) and _only_rules(filled, rest)
            else (lines, False)
        )
    inner = []
    for line in rest:
        bare = re.sub(rf"[{_BARS}]", "|", line)
        if bare.strip().startswith("|") and bare.strip().endswith("|") and bare.count("|") > 1:
            bare = bare.strip()[1:-1]
        elif bare.strip().startswith("|"):
            bare = bare.strip()[1:]
        inner.append(bare)
    if not any("|" in line for line in inner):
        return inner, True
    fields = [[part.strip() for part in line.split("|")] for line in inner]
    if all(
        len(field) <= 1 or is_symbol(field) or is_header(row) for row in fields for field in row
    ):
        return [",".join(row) for row in fields if not is_header(row)], True
    return [line.replace("|", " ") for line in inner], True


def strip_quotes(lines: list[str]) -> tuple[list[str], bool]:
    """Return lines without quotation marks around each, or around all, and what follows them."""
    bare = [re.sub(r"^\s*(['\"])([^'\"]*)\1\s*[,;]?\s*$", r"\2", line) for line in lines]
    if all(one != line for one, line in zip(bare, lines, strict=True)):
        return bare, True
    whole = "\n".join(lines).strip()
    if (
        len(whole) > 1
        and whole[0] == whole[-1]
        and whole[0] in "'\""
        and whole.count(whole[0]) == 2
    ):
        return whole[1:-1].split("\n"), True
    return lines, False


def is_header(fields: Sequence[str]) -> bool:
    """Return True for names of columns: words that are no symbols, in all fields."""
    return all(len(one) > 1 and not is_symbol(one) and not one.isdigit() for one in fields)


def _is_rule(line: str, has_bars: bool) -> bool:
    """Return True for a line that only draws a table; ``has_bars`` if other lines have bars."""
    bare = line.strip()
    if not _EDGES.match(line) or not _LINE.search(line):
        return False
    # Plus and minus signs may be cells if no other line has bars.
    return has_bars or not bare.isascii() or (len(bare) > 2 and not bare.strip("-=_ "))


def _only_rules(filled: Sequence[str], rest: Sequence[str]) -> bool:
    """Return True if lines of dashes are no rows: other rows have none, or other lengths."""
    rules = [line for line in filled if line not in rest]
    if any("+" in line or not line.isascii() for line in rules):
        return True
    return not any(set(line) & set("-=_") for line in rest) and all(
        len(rule.strip()) != len(rest[-1].strip()) for rule in rules
    )
