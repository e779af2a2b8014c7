"""Where the work of a command is done: in processes of this machine, or on a Ray cluster."""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from minecheck.app.cli.compiling import compile_ahead
from minecheck.app.cli.ending import NO_ANSWER, fail_with

if TYPE_CHECKING:
    from concurrent.futures import Future

Found = TypeVar("Found")
#: Pieces under way for each process, those included that nobody has taken yet.
_AHEAD: Final = 2


class EngineName(StrEnum):
    """What does the work: the processes of this machine, or a cluster."""

    LOCAL = "local"
    RAY = "ray"


Where = Annotated[
    EngineName,
    typer.Option("--engine", help="Where the work is done: on this machine, or on a Ray cluster"),
]
Address = Annotated[
    str | None,
    typer.Option(
        help="Address of the Ray cluster, such as auto or HOST:6379; by default one starts here"
    ),
]


@dataclass(frozen=True, kw_only=True)
class WorkOptions:
    """The options of commands that may use all cores, or a cluster."""

    processes: Annotated[int | None, typer.Option(min=1, help="By default all cores")] = None
    engine: Where = EngineName.LOCAL
    address: Address = None

    def __post_init__(self) -> None:
        check_address(self.engine, self.address)

    def map_pieces(
        self, work: Callable[[range], Found], pieces: Sequence[range]
    ) -> Iterator[Found]:
        """Yield the result of each piece, in order.

        Args:
            work: a function of a piece, which other processes can import.
            pieces: what it is called with.

        Raises:
            Exit: Ray failed.
        """
        if self.engine is EngineName.RAY:
            from minecheck.app.batch import ray_engine

            with on_cluster(self.address, self.processes):
                yield from ray_engine.map_work(work, pieces)
            return
        # Workers would compile in silence, each for itself.
        compile_ahead(sys.stderr)
        yield from map_in_processes(work, pieces, self.processes or os.cpu_count() or 1)


def map_in_processes(
    work: Callable[[range], Found], pieces: Sequence[range], processes: int
) -> Iterator[Found]:
    """Yield the result of each piece, in order; some pieces more than are taken are under way.

    Args:
        work: a function of a piece, which other processes can import.
        pieces: what it is called with.
        processes: how many pieces are worked on at once.
    """
    # Commands that answer in a moment do without these.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    workers = max(1, min(processes, len(pieces)))
    # Processes that begin with nothing: none of them waits for what another one holds.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        pending = iter(pieces)
        under_way: deque[Future[Found]] = deque(
            pool.submit(work, piece) for piece in islice(pending, _AHEAD * workers)
        )
        try:
            while under_way:
                result = under_way.popleft().result()
                under_way.extend(pool.submit(work, piece) for piece in islice(pending, 1))
                yield result
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def check_address(engine: EngineName, address: str | None) -> None:
    """End the command if an address is given that nothing would use."""
    if address is not None and engine is EngineName.LOCAL:
        fail_with("--address: only with --engine ray. Add that, or leave --address out.")


@contextmanager
def on_cluster(address: str | None, processors: int | None = None) -> Iterator[None]:
    """Run work on Ray, within a context; what goes wrong with it ends the command.

    Args:
        address: the address of a cluster, as for `ray_engine.connect`.
        processors: how many to use of this machine; None for all.

    Raises:
        Exit: Ray failed.
    """
    from minecheck.app.batch import ray_engine

    try:
        with ray_engine.connect(address, processors):
            yield
    except ray_engine.ClusterError as error:
        fail_with(f"--engine ray: {error}", NO_ANSWER)
