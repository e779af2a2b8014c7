"""The option and the field ``fewest_clicks``, which answers about whole maps share."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field

from minecheck.app.questions.fields import JsonCell
from minecheck.minefield.layout import Layout
from minecheck.solvers import Deadline, DeadlinePassed
from minecheck.solvers.games.fewest_clicks import find_fewest_clicks

AskFewestClicks: TypeAlias = Annotated[
    bool,
    Field(
        description="Also look for the fewest clicks that open the map, with flags and chords: for "
        "a minute at most"
    ),
]


class PlannedClickShown(BaseModel):
    """A click of a plan."""

    kind: Literal["open", "flag", "chord"]
    cell: JsonCell


class FewestClicksShown(BaseModel):
    """The fewest clicks that open the map, with flags and chords."""

    low: int = Field(description="It is proved that no plan has fewer")
    high: int = Field(description="Clicks of the plan")
    exact: bool = Field(description="Whether the two are equal, so that no plan is shorter")
    zini: int = Field(description="Clicks of the greedy estimate ZiNi, the best of 8 directions")
    human_zini: int = Field(description="Clicks of Human ZiNi, which opens all openings first")
    plan: list[PlannedClickShown]


FewestClicksField: TypeAlias = Annotated[
    FewestClicksShown | None,
    Field(description="If asked for: the fewest clicks that open the map, with flags and chords"),
]


def answer_fewest_clicks(
    is_asked: bool, layout: Layout, deadline: Deadline
) -> tuple[dict[str, Any] | None, bool]:
    """Return the field ``fewest_clicks`` of an answer, and whether more time would tell more."""
    if not is_asked:
        return None, False
    try:
        found = find_fewest_clicks(layout, deadline)
    except DeadlinePassed:
        return None, True
    fields = {
        "low": found.low,
        "high": len(found.plan),
        "exact": found.exact,
        "zini": found.zini,
        "human_zini": found.human_zini,
        "plan": [click._asdict() for click in found.plan],
    }
    return fields, not found.exact
