"""How far compiling is, and how long it will take."""

import pytest

from minecheck.app.execution import compilation
from minecheck.app.execution.compilation import Compilation


def test_the_time_left_follows_from_the_kernels_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(compilation, "monotonic", lambda: now)
    compiling = Compilation(10, 70)
    assert 1 < compiling.seconds_left() < 120
    now += 300
    compiling.report(50, 70)
    # 40 kernels took 300 seconds; 20 are left.
    assert 100 < compiling.seconds_left() < 200
    compiling.report(70, 70)
    assert compiling.seconds_left() == 1
