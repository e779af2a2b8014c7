"""Once warm, nothing is compiled while clients wait."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

#: In a process of its own, which has compiled nothing yet.
SCRIPT = """
import gc, itertools, json, sys
from numba.core.registry import CPUDispatcher
from app.batch import lines
from app.execution.warm import warm
from app.questions.catalogue import QUESTIONS
from app.settings import Settings
from minefield import parse
from solvers import FULL, Backend, Question, Task, answer

def compiled():
    return {
        f"{one.py_func.__module__}.{one.py_func.__name__}": len(one.signatures)
        for one in gc.get_objects() if isinstance(one, CPUDispatcher)
    }

warm()
before = compiled()
boards = ["?1?", "? 1 ?", "?? 1? ??", "?1?? ????", "??? ?2? ???", "1? ?? ?1 ?? ??"]
tasks = [task for task in Task if task is not Task.STRIPS and task is not Task.REPAIR]
for board, task, mines in itertools.product(boards, tasks, (None, 2)):
    for backend in (Backend.AUTO, Backend.AUTOMATA, Backend.FRONTIER):
        if backend is Backend.AUTO or task is not Task.EXPLAIN:
            answer(Question(task, parse(board.split()), mines, backend=backend))
for record in QUESTIONS:
    if not record.batched:
        continue
    asked = [b'{"board": ["?2??", "?2??", "???1"], "mines": 3}', b'"?2??\\\\n?2??\\\\n???1"']
    for told in lines.here(lines.Asked(record, {}, Settings()), asked, 0, FULL):
        assert b'"consistent":true' in told, told
after = compiled()
print(json.dumps({name: count for name, count in after.items() if count > before.get(name, 0)}))
"""


def test_ordinary_questions_find_everything_compiled() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout) == {}
