"""What a board is: cells, notations, layouts, and the constraints that solvers share."""

from minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError
from minefield.constraints import Constraints, Reduction, Rule, RuleError, reduce, reduce_board
from minefield.layout import Layout
from minefield.notation import DIALECTS, Notation, draw, parse

__all__ = [
    "DIALECTS",
    "FLAG",
    "MINE",
    "SAFE",
    "UNKNOWN",
    "Board",
    "BoardError",
    "Constraints",
    "Layout",
    "Notation",
    "Reduction",
    "Rule",
    "RuleError",
    "draw",
    "parse",
    "reduce",
    "reduce_board",
]
