"""The languages by name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from solvers.deadline import Deadline
from solvers.export import dimacs, minizinc, opb, smtlib
from solvers.export.instance import Instance


class Name(StrEnum):
    """What the languages are called."""

    DIMACS = "dimacs"
    OPB = "opb"
    MINIZINC = "minizinc"
    SMTLIB = "smtlib"


@dataclass(frozen=True, slots=True)
class Language:
    """A language of solvers: how its files are called, and who writes it."""

    suffix: str
    written: Callable[[Instance, Deadline], Iterator[str]]


#: All languages, by name.
LANGUAGES: Final[Mapping[Name, Language]] = MappingProxyType(
    {
        Name.DIMACS: Language(".cnf", dimacs.written),
        Name.OPB: Language(".opb", opb.written),
        Name.MINIZINC: Language(".mzn", minizinc.written),
        Name.SMTLIB: Language(".smt2", smtlib.written),
    }
)
