"""All questions."""

from typing import Final

from app.questions import NAMES, Record, named

#: In the order in which people are shown them.
QUESTIONS: Final[tuple[Record, ...]] = tuple(map(named, NAMES))
