"""Layouts drawn at random.

Tested in tests/solvers/test_router.py.
"""

from dataclasses import KW_ONLY, dataclass, field
from random import Random
from typing import Annotated, ClassVar, Final

from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import Ge, JsonName, Number, Repeated, Text, ValueKind, doc
from minecheck.solvers.answer import PagedAnswer
from minecheck.solvers.budget import TooWide
from minecheck.solvers.composer import Composer
from minecheck.solvers.deadline import DeadlinePassed
from minecheck.solvers.question import (
    SEEDS,
    DensityOption,
    PagedQuestion,
    QuestionError,
    Steps,
    check_density,
    fresh_seed,
)
from minecheck.solvers.tasks.layouts import LAYOUT_LINES, list_nothing
from minecheck.solvers.tasks.task import EXAMPLE_RULES, Stream, Task, make_example


def _draw_samples(composer: "Composer[Sample, SampleAnswer]") -> None:
    """Draw samples: number k depends on the seed and on k alone, so that pages fit together."""
    question, answer = composer.question, composer.answer
    drawn = answer.layouts = []
    try:
        for number in range(question.offset, question.offset + question.limit):
            composer.deadline.check()
            drawn.append(composer.method.sample(Random(f"{question.seed:x},{number:x}")))
    except (DeadlinePassed, TooWide):
        composer.leave_incomplete()
    answer.next_offset = question.offset + len(drawn)
    composer.report_progress()


@dataclass(kw_only=True)
class SampleAnswer(PagedAnswer):
    """Layouts drawn at random."""

    json_fields: ClassVar = ("count", "seed", "offset", "layouts", "next_offset")

    count: Annotated[int | None, ValueKind.COUNT, doc("Of all layouts")] = None
    seed: Annotated[Number, Repeated(), Text(""), doc("Send it again for the same samples")] = 0
    layouts: Annotated[
        list[Layout] | None,
        JsonName("samples"),
        Text("sample {number} of seed {seed}"),
        doc("All layouts are equally likely, or weighed by the density"),
    ] = None
    next_offset: Annotated[
        Number | None, Text(""), doc("Where the samples of this seed continue")
    ] = None


@dataclass(frozen=True)
class Sample(PagedQuestion):
    """A board whose layouts are drawn at random."""

    task: ClassVar = "sample"
    answer_type: ClassVar = SampleAnswer
    quick: ClassVar = True
    steps: ClassVar = Steps((_draw_samples, Composer.count_layouts), nothing=(list_nothing,))

    _: KW_ONLY
    limit: Annotated[int, ValueKind.PAGE, Ge(1), doc("How many layouts to draw")] = 1
    seed: Annotated[
        int,
        ValueKind.SEED,
        doc(
            "Where random draws begin, as an integer or a string of digits: the same seed "
            "gives the same result; by default a new one"
        ),
    ] = field(default_factory=fresh_seed)
    density: DensityOption | None = None

    def _check_options(self) -> None:
        super()._check_options()
        if not 0 <= self.seed < SEEDS:
            raise QuestionError("seed", f"A seed lies between 0 and {SEEDS - 1}.")
        check_density(self.density, self.mines)


SAMPLE: Final = Task(
    question=Sample,
    summary="Layouts drawn at random, uniformly or with a density",
    description="The same seed draws the same layouts again.",
    batched=False,
    # A missing seed requests a fresh one.
    kept=False,
    stream=Stream('["B100"]\n["01B1"]\n', LAYOUT_LINES, endless=True),
    examples={
        "board": make_example(
            {"board": ["?1??"], "mines": 1, "limit": 2, "seed": 7},
            "positions",
            "frontier",
            count="2",
            seed="7",
            offset="0",
            samples=[["B100"], ["01B1"]],
            next_offset="2",
        ),
        "rules": make_example(
            {**EXAMPLE_RULES, "density": 0.2, "seed": 7},
            "search",
            "frontier",
            count="8",
            seed="7",
            offset="0",
            samples=[{"mines": ["b", "c"], "others": []}],
            next_offset="1",
        ),
    },
)
