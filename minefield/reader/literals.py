"""Boards as programs write them: lists and arrays of Python, NumPy, C, MiniZinc and others.

A text is cut at its brackets into a tree of lists. Each list that may hold a board gives the rows
of a candidate; words around it (declarations, calls, types, other statements) do not count.
Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import Counter, deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from typing import Any, Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.frames import EDGES, check_columns
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.reading import (
    LIST_AND_STRING,
    Grid,
    make_computed_error,
    make_no_board_error,
    make_ragged_list_error,
    make_several_boards_error,
)
from minecheck.minefield.reader.strings import StringLiteral, find_strings, say_left_out
from minecheck.minefield.reader.totals import (
    SIZE,
    find_lettered_total,
    find_total,
    name_numbers,
    say_total,
)

#: Comments, of whole lines also those of Python and Essence; rows in comments of Python, Lua and
#: Lisp; types of Haskell and Curry.
_COMMENT: Final = re.compile(
    r"(?<!:)//.*|/\*[^*\n]{0,400}\*/|%.*$"
    r"|^[ \t]*(?:[#$](?:[ \t]+[A-Za-z].*)?|\w{1,40}[ \t]+::[ \t].*|;+[ \t]*\(.*)$"
    r"|(?:^|(?<=,))[ \t]*(?:#[ \t]+[\[({'\"]|#[\['\"]|--[ \t]*[\[({'\"]).*$",
    re.MULTILINE,
)
_MAY_BE_LITERAL: Final = re.compile(r"[\[\](){}]|=[^\n]*['\"]")
_MAY_BE_COMMENT: Final = re.compile(r"//|/\*|%|[#$]|::|--|^[ \t]*;", re.MULTILINE)
#: Brackets that hold no cells: sizes and indices behind a name or before a row, types, empty calls.
_INDEX: Final = re.compile(
    r"(?=[\[(])(?:(?<=[A-Za-z_])(?:\[[\w\s,.]{0,40}\])+|(?:\[\w{0,6}\])+(?=[A-Za-z(])"
    r"|(?<=\w)\(\s*\)|\[[0-9]{1,5}\]\s*=\s*(?=[\[{(]))"
)
#: Values in a wrapper: Some(1), Just 1, Cell::Clue(1), float("nan"), np.nan.
_WRAPPED: Final = re.compile(
    r"(?=[SJOCNR])\b(?:Some|Just|Optional|Clue|Number|Open|Opened|Revealed)\s?(?:\(([^()\n]{0,20})\)|\s(\w{1,9}))"
)
#: The name of a type before one of its values, and the mark before a string of bytes.
_TYPE: Final = re.compile(r"(?=[A-Zb])(?:\b[A-Z]\w{0,20}(?:::|\.)(?=[A-Z])|\bb(?=\"|'[^'\n]*'))")
_NOT_A_NUMBER: Final = re.compile(
    r"(?=[nmdf])\b(?:np|numpy|math|Double|Float|float)\s?[.(]\s?['\"]?nan['\"]?\)?", re.IGNORECASE
)
_TOKEN: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[\[({]|[\])}]")
#: Where quotation marks stand within others: "\\"1\\"", "'1'".
_QUOTED_TWICE: Final = re.compile(r"\"\\\"|\\\"\"|\"'(?=[^\"'\n]*'\")|(?<=[^\s,\[({\"'])'\"")
#: What may stand between two rows: a separator, a label, and a call, a type or a mark of lists.
_GAP: Final = re.compile(
    r"\s*[,;|\s]\s*(?:\.\.\.|[-*]\s|\w{1,4}:)?\s*(?:new\s+)?[\w.@!#&*<>?']{0,30}\s*"
)
_BEFORE_ROWS: Final = re.compile(r"\s*\|?\s*(?:new\s+)?[\w.@!#&*<>?']{0,30}\s*")
_AFTER_ROWS: Final = re.compile(r"[\s,;|]*")
#: What may stand around strings that are rows: signs between them, and methods without arguments.
_AROUND_STRINGS: Final = re.compile(r"(?:[\s,;|+@]|\.\w+|\b(?:[rbufRBUF]|NULL)(?=\Z|\s))*")
_BLANKS: Final = re.compile(r"\s+")
_STRING: Final = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'")
_ITEM: Final = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s,;]+)""")
_EMPTY_ITEM: Final = re.compile(r"(^|[,;])\s*(?=[,;])")
#: Signs for items that were not printed.
_ABBREVIATED: Final = re.compile(r"(?<![\w.\"'])\.\.\.(?![\w.\"'])|…|⋯")
#: A method of strings, whose arguments are no rows.
_METHOD: Final = re.compile(r"\.(?:split|replace|[lr]?strip)\w*\s?\Z")
#: Names of lists of coordinates, of mines or of cells around one. Of several names, as in board,
#: mines =, the last is not that of a list right behind them.
_COORDINATE_LISTS: Final = re.compile(
    r"((?:^|;)[ \t(]*(?:\w+, ?)+)?"
    r"\b(?:mines?|bombs?|flags?|dirs?|directions?|moves|offsets|neighbou?rs|deltas?)(?:_\w{1,20})?"
    r"['\"]?\s*(?::[^=\n]{0,40}=|[ )]*(?:[:=]|:=))[\s(]*\Z",
    re.IGNORECASE | re.MULTILINE,
)
#: Code that makes another board of a list.
_COMPUTED: Final = re.compile(
    r"\]\s*\*\s*[0-9]|\bfor\s+\w+\s+in\b[^\n:\]]{0,200}\]|\]\)?\s*\.(?:T\b|transpose|repeat|flip|rot90)"
    r"|\b(?:t|rep|rev|cbind|hcat|column_stack|np\.\w{3,9}|numpy\.\w{3,9})\((?<!array\()(?<!matrix\()(?<!asarray\()"
    r"|\.reshape\((?!\(?\s*\w+\s*,\s*\w+\s*\))"
)
#: The numbers of rows and columns of a list that is written as one: before it, or behind it.
_SIZES_BEFORE: Final = re.compile(r"array2d\(\s*1\s*\.\.\s*(\w+)\s*,\s*1\s*\.\.\s*(\w+)\s*,\s*\Z")
_SIZES_BEHIND: Final = re.compile(r"\s*\)?\s*\.reshape\(\(?\s*(\w+)\s*,\s*(\w+)\s*\)")
#: Arguments of R behind the items of a matrix, which it fills by columns unless they say otherwise.
_MATRIX: Final = re.compile(r"\s*,\s*(n(?:row|col)|dim)\s*=\s*(?:c\()?([0-9]{1,5})L?[^()]*\)")
_BY_ROWS: Final = re.compile(r"byrow\s*=\s*T")
#: A statement that gives a one-letter name to unknown cells: int X = -1, letting X be -1.
_NAMED_UNKNOWN: Final = re.compile(r"(?=[A-Za-z])(?<![\w.])([A-Za-z])\s*(?:=|:=|\bbe\b)\s*-1\b")
#: A statement of SQL up to its rows, with the names of its columns.
_INSERT: Final = re.compile(r"\binsert\s+into\s+[\w.\"]+\s*(\([^()]*\))?\s*values\b", re.IGNORECASE)
#: The beginning of a list of lists.
_NESTED: Final = re.compile(r"[\[({]\s*[\[({]")

#: The most parts of a text that are compared.
_MOST_CANDIDATES: Final = 50

Rows = list[list[str]]


@dataclass(slots=True)
class _List:
    """A list in a text: where it begins and ends, its bracket included, and the lists in it."""

    start: int
    end: int
    bracket: str = ""
    inner: list["_List"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The ways to cut a part of a text into rows; ``certain`` if it must have several rows."""

    start: int
    end: int
    ways: list[Rows]
    certain: bool = True


def read_literal(text: str, symbols: Container[str] = ()) -> list[Grid]:
    """Return the grids that a literal of a program can be, none for other texts.

    Args:
        text: the source code.
        symbols: symbols whose meaning the sender has given: no statement gives them another.

    Raises:
        BoardError: there are several, a part of it is left out, the rows differ in length, their
            length is not known, or a bracket is missing.
    """
    if not _MAY_BE_LITERAL.search(text):
        return []
    whole, bare = _strip_code(text)
    root, unmatched = _parse_lists(bare)
    literal = _choose_candidate(bare, root, symbols)
    for at in unmatched:
        nested = at == 0 or _NESTED.match(bare, at) is not None
        if nested if literal is None else literal.start <= at < literal.end:
            raise _make_bracket_error(bare, at)
    if literal is None:
        return []
    if _ABBREVIATED.search(_STRING.sub("", bare[literal.start : literal.end])):
        raise make_no_board_error(
            "The array is printed in part only: dots stand for some of its cells.",
            "Print all of it, in NumPy after np.set_printoptions(threshold=sys.maxsize).",
        )
    notes: tuple[str, ...] = ("Read a list or array of a program.",)
    if any(at >= literal.end for at in unmatched):
        notes += ("A bracket behind it, which closes nothing, was left out.",)
    unknown = {name for name in _NAMED_UNKNOWN.findall(whole) if name not in symbols}
    ways = literal.ways
    for name in sorted(unknown & {cell for rows in ways for row in rows for cell in row}):
        ways = [[["-1" if cell == name else cell for cell in row] for row in rows] for rows in ways]
        notes += (f"The text says that {name} is -1.",)
    beside = f"{bare[: literal.start]}''{bare[literal.end :]}"
    lists = [part for part in _list_boards(bare, root) if not _overlap(part, literal)]
    rows = {"".join(row) for row in literal.ways[0]}
    strings = [one for one in _find_strings_beside(bare, literal) if one.content not in rows]
    notes += say_left_out([bare[part.start : part.end] for part in lists], strings)
    total = find_total(f"{whole}\n{beside}\n{text}")
    if total is None and (total := find_lettered_total(beside)) is not None:
        notes += (say_total("m", total),)
    return [_make_grid(rows, "literal", total, notes) for rows in ways]


def _strip_code(text: str) -> tuple[str, str]:
    """Return a source code without its comments, and also without types, wrappers and indices."""
    whole = _COMMENT.sub("", text) if _MAY_BE_COMMENT.search(text) else text
    if _INSERT.match(whole.lstrip()):
        check_columns(
            [name for head in _INSERT.findall(whole) for name in re.findall(r"\w+", head)]
        )
        whole = f"[{_INSERT.sub('', whole).replace(';', ',')}]"
    whole = _QUOTED_TWICE.sub('"', whole)
    bare = _TYPE.sub("", _NOT_A_NUMBER.sub("nan", whole))
    bare = _WRAPPED.sub(lambda value: value[1] or value[2], bare)
    return whole, _INDEX.sub("", bare).strip()


def find_lists(text: str) -> tuple[list[str], bool]:
    """Return the lists of cells in a text, as they are written, and whether one has rows.

    Lists of coordinates have none.

    Raises:
        BoardError: the sizes of a list are not known, or do not fit.
    """
    if not _MAY_BE_LITERAL.search(text):
        return [], False
    _, bare = _strip_code(text)
    lists = _list_boards(bare, _parse_lists(bare)[0])
    has_rows = any(part.certain and not _holds_coordinates(bare, part) for part in lists)
    return [bare[part.start : part.end] for part in lists], has_rows


def _list_boards(text: str, root: _List) -> list[_Candidate]:
    """Return the lists in a text that have nothing but cells, and several of them.

    Raises:
        BoardError: the sizes of a list are not known, or do not fit.
    """
    return [
        part
        for part in islice(_list_candidates(text, root), _MOST_CANDIDATES)
        if part.start >= 0 and _share_symbols(part, ()) == 1 and len([*chain(*part.ways[0])]) > 1
    ]


def _overlap(one: _Candidate, other: _Candidate) -> bool:
    return one.start < other.end and other.start < one.end


def _holds_coordinates(text: str, part: _Candidate) -> bool:
    """Return True for a list with the name of one of coordinates."""
    named = _COORDINATE_LISTS.search(text[max(0, part.start - 80) : max(0, part.start)])
    return named is not None and named[1] is None


def read_json_rows(source: Any, notation: str = "json") -> Grid | None:
    """Return the grid of a list of strings or of lists, None if it is neither.

    Args:
        source: any JSON value.
        notation: the notation that the grid is said to have.

    Raises:
        BoardError: the rows differ in length, or a cell is no symbol.
    """
    if not isinstance(source, list) or not source:
        return None
    if all(isinstance(row, str) for row in source):
        return _make_grid([list(row) for row in source], notation)
    if all(isinstance(row, list) for row in source):
        if any(isinstance(cell, dict | list) for row in source for cell in row):
            raise BoardError(
                "board-type",
                "The cells of the board are objects or lists.",
                "Send each cell as 0 to 8, ? for unknown, B for a mine, S for safe, F for a flag.",
            )
        rows = [["" if cell is None else str(cell) for cell in row] for row in source]
        return _make_grid(rows, notation)
    return None


def _choose_candidate(text: str, lists: _List, symbols: Container[str]) -> _Candidate | None:
    """Return the part of a source code that is a board, None if there is none.

    It is the one whose cells are all symbols; if there is none, one with some symbols, so that the
    others are reported. Rows outside of all lists are another board, or the only one.

    Raises:
        BoardError: there are several, or the length of the rows is not known.
    """
    candidates = list(islice(_list_candidates(text, lists), _MOST_CANDIDATES))
    candidates = [part for part in candidates if part.certain] or candidates
    if lists.inner and (computed := _COMPUTED.search(_STRING.sub("''", text))) is not None:
        raise make_computed_error(computed[0])
    named = [_holds_coordinates(text, part) for part in candidates]
    if candidates and all(named):
        raise make_no_board_error(
            "The list may hold the coordinates of mines, and not the cells of a board."
        )
    candidates = [part for part, name in zip(candidates, named, strict=True) if not name]
    shares = [_share_symbols(part, symbols) for part in candidates]
    boards = [part for part, share in zip(candidates, shares, strict=True) if share == max(shares)]
    if not boards or (max(shares) == 0 and boards[0].start > 0):
        return None
    first = boards[0]
    if not first.ways[0]:
        return None
    outside = f"{text[: first.start]}\0{text[first.end :]}".split("\n")
    if any(len(line.strip()) > 1 and is_cells(line) and not EDGES.match(line) for line in outside):
        return None
    cells = len(first.ways[0][0])
    sizes = (int(number[0]) for number in re.finditer(r"\b[0-9]{1,5}\b", "".join(outside)))
    if not first.certain and any(1 < size < cells and cells % size == 0 for size in sizes):
        raise make_ragged_list_error("list", cells)
    if len(boards) > 1:
        raise make_several_boards_error("The text has several lists of rows.")
    if any(other.has_rows or not first.certain for other in _find_strings_beside(text, first)):
        raise make_several_boards_error(LIST_AND_STRING)
    return first


def _find_strings_beside(text: str, part: _Candidate) -> list[StringLiteral]:
    """Return the strings outside of a list that have several cells."""
    beside = f"{text[: max(part.start, 0)]}\0{text[part.end :]}" if part.start >= 0 else ""
    return [string for string in find_strings(beside) if string.has_several_cells]


def _share_symbols(candidate: _Candidate, symbols: Container[str]) -> float:
    """Return the share of cells that are symbols."""
    counts = Counter(chain(*candidate.ways[0]))
    known = sum(count for cell, count in counts.items() if is_symbol(cell) or cell in symbols)
    return known / max(counts.total(), 1)


def _parse_lists(text: str) -> tuple[_List, list[int]]:
    """Return the tree of all lists in a text, and where its brackets without counterparts are.

    The root of the tree is the text itself.
    """
    root = _List(-1, len(text) + 1)
    open_lists = [root]
    unmatched = []
    for token in _TOKEN.finditer(text):
        if token[0] in "[({":
            inner = _List(token.start(), root.end, token[0])
            open_lists[-1].inner.append(inner)
            open_lists.append(inner)
        elif token[0] in "])}":
            if open_lists[-1].bracket + token[0] not in ("[]", "()", "{}"):
                unmatched.append(token.start())
            if len(open_lists) > 1:
                open_lists.pop().end = token.end()
    return root, [*unmatched, *(unclosed.start for unclosed in open_lists[1:])]


def _make_bracket_error(text: str, at: int) -> BoardError:
    """Return the error of a list that is not closed, or not opened, so that rows may be missing."""
    row, col = text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1
    missing = "closing" if text[at] in "[({" else "opening"
    return BoardError(
        "missing-bracket",
        f'The "{text[at]}" at line {row}, column {col} has no {missing} bracket.',
        "Add the bracket that is missing, and any rows that are missing with it.",
    )


def _list_candidates(text: str, root: _List) -> Iterator[_Candidate]:
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
        if rows:
            yield _Candidate(outer.start, outer.end, rows)
            continue
        if (
            not outer.inner
            and outer is not root
            and (";" in content or not _STRING.search(content))
        ):
            yield from _read_flat(text, outer)
        if outer.bracket != "[" or all(inner.inner for inner in outer.inner):
            # Otherwise some items would be cells, and others lists of lists.
            waiting += outer.inner


def _read_lists(text: str, outer: _List, is_root: bool) -> list[Rows]:
    """Return the rows of lists in a list, or side by side in a text, if there is nothing else."""
    inner = outer.inner
    if any(row.inner for row in inner) or (len(inner) == 1 and _is_argument(text, outer)):
        return []
    gaps = (_BLANKS.sub(" ", text[row.end : below.start]) for row, below in pairwise(inner))
    if not all(map(_GAP.fullmatch, gaps)):
        return []
    contents = [text[row.start + 1 : row.end - 1].strip("| \n") for row in inner]
    rows = [_split_items(row.removeprefix("list ")) for row in contents]
    rows = [list(row[0]) if len(row) == 1 and not is_symbol(row[0]) else row for row in rows]
    if is_root:
        # Pairs in parentheses are rather coordinates.
        words = not any(re.search(r"[\s,]", content) for content in contents)
        listed = len(rows) > 1 and min(map(len, rows)) > 1 and (inner[0].bracket != "(" or words)
        return [rows] if listed else []
    before = _BLANKS.sub(" ", text[outer.start + 1 : inner[0].start])
    after = text[inner[-1].end : outer.end - 1]
    return [rows] if _BEFORE_ROWS.fullmatch(before) and _AFTER_ROWS.fullmatch(after) else []


def _is_argument(text: str, outer: _List) -> bool:
    """Return True if the only list in a list is an argument, as in array([1, 2]) or zeros((3, 3)).

    It is a row in arrayOf(intArrayOf(1, 2)), and in (list (list 1 2)).
    """
    (only,) = outer.inner
    called = text[only.start - 1 : only.start].isalpha() or text.startswith("list ", only.start + 1)
    return outer.bracket == "(" and (only.bracket != "(" or not called)


def _list_strings(content: str) -> list[str]:
    """Return the strings of a list."""
    return [double or single for double, single in _STRING.findall(content)]


def _read_strings(content: str, is_root: bool) -> list[Rows]:
    """Return the rows of a list of strings, none for any other; single symbols can be one row."""
    around = _STRING.sub("", content)
    if is_root:
        declared, sign, around = around.partition("=")
        if not sign or _STRING.search(content.partition("=")[0]) or len(declared) > 80:
            return []
    if not _AROUND_STRINGS.fullmatch(around):
        return []
    strings = [string for string in _list_strings(content) if string not in ("\\n", "\\r\\n")]
    rows = [re.sub(r"\\[nrt]", "", string) for string in strings]
    if not any(rows):
        return []
    if all(len(row) % 2 and row[1::2].isspace() and " " not in row[::2] for row in rows):
        return [[list(row[::2]) for row in rows]]
    rows = rows[0].split() if len(rows) == 1 else rows
    below = [list(row) for row in rows]
    return [below] if any(len(row) > 1 for row in rows) else [[rows], below]


def _read_flat(text: str, flat: _List) -> Iterator[_Candidate]:
    """Yield the candidate of a list of items whose rows end at bars, semicolons, lines or sizes.

    Parts with one item each are a column in MATLAB, and a row in OCaml.

    Raises:
        BoardError: the sizes are not known, or do not fit.
    """
    content = text[flat.start + 1 : flat.end - 1].strip()
    if SIZE.fullmatch(content):
        return
    sign = next((sign for sign in "|;\n" if sign in content), None)
    if sign is None or flat.bracket == "(":
        items = _split_items(content)
        if len({len(item) for item in items if not is_symbol(item)}) == 1 and all(
            map(is_cells, items)
        ):
            # A shell took the quotation marks around each row.
            yield _Candidate(flat.start, flat.end, [[list(item) for item in items]])
        elif flat.bracket != "(" and len(items) > 1:
            yield _Candidate(flat.start, flat.end, [[items]], certain=False)
        return
    parts = [part.strip().rstrip(",") for part in content.strip(sign).split(sign)]
    rows = [_split_items(part) for part in parts if part.strip(" ,\t")]
    ways = [_strip_size(rows) if sign == "\n" else rows]
    if sign == ";" and all(len(row) == 1 for row in rows):
        ways.append([[row[0] for row in rows]])
    yield _Candidate(flat.start, flat.end, ways, certain=len(rows) > 1)


def _read_sized(text: str, flat: _List, content: str) -> Rows | None:
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
        by_rows = True
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


def _make_grid(
    rows: Sequence[Sequence[str]],
    notation: str,
    total: int | None = None,
    notes: tuple[str, ...] = (),
) -> Grid:
    """Return the grid of rows.

    Raises:
        BoardError: there are no cells, or the rows differ in length.
    """
    return Grid(tuple(map(tuple, rows)), notation, total, notes).require_rectangle()
