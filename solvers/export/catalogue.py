"""The formats of solvers by name.

Tested in tests/solvers/export/test_formats.py.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from minecheck.solvers.deadline import Deadline
from minecheck.solvers.export import dimacs, minizinc, opb, smtlib
from minecheck.solvers.export.instance import Instance


class ExportName(StrEnum):
    """The names of the formats."""

    DIMACS = "dimacs"
    OPB = "opb"
    MINIZINC = "minizinc"
    SMTLIB = "smtlib"


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format of solvers: how its files are called, and who writes it."""

    suffix: str
    written: Callable[[Instance, Deadline], Iterator[str]]


#: All formats, by name.
FORMATS: Final[Mapping[ExportName, ExportFormat]] = MappingProxyType(
    {
        ExportName.DIMACS: ExportFormat(".cnf", dimacs.write_dimacs),
        ExportName.OPB: ExportFormat(".opb", opb.write_opb),
        ExportName.MINIZINC: ExportFormat(".mzn", minizinc.write_minizinc),
        ExportName.SMTLIB: ExportFormat(".smt2", smtlib.write_smtlib),
    }
)
