"""Lines of a batch, as a stream of JSON has them."""

from collections.abc import Iterable

from minecheck.app.batch.batch_line import BatchLine


def number_lines(contents: Iterable[bytes], first: int = 0) -> list[BatchLine]:
    """Return the lines, numbered from ``first`` on."""
    return [BatchLine(content, number) for number, content in enumerate(contents, first)]
