"""Lists in source code: the tree of brackets, and the rows that each list can hold.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.edges import check_margins
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.totals import SIZE, name_numbers

_TOKEN: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[\[({]|[\])}]")
#: What may stand between two rows: a separator, a label, and a call, a type or a mark of lists.
_GAP: Final = re.compile(
    r"\s*[,;|\s]\s*(?:\.\.\.|[-*]\s|\w{1,4}:)?\s*(?:new\s+)?[\w.@!#&*<>?']{0,30}\s*"
)
_BEFORE_ROWS: Final = re.compile(r"\s*\|?\s*(?:new\s+)?[\w.@!#&*<>?']{0,30}\s*")
_AFTER_ROWS: Final = re.compile(r"[\s,;|]*")
#: What may stand around strings that are rows: signs between them, and methods without arguments.
_AROUND_STRINGS: Final = re.compile(r"(?:[\s,;|+@]|\.\w+|\b(?:[rbufRBUF]|NULL)(?=\Z|\s))*")
_BLANKS: Final = re.compile(r"\s+")
#: A string within a line, in either quotation marks.
LINE_STRING: Final = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'")
_ITEM: Final = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s,;]+)""")
_EMPTY_ITEM: Final = re.compile(r"(^|[,;])\s*(?=[,;])")
#: A method of strings, whose arguments are no rows.
_METHOD: Final = re.compile(r"\.(?:split|replace|[lr]?strip)\w*\s?\Z")
#: The numbers of rows and columns of a list that is written as one: before it, or behind it.
_SIZES_BEFORE: Final = re.compile(r"array2d\(\s*1\s*\.\.\s*(\w+)\s*,\s*1\s*\.\.\s*(\w+)\s*,\s*\Z")
_SIZES_BEHIND: Final = re.compile(r"\s*\)?\s*\.reshape\(\(?\s*(\w+)\s*,\s*(\w+)\s*\)")
#: Arguments of R behind the items of a matrix, which it fills by columns unless they say otherwise.
_MATRIX: Final = re.compile(r"\s*,\s*(n(?:row|col)|dim)\s*=\s*(?:c\()?([0-9]{1,5})L?[^()]*\)")
#: A number below 0, numbers from one to another, and a date, which are no cells side by side.
_NUMBERS: Final = re.compile(
    r"-[0-9]{1,4}|\w{1,9}\s?\.\.+[=<]?\s?\w{1,9}|[0-9]{1,4}\s?-\s?[0-9]{1,4}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}"
)
#: Cells in brackets, perhaps with a blank between every two.
_BRACKETED: Final = re.compile(r"(?:\[[^\[\]]\])+|\[[^\[\]]\](?: \[[^\[\]]\])+")
#: The numbers of rows before them, as keys of a dictionary.
_KEYS: Final = re.compile(r"\b([0-9]{1,4})\s*(?::|=>)")
#: The name of a function before its arguments.
_CALLED: Final = re.compile(r"(?<![.\w])[^\W\d]\w{0,38}\Z")
_BY_ROWS: Final = re.compile(r"byrow\s*=\s*T")
#: An argument of NumPy.
_BY_COLUMNS: Final = re.compile(r"\s*\)?\s*,\s*order\s*=\s*['\"]F")

Rows = list[list[str]]


@dataclass(slots=True)
class ListNode:
    """A list in a text: where it begins and ends, its bracket included, and the lists in it."""

    start: int
    end: int
    bracket: str = ""
    inner: list["ListNode"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Candidate:
    """The ways to cut a part of a text into rows; ``certain`` if it must have several rows."""

    start: int
    end: int
    ways: list[Rows]
    certain: bool = True


def parse_lists(text: str) -> tuple[ListNode, list[int]]:
    """Return the tree of all lists in a text, and where its brackets without counterparts are.

    The root of the tree is the text itself.
    """
    root = ListNode(-1, len(text) + 1)
    open_lists = [root]
    unmatched = []
    for token in _TOKEN.finditer(text):
        if token[0] in "[({":
            inner = ListNode(token.start(), root.end, token[0])
            open_lists[-1].inner.append(inner)
            open_lists.append(inner)
        elif token[0] in "])}":
            if open_lists[-1].bracket + token[0] not in ("[]", "()", "{}"):
                unmatched.append(token.start())
            if len(open_lists) > 1:
                open_lists.pop().end = token.end()
    return root, [*unmatched, *(unclosed.start for unclosed in open_lists[1:])]


def list_candidates(text: str, root: ListNode) -> Iterator[Candidate]:
    """Yield the parts of a text that may be boards, the outer ones first.

    Raises:
        BoardError: the sizes of a list are not known, or do not fit.
    """
    waiting = deque([root])
    while waiting:
        outer = waiting.popleft()
        if _METHOD.search(text, max(0, outer.start - 40), max(outer.start, 0)):
            continue
        # Only the innermost lists are cut out of the text: others may be as long as all of it.
        content = "" if outer.inner else text[outer.start + 1 : outer.end - 1]
        if outer.inner:
            rows = _read_lists(text, outer, outer is root)
        elif outer is not root and (sized := _read_sized(text, outer, content)) is not None:
            rows = [sized]
        else:
            rows = _read_strings(content, outer is root)
            only = rows[0][0] if rows and len(rows[0]) == 1 else []
            if outer.bracket == "(" and not is_cells("".join(only)):
                # An argument, such as the name of a file.
                continue
        if rows:
            yield Candidate(outer.start, outer.end, rows)
            continue
        if (
            not outer.inner
            and outer is not root
            and (";" in content or not LINE_STRING.search(content))
        ):
            yield from _read_flat(text, outer)
        if outer.bracket != "[" or all(inner.inner for inner in outer.inner):
            # Otherwise some items would be cells, and others lists of lists.
            waiting += outer.inner


def _read_lists(text: str, outer: ListNode, is_root: bool) -> list[Rows]:
    """Return the rows of lists in a list, or side by side in a text, if there is nothing else."""
    inner = outer.inner
    if is_root:
        # The arguments of a call are no row where there are lists.
        inner = [row for row in inner if not _is_call(text, row)] or inner
    if any(row.inner for row in inner) or (len(outer.inner) == 1 and _is_argument(text, outer)):
        return []
    gaps = (_BLANKS.sub(" ", text[row.end : below.start]) for row, below in pairwise(inner))
    if not all(map(_GAP.fullmatch, gaps)):
        return []
    raw = [text[row.start + 1 : row.end - 1] for row in inner]
    bare = [row.strip() for row in raw]
    if len({*map(len, raw)}) == 1 and not any(map(is_symbol, bare)):
        check_margins([row for row in raw if len(row.split()) == 1])
    contents = [row.strip("| \n") for row in raw]
    rows = [_split_items(row.removeprefix("list ")) for row in contents]
    if is_root and any(len(row) == 1 and not is_cells(row[0]) for row in rows):
        # A name, as in check(board).
        return []
    if len(rows) == 1 == len(rows[0]) and _is_number(rows[0][0]):
        return []
    rows = [list(row[0]) if len(row) == 1 and not is_symbol(row[0]) else row for row in rows]
    if len(rows) == 1 and not any(map(is_symbol, rows[0])) and all(map(is_cells, rows[0])):
        # The strings of the list in it are rows.
        return []
    if is_root:
        # Pairs in parentheses are rather coordinates.
        words = not any(re.search(r"[\s,]", content) for content in contents)
        listed = len(rows) > 1 and min(map(len, rows)) > 1 and (inner[0].bracket != "(" or words)
        return [rows] if listed else []
    before = _BLANKS.sub(" ", text[outer.start + 1 : inner[0].start])
    after = text[inner[-1].end : outer.end - 1]
    return [rows] if _BEFORE_ROWS.fullmatch(before) and _AFTER_ROWS.fullmatch(after) else []


def _is_call(text: str, row: ListNode) -> bool:
    """Return True for the arguments of a function: parentheses behind a name, of no method."""
    called = _CALLED.search(text[max(0, row.start - 40) : max(0, row.start)])
    return row.bracket == "(" and called is not None


def _is_argument(text: str, outer: ListNode) -> bool:
    """Return True if the only list in a list is an argument, as in array([1, 2]) or zeros((3, 3)).

    It is a row in arrayOf(intArrayOf(1, 2)), and in (list (list 1 2)).
    """
    (only,) = outer.inner
    called = text[only.start - 1 : only.start].isalpha() or text.startswith("list ", only.start + 1)
    return outer.bracket == "(" and (only.bracket != "(" or not called)


def _read_strings(content: str, is_root: bool) -> list[Rows]:
    """Return the rows of a list of strings, none for any other; single symbols can be one row."""
    around = LINE_STRING.sub("", content)
    if is_root:
        declared, sign, around = around.partition("=")
        if not sign or LINE_STRING.search(content.partition("=")[0]) or len(declared) > 80:
            return []
    keys = [int(key) for key in _KEYS.findall(around)]
    strings = [double or single for double, single in LINE_STRING.findall(content)]
    cells = all(len(string) > 1 and is_cells(string) for string in strings)
    if keys and cells and keys == [*range(keys[0], keys[0] + len(keys))]:
        around = _KEYS.sub("", around)
    if not _AROUND_STRINGS.fullmatch(around):
        return []
    strings = [string for string in strings if string not in ("\\n", "\\r\\n")]
    rows = [re.sub(r"\\[nrt]", "", string) for string in strings]
    if all(map(_BRACKETED.fullmatch, rows)):
        rows = [re.sub(r"\[(.)\] ?", r"\1", row, flags=re.DOTALL) for row in rows]
    if not any(rows):
        return []
    if all(len(row) % 2 and row[1::2].isspace() and " " not in row[::2] for row in rows):
        return [[list(row[::2]) for row in rows]]
    rows = rows[0].split() if len(rows) == 1 else rows
    below = [list(row) for row in rows]
    return [below] if any(len(row) > 1 for row in rows) else [[rows], below]


def _is_number(text: str) -> bool:
    """Return True for numbers that are no cells side by side, nor the symbol of one."""
    return _NUMBERS.fullmatch(text) is not None and not is_symbol(text)


def _read_flat(text: str, flat: ListNode) -> Iterator[Candidate]:
    """Yield the candidate of a list of items whose rows end at bars, semicolons, lines or sizes.

    Parts with one item each are a column in MATLAB, and a row in OCaml.

    Raises:
        BoardError: the sizes are not known, or do not fit.
    """
    content = text[flat.start + 1 : flat.end - 1].strip()
    if SIZE.fullmatch(content) or _is_number(content):
        return
    sign = next((sign for sign in "|;\n" if sign in content), None)
    if sign is None or flat.bracket == "(":
        items = _split_items(content)
        if len({len(item) for item in items if not is_symbol(item)}) == 1 and all(
            map(is_cells, items)
        ):
            # A shell took the quotation marks around each row.
            yield Candidate(flat.start, flat.end, [[list(item) for item in items]])
        elif flat.bracket != "(" and len(items) > 1:
            yield Candidate(flat.start, flat.end, [[items]], certain=False)
        return
    parts = [part.strip().rstrip(",") for part in content.strip(sign).split(sign)]
    rows = [_split_items(part) for part in parts if part.strip(" ,\t")]
    ways = [_strip_size(rows) if sign == "\n" else rows]
    if sign == ";" and all(len(row) == 1 for row in rows):
        ways.append([[row[0] for row in rows]])
    yield Candidate(flat.start, flat.end, ways, certain=len(rows) > 1)


def _read_sized(text: str, flat: ListNode, content: str) -> Rows | None:
    """Return the rows of a list whose sizes are stated around it, None if they are not.

    Raises:
        BoardError: a size is a name without a number, or the list has not as many items.
    """
    items = _split_items(content)
    if (matrix := _MATRIX.match(text, flat.end)) is not None:
        size, count = int(matrix[2]) or 1, len(items)
        height, width = str(size), str(count // size)
        if matrix[1] == "ncol":
            height, width = width, height
        by_rows = _BY_ROWS.search(matrix[0]) is not None
    else:
        before = _SIZES_BEFORE.search(text[max(0, flat.start - 200) : flat.start])
        sizes = before or _SIZES_BEHIND.match(text, flat.end)
        if sizes is None:
            return None
        named = dict(name_numbers(text))
        height, width = (named.get(sizes[at], sizes[at]) for at in (1, 2))
        by_rows = _BY_COLUMNS.match(text, sizes.end()) is None
    if not height.isdigit() or not width.isdigit():
        raise BoardError(
            "ragged-rows",
            f"The text does not say what {height} and {width} are, so the rows are not known.",
            f"State both, as in {height} = 9; or write each row on a line of its own.",
        )
    rows, cols = int(height), int(width)
    if rows * cols != len(items):
        raise BoardError(
            "ragged-rows",
            f"The array has {len(items)} items, and {rows} rows of {cols} are stated.",
            "Correct the items or the sizes.",
        )
    if by_rows:
        return [items[at : at + cols] for at in range(0, len(items), cols)]
    return [items[at::rows] for at in range(rows)]


def _strip_size(rows: Rows) -> Rows:
    """Return rows without a first one that states how many others there are, and their length."""
    size = [str(len(rows) - 1), str(len(rows[-1]))]
    return rows[1:] if rows[0] == size and len(rows[-1]) != len(size) else rows


def _split_items(content: str) -> list[str]:
    """Return the items of a list; an empty one stands for nothing, a comma at the end for none."""
    filled = content.strip().rstrip(",;")
    if "," in filled:
        filled = _EMPTY_ITEM.sub(r"\1null", filled)
    return [single or double or bare for single, double, bare in _ITEM.findall(filled)]
