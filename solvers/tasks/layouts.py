"""All layouts of a board, by number.

Tested in tests/solvers/test_router.py.
"""

from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, ClassVar, Final

from minecheck.automata import Window
from minecheck.minefield.board import Board
from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import Ge, Number, Only, Text, ValueKind, doc
from minecheck.solvers.answer import PagedAnswer
from minecheck.solvers.budget import TooWide
from minecheck.solvers.composer import Composer
from minecheck.solvers.deadline import DeadlinePassed
from minecheck.solvers.question import PagedQuestion, QuestionError, Steps, check_layout
from minecheck.solvers.tasks.task import EXAMPLE_RULES, Stream, Task, make_example

#: The description of a stream of layouts.
LAYOUT_LINES: Final = (
    "one layout per line, none at all if no layout fits. If cut short, "
    "the last line is an object with `complete` false, `consistent` and `next_offset`"
)


def _find_layouts(composer: "Composer[Layouts, LayoutsAnswer]") -> None:
    """Find layouts from the question's offset on."""
    answer, offset, limit = composer.answer, composer.question.offset, composer.question.limit
    page = answer.layouts = []
    has_more = False
    try:
        for layout in composer.method.iterate_layouts():
            if len(page) == limit:
                has_more = True
                break
            page.append(layout)
    except (DeadlinePassed, TooWide):
        composer.leave_incomplete()
        has_more = True
    answer.next_offset = offset + len(page) if has_more else None
    if not has_more and (page or not offset):
        answer.count = offset + len(page)
    composer.report_progress()


def _find_rank(composer: "Composer[Layouts, LayoutsAnswer]") -> None:
    """Find the number of the question's layout, if it has one."""
    layout = composer.question.layout
    if layout is not None:
        composer.answer.rank = composer.run_in_time(lambda: composer.method.rank(layout))


def list_nothing(composer: "Composer[PagedQuestion, PagedAnswer]") -> None:
    """Record that there are no layouts to list."""
    composer.count_nothing()
    composer.answer.layouts = []


@dataclass(kw_only=True)
class LayoutsAnswer(PagedAnswer):
    """A page of layouts."""

    json_fields: ClassVar = ("count", "offset", "layouts", "next_offset", "rank")

    layouts: Annotated[list[Layout] | None, Text("layout {number}")] = None
    next_offset: Annotated[
        Number | None,
        doc("Where the next page starts; null on the last"),
        Text("more with --offset {}"),
    ] = None
    rank: Annotated[
        Number | None,
        Only(lambda question, answer: question.layout is not None),
        doc("Number of the layout that was asked about: the offset that finds it"),
    ] = None


@dataclass(frozen=True)
class Layouts(PagedQuestion):
    """A board whose layouts are requested."""

    task: ClassVar = "layouts"
    answer_type: ClassVar = LayoutsAnswer
    quick: ClassVar = True
    steps: ClassVar = Steps(
        (_find_layouts, _find_rank, Composer.count_layouts), nothing=(list_nothing,)
    )

    _: KW_ONLY
    limit: Annotated[
        int,
        ValueKind.PAGE,
        Ge(1),
        doc("How many layouts at most; by default 100, in a stream all of them"),
    ] = field(default_factory=lambda: 100)
    layout: Annotated[
        Layout | None,
        doc("A layout to rank, drawn as in answers; not for a stream, which gives no rank"),
    ] = None
    window: Annotated[
        Window | None,
        doc(
            "The part of the board that is laid out, by the clues in it alone: an object, "
            "or row,col,rows,cols in one string"
        ),
    ] = None

    @property
    def cutout(self) -> Window | None:
        """The window that is cut out of the board, None for all of it."""
        return self.window

    @property
    def engine_task(self) -> tuple[str, str]:
        """The task whose engines can answer, and what messages call the question."""
        if self.window is not None:
            return "strips", "layouts of a window"
        if self.layout is not None:
            # Engines that know an order of the layouts draw samples by it, too.
            return "sample", "layouts with a layout to rank"
        return super().engine_task

    def _check_options(self) -> None:
        super()._check_options()
        if self.window is not None:
            if self.mines is not None:
                raise QuestionError("mines", "A total of mines does not apply to a window.")
            if not isinstance(self.board, Board):
                raise QuestionError("window", "Only plane boards have windows.")
        if self.layout is not None:
            if self.window is not None:
                raise QuestionError("layout", "Only layouts of a whole board have a rank.")
            check_layout(self, self.layout)


LAYOUTS: Final = Task(
    question=Layouts,
    summary="All layouts, a page at a time or one per line",
    description="Their order stays the same, so any of them can be found by its number.",
    stream=Stream('["B100"]\n["01B1"]\n', LAYOUT_LINES),
    examples={
        "board": make_example(
            {"board": ["?1??"], "mines": 1},
            "positions",
            "frontier",
            count="2",
            offset="0",
            layouts=[["B100"], ["01B1"]],
            next_offset=None,
        ),
        "rules": make_example(
            {
                **EXAMPLE_RULES,
                "mines": 3,
                "limit": 1,
                "layout": {"mines": ["a", "c", "d"], "others": []},
            },
            "search",
            "frontier",
            count="4",
            offset="0",
            layouts=[{"mines": ["b", "c"], "others": [0]}],
            next_offset="1",
            rank="2",
        ),
    },
)
