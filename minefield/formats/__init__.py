"""The community's formats: files and links that hold a board, a layout, or both."""

from minefield.formats.catalogue import AUTO, FORMATS, Format, named, read, told, write
from minefield.formats.grid import MOST_CELLS
from minefield.formats.opened import FormatError, Opened

__all__ = [
    "AUTO",
    "FORMATS",
    "MOST_CELLS",
    "Format",
    "FormatError",
    "Opened",
    "named",
    "read",
    "told",
    "write",
]
