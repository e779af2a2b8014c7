"""Boards written in the ways that people write them, each with noise that means nothing."""

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
    "label": (lambda rows: "\n".join(["Mines: 4", "", *rows]), "012345678?BSF"),
}
