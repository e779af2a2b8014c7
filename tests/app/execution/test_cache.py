"""What is answered from the cache is what would be answered afresh, and nothing else is.

Replicas answer from one Redis, and do without it whatever happens to it.
"""

import asyncio
import json
import logging
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.answers.render import rendered
from app.execution import cache as caching
from app.execution import redis_cache
from app.execution.cache import Cache, Entry
from app.execution.redis_cache import RedisStore
from app.settings import Settings
from automata import Window
from minefield import Board, Layout, parse, parse_rules
from minefield.board import FLAG, MINE, SAFE, UNKNOWN
from solvers import Answer, Backend, Deadline, Question, Task, answer
from tests import oracle
from tests.app.execution.test_symmetry import pictures
from tests.app.serving import free_port
from tests.boards import boards_with_totals, small_boards

#: Seconds for what takes a fraction of one, on a slow machine.
PATIENCE = 10.0
EVER = Deadline()
LATE = Deadline.after(-1)
SYMMETRIC = (Task.CHECK, Task.COUNT, Task.FORCED, Task.ANALYZE, Task.REPAIR)
LOPSIDED = parse("?1?2\n????\n12??")
QUESTION = Question(Task.FORCED, LOPSIDED)
MIRRORED = Question(Task.FORCED, Board(LOPSIDED.cells[:, ::-1]))
OTHER = Question(Task.COUNT, LOPSIDED)
#: What depends on who computes, or on which of several layouts and clues was found.
FREE = ("witness", "estimate", "solver", "conflict")


def kept(cache: Cache, question: Question, found: Answer | None = None) -> bytes:
    """The body of the answer to a question, which the cache was given."""
    found = found or answer(question)
    body = rendered(question, found)
    cache.keep(cache.entry(question), found, body, EVER)
    return body


def known(cache: Cache, question: Question) -> dict[str, Any] | None:
    body = cache.known(cache.entry(question))
    return None if body is None else json.loads(body)


def key(question: Question) -> bytes:
    entry = Cache(1).entry(question)
    assert entry is not None
    return entry.key


def check_witness(rows: list[str], question: Question) -> None:
    layout = Layout(np.array([[symbol == "B" for symbol in row] for row in rows]))
    assert layout.rows() == rows
    assert isinstance(question.board, Board)
    assert layout.fits(question.board, question.mines)


def check_conflict(told: dict[str, Any], question: Question) -> None:
    """By brute force: the clues cannot hold together."""
    assert isinstance(question.board, Board)
    cells = question.board.cells.copy()
    conflict = told["conflict"]
    held = {tuple(place) for place in conflict["clues"]}
    for place in np.argwhere(cells <= 8).tolist():
        if tuple(place) not in held:
            cells[tuple(place)] = SAFE
    assert conflict["clues"] == sorted(conflict["clues"])
    assert all(cells[place] <= 8 for place in held)
    mines = question.mines if conflict["total"] else None
    assert not oracle.answer(Board(cells), mines).consistent


def check_repairs(told: dict[str, Any], question: Question) -> None:
    """By brute force: each repair mends the board."""
    assert isinstance(question.board, Board)
    for repair in told["repairs"]:
        assert len(repair) == told["changes"]
        cells = question.board.cells.copy()
        for change in repair:
            place = tuple(change["clue"])
            assert cells[place] == change["was"]
            cells[place] = change["number"]
        assert oracle.answer(Board(cells), question.mines).consistent


def check(told: dict[str, Any], question: Question) -> None:
    """What is told from the cache agrees with a fresh answer, and with brute force."""
    fresh = json.loads(rendered(question, answer(question)))
    assert list(told) == list(fresh)
    if told.get("more"):
        # Of more repairs than are wanted, these may be others.
        check_repairs(told, question)
        told = told | {"repairs": fresh["repairs"]}
    for field in fresh.keys() - FREE:
        assert told[field] == fresh[field], field
    if told.get("witness"):
        check_witness(told["witness"], question)
    if told["conflict"]:
        check_conflict(told, question)


def questions_of(task: Task) -> st.SearchStrategy[Question]:
    """Questions of small boards, with or without a total."""
    return boards_with_totals().flatmap(
        lambda asked: st.just(
            Question(task, asked[0], asked[1] if _possible(*asked) else None, limit=3)
        )
    )


def _possible(board: Board, mines: int | None) -> bool:
    return mines is None or mines <= board.cells.size


@pytest.mark.parametrize("task", SYMMETRIC)
def test_a_picture_of_a_board_is_answered_from_the_cache(task: Task) -> None:
    @settings(max_examples=60)
    @given(questions_of(task))
    def every_picture(question: Question) -> None:
        assert isinstance(question.board, Board)
        cache = Cache(1)
        kept(cache, question)
        for cells in pictures(question.board.cells):
            asked = replace(question, board=Board(cells))
            told = known(cache, asked)
            assert told is not None
            check(told, asked)

    every_picture()


@settings(max_examples=30)
@given(small_boards(), st.booleans(), st.data())
def test_pictures_have_the_same_chances_by_weight(
    board: Board, fractions: bool, data: st.DataObject
) -> None:
    cache = Cache(1)
    question = Question(Task.ANALYZE, board, density=Fraction(1, 5), fractions=fractions)
    kept(cache, question)
    cells = data.draw(st.sampled_from(list(pictures(board.cells))))
    asked = replace(question, board=Board(cells))
    told = known(cache, asked)
    assert told is not None
    check(told, asked)


def test_of_equally_safe_cells_the_first_of_the_moved_board_are_named() -> None:
    cache = Cache(1)
    cells = np.full((4, 5), UNKNOWN, np.int8)
    cells[0, 0] = 1
    question = Question(Task.ANALYZE, Board(cells))
    kept(cache, question)
    for picture in pictures(cells):
        asked = replace(question, board=Board(picture))
        told = known(cache, asked)
        assert told is not None
        check(told, asked)


@given(small_boards(), small_boards(), st.sampled_from(SYMMETRIC))
def test_boards_have_one_key_exactly_if_one_is_a_picture_of_the_other(
    one: Board, other: Board, task: Task
) -> None:
    alike = any(np.array_equal(picture, other.cells) for picture in pictures(one.cells))
    assert (key(Question(task, one)) == key(Question(task, other))) == alike
    for picture in pictures(one.cells):
        assert key(Question(task, Board(picture))) == key(Question(task, one))


@pytest.mark.parametrize(
    "question",
    [
        Question(Task.LAYOUTS, LOPSIDED),
        Question(Task.EXPLAIN, LOPSIDED),
        Question(Task.STRIPS, LOPSIDED, window=Window(0, 0, 2, 2)),
        Question(Task.CHECK, LOPSIDED, certificate=True),
        Question(Task.FORCED, LOPSIDED, certificate=True),
    ],
    ids=lambda question: str(question.task),
)
def test_where_the_answer_cannot_be_carried_pictures_are_other_questions(
    question: Question,
) -> None:
    keys = {key(replace(question, board=Board(cells))) for cells in pictures(LOPSIDED.cells)}
    assert len(keys) == 8
    assert key(replace(question, board=Board(LOPSIDED.cells))) in keys


#: Two questions that differ in one field only.
DIFFERING: dict[str, tuple[Question, Question]] = {
    "task": (Question(Task.CHECK, LOPSIDED), Question(Task.COUNT, LOPSIDED)),
    "board": (Question(Task.CHECK, parse("1?")), Question(Task.CHECK, parse("2?"))),
    "mines": (Question(Task.COUNT, LOPSIDED), Question(Task.COUNT, LOPSIDED, 3)),
    "density": (
        Question(Task.COUNT, LOPSIDED, density=Fraction(1, 5)),
        Question(Task.COUNT, LOPSIDED, density=Fraction(1, 6)),
    ),
    "backend": (
        Question(Task.COUNT, LOPSIDED),
        Question(Task.COUNT, LOPSIDED, backend=Backend.SAT),
    ),
    "offset": (
        Question(Task.LAYOUTS, LOPSIDED, offset=10**5000),
        Question(Task.LAYOUTS, LOPSIDED, offset=10**5000 + 1),
    ),
    "limit": (Question(Task.LAYOUTS, LOPSIDED), Question(Task.LAYOUTS, LOPSIDED, limit=99)),
    "window": (
        Question(Task.STRIPS, LOPSIDED, window=Window(0, 0, 1, 2)),
        Question(Task.STRIPS, LOPSIDED, window=Window(0, 0, 2, 1)),
    ),
    "fractions": (
        Question(Task.ANALYZE, LOPSIDED),
        Question(Task.ANALYZE, LOPSIDED, fractions=True),
    ),
    "layout": (
        Question(Task.LAYOUTS, parse("??"), layout=Layout(np.array([[True, False]]))),
        Question(Task.LAYOUTS, parse("??"), layout=Layout(np.array([[False, True]]))),
    ),
    "seed": (Question(Task.LAYOUTS, LOPSIDED), Question(Task.LAYOUTS, LOPSIDED, seed=1)),
    "cell": (
        Question(Task.EXPLAIN, LOPSIDED, cell=(0, 0)),
        Question(Task.EXPLAIN, LOPSIDED, cell=(0, 2)),
    ),
    "certificate": (
        Question(Task.CHECK, LOPSIDED),
        Question(Task.CHECK, LOPSIDED, certificate=True),
    ),
}


@pytest.mark.parametrize("field", [field.name for field in fields(Question)])
def test_every_field_of_a_question_tells_it_from_others(field: str) -> None:
    one, other = DIFFERING[field]
    assert key(one) != key(other)
    assert key(one) == key(replace(one))


def test_a_flag_is_no_unknown_cell_and_no_mine() -> None:
    boards = [Board(np.array([[1, code]], np.int8)) for code in (UNKNOWN, FLAG, MINE, SAFE)]
    assert len({key(Question(Task.CHECK, board)) for board in boards}) == 4


def test_rules_are_told_apart_by_names_bounds_and_the_number_of_cells() -> None:
    triangle = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 0, "high": 1}]
    others = [
        parse_rules(triangle),
        parse_rules(triangle, 4),
        parse_rules(triangle[:1], 3),
        parse_rules([triangle[0], {"cells": ["b", "d"], "low": 0, "high": 1}]),
        parse_rules([triangle[0], {"cells": ["b", "c"], "low": 0, "high": 2}]),
    ]
    assert len({key(Question(Task.CHECK, rules)) for rules in others}) == len(others)
    assert key(Question(Task.CHECK, parse_rules(triangle))) == key(
        Question(Task.CHECK, parse_rules(triangle))
    )


@pytest.mark.parametrize("task", [task for task in Task if task is not Task.SAMPLE])
def test_a_cached_answer_says_so_and_nothing_else_new(task: Task) -> None:
    cache = Cache(1)
    window = Window(0, 0, 2, 2) if task is Task.STRIPS else None
    question = Question(task, LOPSIDED, window=window)
    body = json.loads(kept(cache, question))
    told = known(cache, question)
    assert told is not None
    assert list(told["solver"].items())[-1] == ("cached", True)
    del told["solver"]["cached"]
    assert told == body


def test_samples_are_fresh_each_time() -> None:
    assert Cache(1).entry(Question(Task.SAMPLE, LOPSIDED, seed=7)) is None


def test_without_memory_and_redis_nothing_is_kept() -> None:
    cache = Cache.of(Settings(cache_mb=0, redis_url=None), "1")
    entry = cache.entry(Question(Task.CHECK, LOPSIDED))
    assert entry is None
    assert cache.known(entry) is None
    kept(cache, Question(Task.CHECK, LOPSIDED))
    assert cache.entries == 0


@pytest.mark.parametrize(
    "unfinished",
    [
        lambda found: replace(found, complete=False),
        lambda found: replace(found, note="more time would help"),
    ],
)
def test_unfinished_answers_are_never_kept(unfinished: Callable[[Answer], Answer]) -> None:
    cache = Cache(1)
    question = Question(Task.COUNT, LOPSIDED)
    kept(cache, question, unfinished(answer(question)))
    assert known(cache, question) is None


def test_a_conflict_that_the_deadline_may_have_cut_short_is_not_kept() -> None:
    cache = Cache(1)
    question = Question(Task.CHECK, parse("11?\n???\n3??"))
    found = answer(question)
    assert found.conflict is not None
    found.conflict = replace(found.conflict, smallest=False)
    body = rendered(question, found)
    cache.keep(cache.entry(question), found, body, LATE)
    assert known(cache, question) is None
    cache.keep(cache.entry(question), found, body, EVER)
    assert known(cache, question) is not None


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(1, 60_000)), max_size=120))
def test_memory_is_bounded_and_the_last_answer_used_stays(asked: list[tuple[int, int]]) -> None:
    cache = Cache(1)
    found = Answer(consistent=True, method="none")
    for mines, length in asked:
        question = Question(Task.COUNT, Board(np.full((20, 20), UNKNOWN, np.int8)), mines)
        body = b'{"filler":"' + b"x" * length + b'","solver":{"complete":true}}'
        cache.keep(cache.entry(question), found, body, EVER)
        assert known(cache, question) is not None
        assert cache.size <= 1 << 20
        assert cache.entries <= len(asked)


def test_one_large_answer_does_not_push_out_all_others() -> None:
    cache = Cache(1)
    kept(cache, Question(Task.CHECK, LOPSIDED))
    large = b'{"filler":"' + b"x" * (1 << 17) + b'","solver":{}}'
    found = Answer(consistent=True, method="none")
    entry = cache.entry(Question(Task.COUNT, LOPSIDED))
    cache.keep(entry, found, large, EVER)
    assert cache.known(entry) is None
    assert known(cache, Question(Task.CHECK, LOPSIDED)) is not None


def test_a_body_too_large_to_carry_is_computed_again() -> None:
    cache = Cache(64)
    found = Answer(consistent=True, method="none")
    filler = b'{"filler":"' + b"x" * (1 << 19) + b'","solver":{"complete":true}}'
    question = Question(Task.COUNT, LOPSIDED)
    cache.keep(cache.entry(question), found, filler, EVER)
    assert known(cache, question) is not None
    mirrored = replace(question, board=Board(LOPSIDED.cells[:, ::-1]))
    assert known(cache, mirrored) is None


def test_hits_and_misses_are_counted() -> None:
    cache = Cache(1)
    question = Question(Task.CHECK, LOPSIDED)
    known(cache, question)
    kept(cache, question)
    known(cache, question)
    known(cache, question)
    assert (cache.memory_hits, cache.memory_misses) == (2, 1)
    assert cache.entries == 1
    assert cache.size > 0


def test_large_boards_are_compared_as_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "_SYMMETRIC_CELLS", 11)
    mirrored = Board(LOPSIDED.cells[:, ::-1])
    assert key(Question(Task.CHECK, LOPSIDED)) != key(Question(Task.CHECK, mirrored))
    assert key(Question(Task.CHECK, LOPSIDED)) == key(Question(Task.CHECK, LOPSIDED))


needs_redis = pytest.mark.skipif(
    find_spec("redis") is None, reason="the package redis is not installed"
)


class Redis:
    """A Redis on a port of its own that can be stopped, continued and started anew."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self.start()

    def start(self) -> None:
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        command = ["redis-server", "--port", str(self.port), "--dir", str(self._folder), *options]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + PATIENCE
        while not self._answers():
            if time.monotonic() > until:
                self.end()
                raise RuntimeError("redis-server did not start")
            time.sleep(0.02)

    def _answers(self) -> bool:
        import redis

        with suppress(redis.ConnectionError), self.client() as client:
            return bool(client.ping())
        return False

    def client(self) -> Any:
        import redis

        return redis.Redis(port=self.port, retry=None)

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    pytest.importorskip("redis")
    server = Redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.end()


@pytest.fixture
def server(running: Redis) -> Iterator[Redis]:
    """Running, and empty at first."""
    if running.ended:
        running.start()
    with running.client() as client:
        client.flushall()
    yield running
    running.go_on()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses are short, and a busy machine is not taken for a dead Redis."""
    monkeypatch.setattr(redis_cache, "_PAUSE", 0.1)
    monkeypatch.setattr(redis_cache, "PATIENCE", 1.0)


def entry_of(cache: Cache, question: Question) -> Entry:
    entry = cache.entry(question)
    assert entry is not None
    return entry


def cached_in(url: str, version: str = "1", megabytes: int = 1) -> Cache:
    return Cache(megabytes, RedisStore(url, 60, version))


async def found(cache: Cache, question: Question) -> dict[str, Any] | None:
    body = await cache.fetched(cache.entry(question), EVER)
    return None if body is None else json.loads(body)


async def answered(cache: Cache, question: Question = QUESTION) -> None:
    """As a service does for what needs a worker."""
    entry = entry_of(cache, question)
    if await cache.fetched(entry, EVER) is None:
        result = answer(question)
        cache.keep(entry, result, rendered(question, result), EVER)


async def put(cache: Cache, question: Question = QUESTION) -> None:
    """Answered, and certainly there."""
    for _ in range(100):
        await answered(cache, question)
        fresh = Cache(1, cache._store)
        if await found(fresh, question) is not None:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the answer does not get to Redis")


def run(*caches: Cache, story: Callable[[], Awaitable[None]]) -> None:
    """What a story tells within a minute, then the end of the caches."""

    async def told() -> None:
        try:
            async with asyncio.timeout(60):
                await story()
        finally:
            for cache in caches:
                await cache.close()

    asyncio.run(told())


def test_what_one_replica_answers_another_knows(server: Redis) -> None:
    one, other = cached_in(server.url), cached_in(server.url)

    async def story() -> None:
        await put(one)
        for question in (QUESTION, MIRRORED):
            told = await found(other, question)
            fresh = json.loads(rendered(question, answer(question)))
            assert told is not None
            assert told["solver"].pop("cached") is True
            assert told | {"solver": None} == fresh | {"solver": None}
        # What came from Redis is in memory now.
        assert other.known(other.entry(QUESTION)) is not None
        assert await found(other, OTHER) is None
        assert (other.redis_hits, other.redis_misses, other.redis_errors) == (2, 1, 0)

    run(one, other, story=story)


def test_a_replica_without_memory_lives_on_redis(server: Redis) -> None:
    cache = cached_in(server.url, megabytes=0)

    async def story() -> None:
        await put(cache)
        assert cache.known(cache.entry(QUESTION)) is None
        assert await found(cache, QUESTION) is not None

    run(cache, story=story)


def test_only_what_was_sought_in_redis_is_put_there(server: Redis) -> None:
    cache = cached_in(server.url)

    async def story() -> None:
        result = answer(QUESTION)
        cache.keep(cache.entry(QUESTION), result, rendered(QUESTION, result), EVER)
        hurried = cache.entry(OTHER)
        assert await cache.fetched(hurried, Deadline.after(0.05)) is None
        assert cache.redis_misses == 0

    run(cache, story=story)
    with server.client() as client:
        assert client.dbsize() == 0


def test_another_version_has_answers_of_its_own(server: Redis) -> None:
    old, new = cached_in(server.url, "1"), cached_in(server.url, "2")

    async def story() -> None:
        await put(old)
        assert await found(new, QUESTION) is None

    run(old, new, story=story)


def test_answers_expire(server: Redis) -> None:
    cache = cached_in(server.url)
    run(cache, story=lambda: put(cache))
    with server.client() as client:
        assert [0 < client.ttl(name) <= 60 for name in client.scan_iter()] == [True]


def test_a_restarted_redis_is_used_again(server: Redis, caplog: pytest.LogCaptureFixture) -> None:
    cache, other = cached_in(server.url), cached_in(server.url)
    caplog.set_level(logging.INFO, "minecheck.cache")

    async def story() -> None:
        await put(cache)
        server.end()
        for _ in range(5):
            assert await found(other, QUESTION) is None
            await asyncio.sleep(0.15)
        assert len(caplog.records) == 1
        server.start()
        await asyncio.sleep(0.15)
        await put(other)
        assert caplog.messages[1:] == ["Redis is back."]
        assert await found(cache, QUESTION) is not None

    run(cache, other, story=story)


def test_a_redis_that_stands_still_holds_up_one_question_and_no_more(
    server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_cache, "_PAUSE", 1000.0)
    cache = cached_in(server.url)

    async def story() -> None:
        await put(cache)
        server.stop()
        monkeypatch.setattr(redis_cache, "PATIENCE", 0.1)
        result = answer(OTHER)
        for _ in range(1000):
            entry = entry_of(cache, OTHER)
            assert await cache.fetched(entry, EVER) is None
            cache.keep(entry, result, rendered(OTHER, result), EVER)
        assert cache.redis_errors == 1
        assert cache.redis_misses >= 1000

    run(cache, story=story)


def test_a_redis_that_goes_on_is_used_again(server: Redis) -> None:
    cache = cached_in(server.url)

    async def story() -> None:
        await put(cache)
        server.stop()
        assert await found(cache, QUESTION) is None
        server.go_on()
        await asyncio.sleep(0.3)
        for _ in range(2):
            assert await found(cache, QUESTION) is not None

    run(cache, story=story)


def test_who_leaves_while_redis_stands_still_leaves_no_answer_behind(server: Redis) -> None:
    cache = cached_in(server.url, megabytes=0)

    async def story() -> None:
        await put(cache)
        await put(cache, OTHER)
        server.stop()
        leaving = [asyncio.create_task(found(cache, QUESTION)) for _ in range(8)]
        await asyncio.sleep(0.05)
        for task in leaving:
            task.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        server.go_on()
        for _ in range(20):
            told = await found(cache, OTHER)
            assert told is None or "count" in told
            await asyncio.sleep(0.02)
        assert await found(cache, OTHER) is not None

    run(cache, story=story)


def _garbage() -> dict[str, Callable[[bytes], Any]]:
    """Values by what is wrong with them, from a right one."""
    return {
        "empty": lambda right: b"",
        "text": lambda right: b"yes",
        "half": lambda right: right[: len(right) // 2],
        "flipped": lambda right: right[:-1] + bytes((right[-1] ^ 1,)),
        "of another": lambda right: zlib.compress(bytes(32) + b"\0{}"),
        "a bomb": lambda right: zlib.compress(bytes(1 << 26)),
        "a list": lambda right: None,
    }


@pytest.mark.parametrize("kind", _garbage())
def test_a_value_that_is_not_ours_is_a_miss_and_is_replaced(
    server: Redis, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    cache = cached_in(server.url, megabytes=0)

    async def story() -> None:
        await put(cache)
        with server.client() as client:
            (name,) = client.keys()
            garbage = _garbage()[kind](client.get(name))
            client.delete(name)
            if garbage is None:
                client.rpush(name, b"no string")
            else:
                client.set(name, garbage)
        for _ in range(3):
            assert await found(cache, QUESTION) is None
        assert cache.redis_errors == 3
        assert len(caplog.records) == 1
        # Others do without Redis no longer than before.
        assert await found(cache, OTHER) is None
        await put(cache)

    run(cache, story=story)


@needs_redis
@pytest.mark.parametrize("reply", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"$x\r\n", b"\xff" * 99])
def test_what_is_no_redis_is_a_miss(reply: bytes) -> None:
    async def story() -> None:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(ConnectionError):
                await reader.read(1)
                writer.write(reply)
                await writer.drain()
                writer.close()
                await writer.wait_closed()

        listening = await asyncio.start_server(talk, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        cache = cached_in(f"redis://127.0.0.1:{port}/0")
        assert await found(cache, QUESTION) is None
        assert cache.redis_errors == 1
        assert cache.known(cache.entry(QUESTION)) is None
        await cache.close()
        listening.close()
        await listening.wait_closed()

    run(story=story)


@needs_redis
def test_a_redis_that_answers_a_little_at_a_time_has_no_more_time_for_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(redis_cache, "PATIENCE", 0.2)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            for _ in range(10):
                await asyncio.sleep(0.1)
                writer.write(b"+OK\r\n")
                await writer.drain()
        writer.close()

    async def story() -> None:
        listening = await asyncio.start_server(talk, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        cache = cached_in(f"redis://127.0.0.1:{port}/0")
        assert await found(cache, QUESTION) is None
        await cache.close()
        listening.close()
        await asyncio.sleep(1.2)

    run(story=story)
    assert "TimeoutError" in caplog.text


@needs_redis
def test_where_nobody_listens_it_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    cache = cached_in(f"redis://:secret@127.0.0.1:{free_port()}/0")

    async def story() -> None:
        for _ in range(3):
            await answered(cache)
            cache._memory.clear()
            await asyncio.sleep(0.15)
        assert cache.redis_errors >= 2

    run(cache, story=story)
    assert len(caplog.records) == 1
    assert "secret" not in caplog.text


@needs_redis
def test_a_url_of_something_else_is_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="redis://"):
        Cache.of(Settings(redis_url="http://127.0.0.1"), "1")


def test_the_missing_package_is_named_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    with pytest.raises(RuntimeError, match=r"minecheck\[redis\]"):
        Cache.of(Settings(redis_url="redis://127.0.0.1"), "1")


def test_answers_too_large_for_redis_stay_in_memory(server: Redis) -> None:
    cache = cached_in(server.url, megabytes=64)

    async def story() -> None:
        entry = entry_of(cache, QUESTION)
        await cache.fetched(entry, EVER)
        large = b'{"filler":"' + b"x" * (1 << 19) + b'","solver":{"complete":true}}'
        cache.keep(entry, answer(QUESTION), large, EVER)
        assert cache.known(replace(entry)) is not None

    run(cache, story=story)
    with server.client() as client:
        assert client.dbsize() == 0
