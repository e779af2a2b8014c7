"""Requests in progress share a budget of memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.requests.budget import (
    BUDGET,
    NOBODY,
    SMALL_SHARE,
    MemoryBudget,
    MemoryShare,
    OutOfMemoryBudget,
    find_memory_share,
    release_memory,
)

MOST = 32 << 20


def test_memory_share_that_does_not_fit_is_rejected_and_unchanged() -> None:
    budget = MemoryBudget(MOST)
    share = MemoryShare(budget, "a")
    share.resize(MOST // 4)
    with pytest.raises(OutOfMemoryBudget):
        share.resize(MOST)
    assert (share.held, budget.held, budget.refused) == (MOST // 4, MOST // 4, 1)


def test_memory_budget_gives_one_client_at_most_half() -> None:
    budget = MemoryBudget(MOST)
    MemoryShare(budget, "a").resize(MOST // 2)
    with pytest.raises(OutOfMemoryBudget):
        MemoryShare(budget, "a").resize(SMALL_SHARE * 2)
    MemoryShare(budget, "b").resize(MOST // 4)


def test_memory_budget_has_reserve_for_small_shares() -> None:
    budget = MemoryBudget(MOST)
    for client in "ab":
        MemoryShare(budget, client).resize(MOST * 7 // 16)
    with pytest.raises(OutOfMemoryBudget):
        MemoryShare(budget, "c").resize(SMALL_SHARE + 1)
    for client in "abc":
        MemoryShare(budget, client).resize(SMALL_SHARE)


def test_memory_share_of_proxy_has_no_limit_of_a_client() -> None:
    budget = MemoryBudget(MOST)
    assert MemoryShare(budget, NOBODY).has_room(MOST * 3 // 4)
    assert not MemoryShare(budget, "a").has_room(MOST * 3 // 4)


def test_release_memory_returns_share_of_request() -> None:
    budget = MemoryBudget(MOST)
    scope = {"type": "http", "client": ("10.0.0.1", 1), BUDGET: budget}
    find_memory_share(scope).resize(1 << 20)
    assert find_memory_share(scope).held == budget.held == 1 << 20
    release_memory(scope)
    assert budget.held == 0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, MOST)), max_size=30))
def test_memory_shares_never_exceed_budget(sizes: list[tuple[str, int]]) -> None:
    budget = MemoryBudget(MOST)
    shares = []
    for client, size in sizes:
        share = MemoryShare(budget, client)
        shares.append(share)
        if share.has_room(size):
            share.resize(size)
        else:
            with pytest.raises(OutOfMemoryBudget):
                share.resize(size)
        assert budget.held == sum(one.held for one in shares) <= MOST
    for share in shares:
        share.close()
    assert budget.held == 0
