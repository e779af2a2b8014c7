"""Limits on requests."""

from typing import Protocol


class Limits(Protocol):
    """The limits of a service, from its settings; commands have none."""

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
