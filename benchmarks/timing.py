"""Alternating measurements of two things, so that a drifting machine hits both."""

from collections.abc import Callable
from statistics import median
from time import perf_counter

Action = Callable[[], object]


def seconds(action: Action) -> float:
    """Return the seconds of one call."""
    started = perf_counter()
    action()
    return perf_counter() - started


def alternate(ours: Action, peer: Action, rounds: int) -> list[tuple[float, float]]:
    """Seconds of ours and of the peer, in turn."""
    return [(seconds(ours), seconds(peer)) for _ in range(rounds)]


def report(
    what: str, pairs: list[tuple[float, float]], peer: str, limit: float | None = None
) -> None:
    """Print medians, the range of the ratios, and whether the middle one keeps to ``limit``."""
    ratios = sorted(ours / theirs for ours, theirs in pairs)
    print(
        f"  {what}: {median(ours for ours, _ in pairs) * 1e3:.3g} ms, "
        f"{peer} {median(theirs for _, theirs in pairs) * 1e3:.3g} ms, "
        f"ratio {median(ratios):.3f} ({ratios[0]:.3f}..{ratios[-1]:.3f}, {len(ratios)} rounds)"
        f"{kept(median(ratios), limit)}",
        flush=True,
    )


def kept(figure: float, limit: float | None) -> str:
    """Return the text on whether a figure meets its limit; empty without a limit."""
    return "" if limit is None else f", limit {limit:g} {'met' if figure <= limit else 'MISSED'}"


def reached(figure: float, goal: float) -> str:
    """Return the text on whether a figure reaches its goal."""
    return f", goal {goal:g} {'met' if figure >= goal else 'MISSED'}"
