"""Comments of programs: boards in them, and lines of them around a board.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from minecheck.minefield.reader.legends import split_legend
from minecheck.minefield.reader.meanings import is_cells
from minecheck.minefield.reader.remarks import has_long_word
from minecheck.minefield.reader.surroundings import count_cells, split_first_cells
from minecheck.minefield.reader.totals import add_total
from minecheck.minefield.reader.vocabulary import LONG_WORD

COMMENT_NOTE: Final = "The signs of a comment were left out."
#: Signs of comments, of which the first few are no cells.
_SIGN: Final = re.compile(
    r"[ \t]*(?:(;+|%+|REM\b|#+)(?:[ \t]|(?=['\"\[|])|\Z)|(--)(?:[ \t]|\Z)|(//)/*!?[ \t]?)"
)
_CERTAIN: Final = ("/", ";", "%", "R")
#: The ends of a comment over several lines, whose other lines may begin with an asterisk.
_BLOCK: Final = ("/*", "*/")
_ASTERISK: Final = re.compile(r"[ \t]*\*(?:[ \t]|\Z)")
#: A mark of HTML; a line of words, a row in quotation marks or brackets.
_TAG: Final = re.compile(r"<[^<>\n]*>")
_ENCLOSED: Final = re.compile(r"\s*['\"\[|]")
#: A comment of a line in Python and shells, and one that says what its sign means.
_HASH: Final = re.compile(r"[ \t]*#(?:#*[ \t].*)?")
_EXPLAINED: Final = re.compile(r"[ \t]*#[ \t]*(?:[=:]|(?:is|are|means?)\b)")
#: Statements around a comment over several lines.
_ONLY_BLOCK: Final = re.compile(
    r"(?:[^\n\[\]{}'\"/*]*;[ \t]*\n\s*|import [^\n]*\n\s*){1,20}/\*(.*?)\*/\s*"
    r"(?:[^\n\[\]{}'\"/*]*;[ \t]*\s*){0,20}",
    re.DOTALL,
)
#: A comment that is no row, and a statement on its line that holds no list or string.
_BESIDE: Final = re.compile(r"^[ \t]*(?://|--[ \t])", re.MULTILINE)
_STATEMENT: Final = re.compile(r"(?=.*(?:;\s*\Z|\w\s*=\s*\w))[^\[\]{}'\"]*")
_LEAST_ROWS: Final = 2
_DIGITS: Final = frozenset("012345678 \t")


def open_comment(text: str) -> str:
    """Return a text without the signs of a comment if all of it is one."""
    whole = text.strip()
    if whole.startswith(_BLOCK[0]) and whole.endswith(_BLOCK[1]) and whole.count(_BLOCK[1]) == 1:
        return _open_block(whole.removeprefix(_BLOCK[0]).removesuffix(_BLOCK[1]))
    if (block := _ONLY_BLOCK.fullmatch(whole)) is not None:
        return _open_block(block[1])
    if _SIGN.match(whole) is None and _BESIDE.search(text) is None:
        return text
    lines = _drop_code(text.split("\n"))
    if any(map(_EXPLAINED.match, lines)):
        return text
    found = [_SIGN.match(line) for line in lines if line.strip()]
    signs = {(sign[1] or sign[2] or sign[3]) if sign else "" for sign in found}
    if len(signs) != 1 or "" in signs:
        return text
    bare = [_SIGN.sub("", line, count=1) for line in lines]
    return "\n".join(bare) if _is_comment(min(signs), bare) else text


def _drop_code(lines: list[str]) -> list[str]:
    """Return the comments of a program in one block without the statements around them."""
    signed = [at for at, line in enumerate(lines) if _BESIDE.match(line)]
    if len(signed) < _LEAST_ROWS:
        return lines
    block = lines[signed[0] : signed[-1] + 1]
    others = [line for line in [*lines[: signed[0]], *lines[signed[-1] + 1 :]] if line.strip()]
    code = others and all(_STATEMENT.fullmatch(line) for line in others)
    return block if code and len(block) == len(signed) else lines


def _open_block(content: str) -> str:
    """Return what a comment over several lines holds, without the asterisks before its lines."""
    # The first and the last line may have more asterisks.
    lines = content.split("\n")
    lines = lines if lines[0].strip("* \t") else lines[1:]
    lines = lines if lines and lines[-1].strip("* \t") else lines[:-1]
    # Words behind the first sign have no asterisk of their own.
    below = lines[1:] if lines and has_long_word(lines[0]) else lines
    starred = below and all(_ASTERISK.match(line) for line in below if line.strip())
    return "\n".join(_ASTERISK.sub("", line) if starred else line for line in lines)


def _is_comment(sign: str, lines: Sequence[str]) -> bool:
    """Return True if a sign before all lines is no cell: that of a comment which may be one."""
    filled = [line for line in lines if line.strip()]
    if sign.startswith(_CERTAIN):
        return True
    rows = [line for line in filled if not has_long_word(line)]
    barred = [line for line in rows if line.lstrip().startswith("|")]
    if rows and rows == barred and not any(line.rstrip().endswith("|") for line in rows):
        # The first field of each row.
        return False
    if any(sign[0] in split_first_cells(line)[0] for line in filled):
        return False
    if len(rows) < len(filled) or any(map(_ENCLOSED.match, rows)):
        # Below a heading, rows may begin with covered cells.
        others = "".join(rows)
        indented = all(line.startswith((" ", "\t")) for line in rows)
        return sign[0] not in others and (indented or not set(others) <= _DIGITS)
    dense = all(len(line.split()) == 1 < len(line.strip()) and is_cells(line) for line in filled)
    apart = dense or sign == "--"
    return apart and len(filled) >= _LEAST_ROWS and sign[0] not in "".join(filled)


def strip_comments(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without comments around its rows, or the signs of one around all, and notes.

    The total that a comment states follows as a last line.
    """
    opened = open_comment(text)
    notes = (COMMENT_NOTE,) if opened != text else ()
    rows, comments = _split_comments(opened)
    if not comments or not rows.strip():
        return opened, notes
    lines = [line.strip(" \t#") for line in comments]
    legend = "".join(f"{line}\n" for line in lines if split_legend(line)[1])
    said = "; ".join(filter(None, lines))
    return add_total(legend + rows, said), (*notes, f"Comments were left out: {said[:200]}.")


def _split_comments(text: str) -> tuple[str, list[str]]:
    """Return a text without the comments of shells above and below its rows, and these.

    Some line of each block has words; a sign alone may be a row of one cell.
    """
    if "#" not in text:
        return text, []
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    others = [line for line in filled if not line.lstrip().startswith("#")]
    widths = Counter(map(_count_first_cells, others or filled))
    width = widths.most_common(1)[0][0] if others or len(widths) == 1 else 0

    def is_comment(line: str) -> bool:
        # Words may stand behind a row, too.
        return _is_comment_line(line) and not 1 < width == _count_first_cells(line)

    above = [*takewhile(is_comment, lines)]
    below = [*takewhile(is_comment, reversed(lines[len(above) :]))][::-1]
    above, below = (block if any(map(LONG_WORD.search, block)) else [] for block in (above, below))
    rows = lines[len(above) : len(lines) - len(below)]
    return "\n".join(rows), [*above, *below]


def _count_first_cells(line: str) -> int:
    """Return the number of cells that a line begins with."""
    return count_cells(split_first_cells(_TAG.sub(" ", line))[0])


def _is_comment_line(line: str) -> bool:
    """Return True for an empty line, or a comment that does not say what the sign itself means."""
    if _HASH.fullmatch(line) is None or _EXPLAINED.match(line) is not None:
        return not line.strip()
    return line.strip() == "#" or not (is_cells(line) or "#" in split_legend(line)[1])
