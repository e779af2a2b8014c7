"""Boards up to twelve cells wide, read column by column by finite automata."""

from minecheck.automata.diagram import MOST_NODES, DiagramTooLarge
from minecheck.automata.odds import EVEN, Odds
from minecheck.automata.outside import Beyond, Outside
from minecheck.automata.reading import NotAStrip
from minecheck.automata.strips import Strip, make_strip
from minecheck.automata.weighing import TooLong
from minecheck.automata.windows import Cut, Loosened, Window, WindowError, cut_window, draw_layout

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
    "cut_window",
    "draw_layout",
    "make_strip",
]
