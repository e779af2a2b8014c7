"""Lines that only draw a table: frames, rules between rows, bars, quotation marks.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Final

from minecheck.minefield.reader.meanings import is_symbol
from minecheck.minefield.reader.reading import (
    make_empty_board_error,
    make_no_board_error,
    make_several_boards_error,
)

BARS: Final = "|│┃║¦┆┊"
#: The separator of fields in the lines of a drawn table; texts do not have it.
FIELD_END: Final = "\x1f"
EDGES: Final = re.compile(r"^[\s|¦+\u2500-\u257f\-=:_]+$")
#: A cell in brackets, and a row of them, perhaps with a label.
_IN_BRACKETS: Final = re.compile(r"[\[({<]( ?[^\[\](){}<>\s,]? ?)[\])}>]")
_BRACKETED: Final = re.compile(rf"\s*((?:\w{{1,3}}[.:|]?\s+)?)((?:{_IN_BRACKETS.pattern}\s*)+)")
#: Signs that may begin and end rows, as parts of large brackets too, or only end them.
_OPENING: Final = frozenset("([{<^|/\\⎡⎢⎣⎛⎜⎝")
_CLOSING: Final = frozenset(")]}>$|/\\⎤⎥⎦⎞⎟⎠")
_ENDS: Final = frozenset(";,\\$↵¶⏎")
_LEAST_EDGES: Final = 2
#: Fields of a row with two cells, and a label on both sides.
_LEAST_LABELLED: Final = 4
#: The head of a part of a patch.
_HUNK: Final = re.compile(r"@@ -[0-9]+(?:,[0-9]+)? \+[0-9]")
#: A line whose only full stop is behind a cell at its end; signs between cells.
_FULL_STOP: Final = re.compile(r"[^.]*[^.\s,;|]\.")
_APART: Final = re.compile(r"\S[\s,;|/]+\S")
#: A word of more characters than a cell and a full stop.
_LEAST_DENSE: Final = 2
#: The upper edges of cells that are drawn with signs, and the lower ones.
_ROOF: Final = re.compile(r"\s*[_\u203e\u00af-]+(?:\s+[_\u203e\u00af-]+)*\s*")
#: A line in bold.
_BOLD: Final = re.compile(r"\s*(\*\*|__)(.*[0-8?].*)\1\s*")
_BULLET: Final = re.compile(r"\s*([-*+.]) +(?:\[[ xX]\] (?!\[))?(\S.*?)\s*")
#: A bullet behind the number of a list.
_NUMBERED: Final = re.compile(r"\s*([0-9]{1,4})[.):]\s+([-*+.] .*)")
#: An item of a list; the first one of a row has the mark of the outer list as well.
_ITEM: Final = re.compile(r"(\s*(?:[-*]|[0-9]{1,4}[.)]) )?\s*- (\S+)\s*")
#: Text that may stand where two rulers meet.
CORNERS: Final = frozenset(
    (
        "",
        "\\",
        "/",
        "+",
        "|",
        "#",
        "r\\c",
        "row",
        "y\\x",
        "index",
        "(index)",
        "id",
        "no",
        "nr",
        "unnamed: 0",
    )
)
#: Names of columns that say where a cell is.
_COORDINATES: Final = frozenset(("row", "col", "column", "x", "y", "r", "c", "i", "j"))
_MOST_COLUMNS: Final = 9
#: The name of a column, or the line below it in tables of Polars.
_NAME: Final = re.compile(r"[^\W\d].+|-{3}")
_COLUMNS: Final = re.compile(r"\s*=+(?: +=+)+")
#: The edges of boxes side by side, each of which has a cell.
_BOXES: Final = re.compile(r"\s*[+┌└╭╰╔╚][-=─═]+[+┐┘╮╯╗╝](?:\s+[+┌└╭╰╔╚][-=─═]+[+┐┘╮╯╗╝])+\s*")
_BETWEEN_BOXES: Final = re.compile(rf"(?<=[{BARS}])\s+[{BARS}]")
#: A line that parts the header of a table of Markdown from its rows.
_DELIMITER: Final = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")
#: A field between bars that underscores fill.
_FILLED: Final = re.compile(r"_*[^_|\s]?_*")
_LEAST_FILLED: Final = 2
_LINE: Final = re.compile(r"[-=_]{2}|[─━═╌┄]|[-=+:]\|[-=+:]|\+-\+")


def strip_frames(lines: list[str], *, with_edges: bool = False) -> tuple[list[str], bool]:
    """Return the lines of a table without those that only draw it, and whether there were any.

    Args:
        lines: the lines.
        with_edges: whether an empty field is kept that bars at one end only leave at the other.

    Raises:
        BoardError: there are two tables.
    """
    filled = [line for line in lines if line.strip()]
    if (cut := _cut_columns(filled)) is not None:
        return cut, True
    lines = _drop_fillers(_join_boxes(_join_tall_rows(_strip_underscores(lines))))
    filled = [line for line in lines if line.strip()]
    has_bars = any(_has_bar(line) and not EDGES.match(line) for line in filled)
    if has_bars:
        lines = _drop_roofs(lines)
    ruled = _drop_delimiter(_drop_rules(lines, has_bars))
    rest = [line for line in ruled if line.strip()]
    with_bars = [at for at, line in enumerate(ruled) if _has_bar(line)]
    barred = [ruled[at] for at in with_bars]
    if barred:
        # Two tables are two boards.
        drop_empty_lines(ruled[with_bars[0] : with_bars[-1] + 1])
    if not rest or not barred:
        return (
            (rest, True)
            if rest and len(rest) < len(filled) and _only_rules(filled, rest)
            else (lines, False)
        )
    alike = [re.sub(rf"[{BARS}]", "|", line) for line in rest]
    inner = _strip_outer_bars(alike, with_edges=with_edges)
    columns = max(line.count("|") for line in inner) + 1
    fields = _drop_right_labels([_split_bars(line, columns) for line in inner])
    if all(
        len(field) <= 1 or is_symbol(field) or field in CORNERS or is_header(row)
        for row in fields
        for field in row
    ):
        if len(filled) == len(rest) + 1 and filled[1] not in rest and not any(fields[0]):
            # Tables of Markdown have a header, which may be empty.
            fields = fields[1:]
        # Further headers, such as those of Polars, have the types of columns.
        body = [row for at, row in enumerate(fields) if at == 0 or not is_header(row)]
        return [FIELD_END.join(row) for row in body], True
    return [line.replace("|", " ") for line in inner], True


def _strip_underscores(lines: list[str]) -> list[str]:
    """Return lines without underscores that fill up fields: |_1_|___| as |1|_|."""
    fields = {field for line in lines for field in line.split("|")[1:-1]}
    if max(map(len, fields), default=0) < _LEAST_FILLED or not all(map(_FILLED.fullmatch, fields)):
        return lines
    return [
        re.sub(r"(?<=\|)[^|]+(?=\|)", lambda field: field[0].strip("_") or "_", line)
        for line in lines
    ]


def _has_bar(line: str) -> bool:
    return any(bar in line for bar in BARS)


def _drop_roofs(lines: list[str]) -> list[str]:
    """Return the lines with bars if all others draw the edges of cells; else without a first edge.

    The first line is an edge if it has only underscores.
    """
    rest = [line for line in lines if not _ROOF.fullmatch(line)]
    first = next(at for at, line in enumerate(lines) if line.strip())
    # The size of the board may stand above them.
    below = rest if lines[first] not in rest else rest[first + 1 :]
    if all(_has_bar(line) for line in below if line.strip()):
        return rest
    return lines[first + 1 :] if lines[first].strip(" _") == "" else lines


def _drop_rules(lines: list[str], has_bars: bool) -> list[str]:
    """Return lines without those that only draw a table; ``has_bars`` if others have bars.

    As many dashes as the rows have cells, with bars, are a row if dashes are cells elsewhere, or if
    nothing parts them from the next such line, or from the end of the table.
    """
    cells = [re.sub(rf"[{BARS}\s]", "", line) for line in lines]
    rules = {at for at, line in enumerate(lines) if _is_rule(line, has_bars)}
    rows = [row for at, row in enumerate(cells) if at not in rules and row]
    widths = {*map(len, rows)}
    barred = [at for at, line in enumerate(lines) if _has_bar(line)]
    dashed = {
        at
        for at in rules.intersection(barred)
        if {len(cells[at])} == widths and not cells[at].strip("-_")
    }
    adjacent = any(at + 1 in dashed for at in dashed)
    ended = bool(dashed) and barred[-1] in dashed and barred[0] not in dashed
    signs = {sign for at in dashed for sign in cells[at]}
    if adjacent or ended or any(sign in row for row in rows for sign in signs):
        rules -= dashed
    return [line for at, line in enumerate(lines) if at not in rules]


def _drop_delimiter(lines: list[str]) -> list[str]:
    """Return lines without the second one if that parts the header of a table of Markdown.

    It has a dash for each column, perhaps with colons, and no other line has a dash.
    """
    filled = [at for at, line in enumerate(lines) if line.strip()]
    if len(filled) <= _LEAST_EDGES or not _DELIMITER.fullmatch(lines[filled[1]]):
        return lines
    others = "".join(line for at, line in enumerate(lines) if at != filled[1])
    return lines if "-" in others else [*lines[: filled[1]], *lines[filled[1] + 1 :]]


def _join_tall_rows(lines: list[str]) -> list[str]:
    """Return lines with one for each row of a table whose rows are drawn on several.

    Rules stand between such rows, and all but one line of each have only bars.
    """
    barred = [at for at, line in enumerate(lines) if _has_bar(line)]
    if not barred:
        return lines
    groups: list[list[str]] = [[]]
    for line in lines[barred[0] : barred[-1] + 1]:
        if _is_rule(line, has_bars=True):
            groups.append([])
        else:
            groups[-1].append(line)
    rows = [group for group in groups if group]
    written = [[line for line in row if not EDGES.match(line)] for row in rows]
    if len(groups) < 2 or {*map(len, rows)} <= {1} or any(len(row) > 1 for row in written):
        return lines
    if len({*map(len, rows)}) > 1 or not any(written):
        return lines
    joined = [(filled or row)[0] for filled, row in zip(written, rows, strict=True)]
    return [*lines[: barred[0]], *joined, *lines[barred[-1] + 1 :]]


def _drop_fillers(lines: list[str]) -> list[str]:
    """Return lines without every other one, if these only have bars, and the rest have labels."""
    heads = {
        at: re.split(rf"[{BARS}]", line, maxsplit=1)[0].strip()
        for at, line in enumerate(lines)
        if _has_bar(line)
    }
    fillers = {at for at in heads if not re.sub(rf"[{BARS}\s_]", "", lines[at])}
    labelled = len(heads) > 1 and all(bool(heads[at]) != (at in fillers) for at in heads)
    by_turns = all((one in fillers) != (other in fillers) for one, other in pairwise(heads))
    if not labelled or not by_turns:
        return lines
    rows = [line for at, line in enumerate(lines) if at not in fillers]
    if any(line.strip() and not _has_bar(line) and not EDGES.match(line) for line in rows):
        return rows
    # Labels of rows may look like cells if columns have none.
    return [re.sub(rf"^[^{BARS}]*", "", line) for line in rows]


def _join_boxes(lines: list[str]) -> list[str]:
    """Return lines with a single bar between cells if each cell is in a box of its own.

    Between such boxes are gaps, of which the edges show the columns.
    """
    edge = next(filter(_BOXES.fullmatch, lines), None)
    if edge is None:
        return lines
    gaps = {gap.start() for gap in re.finditer(r"(?<=\S)\s+(?=\S)", edge)}
    return [
        _BETWEEN_BOXES.sub(lambda gap: "" if gap.start() in gaps else gap[0], line)
        for line in lines
    ]


def _cut_columns(lines: list[str]) -> list[str] | None:
    """Return the lines of a simple table of reStructuredText as fields, None for other lines.

    Its first and last lines, and one below a header, say where its columns are.
    """
    rule = lines[0] if lines else ""
    if not _COLUMNS.fullmatch(rule) or len(lines) < 3 or lines[-1] != rule:
        return None
    spans = [column.span() for column in re.finditer("=+", rule)]
    body = [line for line in lines if line != rule]
    if any(
        line[before[1] : behind[0]].strip() for line in body for before, behind in pairwise(spans)
    ):
        return None
    fields = [[line[start:end].strip() for start, end in spans] for line in body]
    return [FIELD_END.join(row) for row in fields if row is not fields[0] or not is_header(row)]


def _strip_outer_bars(lines: list[str], *, with_edges: bool = False) -> list[str]:
    """Return lines without the bars at their beginnings, or ends, if all with bars have them.

    Bars at one end are kept ``with_edges``.
    """
    barred = [line.strip() for line in lines if "|" in line]
    first = all(line.startswith("|") for line in barred)
    last = all(line.endswith("|") for line in barred) and any(len(line) > 1 for line in barred)
    if with_edges and first != last:
        return lines
    inner = []
    for line in lines:
        bare = line.strip() if "|" in line else line
        bare = bare.removeprefix("|") if first else bare
        inner.append(bare.removesuffix("|") if last else bare)
    return inner


def _split_bars(line: str, columns: int) -> list[str]:
    """Return the fields between bars; of a line without bars, the labels of columns."""
    fields = [part.strip().strip("'\"") for part in line.split("|")]
    labels = line.split()
    if len(fields) == 1 and len(labels) in (columns - 1, columns):
        return [""] * (columns - len(labels)) + labels
    return fields


def _drop_right_labels(fields: list[list[str]]) -> list[list[str]]:
    """Return fields without the label at the right of each row, if it is that at its left.

    The labels of columns stand above, two fewer than the fields of a row.
    """
    head, *rows = fields
    width = len(rows[0]) if rows else 0
    if len(head) != 1 or len(head[0].split()) != width - 2 or width < _LEAST_LABELLED:
        return fields
    if any(len(row) != width or not row[0] or row[0] != row[-1] for row in rows):
        return fields
    return [["", *head[0].split()], *(row[:-1] for row in rows)]


def drop_empty_lines(lines: list[str]) -> tuple[list[str], bool]:
    """Return lines without empty ones between every two of them, and whether there were any.

    Raises:
        BoardError: empty lines part groups of rows, which may be boards of their own.
    """
    filled = [line for line in lines if line]
    if not filled:
        raise make_empty_board_error()
    if len(filled) == len(lines):
        return lines, False
    alone = all(not before or not after for before, after in pairwise(lines))
    if not alone:
        row = next(number for number, line in enumerate(lines) if not line)
        raise make_several_boards_error(
            f"Line {row} is empty: the rows before and after it may be boards of their own.", row
        )
    return filled, True


def strip_brackets(lines: list[str]) -> list[str]:
    """Return lines as fields if each cell is in brackets of its own.

    Rows may begin with a label, and the labels of columns may stand above.
    """
    filled = [line for line in lines if line]
    rows = [_BRACKETED.fullmatch(line) for line in filled]
    head = filled[0].split() if len(rows) > 1 and rows[0] is None else []
    if not filled or not all(rows[1:] if head else rows):
        return lines
    plain = all(row is not None and not row[1] and row[2].startswith("[") for row in rows)
    if not plain and any(len(_IN_BRACKETS.findall(row[2])) < _LEAST_EDGES for row in rows if row):
        return lines
    fields = [[row[1].strip(), *_IN_BRACKETS.findall(row[2])] for row in rows if row]
    if not any(row[0] for row in fields):
        fields = [row[1:] for row in fields]
    columns = [[""] * (len(fields[0]) - len(head)) + head] if head else []
    return [FIELD_END.join(cell.strip() for cell in row) for row in [*columns, *fields]]


def strip_edges(lines: list[str]) -> list[str]:
    """Return lines without signs around each that are no cells, as in large brackets or patterns.

    The last row may have none behind it.
    """
    bare = [line.strip() for line in lines]
    # A sign behind a single cell may part two fields, of which one is empty.
    if min(map(len, bare)) <= _LEAST_EDGES or len(bare) < _LEAST_EDGES:
        return lines
    first, last = {line[0] for line in bare}, {line[-1] for line in bare[:-1]}
    around = first <= _OPENING and last | {bare[-1][-1]} <= _CLOSING and first != {"|"}
    ended = last <= _ENDS and not any(sign in line[:-1] for sign in last for line in bare)
    if around:
        return [line[1:-1] for line in bare]
    if not ended:
        return lines
    # A full stop may end the last row of a sentence.
    stop = "." if last <= {",", ";"} and "\n".join(bare).count(".") == 1 else ""
    return [line.rstrip("".join(last) + stop) for line in lines]


def check_patch(lines: Sequence[str]) -> None:
    """Check that lines are not those of a patch, which takes some lines away and adds others.

    Raises:
        BoardError: they are; the symbols of Probst's notation are cells.
    """
    signs = {line[:1] for line in lines if line.strip()}
    mixed = {"+", "-"} <= signs <= {"+", "-", " "}
    cells = {*chain(*(line[1:] for line in lines))} if mixed else set()
    mixed = mixed and not cells & {"+", "-"} and not cells <= set(" 012345678")
    if mixed or any(map(_HUNK.match, lines)):
        raise make_several_boards_error("The text is a patch, of an old board and a new one.")


def strip_full_stops(lines: list[str]) -> list[list[str]]:
    """Return lines without the full stop at the end of each, as they are, or both.

    It ends a sentence if other cells are apart, and is a cell if it is beside clues only.
    """
    filled = [line.rstrip() for line in lines if line.strip()]
    if not all(_FULL_STOP.fullmatch(line) for line in filled):
        return [lines]
    bare = [line.rstrip().removesuffix(".") for line in lines]
    if len(filled) == 1:
        return [bare, lines] if _APART.search(filled[0]) else [lines]
    if all(len(line.split()) > 1 and len(line.split()[-1]) > _LEAST_DENSE for line in filled):
        # Cells side by side behind a label may end with one.
        return [bare, lines]
    if all(_APART.search(line) for line in filled):
        return [bare]
    beside_clues = all(line[-2].isdigit() for line in filled)
    return [lines] if beside_clues or any(map(_APART.search, filled)) else [bare, lines]


def join_items(lines: list[str]) -> list[str]:
    """Return lines with all cells of a row in one if each is an item of a list, in another list."""
    items = [item for line in lines if line and (item := _ITEM.fullmatch(line))]
    nested = len(items) == len(lines) and items[0][1] and not all(item[1] for item in items)
    if not nested:
        return lines
    rows: list[list[str]] = []
    for item in items:
        rows += [[]] if item[1] else []
        rows[-1].append(item[2].strip("\"'"))
    return [",".join(row) for row in rows]


def strip_bold(lines: list[str]) -> list[list[str]]:
    """Return lines without the marks that make each bold, or as they are: these may be mines."""
    bold = [_BOLD.fullmatch(line) for line in lines if line]
    if len(bold) < _LEAST_EDGES or not all(bold):
        return [lines]
    return [[_BOLD.sub(r"\2", line) for line in lines], lines]


def strip_bullets(lines: list[str]) -> list[list[str]]:
    """Return lines without the bullets of a list, as they are, or both if bullets may be cells."""
    if all(line.startswith("+") and line.count("+") == 1 for line in lines) and not all(
        EDGES.match(line) for line in lines
    ):
        # Lines that a patch adds.
        return [[line[1:] for line in lines], lines]
    numbered = [_NUMBERED.fullmatch(line) for line in lines if line]
    numbers = [int(number[1]) for number in numbered if number]
    if len(numbers) == len(numbered) > 0 and numbers == [
        *range(numbers[0], numbers[0] + len(numbers))
    ]:
        lines = [number[2] for number in numbered if number]
    bulleted = [_BULLET.fullmatch(line) for line in lines if line]
    items = [item[2].strip("\"'") for item in bulleted if item]
    bullets = {item[1] for item in bulleted if item}
    if len(bullets) != 1 or len(items) < len(bulleted):
        return [lines]
    if all(len(item) > 1 and not re.search(r"[\s,]", item) for item in items):
        return [items]
    return [lines] if min(bullets) in "".join(items) else [items, lines]


def is_header(fields: Sequence[str]) -> bool:
    """Return True for names of columns: words that are not symbols, nor rows of them."""
    named = all(_NAME.fullmatch(name) and not is_symbol(name) for name in fields)
    return named and not all(is_symbol(sign) for name in fields for sign in name.strip("-") or "a")


def check_columns(names: Sequence[str]) -> None:
    """Check that columns are those of a board.

    Raises:
        BoardError: two of them say where a cell is.
    """
    if len(names) < _MOST_COLUMNS and len({name.lower() for name in names} & _COORDINATES) > 1:
        raise make_no_board_error("The table has a line for each cell, with its coordinates.")


def _is_rule(line: str, has_bars: bool) -> bool:
    """Return True for a line that only draws a table; ``has_bars`` if other lines have bars."""
    bare = line.strip()
    if not EDGES.match(line) or not _LINE.search(line):
        return False
    # Plus and minus signs may be cells if no other line has bars.
    return has_bars or not bare.isascii() or (len(bare) > 2 and not bare.strip("-=_ "))


def _only_rules(filled: Sequence[str], rest: Sequence[str]) -> bool:
    """Return True if lines of dashes are no rows: other rows have none, or other lengths."""
    rules = [line for line in filled if line not in rest]
    if any("+" in line or not line.isascii() for line in rules):
        return True
    return not any(set(line) & set("-=_") for line in rest) and all(
        len(rule.strip()) != len(rest[-1].strip()) for rule in rules
    )
