"""Proofs in the language of the reader: what the service says in English, from the same steps."""

from typing import Any

import pytest

from tests.page.analyse.tab import wait_for_text
from tests.page.conftest import Opened
from tests.page.site import link

pytestmark = pytest.mark.slow

ROWS = ["1?", "??", "S?"]


def step(rule: str, cells: list[list[int]], low: int, high: int, **more: Any) -> dict[str, Any]:
    return {
        "rule": rule,
        "cells": cells,
        "low": low,
        "high": high,
        "sources": [],
        "clue": None,
        "text": "The 1 at row 0, column 0 is said in English.",
        **more,
    }


#: Steps, and what is said of them in German.
STEPS = [
    (
        step("clue", [[0, 1], [1, 0]], 1, 1, clue=[0, 0]),
        "Wegen Zahl 1 bei Zeile 1, Spalte 1: "
        "Zeile 1, Spalte 2; Zeile 2, Spalte 1 enthalten genau 1 Mine.",
    ),
    (
        step("clue", [[1, 0]], 2, 3, clue=[2, 0]),
        "Keine Anordnung passt: Hinweis bei Zeile 3, Spalte 1 ist nicht erfüllbar.",
    ),
    (
        step("total", [[row, 0] for row in range(9)], 0, 3),
        "Wegen Gesamtzahl der Minen: 9 Felder enthalten höchstens 3 Minen.",
    ),
    (step("assume", [[1, 1]], 1, 1), "Angenommen: Zeile 2, Spalte 2 ist eine Mine."),
    (
        step("difference", [[1, 0], [1, 1]], 0, 0, sources=[0, 1]),
        "Wegen Schritt 1 und Schritt 2: Zeile 2, Spalten 1 und 2 sind sicher.",
    ),
    (
        step("union", [[0, 1], [1, 1], [2, 1]], 1, 3, sources=[0, 1, 2]),
        "Wegen Schritt 1, Schritt 2 und Schritt 3: Zeile 1, Spalte 2; Zeile 2, Spalte 2; "
        "Zeile 3, Spalte 2 enthalten mindestens 1 Mine.",
    ),
    (
        step("intersection", [[0, 1], [1, 1], [2, 1]], 1, 2, sources=[3]),
        "Wegen Schritt 4: Zeile 1, Spalte 2; Zeile 2, Spalte 2; Zeile 3, Spalte 2 "
        "enthalten 1 bis 2 Minen.",
    ),
    (
        step("intersection", [[0, 1]], 2, 1, sources=[0, 3]),
        "Keine Anordnung passt: Schritt 1 und Schritt 4 widersprechen sich.",
    ),
    (
        step("look-ahead", [[1, 1]], 0, 0, sources=[2, 5]),
        "Schritt 6 widerlegt Schritt 3: Zeile 2, Spalte 2 ist sicher.",
    ),
    (
        step("search", [[1, 1]], 1, 1, sources=[0, 1]),
        "In jeder Anordnung, die zu Schritt 1 und Schritt 2 passt: "
        "Zeile 2, Spalte 2 ist eine Mine.",
    ),
]
SAY = """([step, rows]) => import("/page/shared/proof-in-words.js").then(
    ({ stepInWords }) => stepInWords(step, rows))"""


def test_steps_are_said_in_the_language_of_the_page(opened: Opened) -> None:
    page = opened("/?lang=de")
    said = [page.evaluate(SAY, [given, ROWS]) for given, _ in STEPS]
    assert said == [text for _, text in STEPS]


def test_steps_are_the_sentences_of_the_service_in_english(opened: Opened) -> None:
    page = opened("/", locale="en-GB")
    given, _ = STEPS[0]
    said = page.evaluate(SAY, [given, ROWS])
    assert said == "The 1 at row 1, column 1 is said in English."


def test_analyse_explains_a_cell_in_the_language_of_the_page(opened: Opened) -> None:
    page = opened(f"/?lang=de{link(['?1??'], 1)[1:]}")
    wait_for_text(page, "2 Anordnungen")
    page.locator("#analyse .cell").nth(3).click()
    wait_for_text(page, "Wegen Zahl 1 bei Zeile 1, Spalte 2: ")
    wait_for_text(page, "Wegen Schritt 1 und Schritt 2: Zeile 1, Spalte 4 ist sicher.")
