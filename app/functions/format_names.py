"""The names of formats in paths.

Tested in tests/app/routes/test_formats.py.
"""

from http import HTTPStatus
from typing import Any, Final

from pydantic import Field

from minecheck.app.problems import ProblemError
from minecheck.app.quoting import quote_text
from minecheck.minefield.formats import FORMATS
from minecheck.minefield.spelling import suggest_name

#: A small file, in the format mine.
SAMPLE: Final = "3x2x1\n1FH\n11H\n"


def name_format(description: str, *further: str) -> Any:
    """Return the field that names a format in a path.

    Args:
        description: what the field is.
        further: names that it may have besides those of formats.
    """
    return Field(description=description, json_schema_extra={"enum": [*further, *FORMATS]})


def require_format(name: str, *further: str) -> None:
    """Check the name of a format.

    Args:
        name: the name.
        further: names that it may be besides those of formats.

    Raises:
        ProblemError: 404, there is no such format.
    """
    if name not in (*FORMATS, *further):
        raise ProblemError(
            HTTPStatus.NOT_FOUND,
            "no-such-format",
            f"{quote_text(name)} is not a format.",
            f"{suggest_name(name, FORMATS)}Use one of: {', '.join([*further, *FORMATS])}.",
        )
