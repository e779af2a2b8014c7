"""Boards up to twelve cells wide, read column by column by finite automata."""

from automata.diagram import MOST_NODES, DiagramTooLarge
from automata.odds import EVEN, Odds
from automata.outside import Beyond, Outside
from automata.reading import NotAStrip
from automata.strips import Strip, strip
from automata.weighing import TooLong
from automata.windows import Cut, Loosened, Window, WindowError, cut, drawn

__all__ = [
    "EVEN",
    "MOST_NODES",
    "Beyond",
    "Cut",
    "DiagramTooLarge",
    "Loosened",
    "NotAStrip",
    "Odds",
    "Outside",
    "Strip",
    "TooLong",
    "Window",
    "WindowError",
    "cut",
    "drawn",
    "strip",
]
