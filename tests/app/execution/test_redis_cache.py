"""Replicas answer from one Redis, and do without it whatever happens to it."""

import asyncio
import json
import logging
import sys
import zlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

from minecheck.app.execution import redis_cache
from minecheck.app.execution.cache import Cache, Entry
from minecheck.app.execution.redis_cache import RedisStore
from minecheck.app.settings import MissingExtra, Settings
from minecheck.minefield import parse
from minecheck.solvers import Deadline, Question, answer_question
from minecheck.solvers.tasks.count import Count
from minecheck.solvers.tasks.forced import ForcedCells
from tests.app.jobs import job_of, render_body
from tests.app.redis_server import Redis
from tests.app.serving import free_port
from tests.clocks import Clock
from tests.processes import PATIENCE

EVER = Deadline()
LOPSIDED = parse("?1?2\n????\n12??")
QUESTION = ForcedCells(LOPSIDED)
OTHER = Count(LOPSIDED)

needs_redis = pytest.mark.skipif(
    find_spec("redis") is None, reason="the package redis is not installed"
)


@pytest.fixture
def server(redis: Redis) -> Redis:
    """A Redis that runs, and is empty at first."""
    return redis


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of pauses."""
    clock = Clock()
    monkeypatch.setattr(redis_cache, "monotonic", clock)
    return clock


def pause_is_over() -> None:
    """Move the clock so far that a failed Redis is tried again."""
    clock = vars(redis_cache)["monotonic"]
    assert isinstance(clock, Clock)
    clock.now += 2 * redis_cache._PAUSE


def entry_of(cache: Cache, question: Question) -> Entry:
    entry = cache.find_entry(job_of(question))
    assert entry is not None
    return entry


def store_in(url: str, version: str = "1", patience: float = PATIENCE) -> RedisStore:
    """Return a store with so long a timeout that a busy machine is not taken for a dead Redis."""
    return RedisStore(url, 60, version, patience)


def cached_in(url: str, version: str = "1", megabytes: int = 1) -> Cache:
    return Cache(megabytes, store_in(url, version))


async def fetch_answer(cache: Cache, question: Question) -> dict[str, Any] | None:
    body = await cache.fetch_remote(entry_of(cache, question), EVER)
    return None if body is None else json.loads(body)


async def answer_through_cache(cache: Cache, question: Question = QUESTION) -> None:
    """Answer from the cache or anew, as a service does for questions that need a worker."""
    entry = entry_of(cache, question)
    if await cache.fetch_remote(entry, EVER) is None:
        result = answer_question(question)
        cache.keep_answer(entry, result, render_body(question, result), EVER)


async def store_answer(cache: Cache, question: Question = QUESTION) -> None:
    """Answer a question, and wait until the answer is in Redis."""
    for _ in range(100):
        await answer_through_cache(cache, question)
        assert cache._store is not None
        await asyncio.gather(*cache._store._writes)
        fresh = Cache(1, cache._store)
        if await fetch_answer(fresh, question) is not None:
            return
        pause_is_over()
    raise AssertionError("the answer does not get to Redis")


def run(*caches: Cache, story: Callable[[], Awaitable[None]]) -> None:
    """Run a story, which may take minutes to compile first, and close the caches."""

    async def play() -> None:
        try:
            async with asyncio.timeout(240):
                await story()
        finally:
            for cache in caches:
                await cache.close()

    asyncio.run(play())


def test_replica_answers_from_redis_with_answer_of_another_replica(server: Redis) -> None:
    one, other = cached_in(server.url), cached_in(server.url)

    async def story() -> None:
        await store_answer(one)
        answer = await fetch_answer(other, QUESTION)
        fresh = json.loads(render_body(QUESTION))
        assert answer is not None
        assert answer["solver"].pop("cached") is True
        assert answer | {"solver": None} == fresh | {"solver": None}
        # The answer from Redis is in memory now.
        assert other.get_local(entry_of(other, QUESTION)) is not None
        assert await fetch_answer(other, OTHER) is None
        assert (other.redis_hits, other.redis_misses, other.redis_errors) == (1, 1, 0)

    run(one, other, story=story)


def test_replica_without_memory_answers_from_redis(server: Redis) -> None:
    cache = cached_in(server.url, megabytes=0)

    async def story() -> None:
        await store_answer(cache)
        assert cache.get_local(entry_of(cache, QUESTION)) is None
        assert await fetch_answer(cache, QUESTION) is not None

    run(cache, story=story)


def test_only_answers_that_were_sought_in_redis_are_stored_there(server: Redis) -> None:
    cache = cached_in(server.url)

    async def story() -> None:
        result = answer_question(QUESTION)
        cache.keep_answer(entry_of(cache, QUESTION), result, render_body(QUESTION, result), EVER)
        hurried = entry_of(cache, OTHER)
        assert await cache.fetch_remote(hurried, Deadline(0.0)) is None
        assert cache.redis_misses == 0

    run(cache, story=story)
    with server.client() as client:
        assert client.dbsize() == 0


def test_redis_cache_keeps_answers_of_versions_apart(server: Redis) -> None:
    old, new = cached_in(server.url, "1"), cached_in(server.url, "2")

    async def story() -> None:
        await store_answer(old)
        assert await fetch_answer(new, QUESTION) is None

    run(old, new, story=story)


def test_answers_in_redis_expire(server: Redis) -> None:
    cache = cached_in(server.url)
    run(cache, story=lambda: store_answer(cache))
    with server.client() as client:
        assert [0 < client.ttl(name) <= 60 for name in client.scan_iter()] == [True]


def test_redis_cache_uses_restarted_redis_again(
    server: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    cache, other = cached_in(server.url), cached_in(server.url)
    caplog.set_level(logging.INFO, "minecheck.cache")

    async def story() -> None:
        await store_answer(cache)
        server.end()
        for _ in range(5):
            assert await fetch_answer(other, QUESTION) is None
            pause_is_over()
        assert len(caplog.records) == 1
        server.start()
        await store_answer(other)
        assert caplog.messages[1:] == ["Redis is back."]
        assert await fetch_answer(cache, QUESTION) is not None

    run(cache, other, story=story)


def test_stopped_redis_delays_only_one_question(server: Redis) -> None:
    store = store_in(server.url)
    cache = Cache(1, store)

    async def story() -> None:
        await store_answer(cache)
        server.stop()
        store.patience = 0.1
        result = answer_question(OTHER)
        for _ in range(1000):
            entry = entry_of(cache, OTHER)
            assert await cache.fetch_remote(entry, EVER) is None
            cache.keep_answer(entry, result, render_body(OTHER, result), EVER)
        assert cache.redis_errors == 1
        assert cache.redis_misses >= 1000

    run(cache, story=story)


def test_redis_cache_uses_continued_redis_again(server: Redis) -> None:
    store = store_in(server.url)
    cache = Cache(1, store)

    async def story() -> None:
        await store_answer(cache)
        server.stop()
        store.patience = 0.1
        assert await fetch_answer(cache, QUESTION) is None
        store.patience = PATIENCE
        server.go_on()
        pause_is_over()
        for _ in range(2):
            assert await fetch_answer(cache, QUESTION) is not None

    run(cache, story=story)


def test_cancelled_fetch_leaves_no_reply_for_next_question(server: Redis) -> None:
    # A cancelled task waits as long as this for a connection that is being made.
    store = store_in(server.url, patience=0.5)
    cache = Cache(0, store)

    async def story() -> None:
        await store_answer(cache)
        await store_answer(cache, OTHER)
        server.stop()
        leaving = [asyncio.create_task(fetch_answer(cache, QUESTION)) for _ in range(8)]
        assert cache._store is not None
        while cache._store._under_way < len(leaving):
            await asyncio.sleep(0)
        for task in leaving:
            task.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        server.go_on()
        known = 0
        for _ in range(1000):
            answer = await fetch_answer(cache, OTHER)
            assert answer is None or "count" in answer
            known += answer is not None
            if known == 20:
                return
            pause_is_over()
        raise AssertionError("Redis is not used again")

    run(cache, story=story)


def _garbage() -> dict[str, Callable[[bytes], Any]]:
    """Return functions that make an invalid value from a valid one, by name."""
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
def test_foreign_value_in_redis_is_a_miss_and_is_replaced(
    server: Redis, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    cache = cached_in(server.url, megabytes=0)

    async def story() -> None:
        await store_answer(cache)
        with server.client() as client:
            (name,) = client.keys()
            garbage = _garbage()[kind](client.get(name))
            client.delete(name)
            if garbage is None:
                client.rpush(name, b"no string")
            else:
                client.set(name, garbage)
        for _ in range(3):
            assert await fetch_answer(cache, QUESTION) is None
        assert cache.redis_errors == 3
        assert len(caplog.records) == 1
        # Other questions use Redis as before.
        assert await fetch_answer(cache, OTHER) is None
        await store_answer(cache)

    run(cache, story=story)


@needs_redis
@pytest.mark.parametrize("reply", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"$x\r\n", b"\xff" * 99])
def test_server_that_is_not_redis_is_a_miss(reply: bytes) -> None:
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
        assert await fetch_answer(cache, QUESTION) is None
        assert cache.redis_errors == 1
        assert cache.get_local(entry_of(cache, QUESTION)) is None
        await cache.close()
        listening.close()
        await listening.wait_closed()

    run(story=story)


@needs_redis
def test_slow_endless_reply_of_redis_ends_at_timeout(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The reply is one endless string, of which there is always more to read.
        with suppress(ConnectionError):
            writer.write(b"$1000000000\r\n")
            while not reader.at_eof():
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0)
        writer.close()
        ended.set()

    async def story() -> None:
        listening = await asyncio.start_server(talk, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        cache = Cache(1, store_in(f"redis://127.0.0.1:{port}/0", patience=0.2))
        assert await fetch_answer(cache, QUESTION) is None
        await cache.close()
        listening.close()
        await ended.wait()

    ended = asyncio.Event()
    run(story=story)
    assert "TimeoutError" in caplog.text


@needs_redis
def test_unreachable_redis_is_logged_once_without_password(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cache = cached_in(f"redis://:secret@127.0.0.1:{free_port()}/0")

    async def story() -> None:
        for _ in range(3):
            await answer_through_cache(cache)
            cache._memory.clear()
            pause_is_over()
        assert cache.redis_errors >= 2

    run(cache, story=story)
    assert len(caplog.records) == 1
    assert "secret" not in caplog.text


@needs_redis
def test_cache_rejects_url_of_other_scheme_at_start() -> None:
    with pytest.raises(ValueError, match="redis://"):
        Cache.from_settings(Settings(redis_url="http://127.0.0.1"), "1")


def test_cache_names_missing_redis_package_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    with pytest.raises(MissingExtra, match=r"MINECHECK_REDIS_URL.*minecheck\[redis\]"):
        Cache.from_settings(Settings(redis_url="redis://127.0.0.1"), "1")


def test_answer_too_large_for_redis_stays_in_memory(server: Redis) -> None:
    cache = cached_in(server.url, megabytes=64)

    async def story() -> None:
        entry = entry_of(cache, QUESTION)
        await cache.fetch_remote(entry, EVER)
        large = b'{"filler":"' + b"x" * (1 << 19) + b'","solver":{"complete":true}}'
        cache.keep_answer(entry, answer_question(QUESTION), large, EVER)
        assert cache.get_local(replace(entry)) is not None

    run(cache, story=story)
    with server.client() as client:
        assert client.dbsize() == 0
