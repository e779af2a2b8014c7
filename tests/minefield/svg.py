"""Functions that read pictures of boards in tests."""

import re


def list_cells(picture: str) -> list[str]:
    """Return the text of all cells of a picture."""
    cells = re.findall(r"<g transform[^>]*>(.*?)</g>", picture)
    texts = [re.search(r"<text[^>]*>([^<]*)</text>", cell) for cell in cells]
    return ["" if text is None else text[1] for text in texts]
