"""Every question, backend and option answers boards without unknown cells."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Final

import orjson
import pytest

from minecheck.app.batch import lines
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.catalogue import QUESTIONS
from minecheck.app.settings import Settings
from minecheck.app.telemetry.faults import Fault
from minecheck.minefield import parse
from minecheck.solvers import FULL, Backend
from minecheck.solvers.backend import list_backends
from tests import oracle
from tests.batch_lines import number_lines
from tests.tasks import REASONED, Task

#: Boards of one, two and more rows; of mines, of clues, of safe cells; one too wide for automata.
BOARDS: Final = (
    *(["0"], ["1"], ["B"], ["S"], ["1B"], ["B", "S"], ["00", "00"], ["1B", "11"], ["SS", "SB"]),
    *(["BBB", "B8B", "BBB"], ["2B1", "B31", "111"], ["F"], ["0" * 14] * 14),
)
SETTINGS: Final = Settings()
#: Values of the options that questions have; None leaves one out.
VALUES: Final[Mapping[str, tuple[Any, ...]]] = {
    "mines": (None, 0, 1),
    "density": (None, "1/3"),
    "fractions": (None, True),
    "certificate": (None, True),
    "by_mines": (None, True),
    "flags": (None, "trust"),
    "cell": (None, [0, 0]),
    "limit": (None, 1),
    "window": (None, {"row": 0, "col": 0, "height": 1, "width": 1}),
    "keep": (None, "layout", "solvable"),
    "topology": (None, "torus", "hexagons"),
}


def requests(name: str, fields: Mapping[str, object]) -> Iterator[dict[str, Any]]:
    """Yield each board with each combination of the options that a question has."""
    options = [option for option in VALUES if option in fields]
    # External counters are left out: to start their processes for all of this takes minutes.
    backends = [one for one in list_backends(name) if one not in (Backend.GANAK, Backend.APPROXMC)]
    if name in REASONED:
        backends = [Backend.AUTO]
    # Other topologies are tried on small boards only, with one more option at most.
    for rows, *values in product(BOARDS, *(VALUES[option] for option in options)):
        given = {o: v for o, v in zip(options, values, strict=True) if v is not None}
        if "topology" in given and (len(given) > 2 or len(rows) > 3):
            continue
        for backend in backends:
            yield {
                "board": rows,
                **given,
                **({} if backend is Backend.AUTO else {"backend": backend}),
            }


@pytest.mark.slow
@pytest.mark.parametrize("operation", QUESTIONS, ids=lambda operation: operation.name)
def test_every_backend_and_option_answers_boards_without_unknown_cells(
    operation: Any,
) -> None:
    template = LineTemplate(operation, {}, SETTINGS)
    judged = 0
    for fields in requests(operation.name, operation.request.model_fields):
        faults: list[Fault] = []
        (line,) = lines.answer_unbounded(
            template, number_lines([orjson.dumps(fields)]), FULL, faults.append
        )
        assert faults == [], fields
        answer = orjson.loads(line)
        if "consistent" not in answer:
            assert answer["status"] == 422, fields
            continue
        judged += 1
        if "topology" in fields or fields["board"] == ["F"] or "window" in fields:
            continue
        right = oracle.answer(parse(fields["board"]), fields.get("mines"))
        assert answer["consistent"] is right.consistent, fields
        if answer.get("count") is not None:
            assert answer["count"] == str(right.count), fields
        if answer.get("probabilities") and right.consistent:
            assert all(one is None for row in answer["probabilities"] for one in row), fields
    assert judged > len(BOARDS)


def test_analysis_with_fractions_of_board_without_unknown_cells_has_no_chances() -> None:
    # This request was once answered with 500.
    fields = {"board": ["0"], "mines": 0, "fractions": True, "backend": "automata"}
    operation = next(one for one in QUESTIONS if one.name == Task.ANALYZE)
    (line,) = lines.answer_unbounded(
        LineTemplate(operation, {}, SETTINGS),
        number_lines([orjson.dumps(fields)]),
        FULL,
        lambda fault: None,
    )
    answer = orjson.loads(line)
    assert (answer["consistent"], answer["count"], answer["safest"]) == (True, "1", [])
    assert answer["probabilities"] == [[None]]
