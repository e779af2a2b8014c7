"""What can be asked: one record per question, from which all else derives."""

from typing import Final

from app.questions.analyze import ANALYZE
from app.questions.check import CHECK
from app.questions.count import COUNT
from app.questions.explain import EXPLAIN
from app.questions.forced import FORCED
from app.questions.layouts import LAYOUTS
from app.questions.record import Record
from app.questions.repair import REPAIR
from app.questions.sample import SAMPLE
from app.questions.strips import STRIPS

__all__ = ["QUESTIONS", "Record"]

#: All questions, in the order in which people are shown them.
QUESTIONS: Final[tuple[Record, ...]] = (
    CHECK,
    LAYOUTS,
    COUNT,
    FORCED,
    ANALYZE,
    STRIPS,
    SAMPLE,
    EXPLAIN,
    REPAIR,
)
