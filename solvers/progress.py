"""The facts found about a question that needs more effort.

Tested in tests/solvers/test_router.py and tests/app/execution/test_ladder.py.
"""

from dataclasses import dataclass, field
from typing import Any

from minecheck.minefield.reduction.constraints import Constraints
from minecheck.solvers.answer import Answer
from minecheck.solvers.positions.solve import Position
from minecheck.solvers.search.core import Core


@dataclass(slots=True)
class Progress:
    """The state of an unfinished answer, for the effort that continues, perhaps elsewhere.

    Attributes:
        answer: what is known, elapsed time included; None before the verdict.
        steps: how many steps of the composer are done, the verdict being the first.
        constraints: the clues, with what was made of them; None if nothing was.
        rest: the same of what is left of the board where some components are answered apart.
        core: clues that cannot hold together, as few as are known.
        cases: what is known of why cells are forced, as `solvers.reasons.explain` has it.
        looked: whether it is known if the board is a position.
        position: all that is known of it then, perhaps without some components; None if it is none.
            Only questions that `position_answers.may_answer` takes have one.
    """

    answer: Answer | None = None
    steps: int = 0
    constraints: Constraints | None = None
    rest: Constraints | None = None
    core: Core | None = None
    cases: list[Any] = field(default_factory=list)
    looked: bool = False
    position: Position | None = None
