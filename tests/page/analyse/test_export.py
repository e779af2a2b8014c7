"""Copies and pictures of a board."""

import json
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.app.serving import Server
from tests.page.analyse.tab import (
    cell,
    clipboard,
    expect_board,
    open_tab,
    press,
    sharing,
    wait_for_text,
)
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"


def test_copied_json_and_curl_command_work_with_the_service(opened: Opened, server: Server) -> None:
    page = sharing(opened, link(["?1??"], 1))
    open_tab(page, "Tools")
    press(page, "Copy JSON")
    copied = json.loads(clipboard(page))
    assert copied == {"board": ["?1??"], "mines": 1}
    page.get_by_role("button", name="Close the message").click()
    press(page, "Copy curl command")
    command, url, option, body = shlex.split(clipboard(page))
    assert (command, option, json.loads(body)) == ("curl", "--json", copied)
    assert url == f"{server.url}/v1/analyze"


def test_copied_pictures_show_the_board(opened: Opened, tmp_path: Path) -> None:
    page = sharing(opened, link(["?1B3", "FS?8"]))
    expect_board(page, ["?1B3", "FS?8"])
    open_tab(page, "Tools")
    press(page, "Copy SVG")
    root = ElementTree.fromstring(clipboard(page))
    assert root.tag == f"{SVG}svg"
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"1", "3", "8", "S"} <= set(texts)
    assert root.findtext(f"{SVG}desc") == "?1B3\nFS?8"
    with page.expect_download() as download:
        press(page, "Save PNG")
    download.value.save_as(tmp_path / "board.png")
    saved = (tmp_path / "board.png").read_bytes()
    assert saved.startswith(b"\x89PNG")
    assert saved[16:24] == (2 * 130).to_bytes(4, "big") + (2 * 66).to_bytes(4, "big")


def test_saved_and_copied_pictures_are_the_same(opened: Opened, tmp_path: Path) -> None:
    page = sharing(opened, link(["?1"]))
    expect_board(page, ["?1"])
    open_tab(page, "Tools")
    press(page, "Copy SVG")
    copied = clipboard(page)
    with page.expect_download() as download:
        press(page, "Save SVG")
    download.value.save_as(tmp_path / "board.svg")
    assert (tmp_path / "board.svg").read_text() == copied
    page.get_by_role("button", name="Close the message").click()
    press(page, "Copy PNG")
    expect(page.locator("#message")).to_contain_text("Copied.")
    types = page.evaluate("async () => (await navigator.clipboard.read())[0].types")
    assert types == ["image/png"]


def test_copied_text_is_in_the_chosen_notation_if_that_has_all_symbols(opened: Opened) -> None:
    page = sharing(opened, link(["?1B"]))
    expect_board(page, ["?1B"])
    open_tab(page, "Tools")
    notation = page.get_by_label("in the notation")
    notation.select_option("minesweepr")
    press(page, "Copy text")
    assert clipboard(page) == "x1*"
    cell(page, 0, 0).focus()
    page.keyboard.press("f")
    press(page, "Copy text")
    expect(page.locator("#message")).to_contain_text("has no symbol for one of the cells")


def test_copied_pictures_have_the_colours_of_the_page(opened: Opened) -> None:
    page = sharing(opened, "/#analyse")
    wait_for_text(page, "12,012 layouts")
    on_page = page.evaluate("""() =>
        [...document.querySelectorAll("#analyse [data-heat]:has(.cell-text)")]
        .map((cell) => getComputedStyle(cell).backgroundColor)""")
    open_tab(page, "Tools")
    press(page, "Copy SVG")
    root = ElementTree.fromstring(clipboard(page))
    warm = [
        group
        for group in root.iter(f"{SVG}g")
        if group.find(f"{SVG}text[@font-size='11']") is not None
    ]
    grounds = [group.find(f"{SVG}rect") for group in warm]
    assert [ground.get("fill") for ground in grounds if ground is not None] == [
        colour.replace(", ", " ") for colour in on_page
    ]
    assert len(set(on_page)) == 4


def test_copy_button_shows_the_text_where_copying_is_not_allowed(opened: Opened) -> None:
    page = opened(link(["?1??"]))
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error('no')); }")
    open_tab(page, "Tools")
    press(page, "Copy JSON")
    expect(page.get_by_label("Text to copy")).to_have_value('{"board": ["?1??"]}')
