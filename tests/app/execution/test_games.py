"""Games are kept in memory and in Redis alike, and none is lost without a word."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import numpy as np
import pytest

from app.execution import games, redis_games
from app.execution.games import Deal, Games, Kept, MemoryGames
from app.execution.redis_games import RedisGames
from app.problems import ProblemError
from minefield import Layout
from minefield.game import Game
from tests.app.redis_server import Redis

Found = TypeVar("Found")

SECONDS = 1000
DEAL = b"dealt\n\x00\xff"


@pytest.fixture(params=["memory", "redis"])
def opened(request: pytest.FixtureRequest) -> Callable[[], Games]:
    """What opens the place where games are kept, of both kinds."""
    if request.param == "memory":
        return lambda: MemoryGames(1, SECONDS)
    redis: Redis = request.getfixturevalue("redis")
    return lambda: RedisGames(redis.url, SECONDS)


def run(kept: Games, *others: Games, story: Callable[[], Awaitable[Found]]) -> Found:
    async def told() -> Found:
        try:
            async with asyncio.timeout(60):
                return await story()
        finally:
            for one in (kept, *others):
                await one.close()

    return asyncio.run(told())


def shown(kept: Kept | None) -> tuple[bytes, list[int]] | None:
    return None if kept is None else (kept.deal, kept.clicks.tolist())


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (16, 30)])
def test_a_deal_is_unpacked_as_it_was_packed(shape: tuple[int, int]) -> None:
    mines = np.random.default_rng(0).random(shape) < 0.3
    mines[0, 0] = False
    deal = Deal(Game(Layout(mines), (0, 0)), "random", None, 2**62)
    assert Deal.unpacked(deal.packed()) == deal


def test_a_game_has_its_clicks_in_their_order(opened: Callable[[], Games]) -> None:
    kept = opened()

    async def story() -> None:
        await kept.keep("a", DEAL)
        assert shown(await kept.find("a")) == (DEAL, [])
        assert shown(await kept.click("a", 7)) == (DEAL, [7])
        assert shown(await kept.click("a", 1_999_999)) == (DEAL, [7, 1_999_999])
        await kept.keep("b", DEAL)
        assert shown(await kept.find("b")) == (DEAL, [])
        assert shown(await kept.find("a")) == (DEAL, [7, 1_999_999])

    run(kept, story=story)


def test_a_game_that_is_not_there_is_not_made_by_a_click(opened: Callable[[], Games]) -> None:
    kept = opened()

    async def story() -> None:
        assert await kept.click("a", 7) is None
        assert await kept.find("a") is None

    run(kept, story=story)


def test_no_click_is_lost_whoever_else_clicks(opened: Callable[[], Games]) -> None:
    kept = opened()

    async def story() -> None:
        await kept.keep("a", DEAL)
        await asyncio.gather(*(kept.click("a", cell) for cell in range(100)))
        found = await kept.find("a")
        assert found is not None
        assert sorted(found.clicks) == [*range(100)]

    run(kept, story=story)


# In memory.


def test_each_use_keeps_a_game_on(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(games, "monotonic", lambda: now)
    kept = MemoryGames(1, SECONDS)

    async def story() -> None:
        nonlocal now
        await kept.keep("a", DEAL)
        for use in (kept.find("a"), kept.click("a", 1), kept.find("a")):
            now += 0.9 * SECONDS
            assert await use is not None
        now += 1.1 * SECONDS
        assert await kept.find("a") is None

    run(kept, story=story)


def test_the_games_unused_longest_make_room() -> None:
    kept = MemoryGames(1, SECONDS)

    async def story() -> None:
        for game in "abc":
            await kept.keep(game, bytes(300_000))
        await kept.find("a")
        await kept.keep("d", bytes(300_000))
        assert [game for game in "abcd" if await kept.find(game)] == ["a", "c", "d"]

    run(kept, story=story)


def test_a_game_that_outgrows_the_memory_is_refused() -> None:
    kept = MemoryGames(1, SECONDS)

    async def story() -> None:
        await kept.keep("a", bytes((1 << 20) - games._OVERHEAD))
        with pytest.raises(ProblemError) as caught:
            await kept.click("a", 1)
        assert "MINECHECK_GAMES_MB" in caught.value.document["fix"]
        found = await kept.find("a")
        assert found is not None
        assert not found.clicks

    run(kept, story=story)


# In Redis.


def test_replicas_play_one_game(redis: Redis) -> None:
    one, other = (RedisGames(redis.url, SECONDS) for _ in range(2))

    async def story() -> None:
        await one.keep("a", DEAL)
        clicks = (replica.click("a", cell) for cell, replica in enumerate([one, other] * 20))
        await asyncio.gather(*clicks)
        for replica in (one, other):
            found = await replica.find("a")
            assert found is not None
            assert sorted(found.clicks) == [*range(40)]

    run(one, other, story=story)


def test_each_use_keeps_a_game_on_in_redis(redis: Redis) -> None:
    kept = RedisGames(redis.url, SECONDS)

    async def story() -> None:
        with redis.client() as client:
            await kept.keep("a", DEAL)
            (name,) = client.keys()
            for use in (kept.find("a"), kept.click("a", 1)):
                assert SECONDS - 60 < client.ttl(name) <= SECONDS
                client.expire(name, 60)
                assert await use is not None
            assert SECONDS - 60 < client.ttl(name) <= SECONDS

    run(kept, story=story)


def test_dealing_twice_is_dealing_once(redis: Redis) -> None:
    kept = RedisGames(redis.url, SECONDS)

    async def story() -> None:
        for _ in range(2):
            await kept.keep("a", DEAL)
        assert shown(await kept.find("a")) == (DEAL, [])

    run(kept, story=story)


async def unreachable(use: Awaitable[object]) -> None:
    with pytest.raises(ProblemError) as caught:
        await use
    assert caught.value.document["type"].endswith("games-unreachable")
    assert caught.value.document["status"] == 503
    assert caught.value.headers == {"Retry-After": "1"}


def test_while_redis_stands_still_no_game_is_said_to_be_gone(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_games, "_PATIENCE", 0.2)
    kept = RedisGames(redis.url, SECONDS)

    async def story() -> None:
        while True:
            try:
                await kept.keep("a", DEAL)
                break
            except ProblemError:
                pass  # a busy machine
        redis.stop()
        for _ in range(3):
            await unreachable(kept.find("a"))
        await asyncio.gather(*(unreachable(kept.click("a", 1)) for _ in range(40)))
        redis.go_on()
        monkeypatch.setattr(redis_games, "_PATIENCE", 30)
        patient = RedisGames(redis.url, SECONDS)
        assert await patient.find("a") is not None
        assert await kept.find("a") is not None
        await patient.close()

    run(kept, story=story)


def test_a_restarted_redis_is_used_at_once(redis: Redis) -> None:
    kept = RedisGames(redis.url, SECONDS)

    async def story() -> None:
        await kept.keep("a", DEAL)
        redis.end()
        await unreachable(kept.find("a"))
        redis.start()
        await kept.keep("b", DEAL)
        assert await kept.find("b") is not None

    run(kept, story=story)


def test_what_redis_refuses_is_a_problem(redis: Redis, caplog: pytest.LogCaptureFixture) -> None:
    kept = RedisGames(redis.url, SECONDS)

    async def story() -> None:
        await kept.keep("a", DEAL)
        with redis.client() as client:
            (name,) = client.keys()
            client.set(name, b"no list")
        await unreachable(kept.find("a"))
        await unreachable(kept.click("a", 1))
        assert "WRONGTYPE" in caplog.text

    run(kept, story=story)
