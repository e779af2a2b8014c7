"""Messages quote values in one printable line."""

import json

from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.quoting import quote_text


@given(st.text(st.characters()), st.integers(0, 10))
def test_quote_text_is_one_printable_line_of_json(text: str, longest: int) -> None:
    quoted = quote_text(text, longest)
    assert quoted.isprintable()
    assert quoted.endswith("…") == (len(text) > longest)
    assert json.loads(quoted.removesuffix("…")) == text[:longest]


def test_quote_text_keeps_letters_of_all_scripts() -> None:
    assert quote_text("Zürich 地雷") == '"Zürich 地雷"'


def test_quote_text_escapes_characters_that_reverse_the_line() -> None:
    assert quote_text("a\u202eb") == r'"a\u202eb"'
