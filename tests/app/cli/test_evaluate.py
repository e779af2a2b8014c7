"""`minecheck evaluate` plays games with programs, correct and faulty ones."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from math import comb
from pathlib import Path
from threading import Thread
from typing import Any

import orjson
import pytest

from minecheck.app.cli.evaluate import bound_chance
from minecheck.app.cli.player_process import ProcessPlayer, format_position
from minecheck.minefield.notation import parse
from minecheck.solvers.games.evaluation import GameEnd, GameResult, evaluate_games
from minecheck.solvers.games.generator import Guarantee
from minecheck.solvers.games.players import make_player
from minecheck.solvers.games.series import Series
from minecheck.solvers.games.strategy import Strategy
from tests.app.cli.running import one_line, run
from tests.processes import ROOT, are_gone_soon

SERIES = Series(9, 9, 10, Guarantee.OPENING, (3, 3), Strategy.SAFEST)
BOARD = parse(["?1?", "???"])
#: Seconds that are enough for any answer, and that no test waits for.
LONG = 60.0

#: The rest of a player, given how it answers ``rows`` with ``size``, as text.
PLAYER = """
import os, sys, time
def first(rows):
    return next((r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == "?")
for size in sys.stdin:
    rows = sys.stdin.readline().strip().split("/")
    {answer}
"""
FIRST = "print(*first(rows), flush=True)"


def command(answer: str) -> list[str]:
    return [sys.executable, "-c", PLAYER.replace("{answer}", answer)]


def outcomes(words: list[str], seconds: float = LONG, games: int = 2) -> list[GameEnd]:
    with ProcessPlayer(words, seconds) as player:
        return [one.outcome for one in evaluate_games(SERIES, range(games), player)]


def results_of(words: list[str]) -> list[GameResult]:
    with ProcessPlayer(words, LONG) as player:
        return evaluate_games(SERIES, range(3), player)


def test_position_for_player_is_two_lines() -> None:
    assert format_position(BOARD, 1) == b"2 3 1\n?1?/???\n"


def test_external_player_plays_as_equal_player_in_process() -> None:
    class First:
        def begin_game(self) -> None:
            pass

        def choose_cell(self, board: Any, mines: int) -> tuple[int, int]:
            row, col = divmod(int(board.unknown.argmax()), board.width)
            return row, col

    def facts(results: list[GameResult]) -> list[tuple[Any, ...]]:
        return [(one.outcome, one.moves, one.guesses, one.thrown) for one in results]

    assert facts(results_of(command(FIRST))) == facts(evaluate_games(SERIES, range(3), First()))


@pytest.mark.parametrize(
    "answer",
    [
        'print("3 3", flush=True)',  # open already
        'print("-1 0", flush=True)',
        'print("9 0", flush=True)',
        'print("99999999999999999999 0", flush=True)',
        'print("a1", flush=True)',
        'print("", flush=True)',
        'print("0 0 0", flush=True)',
        'print("0 0\\n0 1", flush=True)',
        'print("\\N{SNOWMAN}", flush=True)',
        'os.write(1, b"\\x00" * 5000)',
        'os.write(1, b"x" * 2000 + b"\\n")',
    ],
    ids=str,
)
def test_invalid_output_of_player_is_illegal_move(answer: str) -> None:
    assert outcomes(command(answer)) == [GameEnd.ILLEGAL] * 2


def test_output_of_player_before_its_first_position_is_illegal_move() -> None:
    chatty = "print('hello', flush=True)\n" + PLAYER.replace("{answer}", FIRST)
    with ProcessPlayer([sys.executable, "-c", chatty], LONG) as player:
        player.begin_game()
        process = player._process
        assert process is not None
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), True)
        # The position is sent only after the player has printed its greeting.
        import select

        assert select.select([process.stdout], [], [], LONG)[0]
        os.set_blocking(process.stdout.fileno(), False)
        (found,) = evaluate_games(SERIES, [0], player)
    assert found.outcome is GameEnd.ILLEGAL


@pytest.mark.parametrize(
    "words",
    [
        [sys.executable, "-c", "import sys; sys.exit(1)"],
        [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"],
        ["/nonexistent/program"],
        command("sys.exit(0)"),
    ],
    ids=str,
)
def test_evaluation_counts_a_player_whose_program_ends_as_died(words: list[str]) -> None:
    assert outcomes(words, games=6) == [GameEnd.DIED] * 6


@pytest.mark.parametrize(
    "answer",
    ["time.sleep(1000)", 'os.write(1, b"0"); time.sleep(1000)', "os.close(0); time.sleep(1000)"],
)
def test_player_that_hangs_is_late_in_every_game(answer: str) -> None:
    assert outcomes(command(answer), 0.05, games=6) == [GameEnd.LATE] * 6


def test_player_that_does_not_read_is_late() -> None:
    large = Series(400, 400, 20_000, Guarantee.RANDOM, (0, 0), Strategy.SAFEST)
    with ProcessPlayer([sys.executable, "-c", "import time; time.sleep(1000)"], 0.05) as player:
        (found,) = evaluate_games(large, [0], player)
    assert found.outcome is GameEnd.LATE


def test_player_that_dies_once_loses_one_game(tmp_path: Path) -> None:
    # The player dies once, and leaves a file that tells it so.
    mark = tmp_path / "died"
    answer = f"open({str(mark)!r}, 'x') and sys.exit(1) if not os.path.exists({str(mark)!r}) else 0"
    found = outcomes(command(f"{answer}\n    {FIRST}"), games=3)
    assert found[0] is GameEnd.DIED
    assert set(found[1:]) <= {GameEnd.MINE, GameEnd.WON}


def test_bound_chance_bounds_chances_of_few_mines() -> None:
    # The chance of at most k heads among n coins.
    for n in range(1, 30):
        for k in range(n + 1):
            chance = sum(comb(n, heads) for heads in range(k + 1)) / 2**n
            assert bound_chance(k, n / 2) >= chance
    assert bound_chance(0, 50.0) < 1e-20


def test_evaluate_command_warns_of_a_player_that_knows_the_boards() -> None:
    # It opens cells in any order, and never a mine.
    answer = (
        "from minecheck.solvers.games.generator import Guarantee; "
        "from minecheck.solvers.games.strategy import Strategy; "
        "from minecheck.solvers.games.series import Series; "
        "series = Series(9, 9, 20, Guarantee.OPENING, (3, 3), Strategy.SAFEST); "
        "games = globals().setdefault('games', [series.deal_game(n) for n in range(10)]); "
        "shown = [(r, c) for r in range(9) for c in range(9) if rows[r][c] != '?']; "
        "fits = [g for g in games if all(str(g.codes[at]) == rows[at[0]][at[1]] for at in shown)]; "
        "mines = fits[0].layout.mines; "
        "print(*next((r, c) for r in range(8, -1, -1) for c in range(8, -1, -1) "
        "if rows[r][c] == '?' and not mines[r, c]), flush=True)"
    )
    found = run("evaluate", shlex.join(command(answer)), "--games", "10", "--board", "9x9/20")
    assert found.exit_code == 0, found.stderr
    assert "   10   10  100.0%" in found.stdout
    assert "the player may know the boards" in found.stderr
    assert "may know" not in run("evaluate", "safest", "--games", "10", "--board", "9x9/10").stderr


@pytest.mark.slow
@pytest.mark.parametrize("place", ["", "process_group=0", "start_new_session=True"])
def test_child_processes_of_player_end_with_player(tmp_path: Path, place: str) -> None:
    if place and sys.platform != "linux":
        pytest.skip("only Linux lists processes in /proc")
    note = tmp_path / "pids"
    answer = (
        f"import subprocess; child = subprocess.Popen(['sleep', '1000'], {place}); "
        f"open({str(note)!r}, 'a').write(f'{{child.pid}} {{os.getpid()}} '); time.sleep(1000)"
    )
    with ProcessPlayer(command(answer), 5.0) as player:
        evaluate_games(SERIES, [0], player)
    pids = list(map(int, note.read_text().split()))
    assert len(pids) == 2
    assert are_gone_soon(pids)


@pytest.mark.slow
def test_evaluate_command_prints_table_or_json() -> None:
    words = ["evaluate", "random", "--board", "9x9/10", "--board", "4x5/3", "--games", "12"]
    printed, stated, together = (
        run(*words),
        run(*words, "--json"),
        run(*words, "--json", "--processes", "2"),
    )
    assert printed.exit_code == stated.exit_code == 0
    lines = printed.stdout.splitlines()
    assert lines[0] == "player: random"
    assert [line.split()[:2] for line in lines[2:]] == [["9x9/10", "12"], ["4x5/3", "12"]]

    def facts(text: str) -> list[dict[str, Any]]:
        found = orjson.loads(text)
        assert found["minecheck"]
        for row in found["boards"]:
            del row["seconds"], row["move_ms"]
        boards: list[dict[str, Any]] = found["boards"]
        return boards

    assert facts(stated.stdout) == facts(together.stdout)
    (first, _) = facts(stated.stdout)
    ends = [first[name] for name in ("won", "mine", "illegal", "late", "died")]
    assert sum(ends) == 12
    results = evaluate_games(SERIES, range(10), make_player("random", 0))
    results += evaluate_games(SERIES, range(10, 12), make_player("random", 10))
    assert first["guesses"] == sum(one.guesses for one in results)


def test_evaluate_command_exits_with_1_for_failing_player() -> None:
    found = run("evaluate", "cat", "--board", "9x9/10", "--games", "2")
    assert found.exit_code == 1
    assert re.search(r"^9x9/10 +2 +0 ", found.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nobody"], "neither a program, nor a URL, nor one of random, probst, safest, best"),
        (["'"], "is not a command"),
        (["http://"], "has no host"),
        (["random", "--board", "9x9"], "such as 9x9/10"),
        (["random", "--board", "3x3/9"], "--board"),
        (["random", "--first", "99,0"], "--first"),
        (["random", "--seed", str(2**63 - 1)], "--seed"),
    ],
)
def test_evaluate_command_reports_wrong_options_in_one_line(words: list[str], message: str) -> None:
    one_line(run("evaluate", *words), message)


@contextmanager
def http_player(status: int = 200) -> Iterator[str]:
    """Run a player that opens the first unknown cell, and yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            rows = body.splitlines()[1].split("/")
            row = next(at for at, cells in enumerate(rows) if "?" in cells)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(f"{row} {rows[row].index('?')}".encode())

        def log_message(self, *arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/move"
    finally:
        server.shutdown()
        server.server_close()


def test_player_over_http_plays_as_local_program() -> None:
    with http_player() as url:
        found = results_of([sys.executable, "-m", "minecheck.app.cli.http_player", url])
    assert [(one.outcome, one.moves) for one in found] == [
        (one.outcome, one.moves) for one in results_of(command(FIRST))
    ]


def test_http_player_reports_http_error_in_one_line() -> None:
    with http_player(status=500) as url:
        done = subprocess.run(
            [sys.executable, "-m", "minecheck.app.cli.http_player", url],
            input=format_position(BOARD, 1), capture_output=True, cwd=ROOT, timeout=LONG,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [f"{url}: HTTP Error 500: Internal Server Error"]
