"""What a board is: cells, notations, layouts, and the constraints that solvers share."""

from minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError
from minefield.formats import FORMATS, Format, FormatError, Opened
from minefield.layout import Layout
from minefield.notation import DIALECTS, Notation, draw, parse, parse_place
from minefield.reduction.constraints import Constraints, Reduction, reduce, reduce_board
from minefield.rules import Puzzle, Rule, RuleError, Rules, parse_rules

__all__ = [
    "DIALECTS",
    "FLAG",
    "FORMATS",
    "MINE",
    "SAFE",
    "UNKNOWN",
    "Board",
    "BoardError",
    "Constraints",
    "Format",
    "FormatError",
    "Layout",
    "Notation",
    "Opened",
    "Puzzle",
    "Reduction",
    "Rule",
    "RuleError",
    "Rules",
    "draw",
    "parse",
    "parse_place",
    "parse_rules",
    "reduce",
    "reduce_board",
]
