"""`ChunkSizes` finds sizes of chunks in bodies that are cut into reads anywhere."""

from itertools import pairwise

import httptools
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.middleware.chunks import ChunkSizes

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


class RecordingParser:
    """The callbacks of `httptools`, which pass everything to `ChunkSizes`."""

    def __init__(self) -> None:
        self.sizes = ChunkSizes()
        self.on_chunk_header = self.sizes.begin_chunk
        self.on_chunk_complete = self.sizes.end_chunk

    def on_body(self, body: bytes) -> None:
        self.sizes.take_bytes(len(body))


def list_announcements(reads: list[bytes]) -> list[bool]:
    """Return, for each read, whether a large chunk has been announced after it."""
    parsed = RecordingParser()
    parser = httptools.HttpRequestParser(parsed)
    parser.feed_data(HEAD[:-1])
    announced = []
    for read in reads:
        parser.feed_data(read)
        announced.append(parsed.sizes.exceeds_chunk_limit(read))
    return announced


def split_at(text: bytes, cuts: list[int]) -> list[bytes]:
    """Return the text in pieces, none of them empty."""
    return [text[a:b] for a, b in pairwise(sorted({0, *cuts, len(text)}))]


#: Bodies with lines that look like sizes.
BODIES = st.sampled_from([b"x", b"fffffffff\r\n", b"\r\n", b"1\r\n1ffffffff\r\n", b"\n" * 20])
EXTENSIONS = st.sampled_from([b"", b";x=y", b';x="ffffffffff"', b";" + b"f" * 40])
CUTS = st.lists(st.integers(0, 300), max_size=8)


@given(st.lists(st.tuples(BODIES, EXTENSIONS), max_size=6), EXTENSIONS, st.integers(0, 3), CUTS)
def test_chunk_sizes_find_large_chunk_in_any_reads(
    before: list[tuple[bytes, bytes]], extension: bytes, zeros: int, cuts: list[int]
) -> None:
    chunks = b"".join(b"%x%b\r\n%b\r\n" % (len(body), more, body) for body, more in before)
    ends = chunks + b"0\r\nabcdefabcdef: fffffffff\r\n\r\n"
    assert not any(list_announcements([b"\n", *split_at(ends, cuts)]))
    for size in (2**32 - 1, 2**32, 2**64 - 1):
        large = chunks + b"0" * zeros + b"%X%b\r\n" % (size, extension) + b"fffffffff\r\nab"
        announced = list_announcements(split_at(b"\n" + large, cuts))
        assert any(announced) == (size >= 2**32)
        # The large chunk is announced once, at the read that ends the line.
        assert sum(announced) <= 1


def test_chunk_sizes_ignore_trailer_in_any_reads() -> None:
    trailer = b"abcdefabcdef: fffffffff\r\n"
    for split in range(len(trailer)):
        reads = [b"\n1\r\nx\r\n0\r\n" + trailer[:split], trailer[split:], b"\r\n"]
        assert not any(list_announcements(reads))


def test_chunk_sizes_keep_little_between_chunks() -> None:
    sizes = ChunkSizes()
    for number in range(100):
        sizes.begin_chunk()
        sizes.take_bytes(1000)
        sizes.end_chunk()
        sizes.exceeds_chunk_limit(b"%03d" % number)
    assert sizes._before == b"099"
