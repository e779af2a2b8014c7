"""An end of a game played out over sets of layouts in plain Python, with no pruning."""

from functools import cache
from itertools import combinations


class PlainEnd:
    """All layouts of a board, each as the numbers that its cells show, -1 for mines."""

    def __init__(self, rows: list[str], mines: int) -> None:
        height, width = len(rows), len(rows[0])
        cells = [(row, col) for row in range(height) for col in range(width)]
        near = {
            cell: [one for one in cells if one != cell and _touches(one, cell)] for cell in cells
        }
        self.closed = [cell for cell in cells if rows[cell[0]][cell[1]] == "?"]
        shown = {cell: int(rows[cell[0]][cell[1]]) for cell in cells if cell not in self.closed}
        self.layouts = []
        for mined in map(set, combinations(self.closed, mines)):
            if all(sum(one in mined for one in near[cell]) == shown[cell] for cell in shown):
                self.layouts.append(
                    [
                        -1 if cell in mined else sum(one in mined for one in near[cell])
                        for cell in self.closed
                    ]
                )
        self.value = cache(self._value)

    def _value(self, left: frozenset[int]) -> int:
        """Count the layouts that best play wins."""
        best = 1
        for cell in range(len(self.closed)):
            parts: dict[int, list[int]] = {}
            for layout in left:
                parts.setdefault(self.layouts[layout][cell], []).append(layout)
            # A cell that shows the same in all layouts was opened before, or tells nothing.
            parts.pop(-1, None)
            if len(parts) > 1 or (parts and len(next(iter(parts.values()))) < len(left)):
                best = max(best, sum(self.value(frozenset(part)) for part in parts.values()))
        return best


def _touches(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1
