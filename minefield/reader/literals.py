"""Boards as programs write them: lists and arrays of Python, NumPy, C, MiniZinc and others.

A text is cut at its brackets into a tree of lists. Each list that may hold a board gives the rows
of a candidate; words around it (declarations, calls, types, other statements) do not count.
Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import Counter
from collections.abc import Container, Sequence
from itertools import chain, islice
from typing import Any, Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.notation import strip_blanks
from minecheck.minefield.reader.frames import EDGES, check_columns
from minecheck.minefield.reader.lists import (
    LINE_STRING,
    Candidate,
    ListNode,
    list_candidates,
    parse_lists,
)
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.other_lists import (
    BOOLEANS,
    count_rows_outside,
    holds_coordinates,
    is_answer,
    is_mask,
    is_one_cell,
    list_widths,
    may_be_puzzle,
)
from minecheck.minefield.reader.reading import (
    LIST_AND_STRING,
    Grid,
    make_computed_error,
    make_masked_board_error,
    make_no_board_error,
    make_several_boards_error,
)
from minecheck.minefield.reader.strings import (
    StringLiteral,
    find_building,
    find_change,
    find_strings,
    say_left_out,
)
from minecheck.minefield.reader.surroundings import count_cells
from minecheck.minefield.reader.totals import (
    find_lettered_total,
    find_total,
    is_total_name,
    read_bombs,
    say_total,
)

#: Comments, of whole lines also those of Python and Essence; rows in comments of Python, Lua and
#: Lisp; types of Haskell and Curry.
_COMMENT: Final = re.compile(
    r"(?<!:)//.*|/\*[^*\n]{0,400}\*/|/\*\s*\Z|%.*$"
    r"|^[ \t]*(?:[#$](?:[ \t]+[A-Za-z].*)?|\w{1,40}[ \t]+::[ \t].*|;+[ \t]*\(.*)$"
    r"|(?:^|(?<=,))[ \t]*(?:#[ \t]+[\[({'\"]|#[\['\"]|--[ \t]*[\[({'\"]).*$",
    re.MULTILINE,
)
#: A name with an index, as in mines[i, j].
_INDEXED: Final = re.compile(r"\b(\w{1,40})\s?\[[^\]\n]{1,40}\]")
_BRACKET: Final = re.compile(r"[\[\](){}]")
_MAY_BE_COMMENT: Final = re.compile(r"//|/\*|%|[#$]|::|--|^[ \t]*;", re.MULTILINE)
#: Brackets that hold no cells: sizes and indices behind a name or before a row, types, empty calls.
_INDEX: Final = re.compile(
    r"(?=[\[(])(?:(?<=[A-Za-z_])(?:\[[\w\s,.]{0,40}\])+|(?:\[\w{0,6}\]){1,9}(?=[A-Za-z(])"
    r"|(?<=\w)\(\s*\)|\[[0-9]{1,5}\]\s*=\s*(?=[\[{(]))"
)
_INDEX_OF_ROW: Final = re.compile(r"(?<![\w\]])\[([0-9]{1,5})\]\s*=\s*[\[{(]")
#: Values in a wrapper: Some(1), Just 1, Cell::Clue(1), float("nan"), np.nan.
_WRAPPED: Final = re.compile(
    r"(?=[SJOCNR])\b(?:Some|Just|Optional|Clue|Number|Open|Opened|Revealed)\s?(?:\(([^()\n]{0,20})\)|\s(\w{1,9}))"
)
#: The name of a type before one of its values, and the mark before a string of bytes.
_TYPE: Final = re.compile(r"(?=[A-Zb])(?:\b[A-Z]\w{0,20}(?:::|\.)(?=[A-Z])|\bb(?=\"|'[^'\n]*'))")
_NOT_A_NUMBER: Final = re.compile(
    r"(?=[nmdf])\b(?:np|numpy|math|Double|Float|float)\s?[.(]\s?['\"]?nan['\"]?\)?", re.IGNORECASE
)
#: Where quotation marks stand within others: "\\"1\\"", "'1'".
_QUOTED_TWICE: Final = re.compile(r"\"\\\"|\\\"\"|\"'(?=[^\"'\n]*'\")|(?<=[^\s,\[({\"'])'\"")
#: Signs for items that were not printed.
_ABBREVIATED: Final = re.compile(r"(?<![\w.\"'])\.\.\.(?![\w.\"'])|…|⋯")
#: Code that makes another board of a list.
_COMPUTED: Final = re.compile(
    r"\]\s*\*\s*[0-9]|\bfor\s+\w+\s+in\b[^\n:\]]{0,200}\]|\]\)?\s*\.(?:T\b|transpose|repeat|flip|rot90|reverse|toReversed)"
    r"|::-1|\.fill\(|\]\)\s*[-+*/]\s*-?[0-9]|\]\s*\.slice\(|\.map\([^\n]{0,80}\.reverse\b"
    r"|\]\s*\.?'\s*(?:[;,]|\n|\Z)|\bzip\(\s*\*?\s*\[|''\s*\*\s*[0-9]|\btranspose\s*[\[(]"
    r"|\b(?:fliplr|flipud|rot90|rotate\w{0,9}|sorted|shuffle\w{0,9}|circshift|permute)\(\s*\["
    r"|\]\)?\s*[=<>!]=\s*-?[0-9]"
    r"|\breversed\(\s*\[|(?:-|[0-9]\s*[-+*/])\s*(?:np|numpy)\.array\("
    r"|\b(?:t|rep|rev|cbind|hcat|column_stack|np\.\w{3,9}|numpy\.\w{3,9})\((?<!array\()(?<!matrix\()(?<!asarray\()"
    r"|\.reshape\((?!\(?\s*\w+\s*,\s*\w+\s*\))"
)
#: The name of a list of columns.
_COLUMNS: Final = re.compile(r"\b(?:cols|columns)['\"]?\s*(?:=|:)\s*\Z", re.IGNORECASE)
#: An index, or a slice, behind a list.
_PART: Final = re.compile(r"[)\s]*\[\s*(?:-?[0-9]+\s*\]|-?[0-9]*:)")
#: A statement that gives a one-letter name to a cell: int X = -1, letting X be -1, M = "hidden".
_NAMED_CELL: Final = re.compile(
    r"(?=[A-Za-z])(?<![\w.])(?<![A-Za-z], )([A-Za-z])\s*(?:=|:=|\bbe\b)\s*"
    r"(?:(-?[0-9]{1,2}|None|null|nil|nan)\b|(['\"])([^'\"\n]{1,9})\3)"
)
#: A statement of SQL up to its rows, with the names of its columns.
_INSERT: Final = re.compile(r"\binsert\s+into\s+[\w.\"]+\s*(\([^()]*\))?\s*values\b", re.IGNORECASE)
#: A line with a counter, or a size, before or after a list.
_COUNTER: Final = re.compile(r"\s*[💣🚩]?\s*[0-9]{1,4}(?:[ x]+[0-9]{1,4}){0,2}\s*")
#: The beginning of a list of lists, and of one of tuples.
_NESTED: Final = re.compile(r"[\[({]\s*[\[({]")

#: A list with a larger share of cells may be another board than one of cells only.
_THIRD: Final = 1 / 3
#: The most parts of a text that are compared.
_MOST_CANDIDATES: Final = 50


def read_literal(text: str, symbols: Container[str] = ()) -> list[Grid]:
    """Return the grids that a literal of a program can be, none for other texts.

    Args:
        text: the source code.
        symbols: symbols whose meaning the sender has given: no statement gives them another.

    Raises:
        BoardError: there are several, a part of it is left out, the rows differ in length, their
            length is not known, or a bracket is missing.
    """
    if not _may_be_literal(text):
        return []
    whole, bare = _strip_code(text)
    root, unmatched = parse_lists(bare)
    literal = _choose_candidate(bare, root, symbols)
    for at in unmatched:
        nested = at == 0 or _NESTED.match(bare, at) is not None
        if nested if literal is None else literal.start <= at < literal.end:
            raise _make_bracket_error(bare, at)
    if literal is None:
        return []
    changed = _PART.match(bare, literal.end) if literal.start >= 0 else None
    if changed or (changed := find_change(whole, bare[: max(0, literal.start)])):
        raise make_computed_error(changed[0])
    if _ABBREVIATED.search(LINE_STRING.sub("", bare[literal.start : literal.end])):
        raise make_no_board_error(
            "The array is printed in part only: dots stand for some of its cells.",
            "Print all of it, in NumPy after np.set_printoptions(threshold=sys.maxsize).",
        )
    notes: tuple[str, ...] = ("Read a list or array of a program.",)
    if any(at >= literal.end for at in unmatched):
        notes += ("A bracket behind it, which closes nothing, was left out.",)
    ways = literal.ways
    values = {name: word or quoted for name, word, _, quoted in _NAMED_CELL.findall(whole)}
    # Names in quotation marks are symbols.
    values = {
        name: value
        for name, value in values.items()
        if name not in symbols and re.search(rf"[\[({{,]\s*{name}\s*[\])}},]", bare)
    }
    for name in sorted(values.keys() & {cell for rows in ways for row in rows for cell in row}):
        ways = [[[values.get(cell, cell) for cell in row] for row in rows] for rows in ways]
        notes += (f"The text says that {name} is {values[name]}.",)
    beside = f"{bare[: literal.start]}''{bare[literal.end :]}"
    others = _list_boards(bare, root) if _BRACKET.search(beside) else []
    lists = [part for part in others if _is_apart(part, literal)]
    rows = {"".join(row) for row in literal.ways[0]}
    strings = [
        string for string in _find_strings_beside(bare, literal) if string.content not in rows
    ]
    notes += say_left_out([bare[part.start : part.end] for part in lists], strings)
    total = find_total(f"{whole}\n{_drop_indexed(whole, beside)}\n{text}")
    if total is None:
        bombs = filter(None, map(read_bombs, beside.split("\n")))
        total = next(bombs, None)
    if total is None and (total := find_lettered_total(beside)) is not None:
        notes += (say_total("m", total),)
    return [_make_grid(rows, "literal", total, notes) for rows in ways]


def _drop_indexed(whole: str, beside: str) -> str:
    """Return code without the names that have an index elsewhere, which stand for many cells."""
    indexed = {name for name in _INDEXED.findall(whole) if is_total_name(name)}
    return re.sub(rf"\b(?:{'|'.join(indexed)})\b", "", beside) if indexed else beside


def _may_be_literal(text: str) -> bool:
    """Return False for a text without a bracket, and without a line that assigns a string."""
    return _BRACKET.search(text) is not None or any(
        -1 < line.find("=") < max(line.rfind("'"), line.rfind('"')) for line in text.split("\n")
    )


def _strip_code(text: str) -> tuple[str, str]:
    """Return a source code without its comments, and also without types, wrappers and indices.

    Raises:
        BoardError: rows have indices that are not in order.
    """
    whole = _COMMENT.sub("", text) if _MAY_BE_COMMENT.search(text) else text
    if _INSERT.match(whole.lstrip()):
        check_columns(
            [name for head in _INSERT.findall(whole) for name in re.findall(r"\w+", head)]
        )
        whole = f"{{\n{_INSERT.sub('', whole).replace(';', ',')}}}"
    whole = _QUOTED_TWICE.sub('"', whole)
    bare = _TYPE.sub("", _NOT_A_NUMBER.sub("nan", whole))
    bare = _WRAPPED.sub(lambda value: value[1] or value[2], bare)
    numbers = [int(number) for number in _INDEX_OF_ROW.findall(bare)]
    if numbers and numbers != [*range(numbers[0], numbers[0] + len(numbers))]:
        raise make_no_board_error(
            "The indices of the rows are not in order.", "Send the rows without indices, in order."
        )
    return whole, _INDEX.sub("", bare).strip()


def find_lists(text: str) -> tuple[list[str], bool]:
    """Return the lists of cells in a text, as they are written, and whether one has rows.

    Lists of coordinates have none.

    Raises:
        BoardError: the sizes of a list are not known, or do not fit.
    """
    if not _may_be_literal(text):
        return [], False
    _, bare = _strip_code(text)
    lists = _list_boards(bare, parse_lists(bare)[0])
    has_rows = any(part.certain and not holds_coordinates(bare, part) for part in lists)
    return [bare[part.start : part.end] for part in lists], has_rows


def _list_boards(text: str, root: ListNode) -> list[Candidate]:
    """Return the lists in a text that have nothing but cells, and several of them.

    Raises:
        BoardError: the sizes of a list are not known, or do not fit.
    """
    return [
        part
        for part in islice(list_candidates(text, root), _MOST_CANDIDATES)
        if part.start >= 0 and _share_symbols(part, ()) == 1 and len([*chain(*part.ways[0])]) > 1
    ]


def _is_apart(part: Candidate, other: Candidate) -> bool:
    """Return True if two parts of a text have no character in common."""
    return part.end <= other.start or other.end <= part.start


def read_json_rows(
    source: Any, notation: str = "json", *, with_blanks: bool = False
) -> Grid | None:
    """Return the grid of a list of strings or of lists, None if it is neither.

    Args:
        source: any JSON value.
        notation: the notation that the grid is said to have.
        with_blanks: whether blanks are cells; else one stands between every two cells, or none.

    Raises:
        BoardError: the rows differ in length, a cell is no symbol, or a blank may be a cell.
    """
    if not isinstance(source, list) or not source:
        return None
    if all(isinstance(row, str) for row in source):
        rows = source if with_blanks else strip_blanks("\n".join(source))
        return _make_grid([list(row) for row in rows], notation)
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


def _choose_candidate(text: str, lists: ListNode, symbols: Container[str]) -> Candidate | None:
    """Return the part of a source code that is a board, None if there is none.

    It is the one whose cells are all symbols; if there is none, one with some symbols, so that the
    others are reported. Rows outside of all lists are another board, or the only one.

    Raises:
        BoardError: there are several, or the length of the rows is not known.
    """
    candidates = list(islice(list_candidates(text, lists), _MOST_CANDIDATES))
    candidates = [part for part in candidates if part.certain] or [
        part for part in candidates if not is_one_cell(text, part)
    ]
    if lists.inner and (computed := _COMPUTED.search(LINE_STRING.sub("''", text))) is not None:
        raise make_computed_error(computed[0])
    boards = [part for part in candidates if not holds_coordinates(text, part)]
    puzzles = [part for part in boards if not is_answer(text, part)]
    boards = puzzles if any(may_be_puzzle(text, part) for part in puzzles) else boards
    if any(is_mask(text, part) for part in boards):
        raise make_masked_board_error()
    shares = [(_share_symbols(part, symbols), part) for part in boards]
    if candidates and not shares:
        if count_rows_outside(text, candidates) > 1:
            return None
        raise make_no_board_error(
            "The list may hold coordinates of cells, and not the cells of a board."
        )
    most = max((share for share, _ in shares), default=0)
    if candidates and {cell.lower() for cell in chain(*candidates[0].ways[0])} == BOOLEANS:
        raise make_no_board_error(
            "The list says of each cell whether it is a mine, and not what it shows.",
            "Write B for each mine, and S for each cell without one.",
        )
    boards = [part for share, part in shares if share == most]
    if not boards or not boards[0].ways[0] or (most == 0 and boards[0].start > 0):
        return None
    first = boards[0]
    outside = f"{text[: first.start]}\0{text[first.end :]}".split("\n")
    cells = len(first.ways[0][0])
    rows = [
        line
        for line in outside
        if len(line.strip()) > 1 and is_cells(line) and not EDGES.match(line)
    ]
    if any(not _COUNTER.fullmatch(row) or count_cells(row) == cells for row in rows):
        return None
    sizes = (int(number[0]) for number in re.finditer(r"\b[0-9]{1,5}\b", "".join(outside)))
    if not first.certain and any(1 < size < cells and cells % size == 0 for size in sizes):
        raise BoardError(
            "ragged-rows",
            f"The list has {cells} items, and a number beside it may be the length of its rows.",
            "Write each row as a list of its own.",
        )
    _check_only_board(text, first, shares)
    _check_unbuilt(text, lists.inner[0].start if first.start < 0 and lists.inner else first.start)
    return first


def _check_unbuilt(text: str, start: int) -> None:
    """Check that what begins at ``start`` is all of the board, in rows.

    Raises:
        BoardError: it is named as its columns, or the program adds to it.
    """
    if _COLUMNS.search(text[max(0, start - 40) : max(0, start)]):
        raise make_no_board_error(
            "The list has the columns of the board, by its name.",
            "Send the rows of the board, from the top to the bottom.",
        )
    if (built := find_building(text, start)) is not None:
        raise make_computed_error(built)


def _check_only_board(
    text: str, first: Candidate, shares: Sequence[tuple[float, Candidate]]
) -> None:
    """Check that no other list or string of a text may be the board.

    Args:
        text: the text.
        first: the list that is the board.
        shares: all lists, with the share of their cells that are symbols.

    Raises:
        BoardError: one may be.
    """
    widths = list_widths(first)
    most = max(share for share, _ in shares)
    others = (
        part
        for share, part in shares
        if share == most or (share > _THIRD and list_widths(part) == widths)
    )
    if any(part is not first for part in others):
        raise make_several_boards_error("The text has several lists of rows.")
    if any(other.has_rows or not first.certain for other in _find_strings_beside(text, first)):
        raise make_several_boards_error(LIST_AND_STRING)


def _find_strings_beside(text: str, part: Candidate) -> list[StringLiteral]:
    """Return the strings outside of a list that have several cells."""
    beside = f"{text[: max(part.start, 0)]}\0{text[part.end :]}" if part.start >= 0 else ""
    return [string for string in find_strings(beside) if string.has_several_cells]


def _share_symbols(candidate: Candidate, symbols: Container[str]) -> float:
    """Return the share of cells that are symbols."""
    counts = Counter(chain(*candidate.ways[0]))
    known = sum(count for cell, count in counts.items() if is_symbol(cell) or cell in symbols)
    return known / max(counts.total(), 1)


def _make_bracket_error(text: str, at: int) -> BoardError:
    """Return the error of a list that is not closed, or not opened, so that rows may be missing."""
    row, col = text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1
    missing = "closing" if text[at] in "[({" else "opening"
    return BoardError(
        "missing-bracket",
        f'The "{text[at]}" at line {row}, column {col} has no {missing} bracket.',
        "Add the bracket that is missing, and any rows that are missing with it.",
    )


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
