"""Files of compiled kernels: damaged ones count as missing, and failures to write are reported."""

import errno
import logging
import pickle
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import pytest

from minecheck.minefield.kernel_files import KernelFiles, explain_unwritable, warn_uncached
from tests.minefield.file_damages import DAMAGES

KEY = ("int64", "any processor")


@pytest.fixture
def files(tmp_path: Path) -> KernelFiles:
    """The files of a kernel, with machine code in them."""
    made = KernelFiles(str(tmp_path), "kernel", b"stamp")
    made.save(KEY, ("machine", bytes(1000)))
    return made


@pytest.fixture(autouse=True)
def nothing_said() -> None:
    warn_uncached.cache_clear()
    explain_unwritable.cache_clear()


def test_kernel_files_load_saved_kernels_of_the_same_stamp_only(
    files: KernelFiles, tmp_path: Path
) -> None:
    assert files.has_key(KEY)
    assert files.load(KEY) == ("machine", bytes(1000))
    assert not files.has_key("other")
    assert files.load("other") is None
    edited = KernelFiles(str(tmp_path), "kernel", b"other stamp")
    assert not edited.has_key(KEY)
    assert edited.load(KEY) is None


@pytest.mark.parametrize("name", ["kernel.nbi", "kernel.1.nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_kernel_file_counts_as_missing_until_the_next_save(
    files: KernelFiles, tmp_path: Path, damage: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    DAMAGES[damage](tmp_path / name)
    # A pickle of something else is noticed only when the kernel is used.
    is_pickle = name.endswith(".nbc") and damage.startswith("of another")
    if not is_pickle:
        assert files.load(KEY) is None
    if not is_pickle and damage != "of a missing class":
        assert not files.has_key(KEY)
    files.save(KEY, "machine")
    if damage == "folder":
        # It is not for us to remove.
        assert files.load(KEY) is None
        assert [record.levelname for record in caplog.records] == ["WARNING"]
    else:
        assert files.has_key(KEY)
        assert files.load(KEY) == "machine"


@pytest.mark.parametrize("at", range(0, 1000, 37))
def test_kernel_files_notice_every_changed_bit_of_machine_code(
    files: KernelFiles, tmp_path: Path, at: int
) -> None:
    path = tmp_path / "kernel.1.nbc"
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    assert not files.has_key(KEY)
    assert files.load(KEY) is None


def test_kernel_file_without_a_digest_is_read(files: KernelFiles, tmp_path: Path) -> None:
    (tmp_path / "kernel.1.nbc").write_bytes(pickle.dumps("older"))
    assert files.has_key(KEY)
    assert files.load(KEY) == "older"


@pytest.mark.parametrize("error", ["ENOSPC", "EACCES", "EROFS", "EDQUOT", "EIO"])
def test_kernel_files_warn_once_that_a_folder_cannot_be_written(
    files: KernelFiles,
    error: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    number = getattr(errno, error)

    def fail(*_: object, **__: object) -> NoReturn:
        raise OSError(number, "There is no way")

    monkeypatch.setattr(files, "_open_for_write", fail)
    for key in range(5):
        files.save(key, "machine")
        assert files.load(key) is None
    assert files.load(KEY) == ("machine", bytes(1000))
    (record,) = caplog.records
    assert (record.levelno, record.name) == (logging.WARNING, "minecheck.compiled")
    assert "There is no way" in record.getMessage()
    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    assert explain_unwritable("/") == "There is no way"


def test_why_unwritable_leaves_no_file_in_a_writable_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert explain_unwritable(str(folder)) is None
    assert list(folder.iterdir()) == []
    (tmp_path / "file").write_text("")
    found: Any = explain_unwritable(str(tmp_path / "file"))
    assert found
