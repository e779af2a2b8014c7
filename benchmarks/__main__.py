"""Run all benchmarks, or those that are named."""

import argparse
from importlib import import_module
from typing import Final

#: The modules of benchmarks, of which only those that run are imported: each has packages of its
#: own that it compares with.
BENCHMARKS: Final = (
    *("large_check", "backbone", "strips", "chances", "cluster", "counting", "endurance"),
    *("environment", "exhaustive", "fairness", "generator", "growth", "hint", "hostile"),
    *("labels", "losses", "memory", "optimal", "play", "play_bound", "reasons", "serving"),
    *("start", "widths"),
)


def main() -> None:
    """Parse the names and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of: {', '.join(BENCHMARKS)}")
    names = parser.parse_args().names or BENCHMARKS
    if unknown := set(names) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    for name in names:
        print(f"\n{name}", flush=True)
        import_module(f"benchmarks.{name}").run()


if __name__ == "__main__":
    main()
