"""Layouts drawn at random."""

from functools import partial
from typing import Any, Final

from pydantic import Field

from app.answers import parts
from app.answers.cells import OnBoard
from app.limits import Limits
from app.questions.fields import DENSITY, AskPage, Density, Seed
from app.questions.layouts import LAYOUT_LINES, limit_of
from app.questions.record import Record, Stream, example
from app.questions.verdict import AnyAnswer, Count, Layout
from minefield import Puzzle
from solvers import Answer, Question, Task, fresh_seed


class AskSample(AskPage):
    """A board whose layouts are drawn at random."""

    limit: int = Field(default=1, ge=1, description="How many layouts are wanted")
    seed: Seed = None
    density: Density = DENSITY


class SampleAnswer(AnyAnswer):
    """Layouts drawn at random."""

    count: Count | None = Field(description="Of all layouts")
    seed: str = Field(pattern=r"^[0-9]+$", description="Send it again for the same samples")
    offset: Count
    samples: list[Layout] | None = Field(
        description="All layouts are equally likely, or weighed by the density"
    )
    next_offset: Count | None = Field(description="Where the samples of this seed continue")


def _question(ask: AskSample, board: Puzzle, limits: Limits, stream: bool) -> Question:
    return Question(
        Task.SAMPLE,
        board,
        ask.mines,
        ask.density,
        ask.backend,
        offset=ask.offset,
        limit=limit_of(ask, board, limits, stream),
        seed=fresh_seed() if ask.seed is None else ask.seed,
    )


def _seed(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    return {"seed": str(question.seed)}


SAMPLE: Final = Record(
    name="sample",
    summary="Layouts drawn at random, uniformly or with a density",
    asked=AskSample,
    answered=SampleAnswer,
    question=_question,
    parts=(parts.count, _seed, partial(parts.page, "samples")),
    batched=False,
    # Who names no seed wants fresh ones.
    kept=False,
    stream=Stream('["B100"]\n["01B1"]\n', LAYOUT_LINES, endless=True),
    examples={
        "board": example(
            {"board": ["?1??"], "mines": 1, "limit": 2, "seed": 7},
            "frontier",
            count="2",
            seed="7",
            offset="0",
            samples=[["B100"], ["01B1"]],
            next_offset="2",
        ),
        "rules": example(
            {
                "rules": [
                    {"cells": ["a", "b"], "mines": 1},
                    {"cells": ["b", "c", "d"], "low": 2, "high": 3},
                ],
                "total_cells": 5,
                "density": 0.2,
                "seed": 7,
            },
            "search+frontier",
            count="8",
            seed="7",
            offset="0",
            samples=[{"mines": ["b", "c"], "others": []}],
            next_offset="1",
        ),
    },
)
