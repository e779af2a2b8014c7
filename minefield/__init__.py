"""What a board is: cells, notations, layouts, and the constraints that solvers share."""

from minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError
from minefield.formats import FORMATS, Format, FormatError, Opened
from minefield.layout import Layout
from minefield.notation import DIALECTS, Notation, draw, parse, parse_place
from minefield.reduction.constraints import Constraints, Reduction, reduce, reduce_board
from minefield.rules import Puzzle, Rule, RuleError, Rules, parse_rules
from minefield.topology import Shape, Topology, TopologyError
from minefield.variant import Clue, Variant, VariantError

__all__ = [
    "DIALECTS",
    "FLAG",
    "FORMATS",
    "MINE",
    "SAFE",
    "UNKNOWN",
    "Board",
    "BoardError",
    "Clue",
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
    "Shape",
    "Topology",
    "TopologyError",
    "Variant",
    "VariantError",
    "draw",
    "parse",
    "parse_place",
    "parse_rules",
    "reduce",
    "reduce_board",
]
