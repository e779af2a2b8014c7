"""Functions for all tests of the page: waiting for what it shows, and links to boards."""

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect
# Milliseconds; for what takes a fraction of it, on a machine that has much else to do.
expect.set_options(timeout=20_000)


#: Gives the page more turns than it needs to take in what has come.
TURNS = """async () => {
    for (let turn = 0; turn < 100; turn += 1) await new Promise((next) => setTimeout(next));
}"""


def link(rows: list[str], mines: int | None = None, tab: str = "analyse") -> str:
    """The address of a board."""
    total = "" if mines is None else f"&m={mines}"
    return f"/#{tab}?b={'.'.join(rows).replace('?', '_')}{total}"
