"""Words around a board: labels with its total, sizes, captions.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from itertools import dropwhile
from typing import Final

from minecheck.minefield.reader.containers import TOTAL_FIELDS
from minecheck.minefield.reader.meanings import is_symbol

_LABEL: Final = re.compile(r"^\W*([A-Za-z][A-Za-z _-]{1,40}?)\s*[:=](.*)$")
#: Words that may label rows of cells.
_ROW_LABELS: Final = frozenset(("row", "rows", "line", "board", "grid", "field", "map"))
#: A remark behind cells: a sign, and a word that cannot be cells.
_REMARK: Final = re.compile(r"(?<=\S)\s+(?:#|//|--|<-|←|<=)[^\n]*[A-Za-z]{3}[^\n]*$")
_COUNT: Final = re.compile(r"^\W*([0-9]{1,9})\s+(mines?|bombs?)\W*$", re.IGNORECASE)
_SIZES: Final = re.compile(
    r"^\s*([0-9]{1,5})\s*[ x\u00d7,;X]\s*([0-9]{1,5})(?:\s*[ x\u00d7,;X]\s*([0-9]{1,9}))?\s*$"
)


def strip_comments(lines: list[str]) -> tuple[list[str], bool]:
    """Return lines without remarks behind their cells, and whether there were any."""
    bare = [_REMARK.sub("", line) for line in lines]
    return bare, bare != lines


def strip_labels(lines: list[str]) -> tuple[list[str], int | None, tuple[str, ...]]:
    """Return the lines without labels such as Mines: 10, the total that they state, and notes."""
    rest: list[str] = []
    total: int | None = None
    left: list[str] = []
    for line in lines:
        label, count = _LABEL.match(line), _COUNT.match(line)
        if count is not None:
            total = int(count[1])
            continue
        if label is None:
            rest.append(line)
            continue
        name, value = re.sub(r"[ -]+", "_", label[1].strip().lower()), label[2].strip(" \t.,;*_")
        if name in TOTAL_FIELDS and value.isdigit():
            total = int(value)
        elif value and name.split("_")[0] in _ROW_LABELS and _is_cells(value):
            rest.append(value)
        elif len(name) > 1 or value in ("", "|", ">"):
            left.append(line.strip()[:40])
        else:
            rest.append(line)
    if rest and any(_is_cells(line) for line in rest if line.strip()):
        captions = {line for line in rest if line.strip() and _is_caption(line)}
        left += [line.strip()[:40] for line in rest if line in captions]
        rest = [line for line in rest if line not in captions]
    if any(line.startswith("#") for line in left):
        # Comments: the lines of a file above its rows, of which some have no words.
        rest = list(dropwhile(lambda line: not line.strip(" \t#"), rest))
    notes = (f"Labels were left out: {'; '.join(left)[:200]}.",) if left else ()
    return rest, total, notes


def strip_sizes(lines: list[str]) -> tuple[list[str], str, int | None] | None:
    """Return the lines after a first one with the sizes, a note, and the total that it states."""
    if len(lines) > 1 and (found := _SIZES.match(lines[0])) is not None:
        rest = lines[1:]
        first, second = int(found[1]), int(found[2])
        if len(rest) in (first, second):
            cols = second if len(rest) == first else first
            if all(len(line.split()) == cols or len(line.strip()) == cols for line in rest):
                total = None if found[3] is None else int(found[3])
                return rest, "The first line was read as the size of the board.", total
    if len(lines) > 2 and all(line.strip().isdigit() for line in lines[:2]):
        rows, cols = int(lines[0]), int(lines[1])
        rest = lines[2:]
        if len(rest) == cols and rows != cols:
            # Some write the width first.
            rows, cols = cols, rows
        if len(rest) == rows and all(
            len(line.split()) == cols or len(line.strip()) == cols for line in rest
        ):
            return rest, "The first two lines were read as the size of the board.", None
    return None


def _is_cells(text: str) -> bool:
    words = re.split(r"[\s,;|/]+", text.strip())
    return all(is_symbol(word) or all(map(is_symbol, word)) for word in words if word)


def _is_caption(line: str) -> bool:
    """Return True for words that cannot be cells: letters that are no symbols."""
    words = re.findall(r"[A-Za-z]{3,}", line)
    return (
        bool(words)
        and any(not is_symbol(word) and not all(map(is_symbol, word)) for word in words)
        and (line.startswith("# ") or not re.search(r"(?<![A-Za-z])[0-8?*.#_-]{2,}", line))
    )
