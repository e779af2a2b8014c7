"""Lines that only draw a table: frames, rules between rows, bars, quotation marks.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from minecheck.minefield.reader.meanings import is_symbol

_BARS: Final = "|│┃║¦┆┊"
_EDGES: Final = re.compile(r"^[\s|¦+\u2500-\u257f\-=:_]+$")
_BRACKETED: Final = re.compile(r"(?:\s*\[ ?[^\[\]\s,]?[ ]?\])+\s*")
_BULLET: Final = re.compile(r"([-*+•]) +([^\s,]{2,}|\"[^\"]*\"|'[^']*')")
#: Text that may stand where two rulers meet.
CORNERS: Final = frozenset(
    ("", "\\", "/", "+", "|", "#", "r\\c", "row", "y\\x", "index", "(index)")
)
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
    inner = _strip_outer_bars([re.sub(rf"[{_BARS}]", "|", line) for line in rest])
    if not any("|" in line for line in inner):
        return inner, True
    columns = max(line.count("|") for line in inner) + 1
    fields = [_split_bars(line, columns) for line in inner]
    if all(
        len(field) <= 1 or is_symbol(field) or field in CORNERS or is_header(row)
        for row in fields
        for field in row
    ):
        return [",".join(row) for row in fields if not is_header(row)], True
    return [line.replace("|", " ") for line in inner], True


def _strip_outer_bars(lines: list[str]) -> list[str]:
    """Return lines without the bars at their beginnings, or ends, if all with bars have them."""
    barred = [line.strip() for line in lines if "|" in line]
    first = all(line.startswith("|") for line in barred)
    last = all(line.endswith("|") for line in barred) and any(len(line) > 1 for line in barred)
    inner = []
    for line in lines:
        bare = line.strip() if "|" in line else line
        bare = bare.removeprefix("|") if first else bare
        inner.append(bare.removesuffix("|") if last else bare)
    return inner


def _split_bars(line: str, columns: int) -> list[str]:
    """Return the fields between bars; of a line without bars, the labels of columns."""
    fields = [part.strip().strip("'\"") for part in line.split("|")]
    labels = line.split()
    if len(fields) == 1 and len(labels) in (columns - 1, columns):
        return [""] * (columns - len(labels)) + labels
    return fields


def strip_brackets(lines: list[str]) -> list[str]:
    """Return lines with commas between their cells if each cell is in brackets of its own."""
    if not all(_BRACKETED.fullmatch(line) for line in lines if line):
        return lines
    return [
        ",".join(cell.strip() for cell in re.findall(r"\[([^\[\]]*)\]", line)) for line in lines
    ]


def strip_bullets(lines: list[str]) -> list[str]:
    """Return lines without the bullets of a list, if all lines have the same one."""
    filled = [line.strip() for line in lines if line]
    bullets = {found[1] if (found := _BULLET.fullmatch(line)) else "" for line in filled}
    return (
        [line.strip()[2:].strip(" \"'") for line in lines]
        if len(bullets) == 1 and "" not in bullets
        else lines
    )


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
