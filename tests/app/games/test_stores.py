"""Games are stored in memory or in Redis, and every loss is reported."""

import asyncio
from array import array
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.games import stores
from minecheck.app.games.deals import DamagedGame, Deal, Kept, replay_game
from minecheck.app.games.redis_games import RedisGames
from minecheck.app.games.stores import Games, MemoryGames
from minecheck.app.problems import ProblemError
from minecheck.minefield import Layout
from minecheck.minefield.game import Game
from tests.app.redis_server import Redis

Found = TypeVar("Found")

SECONDS = 1000
DEAL = b"dealt\n\x00\xff"


@pytest.fixture(params=["memory", "redis"])
def open_games(request: pytest.FixtureRequest) -> Callable[[], Games]:
    """A function that opens a store of games, in memory and in Redis."""
    if request.param == "memory":
        return lambda: MemoryGames(1, SECONDS)
    redis: Redis = request.getfixturevalue("redis")
    return lambda: RedisGames(redis.url, SECONDS)


def run(kept: Games, *others: Games, story: Callable[[], Awaitable[Found]]) -> Found:
    async def play() -> Found:
        try:
            async with asyncio.timeout(60):
                return await story()
        finally:
            for one in (kept, *others):
                await one.close()

    return asyncio.run(play())


def deal_and_clicks(kept: Kept | None) -> tuple[bytes, list[int]] | None:
    return None if kept is None else (kept.deal, kept.clicks.tolist())


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (16, 30)])
def test_packed_deal_is_unpacked_to_equal_deal(shape: tuple[int, int]) -> None:
    mines = np.random.default_rng(0).random(shape) < 0.3
    mines[0, 0] = False
    deal = Deal(Game(Layout(mines), (0, 0)), "random", None, 2**62)
    assert Deal.unpack(deal.pack()) == deal


def test_stored_game_has_clicks_in_order(open_games: Callable[[], Games]) -> None:
    kept = open_games()

    async def story() -> None:
        await kept.keep_deal("a", DEAL)
        assert deal_and_clicks(await kept.find_game("a")) == (DEAL, [])
        assert deal_and_clicks(await kept.click_cell("a", 7)) == (DEAL, [7])
        assert deal_and_clicks(await kept.click_cell("a", 1_999_999)) == (DEAL, [7, 1_999_999])
        await kept.keep_deal("b", DEAL)
        assert deal_and_clicks(await kept.find_game("b")) == (DEAL, [])
        assert deal_and_clicks(await kept.find_game("a")) == (DEAL, [7, 1_999_999])

    run(kept, story=story)


def test_click_does_not_create_missing_game(open_games: Callable[[], Games]) -> None:
    kept = open_games()

    async def story() -> None:
        assert await kept.click_cell("a", 7) is None
        assert await kept.find_game("a") is None

    run(kept, story=story)


def test_concurrent_clicks_are_all_stored(open_games: Callable[[], Games]) -> None:
    kept = open_games()

    async def story() -> None:
        await kept.keep_deal("a", DEAL)
        await asyncio.gather(*(kept.click_cell("a", cell) for cell in range(100)))
        found = await kept.find_game("a")
        assert found is not None
        assert sorted(found.clicks) == [*range(100)]

    run(kept, story=story)


# In memory.


def test_use_of_game_in_memory_extends_its_life(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(stores, "monotonic", lambda: now)
    kept = MemoryGames(1, SECONDS)

    async def story() -> None:
        nonlocal now
        await kept.keep_deal("a", DEAL)
        for use in (kept.find_game("a"), kept.click_cell("a", 1), kept.find_game("a")):
            now += 0.9 * SECONDS
            assert await use is not None
        now += 1.1 * SECONDS
        assert await kept.find_game("a") is None

    run(kept, story=story)


def test_memory_evicts_games_that_are_unused_longest() -> None:
    kept = MemoryGames(1, SECONDS)

    async def story() -> None:
        for game in "abc":
            await kept.keep_deal(game, bytes(300_000))
        await kept.find_game("a")
        await kept.keep_deal("d", bytes(300_000))
        assert [game for game in "abcd" if await kept.find_game(game)] == ["a", "c", "d"]

    run(kept, story=story)


def test_memory_rejects_click_that_makes_game_too_large() -> None:
    kept = MemoryGames(1, SECONDS)

    async def story() -> None:
        await kept.keep_deal("a", bytes((1 << 20) - stores._OVERHEAD))
        with pytest.raises(ProblemError) as caught:
            await kept.click_cell("a", 1)
        assert "MINECHECK_GAMES_MB" in caught.value.document["fix"]
        found = await kept.find_game("a")
        assert found is not None
        assert not found.clicks

    run(kept, story=story)


# In Redis.


def test_replicas_share_game_in_redis(redis: Redis) -> None:
    one, other = (RedisGames(redis.url, SECONDS) for _ in range(2))

    async def story() -> None:
        await one.keep_deal("a", DEAL)
        clicks = (replica.click_cell("a", cell) for cell, replica in enumerate([one, other] * 20))
        await asyncio.gather(*clicks)
        for replica in (one, other):
            found = await replica.find_game("a")
            assert found is not None
            assert sorted(found.clicks) == [*range(40)]

    run(one, other, story=story)


def test_use_of_game_in_redis_extends_its_life(redis: Redis) -> None:
    kept = RedisGames(redis.url, SECONDS)

    async def story() -> None:
        with redis.client() as client:
            await kept.keep_deal("a", DEAL)
            (name,) = client.keys()
            for use in (kept.find_game("a"), kept.click_cell("a", 1)):
                assert SECONDS - 60 < client.ttl(name) <= SECONDS
                client.expire(name, 60)
                assert await use is not None
            assert SECONDS - 60 < client.ttl(name) <= SECONDS

    run(kept, story=story)


def test_game_dealt_twice_is_stored_once(redis: Redis) -> None:
    kept = RedisGames(redis.url, SECONDS)

    async def story() -> None:
        for _ in range(2):
            await kept.keep_deal("a", DEAL)
        assert deal_and_clicks(await kept.find_game("a")) == (DEAL, [])

    run(kept, story=story)


async def unreachable(use: Awaitable[object]) -> None:
    with pytest.raises(ProblemError) as caught:
        await use
    assert caught.value.document["type"].endswith("games-unreachable")
    assert caught.value.document["status"] == 503
    assert caught.value.headers == {"Retry-After": "1"}


def test_stopped_redis_is_reported_as_unreachable_and_keeps_games(redis: Redis) -> None:
    kept = RedisGames(redis.url, SECONDS, patience=0.2)

    async def story() -> None:
        while True:
            try:
                await kept.keep_deal("a", DEAL)
                break
            except ProblemError:
                pass  # a busy machine
        redis.stop()
        for _ in range(3):
            await unreachable(kept.find_game("a"))
        await asyncio.gather(*(unreachable(kept.click_cell("a", 1)) for _ in range(40)))
        redis.go_on()
        kept.patience = 30
        patient = RedisGames(redis.url, SECONDS, patience=30)
        assert await patient.find_game("a") is not None
        assert await kept.find_game("a") is not None
        await patient.close()

    run(kept, story=story)


def test_games_use_restarted_redis_at_once(redis: Redis) -> None:
    kept = RedisGames(redis.url, SECONDS)

    async def story() -> None:
        await kept.keep_deal("a", DEAL)
        redis.end()
        await unreachable(kept.find_game("a"))
        redis.start()
        await kept.keep_deal("b", DEAL)
        assert await kept.find_game("b") is not None

    run(kept, story=story)


def test_command_that_redis_rejects_is_reported_as_unreachable(
    redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    kept = RedisGames(redis.url, SECONDS)

    async def story() -> None:
        await kept.keep_deal("a", DEAL)
        with redis.client() as client:
            client.config_set("min-replicas-to-write", 1)
            try:
                await unreachable(kept.find_game("a"))
                await unreachable(kept.click_cell("a", 1))
            finally:
                client.config_set("min-replicas-to-write", 0)
        assert "replicas" in caplog.text

    run(kept, story=story)


# Values of other programs, in Redis.

SHAPED = {"shape": [2, 2], "first": [0, 0], "kind": "random", "difficulty": None, "seed": 7}
BITS = b"\n\x10"
WRONG: list[dict[str, Any]] = [
    {"shape": [40_000, 40_000]},
    {"shape": [2**62, 2**62]},
    {"shape": [-2, -2]},
    {"shape": [0, 8]},
    {"shape": [2.0, 2]},
    {"shape": [True, 4]},
    {"shape": "22"},
    {"shape": [2, 2, 1]},
    {"shape": 4},
    {"first": [2, 0]},
    {"first": [-1, 0]},
    {"first": []},
    {"first": None},
    {"first": ["0", "0"]},
    {"kind": "mine"},
    {"kind": []},
    {"difficulty": 1},
    {"seed": "7"},
    {"seed": 1.5},
    {"seed": None},
]


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\n",
        b"no JSON" + BITS,
        b"[1]" + BITS,
        b"null" + BITS,
        b"[" * 900 + BITS,
        orjson.dumps(SHAPED),
        orjson.dumps(SHAPED) + b"\n",
        orjson.dumps(SHAPED) + b"\n\x10\x10",
        orjson.dumps(SHAPED) + b"\n\x80",
        b" " * 2000 + orjson.dumps(SHAPED) + BITS,
        *(
            orjson.dumps({name: value for name, value in SHAPED.items() if name != missing}) + BITS
            for missing in SHAPED
        ),
        *(orjson.dumps(SHAPED | wrong) + BITS for wrong in WRONG),
    ],
)
def test_damaged_deal_is_rejected(packed: bytes) -> None:
    with pytest.raises(DamagedGame):
        Deal.unpack(packed)


@given(st.binary(max_size=200) | st.binary().map(lambda more: orjson.dumps(SHAPED) + b"\n" + more))
def test_any_bytes_are_unpacked_or_rejected_as_damaged(packed: bytes) -> None:
    with suppress(DamagedGame):
        Deal.unpack(packed)


@pytest.mark.parametrize("clicks", [[4], [-1], [0, 2**62], [-(2**63)]])
def test_click_outside_of_board_is_rejected_as_damaged(clicks: list[int]) -> None:
    kept = Kept(orjson.dumps(SHAPED) + BITS, array("q", clicks))
    with pytest.raises(DamagedGame):
        replay_game(kept)


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("SET", [b"text"]),
        ("HSET", [b"a", b"b"]),
        ("SADD", [b"a"]),
        ("RPUSH", [DEAL, b"no number"]),
        ("RPUSH", [DEAL, b""]),
        ("RPUSH", [DEAL, b"1" * 30]),
        ("RPUSH", [DEAL, b"9" * 19]),
        ("RPUSH", [DEAL, b"1" * 10_000]),
        ("RPUSH", [DEAL, *[b"1"] * 2000]),
        ("RPUSH", [bytes(10**6)]),
    ],
)
def test_invalid_value_in_redis_is_reported_as_damaged_game(
    redis: Redis, command: str, value: list[bytes]
) -> None:
    with redis.client() as client:
        client.execute_command(command, "minecheck:game:a", *value)
    kept = RedisGames(redis.url, SECONDS, most_cells=10_000)

    async def story() -> None:
        for use in (kept.find_game, lambda game: kept.click_cell(game, 1)):
            with pytest.raises(DamagedGame) as caught:
                await use(game="a")
            assert caught.value.document["status"] == 404
        await kept.keep_deal("a", DEAL)
        assert deal_and_clicks(await kept.find_game("a")) == (DEAL, [])

    run(kept, story=story)
