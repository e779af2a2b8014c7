"""Boards up to twelve cells wide, read column by column by finite automata."""

from automata.diagram import MOST_NODES, DiagramTooLarge
from automata.strips import NotAStrip, Strip, strip
from automata.windows import Cut, Loosened, Window, WindowError, cut, drawn

__all__ = [
    "MOST_NODES",
    "Cut",
    "DiagramTooLarge",
    "Loosened",
    "NotAStrip",
    "Strip",
    "Window",
    "WindowError",
    "cut",
    "drawn",
    "strip",
]
