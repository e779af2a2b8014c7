"""Damages to a file of compiled kernels."""

import pickle
from collections.abc import Callable
from pathlib import Path


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


#: What may have happened to a file, by what it may be called.
DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "truncated": shorten,
    "garbage": lambda path: path.write_bytes(b"\x80\x04garbage"),
    "text": lambda path: path.write_text("version https://git-lfs.example/spec/v1\n"),
    "flipped": flip,
    "of another version": lambda path: path.write_bytes(
        pickle.dumps("0.1") + b"cnowhere\nNothing\n."
    ),
    "of a missing class": lambda path: path.write_bytes(b"cnowhere\nNothing\n."),
    "of another shape": lambda path: path.write_bytes(pickle.dumps((1, 2))),
    "missing": lambda path: path.unlink(),
    "folder": replace_by_folder,
}
