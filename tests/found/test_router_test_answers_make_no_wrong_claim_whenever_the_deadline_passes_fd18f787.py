"""An example that once falsified `tests.solvers.test_router.test_answers_make_no_wrong_claim_whenever_the_deadline_passes`."""

# ruff: noqa: E501
import numpy

import minecheck.minefield.board
import minecheck.solvers.backend
import tests.solvers.test_router
import tests.tasks
from tests.found.replaying import replay


def test_router_test_answers_make_no_wrong_claim_whenever_the_deadline_passes() -> None:
    replay(
        tests.solvers.test_router.test_answers_make_no_wrong_claim_whenever_the_deadline_passes,
        question=(
            minecheck.minefield.board.Board(cells=numpy.array([[9]], "int8").reshape((1, 1))),
            None,
            minecheck.solvers.backend.Backend.CPSAT,
        ),
        task=tests.tasks.Task.CHECK,
        looks=1,
    )
