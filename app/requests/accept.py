"""What a client accepts, as the headers Accept and Accept-Encoding say (RFC 9110, section 12.5)."""

import re
from typing import Final

_WEIGHT: Final = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")


def parse_weights(header: str, invalid: float = 1.0) -> dict[str, float]:
    """Return the weight, from 0 to 1, of each name in a header, in lower case and in its order.

    Args:
        header: the value of the header.
        invalid: the weight of a name whose weight is not a valid one.
    """
    weights: dict[str, float] = {}
    for entry in header.lower().split(","):
        name, *parameters = (part.strip() for part in entry.split(";"))
        weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
        weights.setdefault(name, float(weight) if _WEIGHT.fullmatch(weight) else invalid)
    return weights
