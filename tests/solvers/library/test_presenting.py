"""Answers of the library show themselves in notebooks, and know the JSON of their question."""

import json
import pickle
from typing import Any

import pytest

import minecheck
from minecheck.solvers import Question, answer_question
from minecheck.solvers.tasks.check import Check
from tests.minefield.svg import list_cells


@pytest.mark.parametrize(
    ("answer", "cells", "caption"),
    [
        (lambda: minecheck.analyze("?1??", 1), ["50", "1", "50", "✓"], "2 layouts · "),
        (lambda: minecheck.check("1?"), ["1", ""], "consistent · automata"),
        (lambda: minecheck.check("2?"), ["2", ""], "inconsistent"),
        (lambda: minecheck.layouts("?1?"), ["", "1", "✹", "✹", "1", ""], "2 layouts"),
        (lambda: minecheck.analyze("?" * 80), None, "1.209e+24 layouts"),
        (lambda: minecheck.moves("?1??", 1), ["50", "1", "50", "✓"], "consistent"),
    ],
)
def test_answers_have_html_representations(
    answer: Any, cells: list[str] | None, caption: str
) -> None:
    drawn = answer()._repr_html_()
    assert caption in drawn
    assert cells is None or list_cells(drawn) == cells


def test_answers_about_rules_and_variants_have_html_representations() -> None:
    rules = minecheck.parse_rules([{"cells": ["a", "b"], "mines": 1}])
    assert "consistent" in str(minecheck.count(rules)._repr_html_())
    torus = minecheck.Variant(minecheck.parse(["?1", "??"]), most=2)
    assert len(list_cells(str(minecheck.layouts(torus, limit=1)._repr_html_()))) == 4


def test_html_of_many_layouts_is_shortened_with_a_note() -> None:
    drawn = str(minecheck.layouts("????")._repr_html_())
    assert drawn.count("<svg") == 12
    assert "4 layouts more" in drawn


def test_pickled_answers_have_equal_json() -> None:
    answer = minecheck.analyze("?1??", 1)
    copied = pickle.loads(pickle.dumps(answer))
    assert copied.to_dict() == answer.to_dict() == json.loads(answer.to_json())


def test_answers_without_a_question_reject_conversion_to_json() -> None:
    question: Question = Check(minecheck.parse("?1"))
    with pytest.raises(TypeError, match="functions of the library"):
        answer_question(question).to_json()
