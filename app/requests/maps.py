"""Maps, with the positions of all mines: rows, or files of any format."""

from minecheck.app import problems
from minecheck.app.problems import ProblemError
from minecheck.app.questions import puzzles
from minecheck.app.requests.json_reader import BODY, decode_utf8
from minecheck.minefield import formats
from minecheck.minefield.amounts import format_count
from minecheck.minefield.formats import AUTO, FormatError, Opened


def of_rows(rows: object, most: int, field: str = "layout") -> Opened:
    """Return the layout that rows draw.

    Args:
        rows: the rows as JSON has them.
        most: the most cells.
        field: the name of the field.

    Raises:
        ProblemError: they draw none.
    """
    layout = puzzles.read_rows_of_layout(rows, field)
    problems.at_most(field, layout.mines.size, most, format_count(most, "cell"))
    return Opened(None, layout, layout.total, "rows")


def of_file(file: bytes | str, format: str, most: int) -> Opened:
    """Read a file that holds a layout; without a sign of a format it may be rows.

    Args:
        file: the content of the file.
        format: the name of its format, or `AUTO`.
        most: the most cells.

    Raises:
        ProblemError: it cannot be read, or holds no layout.
    """
    try:
        opened = formats.read(file, format, most)
    except FormatError as error:
        if format != AUTO or error.code != "format-unknown":
            raise problems.of_format(error, "/file") from None
        return _read_unsigned(file, most, error)
    if opened.layout is None:
        problems.reject_field(
            "layout-missing",
            "The file holds what a player sees, which does not show where all the mines are.",
            "Send a file that holds the whole map, with every mine.",
            "/file",
        )
    return opened


def _read_unsigned(file: bytes | str, most: int, error: FormatError) -> Opened:
    """Read a file without signs of a format, for which ``error`` was raised."""
    try:
        return of_rows(decode_utf8(file, BODY) if isinstance(file, bytes) else file, most, "file")
    except ProblemError as problem:
        # Rows with a wrong cell are rows, all else is a file of some format.
        if "row" in problem.document:
            raise
        raise problems.of_format(error, "/file") from None
