"""Speed, as ratios against a named peer in the same run: ``python -m benchmarks``."""
