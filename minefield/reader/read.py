"""A text as a board: at once if it is plain rows, else by all that the reader knows."""

from minecheck.minefield.board import BoardError
from minecheck.minefield.formats import AUTO, MOST_CELLS, find_format
from minecheck.minefield.notation import parse
from minecheck.minefield.reader.plain_rows import is_plain
from minecheck.minefield.reader.reading import BoardReading

# The patterns of other texts take a tenth of a second to compile, so they are imported by need.


def read_board(
    data: bytes | str,
    symbols: object = None,
    name: str = "symbols",
    most: int = MOST_CELLS,
    format: str = AUTO,
) -> BoardReading:
    """Return the board that a file or a text holds: in a format that bears signs, or as text.

    Args:
        data: the file; or rows, a table, a literal of a program, emoji, JSON, a link or a command.
        symbols: what symbols mean, by the names unknown, mine, safe, flag and 0 to 8.
        name: how the sender's field or option for ``symbols`` is called, for messages.
        most: the largest number of cells that a file of a format may have.
        format: the name of the format. Those without signs, such as MBF, are not recognised.

    Raises:
        FormatError: the file is of a format, and damaged, or there is no such format.
        BoardError: the text holds no board that can be read; it names the row and column.
        AmbiguousBoardError: it can be read as different boards.
    """
    if symbols is None and format == AUTO and (plain := _read_plain(data)) is not None:
        return plain
    from minecheck.minefield.reader.any_text import read_any_board

    return read_any_board(data, symbols, name, most, format)


def _read_plain(data: bytes | str) -> BoardReading | None:
    """Return the board of plain rows with unknown cells, None of any other text."""
    if not data.isascii():
        return None
    text = data if isinstance(data, str) else data.decode("ascii")
    # Asterisks may be covered cells, and a text without unknown ones may be a file in hexadecimal.
    if "?" not in text or "*" in text or not is_plain(text) or find_format(text) is not None:
        return None
    try:
        return BoardReading(parse(text))
    except BoardError:
        return None
