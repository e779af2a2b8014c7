"""The operation replays: a game that was played in another program, read and reviewed."""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import orjson
from pydantic import BaseModel, Field, WithJsonSchema

from minecheck.app import problems
from minecheck.app.functions.fewest_clicks import (
    AskFewestClicks,
    FewestClicksField,
    answer_fewest_clicks,
)
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.problems import ProblemError
from minecheck.app.questions.fields import DeadlineMs, JsonCell, RequestFields, Rows
from minecheck.app.questions.responses import build_model
from minecheck.app.questions.verdict import Solver
from minecheck.app.quoting import quote_text
from minecheck.minefield import draw
from minecheck.minefield.numerals import format_count
from minecheck.minefield.openings import count_least_clicks
from minecheck.solvers import Backend, Deadline, DeadlinePassed
from minecheck.solvers.documents import render
from minecheck.solvers.findings import Win
from minecheck.solvers.replays.reading import (
    AUTO,
    FORMATS,
    TEXT_FORMATS,
    Replay,
    ReplayError,
    find_format,
    read_replay,
)
from minecheck.solvers.replays.review import ReplayReview, ReviewedClick, draw_moment, review_replay
from minecheck.solvers.tasks.task import Example

_NAME: Final = Backend.PLAY.value
_MOMENT: Final = re.compile(r"(?P<click>[0-9]{1,9})|(?P<seconds>[0-9]{1,9}(\.[0-9]{1,9})?)s")
_INSTALL: Final = "Install minecheck with the extra replays: pip install 'minecheck[replays]'."


#: Files of programs are bytes, which JSON has in Base64.
_FILE: Final = {"type": "string", "minLength": 1, "contentEncoding": "base64"}


class AskReplays(RequestFields):
    """A replay."""

    file: Annotated[str | bytes, WithJsonSchema(_FILE)] = Field(
        description="The file: in JSON its bytes in Base64; or the whole body is the file",
    )
    format: Annotated[str, WithJsonSchema({"type": "string", "enum": [AUTO, *FORMATS]})] = Field(
        default=AUTO, description="The format of the file; auto goes by its first bytes"
    )
    moment: str | None = Field(
        default=None,
        description="Also draw the board at a moment: after so many clicks, such as 12, or after "
        "so many seconds, such as 3.5s",
    )
    fewest_clicks: AskFewestClicks = False
    deadline_ms: DeadlineMs = None


if TYPE_CHECKING:
    _Win: TypeAlias = Any
else:
    _Win = build_model(Win)


class ClickShown(BaseModel):
    """A click of the player."""

    time: float = Field(description="Seconds since the game began")
    kind: Literal["open", "chord", "flag", "unflag"]
    cell: JsonCell
    opened: int = Field(description="Safe cells that it opened")
    lost: bool = Field(description="Whether it opened a mine")


class BetterShown(BaseModel):
    """A cell that was better to open."""

    cell: JsonCell
    mine: float = Field(description="Chance of a mine")


class ReviewedShown(BaseModel):
    """A click that opened something, and what was known before it; null where time was short."""

    click: int = Field(description="The index of the click in `clicks`, from 0")
    board: Rows = Field(description="What was shown before it, without flags")
    cells: list[JsonCell] = Field(
        description="The closed cells that it opened itself, not as neighbours of a 0"
    )
    mine: float | None = Field(
        description="Chance of a mine in any of these; 0 for the first click, which programs keep "
        "free of mines"
    )
    survival: str | None = Field(
        description="The share of layouts without a mine there, as an exact ratio"
    )
    guess: bool | None = Field(description="Whether it might have opened a mine")
    safe: JsonCell | None = Field(
        description="A cell that was proved safe, null if there was none; the first click itself"
    )
    needless: bool | None = Field(description="Whether it was a guess although `safe` was there")
    better: BetterShown | None = Field(
        description="For a guess, a cell that was better to open; null if there was none"
    )
    win: _Win | None = Field(
        description="Chance to win before the click with best play, for guesses and near the end"
    )


class MomentShown(BaseModel):
    """The board at a moment."""

    clicks: int = Field(description="The clicks that had been made")
    board: Rows = Field(description="With the flags, and the mines that were opened as `B`")


class ReplaysAnswer(BaseModel):
    """A replay and its review; null where the time did not suffice."""

    format: str
    program: str | None = Field(description="What wrote the file, as it says")
    player: str | None = Field(description="Name of the player, up to 100 characters")
    country: str | None
    level: str | None = Field(description="beginner, intermediate, expert or custom")
    result: str | None = Field(description="won, lost or unfinished")
    rows: int | None
    cols: int | None
    mines: int | None
    seconds: float | None = Field(description="Time of the game")
    started: str | None = Field(description="By the clock of the player; null if it is not known")
    ended: str | None
    bbbv: int | None = Field(alias="3bv", description="Clicks that open all safe cells")
    layout: Rows | None = Field(description="Numbers on safe cells, `B` on mines")
    clicks: list[ClickShown] | None
    review: list[ReviewedShown] | None = Field(description="Clicks that opened something")
    guesses: int | None = Field(description="How many clicks might have opened a mine")
    needless: int | None = Field(description="How many of them were not needed")
    luck: float | None = Field(
        description="-log10 of the product of the chances that were survived: 1 for one in ten"
    )
    fewest_clicks: FewestClicksField
    moment: MomentShown | None = Field(description="The board at the moment that was asked for")
    solver: Solver


class ReplayInput(NamedTuple):
    """A file, its format, the options of the request, and the most cells of its board."""

    content: bytes
    format: str
    moment: str | None
    fewest_clicks: bool
    most_cells: int


def _make_input(ask: AskReplays, limits: Limits) -> ReplayInput:
    """Return the file of a request.

    Raises:
        ProblemError: it is none, or no replay can be read here.
    """
    if ask.moment is not None and not _MOMENT.fullmatch(ask.moment):
        problems.reject_field(
            "bad-value",
            f"moment: {quote_text(ask.moment)} is not a number of clicks or seconds.",
            "Send a number of clicks, such as 12, or a number of seconds, such as 3.5s.",
            "/moment",
        )
    if ask.format not in (AUTO, *FORMATS):
        problems.reject_field(
            "bad-value",
            f"format: {quote_text(ask.format)} is not a valid value.",
            f"Use one of: {', '.join((AUTO, *FORMATS))}.",
            "/format",
        )
    content = ask.file if isinstance(ask.file, bytes) else _decode_base64(ask.file)
    format = find_format(content) if ask.format == AUTO else ask.format
    if format is None:
        raise _make_unreadable_problem("The file does not look like a replay.")
    if format not in TEXT_FORMATS and find_spec("ms_toollib") is None:
        raise make_missing_reader_problem()
    return ReplayInput(content, format, ask.moment, ask.fewest_clicks, limits.max_cells)


def make_missing_reader_problem() -> ProblemError:
    """Return the problem of a replay where the package that reads it is not installed."""
    return problems.make_field_problem(
        "replays-not-installed",
        "This replay cannot be read: the package ms_toollib is not installed.",
        _INSTALL,
    )


def _decode_base64(text: str) -> bytes:
    try:
        return b64decode("".join(text.split()), validate=True)
    except (Base64Error, ValueError):
        problems.reject_field(
            "bad-value",
            "file: the text is not Base64.",
            "Send the bytes of the file in Base64, or the file itself with Content-Type: "
            "application/octet-stream.",
            "/file",
        )


def _make_unreadable_problem(detail: str) -> ProblemError:
    return problems.make_field_problem(
        "replay-unreadable",
        detail,
        f"Send a whole file in one of the formats {', '.join(FORMATS)}, and name the format if "
        "auto does not recognise it.",
        "/file",
    )


def _answer_replays(request: ReplayInput, deadline: Deadline) -> bytes:
    """Return the replay and its review, as far as there is time.

    Raises:
        ProblemError: the file cannot be read, or has no such moment.
    """
    started = monotonic()
    try:
        replay = read_replay(request.content, request.format, deadline)
    except DeadlinePassed:
        return _partial_answer(request, monotonic() - started)
    except ReplayError as error:
        raise _make_unreadable_problem(
            f"The file cannot be read as a replay of the format {request.format}: {error}."
        ) from None
    cells = replay.layout.mines.size
    problems.require_at_most(
        "file", cells, request.most_cells, format_count(request.most_cells, "cell")
    )
    moment = None if request.moment is None else _render_moment(replay, request.moment)
    review = review_replay(replay, deadline)
    fewest, is_cut_short = answer_fewest_clicks(request.fewest_clicks, replay.layout, deadline)
    shown = _render_replay(replay) | _render_review(review)
    shown |= {"fewest_clicks": fewest, "moment": moment}
    is_complete = review.complete and not is_cut_short
    solver = render.describe_solver(_NAME, is_complete, monotonic() - started)
    return orjson.dumps({"format": request.format, **shown, "solver": solver})


def _partial_answer(request: ReplayInput, elapsed: float) -> bytes:
    unknown = dict.fromkeys(
        field.alias or name for name, field in ReplaysAnswer.model_fields.items()
    )
    solver = render.describe_solver(_NAME, False, elapsed)
    return orjson.dumps({**unknown, "format": request.format, "solver": solver})


def _render_moment(replay: Replay, moment: str) -> dict[str, Any]:
    """Return the board at a moment.

    Raises:
        ProblemError: the game has fewer clicks.
    """
    match = _MOMENT.fullmatch(moment)
    assert match is not None, "looked at before"
    if match["seconds"]:
        clicks = sum(click.time <= float(match["seconds"]) for click in replay.clicks)
    else:
        clicks = int(match["click"])
    if clicks > len(replay.clicks):
        problems.reject_field(
            "bad-value",
            f"moment: the replay has {format_count(len(replay.clicks), 'click')}.",
            f"Send {len(replay.clicks)} or less.",
            "/moment",
        )
    return {"clicks": clicks, "board": draw(draw_moment(replay, clicks))}


def _render_replay(replay: Replay) -> dict[str, Any]:
    rows, cols = replay.layout.mines.shape
    return {
        "program": replay.program,
        "player": replay.player,
        "country": replay.country or None,
        "level": replay.level,
        "result": replay.result,
        "rows": rows,
        "cols": cols,
        "mines": replay.layout.total,
        "seconds": replay.seconds,
        "started": replay.started and replay.started.replace(tzinfo=None).isoformat(),
        "ended": replay.ended and replay.ended.replace(tzinfo=None).isoformat(),
        "3bv": count_least_clicks(replay.layout),
        "layout": replay.layout.rows(),
        "clicks": [
            {
                "time": click.time,
                "kind": click.kind,
                "cell": click.cell,
                "opened": len(click.opened),
                "lost": click.lost,
            }
            for click in replay.clicks
        ],
    }


def _render_review(review: ReplayReview) -> dict[str, Any]:
    return {
        "review": [_render_reviewed(click) for click in review.clicks],
        "guesses": sum(click.is_guess for click in review.clicks) if review.complete else None,
        "needless": sum(click.is_needless for click in review.clicks) if review.complete else None,
        "luck": review.luck,
    }


def _render_reviewed(click: ReviewedClick) -> dict[str, Any]:
    survival, better, win = click.survival, click.better, click.win
    return {
        "click": click.number,
        "board": draw(click.board),
        "cells": click.cells,
        "mine": None if survival is None else float(1 - survival),
        "survival": None if survival is None else str(survival),
        "guess": None if survival is None else click.is_guess,
        "safe": click.safe,
        "needless": None if survival is None else click.is_needless,
        "better": better and {"cell": better.cell, "mine": better.mine},
        "win": win and {"low": win.low, "high": win.high, "exact": win.exact},
    }


#: A game of one click on 3 by 3 cells with one mine, written by ms_toollib.
_EXAMPLE: Final = (
    "BPAAAwMAARAAAAABAAAAAFhYAAZhLdKD4W0ABmEt0oPhbW1pbmVjaGVjawBBbm4AcmFjZQBpZAAAAIAAAAACAAAoACgD"
    "AAAAAAAAAAA="
)
REPLAYS: Final = FunctionOperation(
    name="replays",
    path="/v1/replays",
    tag="formats",
    summary="A replay of another program, read and reviewed",
    description="Which clicks were guesses, which of them were not needed, and how lucky the "
    "player was. All formats but rawvf and msor need the extra replays.",
    request=AskReplays,
    response=ReplaysAnswer,
    make_input=_make_input,
    answer=_answer_replays,
    partial_answer=_partial_answer,
    examples={
        "file": Example(
            {"file": _EXAMPLE},
            {
                "format": "evf",
                "program": "minecheck",
                "player": "Ann",
                "country": "XX",
                "level": "custom",
                "result": "won",
                "rows": 3,
                "cols": 3,
                "mines": 1,
                "seconds": 0.0,
                "started": "2026-11-26T13:21:33.544813",
                "ended": "2026-11-26T13:21:33.544813",
                "3bv": 1,
                "layout": ["B10", "110", "000"],
                "clicks": [
                    {"time": 0.0, "kind": "open", "cell": [2, 2], "opened": 8, "lost": False}
                ],
                "review": [
                    {
                        "click": 0,
                        "board": ["???", "???", "???"],
                        "cells": [[2, 2]],
                        "mine": 0.0,
                        "survival": "1",
                        "guess": False,
                        "safe": [2, 2],
                        "needless": False,
                        "better": None,
                        "win": None,
                    }
                ],
                "guesses": 0,
                "needless": 0,
                "luck": 0.0,
                "fewest_clicks": None,
                "moment": None,
                "solver": {"name": _NAME, "complete": True, "elapsed_ms": 70.1},
            },
        )
    },
)
