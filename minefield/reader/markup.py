"""Marks that only say how a text looks: colours of terminals, HTML, LaTeX and spoilers.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from minecheck.minefield.reader.characters import decode_entities
from minecheck.minefield.reader.consoles import strip_prompts
from minecheck.minefield.reader.frames import BARS
from minecheck.minefield.reader.meanings import is_cells
from minecheck.minefield.reader.reading import make_no_board_error, make_several_boards_error
from minecheck.minefield.reader.totals import add_total, is_total_name

#: An escape sequence of a terminal, of which a copy may have lost the first character.
_ESCAPE: Final = re.compile(
    r"(?:\x1b|\^\[|\\(?:e|033|x1b|u001b))\[[0-9;?]{0,20}[A-Za-z]|\[[0-9]{1,3}(?:;[0-9]{1,3}){0,5}m",
    re.IGNORECASE,
)
_TAG: Final = re.compile(
    r"</?(?:table|tbody|thead|tr|td|th|br|pre|code|p|div|span|ul|ol|li|font|strong|mark|kbd|a|small|big"
    r"|del|ins|var|samp|abbr|label|button|sup|sub|em|b|i|u|h[1-6])\b[^<>]{0,400}>",
    re.IGNORECASE,
)
#: Marks of forums.
_BB_CODE: Final = re.compile(
    r"\[(/?)((table|tr|td|th|code)|quote|colou?r|size|font|b|i|u|center|spoiler|tt)"
    r"(?:=[^\[\]\n]{0,40})?\]",
    re.IGNORECASE,
)
#: Names of tags in XML, and those of HTML that they are as good as.
_XML_NAMES: Final = {
    **dict.fromkeys(("board", "grid", "rows", "minefield", "minesweeper", "game"), "table"),
    **dict.fromkeys(("row", "line"), "tr"),
    **dict.fromkeys(("cell", "square", "tile"), "td"),
}
_XML_ROW: Final = re.compile(r"<(?:row|line)\b", re.IGNORECASE)
_XML_ATTRIBUTE: Final = re.compile(
    r"<(?:row|line|cell|square|tile)\s+\w[^<>]*>|<(?:cell|square|tile)>\s*<\w[^<>]*>", re.IGNORECASE
)
_EMPTY_CELL: Final = re.compile(r"<(cell|square|tile)\s*/>", re.IGNORECASE)
_XML_TAG: Final = re.compile(rf"<(/?)({'|'.join(_XML_NAMES)})\b([^<>]{{0,400}})>", re.IGNORECASE)
#: Numbers in the attributes of what may be a board, and in an element of their own.
_OUTER_TAG: Final = re.compile(r"<(?:table|div|section|main|pre)\b([^<>]{0,400})>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(
    r"\s(?:data-)?([A-Za-z][\w-]{0,40})\s*=\s*['\"]?([0-9]{1,9})(?![\w.%])"
)
_NUMBER: Final = re.compile(r"<([A-Za-z]\w{3,40})>\s*([0-9]{1,9})\s*</\1>\s*")
_SIDES: Final = frozenset(("width", "height", "rows", "cols", "columns"))
_END_OF_FIELD: Final = re.compile(r"</t[dh]>", re.IGNORECASE)
_END_OF_LINE: Final = re.compile(
    r"</(?:tr|p|div|li|caption|h[1-6]|pre)>(?:\s*<tr\b[^>]{0,400}>)?|<br\b[^>]{0,20}>\n?|(?<!\A)<tr\b[^>]{0,400}>",
    re.IGNORECASE,
)
#: Any tag of a field: its text counts. A field that spans others, and elements without a text.
_ANY_TAG: Final = re.compile(r"</?[a-z][a-z0-9]{0,9}\b[^<>]{0,400}>", re.IGNORECASE)
_SPANNING: Final = re.compile(
    r"<t[dh]\b[^>]{0,400}\b(?:col|row)span\s*=\s*['\"]?(?!1\b)[0-9]", re.IGNORECASE
)
_PICTURE: Final = re.compile(
    r"<(?:img|svg|input|canvas)\b|<\w{1,9}\b[^>]{0,200}(?:\shidden\b|display:\s?none|:\s?transparent)"
    r"|<(i|b|a|em|button|font|label)\b[^>]{0,400}>(?:\s|&nbsp;)*</\1>",
    re.IGNORECASE,
)
_HTML_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
#: A field whose end is not written, and an element without a text.
_OPEN_FIELD: Final = re.compile(
    r"(<t[dh]\b[^>]{0,400}>)(.*?)(?=<t[dhr]\b|</t(?:r|body|able)>|\Z)", re.DOTALL | re.IGNORECASE
)
_EMPTY_ELEMENT: Final = re.compile(r"<(td|div|span)\b([^>]{0,400})>\s*</\1>", re.IGNORECASE)
_MARKED: Final = re.compile("mine|bomb|flag", re.IGNORECASE)
_CLASS: Final = re.compile(r"\bclass\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
#: A field with a number that its class covers.
_HIDING_CLASS: Final = re.compile(
    r"<(td|div|span|button)\b[^<>]{0,200}\bclass\s*=\s*['\"]?[^'\"<>]{0,80}"
    r"\b(?:hidden|covered|closed|unopened|unrevealed|flag(?:ged)?)\b[^<>]{0,200}>\s*[0-8]\s*</\1>",
    re.IGNORECASE,
)
#: An empty field that is a whole row. It has no meaning, unless the sender gives it one.
_EMPTY: Final = "∅"
_TABLE: Final = re.compile(
    r"<table\b.*?(?:</table>|\Z)|\A\s*<t[dhr]\b.*", re.DOTALL | re.IGNORECASE
)
_LAYOUT_OF_TABLE: Final = re.compile(r"\s*\n\s*")
#: A table of Wikipedia: its rows, of which each begins with a line, and its fields.
_WIKI_TABLE: Final = re.compile(
    r"\{\|[^\n]*\n(?:\|\+[^\n]*\n)?(?:\|-[^\n]*\n)?(?P<table>.*?)\n\|\}", re.DOTALL
)
_WIKI_ROW: Final = re.compile(r"\n\|-[^\n]*\n")
_WIKI_FIELD: Final = re.compile(r"(?:\A|\n)\s*[|!]|\|\||!!")
_ENTITY: Final = re.compile(r"&(?:nbsp|lt|gt|quot|#[0-9]{1,6}|#x[0-9a-f]{1,6});", re.IGNORECASE)
_ARRAY: Final = re.compile(
    r"\\begin\{(\w{1,20}\*?)\}(?:\[\w\])?(?:\{[^{}]{0,200}\})?(?P<table>.*?)\\end\{\1\}", re.DOTALL
)
#: The most arrays of a text: to look for the end of each takes long.
_MOST_ARRAYS: Final = 50
#: A row of an array, which was copied without its beginning.
_LATEX_ROW: Final = re.compile(r"[^&\\]*(?:&[^&\\]*)+\\\\\s*")
#: A command around a cell, such as \textbf{1}.
_AROUND_CELL: Final = re.compile(
    r"\\(?:text|math|boxed|fbox|color\{\w+\})\w{0,6}\{([^{}\n]{0,20})\}"
)
_COMMAND: Final = re.compile(
    r"\\(?:hline|(?:top|mid|bottom)rule|c(?:midrule|line)\{[^{}]{0,9}\}|[lr]?hdots"
    r"|ldots|cdots|square|[;,! ])|\$"
)
#: Options above a table of AsciiDoc.
_OPTIONS: Final = re.compile(r"^\[[^\]\n]{0,80}\]\n(?=\|===)", re.MULTILINE)
#: A table of AMPL: its columns, then a line for each row, which begins with its number.
_AMPL: Final = re.compile(
    r"\bparam\s+\w{1,40}\s*(?:\(tr\)\s*)?:((?:\s+[0-9]{1,9})++)\s*:=([^;:=]*+);?\s*\Z"
)
_SPOILER: Final = re.compile(r">!(.*?)!<")
_SPOILERS: Final = re.compile(r"(?<=!<)[ \t]+(?=>!)")
#: An emoji of a server by its name.
_OWN_EMOJI: Final = re.compile(r"<a?(:\w{1,40}:)[0-9]{1,25}>")
#: A label in bold or in italics.
_BOLD: Final = re.compile(
    r"(?<![\w*])(\*{1,2}|_{1,2})(?=[A-Za-z]{2})([^*_\n]{2,60}:(?: ?[0-9]{1,9})?)\1"
)
#: A short label in bold between bars, as those of rows; an empty pair of brackets among cells.
_BOLD_LABEL: Final = re.compile(r"(?<=\|)(\s*)(\*\*?|__?)([0-9A-Za-z?]{1,3})\2(?=\s*\|)")
_EMPTY_BRACKETS: Final = re.compile(r"\[\s?\]")
#: Commands of LaTeX for signs.
_SIGNS: Final = {"blacksquare": "\u25a0", "ast": "*", "cdot": ".", "times": "x"}
_SIGN: Final = re.compile(rf"\\({'|'.join(_SIGNS)})\b")
_MARKDOWN_ESCAPE: Final = re.compile(r"\\([*_#~|.])")
#: Labels of rows and columns as R prints them.
_INDEX: Final = re.compile(r"\[,?([0-9]{1,4}),?\](?=[ \t\n]|\Z)")

#: The time of a message, perhaps with its day.
_TIME: Final = re.compile(
    r"^\[(?:[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}[T, ]{1,2})?"
    r"[0-9]{1,2}(?::[0-9]{2}){1,2}(?: ?[AP]M)?\][ \t]*",
    re.MULTILINE,
)
#: A cell that is chosen, and bars as blanks.
_CURSOR: Final = re.compile(r"\[([^\s\[\]])\]")
_BARS_TO_BLANKS: Final = str.maketrans(dict.fromkeys(BARS, " "))
#: Names of columns with their numbers, and those of columns and rows.
_NAMED_COLUMNS: Final = re.compile(
    r"\s*(?:(?:col|spalte|c)\w{0,6} [0-9]{1,3}\s*){2,}", re.IGNORECASE
)
_NAMED_LINE: Final = re.compile(
    r"\b((?:col|spalte|row|lin|fila|ligne|zeile|reihe|riga|c|r)[a-z]{0,5}) ([0-9]{1,3})\b",
    re.IGNORECASE,
)


def strip_markup(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without marks that say how it looks, and notes about those left out."""
    notes: tuple[str, ...] = ()
    for name, strip in _STEPS.items():
        bare = strip(text)
        if bare != text:
            notes += (f"{name} left out.",)
        text = bare
    return text, notes


def _strip_times(text: str) -> str:
    """Return a text without the time in brackets, or the day too, that begins each of its lines."""
    lines = [line for line in text.split("\n") if line.strip()]
    timed = len(lines) > 1 and all(map(_TIME.match, lines))
    return _TIME.sub("", text) if timed else text


def _strip_html(text: str) -> str:
    closed = {name.lower() for name in re.findall(r"\[/(\w{1,9})\]", text)}
    if closed:
        text = _BB_CODE.sub(
            lambda tag: f"<{tag[1]}{tag[3] or 'span'}>" if tag[2].lower() in closed else tag[0],
            text,
        )
    if _XML_ROW.search(text):
        if (tag := _XML_ATTRIBUTE.search(text)) is not None:
            raise make_no_board_error(
                f"The tag {tag[0][:40]} says more of its cells than their text does.",
                "Send the board as text, with a symbol for each cell.",
            )
        text = _EMPTY_CELL.sub(r"<\1></\1>", text)
        text = _XML_TAG.sub(lambda tag: f"<{tag[1]}{_XML_NAMES[tag[2].lower()]}{tag[3]}>", text)
    if _TAG.search(text) is None:
        return decode_entities(text) if _ENTITY.search(text) else text
    text = _HTML_COMMENT.sub("", text)
    stated = [pair for tag in _OUTER_TAG.findall(text) for pair in _ATTRIBUTE.findall(tag)]
    elements = [
        pair for pair in _NUMBER.findall(text) if is_total_name(pair[0]) or pair[0] in _SIDES
    ]
    totals = [
        f"{name}: {number}"
        for name, number in stated + elements
        if is_total_name(name) and name.lower() != "total"
    ]
    names = {name for name, _ in elements}
    text = _NUMBER.sub(lambda element: "" if element[1] in names else element[0], text)
    # Several are rather of rows, or cells.
    return add_total(_strip_tags(text), totals.pop() if len(totals) == 1 else "")


def _strip_tags(text: str) -> str:
    """Return a text without tags, with a line for each row of a table, and tabs between fields.

    Raises:
        BoardError: nothing but a tag is left of a cell, or there are several tables.
    """
    _check_empty_elements(text)
    if not _END_OF_FIELD.search(text):
        text = _OPEN_FIELD.sub(r"\1\2</td>", text)
    end = "\t" if _END_OF_FIELD.search(text) else ""
    if end and re.search("<tr|</tr", text, re.IGNORECASE):
        tables = [_TAG.sub(" ", table).strip() for table in _TABLE.findall(text)]
        if sum(bool(table) and is_cells(table) for table in tables) > 1:
            raise make_several_boards_error("The text has several tables of cells.")
        # Line breaks between the tags of a table mean nothing.
        text = _TABLE.sub(lambda table: f"\n{_LAYOUT_OF_TABLE.sub('', table[0])}\n", text)
    lines = _END_OF_LINE.sub("\n", _END_OF_FIELD.sub("\t", text)).split("\n")
    bare = [(_ANY_TAG if end else _TAG).sub("", line) for line in lines]
    # A row of one field that is empty would be an empty line, which has no cell.
    bare = [_EMPTY if line == "\t" else line for line in bare]
    # Every field ends with a tab, also the last one of a row.
    return decode_entities("\n".join(line.removesuffix(end) for line in bare))


def _check_empty_elements(text: str) -> None:
    """Check that empty elements of HTML are cells of one kind.

    Raises:
        BoardError: their classes differ, or they are in no table, so that nothing is left of them;
            or a field of a table holds a picture, or is as large as several.
    """
    in_table = _END_OF_FIELD.search(text) is not None
    if in_table and _SPANNING.search(text):
        raise make_no_board_error("A field of the table spans several rows or columns.")
    if _HIDING_CLASS.search(text):
        raise make_no_board_error(
            "Some cells of the HTML are covered by their class, and have a text.",
            "Send the board as text, with a symbol for each cell.",
        )
    empty = _EMPTY_ELEMENT.findall(text)
    classes = {"".join(_CLASS.findall(rest)[0]) if _CLASS.search(rest) else "" for _, rest in empty}
    if (
        len(classes) > 1
        or _MARKED.search("".join(classes))
        or (empty and not in_table)
        or (in_table and _PICTURE.search(text))
    ):
        raise make_no_board_error(
            "Some cells of the HTML have no text, only a class or a picture.",
            "Send the board as text, with a symbol for each cell.",
        )


def _replace_table(pattern: re.Pattern[str], text: str, write: Callable[[str], str]) -> str:
    """Return a text with its only table, a group of the pattern, as ``write`` writes it.

    Raises:
        BoardError: there are several.
    """
    table = pattern.search(text)
    if table is None:
        return text
    other = pattern.search(text, table.end())
    if other is not None and other[0] != table[0]:
        raise make_several_boards_error("The text has several tables.")
    return add_total(write(table["table"]), text[: table.start()] + text[table.end() :])


def _strip_wiki(text: str) -> str:
    return _replace_table(_WIKI_TABLE, text, _write_wiki_rows)


def _write_wiki_rows(table: str) -> str:
    """Return the rows of a table of Wikipedia with tabs between their fields."""
    rows = [_WIKI_FIELD.split(row)[1:] for row in _WIKI_ROW.split(table)]
    return "\n".join("\t".join(field.strip() for field in row) for row in rows)


def _strip_latex(text: str) -> str:
    if all(map(_LATEX_ROW.fullmatch, filter(str.strip, text.split("\n")))):
        return _write_latex_rows(text)
    if "\\end{" not in text or text.count("\\begin{") > _MOST_ARRAYS:
        return text
    return _replace_table(_ARRAY, text, _write_latex_rows)


def _write_latex_rows(array: str) -> str:
    """Return the rows of an array of LaTeX with commas between their cells."""
    body = _AROUND_CELL.sub(r"\1", _SIGN.sub(lambda command: _SIGNS[command[1]], array))
    rows = [_COMMAND.sub("", row).split("&") for row in body.split("\\\\")]
    # A row may end with the sign that separates rows, also the last one.
    rows = rows[:-1] if not "".join(rows[-1]).strip() else rows
    return "\n".join(",".join(cell.strip() for cell in row) for row in rows)


def _strip_asciidoc(text: str) -> str:
    """Return a text without the options of a table of AsciiDoc."""
    return _OPTIONS.sub("", text) if "|===" in text else text


def _strip_ampl(text: str) -> str:
    """Return a table of AMPL with its rulers; a full stop is a missing value."""
    table = _AMPL.search(text) if "param" in text else None
    if table is None:
        return text
    return f"{table[1]}\n" + re.sub(r"(?<=\s)\.(?=\s)", "null", table[2].strip("\n") + "\n")


def _strip_spoilers(text: str) -> str:
    """Return a text with spoilers of Reddit written as those of Discord."""
    return _SPOILER.sub(r"||\1||", _SPOILERS.sub("", text)) if ">!" in text else text


def _strip_markdown(text: str) -> str:
    """Return a text without the marks of Markdown, in which each row may be code."""
    filled = [line for line in text.split("\n") if line.strip()]
    if len(filled) > 1 and all(line.count("`") == 2 for line in filled):
        text = text.replace("`", "")
    bare = _BOLD_LABEL.sub(r"\1\3", _MARKDOWN_ESCAPE.sub(r"\1", text))
    return _BOLD.sub(r"\2", bare)


def _strip_empty_brackets(text: str) -> str:
    """Return a text with covers instead of empty brackets, if the other cells have none."""
    rows = [_EMPTY_BRACKETS.sub(" ▢ ", line).split() for line in text.strip("\n").split("\n")]
    cells = {cell for row in rows for cell in row}
    single = all(len(cell) == 1 and is_cells(cell) for cell in cells)
    if not single or len(cells) == 1 or "▢" not in cells or len({*map(len, rows)}) > 1:
        return text
    return "\n".join(map(" ".join, rows))


def _strip_cursor(text: str) -> str:
    """Return a text without the brackets around a single cell, among others with blanks between."""
    found = _CURSOR.findall(text)
    if len(found) != 1 or not is_cells(found[0]):
        return text
    lines = text.translate(_BARS_TO_BLANKS).split("\n")
    (marked,) = (line for line in lines if _CURSOR.search(line))
    rows = [row for line in lines if line != marked and (row := line.split()) and is_cells(line)]
    cells = _CURSOR.sub(r" \1 ", marked).split()
    single = all(len(cell) == 1 and is_cells(cell) for cell in cells)
    alike = any(len(row) == len(cells) > 1 and max(map(len, row)) == 1 for row in rows)
    return _CURSOR.sub(r" \1 ", text) if single and alike else text


def _join_names(text: str) -> str:
    """Return a text with the names of rows and columns joined to their numbers: col 0, col 1."""
    if not any(map(_NAMED_COLUMNS.fullmatch, text.split("\n"))):
        return text
    return _NAMED_LINE.sub(r"\1\2", text)


def _strip_indices(text: str) -> str:
    """Return a text with the labels of R as numbers."""
    filled = [line.strip() for line in text.split("\n") if line.strip()]
    labelled = filled and all(re.match(r"\[,1\]|\[[0-9]{1,4},\]", line) for line in filled)
    return _INDEX.sub(r" \1 ", text) if labelled else text


_STEPS: Final[dict[str, Callable[[str], str]]] = {
    "The colours of a terminal were": partial(_ESCAPE.sub, ""),
    "The emoji's numbers were": partial(_OWN_EMOJI.sub, r"\1"),
    "The marks of HTML or a forum were": _strip_html,
    "The marks of Wikipedia were": _strip_wiki,
    "The commands of LaTeX were": _strip_latex,
    "The options of a table were": _strip_asciidoc,
    "The declaration of AMPL was": _strip_ampl,
    "The marks of spoilers were": _strip_spoilers,
    "The marks of Markdown were": _strip_markdown,
    "Brackets without a cell were": _strip_empty_brackets,
    "A prompt, or what was typed at it, was": strip_prompts,
    "The times of messages were": _strip_times,
    "The brackets of labels were": _strip_indices,
    "The brackets of a cursor were": _strip_cursor,
    "Blanks in names of rows and columns were": _join_names,
}
