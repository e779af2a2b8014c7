"""The pictures that the service shows are those of its machines."""

import pytest

from docs.machines import drawn
from minecheck.app.functions import machines


@pytest.mark.slow
def test_pictures_are_of_the_machines_as_they_are() -> None:
    kept = {file: file.read_bytes() for file in machines.PICTURES.iterdir()}
    assert kept == drawn(), "run make pictures"
