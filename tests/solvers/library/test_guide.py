"""The programs of the guide to the library give the values in their comments."""

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("page", ["python-reference.md", "variants.md"])
def test_guide_programs_give_the_values_in_their_comments(page: str) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    compared = 0
    for line in program.splitlines():
        expression, _, value = line.partition("  # ")
        if value:
            found = eval(expression, names)
            expected = eval(value, names)
            assert found == expected, expression
            compared += 1
        else:
            exec(line, names)
    assert compared
