"""Evaluation tasks: their answers, judged by every layout of small boards."""

import numpy as np
import pytest

from minecheck.minefield import parse
from minecheck.minefield.board import UNKNOWN, Board
from minecheck.solvers.datasets.labels import DatasetOptions, label_games
from minecheck.solvers.datasets.tasks import EvaluationTask, TaskKind, make_task, make_tasks
from minecheck.solvers.environment.dealing import DealtBoards
from minecheck.solvers.games.generator import Guarantee
from tests import oracle

KIND = DealtBoards(4, 4, 4, Guarantee.RANDOM)


@pytest.fixture(scope="module")
def tasks() -> list[EvaluationTask]:
    found = label_games(DatasetOptions(KIND), range(40))
    boards = [Board(cells.reshape(4, 4)) for cells in found.cells]
    positions = [(board, 4, key) for board, key in zip(boards, found.keys, strict=True)]
    made = [
        make_task(kind, *position, "trivial")
        for kind in TaskKind
        for position in positions[:: len(positions) // 30]
    ]
    return [task for task in made if task is not None]


def answer_by_oracle(task: EvaluationTask) -> oracle.Answer:
    return oracle.answer(parse(task.board), task.mines)


def choose(tasks: list[EvaluationTask], kind: TaskKind) -> list[EvaluationTask]:
    chosen = [task for task in tasks if task.kind == kind]
    assert len(chosen) > 5
    return chosen


def test_consistency_tasks_have_right_verdicts_of_both_kinds(tasks: list[EvaluationTask]) -> None:
    chosen = choose(tasks, TaskKind.CONSISTENCY)
    assert {task.answer for task in chosen} == {"yes", "no"}
    for task in chosen:
        assert (task.answer == "yes") == answer_by_oracle(task).consistent
        assert task.prompt.endswith("ANSWER: yes or no")


def test_forced_tasks_name_all_forced_safe_cells(tasks: list[EvaluationTask]) -> None:
    for task in choose(tasks, TaskKind.FORCED):
        cells = sorted(answer_by_oracle(task).forced_safe)
        assert task.answer == ("; ".join(f"{row},{col}" for row, col in cells) or "none")


def test_count_tasks_have_the_number_of_layouts(tasks: list[EvaluationTask]) -> None:
    for task in choose(tasks, TaskKind.COUNT):
        assert int(task.answer) == answer_by_oracle(task).count


def test_chance_tasks_have_the_shares_of_layouts(tasks: list[EvaluationTask]) -> None:
    for task in choose(tasks, TaskKind.CHANCE):
        words = task.prompt.split("a mine at row ")[1]
        row, col = int(words[0]), int(words.split("column ")[1][0])
        layouts = answer_by_oracle(task).layouts
        hits = sum((row, col) in layout for layout in layouts)
        assert float(task.answer) == pytest.approx(hits / len(layouts))


def test_move_tasks_name_the_safest_cells(tasks: list[EvaluationTask]) -> None:
    for task in choose(tasks, TaskKind.MOVE):
        layouts = answer_by_oracle(task).layouts
        hidden = np.argwhere(parse(task.board).cells == UNKNOWN).tolist()
        hits = {(row, col): sum((row, col) in one for one in layouts) for row, col in hidden}
        safest = [cell for cell, many in hits.items() if many == min(hits.values())]
        assert task.answer == "; ".join(f"{row},{col}" for row, col in safest)


def test_make_tasks_makes_the_given_number_of_each_kind_and_difficulty() -> None:
    found = label_games(DatasetOptions(KIND), range(30))
    boards = [Board(cells.reshape(4, 4)) for cells in found.cells]
    by_key = dict(zip(found.keys, boards, strict=True))
    positions = [(board, 4, key) for key, board in by_key.items()]
    made = list(make_tasks(positions, 2))
    kinds = [(task.kind, task.difficulty) for task in made]
    assert max(map(kinds.count, kinds)) == 2
    assert {kind for kind, _ in kinds} == set(TaskKind)
    assert len({(task.kind, task.key) for task in made}) == len(made)
    assert made == list(make_tasks(positions, 2))
