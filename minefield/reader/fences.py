"""Code fences, strings and quotations around the rows of a board.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.characters import unescape
from minecheck.minefield.reader.legends import list_unread, split_legend, write_legend
from minecheck.minefield.reader.literals import read_literal
from minecheck.minefield.reader.meanings import is_cells
from minecheck.minefield.reader.programs import open_string
from minecheck.minefield.reader.reading import make_several_boards_error
from minecheck.minefield.reader.totals import add_total

#: The first and last lines of a block of code: Markdown, Jekyll, Jira, Trac, LaTeX, wikis.
_FENCE: Final = re.compile(
    r"^\s*(?:```|~~~|(?:\{%-?\s*(?:end)?(?:highlight|raw)\b[^%\n]{0,40}%\}"
    r"|\{(?:code|noformat)(?::[^}\n]{0,80})?\}|\{\{\{|\}\}\}"
    r"|\\(?:begin|end)\{(?:verbatim|lstlisting|minted|alltt)\*?\}.{0,40}"
    r"|</?(?:syntaxhighlight|source)\b[^>\n]{0,80}>)\s*$)"
)
#: A line of tildes, and of other cells, which may be unknown.
_TILDES: Final = re.compile(r"[~0-8?*\s]+")
_PAIR: Final = 2
#: A fence in the line of the first row, or the last.
_FENCE_BESIDE_ROW: Final = re.compile(r"^(```)(?=[0-8?*.#])|(?<=[^\s`])(?=```$)", re.MULTILINE)
#: A row with cells that are no numbers.
_CELLS: Final = re.compile(r"(?=.*[?*])[0-8?*BFS ,;|.#-]{2,}")
#: The marks of a quotation, perhaps within others; no prompt, and no spoiler.
_QUOTED: Final = re.compile(r"^\s*(?!>>>)(?:>(?!!) ?)+")
#: A word outside of tags.
_WORD: Final = re.compile(
    r"^(?![ \t]*[<\[][^>\]]{1,20}[>\]]).*(?:[A-Za-z]{3}|\b[A-Za-z][a-z] [a-z]{1,2}\b)"
)
#: A text within a command, up to a line with the same word.
_HERE_TEXT: Final = re.compile(
    r"([^\n]*<<[~<-]?\s?['\"]?(\w{1,20})['\"]?[^\n]{0,80})\n(.*?)\n\s*\2\b([^<]*)\Z", re.DOTALL
)
#: Marks around strings of several lines, and what may stand before the first and behind the last.
_MARKS: Final = ('"' * 3, "'" * 3, "`")
_OPENED: Final = re.compile(r"\s*(?:(?:const|let|var|my)\s)?\s*(?:[\w.]{1,40}\s*:?=\s*)?[rbfu]?")
_CLOSED: Final = re.compile(r"[\s;,)\]]*")
#: A string of which only the contents were copied.
_ESCAPED_STRING: Final = re.compile(r"(\\[\"']).*\1", re.DOTALL)


def strip_fence(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without the code fence, string or quotation around it, and notes."""
    notes: tuple[str, ...] = ()
    if (here := _HERE_TEXT.match(text.strip())) is not None:
        text = add_total(here[3], f"{here[1]}\n{here[4]}")
        notes = ("The command around the text was left out.",)
    if _ESCAPED_STRING.fullmatch(text.strip()):
        text = unescape(text)
    if (cut := _cut_half_string(text)) is not None:
        text = cut
        notes = (*notes, "A quotation mark without its counterpart was left out.")
    while (opened := open_string(text)) is not None:
        text, left_out = opened
        notes = (*notes, "The string literal was opened.", *left_out)
    lines = text.split("\n")
    around: list[str] = []
    filled = [line for line in lines if line.strip()]
    quoted = [line for line in filled if _QUOTED.match(line)]
    others = [line for line in filled if not _QUOTED.match(line)]
    if len(quoted) > (1 if others else 0) and all(map(_WORD.search, others)):
        lines, around = [_QUOTED.sub("", line) for line in quoted], others
        notes += ("The marks of a quotation were left out.",)
    lines = _FENCE_BESIDE_ROW.sub(r"\1\n", "\n".join(lines)).split("\n")
    fences = _find_fences(lines)
    fenced = {*fences}
    if any("~" in line for number, line in enumerate(lines) if number not in fenced):
        fences = [number for number in fences if "~" not in lines[number]]
    if len(fences) > 3:
        parts = [lines[at + 1 : end] for at, end in zip(fences[::2], fences[1::2], strict=False)]
        boards = [at for at, part in enumerate(parts) if _holds_board("\n".join(part))]
        if len({"\n".join(parts[at]) for at in boards}) > 1:
            raise make_several_boards_error(
                "Several code blocks hold rows or lists.", fences[boards[1] * 2]
            )
        fences = fences[2 * boards[0] :] if boards else fences
    end = fences[1] if len(fences) > 1 else len(lines)
    if fences:
        rows = [line for line in lines[: fences[0]] + lines[end + 1 :] if _CELLS.fullmatch(line)]
        if rows and len(fences) > 1:
            raise make_several_boards_error("Rows stand in a code block and outside of it.")
        if rows and not any(map(_CELLS.fullmatch, filter(str.strip, lines[fences[0] + 1 :]))):
            # The fence before the rows was not copied.
            around += [line for line in lines[fences[0] + 1 :] if line.strip()]
            lines = lines[: fences[0]]
        fences = [] if rows else fences
    if fences:
        inside, outside = lines[fences[0] + 1 : end], lines[: fences[0]] + lines[end + 1 :]
        if len(fences) == 1 and not any(line.strip() for line in inside):
            inside, outside = outside, []
        lines, around = inside, around + [line for line in outside if line.strip()]
        notes += ("The code fence was left out.",)
    if around:
        notes += ("The text around the board was left out.",)
    said = "\n".join(around)
    _, legend = split_legend(said)
    inner = "\n".join([*list_unread(said), *lines])
    return add_total(write_legend(legend) + inner, said), notes


def _cut_half_string(text: str) -> str | None:
    """Return the contents of a string of several lines that has one end only, None without one."""
    for mark in _MARKS:
        if text.count(mark) == 1:
            before, _, behind = text.partition(mark)
            if _OPENED.fullmatch(before) and "\n" in behind.strip():
                return behind
            if _CLOSED.fullmatch(behind) and "\n" in before.strip():
                return before
    return None


def _find_fences(lines: Sequence[str]) -> list[int]:
    """Return the indices of lines that open or close a code block.

    Tildes may be unknown cells, unless there is a second line of them.
    """
    tildes = Counter(line.strip() for line in lines if not line.strip(" ~"))
    fences = []
    for number, line in enumerate(lines):
        if not _FENCE.match(line):
            continue
        beside = [lines[at] for at in (number - 1, number + 1) if 0 <= at < len(lines)]
        is_row = any(
            len(other.strip()) == len(line.strip()) and is_cells(other) for other in beside
        )
        if tildes[line.strip()] == _PAIR or not (_TILDES.fullmatch(line) and is_row):
            fences.append(number)
    return fences


def _holds_board(block: str) -> bool:
    """Return True if a code block has rows of cells, or a list of a program."""
    if any(len(line.strip()) > 1 and is_cells(line) for line in block.split("\n")):
        return True
    with suppress(BoardError):
        return bool(read_literal(block))
    return True
