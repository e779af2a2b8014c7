"""Boards written in the ways that people write them, each with noise that means nothing."""

import json
from collections.abc import Callable, Mapping
from typing import Final

Rows = list[str]
Writer = Callable[[Rows], str]

_KEYCAPS: Final = {str(clue): f"{clue}\ufe0f\u20e3" for clue in range(9)}
_DIGIT_NAMES: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
_NAMES: Final = dict(
    zip(
        "012345678",
        _DIGIT_NAMES,
        strict=True,
    )
)
_WIDE: Final = str.maketrans({str(digit): chr(0xFF10 + digit) for digit in range(9)})
_NUMBERS: Final = {"?": "-1"}


def _join_cells(separator: str, rows: Rows, change: Mapping[str, str] | None = None) -> str:
    changed = change or {}
    return "\n".join(separator.join(changed.get(cell, cell) for cell in row) for row in rows)


def _write_fields(separator: str, rows: Rows) -> str:
    # An only field is written: a row without any character would be an empty line.
    return _join_cells(separator, rows, {"?": ""} if len(rows[0]) > 1 else None)


def _write_markdown(rows: Rows) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _write_box(rows: Rows) -> str:
    between = "├" + "┼".join("─" * len(rows[0])) + "┤"
    lines = f"\n{between}\n".join("│" + "│".join(row) + "│" for row in rows)
    top = "┌" + "┬".join("─" * len(rows[0])) + "┐"
    return f"{top}\n{lines}\n{top.replace('┌', '└').replace('┬', '┴').replace('┐', '┘')}"


def _write_frame(rows: Rows) -> str:
    edge = "+" + "-" * len(rows[0]) + "+"
    return "\n".join([edge, *(f"|{row}|" for row in rows), edge])


def _write_rulers(rows: Rows) -> str:
    head = "   " + " ".join(str(col) for col in range(len(rows[0])))
    return "\n".join([head, *(f"{row:2} {' '.join(cells)}" for row, cells in enumerate(rows))])


def _write_lettered(rows: Rows) -> str:
    head = "  " + " ".join("ABCDEFGHIJ"[: len(rows[0])])
    return "\n".join([head, *(f"{row} {' '.join(cells)}" for row, cells in enumerate(rows, 1))])


def _write_python(rows: Rows) -> str:
    cells = [[int(cell) if cell.isdigit() else cell for cell in row] for row in rows]
    return f"board = {cells!r}"


def _write_numbers(rows: Rows) -> str:
    return (
        "["
        + ",\n ".join("[" + ", ".join(_NUMBERS.get(c, c) for c in row) + "]" for row in rows)
        + "]"
    )


def _write_numpy_floats(rows: Rows) -> str:
    cells = [" ".join("nan" if cell == "?" else f" {cell}." for cell in row) for row in rows]
    return "[[" + "]\n [".join(cells) + "]]"


def _write_c(rows: Rows) -> str:
    cells = [", ".join(f"'{cell}'" for cell in row) for row in rows]
    return (
        f"char b[{len(rows)}][{len(rows[0])}] = {{{', '.join('{' + one + '}' for one in cells)}}};"
    )


def _write_strings(rows: Rows) -> str:
    return "const board = [\n" + "\n".join(f'  "{row}",' for row in rows) + "\n];"


def _write_emoji(rows: Rows) -> str:
    symbols = {**_KEYCAPS, "?": "⬜", "B": "💣", "F": "🚩"}
    return _join_cells("", rows, symbols)


def _write_names(rows: Rows) -> str:
    symbols = {digit: f":{name}:" for digit, name in _NAMES.items()}
    return _join_cells("", rows, symbols | {"?": ":white_large_square:", "B": ":bomb:"})


def _write_spoilers(rows: Rows) -> str:
    symbols = {**_KEYCAPS, "B": "💣", "0": "🟦"}
    return "\n".join("".join(f"||{symbols[cell]}||" for cell in row) for row in rows)


def _write_sized(rows: Rows) -> str:
    return "\n".join([f"{len(rows)} {len(rows[0])}", *rows])


def _write_nested(begin: str, row: str, end: str, rows: Rows, unknown: str) -> str:
    """Return a literal in which each row has its own brackets, such as vec![1, 2]."""
    lines = (row % ", ".join(cell.replace("?", unknown) for cell in cells) for cells in rows)
    return begin + ", ".join(lines) + end


def _write_pandas(rows: Rows) -> str:
    head = "  " + "".join(f"{col:>5}" for col in range(len(rows[0])))
    values = [[("NaN" if cell == "?" else f"{cell}.0") for cell in row] for row in rows]
    return "\n".join(
        [head, *(f"{row} " + "".join(f"{v:>5}" for v in one) for row, one in enumerate(values))]
    )


def _write_html(rows: Rows) -> str:
    cells = ("".join(f"<td>{'' if c == '?' else c}</td>" for c in row) for row in rows)
    return "<table>\n" + "".join(f"  <tr>{row}</tr>\n" for row in cells) + "</table>"


def _write_latex(rows: Rows) -> str:
    lines = " \\\\\n".join(" & ".join(row) for row in rows)
    return "\\begin{array}{" + "c" * len(rows[0]) + "}\n" + lines + "\n\\end{array}"


def _write_plus_frame(rows: Rows) -> str:
    edge = "  +" + "---+" * len(rows[0])
    head = "   " + "".join(f" {col}  " for col in "ABCDEFGHIJ"[: len(rows[0])])
    body = [
        f"{number} | {' | '.join(row.replace('?', ' '))} |\n{edge}"
        for number, row in enumerate(rows, 1)
    ]
    return "\n".join([head, edge, *body])


def _write_colours(rows: Rows) -> str:
    return "\n".join("".join(f"\x1b[3{at % 8}m{c}\x1b[0m" for at, c in enumerate(r)) for r in rows)


def _write_squares(rows: Rows) -> str:
    # White squares alone would be unknown cells.
    both = "?" in "".join(rows)
    return _join_cells("", rows, {**_KEYCAPS, "?": "⬛", "0": "⬜", "B": "💣"}) if both else ""


def _write_wide(write: Writer) -> Writer:
    """Return a writer that leaves out boards of one column, of which nobody could say more."""
    return lambda rows: write(rows) if len(rows[0]) > 1 else ""


def _write_large(write: Writer) -> Writer:
    """Return a writer that leaves out boards of one row, or of fewer than three columns."""
    return lambda rows: write(rows) if len(rows) > 1 and len(rows[0]) > 2 else ""


def _write_noise(rows: Rows) -> str:
    said = "\n> ".join(rows)
    return f"> Is this solvable?\n> {said}\n\nWhat would you open next?"


def _write_r_matrix(rows: Rows) -> str:
    # R fills a matrix by columns.
    cells = (cell.replace("?", "NA") for column in zip(*rows, strict=True) for cell in column)
    return f"m <- matrix(c({', '.join(cells)}), nrow = {len(rows)})"


def _write_wiki(rows: Rows) -> str:
    return "{| class=x\n|-\n" + "\n|-\n".join(f"| {' || '.join(row)}" for row in rows) + "\n|}"


def _write_chess(rows: Rows) -> str:
    body = [f"{len(rows) - at} {' '.join(row)}" for at, row in enumerate(rows)]
    return "\n".join([*body, "  " + " ".join("abcdefgh"[: len(rows[0])])])


def _write_game(rows: Rows) -> str:
    cells = [[None if cell == "?" else int(cell) for cell in row] for row in rows]
    return f"play({{'board': {cells!r}, 'mines': 4}})"


def _write_items(rows: Rows) -> str:
    """Return a list of lists as YAML prints it."""
    return "\n".join(
        f"{'- ' if at == 0 else '  '}- '{cell}'" for row in rows for at, cell in enumerate(row)
    )


def _write_database(rows: Rows) -> str:
    edge = "+" + "------+" * len(rows[0])
    head = "|" + "".join(f" c{col:<4}|" for col in range(len(rows[0])))
    body = ["|" + "".join(f" {cell.replace('?', 'NULL'):>4} |" for cell in row) for row in rows]
    return "\n".join([edge, head, edge, *body, edge, f"{len(rows)} rows in set (0.00 sec)"])


def _write_simple_table(rows: Rows) -> str:
    """Return a simple table of reStructuredText without a header."""
    rule = " ".join(["==="] * len(rows[0]))
    return "\n".join([rule, *("   ".join(row) for row in rows), rule])


def _write_log(rows: Rows) -> str:
    # Numbers alone may be any numbers of a log.
    lines = (f"12:00:{at:02} INFO game: {row}" for at, row in enumerate(rows))
    return "" if "".join(rows).isdigit() else "\n".join(lines)


def _write_boxes(rows: Rows) -> str:
    """Return cells in boxes of their own, with gaps between them."""
    edge = " ".join(["+---+"] * len(rows[0]))
    lines = (" ".join(f"| {cell} |" for cell in row) for row in rows)
    return "\n".join([edge, *(f"{line}\n{edge}" for line in lines)])


def _write_named(rows: Rows) -> str:
    head = "".join(f" col {col:2}" for col in range(1, len(rows[0]) + 1)).replace("col  ", "col ")
    return "\n".join([head, *(f"row {row} {'  '.join(line)}" for row, line in enumerate(rows, 1))])


def _write_labels_below(rows: Rows) -> str:
    """Return a table with the numbers of its rows at the left, and those of its columns below."""
    body = [f" {at} | {' | '.join(row)} |" for at, row in enumerate(rows)]
    return "\n".join([*body, "     " + "   ".join(map(str, range(len(rows[0]))))])


def _write_short_delimiter(rows: Rows) -> str:
    """Return a table of Markdown with numbers above, and one dash below each."""
    head = "".join(f"| {at} " for at in range(len(rows[0])))
    body = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"{head}|", "| - " * len(rows[0]) + "|", *body])


def _write_both_labels(rows: Rows) -> str:
    """Return a table with letters at the left and the right of each row, and above them."""
    letters = "ABCDEFGHIJ"
    head = "   " + "   ".join(letters[: len(rows[0])])
    lines = (
        f"{letter} | {' | '.join(row)} | {letter}"
        for letter, row in zip(letters, rows, strict=False)
    )
    return "\n".join([head, *lines])


_ALL: Final = "012345678?BSF"
_NUMERIC: Final = "012345678?"
#: How a board is written; the symbols of the standard notation that can be written so.
WRITERS: Final[Mapping[str, tuple[Writer, str]]] = {
    "rows": (lambda rows: "\n".join(rows), "012345678?BSF"),
    "crlf": (lambda rows: "\r\n".join(rows) + "\r\n\r\n", "012345678?BSF"),
    "bom": (lambda rows: "\ufeff" + "\n".join(rows), "012345678?BSF"),
    "margins": (
        lambda rows: "\n\n" + "\n".join(f"   {row}  " for row in rows) + "\n",
        "012345678?BSF",
    ),
    "blanks": (lambda rows: _join_cells(" ", rows), "012345678?BSF"),
    "hard-blanks": (lambda rows: _join_cells("\xa0", rows), "012345678?BSF"),
    "slashes": (lambda rows: "/".join(rows), "012345678?BSF"),
    "escaped": (lambda rows: "\\n".join(rows), "012345678?BSF"),
    "csv": (lambda rows: _write_fields(",", rows), "012345678?BSF"),
    "tsv": (lambda rows: _write_fields("\t", rows), "012345678?BSF"),
    "semicolons": (lambda rows: _join_cells(";", rows), "012345678?BSF"),
    "markdown": (_write_markdown, "012345678?BSF"),
    "box": (_write_box, "012345678?BSF"),
    "frame": (_write_frame, "012345678?BSF"),
    "rulers": (_write_rulers, "012345678?BSF"),
    "letters": (_write_lettered, "012345678?BSF"),
    "python": (_write_python, "012345678?BSF"),
    "numbers": (_write_numbers, "012345678?"),
    "numpy": (_write_numpy_floats, "012345678?"),
    "c": (_write_c, "012345678?BSF"),
    "strings": (_write_strings, "012345678?BSF"),
    "emoji": (_write_emoji, "012345678?BF"),
    "names": (_write_names, "012345678?B"),
    "spoilers": (_write_spoilers, "012345678B"),
    "wide": (lambda rows: "\n".join(rows).translate(_WIDE).replace("?", "\uff1f"), "012345678?B"),
    "sized": (_write_sized, "012345678?BSF"),
    "hidden-letters": (lambda rows: "\n".join(rows).replace("?", "H"), "012345678?BSF"),
    "probst": (lambda rows: _join_cells("", rows, {"?": "-", "B": "+", "S": " "}), "012345678?B"),
    "minesweepr": (
        lambda rows: _join_cells("", rows, {"?": "x", "B": "*", "0": "."}),
        "012345678?B",
    ),
    "dots": (lambda rows: "\n".join(rows).replace("?", "."), "012345678?B"),
    "fence": (lambda rows: "```text\n" + "\n".join(rows) + "\n```\n", "012345678?BSF"),
    "quotation": (lambda rows: "\n".join(f"> {row}" for row in rows), "012345678?BSF"),
    "rows-by-blanks": (_write_wide(lambda rows: " ".join(rows)), _ALL),
    "rows-by-commas": (_write_wide(lambda rows: ",".join(rows)), _ALL),
    "underscores": (
        lambda rows: "\n".join(
            f"|{'|'.join(f'_{cell}_' for cell in row)}|".replace("?", "_") for row in rows
        ),
        "12345678?",
    ),
    "numbered-dictionary": (
        _write_wide(lambda rows: repr(dict(enumerate(rows, 1)))),
        _ALL,
    ),
    "bars": (lambda rows: "\n".join(f"|{'|'.join(row)}|" for row in rows), _ALL),
    "brackets": (lambda rows: "\n".join("".join(f"[{c}]" for c in row) for row in rows), _ALL),
    "bullets": (_write_wide(lambda rows: "\n".join(f"- {row}" for row in rows)), _ALL),
    "row-names": (
        lambda rows: "\n".join(f"Row {at}: {' '.join(row)}" for at, row in enumerate(rows, 1)),
        _ALL,
    ),
    "null": (lambda rows: _write_nested("[", "[%s]", "]", rows, "null"), _NUMERIC),
    "none": (lambda rows: _write_nested("b = [", "[%s]", "]", rows, "None"), _NUMERIC),
    "java": (lambda rows: _write_nested("int[][] b = {", "{%s}", "};", rows, "-1"), _NUMERIC),
    "go": (lambda rows: _write_nested("b := [][]int{", "{%s}", "}", rows, "-1"), _NUMERIC),
    "rust": (
        lambda rows: _write_nested("let b = vec![", "vec![%s]", "];", rows, "-1"),
        _NUMERIC,
    ),
    "kotlin": (
        lambda rows: _write_nested("val b = arrayOf(", "intArrayOf(%s)", ")", rows, "-1"),
        _NUMERIC,
    ),
    "php": (lambda rows: _write_nested("$b = [", "[%s]", "];", rows, "null"), _NUMERIC),
    "haskell": (lambda rows: _write_nested("b = [", "[%s]", "]", rows, "Nothing"), _NUMERIC),
    "matlab": (
        _write_wide(
            lambda rows: "A = [" + "; ".join(" ".join(r).replace("?", "NaN") for r in rows) + "]"
        ),
        _NUMERIC,
    ),
    "words": (_write_wide(lambda rows: f"board = %w({' '.join(rows)})"), _ALL),
    "split": (_write_wide(lambda rows: f'b = "{" ".join(rows)}".split()'), _ALL),
    "raw": (_write_wide(lambda rows: 'let b = r#"' + "\n".join(rows) + '"#;'), _ALL),
    "here": (_write_wide(lambda rows: "b=$(cat <<EOT\n" + "\n".join(rows) + "\nEOT\n)"), _ALL),
    "matrix-of-text": (
        _write_wide(
            lambda rows: f'np.matrix("{"; ".join(map(" ".join, rows))}")'.replace("?", "nan")
        ),
        _NUMERIC,
    ),
    "printf": (
        _write_wide(lambda rows: "printf '" + r"\n".join(rows) + r"\n' | minecheck check -"),
        _ALL,
    ),
    "matrix-of-r": (_write_wide(_write_r_matrix), _NUMERIC),
    "new": (
        lambda rows: _write_nested("var b = new int[][] {", "new[] {%s}", "};", rows, "-1"),
        _NUMERIC,
    ),
    "new-strings": (
        _write_wide(lambda rows: 'var b = new[] { "' + '", "'.join(rows) + '" };'),
        _ALL,
    ),
    "ocaml": (
        lambda rows: _write_nested("let b = [| ", "[| %s |]", " |]", rows, "-1").replace(",", ";"),
        _NUMERIC,
    ),
    "lisp": (
        lambda rows: "(list " + " ".join(f"(list {' '.join(r)})" for r in rows) + ")",
        _ALL,
    ),
    "game": (_write_game, _NUMERIC),
    "yaml": (
        _write_wide(lambda rows: "board:\n" + "\n".join(f'  - "{row}"' for row in rows)),
        _ALL,
    ),
    "yaml-block": (lambda rows: "grid: |-\n  " + "\n  ".join(rows) + "\nmines: 2\n", _ALL),
    "wiki": (_write_wiki, _ALL),
    "chess": (_write_wide(_write_chess), _ALL),
    "escapes-as-text": (
        lambda rows: "\n".join("".join(f"^[[34m{c}^[[0m" for c in row) for row in rows),
        _ALL,
    ),
    "caption": (
        lambda rows: "\n".join([f"Custom ({len(rows)}x{len(rows[0])}, 4 mines)", *rows]),
        _ALL,
    ),
    "pandas": (_write_pandas, _NUMERIC),
    "bullets-before-cells": (
        lambda rows: "\n".join(f"- {' '.join(row)}" for row in rows),
        "012345678?BSF",
    ),
    "items": (_write_wide(_write_items), _ALL),
    "database": (_write_wide(_write_database), _NUMERIC),
    "sql": (
        lambda rows: _write_nested("INSERT INTO b VALUES ", "(%s)", ";", rows, "NULL"),
        _NUMERIC,
    ),
    "nested-json": (
        lambda rows: json.dumps({"game": {"id": 7, "state": {"board": rows}}, "mines": 3}),
        _ALL,
    ),
    "forum": (
        lambda rows: (
            "[code]\n" + "\n".join("".join(f"[b]{c}[/b]" for c in r) for r in rows) + "[/code]"
        ),
        _ALL,
    ),
    "chat": (
        _write_wide(
            lambda rows: "\n".join(f"<anna> {row}" for row in rows) if len(rows) > 1 else ""
        ),
        _ALL,
    ),
    "legend": (
        lambda rows: "# = mine\n. = hidden\n" + _join_cells("", rows, {"?": ".", "B": "#"}),
        "012345678?BSF",
    ),
    "wrapped": (
        lambda rows: (
            "["
            + ", ".join(
                "["
                + ", ".join("Cell::Hidden" if c == "?" else f"Cell::Clue({c})" for c in row)
                + "]"
                for row in rows
            )
            + "]"
        ),
        _NUMERIC,
    ),
    "html": (_write_wide(_write_html), "012345678?B"),
    "latex": (_write_latex, _ALL),
    "plus-frame": (_write_plus_frame, "012345678?B"),
    "colours": (_write_colours, _ALL),
    "squares": (_write_squares, "012345678?B"),
    "noise": (_write_noise, _ALL),
    "numbered-bullets": (
        _write_wide(lambda rows: "\n".join(f"{at}. - {row}" for at, row in enumerate(rows, 1))),
        _ALL,
    ),
    "checkboxes": (_write_wide(lambda rows: "\n".join(f"- [ ] {row}" for row in rows)), _ALL),
    "string-in-string": (lambda rows: json.dumps(json.dumps("\n".join(rows))), _ALL),
    "strings-in-strings": (
        _write_wide(lambda rows: json.dumps([json.dumps(row) for row in rows])),
        _ALL,
    ),
    "simple-table": (_write_wide(_write_simple_table), _ALL),
    "open-html": (
        lambda rows: (
            "<table>" + "".join(f"<tr><td>{'<td>'.join(row)}" for row in rows) + "</table>"
        ),
        "012345678?B",
    ),
    "comments-in-lists": (
        lambda rows: "[\n" + "".join(f"  {list(row)},\n  # {list(row)},\n" for row in rows) + "]",
        _ALL,
    ),
    "names-first": (
        lambda rows: "mine: #, hidden: .\n" + _join_cells("", rows, {"?": ".", "B": "#"}),
        "012345678?BF",
    ),
    "two-sizes": (
        _write_wide(lambda rows: "\n".join([str(len(rows)), str(len(rows[0])), *rows])),
        _ALL,
    ),
    "sizes-and-total": (
        lambda rows: "\n".join([f"{len(rows)} {len(rows[0])} 3", *rows]),
        _ALL,
    ),
    "carriage-returns": (lambda rows: "\r".join(rows), _ALL),
    "arabic": (
        lambda rows: "\n".join(rows).translate({48 + at: 0x660 + at for at in range(9)}),
        "012345678?B",
    ),
    "label": (lambda rows: "\n".join(["Mines: 4", "", *rows]), "012345678?BSF"),
    "named-rows": (
        _write_large(lambda rows: "\n".join(f"Zeile {at}: {row}" for at, row in enumerate(rows))),
        _ALL,
    ),
    "round-brackets": (
        _write_wide(lambda rows: "\n".join("".join(f"({c})" for c in row) for row in rows)),
        _ALL,
    ),
    "row-ends": (_write_large(lambda rows: ";\n".join(rows) + ";"), _ALL),
    "escaped-lines": (_write_wide(lambda rows: "%0A".join(rows)), _ALL),
    "log": (_write_large(_write_log), _ALL),
    "signs-between": (_write_large(lambda rows: _join_cells("-", rows)), _ALL),
    "boxes": (_write_wide(_write_boxes), _ALL),
    "named-columns": (_write_large(_write_named), _ALL),
    "labels-below": (_write_large(_write_labels_below), _ALL),
    "short-delimiter": (_write_large(_write_short_delimiter), _ALL),
    "both-labels": (_write_large(_write_both_labels), _ALL),
}


def _each_line(before: str, behind: str = "") -> Callable[[str], str]:
    """Return a function that writes the same before and behind each line of a text."""
    return lambda text: "\n".join(f"{before}{line}{behind}" for line in text.split("\n"))


#: What people write around a board; each states a total of 5, or none.
NOISES: Final[Mapping[str, Callable[[str], str]]] = {
    "total": lambda text: f"Mines: 5\n{text}",
    "total-behind": lambda text: f"{text}\n\n5 mines in total",
    "total-in-german": lambda text: f"Minen: 5\n\n{text}",
    "question": lambda text: f"Here is my board:\n\n{text}\n\nAny idea?",
    "fence": lambda text: f"5 mines:\n```\n{text}\n```",
    "quotation": _each_line("> "),
    "indent": _each_line("    "),
    "trailing-blanks": _each_line("", "  "),
    "forum": lambda text: f"[code]\n{text}\n[/code]",
    "string": lambda text: f'mines = 5\nboard = """\n{text}\n"""',
    "command": lambda text: f"minecheck count - --mines 5 <<EOF\n{text}\nEOF",
    "json": lambda text: json.dumps({"game": {"board": text, "mines": 5}}),
    "heading": lambda text: f"Game #3\n-------\n{text}",
    "prompt": lambda text: f">>> show()\n{text}",
    "chat": _each_line("bob> "),
    "faces": lambda text: f"🙂 005\n{text}",
    "legend": lambda text: f"{text}\n? = unknown",
    "comment": _each_line("// "),
    "block-comment": lambda text: f"/* A board\n{text}\n*/",
    "comment-behind": lambda text: f"{text}\n#\n# by a friend, 2010",
    "dialog": lambda text: f"How many mines?\n5\n\n{text}",
    "range": lambda text: f"Enter a row (1-9):\n{text}",
    "answer": lambda text: f"Enter number of mines [0-36]: 5\n{text}",
    "answer-behind-mark": lambda text: f"How many mines? > 5\n{text}",
    "statement": lambda text: _each_line("// ")(text) + "\nx = 1;",
    "bulleted-legend": lambda text: f"* `?` = unknown\n\n{text}",
    "title-with-number": lambda text: f"Field #1:\n{text}",
    "liquid": lambda text: f"{{% highlight text %}}\n{text}\n{{% endhighlight %}}",
    "line-breaks": lambda text: text.replace("\n", "\r\n"),
}
