"""A plugin of pytest that runs properties only, and writes down what falsifies them.

`tests.hunt` runs ``pytest -p tests.falsified --findings FILE``. The smallest example of each
property that fails becomes a line of the file at once, so that nothing is lost if the run is cut
short.
"""

import json
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import wraps
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
import pytest

_OPTION: Final = "--findings"


class NoCode(Exception):
    """A value that no expression makes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(_OPTION, type=Path, required=True, help="where falsifying examples go")
    parser.addoption("--order", type=int, default=0, help="a seed for the order of properties")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave properties only, in an order at random: a run may end before it has tried all."""
    chosen = [item for item in items if hasattr(getattr(item, "obj", None), "hypothesis")]
    Random(config.getoption("--order")).shuffle(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Run a property; where it fails, write down the last example that made it fail."""
    test = getattr(item, "obj")  # noqa: B009 - an Item has none for mypy
    handle = test.hypothesis
    last: dict[str, Any] = {}
    inner = handle.inner_test

    @wraps(inner)
    def noting(*given: Any, **named: Any) -> Any:
        try:
            return inner(*given, **named)
        except BaseException as error:
            # Hypothesis runs the smallest example once more, last of all.
            if isinstance(error, Exception):
                last.clear()
                last.update(named)
            raise

    handle.inner_test = noting
    try:
        return (yield)
    except Exception as error:
        finding = {"test": item.nodeid, "error": f"{type(error).__name__}: {error}"[:500]}
        finding |= _describe_example(inner, last)
        with item.config.getoption(_OPTION).open("a") as file:
            file.write(json.dumps(finding) + "\n")
        raise
    finally:
        handle.inner_test = inner


def _describe_example(test: Any, example: Mapping[str, Any]) -> dict[str, Any]:
    """Return an example as code, with the modules that it needs, or as text if it has no code."""
    modules: set[str] = set()
    try:
        code = {name: code_of(value, modules) for name, value in example.items()}
    except NoCode:
        return {"example": {name: repr(value)[:2000] for name, value in example.items()}}
    return {"code": code, "modules": sorted(modules), "function": test.__qualname__}


def code_of(value: object, modules: set[str]) -> str:
    """An expression that makes a value anew; its ``modules`` have to be imported.

    Raises:
        NoCode: there is none.
    """
    if value is None or isinstance(value, bool | int | float | str | bytes):
        # Enumerated values may be numbers or texts, and so are numbers of NumPy.
        if type(value).__module__ != "builtins":
            return _instance(value, modules)
        if isinstance(value, float) and (value != value or abs(value) == float("inf")):
            return f"float({str(value)!r})"
        return repr(value)
    if isinstance(value, np.ndarray):
        modules.add("numpy")
        return f"numpy.array({value.tolist()!r}, {value.dtype.name!r}).reshape({value.shape})"
    if type(value) is tuple:
        return f"({''.join(code_of(one, modules) + ', ' for one in value)})"
    if type(value) is list:
        return f"[{_join_codes(value, modules)}]"
    if type(value) in (set, frozenset):
        assert isinstance(value, Set)
        return f"{type(value).__name__}([{_join_codes(sorted(value, key=repr), modules)}])"
    if type(value) is dict:
        pairs = [(code_of(key, modules), code_of(one, modules)) for key, one in value.items()]
        return f"{{{', '.join(f'{key}: {one}' for key, one in pairs)}}}"
    return _instance(value, modules)


def _join_codes(values: Sequence[object], modules: set[str]) -> str:
    return ", ".join(code_of(one, modules) for one in values)


def _instance(value: object, modules: set[str]) -> str:
    """An enumerated value, a number of NumPy, a fraction, a named tuple or a dataclass."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is not kind:
        raise NoCode
    modules.add(kind.__module__)
    if isinstance(value, Enum):
        return f"{name}.{value.name}"
    if isinstance(value, np.generic):
        return f"{name}({value.item()!r})"
    if isinstance(value, Fraction):
        return f"{name}({value.numerator}, {value.denominator})"
    if isinstance(value, tuple):
        return f"{name}({_join_codes(value, modules)})"
    if is_dataclass(value):
        given = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
        parts = [f"{field}={code_of(one, modules)}" for field, one in given.items()]
        return f"{name}({', '.join(parts)})"
    raise NoCode
