"""The community's formats: files and links that hold a board, a layout, or both."""

from minecheck.minefield.formats.catalogue import (
    AUTO,
    FORMATS,
    FileFormat,
    find_format,
    find_format_by_name,
    read,
    recognise_format,
    write,
)
from minecheck.minefield.formats.grid import MOST_CELLS
from minecheck.minefield.formats.opened import FormatError, Opened

__all__ = [
    "AUTO",
    "FORMATS",
    "MOST_CELLS",
    "FileFormat",
    "FormatError",
    "Opened",
    "find_format",
    "find_format_by_name",
    "read",
    "recognise_format",
    "write",
]
