"""What a board is: cells, notations, layouts, and the constraints that solvers share."""

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError
from minecheck.minefield.formats import FORMATS, FileFormat, FormatError, Opened
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import DIALECTS, Notation, draw, parse, parse_cell
from minecheck.minefield.reduction.constraints import Constraints, Reduction, reduce
from minecheck.minefield.rules import Puzzle, Rule, RuleError, Rules, parse_rules
from minecheck.minefield.topology import Shape, Topology, TopologyError
from minecheck.minefield.variant import Clue, Variant, VariantError

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
    "FileFormat",
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
    "parse_cell",
    "parse_rules",
    "reduce",
]
