"""Maps, with the positions of all mines: rows, or files of any format."""

from minecheck.app import problems
from minecheck.app.questions import puzzles
from minecheck.app.requests.board_text import read_board_or_file
from minecheck.minefield.formats import Opened
from minecheck.minefield.numerals import format_count


def parse_layout_rows(rows: object, most: int) -> Opened:
    """Return the layout that the rows of the field ``layout`` draw.

    Args:
        rows: the rows as JSON has them.
        most: the most cells.

    Raises:
        ProblemError: they draw none.
    """
    layout = puzzles.read_rows_of_layout(rows, "layout")
    problems.require_at_most("layout", layout.mines.size, most, format_count(most, "cell"))
    return Opened(None, layout, format="rows")


def read_layout_file(file: bytes | str, format: str, most: int) -> Opened:
    """Read a file, or text, that holds a layout or shows one in full.

    Args:
        file: the content of the file.
        format: the name of its format, or `AUTO`.
        most: the most cells.

    Raises:
        ProblemError: it cannot be read, or holds no layout.
    """
    reading = read_board_or_file(file, None, most, field="file", format=format)
    layout = reading.find_layout()
    if layout is None:
        problems.reject_field(
            "layout-missing",
            "The file holds what a player sees, which does not show where all the mines are.",
            "Send a file that holds the whole map, with every mine.",
            "/file",
        )
    return Opened(reading.view, layout, layout.total, reading.notation, reading.first)
