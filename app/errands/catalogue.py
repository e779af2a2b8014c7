"""All errands."""

from typing import Final

from app.errands.boards import BOARDS
from app.errands.circuits import CIRCUITS
from app.errands.export import EXPORT
from app.errands.grade import GRADE
from app.errands.languages import LANGUAGES
from app.errands.paths import PATHS
from app.errands.runs import RUN
from app.errands.solution import SOLUTION
from app.errands.steps import STEP
from app.questions.record import Errand

#: In the order in which people are shown them.
ERRANDS: Final[tuple[Errand, ...]] = (
    *(RUN, PATHS, STEP, LANGUAGES, CIRCUITS),
    *(BOARDS, GRADE, EXPORT, SOLUTION),
)
