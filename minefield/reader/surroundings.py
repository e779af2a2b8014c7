"""Lines around all rows that look like rows: rules, counters, prompts, short names.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from minecheck.minefield.reader.frames import BARS
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.totals import ONLY_SIZE, may_state_total, read_bombs

#: Bars, brackets and quotation marks around cells.
AROUND_CELLS: Final = str.maketrans(dict.fromkeys(f"{BARS}[](){{}}<>\"'", " "))
#: A line of dashes around rows, or between them.
RULE: Final = re.compile(r"\s*([-=_~])\1{2,}\s*")
#: What players type at games in terminals: a letter, a row and a column.
_COMMAND: Final = re.compile(r"\s*([A-Za-z])\s+[0-9]{1,3}\s+[0-9]{1,3}\s*")
#: A date, or a time.
_DATE: Final = re.compile(
    r"\s*[\[(]?(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{4})?"
    r"\s*(?:[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?[\])]?\s*"
)
#: A prompt without a command, and a name below a text.
_PROMPT: Final = re.compile(r"\s*(?:>+|\$)\s*")
_NAME: Final = re.compile(r"\s*(?:--?\s*)?[A-Z][A-Za-z]{0,19}[.,!]?\s*")
#: The line above a signature, and what may stand below that line.
_DASHES: Final = "--"
_SIGNED: Final = re.compile(r"(?=.*[A-Za-z]{2}).{1,80}")
#: Counters of a game, as on a display with a face between them.
_COUNTERS: Final = re.compile(
    r"\s*(?:(?:[💣🚩⏱⏲🙂😀]\s*[0-9][0-9:.]{0,8}\s*){2,}"
    r"|[🚩⏱⏲🙂😀](?:\s+[0-9]|\s*[0-9]{2}|[0-9]\s?/)[0-9:./ ]{0,8}"
    r"|[0-9]{3}\s*(?:[:;]-?[)(DOP|]|[🙂😀😊😎😵☺])\s*[0-9]{3})\s*"
)
#: Words and the end of a question or a request, a number that answers it, and a line of words.
_ASKED: Final = re.compile(r"[^\W\d_]{2}")
_END_OF_QUESTION: Final = (*".?:>", "\uff1a", "\uff1f", "\u3002")
#: A question, which does not begin with cells, perhaps with a range of numbers, and a number that
#: answers it.
_ANSWERED: Final = re.compile(
    r"(?<![^\W_])(?![BSF]+(?![^\W_]))([^\W\d_]{2}[^?:\n]*?(?<=[^\W\d_]{2})) ?"
    r"(?:[\[(]\s?[0-9]{1,4}\s?(?:-|to|\.\.+|,)\s?[0-9]{1,4}\s?[\])]\s*)?"
    r"(?:\?|:|(?<=[\])]))\s+(?:>\s*)?([0-9]{1,4})\s*\Z"
)
_LONGEST_QUESTION: Final = 120
#: The title of a board, which is no question.
_TITLE: Final = re.compile(
    r"\W*(?:mine)?(?:field|board|grid|map|puzzle|game|case|test|level)s?\W*[0-9]{1,4}\W*",
    re.IGNORECASE,
)
_ANSWER: Final = re.compile(r"\s*[0-9]{1,4}\s*")
_SOME_CELL: Final = re.compile(r"[0-8?*.#_■-]")
_HAS_WORDS: Final = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7af]{2}")
_LEAST_ROWS: Final = 2


def join_answers(lines: Sequence[str]) -> list[str]:
    """Return lines with the numbers that were typed at questions behind these: How many? 10."""
    lines = [
        _ANSWERED.sub(r"\1: \2", line) if len(line) <= _LONGEST_QUESTION else line for line in lines
    ]
    joined: list[str] = []
    last_row = max((at for at, line in enumerate(lines) if _SOME_CELL.search(line)), default=0)
    for at, line in enumerate(lines):
        is_answer = at < last_row and _ANSWER.fullmatch(line) is not None
        if is_answer and joined and _is_question(joined[-1]) and _ends(line, lines[at + 1]):
            joined[-1] = f"{joined[-1].rstrip(' .?:>')}: {line.strip()}"
        else:
            joined.append(line)
    return joined


def _is_question(line: str) -> bool:
    asks = line.rstrip().endswith(_END_OF_QUESTION) and _ASKED.search(line) is not None
    return asks and not _TITLE.fullmatch(line) and not is_cells(line)


def _ends(answer: str, below: str) -> bool:
    """Return True if the line below an answer has no cells, or another number of them."""
    return _HAS_WORDS.search(below) is not None or count_cells(below) != len(answer.strip())


def strip_surroundings(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return lines without those around the rows that look like rows, and what was left out.

    None of them has as many cells as most rows. A number of mines is said in words instead.
    """
    filled = [at for at, line in enumerate(lines) if line.strip()]
    rows = [lines[at] for at in filled if _is_row(lines[at])]
    if len(rows) < _LEAST_ROWS:
        return lines, []
    ((width, _),) = Counter(map(count_cells, rows)).most_common(1)
    said = list(lines)
    first, last = filled[0], filled[-1]
    # A rule may also stand between rows and the labels of their columns, or their title.
    below = first if is_cells(lines[first]) else filled[1]
    left_out = {at for at in (first, below, last) if _is_rule_around(lines[at], rows, width)}
    left_out |= _find_two_rules(lines, first, last)
    if _DATE.fullmatch(lines[first]) and count_cells(lines[first]) != width:
        left_out.add(first)
    command = _COMMAND.fullmatch(lines[first])
    if command and not is_symbol(command[1]) and count_cells(lines[first]) != width:
        left_out.add(first)
    enclosed = sum(map(_has_enclosed_cells, rows)) >= len(rows) - 1
    for at in (first, last):
        is_apart = enclosed and not _has_enclosed_cells(lines[at])
        if count_cells(lines[at]) == width and not is_apart:
            continue
        if (bombs := read_bombs(lines[at])) is not None:
            said[at] = f"mines: {bombs}"
        elif _COUNTERS.fullmatch(lines[at]):
            left_out.add(at)
    if (size := ONLY_SIZE.fullmatch(lines[last])) is not None:
        sides = {int(size[1]), int(size[2])}
        # Another size may stand above them.
        if sides in ({width, len(rows) - 1}, {width, len(rows) - 2}):
            left_out.add(last)
            said += [f"mines: {size[3]}"] if size[3] else []
    left_out |= _find_ending(lines, filled, width)
    kept = [line for at, line in enumerate(said) if at not in left_out]
    return kept, [lines[at].strip() for at in sorted(left_out)]


def count_cells(row: str) -> int:
    """Return the number of cells of a row of single characters."""
    return len(re.sub(r"[\s,;|]", "", row.translate(AROUND_CELLS)))


def split_first_cells(line: str) -> tuple[str, str]:
    """Return the cells that a line begins with, side by side or apart, and what follows them."""
    end = 0
    for word in re.finditer(r"\S+", line):
        if not is_cells(word[0]) or (end and len(word[0]) > 1):
            break
        end = word.end()
        if len(word[0]) > 1:
            break
    return line[:end], line[end:]


def _has_enclosed_cells(line: str) -> bool:
    """Return True for a line with bars, brackets or quotation marks."""
    return line.translate(AROUND_CELLS) != line


def _is_row(line: str) -> bool:
    return re.search("[0-8?]", line) is not None and is_cells(line.translate(AROUND_CELLS))


def _is_rule_around(line: str, rows: Sequence[str], width: int) -> bool:
    """Return True for a line of dashes that is no row: its sign has no meaning, or is too short.

    Beside question marks, dashes may be opened cells, unless these are written as 0.
    """
    rule = RULE.fullmatch(line)
    others = "".join(row for row in rows if row != line)
    if rule is None or rule[1] in others or "?" not in others:
        return False
    return not is_symbol(rule[1]) or "0" in others or count_cells(line) != width


def _is_signed(line: str, width: int) -> bool:
    """Return True for words that are no row, or a name that could be one."""
    named = _NAME.fullmatch(line) is not None and not line.isupper()
    return _SIGNED.fullmatch(line) is not None and (
        named or not is_cells(line) or count_cells(line) != width
    )


def _find_two_rules(lines: Sequence[str], first: int, last: int) -> set[int]:
    """Return the first and the last line if they are the same, and dashes that are no cells."""
    rule = RULE.fullmatch(lines[first])
    between = "".join(lines[first + 1 : last])
    alone = rule is None or lines[first].strip() != lines[last].strip() or rule[1] in between
    return set() if alone or "?" not in between else {first, last}


def _find_ending(lines: Sequence[str], filled: Sequence[int], width: int) -> set[int]:
    """Return the last lines that are a signature, a prompt, or names apart from rows of a width."""
    dashes = [at for at in filled if lines[at].strip() == _DASHES]
    if dashes and width != len(_DASHES):
        signed = {at for at in filled if at > dashes[-1]}
        if signed and all(_is_signed(lines[at].strip(), width) for at in signed):
            stated = {at for at in signed if may_state_total(lines[at])}
            return {dashes[-1]} | signed - stated
    ending: set[int] = set()
    for before, at in reversed(list(pairwise(filled))):
        line = lines[at].strip()
        apart = at > before + 1 or not is_cells(lines[before].strip())
        named = _NAME.fullmatch(line) and is_cells(line.strip(" -.,!")) and len(line) != width
        if not _PROMPT.fullmatch(line) and not (named and apart):
            break
        ending.add(at)
    return ending
