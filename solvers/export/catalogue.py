"""The formats of solvers by name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from solvers.deadline import Deadline
from solvers.export import dimacs, minizinc, opb, smtlib
from solvers.export.instance import Instance


class Name(StrEnum):
    """What the formats are called."""

    DIMACS = "dimacs"
    OPB = "opb"
    MINIZINC = "minizinc"
    SMTLIB = "smtlib"


@dataclass(frozen=True, slots=True)
class Format:
    """A format of solvers: how its files are called, and who writes it."""

    suffix: str
    written: Callable[[Instance, Deadline], Iterator[str]]


#: All formats, by name.
FORMATS: Final[Mapping[Name, Format]] = MappingProxyType(
    {
        Name.DIMACS: Format(".cnf", dimacs.written),
        Name.OPB: Format(".opb", opb.written),
        Name.MINIZINC: Format(".mzn", minizinc.written),
        Name.SMTLIB: Format(".smt2", smtlib.written),
    }
)
