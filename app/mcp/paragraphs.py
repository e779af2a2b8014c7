"""Texts of bounded length: what does not fit is named, with how to ask for it."""

from typing import Final

from minecheck.app.mcp.tool import MOST_TEXT

#: Characters that are kept free for sentences on what was left out.
_RESERVE: Final = 600


class Paragraphs:
    """The paragraphs of an answer, the most important ones first, in `MOST_TEXT` characters."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0

    @property
    def room(self) -> int:
        """The number of characters that still fit."""
        return MOST_TEXT - _RESERVE - self._size

    def add(self, text: str, instead: str = "") -> bool:
        """Add a paragraph, or if it is too long the sentence ``instead``.

        Args:
            text: the paragraph; nothing is added if it is empty.
            instead: what says that it was left out; short, so that it always fits.

        Returns:
            True if the paragraph itself was added.
        """
        fits = len(text) + 2 <= self.room
        paragraph = text if fits else instead
        if paragraph:
            self._parts.append(paragraph)
            self._size += len(paragraph) + 2
        return fits

    def join(self) -> str:
        """Return the text."""
        return "\n\n".join(self._parts)
