"""Maps, which tell where all the mines are: rows, or what any format holds."""

from app import problems
from app.problems import ProblemError
from app.questions import puzzles
from app.requests.json_reader import BODY, decoded
from minefield import formats
from minefield.amounts import several
from minefield.formats import AUTO, FormatError, Opened


def of_rows(rows: object, most: int, field: str = "layout") -> Opened:
    """The layout that rows draw, of at most so many cells.

    Raises:
        ProblemError: they draw none.
    """
    layout = puzzles.drawn(rows, field)
    problems.at_most(field, layout.mines.size, most, several(most, "cell"))
    return Opened(None, layout, layout.total, "rows")


def of_file(file: bytes | str, format: str, most: int) -> Opened:
    """What a file holds, a layout among it; without a sign of a format it may be rows.

    Raises:
        ProblemError: it cannot be read, or holds no layout.
    """
    try:
        opened = formats.read(file, format, most)
    except FormatError as error:
        if format != AUTO or error.code != "format-unknown":
            raise problems.of_format(error, "/file") from None
        return _unsigned(file, most, error)
    if opened.layout is None:
        problems.refuse(
            "layout-missing",
            "The file holds what a player sees, and that does not tell where all the mines are.",
            "Send the whole map, with every mine.",
            "/file",
        )
    return opened


def _unsigned(file: bytes | str, most: int, error: FormatError) -> Opened:
    """What a file holds that bears no sign of a format, for which ``error`` was raised."""
    try:
        return of_rows(decoded(file, BODY) if isinstance(file, bytes) else file, most, "file")
    except ProblemError as problem:
        # Rows with a wrong cell are rows, all else is a file of some format.
        if "row" in problem.document:
            raise
        raise problems.of_format(error, "/file") from None
