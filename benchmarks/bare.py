"""Endpoints that parse a board and answer nothing, or something made ready before."""

import os
from pathlib import Path

from fastapi import FastAPI, Response
from pydantic import BaseModel


class CheckRequest(BaseModel):
    """The body of a question."""

    board: list[str]
    mines: int


def create() -> FastAPI:
    """The app; it sends back the file that the variable READY names."""
    app = FastAPI()
    answer = Path(os.environ["READY"]).read_bytes()

    @app.post("/nothing")
    async def nothing(request: CheckRequest) -> dict[str, bool]:
        return {"consistent": True}

    @app.post("/ready")
    async def ready(request: CheckRequest) -> Response:
        return Response(answer, media_type="application/json")

    return app
