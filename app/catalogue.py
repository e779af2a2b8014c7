"""The registry of operations: what is in it is there wherever people ask."""

from typing import Final

from minecheck.app import functions, questions
from minecheck.app.operation import Operation
from minecheck.app.questions import QuestionOperation

#: All questions, in the order in which people are shown them.
QUESTIONS: Final[tuple[QuestionOperation, ...]] = tuple(
    map(questions.find_question, questions.NAMES)
)
#: All operations, in this order.
OPERATIONS: Final[tuple[Operation, ...]] = (
    *QUESTIONS,
    *map(functions.find_function, functions.NAMES),
)
