"""Boards up to twelve cells wide, read column by column by finite automata."""

from automata.diagram import MOST_NODES, DiagramTooLarge
from automata.odds import EVEN, Odds
from automata.strips import NotAStrip, Strip, strip
from automata.weighing import TooLong
from automata.windows import Cut, Loosened, Window, WindowError, cut, drawn

__all__ = [
    "EVEN",
    "MOST_NODES",
    "Cut",
    "DiagramTooLarge",
    "Loosened",
    "NotAStrip",
    "Odds",
    "Strip",
    "TooLong",
    "Window",
    "WindowError",
    "cut",
    "drawn",
    "strip",
]
