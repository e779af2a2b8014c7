"""Write the table of docs/optimal.md from docs/optimal.json: ``python -m docs.optimal``."""

from fractions import Fraction
from pathlib import Path
from typing import Final

from benchmarks.optimal import Size, load_table

PAGE: Final = Path(__file__).with_name("optimal.md")
BEGIN: Final = "<!-- table: written by python -m docs.optimal -->\n"
END: Final = "<!-- /table -->\n"
#: The longest boards of one row that the page shows.
_LONGEST_ROW: Final = 5
_HEAD: Final = (
    "| mines | layouts | won | chance to win | if the first click is safe | best first cells |"
)


def render_table() -> str:
    """Return a table for each board: mines, layouts won, both chances and the best first cells."""
    boards: dict[tuple[int, int], list[Size]] = {}
    table = load_table()
    for name in table:
        size = Size(*map(int, name.split(",")))
        if size.rows > 1 or size.cols <= _LONGEST_ROW:
            boards.setdefault((size.rows, size.cols), []).append(size)
    lines: list[str] = []
    for (rows, cols), sizes in sorted(boards.items()):
        missing = rows * cols + 1 - len(sizes)
        note = f" ({missing} numbers of mines not computed)" if missing else ""
        lines += [f"### {rows} x {cols}{note}", "", _HEAD, "|---|---|---|---|---|---|"]
        lines += [_render_row(size, table[size.name]) for size in sorted(sizes)]
        lines.append("")
    return "\n".join(lines)


def _render_row(size: Size, won: list[list[int]]) -> str:
    best = max(map(max, won))
    safe = size.layouts * (size.rows * size.cols - size.mines) // (size.rows * size.cols)
    # Cells that a turn or a mirror makes of each other are one: the upper left quarter has all.
    quarter = [row[: (size.cols + 1) // 2] for row in won[: (size.rows + 1) // 2]]
    cells = [
        f"({row}, {col})"
        for row, line in enumerate(quarter)
        for col, value in enumerate(line)
        if value == best and not (size.rows == size.cols and col < row)
    ]
    chances = (
        f"{float(Fraction(best, whole)):.6f}" if whole and best else "-"
        for whole in (size.layouts, safe)
    )
    first = "all" if best == min(map(min, won)) else ", ".join(cells)
    return f"| {size.mines} | {size.layouts} | {best} | {' | '.join(chances)} | {first} |"


def render_page(text: str) -> str:
    """Return the text of the page with the table between the markers."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{render_table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text("utf-8")), "utf-8")
