"""Captions of boards: lines of words that are no rows, above them, below them, or apart.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from minecheck.minefield.reader.frames import EDGES
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.reading import make_no_board_error
from minecheck.minefield.reader.remarks import has_words
from minecheck.minefield.reader.rulers import is_sequence
from minecheck.minefield.reader.surroundings import AROUND_CELLS, count_cells
from minecheck.minefield.reader.totals import SIZE

#: Signs that boards show above their cells.
_FACES: Final = frozenset("🙂😀😊😎😵⏱⏲")
_BESIDE_FACE: Final = re.compile(rf"[0-9][{''.join(_FACES)}]|[{''.join(_FACES)}][0-9]")
#: Signs of other cells, which no display has.
_COVERS: Final = frozenset("#?*-_.█■⬜")
#: Two counters with a face between them.
_DISPLAY: Final = re.compile(r"\W*[0-9]{1,3}\W?\s+[:;]-?[()|DO]\s+\W?[0-9]{1,3}\W*")
#: A comment, and an attribute of Rust.
_CODE: Final = re.compile(r"\s*(?://|#!?\[[a-z]{3})")
#: A list of coordinates.
_PAIR: Final = r"\(\s*[0-9]{1,4}\s*,\s*[0-9]{1,4}\s*\)"
_COORDINATES: Final = re.compile(rf"\s*[\[{{]?\s*{_PAIR}(?:\s*,\s*{_PAIR})*\s*[\]}}]?[.,;]?\s*")
#: The letter of an exercise.
_LETTERED: Final = re.compile(r"\s*\(?[a-zA-Z]\)\s*")
#: Words for an example.
_EXAMPLE: Final = re.compile(
    r"\W*(?:e\.?\s?g|z\.\s?b|ex|p\.?\s?ex|example|beispiel)\b[.:, ]*", re.IGNORECASE
)
#: A heading between signs, or behind those of Markdown.
_ADORNED: Final = re.compile(r"\s*([-=*~_#]{1,9})\s+([^\W\d_].*?)(?:\s+\1|(?<=#)\s)?\s*")
#: Marks at the end of a word, which are no cells, a cell in a sentence, and a range of numbers.
_NO_CELLS: Final = re.compile(
    r"(?<=[A-Za-z]{2})[?!.*]+(?!\S)|\([0-9]{1,4}, ?[0-9]{1,4}\)"
    r"|\((?:e\.?g\.?|i\.?e\.?|for example)[^()\n]{0,40}\)|: [0-9]{1,4}\.[0-9]{1,4}%?\s*\Z"
    r"|(?<![\w.])-[1-9](?=\s*(?:\Z|[a-z(=.]))|\bseed\W{1,3}[0-9]+"
    r"|\b\w{1,40}\.(?:txt|csv|in|out|json|board|map|dat)\b"
    r"|(?<![\w.*?#,;|-])[0-9]{1,4} ?(?:-|\.\.+|to) ?[0-9]{1,4}(?![\w*?#,;|-])"
)
_SMALL_NUMBER: Final = re.compile(
    r"\b50/50\b[?.!]*"
    r"|(?<![\w.])(?<!\d )[0-9]{1,2}(?:(?!\s*[\d.?*#-])(?!\w)"
    r"|\.(?=\W{0,2}(?:\Z|\s[A-Z\u3040-\u9fff\uac00-\ud7af])))"
)
#: Cells in a line of words, side by side or behind each other.
_SOME_CELLS: Final = re.compile(
    r"(?<![A-Za-z])[0-8?*.#_-]{2,}|(?:(?<!\S)[0-8?*.#_-](?:[\s,;|]+|\Z)){3}|(?<=,)[0-8?],[0-8?]"
)
#: A sentence about one thing.
_SENTENCE: Final = re.compile(r"[A-Za-z]{3} (?:is|are) \S|^(?:Is|Are) ")
#: Cells side by side.
_RUN: Final = re.compile(r"[0-8?*.#_-]{2,}")
#: A mark around a cell, such as [blue] or </b>.
_MARK: Final = re.compile(r"[\[{<]/?[A-Za-z][^\]}>]{0,40}[\]}>]")
#: Words with at least three cells at one end, of which one is hidden.
_GLUED: Final = re.compile(
    r".*[A-Za-z\]}>]((?=[0-8]*[?#*])[0-8?#*]{3,})|((?=[0-8]*[?#*])[0-8?#*]{3,})[A-Za-z\[{<].*"
)
#: A row: at least three cells, some of them unknown, side by side or with separators.
ROW: Final = re.compile(
    r"(?<![^\s,;|])(?=[0-8,;|\s]{0,99}[?*#])[0-8?*#](?:(?:\s?[,;|]\s?|\s)?[0-8?*#]){2,}(?![^\s,;|])"
)


def drop_captions(lines: Sequence[str | None], rows: Sequence[str]) -> list[str | None]:
    """Return lines with None for each that has words and is no row.

    Args:
        lines: the lines, None for labels.
        rows: those of them that are rows, at least one.
    """
    apart = _find_apart(lines)
    return [
        None
        if line
        and not _is_head(line, rows[0])
        and (
            (at in apart and _is_apart_caption(line, rows))
            or (_is_caption(line) and not _is_alike(line, rows))
        )
        else line
        for at, line in enumerate(lines)
    ]


def _is_head(line: str, row: str) -> bool:
    """Return True for letters of columns, or their names between the same signs as in a row."""
    letters = re.findall(r"[^\W\d_]", line)
    return (len(letters) > 1 and is_sequence(letters)) or any(
        line.count(sign) == row.count(sign) > 0
        and all(part.strip().isidentifier() for part in line.strip("| ").split(sign))
        for sign in ("|", ",", ";", "\t")
    )


def _is_alike(line: str, rows: Sequence[str]) -> bool:
    """Return True for a line as long as rows, made of their signs by half, or of one sign.

    So it is with as many fields, one of them a cell. It is a row with a symbol that is not known.
    """
    if line.rstrip().endswith(":") or _SENTENCE.search(line):
        return False
    others = "".join(row for row in rows if len(row) == len(line) and row != line)
    shared = sum(sign in others for sign in line)
    if others and (shared * 2 >= len(line) or len({*line}) == 1):
        return True
    fields = [re.split(r"\s*[,;\t]\s*|\s+", row.strip(" \t,;")) for row in (line, *rows)]
    even = len({*map(len, fields)}) == 1 < len(fields[0])
    return even and any(map(is_symbol, fields[0]))


def _find_apart(lines: Sequence[str | None]) -> set[int]:
    """Return the lines between which and all rows an empty line stands."""
    rows = [at for at, line in enumerate(lines) if line and is_row(line)]
    empty = [at for at, line in enumerate(lines) if line is not None and not line.strip()]
    above = max((at for at in empty if at < rows[0]), default=-1) if rows else -1
    below = min((at for at in empty if at > rows[-1]), default=len(lines)) if rows else len(lines)
    return {at for at in range(len(lines)) if at < above or at > below}


def _is_apart_caption(line: str, rows: Sequence[str]) -> bool:
    """Return True for words apart from the rows, without as many cells side by side as in one.

    A number may have as many digits.
    """
    widths = {*map(count_cells, rows)}
    runs = {len(run) for run in _RUN.findall(line) if not run.replace(".", "").isdigit()}
    return has_words(line) and not ROW.search(line) and not widths & runs


def _is_caption(line: str) -> bool:
    """Return True for words that cannot be cells: letters that are not symbols."""
    if (
        _has_face(line)
        or _DISPLAY.fullmatch(line)
        or _CODE.match(line)
        or _COORDINATES.fullmatch(line)
    ):
        return True
    if _LETTERED.fullmatch(line) or _EXAMPLE.fullmatch(line):
        return True
    if not has_words(line) or line.startswith("# ") or line.rstrip().endswith(":"):
        return has_words(line)
    adorned = _ADORNED.fullmatch(line)
    said = _NO_CELLS.sub("", SIZE.sub("", adorned[2] if adorned else line))
    return not (ROW.search(said) or _SOME_CELLS.search(_SMALL_NUMBER.sub("", said)))


def _has_face(line: str) -> bool:
    """Return True for a line with a face that is no cell: it has neither others nor covers."""
    if sum(sign in _FACES for sign in line) != 1 or _BESIDE_FACE.search(line):
        return False
    letters = re.sub(r"[\W0-9]", "", line)
    return _COVERS.isdisjoint(line) and not (letters and is_cells(letters))


def is_row(line: str) -> bool:
    """Return True for cells, which are not lines of a table."""
    bare = re.sub(r"^\w{1,9}\s*=", "", line).translate(AROUND_CELLS)
    return is_cells(bare) and not ("+" in line and EDGES.match(line))


def check_glued(lines: Sequence[str], bare: Sequence[str | None], rows: Sequence[str]) -> None:
    """Check that no label has as many cells as a row at one end, without a blank between.

    Args:
        lines: the lines.
        bare: the lines without labels, None for those that were nothing else.
        rows: those of them that are rows.

    Raises:
        BoardError: one has.
    """
    widths = {*map(count_cells, rows)}
    for line, rest in zip(lines, bare, strict=True):
        if rest is not None:
            continue
        label = line.strip()
        glued = _GLUED.fullmatch(label)
        counts = {len(glued[1] or glued[2])} if glued else set()
        unmarked = _MARK.sub("", label)
        if unmarked != label and is_cells(unmarked):
            counts.add(count_cells(unmarked))
        if widths & counts - {0}:
            raise make_no_board_error(
                f'The line "{label[:40]}" may be a row with words beside it.',
                "Write the cells of each row without words.",
            )
