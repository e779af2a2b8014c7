"""The base of errors that say how to fix what is wrong.

Tested in tests/minefield/test_board.py and tests/minefield/test_rules.py.
"""


class FixableError(ValueError):
    """An error whose text is its ``detail``, what is wrong, and its ``fix``, what to do about it.

    Those derived from it are dataclasses, equal only to themselves.
    """

    detail: str
    fix: str

    def __post_init__(self) -> None:
        # An error is pickled as its arguments; Python itself keeps only those without a name.
        self.args = tuple(vars(self).values())

    def __str__(self) -> str:
        return f"{self.detail} {self.fix}"
