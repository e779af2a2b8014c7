"""Words around a board: labels with its total, sizes, captions.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import Counter
from collections.abc import Container, Sequence
from itertools import dropwhile
from typing import Final

from minecheck.minefield.reader.captions import ROW, check_glued, drop_captions, is_row
from minecheck.minefield.reader.characters import strip_marks
from minecheck.minefield.reader.frames import check_columns
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.reading import make_no_board_error, make_several_boards_error
from minecheck.minefield.reader.remarks import has_words
from minecheck.minefield.reader.row_labels import LABELS_IN_ORDER, check_row_labels
from minecheck.minefield.reader.sizes import is_size
from minecheck.minefield.reader.surroundings import (
    AROUND_CELLS,
    RULE,
    count_cells,
    join_answers,
    strip_surroundings,
)
from minecheck.minefield.reader.totals import (
    SIZE,
    choose_total,
    has_share,
    is_total_name,
    may_state_total,
    read_letters,
    read_total,
    say_total,
    say_unread_counts,
    split_label,
    split_parts,
)
from minecheck.minefield.reader.vocabulary import LATIN_WORD, ROW_NAMES, split_words

#: The name of a row, or of all, before its cells.
_ROW_LABEL: Final = re.compile(
    r"\W*(?:(rows?|line|board|grid|field|map)\s*[:=]|(?:row|line|r)[ _#]*[0-9]{1,4}\s*[:.)|=-])"
    r"\s*(\S.*)",
    re.IGNORECASE,
)
#: Texts behind a label whose value is on the next lines, in YAML too.
_NO_VALUE: Final = frozenset(("", "|", "|-", "|+", ">", ">-"))
#: The title of a map of mines.
_NAMED_MAP: Final = re.compile(
    r"\W*(?:mines?|bombs?|mine ?(?:map|field)|solution|layout)\W*", re.IGNORECASE
)
_LONGEST_PREFIX: Final = 60
#: A name in brackets.
_MARKED: Final = re.compile(r"[\[<][A-Za-z][^\[\]<>]{1,40}[\]>]:?\s+")
_LETTER: Final = re.compile(r"[^\W\d_]")
#: Things with numbers that labels name, in the words of `_find_kind`.
_NUMBERED_THINGS: Final = split_words(
    """time seconds score points seed moves clicks level id game no nr number size width height
    rows cols columns flags left remaining best 3bv year zeit punkte temps tiempo tempo"""
)
#: A label with a colon before something, perhaps in quotation marks.
_LABELLED: Final = re.compile(r"\W*([^\W\d_][^:=]{0,40}?)\s*[:=]\s*(['\"]?)(\S.*?)\2[,;]?\s*")
#: A width occurs at least twice if another row has it, too.
_AGAIN: Final = 2
#: A line below a heading.
_UNDERLINE: Final = re.compile(r"\s*([-=_~*])\1{2,}\s*")
#: A number of something that is not a total: 10 mines left, 3 flags, 2 rows in set.
_OTHER_COUNT: Final = re.compile(
    r"\W*[0-9]{1,9}\s+(?:mines?|bombs?|flags?|rows?)\b.*", re.IGNORECASE
)
#: Cells that are neither a number nor the name of a cell.
_ROWS: Final = re.compile(r"[?*#]|[0-8][BFS][0-8BFS]|[BFS][0-8BFS]{2}")


def strip_prefix(lines: list[str]) -> tuple[list[str], str]:
    """Return lines without the words before the cells of each, and the words before the first.

    They are the same but for their numbers, as names in a chat, or labels of cells that are as many
    in each line.

    Raises:
        BoardError: labels of rows are not in order.
    """
    check_row_labels(lines)
    filled = [line for line in lines if line]
    first = filled[0][:_LONGEST_PREFIX] if len(filled) > 1 else ""
    for end in (sign.end() for sign in re.finditer(r"[\s:>\]]", first)):
        head = first[:end]
        if not _LETTER.search(head) or is_cells(re.sub(r"[\[\]'\"]", " ", head)):
            continue
        if all(len(word) == 1 for word in head.split()):
            # It may be a cell with a symbol that is not known.
            continue
        alike = re.compile(re.sub("[0-9]+", "[0-9]+", re.escape(head)))
        heads = [alike.match(line) for line in filled]
        if not all(heads):
            break
        bare = [alike.sub("", line, count=1) for line in lines]
        numbered = any(other and other[0] != head for other in heads)
        certain = not numbered or not "".join(bare).replace(" ", "").isdigit()
        cells = [line for line in bare if line and is_row(line)]
        if _MARKED.fullmatch(head) and len(cells) > 1 and not numbered:
            # Lines of a log, or of a chat.
            return bare, head.strip()
        if all(map(is_cells, bare)) and certain and not _ROW_LABEL.fullmatch(filled[0]):
            return bare, head.strip()
    labelled = [_LABELLED.fullmatch(line) for line in filled] if first else []
    values = [label[3] for label in labelled if label]
    names = {label[1].lower() for label in labelled if label}
    rows = len(values) == len(filled) == len(names) and all(map(is_cells, values))
    even = rows and len({*map(count_cells, values)}) == 1 and count_cells(values[0]) > 1
    # Numbers alone may be of anything, such as seconds, unless their labels are those of rows.
    kinds = {*map(_find_kind, names)}
    of_rows = len(kinds) == 1 and (kinds <= ROW_NAMES or not all(map(str.isdigit, values)))
    in_order = [_find_kind(label[1]) for label in labelled if label]
    of_rows |= in_order in LABELS_IN_ORDER
    certain = of_rows or not any(map(str.isdigit, values))
    if even and certain and not any(map(is_total_name, names)):
        return values, "; ".join(label[1] for label in labelled if label)
    return lines, ""


def strip_labels(lines: list[str]) -> tuple[list[str], int | None, tuple[str, ...]]:
    """Return the lines without labels such as Mines: 10, the total that they state, and notes.

    Raises:
        BoardError: there are several totals; a label stands between rows, which may be different
            boards; or labels name columns of coordinates.
    """
    lines, around = strip_surroundings(join_answers(lines))
    written = lines
    lines = [strip_marks(line) for line in lines]
    totals = [_find_total(line) for line in lines]
    if any(total is not None for total in totals):
        totals = _keep_rows(lines, totals)
    letters, lettered = read_letters(lines)
    total = choose_total([*totals, letters])
    bare = [
        None if line in lettered else _strip_label(line, stated is not None, lines)
        for line, stated in zip(lines, totals, strict=True)
    ]
    bare = _restore_rows(lines, bare)
    _check_first_row(lines, bare, totals)
    rows = [line for line in bare if line and is_row(line)]
    bare = drop_captions(bare, rows) if rows else bare
    check_glued(lines, bare, rows)
    bare = _drop_underlines(lines, bare, rows)
    left = [line.strip() for line, rest in zip(written, bare, strict=True) if rest is None]
    shares = [line for line in left if has_share(line)]
    said = lettered if letters is not None else []
    widths = {*map(count_cells, rows)}
    for line in left:
        if {len(names := line.split())} == widths and all(map(str.isidentifier, names)):
            check_columns(names)
    cells = re.sub(r"[\s,;|]", "", "".join(rows))
    if shares and total == len(cells):
        # The second number counts cells, so nothing says how many mines there are.
        total, shares = None, []
    else:
        left = [line for line in left if read_total(line) is None and line not in said]
    if set(cells) <= {"0", "1"} and any(_NAMED_MAP.fullmatch(line) for line in left):
        raise make_no_board_error(
            "The numbers may say where the mines are, and not be the cells of a board."
        )
    if any(line.startswith("#") for line in left):
        # Comments: the lines of a file above its rows, of which some have no words.
        widths = {*map(count_cells, filter(lambda row: row.strip("# \t"), rows))}
        bare = list(dropwhile(lambda line: _is_empty_comment(line, widths), bare))
    _check_between_rows(bare)
    left += around
    notes: tuple[str, ...] = ()
    if left:
        notes = (f"Labels were left out: {'; '.join(label[:40] for label in left)[:200]}.",)
    if total is None:
        notes += say_unread_counts(line for line in left if "💣" in line)
    else:
        notes += tuple(say_total(label, total) for label in [*shares, *said])
    return [line for line in bare if line is not None], total, notes


def _is_empty_comment(line: str | None, widths: Container[int]) -> bool:
    """Return True for no line, or one of signs of a comment that is not as long as a row."""
    return not (line or "").strip(" \t#") and (not line or count_cells(line) not in widths)


def _drop_underlines(
    lines: Sequence[str], bare: Sequence[str | None], rows: Sequence[str]
) -> list[str | None]:
    """Return lines without those that underline a label, which rows of covers or mines do not.

    Args:
        lines: the lines as they are written.
        bare: the same lines, None for a label.
        rows: those of them that are rows.

    Raises:
        BoardError: a line may be either.
    """
    kept = list(bare)
    for at, line in enumerate(bare):
        if at > 0 and kept[at - 1] is None and line and _UNDERLINE.fullmatch(line):
            kept[at] = line if _is_row_below(line, lines[at - 1], rows) else None
    return kept


def _is_row_below(line: str, label: str, rows: Sequence[str]) -> bool:
    """Return True if a line of one sign is a row, and does not underline the label above it.

    Then another row is as long, and has such cells; mines are seldom written as an underline.

    Raises:
        BoardError: the line may be either.
    """
    sign, others = line.strip()[0], "".join(row for row in rows if row != line)
    widths = Counter(map(count_cells, rows))
    if widths[count_cells(line)] < _AGAIN or not (sign == "*" or sign in others):
        return False
    if sign == "*" and others.strip() and "*" not in others:
        raise make_no_board_error(
            f'The line "{line.strip()[:20]}" may be a row of mines, or underline a title.'
        )
    if sign != "*" and len(label.strip()) == len(line.strip()):
        raise make_no_board_error(
            f'The line "{line.strip()[:20]}" may underline the one above, or be a row.'
        )
    return True


def _check_between_rows(bare: Sequence[str | None]) -> None:
    """Check that no labels or lines of dashes part rows.

    Args:
        bare: the lines without labels, None for those that were nothing else.

    Raises:
        BoardError: one does.
    """
    row_indices = [at for at, line in enumerate(bare) if line and is_row(line)]
    inner = bare[row_indices[0] : row_indices[-1]] if row_indices else []
    if None in inner:
        raise make_several_boards_error(
            "Labels stand between rows, which may be boards of their own."
        )
    _check_rules([line for line in inner if line])


def _check_rules(lines: Sequence[str]) -> None:
    """Check that no line of dashes parts rows that are written with other symbols.

    Raises:
        BoardError: one does.
    """
    rules = {line for line in lines if RULE.fullmatch(line)}
    others = "".join(line for line in lines if line not in rules)
    for rule in rules:
        sign = rule.strip()[0]
        # If no other sign is for unknown cells, dashes may be a row of them.
        if sign not in others and ("?" in others or not is_symbol(sign)) and "|" not in others:
            raise make_several_boards_error(f'The line "{rule.strip()[:20]}" parts rows.')


def _restore_rows(lines: Sequence[str], bare: list[str | None]) -> list[str | None]:
    """Return lines with rows whose cells are only digits, as those of numbers that labels name.

    Labels of the same kind have other cells, as many of them.

    Raises:
        BoardError: nothing says whether digits are a row.
    """
    labels = [split_label(line) for line in lines]
    known = [
        (_find_kind(name), count_cells(row))
        for (name, _), line, row in zip(labels, lines, bare, strict=True)
        if name and row is not None and row != line
    ]
    restored = list(bare)
    for at, (name, value) in enumerate(labels):
        if bare[at] is not None or not value or not is_cells(value):
            continue
        if (_find_kind(name), count_cells(value)) in known:
            restored[at] = value
        elif len(known) > 1 and {count_cells(value)} == {count for _, count in known} != {1}:
            raise make_no_board_error(
                f"Line {at} may be a row of the board, or a number of something else.",
                "Send the rows of the board without labels, one a line.",
            )
    return restored


def _check_first_row(
    lines: Sequence[str], bare: Sequence[str | None], totals: Sequence[int | None]
) -> None:
    """Check that no digits with a label before or after all rows may be one of them.

    Raises:
        BoardError: they are as many as the cells of each row.
    """
    filled = [at for at, line in enumerate(lines) if line.strip()]
    rows = [line for line in bare if line and is_row(line)]
    widths = Counter(map(count_cells, rows))
    ((usual, many),) = widths.most_common(1) or ((0, 0),)
    # A ruler may be shorter.
    even = many >= len(rows) - 1 and usual > 1
    for at in {*filled[:1], *filled[-1:]} if even else ():
        name, value = split_label(lines[at])
        may_be_row = bare[at] is None and is_cells(value) and count_cells(value) == usual
        numbers = totals[at] is not None or is_size(value, lines) or is_total_name(name)
        if may_be_row and not numbers and _find_kind(name) not in _NUMBERED_THINGS:
            raise make_no_board_error(
                f"Line {at} may be a row of the board, or a number of something else.",
                "Send the rows of the board without labels, one a line.",
            )


def _find_kind(name: str) -> str:
    """Return the word of a label that says what it is about: row for First row."""
    word = name.lower().rstrip("0123456789 #").rpartition(" ")[2]
    return word[-1:] if word[-1:] >= "\u3040" else word


def has_rows(text: str) -> bool:
    """Return True if a text may have rows of cells: one line has cells only, or none has words."""
    lines = [line for line in text.split("\n") if line.strip()]
    return any(map(is_cells, lines)) or not any(map(has_words, lines))


def _strip_label(line: str, has_total: bool, lines: Sequence[str]) -> str | None:
    """Return a line without the label of a row, None if all of it is a label or a total."""
    labelled = _ROW_LABEL.fullmatch(line)
    if (
        labelled
        and is_cells(labelled[2].translate(AROUND_CELLS))
        and labelled[2].strip() not in _NO_VALUE
    ):
        counted = (labelled[1] or "").lower() == "rows" and labelled[2].isdigit()
        sized = labelled[1] and is_size(labelled[2].strip(), lines)
        return None if counted or sized else labelled[2]
    name, value = split_label(line)
    if is_size(value, lines):
        return None
    counted = has_total or _counts_others(line)
    if counted and not has_total and ROW.search(line):
        return line
    if is_cells(value) and len(value) > 1 and _ROWS.search(value):
        return None if is_total_name(name) else value
    return None if counted or len(name) > 1 or (name and value in _NO_VALUE) else line


def _counts_others(line: str) -> bool:
    """Return True if a part of a line is a number of something, such as 3 flags."""
    words = LATIN_WORD.search(line) is not None
    return words and any(map(_OTHER_COUNT.fullmatch, split_parts(line)))


def _find_total(line: str) -> int | None:
    """Return the total that a line states, None if it states none or has cells as well."""
    if not may_state_total(line):
        return None
    total, others = read_total(line), []
    for part in split_parts(line) if total is None else ():
        count = read_total(part)
        if count is not None:
            total = count
        elif not SIZE.fullmatch(part.strip()):
            others.append(part)
    return None if any(part.strip() and is_cells(part) for part in others) else total


def _keep_rows(lines: Sequence[str], totals: list[int | None]) -> list[int | None]:
    """Return totals without those of lines of cells, as many as in each other line of them.

    A line that begins with the size of the others states one.
    """
    rows = [list_cells(line) for line in lines]
    widths = {len(row) for row in rows if row}
    others = sum(map(bool, rows)) - 1
    if len(widths) > 1 or others < 1:
        return totals
    kept = list(totals)
    for at, row in enumerate(rows):
        size = SIZE.match(lines[at].strip()) if row else None
        sides = sorted(map(int, size.groups())) if size else []
        if row and sides != sorted((others, len(row))):
            kept[at] = None
    return kept


def list_cells(line: str) -> list[str]:
    """Return the cells of a line of at least two, side by side or apart; none of other lines."""
    words = re.split(r"[\s,;|]+", line.strip(" \t,;|"))
    cells = words if len(words) > 1 else list(words[0])
    return cells if len(cells) > 1 and all(map(is_symbol, cells)) else []
