"""What has been found out about a question that more effort is needed for."""

from dataclasses import dataclass

from solvers.answer import Answer
from solvers.search.core import Core


@dataclass(slots=True)
class Progress:
    """How far an answer has got, for whatever goes on with it, perhaps in another process.

    Attributes:
        answer: what is known, elapsed time included; None before the verdict.
        steps: how many steps of the composer are done, the verdict being the first.
        core: clues that cannot hold together, as few as are known.
        no_position: whether the board is known not to be an ordinary position.
    """

    answer: Answer | None = None
    steps: int = 0
    core: Core | None = None
    no_position: bool = False
