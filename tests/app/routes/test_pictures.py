"""The stored pictures show the machines of the service."""

import pytest

from docs.machines import drawn
from minecheck.app.functions import machine_documents


@pytest.mark.slow
def test_stored_pictures_of_machines_are_not_stale() -> None:
    kept = {file: file.read_bytes() for file in machine_documents.PICTURES.iterdir()}
    assert kept == drawn(), "run make pictures"
