"""Words around a board: labels with its total, sizes, captions.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from itertools import dropwhile
from typing import Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.containers import TOTAL_FIELDS
from minecheck.minefield.reader.meanings import is_cells, is_symbol

_LABEL: Final = re.compile(r"^\W*([A-Za-z][A-Za-z _-]{1,40}?)\s*[:=](.*)$")
#: Words that may label rows of cells.
_ROW_LABELS: Final = frozenset(("row", "rows", "line", "board", "grid", "field", "map"))
#: What stands behind a label whose value is on the next lines, in YAML too.
_NO_VALUE: Final = frozenset(("", "|", "|-", "|+", ">", ">-"))
#: A remark behind cells: a sign, and a word that cannot be cells.
_REMARK: Final = re.compile(r"(?<=\S)\s+(?:#|//|--|<-|←|<=)[^\n]*[A-Za-z]{3}[^\n]*$")
#: A total in words or signs: 10 mines, Mines: 10, *=10. A bare 💣 1 may be two cells.
_COUNT: Final = re.compile(
    r"\W*([0-9]{1,9})\s+(?:mines?|bombs?)\W*|\W*(?:mines?|bombs?)\s+([0-9]{1,9})\W*|\s*[💣*]\s*(?:[:=]\s*|(?<!\*)\s(?=[0-9]{2}))([0-9]{1,9})\s*",
    re.IGNORECASE,
)
#: A number of something that is no total: 10 mines left, 3 flags.
_OTHER_COUNT: Final = re.compile(r"\W*[0-9]{1,9}\s+(?:mines?|bombs?|flags?)\b.*", re.IGNORECASE)
#: Signs between the parts of a caption such as Beginner (9x9, 10 mines).
_BETWEEN_PARTS: Final = re.compile(r"[,;()!|\u2013]|\s-\s|\s{2,}")
#: Cells in a line of words, side by side or behind each other.
_SOME_CELLS: Final = re.compile(
    r"(?<![A-Za-z])[0-8?*.#_-]{2,}|(?:(?<!\S)[0-8?*.#_-][\s,;|]+){3}|(?<=,)[0-8?],[0-8?]"
)
_SIZE: Final = re.compile(r"\s*[0-9]{1,5}\s*[xX]\s*[0-9]{1,5}\s*")
_SIZES: Final = re.compile(
    r"\s*([0-9]{1,5})(?:\s*[ xX,;]\s*([0-9]{1,5})(?:\s*[ xX,;]\s*([0-9]{1,9}))?)?\s*"
)


def strip_comments(lines: list[str]) -> tuple[list[str], bool]:
    """Return lines without remarks behind their cells, and whether there were any."""
    bare = [_REMARK.sub("", line) for line in lines]
    return bare, bare != lines


def strip_labels(lines: list[str]) -> tuple[list[str], int | None, tuple[str, ...]]:
    """Return the lines without labels such as Mines: 10, the total that they state, and notes.

    Raises:
        BoardError: there are several totals, or a label stands between rows, which may be
            different boards.
    """
    found = [_find_total(line) for line in lines]
    totals = {total for total in found if total is not None}
    if len(totals) > 1:
        raise BoardError(
            "bad-value",
            f"The text states several totals: {', '.join(map(str, sorted(totals)))}.",
            "Leave out all but that of this board.",
        )
    kept = [_strip_label(line, total is not None) for line, total in zip(lines, found, strict=True)]
    if any(line and is_cells(line) for line in kept):
        kept = [None if line and _is_caption(line) else line for line in kept]
    left = [line.strip() for line, one in zip(lines, kept, strict=True) if one is None]
    left = [line for line in left if _read_total(line) is None]
    if any(line.startswith("#") for line in left):
        # Comments: the lines of a file above its rows, of which some have no words.
        kept = list(dropwhile(lambda line: not (line or "").strip(" \t#"), kept))
    rows = [at for at, line in enumerate(kept) if line and is_cells(line)]
    if rows and None in kept[rows[0] : rows[-1]]:
        raise BoardError(
            "several-boards",
            "Labels stand between rows, which may be boards of their own.",
            "Send one board; or several to /v1/batch.",
        )
    notes = (f"Labels were left out: {'; '.join(one[:40] for one in left)[:200]}.",) if left else ()
    return [line for line in kept if line is not None], next(iter(totals), None), notes


def _strip_label(line: str, has_total: bool) -> str | None:
    """Return a line without the label of a row, None if all of it is a label or a total."""
    name, value = _split_label(line)
    is_size = _SIZE.fullmatch(value) or (name == "rows" and value.isdigit())
    if value not in _NO_VALUE and name.split("_")[0] in _ROW_LABELS and is_cells(value):
        return None if is_size else value
    parts = _BETWEEN_PARTS.split(line)
    counted = has_total or any(map(_OTHER_COUNT.fullmatch, parts))
    return None if counted or len(name) > 1 or (name and value in _NO_VALUE) else line


def _split_label(text: str) -> tuple[str, str]:
    """Return the name before a colon or an equals sign, in lower case, and the value, if any."""
    found = _LABEL.match(text)
    if found is None:
        return "", ""
    return re.sub(r"[ -]+", "_", found[1].strip().lower()), found[2].strip(" \t.,;*_")


def _read_total(part: str) -> int | None:
    """Return the total that a text states and says no more than that, such as Mines: 10."""
    if (count := _COUNT.fullmatch(part)) is not None:
        return int(next(filter(None, count.groups())))
    name, value = _split_label(part)
    is_total = name in TOTAL_FIELDS and re.fullmatch("[0-9]{1,9}", value)
    return int(value) if is_total else None


def _find_total(line: str) -> int | None:
    """Return the total that a line states, None if it states none or has cells as well."""
    total, others = None, []
    for part in _BETWEEN_PARTS.split(line):
        count = _read_total(part)
        if count is not None:
            total = count
        elif not _SIZE.fullmatch(part):
            others.append(part)
    return None if any(part.strip() and is_cells(part) for part in others) else total


def strip_sizes(lines: list[str]) -> tuple[list[str], str, int | None] | None:
    """Return the lines after the sizes of the board, a note, and the total that they state.

    The sizes stand on a line, on two, or on one if they are the same. In contests the number of
    boards may stand before them, and zeros behind the last board.
    """
    start = 1 if lines[0].strip() == "1" else 0
    end = len(lines) - 1 if set(lines[-1].split()) == {"0"} else len(lines)
    for first, last in ((0, len(lines)), (0, end), (start, len(lines)), (start, end)):
        for count in (1, 2):
            found = _SIZES.fullmatch(" ".join(line.strip() for line in lines[first:][:count]))
            if found is None or (count == 2 and found[3]) or found[0].strip() == "1":
                continue
            sizes = (int(found[1]), int(found[2] or found[1]))
            rest = lines[first + count : last]
            if any(sign in found[0] and sign in line for sign in ",;" for line in rest):
                # Rows of fields differ in length.
                continue
            if any(_has_sizes(rest, rows, cols) for rows, cols in (sizes, sizes[::-1])):
                said = "first line was" if count == 1 else "first two lines were"
                total = int(found[3]) if found[3] else None
                return rest, f"The {said} read as the size of the board.", total
    return None


def _has_sizes(lines: Sequence[str], rows: int, cols: int) -> bool:
    """Return True if lines have this number of rows and cells, with or without signs between."""
    widths = ((len(re.split(r"[\s,;]+", line.strip())), len(line.strip())) for line in lines)
    return len(lines) == rows > 0 < cols and all(cols in width for width in widths)


def _is_caption(line: str) -> bool:
    """Return True for words that cannot be cells: letters that are no symbols."""
    words = re.findall(r"[^\W\d_]{3,}", line)
    return (
        bool(words)
        and any(not is_symbol(word) and not all(map(is_symbol, word)) for word in words)
        and (line.startswith("# ") or not _SOME_CELLS.search(line))
    )
