"""Sizes of automata and numbers of consistent boards, found by other programs."""

from tests.reference.sizes import Sizes

#: (width, with safe symbol) -> sizes, found by other programs.
SIZES = {
    (1, False): Sizes(symbols=6, subset=6, minimal=6, accepting=4),
    (1, True): Sizes(symbols=7, subset=6, minimal=6, accepting=4),
    (2, False): Sizes(symbols=28, subset=50, minimal=23, accepting=15),
    (2, True): Sizes(symbols=33, subset=52, minimal=23, accepting=15),
    (3, False): Sizes(symbols=191, subset=3403, minimal=2783, accepting=1834),
    (3, True): Sizes(symbols=300, subset=3579, minimal=2921, accepting=1952),
}

#: (width, with safe symbol) -> number of consistent boards of 1, 2, 3, ... columns.
CONSISTENT = {
    (1, False): [3, 11, 38, 133, 464, 1620, 5655, 19741, 68913, 240566],
    (1, True): [4, 18, 79, 348, 1532, 6745, 29696, 130742, 575615, 2534248],
    (2, False): [11, 157, 2159, 29345, 400543, 5458529, 74397615, 1014000961],
    (2, True): [18, 404, 8658, 186012, 3995232, 85795236, 1842444936, 39565939248],
    (3, False): [38, 2159, 115804, 6118984, 324923091, 17221794679],
    (3, True): [79, 8658, 892967, 92094660, 9501756287, 979883320631],
}
