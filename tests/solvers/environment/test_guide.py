"""The programs of the guide to the environments run, and their learner learns."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "environment.md"


def run_programs() -> list[dict[str, Any]]:
    """Return the names that each program of the page defines."""
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    found: list[dict[str, Any]] = []
    for program in programs:
        names: dict[str, Any] = {}
        exec(program, names)
        found.append(names)
    return found


@pytest.mark.slow
def test_environment_guide_programs_run_and_the_learner_learns() -> None:
    first, learning, writing = run_programs()
    assert first["info"]["chance_lost"] >= 0
    assert "score_move" in writing
    play, learner = learning["play"], learning["Learner"]()
    _, before = play(learner, 0, 100, train=False)
    play(learner, 10**6, 200, train=True)
    _, after = play(learner, 0, 100, train=False)
    assert after < before / 2
