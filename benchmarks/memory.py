"""The memory that the service holds at rest after large requests.

Rounds of boards with a million cells, of long answers and of a batch, eight at a time, as much as a
client may send. After each, at rest, the memory of every process is noted, as by `endurance`, and
the most that the serving process had so far. At the start it is noted as well, in bytes that each
process has for itself and in bytes that it shares: what docker-compose.yml has to allow.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import httpx2
import numpy as np

from benchmarks.endurance import memory_of
from minecheck.app.execution.states import list_children
from minecheck.minefield import UNKNOWN, Board, Layout, draw
from tests.app.serving import Server, serving

_ROUNDS = 3
_AT_ONCE = 8
#: Seconds after which what is free has been given back.
_REST = 4.0
_MB = 1 << 20


def run() -> None:
    """Print the memory at the start and after each round."""
    bodies = _bodies()
    with serving({"MINECHECK_CACHE_MB": "2"}, cli=True) as server:
        sleep(_REST)
        _print_parts(server)
        print(f"  at the start: {_told(server)}", flush=True)
        for number in range(_ROUNDS):
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                answers = list(pool.map(lambda body: _status(server, *body), bodies))
            assert set(answers) <= {200, 422, 503}, answers
            assert server.at_rest()
            sleep(_REST)
            print(f"  after round {number + 1}: {_told(server)}", flush=True)


def _bodies() -> list[tuple[str, bytes, str]]:
    rng = np.random.default_rng(1)
    layout = Layout(rng.random((1000, 1000)) < 0.15)
    seen = (rng.random((1000, 1000)) < 0.3) & ~layout.mines
    large = draw(Board(np.where(seen, layout.count_neighbours(), np.int8(UNKNOWN))))
    small = draw(Board(np.full((16, 30), UNKNOWN, np.int8)))
    questions: list[tuple[str, dict[str, Any]]] = [
        *((task, {"board": large, "deadline_ms": 3000}) for task in ("check", "count", "analyze")),
        ("forced", {"board": [[*row] for row in large], "deadline_ms": 3000}),
        ("layouts", {"board": small, "limit": 5000}),
        ("sample", {"board": small, "limit": 5000}),
    ]
    found = [
        (f"/v1/{task}", json.dumps(one).encode(), "application/json") for task, one in questions
    ]
    lines = (json.dumps(small) + "\n").encode() * 20_000
    return [*found, ("/v1/batch?task=analyze", lines, "application/x-ndjson")] * 2


def _status(server: Server, path: str, body: bytes, kind: str) -> int:
    headers = {"Content-Type": kind}
    answer = httpx2.post(server.url + path, content=body, headers=headers, timeout=300.0)
    return answer.status_code


def _told(server: Server) -> str:
    sizes = ", ".join(f"{role} {size / _MB:.0f} MB" for role, size in memory_of(server).items())
    most = _lines(server.process.pid, "status")["VmHWM"] / _MB
    return f"{sizes}; the serving process had at most {most:.0f} MB"


def _print_parts(server: Server) -> None:
    """Print what processes have for themselves and what they share."""
    serving_process = server.process.pid
    for child in (serving_process, *list_children(serving_process)):
        for pid in (child, *(list_children(child) if child != serving_process else ())):
            sizes = _lines(pid, "smaps_rollup")
            own = sizes["Private_Dirty"] + sizes["Private_Clean"]
            print(
                f"  process {pid}: PSS {sizes['Pss'] / _MB:.0f} MB, its own {own / _MB:.0f} MB, "
                f"resident {sizes['Rss'] / _MB:.0f} MB",
                flush=True,
            )


def _lines(pid: int, name: str) -> dict[str, int]:
    """Return the sizes in bytes that a file of /proc lists for a process, by name."""
    lines = Path(f"/proc/{pid}/{name}").read_text().splitlines()
    fields = [line.split() for line in lines]
    return {one[0].rstrip(":"): int(one[1]) << 10 for one in fields if one[-1] == "kB"}
