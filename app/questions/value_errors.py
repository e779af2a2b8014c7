"""The error of validators for values that they cannot read.

Tested in tests/app/requests/test_wording.py.
"""

from pydantic_core import PydanticCustomError


def make_form_error(noun: str, expected: str) -> PydanticCustomError:
    """Return the error for a value that a validator cannot read.

    Args:
        noun: the noun for such values, with its article: the value is said not to be one.
        expected: what to send instead.
    """
    return PydanticCustomError("wrong_form", "not {noun}", {"noun": noun, "expected": expected})


def make_value_error(detail: str, expected: str) -> PydanticCustomError:
    """Return the error for a value with a part that is wrong.

    Args:
        detail: what is wrong, without a full stop.
        expected: what to send instead.
    """
    return PydanticCustomError("wrong_value", "{detail}", {"detail": detail, "expected": expected})
