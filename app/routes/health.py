"""The routes for operators: is the service alive, and ready?"""

from typing import Final, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel

from minecheck.app import problems

router: Final = APIRouter(tags=["operations"])


class Health(BaseModel):
    """State of the service."""

    status: Literal["ok"]


@router.get("/healthz", summary="Is the process alive?")
async def healthz() -> Health:
    """Return 200 as long as the service answers at all."""
    return Health(status="ok")


@router.get(
    "/readyz",
    summary="Can it answer questions?",
    responses=problems.problem_responses(503),
)
async def readyz(request: Request) -> Health:
    """Return the readiness of workers, and the progress of compiling."""
    state = request.app.state
    if not (state.ready and state.workers.there):
        raise problems.not_ready(state.compiling)
    return Health(status="ok")
