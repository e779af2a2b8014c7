"""Boards as programs write them: lists and arrays of Python, NumPy, C, MiniZinc and others.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Container, Sequence
from itertools import islice
from typing import Any, Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.reading import Grid

#: What a literal begins with: perhaps a declaration or a call, then a bracket within a bracket, or
#: a bracket around quoted rows, or the signs of a table of MiniZinc.
_BEGIN: Final = re.compile(
    r"""^([\w\s.,:<>\[\]*&()$@|?-]{0,120}(?:=|\bbe\b|:(?=\s*[\[{]\s*[\[{]))\s*)?  # int b[3][3] =
        (?:(?:new\s+)?[\w.]{1,40}(?:\[\])*\s*\(?\s*)?  # np.array(, Matrix(
        (?:[\w.]+\s*,\s*)*                             # array2d(1..3, 1..3,
        (?:[\[({]\s*[\[({"']|\[\s*\||[\[{]\s*[-\w?.*_]+\s*[,\s])""",
    re.VERBOSE,
)
#: Characters of a text within which a literal shows that it is one.
_LONGEST_HEAD: Final = 400
#: The most statements of a program that are searched for a literal.
_MOST_STATEMENTS: Final = 20
#: The first items of a list of lists of cells.
_ROWS: Final = re.compile(
    r"(?:[\[{]|(?<!\w)\()\s{0,40}[\[({]\s{0,40}(?:[-+]?\w{1,9}|[?*.\"'])\s{0,40}[,;\"']"
)
_INNERMOST: Final = re.compile(r"[\[({]([^\[\](){}]*)[\])}]")
_ITEM: Final = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s,;]+)""")
_EMPTY_ITEM: Final = re.compile(r"(^|[,;])\s*(?=[,;])")
#: Comments, of whole lines also those of Python and Essence, and types of Haskell and Curry.
_COMMENT: Final = re.compile(
    r"//.*|/\*[^*\n]{0,400}\*/|%.*$|^[ \t]*(?:[#$](?:[ \t]+[A-Za-z].*)?|\w{1,40}[ \t]+::[ \t].*)$",
    re.MULTILINE,
)
_MAY_BE_COMMENT: Final = re.compile(r"//|/\*|%|[#$]|::")
#: Words before a bracket of a list, of Scala, Java, Kotlin, PHP, Rust and others: a call, a macro,
#: a type. The mark of arrays of ECLiPSe, of quoted lists of Lisp.
_CALL: Final = re.compile(
    r"\b(?:(?:new\s+)?(?:(?:mutable)?(?:List|Set)|(?:Int|Char)?Array|Vector|Seq)(?:\.of|Of)?"
    r"|Arrays\.asList|vec!)\s?(?=[\[({])|\[\](?=\()|'(?=\(\()",
    re.IGNORECASE,
)
_TYPE: Final = re.compile(
    r"\bnew\s+\w{0,20}\s*(?:\[[0-9,\s]{0,9}\]\s*){0,3}(?=\{)"
    r"|(?:\[[0-9]{0,6}\]){1,3}\w{1,20}(?=\{)|\[\]\w{1,20}\((\"[^\"\n]*\")\)"
)
#: Values in a wrapper: Some(1), Just 1, float("nan"), np.nan.
_WRAPPED: Final = re.compile(r"\bSome\s?\(([^()\n]{0,20})\)|\bJust\s+(\w{1,9})")
_NOT_A_NUMBER: Final = re.compile(
    r"\b(?:np|numpy|math|Double|Float|float)\s?[.(]\s?['\"]?nan['\"]?\)?", re.IGNORECASE
)
#: What stands for items that were not printed.
_ABBREVIATED: Final = re.compile(r"(?<![\w.\"'])\.\.\.(?![\w.\"'])|…|⋯")
_SEMICOLONS: Final = re.compile(r"[\[({]['\"]?([^\[\](){}'\"|]*)['\"]?[\])}]")
_STRING: Final = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_SIZES: Final = re.compile(r"array2d\(\s*1\s*\.\.\s*(\w+)\s*,\s*1\s*\.\.\s*(\w+)\s*,")
#: A statement of a program such as mines = 10.
_NUMBER: Final = re.compile(r"\b(\w+)\s*(?::\s*\w+\s*)?[:=]\s*([0-9]{1,9})\b")
#: A statement that gives a name to a number, also behind a type: int: r = 6.
_NAMED_NUMBER: Final = re.compile(r"\b(\w{1,40})\s*=\s*([0-9]{1,9})\b")
#: A statement that gives a one-letter name to unknown cells: int X = -1, letting X be -1.
_NAMED_UNKNOWN: Final = re.compile(r"(?<![\w.])([A-Za-z])\s*(?:=|:=|\bbe\b)\s*-1\b")
#: A table of AMPL: its columns, then a line for each row, which begins with its number.
_AMPL: Final = re.compile(
    r"\bparam\s+\w{1,40}\s*(?:\(tr\)\s*)?:((?:\s+[0-9]{1,9})++)\s*:=([^;:=]*+);?\s*\Z"
)


def read_literal(text: str, total_names: Sequence[str], symbols: Container[str] = ()) -> list[Grid]:
    """Return the grids that a literal of a program can be, none for other texts.

    Args:
        text: the source code.
        total_names: lower-case names of variables that hold the total of mines.
        symbols: symbols whose meaning the sender has given: no statement gives them another.

    Raises:
        BoardError: the rows differ in length, or their length is not known.
    """
    whole = _COMMENT.sub("", text) if _MAY_BE_COMMENT.search(text) else text
    whole = _unwrap(whole).strip()
    notes: tuple[str, ...] = ("Read a list or array of a program.",)
    if (table := _read_ampl(whole)) is not None:
        return [_make_grid(table, "literal", None, notes)]
    start = _find_start(whole)
    if start is None:
        return []
    literal = _cut_literal(whole, start)
    if _ABBREVIATED.search(_STRING.sub("", literal)):
        raise BoardError(
            "no-board",
            "The array is printed in part only: dots stand for some of its cells.",
            "Print all of it, in NumPy after np.set_printoptions(threshold=sys.maxsize).",
        )
    numbers = _NUMBER.findall(whole) + _NAMED_NUMBER.findall(whole)
    totals = [int(value) for name, value in numbers if name.lower() in total_names]
    ways = _read_strings(literal) or _read_semicolons(literal) or [_read_lists(whole, literal)]
    unknown = {name for name in _NAMED_UNKNOWN.findall(whole) if name not in symbols}
    cells = {cell for rows in ways for row in rows for cell in row}
    for name in sorted(unknown & cells):
        ways = [[["-1" if cell == name else cell for cell in row] for row in rows] for rows in ways]
        notes += (f"The text says that {name} is -1.",)
    total = totals[0] if totals else None
    return [_make_grid(rows, "literal", total, notes) for rows in ways if rows]


def read_json_rows(source: Any, notation: str = "json") -> Grid | None:
    """Return the grid of a list of strings or of lists, None if it is neither.

    Args:
        source: any JSON value.
        notation: the notation that the grid is said to have.

    Raises:
        BoardError: the rows differ in length.
    """
    if not isinstance(source, list) or not source:
        return None
    if all(isinstance(row, str) for row in source):
        return _make_grid([list(row) for row in source], notation)
    if all(isinstance(row, list) for row in source):
        rows = [["" if cell is None else str(cell) for cell in row] for row in source]
        return _make_grid(rows, notation)
    return None


def _unwrap(whole: str) -> str:
    """Return source code with plain brackets and values instead of calls, types and wrappers."""
    bare = _NOT_A_NUMBER.sub("nan", whole)
    bare = _WRAPPED.sub(lambda found: found[1] or found[2] or "", bare)
    return _CALL.sub("", _TYPE.sub(lambda found: found[1] or "", bare))


def _read_semicolons(literal: str) -> list[list[list[str]]] | None:
    """Return the ways to read one list whose parts are separated by semicolons, as of MATLAB.

    Parts with one item each are a column there, and a row in OCaml.
    """
    found = _SEMICOLONS.match(literal)
    if found is None or ";" not in found[1]:
        return None
    rows = [_split_items(part) for part in found[1].split(";") if part.strip()]
    if all(len(row) == 1 for row in rows):
        return [rows, [[row[0] for row in rows]]]
    return [rows]


def _find_start(whole: str) -> int | None:
    """Return where the first bracket of a literal is, None if there is none.

    A text of several statements is searched for the one that holds lists.
    """
    if (found := _BEGIN.match(whole[:_LONGEST_HEAD])) is not None:
        return _find_bracket(whole, found.end(1) if found[1] else 0)
    for found in islice(re.finditer(r"(?:=|\bbe\b)\s*(?=\S)", whole), _MOST_STATEMENTS):
        if _BEGIN.match(whole[found.end() : found.end() + _LONGEST_HEAD]):
            return _find_bracket(whole, found.end())
    return None


def _find_bracket(whole: str, start: int) -> int | None:
    """Return where the first bracket from ``start`` on is that begins rows."""
    brackets = (found.start() for found in re.finditer(r"[\[({]", whole[start:]))
    return next((start + at for at in brackets if _opens_rows(whole, start + at)), None)


def _opens_rows(text: str, place: int) -> bool:
    """Return True if the bracket at a place begins rows, and is no index such as [3] or []."""
    head = text[place : place + _LONGEST_HEAD]
    return len(head) > 1 and not re.match(
        r"\[[\s,]*\w*\s*\]|\[[^\]\n\"']*(?<!\.)\.\.(?!\.)|\(\s*\)", head
    )


def _read_ampl(whole: str) -> list[list[str]] | None:
    """Return the rows of a table of AMPL, where a full stop is a missing value, or None."""
    found = _AMPL.search(whole)
    if found is None:
        return None
    rows = [line.split() for line in found[2].split("\n") if line.strip()]
    if [row[0] for row in rows] != [str(number) for number in range(1, len(rows) + 1)]:
        return None
    if found[1].split() != [str(number) for number in range(1, len(rows[0]) if rows else 1)]:
        return None
    return [["null" if cell == "." else cell for cell in row[1:]] for row in rows]


def _read_strings(literal: str) -> list[list[list[str]]] | None:
    """Return the rows of a list of strings, None for any other; single symbols can be one row."""
    bare = _STRING.sub("", literal)
    if len(re.findall(r"[\[({]", bare)) > 1 or not _STRING.search(literal):
        return None
    rows = [one or other for one, other in _STRING.findall(literal)]
    if re.search(r"[\w?*]", re.sub(r"\b(?:dtype|int|str|object|np)\b", "", bare.split("]")[0])):
        return None
    if all(len(row) % 2 and row[1::2].isspace() and " " not in row[::2] for row in rows):
        return [[list(row[::2]) for row in rows]]
    below = [list(row) for row in rows]
    return [below] if any(len(row) > 1 for row in rows) else [[rows], below]


def _cut_literal(whole: str, start: int) -> str:
    """Return the literal that begins at ``start``, without what follows a list of lists.

    Raises:
        BoardError: another list of lists of cells follows.
    """
    nested = re.search(r"[\[({]\s*[\[({]|[\])}]", whole[start : start + _LONGEST_HEAD])
    if nested is None or nested[0] in "])}":
        return whole[start:]
    start += nested.start()
    depth = 0
    for found in re.finditer(r"[\[({\])}]", whole[start:]):
        depth += 1 if found[0] in "[({" else -1
        if depth == 0:
            end = start + found.end()
            break
    else:
        return whole[start:]
    if _ROWS.search(whole, end):
        raise BoardError(
            "several-boards",
            "The text has several lists of rows.",
            "Send one board; or several to /v1/batch.",
        )
    return whole[start:end]


def _read_lists(whole: str, literal: str) -> list[list[str]]:
    """Return the rows of lists in a list, or of one list whose lines or bars are the rows.

    Args:
        whole: the source code, which may state the sizes of an array.
        literal: the part of it with the lists.
    """
    inner = _INNERMOST.findall(literal)
    inner = [one for one in inner if one.strip()]
    if len(inner) > 1 or re.match(r"[\[({]\s*[\[({]", literal):
        return [_split_items(one) for one in inner]
    if not inner:
        return []
    content = inner[0].strip()
    if "|" in content:
        return [
            _split_items(one.strip().rstrip(","))
            for one in content.strip("|").split("|")
            if one.strip()
        ]
    lines = [one.strip().rstrip(",") for one in content.split("\n") if one.strip(" ,\t")]
    if len(lines) > 1:
        return _strip_size([_split_items(one) for one in lines])
    items = _split_items(content)
    if (sizes := _SIZES.search(whole)) is None:
        return [items]
    named: dict[str, str] = dict(_NAMED_NUMBER.findall(whole))
    rows = named.get(sizes[1], str(sizes[1]))
    cols = named.get(sizes[2], str(sizes[2]))
    if not rows.isdigit() or not cols.isdigit():
        raise BoardError(
            "ragged-rows",
            f"The text does not say what {rows} and {cols} are, so the rows are not known.",
            f"State both, as in {rows} = 9; or write each row on a line of its own.",
        )
    if int(rows) * int(cols) != len(items):
        raise BoardError(
            "ragged-rows",
            f"The array has {len(items)} items, and {rows} rows of {cols} are stated.",
            "Correct the items or the sizes.",
        )
    return [items[at : at + int(cols)] for at in range(0, len(items), int(cols))]


def _strip_size(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without a first one that states how many others there are, and their length."""
    size = [str(len(rows) - 1), str(len(rows[1]))]
    return rows[1:] if rows[0] == size and len(rows[1]) != len(size) else rows


def _split_items(content: str) -> list[str]:
    """Return the items of a list; an empty one stands for nothing, a comma at the end for none."""
    filled = content.strip().rstrip(",;")
    if "," in filled:
        filled = _EMPTY_ITEM.sub(r"\1null", filled)
    return [one or other or bare for one, other, bare in _ITEM.findall(filled)]


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
