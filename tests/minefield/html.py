"""What tests look for in tables of cells."""

import re


def list_cells(table: str) -> list[str]:
    """Return the text of all cells of a table."""
    return re.findall(r"<td[^>]*>([^<]*)</td>", table)
