"""What may be asked of the service, by the names of its API; None is as good as left out."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, Required, TypeAlias, TypedDict

from minecheck_client.answers import Layout, Summary

#: Rows in one string, as strings, or as lists of symbols and clues (lists or tuples).
Board: TypeAlias = str | Sequence[str] | Sequence[Sequence[str | int]]
#: A line of a batch: a board, or all that a single request would say.
Line: TypeAlias = Board | Mapping[str, Any]
#: What a route of any kind is sent: a question, a text, bytes, or nothing to read it (GET).
Body: TypeAlias = Mapping[str, Any] | str | bytes | None

#: A chance; fractions and decimals are sent exactly, and so are these as strings such as 1/3.
Density: TypeAlias = float | Fraction | Decimal | str

BatchTask: TypeAlias = Literal[
    "check", "count", "forced", "analyze", "layouts", "explain", "repair"
]


class Rule(TypedDict, total=False):
    """How many mines (exactly, or from low to high) are among some named cells."""

    cells: Required[Sequence[str]]
    mines: int
    low: int
    high: int


class Window(TypedDict, total=False):
    """A rectangle of cells, as long as the board allows unless it is told."""

    row: int
    col: int
    height: int
    width: int


class AskBoard(TypedDict, total=False):
    """How to read a board; ``request_id`` is sent as X-Request-ID (by default a new one)."""

    notation: str | None
    flags: Literal["claims", "trust"] | None
    deadline_ms: int | None
    request_id: str | None


class Ask(AskBoard, total=False):
    """How to look at it; rules may stand in place of a board."""

    rules: Sequence[Rule] | None
    total_cells: int | None
    mines: int | None
    backend: str | None


class AskCertified(Ask, total=False):
    """For check and forced."""

    certificate: bool | None


class AskExplain(Ask, total=False):
    """For explain; of rules a cell is a name."""

    cell: Sequence[int] | str | None


class AskRepair(Ask, total=False):
    """For repair."""

    limit: int | None


class AskCount(Ask, total=False):
    """For count and analyze."""

    density: Density | None
    fractions: bool | None


class AskPage(Ask, total=False):
    """Which of many layouts; offsets are integers of any size."""

    offset: int | None
    limit: int | None


class AskLayouts(AskPage, total=False):
    """For layouts."""

    layout: Layout | None
    window: Window | str | None


class AskSample(AskPage, total=False):
    """For sample."""

    seed: int | None
    density: Density | None


class AskStrips(AskBoard, total=False):
    """For strips."""

    window: Required[Window | str]


class AskBatch(TypedDict, total=False):
    """What holds for all lines of a batch that do not say otherwise, and how it is sent.

    ``gzip`` packs both ways; ``summary`` is counted up as the answers come.
    """

    notation: str | None
    flags: Literal["claims", "trust"] | None
    deadline_ms: int | None
    request_id: str | None
    mines: int | None
    backend: str | None
    certificate: bool | None
    cell: Sequence[int] | None
    density: Density | None
    fractions: bool | None
    offset: int | None
    limit: int | None
    window: Window | str | None
    gzip: bool
    summary: Summary | None
