"""Boards for other programs: exports for solvers, files and links of games."""

from pathlib import Path

import pytest

from tests.app.serving import Server
from tests.page.analyse.tab import clipboard, open_tab, press, read_rows, sharing, wait_for_text
from tests.page.conftest import Opened
from tests.page.site import expect, link

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("language", "suffix"),
    [("dimacs", ".cnf"), ("opb", ".opb"), ("minizinc", ".mzn"), ("smtlib", ".smt2")],
)
def test_board_is_exported_for_solvers_as_the_service_does(
    opened: Opened, server: Server, tmp_path: Path, language: str, suffix: str
) -> None:
    page = opened(link(["?1??"], 1))
    open_tab(page, "Tools")
    page.locator("#analyse").get_by_label("Language").select_option(language)
    with page.expect_download() as download:
        press(page, "Save export")
    assert download.value.suggested_filename == f"board{suffix}"
    download.value.save_as(tmp_path / "board")
    body = {"board": ["?1??"], "mines": 1, "into": language}
    assert (tmp_path / "board").read_text() == server.post("/v1/export", body).text


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("jsminesweeper", "https://davidnhill.github.io/JSMinesweeper/index.html?analysis="),
        ("puzzlink", "https://puzz.link/p?mines/"),
    ],
)
def test_board_is_copied_as_a_link_of_another_program(
    opened: Opened, name: str, start: str
) -> None:
    page = sharing(opened, link(["?1??"], 1))
    open_tab(page, "Tools")
    page.locator("#analyse [name=format]").select_option(name)
    press(page, "Copy file")
    assert clipboard(page).startswith(start)


def test_shown_layout_is_saved_as_a_map(tolerant: Opened, server: Server, tmp_path: Path) -> None:
    page = tolerant(link(["?1??"], 1))
    wait_for_text(page, "2 layouts")
    open_tab(page, "Tools")
    page.locator("#analyse [name=format]").select_option("mbf")
    press(page, "Save file")
    wait_for_text(page, "show a layout first")
    open_tab(page, "Layouts")
    press(page, "Last")
    wait_for_text(page, "Layout 2 of 2.")
    shown = read_rows(page)
    open_tab(page, "Tools")
    with page.expect_download() as download:
        press(page, "Save file")
    assert download.value.suggested_filename == "board.mbf"
    download.value.save_as(tmp_path / "board.mbf")
    saved = (tmp_path / "board.mbf").read_bytes()
    read = server.send("POST", "/v1/formats/mbf", content=saved).json()
    assert read["layout"] == shown
    press(page, "Copy file")
    wait_for_text(page, "This format is not text: save it as a file.")
    page.locator("#analyse [name=format]").select_option("tatham")
    with page.expect_download() as download:
        press(page, "Save file")
    expect(page.locator("#analyse .programs").get_by_role("status")).to_have_text("")
