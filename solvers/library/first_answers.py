"""The first answers of a process, given before it has loaded machine code.

To load Numba and machine code takes about as long as a hundred small boards take the interpreter,
and on a new machine the kernels have to be compiled as well. So small boards are left to the
interpreter, until they have taken together about as long as loading takes. The answers are the
same.

Tested in tests/solvers/library/test_first_answers.py.
"""

from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import fields
from time import thread_time
from typing import Final

from minecheck.minefield.board import Board
from minecheck.minefield.kernel import interpret_kernels, is_numba_loaded
from minecheck.minefield.kernel_mode import IS_CHOSEN
from minecheck.minefield.rules import Puzzle
from minecheck.solvers.question import Question

#: Options that leave a small question small.
_SMALL_OPTIONS: Final = frozenset({"mines", "seed", "limit", "offset"})
_MOST_CELLS: Final = 30


class FirstAnswers:
    """Decides whether the interpreter answers.

    Args:
        seconds: of a processor, that it may take in all.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds_left = seconds

    def has_time_for(self, kind: type[Question], board: Puzzle, options_set: Set[str]) -> bool:
        """Return True if the interpreter is to answer: the question is small, and there is time.

        Args:
            kind: the question.
            board: its board.
            options_set: the names of options that have another value than by default.
        """
        return (
            not is_numba_loaded()
            and self.seconds_left > 0
            and kind.quick
            and isinstance(board, Board)
            and board.cells.size <= _MOST_CELLS
            and options_set <= _SMALL_OPTIONS
        )

    @contextmanager
    def interpret_small(self, question: Question) -> Iterator[None]:
        """Let the interpreter run the kernels within, if it is to answer this question.

        Args:
            question: the question.
        """
        options_set = {
            field.name
            for field in fields(question)
            if field.name != "board" and getattr(question, field.name) != field.default
        }
        if self.has_time_for(type(question), question.board, options_set):
            with self.interpret():
                yield
        else:
            yield

    @contextmanager
    def interpret(self) -> Iterator[None]:
        """Let the interpreter run the kernels within, and take the time that this needs."""
        started = thread_time()
        try:
            with interpret_kernels():
                yield
        finally:
            self.seconds_left -= thread_time() - started


#: Those of this process, whether a program or a command: what they spare is spared once. If
#: ``MINECHECK_KERNELS`` says how kernels run, they run so from the first answer on.
FIRST_ANSWERS: Final = FirstAnswers(seconds=0.0 if IS_CHOSEN else 0.25)
