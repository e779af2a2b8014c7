"""Games played without a guess by solvers in plain Python, which share nothing with ours."""

from collections.abc import Callable, Collection, Sequence

from tests.oracle import Cell, neighbours

#: A clue: its unknown cells, and the mines among them.
Clue = tuple[frozenset[Cell], int]
#: Which unknown cells are safe: from the clues, all unknown cells and the mines among them.
Solver = Callable[[set[Clue], set[Cell], int], set[Cell]]


def can_play_through(rows: Sequence[str], first: Cell, solver: Solver) -> bool:
    """True if a solver opens all safe cells of a layout (mines drawn as B) without a guess.

    It may only name cells that are safe, and the rows have to have the right numbers.
    """
    height, width = len(rows), len(rows[0])
    hidden = {(row, col) for row in range(height) for col in range(width)}
    mines = {(row, col) for row, col in hidden if rows[row][col] == "B"}
    around = {cell: frozenset(neighbours(cell, height, width)) for cell in hidden}
    shown: set[Cell] = set()
    safe = {first}
    while safe:
        assert not safe & mines
        assert all(rows[row][col] == str(len(around[row, col] & mines)) for row, col in safe)
        shown |= safe
        hidden -= safe
        if hidden == mines:
            return True
        clues = {
            (around[cell] & hidden, len(around[cell] & mines))
            for cell in shown
            if around[cell] & hidden
        }
        safe = single(clues, hidden, len(mines)) or solver(clues, hidden, len(mines))
    return False


def single(clues: set[Clue], hidden: set[Cell], mines: int) -> set[Cell]:
    """Return the safe cells that single clues prove."""
    held: set[Cell] = set()
    while True:
        full = [cells for cells, need in clues if len(cells) == need]
        fresh = set().union(*full) - held
        held |= fresh
        safe = set().union(*[cells - held for cells, need in clues if need == len(cells & held)])
        if safe or not fresh:
            return safe
        clues = {(cells - held, need - len(cells & held)) for cells, need in clues}
        clues = {(cells, need) for cells, need in clues if cells}
        held = set()


def subsets(clues: set[Clue], hidden: set[Cell], mines: int) -> set[Cell]:
    """Return the safe cells that clues and the differences of nested clues prove.

    Mines that are proved so leave clues with fewer cells, of which others may be nested.
    """
    while True:
        clues = close_subsets(clues)
        safe = single(clues, hidden, mines)
        held = set().union(*[cells for cells, need in clues if len(cells) == need])
        if safe or not held:
            return safe
        left = {(cells - held, need - len(cells & held)) for cells, need in clues}
        clues = {(cells, need) for cells, need in left if cells}


def close_subsets(clues: Collection[Clue]) -> set[Clue]:
    """The clues, and differences of those within each other, as long as there are new ones."""
    known = set(clues)
    while True:
        new = {
            (cells - inside, need - less)
            for cells, need in known
            for inside, less in known
            if inside < cells
        }
        if new <= known:
            return known
        known |= new


def clues_alone(clues: set[Clue], hidden: set[Cell], mines: int) -> set[Cell]:
    """All that is safe by the clues, whatever the total."""
    return set().union(
        *[
            {cell for cell, totals in as_mine.items() if not totals}
            for _, as_mine in map(totals_of, components(clues))
        ]
    )


def everything(clues: set[Clue], hidden: set[Cell], mines: int) -> set[Cell]:
    """All that is safe."""
    safe = clues_alone(clues, hidden, mines)
    if safe:
        return safe
    parts = [totals_of(part) for part in components(clues)]
    loose = hidden - {cell for _, as_mine in parts for cell in as_mine}
    free = (1 << (len(loose) + 1)) - 1
    for index, (_, as_mine) in enumerate(parts):
        others = free
        for other, (totals, _) in enumerate(parts):
            others = others if other == index else sums(others, totals)
        safe |= {cell for cell, own in as_mine.items() if not sums(others, own) >> mines & 1}
    clued = 1
    for totals, _ in parts:
        clued = sums(clued, totals)
    if loose and not sums(clued, free & ~1) >> mines & 1:
        safe |= loose
    return safe


def sums(one: int, other: int) -> int:
    """Sets of numbers as bits: all sums of a number of each."""
    found = 0
    while one:
        low = one & -one
        found |= other * low
        one ^= low
    return found


def components(clues: set[Clue]) -> list[list[Clue]]:
    """The clues, those together that share cells."""
    rest = sorted(clues, key=lambda clue: sorted(clue[0]))
    parts = []
    while rest:
        part = [rest.pop()]
        for clue in part:
            part += [other for other in rest if other[0] & clue[0]]
            rest = [other for other in rest if not other[0] & clue[0]]
        parts.append(part)
    return parts


def totals_of(clues: list[Clue]) -> tuple[int, dict[Cell, int]]:
    """Which numbers of mines some layout of a component has, as bits; and where a cell is a mine.

    Cell by cell, over what each clue still needs: first forwards, then backwards.
    """
    cells = list(dict.fromkeys(cell for held, _ in clues for cell in sorted(held)))
    of_cell = [[index for index, (held, _) in enumerate(clues) if cell in held] for cell in cells]
    left = [len(held) for held, _ in clues]
    ways = {tuple(need for _, need in clues): 1}
    layers = []
    for cell, near in zip(cells, of_cell, strict=True):
        for clue in near:
            left[clue] -= 1
        steps = []
        after: dict[tuple[int, ...], int] = {}
        for needs, totals in ways.items():
            for value in (0, 1):
                rest = list(needs)
                for clue in near:
                    rest[clue] -= value
                if all(0 <= rest[clue] <= left[clue] for clue in near):
                    steps.append((needs, tuple(rest), value))
                    after[tuple(rest)] = after.get(tuple(rest), 0) | totals << value
        layers.append((cell, ways, steps))
        ways = after
    assert len(ways) == 1, "no layout"
    (end, totals), *_ = ways.items()
    behind = {end: 1}
    as_mine = {}
    for cell, before, steps in reversed(layers):
        as_mine[cell] = 0
        ahead: dict[tuple[int, ...], int] = {}
        for needs, rest_of, value in steps:
            if rest_of in behind:
                ahead[needs] = ahead.get(needs, 0) | behind[rest_of] << value
                if value:
                    as_mine[cell] |= sums(before[needs], behind[rest_of] << 1)
        behind = ahead
    return totals, as_mine
