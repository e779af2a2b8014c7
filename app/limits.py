"""Limits on requests."""

import sys
from typing import NamedTuple, Protocol


class Limits(Protocol):
    """The limits of a service, from its settings, or `LimitValues`."""

    @property
    def max_cells(self) -> int:
        """The most cells of a board."""

    @property
    def max_layouts(self) -> int:
        """The most layouts, samples or repairs in one answer."""

    @property
    def deadline_ms(self) -> int:
        """Time for a question that does not say how much it may take."""

    @property
    def max_deadline_ms(self) -> int:
        """The most time that a question may take."""


class LimitValues(NamedTuple):
    """Limits that are not from settings: none where there is no value, as commands have it."""

    max_cells: int = sys.maxsize
    max_layouts: int = sys.maxsize
    deadline_ms: int = sys.maxsize
    max_deadline_ms: int = sys.maxsize
