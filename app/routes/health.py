"""The routes for operators: is the service alive, and ready?"""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from minecheck.app import problem_responses, problems
from minecheck.app.execution.compilation import Compilation
from minecheck.minefield.kernel_mode import MODE, Mode

router: Final = APIRouter(tags=["operations"])


class Health(BaseModel):
    """State of the service."""

    status: Literal["ok"]


class Readiness(Health):
    """State of a service that answers questions."""

    kernels: Annotated[
        Mode,
        Field(
            description="How inner loops run. On a new machine it is `python` until they are "
            "compiled: small boards are answered, slowly, and all else is rejected with 503 and "
            "Retry-After."
        ),
    ]
    seconds_left: Annotated[
        int | None,
        Field(description="About how many seconds compiling will take; null if it is done."),
    ]


@router.get("/healthz", summary="Is the process alive?")
async def healthz() -> Health:
    """Return 200 as long as the service answers at all."""
    return Health(status="ok")


@router.get(
    "/readyz",
    summary="Can it answer questions?",
    responses=problem_responses.problem_responses(503),
)
async def readyz(request: Request) -> Readiness:
    """Return the readiness of workers, and the progress of compiling."""
    state = request.app.state
    compiling: Compilation | None = state.compiling
    if not (state.ready and state.workers.there):
        if compiling is None:
            raise problems.make_unready_problem()
        raise problems.make_unready_problem(
            (compiling.done, compiling.whole), compiling.seconds_left()
        )
    return Readiness(
        status="ok",
        kernels=MODE,
        seconds_left=None if compiling is None else compiling.seconds_left(),
    )
