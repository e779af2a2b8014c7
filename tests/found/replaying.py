"""What the files beside this one need: each holds an example that falsified a property once."""

from typing import Any


def replay(prop: Any, **example: Any) -> None:
    """Try a property on one example."""
    prop.hypothesis.inner_test(**example)
