"""Batches on Ray nodes of this machine, against the batch of as many processes without Ray.

Stuck expert positions. The nodes have been started, and have answered a first batch: what that
takes is measured apart. The peer starts its processes anew in each round, as it does for its users.
"""

import json
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.positions import stuck
from benchmarks.timing import alternate, reached, seconds
from minecheck.app.batch import files, ray_engine
from minecheck.app.batch.inputs import InputOptions
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.outputs import find_output
from minecheck.app.questions import QuestionOperation, find_question
from minecheck.app.settings import Settings
from minecheck.minefield import draw

_LINES = 100_000
_ROUNDS = 5
_PROCESSES = 2
_GOAL = 0.8


def run() -> None:
    """Boards a second with Ray and without, and what nodes take to start."""
    started = perf_counter()
    with tempfile.TemporaryDirectory() as name, ray_engine.connect(None, _PROCESSES):
        print(f"  nodes started in {perf_counter() - started:.1f} s", flush=True)
        folder = Path(name)
        boards = folder / "boards.ndjson"
        lines = [json.dumps({"board": draw(one), "mines": 99}) for one in stuck(16, 30, 99, 200)]
        boards.write_text("".join(f"{lines[k % len(lines)]}\n" for k in range(_LINES)))
        for operation in map(find_question, ("count", "check")):
            _compare(boards, folder, operation)


def _compare(boards: Path, folder: Path, operation: QuestionOperation) -> None:
    options = InputOptions(LineTemplate(operation, {}, Settings()))

    def answer(name: str, engine: files.LineEngine) -> None:
        output = find_output(folder / f"{name}.ndjson")
        files.answer_files([boards], output, options, overwrite=True, engine=engine)

    def ours() -> None:
        answer("ray", engine=ray_engine.answer_lines)

    def theirs() -> None:
        answer("local", engine=files.make_local_engine(_PROCESSES))

    first = seconds(ours)
    pairs = alternate(ours, theirs, _ROUNDS)
    ratios = sorted(alone / ray for ray, alone in pairs)
    print(
        f"  {operation.name}: {_LINES / median(ray for ray, _ in pairs):.0f} boards/s with Ray, "
        f"{_LINES / median(alone for _, alone in pairs):.0f} without, ratio {median(ratios):.2f} "
        f"({ratios[0]:.2f}..{ratios[-1]:.2f}, {_ROUNDS} rounds){reached(median(ratios), _GOAL)}; "
        f"the first batch took {first:.1f} s",
        flush=True,
    )
