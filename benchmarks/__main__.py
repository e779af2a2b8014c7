"""Run all benchmarks, or those that are named."""

import argparse
from collections.abc import Callable

from benchmarks import (
    backbone,
    chances,
    cluster,
    counting,
    endurance,
    environment,
    exhaustive,
    fairness,
    generator,
    growth,
    hint,
    hostile,
    labels,
    large_check,
    losses,
    memory,
    optimal,
    play,
    play_bound,
    reasons,
    serving,
    start,
    strips,
    widths,
)

BENCHMARKS: dict[str, Callable[[], None]] = {
    "large_check": large_check.run,
    "backbone": backbone.run,
    "strips": strips.run,
    "chances": chances.run,
    "cluster": cluster.run,
    "counting": counting.run,
    "endurance": endurance.run,
    "environment": environment.run,
    "exhaustive": exhaustive.run,
    "fairness": fairness.run,
    "generator": generator.run,
    "growth": growth.run,
    "hint": hint.run,
    "hostile": hostile.run,
    "labels": labels.run,
    "losses": losses.run,
    "memory": memory.run,
    "optimal": optimal.run,
    "play": play.run,
    "play_bound": play_bound.run,
    "reasons": reasons.run,
    "serving": serving.run,
    "start": start.run,
    "widths": widths.run,
}


def main() -> None:
    """Parse the names and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of: {', '.join(BENCHMARKS)}")
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := set(names) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    for name in names:
        print(f"\n{name}: {BENCHMARKS[name].__module__.rsplit('.', 1)[1]}", flush=True)
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
